"""Meaning of control flow: the ``scf`` dialect."""

from __future__ import annotations

from typing import Any

from spyrec.interp.faults import Fault
from spyrec.interp.machine import Flow, Frame, Run, Scope, meaning
from spyrec.mlir import ir


def results_of(op: ir.Operation, values: tuple[Any, ...]) -> Any:
    """Results as a step takes them: the value of one, a tuple of several."""
    return values[0] if len(op.results) == 1 else values


@meaning("scf.for", flow=True)
def for_(op: ir.Operation, scope: Scope) -> Run:
    body = scope.region(op, 0)
    assert body is not None
    unsigned = "unsignedCmp" in op.attributes
    bits = 64 if isinstance(op.operands[0].type, ir.IndexType) else ir.IntegerType(op.operands[0].type).width

    def run(frame: Frame, lower: int, upper: int, step: int, *carried: Any) -> Flow:
        lower, upper, step = int(lower), int(upper), int(step)
        if unsigned:
            lower, upper, step = (v % (1 << bits) for v in (lower, upper, step))
        if step <= 0:
            raise Fault("bad-step", f"the step of the loop is {step}; it must be at least 1", "step")
        values = carried
        for i in range(lower, upper, step):
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


@meaning("scf.while", flow=True)
def while_(op: ir.Operation, scope: Scope) -> Run:
    before, after = scope.region(op, 0), scope.region(op, 1)
    assert before is not None
    assert after is not None

    def run(frame: Frame, *initial: Any) -> Flow:
        values: tuple[Any, ...] = initial
        while True:
            condition, *passed = yield from before.run(frame, values)
            if not condition:
                return results_of(op, tuple(passed))
            values = yield from after.run(frame, passed)

    return run


@meaning("scf.execute_region", flow=True)
def execute_region(op: ir.Operation, scope: Scope) -> Run:
    body = scope.region(op, 0)
    assert body is not None

    def run(frame: Frame) -> Flow:
        values = yield from body.run(frame)
        return results_of(op, values)

    return run
