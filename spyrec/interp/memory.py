"""Memory with a record of what has been written: device memory of a launch, and scratchpads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.interp.faults import Fault
from spyrec.interp.races import Access, Ids, Shadow, granule_of
from spyrec.interp.values import Mask
from spyrec.numerics import Array

if TYPE_CHECKING:
    from spyrec.spyrecode.launch import Launch

Bytes = npt.NDArray[np.uint8]

_WORD = {size: np.dtype(f"uint{8 * size}") for size in (1, 2, 4, 8)}
_WRITTEN = {size: int.from_bytes(b"\x01" * size, "little") for size in _WORD}
"""The record of a word whose bytes have all been written."""


@dataclass(frozen=True, eq=False)
class Segment:
    """Bytes from ``start`` on, which belong to ``name``; ``written`` tells which of them have contents (None: all)."""

    start: int
    data: Bytes
    written: Mask | None
    name: str
    _shadow: list[Shadow] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.start + len(self.data)

    def shadow(self) -> Shadow:
        """Who touched its bytes; made when first asked for."""
        if not self._shadow:
            self._shadow.append(Shadow(len(self.data)))
        return self._shadow[0]


class Memory:
    """Disjoint segments. Every access lies within one; ``id`` names the fault of one that does not."""

    def __init__(self, segments: Sequence[Segment], id: str, what: str) -> None:
        self._segments = sorted(segments, key=lambda s: s.start)
        self._starts = [s.start for s in self._segments]
        self._id = id
        self._what = what

    def segment(self, low: int, high: int) -> Segment:
        """The segment that holds bytes ``[low, high)``; raises :class:`Fault`."""
        number = bisect_right(self._starts, low) - 1
        if number >= 0 and high <= self._segments[number].end:
            return self._segments[number]
        near = [s for s in self._segments[max(0, number) : number + 2] if low < s.end and s.start < high]
        if near:
            over = max(high - near[0].end, near[0].start - low)
            raise Fault(
                self._id,
                f"bytes {low:#x} to {high - 1:#x} of {self._what} leave {near[0].name} (bytes {near[0].start:#x} to"
                f" {near[0].end - 1:#x}) by {over} bytes",
            )
        raise Fault(self._id, f"bytes {low:#x} to {high - 1:#x} of {self._what} {self._nowhere(low, high)}")

    def _nowhere(self, low: int, high: int) -> str:
        """What is said of bytes that are in no segment."""
        held = ", ".join(f"{s.name} at {s.start:#x} to {s.end - 1:#x}" for s in self._segments[:8]) or "nothing"
        return f"belong to nothing: it holds {held}"

    def read(
        self, address: int, counts: Sequence[int], strides: Sequence[int], element: str, by: Access | None = None
    ) -> Array:
        """A box of elements as a new array; ``address`` and ``strides`` are bytes. All must have been written.

        ``by`` is the access that is checked for races (None: there is one compute tile).
        """
        size = numerics.sizeof(element)
        if 0 in counts:
            return np.zeros(tuple(counts), numerics.dtype(element))
        segment, data, written = self._box(address, counts, strides, size)
        if written is not None and not (written == _WRITTEN[size]).all():
            self._unwritten(segment, np.asarray(written), address, strides)
        if by is not None:
            get, put, where = _box_access(segment, address, counts, strides, size)
            by.read(segment.shadow(), get, put, where)
        raw = np.array(data, order="C")
        return raw != 0 if element == "i1" else raw.view(numerics.dtype(element))

    def write(
        self,
        address: int,
        counts: Sequence[int],
        strides: Sequence[int],
        values: Array,
        element: str,
        by: Access | None = None,
    ) -> None:
        """Store ``values`` (of shape ``counts``) to a box; where the box meets itself the last element in order
        stays.
        """
        if 0 in counts:
            return
        size = numerics.sizeof(element)
        raw = numerics.to_bytes(values.astype(numerics.dtype(element), copy=False))
        if overlaps(counts, strides, size):
            offsets = address + sum(
                index * stride for index, stride in zip(np.indices(tuple(counts)), strides, strict=True)
            )
            self.scatter(np.asarray(offsets).reshape(-1), raw.reshape(-1, size), by)
            return
        segment, data, written = self._box(address, counts, strides, size)
        if by is not None:
            get, put, where = _box_access(segment, address, counts, strides, size)
            old, granules = data, (*counts, size // segment.shadow().granule, segment.shadow().granule)

            def equal() -> npt.NDArray[np.bool_]:
                before = np.ascontiguousarray(old).reshape(tuple(counts))[..., None].view(np.uint8)
                return np.asarray((before.reshape(granules) == raw.reshape(granules)).all(axis=-1))

            by.write(segment.shadow(), get, put, where, equal)
        data[...] = raw.view(_WORD[size]).reshape(tuple(counts))
        if written is not None:
            written[...] = _WRITTEN[size]

    def _box(
        self, address: int, counts: Sequence[int], strides: Sequence[int], size: int
    ) -> tuple[Segment, Array, Array | None]:
        """Elements of a box that is not empty, and the record of their bytes, both as words of ``size`` bytes in
        place.
        """
        low, high = address, address + size
        for n, stride in zip(counts, strides, strict=True):
            if stride < 0:
                low += (n - 1) * stride
            else:
                high += (n - 1) * stride
        segment = self.segment(low, high)
        shape, word, first, steps = tuple(counts), _WORD[size], address - segment.start, tuple(strides)
        data = np.ndarray(shape, word, segment.data, first, steps)
        return (
            segment,
            data,
            None if segment.written is None else np.ndarray(shape, word, segment.written, first, steps),
        )

    def gather(self, addresses: npt.NDArray[np.int64], element: str, by: Access | None = None) -> Array:
        """The elements at byte addresses, in their shape; every byte must have been written."""
        size = numerics.sizeof(element)
        if not addresses.size:
            return np.zeros(addresses.shape, numerics.dtype(element))
        segment = self.segment(int(np.min(addresses)), int(np.max(addresses)) + size)
        places = addresses - segment.start
        if segment.written is not None:
            whole = _words(segment.written, size)[places] == _WRITTEN[size]
            if not whole.all():
                bytes_ = places[~whole].reshape(-1)[:, None] + np.arange(size)
                missing = bytes_[~segment.written[bytes_]]
                raise _unwritten_fault(segment, int(missing[0]), len(missing))
        if by is not None:
            by.read(segment.shadow(), *_scattered_access(segment, places, size))
        raw = np.ascontiguousarray(_words(segment.data, size)[places]).reshape(addresses.shape)
        return raw != 0 if element == "i1" else raw.view(numerics.dtype(element))

    def scatter(self, addresses: npt.NDArray[np.int64], raw: Bytes, by: Access | None = None) -> None:
        """Store ``raw`` (n, size) at n byte addresses, in order: of equal addresses the last one stays."""
        if not addresses.size:
            return
        size = raw.shape[1]
        low = int(np.min(addresses))
        segment = self.segment(low, int(np.max(addresses)) + size)
        places = addresses - segment.start
        if ((addresses - low) % size).any():  # elements may share some of their bytes
            places = (places[:, None] + np.arange(size)).reshape(-1)
            raw, size = raw.reshape(-1, 1), 1
        if _repeats(places):
            # NumPy promises no order for repeated indices: keep the last occurrence of each.
            _, last = np.unique(places[::-1], return_index=True)
            chosen = len(places) - 1 - last
            places, raw = places[chosen], raw[chosen]
        if by is not None:
            how = _scattered_access(segment, places, size)
            granules = (len(places), size // segment.shadow().granule, segment.shadow().granule)

            def equal() -> npt.NDArray[np.bool_]:
                same = segment.data[places[:, None] + np.arange(size)] == raw
                return np.asarray(same.reshape(granules).all(axis=-1))

            by.write(segment.shadow(), *how, equal)
        _words(segment.data, size)[places] = np.ascontiguousarray(raw).view(_WORD[size]).reshape(-1)
        if segment.written is not None:
            _words(segment.written, size)[places] = _WRITTEN[size]

    @staticmethod
    def _unwritten(segment: Segment, words: Array, address: int, strides: Sequence[int]) -> None:
        """Report the first byte, in the order of the box, of which the record in ``words`` says that it has no
        contents.
        """
        size = words.dtype.itemsize
        missing = np.ascontiguousarray(words)[..., None].view(np.uint8) == 0
        first = np.argwhere(missing.reshape(*words.shape, size))[0]
        place = address + sum(int(i) * s for i, s in zip(first[:-1], strides, strict=True)) + int(first[-1])
        raise _unwritten_fault(segment, place - segment.start, int(np.count_nonzero(missing)))


def _unwritten_fault(segment: Segment, place: int, count: int) -> Fault:
    advice = "a launch may supply it: --in lxCORE:ELEMENT=FILE.npy" if segment.name.startswith("LX") else ""
    return Fault(
        "unwritten-read",
        f"{count} of the bytes that are read have never been written; the first is byte {place} of {segment.name}",
        notes=[advice] if advice else [],
    )


def _words(array: npt.NDArray[Any], size: int) -> Array:
    """The words of ``size`` bytes that start at each byte, in place."""
    return np.ndarray((len(array) - size + 1,), _WORD[size], array, 0, (1,))


def _repeats(places: npt.NDArray[np.int64]) -> bool:
    """Whether a number occurs twice. (Whichever of two equal places an assignment leaves, the other one differs.)"""
    low = int(np.min(places))
    stamp = np.empty(int(np.max(places)) - low + 1, np.int32)
    number = np.arange(len(places), dtype=np.int32)
    stamp[places - low] = number
    return bool((stamp[places - low] != number).any())


_Where = Callable[[npt.NDArray[np.bool_]], str]
_How = tuple[Callable[[Ids], Ids], Callable[[Ids, Any], None], _Where]


def _box_access(segment: Segment, address: int, counts: Sequence[int], strides: Sequence[int], size: int) -> _How:
    """How the bytes of a box are looked up in a shadow: shape (counts, granules of an element)."""
    shadow = segment.shadow()
    shadow.refine(
        granule_of(address - segment.start, size, *(s for s, n in zip(strides, counts, strict=True) if n > 1))
    )
    granule = shadow.granule
    shape, first = (*counts, size // granule), (address - segment.start) // granule * 4
    steps = tuple(s // granule * 4 for s in (*strides, granule))

    def view(ids: Ids) -> Ids:
        return np.ndarray(shape, np.int32, ids, first, steps)

    def put(ids: Ids, values: Any) -> None:
        view(ids)[...] = values

    def where(mask: npt.NDArray[np.bool_]) -> str:
        place = np.argwhere(mask)[0]
        byte = address + sum(int(i) * s for i, s in zip(place, (*strides, granule), strict=True))
        return _spoken(segment, byte - segment.start, size)

    return view, put, where


def _scattered_access(segment: Segment, places: npt.NDArray[np.int64], size: int) -> _How:
    """How the bytes of elements at ``places`` are looked up in a shadow: shape (places, granules of an element)."""
    shadow = segment.shadow()
    low, steps = int(np.min(places)), places % 8
    shadow.refine(granule_of(low, size, *(int(k) for k in np.unique(steps))))
    granule = shadow.granule
    index = (places // granule)[..., None] + np.arange(size // granule)

    def get(ids: Ids) -> Ids:
        found: Ids = ids[index]
        return found

    def put(ids: Ids, values: Any) -> None:
        ids[index] = values

    def where(mask: npt.NDArray[np.bool_]) -> str:
        return _spoken(segment, int(index[mask].flat[0]) * granule, size)

    return get, put, where


def _spoken(segment: Segment, place: int, size: int) -> str:
    """How a byte of a segment is called, counted from where the segment starts, to accesses of ``size`` bytes."""
    return f"byte {place} (element {place // size}) of {segment.name}"


def overlaps(counts: Sequence[int], strides: Sequence[int], size: int) -> bool:
    """Whether two elements of a box may share bytes (exact for boxes whose dimensions nest, else cautious)."""
    reach = size
    for stride, count in sorted((abs(s), n) for n, s in zip(counts, strides, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (count - 1)
    return False


class Device(Memory):
    """Device memory of a launch. What the launch supplied, or drew at random because the kernel reads it, has
    contents.
    """

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        filled = [r for r in launch.regions if r.size and (r.given is not None or r.read)]
        whole = {(r.address, r.size) for r in filled}
        segments = []
        for s in launch.memory.segments:
            written = None if (s.start, len(s.data)) in whole else np.zeros(len(s.data), bool)
            segments.append(Segment(s.start, s.data, written, s.name))
        super().__init__(segments, "out-of-memory", "device memory")
        for region in filled:
            segment = self.segment(region.address, region.address + region.size)
            if segment.written is not None:
                first = region.address - segment.start
                segment.written[first : first + region.size] = True

    def _nowhere(self, low: int, high: int) -> str:
        return self._launch.nowhere(low, high)


class Scratchpad(Memory):
    """The scratchpad (LX) of one core, or its part of a stage called ``name``: ``size`` bytes, none of them written."""

    def __init__(self, size: int, owner: int, name: str = "LX") -> None:
        self._data, self._written = np.zeros(size, np.uint8), np.zeros(size, bool)
        super().__init__([Segment(0, self._data, self._written, f"{name} of core {owner}")], "out-of-lx", name)

    def preset(self, address: int, array: Array) -> None:
        """Give bytes contents before the kernel starts."""
        raw = numerics.to_bytes(array)
        self.segment(address, address + len(raw))
        self._data[address : address + len(raw)] = raw
        self._written[address : address + len(raw)] = True
