"""The static check of unit programs: its time on the example kernels, and a long run against the simulator.

    python bench/verify_program.py [SECONDS]

Prints milliseconds per kernel; then, for SECONDS (60 when not given), changes programs at random in up to four places
and compares what the check says with what the simulator says. Programs are compiled, written by hand, or random ones
that are right by construction (``test/Target/pipelines.py``). A program that is accepted and faults, or the other way
round, is printed and ends the run with status 1. A refusal may be right though no fault is seen: posts and waits that
do not pair up region by region are refused on principle, and other data may take another branch or more iterations.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("", "test/tools", "test/Target", "test/Passes/verify-program")
sys.path[:0] = [str(ROOT / folder) for folder in FOLDERS]

from lines import LINES  # noqa: E402
from mutants import Mutant, base_of, gentle, mutants, of_program, simulated, statically  # noqa: E402
from pipelines import pipeline  # noqa: E402

from spyrec.device import read  # noqa: E402
from spyrec.driver import compile as line_of_stages  # noqa: E402
from spyrec.passes.analysis.dry_run import check  # noqa: E402

BASES = ("rows65-f16", "in_place-f16", "loop_2-f16", "add-f16", "copy_kernel-f16", "chain_named-f16")
BY_HAND = ("copy", "softmax", "matmul", "gather", "allreduce", "multicast", "straddle", "staged", "shared_stage")


def times() -> None:
    """Milliseconds of the execution without data, the best of five."""
    device = read.load("spyre")
    for line in LINES:
        module = line.compile("program").module
        function = line_of_stages.kernels(module)[0][1]
        best = float("inf")
        with module.context:
            for _ in range(5):
                start = time.perf_counter()
                assert not check.verdict(function, device).faults
                best = min(best, time.perf_counter() - start)
        print(f"{line!s:20} {best * 1e3:7.2f} ms")


def compare(seconds: float) -> int:
    """Random programs until the time is over; 1 when the two verdicts differ."""
    draw, counts = random.Random(0), Counter[str]()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        by_data = False
        if draw.random() < 0.5:
            made = pipeline(draw.randrange(1 << 30))
            base, by_data = of_program(made), made.shape.by_data
        else:
            base = base_of(draw.choice(BASES + BY_HAND))
        text, changes = base.text, []
        for _ in range(draw.randint(0, 4)):
            kind = draw.choice((mutants, gentle, gentle))
            choice = list(kind(base, text))
            if not choice:
                continue
            mutant = draw.choice(choice)
            text = mutant.text
            changes.append(mutant.what)
        mutant = Mutant(base, "; ".join(changes), text)
        run, static = simulated(mutant), statically(mutant)
        if run is None:
            counts["not encoded"] += 1
        elif bool(run) == bool(static):
            counts["both refuse" if run else "both accept"] += 1
        elif static.ids == {"stage-invariant"}:
            counts["refused for its form"] += 1
        elif static and by_data:
            counts["refused for other data"] += 1
        else:
            print(f"{base.name}: {'; '.join(changes)}\nstatic: {static}\nsimulator: {run}\n{text}")
            return 1
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=float, default=60.0, metavar="SECONDS")
    asked = parser.parse_args()
    times()
    sys.exit(compare(asked.seconds))
