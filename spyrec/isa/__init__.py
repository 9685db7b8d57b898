"""The instruction set of the simulated target: one table, and what is made from it.

``Binary`` and its parts are what a program is; ``encode`` and ``decode`` turn it into bytes and back, ``assemble`` and
``disassemble`` into text and back. ``docs/spyrecode.md`` describes the bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyrec.isa.codec import decode, encode
from spyrec.isa.objects import (
    LX,
    Binary,
    Buffer,
    Channel,
    Contract,
    Dim,
    End,
    Index,
    Instruction,
    LxOperand,
    MicroOp,
    Stream,
    UnitProgram,
    Xfer,
)
from spyrec.isa.table import ELEMENT_TYPES

if TYPE_CHECKING:
    from spyrec.isa.assembler import assemble
    from spyrec.isa.disassembler import disassemble

__all__ = [
    "ELEMENT_TYPES",
    "LX",
    "Binary",
    "Buffer",
    "Channel",
    "Contract",
    "Dim",
    "End",
    "Index",
    "Instruction",
    "LxOperand",
    "MicroOp",
    "Stream",
    "UnitProgram",
    "Xfer",
    "assemble",
    "decode",
    "disassemble",
    "encode",
]

_OF_TEXT = {"assemble": "spyrec.isa.assembler", "disassemble": "spyrec.isa.disassembler"}


def __getattr__(name: str) -> Any:
    # Few commands need text, and these modules take longer to import than the rest.
    if name not in _OF_TEXT:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_OF_TEXT[name]), name)
