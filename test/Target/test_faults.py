"""Programs by hand with one mistake each: every executor names it, at the line of the text that is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from by_hand import PROGRAMS
from target import Arrays, Program, gate

from spyrec.errors import Diagnostic, InvalidKernel
from spyrec.sim import control

BY_NAME = {program.name: program for program in PROGRAMS}


@dataclass(frozen=True)
class Mistake(Program):
    """A program whose text has ``old`` replaced by ``new``."""

    old: str = ""
    new: str = ""

    def text(self, stage: str, iterations: int | None = None, *, argument: bool = False) -> str:
        """The wrong text."""
        text = super().text(stage, iterations, argument=argument)
        assert not self.old or self.old in text
        return text.replace(self.old, self.new)


def mistake(
    name: str, old: str = "", new: str = "", inputs: Callable[[np.random.Generator], Arrays] | None = None
) -> Any:
    program = BY_NAME[name]
    fields = (program.name, program.grid, inputs or program.inputs, program.reference, program.ulp, program.on)
    return Mistake(*fields, old=old, new=new)


def found(program: Program, stage: str) -> Diagnostic:
    """What an executor, or the gate of stage program, says first."""

    def execute() -> None:
        if stage == "binary":
            program.binary(program.artifact())
        elif stage != "gate":
            program.at_stage(stage)
        else:
            module, function = program.loaded("program")
            with module.context:
                gate("program", function, program.device)

    with pytest.raises(InvalidKernel) as caught:
        execute()
    return caught.value.diagnostics[0]


def line_of(program: Program, stage: str, text: str) -> set[int]:
    """The lines on which ``text`` stands."""
    lines = program.text("program" if stage in ("binary", "gate") else stage).split("\n")
    return {number for number, line in enumerate(lines, 1) if text in line}


def wrong_index(rng: np.random.Generator) -> Arrays:
    given = BY_NAME["gather"].inputs(rng)
    given["from"][13] = 50
    return given


@dataclass(frozen=True)
class Without(Program):
    """A program of some of the lines of another one."""

    lines: tuple[str, ...] = ()

    def text(self, stage: str, iterations: int | None = None, *, argument: bool = False) -> str:
        """These lines."""
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Expected:
    """A program, where it is executed, and what is found at which line."""

    program: Program
    stages: tuple[str, ...]
    id: str
    line: str

    def __str__(self) -> str:
        return f"{self.program.name}-{self.id}"


ALL = ("schedule", "program", "binary")
BELOW = ("gate", "program", "binary")
INTO = "@l1[%s in @x1] strides [2] counts [64]"
FETCH = f"""128)>(%i)
      dataflow.wait @x1_free
      dataflow.transfer @device[%at from %x] strides [2] to {INTO}"""
ON = "@l1[%s in @x1] strides [2] to @lx"
MOD = "((t + p) mod 4)"
CASES = [
    Expected(
        replace(mistake("gather"), inputs=wrong_index, reference=lambda a: {"y": np.zeros((64, 64), np.float16)}),
        ALL,
        "index-out-of-range",
        "below [50]",
    ),
    Expected(mistake("allreduce", MOD, "(t + p)"), ALL, "no-such-core", "%peer"),
    Expected(
        mistake("multicast", "dataflow.post @w_full to %m", "dataflow.post @w_full to %c0"),
        ("schedule",),
        "deadlock",
        "wait @w_f",
    ),
    Expected(
        mistake("multicast", "dataflow.wait @w_full from %c0", "dataflow.wait @w_full from %c1"),
        ALL,
        "deadlock",
        "dataflow.wait",
    ),
    Expected(
        mistake("allreduce", "dataflow.wait @taken from %peer", "%n = arith.addi %p, %p : index"),
        ("program", "binary"),
        "channel-misuse",
        "@taken",
    ),
    Expected(
        mistake("straddle", "dataflow.wait @there from %p", "dataflow.wait @there from %core"),
        ("program",),
        "deadlock",
        "wait @there",
    ),
    Expected(
        mistake("straddle", "dataflow.wait @there from %p", "dataflow.wait @there from %core"),
        ("binary",),
        "race",
        "dataflow.transfer",
    ),
    Expected(
        mistake("matmul", 'start = "zero", keep', 'start = "unit", keep'),
        ("program", "binary"),
        "accumulator-misuse",
        "keep",
    ),
    Expected(
        mistake(
            "allreduce", "init = 2 : i64}\n  dataflow.channel @ready", "init = 3 : i64}\n  dataflow.channel @ready"
        ),
        ("binary",),
        "race",
        "dataflow.",
    ),
    Expected(mistake("straddle", "* 128 + 4096)", "* 128 + 4224)"), ("program", "binary"), "out-of-buffer", "clip"),
    # In the memory between device memory and LX.
    Expected(mistake("staged", INTO, INTO.replace("[2]", "[4]")), BELOW, "out-of-buffer", "@device[%at from %x]"),
    Expected(mistake("staged", INTO, INTO.replace("64", "60")), BELOW, "unwritten-read", ON),
    Expected(
        mistake("staged", FETCH, FETCH.replace("128)>", "128 + 1)>").replace("[64]", "[63]")),
        ("gate", "binary"),
        "misaligned",
        "@device[%at from %x]",
    ),
    Expected(
        mistake("staged", "@fetch {init = 2 : i64}", "@fetch {init = 3 : i64}"), ("gate", "binary"), "race", "@l1"
    ),
    Expected(mistake("staged", "to @lx[%s in @x]", "to @lx[%s in @x1]"), ("program",), "wrong-buffer", ON),
    Expected(mistake("staged", "to @lx[%s in @x]", "to @lx[%s in @x1]"), ("gate",), "stage-invariant", ON),
    Expected(mistake("staged", "ins(@x[%s]", "ins(@x1[%s]"), ("program",), "wrong-buffer", "dataflow.stream"),
    Expected(mistake("staged", "ins(@x[%s]", "ins(@x1[%s]"), ("gate",), "stage-invariant", "dataflow.stream"),
    Expected(mistake("staged", "@y1 {address = 256", "@y1 {address = 65408"), ("program",), "out-of-lx", "buffer @y1"),
    Expected(
        mistake("staged", "@y1 {address = 256", "@y1 {address = 65408"), ("gate",), "stage-invariant", "buffer @y1"
    ),
    Expected(mistake("staged", 'space = "l1"', 'space = "l3"'), ("program",), "undefined-name", "buffer @x1"),
    Expected(mistake("staged", 'space = "l1"', 'space = "l3"'), ("gate",), "stage-invariant", "buffer @x1"),
    Expected(mistake("staged", ON, "@device[%s from %x] strides [2] to @lx"), ("gate",), "stage-invariant", "to @lx"),
    Expected(mistake("shared_stage", "below [9]", "below [8]"), ("program", "binary"), "index-out-of-range", "below"),
    Expected(mistake("shared_stage", "(i mod 3) * 128 + 128", "(i mod 4) * 128 + 128"), BELOW, "out-of-buffer", "@b2"),
    Expected(
        mistake("shared_stage", "@fetch {init = 3 : i64}", "@fetch {init = 4 : i64}"), ("gate", "binary"), "race", "@l2"
    ),
]


@pytest.mark.parametrize("name", ["staged", "shared_stage"])
def test_each_channel_of_a_program_with_stages_is_needed(name: str) -> None:
    """Without it both the static check and the simulator find something."""
    lines = BY_NAME[name].text("program").split("\n")
    channels = [line.split()[1] for line in lines if "dataflow.channel " in line]
    assert len(channels) > 5
    for channel in channels:
        rest = [line for line in lines if not re.search(rf"dataflow\.(channel|wait|post) {channel}(?!\w)", line)]
        assert len(rest) == len(lines) - 3
        program = Without(*vars(BY_NAME[name]).values(), lines=tuple(rest))
        for stage in ("gate", "binary"):
            assert found(program, stage).id in ("race", "unwritten-read"), (channel, stage)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_mistake_is_found_at_its_line(case: Expected) -> None:
    for stage in case.stages:
        diagnostic = found(case.program, stage)
        assert diagnostic.id == case.id, (stage, diagnostic)
        assert diagnostic.position is not None
        assert diagnostic.position.line in line_of(case.program, stage, case.line), (stage, str(diagnostic.position))


def test_a_binary_for_another_stage_does_not_fit() -> None:
    """A buffer that is not aligned as the stage asks for, one that ends beyond it, a unit that does not reach it."""
    program = BY_NAME["staged"]
    for old, new, message in (
        ("@y1 {address = 256", "@y1 {address = 288", "buffers in l1 start at multiples of 64"),
        ("@y1 {address = 256", "@y1 {address = 65408", "ends at byte 0x10080 of l1, which has 0x10000 bytes"),
        (ON, "@device[%s from %x] strides [2] to @lx", "no link from 'ddr' to 'fill'"),
    ):
        diagnostic = found(mistake(program.name, old, new), "binary")
        assert diagnostic.id == "wrong-device"
        assert message in diagnostic.message


def test_a_loop_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "MAX_REPEATS", 50)
    program = mistake("while", "arith.constant 1.0 : f16", "arith.constant -1.0 : f16")
    diagnostic = found(program, "binary")
    assert diagnostic.id == "too-many-iterations"
    assert "has run 50 times" in diagnostic.message
