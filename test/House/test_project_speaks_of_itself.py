"""Tracked files name no machine path and no package registry, and promise nothing that is not there."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tracked() -> list[Path]:
    """All files of the tree that git tracks, or every file when this is not a checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    paths = [ROOT / n for n in names if n] or [p for p in ROOT.rglob("*") if ".git" not in p.parts]
    return [p for p in paths if p.is_file() and not p.is_symlink()]


def matches(pattern: str, suffixes: tuple[str, ...]) -> list[str]:
    """``file:line`` of each match in tracked files that end in one of ``suffixes``; this file is left out."""
    found = []
    for path in tracked():
        if path.suffix in suffixes and path != Path(__file__).resolve():
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if re.search(pattern, line):
                    found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    return found


def test_no_machine_paths_or_registries() -> None:
    assert not matches(
        r"(/(?:work|root)/|/home/\w|https?://[^ /]+/(simple|packages|debian|pool)/)",
        (".py", ".md", ".mlir", ".toml", ".test"),
    )


def test_no_broken_promises() -> None:
    assert not matches(r"\b(TODO|FIXME|XXX|NotImplementedError)\b", (".py", ".mlir"))
