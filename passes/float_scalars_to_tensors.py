"""Floats that were taken out of tensors stay in the vector unit, as tensors of rank 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec import numerics
from spyrec.mlir import ir, tensor
from spyrec.passes.analysis import generics, kernels, ops, support
from spyrec.passkit import Pass, PassContext


@dataclass
class FloatScalarsToTensors(Pass):
    """Compute with scalar floats, and with what only the vector unit can compute, on tensors of rank 0.

    The units' registers hold integers. A float that a kernel extracts, computes with, carries through a loop and
    splats again is one element in LX all the way. Integers that are computed of floats (a comparison that steers an
    ``scf.if``) come out of it at the end.

    IR before::

        %m = tensor.extract %max[%c0] : tensor<1xf32>
        %s = arith.mulf %m, %half : f32
        %t = tensor.splat %s : tensor<64xf32>

    IR after::

        %m = tensor.extract_slice %max[%c0] [1] [1] : tensor<1xf32> to tensor<f32>
        %s = linalg.generic {...} ins(%m : tensor<f32>) outs(%e : tensor<f32>) {... arith.mulf %in, %half : f32 ...}
        %t = linalg.generic {...} ins(%s : tensor<f32>) outs(%f : tensor<64xf32>) {... linalg.yield %in : f32 }

    Leaves alone constants and arguments of the kernel, which every lane can have. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if kernels.has_body(op):
            ctx.statistics["scalars moved"] += _Rewriter(op).run()


class _Rewriter:
    """Walks a function in order. ``tensors`` has the tensor of each scalar that has got one."""

    def __init__(self, function: ir.Operation) -> None:
        self.entry = function.regions[0].blocks[0]
        self.tensors: dict[ir.Value, ir.Value] = {}
        self.dead: list[ir.Operation] = []

    def run(self) -> int:
        self._block(self.entry)
        for op in reversed(self.dead):
            op.erase()
        return len(self.tensors)

    def _block(self, block: ir.Block) -> None:
        for view in list(block.operations):
            op = view.operation
            with ir.InsertionPoint(op):
                self._op(op)

    def _op(self, op: ir.Operation) -> None:
        if op.name in ("scf.for", "scf.if", "scf.while"):
            self._control(op)
        elif op.name == "scf.yield":
            self._hand_on(op, range(len(op.operands)))
        elif op.name == "tensor.extract":
            if isinstance(op.results[0].type, ir.FloatType):
                self._become(op, _element(op))
        elif op.name == "tensor.splat":
            if op.operands[0] in self.tensors:
                self._splat(op)
        elif op.name == "linalg.generic":
            self._generic(op)
        elif _is_computed(op):
            self._compute(op)

    def _become(self, op: ir.Operation, value: ir.Value) -> None:
        """From here on ``value`` is the result of ``op``."""
        self.tensors[op.results[0]] = value
        self.dead.append(op)

    def _tensor(self, value: ir.Value, location: ir.Location) -> ir.Value:
        """A float scalar as a tensor of rank 0, which is made here if it has none."""
        found = self.tensors.get(value)
        return ops.point(value, location) if found is None else found

    # Control flow

    def _control(self, op: ir.Operation) -> None:
        floats = [k for k, result in enumerate(op.results) if isinstance(result.type, ir.FloatType)]
        if op.name == "scf.for":
            self._hand_on(op, [3 + k for k in floats])
            for k in floats:
                self._retype(op.regions[0].blocks[0].arguments[1 + k])
        for k in floats:
            self._retype(op.results[k])
        for region in op.regions:
            for block in region.blocks:
                self._block(block)

    def _hand_on(self, op: ir.Operation, positions: range | list[int]) -> None:
        """Give tensors where ``op`` hands float scalars on."""
        for position in positions:
            value = op.operands[position]
            if isinstance(value.type, ir.FloatType):
                op.operands[position] = self._tensor(value, op.location)

    def _retype(self, value: ir.Value) -> None:
        """A value that is carried becomes a tensor; who uses it is rewritten when the walk gets there."""
        value.set_type(_rank_0(value.type))
        self.tensors[value] = value

    # Compute

    def _compute(self, op: ir.Operation) -> None:
        result = op.results[0].type
        operands = list(op.operands)
        moved = list(dict.fromkeys(v for v in operands if v in self.tensors))

        def body(arguments: Sequence[ir.BlockArgument]) -> list[ir.Value]:
            inside = dict(zip(moved, arguments, strict=False))
            copy = op.clone()
            for k, operand in enumerate(operands):
                copy.operands[k] = inside.get(operand, operand)
            return [copy.results[0]]

        scalar = ir.AffineMap.get(0, 0, [])
        made = ops.generic(
            [self.tensors[v] for v in moved],
            [ops.empty(_rank_0(result), op.location)],
            [scalar] * (len(moved) + 1),
            op.location,
            body,
        ).results[0]
        if isinstance(result, ir.FloatType):
            self._become(op, made)
        else:
            number = tensor.ExtractOp(made, [], loc=op.location).result
            op.results[0].replace_all_uses_with(number)
            self.dead.append(op)
            self.tensors[number] = made

    def _splat(self, op: ir.Operation) -> None:
        type_ = ir.RankedTensorType(op.results[0].type)
        maps = [ir.AffineMap.get(type_.rank, 0, []), ir.AffineMap.get_identity(type_.rank)]
        made = ops.generic(
            [self.tensors[op.operands[0]]], [ops.empty(type_, op.location)], maps, op.location, lambda block: [block[0]]
        )
        op.results[0].replace_all_uses_with(made.results[0])
        self.dead.append(op)

    def _generic(self, op: ir.Operation) -> None:
        """Scalars among the inputs have a map already; those that the body captures become inputs."""
        for position, value in enumerate(op.operands):
            if value in self.tensors and not isinstance(value.type, ir.RankedTensorType):
                op.operands[position] = self.tensors[value]
        captured = [v for v in generics.captured(op) if v in self.tensors]
        if captured:
            generics.add_inputs(op, captured, [self.tensors[v] for v in captured])


def _is_computed(op: ir.Operation) -> bool:
    """Whether a scalar op is none for the units' integer registers."""
    if op.name not in numerics.SCALAR_OPS or isinstance(op.results[0].type, ir.RankedTensorType):
        return False
    integers = all(support.is_integer(value.type) for value in [*op.results, *op.operands])
    return not (integers and op.name in support.SCALAR_OPS)


def _rank_0(type_: ir.Type) -> ir.RankedTensorType:
    return ir.RankedTensorType.get([], type_, loc=ir.Location.unknown())


def _element(op: ir.Operation) -> ir.Value:
    """The element that ``tensor.extract`` takes, as a tensor of rank 0."""
    source, *at = op.operands
    if not at:
        return source
    return ops.extract_slice(source, at, [1] * len(at), op.location, shape=[])
