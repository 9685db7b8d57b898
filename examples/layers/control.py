"""Branches with results, loops that some tiles run zero times, numbers that a loop carries."""

from __future__ import annotations

import numpy as np

from layers.case import Case, Values, normal
from layers.text import Text, Value


def branch(rows: int, width: int, cores: int, style: str) -> Case:
    """Even rows are doubled, odd ones negated: an ``scf.if`` whose result is the tensor."""
    name = f"branch_{rows}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    each = rows // cores
    x, z = (k.view(p, (rows, width), "f16") for p in ("x_ptr", "z_ptr"))
    core = k.core()
    two, zero = k.index(2), k.index(0)
    with k.loop(0, each) as loop:
        row = k.scaled(core, each, k.scaled(loop.counter, 1))
        a = k.load(x, [row, 0], (1, width))
        odd = k.new(f"arith.remsi {row}, {two} : index", "index")
        even = k.new(f"arith.cmpi eq, {odd}, {zero} : index", "i1")
        out = Value(f"%v{next(k.numbers)}", a.shape, a.element)
        k.line(f"{out} = scf.if {even} -> ({out.type}) {{")
        k.depth += 1
        k.line(f"scf.yield {k.same('arith.addf', a, a)} : {out.type}")
        k.depth -= 1
        k.line("} else {")
        k.depth += 1
        k.line(f"scf.yield {k.same('arith.negf', a)} : {out.type}")
        k.depth -= 1
        k.line("}")
        k.store(out, z, [row, 0])

    def reference(v: Values) -> Values:
        x = v["x_ptr"].copy()
        x[::2] += x[::2]
        x[1::2] *= -1
        return {"z_ptr": x}

    return Case(name, str(k), normal(x_ptr=((rows, width), "f16")), reference)


def shrinking(blocks: int, width: int, cores: int, style: str) -> Case:
    """Core c adds up rows 0 to blocks - 2 c: the last cores run their loop zero times and store what it starts with."""
    name = f"shrinking_{blocks}x{width}_{style}"
    k = Text(name, (cores,), "x_ptr z_ptr", style)
    x, z = k.view("x_ptr", (blocks, width), "f32"), k.view("z_ptr", (cores, width), "f32")
    core = k.core()
    if style == "triton":
        narrow = k.cast("arith.index_cast", core, "i32")
        less = k.new(f"arith.muli {narrow}, {k.number(2, 'i32')} : i32", "i32")
        end = k.new(f"arith.subi {k.number(blocks, 'i32')}, {less} : i32", "i32")
    else:
        end = k.new(f"arith.subi {k.index(blocks)}, {k.scaled(core, 2)} : index", "index")
    with k.loop(0, end, 1, [k.filled((1, width), "f32", 0.5)]) as loop:
        row = k.scaled(loop.counter, 1)
        loop.yields = [k.same("arith.addf", loop.carried[0], k.load(x, [row, 0], (1, width)))]
    k.store(loop.results[0], z, [core, 0])

    def reference(v: Values) -> Values:
        out = np.full((cores, width), 0.5, np.float32)
        for core in range(cores):
            for row in range(max(0, blocks - 2 * core)):
                out[core] += v["x_ptr"][row]
        return {"z_ptr": out}

    return Case(name, str(k), normal(x_ptr=((blocks, width), "f32")), reference)


def rotating(steps: int, width: int, style: str) -> Case:
    """Two tensors change places in each step, and a number counts along: z = x + (y, x, y, ...)."""
    name = f"rotating_{steps}x{width}_{style}"
    k = Text(name, (1,), "x_ptr y_ptr z_ptr", style)
    x, y, z = (k.view(p, (1, width), "f32") for p in ("x_ptr", "y_ptr", "z_ptr"))
    a, b = k.load(x, [0, 0], (1, width)), k.load(y, [0, 0], (1, width))
    with k.loop(0, steps, 1, [a, b]) as loop:
        one, two = loop.carried
        loop.yields = [two, k.same("arith.addf", one, two)]
    k.store(k.same("arith.subf", loop.results[1], loop.results[0]), z, [0, 0])

    def reference(v: Values) -> Values:
        a, b = v["x_ptr"], v["y_ptr"]
        for _ in range(steps):
            a, b = b, a + b
        return {"z_ptr": b - a}

    shape = ((1, width), "f32")
    return Case(name, str(k), normal(x_ptr=shape, y_ptr=shape), reference)


def cases() -> list[Case]:
    """Every style, sizes that divide sticks and sizes that do not."""
    return [
        branch(8, 64, 2, "hand"),
        branch(6, 65, 3, "triton"),
        branch(4, 33, 2, "inductor"),
        shrinking(5, 64, 4, "hand"),
        shrinking(4, 63, 4, "triton"),
        shrinking(5, 65, 4, "inductor"),
        rotating(3, 64, "hand"),
        rotating(0, 10, "triton"),
    ]
