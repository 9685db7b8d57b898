"""What stops an execution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spyrec import numerics

if TYPE_CHECKING:
    from spyrec.diag import NoteLike
    from spyrec.mlir import ir


class Fault(Exception):
    """A rule is broken. ``id`` is the diagnostic's; ``op`` is where, filled in by the block that was executing;
    ``resource`` = (name, need, have) when the device is too small.
    """

    def __init__(
        self,
        id: str,
        message: str,
        field: str | None = None,
        notes: Sequence[NoteLike] = (),
        resource: tuple[str, int, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.id = id
        self.message = message
        self.field = field
        self.notes = tuple(notes)
        self.resource = resource
        self.op: ir.Operation | None = None


@contextmanager
def at(op: ir.Operation) -> Iterator[None]:
    """Say that what is raised inside, with no place yet, happened at ``op``."""
    try:
        yield
    except Fault as fault:
        fault.op = fault.op or op
        raise
    except (numerics.NumericsError, ZeroDivisionError) as error:
        raise located(error, op) from None


def located(error: Exception, op: ir.Operation) -> Fault:
    """A :class:`Fault` at ``op`` for an error of numerics, or for Python's own division by zero (in affine maps)."""
    if isinstance(error, Fault):
        fault = error
    elif isinstance(error, numerics.NumericsError):
        fault = Fault(error.id, str(error))
    else:
        fault = Fault("division-by-zero", f"{op.name} divides by zero")
    fault.op = fault.op or op
    return fault
