"""Random kernels through the whole line: ``python bench/fuzz_kernels.py [--first SEED] [--count N] [--seconds S]``.

Each kernel of ``test/Semantics/random_kernels`` is executed at every stage, as binary and with latencies drawn at
random, for a device, an LX size and passes left out that its seed chooses; every stage is compiled from the text of the
one before. All have to give the same bytes. Sums that were cut into tiles (small LX) may differ by a rounding; then the
kernel is counted and not reported. Prints what disagrees, crashes or is refused, and a summary; ``--reduce SEED`` looks
for a smaller kernel that fails in the same way.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "Semantics"), str(ROOT / "test" / "tools")]

import agreement  # noqa: E402
import random_kernels  # noqa: E402


def main() -> int:
    """Run seeds; 1 where one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=200, help="how many")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one kernel before it counts as a hang")
    parser.add_argument("--reduce", type=int, metavar="SEED", help="print a smaller kernel that fails like this one")
    parser.add_argument("--refusals", action="store_true", help="print each refusal")
    asked = parser.parse_args()
    if asked.reduce is not None:
        print(agreement.reduced(random_kernels.kernel(asked.reduce), agreement.setting(asked.reduce)))
        return 0
    began, outcomes, refusals, failed = time.time(), Counter[str](), Counter[str](), []
    for seed in range(asked.first, asked.first + asked.count):
        if time.time() - began > asked.seconds:
            break
        faulthandler.dump_traceback_later(asked.limit, exit=True)
        print(f"seed {seed}\r", end="", file=sys.stderr, flush=True)
        kernel = random_kernels.kernel(seed)
        outcome = agreement.check(kernel, agreement.setting(seed))
        faulthandler.cancel_dump_traceback_later()
        outcomes[outcome.kind] += 1
        if outcome.kind == "refused":
            refusals[outcome.what] += 1
            if asked.refusals:
                print(f"seed {seed}: refused: {outcome.what}", flush=True)
        elif outcome.is_failure or outcome.kind == "unsound":
            print(f"seed {seed} {agreement.setting(seed)}: {outcome.kind}: {outcome.what}", flush=True)
        if outcome.is_failure:
            failed.append(seed)
    for what, count in refusals.most_common():
        print(f"{count:5} refused: {what}")
    print(
        f"{sum(outcomes.values())} kernels in {time.time() - began:.0f} s: "
        + ", ".join(f"{n} {k}" for k, n in outcomes.most_common())
    )
    print("failed:", *failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
