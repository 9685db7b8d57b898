"""What a fold is: the one rule by which executors, passes and encoders read the body of a reduction.

An output *folds* when the body yields ``combiner(old, term)``: a combiner of
:data:`~spyrec.numerics.reductions.COMBINERS`, what the output held before, and a term that depends on no accumulator.
In a sum of floats a product that *is* the term is not rounded (``docs/numerics.md``).

Of an op only the name and the operands are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from spyrec.numerics.reductions import COMBINERS, Combiner
from spyrec.records import dataclass


class _Op(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def operands(self) -> Sequence[Any]: ...


Op = TypeVar("Op", bound=_Op)
Maker = Callable[[Any], Op | None]
"""The op *of the body* that makes a value; ``None`` for arguments and for what comes from outside."""


@dataclass(frozen=True)
class Fold(Generic[Op]):
    """``op`` combines the accumulator with its operand number ``position``.

    ``product`` makes that term by multiplying, for a combiner that adds: a sum of products.
    """

    op: Op
    position: int
    product: Op | None

    @property
    def combiner(self) -> Combiner:
        return COMBINERS[self.op.name]

    @property
    def term(self) -> Any:
        return self.op.operands[self.position]

    @property
    def parts(self) -> list[Any]:
        """What is computed at each point, and rounded: both factors of a product that is not, else the term."""
        return list(self.product.operands) if self.product is not None and self.combiner.is_float else [self.term]


def fold(yielded: Any, old: Any, accumulators: Collection[Any], maker: Maker[Op]) -> Fold[Op] | None:
    """How a body that yields ``yielded`` for an output that held ``old`` folds it; ``None`` when it does something
    else. ``accumulators`` are the old elements of the outputs that fold.
    """
    op = maker(yielded)
    if op is None or op.name not in COMBINERS:
        return None
    terms = [k for k, operand in enumerate(op.operands) if operand != old]
    if len(terms) != 1:
        return None
    term = op.operands[terms[0]]
    if not needed([term], maker).isdisjoint([old, *accumulators]):
        return None
    source = maker(term)
    is_product = source is not None and source.name == COMBINERS[op.name].product
    return Fold(op, terms[0], source if is_product else None)


def needed(values: Iterable[Any], maker: Maker[Op]) -> set[Any]:
    """``values`` and all that they are computed from inside the body."""
    found: set[Any] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            op = maker(value)
            if op is not None:
                pending.extend(op.operands)
    return found
