"""Random chains of folds, contractions, clipped and indirect transfers: executor and simulator agree bit for bit.

A program loads three buffers, runs some operations on the units that have them, one after the other, and stores two
buffers. Only the order of the channels makes it right, so every draw of latencies has to give the same bytes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from target import Program

from spyrec import sim, spyrecode

HALVES, SINGLES, ROWS = 512, 256, 8
X, ACC, LIST, Z = 0, 1024, 2048, 2176
BASES = {"x": (X, 2, "f16", HALVES), "acc": (ACC, 4, "f32", SINGLES), "z": (Z, 2, "f16", HALVES)}


@dataclass(frozen=True)
class Chain(Program):
    """A program by its operations, (unit, text) in order."""

    operations: tuple[tuple[str, str], ...] = field(default=())

    def text(self, stage: str, iterations: int | None = None, *, argument: bool = False) -> str:
        """One channel from each operation to the next one, and back to the store unit."""
        steps = [("load", self._loads()), *self.operations, ("store", self._stores())]
        channels, code = [], dict.fromkeys(("load", "sfu", "pt", "ring", "store"), "")
        for k, (unit, text) in enumerate(steps):
            code[unit] += (f"    dataflow.wait @c{k - 1}\n" if k else "") + text
            if k + 1 < len(steps):
                code[unit] += f"    dataflow.post @c{k}\n"
                channels.append(f"  dataflow.channel @c{k} from @{unit} to @{steps[k + 1][0]} {{init = 0 : i64}}\n")
        units = "".join(f"  dataflow.program_unit @{u}(%core) {{\n{t}  }}\n" for u, t in code.items() if t)
        buffers = "".join(
            f"  dataflow.buffer @{n} {{address = {a} : i64, slot_bytes = 1024 : i64, depth = 1 : i64}}\n"
            for n, (a, _, _, _) in BASES.items()
        )
        places = sorted({int(p) for _, text in steps for p in re.findall(r"%p(\d+)", text)})
        constants = "".join(f"  %p{p} = arith.constant {p} : index\n" for p in places)
        numbers = "".join(f"  %n{n} = arith.constant {n - 4} : index\n" for n in range(16))
        return (
            "func.func @chain(%x: index, %acc: index, %list: index, %z: index, %y: index, %w: index)"
            f" attributes {{grid = [1]}} {{\n{buffers}"
            "  dataflow.buffer @list {address = 2048 : i64, slot_bytes = 128 : i64, depth = 1 : i64}\n"
            f"{''.join(channels)}{constants}{numbers}  %zero = arith.constant 0 : index\n{units}  return\n}}\n"
        )

    @staticmethod
    def _moved(name: str, at: int, count: int, size: int, *, back: bool = False) -> str:
        buffer = {"y": "z", "w": "acc"}.get(name, name)
        device, lx = f"@device[%zero from %{name}]", f"@lx[%p{at} in @{buffer}]"
        one, other = (lx, device) if back else (device, lx)
        return (
            f"    dataflow.transfer {one} strides [{size}] to {other} strides [{size}] counts [{count}]"
            f" {{element_bytes = {size} : i64}}\n"
        )

    def _loads(self) -> str:
        loads = [self._moved(n, a, c, s) for n, (a, s, _, c) in BASES.items()]
        return "".join([*loads, self._moved("list", LIST, ROWS, 4)])

    def _stores(self) -> str:
        return self._moved("y", Z, HALVES, 2, back=True) + self._moved("w", ACC, SINGLES, 4, back=True)


class Maker:
    """Draws operations."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def counts(self) -> list[int]:
        return self.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))

    def place(self, name: str, counts: list[int], still: set[int]) -> tuple[str, str, str]:
        """An address in a buffer, strides of a walk through it (0 in ``still``), the element type."""
        base, size, type_, room = BASES[name]
        order = self.draw(st.permutations(range(len(counts))))
        moving = math.prod(n for d, n in enumerate(counts) if d not in still)
        strides, step = [0] * len(counts), self.draw(st.integers(1, 2 if 2 * moving <= room else 1))
        for d in order:
            if d not in still:
                strides[d] = step
                step *= counts[d]
        reach = sum((n - 1) * s for n, s in zip(counts, strides, strict=True))
        first = self.draw(st.integers(0, room - 1 - reach))
        return f"%p{base + first * size}", str([s * size for s in strides]), type_

    def still(self, counts: list[int]) -> set[int]:
        return self.draw(st.sets(st.integers(0, len(counts) - 1)))

    def fold(self) -> tuple[str, str]:
        counts = self.counts()
        axes = sorted(self.still(counts) or {0})
        op = self.draw(st.sampled_from(["addf", "maximumf", "minnumf"]))
        a, steps, _ = self.place("x", counts, self.still(counts))
        out, out_steps, _ = self.place("acc", counts, set(axes))
        other, other_steps, _ = self.place("z", counts, set())
        fresh = self.draw(st.sampled_from(["", " attributes {fresh}"]))
        term = "%e" if self.draw(st.booleans()) else "%t"
        return "sfu", (
            f"    dataflow.stream counts {counts} reduce {axes} ins(@x[{a}] strides {steps} : f16)"
            f" outs(@acc[{out}] strides {out_steps} : f32, @z[{other}] strides {other_steps} : f16){fresh} {{\n"
            "    ^bb0(%a: f16, %o: f32, %q: f16):\n      %e = arith.extf %a : f16 to f32\n"
            f"      %t = arith.mulf %e, %e : f32\n      %s = arith.{op} %o, {term} : f32\n"
            "      %m = arith.subf %q, %a : f16\n      dataflow.yield %s, %m : f32, f16\n    }\n"
        )

    def contract(self) -> tuple[str, str]:
        counts = self.counts()
        lhs, left, _ = self.place("x", counts, self.still(counts))
        rhs, right, _ = self.place("z", counts, self.still(counts))
        acc, out, _ = self.place("acc", counts, self.still(counts))
        start = self.draw(st.sampled_from(["zero", "lx"]))

        def text(start: str, keep: str) -> str:
            return (
                f"    dataflow.contract counts {counts} lhs @x[{lhs}] strides {left} : f16 rhs @z[{rhs}]"
                f" strides {right} : f16"
                f' acc @acc[{acc}] strides {out} : f32 {{start = "{start}"{keep}}}\n'
            )

        both = self.draw(st.booleans())
        return "pt", text(start, ", keep") + text("unit", "") if both else text(start, "")

    def move(self) -> tuple[str, str]:
        rows, columns = ROWS, self.draw(st.integers(1, 5))
        low, high = (f"%n{self.draw(st.integers(0, 15))}" for _ in range(2))
        kind = self.draw(st.sampled_from(["clip", "fill", "gather", "scatter"]))
        dense, none = "[32, 2]", "[0, 2]"
        source, dest = (none if kind == "gather" else dense), (none if kind == "scatter" else dense)
        clip = f" clip [{low}, 0] to [{high}, {columns}]" if kind != "scatter" or self.draw(st.booleans()) else ""
        special = " fill 15360" if kind == "fill" else ""
        more = ""
        if kind in ("gather", "scatter"):
            special = f" index(%p{LIST}) below [12]"
            more = (
                ", index_buffers = [@list], index_scales = array<i64: 32>, index_types = [i32],"
                f' index_sides = ["{"source" if kind == "gather" else "dest"}"], index_strides = [array<i64: 4, 0>]'
            )
        return "ring", (
            f"    dataflow.transfer @lx[%p{X} in @x] strides {source} to @lx[%p{Z} in @z] strides {dest}"
            f" counts [{rows}, {columns}]{clip}{special} {{element_bytes = 2 : i64{more}}}\n"
        )


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    maker = Maker(draw)
    makers = [maker.fold, maker.contract, maker.move]
    operations = tuple(draw(st.sampled_from(makers))() for _ in range(draw(st.integers(1, 6))))
    listed = draw(st.lists(st.integers(0, 11), min_size=ROWS, max_size=ROWS))

    def inputs(rng: np.random.Generator) -> dict[str, np.ndarray]:
        half = {n: rng.integers(-9, 9, HALVES).astype(np.float16) / np.float16(4) for n in "xz"}
        acc = rng.standard_normal(SINGLES).astype(np.float32)
        return {"x": half["x"], "acc": acc, "list": np.array(listed, np.int32), "z": half["z"]}

    return Chain("chain", 1, inputs, lambda g: {"y": g["z"] * 0, "w": g["acc"] * 0}, operations=operations)


@given(chains(), st.integers(0, 1000))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_executor_and_simulator_agree(chain: Chain, seed: int) -> None:
    wanted = chain.at_stage("program")
    code = chain.artifact()
    for shuffle in (None, seed):
        launch = spyrecode.bind(code.signature, chain.given(), {}, seed=None)
        sim.run(code, launch, shuffle=shuffle)
        got = chain.outputs(launch)
        assert {n: a.tobytes() for n, a in got.items()} == {n: a.tobytes() for n, a in wanted.items()}


def test_chains_are_long_and_of_every_kind() -> None:
    """What the strategy draws is what this file is about."""
    kinds: set[str] = set()

    @given(chains())
    @settings(max_examples=60, deadline=None, database=None)
    def collect(chain: Chain) -> None:
        for unit, text in chain.operations:
            kinds.add(unit)
            kinds.update(w for w in ("clip", "fill", "source", "dest", "keep", "fresh") if w in text)

    collect()
    assert kinds == {"sfu", "pt", "ring", "clip", "fill", "source", "dest", "keep", "fresh"}
