"""Programs by hand with one mistake each: every executor names it, at the line of the text that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from by_hand import PROGRAMS
from target import Arrays, Program

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
    return Mistake(
        program.name, program.grid, inputs or program.inputs, program.reference, program.ulp, old=old, new=new
    )


def found(program: Program, stage: str) -> Diagnostic:
    """What an executor says first."""
    execute: Callable[[], Any] = lambda: program.at_stage(stage)  # noqa: E731
    if stage == "binary":
        execute = lambda: program.binary(program.artifact())  # noqa: E731
    with pytest.raises(InvalidKernel) as caught:
        execute()
    return caught.value.diagnostics[0]


def line_of(program: Program, stage: str, text: str) -> set[int]:
    """The lines on which ``text`` stands."""
    lines = program.text("program" if stage == "binary" else stage).split("\n")
    return {number for number, line in enumerate(lines, 1) if text in line}


def wrong_index(rng: np.random.Generator) -> Arrays:
    given = BY_NAME["gather"].inputs(rng)
    given["from"][13] = 50
    return given


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
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_mistake_is_found_at_its_line(case: Expected) -> None:
    for stage in case.stages:
        diagnostic = found(case.program, stage)
        assert diagnostic.id == case.id, (stage, diagnostic)
        assert diagnostic.position is not None
        assert diagnostic.position.line in line_of(case.program, stage, case.line), (stage, str(diagnostic.position))


def test_a_loop_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "MAX_REPEATS", 50)
    program = mistake("while", "arith.constant 1.0 : f16", "arith.constant -1.0 : f16")
    diagnostic = found(program, "binary")
    assert diagnostic.id == "too-many-iterations"
    assert "has run 50 times" in diagnostic.message
