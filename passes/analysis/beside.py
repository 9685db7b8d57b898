"""How much room in memory tensors beside those of a group of ops leave for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, tile_costs
from spyrec.passes.analysis.staging import Memories, Room


class Beside:
    """What the tensors of a function take of each memory while one of its groups is at work."""

    def __init__(self, function: ir.Operation, memories: Memories) -> None:
        self.function = function
        self.memories = memories
        self._place = {view.operation: k for k, view in enumerate(function.regions[0].blocks[0].operations)}
        self._room: dict[ir.Operation, Room] = {}
        self._inside: Counter[tuple[ir.Operation, int]] = Counter()
        """Bytes, per memory, that ops right inside of a loop or branch take."""
        self._across = _Sums(len(self._place) + 1)
        """Bytes of LX of the tensors that are made in the function's own block before an op of it, and used there or
        later."""
        for op in kernels.steps(function):
            room = memories.taken(op)
            if any(room):
                self._room[op] = room
                self._add(op, room, 1)

    def remove(self, group: Iterable[ir.Operation]) -> None:
        """A group that is cut has gone when the loops of others begin."""
        for op in group:
            if op in self._room:
                self._add(op, self._room.pop(op), -1)

    def add(self, group: Iterable[ir.Operation]) -> None:
        """Ops stand where others were, whose tensors nothing else takes."""
        for op in group:
            self._room[op] = self.memories.taken(op)
            self._add(op, self._room[op], 1)

    def left(self, group: Sequence[ir.Operation]) -> Room:
        """What others leave while the group, whose first op comes first, is at work."""
        around = list(kernels.around(group[0], self.function))
        own = [self._room[op] for op in group if op in self._room] if around else []
        found = []
        for number, size in enumerate(self.memories.room):
            # A buffer in a loop is alive as long as the loop is.
            loops = sum(self._inside[op, number] for op in around) - sum(room[number] for room in own)
            found.append(size - tile_costs.SLOTS * loops)
        return (found[0] - self._across.at(self._place[around[-1] if around else group[0]]), *found[1:])

    def _add(self, op: ir.Operation, room: Room, sign: int) -> None:
        if op not in self._place:
            above = kernels.parent(op)
            assert above is not None
            for number, bytes_ in enumerate(room):
                self._inside[above, number] += sign * bytes_
            return
        # Outside of loops a stage has the bytes of one transfer after the other.
        last = max((self._outermost(use.owner.operation) for result in op.results for use in result.uses), default=0)
        if last > self._place[op]:
            self._across.add_from(self._place[op] + 1, sign * room[0])
            self._across.add_from(last + 1, -sign * room[0])

    def _outermost(self, op: ir.Operation) -> int:
        """The place of the op of the function's own block that ``op`` is, or is in."""
        return self._place[next(reversed([op, *kernels.around(op, self.function)]))]


class _Sums:
    """A number at each of many places, all 0 at first; both methods take logarithmic time (a Fenwick tree)."""

    def __init__(self, places: int) -> None:
        self._tree = [0] * (places + 1)

    def add_from(self, first: int, amount: int) -> None:
        """Add to the numbers at ``first`` and all places behind it."""
        node = first + 1
        while node < len(self._tree):
            self._tree[node] += amount
            node += node & -node

    def at(self, place: int) -> int:
        """The number at ``place``."""
        node, total = place + 1, 0
        while node:
            total += self._tree[node]
            node -= node & -node
        return total
