"""How fast the simulator runs: ``python bench/simulator.py [--against DIR] [ROWS [COLUMNS]]``.

Row-wise softmax of a ROWS x COLUMNS array (4096 x 1024) on 32 cores, as the program written by hand in ``test/Target``:
three streams, one load and one store per row. Prints wall time, instructions and elements per second, and simulated
cycles; then the same for a loop that copies single elements, where nearly all is overhead.
``--against`` names a checkout of torch-spyre/ktir-cpu, whose interpreter runs its own softmax kernel of 4096 x
1024 in the same process; the ratio of the two times is printed too.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "tools"), str(ROOT / "test" / "Target")]

from by_hand import PROGRAMS  # noqa: E402
from target import Arrays, Program  # noqa: E402

from spyrec import sim, spyrecode  # noqa: E402

CORES = 32
ELEMENTS = 65_000


class Scaled(Program):
    """The softmax program with other sizes."""

    rows = columns = 0

    def text(self, stage: str, iterations: int | None = None, *, argument: bool = False) -> str:
        """The text, its buffers as large as a row asks for."""
        text = PROGRAMS[1].text(stage, self.rows // CORES)
        half, single = 2 * self.columns, 4 * self.columns
        places = {"x": 0, "y": 2 * half, "m": 4 * half, "s": 4 * half + 128, "e": 4 * half + 256}
        slots = {"x": half, "y": half, "m": 128, "s": 128, "e": single}
        for name, at in places.items():
            text = re.sub(
                rf"(buffer @{name} {{address = )\d+( : i64, slot_bytes = )\d+", rf"\g<1>{at}\g<2>{slots[name]}", text
            )
            text = re.sub(rf"(%{name} = arith.constant )\d+( : index)", rf"\g<1>{at}\g<2>", text)
        text = text.replace("grid = [4]", f"grid = [{CORES}]").replace("(f + i) * 128", f"(f + i) * {half}")
        text = text.replace("(i mod 2) * 128 + 256", f"(i mod 2) * {half} + {places['y']}")
        return text.replace("(i mod 2) * 128", f"(i mod 2) * {half}").replace("counts [64]", f"counts [{self.columns}]")


class Elements(Program):
    """The copy program, one element at a time on one core."""

    def text(self, stage: str, iterations: int | None = None, *, argument: bool = False) -> str:
        """The text, its rows as short as possible."""
        text = PROGRAMS[0].text(stage, ELEMENTS).replace("grid = [4]", "grid = [1]")
        return text.replace("(f + i) * 128", "(f + i) * 2").replace("counts [64]", "counts [1]")


def single() -> None:
    """Run the loop over single elements."""

    def inputs(rng: np.random.Generator) -> Arrays:
        return {"x": rng.standard_normal((ELEMENTS, 1)).astype(np.float16)}

    program = Elements("copy", 1, inputs, PROGRAMS[0].reference)
    code = program.artifact()
    launch = spyrecode.bind(code.signature, program.given(), {}, seed=None)
    began = time.perf_counter()
    result = sim.run(code, launch)
    took = time.perf_counter() - began
    program.check(program.outputs(launch))
    speed = result.report["instructions"] / took
    print(f"copy of {ELEMENTS:,} single elements: {took:.2f} s, {speed:,.0f} instructions/s")


def interpreted(folder: str) -> float:
    """Seconds that ktir-cpu takes for its softmax kernel."""
    sys.path.insert(0, folder)
    from ktir_cpu.interpreter import KTIRInterpreter  # type: ignore[import-not-found]

    interpreter = KTIRInterpreter()
    interpreter.load(str(Path(folder) / "examples" / "triton-ktir" / "softmax_fwd_ktir.mlir"))
    x = (np.random.default_rng(5).standard_normal((4096, 1024)) * 4).astype(np.float16)
    began = time.perf_counter()
    interpreter.execute_function("softmax_kernel", output_ptr=np.zeros_like(x), input_ptr=x, n_rows=4096)
    return time.perf_counter() - began


def main(rows: int = 4096, columns: int = 1024) -> float:
    """Run it once; the seconds that it took."""
    Scaled.rows, Scaled.columns = rows, columns

    def inputs(rng: np.random.Generator) -> Arrays:
        return {"x": (rng.standard_normal((rows, columns)) * 4).astype(np.float16)}

    program = Scaled("softmax", CORES, inputs, PROGRAMS[1].reference, ulp=1)
    code = program.artifact()
    launch = spyrecode.bind(code.signature, program.given(), {}, seed=None)
    began = time.perf_counter()
    result = sim.run(code, launch)
    took = time.perf_counter() - began
    program.check(program.outputs(launch))
    instructions = result.report["instructions"]
    print(f"softmax {rows} x {columns} on {CORES} cores: {took:.2f} s, {result.cycles} cycles")
    print(f"{instructions / took:,.0f} instructions/s, {rows * columns / took:,.0f} elements/s")
    return took


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", metavar="DIR")
    parser.add_argument("extents", nargs="*", type=int, metavar="ROWS [COLUMNS]")
    asked = parser.parse_args()
    ours = main(*asked.extents[:2])
    single()
    if asked.against:
        theirs = interpreted(asked.against)
        print(f"ktir-cpu: {theirs:.2f} s, {theirs / ours:.1f} times as long")
