"""How long starting takes, as ratios within one run, so that the speed of the machine cancels out.

    python bench/startup.py [--rounds N]

``compile`` is a whole ``spyrec compile examples/add.mlir`` against a process that only imports MLIR's ``ir``,
``passmanager`` and ``dialects.linalg``; ``again`` a second compilation in one process against the same; ``--help``
against an interpreter that does nothing. Prints each ratio and its limit; exit status 1 when one is over it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / "examples" / "add.mlir"
IMPORTS = """
from spyrec.mlir import ir, linalg, passmanager
ir.Context, passmanager.PassManager, linalg.add
"""
AGAIN = f"""
import time, spyrec
spyrec.compile({str(KERNEL)!r})
began = time.perf_counter()
spyrec.compile({str(KERNEL)!r})
print(time.perf_counter() - began)
"""
# An installed package has its bytecode; here the first round writes it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(*arguments: str) -> str:
    """What a Python process prints."""
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def process(*arguments: str) -> float:
    """Seconds of one Python process from start to exit."""
    began = time.perf_counter()
    run(*arguments)
    return time.perf_counter() - began


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "add.spyre")
        measures: dict[str, Callable[[], float]] = {
            "imports": lambda: process("-c", IMPORTS),
            "compile": lambda: process("-m", "spyrec", "compile", str(KERNEL), "-o", out),
            "again": lambda: float(run("-c", AGAIN)),
            "nothing": lambda: process("-c", "pass"),
            "--help": lambda: process("-m", "spyrec", "--help"),
        }
        # Rounds are interleaved, so that a slow spell of the machine hits all; the least is what nothing disturbed.
        times = [{name: measure() for name, measure in measures.items()} for _ in range(rounds + 1)][1:]
    best = {name: min(each[name] for each in times) for name in measures}
    print(f"importing MLIR {best['imports'] * 1000:.0f} ms, an interpreter {best['nothing'] * 1000:.0f} ms")
    good = True
    for name, base, limit in (("compile", "imports", 2.5), ("again", "imports", 0.25), ("--help", "nothing", 6.0)):
        ratio = best[name] / best[base]
        good &= ratio <= limit
        print(f"{name:8} {ratio:6.2f} x, limit {limit:.2f} x{'' if ratio <= limit else '  OVER'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
