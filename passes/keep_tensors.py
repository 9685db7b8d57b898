"""What is read many times is computed once: fusion leaves it alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.device import cost
from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import compute_costs, contractions, kernels
from spyrec.passes.analysis.folds import folds
from spyrec.passes.analysis.structured import Structured, structured
from spyrec.passkit import Pass, PassContext

Work = list[tuple[bool, str]]
"""Operations per point, as :func:`compute_costs.operations` lists them."""


@dataclass
class KeepTensors(Pass):
    """Mark the tensors that ``linalg-fuse-elementwise-ops`` must not compute where they are read.

    Upstream fuses whatever has one user. Where the user walks over more points than the tensor has (it is broadcast),
    what makes it is then computed again at each of them: for the exponential of a column that scales a matrix that is
    the width of the matrix times. The device's closed forms decide between computing again and a stream of its own. A
    sum of products takes nothing but wider types in: the matrix unit has no other ops.

    IR before::

        %e = linalg.generic {...} ins(%m : tensor<16xf32>) ... { math.exp ... } -> tensor<16xf32>
        %s = linalg.generic {indexing_maps = [#row, #id, #id], ...} ins(%e, %a : tensor<16xf32>, tensor<16x64xf32>) ...

    IR after::

        %e = linalg.generic {...} ins(%m : tensor<16xf32>) ... { math.exp ... } -> tensor<16xf32>
        %k = dataflow.kept %e : tensor<16xf32>
        %s = linalg.generic {indexing_maps = [#row, #id, #id], ...} ins(%k, %a : tensor<16xf32>, tensor<16x64xf32>) ...

    ``release-tensors`` removes the marks after fusion. Leaves alone what would not be fused: results with several
    users, accumulators, ops that fold. Refuses nothing."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        work: dict[ir.Operation, Work] = {}
        vector = ctx.device.unit("vector")
        for inner in list(kernels.walk(op)):
            seen = structured(inner)
            if seen is None or inner.name != "linalg.generic" or not inner.results:
                continue
            mine = compute_costs.operations(seen.body, vector)
            for position in range(len(seen.inputs)):
                value = seen.inputs[position]
                maker = kernels.defining(value)
                if maker not in work or not _fusible(value):
                    continue
                if _pays(seen, position, work[maker], ctx.device):
                    mine += work[maker]
                else:
                    _keep(inner, position)
                    ctx.statistics["tensors kept"] += 1
            work[inner] = mine


def _fusible(value: ir.Value) -> bool:
    """Whether upstream fuses what makes ``value`` into its user."""
    maker = kernels.defining(value)
    seen = None if maker is None else structured(maker)
    return seen is not None and seen.is_parallel and sum(1 for _ in value.uses) == 1


def _pays(op: Structured, position: int, work: Work, device: Device) -> bool:
    """Whether computing input ``position`` at every point of ``op`` is no slower than in a stream of its own."""
    if _is_product(op):
        maker = kernels.defining(op.inputs[position])
        made = None if maker is None else structured(maker)
        assert made is not None
        return all(view.operation.name in (*contractions.WIDER, "linalg.yield") for view in made.body.operations)
    counts = op.extents
    if counts is None:
        return True
    there, here = math.prod(_shape(op.inputs[position])), math.prod(counts)
    vector = device.unit("vector")
    alone = cost.stream_cycles(device, vector, there, work)
    return cost.stream_cycles(device, vector, here, work) - device.timing.stream_startup <= alone if work else True


def _is_product(op: Structured) -> bool:
    found = None if op.is_parallel else folds(op)
    return found is not None and any(fold is not None and fold.product is not None for fold in found)


def _shape(value: ir.Value) -> Sequence[int]:
    return ir.RankedTensorType(value.type).shape if isinstance(value.type, ir.RankedTensorType) else ()


def _keep(op: ir.Operation, position: int) -> None:
    value = op.operands[position]
    with ir.InsertionPoint(op):
        op.operands[position] = dataflow.KeptOp.build(input=value, result=value.type, loc=op.location).result
