"""Cycles: closed forms against naive models, sharing against its definition, pipelines against their slowest unit."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import assembled
import numpy as np
import pytest
from assembled import HALT, Kernel, add_rows, copy_rows, device, i, load, post, run, wait
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec import sim
from spyrec.device.model import Device, Link
from spyrec.isa import Binary, Channel, Dim, End, LxOperand, MicroOp, Stream, UnitProgram, Xfer
from spyrec.sim.boxes import Box, box
from spyrec.sim.report import render
from spyrec.sim.sharing import SharedLink
from spyrec.sim.transfer import moved_bytes

# Boxes.


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    rank = draw(st.integers(1, 4))
    counts = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    strides = tuple(draw(st.integers(-40, 40)) for _ in range(rank))
    return box(counts, strides, draw(st.sampled_from([1, 2, 4, 8])))


def touched(where: Box) -> list[int]:
    """The bytes of every element, one after the other."""
    found = []
    for index in np.ndindex(*where.counts):
        at = sum(k * s for k, s in zip(index, where.strides, strict=True))
        found.extend(range(at, at + where.element_bytes))
    return found


@settings(max_examples=300, deadline=None)
@given(boxes())
def test_the_bytes_of_a_box(where: Box) -> None:
    every = touched(where)
    assert [b for low, high in where.intervals for b in range(low, high)] == sorted(set(every))
    assert all(a[1] < b[0] for a, b in pairwise(where.intervals))
    assert (where.low, where.high, where.bytes) == (min(every), max(every) + 1, len(every))
    assert where.overlaps_itself == (len(set(every)) < len(every))


# Closed forms against step-by-step models.


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 5), st.integers(1, 6), st.integers(1, 200), st.integers(0, 300), st.integers(0, 300))
def test_moved_bytes_are_the_sticks_of_each_run(rows: int, planes: int, length: int, pitch: int, start: int) -> None:
    counts, strides = (planes, rows + 1, length), (5000, length + pitch, 1)
    sticks = 0
    for p in range(planes):
        if pitch == 0:
            first = start + p * 5000
            sticks += len({b // 128 for b in range(first, first + (rows + 1) * length)})
            continue
        for r in range(rows + 1):
            first = start + p * 5000 + r * strides[1]
            sticks += len({b // 128 for b in range(first, first + length)})
    assert moved_bytes(device(), [], "device", box(counts, strides, 1))(start) == 128 * sticks


@pytest.mark.parametrize("nbytes", [2, 128, 130, 256, 1000, 4096])
@pytest.mark.parametrize("cap", [64, 100, 256])
@pytest.mark.parametrize("bandwidth", [32, 128, 1000])
def test_a_transfer_on_its_own(nbytes: int, cap: int, bandwidth: int) -> None:
    """Cycle by cycle: start-up, then so many bytes per cycle as the narrowest part carries, then the links' latency."""
    dev = device(cap=cap, device_bandwidth=bandwidth)
    x = np.zeros(nbytes, np.uint8)
    code = (i("param", rd=2, imm=0), load(2, None, None, nbytes, element=1), HALT)
    cycles = run(Binary(units=(UnitProgram("load", 0, code),)), assembled.launch({"x": x}), dev).cycles
    sticks = len({b // 128 for b in range(nbytes)})
    left, steps = 128 * sticks, 0
    while left > 0:
        left -= min(cap, bandwidth)
        steps += 1
    scalars = 2
    assert cycles == scalars + dev.timing.transfer_startup + steps + 10 + 10


@pytest.mark.parametrize("counts", [(1,), (64,), (65,), (3, 40), (2, 3, 5, 7)])
def test_a_stream_on_its_own(counts: tuple[int, ...]) -> None:
    """A vector of lanes per cycle and micro-op; f32 has half the lanes, exp takes four times as long."""
    strides = tuple(4 * math.prod(counts[k + 1 :]) for k in range(len(counts)))
    half = tuple(s // 2 for s in strides)
    micro = (MicroOp("extf", "f32", 1, (0,)), MicroOp("exp", "f32", 2, (1,)), MicroOp("truncf", "f16", 3, (2,)))
    stream = Stream(
        counts=counts,
        inputs=(LxOperand(None, 0, "f16", half, None, 0),),
        outputs=(LxOperand(None, 8192, "f16", half, None, 3),),
        micro_ops=(*micro, MicroOp("const", "f16", 4, (), 0), MicroOp("addf", "f16", 3, (3, 4))),
    )
    points = math.prod(counts)
    fill = Xfer(element_bytes=2, source=End("fill"), dest=End("lx"), dims=(Dim(points, 0, 2),))
    binary = Binary(
        units=(UnitProgram("load", 0, (fill, post(0), HALT)), UnitProgram("sfu", 0, (wait(0), stream, HALT))),
        channels=(Channel("full", "load", "sfu", 0),),
    )
    with_stream = run(binary, assembled.launch({"x": np.zeros(1, np.uint8)})).cycles
    empty = replace(binary.units[1], code=(wait(0), HALT))
    without = run(
        replace(binary, units=(binary.units[0], empty)), assembled.launch({"x": np.zeros(1, np.uint8)})
    ).cycles
    cycles = 0
    for lanes, cost in ((32, 1), (32, 4), (32, 1), (64, 1)):
        left = points
        while left > 0:
            left -= lanes
            cycles += cost
    timing = device().timing
    assert with_stream - without == timing.scalar_cycles + timing.stream_startup + cycles


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 16, 17, 63, 64, 65, 300])
def test_a_long_loop_is_hardware_loops_in_one_another(count: int) -> None:
    """With counters to four: every start of one is a scalar instruction, and the program sees one counter."""
    four = replace(device(), limits=replace(device().limits, loop_count=4))

    def starts(iterations: int, width: int) -> int:
        """Of a hardware loop whose iterations are ``width`` of the program's, and of those inside of it."""
        rounds = [min(width, iterations - k) for k in range(0, iterations, width)]
        return 1 + (sum(starts(n, width // 4) for n in rounds) if width > 1 else 0)

    width = 1
    while 4 * width < count:
        width *= 4
    loop = assembled.loop(count, [i("mul", rd=4, ra=1, rb=1), i("add", rd=3, ra=3, rb=4)])
    total = sum(k * k for k in range(count))
    check = [i("eqi", rd=5, ra=3, imm=total), i("div", rd=6, ra=5, rb=5)]  # by zero, if it is another sum
    binary = Binary(units=(UnitProgram("load", 0, (*loop, *check, HALT)),))
    cycles = run(binary, assembled.launch({"x": np.zeros(1, np.uint8)}), four).cycles
    assert cycles == 1 + starts(count, width) + 2 * count + len(check)


# Sharing.


def naive_sharing(capacity: float, flows: list[tuple[float, float, float]]) -> list[float]:
    """Ends of (start, size, cap) flows: rates by definition, all of them worked out again at every event."""
    left = [size for _, size, _ in flows]
    ends = [math.inf] * len(flows)
    now = 0.0
    while any(e == math.inf for e in ends):
        active = [k for k, (start, _, _) in enumerate(flows) if start <= now and ends[k] == math.inf]
        rates = {}
        rest, members = capacity, len(active)
        for k in sorted(active, key=lambda k: flows[k][2]):
            rates[k] = min(flows[k][2], rest / members)
            rest -= rates[k]
            members -= 1
        events = [start for start, _, _ in flows if start > now]
        events += [now + left[k] / rates[k] for k in active]
        following = min(events)
        for k in active:
            left[k] -= rates[k] * (following - now)
            if left[k] < 1e-9:
                ends[k] = following
        now = following
    return ends


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(1, 400), st.sampled_from([3.0, 8.0, 40.0])), min_size=1, max_size=12
    )
)
def test_sharing_is_water_filling(flows: list[tuple[int, int, float]]) -> None:
    link: SharedLink[int] = SharedLink(16)
    ends = [0.0] * len(flows)
    waiting = sorted(range(len(flows)), key=lambda k: flows[k][0])
    while True:
        end = link.next_end()
        if waiting and (end is None or flows[waiting[0]][0] < end):
            k = waiting.pop(0)
            link.start(flows[k][0], flows[k][1], flows[k][2], k)
        elif end is not None:
            for k in link.finish(end):
                ends[k] = end
        else:
            break
    assert ends == pytest.approx(naive_sharing(16, [(float(a), float(b), c) for a, b, c in flows]), abs=1e-6)


def one_load(nbytes: int, tiles: int, dev: Device) -> sim.Result:
    """Every core loads its own ``nbytes`` at the same time."""
    code = (
        i("core", rd=3),
        i("muli", rd=3, ra=3, imm=nbytes),
        i("param", rd=2, imm=0),
        i("add", rd=2, ra=2, rb=3),
        load(2, None, None, nbytes),
        HALT,
    )
    binary = Binary(units=(UnitProgram("load", 0, code),), tiles=tiles)
    return run(binary, assembled.launch({"x": np.zeros(nbytes * tiles, np.uint8)}), dev)


def test_cores_share_memory_as_processor_sharing_says() -> None:
    """128 bytes per cycle for all, 100 for one alone: two cores get 64 each, one gets 100, a third as fast as two."""
    dev = device(cap=100)
    fixed = 5 + dev.timing.transfer_startup + 20
    assert one_load(12_800, 1, dev).cycles == fixed + 128
    assert one_load(12_800, 2, dev).cycles == fixed + 200
    assert one_load(12_800, 4, dev).cycles == fixed + 400


def test_a_late_core_takes_its_share_from_when_it_comes() -> None:
    """Core 1 starts 50 cycles later: core 0 has moved 50 * 100 bytes alone, then both get 64 per cycle, then core 1
    gets 100.
    """
    dev = device(cap=100)
    late = [i("addi", rd=4, ra=4, imm=1)] * 50
    code = (
        i("core", rd=3),
        i("brz", ra=3, target=2 + len(late)),
        *late,
        i("muli", rd=3, ra=3, imm=12_800),
        i("param", rd=2, imm=0),
        i("add", rd=2, ra=2, rb=3),
        load(2, None, None, 12_800),
        HALT,
    )
    binary = Binary(units=(UnitProgram("load", 0, code),), tiles=2)
    result = run(binary, assembled.launch({"x": np.zeros(25_600, np.uint8)}), dev)
    ends = [u["busy"] for u in result.report["units"]]
    fixed = 6 + dev.timing.transfer_startup + 20
    together = (12_800 - 5000) / 64
    assert ends[0] == math.ceil(fixed + 50 + together)
    alone = (12_800 - 64 * together) / 100
    assert ends[1] == math.ceil(fixed + 50 + together + alone)


def test_outstanding_transfers_hide_the_start_up() -> None:
    """One at a time pays start-up and latency for each; four in flight pay them once when the data takes longer."""
    x = np.zeros(8 * 4096, np.uint8)
    code = (i("param", rd=2, imm=0), *(load(2, None, None, 4096, offset=4096 * k, at=4096 * k) for k in range(8)), HALT)
    binary = Binary(units=(UnitProgram("load", 0, code),))
    timing = device().timing
    one = run(binary, assembled.launch({"x": x}), device(outstanding=1)).cycles
    four = run(binary, assembled.launch({"x": x}), device(outstanding=4)).cycles
    fixed = timing.transfer_startup + 20
    assert one == 1 + 8 * (1 + fixed + 32)
    assert four == 1 + 1 + fixed + 8 * 32


# Pipelines.


def per_row(dev: Device) -> float:
    """Cycles that one more row of the add costs once the pipeline, of depth 8, is full."""
    few, many = 20, 60
    cycles = [add_rows(rows=rows, n=1024, tiles=1, depth=8).run(dev).cycles for rows in (few, many)]
    return (cycles[1] - cycles[0]) / (many - few)


def test_a_deep_pipeline_runs_at_the_rate_of_its_slowest_unit() -> None:
    """A row is 2 KiB. Loading two takes 4096 / 256 cycles, adding 1024 / 64 and start-up, storing 2048 / 128, if memory
    has room for all; otherwise memory's 6144 bytes per row decide.
    """
    wide = device(device_bandwidth=4096, transfer_startup=0, scalar_cycles=0, lx=1 << 20)
    adding = 1024 // 64 + wide.timing.stream_startup
    assert per_row(wide) == adding
    quick = device(device_bandwidth=4096, transfer_startup=0, scalar_cycles=0, stream_startup=0, lx=1 << 20)
    assert per_row(quick) == 16
    slow_links = device(device_bandwidth=4096, cap=64, transfer_startup=0, scalar_cycles=0, lx=1 << 20)
    assert per_row(slow_links) == 4096 / 64
    narrow = device(device_bandwidth=64, transfer_startup=0, scalar_cycles=0, lx=1 << 20)
    assert per_row(narrow) == pytest.approx(6144 / 64)


def test_deeper_buffers_are_not_slower() -> None:
    cycles = [add_rows(rows=40, n=512, tiles=1, depth=d).run().cycles for d in (1, 2, 3, 4)]
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[0] > 1.5 * cycles[3]


@pytest.mark.parametrize("maker", [add_rows, copy_rows])
def test_more_bandwidth_is_not_slower_on_one_core(maker: Callable[..., Kernel]) -> None:
    for n in (64, 200, 1000):
        kernel = maker(rows=12, n=n, tiles=1)
        cycles = [kernel.run(device(device_bandwidth=b)).cycles for b in (16, 32, 64, 128, 256, 512)]
        assert cycles == sorted(cycles, reverse=True)


# Reports.


@pytest.mark.parametrize("shuffle", [None, 4, 5])
def test_busy_waiting_and_idle_add_up(shuffle: int | None) -> None:
    result = add_rows(rows=9, n=300, tiles=3).run(shuffle=shuffle)
    for unit in result.report["units"]:
        assert min(unit["busy"], unit["idle"], *unit["waiting"].values(), 0) == 0
        assert unit["busy"] + unit["idle"] + sum(unit["waiting"].values()) == result.cycles
    assert json.loads(json.dumps(result.report)) == result.report


def test_a_unit_waits_for_the_channel_that_holds_it_up() -> None:
    """A slow load: the vector unit waits for y, which is loaded last, and the load unit for nobody."""
    result = add_rows(rows=20, n=512, tiles=1).run(device(cap=16))
    units = {u["unit"]: u for u in result.report["units"]}
    assert max(units["sfu"]["waiting"], key=units["sfu"]["waiting"].get) in ("x_full", "y_full")
    assert units["load"]["busy"] > 0.9 * result.cycles
    assert set(units["store"]["waiting"]) == {"z_full"}


def test_a_unit_is_busy_while_its_transfer_is_in_flight() -> None:
    """The load unit blocks on a channel before its transfer is complete; only what comes after that is waiting."""
    slow = [i("addi", rd=4, ra=4, imm=1)] * 400
    binary = Binary(
        units=(
            UnitProgram("load", 0, (i("param", rd=2, imm=0), load(2, None, None, 1280), wait(0), HALT)),
            UnitProgram("sfu", 0, (*slow, post(0), HALT)),
        ),
        channels=(Channel("go", "sfu", "load", 0),),
    )
    result = run(binary, assembled.launch({"x": np.zeros(1280, np.uint8)}))
    complete = 2 + 32 + 10 + 20
    assert result.cycles == 401 + 10
    assert result.report["units"][0] == {
        "core": 0,
        "unit": "load",
        "instructions": 4,
        "busy": complete,
        "idle": 0,
        "waiting": {"go": 411 - complete},
        "waiting_on": {"sfu": 411 - complete},
    }


def test_a_stream_starts_when_its_own_units_transfers_are_complete() -> None:
    dev = device()
    dev = replace(dev, links=(*dev.links, Link("ddr", "sfu", 256, (), 10, None), Link("sfu", "lx", 256, (), 10, None)))
    stream = Stream(
        counts=(64,),
        inputs=(LxOperand(None, 0, "f16", (2,), None, 0),),
        outputs=(LxOperand(None, 128, "f16", (2,), None, 1),),
        micro_ops=(MicroOp("negf", "f16", 1, (0,)),),
    )
    code = (i("param", rd=2, imm=0), load(2, None, None, 128), stream, HALT)
    result = run(Binary(units=(UnitProgram("sfu", 0, code),)), assembled.launch({"x": np.zeros(128, np.uint8)}), dev)
    assert result.cycles == 2 + 32 + 1 + 20 + 1 + 8 + 1


def test_useful_and_moved_bytes() -> None:
    result = add_rows(rows=1, n=65, tiles=4).run()
    memory = result.report["memory"]
    assert memory["device"]["read"] == {"useful": 2 * 4 * 130, "asked": 2 * 4 * 130, "moved": 2 * 4 * 256}
    assert memory["device"]["written"] == {"useful": 4 * 130, "asked": 4 * 130, "moved": 4 * 256}
    assert memory["lx"]["read"]["useful"] == 3 * 4 * 130


def test_the_text_is_made_from_the_data() -> None:
    report = add_rows(rows=5).run().report
    text = render(json.loads(json.dumps(report)))
    assert f"{report['cycles']} cycles" in text
    assert "@sfu" in text
    assert "LX: 768 of 65536 bytes in 3 buffers; 768 in use at once, by x, y, z" in text
    assert "mean nothing" in render(add_rows(rows=2).run(shuffle=7).report)


def test_the_same_seed_gives_the_same_cycles_and_another_one_others() -> None:
    kernel = add_rows(rows=8)
    assert len({kernel.run(shuffle=3).cycles for _ in range(3)}) == 1
    assert len({kernel.run(shuffle=seed).cycles for seed in range(6)}) > 3


@pytest.mark.parametrize("shuffle", [None, 1, 2, 3])
def test_transfers_of_a_unit_complete_in_order(shuffle: int | None) -> None:
    trace = sim.Trace()
    copy_rows(rows=30, tiles=1, depth=4).run(shuffle=shuffle, trace=trace)
    for unit in (0, 1):
        ends = [until for _, u, _, _, until in trace._spans if u == unit]
        assert ends == sorted(ends)


def test_vectors_of_random_programs_agree_plain_and_shuffled() -> None:
    """Random row counts, sizes and depths, in one go: the harness compares outputs each time."""
    chooser = random.Random(11)
    for _ in range(12):
        maker: Callable[..., Kernel] = chooser.choice([add_rows, copy_rows])
        kernel = maker(
            rows=chooser.randrange(1, 9),
            n=chooser.choice([1, 10, 63, 65, 200]),
            tiles=chooser.randrange(1, 5),
            depth=chooser.randrange(1, 5),
        )
        kernel.run()
        kernel.run(shuffle=chooser.randrange(1000))
