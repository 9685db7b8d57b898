"""No synchronisation is superfluous and none is missed: each channel deleted, and each buffer laid over another live
one, is caught
by the sanitizer for every draw of latencies, in every kernel that iterates often enough for run-ahead to matter."""

import dataclasses
import itertools
from collections.abc import Callable

import pytest
from lines import LINES, Line

from spyrec import isa, sim
from spyrec.errors import InvalidKernel
from spyrec.mlir import ir

DEPTH = 2
SHUFFLES = (None, *range(8))
BUSY = [
    dataclasses.replace(line, tuning=("group-iterations=off",)) for line in LINES if line.kernel.iterations >= DEPTH + 2
]
"""Kernels that use slots more than once; done several at once, the iterations would be too few for that."""


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


def live_together(line: Line) -> set[frozenset[str]]:
    """Pairs of buffers that both hold a value at some point of the schedule's program order, by name.

    A buffer that ends where the other begins, as input and output of one element-wise op, is not among them: there the
    op may work in place.
    """
    module = line.compile("schedule").module
    spans: dict[str, tuple[int, int]] = {}
    for at, op in enumerate(operations(module.operation)):
        for operand in op.operands:
            owner = operand.owner
            if isinstance(owner, ir.Operation | ir.OpView) and owner.operation.name == "dataflow.alloc":
                name = ir.StringAttr(owner.operation.attributes["name"]).value
                first, _ = spans.get(name, (at, at))
                spans[name] = (first, at)
    pairs = itertools.combinations(spans, 2)
    return {frozenset((a, b)) for a, b in pairs if spans[a][0] < spans[b][1] and spans[b][0] < spans[a][1]}


def operations(top: ir.Operation) -> list[ir.Operation]:
    """All operations below ``top`` in the order of the text."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    top.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


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
    """What is live together is caught under every timing. Buffers that are not may still collide, when units run ahead;
    then that is caught under every timing too, or it is harmless under all of them.
    """
    binary = line.artifact.program
    together = live_together(line)
    for (index, moved), (_, target) in itertools.permutations(enumerate(binary.buffers), 2):
        mutant = moved_buffer(binary, index, target.address)
        faults = [fault(line, mutant, shuffle) for shuffle in SHUFFLES]
        harmless = frozenset((moved.name, target.name)) not in together and not any(faults)
        assert all(faults) or harmless, f"{moved.name} on {target.name}: {faults}"


@pytest.mark.parametrize("line", BUSY, ids=str)
def test_the_program_itself_is_accepted(line: Line) -> None:
    for shuffle in SHUFFLES:
        assert fault(line, line.artifact.program, shuffle) is None


def test_the_kernels_have_buffers_that_are_live_together() -> None:
    assert sum(len(live_together(line)) for line in BUSY) >= 3
