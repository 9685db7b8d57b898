"""What a scalar op is to the executors: a name, operand count and a vectorised NumPy function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrec.numerics.errors import UnknownOp
from spyrec.numerics.types import Array

#: Attributes of the op by name, as plain Python values (``{"predicate": 1}``).
Attributes = Mapping[str, Any]

#: Operands of equal shape (or broadcastable), the dtype of the result, the attributes -> the result, a new array.
Evaluate = Callable[[tuple[Array, ...], "np.dtype[Any]", Attributes], Array]


@dataclass(frozen=True)
class ScalarOp:
    """The meaning of one op.

    ``slow`` marks what a vector unit computes by an iterative or table method (exp, division is not). ``predicates``
    lists the values of the attribute ``predicate`` that the op selects its function by, in the order of the
    attribute's integer encoding. ``constants`` names float attributes that a micro-op takes as trailing f32 operands
    instead.
    """

    name: str
    arity: int
    evaluate: Evaluate
    slow: bool = False
    predicates: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()

    def predicate(self, attributes: Attributes) -> str:
        """The predicate that ``attributes`` selects, by its name; raises :class:`UnknownOp`."""
        value = attributes.get("predicate")
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(self.predicates):
            return self.predicates[value]
        if value in self.predicates:
            return str(value)
        raise UnknownOp(f"{self.name} has no predicate {value!r}; it has {', '.join(self.predicates)}")


def table(*ops: ScalarOp) -> dict[str, ScalarOp]:
    """Ops by name; two of one name are a mistake of this package."""
    by_name = {op.name: op for op in ops}
    if len(by_name) != len(ops):
        raise AssertionError("an op is defined twice")
    return by_name
