"""The dialects of this compiler, and contexts in which they are loaded.

Importing this package imports no MLIR; a dialect's module does (``from spyrec.dialects import ktdp``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spyrec.mlir import ir

NAMES = ("dataflow", "ktdf_arch", "ktdp", "spyreop")
"""The dialects, by name."""


def make_context() -> ir.Context:
    """A new context with all dialects of ours, without MLIR's own threads. Safe to call from several threads."""
    from spyrec import ods
    from spyrec.dialects import dataflow, ktdf_arch, ktdp, spyreop
    from spyrec.mlir import ir

    context = ir.Context()
    context.enable_multithreading(False)
    ods.load(context, (ktdp.Ktdp, spyreop.Spyreop, dataflow.Dataflow, ktdf_arch.KtdfArch))
    return context
