"""Stream kernels: ``stream`` as a step, its values by NumPy on whole operands, its time in closed form."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from spyrec import numerics
from spyrec.device import cost
from spyrec.errors import Diagnostic, InvalidKernel, Severity
from spyrec.isa import Instruction, LxOperand, MicroOp, Stream
from spyrec.isa.micro import PRODUCT
from spyrec.sim.boxes import check_points
from spyrec.sim.elements import Array, Elements, Numbers, low_bytes
from spyrec.sim.faults import UnitStops
from spyrec.sim.units import BLOCKED, Step, Unit
from spyrec.sim.world import Site

Registers = dict[int, Array]
Compute = Callable[[Registers, list[int]], None]
"""Runs one micro-op on vector registers, given the scalar registers."""


def stream(site: Site, instruction: Instruction) -> Step:
    """The step of a stream kernel. Raises ``InvalidKernel`` for micro-ops on types that they do not fit."""
    assert isinstance(instruction, Stream)
    index = site.index
    inputs = [
        Numbers(instruction.counts, o) if o.number else Elements(site, instruction.counts, o)
        for o in instruction.inputs
    ]
    folds = [_Fold(site, instruction, o) if o.fold else None for o in instruction.outputs]
    outputs = [
        Elements(site, instruction.counts, o, writes=True) if fold is None else fold.elements
        for o, fold in zip(instruction.outputs, folds, strict=True)
    ]
    compute = [_micro_op(op) for op in instruction.micro_ops]
    _try_out(instruction, compute)
    duration = stream_cycles(site, instruction)

    def step(unit: Unit) -> int:
        if not unit.drained():
            unit.pc = index
            return BLOCKED
        targets = [(operand, operand.address(unit)) for operand in outputs]
        if len(targets) > 1 and _meet(targets):
            raise UnitStops("overlap", "the outputs of a stream share bytes")
        check_points(instruction.counts)
        registers: Registers = {operand.register: operand.load(unit, operand.address(unit)) for operand in inputs}
        starts = [None if f is None else f.start(unit, at) for f, (_, at) in zip(folds, targets, strict=True)]
        for run in compute:
            run(registers, unit.regs)
        for (operand, at), fold, start in zip(targets, folds, starts, strict=True):
            values = registers[operand.register]
            operand.store(unit, at, values if fold is None else fold.folded(values, start))
        return site.busy(unit, duration)

    return step


class _Fold:
    """An output that folds: what is combined, and with what it starts."""

    def __init__(self, site: Site, instruction: Stream, operand: LxOperand) -> None:
        self.axes = instruction.folded_counts
        kept = [d for d in range(len(instruction.counts)) if d not in self.axes]
        self.elements = Elements(site, instruction.counts, operand, dims=kept, writes=True)
        self._counts = instruction.counts
        self._op, self._type = f"arith.{operand.fold}", operand.type
        self._fresh = bool(operand.fresh)

    def start(self, unit: Unit, at: int) -> Array | None:
        """What memory holds, if the fold goes on from it."""
        return None if self._fresh else self.elements.load(unit, at)

    def folded(self, values: Array, start: Array | None) -> Array:
        """The elements of the output."""
        whole = np.broadcast_to(values, self._counts)
        return numerics.reductions.reduce(self._op, whole, self.axes, start, self._type)


def _try_out(instruction: Stream, compute: list[Compute]) -> None:
    """Run the micro-ops on ones: they take the types that they get, and give the types that are stored."""
    registers: Registers = {o.register: np.ones(1, numerics.dtype(o.type)) for o in instruction.inputs}
    types = {o.register: o.type for o in instruction.inputs}
    for op, run in zip(instruction.micro_ops, compute, strict=True):
        given = ", ".join(types[s] for s in op.sources if op.op != "splat")
        try:
            run(registers, [1] * 32)
        except UnitStops:  # the kernel divides by a constant 0: a fault if it is ever reached
            registers[op.dest] = np.ones(1, numerics.dtype(op.type))
        except (numerics.NumericsError, TypeError, ValueError, AttributeError) as error:
            raise _corrupt(f"{op.op} to {op.type} does not take {given}: {error}") from None
        if op.op == PRODUCT:
            if not numerics.is_float(op.type) or any(types[s] != op.type for s in op.sources):
                raise _corrupt(f"a product to {op.type} does not take {given}")
        elif registers[op.dest].dtype != numerics.dtype(op.type):
            raise _corrupt(f"{op.op} on {given} gives {registers[op.dest].dtype}, not {op.type}")
        types[op.dest] = op.type
    for output in instruction.outputs:
        found = types[output.register]
        if numerics.dtype(found) != numerics.dtype(output.type):
            raise _corrupt(f"v{output.register} holds {found} and is stored as {output.type}")
        if output.fold and numerics.reductions.COMBINERS[f"arith.{output.fold}"].is_float != numerics.is_float(found):
            raise _corrupt(f"{output.fold} does not fold {found}")


def _corrupt(message: str) -> InvalidKernel:
    return InvalidKernel([Diagnostic(Severity.ERROR, message, "corrupt-binary")])


def _micro_op(op: MicroOp) -> Compute:
    dest, sources, result_type, name = op.dest, op.sources, op.type, op.op
    if name == "const":
        size = numerics.sizeof(result_type)
        value = numerics.from_bytes(low_bytes(op.immediate)[:size], result_type)[0]

        def const(registers: Registers, scalars: list[int]) -> None:
            registers[dest] = value

        return const
    if name == "splat":
        size, scalar = numerics.sizeof(result_type), sources[0]

        def splat(registers: Registers, scalars: list[int]) -> None:
            registers[dest] = numerics.from_bytes(low_bytes(scalars[scalar])[:size], result_type)[0]

        return splat

    if name == PRODUCT:
        left, right = sources

        def product(registers: Registers, scalars: list[int]) -> None:
            registers[dest] = numerics.reductions.product(registers[left], registers[right])

        return product

    def apply(registers: Registers, scalars: list[int]) -> None:
        try:
            registers[dest] = numerics.apply_micro(name, *[registers[s] for s in sources], result_type=result_type)
        except numerics.DivisionByZero as error:
            raise UnitStops("division-by-zero", str(error)) from None

    return apply


def stream_cycles(site: Site, instruction: Stream) -> int:
    """What the stream takes."""
    unit = site.world.device.units[site.program.kind]
    points = math.prod(instruction.counts)
    return cost.stream_cycles(site.world.device, unit, points, lane_operations(instruction))


def lane_operations(instruction: Stream) -> list[tuple[bool, str]]:
    """Per operation on each point: whether it is slow, and the widest type that it touches, whose rate it has."""
    types = {o.register: o.type for o in instruction.inputs}
    operations: list[tuple[bool, str]] = []
    for op in instruction.micro_ops:
        if op.op not in ("const", "splat"):
            touched = [op.type, *(types[s] for s in op.sources)]
            slow = op.op != PRODUCT and numerics.MICRO[op.op].slow
            operations.append((slow, max(map(_lane_type, touched), key=numerics.sizeof)))
        types[op.dest] = op.type
    operations.extend((False, _lane_type(o.type)) for o in instruction.outputs if o.fold)
    return operations


def _lane_type(name: str) -> str:
    return "i64" if name == "index" else name


def _meet(targets: list[tuple[Elements, int]]) -> bool:
    """True if two outputs share a byte."""
    taken = sorted((at + low, at + high) for operand, at in targets for low, high in operand.where.intervals)
    return any(b[0] < a[1] for a, b in itertools.pairwise(taken))
