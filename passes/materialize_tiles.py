"""Reads and writes of device memory become transfers to and from buffers in LX, along a route of the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
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

    Where no unit links device memory and LX, the bytes rest in a memory on the way, a *stage*: there is a transfer for
    each leg, and between two legs a buffer of the tile's shape in the stage::

        %s = dataflow.alloc {name = "x_l1"} : memref<1x64xf16, "l1">
        dataflow.data_transfer from @device[%o from %x] strides [64, 1] to %s
            {route = ["ddr", "fetch", "l1"], unit = @fetch} : memref<1x64xf16, "l1">
        dataflow.data_transfer from %s to %b
            {route = ["l1", "fill", "lx"], unit = @fill} : memref<1x64xf16, "l1">, memref<1x64xf16, "lx">

    The box, its lists of indices and what it is filled with are those of the leg that touches device memory. All other
    legs move the same points: only those have contents, unless the first leg filled the others.

    Refuses devices without a way between device memory and LX on which one unit drives each leg (``no-route``).
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for view in kernels.views(op, dataflow.ReadOp, dataflow.WriteOp):
            _Move(view, ctx).build()


class _Move:
    """A read or a write as transfers."""

    def __init__(self, op: dataflow.ReadOp | dataflow.WriteOp, ctx: PassContext) -> None:
        self.op, self.ctx, self.location = op, ctx, op.location
        self.reads = isinstance(op, dataflow.ReadOp)
        value = op.tensor
        self.type = ir.RankedTensorType(value.type)
        self.fills = isinstance(op, dataflow.ReadOp) and op.init is None

    def build(self) -> None:
        """Make the transfers, or report why not; then the op is gone."""
        op, space = self.op, self.op.space.value
        legs = _legs(op, self.type, *((space, dataflow.LX) if self.reads else (dataflow.LX, space)), self.ctx)
        if legs is None:
            return
        with ir.InsertionPoint(op.operation):
            buffer = self._target() if isinstance(op, dataflow.ReadOp) else self._source(op)
            for number, fields in enumerate(self._transfers(legs, buffer)):
                # What the first one fills has contents everywhere for those behind it.
                self._points(fields, whole=bool(number) and self.fills)
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

    def _transfers(self, legs: Sequence[_Leg], buffer: ir.Value) -> list[dict[str, Any]]:
        """The fields of each transfer, but for its clip. Between two of them the bytes are in a buffer of a stage."""
        name = buffers.name_of_address(self.op.base)
        stages = [buffers.allocate(self.type, f"{name}_{leg.memory}", self.location, leg.memory) for leg in legs[:-1]]
        stops: list[ir.Value | None] = [None, *stages, buffer] if self.reads else [buffer, *stages, None]
        return [
            self._side("source", source) | self._side("dest", dest) | {"route": leg.route, "unit": leg.unit}
            for leg, (source, dest) in zip(legs, pairwise(stops), strict=True)
        ]

    def _side(self, side: str, buffer: ir.Value | None) -> dict[str, Any]:
        """The fields of one side: a buffer, or the box that is read or written."""
        op = self.op
        if buffer is not None:
            return {side: buffer}
        fields: dict[str, Any] = {
            f"{side}_base": op.base,
            f"{side}_offset": op.offset,
            f"{side}_dyn_strides": op.strides,
            f"{side}_space": op.space,
            f"{side}_strides": op.static_strides,
            "get_from" if self.reads else "put_to": op.core,
        }
        if op.indices:
            lists = [ir.RankedTensorType(list_.type) for list_ in op.indices]
            fields |= {
                "indices": [
                    ops.to_buffer(list_, buffers.in_lx(type_), self.location)
                    for list_, type_ in zip(op.indices, lists, strict=True)
                ],
                "index_sides": ir.ArrayAttr.get([ir.StringAttr.get(side)] * len(lists)),
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

    def _points(self, fields: dict[str, Any], *, whole: bool) -> None:
        """What moves the points of the box over one leg; all of them if ``whole``."""
        clip, points = self._clip(), self.op.set_
        if whole or points is None:
            self._transfer(fields, None if whole else clip)
        else:
            self._rows(points, fields, clip or [(0, extent) for extent in self.type.shape])

    def _transfer(self, fields: dict[str, Any], clip: Clip | None, *, filled: bool = True) -> None:
        if clip is not None:
            fields = dict(fields)
            for k, name in enumerate(("lower", "upper")):
                fields[f"static_{name}"], fields[name] = decomposed([bound[k] for bound in clip])
            if filled and self.fills and isinstance(self.op, dataflow.ReadOp):
                fields["fill"] = 0 if self.op.fill is None else self.op.fill.value
        dataflow.DataTransferOp.build(**fields, loc=self.location)

    def _rows(self, points: ir.Attribute, fields: dict[str, Any], clip: Clip) -> None:
        """A transfer for each row of a set; what is in none of them is filled first."""
        op = self.op
        if self.fills:
            self._transfer(fields, [(0, 0)] * len(clip))
        inside = [
            (unit_loops.at_least(low, 0, self.location), unit_loops.at_most(high, extent, self.location))
            for (low, high), extent in zip(clip, self.type.shape, strict=True)
        ]
        with row_clips.rows(points, list(op.symbols), inside, self.location) as row:
            self._transfer(fields, row, filled=False)


@dataclass(frozen=True)
class _Leg:
    """One transfer of a box: its route, the kind of the unit that drives it, and the memory at its end."""

    route: ir.Attribute
    unit: str
    memory: str


def _legs(
    view: dataflow.ReadOp | dataflow.WriteOp, type_: ir.RankedTensorType, source: str, target: str, ctx: PassContext
) -> list[_Leg] | None:
    """The transfers from one role of memory to another."""
    device = ctx.device
    kinds = {role: device.memory(role).kind for role in ("device", "lx")}
    try:
        if source == target:
            routes_ = [routes.around(device, kinds[source])]
        else:
            box = tile_costs.box_in_bytes(view, type_, device)
            routes_ = cost.quickest(device, kinds[source], kinds[target], *box)
    except Unsupported as error:
        notes = ["let one exec_unit of the device file link the two memories by datapaths"]
        ctx.sink.error(view, "no-route", error.diagnostics[0].message, notes=notes)
        return None
    return [
        _Leg(ir.ArrayAttr.get([ir.StringAttr.get(kind) for kind in route]), route[1], device.memories[route[-1]].space)
        for route in routes_
    ]
