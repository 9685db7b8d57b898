"""Reductions and contractions: which loops of a linalg op are folded into an output, and by what.

The rule is that of :mod:`spyrec.numerics.folds`; here its body is that of a linalg op.
"""

from __future__ import annotations

from spyrec.mlir import ir
from spyrec.numerics import folds as rule
from spyrec.numerics.reductions import COMBINERS
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.structured import Structured, picked

SUM = "arith.addf"

PRODUCT = COMBINERS[SUM].product
"""The op that is not rounded when it is the term of a sum."""

Fold = rule.Fold[ir.Operation]


def fold(op: Structured, output: int) -> Fold | None:
    """How ``output``, which lacks loops, folds them; ``None`` when its body does something else."""
    return rule.fold(op.yielded[output], op.output_argument(output), _accumulators(op), _maker(op))


def folds(op: Structured) -> list[Fold | None] | None:
    """Per output its fold, or ``None`` where the output has every loop; ``None`` when an output is neither."""
    found: list[Fold | None] = []
    accumulators = _accumulators(op)
    for output, map_ in enumerate(op.output_maps):
        if len(picked(map_)) == op.loops:
            if accumulators and accumulators & rule.needed([op.yielded[output]], _maker(op)):
                return None
            found.append(None)
            continue
        one = fold(op, output)
        if one is None:
            return None
        found.append(one)
    return found


def _accumulators(op: Structured) -> set[ir.Value]:
    """Arguments of the body that change from one iteration to the next."""
    positions = [k for k, map_ in enumerate(op.output_maps) if len(picked(map_)) < op.loops]
    return {argument for argument in map(op.output_argument, positions) if argument is not None}


def _maker(op: Structured) -> rule.Maker[ir.Operation]:
    body = op.body

    def maker(value: ir.Value) -> ir.Operation | None:
        found = kernels.defining(value)
        return found if found is not None and found.block == body else None

    return maker
