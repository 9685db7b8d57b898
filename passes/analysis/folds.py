"""Reductions and contractions: which loops of a linalg op are folded into an output, and by what.

The rule is that of ``docs/numerics.md``: the body yields ``combiner(old, term)`` with a combiner of
:data:`spyrec.numerics.reductions.COMBINERS`, and the term depends on no accumulator. In a sum of floats, a product that
*is* the term is not rounded.
"""

from __future__ import annotations

from dataclasses import dataclass

from spyrec.mlir import ir
from spyrec.numerics.reductions import COMBINERS
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.structured import Structured, picked

PRODUCT = "arith.mulf"
"""The op that is not rounded when it is the term of a sum."""

SUM = "arith.addf"


@dataclass(frozen=True)
class Fold:
    """``op`` combines the accumulator with ``term``, operand ``position`` of it."""

    op: ir.Operation
    position: int

    @property
    def term(self) -> ir.Value:
        return self.op.operands[self.position]

    @property
    def product(self) -> ir.Operation | None:
        """The product whose two factors the fold adds up (a contraction); ``None`` for any other term."""
        maker = kernels.defining(self.term)
        wanted = {SUM: PRODUCT, "arith.addi": "arith.muli"}.get(self.op.name)
        return maker if maker is not None and maker.name == wanted else None


def fold(op: Structured, output: int) -> Fold | None:
    """How ``output``, which lacks loops, folds them; ``None`` when its body does something else."""
    maker = kernels.defining(op.yielded[output])
    if maker is None or maker.name not in COMBINERS or maker.block != op.body:
        return None
    accumulator = op.output_argument(output)
    terms = [k for k, operand in enumerate(maker.operands) if operand != accumulator]
    if len(terms) != 1:
        return None
    found = Fold(maker, terms[0])
    return None if _accumulators(op) & _needed(op, found.term) else found


def folds(op: Structured) -> list[Fold | None] | None:
    """Per output its fold, or ``None`` where the output has every loop; ``None`` when an output is neither."""
    found: list[Fold | None] = []
    for output, map_ in enumerate(op.output_maps):
        if len(picked(map_)) == op.loops:
            if _accumulators(op) & _needed(op, op.yielded[output]):
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


def _needed(op: Structured, value: ir.Value) -> set[ir.Value]:
    """``value`` and all that it is computed from inside the body."""
    found: set[ir.Value] = set()
    pending = [value]
    while pending:
        one = pending.pop()
        maker = kernels.defining(one)
        if one not in found:
            found.add(one)
            if maker is not None and maker.block == op.body:
                pending.extend(maker.operands)
    return found
