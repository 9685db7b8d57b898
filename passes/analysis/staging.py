"""The memories in which tensors take room on their way: LX, and the stages through which reads and writes go."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

from spyrec.device import cost, routes
from spyrec.device.model import Device, Link
from spyrec.dialects import dataflow
from spyrec.errors import Unsupported
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers

Room = tuple[int, ...]
"""Bytes of each memory that buffers lie in: of LX first, then of the stages in the order of the device."""


def fits(need: Room, room: Room) -> bool:
    """Whether there is as much room in each memory."""
    return all(map(operator.le, need, room))


@dataclass(frozen=True)
class Way:
    """From device memory to LX, or back: the links of each transfer, the units that run them, and the numbers of the
    memories in between.
    """

    legs: tuple[tuple[Link, ...], ...]
    units: tuple[str | None, ...]
    stages: tuple[int, ...]


class Memories:
    """The memories of a device that buffers lie in, and the ways to LX and back."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.all = (device.memory("lx"), *device.stages())
        self.room: Room = tuple(device.share(memory) for memory in self.all)
        ends = device.memory("device").kind, device.memory("lx").kind
        self._ends = {True: ends, False: (ends[1], ends[0])}
        self._made: dict[tuple[tuple[str, ...], ...], Way] = {}
        self._first = {reads: self._legs(reads) for reads in (True, False)}
        self.load, self.store = (self._way(tuple(ways[0] for ways in self._first[reads])) for reads in (True, False))

    def taken(self, op: ir.Operation) -> Room:
        """What an op takes of each: LX for the tensors that it makes, stages for the box that it reads or writes."""
        found = [0] * len(self.all)
        found[0] = sum(self.all[0].aligned(buffers.size_of_value(result)) for result in op.results)
        view = op.opview
        if isinstance(view, dataflow.BoxOp):
            for number in self.passed(view):
                found[number] = self.all[number].aligned(buffers.size(view.tensor.type))
        return tuple(found)

    def passed(self, view: dataflow.BoxOp) -> tuple[int, ...]:
        """The numbers of the stages that the box of a read or write passes."""
        if view.space.value == dataflow.LX:
            return ()
        return (self.load if isinstance(view, dataflow.ReadOp) else self.store).stages

    def way(self, counts: Sequence[int], strides: Sequence[int], element: int, *, reads: bool) -> Way:
        """The way on which a box of device memory is read, or written, the quickest."""
        if all(len(ways) == 1 for ways in self._first[reads]):
            return self.load if reads else self.store
        return self._way(tuple(cost.quickest(self.device, *self._ends[reads], counts, strides, element)))

    def _legs(self, reads: bool) -> list[list[tuple[str, ...]]]:
        """The transfers on the way, and for each the routes that it can take."""
        try:
            return routes.legs(self.device, *self._ends[reads])
        except Unsupported:
            return [[routes.shortest(self.device, *self._ends[reads])]]  # for materialize-tiles to refuse

    def _way(self, legs: tuple[tuple[str, ...], ...]) -> Way:
        if legs not in self._made:
            numbers = {memory.kind: number for number, memory in enumerate(self.all)}
            self._made[legs] = Way(
                tuple(routes.links(self.device, leg) for leg in legs),
                tuple(routes.engine(self.device, leg) for leg in legs),
                tuple(numbers[leg[-1]] for leg in legs[:-1]),
            )
        return self._made[legs]
