"""``dataflow.transfer`` on byte addresses, made from ``dataflow.data_transfer`` on buffers and boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spyrec import diag
from spyrec.dialects.dataflow import DataTransferOp, TransferOp
from spyrec.mlir import arith, ir
from spyrec.passes.analysis import buffers, layouts, ops, unit_loops
from spyrec.passes.analysis.accesses import element_bytes, operands
from spyrec.passes.analysis.buffer_views import BufferView, view_of
from spyrec.passes.analysis.layouts import MAX_NEST, Nest
from spyrec.passes.analysis.mixed import decomposed, mixed
from spyrec.passes.analysis.slots import Mapped
from spyrec.passes.analysis.unit_loops import Bound
from spyrec.records import dataclass

Slot = Callable[[BufferView, ir.Location], tuple[str, ir.Value]]
"""Name of a buffer and the byte address of what is shown of its current slot."""
_SIDES = ("source", "dest")


@dataclass(frozen=True)
class Moves:
    """Makes transfers at the current insertion point; what has no descriptor is reported to ``sink``.

    ``pinned`` is the name of the bytes in LX that are in no buffer of the compiler.
    """

    mapped: Mapped
    slot: Slot
    pinned: str | None
    sink: diag.Sink

    def transfer(self, view: DataTransferOp) -> None:
        """`dataflow.transfer` for a `dataflow.data_transfer`, inside of loops where its box has more than four counts,
        or a stride that only the run knows.
        """
        _Move(self, view).build()


class _Move:
    """One transfer: its walks are those of source, destination and lists of indices, in this order."""

    def __init__(self, moves: Moves, view: DataTransferOp) -> None:
        self.view = view
        self.mapped, self.slot, self.sink = moves.mapped, moves.slot, moves.sink
        self.pinned = moves.pinned
        self.location = view.location
        self.found = operands(view)
        memref = ir.MemRefType((self.found["source"] or self.found["dest"])[0].type)
        self.size = element_bytes(memref.element_type)
        self.shape = tuple(memref.shape)

    def build(self) -> None:
        if 0 in self.shape:
            return
        lists = self._lists()
        if lists is None:
            return
        steps = [self._steps(side) for side in _SIDES]
        steps += [list(strides) for strides, _ in lists]
        bounds = self._bounds()
        clipped = {d for d, bound in enumerate(bounds) if bound is not None}
        walked = {d for own in steps for d, step in enumerate(own) if not isinstance(step, int) and self.shape[d] > 1}
        if walked and not self.found["dest"]:
            # Elements may meet in a memory: the last one in the order of the box stays, so loops keep to it.
            walked |= {d for d in range(max(walked)) if self.shape[d] > 1}
        rest = [d for d in range(len(self.shape)) if d not in walked]
        known = tuple(tuple(step if isinstance(step, int) else 0 for step in (own[d] for d in rest)) for own in steps)
        nest, groups = layouts.grouped(
            Nest(tuple(self.shape[d] for d in rest), known), {k for k, d in enumerate(rest) if d in clipped}
        )
        extra = max(0, len(nest.counts) - MAX_NEST)
        ends = [self._end(side) for side in _SIDES]
        ends += [
            _End("lx", None, unit_loops.plus(address, None, self.location, first), name)
            for (_, first), (name, address) in zip(lists, map(self._list_slot, self.found["indices"]), strict=True)
        ]
        inner = [self._clip(nest.counts[k], groups[k], rest, bounds) for k in range(extra, len(nest.counts))]
        outer = [(self.shape[d], bounds[d], [own[d] for own in steps]) for d in sorted(walked)]
        for k in range(extra):
            clip = self._clip(nest.counts[k], groups[k], rest, bounds)
            outer.append((nest.counts[k], clip, [strides[k] for strides in nest.strides]))
        fills = self.view.fill is not None
        spans = [self._span(count, None if fills else clip) for count, clip, _ in outer]
        with unit_loops.nested(spans, self.location) as counters:
            if fills:
                inside = self._inside(counters, [clip for _, clip, _ in outer])
                if inside is not None:
                    low, high = inner[0] or (0, nest.counts[extra])
                    inner[0] = low, self._only_if(inside, high)
            addresses = [
                unit_loops.plus(
                    end.address,
                    unit_loops.offset(counters, [own[w] for _, _, own in outer], self.location),
                    self.location,
                )
                for w, end in enumerate(ends)
            ]
            self._emit(nest, extra, ends, addresses, inner)

    def _emit(
        self,
        nest: Nest,
        extra: int,
        ends: Sequence[_End],
        addresses: Sequence[ir.Value],
        clips: Sequence[tuple[Bound, Bound] | None],
    ) -> None:
        view, counts = self.view, nest.counts[extra:]
        strides = [own[extra:] for own in nest.strides]
        fields: dict[str, Any] = {}
        for k, side in enumerate(_SIDES):
            fields[f"{side}_base"], fields[f"{side}_space"] = ends[k].base, ends[k].space
            fields[side], fields[f"{side}_buffer"], fields[f"{side}_strides"] = addresses[k], ends[k].buffer, strides[k]
        if any(clip is not None for clip in clips):
            full = [clip or (0, count) for clip, count in zip(clips, counts, strict=True)]
            for k, name in enumerate(("lower", "upper")):
                fields[f"static_{name}"], fields[name] = decomposed([bound[k] for bound in full])
            if view.fill is not None:
                fields["fill"] = view.fill.value
        for name in ("get_from", "put_to"):
            if self.found[name]:
                fields[name] = self.mapped(self.found[name][0])
        if view.members is not None and view.member_step is not None:
            fields["members"], fields["member_step"] = view.members.value, view.member_step.value
        if self.found["indices"]:
            lists = ends[2:]
            types = [ir.MemRefType(list_.type).element_type for list_ in self.found["indices"]]
            assert view.index_scales is not None
            fields["indices"] = addresses[2:]
            fields["index_buffers"] = ir.ArrayAttr.get([ir.FlatSymbolRefAttr.get(end.buffer or "") for end in lists])
            fields["index_strides"] = ir.ArrayAttr.get([ir.DenseI64ArrayAttr.get(list(own)) for own in strides[2:]])
            fields["index_types"] = ir.ArrayAttr.get([ir.TypeAttr.get(type_) for type_ in types])
            fields["index_sides"] = view.index_sides
            fields["index_scales"] = [scale * self.size for scale in view.index_scales]
            fields["static_limits"] = view.static_limits
            fields["limits"] = [self.mapped(limit) for limit in self.found["limits"]]
        TransferOp.build(counts=counts, element_bytes=self.size, loc=self.location, **fields)

    # Sides

    def _steps(self, side: str) -> list[Bound]:
        """Strides in bytes."""
        for buffer in self.found[side]:
            shown = view_of(buffer)
            assert shown is not None
            return [stride * self.size for stride in shown.strides]
        strides = mixed(getattr(self.view, f"{side}_strides"), map(self.mapped, self.found[f"{side}_dyn_strides"]))
        return [unit_loops.scaled(stride, self.size, self.location) for stride in strides]

    def _end(self, side: str) -> _End:
        for buffer in self.found[side]:
            shown = view_of(buffer)
            assert shown is not None
            name, address = self.slot(shown, self.location)
            return _End(buffers.memory_of(buffer), None, address, name)
        base = next(map(self.mapped, self.found[f"{side}_base"]), None)
        offset = self.mapped(self.found[f"{side}_offset"][0])
        scaled = unit_loops.as_value(unit_loops.scaled(offset, self.size, self.location), self.location)
        space: str = getattr(self.view, f"{side}_space").value
        if space == "lx" and base is not None:
            return _End(space, None, unit_loops.plus(base, scaled, self.location), self.pinned)
        return _End(space, base, scaled, self.pinned if space == "lx" else None)

    def _lists(self) -> list[tuple[tuple[int, ...], int]] | None:
        """Per list of indices the strides in which a point of the box walks through it, and the first byte."""
        found = []
        for k, list_ in enumerate(self.found["indices"]):
            shown = view_of(list_)
            assert shown is not None
            assert self.view.index_maps is not None
            size = element_bytes(shown.element_type)
            map_ = ir.AffineMapAttr(self.view.index_maps[k]).value
            walked = layouts.walk(map_, [stride * size for stride in shown.strides])
            if walked is None:
                message = f"map {k} from the box to the list of indices is not linear"
                self.sink.error(self.view.operation, "unsupported-op", message, f"index_maps[{k}]")
                return None
            found.append(walked)
        return found

    def _list_slot(self, list_: ir.Value) -> tuple[str, ir.Value]:
        shown = view_of(list_)
        assert shown is not None
        return self.slot(shown, self.location)

    # Clips

    def _bounds(self) -> list[tuple[Bound, Bound] | None]:
        """Per dimension its bounds; ``None`` where they leave nothing out."""
        view = self.view
        if view.static_lower is None or view.static_upper is None:
            return [None] * len(self.shape)
        lower = mixed(view.static_lower, map(self.mapped, self.found["lower"]))
        upper = mixed(view.static_upper, map(self.mapped, self.found["upper"]))
        found: list[tuple[Bound, Bound] | None] = []
        for count, low, high in zip(self.shape, lower, upper, strict=True):
            covers = isinstance(low, int) and isinstance(high, int) and low <= 0 and high >= count
            found.append(None if covers else (low, high))
        return found

    def _clip(
        self, count: int, group: Sequence[int], rest: Sequence[int], bounds: Sequence[tuple[Bound, Bound] | None]
    ) -> tuple[Bound, Bound] | None:
        """The bounds of a count that stands for the dimensions ``group`` of those in ``rest``."""
        bound = bounds[rest[group[0]]] if group else None
        if bound is None:
            return None
        inside = count // max(1, self.shape[rest[group[0]]])
        low, high = (unit_loops.scaled(end, inside, self.location) for end in bound)
        return low, high

    def _span(self, count: int, clip: tuple[Bound, Bound] | None) -> tuple[Bound, Bound]:
        """The iterations of a loop for a count of which nothing is filled: those inside of the clip."""
        if clip is None:
            return 0, count
        return unit_loops.at_least(clip[0], 0, self.location), unit_loops.at_most(clip[1], count, self.location)

    def _inside(self, counters: Sequence[ir.Value], clips: Sequence[tuple[Bound, Bound] | None]) -> ir.Value | None:
        """Whether all counters are inside of their clips; ``None`` without a clip."""
        inside: ir.Value | None = None
        for counter, clip in zip(counters, clips, strict=True):
            if clip is None:
                continue
            for predicate, bound in zip((arith.CmpIPredicate.sge, arith.CmpIPredicate.slt), clip, strict=True):
                test = ops.compare(predicate, counter, unit_loops.as_value(bound, self.location), self.location)
                inside = test if inside is None else arith.AndIOp(inside, test, loc=self.location).result
        return inside

    def _only_if(self, condition: ir.Value, bound: Bound) -> ir.Value:
        """The bound, or 0."""
        values = [unit_loops.as_value(value, self.location) for value in (bound, 0)]
        result: ir.Value = arith.SelectOp(condition, *values, loc=self.location).result
        return result


@dataclass(frozen=True)
class _End:
    """One side of a transfer, or a list of indices."""

    space: str
    base: ir.Value | None
    address: ir.Value
    buffer: str | None
