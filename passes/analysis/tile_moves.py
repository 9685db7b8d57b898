"""Reads and writes of boxes of memory in place of loads and stores of tiles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from spyrec import diag, numerics, sets
from spyrec.dialects import dataflow, ktdp
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import access_tiles, kernels, ops, views
from spyrec.passes.analysis.access_tiles import AccessTile, Box, Lookup, NotATile
from spyrec.passes.analysis.linear import Interval, Linear
from spyrec.passes.analysis.mixed import decomposed
from spyrec.passes.analysis.steps import Selection, Selector, Step, Steps
from spyrec.passes.analysis.view_parts import Part, View, Views
from spyrec.records import dataclass, replace


@dataclass
class _Piece:
    """What an access touches of one part of a view."""

    part: Part
    selection: Selection


class Mover:
    """Makes the reads and writes of one load or store, ``op``, before it."""

    def __init__(self, views: Views, op: ir.OpView, tile: AccessTile, sink: diag.Sink) -> None:
        self.views, self.values, self.sink = views, views.values, sink
        self.op, self.tile, self.location = op.operation, tile, op.location
        self.unreachable = self.values.unreachable(self.op)

    def load(self, view: View, box: Box, type_: ir.RankedTensorType) -> ir.Value:
        """The tensor of a tile."""
        _note(view, "r")
        if 0 in type_.shape:
            with ir.InsertionPoint(self.op):
                return ops.empty(type_, self.location)
        read = self._read(view, box, type_.element_type, None)
        return self._joined(read, box, type_) if box.is_divided else read

    def store(self, view: View, box: Box, value: ir.Value) -> None:
        """Write a tensor to a tile."""
        _note(view, "w")
        if 0 in ir.RankedTensorType(value.type).shape:
            return
        pieces = self._pieces(view, box, "w")
        if not pieces:
            return
        lookups = self._lookups(box)
        if box.is_divided:
            value = self._divided(value, box)
        for piece in reversed(pieces):
            dataflow.WriteOp.build(
                value=value, **self._box(piece, box, lookups), loc=self.location, ip=ir.InsertionPoint(self.op)
            )

    def _read(self, view: View, box: Box, element: ir.Type, fill: int | None) -> ir.Value:
        """The tensor of a box; points that are in no part have ``fill``."""
        type_ = ir.RankedTensorType.get(box.extents, element, loc=self.location)
        pieces = self._pieces(view, box, "r")
        if not pieces:
            with ir.InsertionPoint(self.op):
                return ops.zeros(type_, self.location)
        lookups = self._lookups(box)
        value: ir.Value | None = None
        # The last one that is read stays, and the first part that holds a point has it.
        for piece in reversed(pieces):
            whole = piece.selection.is_whole or value is not None
            value = dataflow.ReadOp.build(
                init=value,
                fill=None if whole else fill,
                result=type_,
                **self._box(piece, box, lookups),
                loc=self.location,
                ip=ir.InsertionPoint(self.op),
            ).result
        assert value is not None
        return value

    def _box(self, piece: _Piece, box: Box, lookups: Sequence[tuple[ir.Value, ir.AffineMap]]) -> dict[str, Any]:
        """The fields of a read or write that say where the box lies, and which of its points are moved."""
        part, selection, steps = piece.part, piece.selection, Steps(self.values, self.op, box.used)
        offset, strides = part.base, [Linear.of(0)] * len(box.extents)
        scales, limits = [], []
        for d, (coordinate, low, stride) in enumerate(zip(box.coordinates, part.low, part.strides, strict=True)):
            start = Linear.of(0) if isinstance(coordinate, Lookup) else coordinate.rest
            offset += steps.product(start - low, stride)
            if isinstance(coordinate, Lookup):
                if not stride.is_constant:
                    message = f"dimension {d} of the view is looked up, and only the run knows its stride"
                    raise NotATile("unsupported-view", message, "base", "make a view with a constant stride there")
                scales.append(stride.constant)
                limits.append(part.bounds.high[d].plus(1))
                continue
            for dimension, factor in coordinate.factors:
                strides[dimension] += stride.scaled(factor)
        if not self.unreachable:
            self._check_reach(part, box, strides)
            self._note_lowest(piece, box, offset, strides, steps)
        static_strides, dynamic_strides = self._decomposed(strides)
        fields: dict[str, Any] = {
            "base": part.argument,
            "offset": steps.value(offset),
            "strides": dynamic_strides,
            "space": part.space,
            "static_strides": static_strides,
        }
        if part.core is not None:
            fields["core"] = steps.value(Linear.of(part.core))
        if selection.is_clipped:
            lower = [bound or Linear.of(0) for bound in selection.lower]
            upper = [bound or Linear.of(n) for bound, n in zip(selection.upper, box.extents, strict=True)]
            fields["static_lower"], fields["lower"] = self._decomposed(lower)
            fields["static_upper"], fields["upper"] = self._decomposed(upper)
        if selection.set is not None:
            fields |= {"set": selection.set, "symbols": [steps.value(form) for form in selection.symbols]}
        if lookups:
            fields["indices"] = [values for values, _ in lookups]
            fields["index_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for _, map_ in lookups])
            fields["index_scales"] = scales
            fields["static_limits"], fields["limits"] = self._decomposed(limits)
        return fields

    def _decomposed(self, forms: Sequence[Linear]) -> tuple[list[int], list[ir.Value]]:
        """Constants with markers for the values that are none, and these."""
        steps = Steps(self.values, self.op, ())
        return decomposed([form.constant if form.is_constant else steps.value(form) for form in forms])

    def _note_lowest(self, piece: _Piece, box: Box, offset: Linear, strides: Sequence[Linear], steps: Steps) -> None:
        """Remember the lowest element that the access may touch."""
        part, interval = piece.part, self.values.interval
        if not all(stride.is_constant for stride in (*strides, *part.strides)):
            return
        whole = interval(offset, at=self.op).low
        whole += sum(min(0, (n - 1) * s.constant) for n, s in zip(box.used, strides, strict=True))
        inside = interval(part.base, at=self.op).low
        for d, coordinate in enumerate(box.coordinates):
            first, last = interval(part.bounds.low[d], at=self.op).low, interval(part.bounds.high[d], at=self.op).high
            if isinstance(coordinate, Step):
                reach = steps.reach(coordinate)
                first, last = max(first, reach.low), min(last, reach.high)
            low = interval(part.low[d], at=self.op)
            ends = [(first - low.high) * part.strides[d].constant, (last - low.low) * part.strides[d].constant]
            inside += min(ends)
        lowest = inside if any(isinstance(c, Lookup) for c in box.coordinates) else max(whole, inside)
        part.lowest = lowest if part.lowest is None else min(lowest, part.lowest)

    def _check_reach(self, part: Part, box: Box, strides: Sequence[Linear]) -> None:
        """Refuse what one transfer cannot do: reach too far, or write several elements to one place."""
        extents = list(box.used)
        for d, coordinate in enumerate(box.coordinates):
            if isinstance(coordinate, Lookup):
                return
            if len(coordinate.factors) == 1 and abs(coordinate.factors[0][1]) == 1:
                # Points outside of the view are not moved.
                first, last = self._bounds(part, d)
                dimension = coordinate.factors[0][0]
                extents[dimension] = min(extents[dimension], max(0, last.high - first.low + 1))
        if not all(stride.is_constant for stride in strides) or part.space != "device":
            return
        steps = [stride.constant for stride in strides]
        if self.op.name == ktdp.StoreOp.NAME and views.meets_itself(extents, steps):
            message = (
                f"the box {tuple(extents)} with strides {steps} has several elements in one place, and nothing says"
                " which of them a transfer writes last"
            )
            notes = ((part.op, "the view is made here"), "store the elements that last, through a tile of them alone")
            self.sink.error(self.op, "unsupported-view", message, field="access_tile", notes=notes)
        reach = sum((n - 1) * abs(s) for n, s in zip(extents, steps, strict=True) if n) + 1
        span, limit = reach * numerics.sizeof(str(part.element)), self.views.device.limits.access_span
        if span > limit:
            message = f"one access spans {span} bytes of device memory, and a core reaches {limit} at once"
            self.sink.error(self.op, "span-limit", message, field="access_tile", notes=["load it in pieces"])

    # Which points

    def _pieces(self, view: View, box: Box, access: str) -> list[_Piece]:
        """The parts that the box may touch, each with its points; the first ones count first."""
        found: list[_Piece] = []
        apart: list[tuple[int, str]] = []
        for d, coordinate in enumerate(box.coordinates):
            if isinstance(coordinate, Lookup):
                self._check_lookup(view, d)
        for part in view.parts:
            outside = None if self.unreachable else self._outside(part, box)
            if outside is not None:
                apart.append(outside)
                continue
            selection = self._select(view, part, box)
            if selection.is_empty:
                continue
            found.append(_Piece(part, selection))
            if selection.is_whole:
                break
        if not self.unreachable and 0 not in box.used:
            if len(apart) == len(view.parts):
                self._report(*apart[0])
            else:
                self._check_clips(view, box)
                self._check_places(view, box, access)
        return found

    def _select(self, view: View, part: Part, box: Box) -> Selection:
        selector = Selector(Steps(self.values, self.op, box.used), box.extents)
        for condition in box.conditions:
            selector.at_least_0(condition)
        for constraint, names in box.constraints:
            selector.require(constraint, names)
        shape = view.shape or (DYNAMIC,) * len(box.coordinates)
        names = dict(part.bounds.symbols)
        for d, (coordinate, extent) in enumerate(zip(box.coordinates, shape, strict=True)):
            if isinstance(coordinate, Lookup):
                continue
            names[f"d{d}"] = coordinate
            if not self.unreachable:
                selector.at_least_0(coordinate - Step.of(part.bounds.low[d]))
                selector.at_least_0(Step.of(part.bounds.high[d]) - coordinate)
                if extent != DYNAMIC:
                    selector.at_least_0(Step.of(extent - 1) - coordinate)
        for constraint in part.bounds.others:
            used = {step for step in constraint.expression.steps if isinstance(step, str) and step[0] in "ds"}
            if any(name[1:].isdigit() and name not in names for name in used):
                message = "a coordinate is looked up in a view whose coordinate_set is no box"
                raise NotATile("unsupported-set", message, "base", "make a view whose set is a box")
            selector.require(constraint, names)
        return selector.finish()

    @staticmethod
    def _check_lookup(view: View, dimension: int) -> None:
        """Indices count from 0, and say nothing about parts."""
        first = view.parts[0].bounds
        for part in view.parts:
            low, high = part.bounds.low[dimension], part.bounds.high[dimension]
            if low == Linear.of(0) and high == first.high[dimension]:
                continue
            numbers = low.is_constant and high.is_constant
            has = f"{low.constant}..{high.constant}" if numbers else "others"
            raise NotATile(
                "unsupported-view",
                f"coordinates of dimension {dimension} are looked up, and a part of the view has {has} there",
                "base",
                "look up coordinates in a dimension that all parts have as a whole, from 0 on",
            )

    # Lists of indices

    def _lookups(self, box: Box) -> list[tuple[ir.Value, ir.AffineMap]]:
        """The list of each coordinate that is looked up, and where in it the index of a point is."""
        return [self._lookup(c, box) for c in box.coordinates if isinstance(c, Lookup)]

    def _lookup(self, coordinate: Lookup, box: Box) -> tuple[ir.Value, ir.AffineMap]:
        view = self.views.view(coordinate.view)
        if view is None:
            raise NotATile(
                "unsupported-view",
                "where the index view lies is not known here",
                "indirect_memrefs",
                "use the result of ktdp.construct_memory_view",
            )
        dimensions = sorted({d for step in coordinate.coordinates for d, _ in step.factors})
        inner = access_tiles.without(replace(box, coordinates=coordinate.coordinates), dimensions)
        places: list[ir.AffineExpr] = [ir.AffineExpr.get_dim(d) for d in dimensions]
        if not dimensions:
            # One index for all points is a list too.
            inner = replace(inner, extents=(1,), used=(1,), groups=((1, 0),))
            places = [ir.AffineExpr.get_constant(0)]
        element = view.parts[0].element
        if not isinstance(element, ir.IndexType):
            element = ir.IntegerType.get_signless(numerics.sizeof(str(element)) * 8)
        _note(view, "r")
        # An index that is not there is read as -1, which is an error where it is used.
        values = self._read(view, inner, element, -1)
        return values, ir.AffineMap.get(len(box.extents), 0, places)

    # Dimensions that are several of the box

    def _joined(self, value: ir.Value, box: Box, type_: ir.RankedTensorType) -> ir.Value:
        """The tensor of the shape that was asked for, of what was read as a box."""
        with ir.InsertionPoint(self.op):
            groups, shape = _groups(box)
            value = ops.collapse(value, groups, self.location)
            if tuple(type_.shape) == shape:
                return value
            offsets = [offset for _, offset in box.groups]
            return ops.extract_slice(value, offsets, list(type_.shape), self.location)

    def _divided(self, value: ir.Value, box: Box) -> ir.Value:
        """The other way round."""
        with ir.InsertionPoint(self.op):
            groups, shape = _groups(box)
            type_ = ir.RankedTensorType(value.type)
            if tuple(type_.shape) != shape:
                into = ops.empty(ir.RankedTensorType.get(shape, type_.element_type, loc=self.location), self.location)
                value = ops.insert_slice(value, into, [offset for _, offset in box.groups], self.location)
            return ops.expand(value, groups, box.extents, self.location)

    # What is said about tiles that leave their view

    def _outside(self, part: Part, box: Box) -> tuple[int, str] | None:
        """Why no point of the box is one of a part, whatever the run says: a dimension, and a text."""
        steps = Steps(self.values, self.op, box.used)
        for d, coordinate in enumerate(box.coordinates):
            if isinstance(coordinate, Lookup):
                continue
            first, last = self._bounds(part, d)
            reach = steps.reach(coordinate)
            if reach.high < first.low or reach.low > last.high:
                return d, f"the tile takes {_range(reach)} in dimension {d}, and the view only has {first}..{last}"
        return None

    def _check_clips(self, view: View, box: Box) -> None:
        """Say where the box may leave the view."""
        steps = Steps(self.values, self.op, box.used)
        for d, coordinate in enumerate(box.coordinates):
            if isinstance(coordinate, Lookup):
                continue
            first, last = self._whole(view, d)
            reach = steps.reach(coordinate)
            certain = coordinate.rest.is_constant
            if reach.low < 0 and certain:
                self._report(d, f"the tile starts at {reach.low} in dimension {d}, below all coordinates")
                return
            if first.high <= reach.low and reach.high <= last.low:
                continue
            has = f"the view only has {first}..{last}" if first.low == first.high else "the view has other bounds"
            if last.low != last.high:
                has = "only the run knows how large the view is"
            if certain and first.low == first.high and last.low == last.high:
                message = f"the tile takes {_range(reach)} in dimension {d}, and {has}"
                self._say(self.sink.warning, "clipped-tile", d, message, "points outside are 0, and are not stored")
            elif self._always_comes(last, start := self.values.interval(coordinate.rest, at=self.op)):
                message = (
                    f"the tile starts at up to {start.high} in dimension {d}, and {has}: it may have no point there"
                )
                note = "the kernel does not do that where an scf.if around the access keeps such tiles out"
                self._say(self.sink.warning, "outside-tile", d, message, note)
            else:
                bounded = reach.low > -(1 << 62) and reach.high < 1 << 62
                where = f"may take {_range(reach)}" if bounded else "may lie anywhere"
                message = f"the tile {where} in dimension {d}, and {has}: it is clipped"
                note = (
                    "bound the subscript by a loop or an scf.if around the access, or make the view larger, to spare it"
                )
                self._say(self.sink.remark, "unproven-bounds", d, message, note)

    def _always_comes(self, last: Interval, start: Interval) -> bool:
        """Whether the largest start lies behind the view's last coordinate, and no condition is around that only the
        run decides.
        """
        if last.low != last.high or not last.high < start.high < 1 << 62:
            return False
        return all(op.name == "scf.for" for op in kernels.around(self.op, self.views.function))

    def _check_places(self, view: View, box: Box, access: str) -> None:
        """Refuse a box at a constant place with points in no part of its view, or which is stored to several."""
        if view.shape is None or len(view.parts) == 1:
            return
        place = _constant_box(box)
        parts = [part.bounds.box for part in view.parts if not part.bounds.others]
        known = [part for part in parts if part is not None]
        if place is None or DYNAMIC in view.shape or len(known) < len(view.parts):
            return
        place = place.common(sets.Box.of_sizes(view.shape))
        hole = sets.uncovered(place, known)
        if hole is not None:
            message = f"the tile has the point {list(hole)}, which belongs to no part of the view"
            self._say(self.sink.error, "out-of-view", None, message, "give it a part, or make the tile smaller")
        mine = [place.common(part) for part in known]
        for k, one in enumerate(mine):
            for other in mine[k + 1 :]:
                both = one.common(other)
                if access == "w" and not both.is_empty:
                    message = f"the tile stores to {both}, which belongs to several parts of the view"
                    self._say(self.sink.error, "overlapping-parts", None, message, "store to a view of one part")
                    return

    def _bounds(self, part: Part, d: int) -> tuple[Interval, Interval]:
        """What the lowest and the highest coordinate of a part can be."""
        low, high = part.bounds.low[d], part.bounds.high[d]
        return self.values.interval(low, at=self.op), self.values.interval(high, at=self.op)

    def _whole(self, view: View, d: int) -> tuple[Interval, Interval]:
        if view.shape is not None and view.shape[d] != DYNAMIC:
            return Interval.exactly(0), Interval.exactly(view.shape[d] - 1)
        ends = [self._bounds(part, d) for part in view.parts]
        return (
            Interval(min(low.low for low, _ in ends), min(low.high for low, _ in ends)),
            Interval(max(high.low for _, high in ends), max(high.high for _, high in ends)),
        )

    def _report(self, dimension: int, message: str) -> None:
        note = "bound the subscript by a loop or an scf.if around the access, or make the view larger"
        self._say(self.sink.error, "out-of-view", dimension, message, note)

    def _say(self, how: Callable[..., None], id: str, dimension: int | None, message: str, note: str) -> None:
        field = None if dimension is None else f"{self.tile.field}[{dimension}]"
        made = self.views.view(self.tile.view)
        notes: list[object] = [note] if made is None else [(made.op, "the view is made here"), note]
        how(self.tile.op, id, message, field=field, notes=notes)


def _note(view: View, access: str) -> None:
    """Remember what the kernel does with a view, whether or not it touches any of its points."""
    for part in view.parts:
        part.access.add(access)


def _range(reach: Interval) -> str:
    return f"{reach.low}..{reach.high}"


def _groups(box: Box) -> tuple[list[list[int]], tuple[int, ...]]:
    """The dimensions of the box that each dimension of the tensor is, and the extents of these."""
    groups: list[list[int]] = []
    for dims, _ in box.groups:
        start = sum(map(len, groups))
        groups.append(list(range(start, start + dims)))
    return groups, tuple(math.prod(box.extents[d] for d in group) for group in groups)


def _constant_box(box: Box) -> sets.Box | None:
    """The coordinates of a box that lies at a constant place and is whole."""
    if box.conditions or box.constraints:
        return None
    low, high = [], []
    for coordinate in box.coordinates:
        if isinstance(coordinate, Lookup) or not coordinate.rest.is_constant or len(coordinate.factors) > 1:
            return None
        if any(factor != 1 for _, factor in coordinate.factors):
            return None
        low.append(coordinate.rest.constant)
        high.append(low[-1] + sum(box.used[d] - 1 for d, _ in coordinate.factors))
    return sets.Box(tuple(low), tuple(high))
