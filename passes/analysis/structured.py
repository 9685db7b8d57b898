"""Linalg ops seen alike, named or generic: their inputs, outputs, indexing maps and body."""

from __future__ import annotations

from functools import cached_property

from spyrec.mlir import ir, linalg
from spyrec.passes.analysis import kernels
from spyrec.records import dataclass


@dataclass(frozen=True)
class Structured:
    """A linalg op on tensors or memrefs; ``maps`` has one entry per input and then per output."""

    op: ir.Operation
    inputs: tuple[ir.Value, ...]
    outputs: tuple[ir.Value, ...]
    indexing_maps: ir.ArrayAttr

    @cached_property
    def maps(self) -> tuple[ir.AffineMap, ...]:
        return tuple([ir.AffineMapAttr(map_).value for map_ in self.indexing_maps])

    @property
    def body(self) -> ir.Block:
        return self.op.regions[0].blocks[0]

    @property
    def loops(self) -> int:
        return self.maps[0].n_dims if self.maps else 0

    @property
    def operands(self) -> tuple[ir.Value, ...]:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    @cached_property
    def extents(self) -> list[int] | None:
        """How often each loop runs: the extent of a dimension that it alone walks. ``None`` when a loop has no such
        one.
        """
        found: dict[int, int] = {}
        for value, map_ in zip(self.operands, self.maps, strict=True):
            if isinstance(value.type, ir.RankedTensorType | ir.MemRefType):
                for result, extent in zip(map_.results, value.type.shape, strict=True):
                    if isinstance(result, ir.AffineDimExpr):
                        found[result.position] = extent
        return [found[loop] for loop in range(self.loops)] if len(found) == self.loops else None

    @cached_property
    def reduced(self) -> frozenset[int]:
        """The loops that the op declares to reduce."""
        kinds = str(self.op.attributes["iterator_types"])
        if "reduction" not in kinds:
            return frozenset()
        return frozenset(loop for loop, kind in enumerate(kinds.split(",")) if "reduction" in kind)

    @cached_property
    def indexed(self) -> frozenset[int]:
        """The loops whose number the body asks for."""
        ops = (view.operation for view in self.body.operations)
        return frozenset(ir.IntegerAttr(op.attributes["dim"]).value for op in ops if op.name == "linalg.index")

    @property
    def output_maps(self) -> tuple[ir.AffineMap, ...]:
        return self.maps[len(self.inputs) :]

    @property
    def is_parallel(self) -> bool:
        """Whether every iteration writes elements of its own, and all are written: no loop reduces."""
        return all(
            len(picked(map_)) == self.loops and covers(map_, output)
            for map_, output in zip(self.output_maps, self.outputs, strict=True)
        )

    @property
    def yielded(self) -> list[ir.Value]:
        """The new elements of the outputs, as values of the body."""
        return list(kernels.terminator(self.body).operands)

    def output_argument(self, position: int) -> ir.BlockArgument | None:
        """The body's argument for the old value of an output; ``None`` where the op's form has none."""
        arguments = self.body.arguments
        index = len(self.inputs) + position
        return arguments[index] if index < len(arguments) else None

    def reads_output(self, position: int) -> bool:
        """Whether the body uses the old value of an output."""
        argument = self.output_argument(position)
        return argument is not None and any(True for _ in argument.uses)


def structured(op: ir.Operation) -> Structured | None:
    """``op`` as a structured op, or ``None`` when it is none (``linalg.softmax``, ``linalg.pack``, other dialects)."""
    if not op.name.startswith("linalg."):
        return None
    maps = linalg.get_indexing_maps(op)
    if maps is None:
        return None
    operands = list(op.operands)
    if "operandSegmentSizes" in op.attributes:
        count = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
    else:
        count = len(operands) - (len(op.results) or 1)
    return Structured(op, tuple(operands[:count]), tuple(operands[count:]), maps)


def map_problem(op: Structured) -> str | None:
    """Why the operands of the op cannot be walked with one stride per loop; ``None`` when they can."""
    for position, (map_, value) in enumerate(zip(op.maps, [*op.inputs, *op.outputs], strict=True)):
        what = "input" if position < len(op.inputs) else "output"
        if not is_plain(map_):
            return f"its {what} map {map_} does more than pick loops, and a unit walks with one stride per loop"
        if what == "output" and not covers(map_, value):
            return f"its output map {map_} leaves a part of the output as it was"
    return None


def picked(map_: ir.AffineMap) -> frozenset[int]:
    """The loops that results of the map are."""
    return frozenset([result.position for result in map_.results if isinstance(result, ir.AffineDimExpr)])


def is_plain(map_: ir.AffineMap) -> bool:
    """Whether every result of the map is a loop, each at most once, or a constant."""
    constants = sum(isinstance(result, ir.AffineConstantExpr) for result in map_.results)
    return len(picked(map_)) + constants == len(map_.results)


def covers(map_: ir.AffineMap, value: ir.Value) -> bool:
    """Whether a plain map reaches all of ``value``: its constants are where there is nothing but them."""
    shape = ir.ShapedType(value.type).shape
    fixed = [extent for result, extent in zip(map_.results, shape, strict=True) if not _is_loop(result)]
    return is_plain(map_) and all(extent == 1 for extent in fixed)


def _is_loop(expression: ir.AffineExpr) -> bool:
    return isinstance(expression, ir.AffineDimExpr)
