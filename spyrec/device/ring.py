"""The ring between the cores: which links a transfer passes.

Link ``2 * c`` goes from core ``c`` to the next one, link ``2 * c + 1`` to the one before. A transfer takes the shorter
way, the forward one of two equal ones; a multicast uses each link on its way once.
"""

from __future__ import annotations

from collections.abc import Iterable


def way(source: int, target: int, cores: int) -> tuple[int, ...]:
    """The links from one core to another on a ring of ``cores``."""
    ahead = (target - source) % cores
    if ahead <= cores - ahead:
        return tuple(2 * ((source + k) % cores) for k in range(ahead))
    return tuple(2 * ((source - k) % cores) + 1 for k in range(cores - ahead))


def tree(source: int, targets: Iterable[int], cores: int) -> tuple[tuple[int, ...], int]:
    """The links that a multicast passes, each once and in order, and the hops to the farthest core."""
    ways = [way(source, target, cores) for target in targets]
    return tuple(dict.fromkeys(link for path in ways for link in path)), max(map(len, ways), default=0)
