"""Each compute op writes a tensor of its own, in LX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir, linalg
from spyrec.passes.analysis import generics, kernels, ops
from spyrec.passes.analysis.structured import Structured, structured
from spyrec.passkit import Pass, PassContext


@dataclass
class PlaceOutputs(Pass):
    """Give every output whose old value is not read a fresh tensor, right before its op; let no tensor be two outputs.

    The ``outs`` operand of such an op is only a shape: kernels use one ``tensor.empty`` for many ops, CSE merges equal
    ones, and upstream lowerings name an input there. Bufferized as it stands it would tie together buffers that have
    nothing to do with each other, or keep one buffer outside of its loop, where no two iterations can overlap. The
    fresh tensor says where it will live.

    Fusion leaves results that nobody uses, because the body still reads the old value of their output, and one value as
    several outputs. Bufferization, for which an unused result needs no place, would put such outputs into one buffer.
    So an old value that is read there becomes an input, and the unused result goes.

    IR before::

        %e = tensor.empty() : tensor<4x64xf16>
        scf.for ... {
          %s = linalg.generic {...} ins(%a : ...) outs(%e : tensor<4x64xf16>) {...}

    IR after::

        scf.for ... {
          %f = bufferization.alloc_tensor() {memory_space = "lx"} : tensor<4x64xf16>
          %s = linalg.generic {...} ins(%a : ...) outs(%f : tensor<4x64xf16>) {...}

    Other ops that write into an empty tensor, or carry it into a loop, get a fresh one each in the same
    way.

    Leaves alone other outputs that the body reads, all that a reduction accumulates into, and ops on memrefs. Refuses
    nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        # An op that is rewritten takes its body along: what is in bodies is not looked at.
        for inner in kernels.steps(op):
            seen = structured(inner)
            if seen is None or not inner.results:
                ctx.statistics["tensors made"] += _own_empties(inner)
                continue
            read, unused = _in_the_way(seen)
            if read or unused:
                inner = _without(seen, read, unused)
                seen = structured(inner)
                assert seen is not None
                ctx.statistics["ops rewritten"] += 1
            for position, output in enumerate(seen.outputs):
                if seen.reads_output(position) or ops.is_fresh(output):
                    continue
                with ir.InsertionPoint(inner):
                    fresh = ops.alloc_tensor(output.type, dataflow.LX, inner.location)
                inner.operands[len(seen.inputs) + position] = fresh
                ctx.statistics["tensors made"] += 1
            ctx.statistics["tensors made"] += _own_empties(inner)
        for inner in reversed(kernels.steps(op)):
            if inner.name in ("tensor.empty", ops.ALLOC_TENSOR) and not kernels.is_used(inner):
                inner.erase()


def _own_empties(op: ir.Operation) -> int:
    """Give the op a fresh tensor wherever it takes an empty one; gives their number."""
    found = 0
    for position, value in enumerate(op.operands):
        maker = kernels.defining(value)
        if maker is not None and maker.name == "tensor.empty":
            with ir.InsertionPoint(op):
                op.operands[position] = ops.alloc_tensor(value.type, dataflow.LX, op.location)
            found += 1
    return found


def _in_the_way(op: Structured) -> tuple[list[int], list[int]]:
    """Positions of the outputs whose old values have to become inputs, and of those whose results nobody uses.

    An op without any used result is dead, and not for this pass to remove.
    """
    unused = [position for position, result in enumerate(op.op.results) if not any(True for _ in result.uses)]
    if op.op.name != "linalg.generic" or not op.is_parallel or len(unused) == len(op.outputs):
        return [], []
    read = [position for position in range(len(op.outputs)) if op.reads_output(position)]
    values = [op.outputs[position] for position in read]
    return [p for p, value in zip(read, values, strict=True) if p in unused or values.count(value) > 1], unused


def _without(old: Structured, read: list[int], unused: list[int]) -> ir.Operation:
    """The op again: the old values of the outputs ``read`` as inputs, and without the results ``unused``."""
    inputs = list(zip(old.inputs, old.maps, strict=False))
    moved = [(old.outputs[position], old.output_maps[position]) for position in read]
    inputs += dict.fromkeys(pair for pair in moved if pair not in inputs)
    kept = [position for position in range(len(old.outputs)) if position not in unused]
    outputs = [(old.outputs[position], old.output_maps[position]) for position in kept]
    new = generics.rebuilt(
        old.op,
        [value for value, _ in inputs],
        [value for value, _ in outputs],
        [ir.AffineMapAttr.get(map_) for _, map_ in [*inputs, *outputs]],
    )
    elements = [ops.element(value) for value, _ in [*inputs, *outputs]]
    before = list(old.body.arguments)
    # Where the old arguments are now; for an unused output whose old value is not read there is no place.
    place = dict(enumerate(range(len(old.inputs))))
    place |= {len(old.inputs) + position: len(inputs) + number for number, position in enumerate(kept)}
    place |= {len(old.inputs) + p: inputs.index(pair) for p, pair in zip(read, moved, strict=True)}
    names = {where: before[position].location for position, where in place.items()}
    arg_locs = [names.get(where, old.op.location) for where in range(len(elements))]
    body = new.regions[0].blocks.append(*elements, arg_locs=arg_locs)
    for position, where in place.items():
        before[position].replace_all_uses_with(body.arguments[where])
    *computing, end = [view.operation for view in old.body.operations]
    with ir.InsertionPoint(body):
        last = linalg.YieldOp([end.operands[position] for position in kept], loc=end.location).operation
    for inner in computing:
        inner.move_before(last)
    for number, position in enumerate(kept):
        old.op.results[position].replace_all_uses_with(new.results[number])
    old.op.erase()
    return new
