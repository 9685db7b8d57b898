"""Ops of the kernel stage: tensors come out of memory and go back to it; nothing says where they live in between."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.dialects.dataflow.checks import strides_per_dimension
from spyrec.dialects.dataflow.types import Dataflow, Space
from spyrec.ods import constraints as c


class TileIdOp(ods.Op, dialect=Dataflow, name="tile_id", effects=ods.Pure):
    """Flat id of the compute tile that executes, 0 up to the product of the grid."""

    result = ods.result(c.Index, "the id")
    assembly_format = "attr-dict"


class ReadOp(ods.Op, dialect=Dataflow, name="read", effects=ods.Read):
    """Read a strided box of memory as a tensor.

    The element at coordinates `i` is at byte `base + sizeof(T) * (offset + sum(i_k * stride_k))`, T the element type.
    An absent base is 0.
    """

    base = ods.optional_operand(c.Index, "byte address that the launch binds")
    offset = ods.operand(c.Index, "where the box starts, in elements")
    strides = ods.variadic_operand(c.Index, "the strides that are not constant, in elements")
    space = ods.attr(Space, "the memory")
    static_strides = ods.attr(c.I64Array, "strides in elements; the dynamic marker where one is an operand")
    result = ods.result(c.RankedTensor, "what was read")
    assembly_format = (
        "$space `[` $offset (`from` $base^)? `]`"
        " `strides` custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($result)"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """One stride per dimension of the tensor."""
        yield from strides_per_dimension("strides", self.static_strides, self.strides, self.result.type)


class WriteOp(ods.Op, dialect=Dataflow, name="write", effects=ods.Write):
    """Write a tensor to a strided box of memory; addresses as for `dataflow.read`."""

    value = ods.operand(c.RankedTensor, "what is written")
    base = ods.optional_operand(c.Index, "byte address that the launch binds")
    offset = ods.operand(c.Index, "where the box starts, in elements")
    strides = ods.variadic_operand(c.Index, "the strides that are not constant, in elements")
    space = ods.attr(Space, "the memory")
    static_strides = ods.attr(c.I64Array, "strides in elements; the dynamic marker where one is an operand")
    assembly_format = (
        "$value `,` $space `[` $offset (`from` $base^)? `]`"
        " `strides` custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($value)"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """One stride per dimension of the tensor."""
        yield from strides_per_dimension("strides", self.static_strides, self.strides, self.value.type)
