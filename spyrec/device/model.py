"""A device as plain, immutable data: memories, units, the links between them, timing and limits.

Names of memories and units are their *kinds* as the device file spells them (``ddr``, ``lx``, ``load``, ``sfu``).
Passes never test for a kind: they ask for a *role* (the memory that all cores share, the unit that computes vectors),
so that another device file with other kinds works. Sizes and strides are bytes, times are cycles, bandwidths are
bytes per cycle.

The module needs no MLIR: an artifact carries ``to_json`` of its device and the simulator rebuilds it with
``from_json``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar, get_args

from spyrec.errors import InvalidKernel
from spyrec.isa.table import ELEMENT_BYTES

MemoryRole = Literal["device", "lx", "register", "stage"]
UnitRole = Literal["load", "store", "vector", "matrix", "ring", "lxload", "lxstore"]
Level = Literal["device", "core", "corelet"]

_T = TypeVar("_T")

WIDEST = max(ELEMENT_BYTES.values())
"""The bytes of the widest element."""


@dataclass(frozen=True)
class Memory:
    """One kind of memory.

    ``size`` is bytes of one instance (there is one per device, per core or per corelet, as ``level`` says).
    ``alignment`` is the grain in bytes at which buffers start, and in which device memory moves. A ``stage`` lies
    between device memory and LX where no unit links the two.
    """

    kind: str
    role: MemoryRole
    level: Level
    size: int
    alignment: int

    def aligned(self, size: int) -> int:
        """``size`` bytes, rounded up to whole grains."""
        return -(-size // self.alignment) * self.alignment

    @property
    def space(self) -> str:
        """What IR and binaries call it: ``device`` or ``lx`` by its role, a stage by its kind."""
        return self.role if self.role in ("device", "lx") else self.kind


def spoken(space: str) -> str:
    """How messages call a memory that buffers lie in, by its ``space``."""
    return "LX" if space == "lx" else space


@dataclass(frozen=True)
class Unit:
    """One kind of engine that runs its own program.

    ``lanes`` maps an element type (``f16``) to elements per cycle; empty for units that only move data.
    ``max_outstanding`` is how many operations it may have in flight: 1 means that the next starts when the last has
    ended. ``array`` is the rows and columns of the grid of cells of a matrix unit, which share its lanes equally; empty
    for other units.
    """

    kind: str
    level: Level
    role: UnitRole
    lanes: Mapping[str, int]
    max_outstanding: int
    array: tuple[int, ...] = ()


@dataclass(frozen=True)
class Link:
    """A directed path between two resources, named by kind.

    ``granularity`` lists the transfer sizes in bytes that the link can carry (empty: any). ``latency`` is cycles from
    entering to leaving. ``queue_depth`` is entries, ``None`` for a link without a queue. ``bandwidth`` is bytes per
    cycle of one instance.
    """

    source: str
    target: str
    bandwidth: int
    granularity: tuple[int, ...]
    latency: int
    queue_depth: int | None


@dataclass(frozen=True)
class Timing:
    """Numbers that turn work into cycles.

    ``device_bandwidth``: bytes per cycle of device memory, all cores together. ``transfer_startup``,
    ``stream_startup``: cycles before the first byte or element. ``post_latency``: cycles from a post to the earliest
    end of the wait that it satisfies. ``transcendental_factor``: cost of exp, log, tanh, sqrt, division and the like,
    an add being 1. ``scalar_cycles``: one scalar instruction. ``ring_bandwidth``: bytes per cycle of the ring from one
    core to its neighbour, in either direction. ``hop_latency``: cycles from one core to the next.
    """

    clock_hz: int
    device_bandwidth: int
    transfer_startup: int
    stream_startup: int
    post_latency: int
    transcendental_factor: int
    scalar_cycles: int
    ring_bandwidth: int
    hop_latency: int


@dataclass(frozen=True)
class Limits:
    """What a program may not exceed.

    ``loop_count``: iterations of one hardware loop. ``access_span``: bytes between the lowest and the highest byte
    that one core touches in one transfer. ``segments`` and ``segment_size``: the job's view of device memory;
    segments below the last are for tensors, the last one is the job's own.
    """

    loop_count: int
    access_span: int
    segments: int
    segment_size: int


@dataclass(frozen=True)
class Device:
    """A whole device. ``memories`` and ``units`` are keyed by kind; ``links`` name kinds on both ends."""

    name: str
    cores: int
    corelets: int
    memories: Mapping[str, Memory]
    units: Mapping[str, Unit]
    links: tuple[Link, ...]
    timing: Timing
    limits: Limits

    def memory(self, role: MemoryRole) -> Memory:
        """The memory with ``role``. Raises ``InvalidKernel`` when the device has none, or more than one kind."""
        return _only([m for m in self.memories.values() if m.role == role], self.name, f"memory in the role '{role}'")

    def stages(self) -> list[Memory]:
        """The memories that bytes rest in between device memory and LX, in the order of the device file."""
        return [m for m in self.memories.values() if m.role == "stage"]

    def called(self, space: str) -> Memory | None:
        """The memory called ``space`` in IR and binaries: device memory, LX or a stage."""
        return next((m for m in self.memories.values() if m.space == space and m.role != "register"), None)

    def buffered(self, space: str) -> Memory | None:
        """The memory called ``space``, if buffers can lie in it: LX or a stage."""
        return None if space == "device" else self.called(space)

    def share(self, memory: Memory) -> int:
        """The bytes of a memory that one core has for its buffers: all of its own one, an equal part of a shared one.

        Addresses of buffers count from the start of the part. Corelets of a core share them.
        """
        if memory.level != "device":
            return memory.size
        return memory.size // self.cores // memory.alignment * memory.alignment

    def rooms(self) -> dict[str, int]:
        """What one core has of each memory that buffers lie in: bytes by the name of the memory."""
        return {m.space: self.share(m) for m in (self.memory("lx"), *self.stages())}

    def unit(self, role: UnitRole) -> Unit:
        """The unit with ``role``. Raises ``InvalidKernel`` when the device has none, or more than one kind."""
        return _only([u for u in self.units.values() if u.role == role], self.name, f"unit in the role '{role}'")

    def link(self, source: str, target: str) -> Link:
        """The link from ``source`` to ``target`` (kinds). Raises ``InvalidKernel`` when there is none."""
        for link in self.links:
            if link.source == source and link.target == target:
                return link
        raise InvalidKernel(f"device '{self.name}' has no link from '{source}' to '{target}'")

    def flaws(self) -> list[str]:
        """What is wrong with numbers that others are divided by, or laid out in: a sentence for each."""
        least: dict[str, tuple[int, int]] = {
            "the number of cores": (self.cores, 1),
            "the number of corelets": (self.corelets, 1),
            "clock_hz": (self.timing.clock_hz, 1),
            "device_bandwidth": (self.timing.device_bandwidth, 1),
            "ring_bandwidth": (self.timing.ring_bandwidth, 1),
            "transcendental_factor": (self.timing.transcendental_factor, 1),
            "loop_count": (self.limits.loop_count, 2),
            "access_span": (self.limits.access_span, 1),
            "segments": (self.limits.segments, 2),
            "segment_size": (self.limits.segment_size, 1),
            **{f"the alignment of '{m.kind}'": (m.alignment, 1) for m in self.memories.values()},
            **{f"the bandwidth from '{k.source}' to '{k.target}'": (k.bandwidth, 1) for k in self.links},
            **{f"max_outstanding of '{u.kind}'": (u.max_outstanding, 1) for u in self.units.values()},
            **{f"the lanes of '{u.kind}' for {t}": (n, 1) for u in self.units.values() for t, n in u.lanes.items()},
        }
        found = [f"{what} is {n}, and has to be at least {low}" for what, (n, low) in least.items() if n < low]
        for memory in self.memories.values():
            what = f"the alignment of '{memory.kind}' is {memory.alignment}, and has to be"
            if memory.role in ("lx", "stage") and memory.alignment % WIDEST:
                found.append(f"{what} a multiple of {WIDEST}, the bytes of the widest element")
            if memory.role == "device" and memory.alignment > self.limits.segment_size:
                found.append(f"{what} at most segment_size")
        for unit in self.units.values():
            if unit.array and (len(unit.array) != 2 or min(unit.array) < 1):
                found.append(f"the array of '{unit.kind}' is {list(unit.array)}, and has to be rows and columns")
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, in a fixed order; ``from_json`` gives an equal device back."""
        return {
            "name": self.name,
            "cores": self.cores,
            "corelets": self.corelets,
            "memories": [asdict(m) for m in self.memories.values()],
            "units": [{**asdict(u), "lanes": dict(u.lanes), "array": list(u.array)} for u in self.units.values()],
            "links": [{**asdict(link), "granularity": list(link.granularity)} for link in self.links],
            "timing": asdict(self.timing),
            "limits": asdict(self.limits),
        }

    @staticmethod
    def from_json(data: object) -> Device:
        """Rebuild a device from ``to_json``. Raises ``InvalidKernel`` naming the entry that is missing or has a wrong
        type.
        """
        top = _Reader(data, "device")
        memories = [
            Memory(
                kind=r.string("kind"),
                role=r.choice("role", get_args(MemoryRole)),
                level=r.choice("level", get_args(Level)),
                size=r.integer("size"),
                alignment=r.integer("alignment"),
            )
            for r in top.objects("memories")
        ]
        units = [
            Unit(
                kind=r.string("kind"),
                level=r.choice("level", get_args(Level)),
                role=r.choice("role", get_args(UnitRole)),
                lanes=r.integers_by_name("lanes"),
                max_outstanding=r.integer("max_outstanding"),
                array=r.integers("array"),
            )
            for r in top.objects("units")
        ]
        links = [
            Link(
                source=r.string("source"),
                target=r.string("target"),
                bandwidth=r.integer("bandwidth"),
                granularity=r.integers("granularity"),
                latency=r.integer("latency"),
                queue_depth=None if r.is_null("queue_depth") else r.integer("queue_depth"),
            )
            for r in top.objects("links")
        ]
        return Device(
            name=top.string("name"),
            cores=top.integer("cores"),
            corelets=top.integer("corelets"),
            memories={m.kind: m for m in memories},
            units={u.kind: u for u in units},
            links=tuple(links),
            timing=top.record("timing", Timing),
            limits=top.record("limits", Limits),
        )


def _only(found: list[_T], device: str, what: str) -> _T:
    if len(found) != 1:
        raise InvalidKernel(f"device '{device}' has {len(found) or 'no'} {what}; exactly one is needed")
    return found[0]


class _Reader:
    """Typed access to one JSON object; every failure names the path of the entry."""

    def __init__(self, data: object, path: str) -> None:
        self.path = path
        if not isinstance(data, dict):
            raise InvalidKernel(f"{path}: expected an object, found {type(data).__name__}")
        self.data = data

    def _get(self, key: str, what: str, good: Callable[[object], bool]) -> Any:
        if key not in self.data:
            raise InvalidKernel(f"{self.path}.{key} is missing")
        value = self.data[key]
        if not good(value):
            raise InvalidKernel(f"{self.path}.{key}: expected {what}, found {value!r}")
        return value

    def string(self, key: str) -> str:
        return str(self._get(key, "a string", lambda v: isinstance(v, str)))

    def integer(self, key: str) -> int:
        return int(self._get(key, "a non-negative integer", _is_count))

    def is_null(self, key: str) -> bool:
        return self._get(key, "a value", lambda _: True) is None

    def choice(self, key: str, allowed: tuple[str, ...]) -> Any:
        return self._get(key, "one of " + ", ".join(allowed), lambda v: v in allowed)

    def integers(self, key: str) -> tuple[int, ...]:
        return tuple(self._get(key, "a list of integers", lambda v: isinstance(v, list) and all(map(_is_count, v))))

    def integers_by_name(self, key: str) -> dict[str, int]:
        value: dict[str, int] = self._get(
            key,
            "an object of integers",
            lambda v: isinstance(v, dict) and all(isinstance(k, str) and _is_count(n) for k, n in v.items()),
        )
        return dict(value)

    def objects(self, key: str) -> list[_Reader]:
        items: list[object] = self._get(key, "a list", lambda v: isinstance(v, list))
        return [_Reader(item, f"{self.path}.{key}[{i}]") for i, item in enumerate(items)]

    def record(self, key: str, cls: type[_T]) -> _T:
        """A dataclass all of whose fields are non-negative integers."""
        reader = _Reader(self._get(key, "an object", lambda v: isinstance(v, dict)), f"{self.path}.{key}")
        return cls(**{name: reader.integer(name) for name in cls.__annotations__})


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
