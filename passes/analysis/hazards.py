"""Pairs of accesses on different units whose order matters, found block by block without looking at all pairs.

The conflicts of a program are too many to list, but few of them say something new: once a write to a place is ordered
after everything before it, what is ordered after the write is ordered after all of that. So each block keeps, per
place, only the accesses since the last sure write (as *sources* of later hazards) and those before the first one (as
*targets* of hazards that a loop carries). The hazards that come out imply the order of every conflicting pair.

A hazard is a fact about one block: after item ``source.number`` on one unit, before item ``target.number`` on another,
in the same execution of the block (distance 0) or ``distance`` executions later. Accesses inside loops and branches
take part as *entries* of the item that holds them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import field
from itertools import combinations

from spyrec.passes.analysis.overlap import across, overlapping
from spyrec.passes.analysis.places import (
    BoxPlace,
    BufferPlace,
    PartPlace,
    Place,
    Relation,
    buffer_of,
    first_iteration,
    moves,
    relate,
)
from spyrec.passes.analysis.skeleton import Access, Block, Item, Leaf, Loop, Program, blocks, bodies
from spyrec.records import dataclass, replace

_KINDS = 16
"""Steps of addresses that are told from one another."""


@dataclass(eq=False, repr=False)
class Entry:
    """An access as an item of some block shows it.

    ``sure``: every execution of the block performs it, on the same bytes that an access to ``place`` elsewhere in the
    block means. ``mask`` is a set of units as bits. For a source: units whose passing the end of the item implies that
    the access is done. For a target: units that the access is known to come after, as far as they had come when they
    entered the item."""

    place: Place
    unit: int
    write: bool
    number: int
    sure: bool
    whole: bool
    mask: int
    leaf: Leaf
    every_slot: bool = False
    """Whether each execution of the item performs it on all slots of its buffer."""
    origin: Block | None = None
    """The block inside the item that it comes from, when the item is a loop or a branch."""
    late: tuple[Late, ...] = ()
    """For a target: what is only known of later iterations of loops around it."""

    def seen_from(self, item: int, mask: int, sure: bool, every_slot: bool, origin: Block | None) -> Entry:
        """The entry as that of another item, by number."""
        # Entries are what a program has most of; dataclasses.replace asks for each field by name.
        return Entry(
            self.place, self.unit, self.write, item, sure, self.whole, mask, self.leaf, every_slot, origin, self.late
        )

    def masked(self, mask: int, late: tuple[Late, ...] = ()) -> Entry:
        """The entry with another mask."""
        entry = self.seen_from(self.number, mask, self.sure, self.every_slot, self.origin)
        entry.late = late
        return entry

    def met_by(self, source: Entry, loops: tuple[Loop, ...]) -> Entry:
        """The target as it is in all iterations in which it can meet ``source``, which is in an item before; ``loops``
        are those around both."""
        mask = self.mask
        for late in self.late:
            if late.iteration <= first_iteration(source.place, self.place, late.loop, loops):
                mask |= late.mask
        return self if mask == self.mask else self.masked(mask)


@dataclass(frozen=True)
class Late:
    """From ``iteration`` of an execution of ``loop`` on, an access in it comes after the units of ``mask``, too, as far
    as they had come when they entered the item.
    """

    loop: Loop
    iteration: int
    mask: int


@dataclass(frozen=True, eq=False)
class Hazard:
    """``target`` must come after ``source``, ``distance`` executions of the block later (0: in the same one).

    Until it has been brought up to the body of ``loop``, the loop that carries it, ``distance`` counts iterations of
    that loop, and ``inside`` executions of the block that it is in now."""

    source: Entry
    target: Entry
    distance: int
    loop: Loop | None = None
    inside: int = 1


@dataclass
class BlockHazards:
    """The hazards of one block: ``within`` one execution by number of the target item, ``carried`` by the loop whose
    body it is.
    """

    block: Block
    within: dict[int, list[Hazard]] = field(default_factory=dict)
    carried: list[Hazard] = field(default_factory=list)


@dataclass
class Lift:
    """How facts of a block look from the item that holds it.

    ``source`` and ``target`` give the mask of an entry one level up; ``later``, for a block that is a loop's body, what
    is added to that of a target by iterations before, by their number; ``settled`` says that a hazard which a loop
    further out carries is taken care of inside the block already."""

    source: Callable[[Entry], int]
    target: Callable[[Entry], int]
    later: Callable[[Entry], dict[int, int]]
    settled: Callable[[Hazard], bool]


Settle = Callable[[BlockHazards], Lift]
"""Called with the hazards of each block, inner blocks first."""


def own_unit(_: BlockHazards) -> Lift:
    """Nothing is known about order inside: only the unit of an access speaks for it."""
    return Lift(lambda entry: 1 << entry.unit, lambda entry: 1 << entry.unit, lambda _: {}, lambda _: False)


def find(program: Program, settle: Settle = own_unit) -> None:
    """Hand the hazards of every block of ``program`` to ``settle``, inner blocks first."""
    _Finder(Cells(_contended(program)), settle).block(program.body)


@dataclass
class _Seen:
    """What a block shows to the outside."""

    sources: list[Entry] = field(default_factory=list)
    targets: list[Entry] = field(default_factory=list)
    outer: list[Hazard] = field(default_factory=list)


class _Finder:
    """One walk over a program."""

    def __init__(self, cells: Cells, settle: Settle) -> None:
        self.cells = cells
        self.settle = settle

    def block(self, block: Block) -> _Seen:
        """Find and settle the hazards of ``block`` and all inside it."""
        scan = _Scan(block, self.cells)
        outer: list[Hazard] = []
        for item in block.items:
            if isinstance(item, Leaf):
                sources, targets = (
                    _entries(item, [access for access in accesses if access.place in self.cells])
                    for accesses in ([a for a in item.accesses if a.before], [a for a in item.accesses if a.after])
                )
                scan.item(item, sources, targets)
            else:
                seen = self._inside(item)
                outer += seen.outer
                scan.item(item, seen.sources, seen.targets)
        scan.around()
        hazards = scan.hazards
        for hazard in outer:
            (hazards.carried if hazard.loop is block.loop else scan.outer).append(hazard)
        lift = self.settle(hazards)
        return _Seen(
            [entry.masked(lift.source(entry)) for entry in _unique(scan.sources.values())],
            [_lifted_target(entry, block, lift) for entry in _unique(scan.targets.values())],
            [
                replace(
                    hazard,
                    source=hazard.source.masked(lift.source(hazard.source)),
                    target=hazard.target.masked(lift.target(hazard.target)),
                )
                for hazard in scan.outer
                if not lift.settled(hazard)
            ],
        )

    def _inside(self, item: Item) -> _Seen:
        """What the blocks of a loop or branch show, as entries of the item."""
        seen = _Seen()
        for body in bodies(item):
            inner = self.block(body)
            seen.sources += _weakest(_raised(entry, item, body) for entry in inner.sources)
            seen.targets += _weakest(_raised(entry, item, body) for entry in inner.targets)
            seen.outer += [
                replace(h, source=_raised(h.source, item, body), target=_raised(h.target, item, body), inside=1)
                for h in inner.outer
            ]
        return seen


class _Scan:
    """Collects the hazards of one block while its items are handed in in order."""

    def __init__(self, block: Block, cells: Cells) -> None:
        self.block = block
        self.cells = cells
        self.hazards = BlockHazards(block)
        self.outer: list[Hazard] = []
        self.sources: dict[Hashable, list[Entry]] = defaultdict(list)
        self.targets: dict[Hashable, list[Entry]] = defaultdict(list)
        self._relations: dict[tuple[Place, Place], Relation] = {}

    def item(self, item: Item, sources: list[Entry], targets: list[Entry]) -> None:
        """The next item with what it shows to later and to earlier ones."""
        found: dict[tuple[int, int], Hazard] = {}
        for target in targets:
            for cell in self.cells.near(target.place):
                for source in self.sources.get(cell, ()):
                    if _conflict(source, target) and self._relate(source, target).together:
                        met = target.met_by(source, self.block.loops)
                        found.setdefault((id(source), id(target)), Hazard(source, met, 0))
        if found:
            self.hazards.within[item.number] = list(found.values())
        for target in targets:
            for cell in self.cells.of(target.place):
                kept = self.targets[cell]
                # All that conflicts with it from iterations before is ordered once that of the earlier one is.
                if not any(_shadows_source(earlier, target) for earlier in kept):
                    kept.append(target)
        for source in sources:
            for cell in self.cells.of(source.place):
                kept = [old for old in self.sources[cell] if not _shadows_source(source, old)]
                self.sources[cell] = [*kept, source]

    def around(self) -> None:
        """All items are in: add what the loops around the block carry."""
        if not self.block.loops:
            return
        found: dict[tuple[int, int], tuple[Entry, Entry]] = {}
        for targets in list(self.targets.values()):
            for target in targets:
                for cell in self.cells.near(target.place):
                    for source in self.sources.get(cell, ()):
                        # The block that both are in has seen the pair already; arms of a branch are two blocks.
                        nested = source.origin is target.origin is not None
                        if _conflict(source, target) and not nested:
                            found.setdefault((id(source), id(target)), (source, target))
        for source, target in found.values():
            for carried in self._relate(source, target).carried:
                # In a branch the block executes less often than the loop's body.
                inside = carried.inside if self.block.loop is self.block.loops[-1] else 1
                hazard = Hazard(source, target, carried.distance, carried.loop, inside)
                (self.hazards.carried if carried.loop is self.block.loop else self.outer).append(hazard)

    def _relate(self, source: Entry, target: Entry) -> Relation:
        key = (source.place, target.place)
        if key not in self._relations:
            self._relations[key] = relate(*key, self.block.loops)
        return self._relations[key]


def _lifted_target(entry: Entry, block: Block, lift: Lift) -> Entry:
    late = [Late(known.loop, known.iteration, lift.target(entry.masked(known.mask))) for known in entry.late]
    if block.loop is not None and moves(entry.place, block.loop):
        late += [Late(block.loop, iteration, mask) for iteration, mask in lift.later(entry).items()]
    return entry.masked(lift.target(entry), tuple(late))


def _conflict(source: Entry, target: Entry) -> bool:
    return source.unit != target.unit and (source.write or target.write)


def _shadows_source(later: Entry, earlier: Entry) -> bool:
    """Whether all that conflicts with ``earlier`` and comes after ``later`` is ordered once ``later``'s hazards are."""
    # What happens inside one item has no order here.
    if later.number == earlier.number or not (later.sure and later.whole) or not _same_bytes(later, earlier):
        return False
    if later.write:
        return True
    return later.unit == earlier.unit and not earlier.write and later.place is earlier.place


def _same_bytes(writer: Entry, other: Entry) -> bool:
    """Whether the writer touches all bytes of a common cell that the other may touch.

    A buffer of several slots fills one of them; another buffer may lie in the others. A part of a buffer is less than
    any cell.
    """
    place, theirs = writer.place, other.place
    if place is theirs:
        return True
    if isinstance(place, PartPlace):
        return False
    if isinstance(theirs, PartPlace) and theirs.buffer is place and not theirs.any_slot:
        return True
    return not isinstance(place, BufferPlace) or place.depth == 1 or writer.every_slot


def _entries(leaf: Leaf, accesses: Iterable[Access]) -> list[Entry]:
    return [
        Entry(access.place, unit, access.write, leaf.number, True, access.whole, 1 << unit, leaf)
        for access in accesses
        for unit in leaf.units
    ]


def _raised(entry: Entry, item: Item, body: Block) -> Entry:
    """The entry as one of ``item``, the loop or branch around ``body``."""
    if not isinstance(item, Loop):
        return entry.seen_from(item.number, entry.mask, False, entry.every_slot, body)
    every_slot = entry.every_slot
    buffer = buffer_of(entry.place)
    if buffer is not None and buffer.loop is item:
        every_slot = item.min_trips >= buffer.depth
    sure = entry.sure and item.min_trips > 0 and (every_slot or not _varies(entry.place, item))
    return entry.seen_from(item.number, entry.mask, sure, every_slot and sure, body)


def _varies(place: Place, loop: Loop) -> bool:
    """Whether the bytes that ``place`` stands for are others in another iteration of ``loop``."""
    buffer = buffer_of(place)
    if buffer is not None:
        return buffer.loop is not None and (buffer.loop is loop or loop in buffer.loop.block.loops)
    return not isinstance(place, BoxPlace) or any(loop in variable.loops for variable, _ in place.variables)


def _unique(lists: Iterable[list[Entry]]) -> Iterator[Entry]:
    seen: dict[int, Entry] = {id(entry): entry for entries in lists for entry in entries}
    yield from seen.values()


def _weakest(entries: Iterable[Entry]) -> list[Entry]:
    """The entries without those whose hazards others of the same kind imply: a smaller mask is harder to satisfy."""
    groups: dict[tuple[Place, int, bool, tuple[Late, ...]], list[Entry]] = defaultdict(list)
    for entry in entries:
        group = groups[entry.place, entry.unit, entry.write, entry.late]
        if not any(other.mask & entry.mask == other.mask for other in group):
            group[:] = [other for other in group if entry.mask & other.mask != entry.mask]
            group.append(entry)
    return [entry for group in groups.values() for entry in group]


class Cells:
    """Where to look for what may overlap a place.

    A cell is bytes of LX or of a stage that one and the same set of buffers covers; parts of a buffer are in all of its
    cells. In device memory each place is its own cell, and its neighbours are the places that it may meet in any
    iterations."""

    def __init__(self, places: Iterable[Place]) -> None:
        places = tuple(dict.fromkeys(places))
        self._of: dict[Place, tuple[Hashable, ...]] = {}
        self._near: dict[Place, tuple[Hashable, ...]] = {}
        buffers: dict[str, list[BufferPlace]] = defaultdict(list)
        for buffer in dict.fromkeys(b for p in places if (b := buffer_of(p)) is not None):
            buffers[buffer.memory].append(buffer)
        for together in buffers.values():
            self._buffers(together)
        for place in places:
            if isinstance(place, PartPlace):
                self._of[place] = self._near[place] = self._of[place.buffer]
        self._boxes([p for p in places if buffer_of(p) is None])

    def __contains__(self, place: Place) -> bool:
        return place in self._of

    def of(self, place: Place) -> tuple[Hashable, ...]:
        """The cells that ``place`` covers."""
        return self._of[place]

    def near(self, place: Place) -> tuple[Hashable, ...]:
        """The cells in which a conflicting access may have been entered."""
        return self._near[place]

    def _buffers(self, buffers: list[BufferPlace]) -> None:
        edges: dict[int, list[tuple[bool, BufferPlace]]] = defaultdict(list)
        for buffer in buffers:
            for slot in range(buffer.depth if buffer.size else 0):
                start = buffer.address + slot * buffer.slot_bytes
                edges[start].append((True, buffer))
                edges[start + buffer.size].append((False, buffer))
        active: dict[BufferPlace, int] = defaultdict(int)
        cells: dict[BufferPlace, dict[Hashable, None]] = {buffer: {} for buffer in buffers}
        for at in sorted(edges):
            for opens, buffer in edges[at]:
                active[buffer] += 1 if opens else -1
            covering = tuple(buffer for buffer, count in active.items() if count)
            active = defaultdict(int, {buffer: active[buffer] for buffer in covering})
            for buffer in covering:
                cells[buffer][covering] = None
        for buffer in buffers:
            self._of[buffer] = self._near[buffer] = tuple(cells[buffer])

    def _boxes(self, places: list[Place]) -> None:
        near: dict[Place, dict[Hashable, None]] = {place: {place: None} for place in places}
        for a, b in _neighbours(places):
            near[a][b] = None
            near[b][a] = None
        for place in places:
            self._of[place] = (place,)
            self._near[place] = tuple(near[place])


def _contended(program: Program) -> list[Place]:
    """The places whose accesses can conflict: all buffers, and device memory that two units access and one writes."""
    buffers: dict[Place, None] = {}
    groups: dict[int | None, dict[Place, None]] = defaultdict(dict)
    units: dict[int | None, set[int]] = defaultdict(set)
    written: set[int | None] = set()
    for block in blocks(program.body):
        leaves = [item for item in block.items if isinstance(item, Leaf)]
        for item in leaves:
            for access in item.accesses:
                if buffer_of(access.place) is not None:
                    buffers[access.place] = None
                    continue
                base = _own_base(access.place)
                groups[base][access.place] = None
                units[base].update(item.units)
                if access.write:
                    written.add(base)
    if None in groups:
        # What may be anywhere may be in any group.
        everyone = len(set().union(*units.values())) > 1 and bool(written)
        return [*buffers, *(place for group in groups.values() for place in group if everyone)]
    return [
        *buffers,
        *(place for base, group in groups.items() for place in group if len(units[base]) > 1 and base in written),
    ]


def _own_base(place: Place) -> int | None:
    """The argument whose memory the place is in for sure, and in no other's."""
    return place.base if isinstance(place, BoxPlace) and not place.may_alias else None


def _neighbours(places: list[Place]) -> Iterator[tuple[Place, Place]]:
    """Pairs of device places that may meet in some iterations."""
    groups: dict[int | None, list[BoxPlace]] = defaultdict(list)
    for place in places:
        if isinstance(place, BoxPlace):
            groups[place.base].append(place)
    for group in groups.values():
        yield from _neighbours_of_base(group)
    unknown = [place for place in places if not isinstance(place, BoxPlace)]
    yield from combinations(unknown, 2)
    yield from ((a, b) for a in unknown for group in groups.values() for b in group)
    for (one, some), (two, others) in combinations(groups.items(), 2):
        apart = one is not None and two is not None
        yield from ((a, b) for a in some for b in others if not apart or a.may_alias or b.may_alias)


def _parts(places: list[BoxPlace]) -> Iterator[list[BoxPlace]]:
    """The places, which are relative to one base, in parts: those of two never meet, whatever the iterations."""
    counts = Counter(term for place in places for term in place.variables if not term[0].loops)
    # What no iteration changes, and all add, moves all alike.
    common = {term for term, count in counts.items() if count == len(places)}
    bounds = []
    for number, place in enumerate(places):
        low: float
        high: float
        low, high = place.span
        for variable, factor in place.variables:
            if (variable, factor) in common:
                continue
            ends = [math.inf if end is None else end * factor for end in (variable.low, variable.high)]
            low, high = (-math.inf, math.inf) if math.inf in ends else (low + min(ends), high + max(ends))
        bounds.append((low, high, number))
    part: list[int] = []
    reach = -math.inf
    for low, high, number in sorted(bounds):
        if part and low >= reach:
            yield [places[k] for k in sorted(part)]
            part = []
        part.append(number)
        reach = max(reach, high)
    if part:
        yield [places[k] for k in sorted(part)]


def _neighbours_of_base(places: list[BoxPlace]) -> Iterator[tuple[BoxPlace, BoxPlace]]:
    """Pairs of places that are relative to one base."""
    # What may be anywhere says nothing about two others: only places that move alike are compared with one another.
    kinds: dict[int, list[BoxPlace]] = defaultdict(list)
    for place in places:
        kinds[math.gcd(*(factor for _, factor in place.variables))].append(place)
    if len(kinds) > _KINDS:
        moving = [place for step, some in kinds.items() if step for place in some]
        kinds = {0: kinds.get(0, []), math.gcd(*kinds): moving}
    for step, some in kinds.items():
        for part in _parts(some):
            pieces = (piece for place in part for piece in _pieces(place, step, True))
            yield from ((a, b) for a, b in overlapping(pieces) if a is not b)
    for (step, some), (other, others) in combinations(kinds.items(), 2):
        ours = set(map(id, some))
        for part in _parts([*some, *others]):
            modulus = math.gcd(step, other)
            yield from across(piece for place in part for piece in _pieces(place, modulus, id(place) in ours))


def _pieces(place: BoxPlace, modulus: int, flag: bool) -> Iterator[tuple[int, int, bool, BoxPlace]]:
    """The bytes of a place, modulo what all variable parts of addresses are multiples of."""
    low, high = place.span
    start = low % modulus if modulus else low
    end = start + high - low
    if modulus and end - start >= modulus:
        yield 0, modulus, flag, place
        return
    yield start, min(end, modulus) if modulus else end, flag, place
    if modulus and end > modulus:
        yield 0, end - modulus, flag, place
