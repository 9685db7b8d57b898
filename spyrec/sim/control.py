"""Scalar and control instructions: one function each, which makes the instruction's step.

All decisions that the instruction's fields allow are made once, here; a step only does what depends on the unit.
"""

from __future__ import annotations

from collections.abc import Callable

from spyrec.isa import LX, Instruction, alu
from spyrec.sim import clocks
from spyrec.sim.boxes import box
from spyrec.sim.faults import UnitStops
from spyrec.sim.operands import local_address
from spyrec.sim.units import BLOCKED, DONE, Step, Unit
from spyrec.sim.world import Site


def halt(site: Site, instruction: Instruction) -> Step:
    def step(unit: Unit) -> int:
        unit.halted = True
        return DONE

    return step


MAX_ITERATIONS = 1 << 32
"""A ``loop`` of more iterations is refused: nobody waits for its end."""


def loop(site: Site, instruction: Instruction) -> Step:
    rd, ra, body, behind = instruction.rd, instruction.ra, site.index + 1, instruction.target + 1
    limit, cycles = site.world.device.limits.loop_count, site.cycles

    def step(unit: Unit) -> int:
        count = unit.regs[ra]
        if count < 0:
            raise UnitStops("loop-count", f"a loop of {count} iterations")
        if count > MAX_ITERATIONS:
            raise UnitStops("too-many-iterations", f"a loop of {count} iterations; {MAX_ITERATIONS} are simulated")
        unit.time += cycles
        if count == 0:
            return behind
        inner = limit
        while inner < count:  # a hardware loop around those so far
            unit.time += cycles
            inner *= limit
        unit.loops.append([0, min(count, limit), count])
        unit.regs[rd] = 0
        return body

    return step


def endloop(site: Site, instruction: Instruction) -> Step:
    start = next(i for i, other in enumerate(site.program.code) if other.op == "loop" and other.target == site.index)
    rd, body, behind = site.program.code[start].rd, start + 1, site.index + 1
    limit, cycles = site.world.device.limits.loop_count, site.cycles

    def step(unit: Unit) -> int:
        frame = unit.loops[-1]
        frame[0] += 1
        if frame[0] < frame[1]:
            unit.regs[rd] = frame[0]
            return body
        if frame[0] < frame[2]:
            # The innermost hardware loop has ended, and perhaps some around it; they start anew.
            frame[1] = min(frame[2], frame[0] + limit)
            unit.time += cycles
            inner = limit * limit
            while frame[0] % inner == 0:
                unit.time += cycles
                inner *= limit
            unit.regs[rd] = frame[0]
            return body
        unit.loops.pop()
        return behind

    return step


MAX_REPEATS = 1 << 24
"""How often the body of one ``repeat`` runs before it is taken to run for ever."""


def repeat(site: Site, instruction: Instruction) -> Step:
    following, cycles = site.index + 1, site.cycles

    def step(unit: Unit) -> int:
        unit.time += cycles
        unit.loops.append([0, MAX_REPEATS])
        return following

    return step


def exitz(site: Site, instruction: Instruction) -> Step:
    ends = (i for i, other in enumerate(site.program.code) if other.op == "repeat" and i < site.index < other.target)
    behind = site.program.code[max(ends)].target + 1
    ra, following, cycles = instruction.ra, site.index + 1, site.cycles

    def step(unit: Unit) -> int:
        unit.time += cycles
        if unit.regs[ra]:
            return following
        unit.loops.pop()
        return behind

    return step


def endrepeat(site: Site, instruction: Instruction) -> Step:
    start = next(i for i, other in enumerate(site.program.code) if other.op == "repeat" and other.target == site.index)
    body = start + 1

    def step(unit: Unit) -> int:
        frame = unit.loops[-1]
        frame[0] += 1
        if frame[0] == frame[1]:
            raise UnitStops("too-many-iterations", f"a loop has run {frame[1]} times, and has no end in sight")
        return body

    return step


def brz(site: Site, instruction: Instruction) -> Step:
    ra, target, following, cycles = instruction.ra, instruction.target, site.index + 1, site.cycles

    def step(unit: Unit) -> int:
        unit.time += cycles
        return following if unit.regs[ra] else target

    return step


def jump(site: Site, instruction: Instruction) -> Step:
    target, cycles = instruction.target, site.cycles

    def step(unit: Unit) -> int:
        unit.time += cycles
        return target

    return step


def wait(site: Site, instruction: Instruction) -> Step:
    number, here, following, cycles = instruction.channel, site.index, site.index + 1, site.cycles
    peer, peers = instruction.peer, site.world.peers
    trace = site.world.engine.trace
    if trace is not None and not trace.detailed:
        trace = None

    def step(unit: Unit) -> int:
        channel = unit.channels[number] if peer is None else peers.find(number, unit.regs[peer], unit.core)
        if channel.initial:
            channel.initial -= 1
            channel.taken += 1
            since = unit.time
            unit.time += cycles
            if trace is not None:
                trace.wait(
                    unit.core, unit.label, unit.number, channel.label, since, unit.time, channel.poster, initial=True
                )
            return following
        if not channel.tokens:
            channel.waiter = unit
            unit.blocked = channel
            unit.pc = here
            return BLOCKED
        ready, clock = channel.tokens.popleft()
        channel.taken += 1
        since = unit.time
        unit.time += cycles
        if ready > unit.time:
            unit.waited(since, ready, channel.name)
            unit.time = ready
        if trace is not None:
            trace.wait(
                unit.core, unit.label, unit.number, channel.label, since, unit.time, channel.poster, initial=False
            )
        unit.clock = clocks.merged(unit.clock, clock)
        return following

    return step


def post(site: Site, instruction: Instruction) -> Step:
    number, following, cycles = instruction.channel, site.index + 1, site.cycles
    engine, peer, peers = site.world.engine, instruction.peer, site.world.peers

    def step(unit: Unit) -> int:
        channel = unit.channels[number] if peer is None else peers.find(number, unit.core, unit.regs[peer])
        unit.time += cycles
        clock = unit.clock
        unit.clock = clocks.advanced(clock, unit.slot)
        engine.post(unit, channel, clock)
        return following

    return step


def li(site: Site, instruction: Instruction) -> Step:
    return _constant(site, instruction.rd, instruction.imm)


def param(site: Site, instruction: Instruction) -> Step:
    return _constant(site, instruction.rd, site.world.parameters[instruction.imm])


def _constant(site: Site, rd: int, value: int) -> Step:
    following, cycles = site.index + 1, site.cycles

    def step(unit: Unit) -> int:
        unit.regs[rd] = value
        unit.time += cycles
        return following

    return step


def coreparam(site: Site, instruction: Instruction) -> Step:
    column = [row[instruction.imm] for row in site.world.binary.core_table]
    return _computed(site, instruction.rd, lambda unit: column[unit.core])


def core(site: Site, instruction: Instruction) -> Step:
    return _computed(site, instruction.rd, lambda unit: unit.core)


def mov(site: Site, instruction: Instruction) -> Step:
    ra = instruction.ra
    return _computed(site, instruction.rd, lambda unit: unit.regs[ra])


def sext(site: Site, instruction: Instruction) -> Step:
    ra, bits = instruction.ra, instruction.imm
    return _computed(site, instruction.rd, lambda unit: alu.wrap(unit.regs[ra], bits))


def zext(site: Site, instruction: Instruction) -> Step:
    ra, bits = instruction.ra, instruction.imm
    return _computed(site, instruction.rd, lambda unit: alu.wrap(alu.unsigned(unit.regs[ra], bits)))


def select(site: Site, instruction: Instruction) -> Step:
    ra, rb, rc = instruction.ra, instruction.rb, instruction.rc
    return _computed(site, instruction.rd, lambda unit: unit.regs[ra] if unit.regs[rc] else unit.regs[rb])


def _computed(site: Site, rd: int, value: Callable[[Unit], int]) -> Step:
    following, cycles = site.index + 1, site.cycles

    def step(unit: Unit) -> int:
        unit.regs[rd] = value(unit)
        unit.time += cycles
        return following

    return step


def arithmetic(site: Site, instruction: Instruction) -> Step:
    """The integer operations, on two registers or, with ``i`` at the end of the name, on one and an immediate."""
    rd, ra, rb, imm = instruction.rd, instruction.ra, instruction.rb, instruction.imm
    following, cycles = site.index + 1, site.cycles
    immediate = instruction.op not in alu.OPERATIONS
    op = instruction.op.removesuffix("i") if immediate else instruction.op
    function, least, most = alu.exact(op), alu.LEAST, alu.MOST

    def step(unit: Unit) -> int:
        regs = unit.regs
        try:
            value = function(regs[ra], imm if immediate else regs[rb])
        except alu.DivisionByZero:
            raise UnitStops("division-by-zero", f"{op} divides {regs[ra]} by 0") from None
        regs[rd] = value if least <= value <= most else alu.wrap(value)
        unit.time += cycles
        return following

    return step


ARITHMETIC = {name: arithmetic for op in sorted(alu.OPERATIONS) for name in (op, f"{op}i")}
"""Every integer operation in both forms."""


def sload(site: Site, instruction: Instruction) -> Step:
    """Load a scalar once the unit's own transfers are complete.

    Bytes that hold no such scalar stop the unit: nothing that follows would mean anything.
    """
    world, index, width = site.world, site.index, instruction.imm
    rd = instruction.rd
    whole = box((1,), (width,), width)
    address = local_address(instruction.ra, 0, whole, instruction.buffer, world.binary, world.device)
    buffer = -1 if instruction.buffer is None else instruction.buffer
    traffic = world.traffic.memory(LX)

    def step(unit: Unit) -> int:
        if not unit.drained():
            unit.pc = index
            return BLOCKED
        at = address(unit)
        found = unit.lx.shadow.read(whole.intervals, at, unit.access(index, buffer), unit.clock)
        if found:
            world.sanitizer.judge(found, "LX", reads=True)
            raise UnitStops
        traffic.read(width)
        unit.regs[rd] = int.from_bytes(unit.lx.data[at : at + width].tobytes(), "little", signed=True)
        return site.busy(unit, 0)

    return step
