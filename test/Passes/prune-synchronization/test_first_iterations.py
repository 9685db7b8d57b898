"""Loops that meet what was done before them only from some iteration on.

Random schedules move boxes of a buffer and of device memory through a loop, with buffers of several slots beside them,
through which units of one iteration come after those of earlier ones. The oracle of ``test/Passes/split-units`` finds
no races in what is made of them, and does when the first iteration is taken to be a later one.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "split-units"))

from test_every_order import COUNTS, MASKS, Lowered, lower, race, run, runs

from spyrec.dialects import make_context
from spyrec.passes.analysis import hazards
from spyrec.passes.analysis.places import Place
from spyrec.passes.analysis.skeleton import Loop

ROWS = 24
TILE = f'memref<{ROWS}x4xi16, "lx">'
BOX = 'memref<2x4xi16, "lx">'
First = Callable[[Place, Place, Loop, tuple[Loop, ...]], int]


def schedule(seed: int) -> str:
    """Ops on rows of ``%tile`` and of device memory, before a loop and in it."""
    draw = random.Random(seed)
    lines: list[str] = []
    nested = draw.random() < 0.3

    def part(row: str) -> tuple[str, str]:
        start = "?" if row[0] == "%" else str(int(row) * 4)
        type_ = f'memref<2x4xi16, strided<[4, 1], offset: {start}>, "lx">'
        name = f"%part{len(lines)}"
        lines.append(f"{name} = memref.subview %tile[{row}, 0] [2, 4] [1, 1] : {TILE} to {type_}")
        return name, type_

    def moving(most: int) -> str:
        step = draw.choice([1, 1, 2, 2, -1, 3])
        low, high = sorted((0, step * (trips - 1)))
        first = draw.randint(-low, max(-low, most - high))
        name = f"%row{len(lines)}"
        lines.append(f"{name} = affine.apply affine_map<(i) -> (i * {step} + {first})>(%i)")
        return name

    def load(what: str, type_: str, row: str) -> None:
        lines.append(f"%at{len(lines)} = affine.apply affine_map<(r) -> (r * 4)>({row})")
        lines.append(
            f"dataflow.data_transfer from @device[%at{len(lines) - 1} from %x] strides [4, 1] to {what} "
            f'{{route = ["ddr", "load", "lx"], unit = @load}} : {type_}'
        )

    def store(what: str, type_: str, row: str, pointer: str) -> None:
        lines.append(f"%at{len(lines)} = affine.apply affine_map<(r) -> (r * 4)>({row})")
        lines.append(
            f"dataflow.data_transfer from {what} to @device[%at{len(lines) - 1} from {pointer}] strides [4, 1] "
            f'{{route = ["lx", "store", "ddr"], unit = @store}} : {type_}'
        )

    def compute(inputs: list[tuple[str, str]], out: tuple[str, str]) -> None:
        names = ", ".join(f"%e{k}: i16" for k in range(len(inputs) + 1))
        sums = " ".join(f"%s{k + 1} = arith.addi %s{k}, %e{k} : i16" for k in range(1, len(inputs)))
        first = "%s1 = arith.addi %e0, %e0 : i16" if inputs else "%s0 = arith.constant 0 : i16"
        maps = ", ".join(["affine_map<(r, c) -> (r, c)>"] * (len(inputs) + 1))
        ins = f"ins({', '.join(n for n, _ in inputs)} : {', '.join(t for _, t in inputs)}) " if inputs else ""
        lines.append(
            f'linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} {ins}'
            f"outs({out[0]} : {out[1]}) attrs = {{dataflow.unit = @sfu}} {{ ^bb0({names}): {first} {sums} "
            f"linalg.yield %s{len(inputs)} : i16 }}"
        )

    trips = draw.randint(4, 7)
    lines.append(f'%tile = dataflow.alloc {{depth = 1, name = "tile"}} : {TILE}')
    lines.append(f'%z = dataflow.alloc {{depth = 1, name = "z"}} : {BOX}')
    if nested:
        lines.append("scf.for %out = %k0 to %k2 step %k1 {")
    before: list[Callable[[], None]] = [
        lambda: load(*part(str(draw.randrange(ROWS - 1))), "%k0"),
        lambda: load("%z", BOX, "%k1"),
        lambda: store("%z", BOX, f"%k{draw.randrange(8)}", "%x"),
        lambda: compute([], part(str(draw.randrange(ROWS - 1)))),
    ]
    for op in [*draw.choices(before, k=draw.randint(1, 2)), *draw.sample(before[1:], k=draw.randint(1, 2))]:
        op()
    lines.append(f"scf.for %i = %k0 to %k{trips} step %k1 {{")
    for name in "cw":
        lines.append(f'%{name} = dataflow.alloc {{depth = {draw.randint(1, 3)}, name = "{name}"}} : {BOX}')
    inside: list[Callable[[], None]] = [
        lambda: load("%w", BOX, moving(12)),
        lambda: compute([part(moving(ROWS - 2)), ("%w", BOX)], ("%c", BOX)),
        lambda: store("%c", BOX, "%i", "%y"),
    ]
    extra: list[Callable[[], None]] = [
        lambda: store("%z", BOX, "%i", "%y"),
        lambda: store(*part(moving(ROWS - 2)), "%i", "%y"),
        lambda: load(*part(moving(ROWS - 2)), "%k0"),
    ]
    for op in draw.sample(extra, k=draw.choice([0, 1, 1, 2])):
        inside.insert(draw.choice([0, 0, *range(len(inside) + 1)]), op)
    for op in inside:
        op()
    lines.append("}" * (1 + nested))
    arguments = ", ".join(f"%{name}: index" for name in ("x", "y", *COUNTS, *MASKS))
    constants = [f"%k{value} = arith.constant {value} : index" for value in range(8)]
    return "\n".join([f"func.func @k({arguments}) attributes {{grid = [2]}} {{", *constants, *lines, "return", "}"])


def races(lowered: Lowered) -> bool:
    """Whether two accesses race, in the one launch that there is: all bounds are constants."""
    (arguments,) = runs(lowered.text)
    return race(run(lowered, arguments), lowered.credits) is not None


def shifted(by: int) -> First:
    """The first iteration, wrong by a number where it is not 0."""

    def first(outside: Place, inside: Place, loop: Loop, around: tuple[Loop, ...]) -> int:
        found = real(outside, inside, loop, around)
        return max(0, found + by) if found else 0

    real = hazards.first_iteration
    return first


@pytest.mark.parametrize("first", range(0, 80, 40))
def test_order_is_kept(first: int) -> None:
    with make_context() as context:
        for seed in range(first, first + 40):
            assert not races(lower(context, schedule(seed), share="never", prune=True)), seed


def test_the_first_iteration_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a later one there are races; with an earlier one channels stay that no order needs."""
    with make_context() as context:
        texts = [schedule(seed) for seed in range(40)]
        right = [lower(context, text, share="never", prune=True) for text in texts]
        for by, raced in ((1, True), (-1, False)):
            with monkeypatch.context() as patch:
                patch.setattr(hazards, "first_iteration", shifted(by))
                wrong = [lower(context, text, share="never", prune=True) for text in texts]
            changed = [b for a, b in zip(right, wrong, strict=True) if set(a.credits) != set(b.credits)]
            assert changed, by
            assert all(races(lowered) is raced for lowered in changed), by
