"""Device memory as an executor sees it: the bytes of the arguments at their addresses, and nothing between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

# The job's view of device memory, fixed by the public contract: eight segments, the last one the job's own.
SEGMENTS = 8
SEGMENT_BYTES = 16 << 30
JOB_SEGMENT = SEGMENTS - 1
JOB_ADDRESS = JOB_SEGMENT * SEGMENT_BYTES
STICK = 128


class AddressFault(IndexError):
    """Bytes that no argument owns were touched. ``address`` and ``count`` are the access, ``nearest`` what lies
    below it.
    """

    def __init__(self, address: int, count: int, nearest: str) -> None:
        super().__init__(f"{count} bytes at device address {address:#x} leave {nearest}")
        self.address = address
        self.count = count
        self.nearest = nearest


@dataclass(frozen=True, eq=False)
class Segment:
    """``data`` sits at byte ``start``; ``name`` says whose it is."""

    start: int
    data: Bytes
    name: str

    @property
    def end(self) -> int:
        """The byte after the last one."""
        return self.start + len(self.data)


class DeviceMemory:
    """Sparse memory: sorted, disjoint segments. An access lies within one of them or raises :class:`AddressFault`."""

    def __init__(self, segments: Iterable[Segment]) -> None:
        self.segments = sorted(segments, key=lambda s: s.start)
        self._starts = [s.start for s in self.segments]

    def segment(self, address: int, count: int) -> Segment:
        """The segment that holds bytes ``address`` to ``address + count``. Raises :class:`AddressFault`."""
        number = bisect_right(self._starts, address) - 1
        if number >= 0 and address + count <= self.segments[number].end and count >= 0:
            return self.segments[number]
        raise AddressFault(address, count, self._below(number))

    def _below(self, number: int) -> str:
        if number < 0:
            return "the memory of all arguments" if self.segments else "device memory: the kernel has no array"
        s = self.segments[number]
        return f"the memory of {s.name} ({s.start:#x} to {s.end:#x})"

    def view(self, address: int, count: int) -> Bytes:
        """``count`` bytes at ``address``, sharing memory: writing to it writes device memory. Raises
        :class:`AddressFault`.
        """
        segment = self.segment(address, count)
        first = address - segment.start
        return segment.data[first : first + count]

    def read(self, address: int, count: int) -> Bytes:
        """A copy of ``count`` bytes at ``address``. Raises :class:`AddressFault`."""
        return self.view(address, count).copy()

    def write(self, address: int, data: npt.NDArray[Any]) -> None:
        """Store the bytes of ``data`` (uint8, one axis) at ``address``. Raises :class:`AddressFault`."""
        self.view(address, len(data))[:] = data

    def copy(self) -> DeviceMemory:
        """An independent memory with the same contents."""
        return DeviceMemory(Segment(s.start, s.data.copy(), s.name) for s in self.segments)
