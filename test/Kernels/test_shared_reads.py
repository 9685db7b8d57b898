"""Kernels whose tiles load the same boxes, with one core loading for all: the same bits at every stage and for every
timing, less traffic, and no synchronisation that is not needed.
"""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
from layer_lines import LayerLine
from layers import Case, Values, pointwise, products, reductions
from test_mutants import SHUFFLES, without_channel

from spyrec import driver, isa, sim
from spyrec.driver import execute
from spyrec.errors import InvalidKernel, SpyrecError

ALWAYS = "share-reads{percent=1000000}"
CASES: dict[str, Case] = {
    "outside of loops": products.swiglu(8, 32, 64, 4, "hand"),
    "rows that are no sticks": products.swiglu(9, 20, 33, 3, "triton"),
    "in a loop": products.flash(64, 64, 16, 16, "hand"),
    "in a loop, odd sizes": products.flash(60, 40, 20, 12, "inductor"),
    "rows and columns of a grid": products.matmul(64, 128, 256, (32, 64, 64), "hand"),
    "and a row of each column": products.matmul(64, 128, 256, (32, 32, 64), "hand", "f16", epilogue=True),
    "a vector for all": pointwise.bias(16, 128, 4, "hand"),
    "rows in loops": reductions.norm(32, 64, "f16", 4, "inductor", mean=True),
}
ROOM = {
    "in a loop, as far ahead as it goes": ("in a loop", 64),
    "in a loop, into the buffer itself": ("in a loop", 24),
    "in a loop, one slot": ("in a loop", 14),
    "a grid, into the buffers themselves": ("rows and columns of a grid", 32),
    "a grid, one slot and two": ("rows and columns of a grid", 28),
    "a grid, one slot": ("rows and columns of a grid", 22),
}
"""KiB of LX with which owners do it in the three ways that there are."""
NAMES = sorted([*CASES, *ROOM])


def bits(values: Values) -> dict[str, bytes]:
    return {name: np.asarray(value).tobytes() for name, value in values.items()}


@functools.cache
def line(name: str, *tuning: str) -> LayerLine:
    case, room = ROOM.get(name, (name, None))
    return LayerLine(CASES[case], tuning=tuning, settings=(f"device.lx.size={room}KiB",) if room else ())


def test_the_ways_are_three() -> None:
    """A buffer of the owner's own, and one credit more than slots that are filled."""
    seen = {}
    for name in ROOM:
        text = line(name, ALWAYS).compile("program").text
        assert text is not None
        credits = re.findall(r"_room from @ring to @ring \{init = (\d)", text)
        seen[name] = "_own_" in text, "".join(credits)
    assert list(seen.values()) == [(True, "1"), (False, "1"), (False, "0"), (False, "11"), (False, "10"), (False, "00")]


@functools.cache
def alone(name: str) -> dict[str, bytes]:
    return bits(line(name, "share-reads=off").binary())


@pytest.mark.parametrize("name", NAMES)
def test_every_stage_gives_the_bits_of_tiles_that_load_for_themselves(name: str) -> None:
    shared = line(name, ALWAYS)
    for stage in ("schedule", "program"):
        for seed in (None, 1, 2):
            assert bits(shared.at_stage(stage, seed=seed)) == alone(name), (stage, seed)
    for shuffle in (None, *range(20)):
        assert bits(shared.binary(shuffle=shuffle)) == alone(name), shuffle


@pytest.mark.parametrize("name", NAMES)
def test_the_binary_reads_back(name: str) -> None:
    program = line(name, ALWAYS).artifact.program
    assert isa.assemble(isa.disassemble(program)) == program


@pytest.mark.parametrize("name", NAMES)
def test_less_comes_from_device_memory(name: str) -> None:
    reports = [
        execute.run_binary(one.artifact, one.launch()).report
        for one in (line(name, "share-reads=off"), line(name, ALWAYS))
    ]
    before, after = (report["memory"]["device"]["read"] for report in reports)
    assert after["asked"] < before["asked"]
    assert after["useful"] == before["useful"]


@pytest.mark.parametrize(
    "name",
    ["in a loop", "in a loop, odd sizes", "rows and columns of a grid", "and a row of each column", *sorted(ROOM)],
)
def test_each_channel_is_needed(name: str) -> None:
    shared = line(name, ALWAYS)
    program = shared.artifact.program
    for number, channel in enumerate(program.channels):
        faults = [fault(shared, without_channel(program, number), shuffle) for shuffle in SHUFFLES]
        assert all(faults), f"without {channel.name}: {faults}"


def fault(shared: LayerLine, binary: object, shuffle: int | None) -> str | None:
    launch = shared.launch()
    try:
        sim.execute(
            binary, shared.artifact.device, launch, parameters=shared.artifact.parameters(launch), shuffle=shuffle
        )
    except InvalidKernel as error:
        return error.diagnostics[0].id
    return None


@pytest.mark.parametrize("wrong", ["init = 2", "init = 0"])
def test_the_check_of_programs_knows_how_much_room_there_is(wrong: str) -> None:
    """With one more credit a box is overwritten; with one less everybody waits for ever."""
    text = line("in a loop", ALWAYS).compile("program").text
    assert text is not None
    changed = re.sub(r"(@\w+_room from @ring to @ring \{)init = 1", rf"\1{wrong}", text)
    assert changed != text
    options = driver.Options(from_stage="program", emit="spyrecode")
    with pytest.raises(SpyrecError) as caught:
        driver.compile_text(changed, "changed.mlir", options)
    assert caught.value.diagnostics[0].id == ("race" if wrong == "init = 2" else "deadlock")


def test_what_is_made_stands_where_the_read_stood() -> None:
    case = CASES["in a loop"]
    compiled = line("in a loop", ALWAYS).compile("schedule")
    loads = {k for k, row in enumerate(case.text.splitlines(), 1) if "ktdp.load" in row}
    found = [
        str(op.location)
        for op in operations(compiled.module.operation)
        if op.name in ("dataflow.post", "dataflow.wait") or "put_to" in str(op)
    ]
    assert found
    for location in found:
        rows = {int(n) for n in re.findall(r"mlir\":(\d+):", location)}
        assert rows & loads, location


def operations(op: object) -> list[object]:
    found = []

    def visit(inner: object) -> None:
        for region in inner.regions:
            for block in region.blocks:
                for view in block.operations:
                    found.append(view.operation)
                    visit(view.operation)

    visit(op)
    return found


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_bound_goes_on_behind_the_ring(name: str) -> None:
    """A tile's load comes before its compute also where another core does it, and no run is faster than its bound."""
    seen = line(name, ALWAYS)
    report = execute.run_binary(seen.artifact, seen.launch()).report
    assert report["bound"]["cycles"] <= report["cycles"]
    units = [resource for resource in report["bound"]["resources"] if resource["name"].startswith("units")]
    assert any(resource["edges"] > 0 for resource in units)
