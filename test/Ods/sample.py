"""A dialect with one op for each thing that the kit can state; what the tests of the kit work on."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods import constraints as c


class Sample(ods.Dialect, name="sample"):
    """Ops for tests."""


class OpenSample(ods.Dialect, name="opensample", open_attributes=True):
    """A dialect that takes any attribute."""


class BoxType(ods.Type, dialect=Sample, name="box", ir_name="box_type"):
    """A type whose public name is an op's too; the label may be absent."""

    content = ods.param(c.TypeAttr, "what is inside")
    label = ods.optional_param(c.I64Attr, "a number on it")
    assembly_format = "`<` $content (`,` $label^)? `>`"


class TokenType(ods.Type, dialect=Sample, name="token"):
    """A type without parameters."""


class PairType(ods.Type, dialect=Sample, name="pair"):
    """A type whose format lets one leave out what it needs."""

    first = ods.param(c.TypeAttr, "what comes first")
    assembly_format = "(`<` $first^ `>`)?"


class ModeAttr(ods.Attribute, dialect=Sample, name="mode"):
    """An attribute that wraps a word."""

    value = ods.param(c.keyword("fast", "slow"), "the word")
    assembly_format = "`<` $value `>`"


Box = c.type_class(BoxType)
Token = c.type_class(TokenType)


class BoxOp(ods.Op, dialect=Sample, name="box", effects=ods.Pure):
    """Make a box."""

    content = ods.operand(c.AnyType, "what goes in")
    result = ods.result(Box, "the box")
    assembly_format = "$content attr-dict `:` type($content) `->` type($result)"


class MixOp(ods.Op, dialect=Sample, name="mix"):
    """Everything that can be optional or repeat, in the middle of things that are not."""

    first = ods.operand(c.Index, "always there")
    maybe = ods.optional_operand(c.AnyType, "in the middle, and may be absent")
    many = ods.variadic_operand(c.AnyType, "of mixed types")
    indices = ods.variadic_operand(c.Index, "of one type")
    last = ods.operand(c.AnyFloat, "always there")
    mode = ods.attr(c.record_attr(ModeAttr), "required")
    count = ods.attr(c.PositiveI64, "with a default", default="3 : i64")
    name_ = ods.optional_attr(c.StringAttr, "may be absent; its accessor has another name")
    head = ods.result(c.Index, "always there")
    tail = ods.variadic_result(c.AnyType, "of mixed types")
    end = ods.optional_result(c.Index, "may be absent")
    body = ods.region("with one index argument", args=(c.Index,), terminator="sample.stop")
    other = ods.region("may be empty", optional=True)
    assembly_format = (
        "$first (`maybe` $maybe^ `:` type($maybe))? (`many` `(` $many^ `:` type($many) `)`)? (`at` `[` $indices^ `]`)?"
        " `,` $last `:` type($last) `mode` $mode (`count` `=` $count^)? (`called` $name^)? attr-dict"
        " `->` `(` (type($tail)^)? `)` (`end` type($end)^)? $body (`other` $other^)?"
    )


class StopOp(ods.Op, dialect=Sample, name="stop", traits=(ods.Terminator,), effects=ods.Pure):
    """End a body."""

    values = ods.variadic_operand(c.AnyType, "of mixed types")
    assembly_format = "($values^ `:` type($values))? attr-dict"


class LeaveOp(ods.Op, dialect=Sample, name="leave", traits=(ods.Terminator,)):
    """Another terminator."""


class SumOp(ods.Op, dialect=Sample, name="sum", effects=ods.Pure, same_types=(("lhs", "rhs", "result"),)):
    """Two of one type to one."""

    lhs = ods.operand(c.AnyType, "left")
    rhs = ods.operand(c.AnyType, "right")
    result = ods.result(c.AnyType, "both")
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


class PeekOp(ods.Op, dialect=Sample, name="peek", effects=ods.Read):
    """Read memory."""

    result = ods.result(c.Index, "what was there")


class PokeOp(ods.Op, dialect=Sample, name="poke", effects=ods.Write):
    """Write memory."""


class BufferOp(ods.Op, dialect=Sample, name="buffer", effects=ods.Alloc):
    """Make a buffer."""

    result = ods.result(c.MemRef, "the buffer")


class UnknownOp(ods.Op, dialect=Sample, name="unknown"):
    """Declares nothing about memory."""


class RangeOp(ods.Op, dialect=Sample, name="range"):
    """Checks a rule of its own."""

    lower = ods.attr(c.I64Attr, "inclusive")
    upper = ods.attr(c.I64Attr, "exclusive")

    def verify(self) -> Iterator[ods.Violation]:
        if self.lower.value > self.upper.value:
            yield ods.Violation(
                "wrong-attribute", f"{self.lower.value} is above {self.upper.value}", "lower", ("swap them",)
            )

    def review(self) -> Iterator[ods.Violation]:
        if self.lower.value == self.upper.value:
            notes = ((self.operation, "this one"), "write a larger upper bound")
            yield ods.Violation("wrong-attribute", "the range is empty", "upper", notes, ods.Severity.WARNING)


class CrashOp(ods.Op, dialect=Sample, name="crash"):
    """Its verifier has a bug."""

    def verify(self) -> Iterator[ods.Violation]:
        raise ZeroDivisionError("a bug")
        yield


class ScopeOp(ods.Op, dialect=Sample, name="scope", traits=(ods.NoTerminator, ods.IsolatedFromAbove)):
    """A body that sees nothing outside and has no terminator."""

    body = ods.region("anything", default_dialect="sample")
    assembly_format = "attr-dict-with-keyword $body"


class EachOp(ods.Op, dialect=Sample, name="each"):
    """Names its arguments in place and may leave its terminator out."""

    sym_name = ods.attr(c.SymbolName, "its name")
    target = ods.optional_attr(c.FlatSymbol, "a reference")
    token = ods.optional_operand(Token, "of a type that need not be written")
    sizes = ods.attr(c.I64Array, "a short list")
    flag = ods.optional_attr(c.UnitAttr, "there or not")
    points = ods.attr(c.IntegerSetAttr, "a set")
    body = ods.region("with free arguments", terminator="sample.stop", implicit=True)
    assembly_format = (
        "$sym_name (`for` $target^)? (`after` $token^)? (`flag` $flag^)? `sizes` $sizes `points` $points"
        " `(` args($body) `)` attr-dict-with-keyword $body"
    )


class TokenOp(ods.Op, dialect=Sample, name="token_of"):
    """Make a token of a box."""

    box = ods.operand(Box, "a box")
    either = ods.optional_operand(c.Index, "one of two")
    other = ods.optional_operand(c.Index, "the other")
    result = ods.result(Token, "the token")
    assembly_format = "$box (`either` $either^) : ((`other` $other^)?)? attr-dict `:` short-type($box)"


class SayOp(ods.Op, dialect=Sample, name="say"):
    """An attribute of each form."""

    number = ods.attr(c.F32Attr, "a float")
    truth = ods.attr(c.BoolAttr, "a bool")
    assembly_format = "$number `,` $truth attr-dict"


class CallOp(ods.Op, dialect=Sample, name="call"):
    """The types of all that goes in and comes out, as of a function."""

    callee = ods.operand(c.AnyType, "what is called")
    given = ods.variadic_operand(c.AnyType, "what it is given")
    results = ods.variadic_result(c.AnyType, "what it gives")
    assembly_format = "$callee `(` $given `)` attr-dict `:` functional-type(operands, results)"


class ShowOp(ods.Op, dialect=Sample, name="show"):
    """A type of which two may be meant."""

    shown = ods.operand(c.type_class(BoxType, TokenType), "a box or a token")
    assembly_format = "$shown attr-dict `:` short-type($shown)"


class FreeOp(ods.Op, dialect=OpenSample, name="free"):
    """Takes any attribute."""

    known = ods.optional_attr(c.StringAttr, "one that it declares")


def context() -> ir.Context:
    """A context with the sample dialects."""
    made = ir.Context()
    ods.load(made, (Sample, OpenSample))
    return made
