"""Programs compute what NumPy computes, bit for bit, whatever the latencies are."""

from __future__ import annotations

import assembled
import numpy as np
import pytest
from assembled import HALT, Kernel, add_rows, copy_rows, i, load, post, store, wait

from spyrec.isa import Binary, Buffer, Channel, Dim, End, Instruction, LxOperand, MicroOp, Stream, UnitProgram, Xfer

SEEDS = [None, *range(20)]


@pytest.mark.parametrize("shuffle", SEEDS)
def test_double_buffered_copy(shuffle: int | None) -> None:
    copy_rows().run(shuffle=shuffle)


@pytest.mark.parametrize("shuffle", SEEDS)
def test_double_buffered_add(shuffle: int | None) -> None:
    add_rows().run(shuffle=shuffle)


@pytest.mark.parametrize("rows", [0, 1, 2, 3])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_trip_counts_around_the_depth_need_no_peeling(rows: int, depth: int) -> None:
    kernel = add_rows(rows=rows, depth=depth) if rows else add_rows(rows=1, depth=depth)
    if rows == 0:
        units = tuple(UnitProgram(u.kind, u.corelet, (i("li", rd=31, imm=0), *u.code[1:])) for u in kernel.binary.units)
        kernel.binary = assembled.replace(kernel.binary, units=units)
        kernel.expected["z"] = np.full_like(kernel.expected["z"], np.nan).view(np.uint16) | 0xFFFF
    for shuffle in (None, 1):
        kernel.run(shuffle=shuffle)


def test_neighbouring_cores_share_a_stick_without_a_race() -> None:
    """Rows of 65 f16 elements: 130 bytes, so that every core writes into its neighbour's last stick."""
    kernel = add_rows(rows=1, n=65, tiles=32)
    assert not kernel.run().warnings
    kernel.run(shuffle=3)


def test_the_two_corelets_of_a_core_are_two_units() -> None:
    """Each adds half of a row and has its own channels."""
    x = np.arange(128, dtype=np.float16)
    a, b = Buffer("a", 0, 256, 1), Buffer("b", 256, 256, 1)
    binary = Binary(
        units=(
            UnitProgram("load", 0, (load(2, None, 0, 256), post(0), post(1), HALT)),
            *(UnitProgram("sfu", c, (wait(c), _square(64, 128 * c, 256 + 128 * c), post(2 + c), HALT)) for c in (0, 1)),
            UnitProgram("store", 0, (wait(2), wait(3), i("param", rd=2, imm=1), store(2, None, 1, 256, at=256), HALT)),
        ),
        channels=(
            Channel("full0", "load", "sfu", 0),
            Channel("full1", "load", "sfu.1", 0),
            Channel("done0", "sfu", "store", 0),
            Channel("done1", "sfu.1", "store", 0),
        ),
        buffers=(a, b),
    )
    units = (UnitProgram("load", 0, (i("param", rd=2, imm=0), *binary.units[0].code)), *binary.units[1:])
    kernel = Kernel(assembled.replace(binary, units=units), {"x": x, "z": x}, {"z": x * x})
    for shuffle in SEEDS[:4]:
        kernel.run(shuffle=shuffle)


def _square(n: int, source: int, dest: int) -> Stream:
    return Stream(
        counts=(n,),
        inputs=(LxOperand(None, source, "f16", (2,), 0, 0),),
        outputs=(LxOperand(None, dest, "f16", (2,), 1, 1),),
        micro_ops=(MicroOp("mulf", "f16", 1, (0, 0)),),
    )


BOXES = {
    "strided rows": ((3, 5), (40, 2), (10, 2), 2),
    "transposed": ((5, 4), (2, 10), (8, 2), 2),
    "reversed": ((6, 2), (-8, 4), (8, 4), 4),
    "four counts": ((2, 3, 2, 2), (100, 30, 8, 2), (24, 8, 4, 2), 2),
    "repeated source": ((4, 8), (0, 1), (8, 1), 1),
    "scattered destination": ((4, 3), (6, 2), (64, 16), 2),
}


@pytest.mark.parametrize("name", BOXES)
def test_transfers_of_boxes(name: str) -> None:
    """Device to LX with strides on both sides, LX to device with those of the destination, against an element loop."""
    counts, source, dest, size = BOXES[name]
    image = np.random.default_rng(3).integers(0, 256, 512, dtype=np.uint8)
    lx = np.zeros(512, np.uint8)
    out = np.full(512, 0xFF, np.uint8)
    start, first = 128, 256
    for index in np.ndindex(*counts):
        at = sum(k * s for k, s in zip(index, source, strict=True))
        to = sum(k * s for k, s in zip(index, dest, strict=True))
        lx[first + to : first + to + size] = image[start + at : start + at + size]
    for index in np.ndindex(*counts):
        to = sum(k * s for k, s in zip(index, dest, strict=True))
        out[first + to : first + to + size] = lx[first + to : first + to + size]
    dims = tuple(Dim(c, s, d) for c, s, d in zip(counts, source, dest, strict=True))
    back = tuple(Dim(c, d, d) for c, d in zip(counts, dest, strict=True))
    binary = Binary(
        units=(
            UnitProgram(
                "load",
                0,
                (
                    i("param", rd=2, imm=0),
                    Xfer(element_bytes=size, source=End("device", 2, start), dest=End("lx", None, first), dims=dims),
                    post(0),
                    HALT,
                ),
            ),
            UnitProgram(
                "store",
                0,
                (
                    i("param", rd=2, imm=1),
                    wait(0),
                    Xfer(element_bytes=size, source=End("lx", None, first), dest=End("device", 2, first), dims=back),
                    HALT,
                ),
            ),
        ),
        channels=(Channel("full", "load", "store", 0),),
    )
    Kernel(binary, {"x": image, "z": out}, {"z": out}).run()


def test_a_fill_writes_its_pattern() -> None:
    fill = Xfer(
        element_bytes=2,
        source=End("fill", offset=0x3C00),
        dest=End("lx", None, 0),
        dims=(Dim(4, 0, 32), Dim(8, 0, 2)),
    )
    rows = Xfer(element_bytes=2, source=End("lx", None, 0), dest=End("device", 2), dims=(Dim(4, 32, 16), Dim(8, 2, 2)))
    binary = Binary(
        units=(
            UnitProgram("load", 0, (fill, post(0), HALT)),
            UnitProgram("store", 0, (i("param", rd=2, imm=0), wait(0), rows, HALT)),
        ),
        channels=(Channel("full", "load", "store", 0),),
    )
    ones = np.ones((4, 8), np.float16)
    Kernel(binary, {"z": ones}, {"z": ones}).run()


def test_a_stream_with_broadcast_compare_select_constant_and_scalar() -> None:
    """z[r, c] = x[r, c] > row[r] ? x[r, c] * 0.5 : scalar, and the comparison itself as bytes."""
    x = np.random.default_rng(5).standard_normal((4, 16)).astype(np.float16)
    row = np.array([0.5, -0.5, np.nan, 0], np.float16)
    where = x > row[:, None]
    stream = Stream(
        counts=(4, 16),
        inputs=(LxOperand(None, 0, "f16", (32, 2), None, 0), LxOperand(None, 128, "f16", (2, 0), None, 1)),
        outputs=(LxOperand(None, 256, "f16", (32, 2), None, 6), LxOperand(None, 384, "i1", (16, 1), None, 2)),
        micro_ops=(
            MicroOp("cmpf_ogt", "i1", 2, (0, 1)),
            MicroOp("const", "f16", 3, (), 0x3800),
            MicroOp("mulf", "f16", 4, (0, 3)),
            MicroOp("splat", "f16", 5, (7,)),
            MicroOp("select", "f16", 6, (2, 4, 5)),
        ),
    )
    binary = Binary(
        units=(
            UnitProgram(
                "load",
                0,
                (
                    i("param", rd=2, imm=0),
                    i("param", rd=3, imm=1),
                    load(2, None, None, 128),
                    load(3, None, None, 8, at=128),
                    post(0),
                    HALT,
                ),
            ),
            UnitProgram("sfu", 0, (i("li", rd=7, imm=0x4248), wait(0), stream, post(1), HALT)),
            UnitProgram(
                "store",
                0,
                (
                    i("param", rd=2, imm=2),
                    i("param", rd=3, imm=3),
                    wait(1),
                    store(2, None, None, 128, at=256),
                    store(3, None, None, 64, at=384, element=1),
                    HALT,
                ),
            ),
        ),
        channels=(Channel("full", "load", "sfu", 0), Channel("done", "sfu", "store", 0)),
    )
    scalar = np.array([0x4248], np.uint16).view(np.float16)
    z = np.where(where, x * np.float16(0.5), scalar)
    arrays = {"x": x, "row": row, "z": z, "w": where.astype(np.uint8)}
    Kernel(binary, arrays, {"z": z, "w": where.astype(np.uint8)}).run()


def test_scalars_loaded_from_memory_steer_a_loop_and_branches() -> None:
    """A count in memory says how many bytes, each from its own iteration, are stored; odd ones are skipped."""
    n = 9
    body = [
        i("andi", rd=4, ra=1, imm=1),
        i("xori", rd=4, ra=4, imm=1),
        i("brz", ra=4, target=10),
        i("add", rd=5, ra=2, rb=1),
        i("li", rd=6, imm=0),
        Xfer(element_bytes=1, source=End("lx", 1, 64), dest=End("device", 5), dims=(Dim(1, 1, 1),)),
    ]
    code = [
        i("param", rd=2, imm=1),
        wait(0),
        i("sload", rd=3, ra=9, imm=4),
        i("loop", rd=1, ra=3, target=10),
        *body,
        i("endloop"),
        HALT,
    ]
    lanes = np.arange(100, 100 + 64, dtype=np.uint8)
    image = np.zeros(128, np.uint8)
    image[:4] = np.array([n], np.int32).view(np.uint8)
    image[64:] = lanes
    binary = Binary(
        units=(
            UnitProgram("load", 0, (i("param", rd=2, imm=0), load(2, None, None, 128), post(0), HALT)),
            UnitProgram("store", 0, tuple(code)),
        ),
        channels=(Channel("full", "load", "store", 0),),
    )
    z = np.full(64, 0xFF, np.uint8)
    z[0:n:2] = lanes[0:n:2]
    kernel = Kernel(binary, {"x": image, "z": z}, {"z": z})
    for shuffle in SEEDS[:4]:
        kernel.run(shuffle=shuffle)


def test_each_core_reads_its_own_parameters() -> None:
    """coreparam, sext, zext, select, min: where each core stores its word."""
    code = (
        i("param", rd=2, imm=0),
        i("coreparam", rd=3, imm=1),
        i("sext", rd=4, ra=3, imm=8),
        i("zext", rd=5, ra=4, imm=4),
        i("mini", rd=5, ra=5, imm=12),
        i("eqi", rd=6, ra=5, imm=12),
        i("select", rd=5, rc=6, ra=7, rb=5),
        i("add", rd=2, ra=2, rb=5),
        Xfer(element_bytes=4, source=End("lx", None, 0), dest=End("device", 2), dims=(Dim(1, 4, 4),)),
        HALT,
    )
    fill = Xfer(element_bytes=4, source=End("fill", offset=7), dest=End("lx", None, 0), dims=(Dim(1, 0, 4),))
    binary = Binary(
        units=(
            UnitProgram("load", 0, (fill, post(0), HALT)),
            UnitProgram("store", 0, (wait(0), *code)),
        ),
        channels=(Channel("full", "load", "store", 0),),
        tiles=3,
        core_table=((0, 0xFC), (0, 0x104), (0, 0x18)),
    )
    # The low byte's low four bits: 12, 4, 8; the 12 is replaced by r7, which is 0.
    z = np.array([7, 7, 7, -1], np.int32)
    Kernel(binary, {"z": z}, {"z": z}).run()


def test_an_empty_loop_body_and_nested_loops_count() -> None:
    inner = [i("addi", rd=5, ra=5, imm=1)]
    code = [
        i("li", rd=10, imm=7),
        i("li", rd=11, imm=3),
        i("loop", rd=1, ra=10, target=8),
        i("loop", rd=2, ra=11, target=5),
        *inner,
        i("endloop"),
        i("loop", rd=3, ra=1, target=7),
        i("endloop"),
        i("endloop"),
        i("param", rd=2, imm=0),
        i("add", rd=2, ra=2, rb=5),
        Xfer(element_bytes=1, source=End("lx", None, 0), dest=End("device", 2), dims=(Dim(1, 1, 1),)),
        HALT,
    ]
    fill = Xfer(element_bytes=1, source=End("fill", offset=1), dest=End("lx", None, 0), dims=(Dim(1, 0, 1),))
    binary = Binary(
        units=(UnitProgram("load", 0, (fill, post(0), HALT)), UnitProgram("store", 0, (wait(0), *_shift(code, 1)))),
        channels=(Channel("full", "load", "store", 0),),
    )
    z = np.full(32, 0xFF, np.uint8)
    z[21] = 1
    Kernel(binary, {"z": z}, {"z": z}).run()


def _shift(code: list[Instruction], by: int) -> list[Instruction]:
    """``code`` with its targets ``by`` further."""
    return [assembled.replace(c, target=c.target + by) if c.op in ("loop", "brz", "jump") else c for c in code]


def test_a_thousand_iterations_are_quick() -> None:
    kernel = copy_rows(rows=1000, n=64, tiles=2, depth=3)
    result = kernel.run()
    assert result.report["instructions"] > 40_000
