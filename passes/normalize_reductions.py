"""Reductions and contractions start from numbers, and combine the old value with a term in that order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.numerics.reductions import identity
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.folds import Fold, fold
from spyrec.passes.analysis.structured import Structured, structured
from spyrec.passkit import Pass, PassContext

_MOVES = ("tensor.extract_slice", "tensor.expand_shape", "tensor.collapse_shape", "tensor.cast")
"""Ops whose result has no contents where their first operand has none."""


@dataclass(frozen=True)
class _Empty:
    """A use of a ``tensor.empty`` from which elements without contents come to a reduction."""

    user: ir.Operation
    number: int


@dataclass
class NormalizeReductions(Pass):
    """Give every reduction an init that has contents, and one spelling to its body.

    A reduction or contraction with a known combiner into a ``tensor.empty`` starts from the combiner's identity (add 0,
    mul 1, max -inf, min +inf): emitters leave the fill away. From here on that number is written down, so that no later
    pass has to know. Contractions get a warning, reductions, where it is customary, a remark.

    IR before::

        %e = tensor.empty() : tensor<4xf32>
        %m = linalg.generic {... iterator_types = ["parallel", "reduction"]} ins(%x : ...) outs(%e : ...) {
        ^bb0(%a: f32, %o: f32):
          %n = arith.maximumf %a, %o : f32

    IR after::

        %e = arith.constant dense<0xFF800000> : tensor<4xf32>
        %m = linalg.generic {... iterator_types = ["parallel", "reduction"]} ins(%x : ...) outs(%e : ...) {
        ^bb0(%a: f32, %o: f32):
          %n = arith.maximumf %o, %a : f32

    An op without reduction that goes on in its output takes the old elements as an input, if what it gives is computed
    with: upstream would fuse it into what broadcasts that, and go on in them once for each time that they are read.

    An empty tensor that comes through slices, reshapes, loops and ifs counts as well: elements that nobody has
    written may have any contents, so they get these. Named ops count like generic ones. Leaves alone bodies without
    a known combiner, and ops whose results are only stored, or handed on by a loop. Refuses a ``tensor.empty`` from
    which reductions of different combiners would start.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        wanted: dict[_Empty, tuple[str, ir.Operation]] = {}
        for inner in kernels.steps(op):
            seen = structured(inner)
            if seen is None or seen.is_parallel:
                continue
            for output, value in enumerate(seen.outputs):
                found = fold(seen, output)
                if found is None:
                    continue
                ctx.statistics["bodies turned"] += _old_first(found)
                for empty in dict.fromkeys(_empties(value, inner, len(seen.inputs) + output)):
                    _say(ctx, inner, found)
                    other, where = wanted.setdefault(empty, (found.op.name, inner))
                    if other != found.op.name:
                        ctx.sink.error(
                            inner,
                            "unsupported-op",
                            f"{found.op.name} would start from an empty tensor that {other} starts from, too",
                            notes=[(where, "here"), "fill the initial value of both"],
                        )
        if ctx.sink.has_errors:
            return
        for empty, (combiner, _) in wanted.items():
            _fill(empty, combiner)
            ctx.statistics["inits filled"] += 1
        for inner in kernels.steps(op):
            seen = structured(inner) if inner.name == "linalg.generic" else None
            if seen is not None and seen.is_parallel and any(map(_is_computed_with, inner.results)):
                ctx.statistics["outputs freed"] += _free_outputs(seen)
        for inner in kernels.steps(op):
            if inner.name == "tensor.empty" and not kernels.is_used(inner):
                inner.erase()


def _is_computed_with(value: ir.Value) -> bool:
    return any(use.owner.name not in ("scf.yield", dataflow.WriteOp.NAME) for use in value.uses)


def _free_outputs(op: Structured) -> int:
    """Take the old elements that the body of ``op`` reads as inputs; gives how many outputs had such."""
    split, count = len(op.inputs), len(op.outputs)
    read = [k for k in range(count) if op.reads_output(k)]
    if not read:
        return 0
    with ir.InsertionPoint(op.op), op.op.location:
        outputs = list(op.outputs)
        for k in read:
            outputs[k] = ops.empty(ir.RankedTensorType(op.outputs[k].type), op.op.location)

        def body(block: Sequence[ir.BlockArgument]) -> list[ir.Value]:
            arguments = [*block[:split], *block[split + len(read) :]]
            for number, k in enumerate(read):
                arguments[split + k] = block[split + number]
            return ops.cloned(op.body, arguments)[1]

        maps = [*op.maps[:split], *(op.output_maps[k] for k in read), *op.output_maps]
        made = ops.generic([*op.inputs, *(op.outputs[k] for k in read)], outputs, maps, op.op.location, body)
    for old, new in zip(op.op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.op.erase()
    return len(read)


def _old_first(found: Fold) -> int:
    """Make the accumulator the first operand of the combiner."""
    if found.position == 1:
        return 0
    term, old = found.op.operands
    found.op.operands[0], found.op.operands[1] = old, term
    return 1


def _empties(value: ir.Value, user: ir.Operation, number: int) -> Iterator[_Empty]:
    """The uses of ``tensor.empty`` whose elements may come to operand ``number`` of ``user``, which is ``value``."""
    pending = [(value, user, number)]
    seen: set[tuple[ir.Value, ir.Operation, int]] = set()
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        value, user, number = one
        maker = kernels.defining(value)
        if maker is None:
            loop = kernels.owner(ir.BlockArgument(value).owner)
            if loop.name == "scf.for":
                pending += _carried(loop, ir.BlockArgument(value).arg_number - 1)
        elif maker.name == "tensor.empty":
            yield _Empty(user, number)
        elif maker.name == "tensor.insert_slice":
            pending += [(maker.operands[k], maker, k) for k in (0, 1)]
        elif maker.name in _MOVES:
            pending.append((maker.operands[0], maker, 0))
        elif maker.name == "scf.for":
            pending += _carried(maker, ir.OpResult(value).result_number)
        elif maker.name == "scf.if":
            k = ir.OpResult(value).result_number
            ends = [kernels.terminator(region.blocks[0]) for region in maker.regions]
            pending += [(end.operands[k], end, k) for end in ends]
        elif maker.name == "arith.select":
            pending += [(maker.operands[k], maker, k) for k in (1, 2)]


def _carried(loop: ir.Operation, k: int) -> list[tuple[ir.Value, ir.Operation, int]]:
    """Where carried value ``k`` of a loop comes from: its init and what iterations hand on."""
    end = kernels.terminator(loop.regions[0].blocks[0])
    return [(loop.operands[3 + k], loop, 3 + k), (end.operands[k], end, k)]


def _say(ctx: PassContext, op: ir.Operation, found: Fold) -> None:
    message = f"{found.op.name.partition('.')[2]} starts from its identity, because the output has no contents"
    if found.product is not None:
        ctx.sink.warning(op, "empty-init", message, notes=["fill the output with the value to start from"])
    else:
        ctx.sink.remark(op, "empty-init", message)


def _fill(empty: _Empty, combiner: str) -> None:
    type_ = ir.RankedTensorType(empty.user.operands[empty.number].type)
    value = identity(combiner, str(type_.element_type))
    with ir.InsertionPoint(empty.user):
        made = ops.splat(type_, value.item(), empty.user.location)
    empty.user.operands[empty.number] = made
