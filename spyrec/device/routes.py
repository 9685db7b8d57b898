"""Routes over a device's graph: which units and memories a transfer passes."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

from spyrec.device.model import Device, Link
from spyrec.errors import Diagnostic, Severity, Unsupported


def shortest(device: Device, source: str, target: str) -> tuple[str, ...]:
    """The kinds from ``source`` to ``target``, both included, along the fewest links.

    Between routes of equal length the one whose links come first in the device file wins, so the answer is stable. A
    route to itself is empty-handed: ``(source,)``. Raises ``Unsupported`` when the device has no path.
    """
    came_from: dict[str, str] = {source: source}
    waiting = deque([source])
    while waiting and target not in came_from:
        here = waiting.popleft()
        for link in device.links:
            if link.source == here and link.target not in came_from:
                came_from[link.target] = here
                waiting.append(link.target)
    if target not in came_from:
        raise _no_route(f"device '{device.name}' has no route from '{source}' to '{target}'")
    path = [target]
    while path[-1] != source:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))


def driven(device: Device, source: str, target: str) -> list[tuple[str, ...]]:
    """The routes from one memory to another that one unit runs, in the order of the device file; none where no unit
    links them.
    """
    onwards = {link.source for link in device.links if link.target == target}
    return [
        (source, link.target, target)
        for link in device.links
        if link.source == source and link.target in onwards and link.target in device.units
    ]


def legs(device: Device, source: str, target: str) -> list[list[tuple[str, ...]]]:
    """The transfers that take bytes from one memory to another, in order; for each the routes that one unit runs.

    It is one where a unit links the two memories, else as few as there can be, each but the last into a stage; of
    equally few the ones whose links come first in the device file. Raises ``Unsupported`` when there are none, with
    what the shortest path passes.
    """
    came_from: dict[str, str] = {source: source}
    waiting = deque([source])
    while waiting and target not in came_from:
        here = waiting.popleft()
        for kind in _next(device, here):
            if kind not in came_from and (kind == target or device.memories[kind].role == "stage"):
                came_from[kind] = here
                waiting.append(kind)
    if target not in came_from:
        route = shortest(device, source, target)
        passed = [f"'{m.kind}'" for m in map(device.memories.get, route[1:-1]) if m is not None and m.role != "stage"]
        if passed:
            needs = f"rests in {', '.join(passed)}, which is no stage, and no unit links the two memories"
        else:
            needs = "passes not one unit, and one has to run the transfer"
        raise _no_route(f"the route {' -> '.join(route)} {needs}")
    path = [target]
    while path[-1] != source:
        path.append(came_from[path[-1]])
    return [driven(device, here, there) for here, there in pairwise(reversed(path))]


def _next(device: Device, memory: str) -> list[str]:
    """The memories that a unit links a memory to."""
    units = [link.target for link in device.links if link.source == memory and link.target in device.units]
    ends = [link.target for unit in units for link in device.links if link.source == unit]
    return [end for end in ends if end in device.memories]


def around(device: Device, memory: str) -> tuple[str, ...]:
    """The route from one memory through a unit back to memory of its kind, another core's or its own: by the first link
    that has one back. Raises ``Unsupported`` when the device has none.
    """
    back = {link.source for link in device.links if link.target == memory}
    for link in device.links:
        if link.source == memory and link.target in back and link.target in device.units:
            return (memory, link.target, memory)
    raise _no_route(f"device '{device.name}' has no unit that moves from '{memory}' to '{memory}'")


def _no_route(message: str) -> Unsupported:
    note = Diagnostic(Severity.NOTE, "add a datapath to the device file")
    return Unsupported([Diagnostic(Severity.ERROR, message, "no-route", notes=(note,))])


def links(device: Device, route: tuple[str, ...]) -> tuple[Link, ...]:
    """The links of a route, in order. Raises ``InvalidKernel`` when two neighbours are not linked."""
    return tuple(device.link(a, b) for a, b in pairwise(route))


def engine(device: Device, route: tuple[str, ...]) -> str | None:
    """The kind of the one unit on a route, or ``None`` when it passes no unit or several (no single engine drives
    it).
    """
    found = [kind for kind in route[1:-1] if kind in device.units]
    return found[0] if len(found) == 1 else None
