"""What the cores of one execution share below stage `kernel`: channels between cores, and buffers that others reach."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spyrec.interp.faults import Fault
from spyrec.interp.values import Buffer

if TYPE_CHECKING:
    from spyrec.interp.program import Program
    from spyrec.mlir import ir

WINDOW = 256
"""How many instances of a buffer another core may be behind."""

Seen = npt.NDArray[np.int64]


@dataclass(eq=False)
class Credits:
    """A channel from one core to another: what is left of its initial value, and the posts that nobody has taken.

    A post is the clock of the poster, which the waiter joins (None: there are no clocks).
    """

    op: ir.Operation
    start: int
    left: int
    posts: deque[Seen | None] = field(default_factory=deque)

    @property
    def count(self) -> int:
        """The counter."""
        return self.left + len(self.posts)

    def take(self) -> Seen | None:
        """Take 1, which has to be there; the clock to join, if it was a post."""
        if self.left:
            self.left -= 1
            return None
        return self.posts.popleft()


@dataclass(eq=False)
class Cores:
    """All cores of one execution. ``channels`` are ops of channels between cores, by name; ``programs`` those of the
    cores at stage ``program``.
    """

    count: int
    channels: dict[str, tuple[ir.Operation, int]] = field(default_factory=dict)
    programs: dict[int, Program] = field(default_factory=dict)
    _credits: dict[tuple[str, int, int], Credits] = field(default_factory=dict)
    _buffers: dict[tuple[int, int, int], Buffer] = field(default_factory=dict)
    _ordinals: dict[tuple[int, int], int] = field(default_factory=dict)

    def check(self, core: int, field: str) -> int:
        """``core``, which has to be one."""
        if not 0 <= core < self.count:
            raise Fault(
                "no-such-core", f"there is no core {core}; the kernel runs on cores 0 to {self.count - 1}", field
            )
        return core

    def credits(self, name: str, poster: int, waiter: int) -> Credits:
        """The channel called ``name`` from one core to another."""
        key = (name, poster, waiter)
        if key not in self._credits:
            if name not in self.channels:
                raise Fault("undefined-name", f"there is no channel @{name} between cores", "channel")
            op, init = self.channels[name]
            self._credits[key] = Credits(op, init, init)
        return self._credits[key]

    def balance(self) -> None:
        """Raise :class:`Fault` for a channel that does not end as it began."""
        for (name, poster, waiter), credits in self._credits.items():
            if credits.count != credits.start:
                fault = Fault(
                    "channel-misuse",
                    f"channel @{name} from core {poster} to core {waiter} starts at {credits.start} and ends at"
                    f" {credits.count}; they must be equal",
                )
                fault.op = credits.op
                raise fault

    # Buffers of stage `schedule` that other cores reach.

    def allocate(self, alloc: ir.Operation, core: int, shape: Sequence[int], element: str) -> Buffer:
        """The next instance of a buffer on a core."""
        key = (hash(alloc), core)
        ordinal = self._ordinals.get(key, -1) + 1
        self._ordinals[key] = ordinal
        self._buffers.pop((*key, ordinal - WINDOW), None)
        return self._instance((*key, ordinal), shape, element)

    def instance(self, alloc: ir.Operation, mine: int, core: int, shape: Sequence[int], element: str) -> Buffer:
        """That instance of a buffer on ``core`` which core ``mine`` has now; it may be ahead of the other core."""
        ordinal = self._ordinals[hash(alloc), mine]
        return self._instance((hash(alloc), core, ordinal), shape, element)

    def _instance(self, key: tuple[int, int, int], shape: Sequence[int], element: str) -> Buffer:
        if key not in self._buffers:
            self._buffers[key] = Buffer.unwritten(tuple(shape), element)
        return self._buffers[key]


def cores_of(tile: Any) -> Cores:
    """The cores that ``tile`` is one of."""
    exchange = tile.exchange
    if exchange.cores is None:
        exchange.cores = Cores(tile.count)
    cores: Cores = exchange.cores
    return cores
