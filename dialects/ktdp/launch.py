"""Numbers that are bound at launch."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.dialects.ktdp.types import Ktdp, RuntimeArg, RuntimeArgType
from spyrec.mlir import ir
from spyrec.ods import constraints as c

KINDS = ("value", "granularity", "upperbound")


class RuntimeArgExtractOp(ods.Op, dialect=Ktdp, name="runtime_arg_extract", effects=ods.Pure):
    """The value of a runtime argument, or what its type promises about it.

    `kind` is stored as i32: 0 for `value`, 1 for `granularity`, 2 for `upperbound`.
    """

    kind = ods.attr(c.enumerated("i32", *KINDS), "what to extract")
    input = ods.operand(RuntimeArg, "the argument")
    result = ods.result(c.AnyType, "the number: of the argument's type if it is the value, else index")
    assembly_format = "$kind `from` $input `:` short-type($input) attr-dict `->` type($result)"

    def verify(self) -> Iterator[ods.Violation]:
        """A value has the argument's type; what a type promises is an index, and must be there."""
        kind, argument = KINDS[self.kind.value], RuntimeArgType(self.input.type)
        if kind == "value":
            if self.result.type != argument.underlying:
                yield ods.Violation(
                    "type-mismatch",
                    f"the value of the argument is {argument.underlying}, but the result is {self.result.type}",
                    "type(result)",
                )
            return
        if getattr(argument, kind) is None:
            yield ods.Violation(
                "missing-promise", f"the type of the argument states no {kind}", "kind", (f"add {kind}=N to the type",)
            )
        if not isinstance(self.result.type, ir.IndexType):
            yield ods.Violation(
                "type-mismatch",
                f"the {kind} of an argument is index, but the result is {self.result.type}",
                "type(result)",
            )
