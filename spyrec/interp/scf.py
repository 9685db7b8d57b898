"""Meaning of control flow: the ``scf`` dialect."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from spyrec.interp.faults import Fault
from spyrec.interp.machine import Block, Frame, Run, Scope, meaning
from spyrec.interp.requests import Flow
from spyrec.interp.tensor import groups, inserted, mixed
from spyrec.interp.values import Tensor
from spyrec.mlir import ir


def results_of(op: ir.Operation, values: tuple[Any, ...]) -> Any:
    """Results as a step takes them: the value of one, a tuple of several."""
    return values[0] if len(op.results) == 1 else values


def _block(scope: Scope, op: ir.Operation, number: int) -> Block:
    body = scope.region(op, number)
    assert body is not None, f"{op.name} verifies with region {number}"
    return body


def _positive(step: int, field: str) -> int:
    if step <= 0:
        raise Fault("bad-step", f"the step of the loop is {step}; it must be at least 1", field)
    return step


@meaning("scf.for", flow=True)
def for_(op: ir.Operation, scope: Scope) -> Run:
    body = _block(scope, op, 0)
    unsigned = "unsignedCmp" in op.attributes
    bits = 64 if isinstance(op.operands[0].type, ir.IndexType) else ir.IntegerType(op.operands[0].type).width

    def run(frame: Frame, lower: int, upper: int, step: int, *carried: Any) -> Flow:
        lower, upper, step = int(lower), int(upper), int(step)
        if unsigned:
            lower, upper, step = (v % (1 << bits) for v in (lower, upper, step))
        counter = range(lower, upper, _positive(step, "step"))
        frame.tile.iterate(len(counter) if upper - lower < 1 << 62 else 1 << 62)
        values = carried
        for i in counter:
            values = yield from body.run(frame, (i, *values))
        return results_of(op, values)

    return run


@meaning("scf.if", flow=True)
def if_(op: ir.Operation, scope: Scope) -> Run:
    arms = scope.region(op, 0), scope.region(op, 1)

    def run(frame: Frame, condition: int) -> Flow:
        arm = arms[0] if condition else arms[1]
        if arm is None:
            return ()
        values = yield from arm.run(frame)
        return results_of(op, values)

    return run


@meaning("scf.index_switch", flow=True)
def index_switch(op: ir.Operation, scope: Scope) -> Run:
    cases = list(ir.DenseI64ArrayAttr(op.attributes["cases"]))
    arms = [_block(scope, op, k) for k in range(len(cases) + 1)]

    def run(frame: Frame, value: int) -> Flow:
        arm = arms[cases.index(value) + 1 if value in cases else 0]
        values = yield from arm.run(frame)
        return results_of(op, values)

    return run


@meaning("scf.while", flow=True)
def while_(op: ir.Operation, scope: Scope) -> Run:
    before, after = _block(scope, op, 0), _block(scope, op, 1)

    def run(frame: Frame, *initial: Any) -> Flow:
        values: tuple[Any, ...] = initial
        while True:
            frame.tile.iterate()
            condition, *passed = yield from before.run(frame, values)
            if not condition:
                return results_of(op, tuple(passed))
            values = yield from after.run(frame, passed)

    return run


@meaning("scf.execute_region", flow=True)
def execute_region(op: ir.Operation, scope: Scope) -> Run:
    body = _block(scope, op, 0)

    def run(frame: Frame) -> Flow:
        values = yield from body.run(frame)
        return results_of(op, values)

    return run


# Loops over several counters -----------------------------------------------------------------------------------------


def _points(frame: Frame, lower: Sequence[int], upper: Sequence[int], step: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Counters, the last one fastest. The order must not matter; it is fixed so that results are repeatable."""
    ranges = [
        range(int(a), int(b), _positive(int(s), f"step[{k}]"))
        for k, (a, b, s) in enumerate(zip(lower, upper, step, strict=True))
    ]
    count = 1
    for r in ranges:
        count *= len(r)
    frame.tile.iterate(count)
    return itertools.product(*ranges)


@meaning("scf.parallel", flow=True)
def parallel(op: ir.Operation, scope: Scope) -> Run:
    body = _block(scope, op, 0)
    terminator = body.terminator
    combiners = [_block(scope, terminator, k) for k in range(len(terminator.regions))] if terminator else []

    def run(frame: Frame, *operands: Any) -> Flow:
        lower, upper, step, initial = groups(op, operands)
        values = tuple(initial)
        for point in _points(frame, lower, upper, step):
            given = yield from body.run(frame, point)
            folded = []
            for combiner, value, new in zip(combiners, values, given, strict=True):
                (result,) = yield from combiner.run(frame, (value, new))
                folded.append(result)
            values = tuple(folded)
        return results_of(op, values)

    return run


@meaning("scf.forall", flow=True)
def forall(op: ir.Operation, scope: Scope) -> Run:
    body = _block(scope, op, 0)
    assert body.terminator is not None
    arguments = list(op.regions[0].blocks[0].arguments)
    inserts = [wrapper.operation for wrapper in body.terminator.regions[0].blocks[0].operations]
    #: Per insertion: the op, slots of its operands, number of the output.
    prepared = [
        (insert, [scope.slot(v) for v in insert.operands], arguments.index(ir.BlockArgument(insert.operands[1])))
        for insert in inserts
    ]

    def run(frame: Frame, *operands: Any) -> Flow:
        *bounds, outputs = groups(op, operands)
        names = ("staticLowerBound", "staticUpperBound", "staticStep")
        lower, upper, step = (mixed(op, name, values) for name, values in zip(names, bounds, strict=True))
        results: list[Tensor] = list(outputs)
        for point in _points(frame, lower, upper, step):
            # Every iteration sees the outputs as they were at first.
            yield from body.run(frame, (*point, *outputs))
            for insert, slots, argument in prepared:
                (part,), _, *lists = groups(insert, [frame.values[s] for s in slots])
                place = [
                    mixed(insert, f"static_{n}", v) for n, v in zip(("offsets", "sizes", "strides"), lists, strict=True)
                ]
                number = argument - len(point)
                results[number] = inserted(part, results[number], *place)
        return results_of(op, tuple(results))

    return run
