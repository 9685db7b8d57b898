"""The instruction set of the simulated target: one table, and what is made from it.

``Binary`` and its parts are what a program is; ``encode`` and ``decode`` turn it into bytes and back, ``assemble`` and
``disassemble`` into text and back. ``docs/spyrecode.md`` describes the bits.
"""

from spyrec.isa.assembler import assemble
from spyrec.isa.codec import decode, encode
from spyrec.isa.disassembler import disassemble
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
