"""Executes a kernel before and after passes, for tests that a pass does not change what it computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrec import asm, diag, dialects, interp
from spyrec.device import read
from spyrec.mlir import ir
from spyrec.passkit import PassContext, pipeline
from spyrec.spyrecode.launch import bind

FILE = "kernel.mlir"


@dataclass(frozen=True)
class Executed:
    """``text`` is the IR that ran, ``arrays`` what it wrote, ``ids`` what was reported before (by the passes)."""

    text: str
    arrays: dict[str, Any]
    ids: tuple[str | None, ...]


def execute(text: str, passes: str = "", given: Mapping[str, Any] | None = None, *, seed: int = 5) -> Executed:
    """Run ``passes`` (a pipeline on the module) on a kernel, then the kernel on random data but for ``given``."""
    context = dialects.make_context()
    sink = diag.Sink()
    values = given or {}
    with context:
        parsed = asm.read(text, FILE, context, sink=sink)
        numbers = {name: v for name, v in values.items() if np.isscalar(v)}
        arrays = {name: v for name, v in values.items() if not np.isscalar(v)}
        launch = bind(interp.signature_of(_kernel(parsed.module), numbers), arrays, numbers, seed=seed)
        if passes:
            made = pipeline.parse(f"builtin.module({passes})")
            made.run(parsed.module.operation, PassContext(context, sink, lambda: read.load("spyre")), verify_each=True)
        sink.raise_if_errors()
        ids = tuple(d.id for d in sink.diagnostics)
        interp.run(_kernel(parsed.module), launch, sink=sink)
        return Executed(asm.print_op(parsed.module.operation), launch.outputs(), ids)


def _kernel(module: ir.Module) -> ir.Operation:
    found = [view.operation for view in module.operation.regions[0].blocks[0].operations]
    public = [op for op in found if op.name == "func.func" and "sym_visibility" not in op.attributes]
    return public[-1]


def unchanged(text: str, passes: str, given: Mapping[str, Any] | None = None, *, seed: int = 5) -> Executed:
    """Assert that ``passes`` change the IR and not one bit of what it computes; gives what they made. The last passes
    on functions change nothing when they run again.
    """
    before, after = execute(text, given=given, seed=seed), execute(text, passes, given, seed=seed)
    assert before.text != after.text, "the passes did nothing"
    assert before.arrays.keys() == after.arrays.keys() != set()
    for name, array in before.arrays.items():
        assert array.tobytes() == after.arrays[name].tobytes(), (name, array, after.arrays[name], after.text)
    own = passes[passes.rindex("func.func(") :]
    assert execute(text, f"{passes},{own}", given, seed=seed).text == after.text, "not idempotent"
    return after


def kernel(body: str, *views: str, grid: int = 1, arguments: str = "") -> str:
    """A kernel with a view of all of each argument: ``views`` are like ``x 4x64xf32``. ``%x`` is the view's whole tile.

    ``body`` loads from and stores to them with :func:`load` and :func:`store`.
    """
    names = [view.split()[0] for view in views]
    lines = [
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%tile = ktdp.get_compute_tile_id : index",
    ]
    aliases = []
    for view in views:
        name, type_ = view.split()
        shape = type_.split("x")[:-1]
        extents = [int(n) for n in shape]
        dims = ", ".join(f"d{k}" for k in range(len(extents)))
        sides = ", ".join(f"d{k} >= 0, -d{k} + {n - 1} >= 0" for k, n in enumerate(extents))
        aliases += [f"#{name}_set = affine_set<({dims}) : ({sides})>", f"#{name}_id = affine_map<({dims}) -> ({dims})>"]
        strides = [int(np.prod(extents[k + 1 :])) for k in range(len(extents))]
        memref = f"memref<{type_}>"
        lines.append(
            f"%{name}_view = ktdp.construct_memory_view %{name}_ptr, sizes: {extents}, strides: {strides}"
            f" {{coordinate_set = #{name}_set, memory_space = #ktdp.memory_space<global>}} : {memref}"
        )
        lines.append(
            f"%{name}_tile = ktdp.construct_access_tile %{name}_view[{', '.join('%c0' for _ in extents)}]"
            f" {{access_tile_set = #{name}_set, access_tile_order = #{name}_id}} : {memref}"
            f" -> !ktdp.access_tile<{'x'.join([*shape, 'index'])}>"
        )
    lines = [*lines, body, "return"]
    signature = ", ".join([*(f"%{name}_ptr: index" for name in names), *filter(None, [arguments])])
    head = f"func.func @kernel({signature}) attributes {{grid = [{grid}]}} {{"
    return "\n".join([*aliases, head, *lines, "}"]) + "\n"


def load(result: str, view: str, type_: str) -> str:
    """``%result`` is all of a view of ``type_`` (``4x64xf32``)."""
    shape = type_.rpartition("x")[0]
    return f"%{result} = ktdp.load %{view}_tile : <{shape}xindex> -> tensor<{type_}>"


def store(value: str, view: str, type_: str) -> str:
    """``%value`` becomes all of a view of ``type_``."""
    shape = type_.rpartition("x")[0]
    return f"ktdp.store %{value}, %{view}_tile : tensor<{type_}>, <{shape}xindex>"
