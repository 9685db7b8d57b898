# ruff: noqa: E501 (an op per line)
"""Random schedules in which tiles read the same boxes: shared in every way for which there is room, they compute what
they did, at every stage and for every timing.
"""

from __future__ import annotations

import functools
import random
import re
from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from spyrec import asm, diag, driver, spyrecode
from spyrec.device import read
from spyrec.dialects import make_context
from spyrec.driver import execute
from spyrec.errors import OutOfResources
from spyrec.passkit import PassContext, pipeline

SEEDS = range(18)
SIZES = (*range(512, 8192, 512), 2 << 20)
COPY = """linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}} ins(%b{k} : {box}) outs(%c{k} : {box}) attrs = {{dataflow.unit = @sfu}} {{
^bb0(%u: f16, %v: f16):
linalg.yield %u : f16
}}"""


@dataclass
class Schedule:
    """A kernel in which each tile copies boxes to places of its own. ``outputs`` counts places per tile."""

    draw: random.Random
    tiles: int
    lines: list[str] = field(default_factory=list)
    outputs: int = 0
    reads: int = 0

    def block(self, counters: list[tuple[str, int]]) -> None:
        for _ in range(self.draw.choice((1, 1, 2, 3))):
            if len(counters) < 2 and self.draw.random() < 0.4:
                self.loop(counters)
            else:
                self.copy(counters)

    def loop(self, counters: list[tuple[str, int]]) -> None:
        most = self.draw.choice((0, 1, 2, 3, 5))
        end = "%n" if most == 3 else f"%c{most}"
        name = f"i{len(self.lines)}"
        self.lines.append(f"scf.for %{name} = %c0 to {end} step %c1 {{")
        self.block([*counters, (name, most)])
        self.lines.append("}")

    def copy(self, counters: list[tuple[str, int]]) -> None:
        draw, k, rows = self.draw, self.reads, self.draw.choice((1, 2, 6))
        self.reads += 1
        box = f'memref<{rows}x64xf16, "lx">'
        tile = draw.choice(("0", "0", "0", "t mod 2", "t floordiv 2", "t floordiv 3", "t"))
        terms = [f"({tile}) * 64", *(f"{name} * {64 * draw.choice((0, 1, 2))}" for name, _ in counters)]
        dims = ", ".join(["t", *(name for name, _ in counters)])
        values = ", ".join(["%t", *(f"%{name}" for name, _ in counters)])
        places = [self.place(counters, rows) for _ in range(1 + (draw.random() < 0.3))]
        clip = draw.choice(("", "", f" clip [0, 0] to [{rows}, 60] fill 0"))
        self.lines += [
            f"%f{k} = affine.apply affine_map<({dims}) -> ({' + '.join(terms)})>({values})",
            *(
                f"%o{k}_{n} = affine.apply affine_map<({dims}) -> ({place})>({values})"
                for n, place in enumerate(places)
            ),
            f'%b{k} = dataflow.alloc {{name = "x"}} : {box}',
            f'dataflow.data_transfer from @device[%f{k} from %x] strides [64, 1] to %b{k}{clip} {{route = ["ddr", "load", "lx"], unit = @load}} : {box}',
        ]
        source = f"%b{k}"
        if draw.random() < 0.6:
            source = f"%c{k}_"
            self.lines += [
                f'%c{k}_ = dataflow.alloc {{name = "y"}} : {box}',
                COPY.format(k=k, box=box).replace(f"outs(%c{k} ", f"outs(%c{k}_ "),
            ]
        if len(places) > 1:  # what was there before goes to another place
            self.lines += [
                f'%d{k} = dataflow.alloc {{name = "y"}} : {box}',
                f'dataflow.data_transfer from @device[%o{k}_0 from %y] strides [64, 1] to %d{k} {{route = ["ddr", "load", "lx"], unit = @load}} : {box}',
            ]
        for n, moved in enumerate((source, f"%d{k}")[: len(places)]):
            self.lines.append(
                f'dataflow.data_transfer from {moved} to @device[%o{k}_{n} from %y] strides [64, 1] {{route = ["lx", "store", "ddr"], unit = @store}} : {box}'
            )

    def place(self, counters: list[tuple[str, int]], rows: int) -> str:
        """Where the next box goes: bytes of its own for each tile and iteration."""
        place, step = f"t * 131072 + {self.outputs * 64}", 64 * rows
        for name, most in reversed(counters):
            place += f" + {name} * {step}"
            step *= max(1, most)
        self.outputs += step // 64
        return place

    def text(self) -> str:
        self.block([])
        constants = "\n".join(f"%c{n} = arith.constant {n} : index" for n in (0, 1, 2, 5))
        body = "\n".join(self.lines)
        views = ", ".join(
            f'{{arg = {k} : i64, name = "{name}", type = f16, sizes = array<i64: {size}>, strides = array<i64: 1>, offset = 0 : i64, end = {size} : i64, access = "{access}"}}'
            for k, (name, size, access) in enumerate((("x", 4096, "r"), ("y", 131072 * self.tiles, "rw")))
        )
        number = '{arg = 2 : i64, name = "n", type = index, scalar}'
        head = f"func.func @k(%x: index, %y: index, %n: index) attributes {{dataflow.signature = [{views}, {number}], grid = [{self.tiles}]}}"
        return f"{head} {{\n{constants}\n%t = dataflow.tile_id\n{body}\nreturn\n}}\n"


def passed(text: str, passes: str, size: int) -> str:
    context, sink = make_context(), diag.Sink()
    with context:
        module = asm.read(text, "k.mlir", context, sink=sink).module
        whole = read.load("spyre")
        device = replace(whole, memories={**whole.memories, "lx": replace(whole.memory("lx"), size=size)})
        made = pipeline.parse(f"builtin.module(func.func({passes}))")
        made.run(module.operation, PassContext(context, sink, lambda: device), verify_each=True)
        sink.raise_if_errors()
        return asm.print_op(module.operation)


def computed(text: str, size: int) -> list[bytes]:
    """What a schedule writes, at its stage, at the next one and as binary, shuffled too."""
    x = np.arange(1, 1 + 64 * 64, dtype=np.int16).view(np.float16)
    options = driver.Options(from_stage="schedule", settings=(f"device.lx.size={size}",))
    artifact = driver.compile_text(text, "k.mlir", options).artifact
    assert artifact is not None

    def launch() -> spyrecode.Launch:
        assert artifact is not None
        y = np.arange(8 * 131072, dtype=np.int16).view(np.float16)
        return spyrecode.bind(artifact.signature, {"x": x, "y": y}, {"n": 3}, seed=None)

    found = []
    for shuffle in (None, 1, 2, 3):
        found.append(launch())
        execute.run_binary(artifact, found[-1], shuffle=shuffle)
    for stage in ("schedule", "program"):
        found.append(launch())
        execute.run_stage(driver.compile_text(text, "k.mlir", replace(options, emit=stage)), found[-1], seed=1)
    return [one.outputs()["y"].tobytes() for one in found]


def ways(text: str) -> set[str]:
    """In which ways reads of a schedule are shared."""
    rooms = set(re.findall(r"_room\w* from @ring to @ring \{init = (\d)", text))
    found = {"own buffer"} if "_own" in text else {"two slots"} if "1" in rooms else set()
    return found | ({"one slot"} if "0" in rooms else set()) | ({"several"} if "_ready_1 from" in text else set())


@functools.cache
def drawn(seed: int) -> tuple[str, int]:
    """A schedule, and a size of LX in which it fits: one where reads are shared in the way that the seed asks for, if
    there is one.
    """
    draw = random.Random(seed)
    text = Schedule(draw, draw.choice((2, 3, 4, 6, 8))).text()
    wanted = ("own buffer", "two slots", "one slot")[seed % 3]
    fitting = [size for size in SIZES if fits(text, size)]
    return text, next((size for size in fitting if wanted in ways(shared(text, size))), fitting[0])


def fits(text: str, size: int) -> bool:
    try:
        passed(text, "choose-buffer-depth,assign-addresses", size)
    except OutOfResources:
        return False
    return True


def shared(text: str, size: int) -> str:
    return passed(text, "share-reads{percent=1000000},choose-buffer-depth", size)


@pytest.mark.parametrize("seed", SEEDS)
def test_shared_reads_change_nothing(seed: int) -> None:
    text, size = drawn(seed)
    alone = set(computed(passed(text, "choose-buffer-depth", size), size))
    assert set(computed(shared(text, size), size)) == alone
    assert len(alone) == 1


def test_they_are_of_every_kind() -> None:
    found = Counter(way for seed in SEEDS for way in ways(shared(*drawn(seed))))
    assert len(found) == 4
    assert min(found.values()) >= 1, found
