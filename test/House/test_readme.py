"""The console sessions of the README are what the commands print, and its Python does what its comments say.

Those of the guides to a first kernel and to schedules too; ``python test/tools/doc_examples.py --update
docs/first-kernel.md docs/schedules.md`` renews them.
"""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "tools"))
import doc_examples  # noqa: E402

FIRST, SCHEDULES = ROOT / "docs" / "first-kernel.md", ROOT / "docs" / "schedules.md"
README = (ROOT / "README.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"```console\n\$ (.*)\n((?:.*\n)*?)```", README)


@pytest.mark.parametrize(("command", "output"), SESSIONS, ids=[c[:40] for c, _ in SESSIONS])
def test_the_session_is_real(command: str, output: str) -> None:
    shell = f'spyrec() {{ "{sys.executable}" -m spyrec "$@"; }}\n{command}'
    done = subprocess.run(["bash", "-c", shell], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == output


def test_there_are_sessions() -> None:
    assert len(SESSIONS) >= 4


def test_the_python_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    wanted = re.findall(r"print\(.*\)  # (.*)", code)
    assert (done.stdout.splitlines(), done.stderr) == (wanted, "")


@functools.cache
def guide(page: Path) -> tuple[doc_examples.Shown, ...]:
    return tuple(doc_examples.run(page))


GUIDED = [(page, n) for page in (FIRST, SCHEDULES) for n in range(page.read_text(encoding="utf-8").count("\n$ "))]


@pytest.mark.parametrize(("page", "number"), GUIDED, ids=[f"{page.stem}-{number}" for page, number in GUIDED])
def test_the_guide_is_real(page: Path, number: int) -> None:
    assert guide(page)[number].printed == guide(page)[number].wanted


@pytest.mark.parametrize("page", [ROOT / "README.md", FIRST, SCHEDULES], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert links
    assert not [link for link in links if not (page.parent / link).exists()]
