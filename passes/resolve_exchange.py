"""Inter-tile ops become offers and takes between flat ids: no set, no group and no future is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow, ktdp
from spyrec.mlir import ir, scf
from spyrec.passes.analysis import kernels, ops, tables
from spyrec.passes.analysis.exchanges import Exchange, NotStatic, exchange_of
from spyrec.passkit import Pass, PassContext


@dataclass
class ResolveExchange(Pass):
    """Say of every inter-tile op which tile takes what from which tile.

    The sets of producers, consumers and dependencies are finite once the grid is known. What a tile produces is offered
    (the takers are listed, so that a buffer can be given back when all have taken); a consumer computes from its id
    whom it takes from. A reduction is a loop over its producers in the order of their ids, with the combiner in the
    body: passes that know tensors need not know reductions between tiles. Tiles that are no producers skip the body,
    tiles that are no consumers do not wait; they get zeros for what is undefined.

    IR before::

        %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad -> <(tensor<1x64xf16>), groups = #two> {
        ^bb0(%g: index):
          ktdp.yield_partial %x : tensor<1x64xf16>
        }
        %n = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #quad, producer_dependency_per_consumer = #next
          : <(tensor<1x64xf16>), groups = #two> -> tensor<1x64xf16>

    IR after::

        %t = dataflow.tile_id
        %o = dataflow.offer %x to [[3], [0], [1], [2], [7], [4], [5], [6]] : tensor<1x64xf16>
        %s = affine.apply affine_map<(d0) -> ((d0 floordiv 4) * 4 + (d0 + 1) mod 4)>(%t)
        %n = dataflow.take %o from %s : tensor<1x64xf16>

    Refuses futures that are not the result of a produce op in sight, and sets whose tiles cannot be listed
    (``unsupported-op``)."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        takes = kernels.views(op, ktdp.InterTileConsumeOp, ktdp.InterTileReduceOp, bodies=True)
        if not takes:
            return
        tiles = kernels.tiles(op)
        found = []
        for take in takes:
            try:
                found.append(exchange_of(take, tiles))
            except NotStatic as problem:
                note = "produce and consume in one function, with sets that have bounds"
                message = f"{take.NAME} is not compiled: {problem}"
                ctx.sink.error(problem.op, "unsupported-op", message, field=problem.field, notes=[note])
        if ctx.sink.has_errors:
            return
        with ir.InsertionPoint.at_block_begin(op.regions[0].blocks[0]):
            tile = dataflow.TileIdOp.build(loc=takes[0].location).result
        for exchange in found:
            with exchange.take.location:  # where making a type or a loop asks for one
                _Resolver(exchange, tile, tiles).run()


class _Resolver:
    """One exchange."""

    def __init__(self, exchange: Exchange, tile: ir.Value, tiles: int) -> None:
        self.exchange, self.tile, self.tiles = exchange, tile, tiles
        self.sources = exchange.sources(tiles)

    def run(self) -> None:
        """Replace both ops."""
        produce, take = self.exchange.produce, self.exchange.take
        takers: list[list[int]] = [[] for _ in range(self.tiles)]
        for consumer, sources in enumerate(self.sources):
            for source in sources or ():
                takers[source].append(consumer)
        with ir.InsertionPoint(produce.operation):
            partials = self._partials(produce)
            offers = [
                dataflow.OfferOp.build(value=v, takers=dataflow.tile_lists(takers), result=v.type, loc=produce.location)
                for v in partials
            ]
        if take.operation.block != produce.operation.block:
            for made in offers:
                made.operation.attributes[dataflow.ELSEWHERE] = ir.UnitAttr.get()
        types = [r.type for r in take.results_]
        with ir.InsertionPoint(take.operation):
            consumers = [t for t, sources in enumerate(self.sources) if sources is not None]
            values = self._on(consumers, types, take.location, lambda: self._taken([o.result for o in offers]))
        for old, new in zip(take.results_, values, strict=True):
            old.replace_all_uses_with(new)
        take.operation.erase()
        produce.operation.erase()

    def _partials(self, produce: ktdp.InterTileProduceOp) -> list[ir.Value]:
        """What the tile offers, computed on producers only."""
        body = produce.body.blocks[0]
        groups = self.exchange.group_of_producer(self.tiles)
        location = produce.location

        def inline() -> list[ir.Value]:
            group = body.arguments[0]
            is_used = next(iter(group.uses), None) is not None
            return ops.inlined(body, [tables.look_up(groups, self.tile, location) if is_used else self.tile])

        producers = [t for t, group in enumerate(groups) if group is not None]
        if len(body.operations) == 1:  # nothing is computed: whoever has no takers may offer it too
            return inline()
        types = ktdp.TileFutureType(produce.future.type).types
        return self._on(producers, types, location, inline)

    def _on(
        self, chosen: Sequence[int], types: Sequence[ir.Type], location: ir.Location, make: Callable[[], list[ir.Value]]
    ) -> list[ir.Value]:
        """The values that ``make`` makes, on the chosen tiles; elsewhere undefined ones."""
        if len(chosen) == self.tiles:
            return make()
        condition = tables.holds(chosen, self.tiles, self.tile, location)
        return _if(condition, types, location, make, lambda: [_undefined(t, location) for t in types])

    def _taken(self, offers: Sequence[ir.Value]) -> list[ir.Value]:
        """What a consumer gets."""
        take, location = self.exchange.take, self.exchange.take.location
        if isinstance(take, ktdp.InterTileConsumeOp):
            return self._take(offers, self._source(0))
        counts = [None if sources is None else len(sources) for sources in self.sources]
        if not any(counts):
            return list(take.identity)
        if 0 not in counts:
            return self._folded(take, offers, counts)
        some = tables.holds([t for t, n in enumerate(counts) if n], self.tiles, self.tile, location)
        types = [r.type for r in take.results_]
        return _if(some, types, location, lambda: self._folded(take, offers, counts), lambda: list(take.identity))

    def _folded(
        self, take: ktdp.InterTileReduceOp, offers: Sequence[ir.Value], counts: Sequence[int | None]
    ) -> list[ir.Value]:
        """The partials of all sources, combined from the first to the last."""
        location = take.location
        first = self._take(offers, self._source(0))
        body = take.combiner.blocks[0]
        if not any((n or 0) > 1 for n in counts):
            return first
        end = tables.look_up([n or None for n in counts], self.tile, location)
        one = ops.index_constant(1, location)
        loop = scf.ForOp(one, end, one, first, loc=location).operation
        inner = loop.regions[0].blocks[0]
        with ir.InsertionPoint(inner):
            taken = self._take(offers, self._source(inner.arguments[0]))
            values = [*list(inner.arguments)[1:], *taken]
            scf.YieldOp(ops.inlined(body, values), loc=location)
        return list(loop.results)

    def _take(self, offers: Sequence[ir.Value], source: ir.Value) -> list[ir.Value]:
        location = self.exchange.take.location
        return [dataflow.TakeOp.build(offer=o, source=source, result=o.type, loc=location).result for o in offers]

    def _source(self, number: int | ir.Value) -> ir.Value:
        """The ``number``-th tile that the executing one takes from."""
        location = self.exchange.take.location
        lists = [sources or () for sources in self.sources]
        if isinstance(number, int):
            return tables.look_up([s[number] if s else None for s in lists], self.tile, location)
        return tables.look_up_in(lists, self.tile, number, location)


def _if(
    condition: ir.Value,
    types: Sequence[ir.Type],
    location: ir.Location,
    then: Callable[[], list[ir.Value]],
    otherwise: Callable[[], list[ir.Value]],
) -> list[ir.Value]:
    op = scf.IfOp(condition, list(types), has_else=True, loc=location).operation
    for region, make in zip(op.regions, (then, otherwise), strict=True):
        block = region.blocks[0] if len(region.blocks) else region.blocks.append()
        with ir.InsertionPoint(block):
            scf.YieldOp(make(), loc=location)
    return list(op.results)


def _undefined(type_: ir.Type, location: ir.Location) -> ir.Value:
    """A value for who has none: zeros, so that copies of it read nothing that was never written."""
    return ops.zeros(ir.RankedTensorType(type_), location)
