"""Who takes what from whom: the sets of inter-tile ops as lists of flat ids."""

from __future__ import annotations

from dataclasses import dataclass

from spyrec import sets
from spyrec.dialects import ktdp
from spyrec.dialects.ktdp.inter_tile import Tiles
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels

Taker = ktdp.InterTileConsumeOp | ktdp.InterTileReduceOp


@dataclass(frozen=True)
class Group:
    """One group of an exchange: who produces, and from whom each consumer takes, in the order of tiles."""

    number: int
    producers: tuple[int, ...]
    sources: dict[int, tuple[int, ...]]

    @property
    def members(self) -> tuple[int, ...]:
        """All tiles that take part."""
        return tuple(sorted({*self.producers, *self.sources}))


@dataclass(frozen=True)
class Exchange:
    """A produce op, and the op that takes what it makes."""

    produce: ktdp.InterTileProduceOp
    take: Taker
    groups: tuple[Group, ...]

    def sources(self, tiles: int) -> list[tuple[int, ...] | None]:
        """From whom each tile takes; None for a tile that is no consumer."""
        found: list[tuple[int, ...] | None] = [None] * tiles
        for group in self.groups:
            for tile, sources in group.sources.items():
                found[tile] = sources
        return found

    def group_of_producer(self, tiles: int) -> list[int | None]:
        """The group that each tile produces for."""
        found: list[int | None] = [None] * tiles
        for group in self.groups:
            for tile in group.producers:
                found[tile] = group.number
        return found


class NotStatic(Exception):
    """Why it is not known who takes part; ``op`` is where to say so."""

    def __init__(self, op: ir.OpView, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.op = op
        self.field = field


def exchange_of(take: Taker, tiles: int) -> Exchange:
    """The exchange that ends in ``take``, on ``tiles`` compute tiles. Raises :class:`NotStatic`."""
    maker = kernels.defining(take.future)
    produce = None if maker is None else maker.opview
    if not isinstance(produce, ktdp.InterTileProduceOp):
        raise NotStatic(take, "its future is handed on by control flow, and who produced it is not known here")
    future = ktdp.TileFutureType(take.future.type)
    consumers = Tiles(take.operation, take.consumer_tiles_per_group, future)
    groups = []
    for number in consumers.groups:
        made = _known(produce, "producer_tiles_per_group", produce.producers.of(number))
        taken = _known(take, "consumer_tiles_per_group", consumers.of(number))
        sources = {tile: _sources(take, tile, number, made, tiles) for tile in sorted(taken)}
        groups.append(Group(number, tuple(sorted(made)), sources))
    return Exchange(produce, take, tuple(groups))


def _known(op: ir.OpView, field: str, tiles: frozenset[int] | None) -> frozenset[int]:
    if tiles is None:
        raise NotStatic(op, f"the tiles of {field} cannot be listed", field)
    return tiles


def _sources(take: Taker, tile: int, group: int, made: frozenset[int], tiles: int) -> tuple[int, ...]:
    dependency = take.producer_dependency_per_consumer
    if dependency is None:
        return tuple(sorted(made))
    points = sets.parse(str(dependency))
    named = sets.members(points, [tile, group][: points.symbols], range(tiles))
    return tuple(sorted(_known(take, "producer_dependency_per_consumer", named)))
