"""What bufferization leaves becomes ours: allocations are buffers in LX, copies are compute."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, kernels, ops
from spyrec.passkit import Pass, PassContext


@dataclass
class AdoptBuffers(Pass):
    """Make ``dataflow.alloc`` of ``memref.alloc``, ``linalg.generic`` of ``memref.copy``, and name all buffers.

    Bufferization speaks of heap allocations and of copies that nobody in particular does. In the schedule a buffer has
    a scope and a depth, and whatever moves a byte is an op that some unit runs. A buffer is called after the argument
    that it is loaded from or stored to.

    IR before::

        %b = memref.alloc() {alignment = 64 : i64} : memref<1x64xf16, "lx">
        memref.copy %a, %b : memref<1x64xf16, "lx"> to memref<1x64xf16, "lx">

    IR after::

        %b = dataflow.alloc {name = "z"} : memref<1x64xf16, "lx">
        linalg.generic {...} ins(%a : ...) outs(%b : ...) { ^bb0(%x: f16, %o: f16): linalg.yield %x : f16 }

    Leaves alone memrefs that are not in LX. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.walk(op):
            if inner.name == "memref.alloc" and _is_in_lx(inner.results[0]):
                _allocate(inner)
                ctx.statistics["buffers"] += 1
            elif inner.name == "memref.copy" and all(map(_is_in_lx, inner.operands)):
                _copy(inner)
                ctx.statistics["copies"] += 1
        taken: dict[str, int] = {}
        for buffer in buffers.allocations(op):
            wanted = buffer.name_.value if buffer.name_ is not None else buffers.UNNAMED
            name = _unique(re.sub(r"[^A-Za-z0-9_]", "_", wanted) or buffers.UNNAMED, taken)
            buffer.operation.attributes["name"] = ir.StringAttr.get(name)


def _is_in_lx(value: ir.Value) -> bool:
    type_ = value.type
    return isinstance(type_, ir.MemRefType) and type_ == buffers.in_lx(type_)


def _allocate(op: ir.Operation) -> None:
    stored = (
        buffers.name_of_address(use.owner.opview.dest_base)
        for use in op.results[0].uses
        if isinstance(use.owner.opview, dataflow.DataTransferOp) and use.owner.opview.dest is None
    )
    with ir.InsertionPoint(op):
        buffer = buffers.allocate(ir.MemRefType(op.results[0].type), next(stored, buffers.UNNAMED), op.location)
    op.results[0].replace_all_uses_with(buffer)
    op.erase()


def _copy(op: ir.Operation) -> None:
    source, target = op.operands
    identity = ir.AffineMap.get_identity(ir.MemRefType(source.type).rank)
    with ir.InsertionPoint(op):
        ops.generic([source], [target], [identity, identity], op.location, lambda arguments: [arguments[0]])
    op.erase()


def _unique(name: str, taken: dict[str, int]) -> str:
    """``name``, with a number behind it if it is taken; ``taken`` has the names so far, each with its last number."""
    unique = name
    while unique in taken:
        taken[name] += 1
        unique = f"{name}_{taken[name]}"
    taken[unique] = 0
    return unique
