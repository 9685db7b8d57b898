"""Marks of rounding that separate no product from a sum go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.folds import PRODUCT, SUM
from spyrec.passkit import Pass, PassContext


@dataclass
class DropRounding(Pass):
    """Remove each ``dataflow.rounded`` without which the same products are rounded.

    It is needed where its operand is a ``mulf`` and its user a sum; where it is a ``negf``, which upstream would make a
    ``subf`` with the sum, and that is no fold; and between a constant and a product of which the
    other factor is constant, too, which would be folded, rounded, otherwise.

    IR before::

        %r = dataflow.rounded %a : f32
        %s = arith.addf %o, %r : f32
        %p = arith.mulf %x, %y : f32
        %q = dataflow.rounded %p : f32
        %t = arith.addf %u, %q : f32

    IR after::

        %s = arith.addf %o, %a : f32
        %p = arith.mulf %x, %y : f32
        %q = dataflow.rounded %p : f32
        %t = arith.addf %u, %q : f32

    Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in (view.operation for view in kernels.views(op, dataflow.RoundedOp, bodies=True)):
            if not _is_needed(inner):
                inner.results[0].replace_all_uses_with(inner.operands[0])
                inner.erase()
                ctx.statistics["marks removed"] += 1


def _is_needed(op: ir.Operation) -> bool:
    maker = kernels.defining(op.operands[0])
    users = [use.owner.operation for use in op.results[0].uses]
    if maker is None:
        return False
    if maker.name in (PRODUCT, "arith.negf"):
        return any(user.name == SUM for user in users)
    if maker.name == "arith.constant":
        return any(user.name == PRODUCT and all(map(_is_constant, user.operands)) for user in users)
    return False


def _is_constant(value: ir.Value) -> bool:
    """Whether ``value`` is a constant, marked or not."""
    maker = kernels.defining(value)
    if maker is not None and isinstance(maker.opview, dataflow.RoundedOp):
        maker = kernels.defining(maker.operands[0])
    return maker is not None and maker.name == "arith.constant"
