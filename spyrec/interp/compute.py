"""Meaning of what computes at the ``program`` stage: streams, and contractions with sums that stay in their unit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.dialects import dataflow
from spyrec.interp.faults import Fault
from spyrec.interp.lanes import Body, Grid, grid_of
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.memory import overlaps
from spyrec.interp.program import Side, program_of
from spyrec.interp.values import element_of
from spyrec.mlir import ir
from spyrec.numerics import Array, reductions
from spyrec.numerics.nests import contract_nest

Evaluate = Callable[[Frame, "list[Array | None]", Grid], "list[Array]"]


def _symbol(attribute: ir.Attribute) -> str:
    return ir.FlatSymbolRefAttr(attribute).value


class _Output:
    """One output of a stream: ``argument`` is the number of its block argument."""

    def __init__(self, op: dataflow.StreamOp, number: int, fold: dataflow.Fold | None, body: Body) -> None:
        self.argument = len(op.inputs) + number
        self.fold = fold
        counts, strides = tuple(op.counts), tuple(ir.DenseI64ArrayAttr(op.output_strides[number]))
        self.axes = op.folded if fold is not None else ()
        kept = [d for d in range(len(counts)) if d not in self.axes]
        self.element = element_of(op.body.blocks[0].arguments[self.argument].type)
        self.counts = counts
        self.side = Side(
            dataflow.LX,
            tuple(counts[d] for d in kept),
            tuple(strides[d] for d in kept),
            self.element,
            _symbol(op.output_buffers[number]),
        )
        if overlaps(self.side.counts, self.side.strides, numerics.sizeof(self.element)):
            raise Fault(
                "unsupported-op", f"output {number} writes one place several times; a stream has no order", "counts"
            )
        targets = [body.yields[number]] if fold is None else fold.parts
        self.fresh = op.fresh is not None
        self.uses = body.uses(targets)
        self.program: Evaluate = body.program(targets)

    def start(self, frame: Frame, address: int) -> Array | None:
        """What the fold starts from; None: the identity, or no fold."""
        return self.side.read(frame, address) if self.fold is not None and not self.fresh else None

    def values(self, frame: Frame, lanes: list[Array | None], grid: Grid, start: Array | None) -> Array:
        """The new elements."""
        parts = self.program(frame, lanes, grid)
        if self.fold is None:
            return np.broadcast_to(parts[0], self.side.counts)
        term = reductions.product(parts[0], parts[1]) if len(parts) == 2 else parts[0]
        whole = np.broadcast_to(term, self.counts)
        return reductions.reduce(self.fold.op.name, whole, self.axes, start, self.element)


@meaning("dataflow.stream")
def stream(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.StreamOp(op)
    counts = tuple(made.counts)
    block = made.body.blocks[0]
    inputs = [
        Side(dataflow.LX, counts, tuple(ir.DenseI64ArrayAttr(strides)), element_of(argument.type), _symbol(buffer))
        for argument, strides, buffer in zip(block.arguments, made.input_strides, made.input_buffers, strict=False)
    ]
    body = Body(block, scope)
    outputs = [_Output(made, k, fold, body) for k, fold in enumerate(made.folds())]
    used = set().union(*(o.uses for o in outputs))

    def run(frame: Frame, *addresses: int) -> None:
        if 0 in counts:
            return
        lanes: list[Array | None] = [
            side.read(frame, addresses[k]) if k in used else None for k, side in enumerate(inputs)
        ]
        lanes += [
            o.side.read(frame, addresses[o.argument]) if o.fold is None and o.argument in used else None
            for o in outputs
        ]
        grid = grid_of(counts)
        starts = [o.start(frame, addresses[o.argument]) for o in outputs]
        results = [o.values(frame, lanes, grid, start) for o, start in zip(outputs, starts, strict=True)]
        for output, values in zip(outputs, results, strict=True):
            output.side.write(frame, addresses[output.argument], values)

    return run


@meaning("dataflow.contract")
def contract(op: ir.Operation, scope: Scope) -> Run:
    made = dataflow.ContractOp(op)
    counts, summed = tuple(made.counts), [s == 0 for s in made.acc_strides]
    unit = _unit_of(op)

    def side(name: str, dims: list[int]) -> Side:
        strides = getattr(made, f"{name}_strides")
        element = str(getattr(made, f"{name}_type").value)
        buffer = _symbol(getattr(made, f"{name}_buffer"))
        return Side(dataflow.LX, tuple(counts[d] for d in dims), tuple(strides[d] for d in dims), element, buffer)

    moving = {name: [d for d, s in enumerate(getattr(made, f"{name}_strides")) if s] for name in ("lhs", "rhs")}
    left, right = (side(name, moving[name]) for name in ("lhs", "rhs"))
    shapes = [[n if d in moving[name] else 1 for d, n in enumerate(counts)] for name in ("lhs", "rhs")]
    sums = side("acc", [d for d, gone in enumerate(summed) if not gone])
    if overlaps(sums.counts, sums.strides, numerics.sizeof(sums.element)):
        raise Fault("unsupported-op", "two accumulators share bytes", "acc_strides")
    wide = "f64" if numerics.is_float(sums.element) else "i64"
    start, keep = made.start.value, made.keep is not None

    def initial(frame: Frame, address: int) -> Array:
        if start == "lx":
            return sums.read(frame, address)
        if start == "zero":
            return np.zeros(sums.counts, numerics.dtype(wide))
        kept = program_of(frame).kept.pop(unit, None)
        if kept is None or kept.size != math.prod(sums.counts) or kept.dtype != numerics.dtype(wide):
            have = "nothing" if kept is None else f"{kept.size} sums of {kept.dtype}"
            message = f"goes on from {math.prod(sums.counts)} sums of {wide} in the unit, which has kept {have}"
            raise Fault("accumulator-misuse", message, "start")
        return kept.reshape(sums.counts)

    def run(frame: Frame, lhs: int, rhs: int, acc: int) -> Any:
        if 0 in counts:
            return
        a, b = left.read(frame, lhs).reshape(shapes[0]), right.read(frame, rhs).reshape(shapes[1])
        total = contract_nest(a, b, counts, summed, initial(frame, acc), wide if keep else sums.element)
        if keep:
            program_of(frame).kept[unit] = total
        else:
            sums.write(frame, acc, total)

    return run


def _unit_of(op: ir.Operation) -> str:
    """The unit, with its corelet, in whose program ``op`` stands."""
    parent = op.parent
    while parent is not None and parent.operation.name != "dataflow.program_unit":
        parent = parent.operation.parent
    if parent is None:
        raise Fault("invalid-ir", "a contraction stands outside of a unit")
    unit = dataflow.ProgramUnitOp(parent.operation)
    corelet = 0 if unit.corelet is None else ir.IntegerAttr(unit.corelet).value
    return f"{unit.unit.value}.{corelet}"
