"""Channels between cores: one counter for each ordered pair of cores."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.isa import Channel as Declared
from spyrec.sim.faults import UnitStops
from spyrec.sim.units import Channel


class Peers:
    """All channels between cores, made when first named: by number, core that posts, core that waits."""

    def __init__(self, declared: Sequence[Declared], tiles: int) -> None:
        self._declared = declared
        self.tiles = tiles
        self.live: dict[tuple[int, int, int], Channel] = {}

    def find(self, number: int, poster: int, waiter: int) -> Channel:
        """The channel from one core to another."""
        key = (number, poster, waiter)
        if key not in self.live:
            for core in (poster, waiter):
                if not 0 <= core < self.tiles:
                    raise UnitStops(
                        "no-such-core", f"channel names core {core}; the program runs on {self.tiles} cores"
                    )
            declared = self._declared[number]
            self.live[key] = Channel(
                declared.name, number, declared.init, poster, f"{declared.name} {poster}->{waiter}"
            )
        return self.live[key]
