"""How many instances of a buffer may be alive at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.errors import UsageError
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, kernels
from spyrec.passkit import Pass, PassContext, option


@dataclass
class ChooseBufferDepth(Pass):
    """Let units run ahead of one another: buffers in loops get ``depth`` slots.

    With two slots the load unit fills one while the vector unit works on the other. The program means the same at any
    depth. A buffer outside of loops has one instance, and one slot.

    IR before::

        scf.for ... {
          %b = dataflow.alloc {name = "x"} : memref<1x64xf16, "lx">

    IR after, with ``depth=2``::

        scf.for ... {
          %b = dataflow.alloc {depth = 2 : i64, name = "x"} : memref<1x64xf16, "lx">

    When all buffers together would not fit into LX, the largest depth is taken with which they do; when they do not fit
    with one slot each, it is 1 and address assignment, which lets buffers share bytes, has the last word. One slot is
    also taken in an ``scf.if``, and in a loop whose number of iterations is computed in another loop: the slot of an
    instance would not be an affine function of counters. Leaves alone a buffer that has a depth. Refuses nothing but a
    ``depth`` below 1."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    depth: int = option(2, "slots of a buffer in a loop")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if self.depth < 1:
            raise UsageError(f"pass '{self.NAME}': depth must be at least 1, but is {self.depth}")
        lx = ctx.device.memory("lx")
        chosen: list[tuple[dataflow.AllocOp, int, bool]] = []
        fixed = 0
        for buffer in buffers.allocations(op):
            bytes_ = -(-buffers.size(buffer.result.type) // lx.alignment) * lx.alignment
            if buffer.depth is not None:
                fixed += bytes_ * buffer.depth.value
            else:
                chosen.append((buffer, bytes_, _rotates(buffer.operation, op)))
        depth = next(
            (
                depth
                for depth in range(self.depth, 1, -1)
                if fixed + sum(bytes_ * (depth if rotates else 1) for _, bytes_, rotates in chosen) <= lx.size
            ),
            1,
        )
        for buffer, _, rotates in chosen:
            i64 = ir.IntegerType.get_signless(64)
            buffer.operation.attributes["depth"] = ir.IntegerAttr.get(i64, depth if rotates else 1)


def _rotates(buffer: ir.Operation, function: ir.Operation) -> bool:
    """Whether each iteration of a loop around ``buffer`` may have a slot of its own, by its number."""
    around = list(kernels.around(buffer, function))
    loops = [op for op in around if op.name == "scf.for"]
    # Iterations are counted over all loops around: none may be skipped, or have another number of iterations each time.
    if not loops or around[: len(loops)] != loops:
        return False
    return all(
        _defined_outside(inner.operands[1], outer, function)
        for level, inner in enumerate(loops)
        for outer in loops[level + 1 :]
    )


def _defined_outside(value: ir.Value, loop: ir.Operation, function: ir.Operation) -> bool:
    maker = kernels.defining(value)
    if maker is not None and maker.name == "arith.constant":
        return True
    place = maker if maker is not None else ir.BlockArgument(value).owner.owner.operation
    return loop != place and loop not in list(kernels.around(place, function))
