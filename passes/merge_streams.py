"""Compute ops of one unit that walk over the same points become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.merging import LONGEST, Merging, Pair
from spyrec.passes.analysis.slices import CORELET, UNIT
from spyrec.passkit import Pass, PassContext, option


@dataclass
class MergeStreams(Pass):
    """Let an op on buffers and a later one of the same unit, which reads what it wrote at the same point, be one op.

    Each op on buffers is a stream, and each stream has a start-up. What fusion on tensors could not make one, since
    others read what is between the two as well, can be one here: the op still writes that buffer, and goes on with what
    it wrote. A cast and the maximum of what it gives, or an exponential and the sum of it, take one start-up less.

    It comes last, when it is settled which corelet does what: what is cut between corelets and what is not stay apart.

    IR before::

        linalg.generic {... ["parallel", "parallel"]} ins(%x : ...) outs(%t : ...) attrs = {dataflow.unit = @sfu} {
          %0 = arith.extf %p : f16 to f32
          linalg.yield %0 : f32
        }
        linalg.generic {... ["parallel", "reduction"]} ins(%t : ...) outs(%m : ...) attrs = {dataflow.unit = @sfu} {
          %0 = arith.maximumf %o, %p : f32
          linalg.yield %0 : f32
        }

    IR after::

        linalg.generic {... ["parallel", "reduction"]} ins(%x : ...) outs(%t, %m : ...) attrs = {...} {
          %0 = arith.extf %p : f16 to f32
          %1 = arith.maximumf %o, %0 : f32
          linalg.yield %0, %1 : f32, f32
        }

    Leaves alone ops between which another op touches what the first one writes, or writes what it reads; those of which
    the second waits for more of what the matrix unit computes, since the first is done meanwhile; a product that a sum
    adds up, which would not be rounded any more; folds of different loops, and of what is one number everywhere; ops
    of more than four loops; and bodies that are longer than ``longest``. Refuses nothing."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    longest: int = option(LONGEST, "ops, inputs and outputs of a body at most")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        vector = {kind for kind, unit in ctx.device.units.items() if unit.role == "vector"}
        for block in kernels.blocks(op):
            merging = Merging(vector, self.longest)
            for inner in [view.operation for view in block.operations]:
                at = inner
                while (pair := merging.pair(at)) is not None:
                    merging.remove(pair.first.op)
                    at = _merged(pair)
                    ctx.statistics["ops merged"] += 1
                merging.add(at)


def _merged(pair: Pair) -> ir.Operation:
    """Both ops as one, in the place of the second."""
    first, second, forwarded, split = pair.first, pair.second, pair.forwarded, len(pair.first.inputs)
    kept = [number for number in range(len(second.inputs)) if number not in forwarded]
    inputs = [*first.inputs, *(second.inputs[k] for k in kept)]
    maps = [*first.maps[:split], *(second.maps[k] for k in kept), *first.output_maps, *second.output_maps]

    def body(arguments: Sequence[ir.BlockArgument]) -> list[ir.Value]:
        given, outputs = arguments[: len(inputs)], arguments[len(inputs) :]
        _, values = ops.cloned(first.body, [*given[:split], *outputs[: len(first.outputs)]])
        rest = dict(zip(kept, given[split:], strict=True))
        here = [rest[k] if k in rest else values[forwarded[k]] for k in range(len(second.inputs))]
        _, more = ops.cloned(second.body, [*here, *outputs[len(first.outputs) :]])
        return [*values, *more]

    with ir.InsertionPoint(second.op):
        outputs, reduced = [*first.outputs, *second.outputs], first.reduced | second.reduced
        made = ops.generic(inputs, outputs, maps, second.op.location, body, reduced)
    for op in (first.op, second.op):
        for name in (UNIT, CORELET, dataflow.FRESH):
            if name in op.attributes:
                made.attributes[name] = op.attributes[name]
        op.erase()
    return made
