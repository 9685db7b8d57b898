"""What bufferization leaves becomes ours: allocations are buffers in LX, copies are compute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, kernels, ops
from spyrec.passes.analysis.buffer_views import view_of
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

    What copies a buffer or a part of it onto itself goes, as do casts between layouts. Leaves alone memrefs that are
    not in LX, and views of buffers: subviews and other shapes. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.steps(op):
            if inner.name == "memref.alloc" and buffers.is_in_lx(inner.results[0]):
                _allocate(inner)
                ctx.statistics["buffers"] += 1
            elif inner.name == "memref.cast" and all(map(buffers.is_in_lx, [*inner.operands, *inner.results])):
                # Upstream says in this way that a view is contiguous, which whoever uses it sees by itself.
                inner.results[0].replace_all_uses_with(inner.operands[0])
                inner.erase()
            elif inner.name == "memref.copy" and all(map(buffers.is_in_lx, inner.operands)):
                if not _is_same(*inner.operands):
                    source, target = inner.operands
                    with ir.InsertionPoint(inner):
                        ops.copy(source, target, inner.location)
                    ctx.statistics["copies"] += 1
                inner.erase()
        taken: dict[str, int] = {}
        for buffer in buffers.allocations(op):
            wanted = buffer.name_.value if buffer.name_ is not None else buffers.UNNAMED
            name = buffers.unique(re.sub(r"[^A-Za-z0-9_]", "_", wanted) or buffers.UNNAMED, taken)
            buffer.operation.attributes["name"] = ir.StringAttr.get(name)


def _allocate(op: ir.Operation) -> None:
    with ir.InsertionPoint(op):
        name = next(_stored(op.results[0]), buffers.UNNAMED)
        buffer = buffers.allocate(ir.MemRefType(op.results[0].type), name, op.location)
    op.results[0].replace_all_uses_with(buffer)
    op.erase()


def _stored(buffer: ir.Value) -> Iterator[str]:
    """The names of what a buffer is stored to, through stages or not."""
    for use in buffer.uses:
        transfer = use.owner.opview
        if not isinstance(transfer, dataflow.DataTransferOp):
            continue
        if transfer.dest is None:
            yield buffers.name_of_address(transfer.dest_base)
        elif transfer.dest != buffer and not buffers.is_in_lx(transfer.dest):
            yield from _stored(transfer.dest)


def _is_same(source: ir.Value, target: ir.Value) -> bool:
    """Whether both are one piece of one buffer."""
    shown = view_of(source)
    return shown is not None and shown == view_of(target)
