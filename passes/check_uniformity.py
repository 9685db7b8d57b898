"""Tiles that exchange values come to the exchange together, or the kernel is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import ktdp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.exchanges import NotStatic, exchange_of
from spyrec.passes.analysis.uniformity import Divergence, Uniformity
from spyrec.passkit import Pass, PassContext


@dataclass
class CheckUniformity(Pass):
    """Refuse inter-tile ops under control flow that the tiles of a group do not take alike.

    Executions of an op on several tiles belong together by their number. Under a condition or a bound that differs
    within the group, the numbers say nothing, and a tile would wait for one that never comes. Which scalars are the
    same on which tiles is found by :mod:`spyrec.passes.analysis.uniformity`.

    Refused, for example::

        %low = arith.cmpi slt, %tile, %c2 : index
        scf.if %low {
          %s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, ...

    with ``tiles 0 and 2 of group 0 do not take the scf.if around it alike``. It changes nothing: the IR after is the IR
    before."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        uniform = Uniformity(op)
        for take in kernels.views(op, ktdp.InterTileConsumeOp, ktdp.InterTileReduceOp, bodies=True):
            try:
                exchange = exchange_of(take, uniform.tiles)
            except NotStatic:
                continue  # resolve-exchange says so
            for group in exchange.groups:
                for member in (exchange.produce, take):
                    found = uniform.divergence(member.operation, group.members) if group.members else None
                    if found is not None:
                        self._refuse(ctx, member, group.number, found)
                        break
                else:
                    continue
                break

    @staticmethod
    def _refuse(ctx: PassContext, op: ir.OpView, group: int, found: Divergence) -> None:
        control = found.control
        known = found.values if None not in found.values else None
        what = f": what decides it is {known[0]} on one and {known[1]} on the other" if known else ""
        ctx.sink.error(
            op,
            "divergent-exchange",
            f"tiles {found.tiles[0]} and {found.tiles[1]} of group {group} exchange values here, and do not take the"
            f" {control.name} around it alike{what}",
            notes=[
                (control, "decided here"),
                "move the exchange out of it, or let the condition be the same on all tiles of the group",
            ],
        )
