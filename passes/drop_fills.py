"""What a fold would start from anyway is not written into its accumulator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.numerics.reductions import identity
from spyrec.ods import literals
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.buffer_views import BufferView, view_of
from spyrec.passes.analysis.folds import folds
from spyrec.passes.analysis.slices import UNIT
from spyrec.passes.analysis.structured import Structured, covers, structured
from spyrec.passkit import Pass, PassContext


@dataclass
class DropFills(Pass):
    """Let folds start from their identity instead of from a buffer that was filled with it.

    A fill is a stream of its own, with a start-up, and whoever folds has to wait for who fills: both corelets where the
    fold is cut, the matrix unit where it is a sum of products. Units can start a fold from nothing.

    IR before::

        linalg.generic {...} outs(%m : memref<4xf32, "lx">) attrs = {dataflow.unit = @sfu} {
          linalg.yield %zero : f32
        }
        linalg.generic {...} ins(%x : ...) outs(%m : ...) attrs = {dataflow.unit = @sfu} {
          %0 = arith.addf %o, %p : f32
          linalg.yield %0 : f32
        }

    IR after::

        linalg.generic {...} ins(%x : ...) outs(%m : ...) attrs = {dataflow.fresh, dataflow.unit = @sfu} {
          %0 = arith.addf %o, %p : f32
          linalg.yield %0 : f32
        }

    Leaves alone fills with other numbers (-0 is not what a sum starts from), of more than what is folded, or in another
    block, those that another op touches before the fold, and folds over nothing, which leave what was there. Refuses
    nothing."""

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for block in kernels.blocks(op):
            fills: dict[ir.Value, _Fill] = {}
            for inner in [view.operation for view in block.operations]:
                seen = structured(inner) if UNIT in inner.attributes else None
                if seen is not None and (fill := _fill_for(seen, fills)) is not None:
                    inner.attributes[dataflow.FRESH] = ir.UnitAttr.get()
                    fill.op.erase()
                    ctx.statistics["fills dropped"] += 1
                if _is_opaque(inner):
                    fills.clear()
                if inner.name not in dataflow.VIEWS:
                    for shown in _shown(inner.operands):
                        if shown is None:
                            fills.clear()
                        else:
                            fills.pop(shown.root, None)
                made = None if seen is None else _fill(seen)
                if made is not None:
                    fills[made.shown.root] = made


@dataclass(frozen=True)
class _Fill:
    """An op that writes ``number`` to all that ``shown`` shows."""

    op: ir.Operation
    shown: BufferView
    number: bytes


def _fill(seen: Structured) -> _Fill | None:
    if seen.inputs or len(seen.outputs) != 1 or not seen.is_parallel or len(list(seen.body.operations)) != 1:
        return None
    maker, shown = kernels.defining(seen.yielded[0]), view_of(seen.outputs[0])
    if maker is None or maker.name != "arith.constant" or shown is None:
        return None
    number = literals.scalar(maker.attributes["value"])
    return None if number is None else _Fill(seen.op, shown, number.tobytes())


def _fill_for(seen: Structured, fills: dict[ir.Value, _Fill]) -> _Fill | None:
    """The fill without which the op does the same if it starts from nothing."""
    found, extents = folds(seen), seen.extents
    if len(seen.outputs) != 1 or not found or found[0] is None or extents is None or 0 in extents:
        return None
    shown = view_of(seen.outputs[0])
    fill = None if shown is None else fills.get(shown.root)
    if fill is None or shown != fill.shown or not covers(seen.output_maps[0], seen.outputs[0]):
        return None
    if any(view is None or view.root == fill.shown.root for view in _shown(seen.inputs)):
        return None
    start = identity(found[0].op.name, str(ops.element(seen.outputs[0])))
    return fill if start.tobytes() == fill.number else None


def _shown(values: Iterable[ir.Value]) -> list[BufferView | None]:
    """What those of the values that are buffers show; ``None`` where that is not known."""
    return [view_of(value) for value in values if isinstance(value.type, ir.MemRefType)]


def _is_opaque(op: ir.Operation) -> bool:
    """Whether an op may touch buffers that it does not name."""
    return op.name.startswith("scf.") or isinstance(op.opview, dataflow.PostOp | dataflow.WaitOp)
