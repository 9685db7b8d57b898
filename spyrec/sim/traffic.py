"""Bytes that went through each memory and over each link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from spyrec.device.model import Link


@dataclass
class Counter:
    """Of one memory, all cores together: bytes that programs asked for, and bytes that moved for them."""

    read_asked: int = 0
    read_moved: int = 0
    written_asked: int = 0
    written_moved: int = 0

    def read(self, asked: int, moved: int | None = None) -> None:
        """Count a read of ``asked`` bytes for which ``moved`` bytes (as many if not given) moved."""
        self.read_asked += asked
        self.read_moved += asked if moved is None else moved

    def written(self, asked: int, moved: int | None = None) -> None:
        """Count a write, as :meth:`read`."""
        self.written_asked += asked
        self.written_moved += asked if moved is None else moved


@dataclass
class LinkCounter:
    """Bytes over one link, all cores together; ``within``: those asked for that neither come from device memory nor go
    there.
    """

    asked: int = 0
    within: int = 0
    moved: int = 0


SEVERAL = -1
"""In the place of a core: more than one."""


@dataclass
class TransferCounter(LinkCounter):
    """Of one instruction that moves bytes of device memory, as of a link. ``boxes``: where each box began, and the core
    that moved it; ``touched``: how often one was moved; ``clipped``: how often less than a whole one;
    ``filled``: bytes that went to LX beside those that came from device memory.
    """

    boxes: dict[int, int] = field(default_factory=dict)
    touched: int = 0
    clipped: int = 0
    filled: int = 0

    def first(self, address: int, core: int) -> bool:
        """Note that ``core`` moves the box at ``address``; whether it is the first to do so."""
        self.touched += 1
        owner = self.boxes.get(address)
        if owner is None:
            self.boxes[address] = core
        elif owner != core:
            self.boxes[address] = SEVERAL
        return owner is None


@dataclass
class Traffic:
    """The counters of a run: of memories and links that the program's instructions can use. ``ring`` has the bytes that
    moved over each link of the ring (:mod:`spyrec.device.ring`). ``transfers`` are those of device memory, by the unit
    and the number of the instruction.
    """

    transfers: dict[tuple[str, int], TransferCounter] = field(default_factory=dict)

    memories: dict[str, Counter] = field(default_factory=dict)
    links: dict[tuple[str, str], LinkCounter] = field(default_factory=dict)
    ring: dict[int, int] = field(default_factory=dict)

    def memory(self, name: str) -> Counter:
        """The counter of a memory: ``device``, ``lx`` or the kind of a stage."""
        return self.memories.setdefault(name, Counter())

    def transfer(self, unit: str, index: int) -> TransferCounter:
        """The counter of an instruction."""
        return self.transfers.setdefault((unit, index), TransferCounter())

    def along(self, links: Iterable[Link]) -> list[LinkCounter]:
        """The counters of some links."""
        return [self.links.setdefault((link.source, link.target), LinkCounter()) for link in links]

    def over_ring(self, links: Iterable[int], moved: int) -> None:
        """Count ``moved`` bytes over links of the ring."""
        for link in links:
            self.ring[link] = self.ring.get(link, 0) + moved
