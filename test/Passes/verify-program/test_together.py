"""Cores with numbers of the launch are run together, nothing is looked for twice, and that changes no verdict."""

from __future__ import annotations

import random

import numpy as np
import pytest

from spyrec import asm
from spyrec.device import read
from spyrec.dialects import make_context
from spyrec.mlir import ir
from spyrec.passes.analysis.dry_run import check, memory, scalars
from spyrec.passes.analysis.dry_run.machine import Run

PROGRAM = """\
func.func @kernel(%x: index, %y: index, %n: index) attributes {{grid = [{cores}]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dataflow.buffer @b {{address = 0, slot_bytes = 128, depth = 2}}
  dataflow.channel @full from @load to @store {{init = 0}}
  {channel}
  dataflow.program_unit @load(%core) {{
    %trips = affine.apply affine_map<(n)[c] -> ({trips})>(%n)[%core]
    scf.for %i = %c0 to %trips step %c1 {{
      %at = affine.apply affine_map<(i)[c] -> ((i * 32 + c) * 128)>(%i)[%core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      {wait}
      dataflow.transfer @device[%at from %x] strides [2] to @lx[%slot in @b] strides [2] counts [64]
        {{element_bytes = 2}}
      dataflow.post @full
    }}
  }}
  dataflow.program_unit @store(%core) {{
    %trips = affine.apply affine_map<(n)[c] -> ({trips})>(%n)[%core]
    scf.for %i = %c0 to %trips step %c1 {{
      %at = affine.apply affine_map<(i)[c] -> ((i * 32 + c) * 128)>(%i)[%core]
      %slot = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.wait @full
      dataflow.transfer @lx[%slot in @b] strides [2] to @device[%at from %y] strides [2] counts [64]
        {{element_bytes = 2}}
      {post}
    }}
  }}
  return
}}
"""
CREDITS = {"channel": "dataflow.channel @free from @store to @load {init = 2}"}
CREDITS |= {"wait": "dataflow.wait @free", "post": "dataflow.post @free"}
NONE = dict.fromkeys(CREDITS, "")


def faults(
    monkeypatch: pytest.MonkeyPatch, cores: int, trips: str, parts: dict[str, str]
) -> tuple[set[str], list[Run]]:
    """What the check finds, and its runs."""
    runs: list[Run] = []
    execute = Run.execute

    def watched(run: Run) -> None:
        runs.append(run)
        execute(run)

    monkeypatch.setattr(Run, "execute", watched)
    with make_context() as context:
        module = asm.read(PROGRAM.format(cores=cores, trips=trips, **parts), "kernel.mlir", context).module
        found = check.verdict(module.body.operations[0].operation, read.load("spyre"))
    assert not found.unproven
    return {fault.id for fault in found.faults}, runs


@pytest.mark.parametrize("trips", ["(n - c + 31) floordiv 32", "n - c * 5"])
def test_runs_are_of_all_cores_and_no_more_for_more_of_them(monkeypatch: pytest.MonkeyPatch, trips: str) -> None:
    none, runs = faults(monkeypatch, 32, trips, CREDITS)
    assert not none
    assert {len(run.cores) for run in runs} == {32}
    taken = [tuple(run.choices.taken) for run in runs]
    assert len(set(taken)) == len(taken)
    alone, of_one = faults(monkeypatch, 1, trips, CREDITS)
    assert not alone
    assert {tuple(run.choices.taken) for run in of_one} == set(taken)


@pytest.mark.parametrize("trips", ["(n - c + 31) floordiv 32", "(n + c * 3) floordiv 4", "n - c * 5"])
def test_they_race_together(monkeypatch: pytest.MonkeyPatch, trips: str) -> None:
    assert faults(monkeypatch, 32, trips, NONE)[0] == {"race"}


@pytest.mark.parametrize(("most", "found"), [(2, set()), (3, {"race"})])
def test_a_race_on_some_cores_alone_is_found(monkeypatch: pytest.MonkeyPatch, most: int, found: set[str]) -> None:
    """Cores have bounds of their own: two slots are enough for all of them but one in four."""
    trips = f"(n mod 2) * (c mod {most + 1})"
    assert faults(monkeypatch, 8, trips, NONE)[0] == found
    assert not faults(monkeypatch, 8, trips, CREDITS)[0]


@pytest.mark.parametrize("seed", range(20))
def test_cells_of_the_same_accesses_judge_as_those_of_each_byte(seed: int) -> None:
    """What clashes with what is the same as where accesses are recorded one by one."""
    draw = random.Random(seed)
    shapes = [((4, 3), (16, 2), 2), ((8,), (4,), 4), ((2, 2, 2), (64, 16, 4), 4), ((5,), (2,), 2)]
    with make_context(), ir.Location.unknown():
        op = ir.Module.create().operation
    accesses = []
    for _ in range(12):
        box = memory.box(*draw.choice(shapes))
        assert box is not None
        unit = draw.randrange(3)
        access = memory.Access(unit, draw.randint(1, 3), op, "", draw.random() < 0.4)
        accesses.append((box, draw.randrange(0, 96, 2), access, np.array([draw.randint(0, 3) for _ in range(3)])))
    one_by_one = memory.Memory(known=True)
    expected = [one_by_one.touch(box.pieces, at, access, clock) for box, at, access, clock in accesses]
    found = list(memory.Memory(known=True).touches(accesses))
    assert any(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert {(clash.id, clash.other) for clash in ours} == {(clash.id, clash.other) for clash in theirs}


def test_maps_are_computed_as_they_are_written() -> None:
    draw = random.Random(7)
    texts = [
        "-(d0 floordiv 2) * 1024 + d0 * 512 - s0",
        "(-d0 + s0 - 7) floordiv 4 + (d0 mod 5) * -3",
        "-(-d0 mod 8) - (s0 * -6 + 1) floordiv 4",
        "(d0 - s0) ceildiv 3 - (d0 floordiv 2 + s0 mod 7) mod 4",
    ]
    with make_context():
        for text in texts:
            map_ = ir.AffineMapAttr(ir.Attribute.parse(f"affine_map<(d0)[s0] -> ({text})>")).value
            compiled, walked = scalars.affine(map_), scalars._expression(map_.results[0], 1)
            for _ in range(50):
                args = draw.randint(-99, 99), draw.randint(-99, 99)
                assert compiled(*args) == walked(args), (text, args)
