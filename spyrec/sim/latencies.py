"""Where durations come from: the device's numbers as they are, or drawn at random around them."""

from __future__ import annotations

import random


class Latencies:
    """Durations as the device model gives them."""

    def cycles(self, nominal: int) -> int:
        """The duration of something that nominally takes ``nominal`` cycles."""
        return nominal

    def flow(self, size: int, cap: int) -> tuple[float, float]:
        """How many bytes a transfer of ``size`` bytes counts as, and the bytes per cycle that its links carry."""
        return size, cap

    def pick(self, count: int) -> int:
        """Which of ``count`` units that can go on does so first."""
        return 0


class Shuffled(Latencies):
    """Durations and arbitration drawn from ``seed``: from nothing to far above nominal, now and then a long stall.

    Values computed and faults found do not depend on them; that is what this is for.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def cycles(self, nominal: int) -> int:
        draw = self._random.random()
        if draw < 0.1:
            return 0
        if draw > 0.97:
            return self._random.randrange(1000, 10_000)
        return self._random.randrange(1 + 4 * max(nominal, 4))

    def flow(self, size: int, cap: int) -> tuple[float, float]:
        return size * (0.1 + 4 * self._random.random()), cap / (1 << self._random.randrange(4))

    def pick(self, count: int) -> int:
        return self._random.randrange(count) if count > 1 else 0
