"""The `ktdp` dialect: how a kernel names its tile, views memory, and loads and stores tiles."""

from collections.abc import Iterator, Mapping, Sequence

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods import constraints as c
from spyrec.ods.checks import DYNAMIC, dynamic_entries, set_arity

Params = Mapping[str, str | None]


class Ktdp(ods.Dialect, name="ktdp"):
    """The kernel's view of the machine: compute tiles, memory views, access tiles, loads and stores.

    A kernel is a `func.func`; its `grid` attribute says how many compute tiles run it. Addresses of memory views count
    elements of the view's element type.

    ```mlir
    #points = affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
    #row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
    #order = affine_map<(r, c) -> (r, c)>
    func.func @copy_row(%x: index, %z: index) attributes {grid = [16]} {
      %tile = ktdp.get_compute_tile_id : index
      %from = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1]
        {coordinate_set = #points, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
      %to = ktdp.construct_memory_view %z, sizes: [16, 64], strides: [64, 1]
        {coordinate_set = #points, memory_space = #ktdp.memory_space<ct_local>} : memref<16x64xf16>
      %source = ktdp.construct_access_tile %from[%tile, 0]
        {access_tile_order = #order, access_tile_set = #row} : memref<16x64xf16> -> !ktdp.access_tile<1x64xindex>
      %dest = ktdp.construct_access_tile %to[%tile, 0]
        {access_tile_order = #order, access_tile_set = #row} : memref<16x64xf16> -> !ktdp.access_tile<1x64xindex>
      %row = ktdp.load %source : <1x64xindex> -> tensor<1x64xf16>
      ktdp.store %row, %dest : tensor<1x64xf16>, <1x64xindex>
      return
    }
    ```
    """


class AccessTileType(ods.Type, dialect=Ktdp, name="access_tile"):
    """The coordinates of a tile: `!ktdp.access_tile<4x64xindex>`. A dimension may be `?`; rank 0 is `<index>`."""

    shape_ = ods.param(c.TypeAttr, "the shape, as a ranked tensor of index")
    assembly_format = "`<` custom<TileShape>($shape) `>`"

    @staticmethod
    def problem(params: Params) -> str | None:
        shape = params["shape"] or ""
        if not shape.startswith("tensor<") or not shape.endswith("index>"):
            shown = shape.removeprefix("tensor")
            return f"an access tile is a shape of index, such as <4x64xindex>, but this one is {shown}"
        return None

    @classmethod
    def of(cls, shape: Sequence[int]) -> "AccessTileType":
        """The type for a shape; :data:`spyrec.ods.checks.DYNAMIC` for a dimension that is not static."""
        return cls.make(shape=ir.RankedTensorType.get(list(shape), ir.IndexType.get()))

    @property
    def shape(self) -> list[int]:
        """Extents; :data:`spyrec.ods.checks.DYNAMIC` where not static."""
        return list(ir.RankedTensorType(self.shape_.value).shape)


class MemorySpaceAttr(ods.Attribute, dialect=Ktdp, name="memory_space"):
    """Where a view lies: `#ktdp.memory_space<global>`, or in a scratchpad, `<ct_local>` or `<ct_local, ct_id = 7>`."""

    kind = ods.param(c.keyword("global", "ct_local"), "device memory, or the scratchpad of a core")
    ct_id = ods.optional_param(
        c.NonNegativeI64, "the compute tile whose scratchpad it is; the executing one's when absent"
    )
    assembly_format = "`<` $kind (`,` `ct_id` `=` $ct_id^)? `>`"

    @staticmethod
    def problem(params: Params) -> str | None:
        return _space_problem(params, "ct_id", ('"ct_local"',))


class SpyreMemorySpaceAttr(ods.Attribute, dialect=Ktdp, name="spyre_memory_space"):
    """The older spelling of a memory space: `#ktdp.spyre_memory_space<HBM>`, `<LX, core = 7>`.

    It is read as `#ktdp.memory_space`; `unspecified` and `L0` have no equivalent and are kept.
    """

    kind = ods.param(c.keyword("unspecified", "LX", "HBM", "L0"), "the memory")
    core = ods.optional_param(c.NonNegativeI64, "the core whose memory it is")
    assembly_format = "`<` $kind (`,` `core` `=` $core^)? `>`"

    @staticmethod
    def newest(params: Params) -> tuple[str, dict[str, str | None]] | None:
        kinds = {'"HBM"': '"global"', '"LX"': '"ct_local"'}
        kind = kinds.get(params["kind"] or "")
        return None if kind is None else ("ktdp.memory_space", {"kind": kind, "ct_id": params.get("core")})

    @staticmethod
    def problem(params: Params) -> str | None:
        return _space_problem(params, "core", ('"LX"', '"L0"'))


def _space_problem(params: Params, index: str, local: Sequence[str]) -> str | None:
    """An index is not negative and only names a memory that each core has."""
    kind, text = params["kind"], params.get(index)
    if text is None:
        return None
    if text.startswith("-"):
        return f"{index} must be at least 0, but is {text.partition(' ')[0]}"
    if kind not in local:
        named = " or ".join(k.strip('"') for k in local)
        return f"{index} belongs to {named}, but the memory is {(kind or '').strip(chr(34))}"
    return None


AccessTile = c.type_class(AccessTileType)
MemorySpace = c.record_attr(MemorySpaceAttr, SpyreMemorySpaceAttr)


def _show(size: int) -> str:
    return "?" if size == DYNAMIC else str(size)


def _same_shape(tile: ir.Value, tensor: ir.Value, field: str) -> Iterator[ods.Violation]:
    """Tile and tensor have one shape; the tensor has the element type of the tile's view, if that is in sight."""
    coordinates, data = AccessTileType(tile.type).shape, ir.RankedTensorType(tensor.type)
    if coordinates != list(data.shape):
        shown = "x".join(map(_show, coordinates)) or "rank 0"
        yield ods.Violation(
            "type-mismatch",
            f"the tile has shape {shown}, but the tensor is {data}",
            f"type({field})",
            ("they must be equal",),
        )
    maker = tile.owner.opview if isinstance(tile.owner, (ir.Operation, ir.OpView)) else None
    if isinstance(maker, ConstructAccessTileOp):
        element = ir.ShapedType(maker.base.type).element_type
        if element != data.element_type and _carrier(element) != _carrier(data.element_type):
            yield ods.Violation(
                "type-mismatch", f"the view holds {element}, but the tensor holds {data.element_type}", f"type({field})"
            )


def _carrier(element: ir.Type) -> str:
    """The element type as tensors spell it: signs of integers do not count."""
    return f"i{element.width}" if isinstance(element, ir.IntegerType) else str(element)


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
        grid = _grid(self.operation)
        if grid is not None and count not in (1, len(grid)):
            yield ods.Violation(
                "grid-mismatch",
                f"{count} ids are taken, but the grid {grid} has {len(grid)} dimensions",
                "ids",
                ("take one id, or one per dimension",),
            )


def _grid(op: ir.Operation) -> ir.ArrayAttr | None:
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
    overlap.
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
        """Sizes, strides, set and result agree in rank; constant sizes are those of the result's type."""
        sizes, strides = list(self.static_sizes), list(self.static_strides)
        view = ir.MemRefType(self.result.type)
        if len(sizes) != len(strides):
            yield ods.Violation("rank-mismatch", f"there are {len(sizes)} sizes, but {len(strides)} strides", "strides")
        if len(sizes) != view.rank:
            yield ods.Violation(
                "rank-mismatch", f"there are {len(sizes)} sizes, but {view} has {view.rank} dimensions", "sizes"
            )
        yield from dynamic_entries("sizes", self.static_sizes, self.sizes)
        yield from dynamic_entries("strides", self.static_strides, self.strides)
        for k, (size, extent) in enumerate(zip(sizes, view.shape, strict=False)):
            if size != DYNAMIC and size < 0:
                yield ods.Violation("wrong-attribute", f"sizes[{k}] is {size}; a size is at least 0", f"sizes[{k}]")
            elif DYNAMIC not in (size, extent) and size != extent:
                yield ods.Violation(
                    "type-mismatch", f"sizes[{k}] is {size}, but dimension {k} of {view} is {extent}", f"sizes[{k}]"
                )
        if view.memory_space is not None and view.memory_space != self.memory_space:
            yield ods.Violation(
                "type-mismatch",
                f"the view lies in {self.memory_space}, but its type says {view.memory_space}",
                "type(result)",
            )
        yield from set_arity(
            "coordinate_set", self.coordinate_set, len(sizes), len(self.sizes), "sizes that are operands"
        )


class ConstructAccessTileOp(ods.Op, dialect=Ktdp, name="construct_access_tile", effects=ods.Pure):
    """The coordinates of a tile of a view.

    The subscripts give the anchor; every point of `access_tile_set` (its symbols are `symbol_operands`) is a coordinate
    relative to it. `access_tile_order` says in which order a load enumerates them.
    """

    base = ods.operand(c.MemRefOrTensor, "the view")
    indices = ods.variadic_operand(
        c.Index, "values that the subscripts use: dimensions of `base_map`, then its symbols"
    )
    symbol_operands = ods.variadic_operand(c.Index, "values of the symbols of `access_tile_set`")
    base_map = ods.attr(c.AffineMapAttr, "the subscripts, one result per dimension of the view")
    access_tile_set = ods.attr(c.IntegerSetAttr, "relative coordinates of the tile")
    access_tile_order = ods.attr(c.AffineMapAttr, "order of enumeration; the last result varies fastest")
    result = ods.result(AccessTile, "the tile")
    assembly_format = (
        "$base custom<AffineSubscript>($indices, $base_map) (`symbols` `(` $symbol_operands^ `)`)? attr-dict"
        " `:` type($base) `->` type($result)"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """Subscripts, set, order and tile have as many dimensions as the view."""
        subscripts, order = self.base_map.value, self.access_tile_order.value
        given = len(subscripts.results)
        inputs = subscripts.n_dims + subscripts.n_symbols
        if inputs != len(self.indices):
            yield ods.Violation(
                "rank-mismatch",
                f"base_map takes {inputs} values, but the op has {len(self.indices)} indices",
                "indices",
            )
        base = ir.ShapedType(self.base.type)
        if not base.has_rank:
            yield ods.Violation(
                "type-mismatch", f"{self.base.type} has no rank, so it has no coordinates", "type(base)"
            )
            return
        rank = base.rank
        if given != rank:
            yield ods.Violation(
                "rank-mismatch", f"there are {given} subscripts, but {self.base.type} has {rank} dimensions", "indices"
            )
        yield from set_arity(
            "access_tile_set", self.access_tile_set, rank, len(self.symbol_operands), "symbol operands"
        )
        if order.n_symbols or order.n_dims != rank or len(order.results) != rank:
            yield ods.Violation(
                "rank-mismatch",
                f"access_tile_order must map {rank} dimensions to {rank}, but is {order}",
                "access_tile_order",
            )
        tile_rank = len(AccessTileType(self.result.type).shape)
        if tile_rank != rank:
            yield ods.Violation(
                "rank-mismatch", f"the tile has {tile_rank} dimensions, but the view has {rank}", "type(result)"
            )


class LoadOp(ods.Op, dialect=Ktdp, name="load", effects=ods.Read):
    """Read the elements at a tile's coordinates. Points of the tile's box that are outside its set are 0."""

    access_tile = ods.operand(AccessTile, "the coordinates")
    result = ods.result(c.RankedTensor, "the elements")
    assembly_format = "$access_tile attr-dict `:` short-type($access_tile) `->` type($result)"

    def verify(self) -> Iterator[ods.Violation]:
        """The tensor has the tile's shape and the view's element type (`si32` and `ui32` count as `i32`)."""
        yield from _same_shape(self.access_tile, self.result, "result")


class StoreOp(ods.Op, dialect=Ktdp, name="store", effects=ods.Write):
    """Write elements to a tile's coordinates. Points outside the tile's set are not written."""

    data_tile = ods.operand(c.RankedTensor, "the elements")
    access_tile = ods.operand(AccessTile, "the coordinates")
    assembly_format = "$data_tile `,` $access_tile attr-dict `:` type($data_tile) `,` short-type($access_tile)"

    def verify(self) -> Iterator[ods.Violation]:
        """The tensor has the tile's shape and the view's element type (`si32` and `ui32` count as `i32`)."""
        yield from _same_shape(self.access_tile, self.data_tile, "data_tile")
