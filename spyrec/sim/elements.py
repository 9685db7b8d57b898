"""Elements in LX that a unit computes with: where they are, and how they are read and written."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.isa import LX, LxOperand, alu
from spyrec.sim.boxes import Box, box
from spyrec.sim.operands import Address, local_address
from spyrec.sim.shadow import Bytes
from spyrec.sim.units import Unit
from spyrec.sim.world import Site

Array = npt.NDArray[Any]


def low_bytes(value: int) -> Bytes:
    """The eight bytes of a 64-bit value, lowest first: what fills and scalars that are spread take theirs from."""
    return np.frombuffer(alu.unsigned(value).to_bytes(8, "little"), np.uint8)


class Numbers:
    """The elements of an input that are their addresses, over all ``counts``."""

    def __init__(self, counts: Sequence[int], operand: LxOperand) -> None:
        self.register = operand.register
        self._base, self._offset = operand.base, operand.offset
        self._dtype = numerics.dtype(operand.type)
        self._shape = [(n, stride) for n, stride in zip(counts, operand.strides, strict=True)]

    @functools.cached_property
    def _steps(self) -> Array:
        """How far each one is from the first; extent 1 along counts in which they are repeated."""
        extents = [n if stride else 1 for n, stride in self._shape]
        total = np.zeros((), np.int64)
        for extent, (_, stride) in zip(extents, self._shape, strict=True):
            total = total[..., None] + np.arange(extent, dtype=np.int64) * stride
        return total

    def address(self, unit: Unit) -> int:
        """The first one."""
        return self._offset if self._base is None else self._offset + unit.regs[self._base]

    def load(self, unit: Unit, at: int) -> Array:
        """All of them, from ``at`` on, wrapping around at their width."""
        wrapped = (at + (1 << 63)) % (1 << 64) - (1 << 63)
        return (self._steps + np.int64(wrapped)).astype(self._dtype)


class Elements:
    """The elements of ``operand`` over those of ``counts`` that are in ``dims`` (all of them when None)."""

    def __init__(
        self,
        site: Site,
        counts: Sequence[int],
        operand: LxOperand,
        *,
        dims: Sequence[int] | None = None,
        writes: bool = False,
    ) -> None:
        world = site.world
        kept = range(len(counts)) if dims is None else dims
        self.operand = operand
        self.register = operand.register
        self.where: Box = box(
            tuple(counts[d] for d in kept), tuple(operand.strides[d] for d in kept), numerics.sizeof(operand.type)
        )
        self.buffer = -1 if operand.buffer is None else operand.buffer
        self.address: Address = local_address(
            operand.base, operand.offset, self.where, operand.buffer, world.binary, world.device, writes=writes
        )
        self._dtype = numerics.dtype(operand.type)
        self._boolean = operand.type == "i1"
        self._index = site.index
        self._sanitizer = world.sanitizer
        self._traffic = world.traffic.memory(LX)

    def _view(self, unit: Unit, at: int) -> Array:
        """The elements in LX, writable; booleans as bytes."""
        dtype = np.uint8 if self._boolean else self._dtype
        return np.ndarray(self.where.counts, dtype, unit.lx.data, at, self.where.strides)

    def load(self, unit: Unit, at: int) -> Array:
        """Record the read and give a copy of the elements at ``at``."""
        found = unit.lx.shadow.read(self.where.intervals, at, unit.access(self._index, self.buffer), unit.clock)
        if found:
            self._sanitizer.judge(found, "LX", reads=True)
        self._traffic.read(self.where.bytes)
        view = self._view(unit, at)
        loaded: Array = view != 0 if self._boolean else view.copy()
        return loaded

    def store(self, unit: Unit, at: int, values: Array) -> None:
        """Record the write and make it."""
        found = unit.lx.shadow.write(self.where.intervals, at, unit.access(self._index, self.buffer), unit.clock)
        if found:
            self._sanitizer.judge(found, "LX", reads=False)
        self._view(unit, at)[...] = values
        self._traffic.written(self.where.bytes)
