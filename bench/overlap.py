"""What double-buffering alone is worth where memory is fast: ``python bench/overlap.py [--grid N]... [KERNEL]...``.

For each kernel and grid on the device with ten times the bandwidth, in one run: cycles with one slot per buffer, cycles
with slots, and their ratio, the gain; the roofline bound, and the greatest gain that it leaves room for (cycles with
one slot, to the bound). First with a tile of the kernel as an iteration, of which each core has 16 at least; then as
kernels are compiled by default, several tiles in one (``group-iterations``). That costs nothing of what slots hide:
with one slot most rows take 1.0 to 1.5 times the bound then, and have little left to gain.

A gain has to be 1.5 where the bound leaves room for it. No run reaches its bound: streams start one after the other,
and units tell one another what is done. Rows that are done one at a time take at least 1.1 times the bound, however
long they are, so there is room where the greatest gain is 1.5 times ``SLACK``. Status 1 where one tile per iteration
gains less; lines that gain less by default are marked, too. Cycles are simulated, so they are the same everywhere.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples"), str(ROOT / "test" / "tools")]

import numpy as np  # noqa: E402
from layer_lines import LayerLine  # noqa: E402
from layers import Case, pointwise, reductions  # noqa: E402
from layers.case import Values, normal, wide  # noqa: E402
from layers.text import Text  # noqa: E402

from spyrec.driver import execute  # noqa: E402

TILES = 16
"""Iterations of each core at least."""

WANTED = 1.5
SLACK = 1.1
"""How many times the bound the best schedule of single rows takes."""

SINGLE = ("group-iterations=off",)
"""A tile of the kernel stays an iteration of the loop."""

GRIDS = (1, 4)
Make = Callable[[int, int], Case]
"""A kernel with ``TILES`` tiles of a width on so many cores."""


def long_chain(operations: int, width: int, cores: int) -> Case:
    """``operations`` lane operations on rows of two arrays."""
    name = f"chain_of_{operations}_{width}_{cores}"
    k = Text(name, (cores,), "x_ptr y_ptr z_ptr")
    x, y, z = pointwise.rows_of(k, TILES * cores, width, "f16", "x_ptr", "y_ptr", "z_ptr")
    core = k.core()
    with k.loop(0, TILES) as loop:
        first = k.scaled(core, TILES, loop.counter)
        a, b = (k.load(v, [first, 0], (1, width)) for v in (x, y))
        for number in range(operations):
            a = k.same("arith.subf" if number % 2 else "arith.maximumf", a, b)
        k.store(a, z, [first, 0])

    def reference(v: Values) -> Values:
        a, b = v["x_ptr"], v["y_ptr"]
        for number in range(operations):
            a = a - b if number % 2 else np.maximum(a, b)
        return {"z_ptr": wide(a)}

    shape = ((TILES * cores, width), "f16")
    return Case(name, str(k), normal(x_ptr=shape, y_ptr=shape), reference)


@dataclass(frozen=True)
class Kernel:
    """A kernel, the widths of its rows or blocks, and the grids on which slots have to be worth it."""

    make: Make
    widths: tuple[int, ...]
    grids: tuple[int, ...] = GRIDS


_ROWS, _BLOCKS = (64, 100, 256, 512, 1024), (64, 128, 256)
KERNELS = {
    "chain": Kernel(lambda width, n: pointwise.chain(TILES * n, width, "f16", n, "hand"), _ROWS),
    "chain_of_12": Kernel(partial(long_chain, 12), (64, 256, 512), (1, 4, 32)),
    "chain_of_24": Kernel(partial(long_chain, 24), (64, 256, 512), (1, 4, 32)),
    "sums": Kernel(lambda width, n: reductions.sums(TILES + n - 1, width, 1, n, "hand"), _ROWS),
    "softmax": Kernel(lambda width, n: reductions.softmax_rows(TILES * n, width, "f16", n, "hand"), _ROWS),
    "rmsnorm": Kernel(lambda width, n: reductions.norm(TILES * n, width, "f16", n, "hand", mean=False), _ROWS),
    "layernorm": Kernel(lambda width, n: reductions.norm(TILES * n, width, "f16", n, "hand", mean=True), _ROWS),
    "sums_of_4": Kernel(lambda width, n: reductions.sums(4 * (TILES + n - 1), width, 4, n, "hand"), _BLOCKS),
    "softmax_of_4": Kernel(lambda w, n: reductions.softmax_rows(4 * TILES * n, w, "f16", n, "hand", 4), (512,)),
    "softmax_passes": Kernel(
        lambda width, n: reductions.softmax_blocks(n, TILES * width, width, n, "hand", online=False), _BLOCKS
    ),
    "softmax_online": Kernel(
        lambda width, n: reductions.softmax_blocks(n, TILES * width, width, n, "hand", online=True), _BLOCKS
    ),
}


@dataclass(frozen=True)
class Gain:
    """Cycles of a kernel without slots and with them, and the bound."""

    without: int
    with_: int
    bound: int

    @property
    def ratio(self) -> float:
        return self.without / self.with_

    @property
    def most(self) -> float:
        """The ratio of a run that reaches the bound."""
        return self.without / self.bound

    @property
    def is_enough(self) -> bool:
        return self.ratio >= WANTED or self.most < WANTED * SLACK

    def __str__(self) -> str:
        mark = " " if self.is_enough else "<"
        return f"{self.without:>7} {self.with_:>7} {self.ratio:>5.2f}{mark} {self.bound:>7} {self.most:>5.2f}"


def gain(case: Case, *tuning: str) -> Gain:
    """What slots are worth to a kernel. Raises AssertionError where it is wrong."""
    reports = []
    for off in (("choose-buffer-depth=off",), ()):
        line = LayerLine(case, "fast_memory", (*tuning, *off))
        launch = line.launch()
        reports.append(execute.run_binary(line.artifact, launch).report)
        assert line.agrees(dict(launch.outputs())), f"{line}: wrong result"
    without, with_ = reports
    return Gain(without["cycles"], with_["cycles"], with_["bound"]["cycles"])


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=", ".join(KERNELS))
    parser.add_argument("--grid", type=int, action="append", help="tiles (1, 4; chains of many operations 32)")
    asked = parser.parse_args()
    unknown = [name for name in asked.kernels if name not in KERNELS]
    if unknown:
        parser.error(f"there is no kernel {unknown[0]}; there are {', '.join(KERNELS)}")
    np.seterr(all="ignore")
    columns = f"{'without':>7} {'with':>7} {'gain':>5}  {'bound':>7} {'most':>5}"
    print(f"{'':<27} {'a tile per iteration':<35} | by default")
    print(f"{'kernel':<15}{'width':>6}{'tiles':>6} {columns} | {columns}")
    failed = 0
    for name in asked.kernels or KERNELS:
        kernel = KERNELS[name]
        for width in kernel.widths:
            for grid in asked.grid or kernel.grids:
                case = kernel.make(width, grid)
                single, default = gain(case, *SINGLE), gain(case)
                failed += not single.is_enough
                print(f"{name:<15}{width:>6}{grid:>6} {single} | {default}", flush=True)
    print(f"{failed} gain less than {WANTED} with a tile per iteration, and have room for more")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
