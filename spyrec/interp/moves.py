"""Points of transfers: clips, lists of indices, and the two sides between which elements go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.interp.faults import Fault
from spyrec.interp.memory import Memory
from spyrec.interp.races import Access
from spyrec.interp.values import Buffer
from spyrec.mlir import ir
from spyrec.numerics import Array
from spyrec.ods.checks import DYNAMIC

Offsets = npt.NDArray[np.int64]
Counts = tuple[int, ...]


def mixed(static: ir.DenseI64ArrayAttr | None, values: Iterator[Any]) -> list[int] | None:
    """The entries of a list of constants and operands, which are taken from ``values``; None for no list."""
    return None if static is None else [int(next(values)) if s == DYNAMIC else s for s in static]


@dataclass(frozen=True)
class Region:
    """The points of a box that are inside of a clip: ``counts`` steps from ``first`` on."""

    first: Counts
    counts: Counts

    @staticmethod
    def of(counts: Counts, lower: Sequence[int] | None, upper: Sequence[int] | None) -> Region:
        """The box without what the bounds leave out."""
        if lower is None or upper is None:
            return Region((0,) * len(counts), counts)
        first = tuple(max(0, low) for low in lower)
        return Region(
            first, tuple(max(0, min(n, high) - low) for n, low, high in zip(counts, first, upper, strict=True))
        )

    def offsets(self, strides: Sequence[int]) -> Offsets:
        """Per point its step times ``strides``, summed."""
        total = np.zeros(self.counts, np.int64)
        for steps, stride in zip(self.steps(), strides, strict=True):
            total = total + steps * stride
        return total

    def steps(self) -> list[Offsets]:
        """The steps per dimension, as arrays that broadcast to the region."""
        return [
            (first + np.arange(count, dtype=np.int64)).reshape([-1 if k == d else 1 for k in range(len(self.counts))])
            for d, (first, count) in enumerate(zip(self.first, self.counts, strict=True))
        ]

    @property
    def slices(self) -> tuple[slice, ...]:
        """The region as an index of an array of the box."""
        return tuple(slice(first, first + count) for first, count in zip(self.first, self.counts, strict=True))


def checked(indices: Array, limit: int, number: int) -> Offsets:
    """Indices that are all in 0 .. ``limit`` - 1. ``number``: of their list."""
    found = indices.astype(np.int64)
    bad = (found < 0) | (found >= limit)
    if bad.any():
        place = [int(i) for i in np.argwhere(bad)[0]]
        raise Fault(
            "index-out-of-range",
            f"index {int(found[bad].flat[0])} of the point {place} is outside of 0..{limit - 1}",
            f"indices[{number}]",
        )
    return found


class Side(Protocol):
    """Where elements come from or go to, at offsets of its own: elements of a buffer, bytes of a memory."""

    def gather(self, offsets: Offsets) -> Array:
        """The elements at these offsets."""

    def scatter(self, offsets: Offsets, values: Array) -> None:
        """Store elements in order."""


@dataclass(frozen=True)
class BufferSide:
    """A buffer of stage ``schedule``; offsets count its elements."""

    buffer: Buffer
    what: str

    def _check(self, offsets: Offsets) -> Offsets:
        size = self.buffer.data.size
        flat = offsets.reshape(-1)
        bad = (flat < 0) | (flat >= size)
        if bad.any():
            message = f"element {int(flat[bad][0])} of the {self.what}, which has {size}"
            raise Fault("out-of-buffer", message, self.what)
        return flat

    def gather(self, offsets: Offsets) -> Array:
        """The elements at these offsets, all of which have contents."""
        flat = self._check(offsets)
        if self.buffer.holes.reshape(-1)[flat].any():
            raise Fault("undefined-value", f"the {self.what} is read where nothing has been written", self.what)
        return np.asarray(self.buffer.data.reshape(-1)[flat]).reshape(offsets.shape)

    def scatter(self, offsets: Offsets, values: Array) -> None:
        """Store elements in order."""
        flat = self._check(offsets)
        flat, values = last_of_each(flat, np.broadcast_to(values, offsets.shape).reshape(-1))
        data, holes = self.buffer.data, self.buffer.holes
        places = np.unravel_index(flat, data.shape) if data.ndim else ()
        data[places] = values if data.ndim else values.reshape(())
        holes[places] = False


@dataclass(frozen=True)
class MemorySide:
    """A memory from byte ``address`` on; offsets count bytes."""

    memory: Memory
    address: int
    element: str
    by: Access | None

    def gather(self, offsets: Offsets) -> Array:
        """The elements at these offsets."""
        return self.memory.gather(self.address + offsets, self.element, self.by)

    def scatter(self, offsets: Offsets, values: Array) -> None:
        """Store elements in order."""
        whole = np.broadcast_to(values, offsets.shape).astype(numerics.dtype(self.element), copy=False)
        raw = numerics.to_bytes(whole).reshape(-1, numerics.sizeof(self.element))
        self.memory.scatter(self.address + offsets.reshape(-1), raw, self.by)


def last_of_each(places: Offsets, values: Array) -> tuple[Offsets, Array]:
    """Without all but the last of equal places (NumPy promises no order for repeated indices)."""
    _, last = np.unique(places[::-1], return_index=True)
    if len(last) == len(places):
        return places, values
    chosen = len(places) - 1 - last
    return places[chosen], values[chosen]


def pattern(bits: int, element: str) -> Array:
    """The element with the lowest bits of ``bits``, rank 0."""
    raw = np.frombuffer((bits & ((1 << 64) - 1)).to_bytes(8, "little"), np.uint8)[: numerics.sizeof(element)]
    return np.asarray(numerics.from_bytes(raw, element)[0])


@dataclass(frozen=True)
class Special:
    """What a transfer has beyond its box: values of clip, fill, cores and limits, in the order of its operands."""

    lower: list[int] | None
    upper: list[int] | None
    get_from: int | None
    put_to: int | None
    indices: list[Any]
    limits: list[int]


class SpecialOperands:
    """Takes the operands of ``op`` (a transfer of either stage) that follow its sides apart."""

    def __init__(self, op: Any) -> None:
        self._lower, self._upper, self._limits = op.static_lower, op.static_upper, op.static_limits
        self._counts = (len(op.lower), len(op.upper))
        self._get, self._put = op.get_from is not None, op.put_to is not None
        self._lists = len(op.indices)
        self.fill: int | None = None if op.fill is None else ir.IntegerAttr(op.fill).value
        self.members = 1 if op.members is None else ir.IntegerAttr(op.members).value
        self.step = 0 if op.member_step is None else ir.IntegerAttr(op.member_step).value

    def take(self, operands: Sequence[Any]) -> Special:
        """The values."""
        values = iter(operands)
        lower, upper = mixed(self._lower, values), mixed(self._upper, values)
        get_from = int(next(values)) if self._get else None
        put_to = int(next(values)) if self._put else None
        indices = [next(values) for _ in range(self._lists)]
        return Special(lower, upper, get_from, put_to, indices, mixed(self._limits, values) or [])

    def cores(self, special: Special, own: int) -> list[int]:
        """The cores whose memory is written."""
        if special.put_to is None:
            return [own]
        return [special.put_to + k * self.step for k in range(self.members)]
