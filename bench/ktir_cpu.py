# ruff: noqa: E402 (threads and paths before imports)
"""The executor of stage ktir beside the public interpreter, on that interpreter's own kernels: results and times.

    python bench/ktir_cpu.py CLONE [NAME...]        (CLONE: a checkout of github.com/torch-spyre/ktir-cpu)

Both execute each kernel in this process, from equal memory: what a launch of ours draws at random, except that no array
holds anything odd. Prints how many elements of what the kernel writes differ, by how much at most, the least CPU time
of several runs of each (execution alone: both have read and prepared the text before), and the ratio ours / theirs.
Exit status 1 when one is above 1. Warnings of ours are placed in the text only when somebody reads them, which is not
counted; race and bounds checks are.

Some examples are changed first, because rules of ours refuse them or that interpreter cannot run them (CHANGES).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import numpy as np

from spyrec import asm, diag, dialects, interp, numerics
from spyrec.errors import SpyrecError
from spyrec.mlir import ir
from spyrec.spyrecode.launch import Launch, bind

RMS = {"N": 4096, "eps": 1e-5, "BLOCK_SIZE": 1024}
SMALL = {"input_row_stride": 64, "output_row_stride": 64, "n_rows": 64, "BLOCK_SIZE": 64, "n_cols": 48}
PAGED = {"cur_batch_start_index": 0, "block_table_offset": 0, "num_tiles": 8, "context_len": 120, "scale": 128**-0.5}
#: Kernels by file, with the numbers of their launches.
KERNELS: list[tuple[str, dict[str, Any]]] = [
    ("ktir/scalar_broadcast.mlir", {}),
    ("ktir/reduce_generic.mlir", {}),
    ("ktir/reduce_multiop.mlir", {}),
    ("ktir/nested_yield.ktir", {}),
    ("ktir/ffn_swiglu.mlir", {}),
    ("ktir/ffn_swiglu_4core.mlir", {}),
    ("ktir/ring_reduce.mlir", {}),
    ("ktir/ring_reduce_inner_loop.mlir", {"n_iters": 3}),
    ("ktir/softmax_wide.mlir", {}),
    ("latency/matmul_small.mlir", {"K": 64, "BLOCK_SIZE_M": 8, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32}),
    ("latency/ring_reduce_multi_group.mlir", {}),
    ("latency/rmsnorm_4core_2x2.mlir", RMS),
    ("latency/rmsnorm_4core_4x1.mlir", RMS),
    ("latency/rope_fwd_4x2.mlir", {}),
    ("latency/softmax_small.mlir", SMALL),
    ("latency/softmax_small_explicit.mlir", SMALL),
    ("rfc/add-with-control-flow.mlir", {}),
    ("rfc/distributed-view-copy-dynamic.mlir", {"s0_in": 32}),
    ("rfc/distributed-view-copy-rowmerge-dynamic.mlir", {"s0_in": 32}),
    ("rfc/indirect-access-copy.mlir", {}),
    ("rfc/indirect-scatter.mlir", {}),
    ("sdsc/sdpa_pv_ksplit.mlir", {}),
    ("triton-ktir/indexed_add.mlir", {"dim1_start": 0}),
    ("triton-ktir/layernorm_fwd_ktir.mlir", {"N": 8192, "eps": 1e-5, "BLOCK_SIZE": 1024}),
    ("triton-ktir/matmul_fwd_ktir.mlir", {"K": 2048, "BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 512, "BLOCK_SIZE_K": 128}),
    ("triton-ktir/paged_attention.mlir", PAGED),
    ("triton-ktir/sdpa_2d.mlir", {}),
    ("triton-ktir/softmax_fwd_ktir.mlir", {"n_rows": 4096}),
    ("triton-ktir/vector_add_dynamic_ktir.mlir", {"n_elements": 512}),
    ("triton-ktir/vector_add_dynamic_ktir.mlir", {"n_elements": 1024}),
    ("triton-ktir/vector_add_ktir.mlir", {"BLOCK_SIZE": 128, "n_elements": 4096}),
]


def _unit_dimension(text: str) -> str:
    """A result has the rank of the partials (docs/semantics.md, 6)."""
    text = re.sub(r"(inter_tile_reduce.*?-> )tensor<128xf16>", r"\1tensor<1x128xf16>", text, flags=re.DOTALL)
    expand = r"(%\w+) = tensor.expand_shape (%\w+) \[\[0, 1\]\] output_shape \[1, 128\]\s*: tensor<128xf16> into \S+"
    for wide, narrow in re.findall(expand, text):
        text = re.sub(rf"{wide}\b", narrow, re.sub(expand, "", text))
    return text


def _apart(text: str) -> str:
    """Addresses count elements (docs/semantics.md, 1); as they are the arrays overlap."""
    for name, old, new in (("IDX1", 64, 4096), ("IDX2", 128, 8192), ("Y", 192, 32768)):
        text = re.sub(rf"(%{name}_addr\s*= arith.constant) {old}\b", rf"\1 {new}", text)
    return text


def _one_tile(text: str) -> str:
    """Without a grid that interpreter runs one tile."""
    return text.replace("@add() {", "@add() attributes {grid = [1]} {")


def _with_a_set(text: str) -> str:
    """A view has a coordinate_set."""
    return text.replace("{memory_space", "{coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>, memory_space")


CHANGES: dict[str, Callable[[str], str]] = {
    "ktir/nested_yield.ktir": _with_a_set,
    "ktir/ring_reduce.mlir": _unit_dimension,
    "ktir/ring_reduce_inner_loop.mlir": _unit_dimension,
    "latency/ring_reduce_multi_group.mlir": _unit_dimension,
    "rfc/add-with-control-flow.mlir": _one_tile,
    "rfc/indirect-access-copy.mlir": _apart,
    "rfc/indirect-scatter.mlir": _apart,
}


def _least(run: Callable[[], Any]) -> tuple[Any, float]:
    """The last result, and the least time of runs until half a second has passed."""
    least, begin, result = float("inf"), time.process_time(), None
    while time.process_time() - begin < 0.5:
        with contextlib.redirect_stdout(None):
            result, spent = run()
        least = min(least, spent)
    return result, least


def _theirs(interpreter: Callable[[], Any], text: str, name: str, launch: Launch, numbers: dict[str, Any]) -> Any:
    """One run of the public interpreter from the memory of ``launch``."""
    machine = interpreter()
    machine.load(text)
    prepare = machine._prepare_execution

    def seeded(grid: Any) -> None:
        prepare(grid)
        for r in launch.regions:
            data = numerics.from_bytes(launch.memory.read(r.address, r.size), r.types[0])
            machine.memory.hbm.write(r.address // 128, np.array(data), intra_byte=r.address % 128)

    machine._prepare_execution = seeded
    sizes = {r.arg: numerics.sizeof(r.types[0]) for r in launch.regions}
    values = zip(launch.signature.arguments, launch.args, strict=True)
    arguments = {a.name: v // sizes[a.index] if a.kind == "address" else v for a, v in values}
    begin = time.process_time()
    machine.execute_function(name, **{**arguments, **numbers})
    return machine, time.process_time() - begin


def beside(clone: Path, file: str, numbers: dict[str, Any], interpreter: Callable[[], Any]) -> float:
    """Print the line of one kernel; gives the ratio."""
    text = CHANGES.get(file, str)((clone / "examples" / file).read_text(encoding="utf-8"))
    with dialects.make_context() as context:
        parsed = asm.read(text, file, context)
        function = next(op.operation for op in parsed.module.body.operations if op.operation.name == "func.func")
        name = ir.StringAttr(function.attributes["sym_name"]).value
        signature = interp.signature_of(function, numbers)
        known = {a.name for a in signature.arguments if a.kind == "scalar"}
        ready = interp.prepared(function)
        first = bind(signature, {}, {n: v for n, v in numbers.items() if n in known}, seed=0)

        def ours() -> tuple[Launch, float]:
            launch, sink = first.copy(), diag.Sink()
            sink.add_source(parsed.source)
            begin = time.process_time()
            interp.run(ready, launch, sink=sink)
            return launch, time.process_time() - begin

        launch, mine = _least(ours)
        machine, other = _least(lambda: _theirs(interpreter, text, name, first, numbers))
    found = []
    for r in launch.regions:
        if r.written:
            got = numerics.from_bytes(launch.memory.read(r.address, r.size), r.types[0])
            want = machine.memory.hbm.read(r.address // 128, len(got), r.types[0], intra_byte=r.address % 128)
            differ = ~((got == want) | ((got != got) & (want != want)))
            most = float(np.abs(got[differ].astype(float) - want[differ].astype(float)).max()) if differ.any() else 0.0
            large = float(np.nanmax(np.abs(got.astype(float))))
            found.append(f"{r.key}: {int(differ.sum())} of {len(got)} differ, by {most:.2g} of {large:.2g}")
    print(f"{mine / other:6.2f}  {mine * 1e3:9.2f} ms {other * 1e3:9.2f} ms  {file}  {'; '.join(found)}", flush=True)
    return mine / other


def main() -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("names", nargs="*", help="only files whose names hold one of these")
    asked = parser.parse_args()
    sys.path.insert(0, str(asked.clone))
    from ktir_cpu import KTIRInterpreter

    worst = 0.0
    for file, numbers in KERNELS:
        if asked.names and not any(n in file for n in asked.names):
            continue
        try:
            worst = max(worst, beside(asked.clone, file, numbers, KTIRInterpreter))
        except SpyrecError as error:
            print(f"refused  {file}: {error}", flush=True)
            worst = float("inf")
    return worst > 1


if __name__ == "__main__":
    sys.exit(main())
