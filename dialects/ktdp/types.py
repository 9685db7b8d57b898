"""The dialect itself, its types and attributes."""

import re
from collections.abc import Mapping, Sequence

from spyrec import ods, sets
from spyrec.mlir import ir
from spyrec.ods import constraints as c

Params = Mapping[str, str | None]
_NUMBER_TYPE = re.compile(r"[su]?i\d+|b?f\d+|tf32|f\d+E\w+")

_DESIGN = "it exists in design documents only"
_INTERPRETER = "it exists in the public interpreter only"
_ABSENT = {
    "inter_tile_gather": f"{_DESIGN}; exchange pieces with ktdp.inter_tile_consume, or through a view of shared memory",
    "inter_tile_scatter": f"{_DESIGN}; give each consumer its piece with ktdp.inter_tile_consume and"
    " producer_dependency_per_consumer, or through a view of shared memory",
    "inter_tile_reduce_scatter": f"{_DESIGN}; use ktdp.inter_tile_reduce and let each tile take its piece",
    "inter_tile_all_to_all": f"{_DESIGN}; exchange pieces through a view of shared memory",
    "coreid": f"{_INTERPRETER}; ktdp.get_compute_tile_id gives the ids of the executing tile",
    "transfer": f"{_INTERPRETER}, which has removed it; use ktdp.load and ktdp.store",
    "reduce": f"{_INTERPRETER}, which has removed it; use ktdp.inter_tile_produce and ktdp.inter_tile_reduce",
}


class Ktdp(ods.Dialect, name="ktdp", absent=_ABSENT):
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

    A tensor in two places is one view, made of a view per place. A gather takes the rows that an index view names; `n`
    is bound at launch and is a multiple of 8.

    ```mlir
    #low = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>
    #high = affine_set<(r, c) : (r - 8 >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>
    #list = affine_set<(k)[n] : (k >= 0, -k + n - 1 >= 0)>
    #order = affine_map<(r, c) -> (r, c)>
    func.func @gather(%x: index, %y: index, %i: index, %count: !ktdp.runtime_arg<index, granularity=8>) {
      %n = ktdp.runtime_arg_extract value from %count : <index, granularity=8> -> index
      %a = ktdp.construct_memory_view %x, sizes: [8, 64], strides: [64, 1]
        {coordinate_set = #low, memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
      %b = ktdp.construct_memory_view %y, sizes: [8, 64], strides: [64, 1]
        {coordinate_set = #high, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>} : memref<8x64xf16>
      %pool = ktdp.construct_distributed_memory_view (%a, %b : memref<8x64xf16>, memref<8x64xf16>) : memref<16x64xf16>
      %rows = ktdp.construct_memory_view %i, sizes: [%n], strides: [1]
        {coordinate_set = #list, memory_space = #ktdp.memory_space<global>} : memref<?xi32>
      %tile = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %pool[ind(%rows[%r]), (%c)]
        {variables_space_order = #order, variables_space_set = #low}
        : memref<16x64xf16>, memref<?xi32> -> !ktdp.access_tile<8x64xindex>
      %values = ktdp.load %tile : <8x64xindex> -> tensor<8x64xf16>
      return
    }
    ```

    Tiles exchange values in groups. Here the two tiles of each group add their rows, and the first hands the sum to the
    second once more.

    ```mlir
    #pair = affine_set<(i)[g] : (i - g * 2 >= 0, -i + g * 2 + 1 >= 0)>
    #first = affine_set<(i)[g] : (i - g * 2 == 0)>
    #second = affine_set<(i)[g] : (i - g * 2 - 1 == 0)>
    #before = affine_set<(p)[c] : (p - c + 1 == 0)>
    #groups = affine_set<(g) : (g >= 0, -g + 3 >= 0)>
    func.func @exchange(%mine: tensor<1x64xf32>, %zero: tensor<1x64xf32>) -> tensor<1x64xf32> attributes {grid = [8]} {
      %partial = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<1x64xf32>), groups = #groups> {
      ^bb0(%group: index):
        ktdp.yield_partial %mine : tensor<1x64xf32>
      }
      %sum = ktdp.inter_tile_reduce(%partial) consumer_tiles_per_group = #first, identity(%zero : tensor<1x64xf32>)
          : <(tensor<1x64xf32>), groups = #groups> -> tensor<1x64xf32> {
      ^bb0(%lhs: tensor<1x64xf32>, %rhs: tensor<1x64xf32>):
        %both = arith.addf %lhs, %rhs : tensor<1x64xf32>
        ktdp.yield_reduced %both : tensor<1x64xf32>
      }
      %offer = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<1x64xf32>), groups = #groups> {
      ^bb0(%group: index):
        ktdp.yield_partial %sum : tensor<1x64xf32>
      }
      %copy = ktdp.inter_tile_consume(%offer) consumer_tiles_per_group = #second,
          producer_dependency_per_consumer = #before : <(tensor<1x64xf32>), groups = #groups> -> tensor<1x64xf32>
      return %copy : tensor<1x64xf32>
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


class RuntimeArgType(ods.Type, dialect=Ktdp, name="runtime_arg"):
    """A number that is bound at launch, with what the kernel may count on: `!ktdp.runtime_arg<index, granularity=8>`.

    The value is a multiple of `granularity` and at most `upperbound`.
    """

    type_ = ods.param(c.TypeAttr, "index, an integer type or a floating-point type")
    granularity = ods.optional_param(c.PositiveI64, "what the value is a multiple of")
    upperbound = ods.optional_param(c.PositiveI64, "what the value is at most")
    assembly_format = "`<` $type custom<Limits>($granularity, $upperbound) `>`"

    @staticmethod
    def problem(params: Params) -> str | None:
        text = params["type"] or ""
        if text != "index" and not _NUMBER_TYPE.fullmatch(text):
            return f"a runtime argument is an index, an integer or a float, but this one is {text}"
        for name in ("granularity", "upperbound"):
            value = (params.get(name) or "1").partition(" ")[0]
            if value.startswith("-") or int(value) == 0:
                return f"{name} must be at least 1, but is {value}"
        return None

    @property
    def underlying(self) -> ir.Type:
        """The type of the value."""
        return self.type_.value


class TileFutureType(ods.Type, dialect=Ktdp, name="tile_future"):
    """What tiles have produced for one another: `!ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>`.

    The form without parentheses around the tensors is read too.
    """

    partials = ods.param(c.ArrayAttr, "types of the partial values, at least one ranked tensor")
    groups = ods.param(c.IntegerSetAttr, "the numbers of the groups: one dimension, no symbols")
    assembly_format = "`<` custom<TypeList>($partials) `,` `groups` `=` $groups `>`"

    @staticmethod
    def problem(params: Params) -> str | None:
        partials, groups = params["partials"] or "[]", params["groups"] or ""
        if partials == "[]":
            return "a future holds at least one tensor"
        if "tensor<*" in partials or not partials.startswith("[tensor<"):
            return f"a future holds ranked tensors, but this one holds {partials[1:-1]}"
        head = groups.removeprefix("affine_set<").partition(":")[0]
        dims, _, symbols = head.partition(")")
        counts = dims.count(",") + bool(dims.strip("( ")), symbols.count(",") + bool(symbols.strip("[] "))
        if groups.startswith("affine_set<") and counts != (1, 0):
            return f"groups must have one dimension and no symbols, but has {counts[0]} and {counts[1]}"
        return None

    @property
    def types(self) -> list[ir.Type]:
        """Types of the partial values."""
        return [ir.TypeAttr(t).value for t in self.partials]

    @property
    def group_set(self) -> sets.IntegerSet:
        """The groups."""
        return sets.parse(str(self.groups))


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
TileFuture = c.type_class(TileFutureType)
RuntimeArg = c.type_class(RuntimeArgType)
MemorySpace = c.record_attr(MemorySpaceAttr, SpyreMemorySpaceAttr)
