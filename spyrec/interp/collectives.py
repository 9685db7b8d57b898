"""Meaning of the inter-tile ops: what compute tiles produce for one another, and how it is taken.

A produce op runs its region for the group that the executing tile is a producer of, and publishes what it yields with
the tile's clock; it never waits. Consume and reduce wait for every producer that they depend on, join its clock, and
give one partial, or the fold of all of them in the order of tile ids.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from spyrec.dialects import dataflow
from spyrec.interp.exchange import Future, Partial
from spyrec.interp.faults import Fault
from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.points import Box, SetFunction
from spyrec.interp.requests import Await, Flow
from spyrec.interp.scf import results_of
from spyrec.interp.tensor import shape_of
from spyrec.interp.values import Tensor, element_of
from spyrec.mlir import ir


class Groups:
    """The groups of a future's type, and sets of tiles per group."""

    def __init__(self, type_: ir.Type) -> None:
        future: Any = type_
        self._set = SetFunction.of(future.groups)

    @functools.cached_property
    def numbers(self) -> list[int]:
        """The groups."""
        points = self._set.points()
        (low,), (high,) = points.box.low, points.box.high
        mask = points.mask(points.box)
        return [g for g in range(low, high) if mask is None or mask[g - low]]


class Members:
    """A set of tiles that depends on symbols: ``(tile)[group]``, or who a consumer depends on."""

    def __init__(self, attribute: ir.Attribute, what: str) -> None:
        self._set = SetFunction.of(attribute)
        self.symbols = self._set.symbols
        self._what = what
        self._known: dict[tuple[int, tuple[int, ...]], tuple[int, ...]] = {}

    def of(self, tiles: int, *symbols: int) -> tuple[int, ...]:
        """The tiles of the set, out of ``tiles``."""
        key = (tiles, symbols[: self.symbols])
        if key not in self._known:
            mask = self._set.mask(Box((0,), (tiles,)), key[1])
            self._check(tiles, key[1])
            self._known[key] = tuple(int(t) for t in mask.nonzero()[0])
        return self._known[key]

    def _check(self, tiles: int, symbols: Sequence[int]) -> None:
        """The set names no tile that the grid does not have."""
        try:
            points = self._set.points(symbols)
        except Fault:  # no bounds of its own, as with mod: it means all tiles for which it holds
            return
        (low,), (high,) = points.box.low, points.box.high
        ends = [n for n in (low, high - 1) if not 0 <= n < tiles]
        if ends and not points.box.is_empty and points.rest is None:
            group = f" of group {symbols[-1]}" if symbols else ""
            raise Fault(
                "grid-mismatch", f"{self._what}{group} names tile {ends[0]}, but the grid has {tiles}", self._what
            )


@meaning("ktdp.inter_tile_produce", flow=True)
def produce(op: ir.Operation, scope: Scope) -> Run:
    groups = Groups(op.results[0].type)
    producers = Members(op.attributes["producer_tiles_per_group"], "producer_tiles_per_group")
    body = scope.region(op, 0)
    assert body is not None

    def run(frame: Frame) -> Flow:
        tile = frame.tile
        future = tile.exchange.begin(op, tile.number)
        count = tile.count
        mine = [g for g in groups.numbers if tile.number in producers.of(count, g)]
        if len(mine) > 1:
            raise Fault(
                "overlapping-groups", f"tile {tile.number} produces for groups {mine[0]} and {mine[1]}; it may for one"
            )
        for group in mine:
            values = yield from body.run(frame, (group,))
            published = tile.clock.release() if tile.clock is not None else None
            tile.exchange.of(future, group)[tile.number] = Partial(values, published)
        return future

    return run


class Taking:
    """What consume and reduce have in common: whom a tile takes from, and waiting for them."""

    def __init__(self, op: ir.Operation) -> None:
        self.op = op
        self.groups = Groups(op.operands[0].type)
        self.consumers = Members(op.attributes["consumer_tiles_per_group"], "consumer_tiles_per_group")
        name = "producer_dependency_per_consumer"
        self.dependency = Members(op.attributes[name], name) if name in op.attributes else None
        self._made: dict[int, Members] = {}

    def partials(self, frame: Frame, future: Future) -> Flow:
        """The partials of the group that the tile is a consumer of, in the order of tiles; None when it is of none."""
        tile = frame.tile
        count = tile.count
        mine = [g for g in self.groups.numbers if tile.number in self.consumers.of(count, g)]
        if len(mine) > 1:
            raise Fault(
                "overlapping-groups",
                f"tile {tile.number} consumes from groups {mine[0]} and {mine[1]}; it may from one",
            )
        if not mine:
            return None
        group = mine[0]
        wanted = self._producers(future.op).of(count, group)
        if self.dependency is not None:
            named = self.dependency.of(count, tile.number, group)
            strange = [t for t in named if t not in wanted]
            if strange:
                raise Fault(
                    "wrong-dependency",
                    f"tile {tile.number} depends on tile {strange[0]}, which does not produce for group {group}",
                    "producer_dependency_per_consumer",
                    [(future.op, "produced here")],
                )
            wanted = named
        there = tile.exchange.of(future, group)
        if any(t not in there for t in wanted):
            yield Await(self.op, f"what group {group} gets from", lambda: [t for t in wanted if t not in there])
        partials = [there[t] for t in wanted]
        for partial in partials:
            if tile.clock is not None and partial.published is not None:
                tile.clock.acquire(partial.published)
        return partials

    def _producers(self, produce: ir.Operation) -> Members:
        key = hash(produce)
        if key not in self._made:
            name = "producer_tiles_per_group"
            self._made[key] = Members(produce.attributes[name], name)
        return self._made[key]

    def undefined(self) -> tuple[Tensor, ...]:
        """What a tile gets that is no consumer."""
        return tuple(Tensor.empty(shape_of(r.type, ()), element_of(r.type)) for r in self.op.results)


@meaning("ktdp.inter_tile_consume", flow=True)
def consume(op: ir.Operation, scope: Scope) -> Run:
    taking = Taking(op)

    def run(frame: Frame, future: Future) -> Flow:
        partials = yield from taking.partials(frame, future)
        if partials is None:
            return results_of(op, taking.undefined())
        if len(partials) != 1:
            raise Fault(
                "wrong-dependency",
                f"tile {frame.tile.number} depends on {len(partials)} producers; consume gives it the partial of one",
                "producer_dependency_per_consumer",
                ["say which one in producer_dependency_per_consumer, or fold them with ktdp.inter_tile_reduce"],
            )
        return results_of(op, partials[0].values)

    return run


@meaning("ktdp.inter_tile_reduce", flow=True)
def reduce(op: ir.Operation, scope: Scope) -> Run:
    taking = Taking(op)
    body = scope.region(op, 0)
    assert body is not None

    def run(frame: Frame, future: Future, *identity: Any) -> Flow:
        partials = yield from taking.partials(frame, future)
        if partials is None:
            return results_of(op, taking.undefined())
        if not partials:
            return results_of(op, identity)
        values = partials[0].values
        for partial in partials[1:]:
            values = yield from body.run(frame, (*values, *partial.values))
        return results_of(op, values)

    return run


@meaning("dataflow.offer")
def offer(op: ir.Operation, scope: Scope) -> Run:
    """Stage ``kernel``: a produce op whose group is the grid, and whose values each have an op of their own."""

    def run(frame: Frame, value: Any) -> Future:
        tile = frame.tile
        future = tile.exchange.begin(op, tile.number)
        published = tile.clock.release() if tile.clock is not None else None
        tile.exchange.of(future, 0)[tile.number] = Partial((value,), published)
        return future

    return run


@meaning("dataflow.take", flow=True)
def take(op: ir.Operation, scope: Scope) -> Run:
    takers = dataflow.OfferOp(ir.OpResult(dataflow.TakeOp(op).offer).owner.operation).lists

    def run(frame: Frame, future: Future, source: int) -> Flow:
        tile = frame.tile
        if not 0 <= source < min(tile.count, len(takers)):
            raise Fault("no-such-core", f"there is no tile {source}; the kernel runs on tiles 0 to {tile.count - 1}")
        if tile.number not in takers[source]:
            message = f"tile {tile.number} takes what tile {source} offers, and is none of its takers"
            raise Fault("wrong-dependency", message, "source", [(future.op, "the takers are listed here")])
        there = tile.exchange.of(future, 0)
        if source not in there:
            yield Await(op, "the offer of", lambda: [] if source in there else [source])
        partial = there[source]
        if tile.clock is not None and partial.published is not None:
            tile.clock.acquire(partial.published)
        return partial.values[0]

    return run
