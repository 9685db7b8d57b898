"""What can go wrong while a scalar op is evaluated. Executors catch these and add the position of the op."""

from __future__ import annotations


class NumericsError(ValueError):
    """Base: an op cannot be evaluated on these values or types. ``id`` is the diagnostic id that executors report."""

    id = "invalid-operation"


class UnknownType(NumericsError):
    """A type name that has no NumPy meaning here."""

    id = "unknown-type"


class UnknownOp(NumericsError):
    """An op name that has no scalar meaning here, or attributes that select none."""

    id = "unknown-op"


class DivisionByZero(NumericsError):
    """An integer division or remainder by zero. ``index`` is the position of the first zero divisor in the broadcast
    shape.
    """

    id = "division-by-zero"

    def __init__(self, op: str, index: tuple[int, ...]) -> None:
        where = f" at element {list(index)}" if index else ""
        super().__init__(f"{op} divides by zero{where}")
        self.index = index
