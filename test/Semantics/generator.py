# ruff: noqa: E501 (ops of kernels keep to a line)
"""Kernels drawn at random: views and layouts, tiles with sets and orders, DAGs of ops, loops, branches, grids, gathers.

:func:`kernels` is a hypothesis strategy of sound kernels (they race with nobody, read nothing undefined and stay inside of
their memory), so whatever executes them has to agree on every byte. ``compilable`` keeps to what stage ``kernel`` takes
today. Extents are small: the naive evaluator goes over elements one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from spelling import Shape, Value, box, coordinates, dims, memref, tensor

DTYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32}
FLOAT_2 = ("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minimumf", "arith.maxnumf")
FLOAT_1 = ("arith.negf", "math.exp", "math.absf", "math.sqrt", "math.tanh")
INTEGER_2 = ("arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi")
REDUCERS = {
    "f": ("arith.addf", "arith.maximumf", "arith.maxnumf", "arith.minimumf"),
    "i": ("arith.addi", "arith.maxsi", "arith.minsi", "arith.muli"),
}


@dataclass
class Generated:
    """A kernel's text, the arrays of a launch by argument name, and the names of what it writes with their types."""

    text: str
    arrays: dict[str, np.ndarray]
    outputs: dict[str, str]


@dataclass
class Builder:
    """Lines of a kernel so far, the values that may be used, and the arguments."""

    draw: Any
    compilable: bool
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def say(self, line: str) -> None:
        self.lines.append(line)

    def pick(self, options: Any) -> Any:
        return self.draw(st.sampled_from(list(options)))

    # memory

    def view(self, shape: Shape, element: str) -> tuple[str, str]:
        """A view of an argument of its own, in a drawn layout; gives argument and view."""
        name = self.fresh("p")
        self.arguments.append(name)
        order = self.draw(st.permutations(range(len(shape))))
        strides, step = [0] * len(shape), 1
        for d in reversed(list(order)):
            strides[d] = step
            step *= shape[d] + (self.draw(st.integers(0, 2)) if d == order[-1] else 0)
        size = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1
        shift = self.draw(st.integers(0, 3))
        self.arrays[name] = numbers(self.draw, size + shift, element)
        base = f"%{name}"
        if shift:
            base = f"%{self.fresh('b')}"
            self.say(f"%s{base[1:]} = arith.constant {shift} : index")
            self.say(f"{base} = arith.addi %{name}, %s{base[1:]} : index")
        view = self.fresh("v")
        self.say(
            f"%{view} = ktdp.construct_memory_view {base}, sizes: [{', '.join(map(str, shape))}], strides: [{', '.join(map(str, strides))}]"
            f" {{coordinate_set = {box(shape)}, memory_space = #ktdp.memory_space<global>}} : {memref(shape, element)}"
        )
        return name, view

    def tile(
        self, view: str, base: Shape, element: str, anchor: str, shape: Shape, points: str, order: Shape | None = None
    ) -> str:
        name = self.fresh("t")
        order = order or tuple(range(len(shape)))
        results = ", ".join(f"d{k}" for k in order)
        self.say(
            f"%{name} = ktdp.construct_access_tile %{view}[{anchor}] {{access_tile_set = {points}, access_tile_order ="
            f" affine_map<({dims(len(order))}) -> ({results})>}} : {memref(base, element)} -> !ktdp.access_tile<{coordinates(shape)}>"
        )
        return name

    def load(self, tile: str, shape: Shape, element: str) -> Value:
        name = self.fresh("x")
        self.say(f"%{name} = ktdp.load %{tile} : <{coordinates(shape)}> -> {tensor(shape, element)}")
        return self.add(name, shape, element)

    def add(self, name: str, shape: Shape, element: str) -> Value:
        value = Value(name, shape, element)
        self.values.append(value)
        return value

    def input(self, tiles: int) -> None:
        """Load a tile of a new view."""
        element = self.pick(DTYPES)
        rank = self.draw(st.integers(1, 3))
        shape = tuple(self.draw(st.integers(1, 5)) for _ in range(rank))
        base = (tiles * shape[0], *(n + self.draw(st.integers(0, 2)) for n in shape[1:]))
        if self.draw(st.integers(0, 5)) == 0:
            self.gather(base, shape, element)
            return
        _, view = self.view(base, element)
        anchor = ["%tile" if shape[0] == 1 else f"%tile * {shape[0]}"]
        anchor += [str(self.draw(st.integers(0, n - m))) for n, m in zip(base[1:], shape[1:], strict=True)]
        kind = self.pick(("box", "box", "shifted", "smaller", "triangle", "sieve", "outside"))
        low, points = (0,) * rank, box(shape)
        if kind == "shifted":
            low = tuple(self.draw(st.integers(0, 2)) for _ in shape)
            anchor = [f"{a} - {b}" if b else a for a, b in zip(anchor, low, strict=True)]
            # A constant start below 0 is an error: shift only what the tile's number decides.
            anchor[1:] = [a.partition(" - ")[0] for a in anchor[1:]]
            low = (low[0], *(0 for _ in low[1:]))
            points = box(shape, low)
        elif kind == "smaller":
            points = box(tuple(self.draw(st.integers(1, n)) for n in shape))
        elif kind == "triangle" and rank > 1:
            points = box(shape, extra="d0 - d1 >= 0")
        elif kind == "sieve":
            points = box(shape, extra=f"d{rank - 1} mod 2 == 0")
        elif kind == "outside":
            anchor[0] += f" + {self.draw(st.integers(0, max(0, shape[0] - 1)))}"
        order = tuple(self.draw(st.permutations(range(rank))))
        turned = tuple(shape[d] for d in order)
        self.load(self.tile(view, base, element, ", ".join(anchor), turned, points, order), turned, element)

    def gather(self, base: Shape, shape: Shape, element: str) -> None:
        """Load rows whose numbers another view holds."""
        _, view = self.view(base, element)
        name, index = self.view((shape[0],), "i32")
        self.arrays[name] = self.draw_rows(base[0], self.arrays[name].size)
        tile, variables = self.fresh("t"), [f"%k{d}" for d in range(len(shape))]
        others = "".join(f", ({v})" for v in variables[1:])
        self.say(
            f"%{tile} = ktdp.construct_indirect_access_tile intermediate_variables({', '.join(variables)}) %{view}[ind(%{index}[{variables[0]}]){others}]"
            f" {{variables_space_set = {box(shape)}, variables_space_order = affine_map<({dims(len(shape))}) -> ({dims(len(shape))})>}}"
            f" : {memref(base, element)}, {memref((shape[0],), 'i32')} -> !ktdp.access_tile<{coordinates(shape)}>"
        )
        self.load(tile, shape, element)

    def draw_rows(self, rows: int, size: int) -> np.ndarray:
        return np.array(self.draw(st.lists(st.integers(0, rows - 1), min_size=size, max_size=size)), np.int32)

    def output(self, value: Value, tiles: int) -> None:
        """Store a value to rows of its own of a new view."""
        shape = value.shape or (1,)
        if not value.shape:
            value = self.expand(value)
        base = (tiles * shape[0], *shape[1:])
        name, view = self.view(base, value.element)
        self.outputs[name] = value.element
        anchor = ", ".join([f"%tile * {shape[0]}", *("0" for _ in shape[1:])])
        tile = self.tile(view, base, value.element, anchor, shape, box(shape))
        self.say(f"ktdp.store %{value.name}, %{tile} : {value.type}, <{coordinates(shape)}>")

    def expand(self, value: Value) -> Value:
        name = self.fresh("x")
        self.say(
            f"%{name} = tensor.expand_shape %{value.name} [] output_shape [1] : {value.type} into {tensor((1,), value.element)}"
        )
        return Value(name, (1,), value.element)

    # ops

    def same(self, value: Value) -> list[Value]:
        """Values of the same type."""
        return [v for v in self.values if (v.shape, v.element) == (value.shape, value.element)]

    def op(self) -> None:
        """One more op."""
        value = self.pick(self.values)
        choices = ["elementwise", "elementwise", "generic", "select"]
        choices += [
            "reduce",
            "reduce_generic",
            "transpose",
            "slice",
            "broadcast",
            "halves",
            "cast",
            "reshape",
            "places",
        ]
        if value.element != "i32":
            choices.append("scalar")
            if len(value.shape) == 2:
                choices.append("matmul")
        getattr(self, self.pick(choices))(value)

    def binary(self, element: str) -> str:
        return str(self.pick(FLOAT_2 if element[0] == "f" else INTEGER_2))

    def elementwise(self, value: Value) -> None:
        name = self.fresh("x")
        if value.element[0] == "f" and self.draw(st.booleans()):
            self.say(f"%{name} = {self.pick(FLOAT_1)} %{value.name} : {value.type}")
        else:
            self.say(
                f"%{name} = {self.binary(value.element)} %{value.name}, %{self.pick(self.same(value)).name} : {value.type}"
            )
        self.add(name, value.shape, value.element)

    def select(self, value: Value) -> None:
        condition, name, other = self.fresh("c"), self.fresh("x"), self.pick(self.same(value))
        compare = (
            f"arith.cmpf {self.pick(('olt', 'oge', 'une'))}"
            if value.element[0] == "f"
            else f"arith.cmpi {self.pick(('slt', 'eq'))}"
        )
        self.say(f"%{condition} = {compare}, %{value.name}, %{other.name} : {value.type}")
        kind = tensor(value.shape, "i1")
        self.say(f"%{name} = arith.select %{condition}, %{value.name}, %{other.name} : {kind}, {value.type}")
        self.add(name, value.shape, value.element)

    def empty(self, shape: Shape, element: str) -> str:
        name = self.fresh("e")
        self.say(f"%{name} = tensor.empty() : {tensor(shape, element)}")
        return name

    def generic(self, value: Value) -> None:
        name, other = self.fresh("x"), self.pick(self.same(value))
        identity = f"affine_map<({dims(len(value.shape))}) -> ({dims(len(value.shape))})>"
        iterators = ", ".join(['"parallel"'] * len(value.shape))
        empty, e = self.empty(value.shape, value.element), value.element
        self.say(
            f"%{name} = linalg.generic {{indexing_maps = [{identity}, {identity}, {identity}], iterator_types = [{iterators}]}}"
            f" ins(%{value.name}, %{other.name} : {value.type}, {value.type}) outs(%{empty} : {value.type}) {{"
        )
        self.say(f"^bb0(%p: {e}, %q: {e}, %o: {e}):")
        self.say(f"  %{name}m = {self.binary(e)} %p, %q : {e}")
        self.say(f"  %{name}n = {self.binary(e)} %{name}m, %p : {e}")
        self.say(f"  linalg.yield %{name}n : {e}\n}} -> {value.type}")
        self.add(name, value.shape, e)

    def start(self, shape: Shape, element: str) -> str:
        """An accumulator: empty, or with a value."""
        if self.draw(st.booleans()):
            return self.empty(shape, element)
        name, number = self.fresh("s"), self.draw(st.integers(-3, 3))
        self.say(
            f"%{name} = arith.constant dense<{number}{'.0' if element[0] == 'f' else ''}> : {tensor(shape, element)}"
        )
        return name

    def reduce(self, value: Value) -> None:
        axis, name = self.draw(st.integers(0, len(value.shape) - 1)) if value.shape else -1, self.fresh("x")
        if axis < 0:
            return
        shape = value.shape[:axis] + value.shape[axis + 1 :]
        start, combiner = self.start(shape, value.element), self.pick(REDUCERS[value.element[0]])
        self.say(
            f"%{name} = linalg.reduce {{ {combiner} }} ins(%{value.name} : {value.type})"
            f" outs(%{start} : {tensor(shape, value.element)}) dimensions = [{axis}]"
        )
        self.add(name, shape, value.element)

    def reduce_generic(self, value: Value) -> None:
        """A sum of products over the last dimension, kept as a dimension of 1."""
        if not value.shape:
            return
        rank, e, name = len(value.shape), value.element, self.fresh("x")
        shape = (*value.shape[:-1], 1)
        kept = ", ".join([f"d{k}" for k in range(rank - 1)] + ["0"])
        maps = f"affine_map<({dims(rank)}) -> ({dims(rank)})>, affine_map<({dims(rank)}) -> ({kept})>"
        iterators = ", ".join(['"parallel"'] * (rank - 1) + ['"reduction"'])
        start = self.start(shape, e)
        add, multiply = ("arith.addf", "arith.mulf") if e[0] == "f" else ("arith.addi", "arith.muli")
        self.say(
            f"%{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} ins(%{value.name} : {value.type})"
            f" outs(%{start} : {tensor(shape, e)}) {{\n^bb0(%p: {e}, %o: {e}):\n  %{name}m = {multiply} %p, %p : {e}\n"
            f"  %{name}n = {add} %o, %{name}m : {e}\n  linalg.yield %{name}n : {e}\n}} -> {tensor(shape, e)}"
        )
        self.add(name, shape, e)

    def transpose(self, value: Value) -> None:
        if not value.shape:
            return  # not read
        order, name = tuple(self.draw(st.permutations(range(len(value.shape))))), self.fresh("x")
        shape = tuple(value.shape[d] for d in order)
        empty = self.empty(shape, value.element)
        self.say(
            f"%{name} = linalg.transpose ins(%{value.name} : {value.type}) outs(%{empty} : {tensor(shape, value.element)})"
            f" permutation = [{', '.join(map(str, order))}]"
        )
        self.add(name, shape, value.element)

    def broadcast(self, value: Value) -> None:
        if len(value.shape) > 2:
            return
        axis, n, name = self.draw(st.integers(0, len(value.shape))), self.draw(st.integers(1, 3)), self.fresh("x")
        shape = (*value.shape[:axis], n, *value.shape[axis:])
        empty = self.empty(shape, value.element)
        self.say(
            f"%{name} = linalg.broadcast ins(%{value.name} : {value.type}) outs(%{empty} : {tensor(shape, value.element)})"
            f" dimensions = [{axis}]"
        )
        self.add(name, shape, value.element)

    def slice(self, value: Value) -> None:
        parts = []
        for n in value.shape:
            offset = self.draw(st.integers(0, n - 1))
            stride = self.draw(st.integers(1, 2))
            parts.append((offset, self.draw(st.integers(1, (n - 1 - offset) // stride + 1)), stride))
        name, shape = self.fresh("x"), tuple(p[1] for p in parts)
        lists = " ".join(f"[{', '.join(str(p[k]) for p in parts)}]" for k in range(3))
        self.say(
            f"%{name} = tensor.extract_slice %{value.name}{lists} : {value.type} to {tensor(shape, value.element)}"
        )
        self.add(name, shape, value.element)

    def halves(self, value: Value) -> None:
        """The value twice, side by side in an empty tensor."""
        if not value.shape:
            return
        n = value.shape[-1]
        shape = (*value.shape[:-1], 2 * n)
        into = self.empty(shape, value.element)
        for k, other in enumerate((value, self.pick(self.same(value)))):
            name = self.fresh("x")
            zeros = ", ".join([*("0" for _ in shape[:-1]), str(k * n)])
            sizes, ones = ", ".join(map(str, value.shape)), ", ".join("1" for _ in shape)
            self.say(
                f"%{name} = tensor.insert_slice %{other.name} into %{into}[{zeros}] [{sizes}] [{ones}]"
                f" : {value.type} into {tensor(shape, value.element)}"
            )
            into = name
        self.add(into, shape, value.element)

    def cast(self, value: Value) -> None:
        name = self.fresh("x")
        target, op = {"f16": ("f32", "extf"), "f32": ("f16", "truncf"), "i32": ("f32", "sitofp")}[value.element]
        self.say(f"%{name} = arith.{op} %{value.name} : {value.type} to {tensor(value.shape, target)}")
        self.add(name, value.shape, target)

    def matmul(self, value: Value) -> None:
        (m, k), e = value.shape, value.element
        turned = self.fresh("x")
        empty = self.empty((k, m), e)
        self.say(
            f"%{turned} = linalg.transpose ins(%{value.name} : {value.type}) outs(%{empty} : {tensor((k, m), e)}) permutation = [1, 0]"
        )
        name, target = self.fresh("x"), self.pick((e, "f32"))
        start = self.start((m, m), target)
        self.say(
            f"%{name} = linalg.matmul ins(%{value.name}, %{turned} : {value.type}, {tensor((k, m), e)})"
            f" outs(%{start} : {tensor((m, m), target)}) -> {tensor((m, m), target)}"
        )
        self.add(name, (m, m), target)

    def reshape(self, value: Value) -> None:
        """All elements in one dimension, or with a dimension of 1 in front."""
        size = math.prod(value.shape)
        shape = self.pick(((size,), (1, *value.shape), (*value.shape, 1)))
        name, kind = self.fresh("x"), f"tensor<{len(shape)}xindex>"
        numbers = str(shape[0]) if len(shape) == 1 else f"[{', '.join(map(str, shape))}]"
        self.say(f"%{name}s = arith.constant dense<{numbers}> : {kind}")
        self.say(
            f"%{name} = tensor.reshape %{value.name}(%{name}s) : ({value.type}, {kind}) -> {tensor(shape, value.element)}"
        )
        self.add(name, shape, value.element)

    def places(self, value: Value) -> None:
        """The sum of the counters of each place."""
        name, rank = self.fresh("x"), len(value.shape)
        arguments = [f"%{name}d{k}" for k in range(rank)]
        self.say(f"%{name} = tensor.generate {{\n^bb0({', '.join(f'{a}: index' for a in arguments)}):")
        total = "%c1"
        for k, argument in enumerate(arguments):
            self.say(f"  %{name}t{k} = arith.addi {total}, {argument} : index")
            total = f"%{name}t{k}"
        self.say(f"  %{name}i = arith.index_cast {total} : index to i32\n  tensor.yield %{name}i : i32")
        self.say(f"}} : {tensor(value.shape, 'i32')}")
        self.add(name, value.shape, "i32")

    def scalar(self, value: Value) -> None:
        """An element that is taken out, computed with, and put everywhere."""
        name, e = self.fresh("x"), value.element
        self.say(f"%{name}e = tensor.extract %{value.name}[{', '.join('%c0' for _ in value.shape)}] : {value.type}")
        self.say(f"%{name}f = {self.pick(FLOAT_1)} %{name}e : {e}")
        self.say(f"%{name}g = {self.pick(FLOAT_2)} %{name}e, %{name}f : {e}")
        self.say(f"%{name} = tensor.splat %{name}g : {value.type}")
        self.add(name, value.shape, e)

    # control

    def loop(self) -> None:
        """A loop that carries a value, with ops in its body that use it."""
        value, trips, result = self.pick(self.values), self.draw(st.integers(0, 3)), self.fresh("x")
        self.say(f"%{result}n = arith.constant {trips} : index")
        self.say(
            f"%{result} = scf.for %{result}i = %c0 to %{result}n step %c1 iter_args(%{result}a = %{value.name}) -> ({value.type}) {{"
        )
        outer = list(self.values)
        inner = self.add(f"{result}a", value.shape, value.element)
        for _ in range(self.draw(st.integers(1, 2))):
            self.elementwise(inner)
            inner = self.values[-1]
        self.say(f"scf.yield %{inner.name} : {value.type}\n}}")
        self.values = outer
        self.add(result, value.shape, value.element)

    def branch(self) -> None:
        """An if on the tile's number that gives one of two values."""
        value, result = self.pick(self.values), self.fresh("x")
        self.say(f"%{result}c = arith.cmpi eq, %tile, %c0 : index")
        self.say(f"%{result} = scf.if %{result}c -> ({value.type}) {{")
        outer = list(self.values)
        self.elementwise(value)
        self.say(
            f"scf.yield %{self.values[-1].name} : {value.type}\n}} else {{\nscf.yield %{value.name} : {value.type}\n}}"
        )
        self.values = outer
        self.add(result, value.shape, value.element)


def numbers(draw: Any, size: int, element: str) -> np.ndarray:
    """Contents of an array: mostly ordinary, sometimes what floats are feared for."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    if element == "i32":
        return rng.integers(-50, 50, size).astype(np.int32)
    found = (rng.standard_normal(size) * 2.0 ** rng.integers(-3, 4, size)).astype(DTYPES[element])
    if draw(st.integers(0, 4)) == 0:
        special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-7, 65504.0], found.dtype)
        found[rng.integers(0, size, min(size, 3))] = special[rng.integers(0, len(special), min(size, 3))]
    return found


@st.composite
def kernels(draw: Any, *, compilable: bool = False) -> Generated:
    """A kernel."""
    b = Builder(draw, compilable)
    tiles = draw(st.integers(1, 4))
    grid = [tiles] if draw(st.booleans()) or tiles % 2 else [2, tiles // 2]
    for _ in range(draw(st.integers(1, 3))):
        b.input(tiles)
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.integers(0, 7))
        if kind == 0:
            b.loop()
        elif kind == 1:
            b.branch()
        else:
            b.op()
    for value in b.values[-draw(st.integers(1, 2)) :]:
        b.output(value, tiles)
    head = f"func.func @k({', '.join(f'%{a}: index' for a in b.arguments)}) attributes {{grid = {grid}}} {{\n"
    head += "%tile = ktdp.get_compute_tile_id : index\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
    assert math.prod(grid) == tiles
    return Generated(head + "\n".join(b.lines) + "\nreturn\n}\n", b.arrays, b.outputs)
