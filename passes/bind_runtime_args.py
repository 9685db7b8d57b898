"""Arguments of the launch are plain numbers, with what their types promised beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import ktdp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passkit import Pass, PassContext


@dataclass
class BindRuntimeArgs(Pass):
    """Turn arguments of type ``!ktdp.runtime_arg`` into numbers.

    To whoever computes addresses they are numbers like any other. What the type promises is kept as attributes of the
    argument: bounds are proven with it, and a launch that breaks it is refused.

    IR before::

        func.func @k(%x: index, %n: !ktdp.runtime_arg<i32, granularity=8, upperbound=1024>) {
          %v = ktdp.runtime_arg_extract value from %n : <i32, granularity=8, upperbound=1024> -> i32
          %g = ktdp.runtime_arg_extract granularity from %n : <i32, granularity=8, upperbound=1024> -> index

    IR after::

        func.func @k(%x: index, %n: i32 {spyrec.granularity = 8, spyrec.upperbound = 1024}) {
          %g = arith.constant 8 : index

    Leaves alone arguments that anything but an extraction uses, which ``legality`` refuses. Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for argument in kernels.arguments(op):
            if not isinstance(argument.type, ktdp.RuntimeArgType):
                continue
            uses = [use.owner for use in argument.uses]
            extracts = [user for user in uses if isinstance(user, ktdp.RuntimeArgExtractOp)]
            if len(extracts) == len(uses):
                _bind(op, argument, argument.type, extracts)
                ctx.statistics["arguments"] += 1


def _bind(
    function: ir.Operation,
    argument: ir.BlockArgument,
    type_: ktdp.RuntimeArgType,
    extracts: list[ktdp.RuntimeArgExtractOp],
) -> None:
    promises = {"granularity": type_.granularity, "upperbound": type_.upperbound}
    kinds = [ktdp.KINDS[extract.kind.value] for extract in extracts]
    argument.set_type(type_.underlying)
    for extract, kind in zip(extracts, kinds, strict=True):
        if kind == "value":
            extract.result.replace_all_uses_with(argument)
        else:
            promise = promises[kind]
            assert promise is not None
            with ir.InsertionPoint(extract):
                made = ops.index_constant(promise.value, extract.location)
            extract.result.replace_all_uses_with(made)
        extract.operation.erase()
    types = [other.type for other in kernels.arguments(function)]
    made_type = ir.FunctionType.get(types, kernels.result_types(function))
    function.attributes["function_type"] = ir.TypeAttr.get(made_type)
    for name, promise in promises.items():
        if promise is not None:
            kernels.set_argument_attribute(argument, kernels.PROMISES[name], promise)
