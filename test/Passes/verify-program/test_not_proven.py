"""What the static check did not look at is said, not passed over."""

from __future__ import annotations

import pytest
from by_hand import PROGRAMS

from spyrec.passes.analysis.dry_run import between, check, execute, memory
from spyrec.passes.analysis.dry_run.check import Verdict


def judged(name: str) -> Verdict:
    """The verdict on a program written by hand."""
    (program,) = (p for p in PROGRAMS if p.name == name)
    module, function = program.loaded("program")
    with module.context:
        return check.verdict(function, program.device())


def said(found: Verdict) -> list[str]:
    assert not found.faults
    assert {fault.id for fault in found.unproven.values()} <= {"not-proven"}
    return [fault.message for fault in found.unproven.values()]


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_nothing_is_left_open_in_programs_by_hand(program: object) -> None:
    assert not said(judged(str(program)))


def test_a_run_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "_FEW_STEPS", 10)
    monkeypatch.setattr(execute, "BUDGET", 20)
    assert said(judged("copy")) == [
        "of some inputs only the first 20 steps were executed; what comes after was not looked at"
    ]


def test_boxes_of_very_many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MAX_PIECES", 8)
    memory.box.cache_clear()
    try:
        assert set(said(judged("matmul"))) == {"the bytes are in very many pieces, of which only some are followed"}
    finally:
        memory.box.cache_clear()


def test_very_many_pieces_of_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(between, "_MOST", 3)
    (text,) = said(judged("copy"))
    assert "whether cores conflict" in text


def test_an_op_without_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    from spyrec.passes.analysis.dry_run import code

    monkeypatch.setattr(code, "function_of", lambda op: None)
    (text,) = said(judged("copy"))
    assert "was not executed" in text
    assert "has no meaning without data" in text
