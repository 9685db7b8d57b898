"""spyrec: compiles KTIR, the tile IR of kernels for IBM's Spyre accelerator, to SpyreCode, and runs it without a card.

    code = spyrec.compile("softmax.mlir")
    out = code.run({"input_ptr": x})
    code.save("softmax.spyre"); code = spyrec.load("softmax.spyre")

Importing the package imports neither MLIR nor NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spyrec.code import Code, Execution, compile, load
    from spyrec.errors import (
        CompilerBug,
        Diagnostic,
        InvalidKernel,
        OutOfResources,
        Position,
        Severity,
        SpyrecError,
        Unsupported,
        UsageError,
    )

__all__ = [
    "Code",
    "CompilerBug",
    "Diagnostic",
    "Execution",
    "InvalidKernel",
    "OutOfResources",
    "Position",
    "Severity",
    "SpyrecError",
    "Unsupported",
    "UsageError",
    "compile",
    "load",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(
        import_module("spyrec.code" if name in ("Code", "Execution", "compile", "load") else "spyrec.errors"), name
    )
