"""Tile ids and views of memory."""

from collections.abc import Iterator
from itertools import combinations

from spyrec import ods
from spyrec.dialects.ktdp.coordinates import Names, at, maker
from spyrec.dialects.ktdp.types import Ktdp, MemorySpace, MemorySpaceAttr
from spyrec.mlir import ir
from spyrec.ods import constraints as c
from spyrec.ods.checks import DYNAMIC, dynamic_entries, set_arity
from spyrec.sets import Points


class GetComputeTileIdOp(ods.Op, dialect=Ktdp, name="get_compute_tile_id", effects=ods.Pure):
    """The id of the compute tile that executes: the flat one, or one per dimension of the grid.

    The first dimension varies fastest: flat = i0 + g0 * (i1 + g1 * ...).
    """

    ids = ods.variadic_result(c.Index, "the flat id, or one id per dimension of the grid")
    assembly_format = "attr-dict `:` type($ids)"

    def verify(self) -> Iterator[ods.Violation]:
        """There is one id, or one per dimension of the function's grid."""
        count = len(self.ids)
        if count == 0:
            yield ods.Violation("wrong-operands", "at least one id must be taken", "ids")
            return
        grid = grid_of(self.operation)
        if grid is not None and count not in (1, len(grid)):
            yield ods.Violation(
                "grid-mismatch",
                f"{count} ids are taken, but the grid {grid} has {len(grid)} dimensions",
                "ids",
                ("take one id, or one per dimension",),
            )


def grid_of(op: ir.Operation) -> ir.ArrayAttr | None:
    """The `grid` of the enclosing function."""
    parent = op.parent
    while parent is not None and parent.operation.name != "func.func":
        parent = parent.operation.parent
    if parent is None or "grid" not in parent.operation.attributes:
        return None
    grid = parent.operation.attributes["grid"]
    return grid if isinstance(grid, ir.ArrayAttr) else None


class ConstructMemoryViewOp(ods.Op, dialect=Ktdp, name="construct_memory_view", effects=ods.Pure):
    """A strided view of memory.

    Coordinate `x` is the element at `offset + sum(x_k * stride_k)`. The points of the view are those of
    `coordinate_set`, whose symbols are the sizes that are operands, left to right. Nothing is allocated; views may
    overlap. Where the view is a part of a distributed one, its set is in the coordinates of that view, and counts from
    its own lowest point.
    """

    offset = ods.operand(c.Index, "address of the first element, in elements")
    sizes = ods.variadic_operand(c.Index, "the sizes that are not constant")
    strides = ods.variadic_operand(c.Index, "the strides that are not constant, in elements")
    static_sizes = ods.attr(c.I64Array, "sizes; the dynamic marker where one is an operand")
    static_strides = ods.attr(c.I64Array, "strides in elements; the dynamic marker where one is an operand")
    memory_space = ods.attr(MemorySpace, "the memory")
    coordinate_set = ods.attr(c.IntegerSetAttr, "the points of the view")
    result = ods.result(c.MemRef, "the view")
    assembly_format = (
        "$offset `,` `sizes` `:` custom<DynamicIndexList>($sizes, $static_sizes)"
        " `,` `strides` `:` custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($result)"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """Sizes, strides, set and result agree in rank; constant sizes and strides are those of the result's type; the
        sizes have room for every point of the set; the memory is that of the type.
        """
        sizes, strides = list(self.static_sizes), list(self.static_strides)
        view = ir.MemRefType(self.result.type)
        if len(sizes) != len(strides):
            yield ods.Violation("rank-mismatch", f"there are {len(sizes)} sizes, but {len(strides)} strides", "strides")
        if len(sizes) != view.rank:
            yield ods.Violation(
                "rank-mismatch", f"there are {len(sizes)} sizes, but {view} has {view.rank} dimensions", "sizes"
            )
        lists = [
            *dynamic_entries("sizes", self.static_sizes, self.sizes),
            *dynamic_entries("strides", self.static_strides, self.strides),
        ]
        lists += self._sizes(sizes, view)
        yield from lists
        yield from self._layout(strides, view)
        yield from self._space(view)
        arity = list(
            set_arity(
                "coordinate_set",
                self.coordinate_set,
                len(sizes),
                len(self.sizes),
                "sizes that are operands",
                at_most=True,
            )
        )
        yield from arity
        if not arity and not lists:
            yield from self._room(sizes)

    def _sizes(self, sizes: list[int], view: ir.MemRefType) -> Iterator[ods.Violation]:
        for k, (size, extent) in enumerate(zip(sizes, view.shape, strict=False)):
            if size != DYNAMIC and size < 0:
                yield ods.Violation("wrong-attribute", f"sizes[{k}] is {size}; a size is at least 0", f"sizes[{k}]")
            elif DYNAMIC not in (size, extent) and size != extent:
                yield ods.Violation(
                    "type-mismatch", f"sizes[{k}] is {size}, but dimension {k} of {view} is {extent}", f"sizes[{k}]"
                )

    def _layout(self, strides: list[int], view: ir.MemRefType) -> Iterator[ods.Violation]:
        """A layout in the type states the strides once more; without one the type says nothing about them."""
        layout = view.layout
        if isinstance(layout, ir.AffineMapAttr) and layout.value == ir.AffineMap.get_identity(view.rank):
            return
        try:
            stated, _ = view.get_strides_and_offset()
        except ValueError:
            return
        for k, (stride, in_type) in enumerate(zip(strides, stated, strict=False)):
            if DYNAMIC not in (stride, in_type) and stride != in_type:
                yield ods.Violation(
                    "type-mismatch",
                    f"strides[{k}] is {stride}, but stride {k} of {view} is {in_type}",
                    f"strides[{k}]",
                )

    def _space(self, view: ir.MemRefType) -> Iterator[ods.Violation]:
        """A memory in the type is the view's; it may leave out whose scratchpad it is."""
        stated, mine = view.memory_space, self.memory_space
        if stated is None or stated == mine:
            return
        if isinstance(stated, MemorySpaceAttr) and isinstance(mine, MemorySpaceAttr):
            whose = None if stated.ct_id is None or mine.ct_id is None else (stated.ct_id.value, mine.ct_id.value)
            if stated.kind == mine.kind and (whose is None or whose[0] == whose[1]):
                return
        yield ods.Violation("type-mismatch", f"the view lies in {mine}, but its type says {stated}", "type(result)")

    def _room(self, sizes: list[int]) -> Iterator[ods.Violation]:
        points = self.points(Names())
        if self.is_part:
            extents = points.extents()
            if any(e is not None and e > size >= 0 for e, size in zip(extents, sizes, strict=True)):
                shown = " x ".join("?" if e is None else str(e) for e in extents)
                yield ods.Violation(
                    "set-too-large",
                    f"coordinate_set spans {shown} points, but the sizes are {_list(sizes)}",
                    "coordinate_set",
                    ("the sizes of a part are its own; its set says where it lies in the whole view",),
                )
            return
        names = Names()
        room = Points.of_sizes(names.sizes(sizes, self.sizes))
        mine = self.points(names)
        outside = mine.surely_outside(room)
        if outside is None:
            return
        if mine.box is not None and room.box is not None:
            message = f"coordinate_set holds the points {mine.box}, but the sizes {_list(sizes)} only allow {room.box}"
        else:
            message = f"coordinate_set holds the point {at(outside)}, for which the sizes {_list(sizes)} have no room"
        yield ods.Violation("set-too-large", message, "coordinate_set")

    def review(self) -> Iterator[ods.Violation]:
        """Sizes that constants define are those of the result's type, too."""
        view = ir.MemRefType(self.result.type)
        sizes = Names(constants=True).sizes(list(self.static_sizes), self.sizes)
        for k, (size, extent) in enumerate(zip(sizes, view.shape, strict=True)):
            if list(self.static_sizes)[k] == DYNAMIC and isinstance(size, int) and DYNAMIC != extent != size:
                yield ods.Violation(
                    "type-mismatch", f"sizes[{k}] is {size}, but dimension {k} of {view} is {extent}", f"sizes[{k}]"
                )

    @property
    def is_part(self) -> bool:
        """Whether a distributed view is made of it."""
        return any(use.owner.operation.name == ConstructDistributedMemoryViewOp.NAME for use in self.result.uses)

    def points(self, names: Names) -> Points:
        """The points of the view."""
        return Points.of(str(self.coordinate_set), names.all(self.sizes))


def _list(sizes: list[int]) -> str:
    return f"[{', '.join('?' if s == DYNAMIC else str(s) for s in sizes)}]"


class ConstructDistributedMemoryViewOp(
    ods.Op, dialect=Ktdp, name="construct_distributed_memory_view", effects=ods.Pure
):
    """One view of a tensor that lies in several places.

    Its points are those of its parts; the `coordinate_set` of each part says which. A read of a point that several
    parts hold takes the first of them.
    """

    memrefs = ods.variadic_operand(c.MemRef, "the parts")
    result = ods.result(c.MemRef, "the whole view")
    assembly_format = "`(` ($memrefs^ `:` type($memrefs))? `)` attr-dict `:` type($result)"

    def verify(self) -> Iterator[ods.Violation]:
        """There is a part; parts have the result's rank and element type, and are views, which know their points."""
        whole = ir.MemRefType(self.result.type)
        if not self.memrefs:
            yield ods.Violation("wrong-operands", "a distributed view has at least one part", "memrefs")
        for k, part in enumerate(self.memrefs):
            view = ir.MemRefType(part.type)
            if view.rank != whole.rank:
                yield ods.Violation(
                    "rank-mismatch",
                    f"part {k}, {view}, has {view.rank} dimensions, but {whole} has {whole.rank}",
                    f"type(memrefs[{k}])",
                )
            if view.element_type != whole.element_type:
                yield ods.Violation(
                    "type-mismatch",
                    f"part {k} holds {view.element_type}, but the whole view holds {whole.element_type}",
                    f"type(memrefs[{k}])",
                )
            made = maker(part)
            if made is not None and made.operation.name.startswith("memref."):
                yield ods.Violation(
                    "wrong-operands",
                    f"part {k} is the result of {made.operation.name}, and nothing says which points it holds",
                    f"memrefs[{k}]",
                    (f"make it with {ConstructMemoryViewOp.NAME}, whose coordinate_set says so",),
                )

    def review(self) -> Iterator[ods.Violation]:
        """Warned about: points that two parts hold, points of the result's shape that none holds, and points of a part
        that are outside of it.
        """
        names = Names(constants=True)
        parts = self.parts(names)
        if parts is None:
            return
        yield from self._overlaps(parts)
        shape = list(ir.MemRefType(self.result.type).shape)
        if DYNAMIC in shape:
            return
        whole = Points.of_sizes(shape)
        for k, part in enumerate(parts):
            outside = part.surely_outside(whole)
            if outside is not None:
                yield ods.Violation(
                    "part-outside",
                    f"part {k} holds {at(outside)}, which is outside of {self.result.type}",
                    f"memrefs[{k}]",
                    self._made_here(k),
                    ods.Severity.WARNING,
                )
        hole = whole.surely_uncovered(parts)
        if hole is not None:
            yield ods.Violation(
                "hole-in-view",
                f"no part holds {at(hole)}, which is a point of {self.result.type}",
                "memrefs",
                ("loading such a point is an error",),
                ods.Severity.WARNING,
            )

    def _overlaps(self, parts: list[Points]) -> Iterator[ods.Violation]:
        for k, j in combinations(range(len(parts)), 2):
            both = parts[k].surely_meets(parts[j])
            if both is not None:
                yield ods.Violation(
                    "overlapping-parts",
                    f"parts {k} and {j} both hold {at(both)}",
                    f"memrefs[{j}]",
                    (*self._made_here(j), "a load takes the first part that holds a point, a store there is an error"),
                    ods.Severity.WARNING,
                )
                return

    def _made_here(self, part: int) -> tuple[tuple[ir.Value, str], ...]:
        return ((self.memrefs[part], f"part {part} is made here"),)

    def parts(self, names: Names) -> list[Points] | None:
        """The points of each part; None when one is not made by an op in sight."""
        known = all(isinstance(maker(part), (ConstructMemoryViewOp, type(self))) for part in self.memrefs)
        found = [view_points(part, names) for part in self.memrefs] if known else [None]
        return [points for part in found if part is not None for points in part] if None not in found else None


def view_points(base: ir.Value, names: Names) -> list[Points] | None:
    """The points of a view, as a union; None when they are not known (its op is not in sight, or wrong itself)."""
    made = maker(base)
    rank = ir.ShapedType(base.type).rank
    found: list[Points] | None = None
    if isinstance(made, ConstructMemoryViewOp):
        try:
            found = [made.points(names)]
        except (KeyError, ValueError):
            return None
    elif isinstance(made, ConstructDistributedMemoryViewOp):
        found = made.parts(names)
    elif DYNAMIC not in (shape := list(ir.ShapedType(base.type).shape)):
        found = [Points.of_sizes(shape)]
    return found if found is not None and all(points.dims == rank for points in found) else None
