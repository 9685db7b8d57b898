"""A kernel under construction: its lines, what can be used where one stands, and what any kind of op needs to be said.

Every number is drawn from one generator, so the order of draws is part of what a seed means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
from spelling import Shape, Value, box, coordinates, dims, memref, tensor

DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i64": np.int64,
}
WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
"""Bits of the integer types."""
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 10, 16, 17, 32, 33, 63, 64, 65)
MOST = 3000


@dataclass(frozen=True)
class View:
    name: str
    shape: Shape
    element: str
    argument: str

    @property
    def type(self) -> str:
        return memref(self.shape, self.element)


def affine(rank: int, results: Sequence[object]) -> str:
    return f"affine_map<({dims(rank)}) -> ({', '.join(map(str, results))})>"


@dataclass(frozen=True)
class Kind:
    """A kind of op: ``draw`` adds one, or nothing where there is nothing to do it with. ``weight`` says how likely that
    is where ``fits`` allows it.
    """

    draw: Callable[[Builder], object]
    weight: int
    fits: Callable[[Builder], bool] = lambda _: True


@dataclass
class Builder:
    """``values`` are the tensors that may be used here, ``counters`` the loops around with the most that each counts.

    The first of ``kinds`` needs no value.
    """

    r: Random
    kinds: Sequence[Kind]
    tiles: int
    exact: bool
    extents: Shape
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    counters: list[tuple[str, int]] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    likes: dict[Callable[[Builder], object], float] = field(default_factory=dict)
    count: int = 0
    depth: int = 0
    uniform: bool = True
    pinned: int = 0
    """Bytes of LX that belong to the kernel."""

    def say(self, line: str) -> None:
        self.lines.append(line)

    def fresh(self, stem: str = "x") -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def chance(self, part: float) -> bool:
        return self.r.random() < part

    def new(self, text: str, shape: Shape, element: str) -> Value:
        value = Value(self.fresh(), shape, element)
        self.say(f"{value.name} = {text}")
        self.values.append(value)
        return value

    def index(self, number: int) -> str:
        name = self.fresh("n")
        self.say(f"{name} = arith.constant {number} : index")
        return name

    def shape(self, rank: int | None = None, most: int = MOST) -> Shape:
        rank = rank or self.r.choice((1, 2, 2, 2, 3))
        while True:
            found = tuple(self.r.choice(self.extents) for _ in range(rank))
            if math.prod(found) <= most:
                return found
            rank = max(1, rank - 1)

    def value(self, *, kind: str = "", rank: int | None = None) -> Value | None:
        fitting = [
            v
            for v in self.values
            if (not kind or v.kind == kind) and (rank is None or len(v.shape) == rank) and v.element != "i1"
        ]
        return self.late(fitting) if fitting else None

    def late(self, values: Sequence[Value]) -> Value:
        """One of ``values``; late ones are likelier, so that chains become long and little is dead."""
        return values[max(self.r.randrange(len(values)), self.r.randrange(len(values)))]

    def same(self, value: Value) -> Value:
        return self.r.choice([v for v in self.values if (v.shape, v.element) == (value.shape, value.element)])

    def numbers(self, size: int, element: str) -> Any:
        rng = np.random.default_rng(self.r.randrange(1 << 30))
        if element == "i1":
            return rng.integers(0, 2, size).astype(np.bool_)
        if element[0] == "i":
            if self.exact or self.chance(0.7):
                return rng.integers(-9, 10, size).astype(DTYPES[element])
            most = 1 << (WIDTHS[element] - 1)
            return rng.choice(np.array([0, 1, -1, 100, -most, most - 1]), size).astype(DTYPES[element])
        if self.exact:
            return rng.integers(-3, 4, size).astype(DTYPES[element])
        found = (rng.standard_normal(size) * 2.0 ** rng.integers(-3, 3, size)).astype(DTYPES[element])
        if self.chance(0.15):
            special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-7, 60000.0], np.float32).astype(found.dtype)
            found[rng.integers(0, size, min(size, 3))] = special[rng.integers(0, len(special), min(size, 3))]
        return found

    # memory

    def argument(self, size: int, element: str) -> str:
        name = self.fresh("p")[1:]
        self.arguments.append(f"%{name}: index")
        self.data[name] = self.numbers(size, element)
        return name

    def view(self, shape: Shape, element: str, *, at: str | None = None, dense: bool = False) -> View:
        """A view of an argument of its own, in a drawn layout."""
        order = list(range(len(shape)))
        if not dense and self.chance(0.3):
            self.r.shuffle(order)
        strides, step = [0] * len(shape), 1
        for d in reversed(order):
            strides[d] = step
            step *= shape[d] + (self.r.randrange(3) if not dense and d == order[-1] and self.chance(0.3) else 0)
        size = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1
        shift = self.r.choice((1, 3, 64)) if not dense and self.chance(0.2) else 0
        argument = at or self.argument(size + shift, element)
        base = f"%{argument}"
        if shift:
            base = self.fresh("b")
            self.say(f"{base} = arith.addi %{argument}, {self.index(shift)} : index")
        return self.construct(base, shape, strides, element, argument)

    def construct(self, base: str, shape: Shape, strides: Sequence[int], element: str, argument: str) -> View:
        view = View(self.fresh("v"), shape, element, argument)
        self.say(
            f"{view.name} = ktdp.construct_memory_view {base}, sizes: {list(shape)}, strides: {list(strides)}"
            f" {{coordinate_set = {box(shape)}, memory_space = #ktdp.memory_space<global>}} : {view.type}"
        )
        return view

    def tile(self, view: View, anchor: Sequence[object], shape: Shape, points: str = "", order: Shape = ()) -> str:
        name, rank = self.fresh("t"), len(view.shape)
        order = order or tuple(range(rank))
        turned = tuple(shape[d] for d in order)
        self.say(
            f"{name} = ktdp.construct_access_tile {view.name}[{', '.join(map(str, anchor))}] {{access_tile_set ="
            f" {points or box(shape)}, access_tile_order = {affine(rank, [f'd{d}' for d in order])}}} : {view.type}"
            f" -> !ktdp.access_tile<{coordinates(turned)}>"
        )
        return name

    def load(self, tile: str, shape: Shape, element: str) -> Value:
        return self.new(f"ktdp.load {tile} : <{coordinates(shape)}> -> {tensor(shape, element)}", shape, element)

    def store(self, value: Value, tile: str) -> None:
        self.say(f"ktdp.store {value.name}, {tile} : {value.type}, <{coordinates(value.shape)}>")

    # tensors of nothing, and of one number

    def empty(self, shape: Shape, element: str) -> str:
        name = self.fresh("e")
        self.say(f"{name} = tensor.empty() : {tensor(shape, element)}")
        return name

    def constant(self, shape: Shape, element: str) -> Value:
        number = self.r.choice(("0", "1", "-2", "3"))
        if element == "i1":
            number = self.r.choice(("true", "false"))
        text = number + (".0" if element[0] != "i" else "")
        return self.new(f"arith.constant dense<{text}> : {tensor(shape, element)}", shape, element)

    # control

    @contextmanager
    def counting(self, trips: int) -> Iterator[str]:
        """The body of a loop that runs so often; gives its counter."""
        counter = self.fresh("i")
        bound = self.index(trips)
        self.say(f"scf.for {counter} = %c0 to {bound} step %c1 {{")
        outer = list(self.values)
        self.counters.append((counter, trips))
        self.depth += 1
        yield counter
        self.depth -= 1
        self.counters.pop()
        self.values = outer
        self.say("}")

    def some(self, count: int) -> None:
        """So many more ops."""
        for _ in range(count):
            if not self.values:
                self.kinds[0].draw(self)
                continue
            fitting = [kind for kind in self.kinds if kind.fits(self)]
            self.r.choices(fitting, [kind.weight * self._liking(kind) for kind in fitting])[0].draw(self)

    def _liking(self, kind: Kind) -> float:
        """How much this kernel likes a kind of op: kernels of few kinds go deeper than those of all."""
        if kind.draw not in self.likes:
            self.likes[kind.draw] = self.r.choice((0.05, 0.2, 1.0, 1.0, 4.0))
        return self.likes[kind.draw]
