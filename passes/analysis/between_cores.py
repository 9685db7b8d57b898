"""What cores do to each other's bytes, as accesses of the ops with which they exchange."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.dialects.dataflow import WaitOp
from spyrec.passes.analysis.accesses import Accesses
from spyrec.passes.analysis.addresses import Addresses
from spyrec.passes.analysis.buffer_views import view_of
from spyrec.passes.analysis.places import BoxPlace, PartPlace, Place, UnknownPlace, buffer_of, meet_between_cores
from spyrec.passes.analysis.skeleton import Access, Leaf, Program, blocks


def exchange(items: Sequence[Leaf], program: Program, accesses: Accesses, cores: int) -> None:
    """What a post to another core or a wait for one orders: everything that cores share, in all of its instances.

    A core may read what another has stored before it posted, and write again what others had read before it waited. An
    op that says what it is about orders that alone: a post all that has been done to these buffers, in any slot, a wait
    what is done to the present ones.
    """
    addresses = accesses.addresses
    exposed = [*accesses.exposed, *([accesses.pinned] if accesses.pinned is not None else [])]
    shared = _shared_memory(program, addresses, cores)
    for item in items:
        view = item.ref.opview
        waits = isinstance(view, WaitOp)
        about = [accesses.buffers[root.root] for value in view.about if (root := view_of(value)) is not None]
        named = [place for place in about or exposed if place.size]
        # What a wait is about are instances that have come; all others may be gone, or on their way.
        places: list[Place] = [
            place if about and waits else PartPlace(place, 0, (), place.size, any_slot=True) for place in named
        ]
        for number in () if about else shared:
            if number is None:
                places.append(UnknownPlace("memory"))
            else:
                places.append(addresses.anywhere(addresses.names[number], number, item.block))
        item.accesses = tuple(
            Access(accesses.one(place), True, whole=False, before=waits, after=not waits) for place in places
        )


def _shared_memory(program: Program, addresses: Addresses, cores: int) -> list[int | None]:
    """Arguments whose memory cores may have in common, one of them writing it; ``None`` for all other memory."""
    reads, writes = _touched(program)
    touched = {n: [*reads.get(n, ()), *writes.get(n, ())] for n in {**reads, **writes}}
    # What may lie anywhere is ordered with all that is not, whatever that is called.
    anywhere = {n for n, places in touched.items() if n is None or any(map(_may_alias, places))}
    shared = {n for n in writes if not _apart_on_cores(touched[n], addresses, cores)}
    return [n for n in touched if n in anywhere | shared] if writes else []


def _may_alias(place: Place) -> bool:
    return isinstance(place, BoxPlace) and place.may_alias


def is_apart(number: int, program: Program, addresses: Addresses, cores: int) -> bool:
    """Whether no byte of an argument's memory is touched by two cores."""
    reads, writes = _touched(program)
    return _apart_on_cores([*reads.get(number, ()), *writes.get(number, ())], addresses, cores)


def _touched(program: Program) -> tuple[dict[int | None, list[Place]], dict[int | None, list[Place]]]:
    """What is read and what is written of the memory of each argument; ``None`` for all other memory."""
    reads: dict[int | None, list[Place]] = {}
    writes: dict[int | None, list[Place]] = {}
    for block in blocks(program.body):
        for item in block.items:
            for access in item.accesses if isinstance(item, Leaf) else ():
                if buffer_of(access.place) is None:
                    number = access.place.base if isinstance(access.place, BoxPlace) else None
                    (writes if access.write else reads).setdefault(number, []).append(access.place)
    return reads, writes


def _apart_on_cores(places: Sequence[Place], addresses: Addresses, cores: int) -> bool:
    """Whether no byte of these places is one of another core's."""
    tile = next((v for key, v in addresses.variables.items() if key in addresses.tiles), None)
    boxes = [place for place in places if isinstance(place, BoxPlace)]
    if tile is None or len(boxes) < len(places) or any(map(_may_alias, boxes)):
        return False
    return not any(meet_between_cores(a, b, tile, cores) for k, a in enumerate(boxes) for b in boxes[k:])
