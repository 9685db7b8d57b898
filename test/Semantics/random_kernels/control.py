"""Loops that carry tensors, and branches with results."""

from __future__ import annotations

import numpy as np

from random_kernels.builder import Builder, Value
from random_kernels.memory import write
from random_kernels.pointwise import elementwise


def trips(b: Builder) -> tuple[str, int]:
    """How often a loop runs, as a value, and the most that it can be: a constant, of the launch, out of memory."""
    kind = b.r.choice(("constant", "constant", "launch", "memory", "tile"))
    number = b.r.choice((0, 1, 2, 3, 3, 5))
    if kind == "constant":
        return b.index(number), number
    if kind == "launch":
        name = b.fresh("n")[1:]
        type_ = b.r.choice(("i32", "index"))
        b.data[name] = number
        b.arguments.append(f"%{name}: {type_}")
        if type_ == "index":
            # An index that is used as a number and not as an address.
            return f"%{name}", number
        cast = b.fresh("n")
        b.say(f"{cast} = arith.index_cast %{name} : i32 to index")
        return cast, number
    if kind == "tile":
        b.uniform = False
        return "%tile", b.tiles - 1
    b.uniform = False
    view = b.view((b.tiles,), "i32", dense=True)
    b.data[view.argument] = np.array([b.r.choice((0, 1, 2, 3)) for _ in range(b.tiles)], np.int32)
    where = b.tile(view, ["%tile"], (1,))
    loaded = b.load(where, (1,), "i32")
    b.values.remove(loaded)
    out, cast = b.fresh("n"), b.fresh("n")
    b.say(f"{out} = tensor.extract {loaded.name}[%c0] : {loaded.type}")
    b.say(f"{cast} = arith.index_cast {out} : i32 to index")
    return cast, 3


def loop(b: Builder) -> None:
    """A loop that carries some values, permutes what it yields, and stores now and then."""
    was = b.uniform
    bound, most = trips(b)
    counter = b.fresh("i")
    inits = [b.r.choice(b.values) for _ in range(b.r.choice((0, 1, 1, 2, 2, 3)))] if b.values else []
    # Values of one type can change places.
    if inits and b.chance(0.5):
        inits = [inits[0], *(b.same(inits[0]) for _ in inits[1:])]
    inside = [Value(b.fresh("a"), v.shape, v.element) for v in inits]
    results = [Value(b.fresh("r"), v.shape, v.element) for v in inits]
    step = "%c1" if b.chance(0.7) else b.index(2)
    head = f"scf.for {counter} = %c0 to {bound} step {step}"
    types = ", ".join(v.type for v in inits)
    if inits:
        pairs = ", ".join(f"{a.name} = {v.name}" for a, v in zip(inside, inits, strict=True))
        head = f"{', '.join(v.name for v in results)} = {head} iter_args({pairs}) -> ({types})"
    b.say(head + " {")
    outer = list(b.values)
    b.values += inside
    b.counters.append((counter, most))
    b.depth += 1
    b.some(b.r.randint(1, 4))
    for v in inside:
        if b.chance(0.6):
            elementwise(b, v)
    if (not inits or b.chance(0.3)) and b.depth < 3 and most:
        write(b, b.r.choice(b.values))
    b.depth -= 1
    b.counters.pop()
    if inits:
        yields = []
        for v in inside:
            there = [w for w in b.values if (w.shape, w.element) == (v.shape, v.element)]
            yields.append(b.r.choice(there[-4:] if b.chance(0.7) else there))
        b.say(f"scf.yield {', '.join(v.name for v in yields)} : {types}")
    b.say("}")
    b.values = [*outer, *results]
    b.uniform = was


def branch(b: Builder) -> None:
    """An if on the tile's number, a counter, or a number from memory, with results or with a store."""
    test, was = b.fresh("c"), b.uniform
    what = b.r.choice(["%tile", *(c for c, _ in b.counters)])
    kind = b.r.choice(("tile", "launch"))
    if kind == "launch":
        name = b.fresh("n")[1:]
        b.data[name] = b.r.randrange(3)
        b.arguments.append(f"%{name}: i32")
        b.say(f"{test}n = arith.constant 1 : i32")
        b.say(f"{test} = arith.cmpi {b.r.choice(('eq', 'slt', 'sge'))}, %{name}, {test}n : i32")
    else:
        b.uniform = False
        b.say(f"{test} = arith.cmpi {b.r.choice(('eq', 'ne', 'sgt'))}, {what}, {b.index(b.r.randrange(2))} : index")
    count = b.r.choice((0, 1, 1, 2))
    shapes = [b.r.choice(b.values) for _ in range(count)]
    results = [Value(b.fresh("r"), v.shape, v.element) for v in shapes]
    types = ", ".join(v.type for v in shapes)
    head = f"scf.if {test}"
    if count:
        head = f"{', '.join(v.name for v in results)} = {head} -> ({types})"
    b.say(head + " {")
    b.depth += 1
    for side in range(2):
        outer = list(b.values)
        b.some(b.r.randint(0, 2))
        if count:
            yields = []
            for v in shapes:
                there = [w for w in b.values if (w.shape, w.element) == (v.shape, v.element)]
                yields.append(b.r.choice(there[-3:]))
            b.say(f"scf.yield {', '.join(v.name for v in yields)} : {types}")
        elif b.depth < 3:
            write(b, b.r.choice(b.values))
        b.values = outer
        if side == 0:
            b.say("} else {")
    b.say("}")
    b.depth -= 1
    b.uniform = was
    b.values += results
