"""Reads and writes of device memory become transfers to and from buffers in LX, along a route of the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from spyrec.device import cost, routes
from spyrec.dialects import dataflow
from spyrec.errors import Unsupported
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, kernels, ops, row_clips, tile_costs, unit_loops
from spyrec.passes.analysis.mixed import decomposed, mixed
from spyrec.passes.analysis.row_clips import Clip
from spyrec.passkit import Pass, PassContext

_TO_TENSOR = "bufferization.to_tensor"


@dataclass
class MaterializeTiles(Pass):
    """Move the bytes of every tile, and say who does it.

    What a read returns is a buffer in LX and a transfer that fills it; what a write takes is the buffer of the tensor,
    whatever that will be. The transfer takes the path through one unit over which the box arrives first, and that unit
    runs it: links with small grains move little around short rows, wide links are quick with long ones. The tensors in
    between stay: ``one-shot-bufferize`` gives them buffers.

    IR before::

        %a = dataflow.read @device[%o from %x] strides [64, 1] : tensor<1x64xf16>
        dataflow.write %s, @device[%p from %z] strides [64, 1] : tensor<1x64xf16>

    IR after::

        %b = dataflow.alloc {name = "x"} : memref<1x64xf16, "lx">
        dataflow.data_transfer from @device[%o from %x] strides [64, 1] to %b
            {route = ["ddr", "load", "lx"], unit = @load} : memref<1x64xf16, "lx">
        %a = bufferization.to_tensor %b restrict : memref<1x64xf16, "lx"> to tensor<1x64xf16>
        %m = bufferization.to_buffer %s read_only : tensor<1x64xf16> to memref<1x64xf16, "lx">
        dataflow.data_transfer from %m to @device[%p from %z] strides [64, 1]
            {route = ["lx", "store", "ddr"], unit = @store} : memref<1x64xf16, "lx">

    A loop that alone starts from what is read computes in the buffer itself; other buffers of reads are only read, so
    that they can be filled again.

    A clip, lists of indices and the other core of a read are those of its transfer; points that are not read are filled
    by it, or have what an earlier transfer put into the same buffer. A ``set`` becomes a loop over its rows, in which
    it is a clip: the bounds of a row are computed from where it is. Of a set that is an interval in no dimension (every
    other point) the points are moved one by one.

    Refuses devices without a route between device memory and LX, or whose route no single unit drives (``no-route``).
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.walk(op):
            view = inner.opview
            if isinstance(view, dataflow.ReadOp | dataflow.WriteOp):
                _Move(view, ctx).build()


class _Move:
    """A read or a write as transfers."""

    def __init__(self, op: dataflow.ReadOp | dataflow.WriteOp, ctx: PassContext) -> None:
        self.op, self.ctx, self.location = op, ctx, op.location
        self.reads = isinstance(op, dataflow.ReadOp)
        value = op.result if isinstance(op, dataflow.ReadOp) else op.value
        self.type = ir.RankedTensorType(value.type)

    def build(self) -> None:
        """Make the transfers, or report why not; then the op is gone."""
        op, space = self.op, self.op.space.value
        ends = (space, "lx") if self.reads else ("lx", space)
        found = _route(op, self.type, *ends, self.ctx)
        if found is None:
            return
        route, unit = found
        with ir.InsertionPoint(op.operation):
            buffer = self._target() if isinstance(op, dataflow.ReadOp) else self._source(op)
            fields = self._fields(buffer) | {"route": route, "unit": unit}
            clip = self._clip()
            if op.set_ is None:
                self._transfer(fields, clip)
            else:
                self._rows(op.set_, fields, clip or [(0, extent) for extent in self.type.shape])
            if isinstance(op, dataflow.ReadOp):
                loaded = ops.to_tensor(buffer, self.type, self.location, writable=ops.is_sole_start(op.result))
                op.result.replace_all_uses_with(loaded)
        used = op.init if isinstance(op, dataflow.ReadOp) else None
        op.operation.erase()
        maker = None if used is None else kernels.defining(used)
        if maker is not None and maker.name == _TO_TENSOR and not kernels.is_used(maker):
            maker.erase()

    def _target(self) -> ir.Value:
        """The buffer that a read fills: a new one, or what an earlier read has begun to fill."""
        op = self.op
        assert isinstance(op, dataflow.ReadOp)
        if op.init is not None:
            maker = kernels.defining(op.init)
            alone = sum(1 for _ in op.init.uses) == 1
            if maker is not None and maker.name == _TO_TENSOR and alone and maker.block == op.operation.block:
                begun = kernels.defining(maker.operands[0])
                if begun is not None and isinstance(begun.opview, dataflow.AllocOp):
                    return begun.results[0]
        buffer = buffers.allocate(self.type, buffers.name_of_address(op.base), self.location)
        if op.init is not None:
            old = ops.to_buffer(op.init, buffers.in_lx(self.type), self.location)
            ops.copy(old, buffer, self.location)
        return buffer

    def _source(self, op: dataflow.WriteOp) -> ir.Value:
        return ops.to_buffer(op.value, buffers.in_lx(self.type), self.location)

    def _fields(self, buffer: ir.Value) -> dict[str, Any]:
        """The fields of a transfer, but for its clip."""
        op = self.op
        here, there = ("source", "dest") if self.reads else ("dest", "source")
        fields: dict[str, Any] = {
            there: buffer,
            f"{here}_base": op.base,
            f"{here}_offset": op.offset,
            f"{here}_dyn_strides": op.strides,
            f"{here}_space": op.space,
            f"{here}_strides": op.static_strides,
            "get_from" if self.reads else "put_to": op.core,
        }
        if op.indices:
            lists = [ir.RankedTensorType(list_.type) for list_ in op.indices]
            fields |= {
                "indices": [
                    ops.to_buffer(list_, buffers.in_lx(type_), self.location)
                    for list_, type_ in zip(op.indices, lists, strict=True)
                ],
                "index_sides": ir.ArrayAttr.get([ir.StringAttr.get(here)] * len(lists)),
                "index_maps": op.index_maps,
                "index_scales": op.index_scales,
                "limits": op.limits,
                "static_limits": op.static_limits,
            }
        return fields

    def _clip(self) -> Clip | None:
        op = self.op
        if op.static_lower is None or op.static_upper is None:
            return None
        return list(zip(mixed(op.static_lower, op.lower), mixed(op.static_upper, op.upper), strict=True))

    def _transfer(self, fields: dict[str, Any], clip: Clip | None, *, filled: bool = True) -> None:
        if clip is not None:
            fields = dict(fields)
            for k, name in enumerate(("lower", "upper")):
                fields[f"static_{name}"], fields[name] = decomposed([bound[k] for bound in clip])
            if filled and isinstance(self.op, dataflow.ReadOp) and self.op.init is None:
                fields["fill"] = 0 if self.op.fill is None else self.op.fill.value
        dataflow.DataTransferOp.build(**fields, loc=self.location)

    def _rows(self, points: ir.Attribute, fields: dict[str, Any], clip: Clip) -> None:
        """A transfer for each row of a set; what is in none of them is filled first."""
        op = self.op
        if isinstance(op, dataflow.ReadOp) and op.init is None:
            self._transfer(fields, [(0, 0)] * len(clip))
        inside = [
            (unit_loops.at_least(low, 0, self.location), unit_loops.at_most(high, extent, self.location))
            for (low, high), extent in zip(clip, self.type.shape, strict=True)
        ]
        with row_clips.rows(points, list(op.symbols), inside, self.location) as row:
            self._transfer(fields, row, filled=False)


def _route(
    view: dataflow.ReadOp | dataflow.WriteOp, type_: ir.RankedTensorType, source: str, target: str, ctx: PassContext
) -> tuple[ir.Attribute, str] | None:
    """The route between two roles of memory, as an attribute, and the kind of the unit that drives it."""
    device = ctx.device
    kinds = {"device": device.memory("device").kind, "lx": device.memory("lx").kind}
    try:
        if source == target:
            route = routes.around(device, kinds[source])
        else:
            box = tile_costs.box_in_bytes(view, type_, device)
            route, *further = cost.quickest(device, kinds[source], kinds[target], *box)
            if further:
                raise Unsupported(f"'{kinds[source]}' and '{kinds[target]}' are linked through '{route[-1]}' only")
    except Unsupported as error:
        notes = ["let one exec_unit of the device file link the two memories by datapaths"]
        ctx.sink.error(view, "no-route", error.diagnostics[0].message, notes=notes)
        return None
    _, unit, _ = route
    return ir.ArrayAttr.get([ir.StringAttr.get(kind) for kind in route]), unit
