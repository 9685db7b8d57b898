"""Groups of tensor ops at stage `kernel`, as text, and what they compute before and after they are cut into tiles."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Interp"))

from kernel import execute, written

from spyrec import asm, diag
from spyrec.device import read
from spyrec.dialects import make_context
from spyrec.passkit import PassContext, pipeline

__all__ = [
    "dense",
    "fill",
    "generic",
    "kernel",
    "passed",
    "read_box",
    "results",
    "signed",
    "tensor",
    "write_box",
    "written",
]

Shape = Sequence[int]


def tensor(shape: Shape, element: str) -> str:
    """The type of a tensor."""
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def dense(shape: Shape) -> list[int]:
    """Strides of a dense array."""
    return [int(np.prod(shape[k + 1 :], dtype=int)) for k in range(len(shape))]


def read_box(name: str, base: str, shape: Shape, element: str = "f32", *, offset: str = "%c0", more: str = "") -> str:
    """Read all of a dense array at ``base`` as ``%name``."""
    box = f"@device[{offset} from {base}] strides {dense(shape)}{more}"
    return f"%{name} = dataflow.read {box} : {tensor(shape, element)}\n"


def write_box(value: str, base: str, shape: Shape, element: str = "f32", *, offset: str = "%c0", more: str = "") -> str:
    """Write ``%value`` to a dense array at ``base``."""
    box = f"@device[{offset} from {base}] strides {dense(shape)}{more}"
    return f"dataflow.write %{value}, {box} : {tensor(shape, element)}\n"


def generic(
    name: str,
    inputs: Sequence[tuple[str, Shape, str]],
    output: tuple[Shape, str],
    body: str,
    *,
    extents: Shape,
    element: str = "f32",
    init: str | None = None,
    mark: str = "",
) -> str:
    """A ``linalg.generic`` over loops ``extents``. ``inputs`` are names, shapes and the results of maps (``d0, d1``);
    ``output`` is a shape and the results of its map. The body has arguments %a0, %a1, ..., %o and makes %r. Loops that
    the output does not have are folded.
    """
    shape, out = output
    dims = ", ".join(f"d{k}" for k in range(len(extents)))
    maps = ", ".join(f"affine_map<({dims}) -> ({results})>" for results in [*(m for _, _, m in inputs), out])
    kinds = ", ".join(f'"{"parallel" if f"d{k}" in out else "reduction"}"' for k in range(len(extents)))
    ins = ", ".join(f"%{n}" for n, _, _ in inputs) + " : " + ", ".join(tensor(s, element) for _, s, _ in inputs)
    arguments = ", ".join([*(f"%a{k}: {element}" for k in range(len(inputs))), f"%o: {element}"])
    type_ = tensor(shape, element)
    text = "" if init else f"%{name}e = tensor.empty() : {type_}\n"
    init = init or f"{name}e"
    attributes = f"indexing_maps = [{maps}], iterator_types = [{kinds}]{', ' + mark if mark else ''}"
    ins = f"ins({ins}) " if inputs else ""
    return (
        f"{text}%{name} = linalg.generic {{{attributes}}} {ins}outs(%{init} : {type_}) {{\n"
        f"^bb0({arguments}):\n{body}linalg.yield %r : {element}\n}} -> {type_}\n"
    )


def fill(name: str, shape: Shape, value: str, element: str = "f32") -> str:
    """A tensor of one number."""
    dims = ", ".join(f"d{k}" for k in range(len(shape)))
    return generic(
        name, [], (shape, dims), f"%r = arith.constant {value} : {element}\n", extents=shape, element=element
    )


def kernel(body: str, arguments: Sequence[str] = ("x", "y", "z"), grid: int = 1) -> str:
    """A kernel; %c0 is 0."""
    given = ", ".join(f"%{name}: index" for name in arguments)
    return (
        f"func.func @kernel({given}) attributes {{grid = [{grid}]}} {{\n"
        f"%c0 = arith.constant 0 : index\n{body}return\n}}\n"
    )


def passed(text: str, passes: str) -> tuple[str, list[str]]:
    """The text after ``passes``, and the ids of what was reported."""
    context, sink = make_context(), diag.Sink()
    module = asm.read(text, "kernel.mlir", context, sink=sink).module
    ctx = PassContext(context, sink, lambda: read.load("spyre"))
    with context:
        for element in passes.split(" "):
            pipeline.parse(f"builtin.module(func.func({element}))").run(module.operation, ctx, verify_each=True)
            if any(d.severity.name == "ERROR" for d in sink.diagnostics):
                break
        return asm.print_op(module.operation), [d.id for d in sink.diagnostics if d.severity.name == "ERROR"]


def results(text: str, values: Mapping[str, Any]) -> dict[str, bytes]:
    """The bytes of all arrays after a run."""
    given = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in values.items()}
    return {name: array.tobytes() for name, array in execute(text, given).items()}


def signed(text: str, arrays: Mapping[str, tuple[str, Shape, str]]) -> str:
    """A kernel with what it asks of a launch: access (``r``, ``w``), shape and element type of each argument."""
    entries = [
        f'{{access = "{access}", arg = {number} : i64, col = 1 : i64, end = {int(np.prod(shape, dtype=int))} : i64,'
        f' line = 1 : i64, name = "{name}", offset = 0 : i64, sizes = array<i64: {", ".join(map(str, shape))}>,'
        f" strides = array<i64: {', '.join(map(str, dense(shape)))}>, type = {element}}}"
        for number, (name, (access, shape, element)) in enumerate(arrays.items())
    ]
    return text.replace("attributes {", f"attributes {{dataflow.signature = [{', '.join(entries)}], ", 1)
