"""Nests that fold: reductions with every combiner, contractions, softmax."""

from __future__ import annotations

import math

from spelling import Shape, tensor

from random_kernels.builder import MOST, Builder, Value, affine
from random_kernels.pointwise import FLOAT_1, binary

FOLDS = {
    "f": ["addf", "addf", "addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf"],
    "i": ["addi", "addi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori"],
}


def start(b: Builder, shape: Shape, element: str) -> str:
    """What a fold starts from: nothing, a constant, or a value that others use, too."""
    there = [v for v in b.values if (v.shape, v.element) == (shape, element)]
    kind = b.r.choice(("empty", "constant", "there", "there"))
    if kind == "there" and there:
        return b.r.choice(there).name
    return b.empty(shape, element) if kind == "empty" else b.constant(shape, element).name


def reduce(b: Builder) -> None:
    value = b.value()
    if value is None or not value.shape:
        return
    axes = sorted(b.r.sample(range(len(value.shape)), b.r.randint(1, min(2, len(value.shape)))))
    shape = tuple(n for k, n in enumerate(value.shape) if k not in axes)
    combiner = b.r.choice(FOLDS[value.kind] if not b.exact else [c for c in FOLDS[value.kind] if "mul" not in c])
    init = start(b, shape, value.element)
    b.new(
        f"linalg.reduce {{ arith.{combiner} }} ins({value.name} : {value.type}) outs({init} :"
        f" {tensor(shape, value.element)}) dimensions = {axes}",
        shape,
        value.element,
    )


def generic(b: Builder) -> None:
    """A nest over one or two operands, broadcast or turned, that folds some dimensions or none."""
    value = b.value()
    if value is None or not value.shape:
        return
    rank, e = len(value.shape), value.element
    order = list(range(rank))
    if b.chance(0.3):
        b.r.shuffle(order)
    extent = dict(zip(order, value.shape, strict=True))
    maps, ins = [affine(rank, [f"d{d}" for d in order])], [value]
    for other in b.r.sample(b.values, len(b.values)):
        if other is value or other.element != e or len(ins) > 2:
            continue
        places: list[str] = []
        free = list(range(rank))
        for n in other.shape:
            fit = [d for d in free if extent[d] == n]
            if not fit:
                break
            places.append(f"d{fit[0]}")
            free.remove(fit[0])
        else:
            maps.append(affine(rank, places))
            ins.append(other)
    folded = [d for d in range(rank) if b.chance(0.3)]
    kept = [d for d in range(rank) if d not in folded]
    if b.chance(0.3):
        b.r.shuffle(kept)
    keep_ones = b.chance(0.2) and folded
    places = [f"d{d}" for d in kept] + (["0"] if keep_ones else [])
    shape = tuple(extent[d] for d in kept) + ((1,) if keep_ones else ())
    maps.append(affine(rank, places))
    init = start(b, shape, e) if folded else b.empty(shape, e)
    kinds = ", ".join('"reduction"' if d in folded else '"parallel"' for d in range(rank))
    result = Value(b.fresh(), shape, e)
    arguments = [f"%{'pqs'[k]}" for k in range(len(ins))]
    b.say(
        f"{result.name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}"
        f" ins({', '.join(v.name for v in ins)} : {', '.join(v.type for v in ins)}) outs({init} : {result.type}) {{"
    )
    b.say(f"^bb0({', '.join(f'{a}: {e}' for a in [*arguments, '%o'])}):")
    there = list(arguments)
    for _ in range(b.r.randint(1, 3)):
        name = b.fresh("g")
        if value.kind == "i" and b.chance(0.15):
            at, cast = b.fresh("g"), b.fresh("g")
            b.say(f"{at} = linalg.index {b.r.randrange(rank)} : index")
            b.say(f"{cast} = arith.index_cast {at} : index to {e}")
            there.append(cast)
        if value.kind == "f" and not b.exact and b.chance(0.2):
            op = b.r.choice(FLOAT_1)
            b.say(f"{name} = {op} {b.r.choice(there)} : {e}")
        else:
            op = b.r.choice(("mulf", binary(b, "f"))) if value.kind == "f" else binary(b, "i")
            b.say(f"{name} = arith.{op} {b.r.choice(there)}, {b.r.choice(there)} : {e}")
        there.append(name)
    last = there[-1]
    if folded:
        name, combiner = b.fresh("g"), b.r.choice(FOLDS[value.kind])
        if b.exact and "mul" in combiner:
            combiner = "addf" if value.kind == "f" else "addi"
        pair = ["%o", last]
        b.r.shuffle(pair)
        b.say(f"{name} = arith.{combiner} {', '.join(pair)} : {e}")
        last = name
    b.say(f"linalg.yield {last} : {e}")
    b.say(f"}} -> {result.type}")
    b.values.append(result)


def two_folds(b: Builder) -> None:
    """A nest that folds the last dimension twice, or looks for the place of the largest."""
    value = b.value()
    if value is None or not value.shape:
        return
    rank, e, shape = len(value.shape), value.element, value.shape[:-1]
    kept = affine(rank, [f"d{k}" for k in range(rank - 1)])
    maps = ", ".join([affine(rank, [f"d{k}" for k in range(rank)]), kept, kept])
    kinds = ", ".join(['"parallel"'] * (rank - 1) + ['"reduction"'])
    place = b.chance(0.4)
    second = "i32" if place else e
    inits = [b.constant(shape, e), b.constant(shape, second)]
    results = [Value(b.fresh(), shape, e), Value(b.fresh(), shape, second)]
    b.say(
        f"{results[0].name}, {results[1].name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["
        f"{kinds}]}} ins({value.name} : {value.type}) outs({inits[0].name}, {inits[1].name} :"
        f" {inits[0].type}, {inits[1].type}) {{"
    )
    b.say(f"^bb0(%p: {e}, %o: {e}, %q: {second}):")
    g = [b.fresh("g") for _ in range(4)]
    if place:
        how = "arith.cmpf ogt" if value.kind == "f" else "arith.cmpi sgt"
        b.say(f"{g[0]} = {how}, %p, %o : {e}")
        b.say(f"{g[1]} = linalg.index {rank - 1} : index")
        b.say(f"{g[2]} = arith.index_cast {g[1]} : index to i32")
        b.say(f"{g[3]} = arith.select {g[0]}, {g[2]}, %q : i32")
        b.say(f"{g[0]}s = arith.select {g[0]}, %p, %o : {e}")
        b.say(f"linalg.yield {g[0]}s, {g[3]} : {e}, i32")
    else:
        one, other = b.r.choice(("addf", "maximumf")), b.r.choice(("addf", "minnumf"))
        if value.kind == "i":
            one, other = "addi", "maxsi"
        b.say(f"{g[0]} = arith.{one} %o, %p : {e}")
        b.say(f"{g[1]} = arith.{other} %q, %p : {e}")
        b.say(f"linalg.yield {g[0]}, {g[1]} : {e}, {e}")
    b.say(f"}} -> ({inits[0].type}, {inits[1].type})")
    b.values += results


def softmax(b: Builder) -> None:
    value = b.value(kind="f")
    if value is None or not value.shape or b.exact:
        return
    empty = b.empty(value.shape, value.element)
    b.new(
        f"linalg.softmax dimension({b.r.randrange(len(value.shape))}) ins({value.name} : {value.type}) outs({empty} :"
        f" {value.type}) -> {value.type}",
        value.shape,
        value.element,
    )


def contract(b: Builder) -> None:
    """A contraction of two operands, with or without a batch, operands turned, accumulator wide or narrow."""
    left = b.value(kind="f", rank=b.r.choice((2, 2, 3)))
    if left is None:
        return
    batch = left.shape[:-2]
    m, k = left.shape[-2:]
    e = left.element
    rights = [v for v in b.values if v.element == e and len(v.shape) == len(left.shape) and v.shape[:-2] == batch]
    straight = [v for v in rights if v.shape[-2] == k]
    turned = [v for v in rights if v.shape[-1] == k]
    target = b.r.choice((e, "f32")) if e != "f32" else "f32"
    if straight and b.chance(0.6):
        right = b.r.choice(straight)
        n = right.shape[-1]
        shape = (*batch, m, n)
        if math.prod(shape) > MOST:
            return
        init = start(b, shape, target)
        op = "batch_matmul" if batch else "matmul"
        b.new(
            f"linalg.{op} ins({left.name}, {right.name} : {left.type}, {right.type}) outs({init} :"
            f" {tensor(shape, target)}) -> {tensor(shape, target)}",
            shape,
            target,
        )
        return
    if not turned:
        return
    right = b.r.choice(turned)
    n = right.shape[-2]
    swap = b.chance(0.3)
    shape = (*batch, n, m) if swap else (*batch, m, n)
    if math.prod(shape) > MOST:
        return
    shared = [f"d{d}" for d in range(len(batch))]
    dm, dn, dk = (f"d{len(batch) + j}" for j in range(3))
    rank = len(batch) + 3
    maps = [
        affine(rank, [*shared, dm, dk]),
        affine(rank, [*shared, dn, dk]),
        affine(rank, [*shared, *((dn, dm) if swap else (dm, dn))]),
    ]
    kinds = ['"parallel"'] * (rank - 1) + ['"reduction"']
    init = start(b, shape, target)
    result = Value(b.fresh(), shape, target)
    b.say(
        f"{result.name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(kinds)}]}}"
        f" ins({left.name}, {right.name} : {left.type}, {right.type}) outs({init} : {result.type}) {{"
    )
    b.say(f"^bb0(%p: {e}, %q: {e}, %o: {target}):")
    names = ["%p", "%q"]
    if target != e:
        for j, name in enumerate(list(names)):
            names[j] = b.fresh("g")
            b.say(f"{names[j]} = arith.extf {name} : {e} to {target}")
    product, total = b.fresh("g"), b.fresh("g")
    b.say(f"{product} = arith.mulf {names[0]}, {names[1]} : {target}")
    b.say(f"{total} = arith.addf %o, {product} : {target}")
    b.say(f"linalg.yield {total} : {target}")
    b.say(f"}} -> {result.type}")
    b.values.append(result)
