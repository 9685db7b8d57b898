"""What stops code generation: an op that cannot be encoded, with its place."""

from __future__ import annotations

from collections.abc import Iterable

from spyrec.mlir import ir


class Refused(Exception):
    """What stands at ``where`` cannot be encoded; ``id`` and ``message`` say why, ``notes`` how to mend it.

    ``resource`` is (name, need, have) when something is exhausted.
    """

    def __init__(
        self,
        where: ir.Operation | ir.OpView | ir.Value,
        id: str,
        message: str,
        notes: Iterable[str] = (),
        *,
        resource: tuple[str, int, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.where = where
        self.id = id
        self.message = message
        self.notes = tuple(notes)
        self.resource = resource


def unsupported(op: ir.Operation | ir.OpView, where: str) -> Refused:
    """The refusal of an op that nothing here encodes; ``where`` says in what it stands."""
    return Refused(op, "unsupported-op", f"'{op.name}' has no encoding {where}")
