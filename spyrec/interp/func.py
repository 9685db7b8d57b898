"""Meaning of the ``func`` dialect: calls. A ``func.func`` is prepared by the core, its ``return`` ends its block."""

from __future__ import annotations

from typing import Any

from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.requests import Flow
from spyrec.interp.scf import results_of
from spyrec.mlir import ir


@meaning("func.call", flow=True)
def call(op: ir.Operation, scope: Scope) -> Run:
    callee = scope.function(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)

    def run(frame: Frame, *arguments: Any) -> Flow:
        values = yield from callee().run(frame.tile, arguments)
        return results_of(op, values)

    return run
