"""No synchronisation is superfluous and none is missed: each channel deleted, and each buffer laid over another live
one, is caught
by the sanitizer for every draw of latencies, in every kernel that iterates often enough for run-ahead to matter."""

import dataclasses
from collections.abc import Callable

import pytest
from lines import LINES, Line

from spyrec import isa, sim
from spyrec.errors import InvalidKernel

DEPTH = 2
SHUFFLES = (None, *range(8))
BUSY = [line for line in LINES if DEPTH + 2 <= line.kernel.iterations <= 16]


def changed(program: isa.UnitProgram, change: Callable[[isa.Instruction], isa.Instruction]) -> isa.UnitProgram:
    return dataclasses.replace(program, code=tuple(change(instruction) for instruction in program.code))


def without_channel(binary: isa.Binary, channel: int) -> isa.Binary:
    """The binary with every post and wait of one channel turned into a no-op; positions in the code stay."""

    def change(instruction: isa.Instruction) -> isa.Instruction:
        if instruction.op in ("post", "wait") and instruction.channel == channel:
            return isa.Instruction("mov", rd=0, ra=0)
        return instruction

    return dataclasses.replace(binary, units=tuple(changed(unit, change) for unit in binary.units))


def moved_buffer(binary: isa.Binary, buffer: int, address: int) -> isa.Binary:
    """The binary with one buffer, and all that names it, at another address."""
    delta = address - binary.buffers[buffer].address
    buffers = tuple(dataclasses.replace(b, address=address) if i == buffer else b for i, b in enumerate(binary.buffers))

    def operand(lx: isa.LxOperand) -> isa.LxOperand:
        return dataclasses.replace(lx, offset=lx.offset + delta) if lx.buffer == buffer else lx

    def end(side: isa.End) -> isa.End:
        return dataclasses.replace(side, offset=side.offset + delta) if side.buffer == buffer else side

    def change(instruction: isa.Instruction) -> isa.Instruction:
        if isinstance(instruction, isa.Stream):
            return dataclasses.replace(
                instruction,
                inputs=tuple(map(operand, instruction.inputs)),
                outputs=tuple(map(operand, instruction.outputs)),
            )
        if isinstance(instruction, isa.Xfer):
            return dataclasses.replace(instruction, source=end(instruction.source), dest=end(instruction.dest))
        return instruction

    return dataclasses.replace(binary, buffers=buffers, units=tuple(changed(unit, change) for unit in binary.units))


def hands_over(binary: isa.Binary, one: int, other: int) -> bool:
    """Whether some stream reads ``one`` and writes ``other``: then neither is live while the other is, only at that instant, and an
    element-wise stream may work in place."""
    streams = (i for unit in binary.units for i in unit.code if isinstance(i, isa.Stream))
    return any({o.buffer for o in s.inputs} >= {one} and {o.buffer for o in s.outputs} >= {other} for s in streams)


def fault(line: Line, binary: isa.Binary, shuffle: int | None) -> str | None:
    """The id of the fault that the sanitizer raises, or None when it lets the program pass."""
    launch = line.launch()
    bank = line.artifact.parameters(launch)
    try:
        sim.execute(binary, line.artifact.device, launch, parameters=bank, shuffle=shuffle)
    except InvalidKernel as error:
        return error.diagnostics[0].id
    return None


@pytest.mark.parametrize("line", BUSY, ids=str)
def test_each_deleted_channel_is_a_race(line: Line) -> None:
    binary = line.artifact.program
    assert binary.channels
    for index, channel in enumerate(binary.channels):
        mutant = without_channel(binary, index)
        for shuffle in SHUFFLES:
            assert fault(line, mutant, shuffle) is not None, f"without {channel.name}, shuffle {shuffle}"


@pytest.mark.parametrize("line", BUSY, ids=str)
def test_each_buffer_on_another_is_caught(line: Line) -> None:
    binary = line.artifact.program
    for index, moved in enumerate(binary.buffers):
        for other, target in enumerate(binary.buffers):
            if other == index:
                continue
            mutant = moved_buffer(binary, index, target.address)
            faults = [fault(line, mutant, shuffle) for shuffle in SHUFFLES]
            in_place = hands_over(binary, index, other) or hands_over(binary, other, index)
            assert all(faults) or (in_place and not any(faults)), f"{moved.name} on {target.name}: {faults}"


@pytest.mark.parametrize("line", BUSY, ids=str)
def test_the_program_itself_is_accepted(line: Line) -> None:
    for shuffle in SHUFFLES:
        assert fault(line, line.artifact.program, shuffle) is None
