"""Bodies of structured ops, evaluated for all points of an iteration domain at once.

A *lane* array has the rank of the domain and extent 1 in the dimensions that its value does not depend on; NumPy
broadcasts the rest. What comes from outside the body is an array of rank 0.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.interp.affine import apply_map
from spyrec.interp.faults import Fault, at, located
from spyrec.interp.machine import MEANINGS, Frame, Scope
from spyrec.interp.refusals import reason
from spyrec.interp.values import Tensor, as_array, constant, element_of
from spyrec.mlir import ir
from spyrec.numerics import Array

#: The index of every point along each dimension of the domain: int64 arrays of extent 1 but for their own dimension.
Grid = Sequence[Array]
#: Ops of our dialects that have a meaning in bodies alone.
IN_BODIES = frozenset({"dataflow.position"})
#: One op: grid and operands -> result.
Lane = Callable[[Grid, Sequence[Any]], Any]


@functools.lru_cache(maxsize=256)
def grid_of(sizes: tuple[int, ...]) -> Grid:
    """The grid of a domain. Nobody writes to it."""
    grid = [np.arange(n).reshape([-1 if i == d else 1 for i in range(len(sizes))]) for d, n in enumerate(sizes)]
    for axis in grid:
        axis.flags.writeable = False
    return grid


class Body:
    """The single block of a structured op."""

    def __init__(self, block: ir.Block, scope: Scope) -> None:
        self.arguments = list(block.arguments)
        self.terminator = list(block.operations)[-1].operation
        self.yields = list(self.terminator.operands)
        self._scope = scope
        self._ops: dict[ir.Value, tuple[ir.Operation, Lane, list[ir.Value]]] = {}
        for wrapper in list(block.operations)[:-1]:
            op = wrapper.operation
            with at(op):
                if len(op.results) != 1:
                    what = reason(op.name)
                    raise Fault("unsupported-op", f"'{op.name}' has no meaning in the body of a structured op: {what}")
                self._ops[op.results[0]] = (op, _lane(op), list(op.operands))

    def maker(self, value: ir.Value) -> ir.Operation | None:
        """The op of this body that makes ``value``."""
        found = self._ops.get(value)
        return found[0] if found else None

    def uses(self, targets: Sequence[ir.Value]) -> set[int]:
        """Numbers of the block arguments that ``targets`` depend on."""
        needed = numerics.folds.needed(targets, self.maker)
        return {i for i, argument in enumerate(self.arguments) if argument in needed}

    def program(self, targets: Sequence[ir.Value]) -> Callable[[Frame, Sequence[Array | None], Grid], list[Array]]:
        """A function from the lanes of the block arguments (None for one that is not used) to those of ``targets``."""
        needed = numerics.folds.needed(targets, self.maker)
        steps = [(result, *entry) for result, entry in self._ops.items() if result in needed]
        inner = {*self.arguments, *self._ops}
        outer = [(v, self._scope.slot(v), element_of(v.type)) for v in needed if v not in inner]

        def run(frame: Frame, arguments: Sequence[Array | None], grid: Grid) -> list[Array]:
            values: dict[ir.Value, Any] = dict(zip(self.arguments, arguments, strict=True))
            for value, slot, element in outer:
                held = frame.values[slot]
                values[value] = held if isinstance(held, Tensor) else as_array(held, element)
            here = self.terminator
            try:
                for result, op, lane, operands in steps:
                    here = op
                    values[result] = lane(grid, [values[v] for v in operands])
            except (Fault, numerics.NumericsError, ZeroDivisionError) as error:
                raise located(error, here) from None
            return [values[v] for v in targets]

        return run


def _lane(op: ir.Operation) -> Lane:
    """The meaning of one op of a body."""
    if op.name in numerics.SCALAR_OPS:
        return _scalar(op)
    if op.name in ("arith.constant", "spyreop.constant"):
        value = constant(op.attributes["value"])
        array = value.data if isinstance(value, Tensor) else as_array(value, element_of(op.results[0].type))
        fixed = Tensor(array) if isinstance(value, Tensor) else array
        return lambda grid, operands: fixed
    if op.name == "linalg.index":
        dim = ir.IntegerAttr(op.attributes["dim"]).value
        return lambda grid, operands: grid[dim]
    if op.name == "dataflow.position":
        return _position(op)
    if op.name == "affine.apply":
        function = apply_map(ir.AffineMapAttr(op.attributes["map"]).value)
        return lambda grid, operands: np.asarray(function(operands)[0], dtype=np.int64)
    if op.name == "tensor.extract":
        return lambda grid, operands: extract(operands[0], operands[1:])
    what = reason(op.name) if op.name not in MEANINGS else "only scalars are computed there"
    raise Fault("unsupported-op", f"'{op.name}' has no meaning in the body of a structured op: {what}")


def _position(op: ir.Operation) -> Lane:
    strides = list(ir.DenseI64ArrayAttr(op.attributes["strides"]))
    dtype = numerics.dtype(element_of(op.results[0].type))

    def lane(grid: Grid, operands: Sequence[Any]) -> Array:
        total: Array = np.asarray(operands[0] if operands else 0, dtype=np.int64)
        for axis, stride in zip(grid, strides, strict=True):
            if stride:
                total = total + axis * np.int64(stride)
        return np.asarray(total).astype(dtype)

    return lane


def _scalar(op: ir.Operation) -> Lane:
    evaluate = numerics.function(op.name, element_of(op.results[0].type), attributes_of(op))
    return lambda grid, operands: evaluate(*operands)


def attributes_of(op: ir.Operation) -> dict[str, Any]:
    """Attributes of a scalar op as plain values: the predicate and the float constants that select its function."""
    scalar = numerics.SCALAR_OPS[op.name]
    values: dict[str, Any] = {}
    for name in ("predicate", "roundingmode", *scalar.constants):
        if name in op.attributes:
            attribute = op.attributes[name]
            if isinstance(attribute, ir.IntegerAttr | ir.FloatAttr | ir.StringAttr):
                values[name] = attribute.value
            else:
                values[name] = keyword(attribute)
    return values


def keyword(attribute: ir.Attribute) -> Any:
    """The word of an enumeration's attribute, such as ``#spyreop.compare_predicate<equal>``."""
    text = str(attribute)
    return text[text.index("<") + 1 : -1].strip('"') if "<" in text else text.partition(" : ")[0].strip('"')


def extract(source: Tensor, indices: Sequence[Any]) -> Array:
    """``tensor.extract`` at one point, or at arrays of them."""
    for d, (index, extent) in enumerate(zip(indices, source.data.shape, strict=True)):
        outside = np.asarray((np.asarray(index) < 0) | (np.asarray(index) >= extent))
        if outside.any():
            value = np.broadcast_to(index, outside.shape)[outside][0]
            raise Fault(
                "index-out-of-range", f"index {value} of dimension {d} is outside of 0..{extent - 1}", f"indices[{d}]"
            )
    place = tuple(np.asarray(i) for i in indices)
    if source.holes is not None and np.any(source.holes[place]):
        raise Fault("undefined-value", "an element is read that has never been written")
    return np.asarray(source.data[place])
