"""Runs a kernel written as text in the executor, on arrays by argument name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spyrec import asm, dialects, interp, numerics
from spyrec.errors import Diagnostic, Severity, SpyrecError
from spyrec.mlir import ir
from spyrec.spyrecode.launch import Launch, bind
from spyrec.spyrecode.signature import Argument, Signature, View

FILE = "kernel.mlir"


def written(shape: tuple[int, ...], element: str) -> tuple[tuple[int, ...], str]:
    """An array that the kernel only writes: nothing is in it at first."""
    return shape, element


def _view(number: int, name: str, given: Any) -> View:
    if isinstance(given, tuple):
        shape, element = given
        size, access = int(np.prod(shape, dtype=int)), "w"
    else:
        size, access, element = given.size, "rw", numerics.type_of(given).name
    return View(number, name, element, (size,), (1,), 0, size, access)  # type: ignore[arg-type]


def _literal(name: str, given: Any) -> View:
    view = _view(-1, name, given)
    return replace(view, offset=int(name), end=int(name) + view.end)


def launch_of(function: ir.Operation, values: Mapping[str, Any], grid: int) -> Launch:
    """A launch with ``values``: arrays by argument name or literal address, numbers, or what :func:`written` gives."""
    arguments, views = [], []
    for number, (name, argument) in enumerate(
        zip(_argument_names(function), function.regions[0].blocks[0].arguments, strict=True)
    ):
        given = values.get(name)
        if isinstance(given, int | float) or given is None:
            arguments.append(Argument(number, name, "unused" if given is None else "scalar", str(argument.type)))
        else:
            arguments.append(Argument(number, name, "address", str(argument.type)))
            views.append(_view(number, name, given))
    views += [_literal(name, given) for name, given in values.items() if name.isdigit()]
    signature = Signature("kernel", grid, tuple(arguments), tuple(views), FILE)
    arrays = {name: v for name, v in values.items() if isinstance(v, np.ndarray)}
    numbers = {name: v for name, v in values.items() if isinstance(v, int | float)}
    return bind(signature, arrays, numbers, seed=0)


def _argument_names(function: ir.Operation) -> list[str]:
    header = asm.print_op(function.parent.operation).rsplit("func.func @", 1)[1]
    return re.findall(r"%(\w+):", header[: header.index("{")])


@contextmanager
def parsed(text: str) -> Iterator[ir.Operation]:
    """The last function of a module (so that functions that it calls come first)."""
    context = dialects.make_context()
    with context:
        module = asm.read(text, FILE, context).module
        yield list(module.body.operations)[-1].operation


def execute(text: str, values: Mapping[str, Any], *, grid: int = 1, **options: Any) -> dict[str, np.ndarray]:
    """Run the kernel and give back all arrays, in the shapes that they were given in."""
    with parsed(text) as function:
        launch = launch_of(function, values, grid)
        interp.run(function, launch, **options)
        found = {}
        for region in launch.regions:
            given = values[region.name]
            shape = given[0] if isinstance(given, tuple) else given.shape
            raw = launch.memory.read(region.address, region.size)
            found[region.name] = numerics.from_bytes(raw, region.types[0]).reshape(shape)
        return found


def refused(text: str, values: Mapping[str, Any], **options: Any) -> Diagnostic:
    """Run a kernel that must fail and give back its first error."""
    with pytest.raises(SpyrecError) as caught:
        execute(text, values, **options)
    return next(d for d in caught.value.diagnostics if d.severity is Severity.ERROR)


def line_of(text: str, marker: str) -> int:
    """Number of the one line of ``text`` that holds ``marker``."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if marker in line]
    assert len(lines) == 1, f"{marker!r} stands on lines {lines}"
    return lines[0]


def view(name: str, base: str, shape: tuple[int, ...], element: str, strides: tuple[int, ...] | None = None) -> str:
    """A dense view (unless ``strides`` are given) of device memory at ``base``."""
    if strides is None:
        strides = tuple(int(np.prod(shape[k + 1 :], dtype=int)) for k in range(len(shape)))
    sizes = ", ".join(map(str, shape))
    steps = ", ".join(map(str, strides))
    kind = f"memref<{'x'.join([*map(str, shape), element])}>"
    return (
        f"%{name} = ktdp.construct_memory_view {base}, sizes: [{sizes}], strides: [{steps}]"
        f" {{coordinate_set = {box(shape)}, memory_space = #ktdp.memory_space<global>}} : {kind}\n"
    )


def box(extents: tuple[int, ...], low: tuple[int, ...] | None = None) -> str:
    """The set of points from ``low`` (0) on."""
    low = low or (0,) * len(extents)
    dims = ", ".join(f"d{k}" for k in range(len(extents)))
    bounds = [f"d{k} - {a} >= 0, -d{k} + {a + n - 1} >= 0" for k, (a, n) in enumerate(zip(low, extents, strict=True))]
    return f"affine_set<({dims}) : ({', '.join(bounds) or '0 == 0'})>"


def tile(
    name: str,
    of: str,
    anchor: str,
    shape: tuple[int, ...],
    kind: str,
    points: str | None = None,
    order: str | None = None,
) -> str:
    """An access tile of ``shape`` on view ``of`` (of memref type ``kind``) at subscripts ``anchor``."""
    dims = ", ".join(f"d{k}" for k in range(len(shape)))
    order = order or f"affine_map<({dims}) -> ({dims})>"
    result = "x".join([*map(str, shape), "index"])
    return (
        f"%{name} = ktdp.construct_access_tile %{of}[{anchor}] {{access_tile_set = {points or box(shape)},"
        f" access_tile_order = {order}}} : {kind} -> !ktdp.access_tile<{result}>\n"
    )


def load(name: str, of: str, shape: tuple[int, ...], element: str) -> str:
    """Load a tile."""
    return (
        f"%{name} = ktdp.load %{of} : <{'x'.join([*map(str, shape), 'index'])}>"
        f" -> tensor<{'x'.join([*map(str, shape), element])}>\n"
    )


def store(data: str, to: str, shape: tuple[int, ...], element: str) -> str:
    """Store a tile."""
    return (
        f"ktdp.store %{data}, %{to} : tensor<{'x'.join([*map(str, shape), element])}>,"
        f" <{'x'.join([*map(str, shape), 'index'])}>\n"
    )


def unary(body: str, shape: tuple[int, ...], result: tuple[int, ...], source: str = "f32", target: str = "f32") -> str:
    """A kernel that loads all of %x as %a, computes %r in ``body`` and stores it to all of %z."""
    kind = f"memref<{'x'.join([*map(str, shape), source])}>"
    out = f"memref<{'x'.join([*map(str, result), target])}>"
    return (
        "func.func @kernel(%x: index, %z: index) attributes {grid = [1]} {\n"
        + view("xv", "%x", shape, source)
        + view("zv", "%z", result, target)
        + tile("xt", "xv", ", ".join("0" for _ in shape), shape, kind)
        + tile("zt", "zv", ", ".join("0" for _ in result), result, out)
        + load("a", "xt", shape, source)
        + body
        + store("r", "zt", result, target)
        + "return\n}\n"
    )
