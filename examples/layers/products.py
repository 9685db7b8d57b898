"""Matmul in its forms, batch_matmul, attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from layers.case import STEP, Case, Values, normal, silu, softmax, wide
from layers.pointwise import silu_of
from layers.reductions import one_tile_softmax
from layers.text import Text, Value, box


def matmul(
    m: int,
    n: int,
    depth: int,
    blocks: tuple[int, int, int],
    style: str,
    result: str = "f32",
    epilogue: bool = False,
    carried: str = "f32",
    left: str = "f16",
) -> Case:
    """C = A B over a 2-D grid, K in a loop that carries ``carried``; with bias and SiLU fused in the end."""
    bm, bn, bk = blocks
    grid = (m // bm, n // bn)
    name = f"matmul_{left}_{carried}_{result}_{m}x{n}x{depth}_{style}" + ("_bias_silu" if epilogue else "")
    k = Text(name, grid, "a_ptr b_ptr c_ptr" + (" bias_ptr" if epilogue else ""), style)
    a, b = k.view("a_ptr", (m, depth), left), k.view("b_ptr", (depth, n), left)
    c = k.view("c_ptr", (m, n), result)
    i, j = k.cores(2)
    row, column = k.scaled(i, bm), k.scaled(j, bn)
    zero = k.filled((bm, bn), carried, 0.0)
    with k.loop(0, depth // bk, 1, [zero]) as loop:
        at = k.scaled(loop.counter, bk)
        x, y = k.load(a, [row, at], (bm, bk)), k.load(b, [at, column], (bk, bn))
        if style == "triton":  # a product of its own, then a sum
            loop.yields = [k.same("arith.addf", loop.carried[0], k.named("matmul", x, y, zero))]
        else:
            loop.yields = [k.named("matmul", x, y, loop.carried[0])]
    out = loop.results[0]
    if epilogue:
        shift = k.load(k.view("bias_ptr", (n,), "f32"), [column], (bn,))
        out = silu_of(k, k.same("arith.addf", out, k.broadcast(shift, (bm, bn), [0])))
    k.store(out if carried == result else k.narrow(out, result), c, [row, column])

    def reference(v: Values) -> Values:
        out = wide(v["a_ptr"]) @ wide(v["b_ptr"])
        return {"c_ptr": silu(out + wide(v["bias_ptr"])) if epilogue else out}

    arrays: dict[str, tuple[tuple[int, ...], str]] = {"a_ptr": ((m, depth), left), "b_ptr": ((depth, n), left)}
    if epilogue:
        arrays["bias_ptr"] = ((n,), "f32")
    steps = 4 if carried == result == "f32" else 2 + depth // bk * (carried == "f16")
    return Case(name, str(k), normal(**arrays), reference, steps * STEP[result])


def matmul_whole(
    m: int, n: int, depth: int, cores: int, style: str, result: str = "f16", form: str = "plain", init: bool = True
) -> Case:
    """One contraction per core: plain, with B transposed in memory, with B in sticks, or with A transposed by an op."""
    name = f"matmul_{form}_{result}_{m}x{n}x{depth}_{style}" + ("" if init else "_empty")
    k = Text(name, (cores,), "a_ptr b_ptr c_ptr", style)
    each = m // cores
    first = k.scaled(k.core(), each)
    c = k.view("c_ptr", (m, n), result)
    out = k.filled((each, n), result, 0.0) if init else k.empty((each, n), result)
    if form == "left":
        turned = k.load(k.view("a_ptr", (depth, m), "f16"), [0, first], (depth, each))
        x = k.transpose(turned, [1, 0])
    else:
        x = k.load(k.view("a_ptr", (m, depth), "f16"), [first, 0], (each, depth))
    if form == "right":
        y = k.transpose(k.load(k.view("b_ptr", (n, depth), "f16"), [0, 0], (n, depth)), [1, 0])
    elif form == "order":
        swap = "affine_map<(d0, d1) -> (d1, d0)>"
        y = k.load(k.view("b_ptr", (n, depth), "f16"), [0, 0], (depth, n), order=swap)
    elif form == "sticks":  # groups of 64 columns, each group with all its rows after one another
        y = k.load(k.view("b_ptr", (depth, n // 64, 64), "f16", [64, depth * 64, 1]), [0, 0, 0], (depth, n // 64, 64))
        flat = Value("", (depth, n), "f16").type
        y = k.new(f"tensor.collapse_shape {y} [[0], [1, 2]] : {y.type} into {flat}", "f16", (depth, n))
    else:
        y = k.load(k.view("b_ptr", (depth, n), "f16"), [0, 0], (depth, n))
    k.store(k.named("matmul", x, y, out), c, [first, 0])
    left = (depth, m) if form == "left" else (m, depth)
    right = {"right": (n, depth), "order": (n, depth), "sticks": (n // 64, depth, 64)}.get(form, (depth, n))

    def reference(v: Values) -> Values:
        a, b = wide(v["a_ptr"]), wide(v["b_ptr"])
        a = a.T if form == "left" else a
        if form in ("right", "order"):
            b = b.T
        if form == "sticks":
            b = b.transpose(1, 0, 2).reshape(depth, n)
        return {"c_ptr": a @ b}

    make = normal(a_ptr=(left, "f16"), b_ptr=(right, "f16"))
    return Case(name, str(k), make, reference, 2 * STEP[result])


def batch_matmul(batch: int, m: int, n: int, depth: int, cores: int, style: str) -> Case:
    """Some members of a batch per core, in one tile."""
    name = f"batch_matmul_{batch}x{m}x{n}x{depth}_{style}"
    k = Text(name, (cores,), "a_ptr b_ptr c_ptr", style)
    each = batch // cores
    first = k.scaled(k.core(), each)
    x = k.load(k.view("a_ptr", (batch, m, depth), "f16"), [first, 0, 0], (each, m, depth))
    y = k.load(k.view("b_ptr", (batch, depth, n), "f16"), [first, 0, 0], (each, depth, n))
    out = k.named("batch_matmul", x, y, k.filled((each, m, n), "f32", 0.0))
    k.store(out, k.view("c_ptr", (batch, m, n), "f32"), [first, 0, 0])
    make = normal(a_ptr=((batch, m, depth), "f16"), b_ptr=((batch, depth, n), "f16"))
    reference = lambda v: {"c_ptr": wide(v["a_ptr"]) @ wide(v["b_ptr"])}  # noqa: E731
    return Case(name, str(k), make, reference, 4 * STEP["f32"])


def swiglu(rows: int, width: int, hidden: int, cores: int, style: str) -> Case:
    """silu(x W) * (x V): two contractions that share their left side, joined by an epilogue."""
    name = f"swiglu_{rows}x{width}x{hidden}_{style}"
    k = Text(name, (cores,), "x_ptr w_ptr v_ptr z_ptr", style)
    each = rows // cores
    first = k.scaled(k.core(), each)
    x = k.load(k.view("x_ptr", (rows, width), "f16"), [first, 0], (each, width))
    sides = []
    for pointer in ("w_ptr", "v_ptr"):
        w = k.load(k.view(pointer, (width, hidden), "f16"), [0, 0], (width, hidden))
        sides.append(k.named("matmul", x, w, k.filled((each, hidden), "f32", 0.0)))
    out = k.narrow(k.same("arith.mulf", silu_of(k, sides[0]), sides[1]), "f16")
    k.store(out, k.view("z_ptr", (rows, hidden), "f16"), [first, 0])

    def reference(v: Values) -> Values:
        x, w, u = (wide(v[n]) for n in ("x_ptr", "w_ptr", "v_ptr"))
        return {"z_ptr": silu(x @ w) * (x @ u)}

    make = normal(x_ptr=((rows, width), "f16"), w_ptr=((width, hidden), "f16"), v_ptr=((width, hidden), "f16"))
    return Case(name, str(k), make, reference, 4 * STEP["f16"])


def attention(heads: int, length: int, width: int, style: str) -> Case:
    """Causal attention, one head per core, the mask from ``tensor.generate``."""
    name = f"attention_{heads}x{length}x{width}_{style}"
    k = Text(name, (heads,), "q_ptr k_ptr v_ptr o_ptr", style)
    shape, square = (heads, length, width), (length, length)
    core = k.core()
    q, keys, v = (
        k.new(
            f"tensor.collapse_shape {t} [[0, 1], [2]] : {t.type} into {Value('', (length, width), 'f16').type}",
            "f16",
            (length, width),
        )
        for t in (
            k.load(k.view(p, shape, "f16"), [core, 0, 0], (1, length, width)) for p in ("q_ptr", "k_ptr", "v_ptr")
        )
    )
    scores = k.named("matmul", q, k.transpose(keys, [1, 0]), k.filled(square, "f32", 0.0))
    scores = k.same("arith.mulf", scores, k.filled(square, "f32", 1.0 / 8))
    mask = Value(f"%v{next(k.numbers)}", square, "f32")
    k.line(f"{mask} = tensor.generate {{")
    k.line("^bb0(%i: index, %j: index):")
    for text in (
        "%later = arith.cmpi sgt, %j, %i : index",
        "%zero = arith.constant 0.0 : f32",
        "%never = arith.constant 0xFF800000 : f32",
        "%add = arith.select %later, %never, %zero : f32",
        "tensor.yield %add : f32",
    ):
        k.lines.append("    " + text)
    k.line(f"}} : {mask.type}")
    p = k.narrow(one_tile_softmax(k, k.same("arith.addf", scores, mask)), "f16")
    out = k.narrow(k.named("matmul", p, v, k.filled((length, width), "f32", 0.0)), "f16")
    whole = Value("", (1, length, width), "f16").type
    out = k.new(
        f"tensor.expand_shape {out} [[0, 1], [2]] output_shape [1, {length}, {width}] : {out.type} into {whole}",
        "f16",
        (1, length, width),
    )
    k.store(out, k.view("o_ptr", shape, "f16"), [core, 0, 0])

    def reference(v: Values) -> Values:
        q, keys, x = (wide(v[n]) for n in ("q_ptr", "k_ptr", "v_ptr"))
        scores = q @ keys.transpose(0, 2, 1) / 8
        scores[:, *np.triu_indices(length, 1)] = -np.inf
        return {"o_ptr": softmax(scores) @ x}

    make = normal(**dict.fromkeys(("q_ptr", "k_ptr", "v_ptr"), (shape, "f16")))
    return Case(name, str(k), make, reference, 4 * STEP["f16"])


def flash(length: int, width: int, queries: int, keys: int, style: str) -> Case:
    """Flash attention without a mask: running maximum, sum and weighted values carried over blocks of keys."""
    name = f"flash_{length}x{width}_{queries}_{keys}_{style}"
    k = Text(name, (length // queries,), "q_ptr k_ptr v_ptr o_ptr", style)
    q, ks, vs, o = (k.view(p, (length, width), "f16") for p in ("q_ptr", "k_ptr", "v_ptr", "o_ptr"))
    row = k.scaled(k.core(), queries)
    qt = k.load(q, [row, 0], (queries, width))
    carried = [
        k.filled((queries,), "f32", "0xFF800000"),
        k.filled((queries,), "f32", 0.0),
        k.filled((queries, width), "f32", 0.0),
    ]
    block, wide_shape = (queries, keys), (queries, width)
    scale = k.filled(block, "f32", 0.125)
    with k.loop(0, length // keys, 1, carried) as loop:
        at = k.scaled(loop.counter, keys)
        kt, vt = k.load(ks, [at, 0], (keys, width)), k.load(vs, [at, 0], (keys, width))
        s = k.named("matmul", qt, k.transpose(kt, [1, 0]), k.filled(block, "f32", 0.0))
        s = k.same("arith.mulf", s, scale)
        old, total, acc = loop.carried
        top = k.reduce("arith.maximumf", s, [1], old)
        e = k.same("math.exp", k.same("arith.subf", s, k.broadcast(top, block, [1])))
        alpha = k.same("math.exp", k.same("arith.subf", old, top))
        total = k.reduce("arith.addf", e, [1], k.same("arith.mulf", total, alpha))
        kept = k.same("arith.mulf", acc, k.broadcast(alpha, wide_shape, [1]))
        loop.yields = [top, total, k.named("matmul", k.narrow(e, "f16"), vt, kept)]
    _, total, acc = loop.results
    k.store(k.narrow(k.same("arith.divf", acc, k.broadcast(total, wide_shape, [1])), "f16"), o, [row, 0])

    def reference(v: Values) -> Values:
        q, ks, vs = (wide(v[n]) for n in ("q_ptr", "k_ptr", "v_ptr"))
        return {"o_ptr": softmax(q @ ks.T / 8) @ vs}

    make: Any = normal(**dict.fromkeys(("q_ptr", "k_ptr", "v_ptr"), ((length, width), "f16")))
    return Case(name, str(k), make, reference, 4 * STEP["f16"])


def cases() -> list[Case]:
    """Every style, sizes that divide sticks and sizes that do not."""
    return [
        matmul(64, 128, 192, (32, 64, 64), "hand"),
        matmul(64, 64, 128, (32, 64, 64), "triton", "f16"),
        matmul(30, 66, 45, (15, 33, 9), "triton", "f32"),
        matmul(32, 64, 128, (16, 64, 64), "hand", "f16", carried="f16"),
        matmul(64, 128, 128, (32, 64, 64), "hand", "f16", epilogue=True),
        matmul(30, 66, 45, (15, 33, 9), "triton", "f16", epilogue=True),
        matmul(20, 40, 63, (10, 20, 21), "inductor", "f16", epilogue=True),
        matmul(16, 64, 64, (16, 64, 32), "inductor", left="f32"),
        matmul_whole(32, 64, 128, 4, "hand"),
        matmul_whole(12, 10, 63, 3, "triton", "f32"),
        matmul_whole(32, 64, 128, 2, "hand", "f32", "right"),
        matmul_whole(32, 64, 64, 2, "hand", "f16", "left"),
        matmul_whole(32, 64, 64, 2, "triton", "f16", "order"),
        matmul_whole(16, 128, 64, 2, "inductor", "f16", "sticks"),
        matmul_whole(12, 10, 63, 3, "inductor", "f32", "right"),
        matmul_whole(10, 33, 20, 2, "triton", "f16", "left"),
        matmul_whole(12, 33, 20, 3, "inductor", "f32", "plain", False),
        matmul_whole(16, 64, 64, 2, "hand", "f32", "plain", False),
        matmul_whole(512, 512, 4096, 1, "hand", "f32"),
        batch_matmul(8, 16, 32, 64, 4, "hand"),
        batch_matmul(3, 5, 7, 10, 3, "triton"),
        batch_matmul(4, 9, 20, 33, 2, "inductor"),
        swiglu(32, 64, 128, 4, "hand"),
        swiglu(9, 20, 33, 3, "triton"),
        swiglu(8, 30, 65, 2, "inductor"),
        attention(4, 32, 64, "hand"),
        attention(2, 33, 40, "triton"),
        attention(3, 20, 64, "inductor"),
        flash(64, 64, 16, 16, "hand"),
        flash(64, 64, 32, 16, "triton"),
        flash(60, 40, 20, 12, "inductor"),
    ]


__all__ = ["box", "cases"]
