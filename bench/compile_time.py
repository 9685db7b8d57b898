"""How long compiling takes, in process and in CPU time, as ratios within one run, so that the machine cancels out.

    python bench/compile_time.py [--rounds N] [--only kernels|growth|extents] [--shape NAME] [--slowest N]

``kernels``: each kernel of ``examples/``, from text to binary, against a process that only imports MLIR's ``ir``,
``passmanager`` and ``dialects.linalg``. ``growth``: programs of several shapes with 10,000 ops against 1,000.
``extents``: rows many times longer, and loops with many times more iterations, against the kernel that is not. Both
sides of each ratio take turns and the least of each counts. Exit status 1 when a ratio is over its limit.

``extents`` compares programs of one structure, which is where numbers alone could cost time. Eight rows of 64 become
straight code, thousands a loop over groups that two corelets take in turns, and rows that do not fit LX loops over
tiles: those are three programs, the second with twice the ops of the first.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples")]

import spyrec  # noqa: E402
from spyrec.driver import compile as driver  # noqa: E402

IMPORTS = """
from spyrec.mlir import ir, linalg, passmanager
ir.Context, passmanager.PassManager, linalg.add
"""
# An installed package has its bytecode; here the first round writes it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
KERNEL_LIMIT, GROWTH_LIMIT, EXTENT_LIMIT = 0.5, 13.0, 1.2
SMALL, LARGE = 1_000, 10_000


def importing() -> float:
    """CPU seconds of a process that imports MLIR."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", IMPORTS], cwd=ROOT, env=ENVIRONMENT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timer(text: str, name: str | None = None) -> Callable[[], float]:
    """Measures CPU seconds of one compilation to the binary; ``name`` is the kernel's where there are several."""

    def measure() -> float:
        began = time.process_time()
        driver.compile_text(text, "kernel.mlir", driver.Options(kernel=name))
        return time.process_time() - began

    return measure


def kernels() -> dict[str, Callable[[], float]]:
    """Every kernel of the examples."""
    from layers import CASES

    found: dict[str, Callable[[], float]] = {}
    for path in sorted((ROOT / "examples").rglob("*.mlir")):
        text = path.read_text()
        names = re.findall(r"^ *func\.func (?:public )?@(\w+)", text, re.MULTILINE)
        for name in names:
            found[path.stem if len(names) == 1 else f"{path.stem}:{name}"] = timer(text, name)
    for name, case in CASES.items():
        found[name] = timer(case.text)
    return found


# -- Programs of any length ----------------------------------------------------------------------------------------

HEAD = """\
#all = affine_set<(r, c) : (r >= 0, -r + {last} >= 0, c >= 0, -c + {end} >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + {end} >= 0)>
#same = affine_map<(r, c) -> (r, c)>
func.func @kernel(%x_ptr: index, %y_ptr: index) attributes {{grid = [2]}} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %trips = arith.constant {trips} : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [{rows}, {columns}], strides: [{columns}, 1]
    {{coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<{rows}x{columns}xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [{rows}, {columns}], strides: [{columns}, 1]
    {{coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<{rows}x{columns}xf16>
"""


def kernel(body: list[str], rows: int, columns: int = 64, trips: int = 3) -> str:
    """A kernel with the views ``%x`` and ``%y``."""
    head = HEAD.format(rows=rows, last=rows - 1, columns=columns, end=columns - 1, trips=trips)
    return head + "\n".join(body) + "\n  return\n}\n"


def load(name: str, row: str, columns: int = 64) -> list[str]:
    """Two ops: ``%name`` is a row of ``%x``."""
    return [
        f"%{name}_at = ktdp.construct_access_tile %x[{row}, 0] {{access_tile_set = #row, access_tile_order = #same}}"
        f" : memref<{{rows}}x{columns}xf16> -> !ktdp.access_tile<1x{columns}xindex>",
        f"%{name} = ktdp.load %{name}_at : <1x{columns}xindex> -> tensor<1x{columns}xf16>",
    ]


def store(name: str, row: str, columns: int = 64) -> list[str]:
    """Two ops: ``%name`` becomes a row of ``%y``."""
    return [
        f"%{name}_to = ktdp.construct_access_tile %y[{row}, 0] {{access_tile_set = #row, access_tile_order = #same}}"
        f" : memref<{{rows}}x{columns}xf16> -> !ktdp.access_tile<1x{columns}xindex>",
        f"ktdp.store %{name}, %{name}_to : tensor<1x{columns}xf16>, <1x{columns}xindex>",
    ]


def unary(op: str, name: str, operand: str, columns: int = 64) -> str:
    """One op on a row."""
    return f"%{name} = {op} %{operand} : tensor<1x{columns}xf16>"


def triple(i: int, row: str) -> list[str]:
    """Five ops: a row of ``%x`` is loaded, computed with and stored."""
    return [*load(f"a{i}", row), unary("arith.negf", f"b{i}", f"a{i}"), *store(f"b{i}", row)]


def looped(counter: str, body: list[str]) -> list[str]:
    """Two ops (a loop and its end) and a body."""
    return [f"scf.for %{counter} = %zero to %trips step %one {{", *body, "}"]


def at_rows(body: list[str], rows: int, **extents: int) -> str:
    """The kernel whose views have ``rows`` rows."""
    return kernel([line.replace("{rows}", str(rows)) for line in body], rows, **extents)


def triples(ops: int) -> str:
    """Rows are loaded, computed and stored one after the other."""
    count = ops // 5
    return at_rows([line for i in range(count) for line in triple(i, str(i))], count)


def triples_in_a_loop(ops: int) -> str:
    """The same, all in the body of one loop that moves down the rows."""
    count = ops // 7
    body = [line for i in range(count) for line in (f"%k{i} = arith.constant {3 * i} : index", *triple(i, f"%r{i}"))]
    for i in range(count):
        at = body.index(f"%k{i} = arith.constant {3 * i} : index")
        body.insert(at + 1, f"%r{i} = arith.addi %i, %k{i} : index")
    return at_rows(looped("i", body), 3 * count)


def loops_of_triples(ops: int) -> str:
    """Many loops one after the other, a row in each."""
    count = ops // 9
    body = []
    for i in range(count):
        down = [f"%k{i} = arith.constant {3 * i} : index", f"%r{i} = arith.addi %i{i}, %k{i} : index"]
        body += looped(f"i{i}", [*down, *triple(i, f"%r{i}")])
    return at_rows(body, 3 * count)


def chain(ops: int) -> str:
    """One row goes through many ops."""
    kinds = ("arith.negf", "math.absf", "math.tanh")
    steps = [unary(kinds[i % 3], f"v{i + 1}", f"v{i}") for i in range(ops)]
    return at_rows([*load("v0", "0"), *steps, *store(f"v{ops}", "0")], 1)


def independent(ops: int) -> str:
    """All rows are loaded, then all computed, then all stored."""
    count = ops // 5
    body = [line for i in range(count) for line in load(f"a{i}", str(i))]
    body += [unary("math.tanh", f"b{i}", f"a{i}") for i in range(count)]
    body += [line for i in range(count) for line in store(f"b{i}", str(i))]
    return at_rows(body, count)


def carried(ops: int) -> str:
    """A running sum over many rows that all steps store."""
    count = ops // 5
    body = load("s0", "0")
    for i in range(1, count):
        body += [*load(f"a{i}", str(i)), f"%s{i} = arith.addf %s{i - 1}, %a{i} : tensor<1x64xf16>"]
        body += store(f"s{i}", str(i))
    return at_rows(body, count)


def nests(ops: int) -> str:
    """Nests of six loops with a row at each depth."""
    deep = 6
    count = ops // (deep * 9)
    body: list[str] = []
    for n in range(count):
        inner: list[str] = []
        for d in reversed(range(deep)):
            i = n * deep + d
            down = [f"%k{i} = arith.constant {3 * i} : index", f"%r{i} = arith.addi %i{i}, %k{i} : index"]
            inner = looped(f"i{i}", [*down, *triple(i, f"%r{i}"), *inner])
        body += inner
    return at_rows(body, 3 * deep * count)


def in_place(ops: int) -> str:
    """Rows of one array, all in one loop, are loaded, computed and stored to where they were."""
    return triples_in_a_loop(ops).replace("memory_view %y_ptr", "memory_view %x_ptr").replace("[2]}", "[1]}")


def branches(ops: int) -> str:
    """A row in each branch that a number decides about."""
    count = ops // 9
    body: list[str] = []
    for i in range(count):
        body += [f"%k{i} = arith.constant {i} : index", f"%d{i} = arith.cmpi slt, %id, %k{i} : index"]
        body += [f"scf.if %d{i} {{", *triple(i, str(i)), "}"]
    return at_rows(["%id = ktdp.get_compute_tile_id : index", *body], count)


def softmaxes(ops: int) -> str:
    """Rows that are folded twice."""
    count = ops // 23
    wide, one = "tensor<1x64xf16>", "tensor<1xf16>"
    body = ["%low = arith.constant 0xFC00 : f16", "%nought = arith.constant 0.0 : f16", f"%e = tensor.empty() : {wide}"]
    for i in range(count):
        body += load(f"a{i}", str(i))
        for name, of, start, op in ((f"m{i}", f"a{i}", "low", "maximumf"), (f"s{i}", f"x{i}", "nought", "addf")):
            fold = f"linalg.reduce {{ arith.{op} }} ins(%{of} : {wide})"
            body += [
                f"%{name}_e = tensor.empty() : {one}",
                f"%{name}_i = linalg.fill ins(%{start} : f16) outs(%{name}_e : {one}) -> {one}",
                f"%{name} = {fold} outs(%{name}_i : {one}) dimensions = [1]",
                f"%{name}_w = linalg.broadcast ins(%{name} : {one}) outs(%e : {wide}) dimensions = [1]",
            ]
            if op == "maximumf":
                body += [f"%d{i} = arith.subf %a{i}, %m{i}_w : {wide}", unary("math.exp", f"x{i}", f"d{i}")]
        body += [f"%o{i} = arith.divf %x{i}, %s{i}_w : {wide}", *store(f"o{i}", str(i))]
    return at_rows(body, count)


SHAPES = (
    triples,
    triples_in_a_loop,
    loops_of_triples,
    in_place,
    chain,
    independent,
    carried,
    nests,
    branches,
    softmaxes,
)


def extents(columns: int, trips: int) -> str:
    """A loop over rows, each once through lanes and once summed up."""
    sums = f"linalg.reduce ins(%b : tensor<1x{columns}xf16>) outs(%none : tensor<1xf16>) dimensions = [1]"
    body = [
        *load("a", "%i", columns),
        unary("math.tanh", "b", "a", columns),
        "%nought = arith.constant 0.0 : f16",
        "%empty = tensor.empty() : tensor<1xf16>",
        "%none = linalg.fill ins(%nought : f16) outs(%empty : tensor<1xf16>) -> tensor<1xf16>",
        f"%sum = {sums} (%p: f16, %q: f16) {{ %t = arith.addf %p, %q : f16 linalg.yield %t : f16 }}",
        f"%wide = tensor.empty() : tensor<1x{columns}xf16>",
        f"%all = linalg.broadcast ins(%sum : tensor<1xf16>) outs(%wide : tensor<1x{columns}xf16>) dimensions = [1]",
        f"%c = arith.divf %b, %all : tensor<1x{columns}xf16>",
        *store("c", "%i", columns),
    ]
    return at_rows(looped("i", body), trips, columns=columns, trips=trips)


EXTENTS = (
    ((64, 1_000), (4_096, 1_000), (64, 100_000_000), (4_096, 10_000_000)),
    ((1_048_576, 100), (8_388_608, 100), (1_048_576, 10_000)),
)
"""Columns and iterations: rows several of which are a group, and rows that do not fit LX."""


# -- Measuring -----------------------------------------------------------------------------------------------------


def least(measures: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The least of several runs of each; rounds are interleaved, so that a slow spell of the machine hits all."""
    times = [{name: measure() for name, measure in measures.items()} for _ in range(rounds)]
    return {name: min(each[name] for each in times) for name in measures}


class Table:
    """Prints ratios, and remembers whether one was over."""

    def __init__(self) -> None:
        self.good = True

    def row(self, name: str, ratio: float, limit: float, more: str = "") -> None:
        over = ratio > limit
        self.good &= not over
        print(f"{name:44} {ratio:7.2f} x, limit {limit:.2f} x{'  OVER' if over else ''}{more}", flush=True)


def show_kernels(table: Table, rounds: int, slowest: int) -> None:
    """Each kernel against importing MLIR."""
    measures = kernels()
    best = least({"importing": importing} | measures, rounds)
    base = best.pop("importing")
    print(f"kernels: importing MLIR takes {base * 1000:.0f} ms")
    order = sorted(best, key=best.__getitem__, reverse=True)
    for number, name in enumerate(order):
        if number < slowest or best[name] / base > KERNEL_LIMIT:
            table.row(name, best[name] / base, KERNEL_LIMIT)
    print(f"{len(order)} kernels, the median {best[order[len(order) // 2]] / base:.2f} x")


def show_growth(table: Table, rounds: int, shapes: tuple[Callable[[int], str], ...]) -> None:
    """Ten times the ops."""
    print(f"growth: {LARGE:,} ops against {SMALL:,}")
    for shape in shapes:
        texts = {"small": shape(SMALL), "large": shape(LARGE)}
        # A short run is disturbed more easily; more of them cost little.
        best = least({"large": timer(texts["large"])} | {f"small{i}": timer(texts["small"]) for i in range(3)}, rounds)
        large, small = best.pop("large"), min(best.values())
        table.row(shape.__name__, large / small, GROWTH_LIMIT, f"   ({large:.1f} s)")


def show_extents(table: Table, rounds: int) -> None:
    """Larger tensors, more iterations."""
    for alike in EXTENTS:
        texts = {f"{trips:,} rows of {columns:,}": extents(columns, trips) for columns, trips in alike}
        best = least({name: timer(text) for name, text in texts.items()}, 3 * rounds)
        (first, base), *others = best.items()
        print(f"extents: the same program with larger numbers than {first}, which takes {base * 1000:.0f} ms")
        for name, seconds in others:
            table.row(name, seconds / base, EXTENT_LIMIT)


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=("kernels", "growth", "extents"))
    parser.add_argument("--shape", choices=[shape.__name__ for shape in SHAPES], help="only this one of growth")
    parser.add_argument("--slowest", type=int, default=10, metavar="N", help="how many kernels to print")
    asked = parser.parse_args()
    table = Table()
    spyrec.compile(ROOT / "examples" / "add.mlir")  # whatever is imported only once
    if asked.only in (None, "kernels"):
        show_kernels(table, asked.rounds, asked.slowest)
    if asked.only in (None, "extents"):
        show_extents(table, asked.rounds)
    if asked.only in (None, "growth"):
        chosen = tuple(shape for shape in SHAPES if asked.shape in (None, shape.__name__))
        show_growth(table, asked.rounds, chosen)
    return 0 if table.good else 1


if __name__ == "__main__":
    sys.exit(main())
