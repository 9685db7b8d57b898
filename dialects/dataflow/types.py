"""The dialect itself, and what its fields may hold."""

from typing import Any

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods import constraints as c

SPACES = ("device", "lx")
"""Roles of memory: shared device memory, and the scratchpad of the executing core."""

LX = "lx"
"""Memory space of buffers, as a string attribute: ``memref<1x64xf16, "lx">``."""


class Dataflow(ods.Dialect, name="dataflow"):
    """Moves, buffers, units and channels: what the compiler's own stages say.

    The ops fall in three groups. At the `kernel` stage `tile_id`, `read` and `write` move tensors between memory and
    values. At the `schedule` stage `alloc` and `data_transfer` (with `post`, `wait` and `channel` once synchronisation
    is inserted) are a sequential program over memrefs in which every op names its unit. At the `program` stage
    `program_unit` holds what one kind of unit executes, with `buffer`, `transfer` and `stream` on byte addresses.

    Offsets and strides of `read`, `write` and `data_transfer` count elements; those of `transfer` and `stream` count
    bytes.
    """


def _is_space(attribute: ir.FlatSymbolRefAttr) -> bool:
    return attribute.value in SPACES


def _in_lx(t: Any) -> bool:
    return isinstance(t, ir.MemRefType) and isinstance(t.memory_space, ir.StringAttr) and t.memory_space.value == LX


Space = c.attr_class("memory", "a memory, @device or @lx", ir.FlatSymbolRefAttr, ods.Form.SYMBOL, _is_space)
Buffer = c.type_is("buffer", 'a memref in memory space "lx"', _in_lx)
Strings = c.array_of(c.StringAttr, "an array of strings")
Symbols = c.array_of(c.FlatSymbol, "an array of symbols")
I64Arrays = c.array_of(c.I64Array, "an array of dense i64 arrays")
