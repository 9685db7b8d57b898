"""Element-wise chains, casts, comparisons, copies, broadcasts, gates, updates in place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from layers.case import DTYPES, STEP, Case, Values, normal, silu, wide
from layers.text import Text, Value


def rows_of(k: Text, rows: int, width: int, element: str, *pointers: str) -> list[Any]:
    """Views of ``rows`` x ``width`` and, for the core's share of rows, the first of them and how many."""
    return [k.view(pointer, (rows, width), element) for pointer in pointers]


def chain(rows: int, width: int, element: str, cores: int, style: str, block: int = 1) -> Case:
    """(x - y) * x + max(x, y), ``block`` rows at a time."""
    name = f"chain_{element}_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr y_ptr z_ptr", style)
    each = rows // cores
    x, y, z = rows_of(k, rows, width, element, "x_ptr", "y_ptr", "z_ptr")
    core = k.core()
    with k.loop(0, each // block) as loop:
        first = k.scaled(core, each, k.scaled(loop.counter, block))
        a, b = (k.load(v, [first, 0], (block, width)) for v in (x, y))
        out = k.same("arith.addf", k.same("arith.mulf", k.same("arith.subf", a, b), a), k.same("arith.maximumf", a, b))
        k.store(out, z, [first, 0])

    def reference(v: Values) -> Values:
        a, b = v["x_ptr"], v["y_ptr"]
        return {"z_ptr": (a - b) * a + np.maximum(a, b)}

    shape = ((rows, width), element)
    return Case(name, str(k), normal(x_ptr=shape, y_ptr=shape), reference)


def compare_select(rows: int, width: int, element: str, cores: int, style: str) -> Case:
    """x where x > y, else x rounded through i32: comparisons, selects and casts there and back."""
    name = f"select_{element}_{width}_{style}"
    k = Text(name, (cores,), "x_ptr y_ptr z_ptr", style)
    each = rows // cores
    x, y = rows_of(k, rows, width, element, "x_ptr", "y_ptr")
    z = k.view("z_ptr", (rows, width), "f32")
    first = k.scaled(k.core(), each)
    a, b = (k.load(v, [first, 0], (each, width)) for v in (x, y))
    whole = k.cast("arith.sitofp", k.cast("arith.fptosi", k.wide(a), "i32"), "f32")
    wide_a = k.wide(a)
    shape = (each, width)
    mask = k.new(f"arith.cmpf ogt, {a}, {b} : {a.type}", "i1", shape)
    out = k.new(f"arith.select {mask}, {wide_a}, {whole} : {mask.type}, {whole.type}", "f32", shape)
    k.store(out, z, [first, 0])

    def inputs(rng: np.random.Generator) -> Values:
        make = normal(x_ptr=((rows, width), element), y_ptr=((rows, width), element))(rng)
        return {n: (a.astype(np.float32) * 20).astype(a.dtype) for n, a in make.items()}

    def reference(v: Values) -> Values:
        a, b = v["x_ptr"].astype(np.float32), v["y_ptr"].astype(np.float32)
        return {"z_ptr": np.where(a > b, a, np.trunc(a) + np.float32(0))}

    return Case(name, str(k), inputs, reference)


def copy(rows: int, width: int, element: str, cores: int, style: str) -> Case:
    """The whole share of a core in one tile."""
    name = f"copy_{element}_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    each = rows // cores
    x, z = rows_of(k, rows, width, element, "x_ptr", "z_ptr")
    first = k.scaled(k.core(), each)
    k.store(k.load(x, [first, 0], (each, width)), z, [first, 0])
    return Case(name, str(k), normal(x_ptr=((rows, width), element)), lambda v: {"z_ptr": v["x_ptr"]})


def bias(rows: int, width: int, cores: int, style: str) -> Case:
    """x + row + column, the row and the column broadcast."""
    name = f"bias_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr r_ptr c_ptr z_ptr", style)
    each = rows // cores
    x, z = rows_of(k, rows, width, "f16", "x_ptr", "z_ptr")
    r, c = k.view("r_ptr", (width,), "f16"), k.view("c_ptr", (rows,), "f16")
    first = k.scaled(k.core(), each)
    a = k.load(x, [first, 0], (each, width))
    along = k.broadcast(k.load(r, [0], (width,)), (each, width), [0])
    down = k.broadcast(k.load(c, [first], (each,)), (each, width), [1])
    k.store(k.same("arith.addf", k.same("arith.addf", a, along), down), z, [first, 0])
    shapes: dict[str, tuple[tuple[int, ...], str]] = {
        "x_ptr": ((rows, width), "f16"),
        "r_ptr": ((width,), "f16"),
        "c_ptr": ((rows,), "f16"),
    }
    return Case(name, str(k), normal(**shapes), lambda v: {"z_ptr": (v["x_ptr"] + v["r_ptr"]) + v["c_ptr"][:, None]})


def silu_of(k: Text, x: Value) -> Value:
    """x / (1 + exp(-x)) in f32."""
    shape = x.shape
    assert shape is not None
    one = k.filled(shape, "f32", 1.0)
    below = k.same("arith.addf", k.same("math.exp", k.same("arith.negf", x)), one)
    return k.same("arith.divf", x, below)


def gate(rows: int, width: int, element: str, cores: int, style: str, kind: str = "silu") -> Case:
    """SiLU-and-mul (the two halves of a row), or GELU (erf) of the left one times the right one."""
    name = f"{kind}_mul_{element}_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    each = rows // cores
    x, z = k.view("x_ptr", (rows, 2 * width), element), k.view("z_ptr", (rows, width), element)
    core = k.core()
    with k.loop(0, each) as loop:
        row = k.scaled(core, each, k.scaled(loop.counter, 1))
        a = k.wide(k.load(x, [row, 0], (1, width)))
        b = k.wide(k.load(x, [row, width], (1, width)))
        if kind == "silu":
            curve = silu_of(k, a)
        else:
            half, one = k.filled((1, width), "f32", 0.5), k.filled((1, width), "f32", 1.0)
            root = k.filled((1, width), "f32", 0.70710678)
            bell = k.same("arith.addf", k.same("math.erf", k.same("arith.mulf", a, root)), one)
            curve = k.same("arith.mulf", k.same("arith.mulf", a, half), bell)
        k.store(k.narrow(k.same("arith.mulf", curve, b), element), z, [row, 0])

    def reference(v: Values) -> Values:
        a, b = wide(v["x_ptr"])[:, :width], wide(v["x_ptr"])[:, width:]
        if kind == "silu":
            return {"z_ptr": silu(a) * b}
        return {"z_ptr": a * 0.5 * (1 + np.vectorize(math.erf)(a * math.sqrt(0.5))) * b}

    return Case(name, str(k), normal(x_ptr=((rows, 2 * width), element)), reference, 2 * STEP[element])


def axpy(rows: int, width: int, cores: int, style: str) -> Case:
    """h += s * x in place, s a launch number, twice over the same rows."""
    name = f"axpy_{rows}x{width}_{style}"
    k = Text(name, (cores,), "h_ptr x_ptr", style, {"s": "f32"})
    each = rows // cores
    h, x = rows_of(k, rows, width, "f32", "h_ptr", "x_ptr")
    first = k.scaled(k.core(), each)
    s = k.splat(Value("%s", None, "f32"), (each, width))
    with k.loop(0, 2):
        old = k.load(h, [first, 0], (each, width))
        more = k.same("arith.mulf", k.load(x, [first, 0], (each, width)), s)
        k.store(k.same("arith.addf", old, more), h, [first, 0])

    def inputs(rng: np.random.Generator) -> Values:
        shape = ((rows, width), "f32")
        return {**normal(h_ptr=shape, x_ptr=shape)(rng), "s": 0.375}

    def reference(v: Values) -> Values:
        more = v["x_ptr"] * np.float32(v["s"])
        return {"h_ptr": (v["h_ptr"] + more) + more}

    return Case(name, str(k), inputs, reference)


def cases() -> list[Case]:
    """Every style, sizes that divide sticks and sizes that do not."""
    return [
        chain(64, 128, "f16", 4, "hand"),
        chain(63, 65, "f16", 3, "triton"),
        chain(12, 100, "bf16", 2, "inductor", 3),
        chain(20, 10, "f32", 2, "hand", 5),
        compare_select(8, 64, "f16", 4, "hand"),
        compare_select(6, 63, "f32", 2, "inductor"),
        compare_select(6, 65, "bf16", 3, "triton"),
        copy(96, 64, "f16", 32, "hand"),
        copy(7, 65, "f32", 1, "triton"),
        copy(5, 33, "i8", 5, "inductor"),
        copy(1200, 1024, "f32", 1, "hand"),
        bias(16, 128, 4, "hand"),
        bias(9, 70, 3, "triton"),
        bias(6, 100, 2, "inductor"),
        gate(16, 128, "f16", 4, "hand"),
        gate(6, 65, "bf16", 3, "triton"),
        gate(4, 63, "f16", 2, "inductor"),
        gate(8, 64, "f32", 2, "inductor", "gelu"),
        gate(6, 65, "f16", 3, "triton", "gelu"),
        gate(4, 128, "bf16", 2, "hand", "gelu"),
        axpy(8, 64, 4, "hand"),
        axpy(6, 63, 2, "triton"),
        axpy(6, 65, 3, "inductor"),
    ]


__all__ = ["DTYPES", "cases"]
