"""The `spyreop` dialect: scalar intrinsics of the vector unit, used in bodies of `linalg.generic`."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods import constraints as c


class Spyreop(ods.Dialect, name="spyreop"):
    """Scalar intrinsics of the vector unit.

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
    """


class Df16Type(ods.Type, dialect=Spyreop, name="df16"):
    """IBM's 16-bit float: 1 sign bit, 6 bits of exponent, 9 of mantissa."""


def _is_number(t: ir.Type) -> bool:
    return isinstance(t, (ir.F16Type, ir.F32Type, Df16Type))


Number = c.type_is("number", "f16, !spyreop.df16 or f32", _is_number)
HalfNumber = c.type_is("half number", "f16 or !spyreop.df16", lambda t: isinstance(t, (ir.F16Type, Df16Type)))
ConstantNumber = c.type_is("constant number", "f16 or f32", lambda t: isinstance(t, (ir.F16Type, ir.F32Type)))

PREDICATES = ("equal", "notequal", "greaterthan", "greaterequal", "lesserthan", "lesserequal")


class ComparePredicateAttr(ods.Attribute, dialect=Spyreop, name="compare_predicate"):
    """Which comparison: `#spyreop.compare_predicate<equal>`."""

    value = ods.param(c.keyword(*PREDICATES), "the comparison")
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
