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
from spyrec.passes.analysis import compute_costs, contractions, kernels, ops
from spyrec.passes.analysis.folds import folds
from spyrec.passes.analysis.structured import Structured, structured
from spyrec.passkit import Pass, PassContext

Work = list[tuple[bool, str]]
"""Operations per point, as :func:`compute_costs.operations` lists them."""

_LONGEST = 256
"""Operations per point that are worth no longer stream: what one more starts with is lost in them."""


@dataclass
class KeepTensors(Pass):
    """Mark the tensors that ``linalg-fuse-elementwise-ops`` must not compute where they are read.

    Upstream fuses whatever has one user. Where the user walks over more points than the tensor has (it is broadcast),
    what makes it is then computed again at each of them: for the exponential of a column that scales a matrix that is
    the width of the matrix times. The device's closed forms decide between computing again and a stream of its own. A
    sum of products takes nothing but wider types in: the matrix unit has no other ops. And where the user waits for a
    later sum of products than what makes the tensor (the second side of a gate), the vector unit does the one while the
    matrix unit does the other, unless a loop around both has it busy anyway. Nor do bodies grow for ever: upstream
    copies both for each op that it fuses, so that one long chain would take time by its square.

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
        waits = _Waits(ctx.device)
        vector = ctx.device.unit("vector")
        for inner in kernels.steps(op):
            seen = structured(inner)
            if seen is None or inner.name != "linalg.generic" or not inner.results:
                continue
            mine = compute_costs.operations(seen.body, vector)
            waits.add(seen)
            for position in range(len(seen.inputs)):
                value = seen.inputs[position]
                maker = kernels.defining(value)
                if maker not in work or not _fusible(value):
                    continue
                early = waits.saved(seen, position, work[maker]) > 0 and not _is_in_loop(inner, op)
                fits = len(mine) + len(work[maker]) <= _LONGEST
                if fits and not early and _pays(seen, position, work[maker], ctx.device):
                    mine += work[maker]
                else:
                    _keep(inner, position)
                    ctx.statistics["tensors kept"] += 1
            work[inner] = mine


def _fusible(value: ir.Value) -> bool:
    """Whether upstream fuses what makes ``value`` into its user."""
    maker = kernels.defining(value)
    seen = None if maker is None else structured(maker)
    return seen is not None and seen.is_parallel and len({use.owner.operation for use in value.uses}) == 1


def _pays(op: Structured, position: int, work: Work, device: Device) -> bool:
    """Whether computing input ``position`` at every point of ``op`` is no slower than in a stream of its own."""
    if _is_product(op):
        maker = kernels.defining(op.inputs[position])
        made = None if maker is None else structured(maker)
        assert made is not None
        return _only_widens(made)
    counts = op.extents
    if counts is None:
        return True
    there, here = math.prod(_shape(op.inputs[position])), math.prod(counts)
    vector = device.unit("vector")
    alone = cost.stream_cycles(device, vector, there, work)
    return cost.stream_cycles(device, vector, here, work) - device.timing.stream_startup <= alone if work else True


class _Waits:
    """Which sum of products, of those that the matrix unit does one after the other, each op waits for."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._cycles = [0]
        """How long each takes; nothing comes first."""
        self._last: dict[ir.Operation, int] = {}

    def add(self, op: Structured) -> None:
        """The next op of the function."""
        last = max((self._of(value) for value in (*op.inputs, *op.outputs)), default=0)
        if (cycles := self._matrix(op)) is not None:
            last = len(self._cycles)
            self._cycles.append(cycles)
        self._last[op.op] = last

    def _matrix(self, op: Structured) -> int | None:
        """How long the matrix unit takes for ``op``, if it can do it once wider types are taken in."""
        unit = next((unit for unit in self._device.units.values() if unit.role == "matrix"), None)
        counts = op.extents
        if unit is None or counts is None or len(op.inputs) != 2 or not _is_product(op):
            return None
        element = str(ops.element(_narrow(op.inputs[0])))
        if element not in unit.lanes:
            return None
        batch, rows, columns, depth = (math.prod(counts[k] for k in part) for part in compute_costs.parts(op))
        return cost.contract_cycles(self._device, unit, (batch, rows, columns, depth), element)

    def saved(self, op: Structured, position: int, work: Work) -> float:
        """Cycles by which ``op`` is done earlier when input ``position``, made by ``work``, is not made in it."""
        others = [value for k, value in enumerate(op.inputs) if k != position]
        before, after = self._of(op.inputs[position]), max(map(self._of, others), default=0)
        if before >= after or not work:
            return 0
        timing = self._device.timing
        points = math.prod(_shape(op.inputs[position]))
        alone = cost.stream_cycles(self._device, self._device.unit("vector"), points, work)
        hidden = min(alone, sum(self._cycles[before + 1 : after + 1])) / self._device.corelets
        return hidden - 2 * (timing.stream_startup + timing.post_latency + timing.scalar_cycles)

    def _of(self, value: ir.Value) -> int:
        maker = kernels.defining(value)
        return 0 if maker is None else self._last.get(maker, 0)


def _narrow(value: ir.Value) -> ir.Value:
    """What ``value`` is in a wider type."""
    maker = kernels.defining(value)
    seen = None if maker is None else structured(maker)
    return seen.inputs[0] if seen is not None and seen.is_parallel and _only_widens(seen) else value


def _only_widens(op: Structured) -> bool:
    bodies = (view.operation.name for view in op.body.operations)
    return len(op.inputs) == 1 and all(name in (*contractions.WIDER, "linalg.yield") for name in bodies)


def _is_in_loop(op: ir.Operation, function: ir.Operation) -> bool:
    return any(around.name in ("scf.for", "scf.while") for around in kernels.around(op, function))


def _is_product(op: Structured) -> bool:
    found = None if op.is_parallel else folds(op)
    return found is not None and any(fold is not None and fold.product is not None for fold in found)


def _shape(value: ir.Value) -> Sequence[int]:
    return ir.RankedTensorType(value.type).shape if isinstance(value.type, ir.RankedTensorType) else ()


def _keep(op: ir.Operation, position: int) -> None:
    value = op.operands[position]
    with ir.InsertionPoint(op):
        op.operands[position] = dataflow.KeptOp.build(input=value, result=value.type, loc=op.location).result
