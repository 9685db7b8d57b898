"""Meaning of the ``tensor`` dialect. Ops that only move elements carry along which of them have no contents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.interp.faults import Fault
from spyrec.interp.lanes import Body, grid_of
from spyrec.interp.lanes import extract as extract_elements
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.values import Tensor, as_array, as_value, element_of
from spyrec.mlir import ir
from spyrec.numerics import Array
from spyrec.ods.checks import DYNAMIC

Move = Callable[[Array], Array]


def moved(source: Tensor, move: Move) -> Tensor:
    """A tensor whose elements are those of ``source``, moved, with the record of what has no contents."""
    return Tensor(move(source.data), None if source.holes is None else move(source.holes))


def shape_of(type_: ir.Type, sizes: Sequence[int]) -> tuple[int, ...]:
    """The shape of a type, with ``sizes`` for its dynamic dimensions in order."""
    dynamic = iter(sizes)
    shape = tuple(int(next(dynamic)) if n == DYNAMIC else n for n in ir.ShapedType(type_).shape)
    for d, n in enumerate(shape):
        if n < 0:
            raise Fault("wrong-size", f"dimension {d} of the tensor is {n}")
    return shape


def groups(op: ir.Operation, operands: Sequence[Any]) -> list[list[Any]]:
    """Operands by the segments of the op."""
    counts = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    ends = [sum(counts[: i + 1]) for i in range(len(counts))]
    return [list(operands[end - n : end]) for n, end in zip(counts, ends, strict=True)]


def mixed(op: ir.Operation, name: str, dynamic: Sequence[int]) -> list[int]:
    """A list of numbers of which some are operands: the static entries of attribute ``name``, filled up."""
    values = iter(dynamic)
    return [int(next(values)) if n == DYNAMIC else n for n in ir.DenseI64ArrayAttr(op.attributes[name])]


@meaning("tensor.empty")
def empty(op: ir.Operation, scope: Scope) -> Run:
    type_, element = op.results[0].type, element_of(op.results[0].type)

    def run(frame: Frame, *sizes: int) -> Tensor:
        return Tensor.empty(shape_of(type_, sizes), element)

    return run


@meaning("tensor.splat")
def splat(op: ir.Operation, scope: Scope) -> Run:
    type_, element = op.results[0].type, element_of(op.results[0].type)

    def run(frame: Frame, value: Any, *sizes: int) -> Tensor:
        return Tensor(np.broadcast_to(as_array(value, element), shape_of(type_, sizes)))

    return run


@meaning("tensor.from_elements")
def from_elements(op: ir.Operation, scope: Scope) -> Run:
    type_, element = op.results[0].type, element_of(op.results[0].type)

    def run(frame: Frame, *values: Any) -> Tensor:
        shape = shape_of(type_, ())
        return Tensor(np.array([as_array(v, element) for v in values], numerics.dtype(element)).reshape(shape))

    return run


@meaning("tensor.generate")
def generate(op: ir.Operation, scope: Scope) -> Run:
    type_ = op.results[0].type
    body = Body(op.regions[0].blocks[0], scope)
    program = body.program(body.yields)

    def run(frame: Frame, *sizes: int) -> Tensor:
        shape = shape_of(type_, sizes)
        grid = grid_of(shape)
        return Tensor(np.broadcast_to(program(frame, grid, grid)[0], shape))

    return run


@meaning("tensor.extract")
def extract(op: ir.Operation, scope: Scope) -> Run:
    result = op.results[0].type

    def run(frame: Frame, source: Tensor, *indices: int) -> Any:
        return as_value(extract_elements(source, indices), result)

    return run


@meaning("tensor.insert")
def insert(op: ir.Operation, scope: Scope) -> Run:
    element = element_of(op.results[0].type)

    def run(frame: Frame, value: Any, into: Tensor, *indices: int) -> Tensor:
        part = Tensor(as_array(value, element))
        return inserted(part, into, [int(i) for i in indices], [1] * len(indices), [1] * len(indices))

    return run


@meaning("tensor.dim")
def dim(op: ir.Operation, scope: Scope) -> Run:
    def run(frame: Frame, source: Tensor, index: int) -> int:
        if not 0 <= index < source.data.ndim:
            raise Fault("index-out-of-range", f"dimension {index} is asked of a tensor with {source.data.ndim}")
        return int(source.data.shape[index])

    return run


@meaning("tensor.rank")
def rank(op: ir.Operation, scope: Scope) -> Run:
    return lambda frame, source: source.data.ndim


@meaning("tensor.cast")
def cast(op: ir.Operation, scope: Scope) -> Run:
    type_ = op.results[0].type

    def run(frame: Frame, source: Tensor) -> Tensor:
        for d, (wanted, extent) in enumerate(zip(ir.ShapedType(type_).shape, source.data.shape, strict=True)):
            if wanted not in (DYNAMIC, extent):
                raise Fault("shape-mismatch", f"dimension {d} is {extent}, but the cast says {wanted}")
        return source

    return run


# Shapes --------------------------------------------------------------------------------------------------------------


def _reshaped(source: Tensor, shape: Sequence[int]) -> Tensor:
    if source.data.size != int(np.prod(shape, dtype=np.int64)):
        raise Fault("shape-mismatch", f"{source.data.size} elements do not fill the shape {list(shape)}")
    return moved(source, lambda a: a.reshape(tuple(shape)))


@meaning("tensor.expand_shape")
def expand_shape(op: ir.Operation, scope: Scope) -> Run:
    def run(frame: Frame, source: Tensor, *sizes: int) -> Tensor:
        return _reshaped(source, mixed(op, "static_output_shape", sizes))

    return run


@meaning("tensor.collapse_shape")
def collapse_shape(op: ir.Operation, scope: Scope) -> Run:
    joined = [[ir.IntegerAttr(d).value for d in ir.ArrayAttr(g)] for g in ir.ArrayAttr(op.attributes["reassociation"])]

    def run(frame: Frame, source: Tensor) -> Tensor:
        return _reshaped(source, [int(np.prod([source.data.shape[d] for d in g], dtype=np.int64)) for g in joined])

    return run


@meaning("tensor.reshape")
def reshape(op: ir.Operation, scope: Scope) -> Run:
    def run(frame: Frame, source: Tensor, shape: Tensor) -> Tensor:
        return _reshaped(source, [int(n) for n in as_array(shape, "index")])

    return run


# Slices --------------------------------------------------------------------------------------------------------------


def slices(
    shape: Sequence[int], offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> tuple[slice, ...]:
    """A strided box of an array as Python slices; raises when it leaves the array."""
    found = []
    for d, (n, offset, size, stride) in enumerate(zip(shape, offsets, sizes, strides, strict=True)):
        last = offset + (size - 1) * stride
        if size < 0 or (size and not (0 <= offset < n and 0 <= last < n)):
            raise Fault(
                "index-out-of-range",
                f"the slice covers {offset} to {last} in dimension {d}, which has extent {n}",
                f"offsets[{d}]",
            )
        # A slice of negative step that ends at element 0 has no stop.
        stop = last + (1 if stride > 0 else -1)
        found.append(slice(offset, stop if stop >= 0 else None, stride) if size else slice(0, 0))
    return tuple(found)


def inserted(
    part: Tensor, into: Tensor, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> Tensor:
    """A copy of ``into`` with ``part`` (whose unit dimensions may be missing) in a box of it."""
    place = slices(into.data.shape, offsets, sizes, strides)
    data = np.array(into.data)
    data[place] = part.data.reshape(tuple(sizes))
    if part.holes is None and into.holes is None:
        return Tensor(data)
    holes = np.zeros(data.shape, bool) if into.holes is None else np.array(into.holes)
    holes[place] = False if part.holes is None else part.holes.reshape(tuple(sizes))
    return Tensor(data, holes)


@meaning("tensor.extract_slice")
def extract_slice(op: ir.Operation, scope: Scope) -> Run:
    kept = kept_dimensions(op)

    def run(frame: Frame, *operands: Any) -> Tensor:
        (source,), *lists = groups(op, operands)
        offsets, sizes, strides = (mixed(op, f"static_{n}", v) for n, v in zip(_LISTS, lists, strict=True))
        place = slices(source.data.shape, offsets, sizes, strides)
        return moved(source, lambda a: a[place].reshape([sizes[d] for d in kept]))

    return run


@meaning("tensor.insert_slice")
def insert_slice(op: ir.Operation, scope: Scope) -> Run:
    def run(frame: Frame, *operands: Any) -> Tensor:
        (part,), (into,), *lists = groups(op, operands)
        offsets, sizes, strides = (mixed(op, f"static_{n}", v) for n, v in zip(_LISTS, lists, strict=True))
        return inserted(part, into, offsets, sizes, strides)

    return run


_LISTS = ("offsets", "sizes", "strides")


def kept_dimensions(op: ir.Operation) -> list[int]:
    """Dimensions of a slice that its result has; the others have the constant size 1 and are dropped."""
    shape = list(ir.ShapedType(op.results[0].type).shape)
    kept: list[int] = []
    for d, size in enumerate(ir.DenseI64ArrayAttr(op.attributes["static_sizes"])):
        if len(kept) < len(shape) and size == shape[len(kept)]:
            kept.append(d)
    return kept


@meaning("tensor.pad")
def pad(op: ir.Operation, scope: Scope) -> Run:
    body = Body(op.regions[0].blocks[0], scope)
    program = body.program(body.yields)

    def run(frame: Frame, *operands: Any) -> Tensor:
        (source,), low, high = groups(op, operands)
        before, after = mixed(op, "static_low", low), mixed(op, "static_high", high)
        shape = tuple([n + b + a for n, b, a in zip(source.data.shape, before, after, strict=True)])
        grid = grid_of(shape)
        filled = Tensor(np.broadcast_to(program(frame, grid, grid)[0], shape))
        return inserted(source, filled, before, source.data.shape, [1] * len(shape))

    return run


@meaning("tensor.concat")
def concat(op: ir.Operation, scope: Scope) -> Run:
    axis = ir.IntegerAttr(op.attributes["dim"]).value

    def run(frame: Frame, *parts: Tensor) -> Tensor:
        holes = None
        if any(p.holes is not None for p in parts):
            filled = [np.zeros(p.data.shape, bool) if p.holes is None else p.holes for p in parts]
            holes = np.concatenate(filled, axis)
        return Tensor(np.concatenate([p.data for p in parts], axis), holes)

    return run


@meaning("tensor.bitcast")
def bitcast(op: ir.Operation, scope: Scope) -> Run:
    element = element_of(op.results[0].type)

    def run(frame: Frame, source: Tensor) -> Tensor:
        return moved_bits(source, element)

    return run


def moved_bits(source: Tensor, element: str) -> Tensor:
    """The same bits read as elements of another type of the same width."""
    return Tensor(numerics.apply("arith.bitcast", source.data, result_type=element), source.holes)


@meaning("tensor.gather")
def gather(op: ir.Operation, scope: Scope) -> Run:
    gathered = list(ir.DenseI64ArrayAttr(op.attributes["gather_dims"]))
    type_ = op.results[0].type

    def run(frame: Frame, source: Tensor, indices: Tensor) -> Tensor:
        places = as_array(indices, "index")
        index: list[Any] = [slice(None)] * source.data.ndim
        for k, d in enumerate(gathered):
            _check_indices(places[..., k], source.data.shape[d], d)
        others = [d for d in range(source.data.ndim) if d not in gathered]
        for k, d in enumerate(gathered):
            index[d] = places[..., k]
        # Gathered dimensions first, the others after them in their order.
        order = [*gathered, *others]
        chosen = tuple(index[d] for d in order)

        def move(array: Array) -> Array:
            return np.asarray(array.transpose(order)[chosen]).reshape(shape_of(type_, places.shape[:-1]))

        return moved(source, move)

    return run


def _check_indices(indices: Array, extent: int, dimension: int) -> None:
    bad = (indices < 0) | (indices >= extent)
    if bad.any():
        value = int(indices[bad].flat[0])
        raise Fault("index-out-of-range", f"index {value} of dimension {dimension} is outside of 0..{extent - 1}")
