"""Ops of the kernel stage: tensors come out of memory and go back to it; nothing says where they live in between."""

from abc import abstractmethod
from collections.abc import Iterator

from spyrec import ods
from spyrec.dialects.dataflow.checks import CLIP, LISTS, clip_problems, list_problems, strides_per_dimension
from spyrec.dialects.dataflow.types import Dataflow, Maps, Space
from spyrec.mlir import ir
from spyrec.ods import constraints as c
from spyrec.ods.checks import set_arity


class TileIdOp(ods.Op, dialect=Dataflow, name="tile_id", effects=ods.Pure):
    """Flat id of the compute tile that executes, 0 up to the product of the grid."""

    result = ods.result(c.Index, "the id")
    assembly_format = "attr-dict"


class RoundedOp(ods.Op, dialect=Dataflow, name="rounded", effects=ods.Pure, same_types=(("input", "result"),)):
    """A float as it is: rounded to its type.

    In the body of a sum it stands between the sum and a product that was an op of its own when the kernel was written:
    a product that feeds a sum directly is not rounded (`docs/numerics.md`). No pass folds it.
    """

    input = ods.operand(c.AnyFloat, "the number")
    result = ods.result(c.AnyFloat, "the same number")
    assembly_format = "$input attr-dict `:` type($result)"


class KeptOp(ods.Op, dialect=Dataflow, name="kept", effects=ods.Pure, same_types=(("input", "result"),)):
    """A tensor as it is: what makes it is not fused into what reads it.

    It stands where computing the elements again for each time that they are read would take longer than storing them
    (`keep-tensors`), and is gone once ops have been fused (`release-tensors`).
    """

    input = ods.operand(c.RankedTensor, "the tensor")
    result = ods.result(c.RankedTensor, "the same tensor")
    assembly_format = "$input attr-dict `:` type($result)"


class BoxOp(ods.Op):
    """What `read` and `write` have in common: a strided box of a memory, and which of its points are moved."""

    base = ods.optional_operand(c.Index, "byte address that the launch binds")
    offset = ods.operand(c.Index, "where the box starts, in elements")
    strides = ods.variadic_operand(c.Index, "the strides that are not constant, in elements")
    lower = ods.variadic_operand(c.Index, "the lower bounds of the clip that are not constant")
    upper = ods.variadic_operand(c.Index, "the upper bounds of the clip that are not constant")
    symbols = ods.variadic_operand(c.Index, "values of the symbols of `set`")
    core = ods.optional_operand(c.Index, "the core whose LX it is; the executing one when absent")
    indices = ods.variadic_operand(c.RankedTensor, "lists of indices")
    limits = ods.variadic_operand(c.Index, "the limits of indices that are not constant")
    space = ods.attr(Space, "the memory")
    static_strides = ods.attr(c.I64Array, "strides in elements; the dynamic marker where one is an operand")
    static_lower = ods.optional_attr(c.I64Array, "first step inside, per dimension; the dynamic marker for an operand")
    static_upper = ods.optional_attr(c.I64Array, "step after the last one inside, per dimension")
    set_ = ods.optional_attr(c.IntegerSetAttr, "the steps that are moved, of those inside the clip")
    static_limits = ods.optional_attr(c.I64Array, "what every index is less than, per list")
    index_maps = ods.optional_attr(Maps, "from a point of the box to the place of its index, per list")
    index_scales = ods.optional_attr(c.I64Array, "elements that an index of 1 adds, per list")

    @property
    def is_plain(self) -> bool:
        """The whole box, in a memory of its own, without indices."""
        return self.static_lower is None and self.set_ is None and self.core is None and not self.indices

    @property
    @abstractmethod
    def tensor(self) -> ir.Value:
        """What a read gives or a write takes."""

    def box_problems(self, tensor: ir.Type, fill: object) -> Iterator[ods.Violation]:
        """Rules for the box of ``tensor``."""
        yield from strides_per_dimension("strides", self.static_strides, self.strides, tensor)
        rank = ir.ShapedType(tensor).rank
        # What is not in the set takes the fill, too.
        unfilled = self.static_lower is None and self.set_ is not None
        yield from clip_problems(
            self.static_lower, self.static_upper, self.lower, self.upper, rank, None if unfilled else fill
        )
        if self.set_ is not None:
            yield from set_arity("set", self.set_, rank, len(self.symbols), "symbols")
        elif self.symbols:
            yield ods.Violation("wrong-operands", "symbols belong to a set, and there is none", "symbols")
        if self.core is not None and self.space.value != "lx":
            yield ods.Violation("wrong-operands", "only the LX of another core can be reached", "core")
        others = {"index_scales": self.index_scales}
        yield from list_problems(self.indices, self.static_limits, self.limits, self.index_maps, others, rank)


_BOX = "$space `[` $offset (`from` $base^)? `]` `strides` custom<DynamicIndexList>($strides, $static_strides)"
_POINTS = f"{CLIP} (`set` $set^)? (`symbols` `(` $symbols^ `)`)?"


class ReadOp(BoxOp, dialect=Dataflow, name="read", effects=ods.Read, same_types=(("init", "result"),)):
    """Read a strided box of memory as a tensor.

    The element at coordinates `i` is at byte `base + sizeof(T) * (offset + sum(i_k * stride_k))`, T the element type.
    An absent base is 0.

    A *clip* leaves out the points of the box whose step in some dimension is not in `[lower, upper)`, a *set* those
    that are not in it: nothing is read there, and the result has the element of `init`, without one the bit pattern
    `fill`, without either 0. In `@lx`, `get` reads the scratchpad of another core. A list of *indices* moves the
    points: `index_maps` gives for a point of the box the place of its index in the list, and the index adds
    `index_scales` elements times itself to the address. An index below 0, or not below its limit, is a fault.

    ```mlir
    // Rows from %t on, of which %n are there, under the diagonal.
    %a = dataflow.read @device[%o from %x] strides [64, 1] clip [0, 0] to [%n, 64]
      set affine_set<(r, c)[t] : (r + t - c >= 0)> symbols(%t) : tensor<8x64xf16>
    // The same view goes on in the scratchpad of core %p.
    %b = dataflow.read @lx[%q] strides [64, 1] clip [%n, 0] to [8, 64] get %p into %a : tensor<8x64xf16>
    // Rows %list[0], %list[1], ... of a table with 100 rows.
    %c = dataflow.read @device[%o from %y] strides [0, 1] index (%list : tensor<8xi32>) below [100]
      {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 64>} : tensor<8x64xf16>
    ```
    """

    init = ods.optional_operand(c.RankedTensor, "what points have that are not read")
    fill = ods.optional_attr(c.I64Attr, "bit pattern of points that are not read; 0 when absent")
    result = ods.result(c.RankedTensor, "what was read")
    assembly_format = (
        f"{_BOX}{_POINTS} (`fill` $fill^)? (`get` $core^)?{LISTS} (`into` $init^)? attr-dict `:` type($result)"
    )

    @property
    def tensor(self) -> ir.Value:
        return self.result

    def verify(self) -> Iterator[ods.Violation]:
        """One stride per dimension of the tensor, and a lower and an upper bound of a clip; the set has as many
        dimensions; another core has an LX only; lists have a map, a scale and a limit each.
        """
        yield from self.box_problems(self.result.type, self.fill)
        if self.fill is not None and self.init is not None:
            yield ods.Violation("wrong-attribute", "points that are not read have the elements of init", "fill")


class WriteOp(BoxOp, dialect=Dataflow, name="write", effects=ods.Write):
    """Write a tensor to a strided box of memory; addresses as for `dataflow.read`.

    Points that a clip or a set leaves out are not written. `put` writes the scratchpad of another core. Points that
    meet in memory are written in the order of the tensor, so that the last one stays.
    """

    value = ods.operand(c.RankedTensor, "what is written")
    assembly_format = f"$value `,` {_BOX}{_POINTS} (`put` $core^)?{LISTS} attr-dict `:` type($value)"

    @property
    def tensor(self) -> ir.Value:
        return self.value

    def verify(self) -> Iterator[ods.Violation]:
        """As for `dataflow.read`."""
        yield from self.box_problems(self.value.type, None)
