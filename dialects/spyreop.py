"""The `spyreop` dialect: intrinsics of the vector unit, mostly on scalars, used in bodies of `linalg.generic`."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods import constraints as c


class Spyreop(ods.Dialect, name="spyreop"):
    """Intrinsics of the vector unit.

    All are pure. Operands and result have one type unless stated: `f16`, `!spyreop.df16` or `f32`.

    ```mlir
    #id = affine_map<(d0) -> (d0)>
    func.func @leaky(%x: tensor<64xf16>) -> tensor<64xf16> {
      %empty = tensor.empty() : tensor<64xf16>
      %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<64xf16>) outs(%empty : tensor<64xf16>) {
      ^bb0(%in: f16, %out: f16):
        %zero = spyreop.constant 0.0 : f16
        %negative = spyreop.compare <lesserthan> %in, %zero : f16
        %soft = spyreop.softplus %in beta 1.0 threshold 20.0 : f16
        %small = spyreop.silu %in : f16
        %value = spyreop.select %negative, %small, %soft : f16
        linalg.yield %value : f16
      } -> tensor<64xf16>
      return %y : tensor<64xf16>
    }
    ```

    Statistics of a layer norm come as two values, or as one value of a pair type; a whole stick is reduced at once.

    ```mlir
    func.func @norm(%x: f32, %weight: f32, %bias: f32) -> f32 {
      %mean, %squares = spyreop.exx2 %x : f32
      %scale = spyreop.layernormscale %mean squares %squares : f32
      %y = spyreop.layernormnorm %x squares %squares scale %scale weight %weight bias %bias : f32
      return %y : f32
    }
    func.func @pairs(%x: !spyreop.df16) -> !spyreop.df16 {
      %pair = spyreop.exx2_fused %x : !spyreop.df16 -> !spyreop.df16_fused
      %centred = spyreop.exx2_zeromean_fused %x : !spyreop.df16 -> !spyreop.df16_fused
      %scale = spyreop.layernormscale_fused %pair : !spyreop.df16_fused -> !spyreop.df16
      return %scale : !spyreop.df16
    }
    func.func @stick(%x: tensor<64xf16>, %i: i32, %base: i32, %pitch: i32) -> (tensor<64xf16>, i32) {
      %total = spyreop.slice_reduction %x
        {reduction_kind = #spyreop.reduction_kind<add>, reduction_scope = #spyreop.reduction_scope<in_slice>}
        : tensor<64xf16> -> tensor<64xf16>
      %address = spyreop.idx32toaddr %i base %base stride %pitch
      return %total, %address : tensor<64xf16>, i32
    }
    ```
    """


class Df16Type(ods.Type, dialect=Spyreop, name="df16"):
    """IBM's 16-bit float: 1 sign bit, 6 bits of exponent, 9 of mantissa.

    MLIR takes no elements of other dialects' types into memrefs and vectors made in Python, so inside those their bits
    stand for them: `memref<64x!spyreop.df16>` is `memref<64xvector<1xui16>>` to MLIR, and is printed as written.
    """

    bits = "ui16"


def in_tensor(element: ir.Type) -> ir.Type:
    """The element type of a tensor that holds what a memref of ``element`` holds."""
    return Df16Type.make() if str(element) == Df16Type.spec.carrier("memref") else element


class Df16FusedType(ods.Type, dialect=Spyreop, name="df16_fused"):
    """Two numbers of type `!spyreop.df16` in one value: a mean and a mean of squares."""


class Fp16FusedType(ods.Type, dialect=Spyreop, name="fp16_fused"):
    """Two f16 in one value: a mean and a mean of squares."""


class Fp32FusedType(ods.Type, dialect=Spyreop, name="fp32_fused"):
    """Two f32 in one value: a mean and a mean of squares."""


def _is_number(t: ir.Type) -> bool:
    return isinstance(t, (ir.F16Type, ir.F32Type, Df16Type))


Number = c.type_is("number", "f16, !spyreop.df16 or f32", _is_number)
HalfNumber = c.type_is("half number", "f16 or !spyreop.df16", lambda t: isinstance(t, (ir.F16Type, Df16Type)))
ConstantNumber = c.type_is("constant number", "f16 or f32", lambda t: isinstance(t, (ir.F16Type, ir.F32Type)))

Pair = c.type_class(Df16FusedType, Fp16FusedType, Fp32FusedType)

PREDICATES = ("equal", "notequal", "greaterthan", "greaterequal", "lesserthan", "lesserequal")


class ComparePredicateAttr(ods.Attribute, dialect=Spyreop, name="compare_predicate"):
    """Which comparison: `#spyreop.compare_predicate<equal>`."""

    value = ods.param(c.keyword(*PREDICATES), "the comparison")
    assembly_format = "`<` $value `>`"


class ReductionKindAttr(ods.Attribute, dialect=Spyreop, name="reduction_kind"):
    """How a slice is reduced: `#spyreop.reduction_kind<add>`."""

    value = ods.param(c.keyword("add", "sub", "max", "min", "mul", "abs_max"), "the combiner")
    assembly_format = "`<` $value `>`"


class ReductionScopeAttr(ods.Attribute, dialect=Spyreop, name="reduction_scope"):
    """Which elements of a stick are reduced together: `#spyreop.reduction_scope<in_slice>`.

    `in_slice`: those of each slice, into its first element. `across_slice`: those at one place of all slices, into the
    first slice. The others name single steps of the hardware, of which the two are made.
    """

    value = ods.param(
        c.keyword(
            "in_slice",
            "across_slice",
            "in_slice_fma_src0_shuf",
            "in_slice_fma_src2_shuf",
            "in_slice_fma_both_shuf",
            "across_slice_splat",
            "across_slice_scan_gap",
            "across_slice_fma16",
        ),
        "the scope",
    )
    assembly_format = "`<` $value `>`"


class _Unary(ods.Op):
    """One number to one of the same type."""

    input = ods.operand(Number, "x")
    result = ods.result(Number, "the value")
    assembly_format = "$input attr-dict `:` type($result)"


class _Half(ods.Op):
    """As `_Unary`, without f32."""

    input = ods.operand(HalfNumber, "x")
    result = ods.result(HalfNumber, "the value")
    assembly_format = "$input attr-dict `:` type($result)"


class _Int32(ods.Op):
    """Two i32 to one."""

    lhs = ods.operand(c.I32, "left side")
    rhs = ods.operand(c.I32, "right side")
    result = ods.result(c.I32, "the value, modulo 2^32")
    assembly_format = "$lhs `,` $rhs attr-dict"


_UNARY_SAME = (("input", "result"),)


class ExpOp(_Unary, dialect=Spyreop, name="exp", effects=ods.Pure, same_types=_UNARY_SAME):
    """e to the power of x."""


class SqrtOp(_Unary, dialect=Spyreop, name="sqrt", effects=ods.Pure, same_types=_UNARY_SAME):
    """Square root of x."""


class RsqrtOp(_Unary, dialect=Spyreop, name="rsqrt", effects=ods.Pure, same_types=_UNARY_SAME):
    """1 divided by the square root of x."""


class ReciprocalOp(_Unary, dialect=Spyreop, name="reciprocal", effects=ods.Pure, same_types=_UNARY_SAME):
    """1 divided by x."""


class SigmoidOp(_Unary, dialect=Spyreop, name="sigmoid", effects=ods.Pure, same_types=_UNARY_SAME):
    """1 / (1 + e^-x)."""


class SiluOp(_Unary, dialect=Spyreop, name="silu", effects=ods.Pure, same_types=_UNARY_SAME):
    """x * sigmoid(x); -0 at minus infinity."""


class GeluOp(_Half, dialect=Spyreop, name="gelu", effects=ods.Pure, same_types=_UNARY_SAME):
    """x * Phi(x), Phi the normal distribution (the erf form); -0 at minus infinity."""


class SoftplusOp(_Half, dialect=Spyreop, name="softplus", effects=ods.Pure, same_types=_UNARY_SAME):
    """(1 / beta) * log(1 + e^(beta * x)), and x itself where beta * x exceeds the threshold."""

    beta = ods.attr(c.F32Attr, "sharpness, not 0")
    threshold = ods.attr(c.F32Attr, "where the function turns into x")
    assembly_format = "$input `beta` $beta `threshold` $threshold attr-dict `:` type($result)"

    def verify(self) -> Iterator[ods.Violation]:
        """`beta` is not 0."""
        if self.beta.value == 0:
            yield ods.Violation("wrong-attribute", "beta must not be 0: the function divides by it", "beta")


class RealdivOp(ods.Op, dialect=Spyreop, name="realdiv", effects=ods.Pure, same_types=(("lhs", "rhs", "result"),)):
    """lhs / rhs."""

    lhs = ods.operand(Number, "dividend")
    rhs = ods.operand(Number, "divisor")
    result = ods.result(Number, "the quotient")
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


class SelectOp(
    ods.Op,
    dialect=Spyreop,
    name="select",
    effects=ods.Pure,
    same_types=(("condition", "true_value", "false_value", "result"),),
):
    """`true_value` where the condition is not 0, else `false_value`."""

    condition = ods.operand(Number, "as `compare` makes it: 0 is false")
    true_value = ods.operand(Number, "taken when the condition is not 0")
    false_value = ods.operand(Number, "taken when it is 0")
    result = ods.result(Number, "the value taken")
    assembly_format = "$condition `,` $true_value `,` $false_value attr-dict `:` type($result)"


class CompareOp(ods.Op, dialect=Spyreop, name="compare", effects=ods.Pure, same_types=(("lhs", "rhs", "result"),)):
    """1 where the comparison holds, else 0, in the type of the operands (not i1)."""

    predicate = ods.attr(c.record_attr(ComparePredicateAttr), "the comparison")
    lhs = ods.operand(Number, "left side")
    rhs = ods.operand(Number, "right side")
    result = ods.result(Number, "1 or 0")
    assembly_format = "$predicate $lhs `,` $rhs attr-dict `:` type($result)"


class ConstantOp(ods.Op, dialect=Spyreop, name="constant", effects=ods.Pure, same_types=(("value", "result"),)):
    """A number that the vector unit keeps in a register: `spyreop.constant 1.0 : f16`."""

    value = ods.attr(c.TypedFloatAttr, "the number, f16 or f32")
    result = ods.result(ConstantNumber, "the number")
    assembly_format = "$value attr-dict"


class AddI32Op(_Int32, dialect=Spyreop, name="addi32toi32", effects=ods.Pure):
    """lhs + rhs."""


class MulI32Op(_Int32, dialect=Spyreop, name="muli32toi32", effects=ods.Pure):
    """lhs * rhs."""


class AddI64Op(ods.Op, dialect=Spyreop, name="addi64toi64", effects=ods.Pure):
    """lhs + rhs."""

    lhs = ods.operand(c.I64, "left side")
    rhs = ods.operand(c.I64, "right side")
    result = ods.result(c.I64, "the sum, modulo 2^64")
    assembly_format = "$lhs `,` $rhs attr-dict"


class Idx32ToAddrOp(ods.Op, dialect=Spyreop, name="idx32toaddr", effects=ods.Pure):
    """base + stride * index.

    An older form has base and stride as attributes: `spyreop.idx32toaddr %i base 0x1000 stride 4`. It has no newer
    equivalent without constants around it, so it is kept.
    """

    index = ods.operand(c.I32, "the index")
    base_value = ods.optional_operand(c.I32, "address of index 0")
    stride_value = ods.optional_operand(c.I32, "distance of neighbouring indices")
    base_address = ods.optional_attr(c.I32Attr, "address of index 0, in the older form")
    stride = ods.optional_attr(c.I32Attr, "distance of neighbouring indices, in the older form")
    result = ods.result(c.I32, "the address, modulo 2^32")
    assembly_format = "$index `base` ($base_value^) : ($base_address) `stride` ($stride_value^) : ($stride) attr-dict"

    def verify(self) -> Iterator[ods.Violation]:
        """Base and stride are two values, or in the older form two numbers."""
        values, numbers = (self.base_value, self.stride_value), (self.base_address, self.stride)
        given = [v is not None for v in values], [n is not None for n in numbers]
        if given not in (([True, True], [False, False]), ([False, False], [True, True])):
            yield ods.Violation(
                "wrong-operands",
                "base and stride must be two values, or two numbers",
                "base_value" if values[0] is not None else "base_address",
            )

    def review(self) -> Iterator[ods.Violation]:
        """A remark on the older form."""
        if self.base_address is not None:
            yield _old_form(self, "base and stride are values now", "base_address")

    @property
    def is_old_form(self) -> bool:
        """Whether base and stride are attributes."""
        return self.base_address is not None


class Exx2Op(ods.Op, dialect=Spyreop, name="exx2", effects=ods.Pure, same_types=(("input", "result", "squares"),)):
    """Mean and mean of squares, for a layer norm."""

    input = ods.operand(Number, "x")
    result = ods.result(Number, "the mean")
    squares = ods.result(Number, "the mean of squares")
    assembly_format = "$input attr-dict `:` type($result)"


class _ToPair(ods.Op):
    """One number to a pair of the same precision."""

    input = ods.operand(Number, "x")
    result = ods.result(Pair, "mean and mean of squares, in the precision of x")
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def verify(self) -> Iterator[ods.Violation]:
        """The pair has the precision of the input."""
        yield from _precision(self.input.type, self.result.type, "type(result)")


class Exx2FusedOp(_ToPair, dialect=Spyreop, name="exx2_fused", effects=ods.Pure):
    """Mean and mean of squares in one value."""


class Exx2ZeromeanFusedOp(_ToPair, dialect=Spyreop, name="exx2_zeromean_fused", effects=ods.Pure):
    """As `exx2_fused`, where the mean is known to be 0."""


class LayernormscaleOp(
    ods.Op,
    dialect=Spyreop,
    name="layernormscale",
    effects=ods.Pure,
    same_types=(("mean", "squares", "result"),),
):
    """The scale factor of a layer norm, from mean and mean of squares.

    An older form has no `squares`. Nothing says where they come from there, so it is kept and not compiled.
    """

    mean = ods.operand(Number, "the mean; in the older form all there is")
    squares = ods.optional_operand(Number, "the mean of squares")
    result = ods.result(Number, "the factor")
    assembly_format = "$mean (`squares` $squares^)? attr-dict `:` type($result)"

    def review(self) -> Iterator[ods.Violation]:
        """A remark on the older form."""
        if self.is_old_form:
            yield _old_form(self, "the mean of squares is an operand now", "mean")

    @property
    def is_old_form(self) -> bool:
        """Whether the mean of squares is missing."""
        return self.squares is None


class LayernormscaleFusedOp(ods.Op, dialect=Spyreop, name="layernormscale_fused", effects=ods.Pure):
    """The scale factor of a layer norm, from mean and mean of squares in one value."""

    input = ods.operand(Pair, "mean and mean of squares")
    result = ods.result(Number, "the factor, in the precision of the pair")
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def verify(self) -> Iterator[ods.Violation]:
        """The factor has the precision of the pair."""
        yield from _precision(self.result.type, self.input.type, "type(result)")


class LayernormnormOp(
    ods.Op,
    dialect=Spyreop,
    name="layernormnorm",
    effects=ods.Pure,
    same_types=(("input", "squares", "scale", "weight", "bias", "result"),),
):
    """The normalising part of a layer norm."""

    input = ods.operand(Number, "x")
    squares = ods.operand(Number, "the mean of squares")
    scale = ods.operand(Number, "as `layernormscale` makes it")
    weight = ods.operand(Number, "what the normalised value is multiplied by")
    bias = ods.operand(Number, "what is added then")
    result = ods.result(Number, "the normalised value")
    assembly_format = (
        "$input `squares` $squares `scale` $scale `weight` $weight `bias` $bias attr-dict `:` type($result)"
    )


class SliceReductionOp(
    ods.Op, dialect=Spyreop, name="slice_reduction", effects=ods.Pure, same_types=(("input", "result"),)
):
    """Reduce the elements of a whole stick within its slices, or across them; where the totals lie is the scope's.

    Elements that hold no total are undefined.
    """

    input = ods.operand(c.RankedTensor, "one stick")
    reduction_kind = ods.attr(c.record_attr(ReductionKindAttr), "the combiner")
    reduction_scope = ods.attr(c.record_attr(ReductionScopeAttr), "which elements are reduced together")
    result = ods.result(c.RankedTensor, "the stick with the totals")
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"


_PAIRS = {"f16": "!spyreop.fp16_fused", "!spyreop.df16": "!spyreop.df16_fused", "f32": "!spyreop.fp32_fused"}


def _precision(number: ir.Type, pair: ir.Type, field: str) -> Iterator[ods.Violation]:
    """A number and a pair of equal precision."""
    wanted = _PAIRS[str(number)]
    if str(pair) != wanted:
        yield ods.Violation("type-mismatch", f"a pair of {number} is {wanted}, but here {number} meets {pair}", field)


def _old_form(op: ods.Op, what: str, field: str) -> ods.Violation:
    message = f"this form of {op.NAME} has no equivalent in the current dialect; it is kept as it is"
    return ods.Violation("old-spelling", message, field, (what,), ods.Severity.REMARK)


def is_old_form(op: ir.OpView) -> bool:
    """Whether an op is in a form that the current dialect no longer has."""
    return isinstance(op, (Idx32ToAddrOp, LayernormscaleOp)) and op.is_old_form
