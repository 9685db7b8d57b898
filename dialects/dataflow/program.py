"""Ops of the program stage: one program per kind of unit, on byte addresses."""

from collections.abc import Iterator, Sequence

from spyrec import ods
from spyrec.dialects.dataflow.types import Dataflow, I64Arrays, Space, Symbols
from spyrec.mlir import ir
from spyrec.ods import constraints as c

MAX_NEST = 4
"""How many nested counts a transfer or a stream has at most."""


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


class StreamOp(ods.Op, dialect=Dataflow, name="stream", effects=ods.ReadWrite):
    """Apply a body to every point of up to four nested counts over operands in LX.

    Block arguments are the elements of the inputs, then the old elements of the outputs; `dataflow.yield` gives the new
    elements of the outputs. Operand `k` at point `i` is at byte `address_k + sum(i_d * strides_k[d])`. The element
    types are those of the block arguments.
    """

    inputs = ods.variadic_operand(c.Index, "byte addresses in LX of what is read")
    outputs = ods.variadic_operand(c.Index, "byte addresses in LX of what is written")
    counts = ods.attr(c.I64Array, "extents, outermost first")
    input_strides = ods.attr(I64Arrays, "strides in bytes, per input")
    output_strides = ods.attr(I64Arrays, "strides in bytes, per output")
    input_buffers = ods.attr(Symbols, "the buffer of each input")
    output_buffers = ods.attr(Symbols, "the buffer of each output")
    body = ods.region("what happens at each point", terminator="dataflow.yield")
    assembly_format = (
        "`counts` $counts `ins` `(` custom<StreamOperands>($inputs, $input_buffers, $input_strides, $body) `)`"
        " `outs` `(` custom<StreamOperands>($outputs, $output_buffers, $output_strides, $body) `)`"
        " attr-dict-with-keyword $body"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """One to four counts; strides and a buffer per operand; the body takes and yields elements."""
        yield from counts_problem(self.counts)
        for side, operands in (("input", self.inputs), ("output", self.outputs)):
            for what in ("strides", "buffers"):
                name = f"{side}_{what}"
                entries = getattr(self, name)
                if len(entries) != len(operands):
                    yield ods.Violation(
                        "rank-mismatch", f"{name} has {len(entries)} entries for {len(operands)} {side}s", name
                    )
            for k, strides in enumerate(getattr(self, f"{side}_strides")):
                if len(strides) != len(self.counts):
                    yield ods.Violation(
                        "rank-mismatch",
                        f"strides of {side} {k} have {len(strides)} entries for {len(self.counts)} counts",
                        f"{side}_strides[{k}]",
                    )
        yield from self._body()

    def _body(self) -> Iterator[ods.Violation]:
        block = self.body.blocks[0]
        operands = len(self.inputs) + len(self.outputs)
        types = [a.type for a in block.arguments]
        if len(types) != operands:
            yield ods.Violation(
                "wrong-region",
                f"the body has {len(types)} block arguments for {len(self.inputs)} inputs and {len(self.outputs)}"
                " outputs",
                "body",
            )
            return
        yielded: Sequence[ir.Value] = list(block.operations)[-1].operands
        wanted = types[len(self.inputs) :]
        got = [v.type for v in yielded]
        if got != wanted:
            yield ods.Violation(
                "type-mismatch",
                f"the body yields ({', '.join(map(str, got))}); its outputs are ({', '.join(map(str, wanted))})",
                "body",
            )


class YieldOp(ods.Op, dialect=Dataflow, name="yield", traits=(ods.Terminator,), effects=ods.Pure):
    """Give the new elements of a stream's outputs."""

    values = ods.variadic_operand(c.AnyType, "one element per output")
    assembly_format = "($values^ `:` type($values))? attr-dict"


def counts_problem(counts: ir.DenseI64ArrayAttr) -> Iterator[ods.Violation]:
    """One to four counts, none negative."""
    if not 1 <= len(counts) <= MAX_NEST:
        yield ods.Violation(
            "wrong-attribute", f"counts has {len(counts)} entries; 1 to {MAX_NEST} are possible", "counts"
        )
    for k, count in enumerate(counts):
        if count < 0:
            yield ods.Violation("wrong-attribute", f"counts[{k}] is {count}; an extent is at least 0", f"counts[{k}]")
