"""The assembly layer: KTIR text to MLIR and back, driven by the ops' declarative formats.

``read`` and ``print_op`` are the two directions. The package imports MLIR only when one of them is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spyrec.asm.printer import print_op
    from spyrec.asm.reading import Parsed, read

__all__ = ["Parsed", "print_op", "read"]


def __getattr__(name: str) -> Any:
    if name in ("Parsed", "read"):
        from spyrec.asm import reading

        return getattr(reading, name)
    if name == "print_op":
        from spyrec.asm.printer import print_op

        return print_op
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
