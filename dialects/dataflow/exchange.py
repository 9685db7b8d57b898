"""Ops of the kernel stage by which compute tiles hand values to one another, on flat ids."""

from collections.abc import Iterator, Sequence

from spyrec import ods
from spyrec.dialects.dataflow.types import Dataflow, TileLists
from spyrec.mlir import ir
from spyrec.ods import constraints as c

ELSEWHERE = "dataflow.taken_elsewhere"
"""Marks an offer whose takes stand in another block, so that they may run more often than it, or not at all."""


class OfferOp(ods.Op, dialect=Dataflow, name="offer", same_types=[("value", "result")]):
    """Let other compute tiles take a value.

    It never waits. What the tile has stored before is visible to whoever takes the value. `takers` has a list per
    compute tile: who takes what that tile offers. A tile with an empty list may offer an undefined value.

    The result stands for the offers of all tiles: `dataflow.take` picks that of another tile which belongs to the same
    execution, counted on each tile, of the op.
    """

    value = ods.operand(c.RankedTensor, "what is offered")
    takers = ods.attr(TileLists, "flat ids of those that take it, per compute tile that offers")
    result = ods.result(c.RankedTensor, "the offer, for `dataflow.take` only")
    assembly_format = "$value `to` $takers attr-dict `:` type($value)"

    @property
    def lists(self) -> list[tuple[int, ...]]:
        """The takers as numbers."""
        return [tuple(ir.IntegerAttr(n).value for n in ir.ArrayAttr(tiles)) for tiles in self.takers]

    def verify(self) -> Iterator[ods.Violation]:
        """Lists hold tiles of the grid, each once. The result is used by `take` only."""
        lists = self.lists
        for tile, takers in enumerate(lists):
            bad = [t for t in takers if not 0 <= t < len(lists)]
            if bad:
                message = f"tile {tile} offers to tile {bad[0]}, but there are lists for tiles 0 to {len(lists) - 1}"
                yield ods.Violation("grid-mismatch", message, "takers")
                return
            if len(set(takers)) != len(takers):
                yield ods.Violation("wrong-attribute", f"tile {tile} offers to a tile twice", "takers")
                return
        for use in self.result.uses:
            if use.owner.operation.name != TakeOp.NAME:
                message = f"an offer can only be taken, and {use.owner.operation.name} uses it"
                yield ods.Violation("wrong-operands", message, "result")
                return


class TakeOp(ods.Op, dialect=Dataflow, name="take", same_types=[("offer", "result")]):
    """Wait for the offer of a compute tile, and take the value.

    What that tile has stored before its offer is visible from here on.
    """

    offer = ods.operand(c.RankedTensor, "the result of a `dataflow.offer`")
    source = ods.operand(c.Index, "flat id of the tile whose value is taken")
    result = ods.result(c.RankedTensor, "the value")
    assembly_format = "$offer `from` $source attr-dict `:` type($offer)"

    def verify(self) -> Iterator[ods.Violation]:
        """The operand is an offer."""
        owner = self.offer.owner
        if isinstance(owner, ir.Block) or owner.operation.name != OfferOp.NAME:
            yield ods.Violation("wrong-operands", f"only the result of {OfferOp.NAME} can be taken", "offer")


def tile_lists(lists: Sequence[Sequence[int]]) -> ir.ArrayAttr:
    """Lists of tiles as the attribute that ops hold."""
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.ArrayAttr.get([ir.IntegerAttr.get(i64, n) for n in tiles]) for tiles in lists])
