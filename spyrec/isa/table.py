"""The instruction set: one row per instruction, one per micro-op, one record per structure of the binary.

Encoder, decoder, assembler, disassembler, checks and ``docs/spyrecode.md`` all read these rows; nothing else
knows a bit position. To add an instruction, add a row here and its function in ``spyrec/sim``. Rows are never
renumbered: a change of what a code means is a new :data:`VERSION`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from spyrec.isa.fields import Field, Kind, Record
from spyrec.isa.micro import MICRO_ROWS
from spyrec.isa.objects import Contract, Dim, End, Index, Instruction, LxOperand, MicroOp, Stream, Xfer
from spyrec.kinds import BINARY_MAGIC

MAGIC = int.from_bytes(BINARY_MAGIC, "little")
VERSION = 1
STICK = 128
MAX_RANK = 4

# Element types: code, bytes of one element in memory, prose.
ELEMENT_TYPES: dict[str, tuple[int, int, str]] = {
    "f16": (1, 2, "IEEE half"),
    "bf16": (2, 2, "bfloat16"),
    "f32": (3, 4, "IEEE single"),
    "f64": (4, 8, "IEEE double"),
    "i1": (5, 1, "one byte, 0 or 1"),
    "i8": (6, 1, "8-bit integer"),
    "i16": (7, 2, "16-bit integer"),
    "i32": (8, 4, "32-bit integer"),
    "i64": (9, 8, "64-bit integer"),
    "index": (10, 8, "as i64"),
}
SPACES = {0: "device", 1: "lx", 2: "fill", 3: "stage"}
ELEMENT_BYTES = {0: 1, 1: 2, 2: 4, 3: 8}
_FLOAT_FOLDS = ("addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf")
_INTEGER_FOLDS = ("addi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori")
FOLDS = dict(enumerate(("", *_FLOAT_FOLDS, *_INTEGER_FOLDS)))
"""Combiners of folding outputs by their code; 0 is none. New ones are added at the end."""
OUTSIDE = {0: "", 1: "skip", 2: "fill"}
REMOTE = {0: "", 1: "get", 2: "put"}
SIDES = {0: "source", 1: "dest"}
STARTS = {0: "zero", 1: "lx", 2: "unit"}


@dataclass(frozen=True)
class Group:
    """Records that follow an instruction's first words: ``name`` is the attribute of the Python object that
    holds them.

    ``count`` names the field of the row that says how many there are; empty: exactly one, and the attribute is
    no tuple.
    """

    name: str
    record: Record
    count: str = ""


@dataclass(frozen=True)
class Row:
    """One instruction: its code (bits 7..0 of its first word), name, fields, groups of records, and what it does."""

    code: int
    op: str
    fields: tuple[Field, ...]
    prose: str
    words: int = 1
    groups: tuple[Group, ...] = ()
    make: type[Instruction] = Instruction

    @cached_property
    def record(self) -> Record:
        """The fixed part, the code included."""
        code = Field("op", Kind.CODE, 0, 0, 8, "the code of the instruction", {self.code: self.op})
        return Record(self.op, self.words, (code, *self.fields), self.prose)


RD = Field("rd", Kind.REGISTER, 0, 8, 5, "result")
RA = Field("ra", Kind.REGISTER, 0, 13, 5, "first operand")
RB = Field("rb", Kind.REGISTER, 0, 18, 5, "second operand")
RC = Field("rc", Kind.REGISTER, 0, 23, 5, "condition")
IMM32 = Field("imm", Kind.SIGNED, 0, 32, 32, "second operand, sign-extended")
IMM64 = Field("imm", Kind.SIGNED, 1, 0, 64, "the value")
NUMBER = Field("imm", Kind.UNSIGNED, 0, 32, 32, "number of the parameter")
BITS = Field("imm", Kind.UNSIGNED, 0, 32, 7, "number of bits, 1 to 64")
WIDTH = Field("imm", Kind.CODE, 0, 32, 2, "bytes to load", ELEMENT_BYTES)
TARGET = Field("target", Kind.TARGET, 0, 32, 32, "where to go on")
CHANNEL = Field("channel", Kind.CHANNEL, 0, 32, 16, "the channel")
LOAD_BUFFER = Field("buffer", Kind.BUFFER, 0, 48, 16, "the buffer that the bytes belong to")

END = Record(
    "End",
    2,
    (
        Field(
            "space", Kind.CODE, 0, 0, 2, "memory, or a pattern instead of one; the stage is that of the buffer", SPACES
        ),
        Field("base", Kind.BASE, 0, 8, 6, "added to the offset"),
        Field("buffer", Kind.BUFFER, 0, 16, 16, "buffer that must hold every byte"),
        Field("offset", Kind.SIGNED, 1, 0, 64, "byte address of the first element, or the pattern of a fill"),
    ),
    "One side of a transfer.",
    End,
)
DIM = Record(
    "Dim",
    3,
    (
        Field("count", Kind.UNSIGNED, 0, 0, 32, "steps, at least 1"),
        Field("low", Kind.BASE, 0, 32, 6, "register with the first step that is inside"),
        Field("high", Kind.BASE, 0, 40, 6, "register with the step after the last one inside"),
        Field("source_stride", Kind.SIGNED, 1, 0, 64, "bytes from step to step in the source (0 for a fill)"),
        Field("dest_stride", Kind.SIGNED, 2, 0, 64, "bytes from step to step in the destination"),
    ),
    "One nested count of a transfer, outermost first.",
    Dim,
)
PEER = Field("peer", Kind.BASE, 0, 48, 6, "register with the core at the other end, for a channel between cores")
TYPE_CODES = {code: name for name, (code, _, _) in ELEMENT_TYPES.items()}
LX_OPERAND = Record(
    "LxOperand",
    4,
    (
        Field("type", Kind.CODE, 0, 0, 8, "element type", TYPE_CODES),
        Field("base", Kind.BASE, 0, 8, 6, "added to the offset"),
        Field("register", Kind.VECTOR, 0, 16, 8, "vector register that is loaded or stored"),
        Field("buffer", Kind.BUFFER, 0, 32, 16, "LX buffer that must hold every byte"),
        Field("fold", Kind.CODE, 0, 48, 5, "combiner by which an output folds the folded counts", FOLDS),
        Field("fresh", Kind.UNSIGNED, 0, 53, 1, "1: a fold starts from its identity, not from memory"),
        Field("number", Kind.UNSIGNED, 0, 54, 1, "1: the elements of an input are their addresses, and LX is not read"),
        Field("offset", Kind.SIGNED, 1, 0, 64, "byte address in LX"),
        Field(
            "strides", Kind.SIGNED, 2, 0, 32, "bytes per step of each count, outermost first", repeat=4, length="rank"
        ),
    ),
    "An input or output of a stream, or an operand of a contraction.",
    LxOperand,
)

INDEX = Record(
    "Index",
    6,
    (
        Field("side", Kind.CODE, 0, 0, 1, "side of the transfer whose points move", SIDES),
        Field("type", Kind.CODE, 0, 8, 8, "element type of the list", TYPE_CODES),
        Field("base", Kind.BASE, 0, 16, 6, "added to the offset"),
        Field("limit_base", Kind.BASE, 0, 24, 6, "added to the limit"),
        Field("buffer", Kind.BUFFER, 0, 32, 16, "LX buffer that must hold every byte of the list"),
        Field("offset", Kind.SIGNED, 1, 0, 64, "byte address in LX of the list"),
        Field(
            "strides", Kind.SIGNED, 2, 0, 32, "bytes per step of each count, outermost first", repeat=4, length="rank"
        ),
        Field("scale", Kind.SIGNED, 4, 0, 64, "bytes that an index of 1 adds to the address"),
        Field("limit", Kind.SIGNED, 5, 0, 64, "every index is at least 0 and less than this"),
    ),
    "A list of indices of a transfer.",
    Index,
)

MICRO_OP = Record(
    "MicroOp",
    2,
    (
        Field("op", Kind.CODE, 0, 0, 16, "the operation", {row.code: row.op for row in MICRO_ROWS}),
        Field("type", Kind.CODE, 0, 16, 8, "element type of the result", TYPE_CODES),
        Field("dest", Kind.VECTOR, 0, 24, 8, "result"),
        Field("sources", Kind.VECTOR, 0, 32, 8, "operands; a scalar register for `splat`", repeat=3, length="arity"),
        Field("immediate", Kind.UNSIGNED, 1, 0, 64, "value of a `const`, else 0"),
    ),
    "One element-wise operation.",
    MicroOp,
)
MICRO_BY_OP = {row.op: row for row in MICRO_ROWS}


def alu_rows(code: int, name: str, prose: str) -> tuple[Row, Row]:
    """The two forms of an integer operation: on registers, and with a 32-bit immediate in place of ``rb``."""
    return (
        Row(code, name, (RD, RA, RB), f"rd = {prose.format(b='rb')}"),
        Row(code + 0x40, f"{name}i", (RD, RA, IMM32), f"rd = {prose.format(b='imm')}"),
    )


ROWS: tuple[Row, ...] = (
    # Control.
    Row(0x01, "halt", (), "The unit is done. Must be the last instruction, and only that."),
    Row(
        0x02,
        "loop",
        (RD, RA, TARGET),
        "Loop: run the instructions up to the `endloop` at target, with rd = 0, 1, ... ra - 1. ra is read once and "
        "must not be negative; 0 skips the body. A hardware loop counts to 65,535; the unit nests as many as ra needs. "
        "Loops nest; a jump cannot enter or leave one.",
    ),
    Row(0x03, "endloop", (), "End of the innermost loop."),
    Row(
        0x04, "brz", (RA, TARGET), "Go to target if ra is 0, else go on. The target lies ahead, in the same loop body."
    ),
    Row(0x05, "jump", (TARGET,), "Go to target, which lies ahead, in the same loop body."),
    Row(
        0x06,
        "wait",
        (CHANNEL, PEER),
        "Wait until the channel (from core peer) is above 0 and take 1 from it. Only the channel's target unit may.",
    ),
    Row(
        0x07,
        "post",
        (CHANNEL, PEER),
        "Add 1 to the channel (to core peer) once all earlier work of this unit is complete. Only the channel's source "
        "unit may.",
    ),
    Row(
        0x08,
        "repeat",
        (TARGET,),
        "Run the instructions up to the `endrepeat` at target until an `exitz` of this very body leaves it. A jump "
        "cannot enter or leave one.",
    ),
    Row(0x09, "exitz", (RA,), "Leave the `repeat` in whose body this stands if ra is 0, else go on."),
    Row(0x0A, "endrepeat", (), "End of the innermost `repeat`: start its body anew."),
    # Values.
    Row(0x10, "li", (RD, IMM64), "rd = imm.", words=2),
    Row(0x11, "param", (RD, NUMBER), "rd = entry imm of the parameter bank, which each launch fills."),
    Row(
        0x12, "coreparam", (RD, NUMBER), "rd = entry imm of this core's row of the core table, which the binary holds."
    ),
    Row(0x13, "core", (RD,), "rd = flat number of this compute tile."),
    Row(0x14, "mov", (RD, RA), "rd = ra."),
    Row(0x15, "sext", (RD, RA, BITS), "rd = the low imm bits of ra, sign-extended."),
    Row(0x16, "zext", (RD, RA, BITS), "rd = the low imm bits of ra, zero-extended."),
    Row(0x17, "select", (RD, RC, RA, RB), "rd = ra if rc is not 0, else rb."),
    Row(
        0x18,
        "sload",
        (RD, RA, WIDTH, LOAD_BUFFER),
        "rd = the imm bytes of LX at byte address ra, little-endian, sign-extended.",
    ),
    # Integer operations: signed 64-bit, wrapping; comparisons give 0 or 1; dividing by 0 is a fault.
    *alu_rows(0x20, "add", "ra + {b}."),
    *alu_rows(0x21, "sub", "ra - {b}."),
    *alu_rows(0x22, "mul", "ra * {b}."),
    *alu_rows(0x23, "div", "ra / {b}, rounded towards zero."),
    *alu_rows(0x24, "rem", "ra - {b} * (ra div {b}): has the sign of ra."),
    *alu_rows(0x25, "floordiv", "ra / {b}, rounded down."),
    *alu_rows(0x26, "mod", "ra - {b} * (ra floordiv {b}): has the sign of {b}."),
    *alu_rows(0x27, "ceildiv", "ra / {b}, rounded up."),
    *alu_rows(0x28, "divu", "ra / {b}, both unsigned."),
    *alu_rows(0x29, "remu", "the remainder of ra divu {b}."),
    *alu_rows(0x2A, "min", "the lesser of ra and {b}."),
    *alu_rows(0x2B, "max", "the greater of ra and {b}."),
    *alu_rows(0x2C, "and", "bitwise ra and {b}."),
    *alu_rows(0x2D, "or", "bitwise ra or {b}."),
    *alu_rows(0x2E, "xor", "bitwise ra exclusive-or {b}."),
    *alu_rows(0x2F, "shl", "ra shifted left by {b}; 0 if {b} is not in 0..63."),
    *alu_rows(0x30, "shr", "ra shifted right by {b}, copies of the sign coming in; by 63 if {b} is not in 0..63."),
    *alu_rows(0x31, "shru", "ra shifted right by {b}, zeros coming in; 0 if {b} is not in 0..63."),
    *alu_rows(0x32, "eq", "1 if ra = {b}, else 0."),
    *alu_rows(0x33, "ne", "1 if ra and {b} differ, else 0."),
    *alu_rows(0x34, "lt", "1 if ra < {b}, else 0."),
    *alu_rows(0x35, "le", "1 if ra <= {b}, else 0."),
    *alu_rows(0x36, "gt", "1 if ra > {b}, else 0."),
    *alu_rows(0x37, "ge", "1 if ra >= {b}, else 0."),
    *alu_rows(0x38, "ult", "1 if ra < {b}, both unsigned, else 0."),
    *alu_rows(0x39, "ule", "1 if ra <= {b}, both unsigned, else 0."),
    # Work.
    Row(
        0x80,
        "xfer",
        (
            Field("element_bytes", Kind.CODE, 0, 8, 2, "bytes of one element", ELEMENT_BYTES),
            Field("rank", Kind.COUNT, 0, 16, 3, "nested counts, 1 to 4"),
            Field("outside", Kind.CODE, 0, 24, 2, "what happens at points that are clipped", OUTSIDE),
            Field("index_count", Kind.COUNT, 0, 32, 2, "lists of indices"),
            Field("remote", Kind.CODE, 0, 40, 2, "whether one side is the LX of other cores", REMOTE),
            Field("peer", Kind.BASE, 0, 48, 6, "register with that core, or the first of them"),
            Field("pattern", Kind.UNSIGNED, 1, 0, 64, "what a fill of clipped points writes, else 0"),
            Field("members", Kind.UNSIGNED, 2, 0, 16, "cores that a put goes to, 1 for a get, else 0"),
            Field("member_step", Kind.SIGNED, 2, 32, 32, "from core to core"),
        ),
        "Copy a box of elements from the source to the destination, which do not overlap. Points outside of a clipped "
        "count are skipped or filled. Lists of indices move the points of their side; of points that are moved to one "
        "place the last one stays. With `get` the source is the LX of core peer, with `put` the destination is that of "
        "each member. Complete when the last byte is written.",
        words=3,
        groups=(
            Group("source", END),
            Group("dest", END),
            Group("dims", DIM, "rank"),
            Group("indices", INDEX, "index_count"),
        ),
        make=Xfer,
    ),
    Row(
        0x81,
        "stream",
        (
            Field("rank", Kind.COUNT, 0, 8, 3, "nested counts, 1 to 4"),
            Field("input_count", Kind.COUNT, 0, 16, 8, "inputs"),
            Field("output_count", Kind.COUNT, 0, 24, 8, "outputs"),
            Field("micro_count", Kind.COUNT, 0, 32, 16, "micro-ops"),
            Field("folded", Kind.UNSIGNED, 0, 48, 4, "bit d: count d is folded into the outputs that fold"),
            Field("counts", Kind.UNSIGNED, 1, 0, 32, "steps, at least 1, outermost first", repeat=4, length="rank"),
        ),
        "For every step of the nested counts: load the inputs, run the micro-ops in order, store the outputs. All "
        "inputs are read before an output is written. An output that folds combines the values of its register over "
        "all folded counts with what it holds (floats in f64, rounded once), and is written once per step of the rest. "
        "Complete when the last byte is written.",
        words=3,
        groups=(
            Group("inputs", LX_OPERAND, "input_count"),
            Group("outputs", LX_OPERAND, "output_count"),
            Group("micro_ops", MICRO_OP, "micro_count"),
        ),
        make=Stream,
    ),
    Row(
        0x82,
        "contract",
        (
            Field("rank", Kind.COUNT, 0, 8, 3, "nested counts, 1 to 4"),
            Field("start", Kind.CODE, 0, 16, 2, "what the sum starts from", STARTS),
            Field("keep", Kind.UNSIGNED, 0, 18, 1, "1: the sum stays in the unit and acc is not written"),
            Field("counts", Kind.UNSIGNED, 1, 0, 32, "steps, at least 1, outermost first", repeat=4, length="rank"),
        ),
        "For every step of the nested counts add the product of lhs and rhs to the accumulator; counts along which the "
        "stride of acc is 0 are summed over. Floats are summed in f64, products unrounded, and rounded once. A "
        "sum that starts from the unit has as many accumulators as the one that was kept. Complete when the last byte "
        "is written.",
        words=3,
        groups=(Group("lhs", LX_OPERAND), Group("rhs", LX_OPERAND), Group("acc", LX_OPERAND)),
        make=Contract,
    ),
)
BY_OP = {row.op: row for row in ROWS}
BY_CODE = {row.code: row for row in ROWS}

# Structures of the file, in the order in which they stand in it.
HEADER = Record(
    "Header",
    6,
    (
        Field("magic", Kind.CODE, 0, 0, 64, 'the bytes "SPYRSIM" and 0', {MAGIC: MAGIC}),
        Field("version", Kind.CODE, 1, 0, 16, "of this encoding", {VERSION: VERSION}),
        Field("checksum", Kind.UNSIGNED, 1, 32, 32, "CRC-32 (zlib) of the whole file with this field as 0"),
        Field("size", Kind.UNSIGNED, 2, 0, 64, "bytes of the whole file"),
        Field("tiles", Kind.UNSIGNED, 3, 0, 32, "compute tiles; tile t runs on core t"),
        Field("parameters", Kind.UNSIGNED, 3, 32, 32, "64-bit entries of the parameter bank"),
        Field("units", Kind.COUNT, 4, 0, 16, "unit records"),
        Field("channels", Kind.COUNT, 4, 16, 16, "channel records"),
        Field("buffers", Kind.COUNT, 4, 32, 16, "buffer records"),
        Field("columns", Kind.UNSIGNED, 4, 48, 16, "64-bit entries per tile of the core table"),
        Field("names", Kind.UNSIGNED, 5, 0, 32, "bytes of names"),
        Field("stages", Kind.COUNT, 5, 32, 16, "stage records"),
    ),
    "The first words of the file.",
)
NAME = Field("name", Kind.UNSIGNED, 0, 0, 32, "first byte of its name, from the start of the names")
NAME_LENGTH = Field("name_length", Kind.UNSIGNED, 0, 32, 16, "bytes of its name, UTF-8")
UNIT = Record(
    "Unit",
    2,
    (
        NAME,
        NAME_LENGTH,
        Field("corelet", Kind.UNSIGNED, 0, 48, 16, "number of its corelet"),
        Field("start", Kind.UNSIGNED, 1, 0, 32, "first word of its code, from the start of the file; a multiple of 16"),
        Field("words", Kind.UNSIGNED, 1, 32, 32, "words of its code"),
    ),
    "One program. Its name is the unit's kind.",
)
CHANNEL_RECORD = Record(
    "Channel",
    2,
    (
        NAME,
        NAME_LENGTH,
        Field("source", Kind.UNIT, 1, 0, 16, "unit that posts"),
        Field("target", Kind.UNIT, 1, 16, 16, "unit that waits"),
        Field("peers", Kind.UNSIGNED, 0, 48, 1, "1: between cores"),
        Field("init", Kind.UNSIGNED, 1, 32, 32, "value at the start"),
    ),
    "One counter per core, or one for each ordered pair of cores.",
)
BUFFER_RECORD = Record(
    "Buffer",
    3,
    (
        NAME,
        NAME_LENGTH,
        Field("memory", Kind.UNSIGNED, 0, 48, 16, "0: LX; else the number of a stage record, the first being 1"),
        Field("address", Kind.UNSIGNED, 1, 0, 64, "first byte in the core's part of the memory"),
        Field("slot_bytes", Kind.UNSIGNED, 2, 0, 32, "bytes of one slot"),
        Field("depth", Kind.UNSIGNED, 2, 32, 32, "slots"),
    ),
    "One buffer of every core.",
)
STAGE_RECORD = Record(
    "Stage",
    1,
    (NAME, NAME_LENGTH),
    "A memory between device memory and LX, by its kind; in the order in which buffers name them first.",
)
CORE_ENTRY = Record(
    "CoreEntry", 1, (Field("value", Kind.SIGNED, 0, 0, 64, "what `coreparam` gives"),), "Core table, row by row."
)
