"""Pairs of accesses on different units whose order matters, found block by block without looking at all pairs.

The conflicts of a program are too many to list, but few of them say something new: once a write to a place is ordered
after everything before it, what is ordered after the write is ordered after all of that. So each block keeps, per
place, only the accesses since the last sure write (as *sources* of later hazards) and those before the first one (as
*targets* of hazards that a loop carries). The hazards that come out imply the order of every conflicting pair.

A hazard is a fact about one block: after item ``source.number`` on one unit, before item ``target.number`` on another,
in the same execution of the block (distance 0) or ``distance`` executions later. Accesses inside loops and branches
take part as *entries* of the item that holds them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from spyrec.passes.analysis.places import BoxPlace, BufferPlace, Place, Relation, relate
from spyrec.passes.analysis.skeleton import Block, Item, Leaf, Loop, Program, bodies


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
    origin: Block | None = None
    """The block inside the item that it comes from, when the item is a loop or a branch."""


@dataclass(frozen=True, eq=False)
class Hazard:
    """``target`` must come after ``source``, ``distance`` executions of the block later (0: in the same one).

    Until it has been brought up to the body of ``loop``, the loop that carries it, ``distance`` counts iterations of
    that loop."""

    source: Entry
    target: Entry
    distance: int
    loop: Loop | None = None


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

    ``source`` and ``target`` give the mask of an entry one level up; ``settled`` says that a hazard which a loop
    further out carries is taken care of inside the block already."""

    source: Callable[[Entry], int]
    target: Callable[[Entry], int]
    settled: Callable[[Hazard], bool]


Settle = Callable[[BlockHazards], Lift]
"""Called with the hazards of each block, inner blocks first."""


def own_unit(_: BlockHazards) -> Lift:
    """Nothing is known about order inside: only the unit of an access speaks for it."""
    return Lift(lambda entry: 1 << entry.unit, lambda entry: 1 << entry.unit, lambda _: False)


def find(program: Program, settle: Settle = own_unit) -> None:
    """Hand the hazards of every block of ``program`` to ``settle``, inner blocks first."""
    _Finder(Cells(program.places), settle).block(program.body)


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
                entries = _entries(item)
                scan.item(item, entries, entries)
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
            [replace(entry, mask=lift.source(entry)) for entry in _unique(scan.sources.values())],
            [replace(entry, mask=lift.target(entry)) for entry in _unique(scan.targets.values())],
            [
                replace(
                    hazard,
                    source=replace(hazard.source, mask=lift.source(hazard.source)),
                    target=replace(hazard.target, mask=lift.target(hazard.target)),
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
                replace(h, source=_raised(h.source, item, body), target=_raised(h.target, item, body))
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
                        found.setdefault((id(source), id(target)), Hazard(source, target, 0))
        if found:
            self.hazards.within[item.number] = list(found.values())
        for target in targets:
            for cell in self.cells.of(target.place):
                kept = self.targets[cell]
                if not any(_shadows_target(earlier, target) for earlier in kept):
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
            for loop, distance in self._relate(source, target).carried:
                hazard = Hazard(source, target, distance, loop)
                (self.hazards.carried if loop is self.block.loop else self.outer).append(hazard)

    def _relate(self, source: Entry, target: Entry) -> Relation:
        key = (source.place, target.place)
        if key not in self._relations:
            self._relations[key] = relate(*key, self.block.loops)
        return self._relations[key]


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


def _shadows_target(earlier: Entry, later: Entry) -> bool:
    """Whether all that conflicts with ``later`` from iterations before is ordered once ``earlier``'s hazards are."""
    return _shadows_source(earlier, later)


def _same_bytes(writer: Entry, other: Entry) -> bool:
    """Whether the writer touches all bytes of a common cell that the other may touch.

    A buffer of several slots fills one of them; another buffer may lie in the others.
    """
    return writer.place is other.place or not isinstance(writer.place, BufferPlace) or writer.place.depth == 1


def _entries(leaf: Leaf) -> list[Entry]:
    return [
        Entry(access.place, leaf.unit, access.write, leaf.number, True, access.whole, 1 << leaf.unit, leaf)
        for access in leaf.accesses
    ]


def _raised(entry: Entry, item: Item, body: Block) -> Entry:
    """The entry as one of ``item``, the loop or branch around ``body``."""
    sure = entry.sure and isinstance(item, Loop) and item.min_trips > 0 and not _varies(entry.place, item)
    return replace(entry, number=item.number, sure=sure, origin=body)


def _varies(place: Place, loop: Loop) -> bool:
    """Whether the bytes that ``place`` stands for are others in another iteration of ``loop``."""
    if isinstance(place, BufferPlace):
        return place.loop is not None and (place.loop is loop or loop in place.loop.block.loops)
    return not isinstance(place, BoxPlace) or any(loop in variable.loops for variable, _ in place.variables)


def _unique(lists: Iterable[list[Entry]]) -> Iterator[Entry]:
    seen: dict[int, Entry] = {id(entry): entry for entries in lists for entry in entries}
    yield from seen.values()


def _weakest(entries: Iterable[Entry]) -> list[Entry]:
    """The entries without those whose hazards others of the same kind imply: a smaller mask is harder to satisfy."""
    groups: dict[tuple[Place, int, bool], list[Entry]] = defaultdict(list)
    for entry in entries:
        group = groups[entry.place, entry.unit, entry.write]
        if not any(other.mask & entry.mask == other.mask for other in group):
            group[:] = [other for other in group if entry.mask & other.mask != entry.mask]
            group.append(entry)
    return [entry for group in groups.values() for entry in group]


class Cells:
    """Where to look for what may overlap a place.

    In LX a cell is the bytes that one and the same set of buffers covers. In device memory each place is its own cell,
    and its neighbours are the places that it may meet in any iterations."""

    def __init__(self, places: Iterable[Place]) -> None:
        places = tuple(dict.fromkeys(places))
        self._of: dict[Place, tuple[Hashable, ...]] = {}
        self._near: dict[Place, tuple[Hashable, ...]] = {}
        self._buffers([p for p in places if isinstance(p, BufferPlace)])
        self._boxes([p for p in places if not isinstance(p, BufferPlace)])

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


def _neighbours(places: list[Place]) -> Iterator[tuple[Place, Place]]:
    """Pairs of device places that may meet in some iterations."""
    groups: dict[Hashable, list[Place]] = defaultdict(list)
    for place in places:
        groups[(place.base, place.variables) if isinstance(place, BoxPlace) else None].append(place)
    for some in groups.values():
        yield from _neighbours_of_one_form(some)
    for some, others in combinations(groups.values(), 2):
        if _may_meet(some[0], others[0]):
            yield from product(some, others)


def _may_meet(a: Place, b: Place) -> bool:
    """Whether places may lie in the same bytes at all: not when they are relative to different arguments."""
    if not isinstance(a, BoxPlace) or not isinstance(b, BoxPlace):
        return True
    return a.base == b.base or a.base is None or b.base is None or a.may_alias or b.may_alias


def _neighbours_of_one_form(places: list[Place]) -> Iterator[tuple[Place, Place]]:
    """Pairs of places that differ in nothing but their start and shape.

    When one step of the only counter leads past all of them, other iterations are out of reach and only spans that
    overlap count."""
    boxes = [place for place in places if isinstance(place, BoxPlace)]
    if len(boxes) < len(places):
        yield from combinations(places, 2)
        return
    boxes.sort(key=lambda box: box.span[0])
    reach = max(box.span[1] for box in boxes) - boxes[0].span[0]
    counters = [abs(factor) for variable, factor in boxes[0].variables if variable.counter is not None]
    unknown = any(variable.counter is None and variable.loops for variable, _ in boxes[0].variables)
    everywhere = unknown or len(counters) > 1 or any(factor < reach for factor in counters)
    open_: list[BoxPlace] = []
    for box in boxes:
        if not everywhere:
            open_ = [other for other in open_ if other.span[1] > box.span[0]]
        yield from ((other, box) for other in open_)
        open_.append(box)
