"""Offers and takes become transfers over the ring, ordered by channels between the cores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir, scf
from spyrec.passes.analysis import buffers, kernels, ops, tables
from spyrec.passkit import Pass, PassContext


@dataclass
class MaterializeExchange(Pass):
    """Move what tiles offer one another, and say when.

    An offered value is copied into a buffer of its own, which nobody changes, and announced to each taker over a
    channel between cores. A taker waits for that, fetches the bytes over the ring, and says so over a second channel.
    In a loop the offering core waits for all takers at the end of the block, before the buffer's next instance;
    elsewhere there is none, and nobody waits. All of it is done by the ring's unit; that it waits for the unit that
    computes follows from the order of the text.

    IR before, in a loop::

        %o = dataflow.offer %x to [[1], [0]] : tensor<64xf16>
        %y = dataflow.take %o from %s : tensor<64xf16>

    IR after::

        dataflow.channel @offer_ready from @ring to @ring {init = 0 : i64, peers}
        dataflow.channel @offer_taken from @ring to @ring {init = 0 : i64, peers}
        %c = linalg.generic {...} ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>) {...} // a copy
        %b = bufferization.to_buffer %c read_only : tensor<64xf16> to memref<64xf16, "lx">
        scf.for %i = %zero to %one step %one { // one per taker
          dataflow.post @offer_ready to %taker {unit = @ring} }
        %z = dataflow.alloc {name = "taken"} : memref<64xf16, "lx">
        dataflow.wait @offer_ready from %s {unit = @ring}
        dataflow.data_transfer from %b to %z get %s {route = ["lx", "ring", "lx"], unit = @ring} : ...
        dataflow.post @offer_taken to %s {unit = @ring}
        %y = bufferization.to_tensor %z restrict : memref<64xf16, "lx"> to tensor<64xf16>
        scf.for %i = %zero to %one step %one {
          dataflow.wait @offer_taken from %taker {unit = @ring} }

    Refuses devices without a unit between cores (``no-route``); kernels that consume in another loop or branch than
    they produce in, where a taker might take several times or never (``unsupported-op``)."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        offers = kernels.views(op, dataflow.OfferOp)
        if not offers:
            return
        units = [unit for unit in ctx.device.units.values() if unit.role == "ring"]
        for offer in offers:
            if dataflow.ELSEWHERE in offer.operation.attributes:
                ctx.sink.error(
                    offer,
                    "unsupported-op",
                    "an exchange that ends in another loop or branch is not compiled yet: its takers may come several"
                    " times or never",
                    notes=["produce and consume in one block"],
                )
        if not units:
            for offer in offers:
                message = f"device '{ctx.device.name}' has no unit between its cores"
                ctx.sink.error(offer, "no-route", message, notes=["give an exec_unit of it the role 'ring'"])
        if ctx.sink.has_errors:
            return
        kind = ctx.device.memory("lx").kind
        route = ir.ArrayAttr.get([ir.StringAttr.get(k) for k in (kind, units[0].kind, kind)])
        entry = op.regions[0].blocks[0]
        for number, offer in enumerate(offers):
            with offer.location, ir.InsertionPoint.at_block_begin(entry):
                tile = dataflow.TileIdOp.build().result
            again = any(around.name in _LOOPS for around in kernels.around(offer.operation, op))
            _Exchange(offer, tile, f"offer{number}", units[0].kind, route, again).run(entry)


_LOOPS = {"scf.for", "scf.while"}


class _Exchange:
    """One offer and its takes; ``again``: there may be another instance of it, so takers say when they are done."""

    def __init__(
        self, offer: dataflow.OfferOp, tile: ir.Value, name: str, unit: str, route: ir.Attribute, again: bool
    ) -> None:
        self.offer, self.tile, self.unit, self.route, self.again = offer, tile, unit, route, again
        self.ready, self.taken = f"{name}_ready", f"{name}_taken"
        self.location = offer.location

    def run(self, entry: ir.Block) -> None:
        """Replace all ops of it. Of what nobody takes, since it has no producers or no consumers, nothing is left."""
        offer, unit = self.offer, self.unit
        takes = [dataflow.TakeOp(use.owner.operation) for use in offer.result.uses]
        if not takes and not any(offer.lists):
            offer.operation.erase()
            return
        with self.location:
            with ir.InsertionPoint.at_block_begin(entry):
                for name in (self.ready, self.taken)[: 1 + self.again]:
                    dataflow.ChannelOp.build(sym_name=name, from_unit=unit, to_unit=unit, init=0, peers=True)
            with ir.InsertionPoint(offer.operation):
                held = self._copy()
                self._each_taker(lambda t: dataflow.PostOp.build(channel=self.ready, peer=t, unit=unit))
            for take in takes:
                self._take(take, held)
            if self.again:
                last = offer.operation.block.operations
                with ir.InsertionPoint(list(last)[-1].operation):
                    self._each_taker(lambda t: dataflow.WaitOp.build(channel=self.taken, peer=t, unit=unit))
        offer.operation.erase()

    def _copy(self) -> ir.Value:
        """The buffer of the offered value, which nothing else uses."""
        type_ = ir.RankedTensorType(self.offer.value.type)
        fresh = ops.alloc_tensor(type_, dataflow.LX, self.location)
        copy = ops.copy(self.offer.value, fresh, self.location).results[0]
        return ops.to_buffer(copy, buffers.in_lx(type_), self.location)

    def _take(self, take: dataflow.TakeOp, held: ir.Value) -> None:
        type_ = ir.RankedTensorType(take.result.type)
        with take.location, ir.InsertionPoint(take.operation):
            buffer = buffers.allocate(type_, "taken", take.location)
            dataflow.WaitOp.build(channel=self.ready, peer=take.source, unit=self.unit)
            dataflow.DataTransferOp.build(
                source=held, dest=buffer, get_from=take.source, route=self.route, unit=self.unit
            )
            if self.again:
                dataflow.PostOp.build(channel=self.taken, peer=take.source, unit=self.unit)
            value = ops.to_tensor(buffer, type_, take.location)
        take.result.replace_all_uses_with(value)
        take.operation.erase()

    def _each_taker(self, make: Callable[[ir.Value], object]) -> None:
        """A loop over those that take from the executing tile."""
        lists = self.offer.lists
        if not any(lists):
            return
        zero, one = (ops.index_constant(n, self.location) for n in (0, 1))
        end = tables.look_up([len(takers) for takers in lists], self.tile, self.location)
        loop = scf.ForOp(zero, end, one, loc=self.location).operation
        block = loop.regions[0].blocks[0]
        with ir.InsertionPoint(block):
            make(tables.look_up_in(lists, self.tile, block.arguments[0], self.location))
            scf.YieldOp([], loc=self.location)
