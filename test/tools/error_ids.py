"""Which test reaches which id of a diagnostic: ``python test/tools/error_ids.py [--update] [TEST...]``.

Runs the tests (all, or those named) with ``lit`` while every diagnostic that is made is noted, and compares with
``test/House/error-ids.txt``: one line per id, with one test that reaches it. ``--update`` rewrites the lines of ids
whose test no longer reaches them, and adds new ones. Exit status 1 when no test reaches an id, or a line is wrong.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "test" / "House" / "error-ids.txt"


def read() -> dict[str, str]:
    """Id -> a test that reaches it, as the list has it."""
    lines = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def reached(tests: list[str]) -> dict[str, set[str]]:
    """Id -> the tests that reach it, found out by running them."""
    found: dict[str, set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        lit = Path(sys.executable).parent / "lit"
        command = [str(lit), "-q", *(tests or ["test"])]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "SPYREC_RECORD_IDS": folder}, check=False)
        for path in Path(folder).iterdir():
            for line in path.read_text(encoding="utf-8").splitlines():
                identifier, test = line.split()
                found[identifier].add(test)
    return found


def main(words: list[str]) -> int:
    """See the module."""
    from spyrec.diag.ids import IDS

    tests = [word for word in words if word != "--update"]
    found, listed = reached(tests), read()
    if "--update" in words:
        for identifier, where in found.items():
            if identifier in IDS and listed.get(identifier) not in where and (not tests or identifier not in listed):
                listed[identifier] = min(where)
        head = "# Id of a diagnostic, and a test that reaches it. Written by test/tools/error_ids.py --update.\n"
        body = "".join(f"{i} {listed[i]}\n" for i in sorted(listed) if i in IDS)
        LIST.write_text(head + body, encoding="utf-8")
    wrong = [f"no test reaches {i}" for i in sorted(IDS) if i not in found] if not tests else []
    wrong += [f"{listed[i]} does not reach {i}" for i in sorted(found) if not tests and listed.get(i) not in found[i]]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
