"""How long reading and printing text takes, and that it is linear; with --fuzz, that no text gets past the reader's
refusals.

    python bench/asm.py [--ops N] [--rounds N]
    python bench/asm.py --fuzz COUNT [--seed N]

Reads and prints generated modules of N/8, N/4, N/2 and N ops; the largest has 50,000 ops and more in over 10 MB. Also
reads each with a mistake in its middle. Prints the times and, for each step, the ratio of each size to the one before,
the best of ``--rounds`` in one process; exit status 1 when doubling costs more than 2.3 times as much. ``--fuzz`` reads
COUNT texts that are almost right (those of test/Asm/mutate.py) and a twentieth as many generated valid ones in child
processes, and says how many were refused; exit status 1, and the text in a file, when one is neither refused at a place
nor comes back as itself.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 2.3
HEAD = """#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#same = affine_map<(r, c) -> (r, c)>
"""
FUNCTION = """func.func @kernel_{k}(%x_pointer: index, %y_pointer: index) attributes {{grid = [32]}} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %tile = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_pointer, sizes: [96, 64], strides: [64, 1]
    {{coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<96x64xf16>
  %y = ktdp.construct_memory_view %y_pointer, sizes: [96, 64], strides: [64, 1]
    {{coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<96x64xf16>
{body}  return
}}
"""
STATEMENTS = """  %row_{j} = arith.addi %tile, %one : index
  %x_tile_{j} = ktdp.construct_access_tile %x[%row_{j} + {j}, %zero * 2] {{access_tile_order = #same,
    access_tile_set = #row}} : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex> // relative to the row
  %y_tile_{j} = ktdp.construct_access_tile %y[%row_{j}, 0] {{access_tile_set = #row, access_tile_order = #same}}
    : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
  %value_{j} = ktdp.load %x_tile_{j} : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
  %doubled_{j} = arith.addf %value_{j}, %value_{j} : tensor<1x64xf16>
  ktdp.store %doubled_{j}, %y_tile_{j} : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
"""


def module(ops: int) -> str:
    """Functions of 100 rows each, with about ``ops`` ops together."""
    body = "".join(STATEMENTS.format(j=j) for j in range(100))
    return HEAD + "".join(FUNCTION.format(k=k, body=body) for k in range(max(1, ops // 607)))


def timed(function: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """Best processor time of some rounds, in seconds, and the last result."""
    best, result = float("inf"), None
    for _ in range(rounds):
        began = time.process_time()
        result = function()
        best = min(best, time.process_time() - began)
    return best, result


def speed(ops: int, rounds: int) -> int:
    """Print times and ratios; the exit status."""
    from spyrec import asm
    from spyrec.dialects import make_context
    from spyrec.errors import InvalidKernel

    context = make_context()

    def refuse(text: str) -> None:
        with contextlib.suppress(InvalidKernel):
            asm.read(text, "bench.mlir", context)
            raise AssertionError("a mistake was not found")

    asm.read(module(607), "warm.mlir", context)
    refuse(wrong(module(607)))
    times: dict[str, list[float]] = {"read": [], "print": [], "refuse": []}
    for size in (ops // 8, ops // 4, ops // 2, ops):
        text = module(size)
        seconds, parsed = timed(lambda text=text: asm.read(text, "bench.mlir", context), rounds)  # type: ignore[misc]
        times["read"].append(seconds)
        count = sum(1 for f in parsed.module.body for b in f.regions[0].blocks for _ in b)
        seconds, shown = timed(lambda parsed=parsed: asm.print_op(parsed.module), rounds)  # type: ignore[misc]
        times["print"].append(seconds)
        del parsed
        seconds, _ = timed(lambda text=wrong(text): refuse(text), rounds)  # type: ignore[misc]
        times["refuse"].append(seconds)
        print(
            f"{len(text) / 1e6:.2f} MB in, {len(shown) / 1e6:.2f} MB out, {count} ops:"
            + ",".join(f" {step} {row[-1]:.2f} s" for step, row in times.items()),
            flush=True,
        )
    status = 0
    for step, row in times.items():
        ratios = [whole / half for half, whole in itertools.pairwise(row)]
        status |= any(ratio > LIMIT for ratio in ratios)
        print(f"{step}: doubling costs {', '.join(f'{r:.2f}' for r in ratios)} times as much (limit {LIMIT})")
    return status


def wrong(text: str) -> str:
    """A module with an op in its middle that MLIR's verifier refuses."""
    middle = text.index("  return", len(text) // 2)
    mistake = '  "arith.constant"() {value = 0 : i32} : () -> index\n'
    return text[:middle] + mistake + text[middle:]


def fuzz(count: int, seed: int, batch: int = 500) -> int:
    """Run batches in children, because a crash of MLIR would take this process down; the exit status."""
    refused = read = 0
    with tempfile.TemporaryDirectory() as folder:
        last = Path(folder) / "last.mlir"
        start = seed
        for start in range(seed, seed + -(-count // batch)):
            command = [sys.executable, __file__, "--batch", str(batch), "--seed", str(start), "--last", str(last)]
            try:
                done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True, timeout=batch * 10)
                failed = done.returncode != 0
            except subprocess.TimeoutExpired:
                failed = True
            if failed:
                kept = Path(tempfile.gettempdir()) / f"spyrec-fuzz-{start}.mlir"
                kept.write_bytes(last.read_bytes())
                print(f"seed {start}: {kept}")
                return 1
            counts = list(map(int, done.stdout.split()))
            refused, read = refused + counts[0], read + counts[1]
    print(
        f"{refused + read} texts, seeds {seed} to {start}: {refused} refused at a place, {read} came back as themselves"
    )
    return 0


def one_batch(count: int, seed: int, last: Path) -> int:
    """Read texts; each is first written to ``last``. Prints how many were refused and how many came back."""
    sys.path.insert(0, str(ROOT / "test" / "Asm"))
    from generate import Generator
    from mutate import mutants
    from test_roundtrip import comes_back
    from texts import context

    from spyrec import asm
    from spyrec.errors import InvalidKernel

    rng = random.Random(seed)
    refused = 0
    for text in mutants(seed, count):
        last.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            asm.read(text, "fuzz.mlir", context())
        except InvalidKernel as error:
            if any(d.position is None for d in error.diagnostics):
                return 1
            refused += 1
        else:
            comes_back(text)
    for _ in range(count // 20):
        text = Generator(rng, trailers=rng.random() < 0.5).module().text
        last.write_text(text)
        comes_back(text)
    print(refused, count - refused + count // 20)
    return 0


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--ops", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--fuzz", type=int, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--last", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if arguments.batch is not None:
        return one_batch(arguments.batch, arguments.seed, arguments.last)
    if arguments.fuzz is not None:
        return fuzz(arguments.fuzz, arguments.seed)
    return speed(arguments.ops, arguments.rounds)


if __name__ == "__main__":
    sys.exit(main())
