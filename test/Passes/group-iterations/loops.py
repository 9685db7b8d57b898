"""Random kernels whose loops could be grouped, or only seem to be."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from tiles import dense, fill, generic, kernel, tensor

Shape = tuple[int, ...]

WIDTHS = (1, 2, 10, 63, 65)
TRIPS = (0, 1, 2, 3, 5, 7, 8, 12, 13, 16)
CELLS = 1 << 16
"""Elements of each array."""


class Loop:
    """A kernel with a loop of up to 16 iterations, at stage ``kernel``: reads of x, y and z, ops, writes to y and z."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.width = self.rng.choice(WIDTHS)
        self.trips = self.rng.choice(TRIPS)
        self.dynamic = self.rng.random() < 0.3
        self.lines: list[str] = []
        self.before: list[str] = []
        self.values: list[tuple[str, Shape]] = []
        self.inner = False
        self.number = 0
        self.regions = 0

    def text(self) -> str:
        """The kernel."""
        rng = self.rng
        for _ in range(rng.randint(1, 2)):
            self.read()
        steps = [self.read, self.map, self.map, self.fold, self.spread, self.shape, self.slice, self.write, self.blocks]
        for _ in range(rng.randint(2, 8)):
            rng.choice(steps)()
        self.write(own=rng.random() < 0.8)
        end = "%n" if self.dynamic else "%ct"
        numbers = (("c1", 1), ("c2", 2), ("ct", self.trips))
        constants = "".join(f"%{name} = arith.constant {value} : index\n" for name, value in numbers)
        loop = f"scf.for %i = %c0 to {end} step %c1 {{\n{''.join(self.lines)}}}\n"
        if rng.random() < 0.2:
            loop = f"scf.for %k = %c0 to %c2 step %c1 {{\n{loop}}}\n"
        return kernel(constants + "".join(self.before) + loop, ("x", "y", "z", "l", "n"))

    def given(self) -> dict[str, Any]:
        """What it is run on."""
        rng = np.random.default_rng(0)
        arrays: dict[str, Any] = {name: rng.integers(-3, 4, CELLS).astype(np.float32) for name in "xyz"}
        trips = self.trips if self.trips != 1 else self.rng.choice((1, -3))
        return {**arrays, "l": rng.integers(0, 16, 64).astype(np.int32), "n": trips}

    def name(self) -> str:
        self.number += 1
        return f"v{self.number}"

    def offset(self, shape: Shape, *, own: bool = False) -> str:
        """An offset that is mostly linear in %i; each iteration has elements of its own if ``own``."""
        name, rng = self.name(), self.rng
        size = int(np.prod(shape))
        step = size if own else rng.choice((size, size, size + 3, 2 * size, 0, 1, -size, self.width))
        self.regions += own
        start = 3200 * self.regions if own else rng.randrange(40) + (16 * size if step < 0 else 0)
        form = f"i * {step} + {start}"
        if not own and rng.random() < 0.06:
            form = rng.choice((f"(i mod 3) * {size}", f"(i floordiv 2) * {size}"))
        self.lines.append(f"%{name} = affine.apply affine_map<(i) -> ({form})>(%i)\n")
        return name

    def read(self) -> None:
        rng = self.rng
        shape = rng.choice(((self.width,), (1, self.width), (1, self.width), (3, self.width), ()))
        name, strides, more = self.name(), list(dense(shape)), ""
        outside = rng.random() < 0.15
        place = "c0" if outside else self.offset(shape)
        attributes = ""
        if not outside and len(shape) == 2 and rng.random() < 0.3:
            low, high = self.clip(shape)
            more = f" clip [{low}, 0] to [{high}, {max(1, self.width - 1)}]"
            if rng.random() < 0.5 and any(s == shape for _, s in self.values):
                more += f" into %{rng.choice([n for n, s in self.values if s == shape])}"
            elif rng.random() < 0.5:
                more += " fill 1065353216"
        elif not outside and len(shape) == 2 and rng.random() < 0.3:
            list_ = self.name()
            at = "%i" if rng.random() < 0.7 else "%c2"
            self.lines.append(f"%{list_} = dataflow.read @device[{at} from %l] strides [1] : tensor<{shape[0]}xi32>\n")
            more = f" index (%{list_} : tensor<{shape[0]}xi32>) below [16]"
            attributes = f" {{index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: {self.width}>}}"
            strides[0] = 0
        base = rng.choice(("%x", "%x", "%y", "%z"))
        box = f"@device[%{place} from {base}] strides {strides}{more}{attributes}"
        line = f"%{name} = dataflow.read {box} : {tensor(shape, 'f32')}\n"
        (self.before if outside else self.lines).append(line)
        self.values.append((name, shape))

    def clip(self, shape: Shape) -> tuple[str, str]:
        """A lower and an upper bound of the first dimension."""
        rng, low, high = self.rng, self.name(), self.name()
        down, up = rng.choice((0, -1, 1, -2, 2)), rng.choice((0, -1, -1, 1, 2, -2))
        self.lines.append(f"%{low} = affine.apply affine_map<(i) -> (i * {down} + {rng.randint(-5, 3)})>(%i)\n")
        self.lines.append(f"%{high} = affine.apply affine_map<(i) -> (i * {up} + {rng.randint(-2, 12)})>(%i)\n")
        return rng.choice(("0", f"%{low}")), rng.choice((str(shape[0]), f"%{high}", f"%{high}"))

    def map(self) -> None:
        """Elementwise, in places with the number of the iteration or of the lane."""
        rng = self.rng
        value, shape = rng.choice(self.values)
        others = [n for n, s in self.values if s == shape]
        dims = ", ".join(f"d{k}" for k in range(len(shape)))
        inputs = [(value, shape, dims), (rng.choice(others), shape, dims)]
        if (
            shape[1:] == (self.width,)
            and rng.random() < 0.3
            and (rows := [n for n, s in self.values if s == (self.width,)])
        ):
            inputs[1] = (rng.choice(rows), (self.width,), "d1")
        body = f"%r0 = arith.{rng.choice(('addf', 'subf', 'maximumf'))} %a0, %a1 : f32\n"
        if rng.random() < 0.3:
            body += "%q0 = arith.index_cast %i : index to i32\n%q = arith.sitofp %q0 : i32 to f32\n"
            body += "%r = arith.addf %r0, %q : f32\n"
        elif rng.random() < 0.3 and shape:
            dim = rng.randrange(len(shape))
            body += f"%d = linalg.index {dim} : index\n%q0 = arith.index_cast %d : index to i32\n"
            body += "%q = arith.sitofp %q0 : i32 to f32\n%r = arith.subf %r0, %q : f32\n"
        else:
            body += "%r = arith.negf %r0 : f32\n"
        name = self.name()
        self.lines.append(generic(name, inputs, (shape, dims), body, extents=shape))
        self.values.append((name, shape))

    def fold(self) -> None:
        """The last dimension, starting from a number, or from something computed."""
        rng = self.rng
        value, shape = rng.choice(self.values)
        if not shape:
            return
        name, result = self.name(), shape[:-1]
        dims = [f"d{k}" for k in range(len(shape))]
        starts = [n for n, s in self.values if s == result]
        start = rng.choice(starts) if starts and rng.random() < 0.3 else f"{name}i"
        if start == f"{name}i":
            (self.before if rng.random() < 0.2 else self.lines).append(fill(start, result, "1.0"))
        body = f"%r = arith.{rng.choice(('addf', 'maximumf'))} %o, %a0 : f32\n"
        out = (result, ", ".join(dims[:-1]))
        self.lines.append(generic(name, [(value, shape, ", ".join(dims))], out, body, extents=shape, init=start))
        self.values.append((name, result))

    def spread(self) -> None:
        """A value for each of a row."""
        value, shape = self.rng.choice(self.values)
        if len(shape) > 1:
            return
        name, result = self.name(), (*shape, self.width)
        dims = [f"d{k}" for k in range(len(result))]
        body = "%r = arith.negf %a0 : f32\n"
        inputs = [(value, shape, ", ".join(dims[:-1]))]
        self.lines.append(generic(name, inputs, (result, ", ".join(dims)), body, extents=result))
        self.values.append((name, result))

    def shape(self) -> None:
        """A dimension of extent 1 more or less."""
        value, shape = self.rng.choice(self.values)
        name = self.name()
        if not shape:
            result, op, groups, more = (1, 1), "expand_shape", "[]", " output_shape [1, 1]"
        elif len(shape) == 1:
            result, op, groups = (1, *shape), "expand_shape", "[[0, 1]]"
            more = f" output_shape [1, {shape[0]}]"
        elif shape == (1, 1):
            result, op, groups, more = (), "collapse_shape", "[]", ""
        else:
            result, op, groups, more = (shape[0] * shape[1],), "collapse_shape", "[[0, 1]]", ""
        self.lines.append(
            f"%{name} = tensor.{op} %{value} {groups}{more} : {tensor(shape, 'f32')} into {tensor(result, 'f32')}\n"
        )
        self.values.append((name, result))

    def slice(self) -> None:
        """A part of a tensor, or one put into another."""
        rng = self.rng
        value, shape = rng.choice(self.values)
        if not shape or shape[-1] < 2:
            return
        name, first = self.name(), rng.randrange(shape[-1] - 1)
        size = rng.randint(1, shape[-1] - first)
        offsets, sizes = [0] * (len(shape) - 1) + [first], [*shape[:-1], size]
        steps = [1] * len(shape)
        piece = (*shape[:-1], size)
        box = f"{offsets} {sizes} {steps}"
        self.lines.append(
            f"%{name} = tensor.extract_slice %{value}{box} : {tensor(shape, 'f32')} to {tensor(piece, 'f32')}\n"
        )
        self.values.append((name, piece))
        whole = rng.choice([n for n, s in self.values if s == shape])
        into = self.name()
        self.lines.append(
            f"%{into} = tensor.insert_slice %{name} into %{whole}{box}"
            f" : {tensor(piece, 'f32')} into {tensor(shape, 'f32')}\n"
        )
        self.values.append((into, shape))

    def blocks(self) -> None:
        """A loop inside that adds up what it reads."""
        start, shape = self.rng.choice(self.values)
        if self.inner or self.rng.random() < 0.5:
            return
        self.inner = True
        name, place, block = self.name(), self.name(), self.name()
        step = self.rng.choice((0, int(np.prod(shape)), 64))
        type_ = tensor(shape, "f32")
        dims = ", ".join(f"d{k}" for k in range(len(shape)))
        self.lines += [
            f"%{name} = scf.for %j = %c0 to %c2 step %c1 iter_args(%s = %{start}) -> ({type_}) {{\n"
            f"%{place} = affine.apply affine_map<(i, j) -> (i * {step} + j * 17)>(%i, %j)\n"
            f"%{block} = dataflow.read @device[%{place} from %x] strides {dense(shape)} : {type_}\n",
            generic(f"{name}s", [("s", shape, dims), (block, shape, dims)], (shape, dims),
                    "%r = arith.addf %a0, %a1 : f32\n", extents=shape),
            f"scf.yield %{name}s : {type_}\n}}\n",
        ]  # fmt: skip
        self.values.append((name, shape))

    def write(self, *, own: bool | None = None) -> None:
        rng = self.rng
        value, shape = rng.choice(self.values)
        own = rng.random() < 0.7 if own is None else own
        place, more = self.offset(shape, own=own), ""
        if len(shape) == 2 and rng.random() < 0.2:
            low, high = self.clip(shape)
            more = f" clip [{low}, 0] to [{high}, {shape[1]}]"
        base = rng.choice(("%y", "%z", "%z"))
        self.lines.append(
            f"dataflow.write %{value}, @device[%{place} from {base}] strides {dense(shape)}{more}"
            f" : {tensor(shape, 'f32')}\n"
        )
