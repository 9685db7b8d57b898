"""What is too much for a stage passes it piece by piece."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from spyrec.device.model import Memory
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, kernels, ops, support, unit_loops
from spyrec.passes.analysis.liveness import of_allocations
from spyrec.passes.analysis.mixed import decomposed, mixed
from spyrec.passes.analysis.packing import Request, fullest
from spyrec.passes.analysis.schedule import schedule_of
from spyrec.passes.analysis.tile_costs import SLOTS
from spyrec.passkit import UNCHANGED, Analyses, Kept, Pass, PassContext

_SIDES = ("source", "dest")


@dataclass
class NarrowStages(Pass):
    """Move boxes through stages in pieces where the buffers of a stage would not fit into it.

    Tiles are cut so that they fit into the stages on their way. What cannot be cut, as weights that stay in LX, may be
    larger than a stage all the same. Then its transfers become a loop over pieces, and the buffer in the stage holds
    one: of all that the stage has room for, an equal part for each buffer, with two slots.

    IR before, where ``l1`` has 8192 bytes::

        %s = dataflow.alloc {name = "w_l1"} : memref<64x128xf16, "l1">
        dataflow.data_transfer from @device[%o from %w] strides [128, 1] to %s {...} : memref<64x128xf16, "l1">
        dataflow.data_transfer from %s to %b {...} : memref<64x128xf16, "l1">, memref<64x128xf16, "lx">

    IR after::

        scf.for %k = %c0 to %c4 step %c1 {
          %r = affine.apply affine_map<(d0) -> (d0 * 16)>(%k)
          %s = dataflow.alloc {name = "w_l1"} : memref<16x128xf16, "l1">
          %p = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 128)>(%o, %r)
          dataflow.data_transfer from @device[%p from %w] strides [128, 1] to %s {...} : memref<16x128xf16, "l1">
          %v = memref.subview %b[%r, 0] [16, 128] [1, 1] : ...
          dataflow.data_transfer from %s to %v {...} : memref<16x128xf16, "l1">, memref<16x128xf16, ..., "lx">
        }

    Pieces are equal, and in the order of the box, so elements that meet are written as before. Bounds of a clip count
    from the piece, and lists of indices are those of its points. Leaves alone stages in which everything fits; what is
    a piece already; sets, whose rows are moved one by one; and lists that are looked up at sums of counters. Refuses
    nothing.
    """

    anchor: ClassVar[str] = "func.func"
    optional: ClassVar[bool] = True

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        if not kernels.has_body(op):
            return UNCHANGED
        limits = {
            stage.space: _limit(op, stage, ctx.device.share(stage), ctx.analyses) for stage in ctx.device.stages()
        }
        if not any(limits.values()):
            return UNCHANGED
        # Cutting one way takes ops of it out of the walk.
        for way in [way for inner in kernels.steps(op) if (way := _way(inner)) is not None]:
            limit = min((found for stage in way.stages if (found := limits[buffers.memory_of(stage)])), default=0)
            if limit and way.cut(limit):
                ctx.statistics["ways in pieces"] += 1
        return None


def _limit(function: ir.Operation, stage: Memory, room: int, analyses: Analyses) -> int:
    """The bytes that each buffer of a stage may have; 0 where it has room for all as they are."""
    found = [buffer for buffer in buffers.allocations(function) if buffers.memory_of(buffer.result) == stage.space]
    if sum(stage.aligned(buffers.size(buffer.result.type)) for buffer in found) <= room:
        return 0
    # What cannot be read as a schedule is for address assignment to report.
    schedule = schedule_of(function, analyses)
    if schedule is None:
        return 0
    requests = [
        Request(stage.aligned(allocation.place.size), life)
        for allocation, life in zip(schedule.allocations, of_allocations(schedule), strict=True)
        if allocation.place.memory == stage.space
    ]
    together = fullest(requests)
    if sum(requests[k].size for k in together) <= room:
        return 0
    return max(1, room // (SLOTS * len(together)) // stage.alignment * stage.alignment)


@dataclass
class _Way:
    """The transfers from memory to LX or back, one behind the other, and the buffers of stages between them."""

    transfers: list[dataflow.DataTransferOp]
    stages: list[ir.Value]

    def cut(self, limit: int) -> bool:
        """Make it a loop over pieces of at most ``limit`` bytes, where there is a way to."""
        type_ = ir.MemRefType(self.stages[0].type)
        shape = list(type_.shape)
        if 0 in shape:
            return False
        piece = _piece(shape, buffers.size(type_) // math.prod(shape), limit)
        walked = [d for d, (whole, part) in enumerate(zip(shape, piece, strict=True)) if part < whole]
        if not walked or not all(_can_cut(transfer, walked) for transfer in self.transfers):
            return False
        last = self.transfers[-1]
        location = last.location
        turns = [(0, shape[d] // piece[d]) for d in walked]
        with ir.InsertionPoint(last.operation), unit_loops.nested(turns, location) as counters:
            starts: list[ir.Value | None] = [None] * len(shape)
            for d, counter in zip(walked, counters, strict=True):
                starts[d] = unit_loops.as_value(unit_loops.scaled(counter, piece[d], location), location)
            made = {stage: _stage(_alloc(stage), piece) for stage in self.stages}
            for transfer in self.transfers:
                _Piece(transfer, piece, starts, made).build()
        for transfer in reversed(self.transfers):
            transfer.operation.erase()
        for stage in self.stages:
            _alloc(stage).operation.erase()
        return True


def _way(first: ir.Operation) -> _Way | None:
    """The way that begins with a transfer, if it goes through stages and nothing else comes between."""
    view = first.opview
    if not isinstance(view, dataflow.DataTransferOp) or (view.source is not None and not buffers.is_in_lx(view.source)):
        return None
    way = _Way([view], [])
    at = view
    while at.dest is not None and not buffers.is_in_lx(at.dest):
        stage = at.dest
        maker, users = kernels.defining(stage), [use.owner.operation for use in stage.uses]
        behind = next((user for user in users if user != at.operation), None)
        if maker is None or maker.block != first.block or len(users) != 2:
            return None
        if behind is None or behind.block != first.block or not isinstance(behind.opview, dataflow.DataTransferOp):
            return None
        at = behind.opview
        way.stages.append(stage)
        way.transfers.append(at)
    if not way.stages or not all(map(_is_passive, _between(first, way.transfers[-1].operation, way))):
        return None
    return way


def _between(first: ir.Operation, last: ir.Operation, way: _Way) -> Iterator[ir.Operation]:
    """What stands between the transfers of a way."""
    own = {transfer.operation for transfer in way.transfers}
    inside = False
    for view in first.block.operations:
        op = view.operation
        if inside and op not in own:
            yield op
        inside = (inside or op == first) and op != last


def _is_passive(op: ir.Operation) -> bool:
    """Whether an op touches no memory."""
    return isinstance(op.opview, dataflow.AllocOp) or op.name in dataflow.VIEWS or op.name in support.SCALAR_OPS


def _piece(shape: Sequence[int], element: int, limit: int) -> list[int]:
    """The shape of an equal part of at most ``limit`` bytes, cut in the outermost dimensions."""
    piece = list(shape)
    for d, extent in enumerate(shape):
        rest = math.prod(piece[d + 1 :]) * element
        piece[d] = max(n for n in range(1, extent + 1) if extent % n == 0 and (n == 1 or n * rest <= limit))
        if piece[d] > 1 or rest <= limit:
            break
    return piece


def _can_cut(transfer: dataflow.DataTransferOp, walked: Sequence[int]) -> bool:
    """Whether lists are looked up at counters of the dimensions ``walked``, or not by them at all."""
    for attribute in transfer.index_maps or ():
        for expression in ir.AffineMapAttr(attribute).value.results:
            alone = isinstance(expression, ir.AffineDimExpr)
            if not alone and not _dims(expression).isdisjoint(walked):
                return False
    return True


def _dims(expression: ir.AffineExpr) -> set[int]:
    """The dimensions that an expression is of."""
    if isinstance(expression, ir.AffineBinaryExpr):
        return _dims(expression.lhs) | _dims(expression.rhs)
    return {expression.position} if isinstance(expression, ir.AffineDimExpr) else set()


def _alloc(buffer: ir.Value) -> dataflow.AllocOp:
    maker = kernels.defining(buffer)
    assert maker is not None
    return dataflow.AllocOp(maker)


def _stage(whole: dataflow.AllocOp, piece: Sequence[int]) -> ir.Value:
    """A buffer for a piece."""
    element = ir.MemRefType(whole.result.type).element_type
    type_ = ir.RankedTensorType.get(list(piece), element, loc=whole.location)
    name = buffers.UNNAMED if whole.name_ is None else whole.name_.value
    return buffers.allocate(type_, name, whole.location, buffers.memory_of(whole.result))


class _Piece:
    """A transfer of a piece that starts ``starts`` steps from the first element."""

    def __init__(
        self,
        transfer: dataflow.DataTransferOp,
        piece: Sequence[int],
        starts: Sequence[ir.Value | None],
        stages: dict[ir.Value, ir.Value],
    ) -> None:
        self.old, self.location = transfer, transfer.location
        self.piece, self.starts, self.stages = piece, starts, stages

    def build(self) -> None:
        """Make it at the current insertion point."""
        old = self.old
        fields: dict[str, Any] = {"route": old.route, "unit": old.unit, "fill": old.fill}
        for side in _SIDES:
            fields |= self._side(side)
        if old.static_lower is not None and old.static_upper is not None:
            for name, static, dynamic in (
                ("lower", old.static_lower, old.lower),
                ("upper", old.static_upper, old.upper),
            ):
                bounds = [
                    self._less(bound, start) for bound, start in zip(mixed(static, dynamic), self.starts, strict=True)
                ]
                fields[f"static_{name}"], fields[name] = decomposed(bounds)
        if old.indices:
            fields |= {
                "indices": [
                    self._list(list_, ir.AffineMapAttr(map_).value)
                    for list_, map_ in zip(old.indices, old.index_maps or (), strict=True)
                ],
                "index_sides": old.index_sides,
                "index_maps": old.index_maps,
                "index_scales": old.index_scales,
                "limits": old.limits,
                "static_limits": old.static_limits,
            }
        dataflow.DataTransferOp.build(**fields, loc=self.location)

    def _side(self, side: str) -> dict[str, Any]:
        old = self.old
        buffer = getattr(old, side)
        if buffer is not None:
            part = self.stages.get(buffer)
            return {side: self._part(buffer, self.starts, self.piece) if part is None else part}
        strides = list(mixed(getattr(old, f"{side}_strides"), getattr(old, f"{side}_dyn_strides")))
        walked = [d for d, start in enumerate(self.starts) if start is not None]
        counters = [start for start in self.starts if start is not None]
        more = unit_loops.offset(counters, [strides[d] for d in walked], self.location)
        return {
            f"{side}_base": getattr(old, f"{side}_base"),
            f"{side}_offset": unit_loops.plus(getattr(old, f"{side}_offset"), more, self.location),
            f"{side}_dyn_strides": getattr(old, f"{side}_dyn_strides"),
            f"{side}_space": getattr(old, f"{side}_space"),
            f"{side}_strides": getattr(old, f"{side}_strides"),
        }

    def _list(self, list_: ir.Value, map_: ir.AffineMap) -> ir.Value:
        """The part of a list that the points of the piece look up."""
        shape = list(ir.MemRefType(list_.type).shape)
        starts: list[ir.Value | None] = [None] * len(shape)
        for k, expression in enumerate(map_.results):
            if isinstance(expression, ir.AffineDimExpr) and self.starts[expression.position] is not None:
                starts[k], shape[k] = self.starts[expression.position], self.piece[expression.position]
        return self._part(list_, starts, shape)

    def _part(self, buffer: ir.Value, starts: Sequence[ir.Value | None], sizes: Sequence[int]) -> ir.Value:
        if not any(start is not None for start in starts):
            return buffer
        return ops.subview(buffer, [0 if start is None else start for start in starts], sizes, self.location)

    def _less(self, bound: int | ir.Value, start: ir.Value | None) -> int | ir.Value:
        """A bound of a clip, counted from where the piece starts."""
        if start is None:
            return bound
        less = ir.AffineExpr.get_dim(0) - ir.AffineExpr.get_dim(1)
        return ops.apply(
            ir.AffineMap.get(2, 0, [less]), [unit_loops.as_value(bound, self.location), start], self.location
        )
