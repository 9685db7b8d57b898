"""The driver: stages in order, dumps, reproducers, files that are whole or not there.

Importing it imports no MLIR, and its modules only when one of the names here is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spyrec.driver.compile import (
        BINARY,
        STAGE_NAMES,
        Compiled,
        Options,
        compile_text,
        device_flags,
        full_pipeline,
        load_device,
    )

__all__ = [
    "BINARY",
    "STAGE_NAMES",
    "Compiled",
    "Options",
    "compile_text",
    "device_flags",
    "full_pipeline",
    "load_device",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from spyrec.driver import compile as module

    return getattr(module, name)
