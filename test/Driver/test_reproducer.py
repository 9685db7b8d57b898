"""Reproducers: what is written is read back, and MLIR's own parser takes it."""

from pathlib import Path

import pytest

from spyrec.driver import bugs, reproducer
from spyrec.errors import CompilerBug, Diagnostic, Severity
from spyrec.mlir import ir

IR = "func.func @f() {\n  return\n}\n"


def test_written_and_read_again() -> None:
    pipeline = 'builtin.module(func.func(a{x="q\\r"}),cse)'
    text = reproducer.compose(IR, pipeline, ("made by\na test",), verify_each=False)
    body, found, verify = reproducer.extract(text)
    assert (found, verify) == (pipeline, False)
    assert text.startswith("// made by\n// a test\nfunc.func @f")
    assert len(body.splitlines()) == len(text.splitlines())
    assert reproducer.compose(text, "builtin.module(cse)").count("mlir_reproducer") == 1
    context = ir.Context()
    assert "@f" in str(ir.Module.parse(text, context))


def test_other_resources_are_left_alone() -> None:
    text = IR + '{-# dialect_resources: { builtin: { a: "0x01" } } #-}\n'
    assert reproducer.extract(text) == (text, None, True)


def test_a_bug_names_its_reproducer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPYREC_DUMP_DIR", str(tmp_path))
    try:
        raise ValueError("two\nlines")
    except ValueError as error:
        bug = bugs.report(error, IR, "builtin.module(cse)", "a/b", "--device=d")
    (first,) = bug.diagnostics
    assert first.message == "internal error: ValueError: two lines"
    (path,) = tmp_path.iterdir()
    assert str(path) in first.notes[0].message
    text = path.read_text()
    assert "// ValueError: two" in text
    assert reproducer.extract(text)[1] == "builtin.module(cse)"


def test_diagnostics_of_a_bug_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPYREC_DUMP_DIR", str(tmp_path))
    kept = (Diagnostic(Severity.WARNING, "odd"), Diagnostic(Severity.ERROR, "broken", "invalid-ir"))
    bug = bugs.report(CompilerBug(kept), IR, "builtin.module()", "k")
    assert [d.message for d in bug.diagnostics] == ["odd", "broken"]
    assert bug.diagnostics[1].notes
