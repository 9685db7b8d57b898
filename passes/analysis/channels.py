"""Channels for hazards: where each posts and waits, and what it is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from spyrec.passes.analysis.hazards import BlockHazards, Hazard, Lift, find, own_unit
from spyrec.passes.analysis.places import buffer_of
from spyrec.passes.analysis.skeleton import Block, Branch, Program


@dataclass(eq=False)
class Wanted:
    """A channel that keeps ``hazards`` in order: the post is right after item ``post``, the wait right before item
    ``wait + 1``.
    """

    block: Block
    source: int
    target: int
    credits: int
    post: int
    wait: int
    hazards: list[Hazard] = field(default_factory=list)

    @property
    def stem(self) -> str:
        """A name for people: what the wait waits for."""
        hazard = self.hazards[0]
        source, target = hazard.source, hazard.target
        buffer = buffer_of(source.place)
        if buffer is not None and buffer is not buffer_of(target.place):
            return f"{source.place.name}_to_{target.place.name}"
        if buffer is not None:
            if source.write:
                return f"{target.place.name}_{'over' if target.write else 'full'}"
            return f"{target.place.name}_free"
        if source.write:
            return f"{source.place.name}_stored"
        return f"{source.place.name}_loaded"


def wanted(program: Program) -> list[Wanted]:
    """One channel for each way in which hazards of ``program`` ask for one, outer blocks last, in order of their
    waits.
    """
    found: dict[tuple[Block, int, int, int, int, int], Wanted] = {}

    def settle(hazards: BlockHazards) -> Lift:
        block = hazards.block
        for hazard in _of(hazards):
            units = hazard.source.unit, hazard.target.unit
            key = (block, *units, hazard.distance, hazard.source.number, hazard.target.number - 1)
            tail = _tail(block)
            if tail is not None and hazard.source.number == len(block.items):
                # What stands behind it is not executed as often as what the loop begins with.
                key = (tail, *units, 0, len(tail.items), len(tail.items))
            found.setdefault(key, Wanted(*key)).hazards.append(hazard)
        return own_unit(hazards)

    find(program, settle)
    return list(found.values())


def _tail(block: Block) -> Block | None:
    """What a loop that runs while a condition holds does when it does, if ``block`` is its body."""
    if block.loop is None or block.loop.counted:
        return None
    last = block.items[-1]
    assert isinstance(last, Branch)
    return last.arms[0]


def _of(hazards: BlockHazards) -> Iterator[Hazard]:
    for number in sorted(hazards.within):
        yield from hazards.within[number]
    yield from sorted(hazards.carried, key=lambda hazard: (hazard.target.number, hazard.source.number))
