"""A schedule reduced to what ordering is about: blocks of items, who accesses which bytes, and channels. No MLIR in
here.

A :class:`Block` is a list of items. An item is a :class:`Leaf` (one operation of one unit), a :class:`Loop` or a
:class:`Branch`. Items are numbered from 1; *position* ``p`` of a block is the gap after item ``p`` (0 is the start), so
a post right after item ``i`` is at position ``i`` and a wait right before item ``j`` is at position ``j - 1``. In one
gap posts count as standing before waits."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any

from spyrec.records import dataclass

if TYPE_CHECKING:
    from spyrec.passes.analysis.places import Place


@dataclass(eq=False, repr=False)
class Block:
    """A list of items that execute in order.

    ``loop`` is the loop whose body this is, if it is one. ``loops`` are all loops around the items, outermost first,
    ``loop`` included. ``ref`` is whatever the block was made from.
    """

    loops: tuple[Loop, ...] = ()
    loop: Loop | None = None
    items: list[Item] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    ref: Any = None


@dataclass(eq=False, repr=False)
class Item:
    """Common to all items: the block that holds it and its number there, from 1."""

    block: Block
    number: int
    ref: Any = None


@dataclass(eq=False, repr=False)
class Leaf(Item):
    """One operation of the unit numbered ``unit``, or a read that each of several ``units`` does for itself."""

    units: tuple[int, ...] = ()
    accesses: tuple[Access, ...] = ()


@dataclass(eq=False, repr=False)
class Loop(Item):
    """A loop. ``min_trips`` and ``max_trips`` bound its iterations; ``None`` is no upper bound. Loops of one execution
    of a block with equal ``trips`` run equally often; ``None``: nothing is known.

    One that is not ``counted`` runs while a condition holds, which the items of its body but the last one compute. The
    last one is a branch around what only happens when the condition holds.
    """

    body: Block = field(default_factory=Block)
    min_trips: int = 0
    max_trips: int | None = None
    counted: bool = True
    trips: Hashable = None


@dataclass(eq=False, repr=False)
class Branch(Item):
    """A choice: exactly one of ``arms`` executes (an absent ``else`` is an empty block)."""

    arms: tuple[Block, ...] = ()


@dataclass(frozen=True)
class Access:
    """Bytes that a leaf reads or writes. ``whole`` says that it surely touches every byte of ``place``.

    Other cores do so around what a leaf exchanges with them. A wait for one is only ``before`` others: what comes later
    has to come after it. A post to one is only ``after`` others.
    """

    place: Place
    write: bool
    whole: bool = True
    before: bool = True
    after: bool = True


@dataclass(eq=False, repr=False)
class Channel:
    """A channel whose one post and one wait stand in the same block, at positions ``post`` and ``wait``.

    Wait number ``k`` is matched by post number ``k - credits``, counted over all executions of the block.
    """

    source: int
    target: int
    credits: int
    post: int
    wait: int
    ref: Any = None


@dataclass(eq=False, repr=False)
class Program:
    """A whole function: its outermost block and the names of its units."""

    body: Block
    units: tuple[str, ...]


def blocks(block: Block) -> Iterator[Block]:
    """``block`` and all blocks inside it, inner ones first."""
    for item in block.items:
        for inner in bodies(item):
            yield from blocks(inner)
    yield block


def bodies(item: Item) -> tuple[Block, ...]:
    """The blocks directly inside an item."""
    if isinstance(item, Loop):
        return (item.body,)
    return item.arms if isinstance(item, Branch) else ()
