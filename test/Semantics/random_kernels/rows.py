"""Loops over rows as kernels are mostly written: load a row and what all share, compute, store, maybe where it was."""

from __future__ import annotations

import numpy as np

from random_kernels import exchange, folds
from random_kernels.builder import Builder, Value, View
from random_kernels.memory import places
from random_kernels.pointwise import elementwise

COUNTS = (0, 1, 2, 3, 4, 5, 8, 9, 17, 40)


def rows(b: Builder) -> None:
    """Each tile takes rows of its own, some at a time, as many as a constant, the launch or a list of numbers says."""
    most = b.r.choice(COUNTS)
    each, width = b.r.choice((1, 1, 1, 2, 3)), b.r.choice(b.extents)
    element = b.r.choice(("f32", "f16", "f16", "bf16", "i32", "i8", "i16"))
    all_rows = max(1, most) * each * b.tiles
    source = b.view((all_rows + b.r.choice((0, 0, 1)), width), element, dense=b.chance(0.5))
    targets = [source if b.chance(0.3) else b.view((all_rows, width), element) for _ in range(b.r.choice((1, 1, 2)))]
    shared = [b.view((b.r.choice((1, max(1, most))), width), element) for _ in range(b.r.choice((0, 1, 1, 2)))]
    outer, was = list(b.values), b.uniform
    bound = _bound(b, most)
    inits = [v for v in b.values if v.shape == (each, width) and v.element == element][-1:]
    inits = inits or ([b.constant((each, width), element)] if b.chance(0.4) else [])
    carried, results = b.fresh("a"), b.fresh("r")
    counter = b.fresh("i")
    head = f"scf.for {counter} = %c0 to {bound} step %c1"
    type_ = inits[0].type if inits else ""
    if inits:
        head = f"{results} = {head} iter_args({carried} = {inits[0].name}) -> ({type_})"
    b.say(head + " {")
    b.counters.append((counter, most))
    b.depth += 1
    row = f"(%tile * {max(1, most)} + {counter}) * {each}"
    mine = b.load(b.tile(source, [row, 0], (each, width)), (each, width), element)
    for view in shared:
        _shared(b, view, counter, (each, width))
    value = mine
    for _ in range(b.r.randint(0, 3)):
        value = elementwise(b, value)
    if b.chance(0.4):
        folds.softmax(b) if b.chance(0.3) else folds.reduce(b)
    if b.uniform and b.chance(0.2):
        exchange.exchange(b)
    b.some(b.r.choice((0, 0, 1, 2)))
    for target in targets:
        fitting = [v for v in b.values if (v.shape, v.element) == ((each, width), element)]
        b.store(b.late(fitting), b.tile(target, [row, 0], (each, width)))
    if b.chance(0.25):
        # The row once more, in part, after what was stored.
        part = b.r.randint(1, width)
        at = [row, b.r.randint(0, width - part)]
        again = elementwise(b, b.load(b.tile(targets[0], at, (each, part)), (each, part), element))
        b.store(again, b.tile(targets[-1], at, (each, part)))
    last = b.late([v for v in b.values if (v.shape, v.element) == ((each, width), element)])
    if inits:
        there = Value(carried, (each, width), element)
        name = b.fresh()
        b.say(f"{name} = arith.{'addi' if element[0] == 'i' else 'maximumf'} {there.name}, {last.name} : {type_}")
        b.say(f"scf.yield {name} : {type_}")
    b.depth -= 1
    b.counters.pop()
    b.say("}")
    b.values, b.uniform = outer, was
    if inits:
        b.values.append(Value(results, (each, width), element))


def _shared(b: Builder, view: View, counter: str, shape: tuple[int, int]) -> None:
    """A row that all tiles read, as often as there are rows at a time."""
    many, width = view.shape
    at = counter if many > 1 else "0"
    row = b.load(b.tile(view, [at, 0], (1, width)), (1, width), view.element)
    if shape[0] == 1:
        return
    flat = b.new(
        f"tensor.collapse_shape {row.name} [[0, 1]] : {row.type} into tensor<{width}x{view.element}>",
        (width,),
        view.element,
    )
    type_ = f"tensor<{shape[0]}x{width}x{view.element}>"
    b.new(
        f"linalg.broadcast ins({flat.name} : {flat.type}) outs({b.empty(shape, view.element)} : {type_}) dimensions ="
        " [0]",
        shape,
        view.element,
    )


def _bound(b: Builder, most: int) -> str:
    """How many rows: at most ``most``."""
    kind = b.r.choice(("constant", "constant", "launch", "promised", "list"))
    if kind == "constant" or not most:
        return b.index(most)
    if kind == "list":
        b.uniform = False
        view = b.view((b.tiles,), "i32", dense=True)
        b.data[view.argument] = np.array([b.r.randint(0, most) for _ in range(b.tiles)], np.int32)
        loaded = b.load(b.tile(view, ["%tile"], (1,)), (1,), "i32")
        b.values.remove(loaded)
        out = b.fresh("n")
        b.say(f"{out} = tensor.extract {loaded.name}[%c0] : {loaded.type}")
    else:
        name = b.fresh("n")[1:]
        number, promise = b.r.randint(0, most), ""
        if kind == "promised":
            step = b.r.choice([d for d in (1, 2, 4, 8) if d <= most])
            number -= number % step
            promise = f" {{spyrec.granularity = {step} : i64, spyrec.upperbound = {most - most % step} : i64}}"
        b.data[name] = number
        b.arguments.append(f"%{name}: i32{promise}")
        out = f"%{name}"
    cast = b.fresh("n")
    b.say(f"{cast} = arith.index_cast {out} : i32 to index")
    return cast


def while_loop(b: Builder) -> None:
    """Rows until a list holds a number that is too small, or as many as there are."""
    most, width = b.r.choice((1, 2, 3, 5, 9)), b.r.choice(b.extents)
    element = b.r.choice(("f32", "f16", "i32"))
    source = b.view((most * b.tiles, width), element)
    target = source if b.chance(0.3) else b.view((most * b.tiles, width), element)
    until = None
    if b.chance(0.6):
        # One number more than is looked at while it matters.
        until = b.view((b.tiles * (most + 1),), "i32", dense=True)
        b.data[until.argument] = np.array([b.r.choice((0, 1, 1, 2)) for _ in range(until.shape[0])], np.int32)
    outer, was = list(b.values), b.uniform
    start, now, more, row = b.fresh("w"), b.fresh("i"), b.fresh("c"), b.fresh("i")
    bound, one = b.index(most), b.fresh("o")
    if until is not None:
        b.say(f"{one} = arith.constant 1 : i32")
        b.uniform = False
    b.say(f"{start} = scf.while ({now} = %c0) : (index) -> index {{")
    b.say(f"{more} = arith.cmpi slt, {now}, {bound} : index")
    if until is not None:
        number = b.load(b.tile(until, [f"%tile * {most + 1} + {now}"], (1,)), (1,), "i32")
        b.values.remove(number)
        least, both, found = b.fresh("c"), b.fresh("c"), b.fresh("n")
        b.say(f"{found} = tensor.extract {number.name}[%c0] : {number.type}")
        b.say(f"{least} = arith.cmpi sge, {found}, {one} : i32")
        b.say(f"{both} = arith.andi {more}, {least} : i1")
        more = both
    b.say(f"scf.condition({more}) {now} : index")
    b.say("} do {")
    b.say(f"^bb0({row}: index):")
    b.counters.append((row, most))
    b.depth += 1
    at = [f"%tile * {most} + {row}", 0]
    value = b.load(b.tile(source, at, (1, width)), (1, width), element)
    b.some(b.r.choice((0, 1, 2)))
    for _ in range(b.r.randint(0, 2)):
        value = elementwise(b, value)
    b.store(value, b.tile(target, at, (1, width)))
    following = b.fresh("n")
    b.say(f"{following} = arith.addi {row}, %c1 : index")
    b.say(f"scf.yield {following} : index")
    b.depth -= 1
    b.counters.pop()
    b.say("}")
    b.values, b.uniform = outer, was


def aliased(b: Builder) -> None:
    """Two arguments of which one lies in the memory of the other: order is that of the text, byte for byte."""
    element = b.r.choice(("f32", "f16", "i32", "i8"))
    width, count = b.r.choice((1, 3, 8, 64)), b.r.randint(2, 6)
    shift = b.r.choice((0, 1, width, width + 1))
    first = b.argument(count * width + shift, element)
    second = b.argument(0, element)
    size = b.data[first].dtype.itemsize
    b.data[second] = f"@{first}+{shift * size}" if shift else f"@{first}"
    b.arguments[-1] += " {spyrec.may_alias}"
    shape, strides = (count, width), (width, 1)
    views = [b.construct(f"%{name}", shape, strides, element, name) for name in (first, second)]
    n = b.r.randint(1, count)

    def move(at: str, both: bool) -> None:
        source, target = views if both else b.r.choice((views[::-1], views, [views[1]] * 2))
        value = elementwise(b, b.load(b.tile(source, places(b, at, count, n), (n, width)), (n, width), element))
        b.store(value, b.tile(target, places(b, at, count, n), (n, width)))

    if b.chance(0.4):
        for k in range(b.r.randint(1, 3)):
            move("", k == 0)
        return
    with b.counting(b.r.randint(0, count - n + 1)) as counter:
        for k in range(b.r.randint(1, 2)):
            move(counter, k == 0)
