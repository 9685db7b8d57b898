"""Passes and dialects from elsewhere: files, entry points, what is said about wrong ones; docs/new-pass.md works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "tools"))
import doc_examples  # noqa: E402

KERNEL = "func.func @k() {\n  return\n}\n"
PASS = '''
from dataclasses import dataclass
from spyrec.passkit import Pass

@dataclass
class NoteIt(Pass):
    """Note it."""

    def run(self, op, ctx):
        ctx.sink.remark(op, "implicit-grid", "noted")
'''
DIALECT = '''
from spyrec import ods

class Mine(ods.Dialect, name="mine"):
    """Mine."""

class NopOp(ods.Op, dialect=Mine, name="nop"):
    """Nothing."""
'''


def spyrec(folder: Path, *words: str, stdin: str = KERNEL) -> subprocess.CompletedProcess[str]:
    """``spyrec opt`` in ``folder``, which is where Python looks for packages, too."""
    return subprocess.run(
        [sys.executable, "-m", "spyrec", "opt", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(folder), os.environ.get("PYTHONPATH", "")))},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def install(folder: Path, group: str, entries: str) -> None:
    """What pip leaves behind of a package ``other`` with these entry points."""
    info = folder / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{entries}\n")


def test_the_guide_shows_what_happens() -> None:
    shown = doc_examples.run(ROOT / "docs" / "new-pass.md")
    assert len(shown) >= 8
    assert "arith.addi" in shown[-2].printed
    for each in shown:
        assert each.agrees, f"$ {each.command}\n{each.printed}"


def test_an_installed_pass(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(PASS)
    install(tmp_path, "spyrec.passes", "note-it = other:NoteIt")
    done = spyrec(tmp_path, "--note-it")
    assert done.returncode == 0
    assert "remark: noted" in done.stderr
    assert "--note-it" in spyrec(tmp_path, "--list-passes").stdout


def test_an_installed_dialect(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(DIALECT)
    install(tmp_path, "spyrec.dialects", "mine = other:Mine")
    done = spyrec(tmp_path, stdin="mine.nop\n")
    assert done.returncode == 0, done.stderr
    assert "mine.nop" in done.stdout
    assert "mine" in spyrec(tmp_path, "--show-dialects").stdout


def test_a_verifier_with_a_bug_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(DIALECT + "\n    def verify(self):\n        return {}['gone']\n")
    done = spyrec(tmp_path, "--load-dialect", "x.py", stdin="mine.nop\n")
    assert done.returncode == 3
    assert "<stdin>:1:1: error: the verifier of mine.nop failed: KeyError: 'gone' [verifier-crashed]" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (
            "note-it = other:Gone",
            "entry point 'note-it' of package other (other:Gone) cannot be loaded: AttributeError",
        ),
        ("note-it = nowhere:NoteIt", "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
        ("note-it = other:dataclass", "other:dataclass is no subclass of Pass"),
        ("noted = other:NoteIt", "entry point 'noted': the class NoteIt is the pass 'note-it'"),
    ],
)
def test_a_wrong_entry_point_is_named(entry: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(PASS)
    install(tmp_path, "spyrec.passes", entry)
    done = spyrec(tmp_path, f"--{entry.split()[0]}")
    assert done.returncode == 2
    assert says in done.stderr
    assert "[bad-extension]" in done.stderr
    # Whoever does not use it is not hurt by it.
    assert spyrec(tmp_path, "--cse").returncode == 0


@pytest.mark.parametrize(
    ("flag", "text", "status", "says"),
    [
        ("--load-pass", None, 1, "error: cannot read x.py: no such file or directory [unreadable-input]"),
        ("--load-pass", "def f(:\n", 2, "x.py:1:7: error: this is not Python"),
        ("--load-pass", "\nimport nowhere\n", 2, "x.py:2:1: error: loading this file failed: ModuleNotFoundError"),
        ("--load-pass", "x = 1\n", 2, "x.py defines no subclass of Pass"),
        ("--load-pass", PASS.replace("@dataclass", ""), 2, "the class NoteIt has to be a @dataclass"),
        ("--load-pass", PASS.replace("NoteIt", "ResolveViews"), 2, "there is already a pass 'resolve-views'"),
        ("--load-dialect", PASS, 2, "x.py defines no subclass of Dialect"),
        ("--load-dialect", DIALECT.replace("mine", "ktdp"), 2, "there is already a dialect 'ktdp'"),
    ],
)
def test_a_wrong_file_is_named(flag: str, text: str | None, status: int, says: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "x.py").write_text(text)
    done = spyrec(tmp_path, flag, "x.py")
    assert says in done.stderr
    assert done.returncode == status
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_file_may_be_named_twice_and_be_called_anything(tmp_path: Path) -> None:
    (tmp_path / "my-pass.v2.py").write_text(PASS)
    done = spyrec(tmp_path, "--load-pass", "my-pass.v2.py", "--load-pass=./my-pass.v2.py", "--note-it")
    assert done.returncode == 0, done.stderr
    assert "noted" in done.stderr


def test_a_reproducer_says_which_files_it_needs(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text(PASS.replace("ctx.sink", "ctx.gone"))
    words = ("--load-pass", "crash.py", "--cse", "--note-it", "--mlir-pass-pipeline-crash-reproducer=r.mlir")
    done = spyrec(tmp_path, *words)
    assert done.returncode == 3
    assert done.stderr.startswith("crash.py:10:1: error: pass note-it: AttributeError: ")
    assert '\n          ctx.gone.remark(op, "implicit-grid", "noted")\n' in done.stderr
    assert (
        "note: this is a bug in crash.py; to reproduce: spyrec opt --run-reproducer --load-pass=crash.py r.mlir"
        in done.stderr
    )
    assert 'pipeline: "builtin.module(func.func(note-it))"' in (tmp_path / "r.mlir").read_text()
    assert spyrec(tmp_path, "--run-reproducer", "--load-pass=crash.py", "r.mlir").returncode == 3


def test_a_pass_that_cannot_be_called_is_shown_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(PASS.replace("(self, op, ctx)", "(self, op)"))
    done = spyrec(tmp_path, "--load-pass", "wrong.py", "--note-it")
    assert done.returncode == 3
    assert done.stderr.startswith("wrong.py:9:1: error: pass note-it: TypeError: ")
    assert "      def run(self, op):" in done.stderr
    assert "this is a bug in wrong.py" in done.stderr
