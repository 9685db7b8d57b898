"""Orders, sets that are no whole boxes, tiles that stick out, strided views, rotary embedding."""

from __future__ import annotations

import numpy as np

from layers.case import STEP, Case, Values, normal, wide
from layers.text import STYLES, Text, Value, box

SWAP = "affine_map<(d0, d1) -> (d1, d0)>"


def transposed(rows: int, width: int, cores: int, style: str, how: str) -> Case:
    """z = x^T by an op, by the order of the load, by the order of the store, or by strides."""
    name = f"transpose_{how}_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    each = rows // cores
    first = k.scaled(k.core(), each)
    x = k.view("x_ptr", (rows, width), "f16")
    z = k.view("z_ptr", (width, rows), "f16")
    if how == "op":
        k.store(k.transpose(k.load(x, [first, 0], (each, width)), [1, 0]), z, [0, first])
    elif how == "load":
        k.store(k.load(x, [first, 0], (width, each), order=SWAP, points=box((each, width))), z, [0, first])
    elif how == "store":
        k.store(k.load(x, [first, 0], (each, width)), z, [0, first], order=SWAP, points=box((width, each)))
    else:
        turned = k.view("z_ptr", (rows, width), "f16", [1, rows])
        k.store(k.load(x, [first, 0], (each, width)), turned, [first, 0])
    return Case(name, str(k), normal(x_ptr=((rows, width), "f16")), lambda v: {"z_ptr": v["x_ptr"].T})


def triangle(size: int, style: str, side: str) -> Case:
    """Only the lower triangle is loaded (the rest is 0), or only it is stored (the rest stays)."""
    name = f"triangle_{side}_{size}_{style}"
    k = Text(name, (1,), "x_ptr z_ptr", style)
    x, z = k.view("x_ptr", (size, size), "f32"), k.view("z_ptr", (size, size), "f32")
    lower = f"affine_set<(d0, d1) : (d0 >= 0, -d0 + {size - 1} >= 0, d1 >= 0, d0 - d1 >= 0)>"
    one = k.filled((size, size), "f32", 1.0)
    value = k.load(x, [0, 0], (size, size), points=lower if side == "load" else "")
    value = k.same("arith.addf", value, one)
    k.store(value, z, [0, 0], points=lower if side == "store" else "")

    def reference(v: Values) -> Values:
        x, one = v["x_ptr"], np.float32(1)
        if side == "load":
            return {"z_ptr": np.tril(x) + one}
        return {"z_ptr": np.where(np.tri(size, dtype=bool), x + one, v["z_ptr"])}

    shape = ((size, size), "f32")
    make = normal(x_ptr=shape, z_ptr=shape) if side == "store" else normal(x_ptr=shape)
    return Case(name, str(k), make, reference)


def shifted(style: str) -> Case:
    """A set that starts at (1, 2), smaller than its tile: element p of the tile is view[anchor + p + low]."""
    name = f"shifted_set_{style}"
    k = Text(name, (2,), "x_ptr z_ptr", style)
    x, z = k.view("x_ptr", (10, 40), "f16"), k.view("z_ptr", (8, 16), "f16")
    core = k.core()
    value = k.load(x, [k.scaled(core, 4), 3], (4, 16), points=box((3, 10), (1, 2)))
    k.store(value, z, [k.scaled(core, 4), 0])

    def reference(v: Values) -> Values:
        out = np.zeros((8, 16), np.float16)
        for core in range(2):
            out[4 * core : 4 * core + 3, :10] = v["x_ptr"][4 * core + 1 : 4 * core + 4, 5:15]
        return {"z_ptr": out}

    return Case(name, str(k), normal(x_ptr=((10, 40), "f16")), reference)


def sticking_out(rows: int, width: int, tile: tuple[int, int], cores: int, style: str) -> Case:
    """Tiles larger than what is left of the view: what is outside reads as 0, and is not stored."""
    name = f"ragged_{rows}x{width}_{tile[0]}x{tile[1]}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    pitch = width + 7
    x = k.view("x_ptr", (rows, width), "f16", [pitch, 1])
    z = k.view("z_ptr", (rows, width), "f16", [pitch, 1])
    first = k.scaled(k.core(), tile[0])
    value = k.same("arith.addf", k.load(x, [first, 0], tile), k.filled(tile, "f16", 1.0))
    k.store(value, z, [first, 0])

    def reference(v: Values) -> Values:
        out = v["z_ptr"].copy()
        out[:, :width] = v["x_ptr"][:, :width] + np.float16(1)
        return {"z_ptr": out}

    shape = ((rows, pitch), "f16")
    return Case(name, str(k), normal(x_ptr=shape, z_ptr=shape), reference)


def small_view(style: str) -> Case:
    """A view whose set has 6 rows of its 8: the tile of 8 is clipped to them."""
    name = f"small_view_{style}"
    k = Text(name, (1,), "x_ptr z_ptr", style)
    x = k.view("x_ptr", (8, 64), "f16", points=box((6, 64)))
    z = k.view("z_ptr", (8, 64), "f16")
    k.store(k.load(x, [0, 0], (8, 64)), z, [0, 0])

    def reference(v: Values) -> Values:
        return {"z_ptr": np.concatenate([v["x_ptr"][:6], np.zeros((2, 64), np.float16)])}

    return Case(name, str(k), normal(x_ptr=((8, 64), "f16")), reference)


def rope(tokens: int, heads: int, width: int, cores: int, style: str) -> Case:
    """Rotary embedding in place, the halves of a head cut out and put together again."""
    name = f"rope_{tokens}x{heads}x{width}_{style}"
    k = Text(name, (cores,), "q_ptr cos_ptr sin_ptr", style)
    each, half = tokens // cores, width // 2
    first = k.scaled(k.core(), each)
    q = k.view("q_ptr", (tokens, heads, width), "f16")
    whole, part = (each, heads, width), (each, heads, half)
    value = k.load(q, [first, 0, 0], whole)
    cos, sin = (
        k.broadcast(k.load(k.view(p, (tokens, half), "f16"), [first, 0], (each, half)), part, [1])
        for p in ("cos_ptr", "sin_ptr")
    )
    sizes = f"[{each}, {heads}, {half}] [1, 1, 1]"
    a, b = (
        k.new(f"tensor.extract_slice {value}[0, 0, {at}] {sizes} : {value.type} to {cos.type}", "f16", part)
        for at in (0, half)
    )
    low = k.same("arith.subf", k.same("arith.mulf", a, cos), k.same("arith.mulf", b, sin))
    high = k.same("arith.addf", k.same("arith.mulf", b, cos), k.same("arith.mulf", a, sin))
    out = k.empty(whole, "f16")
    for at, piece in ((0, low), (half, high)):
        out = k.new(
            f"tensor.insert_slice {piece} into {out}[0, 0, {at}] {sizes} : {piece.type} into {out.type}", "f16", whole
        )
    k.store(out, q, [first, 0, 0])

    def reference(v: Values) -> Values:
        q, c, s = wide(v["q_ptr"]), wide(v["cos_ptr"])[:, None], wide(v["sin_ptr"])[:, None]
        a, b = q[..., :half], q[..., half:]
        return {"q_ptr": np.concatenate([a * c - b * s, b * c + a * s], axis=-1)}

    make = normal(
        q_ptr=((tokens, heads, width), "f16"), cos_ptr=((tokens, half), "f16"), sin_ptr=((tokens, half), "f16")
    )
    return Case(name, str(k), make, reference, 3 * STEP["f16"])


def splat_of_sum(rows: int, width: int, cores: int, style: str) -> Case:
    """x / max(x) of each row, the maximum taken out as a number and splat again."""
    name = f"extract_splat_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    each = rows // cores
    x, z = (k.view(p, (rows, width), "f32") for p in ("x_ptr", "z_ptr"))
    core = k.core()
    zero = k.index(0)
    with k.loop(0, each) as loop:
        row = k.scaled(core, each, k.scaled(loop.counter, 1))
        a = k.load(x, [row, 0], (1, width))
        top = k.reduce("arith.maximumf", a, [1], k.filled((1,), "f32", "0xFF800000"))
        number = k.new(f"tensor.extract {top}[{zero}] : {top.type}", "f32")
        one = k.number(1.0, "f32")
        scale = k.new(f"arith.divf {one}, {number} : f32", "f32")
        k.store(k.same("arith.mulf", a, k.splat(scale, (1, width))), z, [row, 0])

    def reference(v: Values) -> Values:
        x = v["x_ptr"]
        return {"z_ptr": x * (np.float32(1) / x.max(axis=1, keepdims=True))}

    return Case(name, str(k), normal(x_ptr=((rows, width), "f32")), reference)


def cases() -> list[Case]:
    """Every style, sizes that divide sticks and sizes that do not."""
    return [
        *(transposed(64, 64, 2, "hand", how) for how in ("op", "load", "store", "strides")),
        *(transposed(6, 65, 3, "triton", how) for how in ("op", "load", "store")),
        *(transposed(9, 33, 3, "inductor", how) for how in ("op", "load", "strides")),
        triangle(32, "hand", "load"),
        triangle(17, "inductor", "load"),
        triangle(20, "hand", "store"),
        triangle(17, "triton", "store"),
        *map(shifted, STYLES),
        sticking_out(10, 48, (4, 64), 3, "hand"),
        sticking_out(7, 65, (4, 66), 2, "triton"),
        sticking_out(9, 33, (2, 50), 5, "inductor"),
        *map(small_view, STYLES),
        rope(8, 4, 128, 4, "hand"),
        rope(6, 3, 20, 2, "triton"),
        rope(4, 3, 66, 2, "inductor"),
        splat_of_sum(8, 64, 4, "hand"),
        splat_of_sum(6, 63, 3, "inductor"),
    ]


__all__ = ["Value", "cases"]
