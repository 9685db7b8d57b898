"""Which test reaches which diagnostic: ``python test/tools/error_ids.py [--update] [TEST...]``.

Runs the tests (all, or those named) with ``lit`` while every diagnostic that is made is noted, and compares with two
lists in ``test/House``: ``error-ids.txt`` has one line per id, ``error-sites.txt`` one per place in the sources that
makes a diagnostic (see ``error_sites.py``), each with one test that reaches it. ``--update`` writes what was found into
the lists: new lines, and, when all tests ran, another test where the listed one no longer reaches it. A site that no
test can reach is listed by hand as ``SITE except: reason``. Exit status 1 when something is reached by no test, or a
line is wrong. Needs Python 3.12.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import error_sites

ROOT = Path(__file__).resolve().parents[2]
LISTS = {"id": ROOT / "test" / "House" / "error-ids.txt", "site": ROOT / "test" / "House" / "error-sites.txt"}
HEADS = {
    "id": "# Id of a diagnostic, and a test that reaches it. Written by test/tools/error_ids.py --update.\n",
    "site": "# A place that makes a diagnostic (see error_sites.py), and a test that reaches it, or why none can.\n"
    "# Written by: python test/tools/error_ids.py --update [TEST...]\n",
}
EXCEPT = "except: "


def read(kind: str) -> dict[str, str]:
    """Id or site -> a test that reaches it, or ``except: reason``."""
    path = LISTS[kind]
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    listed: dict[str, str] = {}
    for line in lines:
        if not line or line.startswith("#"):
            continue
        name, excepted, reason = line.partition(f" {EXCEPT}")
        if excepted:
            listed[name] = EXCEPT + reason
        else:
            name, _, test = line.rpartition(" ")
            listed[name] = test
    return listed


def wanted() -> dict[str, set[str]]:
    """The ids and sites that there are."""
    from spyrec.diag.ids import IDS

    return {"id": set(IDS), "site": {site.name for site in error_sites.sites()}}


def reached(tests: list[str]) -> dict[str, dict[str, set[str]]]:
    """Kind -> id or site -> the tests that reach it, found out by running them."""
    found: dict[str, dict[str, set[str]]] = {"id": defaultdict(set), "site": defaultdict(set)}
    with tempfile.TemporaryDirectory() as folder:
        table: dict[str, dict[str, dict[str, str]]] = {}
        for site in error_sites.sites():
            of_file = table.setdefault(str(ROOT / site.path), {"calls": {}, "lines": {}})
            if isinstance(site.event, int):
                of_file["lines"][str(site.event)] = site.name
            else:
                of_file["calls"]["{}:{}".format(*site.event)] = site.name
        Path(folder, "sites.json").write_text(json.dumps(table), encoding="utf-8")
        lit = Path(sys.executable).parent / "lit"
        command = [str(lit), "-q", *(tests or ["test"])]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "SPYREC_RECORD_IDS": folder}, check=False)
        for path in Path(folder).glob("*.seen"):
            for line in path.read_text(encoding="utf-8").splitlines():
                kind, name, test = line.split("\t")
                found[kind][name].add(test)
    return found


def update(kind: str, found: dict[str, set[str]], names: set[str], *, complete: bool) -> dict[str, str]:
    """Write what was found into a list; the list."""
    listed = read(kind)
    for name, where in found.items():
        known = listed.get(name)
        if known is None or known.startswith(EXCEPT) or (complete and known not in where):
            listed[name] = min(where)
    listed = {name: listed[name] for name in sorted(listed) if name in names}
    LISTS[kind].write_text(HEADS[kind] + "".join(f"{n} {t}\n" for n, t in listed.items()), encoding="utf-8")
    return listed


def main(words: list[str]) -> int:
    """See the module."""
    if sys.version_info < (3, 12):
        sys.exit("error_ids.py watches calls with sys.monitoring, which is new in Python 3.12")
    tests = [word for word in words if word != "--update"]
    found, names = reached(tests), wanted()
    wrong: list[str] = []
    for kind in LISTS:
        seen = found[kind]
        listed = update(kind, seen, names[kind], complete=not tests) if "--update" in words else read(kind)
        if tests:
            wrong += [f"{name} is not listed" for name in sorted(seen) if name in names[kind] and name not in listed]
            continue
        for name in sorted(names[kind]):
            test = listed.get(name, "")
            if name not in seen and not test.startswith(EXCEPT):
                wrong.append(f"no test reaches {name}")
            elif name in seen and test not in seen[name]:
                wrong.append(f"{test or 'no line'}: {name} is reached by {min(seen[name])}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
