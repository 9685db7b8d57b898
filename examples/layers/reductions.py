"""Row and column reductions, softmax in its forms, norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from layers.case import STEP, Case, Values, normal, softmax, wide
from layers.text import Text, Value

COMBINERS: dict[str, tuple[str, Callable[..., Any], str]] = {
    "sum": ("arith.addf", np.sum, "0.0"),
    "prod": ("arith.mulf", np.prod, "1.0"),
    "max": ("arith.maximumf", np.max, "0xFF800000"),
    "min": ("arith.minimumf", np.min, "0x7F800000"),
}


def reduction(
    kind: str, axis: int, rows: int, width: int, element: str, cores: int, style: str, init: float | None = 2.5
) -> Case:
    """Rows (``axis`` 1) or columns (0) of the core's share folded into ``init``, or into a bare ``tensor.empty``."""
    name = f"{kind}{axis}_{element}_{rows}x{width}_{style}" + ("" if init is not None else "_empty")
    op, fold, _ = COMBINERS[kind]
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    each = rows // cores
    x = k.view("x_ptr", (rows, width), element)
    first = k.scaled(k.core(), each)
    a = k.load(x, [first, 0], (each, width))
    shape = (each,) if axis == 1 else (width,)
    start = k.empty(shape, element) if init is None else k.filled(shape, element, init)
    out = k.reduce(op, a, [axis], start)
    if axis == 1:
        k.store(out, k.view("z_ptr", (rows,), element), [first])
    else:
        z = k.view("z_ptr", (cores, width), element)
        wide_out = k.new(
            f"tensor.expand_shape {out} [[0, 1]] output_shape [1, {width}] : {out.type} into "
            f"{Value('', (1, width), element).type}",
            element,
            (1, width),
        )
        k.store(wide_out, z, [k.scaled(first, 1) if each == 1 else _core_of(k, first, each), 0])

    def inputs(rng: np.random.Generator) -> Values:
        made = normal(x_ptr=((rows, width), element))(rng)
        if kind == "prod":
            made = {n: (1 + 0.1 * wide(a)).astype(a.dtype) for n, a in made.items()}
        return made

    def reference(v: Values) -> Values:
        a = wide(v["x_ptr"])
        out = fold(a, axis=1) if axis == 1 else fold(a.reshape(cores, each, width), axis=1)
        if init is not None:
            out = {"sum": out + init, "prod": out * init, "max": np.maximum(out, init), "min": np.minimum(out, init)}[
                kind
            ]
        return {"z_ptr": out}

    return Case(name, str(k), inputs, reference, 2 * STEP[element])


def _core_of(k: Text, first: Value, each: int) -> Value:
    return k.new(f"arith.divsi {first}, {k.index(each)} : index", "index")


def sums(rows: int, width: int, block: int, cores: int, style: str) -> Case:
    """Column sums with a carried f32 row, ``block`` rows at a time; core c starts at row c, so late cores do less."""
    name = f"column_sums_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    x, z = k.view("x_ptr", (rows, width), "f16"), k.view("z_ptr", (cores, width), "f32")
    core = k.core()
    with k.loop(core, rows // block, 1, [k.filled((1, width), "f32", 0.0)]) as loop:
        a = k.wide(k.load(x, [k.scaled(loop.counter, block), 0], (block, width)))
        part = k.reduce("arith.addf", a, [0], k.filled((width,), "f32", 0.0))
        row = k.broadcast(part, (1, width), [0])
        loop.yields = [k.same("arith.addf", loop.carried[0], row)]
    k.store(loop.results[0], z, [core, 0])

    def reference(v: Values) -> Values:
        a = wide(v["x_ptr"])
        return {"z_ptr": np.stack([a[min(c, rows // block) * block :].sum(axis=0) for c in range(cores)])}

    return Case(name, str(k), normal(x_ptr=((rows, width), "f16")), reference, 4 * STEP["f32"])


def one_tile_softmax(k: Text, x: Value) -> Value:
    """Softmax of f32 rows."""
    assert x.shape is not None
    rows, width = x.shape
    top = k.reduce("arith.maximumf", x, [1], k.filled((rows,), "f32", "0xFF800000"))
    e = k.same("math.exp", k.same("arith.subf", x, k.broadcast(top, (rows, width), [1])))
    total = k.reduce("arith.addf", e, [1], k.filled((rows,), "f32", 0.0))
    return k.same("arith.divf", e, k.broadcast(total, (rows, width), [1]))


def softmax_rows(rows: int, width: int, element: str, cores: int, style: str, block: int = 1) -> Case:
    """Softmax over rows, ``block`` of them in a tile."""
    name = f"softmax_{element}_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    each = rows // cores
    x, z = (k.view(p, (rows, width), element) for p in ("x_ptr", "z_ptr"))
    core = k.core()
    with k.loop(0, each // block) as loop:
        first = k.scaled(core, each, k.scaled(loop.counter, block))
        out = one_tile_softmax(k, k.wide(k.load(x, [first, 0], (block, width))))
        k.store(k.narrow(out, element), z, [first, 0])
    tolerance = 2 * STEP[element]
    return Case(
        name, str(k), normal(x_ptr=((rows, width), element)), lambda v: {"z_ptr": softmax(wide(v["x_ptr"]))}, tolerance
    )


def softmax_blocks(rows: int, width: int, block: int, cores: int, style: str, online: bool) -> Case:
    """Softmax of long rows in blocks of columns: online (maximum and sum in one pass) or two-pass (one each)."""
    name = f"softmax_{'online' if online else 'passes'}_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    each = rows // cores
    x, z = (k.view(p, (rows, width), "f16") for p in ("x_ptr", "z_ptr"))
    first = k.scaled(k.core(), each)
    low, none = k.filled((each,), "f32", "0xFF800000"), k.filled((each,), "f32", 0.0)
    shape = (each, block)

    def chunk(counter: Value) -> tuple[Value, Value]:
        column = k.scaled(counter, block)
        return column, k.wide(k.load(x, [first, column], shape))

    if online:
        with k.loop(0, width // block, 1, [low, none]) as loop:
            _, a = chunk(loop.counter)
            old, total = loop.carried
            top = k.reduce("arith.maximumf", a, [1], old)
            e = k.same("math.exp", k.same("arith.subf", a, k.broadcast(top, shape, [1])))
            kept = k.same("arith.mulf", total, k.same("math.exp", k.same("arith.subf", old, top)))
            loop.yields = [top, k.reduce("arith.addf", e, [1], kept)]
        top, total = loop.results
    else:
        with k.loop(0, width // block, 1, [low]) as first_pass:
            _, a = chunk(first_pass.counter)
            first_pass.yields = [k.reduce("arith.maximumf", a, [1], first_pass.carried[0])]
        top = first_pass.results[0]
        with k.loop(0, width // block, 1, [none]) as second:
            _, a = chunk(second.counter)
            e = k.same("math.exp", k.same("arith.subf", a, k.broadcast(top, shape, [1])))
            second.yields = [k.reduce("arith.addf", e, [1], second.carried[0])]
        total = second.results[0]
    with k.loop(0, width // block) as last:
        column, a = chunk(last.counter)
        e = k.same("math.exp", k.same("arith.subf", a, k.broadcast(top, shape, [1])))
        k.store(k.narrow(k.same("arith.divf", e, k.broadcast(total, shape, [1])), "f16"), z, [first, column])
    tolerance = 2 * STEP["f16"]
    return Case(
        name, str(k), normal(x_ptr=((rows, width), "f16")), lambda v: {"z_ptr": softmax(wide(v["x_ptr"]))}, tolerance
    )


def norm(rows: int, width: int, element: str, cores: int, style: str, mean: bool, block: int = 1) -> Case:
    """RMSNorm, or with ``mean`` LayerNorm, with weights (and biases)."""
    name = f"{'layernorm' if mean else 'rmsnorm'}_{element}_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr w_ptr b_ptr z_ptr" if mean else "x_ptr w_ptr z_ptr", style)
    each = rows // cores
    x, z = (k.view(p, (rows, width), element) for p in ("x_ptr", "z_ptr"))
    shape = (block, width)
    w = k.broadcast(k.wide(k.load(k.view("w_ptr", (width,), element), [0], (width,))), shape, [0])
    core = k.core()
    part = k.filled((block,), "f32", 1.0 / width)
    small = k.filled((block,), "f32", 1e-5)

    def average(value: Value) -> Value:
        return k.same("arith.mulf", k.reduce("arith.addf", value, [1], k.filled((block,), "f32", 0.0)), part)

    with k.loop(0, each // block) as loop:
        first = k.scaled(core, each, k.scaled(loop.counter, block))
        a = k.wide(k.load(x, [first, 0], shape))
        if mean:
            a = k.same("arith.subf", a, k.broadcast(average(a), shape, [1]))
        scale = k.same("math.rsqrt", k.same("arith.addf", average(k.same("arith.mulf", a, a)), small))
        out = k.same("arith.mulf", k.same("arith.mulf", a, k.broadcast(scale, shape, [1])), w)
        if mean:
            b = k.load(k.view("b_ptr", (width,), element), [0], (width,))
            out = k.same("arith.addf", out, k.broadcast(k.wide(b), shape, [0]))
        k.store(k.narrow(out, element), z, [first, 0])

    def reference(v: Values) -> Values:
        a = wide(v["x_ptr"])
        if mean:
            a = a - a.mean(axis=1, keepdims=True)
        out = a / np.sqrt((a * a).mean(axis=1, keepdims=True) + 1e-5) * wide(v["w_ptr"])
        return {"z_ptr": out + wide(v["b_ptr"]) if mean else out}

    arrays: dict[str, tuple[tuple[int, ...], str]] = {"x_ptr": ((rows, width), element), "w_ptr": ((width,), element)}
    if mean:
        arrays["b_ptr"] = ((width,), element)
    return Case(name, str(k), normal(**arrays), reference, 4 * STEP[element])


def cases() -> list[Case]:
    """Every style, sizes that divide sticks and sizes that do not."""
    return [
        reduction("sum", 1, 8, 128, "f16", 2, "hand"),
        reduction("max", 1, 6, 65, "f32", 3, "triton"),
        reduction("min", 1, 4, 63, "bf16", 2, "hand"),
        reduction("prod", 1, 4, 10, "f32", 1, "hand"),
        reduction("sum", 0, 8, 128, "f32", 2, "hand"),
        reduction("max", 0, 6, 65, "f16", 3, "hand", None),
        reduction("min", 0, 5, 10, "f32", 1, "triton", None),
        reduction("prod", 0, 6, 64, "f32", 2, "hand"),
        reduction("sum", 1, 4, 64, "f32", 4, "hand", None),
        reduction("sum", 1, 6, 65, "f16", 3, "inductor"),
        reduction("prod", 1, 6, 65, "f32", 3, "inductor", None),
        reduction("max", 0, 6, 100, "bf16", 2, "inductor", None),
        reduction("min", 0, 9, 63, "f16", 3, "inductor"),
        reduction("sum", 0, 6, 65, "bf16", 3, "triton"),
        reduction("sum", 1, 700, 1024, "f32", 1, "hand"),
        reduction("max", 0, 700, 1024, "f32", 1, "triton"),
        reduction("min", 1, 650, 1025, "f32", 1, "inductor", None),
        reduction("prod", 1, 1100, 1000, "f16", 1, "hand"),
        reduction("sum", 0, 700, 1024, "f32", 1, "hand"),
        sums(12, 64, 2, 4, "hand"),
        sums(6, 65, 2, 4, "triton"),
        softmax_rows(16, 128, "f16", 4, "hand"),
        softmax_rows(12, 65, "f32", 3, "triton", 2),
        softmax_rows(8, 100, "bf16", 2, "inductor", 4),
        softmax_blocks(8, 256, 64, 2, "hand", True),
        softmax_blocks(6, 130, 65, 3, "triton", True),
        softmax_blocks(6, 130, 65, 3, "inductor", True),
        softmax_blocks(8, 256, 64, 2, "inductor", False),
        softmax_blocks(6, 130, 65, 3, "triton", False),
        softmax_blocks(4, 200, 100, 2, "hand", False),
        norm(16, 128, "f16", 4, "hand", False),
        norm(6, 65, "f32", 3, "triton", False, 2),
        norm(8, 100, "bf16", 2, "inductor", False, 2),
        norm(12, 10, "f32", 12, "hand", True),
        norm(12, 10, "f16", 3, "triton", True, 2),
        norm(6, 10, "f32", 2, "inductor", True, 3),
        norm(8, 64, "bf16", 2, "inductor", True, 2),
    ]
