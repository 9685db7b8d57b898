"""A second evaluator of kernels: one element at a time, numbers of Python, exact sums. Slow, short and independent.

It shares nothing with the executor but the reader. Sets and maps are evaluated from their printed text, floats are
rounded by packing them, sums are rational numbers. Tiles run one after the other, so it has no inter-tile ops. It
reports no warnings; what has no value is :data:`UNDEFINED`, and reading it raises :class:`Wrong`.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from spyrec.mlir import ir, linalg

UNDEFINED = object()

Index = tuple[int, ...]
FORMATS = {
    "f16": "<e",
    "f32": "<f",
    "f64": "<d",
    "i1": "<b",
    "i8": "<b",
    "i16": "<h",
    "i32": "<i",
    "i64": "<q",
    "index": "<q",
}
SIZES = {name: struct.calcsize(form) for name, form in FORMATS.items()}


class Wrong(Exception):
    """The kernel breaks a rule."""


@dataclass
class Tensor:
    """Elements by index; ``element`` is the type's name."""

    shape: Index
    element: str
    at: dict[Index, Any]

    def __getitem__(self, index: Index) -> Any:
        value = self.at.get(index, UNDEFINED)
        if value is UNDEFINED:
            raise Wrong(f"element {index} is undefined")
        return value


def points(shape: Sequence[int]) -> Iterator[Index]:
    """All indices of a shape, the last dimension fastest."""
    return itertools.product(*map(range, shape))


def rounded(value: Any, element: str) -> Any:
    """A number as a value of a type."""
    if element[0] == "f":
        value = float(value) if not isinstance(value, Fraction) else value
        if isinstance(value, Fraction):
            value = exact(value, element)
        if math.isnan(value) or math.isinf(value):
            return value
        try:
            return struct.unpack(FORMATS[element], struct.pack(FORMATS[element], value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    bits = {"i1": 1, "index": 64}.get(element) or int(element.lstrip("siu"))
    value = int(value) & ((1 << bits) - 1)
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def exact(value: Fraction, element: str) -> float:
    """A rational rounded once: by way of a double whose last bit remembers that something was cut off."""
    near = value.numerator / value.denominator
    back = Fraction(near)
    if back == value or element == "f64":
        return near
    bits = struct.unpack("<q", struct.pack("<d", near))[0]
    if bits & 1:
        return near
    larger = abs(value) > abs(back)
    return struct.unpack("<d", struct.pack("<q", bits + 1 if larger else bits - 1))[0]


# Sets and maps, from text -------------------------------------------------------------------------------------------


def python(text: str) -> str:
    """An affine expression as Python: its // and % round to minus infinity as well."""
    return text.replace("floordiv", "//").replace("mod", "%")


@functools.cache
def affine(text: str) -> Callable[[Sequence[int], Sequence[int]], list[Any]]:
    """The function of an affine map, or the tuple of conditions of a set."""
    _, dims, symbols, results = re.fullmatch(
        r"affine_(map|set)<\((.*?)\)(?:\[(.*?)\])? (?:->|:) \((.*)\)>", text
    ).groups()  # type: ignore[union-attr]
    names = [n.strip() for n in f"{dims},{symbols or ''}".split(",") if n.strip()]
    source = python(results) + ("," if results else "")
    code = compile(f"({source})" if source else "()", "affine", "eval")

    def function(d: Sequence[int], s: Sequence[int]) -> list[Any]:
        return list(eval(code, {}, dict(zip(names, [*d, *s], strict=True))))

    return function


def points_of(attribute: Any) -> list[Index]:
    """The points of a set of small coordinates, in order."""
    return _points_of(str(attribute))


@functools.cache
def _points_of(text: str) -> list[Index]:
    rank = len([n for n in text[text.index("(") + 1 : text.index(")")].split(",") if n.strip()])
    holds = affine(text)
    window = range(-2, max(map(int, re.findall(r"\d+", text))) + 2)
    return [p for p in itertools.product(*[window] * rank) if all(holds(p, []))]


def lowest(found: Sequence[Index], rank: int) -> Index:
    return tuple(min(p[k] for p in found) for k in range(rank)) if found else (0,) * rank


# Memory and views -----------------------------------------------------------------------------------------------------


@dataclass
class Pointer:
    """An argument: its memory, and the number of elements added to it."""

    memory: bytearray
    elements: int = 0


@dataclass
class View:
    memory: bytearray
    byte: int
    element: str
    strides: Index
    inside: set[Index]


@dataclass
class Tile:
    """For each index of the tensor the coordinates that belong there (only for points of the set)."""

    view: View
    shape: Index
    at: dict[Index, Index]


class Kernel:
    """One kernel with its memories: ``run()`` executes every tile."""

    def __init__(self, function: ir.Operation, values: Mapping[str, Any], names: Sequence[str]) -> None:
        self.function = function
        self.arguments = [
            Pointer(values[n]) if isinstance(values.get(n), bytearray) else values.get(n, 0) for n in names
        ]
        self.grid = [ir.IntegerAttr(n).value for n in ir.ArrayAttr(function.attributes["grid"])]

    def run(self) -> None:
        for tile in range(math.prod(self.grid)):
            self.tile = tile
            self.values: dict[ir.Value, Any] = {}
            self.block(self.function.regions[0].blocks[0], self.arguments)

    def block(self, block: ir.Block, arguments: Sequence[Any]) -> list[Any]:
        """Execute; gives the operands of the terminator."""
        for argument, value in zip(block.arguments, arguments, strict=True):
            self.values[argument] = value
        for wrapper in block.operations:
            op = wrapper.operation
            operands = [self.values[v] for v in op.operands]
            if op.name.endswith(("yield", "return")):
                return operands
            results = self.op(op, operands)
            for result, value in zip(op.results, results, strict=True):
                self.values[result] = value
        return []

    def op(self, op: ir.Operation, operands: list[Any]) -> list[Any]:
        name = op.name.partition(".")[2]
        dialect = op.name.partition(".")[0]
        if dialect in ("arith", "math") and op.name != "arith.constant":
            return [self.elementwise(op, operands)]
        if dialect == "linalg":
            return self.structured(op, operands)
        method = getattr(self, f"{dialect}_{name}")
        found = method(op, *operands)
        return found if isinstance(found, list) else [found] if len(op.results) else []

    # ktdp

    def ktdp_get_compute_tile_id(self, op: ir.Operation) -> list[int]:
        if len(op.results) == 1:
            return [self.tile]
        ids, rest = [], self.tile
        for extent in self.grid:
            ids.append(rest % extent)
            rest //= extent
        return ids

    def ktdp_construct_memory_view(self, op: ir.Operation, base: Any) -> View:
        element = str(ir.ShapedType(op.results[0].type).element_type)
        strides = tuple(ir.DenseI64ArrayAttr(op.attributes["static_strides"]))
        inside = set(points_of(op.attributes["coordinate_set"]))
        return View(base.memory, base.elements * SIZES[element], element, strides, inside)

    def ktdp_construct_access_tile(self, op: ir.Operation, view: View, *indices: int) -> Tile:
        anchor = affine(str(op.attributes["base_map"]))(indices, [])
        found = points_of(op.attributes["access_tile_set"])
        order = affine(str(op.attributes["access_tile_order"]))
        places = [tuple(order(p, [])) for p in found]
        low = lowest(places, len(anchor))
        shape = tuple(int(n) for n in re.findall(r"(\d+)x", str(op.results[0].type)))
        at = {
            tuple(a - b for a, b in zip(q, low, strict=True)): tuple(a + b for a, b in zip(anchor, p, strict=True))
            for p, q in zip(found, places, strict=True)
        }
        return Tile(view, shape, at)

    def ktdp_construct_indirect_access_tile(self, op: ir.Operation, view: View, *rest: Any) -> Tile:
        kinds = [bool(ir.BoolAttr(k).value) for k in ir.ArrayAttr(op.attributes["per_dim_subscript_kinds"])]
        maps = [affine(str(m)) for m in ir.ArrayAttr(op.attributes["per_dim_subscript_maps"])]
        captured = [v for v in rest if isinstance(v, int)]
        order = affine(str(op.attributes["variables_space_order"]))
        found = points_of(op.attributes["variables_space_set"])
        places = [tuple(order(p, [])) for p in found]
        low = lowest(places, len(places[0]) if places else 0)
        at = {}
        for p, q in zip(found, places, strict=True):
            views = iter([v for v in rest if isinstance(v, View)])
            coordinates = []
            for kind, map_ in zip(kinds, maps, strict=True):
                values = tuple(map_([*captured, *p], []))
                if kind:
                    index = next(views)
                    if values not in index.inside:
                        raise Wrong("an index is read outside of its view")
                    values = (self.read(index, values),)
                coordinates.append(values[0])
            for d, (kind, x) in enumerate(zip(kinds, coordinates, strict=True)):
                if kind and not any(c[d] == x for c in view.inside):
                    raise Wrong("an index is out of range")
            at[tuple(a - b for a, b in zip(q, low, strict=True))] = tuple(coordinates)
        shape = tuple(int(n) for n in re.findall(r"(\d+)x", str(op.results[0].type)))
        return Tile(view, shape, at)

    def address(self, view: View, x: Index) -> int:
        return view.byte + SIZES[view.element] * sum(a * s for a, s in zip(x, view.strides, strict=True))

    def read(self, view: View, x: Index) -> Any:
        at = self.address(view, x)
        return struct.unpack(FORMATS[view.element], view.memory[at : at + SIZES[view.element]])[0]

    def ktdp_load(self, op: ir.Operation, tile: Tile) -> Tensor:
        zero = 0.0 if tile.view.element[0] == "f" else 0
        return Tensor(
            tile.shape,
            tile.view.element,
            {
                q: self.read(tile.view, tile.at[q]) if q in tile.at and tile.at[q] in tile.view.inside else zero
                for q in points(tile.shape)
            },
        )

    def ktdp_store(self, op: ir.Operation, data: Tensor, tile: Tile) -> None:
        for q in points(tile.shape):
            if q in tile.at and tile.at[q] in tile.view.inside:
                at = self.address(tile.view, tile.at[q])
                tile.view.memory[at : at + SIZES[data.element]] = struct.pack(FORMATS[data.element], data[q])

    # scf

    def scf_for(self, op: ir.Operation, lower: int, upper: int, step: int, *carried: Any) -> list[Any]:
        values = list(carried)
        for i in range(lower, upper, step):
            values = self.block(op.regions[0].blocks[0], [i, *values])
        return values

    def scf_if(self, op: ir.Operation, condition: int) -> list[Any]:
        region = op.regions[0 if condition else 1]
        return self.block(region.blocks[0], []) if len(list(region.blocks)) else []

    # tensor

    def arith_constant(self, op: ir.Operation) -> Any:
        attribute, type_ = op.attributes["value"], op.results[0].type
        if isinstance(type_, ir.ShapedType):
            element, places = str(type_.element_type), list(points(type_.shape))
            if not attribute.is_splat:
                return Tensor(tuple(type_.shape), element, dict(zip(places, attribute, strict=True)))
            single = attribute.get_splat_value().value
            return Tensor(tuple(type_.shape), element, dict.fromkeys(places, rounded(single, element)))
        return rounded(attribute.value, str(type_))

    def tensor_empty(self, op: ir.Operation) -> Tensor:
        type_ = ir.ShapedType(op.results[0].type)
        return Tensor(tuple(type_.shape), str(type_.element_type), {})

    def tensor_splat(self, op: ir.Operation, value: Any) -> Tensor:
        type_ = ir.ShapedType(op.results[0].type)
        return Tensor(tuple(type_.shape), str(type_.element_type), dict.fromkeys(points(type_.shape), value))

    def tensor_generate(self, op: ir.Operation) -> Tensor:
        type_ = ir.ShapedType(op.results[0].type)
        block = op.regions[0].blocks[0]
        return Tensor(
            tuple(type_.shape), str(type_.element_type), {q: self.block(block, q)[0] for q in points(type_.shape)}
        )

    def tensor_reshape(self, op: ir.Operation, source: Tensor, _shape: Tensor) -> Tensor:
        return self.reshaped(op, source)

    def tensor_extract(self, op: ir.Operation, source: Tensor, *index: int) -> Any:
        if index not in set(points(source.shape)):
            raise Wrong("an index is out of range")
        return source[index]

    def tensor_extract_slice(self, op: ir.Operation, source: Tensor) -> Tensor:
        offsets, _, strides = self.slice(op)
        shape = tuple(ir.ShapedType(op.results[0].type).shape)
        at = {
            q: source.at.get(tuple(o + s * x for o, s, x in zip(offsets, strides, q, strict=True)), UNDEFINED)
            for q in points(shape)
        }
        return Tensor(shape, source.element, at)

    def tensor_insert_slice(self, op: ir.Operation, part: Tensor, into: Tensor) -> Tensor:
        offsets, _, strides = self.slice(op)
        at = dict(into.at)
        for q in points(part.shape):
            at[tuple(o + s * x for o, s, x in zip(offsets, strides, q, strict=True))] = part.at.get(q, UNDEFINED)
        return Tensor(into.shape, into.element, at)

    @staticmethod
    def slice(op: ir.Operation) -> list[list[int]]:
        return [list(ir.DenseI64ArrayAttr(op.attributes[f"static_{n}"])) for n in ("offsets", "sizes", "strides")]

    def reshaped(self, op: ir.Operation, source: Tensor) -> Tensor:
        shape = tuple(ir.ShapedType(op.results[0].type).shape)
        pairs = zip(points(shape), points(source.shape), strict=True)
        return Tensor(shape, source.element, {q: source.at.get(p, UNDEFINED) for q, p in pairs})

    tensor_expand_shape = tensor_collapse_shape = reshaped

    # scalars

    def elementwise(self, op: ir.Operation, operands: list[Any]) -> Any:
        type_ = op.results[0].type
        if op.name == "arith.select" and not isinstance(operands[0], Tensor):
            return operands[1 if operands[0] else 2]
        if not isinstance(type_, ir.ShapedType):
            return self.scalar(op, operands, str(type_))
        element = str(type_.element_type)
        at = {q: self.scalar(op, [v[q] for v in operands], element) for q in points(type_.shape)}
        return Tensor(tuple(type_.shape), element, at)

    def scalar(self, op: ir.Operation, v: Sequence[Any], element: str) -> Any:
        if isinstance(v[0], Pointer) or (len(v) > 1 and isinstance(v[1], Pointer)):
            pointer, number = (v[0], v[1]) if isinstance(v[0], Pointer) else (v[1], v[0])
            return Pointer(pointer.memory, pointer.elements + number)
        value = SCALARS[op.name](op, *v)
        if element == "f16" and isinstance(value, float) and op.name.startswith("math."):
            value = rounded(value, "f32")  # elementary functions are evaluated to f32
        return rounded(value, element)

    # linalg

    def structured(self, op: ir.Operation, operands: list[Any]) -> list[Tensor]:
        maps = [
            affine(str(ir.AffineMapAttr(m) if isinstance(m, ir.Attribute) else ir.AffineMapAttr.get(m)))
            for m in linalg.get_indexing_maps(op)
        ]
        block = op.regions[0].blocks[0]
        rank = (
            len(str(linalg.get_indexing_maps(op)[0]).partition(") ->")[0].partition("(d")[2].split(",")) if maps else 0
        )
        rank = 0 if "() ->" in str(linalg.get_indexing_maps(op)[0]) else rank
        outputs = [Tensor(o.shape, o.element, dict(o.at)) for o in operands[len(operands) - len(op.results) :]]
        inputs = operands[: len(operands) - len(outputs)]
        sizes = self.domain(op, operands, rank)
        sums: list[dict[Index, Any]] = [{} for _ in outputs]
        folds = [self.fold(block, len(inputs) + k) for k in range(len(outputs))]
        reducing = any(str(t).find("reduction") >= 0 for t in self.iterators(op, rank, maps, len(inputs)))
        for point in points(sizes):
            self.point = point
            places = [tuple(m(point, [])) for m in maps]
            values: list[Any] = []
            for k, v in enumerate([*inputs, *outputs]):
                values.append(v.at.get(places[k], UNDEFINED) if isinstance(v, Tensor) else v)
            if reducing and all(folds):
                for k, fold in enumerate(folds):
                    place = places[len(inputs) + k]
                    term = self.term(block, fold, values)
                    sums[k].setdefault(place, []).append(term)
                continue
            found = self.body(block, values)
            for k, value in enumerate(found):
                outputs[k].at[places[len(inputs) + k]] = value
        for k, fold in enumerate(folds):
            for place, terms in sums[k].items():
                start = outputs[k].at.get(place, UNDEFINED)
                outputs[k].at[place] = folded(fold[0], start, terms, outputs[k].element)
        return outputs

    def domain(self, op: ir.Operation, operands: Sequence[Any], rank: int) -> list[int]:
        sizes: dict[int, int] = {}
        for map_, value in zip(linalg.get_indexing_maps(op), operands, strict=True):
            text = str(map_)
            results = text[text.index("-> (") + 4 : text.rindex(")")].split(", ")
            for axis, result in enumerate(results):
                if re.fullmatch(r"d\d+", result):
                    sizes[int(result[1:])] = value.shape[axis]
        return [sizes[d] for d in range(rank)]

    @staticmethod
    def iterators(op: ir.Operation, rank: int, maps: Any, inputs: int) -> list[str]:
        text = str(linalg.get_indexing_maps(op)[inputs])
        present = set(re.findall(r"d\d+", text[text.index("->") :]))
        return ["parallel" if f"d{k}" in present else "reduction" for k in range(rank)]

    @staticmethod
    def fold(block: ir.Block, accumulator: int) -> tuple[str, int] | None:
        """The combiner that a block yields, and which operand of it is the accumulator's; None when there is none."""
        maker = list(block.operations)[-1].operation.operands[0].owner
        if isinstance(maker, ir.Block) or maker.operation.name not in FOLDS:
            return None
        sides = [v == block.arguments[accumulator] for v in maker.operation.operands]
        return (maker.operation.name, sides.index(True)) if sides.count(True) == 1 else None

    def term(self, block: ir.Block, fold: Any, values: Sequence[Any]) -> Any:
        """What an iteration adds to the accumulator; the product of a sum of products stays exact."""
        for argument, value in zip(block.arguments, values, strict=True):
            self.values[argument] = value
        *before, last, _ = list(block.operations)
        other = last.operation.operands[1 - fold[1]]
        maker = other.owner
        for wrapper in before:
            op = wrapper.operation
            operands = [self.values[v] for v in op.operands]
            if UNDEFINED in operands:
                raise Wrong("undefined")
            if (
                fold[0] == "arith.addf"
                and not isinstance(maker, ir.Block)
                and op == maker.operation
                and op.name == "arith.mulf"
            ):
                return product(*operands)
            self.values[op.results[0]] = self.op(op, operands)[0]
        if self.values[other] is UNDEFINED:
            raise Wrong("undefined")
        return self.values[other]

    def body(self, block: ir.Block, values: Sequence[Any]) -> list[Any]:
        for argument, value in zip(block.arguments, values, strict=True):
            self.values[argument] = value
        for wrapper in block.operations:
            op = wrapper.operation
            operands = [self.values[v] for v in op.operands]
            if any(v is UNDEFINED for v in operands):
                raise Wrong("undefined")
            if op.name == "linalg.yield":
                return operands
            if op.name == "linalg.index":
                self.values[op.results[0]] = self.point[ir.IntegerAttr(op.attributes["dim"]).value]
            else:
                self.values[op.results[0]] = self.op(op, operands)[0]
        raise AssertionError("a body ends in a yield")


def product(a: float, b: float) -> Any:
    return Fraction(a) * Fraction(b) if math.isfinite(a) and math.isfinite(b) else a * b


def extremum(greater: bool, propagate: bool) -> Callable[[float, float], float]:
    def choose(a: float, b: float) -> float:
        if math.isnan(a) or math.isnan(b):
            return math.nan if propagate else (b if math.isnan(a) else a)
        if a == b == 0:
            negative = [math.copysign(1, x) < 0 for x in (a, b)]
            return -0.0 if (all(negative) if greater else any(negative)) else 0.0
        return max(a, b) if greater else min(a, b)

    return choose


FOLDS: dict[str, tuple[Any, Any]] = {
    "arith.addf": (0, None),
    "arith.maximumf": (-math.inf, extremum(True, True)),
    "arith.maxnumf": (-math.inf, extremum(True, False)),
    "arith.minimumf": (math.inf, extremum(False, True)),
    "arith.addi": (0, lambda a, b: a + b),
    "arith.maxsi": (-(1 << 31), max),
    "arith.minsi": ((1 << 31) - 1, min),
    "arith.muli": (1, lambda a, b: a * b),
}


def folded(op: str, start: Any, terms: Sequence[Any], element: str) -> Any:
    """The fold of terms from a start, rounded once."""
    identity, function = FOLDS[op]
    numbers = [identity if start is UNDEFINED else start, *terms]
    if function is not None:
        total = numbers[0]
        for n in numbers[1:]:
            total = function(total, n)
        return rounded(total, element)
    if any(not isinstance(n, Fraction) and not math.isfinite(n) for n in numbers):
        return rounded(sum(float(n) for n in numbers), element)
    total = sum(map(Fraction, numbers), Fraction(0))
    if not total:  # the sign of a zero: only sums of nothing but -0 are -0
        negative = all(not isinstance(n, Fraction) and n == 0 and math.copysign(1, n) < 0 for n in numbers)
        return -0.0 if negative else 0.0
    return rounded(total, element)


def divided(a: float, b: float) -> float:
    if b == 0:
        sign = math.copysign(1, a) * math.copysign(1, b)
        return math.nan if a == 0 or math.isnan(a) else sign * math.inf
    return a / b


def power_of_e(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def compared(op: ir.Operation, a: Any, b: Any) -> int:
    number = ir.IntegerAttr(op.attributes["predicate"]).value
    if op.name == "arith.cmpi":
        return int([a == b, a != b, a < b, a <= b, a > b, a >= b][number])
    nan = math.isnan(a) or math.isnan(b)
    ordered = [False, a == b, a > b, a >= b, a < b, a <= b, a != b and not nan, not nan]
    return (
        int(ordered[number] and not nan)
        if number < 8
        else int([a == b, a > b, a >= b, a < b, a <= b, a != b, nan, True][number - 8] or nan)
    )


SCALARS: dict[str, Callable[..., Any]] = {
    "arith.addf": lambda op, a, b: a + b,
    "arith.subf": lambda op, a, b: a - b,
    "arith.mulf": lambda op, a, b: a * b,
    "arith.divf": lambda op, a, b: divided(a, b),
    "arith.negf": lambda op, a: -a,
    "arith.maximumf": lambda op, a, b: extremum(True, True)(a, b),
    "arith.minimumf": lambda op, a, b: extremum(False, True)(a, b),
    "arith.maxnumf": lambda op, a, b: extremum(True, False)(a, b),
    "arith.extf": lambda op, a: a,
    "arith.truncf": lambda op, a: a,
    "arith.sitofp": lambda op, a: a,
    "arith.addi": lambda op, a, b: a + b,
    "arith.subi": lambda op, a, b: a - b,
    "arith.muli": lambda op, a, b: a * b,
    "arith.maxsi": lambda op, a, b: max(a, b),
    "arith.minsi": lambda op, a, b: min(a, b),
    "arith.remui": lambda op, a, b: a % b,
    "arith.divui": lambda op, a, b: a // b,
    "arith.index_cast": lambda op, a: a,
    "arith.cmpi": compared,
    "arith.cmpf": compared,
    "arith.select": lambda op, c, a, b: a if c else b,
    "math.exp": lambda op, a: power_of_e(a),
    "math.absf": lambda op, a: math.fabs(a),
    "math.sqrt": lambda op, a: math.sqrt(a) if a >= 0 else math.nan,
    "math.tanh": lambda op, a: math.tanh(a),
}
