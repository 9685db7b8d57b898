"""Which values are the same on several compute tiles.

Tiles run one program on different ids. A value is uniform over some tiles when its *n*-th execution gives all of them
the same; control flow is, when its bounds and conditions are. That is what an exchange needs: tiles count the
executions of an op to find what belongs together.

Every scalar is evaluated per tile, symbolically: to a number where the id decides it, else to a term over what all
tiles share (arguments, counters of uniform loops, what lies at one address of device memory). Equal terms are equal
values. Memory is shared, because a load at one address gives two tiles different values only if nothing orders it with
a store, which is an error of the kernel.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from spyrec import numerics, sets
from spyrec.mlir import ir
from spyrec.numerics import scalars
from spyrec.passes.analysis import generics, kernels
from spyrec.passes.analysis.exchanges import NotStatic, Taker, exchange_of

_PURE = ("arith.", "math.", "affine.", "tensor.", "linalg.", "ktdp.construct_", "dataflow.read", "ktdp.load")
_LOOPS = ("scf.for", "scf.while", "scf.parallel", "scf.forall")


@dataclass(frozen=True)
class Divergence:
    """Control flow around an op that two tiles do not take alike. ``values`` are the conditions there as far as they
    are known.
    """

    control: ir.Operation
    tiles: tuple[int, int]
    values: tuple[int | None, int | None]


class Uniformity:
    """Answers for one function, whose grid has been normalised. Make a new one after the function has been changed."""

    def __init__(self, function: ir.Operation) -> None:
        self.function = function
        self.tiles = kernels.tiles(function)
        self._terms: dict[Hashable, int] = {}
        self._numbers: dict[int, int] = {}
        self._known: dict[int, dict[ir.Value, int]] = {tile: {} for tile in range(self.tiles)}
        self._begun: set[ir.Value] = set()

    def over(self, value: ir.Value, tiles: Sequence[int]) -> bool:
        """Whether ``value`` is the same on all of ``tiles``."""
        return len({self._term(value, t) for t in tiles}) <= 1

    def is_uniform(self, value: ir.Value) -> bool:
        """Whether ``value`` is the same on all tiles."""
        return self.over(value, range(self.tiles))

    def number(self, value: ir.Value, tile: int) -> int | None:
        """The value on one tile, where its id decides it."""
        return self._numbers.get(self._term(value, tile))

    def divergence(self, op: ir.Operation, tiles: Sequence[int]) -> Divergence | None:
        """The outermost control flow around ``op`` that ``tiles`` do not all take alike; None when there is none."""
        for control in reversed(list(kernels.around(op, self.function))):
            deciding = self._deciding(control)
            for value in deciding:
                terms = [self._term(value, t) for t in tiles]
                other = next((k for k, term in enumerate(terms) if term != terms[0]), None)
                if other is not None:
                    values = (self._numbers.get(terms[0]), self._numbers.get(terms[other]))
                    return Divergence(control, (tiles[0], tiles[other]), values)
        return None

    @staticmethod
    def _deciding(control: ir.Operation) -> list[ir.Value]:
        """The values that decide how often, and whether, the regions of ``control`` run."""
        if control.name == "scf.for":
            return list(control.operands)[:3]
        if control.name == "scf.while":
            last = kernels.terminator(control.regions[0].blocks[0])
            return [last.operands[0], *control.operands]
        if control.name in ("scf.parallel", "scf.forall"):
            return [v for v in control.operands if not isinstance(v.type, ir.RankedTensorType)]
        return list(control.operands) if control.name in ("scf.if", "scf.index_switch") else []

    # Terms

    def _of(self, *parts: Hashable) -> int:
        return self._terms.setdefault(parts, len(self._terms))

    def _constant(self, number: int) -> int:
        term = self._of("number", number)
        self._numbers[term] = number
        return term

    def _own(self, value: ir.Value, tile: int) -> int:
        """A term that is no other tile's."""
        return self._of("own", value, tile)

    def _term(self, value: ir.Value, tile: int) -> int:
        known = self._known[tile]
        if value in known:
            return known[value]
        if value in self._begun:  # what depends on itself is not shared
            return self._own(value, tile)
        self._begun.add(value)
        found = self._found(value, tile)
        self._begun.discard(value)
        self._known[tile][value] = found
        return found

    def _found(self, value: ir.Value, tile: int) -> int:
        owner = value.owner
        if isinstance(owner, ir.Block):
            return self._argument(ir.BlockArgument(value), tile)
        op = owner.operation
        number = ir.OpResult(value).result_number
        if op.name in kernels.TILE_IDS:
            return self._constant(tile) if len(op.results) == 1 else self._own(value, tile)
        if op.name == "arith.constant" and isinstance(op.attributes["value"], ir.IntegerAttr):
            return self._constant(op.attributes["value"].value)
        if op.name in ("scf.for", "scf.if"):
            return self._control(op, number, tile)
        if op.name.startswith(_PURE):
            return self._pure(op, number, tile)
        return self._exchanged(op, value, tile)

    def _argument(self, argument: ir.BlockArgument, tile: int) -> int:
        owner = kernels.owner(argument.owner)
        if owner == self.function:
            return self._of("argument", argument)
        if owner.name == "scf.for":
            return self._carried(owner, argument.arg_number, tile)
        return self._own(argument, tile)

    def _carried(self, loop: ir.Operation, number: int, tile: int) -> int:
        """The term of argument ``number`` of a loop's body; those of the others are found on the way.

        At first the arguments count as shared where their starts are. Each round takes in what the next iteration makes
        of that; what two tiles do not share they have told apart after as many rounds as there are arguments.
        """
        body = loop.regions[0].blocks[0]
        arguments, last = list(body.arguments), kernels.terminator(body)
        bounds = tuple(self._term(v, tile) for v in list(loop.operands)[:3])
        counter = self._of("counter", arguments[0], bounds)
        terms = [
            self._of("carried", arguments[0], k, bounds, self._term(v, tile))
            for k, v in enumerate(list(loop.operands)[3:])
        ]
        before, begun = self._known[tile], self._begun
        for _ in terms:
            self._known[tile] = before | dict(zip(arguments, [counter, *terms], strict=True))
            self._begun = set()
            following = [self._term(v, tile) for v in last.operands]
            terms = [self._of("next", term, then) for term, then in zip(terms, following, strict=True)]
        self._known[tile], self._begun = before, begun
        before.update(zip(arguments, [counter, *terms], strict=True))
        return before[arguments[number]]

    def _control(self, op: ir.Operation, number: int, tile: int) -> int:
        if op.name == "scf.for":
            return self._of("result", op.results[number], self._carried(op, number + 1, tile))
        condition = self._term(op.operands[0], tile)
        known = self._numbers.get(condition)
        ends = [kernels.terminator(r.blocks[0]) for r in op.regions if len(r.blocks)]
        arms = [self._term(end.operands[number], tile) for end in ends]
        return arms[0 if known else 1] if known is not None else self._of("if", condition, *arms)

    def _pure(self, op: ir.Operation, number: int, tile: int) -> int:
        operands = [self._term(v, tile) for v in [*op.operands, *generics.captured(op)]]
        numbers = [self._numbers.get(term) for term in operands]
        if not op.regions and all(n is not None for n in numbers):
            made = _computed(op, [n for n in numbers if n is not None])
            if made is not None:
                return self._constant(made)
        if op.name == "ktdp.construct_memory_view" and "global" not in str(op.attributes["memory_space"]):
            return self._own(op.results[0], tile)
        if op.name == "dataflow.read" and "@device" not in str(op.attributes["space"]):
            return self._own(op.results[0], tile)
        return self._of("op", op.results[number], *operands)

    def _exchanged(self, op: ir.Operation, value: ir.Value, tile: int) -> int:
        """What all consumers of a group get alike is theirs together."""
        view = op.opview
        if isinstance(view, Taker) and view.producer_dependency_per_consumer is None:
            try:
                groups = exchange_of(view, self.tiles).groups
            except NotStatic:
                return self._own(value, tile)
            for group in groups:
                if tile in group.sources:
                    return self._of("group", value, group.number)
        return self._own(value, tile)


def _computed(op: ir.Operation, operands: Sequence[int]) -> int | None:
    """The result of an integer op on known operands."""
    if op.name == "affine.apply":
        return sets.parse_map(str(op.attributes["map"])).values(operands)[0]
    if op.name == "arith.select":
        return operands[1 if operands[0] else 2]
    types = [str(v.type) for v in [*op.operands, *op.results]]
    if len(op.results) != 1 or not operands or any(t not in numerics.TYPES for t in types):
        return None
    bits = numerics.scalar_type(types[0]).bits
    try:
        if op.name == "arith.cmpi":
            return int(scalars.compare(ir.IntegerAttr(op.attributes["predicate"]).value, bits)(*operands))
        function = scalars.resize(op.name, bits, numerics.scalar_type(types[-1]).bits) or scalars.binary(op.name, bits)
        return None if function is None else int(function(*operands))
    except (ZeroDivisionError, numerics.NumericsError):
        return None
