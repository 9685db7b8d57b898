"""Reads and writes of device memory become transfers to and from buffers in LX, along a route of the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.device import routes
from spyrec.dialects import dataflow
from spyrec.errors import Unsupported
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, kernels, ops
from spyrec.passkit import Pass, PassContext


@dataclass
class MaterializeTiles(Pass):
    """Move the bytes of every tile, and say who does it.

    What a read returns is a buffer in LX and a transfer that fills it; what a write takes is the buffer of the tensor,
    whatever that will be. The transfer passes the units and memories on the shortest path over the device's links, and
    the unit on it runs it. The tensors in between stay: ``one-shot-bufferize`` gives them buffers.

    IR before::

        %a = dataflow.read @device[%o from %x] strides [64, 1] : tensor<1x64xf16>
        dataflow.write %s, @device[%p from %z] strides [64, 1] : tensor<1x64xf16>

    IR after::

        %b = dataflow.alloc {name = "x"} : memref<1x64xf16, "lx"> dataflow.data_transfer from @device[%o from %x]
        strides [64, 1] to %b {route = ["ddr", "load", "lx"], unit = @load} : memref<1x64xf16, "lx"> %a =
        bufferization.to_tensor %b restrict : memref<1x64xf16, "lx"> to tensor<1x64xf16> %m = bufferization.to_buffer %s
        read_only : tensor<1x64xf16> to memref<1x64xf16, "lx"> dataflow.data_transfer from %m to @device[%p from %z]
        strides [64, 1] {route = ["lx", "store", "ddr"], unit = @store} : memref<1x64xf16, "lx">

    A loop that alone starts from what is read computes in the buffer itself; other buffers of reads are only read, so
    that they can be filled again.

    Refuses devices without a route between device memory and LX, or whose route no single unit drives (``no-route``).
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.walk(op):
            view = inner.opview
            if isinstance(view, dataflow.ReadOp):
                found = _route(inner, "device", "lx", ctx)
                if found is not None:
                    _read(view, *found)
            elif isinstance(view, dataflow.WriteOp):
                found = _route(inner, "lx", "device", ctx)
                if found is not None:
                    _write(view, *found)


def _route(op: ir.Operation, source: str, target: str, ctx: PassContext) -> tuple[ir.Attribute, str] | None:
    """The route between two roles of memory, as an attribute, and the kind of the unit that drives it."""
    device = ctx.device
    kinds = {"device": device.memory("device").kind, "lx": device.memory("lx").kind}
    try:
        route = routes.shortest(device, kinds[source], kinds[target])
    except Unsupported as error:
        ctx.sink.error(op, "no-route", error.diagnostics[0].message, notes=["add a datapath to the device file"])
        return None
    unit = routes.engine(device, route)
    if unit is None:
        ctx.sink.error(
            op,
            "no-route",
            f"the route {' -> '.join(route)} passes not one unit, and one has to run the transfer",
            notes=["let one exec_unit of the device file link the two memories"],
        )
        return None
    return ir.ArrayAttr.get([ir.StringAttr.get(kind) for kind in route]), unit


def _read(op: dataflow.ReadOp, route: ir.Attribute, unit: str) -> None:
    type_ = ir.RankedTensorType(op.result.type)
    with ir.InsertionPoint(op.operation):
        buffer = buffers.allocate(type_, buffers.name_of_address(op.base), op.location)
        dataflow.DataTransferOp.build(
            source_base=op.base,
            source_offset=op.offset,
            source_dyn_strides=op.strides,
            source_space=op.space,
            source_strides=op.static_strides,
            dest=buffer,
            route=route,
            unit=unit,
            loc=op.location,
        )
        loaded = ops.to_tensor(buffer, type_, op.location, writable=ops.is_sole_start(op.result))
    op.result.replace_all_uses_with(loaded)
    op.operation.erase()


def _write(op: dataflow.WriteOp, route: ir.Attribute, unit: str) -> None:
    type_ = ir.RankedTensorType(op.value.type)
    with ir.InsertionPoint(op.operation):
        buffer = ops.to_buffer(op.value, buffers.in_lx(type_), op.location)
        dataflow.DataTransferOp.build(
            source=buffer,
            dest_base=op.base,
            dest_offset=op.offset,
            dest_dyn_strides=op.strides,
            dest_space=op.space,
            dest_strides=op.static_strides,
            route=route,
            unit=unit,
            loc=op.location,
        )
    op.operation.erase()
