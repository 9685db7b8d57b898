"""What channels imply, and the fewest of them that keep every hazard in order.

Time in a block is counted in items. For each point of a unit's program a *clock* says, per unit, up to which item that
unit is known to be done. Executions of a block follow one another with the items of one after those of the one before,
so item ``i`` of the execution ``k`` before the current one is at time ``i - k * (items + 1)``; time 0 is the start of
the current execution. A channel with ``k`` credits carries its poster's clock to its waiter, ``k`` executions later.
Clocks of the steady state answer every question about distances exactly: a unit is in order with itself, so of all
paths from another unit only the latest start counts.

Loops and branches inside a block are summarised: which units leave the item only after which others have entered it
(loops known to run, branches in both arms), and the masks of their entries. In a loop one knows besides what loops
before it that run as often leave behind when they run."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from spyrec.passes.analysis.hazards import BlockHazards, Entry, Hazard, Lift, find
from spyrec.passes.analysis.skeleton import Block, Branch, Channel, Item, Leaf, Loop, Program, blocks, bodies

_NEVER = -(1 << 62)

Clock = list[int]
"""Per unit, the time up to which it is known to be done."""

_Decide = Callable[[int, list[Clock], dict[Channel, Clock]], list[Channel]]


def needed(program: Program) -> set[Channel]:
    """Channels that keep every hazard of ``program`` in order, none of which the others make superfluous.

    Each hazard has to be covered by a channel of its own: from its source's item to its target's, with at most its
    distance as credits. A block in which one is not keeps all its channels."""
    pruner = _Pruner(program)
    find(program, pruner.settle)
    return pruner.kept


@dataclass
class _Clocks:
    """Clocks of a block's steady state: at the end of an execution, and before each item for the units that work in
    it.
    """

    end: list[Clock]
    enter: dict[int, dict[int, Clock]]
    posts: dict[Channel, Clock]


class _Pruner:
    """Chooses channels block by block, inner blocks first."""

    def __init__(self, program: Program) -> None:
        self.count = len(program.units)
        self.kept: set[Channel] = set()
        self._clocks: dict[Block, _Clocks] = {}
        self._active = _active_units(program.body)

    def settle(self, hazards: BlockHazards) -> Lift:
        """Choose the channels of one block, and say how its entries look from outside."""
        block = hazards.block
        through = {item: self._through(item) for item in block.items}
        sweeper = _Sweeper(block, self.count, self._active, through, self._alike(block))
        chosen = _choose(sweeper, hazards)
        if chosen is None:
            chosen = set(block.channels)
        clocks = self._clocks[block] = _without_idle(sweeper, chosen)
        self.kept |= chosen
        stride = sweeper.stride

        def source(entry: Entry) -> int:
            return sum(1 << v for v, clock in enumerate(clocks.end) if _knows(clock, entry.mask, entry.number))

        def target(entry: Entry) -> int:
            rows = [clocks.enter[entry.number][w] for w in _bits(entry.mask)]
            return sum(1 << u for u in range(self.count) if any(row[u] >= 0 for row in rows))

        def later(entry: Entry) -> dict[int, int]:
            rows = [clocks.enter[entry.number][w] for w in _bits(entry.mask)]
            found: dict[int, int] = defaultdict(int)
            for u in range(self.count):
                time = max(row[u] for row in rows)
                # Up to the start of the execution so many before: only where that is one of the same run of the loop.
                if _NEVER < time < 0:
                    found[-(time // stride)] |= 1 << u
            return found

        def settled(hazard: Hazard) -> bool:
            return _in_order(hazard, hazard.inside, clocks.enter[hazard.target.number], stride)

        return Lift(source, target, later, settled)

    def _alike(self, block: Block) -> dict[Item, list[tuple[int, int]]]:
        """Loops that may not run and that another loop of the block runs as often as, each with its pairs of units for
        when it does run.
        """
        unsure = [item for item in block.items if isinstance(item, Loop) and not item.min_trips and item.trips]
        often = Counter(loop.trips for loop in unsure)
        return {loop: self._through(loop, runs=True) for loop in unsure if often[loop.trips] > 1}

    def _through(self, item: Item, *, runs: bool = False) -> list[tuple[int, int]]:
        """Pairs of units: the second leaves ``item`` only after the first has entered it. ``runs``: if it is a loop, it
        runs at least once.
        """
        if isinstance(item, Leaf) or (isinstance(item, Loop) and not item.min_trips and not runs):
            return []
        pairs: set[tuple[int, int]] | None = None
        for body in bodies(item):
            stride = len(body.items) + 1
            first = -(max(1, item.min_trips) - 1) * stride if isinstance(item, Loop) else 0
            end = self._clocks[body].end
            known = {(x, w) for w, clock in enumerate(end) for x, time in enumerate(clock) if x != w and time >= first}
            pairs = known if pairs is None else pairs & known
        return sorted(pairs or ())


class _Sweeper:
    """Walks one block from start to end, any number of times, keeping the clocks of all units.

    ``through`` are the pairs of units of items, ``alike`` those of loops that run as often as others, for when they do.
    """

    def __init__(
        self,
        block: Block,
        count: int,
        active: dict[Item, list[int]],
        through: dict[Item, list[tuple[int, int]]],
        alike: dict[Item, list[tuple[int, int]]],
    ) -> None:
        self.block = block
        self.count = count
        self.active = active
        self.through = through
        self.alike = alike
        self.stride = len(block.items) + 1
        self.repeats = bool(block.loops)
        self.posts: dict[int, list[Channel]] = defaultdict(list)
        for channel in block.channels:
            self.posts[channel.post].append(channel)

    def steady(self, channels: Iterable[Channel]) -> _Clocks:
        """The clocks when only ``channels`` order anything."""
        waits: dict[int, list[Channel]] = defaultdict(list)
        for channel in channels:
            waits[channel.wait].append(channel)
        clocks = self.sweep(None, waits)
        # A longest path visits each unit once and wraps around at most twice per unit.
        for _ in range(2 * self.count + 2 if self.repeats else 0):
            again = self.sweep(clocks, waits)
            if again.end == clocks.end and again.posts == clocks.posts:
                return again
            clocks = again
        return clocks

    def sweep(self, before: _Clocks | None, waits: dict[int, list[Channel]], decide: _Decide | None = None) -> _Clocks:
        """One walk, ``before`` being the executions before. ``decide`` is called before each item and says which more
        channels are received there.
        """
        now = [self._start(w, before) for w in range(self.count)]
        result = _Clocks(now, {}, {})
        running: dict[Hashable, list[Clock]] = {}
        """Clocks for when loops with these trips run."""
        for position in range(self.stride):
            for channel in self.posts.get(position, ()):
                clock = now[channel.source].copy()
                clock[channel.source] = max(clock[channel.source], position)
                result.posts[channel] = clock
            received = waits.get(position, [])
            for clocks in (now, *running.values()):
                for channel in received:
                    self.receive(channel, clocks, result.posts, before)
            if position + 1 == self.stride:
                break
            item = self.block.items[position]
            trips = item.trips if isinstance(item, Loop) and item in self.alike else None
            inside = running.get(trips, now)
            if decide is not None:
                chosen = decide(position, inside, result.posts)
                for clocks in (now, *running.values()):
                    for channel in chosen:
                        self.receive(channel, clocks, result.posts, before)
            units = self.active[item]
            result.enter[item.number] = {w: inside[w].copy() for w in units}
            if trips is not None:
                running[trips] = [clock.copy() for clock in inside]
            for assumed, clocks in ((None, now), *running.items()):
                pairs = self.alike[item] if trips is not None and assumed == trips else self.through[item]
                entered = {w: clocks[w].copy() for w in units} if pairs else {}
                for x, w in pairs:
                    _join(clocks[w], entered[x], 0)
                for w in units:
                    clocks[w][w] = item.number
        return result

    def facts(self, clocks: _Clocks) -> object:
        """What clocks say, in which times between two items of a unit are one."""
        numbers = [[i.number for i in self.block.items if unit in self.active[i]] for unit in range(self.count)]

        def told(clock: Clock) -> list[tuple[int, int]]:
            found = []
            for time, own in zip(clock, numbers, strict=True):
                execution, at = divmod(time, self.stride)
                done = bisect_right(own, at)
                found.append((execution, done) if done else (execution - 1, len(own)) if own else (0, 0))
            return found

        inside = [(item, unit, told(clock)) for item, row in clocks.enter.items() for unit, clock in row.items()]
        return [told(clock) for clock in clocks.end], inside

    def receive(self, channel: Channel, now: list[Clock], posts: dict[Channel, Clock], before: _Clocks | None) -> None:
        """Let the waiter of ``channel`` know what its poster knew."""
        if channel.credits == 0:
            if channel in posts:
                _join(now[channel.target], posts[channel], 0)
        elif before is not None:
            _join(now[channel.target], before.posts[channel], -channel.credits * self.stride)

    def _start(self, unit: int, before: _Clocks | None) -> Clock:
        if before is None or not self.repeats:
            clock = [_NEVER] * self.count
        else:
            clock = [time - self.stride if time > _NEVER else time for time in before.end[unit]]
        clock[unit] = 0
        return clock


def _choose(sweeper: _Sweeper, hazards: BlockHazards) -> set[Channel] | None:
    """The fewest channels of the block for its hazards; ``None`` when one has no channel of its own and needs one.

    Distances are decided in ascending order: an order within one execution cannot come from channels with credits, nor
    one over ``k`` executions from channels with more than ``k``. Channels that are waited for at the end are for what
    comes after the block, and are weighed last."""
    kept = {channel for channel in hazards.block.channels if channel.wait == len(hazards.block.items)}
    by_distance: dict[int, dict[int, list[Hazard]]] = defaultdict(lambda: defaultdict(list))
    for number, found in hazards.within.items():
        by_distance[0][number] = found
    for hazard in hazards.carried:
        by_distance[hazard.distance][hazard.target.number].append(hazard)
    for distance in sorted(by_distance):
        chooser = _Chooser(sweeper, kept, by_distance[distance], distance)
        if not chooser.run():
            return None
    return kept


def _without_idle(sweeper: _Sweeper, chosen: set[Channel]) -> _Clocks:
    """The clocks of a block with ``chosen``, from which channels go that are waited for at its end and say nothing
    there that is not known."""
    clocks = sweeper.steady(chosen)
    ends = [channel for channel in chosen if channel.wait == len(sweeper.block.items)]
    for channel in sorted(ends, key=lambda channel: (channel.post, channel.source, channel.target)):
        without = sweeper.steady(chosen - {channel})
        if sweeper.facts(without) == sweeper.facts(clocks):
            chosen.remove(channel)
            clocks = without
    return clocks


class _Chooser:
    """Chooses channels for the hazards of one distance, given those chosen for smaller ones.

    Items are taken in order. A channel into a later item cannot help an earlier one at the same distance, so what is
    chosen before an item stays needed; only channels into the same item are weighed against one another."""

    def __init__(self, sweeper: _Sweeper, kept: set[Channel], hazards: dict[int, list[Hazard]], distance: int) -> None:
        self.sweeper = sweeper
        self.kept = kept
        self.hazards = hazards
        self.distance = distance
        self.before = sweeper.steady(kept) if distance else None
        self.waits: dict[int, list[Channel]] = defaultdict(list)
        self.own: dict[tuple[int, int, int], list[Channel]] = defaultdict(list)
        for channel in kept:
            self.waits[channel.wait].append(channel)
        for channel in sweeper.block.channels:
            if channel not in kept and channel.credits <= distance:
                self.own[channel.source, channel.target, channel.wait].append(channel)
        self.complete = True

    def run(self) -> bool:
        """Add to the kept channels; whether every hazard is in order with them."""
        self.sweeper.sweep(self.before, self.waits, self._before_item)
        return self.complete

    def _before_item(self, position: int, known: list[Clock], posts: dict[Channel, Clock]) -> list[Channel]:
        """The channels that are to be received before an item at which ``known`` is known."""
        stride = self.sweeper.stride
        open_ = [h for h in self.hazards.get(position + 1, ()) if not _in_order(h, self.distance, known, stride)]
        if not open_:
            return []
        now = [clock.copy() for clock in known]
        chosen: list[Channel] = []
        # The latest source first: its channel covers earlier ones of the same unit.
        for hazard in sorted(open_, key=lambda h: -h.source.number):
            if not _in_order(hazard, self.distance, now, stride):
                channel = self._covering(hazard, position)
                if channel is not None:
                    chosen.append(channel)
                    self.sweeper.receive(channel, now, posts, self.before)
        covered = [h for h in open_ if _in_order(h, self.distance, now, stride)]
        self.complete &= len(covered) == len(open_)
        for channel in list(chosen):
            rest = [other for other in chosen if other is not channel]
            if not rest:
                break
            trial = [clock.copy() for clock in known]
            for other in rest:
                self.sweeper.receive(other, trial, posts, self.before)
            if all(_in_order(h, self.distance, trial, stride) for h in covered):
                chosen = rest
        self.kept.update(chosen)
        return chosen

    def _covering(self, hazard: Hazard, position: int) -> Channel | None:
        """The channel made for ``hazard``: with the most credits, the earliest post."""
        found = [
            channel
            for channel in self.own.get((hazard.source.unit, hazard.target.unit, position), ())
            if hazard.source.number <= channel.post and (channel.credits or channel.post <= channel.wait)
        ]
        return max(found, key=lambda channel: (channel.credits, -channel.post), default=None)


def _in_order(hazard: Hazard, distance: int, clocks: list[Clock] | dict[int, Clock], stride: int) -> bool:
    """Whether a unit that stands for the target knows that the source is done, ``distance`` executions of the block
    before.
    """
    time = hazard.source.number - distance * stride
    return any(_knows(clocks[w], hazard.source.mask, time) for w in _bits(hazard.target.mask))


def _knows(clock: Clock, units: int, time: int) -> bool:
    return max([clock[u] for u in _bits(units)], default=_NEVER) >= time


@functools.lru_cache(maxsize=4096)
def _bits(mask: int) -> tuple[int, ...]:
    return tuple(unit for unit in range(mask.bit_length()) if mask >> unit & 1)


def _join(into: Clock, other: Clock, shift: int) -> None:
    for unit, time in enumerate(other):
        if time + shift > into[unit] and time > _NEVER:
            into[unit] = time + shift


def _active_units(body: Block) -> dict[Item, list[int]]:
    """The units that work or synchronise in each item, at any depth."""
    inside: dict[Block, set[int]] = {}
    active: dict[Item, list[int]] = {}
    for block in blocks(body):
        units = {unit for channel in block.channels for unit in (channel.source, channel.target)}
        for item in block.items:
            if isinstance(item, Leaf):
                mine = set(item.units)
            else:
                assert isinstance(item, Loop | Branch)
                mine = set().union(*(inside[inner] for inner in bodies(item)))
            active[item] = sorted(mine)
            units |= mine
        inside[block] = units
    return active
