"""Execution of structured ops: any indexing maps, any body.

An op iterates over a domain; each operand is indexed through an affine map. Three ways, from fast to general:

* every dimension of the domain appears in the map of an output: its elements are computed once, all together;
* other dimensions are *folded* into the output by a known combiner, ``yield combiner(accumulator, f(inputs))``: one
  reduction or contraction, accumulated in f64 and rounded once;
* anything else runs as the loop nest that it stands for, with the dimensions that all outputs have still done together.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrec.dialects.dataflow import FRESH
from spyrec.interp.affine import map_function
from spyrec.interp.faults import Fault
from spyrec.interp.lanes import Body, Grid, grid_of
from spyrec.interp.machine import Frame, Scope
from spyrec.interp.values import Buffer, Tensor, as_array, defined, element_of
from spyrec.mlir import ir
from spyrec.numerics import Array, folds, reductions

Axes = tuple[int, ...]


class Indexing:
    """One indexing map: ``dims[k]`` is the dimension that result k is, ``constants[k]`` its constant; else None in
    both.
    """

    def __init__(self, map_: ir.AffineMap) -> None:
        self.rank = map_.n_dims
        results = list(map_.results)
        self.dims = [_dim(r) for r in results]
        self.constants = [
            ir.AffineConstantExpr(r).value if isinstance(r, ir.AffineConstantExpr) else None for r in results
        ]
        self.function = map_function(map_)
        plain = [d for d in self.dims if d is not None]
        #: Every result is a dimension of its own or a constant.
        self.simple = len(set(plain)) == len(plain) and all(
            d is not None or c is not None for d, c in zip(self.dims, self.constants, strict=True)
        )
        self.present = frozenset(plain) if self.simple else frozenset()
        #: No result is a constant: the map reaches the whole of an operand.
        self.whole = all(c is None for c in self.constants)
        self._ordered = plain == sorted(plain)
        self._identity = plain == list(range(self.rank)) and self.whole
        self._sort = tuple(sorted(range(len(plain)), key=lambda k: plain[k]))
        self._unsort = tuple(sorted(plain).index(d) for d in plain)
        self._spread = tuple(slice(None) if d in self.present else None for d in range(self.rank))

    def lanes(self, array: Array, grid: Grid) -> Array:
        """The elements of an operand for all points: rank of the domain, extent 1 where the map has no dimension.

        A simple map gives a view of the operand.
        """
        if not self.simple:
            return np.asarray(array[self.places(array.shape, grid)])
        if self._identity:
            return array
        part = array if self.whole else array[self._constant_part(array.shape)]
        if not self._ordered:
            part = part.transpose(self._sort)
        return part if len(self.present) == self.rank else np.asarray(part[self._spread])

    def _constant_part(self, shape: Sequence[int]) -> tuple[Any, ...]:
        """An index that fixes the results that are constants."""
        for k, (c, extent) in enumerate(zip(self.constants, shape, strict=True)):
            if c is not None and not 0 <= c < extent:
                raise _outside(c, k, extent)
        # The ellipsis keeps what is left of rank 0 an array that shares memory.
        return (*(slice(None) if c is None else c for c in self.constants), ...)

    def places(self, shape: Sequence[int], grid: Grid) -> tuple[Any, ...]:
        """Indices into an operand for all points of ``grid`` (integers or arrays)."""
        found = [np.asarray(p) for p in self.function(list(grid), [])]
        places = tuple(p if p.ndim == self.rank else p.reshape([1] * self.rank) for p in found)  # constants
        for k, (p, extent) in enumerate(zip(places, shape, strict=True)):
            bad = (p < 0) | (p >= extent)
            if np.any(bad):
                raise _outside(int(p[bad].flat[0]), k, extent)
        return places

    def whole_from(self, lanes: Array, sizes: Sequence[int]) -> Array:
        """The operand that has these lanes; of a simple map that reaches the whole of it."""
        wanted = tuple([n if d in self.present else 1 for d, n in enumerate(sizes)])
        whole = lanes if lanes.shape == wanted else np.array(np.broadcast_to(lanes, wanted))
        if len(self.present) < self.rank:
            whole = whole.reshape([n for d, n in enumerate(sizes) if d in self.present])
        return whole if self._ordered else np.ascontiguousarray(whole.transpose(self._unsort))


def _dim(expression: ir.AffineExpr) -> int | None:
    return ir.AffineDimExpr(expression).position if isinstance(expression, ir.AffineDimExpr) else None


def _outside(value: int, dim: int, extent: int) -> Fault:
    return Fault("index-out-of-range", f"index {value} of dimension {dim} of an operand is outside of 0..{extent - 1}")


Fold = folds.Fold[ir.Operation]


class Structured:
    """A structured op with ``inputs`` operands that are read and outputs after them, ready to be evaluated."""

    def __init__(self, op: ir.Operation, scope: Scope, maps: Sequence[ir.AffineMap], inputs: int, body: Body) -> None:
        self.op = op
        self.inputs = inputs
        self.maps = [Indexing(m) for m in maps]
        self.body = body
        self.elements = [element_of(v.type) for v in op.operands][: len(maps)]
        self.rank = maps[0].n_dims if maps else 0
        outputs = self.maps[inputs:]
        self._plain = frozenset.intersection(frozenset(range(self.rank)), *(m.present for m in outputs))
        self._folds = [self._fold(k) for k in range(len(outputs))]
        self._apart = all(f is not None or self._is_lane(k) for k, f in enumerate(self._folds))
        self._used = body.uses(body.yields)
        self._once = all(m.simple and len(m.present) == self.rank for m in outputs)
        self._whole = body.program(body.yields)
        self._parts = [self._fold_program(k, f) for k, f in enumerate(self._folds)]

    # Analysis -----------------------------------------------------------------------------------------------------

    def _fold(self, output: int) -> Fold | None:
        """How an output folds dimensions, if it does so with a known combiner."""
        if not self.maps[self.inputs + output].simple:
            return None
        olds = self.body.arguments[self.inputs :]
        changing = [
            old
            for old, m in zip(olds, self.maps[self.inputs :], strict=True)
            if not m.simple or len(m.present) < self.rank
        ]
        return folds.fold(self.body.yields[output], olds[output], changing, self.body.maker)

    def _is_lane(self, output: int) -> bool:
        """Whether an output has a place for each point, and takes nothing from what others accumulate."""
        changing = {self.inputs + k for k, m in enumerate(self.maps[self.inputs :]) if len(m.present) < self.rank}
        whole = len(self.maps[self.inputs + output].present) == self.rank
        return whole and not changing & self.body.uses([self.body.yields[output]])

    def _fold_program(self, output: int, fold: Fold | None) -> Callable[..., list[Array]] | None:
        if fold is None:
            return None
        return self.body.program(_targets(fold))

    # Execution ----------------------------------------------------------------------------------------------------

    def run(self, frame: Frame, operands: Sequence[Any]) -> list[Tensor]:
        """Evaluate; gives what the outputs hold afterwards (of buffers too: the caller stores it)."""
        sizes = self._sizes(operands)
        outputs = operands[self.inputs :]
        if 0 in sizes:
            return [Tensor(np.array(o.data), None if o.holes is None else np.array(o.holes)) for o in outputs]
        grid = grid_of(tuple(sizes))
        if self._once:
            lanes = self._arguments(operands, grid, self._used)
            found = self._whole(frame, lanes, grid)
        elif self._apart:
            found = [self._reduce(frame, operands, k, fold, grid, sizes) for k, fold in enumerate(self._folds)]
        else:
            return self._loop(frame, operands, grid, sizes)
        return [self._output(k, values, outputs[k], sizes) for k, values in enumerate(found)]

    def _output(self, output: int, values: Array, old: Any, sizes: Sequence[int]) -> Tensor:
        """What an output holds when its lanes are ``values``: ``old`` where the map does not reach."""
        map_ = self.maps[self.inputs + output]
        if map_.whole:
            whole = map_.whole_from(values.astype(old.data.dtype, copy=False), sizes)
            return Tensor(np.array(whole) if isinstance(old, Buffer) else whole)
        data, holes = np.array(old.data), None if old.holes is None else np.array(old.holes)
        map_.lanes(data, ())[...] = values
        if holes is not None:
            map_.lanes(holes, ())[...] = False
        return Tensor(data, holes)

    def _sizes(self, operands: Sequence[Any]) -> list[int]:
        """Extents of the domain, from the operands that have a dimension as such."""
        sizes: list[int | None] = [None] * self.rank
        for k, (map_, value) in enumerate(zip(self.maps, operands, strict=True)):
            for axis, d in enumerate(map_.dims):
                if d is None:
                    continue
                extent = value.data.shape[axis]
                if sizes[d] is not None and sizes[d] != extent:
                    raise Fault(
                        "shape-mismatch", f"operand {k} has extent {extent} in dimension {axis}, others {sizes[d]}"
                    )
                sizes[d] = extent
        assert None not in sizes, "linalg refuses maps that say nothing of a dimension's extent"
        return [s for s in sizes if s is not None]

    def _arguments(self, operands: Sequence[Any], grid: Grid, used: set[int]) -> list[Array | None]:
        """Lanes of the block arguments in ``used``; raises when one of their elements was never written."""
        lanes: list[Array | None] = []
        for k, (map_, value) in enumerate(zip(self.maps, operands, strict=True)):
            if k not in used:
                lanes.append(None)
            elif isinstance(value, Tensor | Buffer):
                what = f"operand {k}" if k < self.inputs else f"the initial value of output {k - self.inputs}"
                lanes.append(map_.lanes(self._defined(value, map_, grid, what), grid))
            else:
                lanes.append(as_array(value, self.elements[k]).reshape([1] * self.rank))
        return lanes

    @staticmethod
    def _defined(value: Tensor | Buffer, map_: Indexing, grid: Grid, what: str) -> Array:
        """The array of an operand, of which the elements that the map reaches have been written."""
        if value.holes is None:
            return value.data
        if map_.simple and all(c is None for c in map_.constants):
            return defined(value, what)
        if np.any(map_.lanes(value.holes, grid)):
            raise Fault("undefined-value", f"{what} is read, but some of the elements have never been written")
        return value.data

    def _reduce(
        self,
        frame: Frame,
        operands: Sequence[Any],
        output: int,
        fold: Fold | None,
        grid: Grid,
        sizes: list[int],
    ) -> Array:
        """Lanes of one output by its combiner; an output that has all dimensions is computed as such."""
        map_, element = self.maps[self.inputs + output], self.elements[self.inputs + output]
        axes = tuple(d for d in range(self.rank) if d not in map_.present)
        if not axes:
            target = [self.body.yields[output]]
            lanes = self._arguments(operands, grid, self.body.uses(target))
            return self.body.program(target)(frame, lanes, grid)[0]
        program = self._parts[output]
        assert fold is not None
        assert program is not None
        lanes = self._arguments(operands, grid, self.body.uses(_targets(fold)))
        parts = program(frame, lanes, grid)
        init = self._initial(frame, operands[self.inputs + output], map_, fold, element, grid)
        spread = [1 if d in axes else n for d, n in enumerate(sizes)]
        init = np.broadcast_to(init, spread).reshape([n for d, n in enumerate(sizes) if d not in axes])
        if len(parts) == 2:
            folded = _contract(parts[0], parts[1], axes, tuple(sizes), init, element)
        else:
            folded = reductions.reduce(fold.op.name, np.broadcast_to(parts[0], sizes), axes, init, element)
        return folded.reshape(spread)

    def _initial(self, frame: Frame, value: Any, map_: Indexing, fold: Fold, element: str, grid: Grid) -> Array:
        """What the accumulators start from: the output's old elements, the identity where they were never written."""
        if FRESH in self.op.attributes:
            return reductions.identity(fold.op.name, element)
        data = map_.lanes(value.data, grid)
        if value.holes is None:
            return data
        holes = map_.lanes(value.holes, grid)
        if not holes.any():
            return data
        what = f"{fold.op.name.partition('.')[2]} starts from its identity, because the output has no contents"
        if fold.product is not None:
            frame.tile.report.warn(self.op, "empty-init", what, ["fill the output with the value to start from"])
        else:
            frame.tile.report.remark(self.op, "empty-init", what)
        identity = reductions.identity(fold.op.name, element)
        return identity if holes.all() else np.where(holes, identity, data).astype(data.dtype)

    def _loop(self, frame: Frame, operands: Sequence[Any], grid: Grid, sizes: list[int]) -> list[Tensor]:
        """The loop nest over the dimensions that not every output has; the others are done together."""
        results = [_copy(o) for o in operands[self.inputs :]]
        outer = [d for d in range(self.rank) if d not in self._plain]
        accumulators = set(range(self.inputs, len(operands))) & self._used
        ranges = [range(sizes[d]) for d in outer]
        if not accumulators and all(m.simple and not m.present & set(outer) for m in self.maps[self.inputs :]):
            ranges = [r[-1:] for r in ranges]  # nothing reads what earlier iterations wrote
        values = [*operands[: self.inputs], *results]
        if all(m.simple for m in self.maps) and all(isinstance(v, Tensor | Buffer | _Output) for v in values):
            self._loop_of_views(frame, values, grid, dict(zip(outer, ranges, strict=True)))
        else:
            self._loop_of_places(frame, operands, results, grid, outer, ranges)
        return [Tensor(r.data, r.holes) for r in results]

    def _loop_of_views(self, frame: Frame, values: list[Any], grid: Grid, ranges: dict[int, range]) -> None:
        """The loop nest where each iteration takes slices of the operands."""
        lanes = [m.lanes(v.data, grid) for m, v in zip(self.maps, values, strict=True)]
        holes = [None if v.holes is None else m.lanes(v.holes, grid) for m, v in zip(self.maps, values, strict=True)]
        all_ = slice(None)
        for point in itertools.product(*ranges.values()):
            here = {d: slice(p, p + 1) for d, p in zip(ranges, point, strict=True)}
            index = [
                tuple([here[d] if d in here and d in m.present else all_ for d in range(self.rank)]) for m in self.maps
            ]
            arguments: list[Array | None] = []
            for k, place in enumerate(index):
                if k not in self._used:
                    arguments.append(None)
                    continue
                written = holes[k]
                if written is not None and written[place].any():
                    raise Fault("undefined-value", f"operand {k} is read where it has never been written")
                arguments.append(lanes[k][place])
            inside = [
                g[tuple([here[d] if d == e and d in here else all_ for e in range(self.rank)])]
                for d, g in enumerate(grid)
            ]
            found = self._whole(frame, arguments, inside)
            if len(found) > 1:  # one may be a view of what another is about to overwrite
                found = [np.array(f) for f in found]
            for k, (value, place) in enumerate(zip(found, index[self.inputs :], strict=True), self.inputs):
                lanes[k][place] = value
                written = holes[k]
                if written is not None:
                    written[place] = False

    def _loop_of_places(
        self,
        frame: Frame,
        operands: Sequence[Any],
        results: list[_Output],
        grid: Grid,
        outer: list[int],
        ranges: list[range],
    ) -> None:
        """The loop nest where each iteration looks its elements up."""
        for point in itertools.product(*ranges):
            here = [np.full([1] * self.rank, point[outer.index(d)]) if d in outer else g for d, g in enumerate(grid)]
            lanes: list[Array | None] = []
            for k, map_ in enumerate(self.maps):
                value = operands[k] if k < self.inputs else results[k - self.inputs]
                if k not in self._used:
                    lanes.append(None)
                    continue
                if not isinstance(value, Tensor | Buffer | _Output):
                    lanes.append(as_array(value, self.elements[k]).reshape([1] * self.rank))
                    continue
                places = map_.places(value.data.shape, here)
                if value.holes is not None and np.any(value.holes[places]):
                    raise Fault("undefined-value", f"operand {k} is read where it has never been written")
                lanes.append(np.asarray(value.data[places]).reshape(_extents(places, self.rank)))
            for k, values in enumerate(self._whole(frame, lanes, here)):
                places = self.maps[self.inputs + k].places(results[k].data.shape, here)
                whole = np.broadcast_to(values, _extents(places, self.rank))
                results[k].data[places] = whole if places else whole.reshape(())
                if results[k].holes is not None:
                    results[k].holes[places] = False


def _targets(fold: Fold) -> list[ir.Value]:
    """What is computed of a fold at each point: the factors of a product, whose sum is a contraction, or the term."""
    return [fold.term] if fold.product is None else list(fold.product.operands)


@dataclass
class _Output:
    """An output under construction: a copy that may be written."""

    data: Array
    holes: Any


def _copy(value: Any) -> _Output:
    return _Output(np.array(value.data), None if value.holes is None else np.array(value.holes))


def _extents(places: Sequence[Array], rank: int) -> tuple[int, ...]:
    """The shape of a value at ``places``; of one without dimensions, extent 1 throughout."""
    return np.broadcast_shapes(*(p.shape for p in places)) if places else (1,) * rank


def _contract(left: Array, right: Array, axes: Axes, sizes: Axes, init: Array, element: str) -> Array:
    """Sum of products over ``axes`` of two lane arrays, starting from ``init``."""

    def full(array: Array) -> Array:
        return array if array.ndim == len(sizes) else array.reshape([1] * (len(sizes) - array.ndim) + list(array.shape))

    left, right = full(left), full(right)
    wide, kept, spec = _spec(left.shape, right.shape, axes, sizes)
    if wide != left.shape:
        left = np.broadcast_to(left, wide)
    return reductions.contract(spec, left.reshape(kept[0]), right.reshape(kept[1]), init, element)


@functools.lru_cache(maxsize=1024)
def _spec(left: Axes, right: Axes, axes: Axes, sizes: Axes) -> tuple[Axes, tuple[Axes, Axes], str]:
    """Of factors with these extents: the left one's, grown; both without dimensions of extent 1; and what to sum."""
    letters = "abcdefghijklmnopqrstuvwxyz"[: len(sizes)]
    # A dimension that neither factor has, but the sum or the output, is repeated: give it to the left one.
    wide = tuple(n if left[d] == right[d] == 1 else left[d] for d, n in enumerate(sizes))
    # One of extent 1 has to be in one of them.
    kept = [d for d, n in enumerate(sizes) if wide[d] == n], [d for d, n in enumerate(sizes) if right[d] == n != 1]
    names = ["".join(letters[d] for d in dims) for dims in kept]
    out = "".join(letters[d] for d in range(len(sizes)) if d not in axes)
    shapes = tuple(wide[d] for d in kept[0]), tuple(right[d] for d in kept[1])
    return wide, shapes, f"{names[0]},{names[1]}->{out}"
