"""Damaged programs: what a run gives, bytes or faults, is the same for every draw of latencies."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from assembled import Kernel, add_rows, copy_rows, run

from spyrec.errors import Diagnostic, InvalidKernel
from spyrec.isa import Binary, Dim, Instruction, Stream, UnitProgram, Xfer
from spyrec.isa.check import problems

SEEDS = (None, 1, 2, 3, 4, 5)


def outcome(kernel: Kernel, binary: Binary, shuffle: int | None) -> Any:
    """Output bytes and warnings, or the diagnostics; of a race only that it is one: a racy run may show any pair."""
    bound = kernel.launch()
    try:
        result = run(binary, bound, None, shuffle)
    except InvalidKernel as error:
        if error.diagnostics[0].id == "race":
            return "race"
        return error.diagnostics
    return {name: value.tobytes() for name, value in bound.outputs().items()}, [w.id for w in result.warnings]


def damaged(binary: Binary, chooser: random.Random) -> Binary:
    """``binary`` with one thing changed at random."""
    kind = chooser.randrange(7)
    if kind == 0:
        number = chooser.randrange(len(binary.channels))
        channel = binary.channels[number]
        other = replace(channel, init=max(0, channel.init + chooser.choice([-1, 1])))
        return replace(binary, channels=(*binary.channels[:number], other, *binary.channels[number + 1 :]))
    places = [(u, at) for u, unit in enumerate(binary.units) for at in range(2, len(unit.code) - 2)]
    wanted = {4: Xfer, 5: Stream}.get(kind, Instruction)
    found = [(u, at) for u, at in places if isinstance(binary.units[u].code[at], wanted)]
    which, at = chooser.choice(found or places)
    program = binary.units[which]
    code = list(program.code)
    ins = code[at]
    if kind == 1:
        code[at] = Instruction("mov", rd=29, ra=29)
    elif kind == 2:
        other_at = chooser.randrange(2, len(code) - 2)
        code[at], code[other_at] = code[other_at], ins
    elif kind == 3 and ins.op.endswith("i") and ins.op != "li":
        code[at] = replace(ins, imm=ins.imm + chooser.choice([-128, -2, -1, 1, 2, 128]))
    elif kind == 4 and isinstance(ins, Xfer):
        count = max(1, ins.dims[0].count + chooser.choice([-3, 1, 64]))
        code[at] = replace(ins, dims=(Dim(count, 2, 2),))
    elif kind == 5 and isinstance(ins, Stream):
        code[at] = replace(ins, counts=(max(1, ins.counts[0] + chooser.choice([-3, 1, 64])),))
    elif kind == 6:
        code[at] = replace(ins, ra=chooser.randrange(6)) if ins.op in ("add", "addi", "muli", "modi") else ins
    units = (*binary.units[:which], UnitProgram(program.kind, program.corelet, tuple(code)), *binary.units[which + 1 :])
    return replace(binary, units=units)


@pytest.mark.parametrize("seed", range(8))
def test_the_outcome_does_not_depend_on_timing(seed: int) -> None:
    chooser = random.Random(seed)
    kernels = [add_rows(rows=3, n=65), copy_rows(rows=4, n=64, tiles=3), add_rows(rows=4, n=64, tiles=1, depth=1)]
    different = set()
    for _ in range(40):
        kernel = chooser.choice(kernels)
        binary = damaged(kernel.binary, chooser)
        if chooser.random() < 0.3:
            binary = damaged(binary, chooser)
        if list(problems(replace(binary, parameters=len(kernel.arrays)))):
            continue
        outcomes = [outcome(kernel, binary, shuffle) for shuffle in SEEDS]
        assert all(o == outcomes[0] for o in outcomes[1:]), outcomes
        first = outcomes[0]
        different.add(first if isinstance(first, str) else first[0].id if isinstance(first[0], Diagnostic) else "bytes")
    assert len(different) > 3
