"""Examples in Markdown pages that are run, so that what a page shows is what comes out.

A fenced block whose info string has a file name after the language (```` ```mlir kernel.mlir ````) is written to that
file. In a ``console`` block, lines that begin with ``$ `` are commands, run one after the other in the folder of those
files; the lines up to the next command are what it prints, standard error after standard output. A line ``...`` in it
stands for any lines. ``python doc_examples.py --update PAGE...`` writes what comes out into the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(\w*) ?([\w./-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """One command of a page, what the page says it prints, and what it did print."""

    command: str
    wanted: str
    printed: str

    @property
    def agrees(self) -> bool:
        """Whether the page is right."""
        parts = re.split(r"^\.\.\.\n", self.wanted, flags=re.MULTILINE)
        return re.fullmatch(r"(?:.*\n)*?".join(map(re.escape, parts)), self.printed) is not None


def run(page: Path) -> list[Shown]:
    """Write the files of a page and run its commands, in a fresh folder."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as tools:
        _make_tools(Path(tools))
        return list(_run(page.read_text(encoding="utf-8"), Path(folder), Path(tools)))


def has_examples(page: Path) -> bool:
    """Whether a page has anything to run."""
    return any(match[1] == "console" for match in _FENCE.finditer(page.read_text(encoding="utf-8")))


def update(page: Path) -> None:
    """Put what the commands print into the page."""
    shown = iter(run(page))

    def again(match: re.Match[str]) -> str:
        if match[1] != "console":
            return match[0]
        entries = (next(shown) for _ in _commands(match[3]))
        body = "".join(f"$ {s.command}\n{s.wanted if s.agrees else s.printed}" for s in entries)
        return f"```console\n{body}```"

    page.write_text(_FENCE.sub(again, page.read_text(encoding="utf-8")), encoding="utf-8")


def _run(text: str, folder: Path, tools: Path) -> Iterator[Shown]:
    for match in _FENCE.finditer(text):
        if match[2]:
            (folder / match[2]).write_text(match[3], encoding="utf-8")
        elif match[1] == "console":
            for command, wanted in _commands(match[3]):
                yield Shown(command, wanted, _execute(command, folder, tools))


def _commands(body: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), ""))
        else:
            command, wanted = found.pop()
            found.append((command, wanted + line))
    return found


def _execute(command: str, folder: Path, tools: Path) -> str:
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    return done.stdout + done.stderr


def _make_tools(folder: Path) -> None:
    """Commands as an installation has them, from this tree."""
    for name, module in (("spyrec", "-m spyrec"), ("filecheck", "-m filecheck"), ("python", "")):
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {module} "$@"\n', encoding="utf-8")
        path.chmod(0o755)


if __name__ == "__main__":
    pages = [Path(word) for word in sys.argv[1:] if word != "--update"]
    for each in pages:
        if "--update" in sys.argv:
            update(each)
        for entry in run(each):
            if not entry.agrees:
                print(f"{each}: $ {entry.command}\n--- the page says\n{entry.wanted}--- it prints\n{entry.printed}")
                sys.exit(1)
