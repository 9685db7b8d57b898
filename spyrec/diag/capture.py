"""Turning what MLIR reports into our diagnostics.

Two ways lead out of MLIR: the handler of a context (verifiers, passes) and the exception of ``Module.parse``, which
carries its diagnostics itself. Both end in :func:`report`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spyrec.diag.payload import Payload, decode
from spyrec.diag.sink import NoteLike, Sink

if TYPE_CHECKING:
    from spyrec.mlir import ir

#: MLIR attaches the generic text of the op to errors; the source line that we show says it better.
_NOISE = ("see current operation", "diagnostic emitted with trace")


def report(sink: Sink, info: Any, id: str = "mlir-verify", decode: Callable[[str], Payload] = decode) -> None:
    """Report one ``ir.Diagnostic`` or ``ir.DiagnosticInfo`` under ``id`` unless its message carries an id of its
    own.
    """
    payload = decode(str(info.message))
    notes: list[NoteLike] = list(payload.notes)
    notes += [(n.location, str(n.message)) for n in info.notes if not str(n.message).startswith(_NOISE)]
    send = {"ERROR": sink.error, "WARNING": sink.warning}.get(getattr(info.severity, "name", ""), sink.remark)
    send(info.location, payload.id or id, payload.message, payload.field or None, notes)


@contextmanager
def capture(context: ir.Context, sink: Sink, *, id: str = "mlir-verify") -> Iterator[Sink]:
    """While open, everything that MLIR reports in ``context`` goes to ``sink`` and nothing to standard error."""

    def handle(diagnostic: ir.Diagnostic) -> bool:
        report(sink, diagnostic, id)
        return True

    handler = context.attach_diagnostic_handler(handle)
    try:
        yield sink
    finally:
        handler.detach()
