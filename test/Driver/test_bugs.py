"""A compiler at fault: status 3, one line, a reproducer that runs, and never a traceback or a signal."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from spyrec.driver import bugs

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "test" / "Driver" / "Inputs" / "twice.mlir"
PRELUDE = """
import os, sys
from dataclasses import dataclass, replace
from spyrec.passkit import Pass, registry
from spyrec.passes import stages
import spyrec.driver.compile as line

@dataclass
class GoWrong(Pass):
    \"\"\"Stands for a pass with a bug.\"\"\"
    def run(self, op, ctx):
        BODY

registry.register(GoWrong)
kernel = replace(stages.STAGES[1], steps=(stages.Step("func.func(cse,go-wrong)", "to go wrong"),))
line.STAGES = (stages.STAGES[0], kernel, *stages.STAGES[2:])
from spyrec.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def spyrec(body: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PRELUDE.replace("BODY", body), *words],
        cwd=ROOT,
        env={**os.environ, "SPYREC_DUMP_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_reproducer_that_no_folder_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPYREC_DUMP_DIR", "/dev/null/no")
    monkeypatch.setattr(tempfile, "tempdir", "/dev/null/no")
    note = bugs.written("module {}", "any(cse)", "k", "what happened")
    assert note.message == "this is a bug in spyrec (no reproducer: no folder to write it to)"


BUGS = [
    ("compile", "{}['x']", "pass go-wrong: KeyError: 'x'"),
    ("compile", "os.abort()", "the compiler died of SIGABRT while running builtin.module(func.func(go-wrong))"),
    ("opt", "os.abort()", "the compiler died of SIGABRT while running builtin.module(func.func(go-wrong))"),
    ("opt", "op.attributes['function_type'] = op.attributes['sym_name']", "not valid after pass go-wrong"),
]


@pytest.mark.parametrize(("command", "body", "says"), BUGS)
def test_status_3_names_a_reproducer_that_fails_again(command: str, body: str, says: str, tmp_path: Path) -> None:
    done = spyrec(body, tmp_path, command, str(KERNEL), *(["--cse", "--go-wrong"] if command == "opt" else []))
    assert done.returncode == 3
    assert done.stdout == ""
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    found = re.search(r"to reproduce: spyrec opt --run-reproducer (?:--device=\S+ )?(\S+)", done.stderr)
    assert found
    text = Path(found[1]).read_text(encoding="utf-8")
    assert 'pipeline: "builtin.module(func.func(go-wrong))"' in text
    # The pass before folded the two additions of the same values into one: what the failing pass was given is there.
    assert text.count("arith.addi") == 1
    again = spyrec(body, tmp_path, "opt", "--run-reproducer", found[1])
    assert again.returncode == 3
    assert spyrec("pass", tmp_path, "opt", "--run-reproducer", found[1]).returncode == 0


def test_a_process_that_the_system_killed(tmp_path: Path) -> None:
    """Memory ran out, as a rule; nothing is run again for a reproducer."""
    done = spyrec("import signal; os.kill(os.getpid(), signal.SIGKILL)", tmp_path, "compile", str(KERNEL))
    assert done.returncode == 3
    said, note = done.stderr.splitlines()
    assert said.startswith("error: the compiler died of SIGKILL while running builtin.module(")
    assert "memory has run out" in note
    assert not list(tmp_path.glob("*reproducer*"))


def test_a_failing_upstream_pass_in_the_line_is_our_fault(tmp_path: Path) -> None:
    body = (
        "from spyrec.mlir import passmanager; passmanager.PassManager.parse('func.func(transform-interpreter)').run(op)"
    )
    done = spyrec(body, tmp_path, "compile", str(KERNEL))
    assert done.returncode == 3
    assert "to reproduce" in done.stderr


def test_no_half_written_output(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = spyrec("os.abort()", tmp_path / "dump", "compile", str(KERNEL), "-o", str(out))
    assert done.returncode == 3
    assert not out.exists()


ROUNDTRIPS = [
    (
        "text.replace('addi', 'subi') if len(seen) == 2 else text",
        "does not survive a round trip in custom form; line 3 of the print differs",
    ),
    ("text if kw['generic'] else text + '}'", "in custom form: what is printed cannot be read again"),
    ("text + f'// {len(seen)}' if kw['generic'] else text", "in generic form; line"),
    ("text + f'// {len(seen)}' if kw['debuginfo'] else text", "in custom form with locations; line"),
]


@pytest.mark.parametrize(("printed", "says"), ROUNDTRIPS)
def test_what_does_not_survive_a_round_trip_is_our_fault(printed: str, says: str, tmp_path: Path) -> None:
    body = (
        "pass\nfrom spyrec import asm\nreal, seen = asm.print_op, []\n"
        f"def wrong(op, **kw):\n    seen.append(1)\n    text = real(op, **kw)\n    return {printed}\n"
        "asm.print_op = wrong\n"
    )
    done = spyrec(body, tmp_path, "opt", "--verify-roundtrip", str(KERNEL))
    assert done.returncode == 3
    assert says in done.stderr
    assert "[roundtrip]" in done.stderr
    assert done.stdout == ""
    assert [p.suffix for p in tmp_path.iterdir()] == [".mlir"]
