"""Instances of buffers: how deep a buffer can be, and which instance an iteration uses.

The instance of an allocation in the body of a loop is the number of the iteration, counted over all executions of that
loop. A program can tell that number from its loop counters when each loop inside another has the same number of
iterations every time it is entered. Where that does not hold, a buffer of several slots could not find its slot: its
effective depth is 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from spyrec.passes.analysis.skeleton import Block, Loop


def effective_depth(requested: int, block: Block, varies: Mapping[Loop, frozenset[Loop]]) -> int:
    """The depth that an allocation in ``block`` can have.

    ``varies`` gives, per loop, the loops on whose iterations its number of iterations depends.
    """
    loops = block.loops
    if not all(loop.counted for loop in loops) or not loops:
        return 1
    for outer, inner in pairwise(loops):
        # Under a condition a loop may be skipped, and then the count of its iterations jumps.
        if inner.block.loop is not outer or varies[inner] & frozenset(loops):
            return 1
    return requested
