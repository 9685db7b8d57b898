"""The dialect itself, and what its fields may hold."""

from typing import Any

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods import constraints as c

SPACES = ("device", "lx")
"""Roles of memory: shared device memory, and the scratchpad of the executing core. Other names are kinds of stages."""

VIEWS = frozenset({"memref.subview", "memref.collapse_shape", "memref.expand_shape"})
"""Ops that show a buffer, or a part of it, in another way."""

FRESH = "dataflow.fresh"
"""Discardable attribute of a linalg op on buffers: its folds start from their identities, not from its outputs."""

LX = "lx"
"""Memory space of buffers, as a string attribute: ``memref<1x64xf16, "lx">``."""


class Dataflow(ods.Dialect, name="dataflow"):
    """Moves, buffers, units and channels: what the compiler's own stages say.

    The ops fall in three groups. At the `kernel` stage `tile_id`, `read` and `write` move tensors between memory and
    values, `offer` and `take` from tile to tile. At the `schedule` stage `alloc` and `data_transfer` (with `post`,
    `wait` and `channel` once synchronisation is inserted) are a sequential program over memrefs in which every op names
    its unit. At the `program` stage `program_unit` holds what one kind of unit executes, with `buffer`, `transfer` and
    `stream` on byte addresses.

    Memories are called `device` and `lx`. Where a device links the two through a third one only, transfers of the last
    two stages rest in buffers of that *stage*, which is called by its kind; nothing but transfers touches it.

    Offsets and strides of `read`, `write` and `data_transfer` count elements; those of `transfer` and `stream` count
    bytes.

    A sum of rounded squares of what is not computed in the sum; a row that is copied at the first two stages; at the
    third it is loaded, and each element gets its number added:

    ```mlir
    #point = affine_map<(r, c) -> (r, c)>
    #row = affine_map<(r, c) -> (r)>
    func.func @squares(%x: tensor<4x64xf16>, %start: tensor<4xf16>) -> tensor<4xf16> {
      %kept = dataflow.kept %x : tensor<4x64xf16>
      %sums = linalg.generic {indexing_maps = [#point, #row], iterator_types = ["parallel", "reduction"]}
        ins(%kept : tensor<4x64xf16>) outs(%start : tensor<4xf16>) {
      ^bb0(%in: f16, %old: f16):
        %square = arith.mulf %in, %in : f16
        %term = dataflow.rounded %square : f16
        %sum = arith.addf %old, %term : f16
        linalg.yield %sum : f16
      } -> tensor<4xf16>
      return %sums : tensor<4xf16>
    }

    func.func @kernel(%x: index, %z: index) attributes {grid = [16]} {
      %tile = dataflow.tile_id
      %at = affine.apply affine_map<(t) -> (t * 64)>(%tile)
      %read = dataflow.read @device[%at from %x] strides [64, 1] : tensor<1x64xf16>
      %row = dataflow.kept %read : tensor<1x64xf16>
      dataflow.write %row, @device[%at from %z] strides [64, 1] : tensor<1x64xf16>
      return
    }

    func.func @swap(%x: index, %z: index) attributes {grid = [2]} {
      %one = arith.constant 1 : index
      %tile = dataflow.tile_id
      %at = affine.apply affine_map<(t) -> (t * 64)>(%tile)
      %row = dataflow.read @device[%at from %x] strides [64, 1] : tensor<1x64xf16>
      %mine = dataflow.offer %row to [[1], [0]] : tensor<1x64xf16>
      %other = arith.subi %one, %tile : index
      %yours = dataflow.take %mine from %other : tensor<1x64xf16>
      dataflow.write %yours, @device[%at from %z] strides [64, 1] : tensor<1x64xf16>
      return
    }

    func.func @schedule(%x: index, %z: index) attributes {grid = [16]} {
      dataflow.channel @full from @load to @store {init = 0}
      %tile = dataflow.tile_id
      %at = affine.apply affine_map<(t) -> (t * 64)>(%tile)
      %row = dataflow.alloc {depth = 2, name = "row"} : memref<1x64xf16, "lx">
      dataflow.data_transfer from @device[%at from %x] strides [64, 1] to %row
        {route = ["ddr", "load", "lx"], unit = @load} : memref<1x64xf16, "lx">
      dataflow.post @full {unit = @load}
      dataflow.wait @full {unit = @store}
      dataflow.data_transfer from %row to @device[%at from %z] strides [64, 1]
        {route = ["lx", "store", "ddr"], unit = @store} : memref<1x64xf16, "lx">
      return
    }

    func.func @program(%x: index, %z: index) attributes {grid = [16]} {
      dataflow.buffer @row {address = 0, slot_bytes = 128, depth = 2}
      dataflow.channel @full from @load to @sfu {init = 0}
      %slot = arith.constant 0 : index
      dataflow.program_unit @load(%core) {
        %at = affine.apply affine_map<(t) -> (t * 128)>(%core)
        dataflow.transfer @device[%at from %x] strides [128, 2] to @lx[%slot in @row] strides [128, 2] counts [1, 64]
          {element_bytes = 2}
        dataflow.post @full
      }
      dataflow.program_unit @pt(%core) {
        %start = dataflow.scalar_load @row[%slot] : i64
        %from = arith.index_cast %start : i64 to index
        dataflow.contract counts [8, 8, 4] lhs @row[%slot] strides [8, 0, 2] : f16
          rhs @row[%from] strides [0, 2, 16] : f16 acc @row[%slot] strides [16, 2, 0] : f16 {start = "lx"}
      }
      dataflow.program_unit @sfu(%core) {
        dataflow.wait @full
        dataflow.stream counts [64] ins(@row[%slot] strides [2] : f16) outs(@row[%slot] strides [2] : f16) {
        ^bb0(%in: f16, %old: f16):
          %place = dataflow.position %core strides [1] : i32
          %number = arith.sitofp %place : i32 to f16
          %sum = arith.addf %in, %number : f16
          dataflow.yield %sum : f16
        }
      }
      return
    }
    ```
    """


def _is_space(attribute: ir.FlatSymbolRefAttr) -> bool:
    return attribute.value in SPACES


def _in_lx(t: Any) -> bool:
    return _is_buffer(t) and t.memory_space.value == LX


def _is_buffer(t: Any) -> bool:
    named = isinstance(t, ir.MemRefType) and isinstance(t.memory_space, ir.StringAttr)
    return named and t.memory_space.value != "device"


Space = c.attr_class("memory", "a memory, @device or @lx", ir.FlatSymbolRefAttr, ods.Form.SYMBOL, _is_space)
AnySpace = c.attr_class(
    "memory", "a memory, @device, @lx or the kind of a stage", ir.FlatSymbolRefAttr, ods.Form.SYMBOL
)
Types = c.array_of(c.TypeAttr, "an array of types")
Maps = c.array_of(c.AffineMapAttr, "an array of affine maps")
Buffer = c.type_is("buffer", 'a memref in memory space "lx"', _in_lx)
AnyBuffer = c.type_is("buffer", 'a memref in memory space "lx" or that of a stage', _is_buffer)
Strings = c.array_of(c.StringAttr, "an array of strings")
Symbols = c.array_of(c.FlatSymbol, "an array of symbols")
I64Arrays = c.array_of(c.I64Array, "an array of dense i64 arrays")
TileLists = c.array_of(c.array_of(c.I64Attr, "flat ids of tiles"), "a list of flat ids per compute tile")
