"""Which bytes an op of a schedule reads and writes."""

from __future__ import annotations

from typing import Protocol

from spyrec.dialects.dataflow import FRESH, LX, DataTransferOp
from spyrec.mlir import ir
from spyrec.numerics.types import scalar_type
from spyrec.ods.fields import value_counts
from spyrec.passes.analysis.addresses import BOUNDED, Addresses
from spyrec.passes.analysis.buffer_views import view_of
from spyrec.passes.analysis.linear import Linear
from spyrec.passes.analysis.places import BoxPlace, BufferPlace, PartPlace, Place, UnknownPlace, buffer_of
from spyrec.passes.analysis.skeleton import Access, Block
from spyrec.passes.analysis.slices import UNIT
from spyrec.passes.analysis.structured import picked


class Refuse(Protocol):
    """Reports a problem at an op."""

    def __call__(self, where: ir.Operation, id: str, message: str, field: str | None = None) -> None:
        """``field`` is that of the op which it is about."""


def element_bytes(type_: ir.Type) -> int:
    """Bytes of one element in memory. Raises :class:`spyrec.numerics.errors.UnknownType`."""
    return scalar_type(str(type_)).size


class Accesses:
    """Finds the accesses of one function's ops; what is of no form that it knows goes to ``refuse``.

    ``buffers`` are those that have been read so far, by their values. ``pinned`` are the bytes of LX that transfers
    name by address, if any do, and ``exposed`` the buffers that other cores read or write.
    """

    def __init__(self, addresses: Addresses, refuse: Refuse) -> None:
        self.addresses = addresses
        self.refuse = refuse
        self.buffers: dict[ir.Value, BufferPlace] = {}
        self.pinned: BufferPlace | None = None
        self.exposed: dict[BufferPlace, None] = {}
        self._places: dict[Place, Place] = {}
        self._shown: dict[ir.Value, tuple[Place, bool]] = {}

    def one(self, place: Place) -> Place:
        """The one object that stands for all places equal to ``place``."""
        return self._places.setdefault(place, place)

    def transfer(self, view: DataTransferOp, into: Block) -> list[Access]:
        accesses: list[Access] = []
        found = operands(view)
        remote = {"source": bool(found["get_from"]), "dest": bool(found["put_to"])}
        moved = {ir.StringAttr(side).value for side in view.index_sides or ()}
        for side, other, write in (("source", "dest", False), ("dest", "source", True)):
            # Points outside of the clip are not touched, unless they are filled.
            whole = side not in moved and (view.static_lower is None or (write and view.fill is not None))
            # The other core may be this one.
            whole = whole and not remote[side]
            for buffer in found[side]:
                own = self.buffer(
                    view.operation, buffer, side, write, whole, anywhere=side in moved, remote=remote[side]
                )
                accesses += own
                if remote[side]:
                    self.exposed.update((b, None) for a in own if (b := buffer_of(a.place)) is not None)
            if not found[side]:
                accesses += self._box_access(
                    view, found, side, found[other][0], write, whole, into, anywhere=side in moved
                )
        for list_ in found["indices"]:
            accesses += self.buffer(view.operation, list_, "indices", False)
        return accesses

    def buffer(
        self,
        op: ir.Operation,
        buffer: ir.Value,
        field: str,
        write: bool,
        whole: bool = True,
        *,
        anywhere: bool = False,
        remote: bool = False,
    ) -> list[Access]:
        """The access to what is shown of a buffer; to all of it where only the run knows which part that is."""
        is_known = not anywhere and not remote
        if is_known and buffer in self._shown:
            found, moves = self._shown[buffer]
            return [Access(found, write, whole and not moves)]
        view = view_of(buffer)
        place = self.buffers.get(view.root) if view is not None else None
        if view is None or place is None:
            message = "an operand in LX must be the result of a dataflow.alloc, or a view of one with static strides"
            self.refuse(op, "unknown-buffer", message, field)
            return []
        if not place.size or 0 in view.shape:
            return []
        start = Linear.of(view.offset)
        for value, factor in view.terms:
            start = start + self.addresses.values.form(value).scaled(factor)
        # What moves may be elsewhere on another core.
        if anywhere or (remote and not start.is_constant):
            return [Access(place, write, whole=False)]
        size = element_bytes(view.element_type)
        box, element = _contiguous([(s * size, n) for s, n in zip(view.strides, view.shape, strict=True)], size)
        first, variables = self.addresses.over_counters(start.scaled(size))
        part = PartPlace(place, first, box, element, variables=variables)
        found = place if element == place.size else self.one(part)
        self._shown[buffer] = found, bool(variables)
        return [Access(found, write, whole and not variables)]

    def _box_access(
        self,
        view: DataTransferOp,
        found: dict[str, list[ir.Value]],
        side: str,
        buffer: ir.Value,
        write: bool,
        whole: bool,
        into: Block,
        *,
        anywhere: bool,
    ) -> list[Access]:
        memref = ir.MemRefType(buffer.type)
        if 0 in memref.shape:
            return []
        if getattr(view, f"{side}_space").value == LX:
            return self._pinned_access(view, found, side, memref, write)
        base = next(iter(found[f"{side}_base"]), None)
        number, rest = self.addresses.base(base)
        name = self.addresses.names[number] if number is not None else "memory" if base is None else "pointer"
        strides = list(getattr(view, f"{side}_strides"))
        whole = whole and not (anywhere or found[f"{side}_dyn_strides"])
        if base is not None and number is None:
            place: Place = UnknownPlace(name)
        elif anywhere or found[f"{side}_dyn_strides"]:
            place = self.addresses.anywhere(name, number, into)
        else:
            size = element_bytes(memref.element_type)
            form = rest + self.addresses.index(found[f"{side}_offset"][0]).scaled(size)
            box, element = _contiguous([(s * size, n) for s, n in zip(strides, memref.shape, strict=True)], size)
            start, variables = self.addresses.over_counters(form)
            may_alias = number is not None and number in self.addresses.may_alias
            place = BoxPlace(name, number, may_alias, start, variables, box, element)
        place = self.one(place)
        return [Access(place, write, whole and not isinstance(place, UnknownPlace))]

    def _pinned_access(
        self,
        view: DataTransferOp,
        found: dict[str, list[ir.Value]],
        side: str,
        memref: ir.MemRefType,
        write: bool,
    ) -> list[Access]:
        """The access to bytes of LX that have an address of their own; all of those are taken as one buffer."""
        size = element_bytes(memref.element_type)
        start = self.addresses.index(found[f"{side}_offset"][0]).scaled(size)
        for base in found[f"{side}_base"]:
            start = start + self.addresses.index(base)
        known = self.addresses.values.interval(start, at=view.operation)
        if found[f"{side}_dyn_strides"] or known not in BOUNDED:
            message = "bytes of LX of which nothing bounds the address could be those of any buffer"
            self.refuse(view.operation, "unsupported-view", message, f"{side}_offset")
            return []
        reach = [(n - 1) * s * size for n, s in zip(memref.shape, getattr(view, f"{side}_strides"), strict=True)]
        # What a clip leaves out may be below the first byte.
        low = max(0, known.low + sum(r for r in reach if r < 0))
        high = known.high + sum(r for r in reach if r > 0) + size
        place = self.pinned
        if place is None:
            place = self.pinned = BufferPlace("pinned", low, high - low, 1, high - low, None, LX)
        high = max(high, place.address + place.size)
        place.address = min(low, place.address)
        place.size = place.slot_bytes = high - place.address
        return [Access(place, write, whole=False)]

    def compute(self, op: ir.Operation) -> list[Access] | None:
        if op.name != "linalg.generic":
            self.refuse(
                op, "unsupported-op", f"'{op.name}' must be a linalg.generic here: run linalg-generalize-named-ops"
            )
            return None
        if UNIT not in op.attributes:
            self.refuse(op, "no-unit", f"the op does not name its unit: attribute {UNIT} is missing")
            return None
        body = op.regions[0].blocks[0]
        outputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[1]
        accesses: list[Access] = []
        for position, operand in enumerate(op.operands):
            if not isinstance(operand.type, ir.MemRefType):
                if isinstance(operand.type, ir.ShapedType):
                    self.refuse(
                        op, "unsupported-op", f"operand {position} is a {operand.type}; a schedule has no tensors"
                    )
                continue
            map_ = ir.AffineMapAttr(ir.ArrayAttr(op.attributes["indexing_maps"])[position]).value
            whole = map_.is_projected_permutation
            written = position >= len(op.operands) - outputs
            used = next(iter(body.arguments[position].uses), None) is not None
            if not written or (used and (FRESH not in op.attributes or len(picked(map_)) == map_.n_dims)):
                accesses += self.buffer(op, operand, f"operand {position}", False, whole)
            if written:
                accesses += self.buffer(op, operand, f"operand {position}", True, whole)
        return accesses


def operands(view: DataTransferOp) -> dict[str, list[ir.Value]]:
    """All operands of a transfer by field: the accessors count them anew each time."""
    values = list(view.operation.operands)
    found = {}
    at = 0
    for spec, count in zip(view.spec.operands, value_counts(view, operands=True), strict=True):
        found[spec.name] = values[at : at + count]
        at += count
    return found


def _contiguous(dims: list[tuple[int, int]], element: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """A box without dimensions that say nothing, bytes that lie side by side being one element."""
    left = sorted(((stride, extent) for stride, extent in dims if stride and extent > 1), key=lambda dim: abs(dim[0]))
    while left and left[0][0] == element:
        element *= left.pop(0)[1]
    return tuple(left), element
