"""Ops of the program stage: one program per kind of unit, on byte addresses."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.dialects.dataflow.checks import counts_problem
from spyrec.dialects.dataflow.types import Dataflow, Space
from spyrec.ods import constraints as c


class BufferOp(ods.Op, dialect=Dataflow, name="buffer", traits=(ods.Symbol,)):
    """A placed buffer in LX: `depth` slots of `slot_bytes` bytes from `address` on. One per `dataflow.alloc`."""

    sym_name = ods.attr(c.SymbolName, "the buffer's name")
    address = ods.attr(c.NonNegativeI64, "first byte in LX")
    slot_bytes = ods.attr(c.PositiveI64, "bytes from one slot to the next")
    depth = ods.attr(c.PositiveI64, "number of slots")
    assembly_format = "$sym_name attr-dict"


class ProgramUnitOp(ods.Op, dialect=Dataflow, name="program_unit", traits=(ods.NoTerminator,)):
    """The program of one kind of unit; every core runs it.

    The block argument is the flat tile id. The body may use constants, arguments of the function and launch-uniform
    values from outside.
    """

    unit = ods.attr(c.FlatSymbol, "kind of the unit")
    corelet = ods.optional_attr(c.NonNegativeI64, "the corelet whose unit runs it; 0 when absent")
    body = ods.region("the program", args=(c.Index,))
    assembly_format = "$unit `(` args($body) `)` attr-dict-with-keyword $body"


class TransferOp(ods.Op, dialect=Dataflow, name="transfer", effects=ods.ReadWrite):
    """Copy a box of bytes between memories.

    Element `i` is read at `source_base + source + sum(i_k * source_strides_k)` and written likewise; addresses and
    strides are bytes, an absent base is 0. `counts` has at most four entries, outermost first.
    """

    source_base = ods.optional_operand(c.Index, "byte address that the launch binds")
    source = ods.operand(c.Index, "byte address of the first element read")
    dest_base = ods.optional_operand(c.Index, "byte address that the launch binds")
    dest = ods.operand(c.Index, "byte address of the first element written")
    source_space = ods.attr(Space, "memory that is read")
    source_buffer = ods.optional_attr(c.FlatSymbol, "the buffer that the source lies in")
    source_strides = ods.attr(c.I64Array, "source strides in bytes, outermost first")
    dest_space = ods.attr(Space, "memory that is written")
    dest_buffer = ods.optional_attr(c.FlatSymbol, "the buffer that the destination lies in")
    dest_strides = ods.attr(c.I64Array, "destination strides in bytes, outermost first")
    counts = ods.attr(c.I64Array, "extents of the box, outermost first")
    element_bytes = ods.attr(c.PositiveI64, "size of one element in bytes")
    assembly_format = (
        "$source_space `[` $source (`from` $source_base^)? (`in` $source_buffer^)? `]` `strides` $source_strides"
        " `to` $dest_space `[` $dest (`from` $dest_base^)? (`in` $dest_buffer^)? `]` `strides` $dest_strides"
        " `counts` $counts attr-dict"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """One to four counts, one stride per count on each side."""
        yield from counts_problem(self.counts)
        for name in ("source_strides", "dest_strides"):
            strides = getattr(self, name)
            if len(strides) != len(self.counts):
                yield ods.Violation(
                    "rank-mismatch", f"{name} has {len(strides)} entries for {len(self.counts)} counts", name
                )


class ScalarLoadOp(ods.Op, dialect=Dataflow, name="scalar_load", effects=ods.Read):
    """Read one element of LX into a register of the unit that executes it.

    What a compute unit has decided (a loop's bound, a condition, an address) reaches control in this way; every unit
    that needs the value loads it for itself. A float is carried as its bits, for the body of a stream.
    """

    address = ods.operand(c.Index, "byte address in LX")
    buffer = ods.attr(c.FlatSymbol, "the buffer that it lies in")
    result = ods.result(c.AnyType, "the element")
    assembly_format = "$buffer `[` $address `]` attr-dict `:` type($result)"
