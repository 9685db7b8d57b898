# ruff: noqa: E501 (ops of kernels keep to a line)
"""Sound kernels of every kind from a seed: :func:`kernel` gives a text and the arrays and numbers of a launch.

Beside ``generator.py`` (which hypothesis shrinks, and which keeps to what a naive evaluator knows) these go all the way
to the binary: contractions, folds with every combiner, nested loops that carry and permute tensors, branches with
results, in-place stores on overlapping tiles, lists of rows, exchanges, numbers of the launch and out of memory that
steer control. They race with nobody, read nothing undefined and stay inside their memory; a draw that does not is told
by stage ``ktir``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
from spelling import Shape, box, coordinates, dims, memref, tensor

DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "i1": np.bool_,
}
FLOAT_2 = ["addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf"]
FLOAT_1 = ["arith.negf", "math.exp", "math.absf", "math.sqrt", "math.tanh", "math.rsqrt", "math.log", "math.erf"]
INTRINSICS = ["sigmoid", "silu", "gelu", "reciprocal", "exp", "sqrt", "rsqrt"]
INTEGER_2 = ["addi", "subi", "muli", "maxsi", "minsi", "andi", "ori", "xori"]
FOLDS = {
    "f": ["addf", "addf", "addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf"],
    "i": ["addi", "addi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori"],
}
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 10, 16, 17, 32, 33, 63, 64, 65)
MOST = 3000


@dataclass
class Kernel:
    """A text, the arrays and numbers of a launch, and what is odd about it (for counting)."""

    text: str
    values: dict[str, Any]
    exact: bool
    """Whether the numbers are small integers."""


@dataclass(frozen=True)
class Value:
    name: str
    shape: Shape
    element: str

    @property
    def type(self) -> str:
        return tensor(self.shape, self.element)

    @property
    def kind(self) -> str:
        return "i" if self.element[0] == "i" else "f"


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


@dataclass
class Builder:
    """A kernel under construction; ``values`` are the tensors that may be used here, ``counters`` the loops' numbers."""

    r: Random
    tiles: int
    exact: bool
    extents: Shape
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    counters: list[tuple[str, int]] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    likes: dict[str, float] = field(default_factory=dict)
    count: int = 0
    depth: int = 0
    uniform: bool = True

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
        if element == "i32":
            return rng.integers(-9, 10, size).astype(np.int32)
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

    def input(self) -> None:
        """Load a tile of a new view: rows of this tile, at a loop's counter where there is one."""
        element = self.r.choice(("f32", "f32", "f16", "f16", "bf16", "i32", "i1"))
        shape = self.shape()
        rank = len(shape)
        steps = self.tiles
        row: str = "%tile"
        if self.chance(0.25):
            row, steps = "0", 1
        elif self.counters and self.chance(0.7):
            counter, trips = self.r.choice(self.counters)
            row, steps = self.r.choice(((counter, trips), (f"%tile * {trips} + {counter}", self.tiles * trips)))
        base = (
            max(1, steps) * shape[0],
            *(n + (self.r.randrange(4) if self.chance(0.3) else 0) for n in shape[1:]),
        )
        if self.chance(0.08) and element != "i1":
            self.gather(base, shape, element)
            return
        view = self.view(base, element)
        anchor = [row if shape[0] == 1 or row == "0" else f"({row}) * {shape[0]}"]
        anchor += [str(self.r.randrange(n - m + 1)) for n, m in zip(base[1:], shape[1:], strict=True)]
        kind = self.r.choice(("box",) * 8 + ("smaller", "triangle", "sieve", "outside", "outside"))
        points = box(shape)
        if kind == "smaller":
            points = box(tuple(self.r.randint(max(1, n // 2), n) for n in shape))
        elif kind == "triangle" and rank > 1:
            points = box(shape, extra="d0 - d1 >= 0")
        elif kind == "sieve":
            points = box(shape, extra=f"d{rank - 1} mod 2 == 0")
        elif kind == "outside":
            anchor[0] += f" + {self.r.randrange(shape[0])}"
        order = list(range(rank))
        if self.chance(0.2):
            self.r.shuffle(order)
        turned = tuple(shape[d] for d in order)
        self.load(self.tile(view, anchor, shape, points, tuple(order)), turned, element)

    def gather(self, base: Shape, shape: Shape, element: str) -> None:
        """Load rows whose numbers another view holds."""
        view = self.view(base, element)
        list_ = self.view((shape[0],), "i32", dense=True)
        rng = np.random.default_rng(self.r.randrange(1 << 30))
        self.data[list_.argument] = rng.integers(0, base[0], shape[0]).astype(np.int32)
        self.load(self.indirect(view, list_, shape), shape, element)

    def computed_rows(self) -> None:
        """Rows whose numbers the kernel has computed and stored just before; or rows that it stores there."""
        numbers = [v for v in self.values if v.element == "i32" and len(v.shape) == 1]
        if not numbers:
            return
        n = self.r.choice(numbers)
        mask = Value(self.fresh(), n.shape, "i32")
        self.say(f"{mask.name} = arith.constant dense<3> : {mask.type}")
        rows = self.new(f"arith.andi {n.name}, {mask.name} : {n.type}", n.shape, "i32")
        list_ = self.view(n.shape, "i32", dense=True)
        self.store(rows, self.tile(list_, ["0"], n.shape))
        shape = (*n.shape, self.r.choice(self.extents))
        element = self.r.choice(("f32", "f16", "i32"))
        view = self.view((4, *shape[1:]), element)
        there = [v for v in self.values if (v.shape, v.element) == (shape, element)]
        if there and self.chance(0.5):
            self.store(self.r.choice(there), self.indirect(view, list_, shape))
        self.load(self.indirect(view, list_, shape), shape, element)

    def indirect(self, view: View, list_: View, shape: Shape) -> str:
        """A tile of the rows that a list names."""
        names = [self.fresh("k") for _ in shape]
        tile = self.fresh("t")
        others = "".join(f", ({v})" for v in names[1:])
        self.say(
            f"{tile} = ktdp.construct_indirect_access_tile intermediate_variables({', '.join(names)}) {view.name}"
            f"[ind({list_.name}[{names[0]}]){others}] {{variables_space_set = {box(shape)}, variables_space_order ="
            f" {affine(len(shape), [f'd{k}' for k in range(len(shape))])}}} : {view.type}, {list_.type}"
            f" -> !ktdp.access_tile<{coordinates(shape)}>"
        )
        return tile

    def output(self, value: Value) -> None:
        """Store a value to rows of its own (of this tile, and of the iteration of each loop around) of a new view."""
        if not value.shape:
            value = self.new(
                f"tensor.expand_shape {value.name} [] output_shape [1] : {value.type} into {tensor((1,), value.element)}",
                (1,),
                value.element,
            )
        shape = value.shape
        row, steps = "%tile", self.tiles
        for counter, trips in self.counters:
            row, steps = f"({row}) * {max(1, trips)} + {counter}", steps * max(1, trips)
        extra = self.r.randrange(2)
        order = list(range(len(shape)))
        if self.chance(0.15):
            self.r.shuffle(order)
        # The tile is made over the view's dimensions; what is stored has them in the order of ``order``.
        before = [0] * len(shape)
        for position, d in enumerate(order):
            before[d] = shape[position]
        base = (steps * before[0], *(n + extra for n in before[1:]))
        if steps == 1 and not self.depth and order == sorted(order) and self.chance(0.2):
            self.scatter(value)
            return
        view = self.view(base, value.element)
        points = box(tuple(before))
        if self.chance(0.15):
            points = box(tuple(self.r.randint(1, n) for n in before))
        elif self.chance(0.1) and len(shape) > 1:
            points = box(tuple(before), extra="d1 - d0 >= 0")
        anchor = [f"({row}) * {before[0]}", *("0" for _ in before[1:])]
        tile = self.tile(view, anchor, tuple(before), points, tuple(order))
        self.store(value, tile)
        if self.chance(0.25):
            # Through memory and back, and on top of what is there.
            again = self.elementwise(self.load(tile, shape, value.element))
            if self.chance(0.5):
                self.store(again, tile)

    def scatter(self, value: Value) -> None:
        """Store rows where a list says, some of them twice."""
        shape = value.shape
        view = self.view((shape[0] + self.r.randrange(3), *shape[1:]), value.element)
        list_ = self.view((shape[0],), "i32", dense=True)
        rng = np.random.default_rng(self.r.randrange(1 << 30))
        self.data[list_.argument] = rng.integers(0, view.shape[0], shape[0]).astype(np.int32)
        tile = self.indirect(view, list_, shape)
        self.store(value, tile)

    def in_place(self) -> None:
        """Loads and stores on overlapping tiles of one argument, each tile of the grid in a block of its own."""
        element = self.r.choice(("f32", "f16", "i32"))
        rows, columns = self.r.choice((4, 8, 12)), self.r.choice(self.extents)
        view = self.view((rows * self.tiles, columns), element, dense=True)
        n = self.r.randint(1, rows // 2)
        moves = self.r.randint(1, 3)

        def place() -> str:
            return f"%tile * {rows} + {self.r.randint(0, rows - n)}"

        def moved(anchor: Callable[[], str]) -> None:
            value = self.load(self.tile(view, [anchor(), 0], (n, columns)), (n, columns), element)
            value = self.elementwise(value)
            self.store(value, self.tile(view, [anchor(), 0], (n, columns)))

        if self.chance(0.5):
            for _ in range(moves):
                moved(place)
        else:
            trips = self.r.choice((0, 1, 2, rows - n))
            step = self.r.choice((0, 1))
            with self.for_(trips) as counter:

                def running() -> str:
                    if not step or trips + n > rows:
                        return place()
                    return f"%tile * {rows} + {counter} + {self.r.randint(0, rows - n - trips + 1) if trips else 0}"

                for _ in range(self.r.randint(1, 2)):
                    moved(running)

    # compute

    def elementwise(self, value: Value) -> Value:
        if value.element == "i1":
            other = self.same(value)
            return self.new(
                f"arith.{self.r.choice(('andi', 'ori', 'xori'))} {value.name}, {other.name} : {value.type}",
                value.shape,
                "i1",
            )
        if value.kind == "f" and self.chance(0.4):
            if self.exact:
                op = self.r.choice(("arith.negf", "math.absf"))
            elif self.chance(0.3) and value.element == "f16":
                op = f"spyreop.{self.r.choice(INTRINSICS)}"
                return self.generic_of(value, lambda a: f"{op} {a} : {value.element}")
            else:
                op = self.r.choice(FLOAT_1)
            return self.new(f"{op} {value.name} : {value.type}", value.shape, value.element)
        other = self.same(value)
        return self.new(
            f"arith.{self.binary(value.kind)} {value.name}, {other.name} : {value.type}", value.shape, value.element
        )

    def binary(self, kind: str) -> str:
        if kind == "i":
            return self.r.choice(INTEGER_2)
        return self.r.choice(FLOAT_2 if not self.exact else ("addf", "subf", "maximumf", "minimumf", "maxnumf"))

    def generic_of(self, value: Value, body: Callable[[str], str]) -> Value:
        rank, e = len(value.shape), value.element
        same = affine(rank, [f"d{k}" for k in range(rank)])
        kinds = ", ".join(['"parallel"'] * rank)
        empty, result = self.empty(value.shape, e), Value(self.fresh(), value.shape, e)
        self.say(
            f"{result.name} = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{kinds}]}}"
            f" ins({value.name} : {value.type}) outs({empty} : {value.type}) {{"
        )
        self.say(f"^bb0(%p: {e}, %o: {e}):")
        inner = self.fresh("g")
        self.say(f"{inner} = {body('%p')}")
        self.say(f"linalg.yield {inner} : {e}")
        self.say(f"}} -> {value.type}")
        self.values.append(result)
        return result

    def chain(self) -> None:
        value = self.late(self.values)
        for _ in range(self.r.randint(1, 4)):
            value = self.elementwise(value)

    def select(self) -> None:
        value = self.value()
        if value is None:
            return
        other = self.same(value)
        how = (
            f"arith.cmpf {self.r.choice(('olt', 'oge', 'une', 'ult', 'ord', 'uno', 'ogt', 'ueq'))}"
            if value.kind == "f"
            else f"arith.cmpi {self.r.choice(('slt', 'eq', 'ne', 'sge', 'ult'))}"
        )
        test = self.new(f"{how}, {value.name}, {other.name} : {value.type}", value.shape, "i1")
        test = self.same(test)
        self.new(
            f"arith.select {test.name}, {value.name}, {other.name} : {test.type}, {value.type}",
            value.shape,
            value.element,
        )

    def cast(self) -> None:
        value = self.late(self.values)
        op, element = {
            "f16": (("arith.extf", "f32"), ("arith.fptosi", "i32")),
            "bf16": (("arith.extf", "f32"),),
            "f32": (("arith.truncf", "f16"), ("arith.truncf", "bf16"), ("arith.fptosi", "i32")),
            "i32": (("arith.sitofp", "f32"), ("arith.sitofp", "f16"), ("arith.trunci", "i1")),
            "i1": (("arith.extui", "i32"), ("arith.extsi", "i32"), ("arith.uitofp", "f32")),
        }[value.element][self.r.randrange({"f16": 2, "bf16": 1, "f32": 3, "i32": 3, "i1": 3}[value.element])]
        self.new(f"{op} {value.name} : {value.type} to {tensor(value.shape, element)}", value.shape, element)

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

    def init(self, shape: Shape, element: str) -> str:
        """What a fold starts from: nothing, a constant, or a value that others use, too."""
        there = [v for v in self.values if (v.shape, v.element) == (shape, element)]
        kind = self.r.choice(("empty", "constant", "there", "there"))
        if kind == "there" and there:
            return self.r.choice(there).name
        return self.empty(shape, element) if kind == "empty" else self.constant(shape, element).name

    def reduce(self) -> None:
        value = self.value()
        if value is None or not value.shape:
            return
        axes = sorted(self.r.sample(range(len(value.shape)), self.r.randint(1, min(2, len(value.shape)))))
        shape = tuple(n for k, n in enumerate(value.shape) if k not in axes)
        combiner = self.r.choice(
            FOLDS[value.kind] if not self.exact else [c for c in FOLDS[value.kind] if "mul" not in c]
        )
        init = self.init(shape, value.element)
        self.new(
            f"linalg.reduce {{ arith.{combiner} }} ins({value.name} : {value.type}) outs({init} :"
            f" {tensor(shape, value.element)}) dimensions = {axes}",
            shape,
            value.element,
        )

    def generic(self) -> None:
        """A nest over one or two operands, broadcast or turned, that folds some dimensions or none."""
        value = self.value()
        if value is None or not value.shape:
            return
        rank, e = len(value.shape), value.element
        order = list(range(rank))
        if self.chance(0.3):
            self.r.shuffle(order)
        extent = dict(zip(order, value.shape, strict=True))
        maps, ins = [affine(rank, [f"d{d}" for d in order])], [value]
        for other in self.r.sample(self.values, len(self.values)):
            if other is value or other.element != e or len(ins) > 2:
                continue
            places: list[str] = []
            free = list(range(rank))
            for n in other.shape:
                fit = [d for d in free if extent[d] == n]
                if not fit:
                    break
                places.append(f"d{fit[0]}")
                free.remove(fit[0])
            else:
                maps.append(affine(rank, places))
                ins.append(other)
        folded = [d for d in range(rank) if self.chance(0.3)]
        kept = [d for d in range(rank) if d not in folded]
        if self.chance(0.3):
            self.r.shuffle(kept)
        keep_ones = self.chance(0.2) and folded
        places = [f"d{d}" for d in kept] + (["0"] if keep_ones else [])
        shape = tuple(extent[d] for d in kept) + ((1,) if keep_ones else ())
        maps.append(affine(rank, places))
        init = self.init(shape, e) if folded else self.empty(shape, e)
        kinds = ", ".join('"reduction"' if d in folded else '"parallel"' for d in range(rank))
        result = Value(self.fresh(), shape, e)
        arguments = [f"%{'pqs'[k]}" for k in range(len(ins))]
        self.say(
            f"{result.name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}"
            f" ins({', '.join(v.name for v in ins)} : {', '.join(v.type for v in ins)}) outs({init} : {result.type}) {{"
        )
        self.say(f"^bb0({', '.join(f'{a}: {e}' for a in [*arguments, '%o'])}):")
        there = list(arguments)
        for _ in range(self.r.randint(1, 3)):
            name = self.fresh("g")
            if value.kind == "i" and self.chance(0.15):
                at, cast = self.fresh("g"), self.fresh("g")
                self.say(f"{at} = linalg.index {self.r.randrange(rank)} : index")
                self.say(f"{cast} = arith.index_cast {at} : index to i32")
                there.append(cast)
            if value.kind == "f" and not self.exact and self.chance(0.2):
                op = self.r.choice(FLOAT_1)
                self.say(f"{name} = {op} {self.r.choice(there)} : {e}")
            else:
                op = self.r.choice(("mulf", self.binary("f"))) if value.kind == "f" else self.binary("i")
                self.say(f"{name} = arith.{op} {self.r.choice(there)}, {self.r.choice(there)} : {e}")
            there.append(name)
        last = there[-1]
        if folded:
            name, combiner = self.fresh("g"), self.r.choice(FOLDS[value.kind])
            if self.exact and "mul" in combiner:
                combiner = "addf" if value.kind == "f" else "addi"
            pair = ["%o", last]
            self.r.shuffle(pair)
            self.say(f"{name} = arith.{combiner} {', '.join(pair)} : {e}")
            last = name
        self.say(f"linalg.yield {last} : {e}")
        self.say(f"}} -> {result.type}")
        self.values.append(result)

    def two_folds(self) -> None:
        """A nest that folds the last dimension twice, or looks for the place of the largest."""
        value = self.value()
        if value is None or not value.shape:
            return
        rank, e, shape = len(value.shape), value.element, value.shape[:-1]
        kept = affine(rank, [f"d{k}" for k in range(rank - 1)])
        maps = ", ".join([affine(rank, [f"d{k}" for k in range(rank)]), kept, kept])
        kinds = ", ".join(['"parallel"'] * (rank - 1) + ['"reduction"'])
        place = self.chance(0.4)
        second = "i32" if place else e
        inits = [self.constant(shape, e), self.constant(shape, second)]
        results = [Value(self.fresh(), shape, e), Value(self.fresh(), shape, second)]
        self.say(
            f"{results[0].name}, {results[1].name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}"
            f" ins({value.name} : {value.type}) outs({inits[0].name}, {inits[1].name} : {inits[0].type}, {inits[1].type}) {{"
        )
        self.say(f"^bb0(%p: {e}, %o: {e}, %q: {second}):")
        g = [self.fresh("g") for _ in range(4)]
        if place:
            how = "arith.cmpf ogt" if value.kind == "f" else "arith.cmpi sgt"
            self.say(f"{g[0]} = {how}, %p, %o : {e}")
            self.say(f"{g[1]} = linalg.index {rank - 1} : index")
            self.say(f"{g[2]} = arith.index_cast {g[1]} : index to i32")
            self.say(f"{g[3]} = arith.select {g[0]}, {g[2]}, %q : i32")
            self.say(f"{g[0]}s = arith.select {g[0]}, %p, %o : {e}")
            self.say(f"linalg.yield {g[0]}s, {g[3]} : {e}, i32")
        else:
            one, other = self.r.choice(("addf", "maximumf")), self.r.choice(("addf", "minnumf"))
            if value.kind == "i":
                one, other = "addi", "maxsi"
            self.say(f"{g[0]} = arith.{one} %o, %p : {e}")
            self.say(f"{g[1]} = arith.{other} %q, %p : {e}")
            self.say(f"linalg.yield {g[0]}, {g[1]} : {e}, {e}")
        self.say(f"}} -> ({inits[0].type}, {inits[1].type})")
        self.values += results

    def softmax(self) -> None:
        value = self.value(kind="f")
        if value is None or not value.shape or self.exact:
            return
        empty = self.empty(value.shape, value.element)
        self.new(
            f"linalg.softmax dimension({self.r.randrange(len(value.shape))}) ins({value.name} : {value.type}) outs({empty} :"
            f" {value.type}) -> {value.type}",
            value.shape,
            value.element,
        )

    def contract(self) -> None:
        """A contraction of two operands, with or without a batch, operands turned, accumulator wide or narrow."""
        left = self.value(kind="f", rank=self.r.choice((2, 2, 3)))
        if left is None:
            return
        batch = left.shape[:-2]
        m, k = left.shape[-2:]
        e = left.element
        rights = [
            v for v in self.values if v.element == e and len(v.shape) == len(left.shape) and v.shape[:-2] == batch
        ]
        straight = [v for v in rights if v.shape[-2] == k]
        turned = [v for v in rights if v.shape[-1] == k]
        target = self.r.choice((e, "f32")) if e != "f32" else "f32"
        if straight and self.chance(0.6):
            right = self.r.choice(straight)
            n = right.shape[-1]
            shape = (*batch, m, n)
            if math.prod(shape) > MOST:
                return
            init = self.init(shape, target)
            op = "batch_matmul" if batch else "matmul"
            self.new(
                f"linalg.{op} ins({left.name}, {right.name} : {left.type}, {right.type}) outs({init} :"
                f" {tensor(shape, target)}) -> {tensor(shape, target)}",
                shape,
                target,
            )
            return
        if not turned:
            return
        right = self.r.choice(turned)
        n = right.shape[-2]
        swap = self.chance(0.3)
        shape = (*batch, n, m) if swap else (*batch, m, n)
        if math.prod(shape) > MOST:
            return
        b = [f"d{d}" for d in range(len(batch))]
        dm, dn, dk = (f"d{len(batch) + j}" for j in range(3))
        rank = len(batch) + 3
        maps = [
            affine(rank, [*b, dm, dk]),
            affine(rank, [*b, dn, dk]),
            affine(rank, [*b, *((dn, dm) if swap else (dm, dn))]),
        ]
        kinds = ['"parallel"'] * (rank - 1) + ['"reduction"']
        init = self.init(shape, target)
        result = Value(self.fresh(), shape, target)
        self.say(
            f"{result.name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(kinds)}]}}"
            f" ins({left.name}, {right.name} : {left.type}, {right.type}) outs({init} : {result.type}) {{"
        )
        self.say(f"^bb0(%p: {e}, %q: {e}, %o: {target}):")
        names = ["%p", "%q"]
        if target != e:
            for j, name in enumerate(list(names)):
                names[j] = self.fresh("g")
                self.say(f"{names[j]} = arith.extf {name} : {e} to {target}")
        product, total = self.fresh("g"), self.fresh("g")
        self.say(f"{product} = arith.mulf {names[0]}, {names[1]} : {target}")
        self.say(f"{total} = arith.addf %o, {product} : {target}")
        self.say(f"linalg.yield {total} : {target}")
        self.say(f"}} -> {result.type}")
        self.values.append(result)

    # shapes

    def transpose(self) -> None:
        value = self.late(self.values)
        if not value.shape:
            return  # MLIR's own verifier does not survive it
        order = list(range(len(value.shape)))
        self.r.shuffle(order)
        shape = tuple(value.shape[d] for d in order)
        empty = self.empty(shape, value.element)
        self.new(
            f"linalg.transpose ins({value.name} : {value.type}) outs({empty} : {tensor(shape, value.element)})"
            f" permutation = {order}",
            shape,
            value.element,
        )

    def broadcast(self) -> None:
        value = self.late(self.values)
        if len(value.shape) > 2:
            return
        axis, n = self.r.randint(0, len(value.shape)), self.r.choice(self.extents)
        shape = (*value.shape[:axis], n, *value.shape[axis:])
        if math.prod(shape) > MOST:
            return
        empty = self.empty(shape, value.element)
        self.new(
            f"linalg.broadcast ins({value.name} : {value.type}) outs({empty} : {tensor(shape, value.element)})"
            f" dimensions = [{axis}]",
            shape,
            value.element,
        )

    def slice(self) -> None:
        """A part of a value, which starts at a loop's counter now and then."""
        value = self.late(self.values)
        offsets: list[str] = []
        sizes, steps = [], []
        for n in value.shape:
            counters = [(c, t) for c, t in self.counters if 0 < t <= n]
            if counters and self.chance(0.5):
                counter, trips = self.r.choice(counters)
                offsets.append(counter)
                sizes.append(self.r.randint(1, n - trips + 1))
                steps.append(1)
                continue
            whole = self.chance(0.4)
            offset = 0 if whole else self.r.randrange(n)
            step = self.r.choice((1, 1, 2))
            offsets.append(str(offset))
            steps.append(step if not whole else 1)
            sizes.append(n if whole else self.r.randint(1, (n - 1 - offset) // step + 1))
        shape = tuple(sizes)
        self.new(
            f"tensor.extract_slice {value.name}[{', '.join(offsets)}] {sizes} {steps} : {value.type} to"
            f" {tensor(shape, value.element)}",
            shape,
            value.element,
        )

    def insert(self) -> None:
        """A value inside a larger one, or two halves in an empty tensor."""
        value = self.value()
        if value is None or not value.shape:
            return
        into = [
            v
            for v in self.values
            if v.element == value.element
            and len(v.shape) == len(value.shape)
            and all(a >= b for a, b in zip(v.shape, value.shape, strict=True))
        ]
        if self.chance(0.6):
            target = self.r.choice(into)
            offsets = []
            for n, m in zip(target.shape, value.shape, strict=True):
                counters = [c for c, t in self.counters if t + m <= n + 1]
                offsets.append(
                    self.r.choice(counters) if counters and self.chance(0.5) else str(self.r.randint(0, n - m))
                )
            self.inserted(value, target.name, offsets, target.shape)
            return
        n = value.shape[-1]
        shape = (*value.shape[:-1], 2 * n)
        name = self.empty(shape, value.element)
        for k, part in enumerate((value, self.same(value))):
            zeros = ["0"] * (len(shape) - 1) + [str(k * n)]
            last = self.inserted(part, name, zeros, shape)
            self.values.remove(last)
            name = last.name
        self.values.append(last)

    def inserted(self, value: Value, into: str, offsets: Sequence[str], shape: Shape) -> Value:
        ones = [1] * len(shape)
        return self.new(
            f"tensor.insert_slice {value.name} into {into}[{', '.join(offsets)}] {list(value.shape)} {ones} :"
            f" {value.type} into {tensor(shape, value.element)}",
            shape,
            value.element,
        )

    def reshape(self) -> None:
        value = self.late(self.values)
        e = value.element
        rank = len(value.shape)
        if rank >= 2 and self.chance(0.6):
            k = self.r.randrange(rank - 1)
            shape = (*value.shape[:k], value.shape[k] * value.shape[k + 1], *value.shape[k + 2 :])
            groups = [[d] for d in range(k)] + [[k, k + 1]] + [[d] for d in range(k + 2, rank)]
            self.new(f"tensor.collapse_shape {value.name} {groups} : {value.type} into {tensor(shape, e)}", shape, e)
        elif 1 <= rank <= 2:
            k = self.r.randrange(rank)
            parts = [d for d in (1, 2, 3, 4, 8) if value.shape[k] % d == 0]
            d = self.r.choice(parts)
            shape = (*value.shape[:k], d, value.shape[k] // d, *value.shape[k + 1 :])
            groups = [[j] for j in range(k)] + [[k, k + 1]] + [[j + 1] for j in range(k + 1, rank)]
            self.new(
                f"tensor.expand_shape {value.name} {groups} output_shape {list(shape)} : {value.type} into"
                f" {tensor(shape, e)}",
                shape,
                e,
            )

    def scalar(self) -> None:
        """An element that is taken out, computed with, and put everywhere."""
        value = self.value(kind="f")
        if value is None:
            return
        out, more = self.fresh("s"), self.fresh("s")
        places = ", ".join(self.index(self.r.randrange(n)) for n in value.shape)
        self.say(f"{out} = tensor.extract {value.name}[{places}] : {value.type}")
        self.say(f"{more} = arith.{self.binary('f')} {out}, {out} : {value.element}")
        other = self.r.choice([v for v in self.values if v.element == value.element])
        self.new(f"tensor.splat {more} : {other.type}", other.shape, value.element)

    def pad(self) -> None:
        value = self.value(kind="f")
        if value is None or not value.shape:
            return
        low = [self.r.randint(0, 2) for _ in value.shape]
        high = [self.r.randint(0, 2) for _ in value.shape]
        shape = tuple(a + n + b for a, n, b in zip(low, value.shape, high, strict=True))
        number, result = self.fresh("s"), Value(self.fresh(), shape, value.element)
        self.say(f"{number} = arith.constant 2.0 : {value.element}")
        self.say(f"{result.name} = tensor.pad {value.name} low{low} high{high} {{")
        self.say(f"^bb0({', '.join(f'%d{k}: index' for k in range(len(shape)))}):")
        self.say(f"tensor.yield {number} : {value.element}")
        self.say(f"}} : {value.type} to {result.type}")
        self.values.append(result)

    # control

    def trips(self) -> tuple[str, int]:
        """How often a loop runs, as a value, and the most that it can be: a constant, of the launch, out of memory."""
        kind = self.r.choice(("constant", "constant", "launch", "memory", "tile"))
        number = self.r.choice((0, 1, 2, 3, 3, 5))
        if kind == "constant":
            return self.index(number), number
        if kind == "launch":
            name = self.fresh("n")[1:]
            type_ = self.r.choice(("i32", "index"))
            self.data[name] = number
            self.arguments.append(f"%{name}: {type_}")
            if type_ == "index":
                # An index that is used as a number and not as an address.
                return f"%{name}", number
            cast = self.fresh("n")
            self.say(f"{cast} = arith.index_cast %{name} : i32 to index")
            return cast, number
        if kind == "tile":
            self.uniform = False
            return "%tile", self.tiles - 1
        self.uniform = False
        view = self.view((self.tiles,), "i32", dense=True)
        self.data[view.argument] = np.array([self.r.choice((0, 1, 2, 3)) for _ in range(self.tiles)], np.int32)
        where = self.tile(view, ["%tile"], (1,))
        loaded = self.load(where, (1,), "i32")
        self.values.remove(loaded)
        out, cast = self.fresh("n"), self.fresh("n")
        self.say(f"{out} = tensor.extract {loaded.name}[%c0] : {loaded.type}")
        self.say(f"{cast} = arith.index_cast {out} : i32 to index")
        return cast, 3

    @contextmanager
    def for_(self, trips: int, carried: str = "", ends: str = "") -> Iterator[str]:
        counter = self.fresh("i")
        bound = ends or self.index(trips)
        self.say(f"{carried}scf.for {counter} = %c0 to {bound} step %c1{ends and ''} {{")
        outer = list(self.values)
        self.counters.append((counter, trips))
        self.depth += 1
        yield counter
        self.depth -= 1
        self.counters.pop()
        self.values = outer
        self.say("}")

    def loop(self) -> None:
        """A loop that carries some values, permutes what it yields, and stores now and then."""
        was = self.uniform
        bound, most = self.trips()
        counter = self.fresh("i")
        inits = [self.r.choice(self.values) for _ in range(self.r.choice((0, 1, 1, 2, 2, 3)))] if self.values else []
        # Values of one type can change places.
        if inits and self.chance(0.5):
            inits = [inits[0], *(self.same(inits[0]) for _ in inits[1:])]
        inside = [Value(self.fresh("a"), v.shape, v.element) for v in inits]
        results = [Value(self.fresh("r"), v.shape, v.element) for v in inits]
        step = "%c1" if self.chance(0.7) else self.index(2)
        head = f"scf.for {counter} = %c0 to {bound} step {step}"
        types = ", ".join(v.type for v in inits)
        if inits:
            pairs = ", ".join(f"{a.name} = {v.name}" for a, v in zip(inside, inits, strict=True))
            head = f"{', '.join(v.name for v in results)} = {head} iter_args({pairs}) -> ({types})"
        self.say(head + " {")
        outer = list(self.values)
        self.values += inside
        self.counters.append((counter, most))
        self.depth += 1
        self.some(self.r.randint(1, 4))
        for v in inside:
            if self.chance(0.6):
                self.elementwise(v)
        if (not inits or self.chance(0.3)) and self.depth < 3 and most:
            self.output(self.r.choice(self.values))
        self.depth -= 1
        self.counters.pop()
        if inits:
            yields = []
            for v in inside:
                there = [w for w in self.values if (w.shape, w.element) == (v.shape, v.element)]
                yields.append(self.r.choice(there[-4:] if self.chance(0.7) else there))
            self.say(f"scf.yield {', '.join(v.name for v in yields)} : {types}")
        self.say("}")
        self.values = [*outer, *results]
        self.uniform = was

    def branch(self) -> None:
        """An if on the tile's number, a counter, or a number from memory, with results or with a store."""
        test, was = self.fresh("c"), self.uniform
        what = self.r.choice(["%tile", *(c for c, _ in self.counters)])
        kind = self.r.choice(("tile", "launch"))
        if kind == "launch":
            name = self.fresh("n")[1:]
            self.data[name] = self.r.randrange(3)
            self.arguments.append(f"%{name}: i32")
            self.say(f"{test}n = arith.constant 1 : i32")
            self.say(f"{test} = arith.cmpi {self.r.choice(('eq', 'slt', 'sge'))}, %{name}, {test}n : i32")
        else:
            self.uniform = False
            self.say(
                f"{test} = arith.cmpi {self.r.choice(('eq', 'ne', 'sgt'))}, {what}, {self.index(self.r.randrange(2))} : index"
            )
        count = self.r.choice((0, 1, 1, 2))
        shapes = [self.r.choice(self.values) for _ in range(count)]
        results = [Value(self.fresh("r"), v.shape, v.element) for v in shapes]
        types = ", ".join(v.type for v in shapes)
        head = f"scf.if {test}"
        if count:
            head = f"{', '.join(v.name for v in results)} = {head} -> ({types})"
        self.say(head + " {")
        self.depth += 1
        for side in range(2):
            outer = list(self.values)
            self.some(self.r.randint(0, 2))
            if count:
                yields = []
                for v in shapes:
                    there = [w for w in self.values if (w.shape, w.element) == (v.shape, v.element)]
                    yields.append(self.r.choice(there[-3:]))
                self.say(f"scf.yield {', '.join(v.name for v in yields)} : {types}")
            elif self.depth < 3:
                self.output(self.r.choice(self.values))
            self.values = outer
            if side == 0:
                self.say("} else {")
        self.say("}")
        self.depth -= 1
        self.uniform = was
        self.values += results

    def exchange(self) -> None:
        """All tiles together: a reduce whose result all take."""
        value = self.value()
        if value is None or not self.uniform or not value.shape or self.tiles == 1:
            return
        sides = f"affine_set<(i)[g] : (i >= 0, -i + {self.tiles - 1} >= 0)>"
        one = "affine_set<(g) : (g == 0)>"
        identity = self.constant(value.shape, value.element)
        future, result = self.fresh("f"), Value(self.fresh(), value.shape, value.element)
        self.say(
            f"{future} = ktdp.inter_tile_produce producer_tiles_per_group = {sides} -> <({value.type}), groups = {one}> {{"
        )
        self.say("^bb0(%g: index):")
        self.say(f"ktdp.yield_partial {value.name} : {value.type}")
        self.say("}")
        self.say(
            f"{result.name} = ktdp.inter_tile_reduce({future}) consumer_tiles_per_group = {sides}, identity({identity.name} :"
            f" {identity.type}) : <({value.type}), groups = {one}> -> {value.type} {{"
        )
        self.say(f"^bb0(%p: {value.type}, %q: {value.type}):")
        inner = self.fresh("g")
        op = self.r.choice(("addf", "maximumf")) if value.kind == "f" else self.r.choice(("addi", "maxsi"))
        self.say(f"{inner} = arith.{op} %p, %q : {value.type}")
        self.say(f"ktdp.yield_reduced {inner} : {value.type}")
        self.say("}")
        self.values.append(result)

    def neighbour(self) -> None:
        """Store, meet, and load what the next tile has stored."""
        value = self.value(rank=2)
        if value is None or not self.uniform or self.depth or self.tiles == 1:
            return
        rows = value.shape[0]
        view = self.view((rows * self.tiles, *value.shape[1:]), value.element, dense=True)
        self.store(value, self.tile(view, [f"%tile * {rows}", 0], value.shape))
        before = len(self.values)
        self.exchange()
        if len(self.values) > before:
            step = self.r.randint(1, self.tiles - 1)
            anchor = f"((%tile + {step}) mod {self.tiles}) * {rows}"
            self.load(self.tile(view, [anchor, 0], value.shape), value.shape, value.element)

    def liking(self, name: str) -> float:
        """How much this kernel likes a kind of op: kernels of few kinds go deeper than those of all."""
        if name not in self.likes:
            self.likes[name] = self.r.choice((0.05, 0.2, 1.0, 1.0, 4.0))
        return self.likes[name]

    def some(self, count: int) -> None:
        """So many more ops."""
        for _ in range(count):
            if not self.values:
                self.input()
                continue
            options: list[tuple[Callable[[], object], int]] = [
                (self.input, 3),
                (self.chain, 8),
                (self.select, 2),
                (self.cast, 3),
                (self.reduce, 5),
                (self.generic, 6),
                (self.contract, 5),
                (self.two_folds, 2),
                (self.softmax, 1),
                (self.transpose, 2),
                (self.broadcast, 3),
                (self.slice, 3),
                (self.insert, 3),
                (self.reshape, 3),
                (self.scalar, 2),
                (self.pad, 1),
            ]
            if self.depth < 2:
                options += [(self.loop, 5 - 2 * self.depth), (self.branch, 3)]
            if not self.depth:
                options += [(self.in_place, 2), (self.neighbour, 1)]
            if self.uniform:
                options += [(self.exchange, 1)]
            if self.tiles == 1:
                options += [(self.computed_rows, 2)]
            weights = [weight * self.liking(what.__name__) for what, weight in options]
            self.r.choices([what for what, _ in options], weights)[0]()


def kernel(seed: int) -> Kernel:
    """The kernel of a seed."""
    r = Random(seed)
    tiles = r.choice((1, 1, 2, 3, 4, 6))
    grid = [tiles] if tiles % 2 or r.random() < 0.7 else [2, tiles // 2]
    extents = tuple(r.choice(EXTENTS) for _ in range(r.choice((1, 2, 3))))
    b = Builder(r, tiles, r.random() < 0.4, extents)
    for _ in range(r.randint(1, 3)):
        b.input()
    b.some(r.choice((2, 4, 8, 12, 20)))
    text = "\n".join(b.lines)
    unused = [v for v in b.values if len(re.findall(re.escape(v.name) + r"\b", text)) == 1]
    for value in r.sample(unused, min(len(unused), r.randint(1, 4))):
        b.output(value)
    head = f"func.func @k({', '.join(b.arguments)}) attributes {{grid = {grid}}} {{\n%tile = ktdp.get_compute_tile_id : index\n"
    head += "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
    return Kernel(head + "\n".join(b.lines) + "\nreturn\n}\n", b.data, b.exact)
