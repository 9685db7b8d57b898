"""Stream kernels: ``stream`` as a step, its values by NumPy on whole operands, its time in closed form."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.device import cost
from spyrec.errors import Diagnostic, InvalidKernel, Severity
from spyrec.isa import Instruction, LxOperand, MicroOp, Stream
from spyrec.sim.boxes import Box, box
from spyrec.sim.faults import UnitStops
from spyrec.sim.operands import Address, lx_address
from spyrec.sim.units import BLOCKED, Step, Unit
from spyrec.sim.world import Site

Array = npt.NDArray[Any]
Registers = dict[int, Array]
Compute = Callable[[Registers, list[int]], None]
"""Runs one micro-op on vector registers, given the scalar registers."""


def stream(site: Site, instruction: Instruction) -> Step:
    """The step of a stream kernel. Raises ``InvalidKernel`` for micro-ops on types that they do not fit."""
    assert isinstance(instruction, Stream)
    world, index, following, cycles = site.world, site.index, site.index + 1, site.cycles
    inputs = [_Operand(site, instruction, o) for o in instruction.inputs]
    outputs = [_Operand(site, instruction, o, writes=True) for o in instruction.outputs]
    compute = [_micro_op(op) for op in instruction.micro_ops]
    _try_out(instruction, compute)
    duration = stream_cycles(site, instruction)
    latencies, sanitizer, trace = world.engine.latencies, world.sanitizer, world.engine.trace
    lx = world.traffic.lx

    def step(unit: Unit) -> int:
        if not unit.drained():
            unit.pc = index
            return BLOCKED
        targets = [(operand, operand.address(unit)) for operand in outputs]
        if len(targets) > 1 and _meet(targets):
            raise UnitStops("overlap", "the outputs of a stream share bytes")
        registers: Registers = {operand.register: operand.load(unit) for operand in inputs}
        for run in compute:
            run(registers, unit.regs)
        for operand, at in targets:
            found = unit.lx.shadow.write(operand.where.intervals, at, unit.access(index, operand.buffer), unit.clock)
            if found:
                sanitizer.judge(found, "LX", reads=False)
            operand.view(unit, at)[...] = registers[operand.register]
            lx.written(operand.where.bytes)
        since = unit.time + cycles
        unit.time = since + latencies.cycles(duration)
        if trace is not None:
            trace.span(unit.core, unit.label, unit.number, index, since, unit.time)
        return following

    return step


class _Operand:
    """One operand of a stream: where it is, and how its elements are read and written."""

    def __init__(self, site: Site, instruction: Stream, operand: LxOperand, *, writes: bool = False) -> None:
        world = site.world
        self.register = operand.register
        self.where: Box = box(instruction.counts, operand.strides, numerics.sizeof(operand.type))
        self.buffer = -1 if operand.buffer is None else operand.buffer
        self.address: Address = lx_address(
            operand.base,
            operand.offset,
            self.where,
            operand.buffer,
            world.binary.buffers,
            world.device.memory("lx").size,
            writes=writes,
        )
        self._dtype = numerics.dtype(operand.type)
        self._boolean = operand.type == "i1"
        self._index = site.index
        self._sanitizer = world.sanitizer
        self._traffic = world.traffic.lx

    def view(self, unit: Unit, at: int) -> Array:
        """The elements in LX, writable; booleans as bytes."""
        dtype = np.uint8 if self._boolean else self._dtype
        return np.ndarray(self.where.counts, dtype, unit.lx.data, at, self.where.strides)

    def load(self, unit: Unit) -> Array:
        """Record the read and give a copy of the elements."""
        at = self.address(unit)
        found = unit.lx.shadow.read(self.where.intervals, at, unit.access(self._index, self.buffer), unit.clock)
        if found:
            self._sanitizer.judge(found, "LX", reads=True)
        self._traffic.read(self.where.bytes)
        view = self.view(unit, at)
        loaded: Array = view != 0 if self._boolean else view.copy()
        return loaded


def _try_out(instruction: Stream, compute: list[Compute]) -> None:
    """Run the micro-ops on ones: they take the types that they get, and give the types that are stored."""
    registers: Registers = {o.register: np.ones(1, numerics.dtype(o.type)) for o in instruction.inputs}
    for op, run in zip(instruction.micro_ops, compute, strict=True):
        given = ", ".join(str(registers[s].dtype) for s in op.sources if op.op != "splat")
        try:
            run(registers, [1] * 32)
        except UnitStops:  # the kernel divides by a constant 0: a fault if it is ever reached
            registers[op.dest] = np.ones(1, numerics.dtype(op.type))
        except (numerics.NumericsError, TypeError, ValueError, AttributeError) as error:
            raise _corrupt(f"{op.op} to {op.type} does not take {given}: {error}") from None
        if registers[op.dest].dtype != numerics.dtype(op.type):
            raise _corrupt(f"{op.op} on {given} gives {registers[op.dest].dtype}, not {op.type}")
    for output in instruction.outputs:
        found = registers[output.register].dtype
        if found != numerics.dtype(output.type):
            raise _corrupt(f"v{output.register} holds {found} and is stored as {output.type}")


def _corrupt(message: str) -> InvalidKernel:
    return InvalidKernel([Diagnostic(Severity.ERROR, message, "corrupt-binary")])


def _micro_op(op: MicroOp) -> Compute:
    dest, sources, result_type, name = op.dest, op.sources, op.type, op.op
    if name == "const":
        size = numerics.sizeof(result_type)
        raw = np.frombuffer(op.immediate.to_bytes(8, "little"), np.uint8)[:size]
        value = numerics.from_bytes(raw, result_type)[0]

        def const(registers: Registers, scalars: list[int]) -> None:
            registers[dest] = value

        return const
    if name == "splat":
        size, scalar = numerics.sizeof(result_type), sources[0]

        def splat(registers: Registers, scalars: list[int]) -> None:
            raw = np.frombuffer((scalars[scalar] & ((1 << 64) - 1)).to_bytes(8, "little"), np.uint8)[:size]
            registers[dest] = numerics.from_bytes(raw, result_type)[0]

        return splat

    def apply(registers: Registers, scalars: list[int]) -> None:
        try:
            registers[dest] = numerics.apply_micro(name, *[registers[s] for s in sources], result_type=result_type)
        except numerics.DivisionByZero as error:
            raise UnitStops("division-by-zero", str(error)) from None

    return apply


def stream_cycles(site: Site, instruction: Stream) -> int:
    """What the stream takes. A micro-op runs at the rate of the widest type that it reads or writes."""
    unit = site.world.device.units[site.program.kind]
    types = {o.register: o.type for o in instruction.inputs}
    operations: list[tuple[bool, str]] = []
    for op in instruction.micro_ops:
        if op.op not in ("const", "splat"):
            touched = [op.type, *(types[s] for s in op.sources)]
            operations.append((numerics.MICRO[op.op].slow, max(map(_lane_type, touched), key=numerics.sizeof)))
        types[op.dest] = op.type
    points = 1
    for count in instruction.counts:
        points *= count
    return cost.stream_cycles(site.world.device, unit, points, operations)


def _lane_type(name: str) -> str:
    return "i64" if name == "index" else name


def _meet(targets: list[tuple[_Operand, int]]) -> bool:
    """True if two outputs share a byte."""
    taken = sorted((at + low, at + high) for operand, at in targets for low, high in operand.where.intervals)
    return any(b[0] < a[1] for a, b in itertools.pairwise(taken))
