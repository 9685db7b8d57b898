"""Each rule of the sanitizer: caught with its id at the user's line, plain and shuffled alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import assembled
import numpy as np
import pytest
from assembled import (
    FILE,
    HALT,
    add_rows,
    copy_rows,
    i,
    load,
    place,
    post,
    run,
    store,
    vector,
    wait,
    without_channel,
)

from spyrec import isa, sim
from spyrec.diag.ids import IDS
from spyrec.errors import Diagnostic, InvalidKernel, OutOfResources, Position
from spyrec.isa import Binary, Buffer, Channel, Dim, End, Instruction, LxOperand, MicroOp, Stream, UnitProgram, Xfer
from spyrec.sim.shadow import Rule

SEEDS = [None, *range(20)]


def fault(
    binary: Binary, arrays: dict[str, Any], written: Sequence[str] = (), shuffle: int | None = None
) -> Diagnostic:
    """The only diagnostic of a run that must fail."""
    with pytest.raises(InvalidKernel) as caught:
        run(binary, assembled.launch(arrays, written, binary.tiles), None, shuffle)
    assert len(caught.value.diagnostics) == 1
    return caught.value.diagnostics[0]


def units(*programs: tuple[str, Sequence[Instruction]], **tables: Any) -> Binary:
    return Binary(units=tuple(UnitProgram(kind, 0, tuple(code)) for kind, code in programs), **tables)


FULL = Channel("full", "load", "store", 0)
X = np.arange(64, dtype=np.float16)
X_ADDRESS = i("param", rd=2, imm=0)


# What each pruned channel of the two kernels orders: deleting any is a race, whatever the latencies are.


@pytest.mark.parametrize("shuffle", SEEDS)
@pytest.mark.parametrize("channel", ["x_free", "y_full", "z_full", "z_free"])
def test_deleting_a_channel_of_the_add_is_a_race(channel: str, shuffle: int | None) -> None:
    kernel = add_rows(rows=4)
    number = [c.name for c in kernel.binary.channels].index(channel)
    found = fault(without_channel(kernel.binary, number), kernel.arrays, ["z"], shuffle)
    assert found.id == "race"
    assert found.position is not None
    assert any(note.position is not None for note in found.notes)


@pytest.mark.parametrize("channel", ["x_full", "y_free"])
def test_a_channel_that_others_imply_may_go(channel: str) -> None:
    """The load unit fills y after x and the vector unit frees x before y, so these two order nothing of their own."""
    kernel = add_rows(rows=5)
    kernel.binary = without_channel(kernel.binary, [c.name for c in kernel.binary.channels].index(channel))
    for shuffle in SEEDS[:6]:
        kernel.run(shuffle=shuffle)


@pytest.mark.parametrize("shuffle", SEEDS)
@pytest.mark.parametrize("channel", [0, 1])
def test_deleting_a_channel_of_the_copy_is_a_race(channel: int, shuffle: int | None) -> None:
    kernel = copy_rows(rows=4, depth=2)
    assert fault(without_channel(kernel.binary, channel), kernel.arrays, ["z"], shuffle).id == "race"


def test_one_credit_too_many_is_a_race_even_if_it_never_bites() -> None:
    kernel = copy_rows(rows=4, depth=2)
    full, free = kernel.binary.channels
    for shuffle in SEEDS:
        found = fault(replace(kernel.binary, channels=(full, replace(free, init=3))), kernel.arrays, ["z"], shuffle)
        assert found.id == "race"


@pytest.mark.parametrize("shuffle", SEEDS)
@pytest.mark.parametrize(("moved", "onto"), [(0, 1), (1, 0), (2, 0), (0, 2), (1, 2), (2, 1)])
def test_a_buffer_moved_onto_a_live_one_is_caught(moved: int, onto: int, shuffle: int | None) -> None:
    kernel = add_rows(rows=4)
    old, target = kernel.binary.buffers[moved], kernel.binary.buffers[onto]

    def shifted(ins: Instruction) -> Instruction:
        return replace(ins, imm=target.address) if ins.op == "addi" and ins.imm == old.address else ins

    programs = tuple(UnitProgram(u.kind, u.corelet, tuple(map(shifted, u.code))) for u in kernel.binary.units)
    buffers = tuple(replace(b, address=target.address) if b is old else b for b in kernel.binary.buffers)
    with pytest.raises(InvalidKernel) as caught:
        run(replace(kernel.binary, units=programs, buffers=buffers), kernel.launch(), None, shuffle)
    assert {d.id for d in caught.value.diagnostics} <= {"race", "wrong-buffer"}


def test_a_race_names_both_places() -> None:
    kernel = copy_rows(rows=4)
    found = fault(without_channel(kernel.binary, 1), kernel.arrays, ["z"])
    lines = {found.position.line if found.position else 0, *(n.position.line for n in found.notes if n.position)}
    moves = {
        place(u.label, kernel.binary, k) for u in kernel.binary.units for k, c in enumerate(u.code) if c.op == "xfer"
    }
    assert lines == moves
    assert "nothing orders the two" in found.message


# Bytes.


def test_unwritten_lx_is_not_read() -> None:
    buffer = Buffer("b", 0, 128, 1)
    binary = units(
        ("load", [X_ADDRESS, load(2, None, 0, 64), post(0), HALT]),
        ("store", [wait(0), X_ADDRESS, store(2, None, 0, 128), HALT]),
        channels=(FULL,),
        buffers=(buffer,),
    )
    for shuffle in SEEDS[:5]:
        found = fault(binary, {"x": X}, shuffle=shuffle)
        assert found.id == "unwritten-read"
        assert found.position == Position(FILE, place("store", binary, 2), 1)
        assert "bytes 0x40 to 0x7f of LX (buffer 'b')" in found.message


def test_unwritten_device_memory_is_not_read() -> None:
    binary = units(("load", [X_ADDRESS, load(2, None, None, 128), HALT]))
    assert fault(binary, {"z": X}, ["z"]).id == "unwritten-read"
    run(binary, assembled.launch({"z": X}))


def test_what_the_kernel_stored_may_be_loaded_again_when_ordered() -> None:
    back = Channel("stored", "store", "load", 0)
    code = [X_ADDRESS, load(2, None, None, 128), post(0), wait(1), load(2, None, None, 128, at=128), post(0), HALT]
    more = [X_ADDRESS, wait(0), store(2, None, None, 128), post(1), wait(0), store(2, None, None, 128, at=128), HALT]
    binary = units(("load", code), ("store", more), channels=(FULL, back))
    for shuffle in SEEDS[:5]:
        run(binary, assembled.launch({"x": X}), None, shuffle)
    racy = without_channel(binary, 1)
    for shuffle in SEEDS:
        assert fault(racy, {"x": X}, shuffle=shuffle).id == "race"


def test_a_scalar_is_not_loaded_from_unwritten_bytes() -> None:
    binary = units(("load", [i("sload", rd=1, ra=2, imm=4), i("loop", rd=3, ra=1, target=2), i("endloop"), HALT]))
    found = fault(binary, {"x": X})
    assert (found.id, found.position) == ("unwritten-read", Position(FILE, 1, 1))


def test_bytes_of_another_buffer_are_not_read() -> None:
    one, two = Buffer("one", 0, 128, 1), Buffer("two", 0, 128, 1)
    binary = units(
        ("load", [X_ADDRESS, load(2, None, 0, 128), post(0), HALT]),
        ("store", [wait(0), X_ADDRESS, store(2, None, 1, 128), HALT]),
        channels=(FULL,),
        buffers=(one, two),
    )
    found = fault(binary, {"x": X})
    assert found.id == "wrong-buffer"
    assert "as part of buffer 'two'" in found.message
    assert "as part of buffer 'one'" in found.message
    assert found.notes[0].position == Position(FILE, place("load", binary, 1), 1)


# Addresses: one instruction each, the id, and what the message says.

B = Buffer("b", 128, 128, 2)
STRIDED = (Dim(4, 256, 2), Dim(2, 2, 2))
ADDRESSES: dict[str, tuple[Xfer, str, str]] = {
    "beyond the buffer": (load(2, None, 0, 4, at=126), "out-of-buffer", "leave buffer 'b'"),
    "across slots": (load(2, None, 0, 4, at=254), "out-of-buffer", "cross from one slot"),
    "below LX": (load(2, None, None, 4, at=-2), "out-of-lx", "leave LX"),
    "above LX": (load(2, None, None, 4, at=(1 << 16) - 2), "out-of-lx", "leave LX"),
    "odd LX address": (load(2, None, None, 4, at=1), "misaligned", "byte 0x1 of LX"),
    "odd device address": (load(2, None, None, 4, offset=1), "misaligned", "device memory"),
    "odd stride": (
        Xfer(element_bytes=2, source=End("device", 2), dest=End("lx"), dims=(Dim(3, 3, 2),)),
        "misaligned",
        "strides [3]",
    ),
    "beyond the array": (load(2, None, None, 4, offset=126), "out-of-memory", "by 2 bytes"),
    "below the array": (load(2, None, None, 4, offset=-2), "out-of-memory", "by 2 bytes"),
    "no array": (load(2, None, None, 4, offset=1 << 20), "out-of-memory", "in no array"),
    "strided beyond": (
        Xfer(element_bytes=2, source=End("device", 2), dest=End("lx"), dims=STRIDED),
        "out-of-memory",
        "leave the memory of 'x'",
    ),
    "span": (
        Xfer(element_bytes=2, source=End("device", 2), dest=End("lx"), dims=(Dim(2, 1 << 28, 2),)),
        "span-limit",
        "268431360",
    ),
    "written twice": (
        Xfer(element_bytes=2, source=End("device", 2), dest=End("lx"), dims=(Dim(4, 2, 0),)),
        "overlap",
        "more than once",
    ),
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_addresses(name: str) -> None:
    transfer, id_, text = ADDRESSES[name]
    binary = units(("load", [X_ADDRESS, transfer, HALT]), buffers=(B,))
    found = fault(binary, {"x": X})
    assert (found.id, found.position) == (id_, Position(FILE, 2, 1))
    assert text in found.message


def test_the_span_limit_is_that_of_the_device() -> None:
    """Exactly the limit passes the check (and leaves the array); one more byte does not."""
    for extra, id_ in ((0, "out-of-memory"), (1, "span-limit")):
        step = 268_431_360 - 1 + extra
        transfer = Xfer(element_bytes=1, source=End("device", 2), dest=End("lx"), dims=(Dim(2, step, 1),))
        assert fault(units(("load", [X_ADDRESS, transfer, HALT])), {"x": X}).id == id_


def test_a_view_smaller_than_its_array_bounds_the_access() -> None:
    binary = units(("load", [X_ADDRESS, load(2, None, None, 130), HALT]))
    bound = assembled.launch({"x": X})
    larger = assembled.bind(bound.signature, {"x": np.zeros(100, np.float16)}, {}, seed=None)
    with pytest.raises(InvalidKernel) as caught:
        run(binary, larger)
    assert caught.value.diagnostics[0].id == "out-of-view"


def test_a_stream_checks_its_operands() -> None:
    buffer = Buffer("b", 0, 128, 1)
    code = [X_ADDRESS, load(2, None, 0, 128), post(0), HALT]
    channel = Channel("full", "load", "sfu", 0)

    def ids(stream: Stream) -> str:
        binary = units(("load", code), ("sfu", [wait(0), stream, HALT]), channels=(channel,), buffers=(buffer,))
        found = fault(binary, {"x": X})
        assert found.position == Position(FILE, place("sfu", binary, 1), 1)
        return found.id

    good = vector(64, "negf", [(None, 0)], (None, 0))
    run(units(("load", code), ("sfu", [wait(0), good, HALT]), channels=(channel,), buffers=(buffer,)), _x())
    assert ids(vector(65, "negf", [(None, 0)], (None, None))) == "out-of-buffer"
    assert ids(replace(good, outputs=(replace(good.outputs[0], offset=3, buffer=None),))) == "misaligned"
    assert ids(replace(good, outputs=(replace(good.outputs[0], strides=(0,)),))) == "overlap"
    two = (good.outputs[0], replace(good.outputs[0], offset=126, buffer=None))
    assert ids(replace(good, outputs=two)) == "overlap"


def _x() -> Any:
    return assembled.launch({"x": X})


def test_source_and_destination_of_a_transfer_do_not_share_bytes() -> None:
    device = assembled.device()
    loops = (*device.links, assembled.Link("lx", "load", 256, (), 1, None))
    inside = Xfer(element_bytes=2, source=End("lx", None, 0), dest=End("lx", None, 64), dims=(Dim(40, 2, 2),))
    binary = units(("load", [X_ADDRESS, load(2, None, None, 128), inside, HALT]))
    with pytest.raises(InvalidKernel) as caught:
        run(binary, _x(), replace(device, links=loops))
    assert caught.value.diagnostics[0].id == "overlap"


# Control.


@pytest.mark.parametrize(
    ("code", "id_"),
    [
        ([i("divi", rd=1, ra=1, imm=0)], "division-by-zero"),
        ([i("mod", rd=1, ra=1, rb=2)], "division-by-zero"),
        ([i("li", rd=1, imm=-1), i("loop", rd=2, ra=1, target=2), i("endloop")], "loop-count"),
    ],
)
def test_control(code: list[Instruction], id_: str) -> None:
    found = fault(units(("load", [*code, HALT])), {"x": X})
    assert found.id == id_
    assert found.position is not None


def test_a_stream_divides_by_zero() -> None:
    micro = (MicroOp("const", "i32", 1, (), 0), MicroOp("divsi", "i32", 2, (0, 1)))
    stream = Stream(
        counts=(4,),
        inputs=(LxOperand(None, 0, "i32", (4,), None, 0),),
        outputs=(LxOperand(None, 64, "i32", (4,), None, 2),),
        micro_ops=micro,
    )
    fill = Xfer(element_bytes=4, source=End("fill", offset=9), dest=End("lx"), dims=(Dim(4, 0, 4),))
    channel = Channel("full", "load", "sfu", 0)
    binary = units(("load", [fill, post(0), HALT]), ("sfu", [wait(0), stream, HALT]), channels=(channel,))
    assert fault(binary, {"x": X}).id == "division-by-zero"


# Channels.


def test_a_deadlock_names_its_cycle() -> None:
    """Both units wait before they post, on all cores; a third one is stuck behind them."""
    binary = units(
        ("load", [i("li", rd=1, imm=0), wait(1), post(0), HALT]),
        ("store", [wait(0), post(1), post(2), HALT]),
        ("sfu", [wait(2), HALT]),
        channels=(FULL, Channel("free", "store", "load", 0), Channel("done", "store", "sfu", 0)),
        tiles=4,
    )
    for shuffle in SEEDS[:5]:
        found = fault(binary, {"x": X}, shuffle=shuffle)
        assert found.id == "deadlock"
        assert found.position == Position(FILE, place("load", binary, 1), 1)
        assert "cores 0-3" in found.message
        assert "@load waits at instruction 1 for 'free' from @store" in found.message
        assert "@store waits at instruction 0 for 'full' from @load" in found.message
        assert "behind them @sfu" in found.message
        assert found.notes[0].position == Position(FILE, place("store", binary, 0), 1)


def test_a_unit_behind_a_cycle_is_not_part_of_it() -> None:
    binary = units(
        ("sfu", [wait(2), HALT]),
        ("load", [wait(1), post(0), HALT]),
        ("store", [wait(0), post(1), post(2), HALT]),
        channels=(FULL, Channel("free", "store", "load", 0), Channel("done", "store", "sfu", 0)),
    )
    found = fault(binary, {"x": X})
    assert "@sfu waits" not in found.message
    assert found.position == Position(FILE, place("load", binary, 0), 1)


def test_a_wait_for_a_unit_that_has_ended_is_a_deadlock() -> None:
    binary = units(("load", [post(0), HALT]), ("store", [wait(0), wait(0), HALT]), channels=(FULL,))
    found = fault(binary, {"x": X})
    assert found.id == "deadlock"
    assert "@load, which posts it, has ended after 1 post" in found.message
    assert found.position == Position(FILE, place("store", binary, 1), 1)


def test_a_channel_ends_where_it_began() -> None:
    binary = units(("load", [post(0), post(0), HALT]), ("store", [wait(0), HALT]), channels=(FULL,))
    found = fault(binary, {"x": X})
    assert found.id == "channel-misuse"
    assert "ends at 1, it began at 0" in found.message


def test_a_large_initial_value_costs_nothing() -> None:
    binary = units(
        ("load", [wait(0), post(1), HALT]),
        ("store", [wait(1), post(0), HALT]),
        channels=(Channel("free", "store", "load", (1 << 32) - 1), FULL),
    )
    run(binary, _x())


def test_a_wrong_unit_on_a_channel_is_refused_before_anything_runs() -> None:
    binary = units(("load", [wait(0), HALT]), ("store", [post(0), HALT]), channels=(FULL,))
    with pytest.raises(InvalidKernel) as caught:
        run(binary, _x())
    assert {d.id for d in caught.value.diagnostics} == {"corrupt-binary"}


# Between cores.


def _each_core_stores(values: Sequence[int], offset: Callable[[int], int], nbytes: int = 4) -> Binary:
    """Core c stores ``nbytes`` bytes of values[c] at offset(c) of the array."""
    table = tuple((value, offset(c)) for c, value in enumerate(values))
    stream = Stream(
        counts=(nbytes,),
        inputs=(),
        outputs=(LxOperand(None, 0, "i8", (1,), None, 0),),
        micro_ops=(MicroOp("splat", "i8", 0, (5,)),),
    )
    code = [
        wait(0),
        X_ADDRESS,
        i("coreparam", rd=3, imm=1),
        i("add", rd=2, ra=2, rb=3),
        store(2, None, None, nbytes, element=1),
        HALT,
    ]
    return units(
        ("sfu", [i("coreparam", rd=5, imm=0), stream, post(0), HALT]),
        ("store", code),
        channels=(Channel("done", "sfu", "store", 0),),
        tiles=len(values),
        core_table=table,
    )


@pytest.mark.parametrize("shuffle", SEEDS[:8])
def test_unordered_writes_of_two_cores(shuffle: int | None) -> None:
    image = np.zeros(64, np.uint8)
    apart = run(_each_core_stores([1, 2], lambda c: 4 * c), assembled.launch({"x": image}, tiles=2), None, shuffle)
    assert not apart.warnings
    equal = run(_each_core_stores([1, 1, 1], lambda c: 2 * c), assembled.launch({"x": image}, tiles=3), None, shuffle)
    assert [w.id for w in equal.warnings] == ["equal-writes"]
    race = fault(_each_core_stores([1, 2], lambda c: 3 * c), {"x": image}, shuffle=shuffle)
    assert race.id == "race"
    assert "writes byte 0x3 of 'x'" in race.message


@pytest.mark.parametrize("shuffle", SEEDS[:8])
def test_a_core_reads_what_another_writes(shuffle: int | None) -> None:
    """Each core loads its row and the next one's, then stores its own: unordered."""
    code = [i("core", rd=3), i("muli", rd=3, ra=3, imm=32), X_ADDRESS, i("add", rd=2, ra=2, rb=3)]
    binary = units(
        ("load", [*code, load(2, None, None, 64), post(0), HALT]),
        ("store", [*code, wait(0), store(2, None, None, 32), HALT]),
        channels=(FULL,),
        tiles=3,
    )
    found = fault(binary, {"x": X}, shuffle=shuffle)
    assert found.id == "race"
    assert re.search(r"bytes 0x[0-9a-f]{2} to 0x[0-9a-f]{2} of 'x'", found.message)


# What does not fit.


@pytest.mark.parametrize(
    ("binary", "text"),
    [
        (units(("load", [HALT]), tiles=33), "33 compute tiles"),
        (units(("npu", [HALT])), "no unit 'npu'"),
        (Binary(units=(UnitProgram("load", 1, (HALT,)),)), "corelet 1"),
        (units(("load", [HALT]), buffers=(Buffer("b", 1 << 16, 128, 1),)), "ends at byte"),
        (units(("load", [HALT]), buffers=(Buffer("b", 64, 128, 1),)), "multiples of 128"),
        (units(("load", [HALT]), buffers=(Buffer("b", 0, 130, 2),)), "multiples of 128"),
        (units(("load", [HALT]), buffers=(Buffer("b", 0, 128, 1, "l1"),)), "no stage 'l1', in which buffer 'b'"),
        (units(("load", [store(None, None, None, 4), HALT])), "no link from 'lx' to 'load'"),
        (units(("sfu", [replace(vector(4, "negf", [(None, None)], (None, None)), micro_ops=()), HALT])), "not written"),
        (units(("sfu", [_F64 := Stream(
            counts=(4,),
            inputs=(LxOperand(None, 0, "f64", (8,), None, 0),),
            outputs=(LxOperand(None, 64, "f64", (8,), None, 1),),
            micro_ops=(MicroOp("negf", "f64", 1, (0,)),),
        ), HALT])), "no lanes for f64"),
        (units(("sfu", [replace(_F64, outputs=(LxOperand(None, 64, "f32", (8,), None, 1),)), HALT])), "stored as f32"),
        (units(("sfu", [replace(_F64, micro_ops=(MicroOp("negf", "i64", 1, (0,)),)), HALT])), "holds i64"),
    ],
)  # fmt: skip
def test_a_binary_that_does_not_fit_is_refused(binary: Binary, text: str) -> None:
    with pytest.raises(InvalidKernel) as caught:
        run(binary, _x())
    assert {d.id for d in caught.value.diagnostics} <= {"wrong-device", "corrupt-binary"}
    assert text in str(caught.value)


def test_a_device_with_numbers_that_mean_nothing_is_refused() -> None:
    fine = assembled.device()
    lame = replace(fine, units={**fine.units, "pt": replace(fine.units["pt"], array=(8,))})
    with pytest.raises(InvalidKernel, match=r"the array of 'pt' is \[8\]") as caught:
        run(units(("load", [HALT])), _x(), lame)
    assert caught.value.diagnostics[0].id == "wrong-device"


_MOST = (1 << 32) - 1
_FURTHEST = (1 << 63) - 1


def assembled_fault(text: str) -> Diagnostic:
    """The first fault of a program on one array of 64 elements."""
    with pytest.raises((InvalidKernel, OutOfResources)) as caught:
        run(isa.assemble("parameters 1\n" + text, "k.s"), _x())
    return caught.value.diagnostics[0]


@pytest.mark.parametrize(
    "text",
    [
        f"unit sfu\n stream [{_MOST}] fold [0]\n v0: f16 const 1\n out v0: f16 lx[0] [0] addf fresh\n end",
        f"unit sfu\n stream [{_MOST}] fold [0]\n in v0: i64 number[0] [1]\n out v0: i64 lx[0] [0] addi fresh\n end",
        "unit sfu\n stream [16384, 65536] fold [1]\n v0: f16 const 1\n out v0: f16 lx[0] [2, 0] addf fresh\n end",
        f"unit pt\n contract [{_MOST}, {_MOST}] zero\n lhs f16 lx[0] [0, 0]\n rhs f16 lx[0] [0, 0]\n"
        " acc f32 lx[128] [0, 0]\n end",
        f"unit pt\n contract [{_MOST}, 2] zero\n lhs f16 lx[0] [0, 2]\n rhs f16 lx[0] [0, 2]\n"
        " acc f32 lx[128] [0, 0]\n end",
    ],
)  # fmt: skip
def test_more_points_than_the_host_has_room_for_are_refused(text: str) -> None:
    found = assembled_fault(f"{text}\n halt")
    assert found.id == "host-memory"
    assert found.message.startswith("unit @")
    assert "points in one instruction" in found.message


def test_a_host_without_memory_is_an_error_at_the_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("spyrec.sim.elements.Elements.load", nothing)
    found = assembled_fault("unit sfu\n stream [4]\n in v0: f16 lx[0] [2]\n out v0: f16 lx[64] [2]\n end\n halt")
    assert (found.id, found.position) == ("host-memory", Position(assembled.FILE, 1, 1))


def test_a_loop_that_nobody_waits_for_is_refused() -> None:
    found = assembled_fault(f"unit load\n li r1, {_FURTHEST}\n loop r2, r1, end\nend:\n endloop\n halt")
    assert found.id == "too-many-iterations"
    assert found.position == Position(assembled.FILE, 2, 1)


LISTED = """unit load
  param r1, 0
  li r2, {low}
  xfer 8 fill[{index}] to lx[0] [64: 0, 8]
  xfer 2 device[r1{at}] to lx[1024] {dims} index source i64 lx[0] [{step}] scale {scale} below [{limit}]
  halt
"""


@pytest.mark.parametrize(
    ("changes", "id_"),
    [
        ({"dims": f"[{_MOST}: 0, 0] [2: 2, 2]", "step": "0, 8"}, "scattered-access"),
        ({"index": 1 << 62, "scale": 4, "limit": _FURTHEST}, "out-of-memory"),  # in 64 bits that is index 0
        ({"at": f" + {_FURTHEST}", "scale": _FURTHEST}, "out-of-memory"),
        ({"dims": f"[2: {_FURTHEST}, 2]"}, "out-of-memory"),
        ({"dims": f"[2: {_FURTHEST}, 2 from r2] outside skip", "low": 1}, "out-of-memory"),
    ],
)
def test_addresses_do_not_wrap_around(changes: dict[str, Any], id_: str) -> None:
    plain = {"low": 0, "index": 1, "at": "", "dims": "[2: 2, 2]", "step": 8, "scale": 2, "limit": 2}
    assert assembled_fault(LISTED.format(**{**plain, **changes})).id == id_


def test_a_clip_that_leaves_nothing_may_begin_anywhere() -> None:
    dims = f"[2: {_FURTHEST}, 2 from r2] outside skip"
    text = LISTED.format(low=_FURTHEST, index=1, at="", dims=dims, step=8, scale=2, limit=2)
    run(isa.assemble("parameters 1\n" + text, "k.s"), _x())


def test_a_box_of_countless_pieces_is_refused_at_once() -> None:
    dims = (Dim(1 << 31, 4, 0), Dim(1 << 31, 4, 0), Dim(2, 0, 2))
    transfer = Xfer(element_bytes=2, source=End("device", 2), dest=End("lx"), dims=dims)
    assert fault(units(("load", [X_ADDRESS, transfer, HALT])), {"x": X}).id == "span-limit"
    dims = (Dim(4, 20, 0), Dim(1 << 20, 0, 0), Dim(1 << 20, 0, 4), Dim(3, 8, 8))
    transfer = Xfer(element_bytes=2, source=End("device", 2), dest=End("lx"), dims=dims)
    assert fault(units(("load", [X_ADDRESS, transfer, HALT])), {"x": X}).id == "out-of-lx"
    dims = (Dim(3, 4, 4), Dim(3000, 0, 4), Dim(3000, 0, 4), Dim(2, 4, 2))
    transfer = Xfer(element_bytes=2, source=End("device", 2), dest=End("lx"), dims=dims)
    assert fault(units(("load", [X_ADDRESS, transfer, HALT])), {"x": X}).id == "overlap"
    reads = LxOperand(None, 0, "i8", (4, 4, 4, 4), None, 0)
    stream = Stream(counts=(200, 200, 200, 200), inputs=(reads,), outputs=(replace(reads, strides=(1, 0, 0, 0)),))
    assert fault(units(("sfu", [stream, HALT])), {"x": X}).id == "overlap"
    dims = (Dim(2000, 2, 2500), Dim(2500, 2, 1))
    transfer = Xfer(element_bytes=1, source=End("device", 2), dest=End("lx"), dims=dims)
    many = np.zeros(10_000, np.uint8)
    assert fault(units(("load", [X_ADDRESS, transfer, HALT])), {"x": many}).id == "scattered-access"
    dims = (Dim(40, 2, 0), Dim(1 << 31, 0, 0), Dim(2, 0, 2))
    transfer = Xfer(element_bytes=2, source=End("device", 2), dest=End("lx"), dims=dims)
    assert fault(units(("load", [X_ADDRESS, transfer, HALT])), {"x": X}).id == "overlap"


def test_a_binary_gets_its_parameters() -> None:
    binary = units(("load", [HALT]))
    with pytest.raises(InvalidKernel, match="2 parameters for a binary with 0"):
        sim.execute(binary, assembled.device(), _x(), parameters=[0, 0], locations={})


def test_names_are_of_one_thing() -> None:
    double = units(("load", [HALT]), ("load", [HALT]), buffers=(Buffer("b", 0, 128, 1), Buffer("b", 128, 128, 1)))
    with pytest.raises(InvalidKernel) as caught:
        run(double, _x())
    assert [d.message for d in caught.value.diagnostics] == [
        "two programs for unit load",
        "two buffers are called 'b'",
    ]


def test_a_scratchpad_that_the_host_cannot_hold() -> None:
    with pytest.raises(OutOfResources, match="the host has no memory for an LX of"):
        run(units(("load", [HALT])), _x(), assembled.device(lx=1 << 62))


def test_only_the_first_places_are_listed() -> None:
    stores = [store(2, None, None, 4, offset=4 * k) for k in range(12)]
    clear = LxOperand(None, 0, "i8", (1,), None, 0)
    zero = Stream(counts=(4,), outputs=(clear,), micro_ops=(MicroOp("const", "i8", 0, immediate=0),))
    binary = units(
        ("sfu", [zero, post(0), HALT]),
        ("store", [X_ADDRESS, wait(0), *stores, HALT]),
        channels=(Channel("done", "sfu", "store", 0),),
        tiles=2,
    )
    warnings = run(binary, assembled.launch({"x": X}, tiles=2)).warnings
    assert [w.id for w in warnings[:-1]] == ["equal-writes"] * 8
    assert warnings[-1].message == "4 more places like these"


def test_every_id_has_a_row() -> None:
    """What looks like an id in the simulator's sources, tests included, is in the table of ids."""
    package = Path(sim.__file__).parent
    text = "".join(p.read_text() for p in package.glob("*.py"))
    raised = set(re.findall(r'UnitStops\(\s*"([a-z-]+)"', text)) | {rule.value for rule in Rule}
    raised |= set(re.findall(r'Fault\(\s*"([a-z-]+)"', text)) | {"wrong-device", "host-memory"}
    assert len(raised) > 15
    assert raised <= set(IDS)


def test_faults_of_several_units_are_reported_together_and_in_order() -> None:
    wrong = [i("divi", rd=1, ra=1, imm=0), HALT]
    with pytest.raises(InvalidKernel) as caught:
        run(units(("store", wrong), ("load", wrong), tiles=2), _x())
    assert [d.position.line for d in caught.value.diagnostics if d.position] == [1, 101]
    assert all("cores 0-1" in d.message for d in caught.value.diagnostics)
