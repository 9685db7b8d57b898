"""The gate of stage ``schedule``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, scalars, support
from spyrec.passes.analysis.buffer_views import view_of
from spyrec.passes.analysis.slices import CORELET, UNIT
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import UNCHANGED, Kept, Pass, PassContext

_BROKEN = "stage-invariant"

_SHOULD_BE_GONE = {
    "dataflow.": "materialize-tiles",
    "memref.alloc": "adopt-buffers",
    "memref.copy": "adopt-buffers",
    "bufferization.": "one-shot-bufferize",
    "tensor.": "one-shot-bufferize",
}
_OPS = (
    dataflow.TileIdOp,
    dataflow.AllocOp,
    dataflow.DataTransferOp,
    dataflow.ChannelOp,
    dataflow.PostOp,
    dataflow.WaitOp,
)


@dataclass
class VerifySchedule(Pass):
    """Hold the compiler to what stage ``schedule`` promises.

    No tensor is left; no memref is an argument or result of a region, or picked by a select; every buffer lies in LX or
    in a stage of the device, which only transfers reach; every transfer follows links of the device from one memory to
    the next, driven by the unit on them; every compute op names a unit of the device and writes each output to a buffer
    of its own. What is found otherwise is reported with the name of the pass that should have seen to it
    (``stage-invariant``).

    Refused, for example::

        linalg.generic {...} ins(%a : memref<1x64xf16, "lx">) outs(%b : memref<1x64xf16, "lx">) {...}

    with ``linalg.generic names no unit; place-compute should have seen to it``. It changes nothing: the IR after is the
    IR before."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        for inner in scalars.outside_bodies(op):
            for problem in (_types(inner), _problem(inner, ctx.device)):
                if problem is not None:
                    ctx.sink.error(inner, _BROKEN, problem)
                    break
        return UNCHANGED


def _types(op: ir.Operation) -> str | None:
    """No tensor anywhere; memrefs come from allocations and views of them alone."""
    arguments = [argument for region in op.regions for block in region.blocks for argument in block.arguments]
    if op.name == "linalg.generic":
        arguments = []
    if any(isinstance(value.type, ir.RankedTensorType) for value in [*op.results, *op.operands, *arguments]):
        return f"{op.name} still has a tensor at stage schedule; one-shot-bufferize should have given it a buffer"
    shows = isinstance(op.opview, dataflow.AllocOp) or op.name in dataflow.VIEWS
    carried = [*arguments, *(op.results if not shows else [])]
    if any(isinstance(value.type, ir.MemRefType) for value in carried):
        return f"{op.name} hands out a buffer at stage schedule; only dataflow.alloc and views of it may"
    return None


def _problem(op: ir.Operation, device: Device) -> str | None:
    view = op.opview
    if isinstance(view, dataflow.DataTransferOp):
        return _transfer(view, device)
    if isinstance(view, dataflow.AllocOp):
        space = buffers.memory_of(view.result)
        known = [memory.space for memory in device.memories.values() if device.buffered(memory.space) is not None]
        if space not in known:
            return f"the buffer lies in '{space}', and device '{device.name}' has buffers in {', '.join(known)}"
        return None
    if isinstance(view, _OPS):
        return None
    if op.name in dataflow.VIEWS:
        if view_of(op.results[0]) is None:
            return f"{op.name} shows no buffer of dataflow.alloc, or with strides that only the run knows"
        return None
    if any(isinstance(value.type, ir.MemRefType) and not buffers.is_in_lx(value) for value in op.operands):
        return f"{op.name} works on a buffer outside of LX; only transfers reach a stage"
    if op.name in support.CONTROL_OPS or op.name in support.SCALAR_OPS or op.name == "memref.load":
        return None
    seen = structured(op)
    if seen is not None:
        if op.name != "linalg.generic":
            return f"{op.name} is still here at stage schedule; linalg-generalize-named-ops should have removed it"
        unit = ir.FlatSymbolRefAttr(op.attributes[UNIT]).value if UNIT in op.attributes else None
        if unit is None:
            return "linalg.generic names no unit; place-compute should have seen to it"
        if unit not in device.units:
            return f"linalg.generic runs on '{unit}', and device '{device.name}' has {', '.join(device.units)}"
        corelet = ir.IntegerAttr(op.attributes[CORELET]).value if CORELET in op.attributes else 0
        corelets = device.corelets if device.units[unit].level == "corelet" else 1
        if not 0 <= corelet < corelets:
            return f"linalg.generic runs on corelet {corelet} of '{unit}', and device '{device.name}' has {corelets}"
        if len(set(seen.outputs)) < len(seen.outputs):
            return "two outputs of linalg.generic are one buffer; place-outputs should have given each its own"
        return None
    culprit = support.row_for(op.name, _SHOULD_BE_GONE, "legality")
    return f"{op.name} is still here at stage schedule; {culprit} should have removed it"


def _transfer(op: dataflow.DataTransferOp, device: Device) -> str | None:
    """Every step of the route is a link of the device; the ends are the memories that the op names, its unit is on the
    way.
    """
    route = [ir.StringAttr(kind).value for kind in op.route]
    links = {(link.source, link.target) for link in device.links}
    for step in pairwise(route):
        if step not in links:
            return f"the route goes from '{step[0]}' to '{step[1]}', and device '{device.name}' has no such link"
    for end, space in zip((route[0], route[-1]), map(op.space, ("source", "dest")), strict=True):
        if end not in device.memories or device.memories[end].space != space:
            return f"the route ends at '{end}', which is not the {space} memory of device '{device.name}'"
    if op.unit.value not in route[1:-1]:
        return f"unit '{op.unit.value}' is not on the route {' -> '.join(route)}"
    if passed := [f"'{kind}'" for kind in route[1:-1] if kind in device.memories]:
        return f"the route passes {', '.join(passed)}, and bytes rest in a memory; materialize-tiles should have cut it"
    return None
