"""Meaning of scalar ops: ``arith``, ``math`` and ``spyreop``, on scalars and element by element on tensors.

All values come from :mod:`spyrec.numerics`. Integer scalars take its functions on Python ints; addresses stay
addresses when numbers are added to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spyrec import numerics
from spyrec.interp.faults import Fault
from spyrec.interp.lanes import attributes_of
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.values import Scaled, add_addresses, as_array, as_value, constant, element_of, is_integer
from spyrec.mlir import ir
from spyrec.numerics import scalars


@meaning("arith.constant", "spyreop.constant")
def constant_op(op: ir.Operation, scope: Scope) -> Run:
    value = constant(op.attributes["value"])

    def run(frame: Frame) -> Any:
        return value

    return run


@meaning("arith.select")
def select(op: ir.Operation, scope: Scope) -> Run:
    if not is_integer(op.operands[0].type):
        return scalar_op(op, scope)

    # A scalar condition picks a whole value, which need not have been written.
    def run(frame: Frame, condition: int, yes: Any, no: Any) -> Any:
        return yes if condition else no

    return run


@meaning(*(name for name in numerics.SCALAR_OPS if name != "arith.select"))
def scalar_op(op: ir.Operation, scope: Scope) -> Run:
    result = op.results[0].type
    if all(is_integer(v.type) for v in (*op.operands, *op.results)):
        found = _on_integers(op)
        if found is not None:
            return found
    evaluate = numerics.function(op.name, element_of(result), attributes_of(op))
    elements = [element_of(v.type) for v in op.operands]
    dynamic = isinstance(result, ir.ShapedType) and not result.has_static_shape

    def run(frame: Frame, *operands: Any) -> Any:
        arrays = [as_array(v, e) for v, e in zip(operands, elements, strict=True)]
        if dynamic and len({a.shape for a in arrays}) > 1:
            shapes = " and ".join("x".join(map(str, a.shape)) for a in arrays)
            raise Fault("shape-mismatch", f"the operands are {shapes}")
        return as_value(evaluate(*arrays), result)

    return run


def _bits(value: ir.Value) -> int:
    return numerics.scalar_type(str(value.type)).bits


def _on_integers(op: ir.Operation) -> Run | None:
    """The function on Python ints, for the ops that have one."""
    name, result_bits, bits = op.name, _bits(op.results[0]), _bits(op.operands[0])
    if name == "arith.cmpi":
        relation = scalars.compare(ir.IntegerAttr(op.attributes["predicate"]).value, bits)
        return lambda frame, a, b: relation(a, b)
    cast = scalars.resize(name, bits, result_bits)
    if cast is not None:
        return _cast(cast, keeps=bits == result_bits == 64)
    function = scalars.binary(name, bits)
    if function is None:
        return None
    both = function

    def run(frame: Frame, a: int, b: int) -> int:
        value = both(a, b)
        if type(a) is int and type(b) is int:
            return value
        return add_addresses(name, a, b, value)

    return run


def _cast(function: Callable[[int], int], keeps: bool) -> Run:
    def run(frame: Frame, value: int) -> int:
        if type(value) is int:
            return function(value)
        return value if keeps else Scaled(function(value))

    return run
