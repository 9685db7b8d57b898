"""What a kernel at stage ``ktir`` asks of a launch, found without compiling it.

Views are followed to the argument, or the literal address, that they start from, and to the loads and stores that use
them. Their addresses, sizes and strides are computed for every compute tile and for the first and last iteration of the
loops around them, from the numbers of the launch. What depends on memory stays unknown and asks for nothing: the
executor checks every access anyway, so a footprint may be too small but must not be too large.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NoReturn, cast

from spyrec import diag, numerics
from spyrec.dialects import ktdp
from spyrec.interp.affine import apply_map
from spyrec.interp.faults import Fault
from spyrec.interp.lanes import keyword
from spyrec.interp.points import SetFunction
from spyrec.interp.values import element_of
from spyrec.mlir import ir
from spyrec.numerics import scalars
from spyrec.ods.checks import DYNAMIC
from spyrec.spyrecode.signature import LITERAL, Argument, ArgumentKind, Signature, View

CORES = 32
"""Tiles of a kernel that asks for its id and states no grid."""

MAX_CALLS = 16
"""Depth of calls into which views are followed."""

MAX_LOOPS = 4
"""Loops around a view of which first and last iterations are combined; further ones are taken at their first."""

PARTS = "ktdp.construct_distributed_memory_view"

Access = Literal["r", "w", "rw"]


@dataclass(frozen=True)
class Value:
    """An integer: ``number`` counted from argument ``base`` of the kernel (None: from 0). ``scaled`` when it is made of
    an argument by more than adding numbers, so that it is no address.
    """

    number: int
    base: int | None = None
    scaled: bool = False


@dataclass(frozen=True)
class Point:
    """Where a value is computed: the tile's ids, the numbers of the launch, counters of loops, operands of calls."""

    tile: int
    grid: tuple[int, ...]
    scalars: Mapping[int, int]
    counters: Mapping[ir.Value, int]
    bindings: Mapping[ir.Value, ir.Value]


def walk(op: ir.Operation) -> Iterator[ir.Operation]:
    """All ops inside ``op``."""
    for region in op.regions:
        for block in region:
            for wrapper in block.operations:
                yield wrapper.operation
                yield from walk(wrapper.operation)


def grid_of(function: ir.Operation) -> tuple[int, ...]:
    """Extents of the grid; without one, a tile per core for a kernel that asks for its id, else one tile."""
    if "grid" in function.attributes:
        return _stated_grid(function)
    return (CORES if any(op.name == "ktdp.get_compute_tile_id" for op in walk(function)) else 1,)


def _stated_grid(function: ir.Operation) -> tuple[int, ...]:
    grid = function.attributes["grid"]
    entries = list(grid) if isinstance(grid, ir.ArrayAttr) else []
    extents = tuple(n.value for n in entries if isinstance(n, ir.IntegerAttr))
    if not extents or len(extents) != len(entries) or min(extents) < 1:
        fault = Fault("bad-grid", f"the grid {grid} is no list of extents of at least 1", "grid")
        fault.op = function
        raise fault
    return extents


class Evaluator:
    """Integers of a function at a point. Gives None for what only the run knows."""

    def __init__(self, function: ir.Operation) -> None:
        self._kernel = function.regions[0].blocks[0]

    def value(self, value: ir.Value, at: Point) -> Value | None:
        """The value there."""
        owner = value.owner
        if isinstance(owner, ir.Block):
            if owner == self._kernel:
                number = ir.BlockArgument(value).arg_number
                return Value(at.scalars[number]) if number in at.scalars else Value(0, number)
            if value in at.bindings:
                return self.value(at.bindings[value], at)
            return Value(at.counters[value]) if value in at.counters else None
        return self._result(owner.operation, value, at)

    def number(self, value: ir.Value, at: Point) -> int | None:
        """The value there, if it is a plain number."""
        found = self.value(value, at)
        return None if found is None or found.base is not None else found.number

    def _result(self, op: ir.Operation, value: ir.Value, at: Point) -> Value | None:
        if op.name == "arith.constant":
            attribute = op.attributes["value"]
            return Value(attribute.value) if isinstance(attribute, ir.IntegerAttr) else None
        if op.name == "ktdp.get_compute_tile_id":
            return Value(self._id(op, value, at))
        if op.name == "ktdp.runtime_arg_extract" and keyword(op.attributes["kind"]) in ("value", "0"):
            return self.value(op.operands[0], at)
        if op.name == "arith.select":
            condition = self.number(op.operands[0], at)
            return None if condition is None else self.value(op.operands[1 if condition else 2], at)
        operands = [self.value(v, at) for v in op.operands]
        if any(v is None for v in operands):
            return None
        return _computed(op, [v for v in operands if v is not None])

    @staticmethod
    def _id(op: ir.Operation, value: ir.Value, at: Point) -> int:
        if len(op.results) == 1:
            return at.tile
        rest = at.tile
        for result, extent in zip(op.results, at.grid, strict=False):
            if result == value:
                return rest % extent
            rest //= extent
        return 0


def _computed(op: ir.Operation, operands: Sequence[Value]) -> Value | None:
    """The result of an integer op on known operands."""
    based = [v for v in operands if v.base is not None]
    if op.name in ("arith.addi", "arith.subi") and len(based) == 1:
        if op.name == "arith.subi" and operands[1].base is not None:
            return Value(0, based[0].base, scaled=True)
        sign = 1 if op.name == "arith.addi" else -1
        return Value(operands[0].number + sign * operands[1].number, based[0].base, based[0].scaled)
    if op.name == "arith.index_cast" and based:
        return operands[0]
    if based:
        return Value(0, based[0].base, scaled=True)
    numbers = [v.number for v in operands]
    try:
        if op.name == "affine.apply":
            return Value(int(apply_map(ir.AffineMapAttr(op.attributes["map"]).value)(numbers)[0]))
        if op.name in ("affine.min", "affine.max"):
            choose = min if op.name == "affine.min" else max
            return Value(int(choose(apply_map(ir.AffineMapAttr(op.attributes["map"]).value)(numbers))))
        function = _integer_function(op)
        return None if function is None else Value(function(*numbers))
    except (ZeroDivisionError, numerics.NumericsError):
        return None


def _integer_function(op: ir.Operation) -> Callable[..., int] | None:
    if len(op.results) != 1 or not op.operands or str(op.operands[0].type) not in numerics.TYPES:
        return None
    if str(op.results[0].type) not in numerics.TYPES:
        return None
    bits = numerics.scalar_type(str(op.operands[0].type)).bits
    if op.name == "arith.cmpi":
        return scalars.compare(ir.IntegerAttr(op.attributes["predicate"]).value, bits)
    cast_ = scalars.resize(op.name, bits, numerics.scalar_type(str(op.results[0].type)).bits)
    return cast_ if cast_ is not None else scalars.binary(op.name, bits)


# Uses ----------------------------------------------------------------------------------------------------------------


def _access(view: ir.Value) -> str:
    """What the kernel does with a view: letters of ``rw``."""
    found = ""
    for use in view.uses:
        user, number = use.owner.operation, use.operand_number
        if user.name == PARTS:
            found += _access(user.results[0])
        elif user.name == "ktdp.construct_access_tile" or (
            user.name == "ktdp.construct_indirect_access_tile" and number == 0
        ):
            found += _tile_access(user.results[0])
        elif user.name == "ktdp.construct_indirect_access_tile":
            found += "r"
        else:
            found += "rw"
    return found


def _tile_access(tile: ir.Value) -> str:
    letters = {"ktdp.load": "r", "ktdp.store": "w"}
    return "".join(letters.get(use.owner.operation.name, "rw") for use in tile.uses)


def _counters(op: ir.Operation, evaluator: Evaluator, at: Point) -> Iterator[Point]:
    """Points of the first and last iteration of the loops around ``op``; none when one of them does not run.

    A counter whose bounds only the run knows has no number.
    """
    loops = []
    parent = op.parent
    while parent is not None and parent.operation.name != "func.func":
        if parent.operation.name in _LOOPS:
            loops.append(parent.operation)
        parent = parent.operation.parent
    points = [at]
    counters = [(loop, k) for loop in reversed(loops) for k in range(_dimensions(loop))]
    for depth, (loop, number) in enumerate(counters):
        counter = loop.regions[0].blocks[0].arguments[number]
        grown = []
        for point in points:
            bounds = _LOOPS[loop.name](loop, number, functools.partial(evaluator.number, at=point))
            if bounds is None:
                grown.append(point)
                continue
            lower, upper, step = bounds
            if step <= 0 or lower >= upper:
                continue
            last = lower + (upper - 1 - lower) // step * step
            ends = {lower, last} if depth < MAX_LOOPS else {lower}
            grown += [replace(point, counters={**point.counters, counter: e}) for e in sorted(ends)]
        points = grown
    return iter(points)


#: A number of a value, None if only the run knows it.
_Number = Callable[[ir.Value], int | None]
_Bounds = tuple[int, int, int]


def _dimensions(loop: ir.Operation) -> int:
    """How many counters a loop has."""
    if loop.name == "scf.parallel":
        return int(ir.DenseI32ArrayAttr(loop.attributes["operandSegmentSizes"])[0])
    return len(ir.DenseI64ArrayAttr(loop.attributes["staticLowerBound"])) if loop.name == "scf.forall" else 1


def _known(numbers: Sequence[int | None]) -> _Bounds | None:
    lower, upper, step = numbers
    return None if lower is None or upper is None or step is None else (lower, upper, step)


def _scf_for(loop: ir.Operation, number: int, of: _Number) -> _Bounds | None:
    return _known([of(v) for v in list(loop.operands)[:3]])


def _scf_parallel(loop: ir.Operation, number: int, of: _Number) -> _Bounds | None:
    count = _dimensions(loop)
    return _known([of(loop.operands[k * count + number]) for k in range(3)])


def _scf_forall(loop: ir.Operation, number: int, of: _Number) -> _Bounds | None:
    operands, found = iter(loop.operands), []
    for name in ("staticLowerBound", "staticUpperBound", "staticStep"):
        entries = [next(operands) if n == DYNAMIC else n for n in ir.DenseI64ArrayAttr(loop.attributes[name])]
        entry = entries[number]
        found.append(entry if isinstance(entry, int) else of(entry))
    return _known(found)


def _affine_for(loop: ir.Operation, number: int, of: _Number) -> _Bounds | None:
    counts, ends = list(ir.DenseI32ArrayAttr(loop.attributes["operandSegmentSizes"])), []
    first = 0
    for count, side, choose in zip(counts, ("lower", "upper"), (max, min), strict=False):
        numbers = [of(v) for v in list(loop.operands)[first : first + count]]
        known = [n for n in numbers if n is not None]
        if len(known) < len(numbers):
            return None
        ends.append(int(choose(apply_map(ir.AffineMapAttr(loop.attributes[f"{side}BoundMap"]).value)(known))))
        first += count
    return ends[0], ends[1], ir.IntegerAttr(loop.attributes["step"]).value


_LOOPS: Mapping[str, Callable[[ir.Operation, int, _Number], _Bounds | None]] = {
    "scf.for": _scf_for,
    "scf.parallel": _scf_parallel,
    "scf.forall": _scf_forall,
    "affine.for": _affine_for,
}


def _refuse_scaled(view: ir.Operation, name: str) -> NoReturn:
    fault = Fault(
        "scaled-address",
        f"the address is computed from argument '{name}' by more than adding numbers",
        "offset",
        ["a view may start at an argument plus a number of elements; a number that is no address needs a --set"],
    )
    fault.op = view
    raise fault


def _callee(call: ir.Operation) -> ir.Operation | None:
    """The function that a call means, if it has a body."""
    name = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
    around = call.parent
    while around is not None and around.operation.name != "builtin.module":
        around = around.operation.parent
    for wrapper in around.operation.regions[0].blocks[0].operations if around is not None else ():
        op = wrapper.operation
        if op.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == name:
            return op if len(list(op.regions[0].blocks)) else None
    return None


class _Views:
    """The views of a kernel, joined over all points at which they are made; of ``scratchpads`` only the bases."""

    def __init__(self, function: ir.Operation, numbers: Mapping[int, int], *, scratchpads: bool = False) -> None:
        self.scratchpads = scratchpads
        self.evaluator = Evaluator(function)
        self.grid = grid_of(function)
        self.numbers = numbers
        self.found: list[View] = []
        self.scratchpad_bases: set[int] = set()

    def visit(
        self, function: ir.Operation, names: Sequence[str], bindings: Mapping[ir.Value, ir.Value], depth: int = 0
    ) -> None:
        """Take in the views of a function, and of those that it calls."""
        for op in walk(function):
            if op.name == "ktdp.construct_memory_view":
                self.add(op, names, bindings)
            elif op.name == "func.call" and depth < MAX_CALLS:
                callee = _callee(op)
                if callee is not None:
                    inner: dict[ir.Value, ir.Value] = dict(
                        zip(callee.regions[0].blocks[0].arguments, op.operands, strict=False)
                    )
                    self.visit(callee, names, {**bindings, **inner}, depth + 1)

    def add(self, op: ir.Operation, names: Sequence[str], bindings: Mapping[ir.Value, ir.Value]) -> None:
        """Take in one ``construct_memory_view``."""
        view = ktdp.ConstructMemoryViewOp(op)
        on_device = ktdp.MemorySpaceAttr(view.memory_space).kind == ir.StringAttr.get("global")
        letters = set(_access(view.result))
        if not letters or (self.scratchpads and on_device):
            return
        access = cast(Access, "rw" if len(letters) == 2 else next(iter(letters)))
        places: dict[tuple[int, int], list[tuple[tuple[int, ...], tuple[int, ...], int, int]]] = {}
        for tile in range(math.prod(self.grid)):
            for point in _counters(op, self.evaluator, Point(tile, self.grid, self.numbers, {}, bindings)):
                base = self.evaluator.value(view.offset, point)
                if base is None:
                    continue
                if base.scaled:
                    _refuse_scaled(op, names[base.base or 0])
                if not on_device:
                    self.scratchpad_bases |= {base.base} - {None}  # type: ignore[arg-type]
                    continue
                shape = self._shape(view, point)
                argument = LITERAL if base.base is None else base.base
                key = (argument, 0 if argument != LITERAL else base.number)
                places.setdefault(key, []).append((*shape, base.number))
        for (argument, _), spans in places.items():
            if argument != LITERAL:
                self._join(op, view, argument, names[argument], spans, access)
        # A literal address that moves is one address, at its lowest.
        literals = [span for (argument, _), spans in places.items() if argument == LITERAL for span in spans]
        if literals:
            lowest = min(base for *_, base in literals)
            self._join(op, view, LITERAL, str(lowest), literals, access)

    def _shape(self, view: ktdp.ConstructMemoryViewOp, point: Point) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Sizes and strides (0 where unknown), and how many elements beyond the base the view reaches."""
        dynamic = [self.evaluator.number(v, point) for v in (*view.sizes, *view.strides)]
        values = iter(dynamic)
        sizes = [next(values) if n == DYNAMIC else n for n in view.static_sizes]
        strides = [next(values) if n == DYNAMIC else n for n in view.static_strides]
        if any(n is None for n in (*sizes, *strides)):
            return tuple(n or 0 for n in sizes), tuple(n or 0 for n in strides), 0
        known = [n for n in sizes if n is not None]
        symbols = [n for n in dynamic[: len(view.sizes)] if n is not None]
        extents = self._extents(view, known, symbols)
        steps = [n for n in strides if n is not None]
        if 0 in extents or any(n < 0 for n in extents):
            return tuple(known), tuple(steps), 0
        reach = sum((n - 1) * s for n, s in zip(extents, steps, strict=True) if s > 0) + 1
        return tuple(known), tuple(steps), reach

    @staticmethod
    def _extents(view: ktdp.ConstructMemoryViewOp, sizes: Sequence[int], symbols: Sequence[int]) -> tuple[int, ...]:
        try:
            points = SetFunction.of(view.coordinate_set).points(symbols)
        except Fault:
            return tuple(sizes)
        users = [use.owner.operation.name for use in view.result.uses]
        if PARTS in users:
            return tuple(min(a, b) for a, b in zip(points.box.extents, sizes, strict=True))
        return tuple(max(0, min(h, n)) for h, n in zip(points.box.high, sizes, strict=True))

    def _join(
        self,
        op: ir.Operation,
        view: ktdp.ConstructMemoryViewOp,
        argument: int,
        name: str,
        spans: Sequence[tuple[tuple[int, ...], tuple[int, ...], int, int]],
        access: Access,
    ) -> None:
        where = diag.resolve(op.location).text
        low = min(base for *_, base in spans)
        sizes, strides, _, _ = spans[0]
        self.found.append(
            View(
                argument,
                name,
                _spelled(element_of(view.result.type)),
                sizes,
                strides,
                # Where a view begins below its array, accesses are checked as they happen.
                low if argument == LITERAL else max(low, 0),
                max(base + reach for _, _, reach, base in spans),
                access,
                where.line if where else 0,
                where.column if where else 0,
                ktdp.coordinate_limit(view.result),
            )
        )


def _spelled(element: str) -> str:
    return numerics.scalar_type(element).name


def signature_of(function: ir.Operation, numbers: Mapping[str, int | float] | None = None) -> Signature:
    """What a ``func.func`` at stage ``ktir`` asks of a launch; ``numbers`` are values of its scalar arguments.

    Raises ``InvalidKernel`` for a grid that is none and for an address that is scaled.
    """
    try:
        return _signature_of(function, numbers)
    except Fault as fault:
        sink = diag.Sink()
        sink.error(fault.op or function, fault.id, fault.message, fault.field, fault.notes)
        sink.fail()


def _signature_of(function: ir.Operation, numbers: Mapping[str, int | float] | None) -> Signature:
    block = function.regions[0].blocks[0]
    names = [argument_name(a) for a in block.arguments]
    known = {
        k: int(value)
        for name, value in (numbers or {}).items()
        for k in range(len(names))
        if name in (names[k], f"arg{k}") and float(value).is_integer()
    }
    views = _Views(function, known)
    views.visit(function, names, {})
    addresses = {v.arg for v in views.found}
    file = ""
    arguments = []
    for k, argument in enumerate(block.arguments):
        resolved = diag.resolve(argument.location)
        place = resolved.text
        file = file or (place.file if place else "")
        used = _is_live(argument)
        kind: ArgumentKind = "address" if k in addresses else "scalar" if used else "unused"
        type_ = str(argument.type)
        promises: dict[str, int | None] = {}
        if isinstance(argument.type, ktdp.RuntimeArgType):
            type_ = str(argument.type.underlying)
            limits = {"granularity": argument.type.granularity, "upperbound": argument.type.upperbound}
            promises = {kind: limit.value for kind, limit in limits.items() if limit is not None}
        elif isinstance(argument.type, ir.ShapedType):
            sink = diag.Sink()
            message = f"argument {names[k]} has type {type_}: an argument is an address (index) or a number"
            note = "take the address of a tensor as index, and make a view of it"
            sink.error(argument, "unsupported-type", message, notes=[note])
            sink.fail()
        line, column = (place.line, place.column) if place else (0, 0)
        marked = _may_alias(function, k)
        arguments.append(Argument(k, names[k], kind, type_, line, column, resolved.source, marked, **promises))
    name = ir.StringAttr(function.attributes["sym_name"]).value
    return Signature(name, math.prod(views.grid), tuple(arguments), tuple(_merged(views.found)), file)


def _may_alias(function: ir.Operation, number: int) -> bool:
    """Whether an argument is marked as one that may lie in the memory of others."""
    if "arg_attrs" not in function.attributes:
        return False
    return "spyrec.may_alias" in ir.DictAttr(ir.ArrayAttr(function.attributes["arg_attrs"])[number])


_PURE = ("arith.", "math.", "affine.", "tensor.", "ktdp.construct_memory_view", "ktdp.construct_access_tile", PARTS)


def _is_live(value: ir.Value) -> bool:
    """Whether anything with an effect depends on a value."""
    pending, seen = [value], {value}
    while pending:
        for use in pending.pop().uses:
            user = use.owner.operation
            if not user.name.startswith(_PURE):
                return True
            pending += [r for r in user.results if r not in seen]
            seen.update(user.results)
    return False


def _merged(views: Sequence[View]) -> list[View]:
    """Views without those that only repeat an earlier one."""
    return list(dict.fromkeys(views))


def argument_name(argument: ir.Value) -> str:
    """The user's name of an argument, without ``%``; ``argN`` when it has none."""
    return _name(argument.location) or f"arg{ir.BlockArgument(argument).arg_number}"


def _name(location: ir.Location) -> str | None:
    if isinstance(location, ir.NameLoc):
        return location.name_str
    if isinstance(location, ir.FusedLoc):
        return next((found for found in map(_name, location.locations) if found), None)
    return None


def scratchpad_bases(function: ir.Operation) -> set[int]:
    """Numbers of the arguments from which views of scratchpads start: they are bound to byte addresses there."""
    views = _Views(function, {}, scratchpads=True)
    views.visit(function, [argument_name(a) for a in function.regions[0].blocks[0].arguments], {})
    return views.scratchpad_bases


__all__ = ["argument_name", "grid_of", "scratchpad_bases", "signature_of"]
