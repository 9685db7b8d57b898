"""Views, access tiles, loads and stores become reads and writes of boxes of memory that are proven to be inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from spyrec import numerics
from spyrec.dialects import dataflow, ktdp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops, scalars, signature, views
from spyrec.passes.analysis.boxes import Box, NotABox, box
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Interval, Linear
from spyrec.passkit import Pass, PassContext

_DEVICE = "device"


@dataclass
class ResolveViews(Pass):
    """Say of every load and store which bytes of memory it moves.

    A view is an address with sizes and strides, a tile a box of coordinates in it; together they are an offset and
    strides. The offset is computed in elements from the tile id, loop counters and numbers, apart from the argument
    that holds the address, which counts bytes. What the kernel asks of a launch goes into the function's attribute
    ``dataflow.signature``.

    IR before::

        %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {...} : memref<96x64xf16>
        scf.for %i = %c0 to %c3 step %c1 {
          %r = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1)>(%t, %i)
          %a = ktdp.construct_access_tile %v[%r, 0] {...} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
          %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>

    IR after::

        scf.for %i = %c0 to %c3 step %c1 {
          %o = affine.apply affine_map<(d0, d1) -> (d0 * 192 + d1 * 64)>(%t, %i)
          %b = dataflow.read @device[%o from %x] strides [64, 1] : tensor<1x64xf16>

    Refuses tiles that cannot be proven to be inside their view, by intervals of tile ids, counters and i32 arithmetic
    and by the conditions of enclosing loops and ifs (``unproven-bounds``), or that are outside of it for certain
    (``out-of-view``); addresses that scale an argument, add two of them or lie outside of device memory; boxes that
    need more than four nested counts or span more memory than one transfer reaches; stores that meet themselves."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        found = [inner.opview for inner in kernels.walk(op)]
        accesses = [view for view in found if isinstance(view, ktdp.LoadOp | ktdp.StoreOp)]
        if signature.ATTRIBUTE in op.attributes and not accesses:
            return
        resolver = _Resolver(op, ctx)
        for access in accesses:
            resolver.access(access)
        if ctx.sink.has_errors:
            return
        entries = resolver.entries()
        for kind in (ktdp.ConstructAccessTileOp, ktdp.ConstructMemoryViewOp):
            for inner in kernels.walk(op):
                if isinstance(inner.opview, kind) and not kernels.is_used(inner):
                    inner.erase()
        scalars.erase_dead(op)
        resolver.check_addresses()
        signature.write(op, entries)


@dataclass
class _View:
    """What is known of one view: where it starts, its points, and what the kernel does with it.

    ``lowest`` is the lowest element that an access may touch, counted like ``base``; ``None`` while there is none."""

    op: ktdp.ConstructMemoryViewOp
    argument: ir.BlockArgument | None
    base: Linear
    points: Box
    strides: tuple[int, ...]
    element: ir.Type
    access: set[str] = field(default_factory=set)
    lowest: int | None = None
    entry: ir.Attribute | None = None


class _Resolver:
    """Resolves the accesses of one function."""

    def __init__(self, function: ir.Operation, ctx: PassContext) -> None:
        self.function = function
        self.ctx = ctx
        self.values = IndexValues(function, implicit_tiles=ctx.device.cores)
        self.views: dict[ir.Value, _View | None] = {}

    def access(self, op: ktdp.LoadOp | ktdp.StoreOp) -> None:
        """Replace one load or store; its tile and view stay for others that use them."""
        maker = kernels.defining(op.access_tile)
        tile = None if maker is None else maker.opview
        if not isinstance(tile, ktdp.ConstructAccessTileOp):
            return
        view = self._view(tile)
        if view is None:
            return
        points = box(tile.access_tile_set)
        start = self._start(op, tile, view, points)
        if start is None or not self._fits(op, view, points):
            return
        offset = view.base
        for form, stride in zip(start, view.strides, strict=True):
            offset += form.scaled(stride)
        if not points.is_empty and not self.values.unreachable(op.operation):
            low = self.values.interval(offset, at=op.operation).low
            low += sum(min(0, (n - 1) * s) for n, s in zip(points.extents, view.strides, strict=True))
            view.lowest = low if view.lowest is None else min(low, view.lowest)
        with ir.InsertionPoint(op.operation):
            if isinstance(op, ktdp.LoadOp):
                op.result.replace_all_uses_with(self._read(op, view, offset, points))
            elif not points.is_empty:
                self._write(op, view, offset)
        op.operation.erase()

    def _read(self, op: ktdp.LoadOp, view: _View, offset: Linear, points: Box) -> ir.Value:
        if points.is_empty:
            return ops.empty(ir.RankedTensorType(op.result.type), op.location)
        view.access.add("r")
        return dataflow.ReadOp.build(
            base=view.argument,
            offset=self.values.materialize(offset, op.location),
            space=_DEVICE,
            static_strides=view.strides,
            result=op.result.type,
            loc=op.location,
        ).result

    def _write(self, op: ktdp.StoreOp, view: _View, offset: Linear) -> None:
        view.access.add("w")
        dataflow.WriteOp.build(
            value=op.data_tile,
            base=view.argument,
            offset=self.values.materialize(offset, op.location),
            space=_DEVICE,
            static_strides=view.strides,
            loc=op.location,
        )

    def entries(self) -> list[signature.ViewEntry]:
        """The part of the signature that speaks of views: those that a load or store went through."""
        return [self._entry(view) for view in self.views.values() if view is not None and view.access]

    def check_addresses(self) -> None:
        """Refuse arguments that are the address of a view and elsewhere a number; to be asked once the views are
        gone.
        """
        found = [view.argument for view in self.views.values() if view is not None and view.argument is not None]
        for argument in dict.fromkeys(found):
            for use in argument.uses:
                if not isinstance(use.owner.opview, dataflow.ReadOp | dataflow.WriteOp):
                    name = kernels.argument_name(argument)
                    self.ctx.sink.error(
                        use.owner,
                        "scaled-address",
                        f"argument '{name}' is computed with here, and is the address of a view elsewhere",
                        notes=["take an address and a number as two arguments"],
                    )

    # Views

    def _view(self, tile: ktdp.ConstructAccessTileOp) -> _View | None:
        op = views.view_of(tile)
        if op is None:
            return None
        if op.result not in self.views:
            self.views[op.result] = self._read_view(op)
        return self.views[op.result]

    def _read_view(self, op: ktdp.ConstructMemoryViewOp) -> _View | None:
        try:
            points = box(op.coordinate_set)
        except NotABox:
            return None
        # A view lies in memory, so its address fits, however it is computed.
        base = self.values.unwrapped(op.offset)
        address = self._address(op, base)
        if address is None:
            return None
        argument, rest = address
        element = ir.MemRefType(op.result.type).element_type
        view = _View(op, argument, rest, points, tuple(op.static_strides), element)
        return view if self._in_memory(view) else None

    def _address(self, op: ktdp.ConstructMemoryViewOp, base: Linear) -> tuple[ir.BlockArgument | None, Linear] | None:
        """The argument that holds the address, and the elements from there."""
        entry = self.function.regions[0].blocks[0]
        found: list[ir.BlockArgument] = []
        rest = base
        for leaf in set(base.leaves()):
            value = self.values.value(leaf)
            if value.owner != entry:
                continue
            argument = ir.BlockArgument(value)
            name = kernels.argument_name(argument)
            factor = base.coefficient(leaf)
            inner = base - Linear.atom(leaf).scaled(factor)
            if factor != 1 or leaf in set(inner.leaves()) or not isinstance(argument.type, ir.IndexType):
                self.ctx.sink.error(
                    op,
                    "scaled-address",
                    f"the address computes with argument '{name}' instead of adding to it",
                    field="offset",
                    notes=["an address is one argument of type index, plus a number of elements"],
                )
                return None
            found.append(argument)
            rest = rest - Linear.atom(leaf)
        if len(found) > 1:
            names = " and ".join(f"'{kernels.argument_name(a)}'" for a in sorted(found, key=lambda a: a.arg_number))
            self.ctx.sink.error(
                op,
                "scaled-address",
                f"the address adds the arguments {names}, and only one of them can hold it",
                field="offset",
                notes=["an address is one argument of type index, plus a number of elements"],
            )
            return None
        return (found[0] if found else None), rest

    def _footprint(self, view: _View) -> tuple[int, int]:
        """Lowest element and one more than the highest, from the address of the argument or from 0."""
        start = self.values.interval(view.base, at=view.op.operation)
        if view.points.is_empty:
            return start.low, start.low
        low, high = start.low, start.high + 1
        for first, last, stride in zip(view.points.low, view.points.high, view.strides, strict=True):
            low += min(first * stride, last * stride)
            high += max(first * stride, last * stride)
        return low, high

    def _in_memory(self, view: _View) -> bool:
        low, high = self._footprint(view)
        limits = self.ctx.device.limits
        size = numerics.sizeof(str(view.element))
        memory = limits.segment_size * (limits.segments - 1)
        where = "from the address on" if view.argument is not None else "of device memory"
        if self.values.interval(view.base, at=view.op.operation) == Interval.signed(64):
            self.ctx.sink.error(
                view.op,
                "unproven-bounds",
                "nothing bounds where the view starts: it is computed from numbers that only the run knows",
                field="offset",
                notes=["compute it from tile ids, loop counters and constants"],
            )
            return False
        if (view.argument is None and low < 0) or high * size > memory:
            self.ctx.sink.error(
                view.op,
                "bad-address",
                f"the view takes bytes {low * size} to {high * size - 1} {where}, but tensors have 0 to {memory - 1}",
                field="offset",
                notes=[f"addresses count elements, of {size} bytes here"],
            )
            return False
        return True

    def _entry(self, view: _View) -> signature.ViewEntry:
        low, high = self._footprint(view)
        start = self.values.interval(view.base, at=view.op.operation).low
        if view.argument is not None and low < 0:
            # A view may begin below its array when no tile goes there.
            low = max(low, 0 if view.lowest is None else view.lowest)
        return signature.ViewEntry(
            argument=view.argument,
            name=str(start) if view.argument is None else kernels.argument_name(view.argument),
            element=view.element,
            sizes=tuple(view.op.static_sizes),
            strides=view.strides,
            offset=low,
            end=high,
            access="".join(sorted(view.access)),
            location=view.op.location,
        )

    # Tiles

    def _start(
        self, op: ktdp.LoadOp | ktdp.StoreOp, tile: ktdp.ConstructAccessTileOp, view: _View, points: Box
    ) -> list[Linear] | None:
        """The view's coordinates of the tile's first element; ``None`` when the tile is not proven to be inside."""
        start: list[Linear] = []
        for dim, anchor in enumerate(views.anchors(tile, self.values)):
            if anchor is None:
                self.ctx.sink.error(
                    tile,
                    "unproven-bounds",
                    f"subscript {dim} multiplies two numbers that both vary: where the tile lies cannot be bounded",
                    field=f"indices[{dim}]",
                    notes=["compute it from tile ids, loop counters and constants"],
                )
                return None
            start.append(anchor.plus(points.low[dim]))
        if points.is_empty or self.values.unreachable(op.operation):
            return start
        for dim, form in enumerate(start):
            extent = points.extents[dim]
            first, last = view.points.low[dim], view.points.high[dim]
            here = self.values.interval(form, at=op.operation)
            if first <= here.low and here.high + extent - 1 <= last:
                continue
            outside = here.high + extent - 1 < first or here.low > last
            reach = f"{here.low}..{here.high + extent - 1}"
            self.ctx.sink.error(
                tile,
                "out-of-view" if outside else "unproven-bounds",
                f"the tile takes {reach} in dimension {dim}, and the view only has {first}..{last}"
                if outside
                else f"the tile may take {reach} in dimension {dim}, but the view only has {first}..{last};"
                " clipped tiles are not compiled yet",
                field=f"indices[{dim}]",
                notes=[
                    (view.op, "the view is made here"),
                    "bound the subscript by a loop or an scf.if around the access, or make the view larger",
                ],
            )
            return None
        return start

    def _fits(self, op: ktdp.LoadOp | ktdp.StoreOp, view: _View, points: Box) -> bool:
        """Whether one transfer can move the box: at most four nested counts, within the span of one access."""
        nest = views.nest(points.extents, view.strides)
        if nest > views.MAX_NEST:
            self.ctx.sink.error(
                op,
                "unsupported-view",
                f"the box {points.extents} with strides {list(view.strides)} needs {nest} nested counts, and a transfer"
                f" has {views.MAX_NEST}",
                field="access_tile",
                notes=["load it in pieces, in a loop over its first dimension"],
            )
            return False
        meets = isinstance(op, ktdp.StoreOp) and views.meets_itself(points.extents, view.strides)
        if meets and not self.values.unreachable(op.operation):
            self.ctx.sink.error(
                op,
                "unsupported-view",
                f"the box {points.extents} with strides {list(view.strides)} has several elements in one place, and"
                " nothing says which of them a transfer writes last",
                field="access_tile",
                notes=[
                    (view.op, "the view is made here"),
                    "store the elements that last, through a tile of them alone",
                ],
            )
            return False
        reach = sum((n - 1) * abs(s) for n, s in zip(points.extents, view.strides, strict=True) if n) + 1
        span = reach * numerics.sizeof(str(view.element))
        limit = self.ctx.device.limits.access_span
        if span > limit:
            self.ctx.sink.error(
                op,
                "span-limit",
                f"one access spans {span} bytes of device memory, and a core reaches {limit} at once",
                field="access_tile",
                notes=["load it in pieces"],
            )
            return False
        return True
