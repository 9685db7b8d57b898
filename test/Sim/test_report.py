"""The report: numbers that add up, bytes counted once, and a bound that no run beats."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from assembled import HALT, Kernel, add_rows, copy_rows, device, launch, load, run
from lines import LINES, Line

from spyrec import isa, sim
from spyrec.device import read
from spyrec.sim.report import render

sys.path.insert(0, str(Path(__file__).parents[1] / "Target"))

from by_hand import PROGRAMS
from target import Program


def report(kernel: Kernel, **numbers: int) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(kernel.run(device(**numbers)).report))
    assert made["schema"] == 3
    return made


def resource(made: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [r for r in made["bound"]["resources"] if r["name"] == name]
    return dict(found)


def test_waiting_names_whom() -> None:
    made = report(add_rows(rows=6))
    for row in made["units"]:
        assert sum(row["waiting"].values()) == sum(row["waiting_on"].values())
        assert row["busy"] + row["idle"] + sum(row["waiting"].values()) == made["cycles"]
    sfu = next(row for row in made["units"] if row["unit"] == "sfu")
    assert set(sfu["waiting_on"]) <= {"load", "store"}
    assert sfu["waiting_on"]["load"] > 0


def test_a_byte_that_every_core_reads_is_useful_once() -> None:
    """All cores read the same rows: what is asked for grows with the cores, what is useful does not."""
    tiles, rows = 4, 3
    kernel = copy_rows(rows=rows, tiles=1)
    shared = replace(kernel.binary, tiles=tiles)
    same = tuple(
        isa.Instruction("li", rd=30, imm=0) if ins.op == "core" and unit.kind == "load" else ins
        for unit in shared.units
        for ins in unit.code
    )
    split = len(shared.units[0].code)
    units = tuple(replace(u, code=code) for u, code in zip(shared.units, (same[:split], same[split:]), strict=True))
    arrays = {"x": kernel.arrays["x"], "z": kernel.arrays["x"].repeat(tiles, axis=0)}
    bound = launch(arrays, ("z",), tiles)
    made = run(replace(shared, units=units), bound).report
    size = rows * 128
    assert made["memory"]["device"]["read"] == {"useful": size, "asked": tiles * size, "moved": tiles * size}
    assert made["memory"]["device"]["written"] == {"useful": tiles * size, "asked": tiles * size, "moved": tiles * size}
    assert resource(made, "memory ddr")["amount"] == size + tiles * size
    links = {(k["source"], k["target"]): (k["useful"], k["asked"]) for k in made["links"]}
    assert links["ddr", "load"] == links["load", "lx"] == (size, tiles * size)
    assert links["lx", "store"] == links["store", "ddr"] == (tiles * size, tiles * size)
    assert resource(made, "link ddr to load")["amount"] == size
    loads, stores = sorted(made["transfers"], key=lambda t: t["way"])
    assert (loads["cores"], loads["times"], loads["boxes"], loads["shared"]) == (tiles, tiles * rows, rows, rows)
    assert (stores["cores"], stores["boxes"], stores["shared"]) == (tiles, tiles * rows, 0)
    (why,) = reasons(made)
    assert why == f"@load moves {tiles * size} bytes: {tiles} cores read the same bytes"


def reasons(made: dict[str, Any]) -> list[str]:
    """What the text says of bytes that move and are not useful, without places in a kernel's text."""
    _, head, rest = render(made).partition("more is moved than is useful:\n")
    assert bool(head) == bool(rest)
    return [line[line.index("@") :] for line in rest.split("\n\n")[0].splitlines()]


@pytest.mark.parametrize(
    ("transfers", "says"),
    [
        (["xfer 2 device[r1] to lx[0] [64: 2, 2]"], []),
        (
            ["xfer 2 device[r1] to lx[0] [64: 2, 2]", "xfer 2 device[r1] to lx[0] [64: 2, 2]"],
            [],  # two instructions: each moves it once
        ),
        (
            ["xfer 2 device[r1] to lx[0] [4: 128, 20] [10: 2, 2]"],
            ["moves 512 bytes: it asks for 80 in runs of 20, and whole grains of 128 bytes move"],
        ),
        (
            ["xfer 2 device[r1 + 64] to lx[0] [64: 2, 2]"],
            [
                "moves 256 bytes: it asks for 128 in runs that begin inside of a grain,"
                " and whole grains of 128 bytes move"
            ],
        ),
        (
            ["xfer 2 device[r1] to lx[0] [64: 2, 2 from r2 below r3] outside fill 0x0"],
            [
                "moves 184 bytes: it asks for 56, 1 of 1 times for a clipped box, and whole grains of 128 bytes move;"
                " 56 of them for the fill of clipped boxes"
            ],
        ),
    ],
)
def test_why_more_moves_than_is_useful(transfers: list[str], says: list[str]) -> None:
    lines = "\n  ".join(transfers)
    binary = isa.assemble(
        f"parameters 1\nunit load\n  param r1, 0\n  li r2, 4\n  li r3, 32\n  {lines}\n  halt\n", "k.s"
    )
    made = run(binary, launch({"x": np.zeros(512, np.float16)}), device()).report
    assert reasons(made) == [f"@load {line}" for line in says]
    assert sum(t["moved"] for t in made["transfers"]) == made["memory"]["device"]["read"]["moved"]
    assert sum(t["asked"] for t in made["transfers"]) == made["memory"]["device"]["read"]["asked"]


def test_a_box_that_one_core_reads_again_is_said() -> None:
    made = report(copy_rows(rows=3, tiles=1))
    assert reasons(made) == []
    loop = "li r2, 5\n  loop r3, r2, end\n  xfer 2 device[r1] to lx[0] [64: 2, 2]\nend:\n  endloop\n  halt\n"
    binary = isa.assemble(f"parameters 1\nunit load\n  param r1, 0\n  {loop}", "k.s")
    made = run(binary, launch({"x": np.zeros(64, np.float16)}), device()).report
    assert reasons(made) == ["@load moves 640 bytes: each of 1 boxes is read 5 times"]


def test_a_link_has_bytes_of_its_own() -> None:
    """Two kinds of units load, one row each and the same row twice: each link carries what its units have read."""
    dev = device()
    other = replace(dev.units["load"], kind="fetch")
    paths = (replace(dev.links[0], target="fetch"), replace(dev.links[1], source="fetch"))
    dev = replace(dev, units={**dev.units, "fetch": other}, links=(*dev.links, *paths))
    param = isa.Instruction("param", rd=2, imm=0)
    fill = isa.Xfer(element_bytes=2, source=isa.End("fill"), dest=isa.End("lx"), dims=(isa.Dim(8, 0, 2),))
    first = (param, load(2, None, None, 128), load(2, None, None, 128, at=256), HALT)
    second = (param, load(2, None, None, 256, at=512), replace(fill, dest=isa.End("lx", None, 1024)), HALT)
    binary = isa.Binary(units=(isa.UnitProgram("load", 0, first), isa.UnitProgram("fetch", 0, second)))
    made = run(binary, launch({"x": np.zeros(128, np.float16)}), dev).report
    links = {(k["source"], k["target"]): (k["useful"], k["asked"], k["moved"]) for k in made["links"]}
    assert links["ddr", "load"] == (128, 256, 256)
    assert links["ddr", "fetch"] == (256, 256, 256)
    assert links["fetch", "lx"] == (256 + 16, 256 + 16, 256 + 16)
    assert made["memory"]["device"]["read"] == {"useful": 256, "asked": 512, "moved": 512}


def test_links_carry_what_transfers_ask_for() -> None:
    made = report(add_rows(rows=4, n=65, tiles=2))
    carried = {(k["source"], k["target"]): (k["asked"], k["moved"]) for k in made["links"]}
    assert carried["ddr", "load"] == carried["load", "lx"] == (2 * 2 * 4 * 130, 2 * 2 * 4 * 256)
    assert carried["lx", "store"] == carried["store", "ddr"] == (2 * 4 * 130, 2 * 4 * 256)


def test_the_bound_by_hand() -> None:
    """10 rows of 128 bytes in and out on one core; 128 bytes a cycle; adds of 64 lanes."""
    made = report(copy_rows(rows=10, tiles=1))
    memory = resource(made, "memory ddr")
    assert (memory["amount"], memory["peak"], memory["cycles"], memory["edges"]) == (2560, 128, 20, 32)
    # load and store, each 32 to start, 20 on the links, 1 for 128 bytes; 10 from post to wait
    assert made["bound"]["tile"] == 53 + 10 + 53
    assert made["bound"]["cycles"] == 116
    assert made["bound"]["limit"] == "one tile"
    made = report(copy_rows(rows=1000, tiles=1))
    assert made["bound"]["cycles"] == 2000 + 32
    assert made["bound"]["limit"] == "memory ddr"
    assert made["bound"]["ratio"] == pytest.approx(made["cycles"] / 2032)


def test_lanes_bound_a_kernel_that_computes() -> None:
    made = report(add_rows(rows=50, n=6400, tiles=1), lx=1 << 18, device_bandwidth=100_000, cap=100_000)
    assert made["bound"]["limit"] == "units sfu"
    lanes = resource(made, "units sfu")
    assert lanes["amount"] == 50 * 6400
    assert lanes["cycles"] == 50 * 6400 / (64 * 2)  # both corelets could work
    assert lanes["edges"] > 0


@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("name", ["spyre", "fast_memory"])
def test_no_run_beats_its_bound(line: Line, name: str) -> None:
    artifact = line.artifact
    bank = line.launch()
    made = sim.execute(
        artifact.program, read.load(name), bank, parameters=artifact.parameters(bank), locations=artifact.locations
    ).report
    assert made["bound"]["cycles"] <= made["cycles"]
    assert made["bound"]["ratio"] >= 1


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_no_program_by_hand_beats_its_bound(program: Program) -> None:
    made = program.binary(program.artifact())[1].report
    assert 0 < made["bound"]["cycles"] <= made["cycles"]


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("bandwidth", [8, 128, 4096])
def test_no_hand_written_run_beats_its_bound(depth: int, bandwidth: int) -> None:
    for rows in (1, 2, 9):
        for maker in (copy_rows, add_rows):
            made = report(maker(rows=rows, tiles=3, depth=depth), device_bandwidth=bandwidth)
            assert made["bound"]["cycles"] <= made["cycles"]


MIXED = """
channel small from load to sfu init 0
channel big from load to store init 0
channel done from sfu to store init 0
unit load
  param r1, 0
  param r2, 1
  xfer 2 device[r1] to lx[0] [64: 2, 2]
  post small
  li r5, 16
  loop r6, r5, end
  muli r7, r6, 1024
  add r8, r2, r7
  xfer 2 device[r8] to lx[r7 + 8192] [512: 2, 2]
  post big
end:
  endloop
  halt
unit sfu
  {first}
  stream [64, 64]
    in v0: f16 lx[{of}] [0, 2]
    v1: f16 exp v0
    out v1: f16 lx[32768] [128, 2]
  end
  post done
  {then}
  halt
unit store
  param r3, 2
  {early}
  li r5, 16
  loop r6, r5, end
  muli r7, r6, 1024
  add r8, r3, r7
  wait big
  xfer 2 lx[r7 + 8192] to device[r8] [512: 2, 2]
end:
  endloop
  {late}
  xfer 2 lx[32768] to device[r3 + 16384] [64: 2, 2]
  halt
"""


@pytest.mark.parametrize("bandwidth", [8, 128, 4096])
@pytest.mark.parametrize(
    "order",
    [
        # 16 KiB are copied while one row is computed with: neither waits for the other.
        {"first": "wait small", "of": "0", "then": "", "early": "", "late": "wait done"},
        # What is computed needs nothing of what is loaded, though a channel joins the two.
        {"first": "stream [64]\n v0: f16 const 0\n out v0: f16 lx[4096] [2]\n end", "of": "4096", "then": "wait small",
         "early": "wait done", "late": ""},
    ],
)  # fmt: skip
def test_what_runs_side_by_side_is_not_one_tiles_way(order: dict[str, str], bandwidth: int) -> None:
    x, big, y = (np.zeros(n, np.float16) for n in (64, 8192, 8192 + 64))
    given = launch({"x": x, "big": big, "y": y}, ("y",))
    binary = isa.assemble("parameters 3" + MIXED.format(**order), "k.s")
    made = run(binary, given, device(device_bandwidth=bandwidth, lx=1 << 17)).report
    assert made["bound"]["cycles"] <= made["cycles"]


def test_the_order_of_streams_does_not_change_the_bound() -> None:
    """A short copy, in which no lane works, and a long sum."""
    streams = [
        "stream [64]\n in v0: f16 lx[0] [2]\n out v0: f16 lx[8192] [2]\n end",
        "stream [32, 64]\n in v0: f16 lx[0] [0, 2]\n v1: f16 addf v0, v0\n out v1: f16 lx[1024] [128, 2]\n end",
    ]
    tiles = []
    for order in (streams, streams[::-1]):
        code = "\n".join(order)
        text = f"""
parameters 1
channel full from load to sfu init 0
unit load
  param r1, 0
  xfer 2 device[r1] to lx[0] [64: 2, 2]
  post full
  halt
unit sfu
  wait full
  {code}
  halt
"""
        made = run(isa.assemble(text, "k.s"), launch({"x": np.zeros(64, np.float16)})).report
        tiles.append(made["bound"]["tile"])
    assert tiles[0] == tiles[1] == 53 + 10 + 8


def test_every_corelets_load_unit_has_a_link_of_its_own() -> None:
    dev = device(device_bandwidth=4096)
    dev = replace(dev, units={**dev.units, "load": replace(dev.units["load"], level="corelet")})
    unit = "unit load {corelet}\n  param r1, {n}\n  xfer 2 device[r1] to lx[{at}] [8192: 2, 2]\n  halt\n"
    text = "parameters 2\n" + "".join(
        unit.format(corelet=f"corelet {n}" if n else "", n=n, at=16384 * n) for n in (0, 1)
    )
    x = np.zeros(8192, np.float16)
    made = run(isa.assemble(text, "k.s"), launch({"x": x, "y": x}), dev).report
    assert resource(made, "link ddr to load")["peak"] == 2 * 256
    assert made["bound"]["cycles"] <= made["cycles"]


def test_a_matrix_unit_with_fewer_lanes_than_cells() -> None:
    """Each cell does one multiply-add a cycle."""
    dev = device()
    dev = replace(dev, units={**dev.units, "pt": replace(dev.units["pt"], lanes={"f16": 4})})
    text = """
parameters 1
channel full from load to pt init 0
unit load
  param r1, 0
  xfer 2 device[r1] to lx[0] [1024: 2, 2]
  post full
  halt
unit pt
  wait full
  contract [32, 32, 32] zero
    lhs f16 lx[0] [64, 0, 2]
    rhs f16 lx[0] [0, 2, 64]
    acc f32 lx[4096] [128, 4, 0]
  end
  halt
"""
    made = run(isa.assemble(text, "k.s"), launch({"x": np.zeros(1024, np.float16)}), dev).report
    assert resource(made, "units pt")["peak"] == 2 * 64
    assert made["bound"]["cycles"] <= made["cycles"]


def test_lx_in_use_at_once() -> None:
    made = report(add_rows(rows=5))["lx"]
    assert (made["reserved"], made["peak"], made["at"]) == (768, 768, ["x", "y", "z"])
    assert all(b["first"] < b["last"] for b in made["buffers"])
    one = report(add_rows(rows=0))["lx"]
    assert (one["reserved"], one["peak"], one["at"]) == (768, 0, [])
    assert all(b["first"] is None for b in one["buffers"])


def test_lists_of_indices_and_scalars_are_in_use_when_they_are_read() -> None:
    text = """
parameters 1
buffer list address 0 slots 1 bytes 128
buffer rows address 128 slots 1 bytes 128
buffer scalar address 256 slots 1 bytes 128
unit load
  param r1, 0
  li r2, 256
  xfer 4 device[r1] to lx[0 in list] [2: 4, 4]
  xfer 4 device[r1] to lx[256 in scalar] [1: 4, 4]
  xfer 4 device[r1] to lx[128 in rows] [2: 4, 16] [4: 4, 4] index source i32 lx[0 in list] [4, 0] scale 4 below [2]
  sload r3, r2, 4 in scalar
  halt
"""
    made = run(isa.assemble(text), launch({"x": np.array([1, 0, 2, 3, 4, 5, 6, 7], np.int32)})).report
    listed, rows, scalar = made["lx"]["buffers"]
    assert listed["last"] == rows["last"]
    assert scalar["last"] == made["cycles"]
    assert made["lx"]["peak"] == 3 * 128


def test_a_stage_has_numbers_of_its_own() -> None:
    """Each of 28 rows of 128 bytes goes into it and out of it twice; its buffers have the addresses of those of LX."""
    program = next(p for p in PROGRAMS if p.name == "staged")
    made = program.binary(program.artifact())[1].report
    moved = 28 * 128
    assert {name: row["read"]["asked"] for name, row in made["memory"].items()} == {
        "device": moved, "lx": 2 * moved, "l1": 2 * moved
    }  # fmt: skip
    assert made["memory"]["l1"]["written"] == {"useful": 2 * moved, "asked": 2 * moved, "moved": 2 * moved}
    assert len(made["links"]) == 8
    assert all(link["useful"] == link["asked"] == link["moved"] == moved for link in made["links"])
    stage = made["stages"]["l1"]
    assert (stage["size"], stage["reserved"], stage["peak"], stage["at"]) == (65536, 512, 512, ["x1", "y1"])
    assert (made["lx"]["reserved"], made["lx"]["at"]) == (512, ["x", "y"])
    assert "l1: 512 of 65536 bytes in 2 buffers; 512 in use at once, by x1, y1" in render(made)
    assert "l1 written" in render(made)
    # One tile: five transfers and streams one after the other, as channels join them.
    transfers = 2 * (32 + 40 + 1) + 2 * (32 + 8 + 2)  # start-up, latencies, 128 bytes at 128 or 64 a cycle
    timing = program.device().timing
    assert made["bound"]["tile"] == transfers + timing.stream_startup + 2 + 4 * timing.post_latency


def test_cores_have_a_part_each_of_a_stage_that_they_share() -> None:
    program = next(p for p in PROGRAMS if p.name == "shared_stage")
    made = program.binary(program.artifact())[1].report
    assert made["stages"]["l2"]["size"] == 65536
    assert made["stages"]["l2"]["reserved"] == 512


def test_buffers_that_follow_one_another_are_not_in_use_at_once() -> None:
    """x goes to one buffer and out again before a second buffer is used."""
    first = copy_rows(rows=3, tiles=1)
    buffer = first.binary.buffers[0]
    second = replace(buffer, name="c", address=buffer.end)

    def moved(code: tuple[isa.Instruction, ...]) -> list[isa.Instruction]:
        """The same loop again on the second buffer, behind ``code``."""
        size, again = len(code) - 1, []
        for ins in code[:-1]:
            if isinstance(ins, isa.Xfer):
                source, dest = ins.source, ins.dest
                source = replace(source, buffer=1, offset=buffer.end) if source.space == "lx" else source
                dest = replace(dest, buffer=1, offset=buffer.end) if dest.space == "lx" else dest
                again.append(replace(ins, source=source, dest=dest))
            elif ins.op == "loop":
                again.append(replace(ins, target=ins.target + size))
            else:
                again.append(ins)
        return [*code[:-1], *again, code[-1]]

    load, store = first.binary.units
    both = isa.Channel("again", "store", "load", 0)
    wait, post = isa.Instruction("wait", channel=2), isa.Instruction("post", channel=2)

    def split(unit: isa.UnitProgram, between: isa.Instruction) -> isa.UnitProgram:
        code, size = moved(unit.code), len(unit.code) - 1
        shifted = [replace(i, target=i.target + 1) if i.op == "loop" else i for i in code[size:]]
        return replace(unit, code=(*code[:size], between, *shifted))

    binary = replace(
        first.binary,
        units=(split(load, wait), split(store, post)),
        channels=(*first.binary.channels, both),
        buffers=(buffer, second),
    )
    made = Kernel(binary, first.arrays, first.expected).run().report["lx"]
    assert (made["reserved"], made["peak"]) == (512, 256)
    assert len(made["at"]) == 1


def test_the_text_has_the_bound_and_whom_units_wait_for() -> None:
    text = render(report(add_rows(rows=5)))
    assert "at least " in text
    assert "@load: " in text
    assert "memory ddr" in text
