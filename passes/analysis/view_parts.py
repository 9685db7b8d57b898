"""Views of memory as what they are made of: parts, each with an address, strides and the coordinates that it holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from spyrec import diag, numerics
from spyrec.device.model import Device
from spyrec.dialects import dataflow, ktdp
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import kernels, set_bounds, signature
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.launched import Launched
from spyrec.passes.analysis.linear import Interval, Linear
from spyrec.passes.analysis.mixed import mixed
from spyrec.passes.analysis.set_bounds import Bounds
from spyrec.passes.analysis.steps import Steps
from spyrec.sets import NotABox

_ANYWHERE = (1 << 31) - 1
"""Elements over which a start that varies is bounded by nothing but the type of an index in memory."""
ADDRESS_NOTE = "an address is one argument of type index, plus a number of elements"


@dataclass
class Part:
    """Coordinate x of the view, of those that ``bounds`` has, is element ``base + sum((x - low) * stride)``, counted
    from the address in ``argument`` or from 0.

    ``core`` is whose LX it is (``None``: device memory, or the executing core's). ``access`` and ``lowest`` say what
    the kernel does with it: letters, and the lowest element that an access may touch.
    """

    op: ktdp.ConstructMemoryViewOp
    space: str
    core: int | None
    argument: ir.BlockArgument | None
    base: Linear
    low: tuple[Linear, ...]
    sizes: tuple[Linear, ...]
    strides: tuple[Linear, ...]
    bounds: Bounds
    element: ir.Type
    access: set[str] = field(default_factory=set)
    lowest: int | None = None


@dataclass
class View:
    """``shape`` bounds the coordinates of a distributed view (``None`` for a view of one part)."""

    op: ir.Operation
    parts: tuple[Part, ...]
    shape: tuple[int, ...] | None


class Views:
    """Reads the views of one function; what they ask of memory is reported when they are first met."""

    def __init__(self, function: ir.Operation, values: IndexValues, device: Device, sink: diag.Sink) -> None:
        self.function = function
        self.values = values
        self.device = device
        self.sink = sink
        self._views: dict[ir.Value, View | None] = {}
        self._parts: dict[tuple[ir.Value, bool], Part | None] = {}

    def view(self, value: ir.Value) -> View | None:
        """The view that ``value`` is; ``None`` when it is none that can be compiled (which has been said)."""
        if value not in self._views:
            self._views[value] = self._view(value)
        return self._views[value]

    def parts(self) -> list[Part]:
        """All parts that were met, in the order in which they were met."""
        return [part for part in self._parts.values() if part is not None]

    def _view(self, value: ir.Value) -> View | None:
        maker = kernels.defining(value)
        match None if maker is None else maker.opview:
            case ktdp.ConstructMemoryViewOp() as op:
                part = self._part(op, is_part=False)
                return None if part is None else View(op.operation, (part,), None)
            case ktdp.ConstructDistributedMemoryViewOp() as op:
                parts: list[Part] = []
                for operand in op.memrefs:
                    inner = kernels.defining(operand)
                    if inner is not None and isinstance(inner.opview, ktdp.ConstructMemoryViewOp):
                        part = self._part(inner.opview, is_part=True)
                        if part is None:
                            return None
                        parts.append(part)
                    else:
                        whole = self.view(operand)
                        if whole is None:
                            return None
                        parts += whole.parts
                return View(op.operation, tuple(parts), tuple(ir.MemRefType(op.result.type).shape))
        return None

    def _part(self, op: ktdp.ConstructMemoryViewOp, *, is_part: bool) -> Part | None:
        key = (op.result, is_part)
        if key not in self._parts:
            self._parts[key] = None
            self._parts[key] = self._read(op, is_part)
        return self._parts[key]

    def _read(self, op: ktdp.ConstructMemoryViewOp, is_part: bool) -> Part | None:
        steps = Steps(self.values, op.operation, ())
        sizes = _forms(mixed(op.static_sizes, map(self.values.form, op.sizes)))
        strides = _forms(mixed(op.static_strides, map(self.values.form, op.strides)))
        symbols = [size for size, static in zip(sizes, op.static_sizes, strict=True) if static == DYNAMIC]
        try:
            bounds = set_bounds.bounds(op.coordinate_set, symbols, steps)
        except NotABox as problem:
            self._error(
                op,
                "unsupported-set",
                f"coordinate_set is not compiled: {problem}",
                "coordinate_set",
                "give every dimension bounds of its own",
            )
            return None
        # A view lies in memory, so its address fits, however it is computed.
        address = self._address(op, self.values.unwrapped(op.offset))
        if address is None:
            return None
        space, core = _space(op.memory_space)
        low = bounds.low if is_part else (Linear.of(0),) * len(sizes)
        element = ir.MemRefType(op.result.type).element_type
        part = Part(op, space, core, *address, low, sizes, strides, bounds, element)
        return part if self._in_memory(part) else None

    def _address(self, op: ktdp.ConstructMemoryViewOp, base: Linear) -> tuple[ir.BlockArgument | None, Linear] | None:
        """The argument that holds the address, and the elements from there."""
        entry = self.function.regions[0].blocks[0]
        found: dict[ir.BlockArgument, int] = {}
        leaves = {leaf: self.values.value(leaf) for leaf in set(base.leaves())}
        inside = {leaf for atom, _ in base.terms if atom not in leaves for leaf in Linear.atom(atom).leaves()}
        for leaf, value in leaves.items():
            if value.owner == entry and isinstance(value.type, ir.IndexType):
                found[ir.BlockArgument(value)] = 0 if leaf in inside else base.coefficient(leaf)
        holders = [argument for argument, factor in found.items() if factor == 1]
        if len(holders) > 1:
            # Numbers are added to addresses; they show by being used as numbers elsewhere.
            holders = [argument for argument in holders if not self._is_number(argument)] or holders
        if len(holders) > 1:
            names = " and ".join(f"'{kernels.argument_name(a)}'" for a in sorted(holders, key=lambda a: a.arg_number))
            message = f"the address adds the arguments {names}, and only one of them can hold it"
            self._error(op, "scaled-address", message, "offset", ADDRESS_NOTE)
            return None
        if found and not holders:
            name = kernels.argument_name(min(found, key=lambda a: a.arg_number))
            message = f"the address computes with argument '{name}' instead of adding to it"
            self._error(op, "scaled-address", message, "offset", ADDRESS_NOTE)
            return None
        if not holders:
            return None, base
        leaf = next(leaf for leaf, value in leaves.items() if value == holders[0])
        return holders[0], base - Linear.atom(leaf)

    def _is_number(self, argument: ir.BlockArgument) -> bool:
        """Whether an argument is used as a number somewhere: as anything but a term of the address of a view."""
        pending, seen = [ir.Value(argument)], {ir.Value(argument)}
        while pending:
            for use in pending.pop().uses:
                user, view = use.owner.operation, use.owner
                if user.name in ("arith.addi", "arith.subi", "affine.apply"):
                    pending += [result for result in user.results if result not in seen]
                    seen.update(user.results)
                elif not (isinstance(view, ktdp.ConstructMemoryViewOp) and use.operand_number == 0):
                    return True
        return False

    # Memory

    def footprint(self, part: Part) -> tuple[int, int]:
        """Lowest element and one more than the highest, from the address of the argument or from 0; where only the run
        knows how large the view is, what it has at least.
        """
        start = self.values.interval(part.base, at=part.op.operation)
        low, high = start.low, start.high + 1
        if start.low == -(1 << 63) or self._is_loose(part):
            low, high = 0, 1
        extents = list(zip(part.bounds.low, part.bounds.high, strict=True))
        if any(self.values.interval(last - first, at=part.op.operation).low < 0 for first, last in extents):
            return low, low
        for (first, last), from_, stride in zip(extents, part.low, part.strides, strict=True):
            ends = [form - from_ for form in (first, last)]
            if not stride.is_constant:
                continue
            reach = [self.values.interval(end, at=part.op.operation).low * stride.constant for end in ends]
            low += min(reach)
            high += max(reach)
        return low, high

    def _is_loose(self, part: Part) -> bool:
        """Whether data decide where the view starts, and nothing bounds them but their type."""
        start = self.values.interval(part.base, at=part.op.operation)
        return start.high - start.low >= _ANYWHERE and self._launched(part) is None

    def _in_memory(self, part: Part) -> bool:
        start = self.values.interval(part.base, at=part.op.operation)
        low, high = self.footprint(part)
        size = numerics.sizeof(str(part.element))
        limits, lx = self.device.limits, self.device.memory("lx").size
        if start == Interval.signed(64) or self._is_loose(part):
            self.sink.remark(
                part.op,
                "unproven-bounds",
                "nothing bounds where the view starts: it is computed from numbers that only the run knows",
                field="offset",
                notes=["whether it lies inside of its array is checked when it runs"],
            )
            return True
        if part.space == dataflow.LX:
            if part.argument is None and (low < 0 or high * size > lx):
                message = f"the view takes bytes {low * size} to {high * size - 1} of LX, which has {lx}"
                self.sink.error(
                    part.op,
                    "lx-overflow",
                    message,
                    field="sizes",
                    notes=["keep a smaller piece there, or use device memory"],
                    resource=("LX", high * size, lx),
                )
                return False
            return True
        memory = limits.segment_size * (limits.segments - 1)
        where = "from the address on" if part.argument is not None else "of device memory"
        if (part.argument is None and low < 0) or high * size > memory:
            message = (
                f"the view takes bytes {low * size} to {high * size - 1} {where}, but tensors have 0 to {memory - 1}"
            )
            self._error(part.op, "bad-address", message, "offset", f"addresses count elements, of {size} bytes here")
            return False
        return True

    def entries(self) -> list[signature.ViewEntry]:
        """The part of the signature that speaks of views: those in device memory that a load or store went through."""
        return [self._entry(part) for part in self.parts() if part.access and part.space != dataflow.LX]

    def _entry(self, part: Part) -> signature.ViewEntry:
        low, high = self.footprint(part)
        start = self.values.interval(part.base, at=part.op.operation).low
        if part.argument is not None and low < 0:
            # A view may begin below its array when no tile goes there.
            low = max(low, 0 if part.lowest is None else part.lowest)
        loose = self._is_loose(part)
        if loose and part.argument is None:
            start = 0
        return signature.ViewEntry(
            argument=part.argument,
            name=str(start) if part.argument is None else kernels.argument_name(part.argument),
            element=part.element,
            sizes=_numbers(part.sizes),
            strides=_numbers(part.strides),
            offset=low,
            end=max(low, high),
            access="".join(sorted(part.access)),
            location=part.op.location,
            limit=ktdp.coordinate_limit(part.op.result),
            launch=self._launched(part),
            loose=loose,
        )

    def _launched(self, part: Part) -> ir.Attribute | None:
        """Where the view starts and ends, as far as the launch decides it; ``None`` where it decides nothing, or more
        than its numbers do.
        """
        at = part.op.operation
        found = Launched(self.function, self.values)
        wanted = [found.bound(part.base, at, upper=upper) for upper in (False, True)]
        wanted.append(ir.AffineExpr.get_constant(0 if part.lowest is None else part.lowest))
        dims = zip(part.sizes, part.strides, part.bounds.low, part.bounds.high, part.low, strict=True)
        for size, stride, first, last, from_ in dims:
            wanted += [found.expression(form) for form in (size, stride, first - from_, last - from_)]
        results = [expression for expression in wanted if expression is not None]
        if not found.terms or len(results) < len(wanted) or (part.argument is None and not part.base.is_constant):
            return None
        return found.attribute(results)

    def check_addresses(self) -> None:
        """Refuse arguments that are the address of a view and elsewhere a number; to be asked once the views are
        gone.
        """
        for argument in dict.fromkeys(part.argument for part in self.parts() if part.argument is not None):
            for use in argument.uses:
                if not isinstance(use.owner.opview, dataflow.ReadOp | dataflow.WriteOp):
                    name = kernels.argument_name(argument)
                    message = f"argument '{name}' is computed with here, and is the address of a view elsewhere"
                    note = "take an address and a number as two arguments"
                    self.sink.error(use.owner, "scaled-address", message, notes=[note])

    def _error(self, op: ir.OpView, id: str, message: str, field: str, note: str) -> None:
        self.sink.error(op, id, message, field=field, notes=[note])


def _forms(numbers: Iterable[int | Linear]) -> tuple[Linear, ...]:
    return tuple(Linear.of(number) if isinstance(number, int) else number for number in numbers)


def _numbers(forms: Sequence[Linear]) -> tuple[int, ...]:
    """Constants, 0 for what only the run knows."""
    return tuple(form.constant if form.is_constant else 0 for form in forms)


def _space(attribute: ir.Attribute) -> tuple[str, int | None]:
    if isinstance(attribute, ktdp.MemorySpaceAttr) and ir.StringAttr(attribute.kind).value == "ct_local":
        return dataflow.LX, None if attribute.ct_id is None else ir.IntegerAttr(attribute.ct_id).value
    return "device", None
