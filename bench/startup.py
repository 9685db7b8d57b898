"""How long starting takes, as ratios within one run, so that the speed of the machine cancels out.

    python bench/startup.py [--rounds N]

``compile`` is a whole ``spyrec compile examples/add.mlir`` against a process that only imports MLIR's ``ir``,
``passmanager`` and ``dialects.linalg``; ``again`` a second compilation in one process against the same; ``--help``
against an interpreter that does nothing. Prints each ratio and its limit; exit status 1 when one is over it.
"""

from __future__ import annotations

import argparse
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
TWICE = f"""
import time, spyrec
spyrec.compile({str(KERNEL)!r})
began = time.perf_counter()
spyrec.compile({str(KERNEL)!r})
print(time.perf_counter() - began)
"""
LIMITS = {"compile": 2.5, "again": 0.25, "--help": 6.0}


def process(*arguments: str) -> float:
    """Seconds of one Python process from start to exit."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def again() -> float:
    """Seconds of the second compilation in a process."""
    done = subprocess.run([sys.executable, "-c", TWICE], cwd=ROOT, check=True, capture_output=True, text=True)
    return float(done.stdout)


def best(measure: Callable[[], float], rounds: int) -> float:
    """The smallest of several measurements: what is left when nothing else disturbs."""
    return min(measure() for _ in range(rounds))


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    process("-c", IMPORTS)  # fills the caches of the file system
    imports = best(lambda: process("-c", IMPORTS), rounds)
    nothing = best(lambda: process("-c", "pass"), rounds)
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "add.spyre")
        compiled = best(lambda: process("-m", "spyrec", "compile", str(KERNEL), "-o", out), rounds)
    helped = best(lambda: process("-m", "spyrec", "--help"), rounds)
    ratios = {"compile": compiled / imports, "again": best(again, rounds) / imports, "--help": helped / nothing}
    print(f"importing MLIR {imports * 1000:.0f} ms, an interpreter {nothing * 1000:.0f} ms")
    for name, ratio in ratios.items():
        print(f"{name:8} {ratio:6.2f} x, limit {LIMITS[name]:.2f} x{'' if ratio <= LIMITS[name] else '  OVER'}")
    return 0 if all(ratio <= LIMITS[name] for name, ratio in ratios.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
