"""Which compute tiles read the same box of memory, as far as addresses say it.

A value is a linear form over the tile's id, counters of loops and arguments of the kernel. With the id put in, equal
forms are equal values in the same iteration of all loops around. What was loaded is not looked into.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from spyrec.dialects.dataflow import DataTransferOp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.accesses import operands
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Leaf, Linear


@dataclass(frozen=True)
class Groups:
    """Tiles in groups of equal size: tile ``starts[g] + k * step`` is member ``k`` of group ``g``."""

    starts: tuple[int, ...]
    size: int
    step: int

    def members(self, group: int) -> range:
        """The tiles of a group."""
        return range(self.starts[group], self.starts[group] + self.size * self.step, self.step)

    def group_of(self, tile: int) -> int:
        """The group that a tile is in."""
        return next(g for g in range(len(self.starts)) if tile in self.members(g))

    def parted(self, size: int) -> Groups:
        """Each group cut into such of ``size`` neighbours."""
        starts = [start + k * self.step for start in self.starts for k in range(0, self.size, size)]
        return Groups(tuple(starts), size, self.step)


def grouped(classes: Sequence[Sequence[int]]) -> Groups | None:
    """Sets of tiles as groups; ``None`` when they differ in size, or are not equally far apart."""
    size = len(classes[0])
    steps = {b - a for members in classes for a, b in itertools.pairwise(members)}
    if size < 2 or len(steps) > 1 or any(len(members) != size for members in classes):
        return None
    return Groups(tuple(members[0] for members in classes), size, steps.pop())


class SameBoxes:
    """Answers for one function at stage ``schedule``. Make a new one after the function has been changed."""

    def __init__(self, function: ir.Operation) -> None:
        self.function = function
        self.tiles = kernels.tiles(function)
        self.values = IndexValues(function, self.tiles)

    def marches(self, op: ir.Operation) -> bool:
        """Whether all tiles come to ``op`` equally often, and each loop around it runs as long every time."""
        for around in kernels.around(op, self.function):
            if around.name != "scf.for":
                return False
            bounds = [self.values.form(operand) for operand in list(around.operands)[:3]]
            if not all(self._is_argument(leaf) for form in bounds for leaf in form.leaves()):
                return False
        return True

    def groups(self, read: DataTransferOp) -> Groups | None:
        """The tiles that read the same box in the same iteration; ``None`` when nothing is known, or no two do."""
        found = operands(read)
        address = [self.values.unwrapped(value) for value in (*found["source_base"], *found["source_offset"])]
        rest = [self.values.form(v) for name in ("source_dyn_strides", "lower", "upper") for v in found[name]]
        forms = [*address, *rest]
        classes: dict[tuple[Linear, ...], list[int]] = {}
        for tile in range(self.tiles):
            own = tuple(self._on(form, tile) for form in forms)
            if not all(self._is_shared(leaf) for form in own for leaf in form.leaves()):
                return None
            classes.setdefault(own, []).append(tile)
        return grouped(list(classes.values()))

    def _on(self, form: Linear, tile: int) -> Linear:
        """A form on one tile."""
        total = Linear.of(form.constant)
        for atom, factor in form.terms:
            if isinstance(atom, Leaf):
                part = Linear.of(tile) if self._is_tile(atom) else Linear.atom(atom)
            else:
                divide = self.values.quotient if atom.part == "quotient" else self.values.remainder
                part = divide(self._on(atom.of, tile), atom.by)
            total = total + part.scaled(factor)
        return total

    def _is_tile(self, leaf: Leaf) -> bool:
        op = kernels.defining(self.values.value(leaf))
        return op is not None and op.name in kernels.TILE_IDS and len(op.results) == 1

    def _is_argument(self, leaf: Leaf) -> bool:
        value = self.values.value(leaf)
        return isinstance(value, ir.BlockArgument) and kernels.owner(value.owner) == self.function

    def _is_shared(self, leaf: Leaf) -> bool:
        """An argument of the kernel, or the counter of a loop."""
        value = self.values.value(leaf)
        return self._is_argument(leaf) or (
            isinstance(value, ir.BlockArgument)
            and value.arg_number == 0
            and kernels.owner(value.owner).name == "scf.for"
        )
