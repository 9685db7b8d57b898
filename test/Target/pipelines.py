"""Random programs that are right by construction: rows on their way through units, slots, branches, lists and the ring.

``load`` brings rows of x, one for each iteration of up to two loops, ``sfu`` works on them in one to three steps, each
with slots of its own, and ``store`` puts them into y; between the two the ``ring`` may hand them to another core. The
number of iterations is a constant, or it lies in memory, for each core another one; an iteration may take one of two
branches, on a counter or on a flag from memory; loads may be clipped and filled, or be directed by a list of indices.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from target import Arrays, Program

ROW = 128
HALVES = ROW // 2


@dataclass(frozen=True)
class Shape:
    """What is drawn: ``depths`` of the buffers, first to last; ``inner`` iterations of the inner loop."""

    grid: int
    rows: int
    inner: int
    depths: tuple[int, ...]
    bound: str
    branch: str
    load: str
    ring: int
    last: int

    @property
    def by_data(self) -> bool:
        """Whether the data decide what is executed."""
        return self.bound == "loaded" or self.branch == "flag"

    @property
    def features(self) -> set[str]:
        """What is special about it."""
        found = {self.bound, self.branch, self.load, f"{len(self.depths)} buffers"}
        found |= {f"depth {d}" for d in self.depths}
        rest = (("ring", self.ring), ("nest", self.inner > 1), ("empty", not self.rows))
        found |= {name for name, there in rest if there}
        return found - {"", "constant", "plain"}


def drawn(seed: int) -> Shape:
    """The shape of program number ``seed``."""
    draw = random.Random(seed)
    grid = draw.choice((1, 2, 3))
    bound = draw.choice(("constant", "constant", "loaded"))
    ring = draw.randrange(1, grid) if grid > 1 and bound == "constant" and draw.random() < 0.5 else 0
    return Shape(
        grid,
        rows=draw.choice((0, 1, 2, 3, 5, 8)),
        inner=draw.choice((1, 1, 2, 3)),
        depths=tuple(draw.randint(1, 3) for _ in range(draw.randint(2, 4))),
        bound=bound,
        branch=draw.choice(("", "counter", "flag", "core")),
        load=draw.choice(("plain", "clip", "gather")),
        ring=ring,
        last=draw.choice((2, 3)),
    )


class _Text:
    """Puts the text of a program together."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.code: dict[str, list[str]] = {}
        self.buffers: list[str] = []
        self.channels: list[str] = []
        self.top = 0
        self.slots: dict[str, tuple[int, int]] = {}

    def buffer(self, name: str, depth: int) -> None:
        self.buffers.append(
            f"dataflow.buffer @{name} {{address = {self.top} : i64, slot_bytes = {ROW} : i64, depth = {depth} : i64}}"
        )
        self.slots[name] = self.top, depth
        self.top += ROW * depth

    def channel(self, name: str, poster: str, waiter: str, init: int, more: str = "") -> None:
        self.channels.append(f"dataflow.channel @{name} from @{poster} to @{waiter} {{init = {init} : i64{more}}}")

    def slot(self, name: str) -> str:
        """Where the row of this iteration lies in a buffer."""
        at, depth = self.slots[name]
        number = f"(i * {self.shape.inner} + j) mod {depth}"
        return f"%{name} = affine.apply affine_map<(i, j) -> (({number}) * {ROW} + {at})>(%i, %j)"

    def unit(self, name: str, setup: list[str], body: list[str]) -> None:
        """A unit whose loops run ``body``."""
        row = f"(c * {self.shape.rows} + i) * {self.shape.inner} + j"
        loops = [
            "scf.for %i = %c0 to %times step %c1 {",
            "scf.for %j = %c0 to %inner step %c1 {",
            f"%row = affine.apply affine_map<(c, i, j) -> ({row})>(%core, %i, %j)",
            "%at = affine.apply affine_map<(r) -> (r * 128)>(%row)",
            *body,
            "}",
            "}",
        ]
        self.code[name] = [*setup, *loops]

    def told(self, unit: str) -> list[str]:
        """What a unit does before its loops: it reads how often they run, and the flag."""
        shape, found = self.shape, []
        if "config" in self.slots:
            at = self.slots["config"][0]
            if unit != "load":
                self.channel(f"told_{unit}", "load", unit, 0)
                found += [f"dataflow.wait @told_{unit}"]
            found += [f"%cf = arith.constant {at} : index", f"%cg = arith.constant {at + 4} : index"]
            found += ["%first = dataflow.scalar_load @config[%cf] : i32"]
            found += ["%second = dataflow.scalar_load @config[%cg] : i32"]
        if shape.bound == "loaded":
            return [*found, "%times = arith.index_cast %first : i32 to index"]
        return [*found, f"%times = arith.constant {shape.rows} : index"]

    def branched(self, arms: tuple[list[str], list[str]]) -> list[str]:
        """One of two arms."""
        test = {
            "counter": [
                "%odd = affine.apply affine_map<(i, j) -> ((i + j) mod 2)>(%i, %j)",
                "%c = arith.cmpi eq, %odd, %c0 : index",
            ],
            "core": ["%c = arith.cmpi eq, %core, %c0 : index"],
            "flag": ["%z = arith.constant 0 : i32", "%c = arith.cmpi eq, %second, %z : i32"],
        }.get(self.shape.branch)
        return [*test, "scf.if %c {", *arms[0], "} else {", *arms[1], "}"] if test else arms[0]

    def render(self) -> str:
        code = self.code.items()
        units = [part for n, lines in code for part in (f"dataflow.program_unit @{n}(%core) {{", *lines, "}")]
        constants = [f"%c{n} = arith.constant {n} : index" for n in (0, 1, self.shape.last)]
        constants += [f"%inner = arith.constant {self.shape.inner} : index"]
        parts = [*self.buffers, *self.channels, *dict.fromkeys(constants), *units]
        arguments = "%x: index, %config: index, %index: index, %y: index"
        head = f"func.func @pipeline({arguments}) attributes {{grid = [{self.shape.grid}]}} {{"
        return "\n".join([head, *(f"  {line}" for line in parts), "  return", "}"]) + "\n"


def text(shape: Shape) -> str:
    """The program."""
    made = _Text(shape)
    for number, depth in enumerate(shape.depths):
        made.buffer(f"b{number}", depth)
    if shape.by_data:
        made.buffer("config", 1)
    if shape.load == "gather":
        made.buffer("list", shape.depths[0])
    last = len(shape.depths) - 1
    units = ("sfu", "store")
    reader = "store"
    made.channel("b0_full", "load", "sfu", 0)
    made.channel("b0_free", "sfu", "load", shape.depths[0])
    if shape.ring:
        reader = "ring"
        units = ("sfu", "ring", "store")
        made.buffer("there", shape.last)
        made.channel("there_full", "ring", "store", 0, ", peers")
        made.channel("there_free", "store", "ring", shape.last, ", peers")
    if shape.branch:
        made.channel("arm", "load", "sfu", 0)
    made.channel("out_full", "sfu", reader, 0)
    made.channel("out_free", reader, "sfu", shape.depths[last])
    _load(made, units)
    _sfu(made)
    if shape.ring:
        _ring(made)
    _store(made)
    return made.render()


def _transfer(source: str, dest: str, more: str = "") -> str:
    return f"dataflow.transfer {source} strides [2] to {dest} strides [2] counts [64]{more} {{element_bytes = 2 : i64}}"


def _listed(dest: str, rows: int) -> list[str]:
    """The row of x that the list names."""
    return [
        "%lat = affine.apply affine_map<(r) -> (r * 4)>(%row)",
        "dataflow.transfer @device[%lat from %index] strides [4] to @lx[%list in @list] strides [4] counts [1]"
        " {element_bytes = 4 : i64}",
        f"dataflow.transfer @device[%c0 from %x] strides [0, 2] to {dest} strides [128, 2] counts [1, 64]"
        f" index(%list) below [{rows}] {{element_bytes = 2 : i64, index_buffers = [@list], index_scales ="
        ' array<i64: 128>, index_sides = ["source"], index_strides = [array<i64: 4, 0>], index_types = [i32]}',
    ]


def _load(made: _Text, units: tuple[str, ...]) -> None:
    shape = made.shape
    setup = made.told("load")
    if "config" in made.slots:
        bring = [
            "%cat = affine.apply affine_map<(c) -> (c * 8)>(%core)",
            f"%cl = arith.constant {made.slots['config'][0]} : index",
            "dataflow.transfer @device[%cat from %config] strides [4] to @lx[%cl in @config] strides [4] counts [2]"
            " {element_bytes = 4 : i64}",
        ]
        setup = [*bring, *setup, *(f"dataflow.post @told_{unit}" for unit in units)]
    source, dest = "@device[%at from %x]", "@lx[%b0 in @b0]"
    move = [_transfer(source, dest)]
    other = [_transfer(source, dest), _transfer(source, dest)]
    if shape.load == "clip":
        move = [
            "%bound = affine.apply affine_map<(r) -> (60 - r * 7)>(%row)",
            _transfer(source, dest, " clip [2] to [%bound] fill 15360"),
        ]
        other = [_transfer(source, dest, " clip [0] to [32] fill 15360")]
    elif shape.load == "gather":
        move = _listed(dest, max(1, shape.grid * shape.rows * shape.inner))
        other = [_transfer(source, dest)]
    move = [*move, "dataflow.post @arm"] if shape.branch else move
    lists = [made.slot("list")] if shape.load == "gather" else []
    body = [made.slot("b0"), *lists, "dataflow.wait @b0_free", *made.branched((move, other)), "dataflow.post @b0_full"]
    made.unit("load", setup, body)


def _sfu(made: _Text) -> None:
    last = len(made.shape.depths) - 1

    def step(number: int, op: str) -> str:
        return (
            f"dataflow.stream counts [64] ins(@b{number}[%b{number}] strides [2] : f16)"
            f" outs(@b{number + 1}[%b{number + 1}] strides [2] : f16) {{\n    ^bb0(%p: f16, %q: f16):\n"
            f"      %s = arith.{op} %p, %p : f16\n      dataflow.yield %s : f16\n    }}"
        )

    body = [made.slot(f"b{k}") for k in range(last + 1)]
    for number in range(last):
        own = [step(number, "addf")]
        after = ["dataflow.post @b0_free"] if number == 0 else []
        before = ["dataflow.wait @b0_full"] if number == 0 else []
        before += ["dataflow.wait @out_free"] if number == last - 1 else []
        if number == 0 and made.shape.branch:
            # One arm waits for a channel that the same arm of the load unit posts.
            body += [*before, *made.branched((["dataflow.wait @arm", *own], [step(number, "mulf")])), *after]
        else:
            body += [*before, *own, *after]
    made.unit("sfu", made.told("sfu"), [*body, "dataflow.post @out_full"])


def _ring(made: _Text) -> None:
    grid, hop, last = made.shape.grid, made.shape.ring, len(made.shape.depths) - 1
    body = [
        made.slot(f"b{last}"),
        made.slot("there"),
        f"%peer = affine.apply affine_map<(c) -> ((c + {hop}) mod {grid})>(%core)",
        "dataflow.wait @out_full",
        "dataflow.wait @there_free from %peer",
        f"dataflow.transfer @lx[%b{last} in @b{last}] strides [2] to @lx[%there in @there] strides [2] counts [64]"
        " put %peer {element_bytes = 2 : i64}",
        "dataflow.post @there_full to %peer",
        "dataflow.post @out_free",
    ]
    made.unit("ring", made.told("ring"), body)


def _store(made: _Text) -> None:
    grid, last = made.shape.grid, len(made.shape.depths) - 1
    name = "there" if made.shape.ring else f"b{last}"
    put = _transfer(f"@lx[%{name} in @{name}]", "@device[%at from %y]")
    body = [made.slot(name), "dataflow.wait @out_full", put, "dataflow.post @out_free"]
    if made.shape.ring:
        peer = f"%peer = affine.apply affine_map<(c) -> ((c + {grid - made.shape.ring}) mod {grid})>(%core)"
        taken = ["dataflow.wait @there_full from %peer", put, "dataflow.post @there_free to %peer"]
        body = [made.slot(name), peer, *taken]
    made.unit("store", made.told("store"), body)


@dataclass(frozen=True)
class Pipeline(Program):
    """Such a program, with its arrays."""

    shape: Shape = field(default_factory=lambda: drawn(0))

    def text(self, stage: str, iterations: int | None = None, *, argument: bool = False) -> str:
        """The text of stage `program`."""
        return text(self.shape)


def pipeline(seed: int) -> Pipeline:
    """Program number ``seed``."""
    shape = drawn(seed)
    rows = max(1, shape.grid * shape.rows * shape.inner)

    def inputs(rng: np.random.Generator) -> Arrays:
        x = rng.integers(-4, 5, (rows, HALVES)).astype(np.float16)
        config = np.stack([rng.integers(0, shape.rows + 1, shape.grid), rng.integers(0, 2, shape.grid)], axis=1)
        index = rng.integers(0, rows, rows)
        return {"x": x, "config": config.astype(np.int32), "index": index.astype(np.int32), "y": x * 0}

    stored: Callable[[Arrays], Arrays] = lambda arrays: {"y": arrays["y"]}  # noqa: E731
    return Pipeline(f"pipeline {seed}", shape.grid, inputs, stored, shape=shape)
