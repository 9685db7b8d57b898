"""The memories: what each core has for itself, and device memory, as bytes with their shadows and bounds."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.errors import Diagnostic, InvalidKernel, OutOfResources, Severity
from spyrec.sim.boxes import Box, Interval
from spyrec.sim.faults import UnitStops, bytes_text
from spyrec.sim.shadow import Bytes, Shadow, SharedShadow
from spyrec.spyrecode import Launch, Preset
from spyrec.spyrecode.launch import Region
from spyrec.spyrecode.signature import LITERAL


class Local:
    """LX of one core, or its part of a stage, called ``name``: ``size`` bytes, unwritten but for ``presets``. Pages
    that are never touched cost nothing.
    """

    __slots__ = ("data", "name", "shadow")

    def __init__(self, size: int, presets: Sequence[Preset] = (), *, name: str = "LX") -> None:
        self.name = name
        try:
            self.data: Bytes = np.zeros(size, np.uint8)
        except (MemoryError, ValueError):
            message = f"the host has no memory for {'an' if name == 'LX' else 'a'} {name} of {size} bytes"
            raise OutOfResources([Diagnostic(Severity.ERROR, message, "host-memory")], "host memory", size) from None
        supplied = []
        for preset in presets:
            raw = numerics.to_bytes(preset.array)
            low, high = preset.address, preset.address + len(raw)
            if high > size:
                message = f"the launch puts {bytes_text(low, high)} into LX of core {preset.core}, which has {size}"
                raise InvalidKernel([Diagnostic(Severity.ERROR, message, "out-of-lx")])
            self.data[low:high] = raw
            supplied.append((low, high))
        self.shadow = Shadow(supplied)


_FEW = 4  # pieces of a box that are marked one by one


class Touched:
    """Which of ``size`` bytes were read, and which written, by each kind of unit of any core."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._marks: dict[tuple[str, bool], npt.NDArray[np.bool_]] = {}

    def mark(self, box: Box, place: int, kind: str, *, writes: bool) -> None:
        """Note that units ``kind`` read, or wrote, the bytes of ``box`` at ``place``."""
        marks = self._marks.get((kind, writes))
        if marks is None:
            marks = self._marks[kind, writes] = np.zeros(self._size, np.bool_)
        if len(box.intervals) <= _FEW or box.overlaps_itself:
            for low, high in box.intervals:
                marks[place + low : place + high] = True
            return
        shape, strides = (*box.counts, box.element_bytes), (*box.strides, 1)
        np.ndarray(shape, np.bool_, marks, place, strides)[...] = True

    def count(self, *, writes: bool, kind: str | None = None) -> int:
        """How many bytes were read, or written: by units ``kind``, or by any."""
        found = [marks for (k, w), marks in self._marks.items() if w == writes and kind in (None, k)]
        return int(np.count_nonzero(functools.reduce(np.logical_or, found))) if found else 0


@dataclass(frozen=True, eq=False)
class Window:
    """Bytes ``[low, high)`` of device memory that the kernel's views cover, in the array ``name``.

    ``data`` is the array, whose first byte has address ``start``; its ``shadow`` and ``touched`` count from there.
    """

    low: int
    high: int
    name: str
    start: int
    data: Bytes
    shadow: SharedShadow
    touched: Touched


class DeviceMemory:
    """The arrays that a launch bound, with their shadows. What no view covers may not be touched."""

    def __init__(self, launch: Launch) -> None:
        self._windows: list[Window] = []
        self._arrays: list[tuple[int, int, str]] = []
        self._touched: list[Touched] = []
        self._nowhere = launch.nowhere
        loose = any(view.loose and view.arg == LITERAL for view in launch.signature.views)
        for segment in launch.memory.segments:
            regions = [r for r in launch.regions if segment.start <= r.address < segment.end]
            known = [(low - segment.start, high - segment.start) for low, high in _supplied(regions)]
            shadow = SharedShadow(segment.data, known)
            touched = Touched(segment.data.size)
            self._arrays.append((segment.start, segment.end, segment.name))
            self._touched.append(touched)
            self._windows.extend(
                Window(
                    max(low, segment.start),
                    min(high, segment.end),
                    segment.name,
                    segment.start,
                    segment.data,
                    shadow,
                    touched,
                )
                for low, high in _covered(regions, loose)
            )
        self._windows.sort(key=lambda w: w.low)
        self._lows = [w.low for w in self._windows]

    def unique(self, *, writes: bool, kind: str | None = None) -> int:
        """Bytes that any core has read, or written, each counted once; ``kind``: by such units alone."""
        return sum(touched.count(writes=writes, kind=kind) for touched in self._touched)

    def find(self, low: int, high: int) -> Window:
        """The window that holds bytes ``[low, high)``. Raises :class:`UnitStops` when they are not all in one."""
        number = bisect_right(self._lows, low) - 1
        if number >= 0 and high <= self._windows[number].high:
            return self._windows[number]
        where = f"{bytes_text(low, high)} of device memory"
        for start, end, name in self._arrays:
            if start <= low and high <= end:
                views = ", ".join(bytes_text(w.low, w.high) for w in self._windows if w.start == start)
                raise UnitStops(
                    "out-of-view", f"{where}, in the memory of {name}, leave the kernel's views of it: {views}"
                )
            if low < end and high > start:
                beyond = max(high - end, start - low)
                raise UnitStops(
                    "out-of-memory", f"{where} leave the memory of {name} ({bytes_text(start, end)}) by {beyond} bytes"
                )
        raise UnitStops("out-of-memory", f"{where} {self._nowhere(low, high)}")


def _supplied(regions: Iterable[Region]) -> list[Interval]:
    """The bytes that mean something before the kernel runs: arrays that were given, random data for what is read."""
    found = []
    for region in regions:
        if region.given is not None:
            found.append((region.address, region.address + region.given.nbytes))
        elif region.read:
            found.append((region.address, region.address + region.size))
    return found


def _covered(regions: Sequence[Region], loose: bool) -> list[Interval]:
    """The bytes of all views, in order, joined where they touch; ``loose``: some view may lie at any literal address.

    A view that starts where data say may lie anywhere in its array.
    """
    spans: list[Interval] = []
    for region in regions:
        if region.loose or (loose and region.arg == LITERAL):
            spans.append((region.address, region.address + region.size))
        for view in region.views:
            size, start = numerics.sizeof(view.type), 0 if view.arg == LITERAL else region.address
            spans.append((start + view.offset * size, start + view.end * size))
    joined: list[Interval] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined
