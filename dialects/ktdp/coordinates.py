"""Which coordinates views and tiles have, as far as the ops in sight say it."""

from collections.abc import Iterable, Iterator, Sequence

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.sets import Points


class Names:
    """What symbols of sets stand for. Each SSA value is one parameter, the same one in all sets that name it; with
    ``constants``, values that constants define are their numbers.
    """

    def __init__(self, *, constants: bool = False) -> None:
        self.constants = constants
        self._names: dict[ir.Value, str] = {}

    def of(self, value: ir.Value) -> int | str:
        """The parameter, or the number."""
        number = constant(value) if self.constants else None
        return self._names.setdefault(value, f"p{len(self._names)}") if number is None else number

    def all(self, values: Iterable[ir.Value]) -> list[int | str]:
        """:meth:`of`, for each."""
        return [self.of(v) for v in values]

    def sizes(self, static: Sequence[int], dynamic: Iterable[ir.Value]) -> list[int | str]:
        """A mixed list: its numbers, and its operands where it is dynamic."""
        operands = iter(dynamic)
        return [self.of(next(operands)) if size == DYNAMIC else size for size in static]


def maker(value: ir.Value) -> ir.OpView | None:
    """The op of ours (or of MLIR) that defines a value; None for block arguments."""
    owner = value.owner
    return owner.opview if isinstance(owner, (ir.Operation, ir.OpView)) else None


def constant(value: ir.Value) -> int | None:
    """The number that an ``arith.constant`` gives, else None."""
    owner = value.owner
    if not isinstance(owner, (ir.Operation, ir.OpView)) or owner.operation.name != "arith.constant":
        return None
    attribute = owner.operation.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def always_runs(op: ir.Operation) -> bool:
    """Whether an op stands in the body of a function itself, and not in a loop or a branch that may never run."""
    around = op.parent
    return around is None or around.operation.name in ("func.func", "builtin.module")


def permutation(order: ir.AffineMap) -> list[int] | None:
    """Which dimension each result of a permutation is; None for another map."""
    if order.n_symbols or not order.is_permutation:
        return None
    return [ir.AffineDimExpr(result).position for result in order.results]


def show(extents: Sequence[int | None]) -> str:
    """``4 x 64``, with ``?`` for what is not known."""
    return " x ".join("?" if e is None or e < 0 else str(e) for e in extents) or "rank 0"


def at(point: Sequence[int]) -> str:
    """A point as messages show it."""
    return f"({', '.join(map(str, point))})"


def tile_shape(
    field: str, points: Points, order: Sequence[int], shape: Sequence[int], result: str
) -> Iterator[ods.Violation]:
    """A tile has room for every point of its set, enumerated in its order."""
    extents = points.extents()
    permuted = [extents[k] for k in order]
    turned = "" if [*order] == sorted(order) else f", in its order: the set itself has {show(extents)}"
    if any(e is not None and e > size >= 0 for e, size in zip(permuted, shape, strict=True)):
        yield ods.Violation(
            "set-too-large",
            f"{field} has {show(permuted)} points, but the tile only {show(shape)}",
            field,
            (f"the type of the {result} must have room for every point of its set{turned}",),
        )


def order_is_permutation(field: str, order: ir.AffineMap, dims: int, *, of: str) -> Iterator[ods.Violation]:
    """An order maps the dimensions of its set to themselves, each once."""
    if order.n_symbols or order.n_dims != dims or len(order.results) != dims:
        yield ods.Violation("rank-mismatch", f"{field} must map {dims} dimensions to {dims}, but is {order}", field)
    elif permutation(order) is None:
        yield ods.Violation(
            "bad-order",
            f"{field} must be a permutation of its dimensions, but is {order}",
            field,
            (f"each dimension of {of} stands once on the right side, such as affine_map<(a, b) -> (b, a)>",),
        )
