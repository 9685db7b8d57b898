"""How good schedules are: ``python bench/schedules.py [--grid N]... [--device NAME]... [KERNEL]...``.

For each kernel, device and grid, in one run: cycles; cycles with each optimisation left out, as a ratio (above 1: it
helps; with a ``~`` behind it the pass still did what LX asks for, since the kernel does not fit without); the roofline
bound and the ratio to it; bytes of device memory that were useful and that moved; LX that is
reserved against the most that was in use at once; channels. Where a run takes more than twice its bound, the line below
says which unit waits for what. Cycles are simulated, so they are the same on every machine.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples"), str(ROOT / "test" / "tools")]

import numpy as np  # noqa: E402
from layer_lines import DEVICES, LayerLine  # noqa: E402
from layers import Case, pointwise, products, reductions, views  # noqa: E402

from spyrec.driver import execute, tuning  # noqa: E402
from spyrec.driver.worth import AS_FAR_AS_NEEDED  # noqa: E402
from spyrec.errors import OutOfResources, SpyrecError  # noqa: E402

GRIDS = (1, 2, 4, 32)
KERNELS: dict[str, Callable[[int], Case]] = {
    "copy": lambda n: pointwise.copy(512, 512, "f16", n, "hand"),
    "chain": lambda n: pointwise.chain(256, 512, "f16", n, "hand", 2),
    "bias": lambda n: pointwise.bias(256, 512, n, "triton"),
    "silu_mul": lambda n: pointwise.gate(128, 512, "f16", n, "hand"),
    "row_sum": lambda n: reductions.reduction("sum", 1, 256, 512, "f32", n, "hand"),
    "column_max": lambda n: reductions.reduction("max", 0, 256, 512, "f32", n, "hand"),
    "softmax": lambda n: reductions.softmax_rows(128, 512, "f16", n, "hand"),
    "softmax_online": lambda n: reductions.softmax_blocks(128, 1024, 128, n, "triton", online=True),
    "rmsnorm": lambda n: reductions.norm(128, 512, "f16", n, "hand", mean=False),
    "layernorm": lambda n: reductions.norm(128, 512, "f16", n, "inductor", mean=True),
    "rope": lambda n: views.rope(64, 4, 128, n, "hand"),
    "transpose": lambda n: views.transposed(256, 128, n, "hand", "op"),
    "matmul": lambda n: products.matmul(128, 256, 512, (128 // min(n, 4), 256 // max(1, n // 4), 64), "triton"),
    "matmul_silu": lambda n: products.matmul(
        128, 256, 512, (128 // min(n, 4), 256 // max(1, n // 4), 64), "hand", "f16", epilogue=True
    ),
    "batch_matmul": lambda n: products.batch_matmul(32, 32, 64, 64, n, "hand"),
    "swiglu": lambda n: products.swiglu(64, 64, 128, n, "hand"),
    "attention": lambda n: products.attention(n, 64, 64, "hand"),
    "flash": lambda n: products.flash(32 * n, 64, 32, 32, "triton"),
}


def measured(line: LayerLine) -> dict[str, Any]:
    """The report of a run. Raises SpyrecError where the kernel does not compile, AssertionError where it is wrong."""
    launch = line.launch()
    result = execute.run_binary(line.artifact, launch)
    assert line.agrees(dict(launch.outputs())), f"{line}: wrong result"
    return result.report


def row(line: LayerLine) -> str:
    """What one kernel does on one device."""
    report = measured(line)
    cycles = report["cycles"]
    ratios = []
    for name in tuning.optimizations():
        try:
            without, mark = measured(LayerLine(line.case, line.device, (f"{name}=off",))), ""
        except OutOfResources:
            if name not in AS_FAR_AS_NEEDED:
                raise
            without, mark = measured(LayerLine(line.case, line.device, (AS_FAR_AS_NEEDED[name],))), "~"
        ratios.append(f"{without['cycles'] / cycles:.2f}{mark}")
    memory = report["memory"]["device"].values()
    useful, moved = (sum(side[key] for side in memory) for key in ("useful", "moved"))
    bound, lx = report["bound"], report["lx"]
    return (
        f"{cycles:>9} {bound['cycles']:>9} {bound['ratio']:>6.2f}  {useful:>9} {moved:>9}"
        f"  {lx['reserved']:>8} {lx['peak']:>8}  {len(line.artifact.program.channels):>3}  {'  '.join(ratios)}"
        + (slow(report) if bound["ratio"] > 2 else "")
    )


def slow(report: dict[str, Any]) -> str:
    """Who waits for whom where a run takes more than twice its bound."""
    waits: Counter[str] = Counter()
    busy: Counter[str] = Counter()
    for unit in report["units"]:
        busy[unit["unit"]] += unit["busy"]
        for channel, amount in unit["waiting"].items():
            waits[f"{unit['unit']} waits for {channel}"] += amount
    cores = max(1, len({unit["core"] for unit in report["units"]}))
    parts = [f"{what} {amount // cores}" for what, amount in waits.most_common(3)]
    (most, amount), *_ = busy.most_common(1)
    return (
        f"\n{'':26}limit {report['bound']['limit']}; busiest {most} {amount // cores}; cycles per core: "
        + ", ".join(parts)
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=", ".join(KERNELS))
    parser.add_argument("--grid", type=int, action="append", help="tiles (1, 2, 4, 32)")
    parser.add_argument("--device", action="append", help=", ".join(DEVICES))
    asked = parser.parse_args()
    unknown = [name for name in asked.kernels if name not in KERNELS]
    if unknown:
        parser.error(f"there is no kernel {unknown[0]}; there are {', '.join(KERNELS)}")
    np.seterr(all="ignore")
    print("without:", ", ".join(f"{k}) {name}" for k, name in enumerate(tuning.optimizations(), 1)))
    print(
        f"{'kernel':<15}{'tiles':>5} {'':5}{'cycles':>9} {'bound':>9} {'ratio':>6}  {'useful':>9} {'moved':>9}"
        f"  {'reserved':>8} {'in use':>8}  chn  cycles without each, to with"
    )
    began = time.time()
    for device in asked.device or DEVICES:
        print(f"-- {device}")
        for name in asked.kernels or KERNELS:
            for grid in asked.grid or GRIDS:
                line = LayerLine(KERNELS[name](grid), device)
                try:
                    text = row(line)
                except SpyrecError as error:
                    text = f"    {error.diagnostics[0].id}: {error.diagnostics[0].message[:90]}"
                print(f"{name:<15}{grid:>5} {'':5}{text}", flush=True)
    print(f"{time.time() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
