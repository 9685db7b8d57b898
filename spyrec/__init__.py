"""spyrec: compiles KTIR, the tile IR of kernels for IBM's Spyre accelerator, to SpyreCode, and runs it without a card.

    code = spyrec.compile("softmax.mlir")
    out = code.run({"input_ptr": x})
    code.save("softmax.spyre"); code = spyrec.load("softmax.spyre")

Importing the package imports neither MLIR nor NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from spyrec.code import Code, Execution, Interpretation, compile, interpret, load
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
    "Interpretation",
    "InvalidKernel",
    "OutOfResources",
    "Position",
    "Severity",
    "SpyrecError",
    "Unsupported",
    "UsageError",
    "compile",
    "interpret",
    "load",
]


_OF_CODE = ("Code", "Execution", "Interpretation", "compile", "interpret", "load")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("spyrec.code" if name in _OF_CODE else "spyrec.errors"), name)


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("spyrec")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
