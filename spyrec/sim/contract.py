"""Contractions of a matrix unit: ``contract`` as a step, its sums by NumPy, its time in closed form."""

from __future__ import annotations

import math

import numpy as np

from spyrec import numerics
from spyrec.device import cost
from spyrec.errors import Diagnostic, InvalidKernel, Severity
from spyrec.isa import Contract, Instruction
from spyrec.numerics.nests import contract_nest
from spyrec.sim.boxes import check_points
from spyrec.sim.elements import Array, Elements
from spyrec.sim.faults import UnitStops
from spyrec.sim.units import BLOCKED, Step, Unit
from spyrec.sim.world import Site


def contract(site: Site, instruction: Instruction) -> Step:
    """The step of a contraction. Raises ``InvalidKernel`` for operands that no matrix unit takes together."""
    assert isinstance(instruction, Contract)
    index = site.index
    counts = instruction.counts
    _check_types(instruction)
    duration = contract_cycles(site, instruction)
    sides = [_Factor(site, instruction, side) for side in (0, 1)]
    acc, start, keep = instruction.acc, instruction.start, instruction.keep
    summed = [s == 0 for s in acc.strides]
    kept_dims = [d for d, gone in enumerate(summed) if not gone]
    sums = Elements(site, counts, acc, dims=kept_dims, writes=True)
    shape = tuple(counts[d] for d in kept_dims)
    wide = "f64" if numerics.is_float(acc.type) else "i64"
    # What neither side steps along is walked all the same.
    steps = list(zip(counts, instruction.lhs.strides, instruction.rhs.strides, strict=True))
    walked = [[n for n, *s in steps if s[side] or not s[1 - side]] for side in (0, 1)]

    def initial(unit: Unit, at: int) -> Array:
        if start == "zero":
            return np.zeros(shape, numerics.dtype(wide))
        if start == "lx":
            return sums.load(unit, at)
        kept = unit.kept
        if kept is None or kept.size != math.prod(shape) or kept.dtype != numerics.dtype(wide):
            have = "nothing" if kept is None else f"{kept.size} sums of {kept.dtype}"
            message = f"goes on from {math.prod(shape)} sums of {wide} in the unit, which has kept {have}"
            raise UnitStops("accumulator-misuse", message)
        unit.kept = None
        return kept.reshape(shape)

    def step(unit: Unit) -> int:
        if not unit.drained():
            unit.pc = index
            return BLOCKED
        touches = not keep or start == "lx"
        at = sums.address(unit) if touches else 0
        for points in walked:
            check_points(points)
        left, right = (side.lanes(unit) for side in sides)
        total = contract_nest(left, right, counts, summed, initial(unit, at), wide if keep else acc.type)
        if keep:
            unit.kept = total
        else:
            sums.store(unit, at, total)
        return site.busy(unit, duration)

    return step


class _Factor:
    """The left (0) or right (1) operand, read once per element though it is repeated."""

    def __init__(self, site: Site, instruction: Contract, side: int) -> None:
        operand = instruction.operands[side]
        dims = [d for d, s in enumerate(operand.strides) if s]
        self._elements = Elements(site, instruction.counts, operand, dims=dims)
        self._shape = [n if s else 1 for n, s in zip(instruction.counts, operand.strides, strict=True)]

    def lanes(self, unit: Unit) -> Array:
        """The elements; extent 1 along counts in which they are repeated."""
        return self._elements.load(unit, self._elements.address(unit)).reshape(self._shape)


def contract_cycles(site: Site, instruction: Contract) -> int:
    """What the contraction takes: at the rate of the wider of its factors."""
    rows = columns = batch = depth = 1
    strides = zip(instruction.lhs.strides, instruction.rhs.strides, instruction.acc.strides, strict=True)
    for count, (left, right, acc) in zip(instruction.counts, strides, strict=True):
        if not acc:
            depth *= count
        elif left and right:
            batch *= count
        elif right:
            columns *= count
        else:
            rows *= count
    unit = site.world.device.units[site.program.kind]
    element = contract_element(instruction)
    return cost.contract_cycles(site.world.device, unit, (batch, rows, columns, depth), element)


def contract_element(instruction: Contract) -> str:
    """The element type whose lanes a contraction has: the wider one of its factors."""
    return max((instruction.lhs.type, instruction.rhs.type), key=numerics.sizeof)


def _check_types(instruction: Contract) -> None:
    types = [o.type for o in instruction.operands]
    if len({numerics.is_float(t) for t in types}) > 1:
        message = f"contract does not take {', '.join(types)} together"
        raise InvalidKernel([Diagnostic(Severity.ERROR, message, "corrupt-binary")])
