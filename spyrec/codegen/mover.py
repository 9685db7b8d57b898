"""Load, store and ring units: ``dataflow.transfer`` to ``xfer``."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.codegen.attributes import integers
from spyrec.codegen.code import Scalar, const
from spyrec.codegen.nests import simplified
from spyrec.codegen.refusals import Refused
from spyrec.codegen.unit import UnitCode
from spyrec.dialects.dataflow import SPACES, TransferOp
from spyrec.isa.objects import Dim, End, Index, Xfer
from spyrec.isa.table import ELEMENT_BYTES, ELEMENT_TYPES
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC

_SIDES = ("source", "dest")


class Mover(UnitCode):
    """A unit that moves boxes of bytes between memories."""

    def work(self, op: ir.Operation) -> None:
        """Emit a transfer. Raises :class:`Refused`."""
        if op.name != "dataflow.transfer":
            super().work(op)
            return
        view = TransferOp(op)
        element_bytes = view.element_bytes.value
        if element_bytes not in ELEMENT_BYTES.values():
            raise Refused(op, "unsupported-type", f"elements of {element_bytes} bytes; 1, 2, 4 and 8 can be moved")
        counts = integers(view.counts)
        if 0 in counts:
            return
        strides = [integers(getattr(view, f"{side}_strides")) for side in _SIDES]
        strides += [integers(steps) for steps in view.index_strides or ()]
        clips = self._clips(view, counts)
        if clips is None:
            counts, strides = simplified(counts, strides)
            clips = [(None, None)] * len(counts)
        clipped = any(bound is not None for clip in clips for bound in clip)
        dims = [
            Dim(count, source_stride, dest_stride, *clip)
            for count, source_stride, dest_stride, clip in zip(counts, strides[0], strides[1], clips, strict=True)
        ]
        outside = "" if not clipped else "skip" if view.fill is None else "fill"
        members, member_step = _members(view)
        source, dest = (self._end(view, side) for side in _SIDES)
        self.builder.emit(
            Xfer(
                element_bytes=element_bytes,
                source=source,
                dest=dest,
                dims=tuple(dims),
                outside=outside,
                pattern=view.fill.value & (1 << 8 * element_bytes) - 1 if outside == "fill" and view.fill else 0,
                remote="get" if view.get_from is not None else "put" if view.put_to is not None else "",
                peer=self._peer(view),
                members=members,
                member_step=member_step,
                indices=self._indices(view, strides[2:]),
            )
        )

    def _end(self, view: TransferOp, side: str) -> End:
        """One side of the transfer: base and offset added up, the constant part kept in the instruction."""
        address = self.integer(getattr(view, side), view)
        base = getattr(view, f"{side}_base")
        if base is not None:
            address = self.builder.alu("add", self.integer(base, view), address)
        space = getattr(view, f"{side}_space").value
        name = getattr(view, f"{side}_buffer")
        buffer = None if name is None else self.buffer(view, name.value)
        return End(space if space in SPACES else "stage", *self.builder.split(address), buffer)

    def _bounds(
        self, view: TransferOp, static: ir.DenseI64ArrayAttr | None, values: Sequence[ir.Value]
    ) -> list[Scalar]:
        operands = iter(values)
        return [self.integer(next(operands), view) if s == DYNAMIC else const(s) for s in static or ()]

    def _clips(self, view: TransferOp, counts: Sequence[int]) -> list[tuple[int | None, int | None]] | None:
        """Per count the registers that bound it; ``None`` for a bound that leaves nothing out, or for no clip."""
        if view.static_lower is None:
            return None
        lower = self._bounds(view, view.static_lower, view.lower)
        upper = self._bounds(view, view.static_upper, view.upper)
        register = self.builder.in_register
        clips = [
            (
                None if self.builder.range(low)[1] <= 0 else register(low),
                None if self.builder.range(high)[0] >= n else register(high),
            )
            for n, low, high in zip(counts, lower, upper, strict=True)
        ]
        return clips if any(bound is not None for clip in clips for bound in clip) else None

    def _peer(self, view: TransferOp) -> int | None:
        core = view.get_from if view.get_from is not None else view.put_to
        return None if core is None else self.builder.in_register(self.integer(core, view))

    def _indices(self, view: TransferOp, strides: Sequence[tuple[int, ...]]) -> tuple[Index, ...]:
        limits = self._bounds(view, view.static_limits, view.limits)
        found = []
        for k, (address, limit) in enumerate(zip(view.indices, limits, strict=True)):
            assert view.index_sides is not None
            assert view.index_types is not None
            assert view.index_buffers is not None
            assert view.index_scales is not None
            type_ = str(ir.TypeAttr(view.index_types[k]).value)
            if type_ not in ELEMENT_TYPES or type_ == "i1" or type_[0] != "i":
                raise Refused(view, "unsupported-type", f"indices of type {type_} have no encoding")
            base, offset = self.builder.split(self.integer(address, view))
            limit_base, above = self.builder.split(limit)
            buffer = self.buffer(view, ir.FlatSymbolRefAttr(view.index_buffers[k]).value)
            side = ir.StringAttr(view.index_sides[k]).value
            scale = view.index_scales[k]
            found.append(Index(side, base, offset, type_, strides[k], buffer, scale, limit_base, above))
        return tuple(found)


def _members(view: TransferOp) -> tuple[int, int]:
    """How many cores take part, and how far they are apart."""
    if view.get_from is None and view.put_to is None:
        return 0, 0
    count = 1 if view.members is None else view.members.value
    step = view.member_step.value if view.member_step is not None and count > 1 else 0
    return count, step
