"""The one NumPy meaning of every scalar op, cast, comparison and reduction.

Executors of the IR and the simulator of the binary evaluate through :func:`apply` (or :func:`apply_micro`), so that
their values agree bit for bit. Arrays have the dtype of their element type (:func:`dtype`); operands broadcast;
shapes are free. Rules of rounding, NaN and undefined cases are in ``docs/numerics.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from spyrec.numerics import folds, reductions, scalars, ulp
from spyrec.numerics.errors import DivisionByZero, NumericsError, UnknownOp, UnknownType
from spyrec.numerics.micro import MICRO, MICRO_OPS, SCALAR_OPS, MicroOp, micro_name
from spyrec.numerics.op import ScalarOp
from spyrec.numerics.rounding import narrow, widest
from spyrec.numerics.types import (
    TYPES,
    Array,
    ScalarType,
    dtype,
    from_bytes,
    is_float,
    limits,
    scalar_type,
    sizeof,
    to_bytes,
    type_of,
)

__all__ = [
    "MICRO",
    "MICRO_OPS",
    "SCALAR_OPS",
    "TYPES",
    "Array",
    "DivisionByZero",
    "MicroOp",
    "NumericsError",
    "ScalarOp",
    "ScalarType",
    "UnknownOp",
    "UnknownType",
    "apply",
    "apply_micro",
    "dtype",
    "folds",
    "from_bytes",
    "function",
    "is_float",
    "limits",
    "micro_name",
    "reductions",
    "rounded",
    "scalar_type",
    "scalars",
    "sizeof",
    "to_bytes",
    "type_of",
    "ulp",
    "widest",
]


def rounded(values: Array, name: str) -> Array:
    """f32 or f64 ``values`` rounded once to float type ``name``; a new array."""
    with np.errstate(all="ignore"):
        return narrow(np.array(values), dtype(name))


def _evaluate(op: ScalarOp, operands: tuple[Any, ...], result_type: str, attributes: Mapping[str, Any]) -> Array:
    with np.errstate(all="ignore"):
        return op.evaluate(tuple(np.asarray(a) for a in operands), dtype(result_type), attributes)


def function(name: str, result_type: str, attrs: Mapping[str, Any] | None = None) -> Callable[..., Array]:
    """What :func:`apply` does with these arguments, for who evaluates an op often. Raises as it does."""
    op, target, attributes = _found(name), dtype(result_type), attrs or {}
    evaluate, arity = op.evaluate, op.arity

    def run(*operands: Array) -> Array:
        if len(operands) != arity:
            raise UnknownOp(f"{name} takes {arity} operands, not {len(operands)}")
        with np.errstate(all="ignore"):
            return evaluate(operands, target, attributes)

    return run


def _found(name: str) -> ScalarOp:
    op = SCALAR_OPS.get(name)
    if op is None:
        raise UnknownOp(f"'{name}' has no scalar meaning")
    return op


def apply(name: str, *operands: Array, result_type: str, attrs: Mapping[str, Any] | None = None) -> Array:
    """Evaluate op ``name`` (``"arith.addf"``) element by element.

    ``result_type`` is the element type of the result (``"f16"``; ``"i1"`` for comparisons); ``attrs`` holds
    ``predicate`` (integer or name), ``beta``, ... as plain values. Returns a new array of the broadcast shape, or a
    view of an operand that the op leaves as it is. Raises :class:`UnknownOp`, :class:`UnknownType`,
    :class:`DivisionByZero`.
    """
    op = _found(name)
    if len(operands) != op.arity:
        raise UnknownOp(f"{name} takes {op.arity} operands, not {len(operands)}")
    return _evaluate(op, operands, result_type, attrs or {})


def apply_micro(name: str, *operands: Array, result_type: str) -> Array:
    """Evaluate micro-op ``name`` (``"cmpf_olt"``; ``"softplus"`` with its constants as operands), as :func:`apply`."""
    micro = MICRO.get(name)
    if micro is None:
        raise UnknownOp(f"there is no micro-op '{name}'")
    if len(operands) != micro.arity:
        raise UnknownOp(f"micro-op {name} takes {micro.arity} operands, not {len(operands)}")
    return _evaluate(micro.op, operands, result_type, {"predicate": micro.predicate})
