"""Encoder, decoder, assembler and disassembler are inverses on everything the table allows, and refuse the rest."""

from __future__ import annotations

from dataclasses import replace

import binaries
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spyrec import isa
from spyrec.errors import CompilerBug, InvalidKernel
from spyrec.isa import Binary, Buffer, Channel, Dim, End, Instruction, LxOperand, MicroOp, Stream, UnitProgram, Xfer
from spyrec.isa.codec import _bytes, _words, seal
from spyrec.isa.fields import pack
from spyrec.isa.table import HEADER, MAGIC, UNIT, VERSION

SETTINGS = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(binaries.binaries())
@SETTINGS
def test_decoding_undoes_encoding(binary: Binary) -> None:
    data = isa.encode(binary)
    assert isa.decode(data) == binary
    assert isa.encode(isa.decode(data)) == data
    assert len(data) % 128 == 0


@given(binaries.binaries())
@SETTINGS
def test_assembling_undoes_disassembling(binary: Binary) -> None:
    text = isa.disassemble(binary)
    assert isa.assemble(text) == binary
    assert isa.disassemble(isa.assemble(text)) == text


ADDRESS = LxOperand(1, 0, "f16", (2,), 0, 0)
EXAMPLE = Binary(
    units=(
        UnitProgram(
            "load",
            0,
            (
                Instruction("li", rd=1, imm=3),
                Instruction("loop", rd=2, ra=1, target=6),
                Instruction("wait", channel=1),
                Xfer(element_bytes=2, source=End("device", 2), dest=End("stage", None, 8, 1), dims=(Dim(64, 2, 2),)),
                Xfer(element_bytes=2, source=End("stage", 2, 0, 1), dest=End("lx", None, 8, 0), dims=(Dim(64, 2, 2),)),
                Instruction("post", channel=0),
                Instruction("endloop"),
                Instruction("halt"),
            ),
        ),
        UnitProgram(
            "sfu",
            0,
            (
                Stream(
                    counts=(64,), inputs=(ADDRESS,), outputs=(ADDRESS,), micro_ops=(MicroOp("negf", "f16", 0, (0,)),)
                ),
                Instruction("halt"),
            ),
        ),
    ),
    channels=(Channel("full", "load", "sfu", 0), Channel("free", "sfu", "load", 2)),
    buffers=(Buffer("b", 0, 128, 2), Buffer("s", 0, 128, 2, "l1")),
    parameters=1,
    tiles=2,
)
DATA = isa.encode(EXAMPLE)


def refusal(data: bytes) -> str:
    """The message with which ``data`` is refused."""
    with pytest.raises(InvalidKernel) as caught:
        isa.decode(data)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.id == "corrupt-binary"
    return diagnostic.message


def test_every_flipped_bit_is_found() -> None:
    for position in range(len(DATA)):
        damaged = bytearray(DATA)
        damaged[position] ^= 1 << position % 8
        assert refusal(bytes(damaged)).startswith("byte 0x")


def test_every_truncation_is_found() -> None:
    for size in range(len(DATA)):
        refusal(DATA[:size])
    refusal(DATA + b"\0")


@given(st.lists(st.tuples(st.integers(0, len(DATA) - 1), st.integers(0, 255)), min_size=1, max_size=6))
@settings(max_examples=400, deadline=None)
def test_damage_behind_a_right_checksum_is_refused_or_harmless(changes: list[tuple[int, int]]) -> None:
    """Whoever wrote a wrong file and its checksum gets an error; what is accepted is the encoding of what it
    decodes to.
    """
    damaged = bytearray(DATA)
    for position, value in changes:
        damaged[position] = value
    data = seal(bytes(damaged))
    try:
        binary = isa.decode(data)
    except InvalidKernel as error:
        message = str(error)
    else:
        assert isa.encode(binary) == data
        return
    assert "byte 0x" in message


def test_a_stage_is_named_once() -> None:
    """By its kind, after the other names; LX is no stage, whatever a file says."""
    assert DATA.count(b"l1") == 1
    assert "buffer s in l1 address 0 slots 2 bytes 128" in isa.disassemble(EXAMPLE)
    assert "a buffer is in stage 1 of 0" in refusal(seal(DATA[:44] + b"\0\0" + DATA[46:]))
    alone = isa.encode(Binary(buffers=(Buffer("s", 0, 128, 2, "l1"),)))
    assert "is not the one encoding" in refusal(seal(alone.replace(b"l1", b"lx")))


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_junk_is_refused(junk: bytes) -> None:
    refusal(junk)
    refusal(DATA[:8] + junk)


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (0, b"\x7fELF", "magic number"),
        (8, b"\x63", "version 99"),
        (12, b"\x00\x00\x00\x00", "checksum 0x00000000 does not match"),
        (16, b"\xff", "the header says 767 bytes"),
        (24, b"\x00\x00\x00\x00", "0 tiles"),
        (len(DATA) - 128, b"\x00", "no instruction has code 0x00"),
        (len(DATA) - 128 + 1, b"\xff", "reserved bits of word 0"),
    ],
)
def test_refusals_say_what_and_where(offset: int, value: bytes, message: str) -> None:
    data = DATA[:offset] + value + DATA[offset + len(value) :]
    assert message in refusal(data if offset < 24 else seal(data))


def shared(units: int, code: int, name: int) -> bytes:
    """A file of ``units`` that all have the same ``code`` words, and the same name of ``name`` bytes."""
    names = _words(b"u" * name)
    tables = HEADER.words + units * UNIT.words + len(names)
    start, size = -(-tables // 16) * 16, -(-code // 16) * 16
    head = dict.fromkeys((f.name for f in HEADER.fields), 0)
    head |= {"magic": MAGIC, "version": VERSION, "size": 8 * (start + size), "tiles": 1, "units": units, "names": name}
    words = pack(HEADER, head)
    for corelet in range(units):
        record = {"name": 0, "name_length": name, "corelet": corelet, "start": start, "words": code}
        words += pack(UNIT, record)
    words += [*names, *[0] * (start - tables), *[0x10 | 1 << 8, 5] * (code // 2), 1, *[0] * (size - code)]
    return seal(_bytes(words[: start + size]))


def test_a_file_is_read_no_longer_than_it_is() -> None:
    """60 million instructions, or gigabytes of names, in a few hundred kilobytes."""
    assert "ask for 120003000 words of code, and there are" in refusal(shared(3000, 40001, 1))
    assert "ask for 1966050000 bytes of names, and there are 65535" in refusal(shared(30000, 0, 65535))


def with_code(*code: Instruction) -> Binary:
    """``EXAMPLE`` with other code on its load unit."""
    return Binary((UnitProgram("load", 0, code), EXAMPLE.units[1]), EXAMPLE.channels, EXAMPLE.buffers, 1, (), 2)


HALT = Instruction("halt")
BOX = (Dim(1, 0, 0),)


@pytest.mark.parametrize(
    ("binary", "message"),
    [
        (with_code(), "its code does not end in halt"),
        (with_code(HALT, HALT), "halt in the middle"),
        (with_code(Instruction("loop", target=1), HALT), "no endloop ahead"),
        (with_code(Instruction("endloop"), HALT), "endloop without its loop"),
        (with_code(HALT, Instruction("jump", target=0), HALT), "goes to 0"),
        (
            with_code(Instruction("jump", target=2), Instruction("loop", target=2), Instruction("endloop"), HALT),
            "into a loop",
        ),
        (with_code(Instruction("post", channel=1), HALT), "which only unit sfu may do"),
        (with_code(Instruction("wait", channel=7), HALT), "channel 7 of 2"),
        (with_code(Instruction("param", imm=1), HALT), "parameter 1 of 1"),
        (with_code(Instruction("coreparam", imm=0), HALT), "0 columns"),
        (with_code(Instruction("sext", imm=65), HALT), "65 bits"),
        (with_code(Instruction("mov", imm=1), HALT), "mov has no field imm"),
        (with_code(Instruction("fly"), HALT), "no instruction is called 'fly'"),
        (with_code(Xfer(dims=()), HALT), "0 nested counts"),
        (with_code(Xfer(dims=(Dim(0, 1, 1),)), HALT), "each is at least 1"),
        (with_code(Xfer(dims=BOX, dest=End("fill")), HALT), "the destination is no memory"),
        (with_code(Xfer(dims=BOX, source=End("device", buffer=0)), HALT), "device memory has no buffers"),
        (with_code(Xfer(dims=BOX, source=End("lx", buffer=3)), HALT), "buffer 3 of 2"),
        (with_code(Xfer(dims=BOX, source=End("lx", buffer=1)), HALT), "buffer 's' lies in l1, not in lx"),
        (with_code(Xfer(dims=BOX, dest=End("stage", buffer=0)), HALT), "buffer 'b' lies in lx, not in stage"),
        (with_code(Xfer(dims=BOX, dest=End("stage")), HALT), "a place in a stage is in no buffer"),
        (with_code(Instruction("sload", imm=4, buffer=1), HALT), "buffer 's' lies in l1, not in lx"),
        (with_code(Stream(counts=(1,), outputs=(replace(ADDRESS, buffer=1),)), HALT), "lies in l1, not in lx"),
        (
            with_code(Xfer(dims=BOX, source=End("stage", buffer=1), remote="put", peer=0, members=1), HALT),
            "put with a stage on the other side",
        ),
        (
            with_code(Xfer(dims=BOX, source=End("stage", buffer=1), remote="get", peer=0, members=1), HALT),
            "get reaches the LX of other cores only",
        ),
        (with_code(Stream(counts=(1,)), HALT), "without outputs"),
        (with_code(Stream(counts=(1,), outputs=(ADDRESS,)), HALT), "stores v0, which is not written"),
        (
            with_code(Stream(counts=(1,), outputs=(ADDRESS,), micro_ops=(MicroOp("addf", "f16", 0, (1, 2)),)), HALT),
            "addf reads v1 before it is written",
        ),
        (
            with_code(Stream(counts=(1,), outputs=(ADDRESS,), micro_ops=(MicroOp("const", "i8", 0, (), 256),)), HALT),
            "wider than i8",
        ),
        (with_code(Instruction("addi", imm=1 << 31), HALT), "does not fit in 32 bits"),
        (with_code(Instruction("mov", rd=32), HALT), "32 is not in 0..31"),
        (with_code(Instruction("wait", channel=-1), HALT), "channel -1 of 2"),
        (with_code(Instruction("param", imm=-1), HALT), "parameter -1 of 1"),
        (with_code(Instruction("coreparam", imm=-1), HALT), "entry -1 of a core table"),
        (with_code(Instruction("sload", imm=4, buffer=-1), HALT), "buffer -1 of 2"),
        (Binary(tiles=0), "0 tiles"),
        (Binary(channels=(Channel("c", "load", "sfu", 0),)), "unit load, which has no program"),
        (Binary(buffers=(Buffer("b", 0, 0, 1),)), "0 bytes"),
        (Binary(buffers=(Buffer("b", 0, 128, 1, "device"),)), "buffer 'b' lies in device memory"),
        (Binary(core_table=((1,),), tiles=2), "1 rows"),
    ],
)
def test_the_encoder_refuses_what_breaks_a_rule(binary: Binary, message: str) -> None:
    with pytest.raises(CompilerBug, match=message):
        isa.encode(binary)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("tiles many", "2:7", "expected a number, found many"),
        ("hello", "2:1", "'hello' is not a declaration"),
        ("unit u\n  fly r1\n  halt", "3:3", "'fly' is not an instruction"),
        ("unit u\n  mvo r1, r2\n  halt", "3:3", "did you mean 'mov'?"),
        ("unit u\n  mov r1 r2\n  halt", "3:10", "expected ',', found r2"),
        ("unit u\n  mov r1, v2\n  halt", "3:11", "expected a register rN, found v2"),
        ("unit u\n  jump L9\n  halt", "3:8", "no label L9"),
        ("channel c from u to v init 0\nunit u\n  halt", "2:1", "channel 'c' names unit v, which has no program"),
        ("buffer b address 0 slots 1 bytes 0\nunit u\n  halt", "2:1", "buffer 'b' has 1 slots of 0 bytes"),
        ("buffer b in device address 0 slots 1 bytes 8", "2:1", "lies in device memory"),
        ("buffer b address 0 slots 1 bytes 8\nbuffer b address 8 slots 1 bytes 8", "3:1", "two buffers are called 'b'"),
        ("unit u\n  halt\nunit u\n  halt", "4:1", "two programs for unit u"),
        ("tiles 2\ntable 1", "3:1", "the core table has 1 rows"),
        ("tiles 0", "2:1", "0 tiles"),
        ("unit u\nL0:\nL0:\n  halt", "4:1", "label L0 stands twice"),
        ("unit u\n  wait c\n  halt", "3:8", "no channel is called 'c'"),
        ("unit u\n  stream [4]\n  halt", "4:3", "expected a register vN, found halt"),
        ("unit u\n  stream [4]", "4:1", "the stream above has no 'end'"),
        ("unit u\n  mov r1, r2 ?\n  halt", "3:14", "'?' is nothing that stands in assembly"),
        ("unit u\n  mov r1, r40\n  halt", "3:1", "40 is not in 0..31"),
        (
            "unit u\n  stream [4]\n  v99: f16 const 0\n  out v99: f16 lx[0] [2]\n  end\n  halt",
            "3:1",
            "99 is not in 0..63",
        ),
        ("unit u\n  sext r1, r2, 70\n  halt", "3:1", "70 bits"),
        ("unit u\n", "2:1", "does not end in halt"),
        ('buffer "\\ud800" address 0 slots 1 bytes 1', "2:8", "bad escape"),
        ("unit u\n  halt r1", "3:8", "expected the end of the line, found r1"),
        ("tiles -1", "2:7", "-1 is not in 0..4294967295"),
        ("table 9223372036854775808", "2:7", "does not fit in 64 bits, sign included"),
        ("unit u\n  contract [1] zero", "4:1", "the contract above has no 'lhs'"),
        ("unit u\n  stream [4] fold [9]\n  end\n  halt", "3:20", "9 is no count after those before it"),
    ],
)
def test_assembly_is_refused_at_its_place(text: str, place: str, message: str) -> None:
    with pytest.raises(InvalidKernel) as caught:
        isa.assemble(f"; first line\n{text}\n", "a.s")
    first = caught.value.diagnostics[0]
    assert message in first.message
    assert first.id == "bad-assembly"
    assert str(first.position) == f"a.s:{place}"


@given(st.text(alphabet='unit loadxferstream []:,+-0123456789rv\n"{};', max_size=80))
@settings(max_examples=300, deadline=None)
def test_prose_is_no_assembly(text: str) -> None:
    """Any text gives a binary or a refusal, nothing else."""
    try:
        isa.encode(isa.assemble(text))
    except InvalidKernel as error:
        id_ = error.diagnostics[0].id
    else:
        return
    assert id_ == "bad-assembly"
