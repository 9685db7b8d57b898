"""What moves: tiles that are read and written, by their place or by lists of rows, and in place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from spelling import Shape, box, coordinates, tensor

from random_kernels.builder import Builder, Value, View, affine
from random_kernels.pointwise import elementwise


def read(b: Builder) -> None:
    """Load a tile of a new view: rows of this tile, at a loop's counter where there is one."""
    element = b.r.choice(("f32", "f32", "f16", "f16", "bf16", "i32", "i1", *b.r.choices(("i8", "i16", "i64"))))
    shape = b.shape()
    rank = len(shape)
    steps = b.tiles
    row: str = "%tile"
    if b.chance(0.25):
        row, steps = "0", 1
    elif b.counters and b.chance(0.7):
        counter, trips = b.r.choice(b.counters)
        row, steps = b.r.choice(((counter, trips), (f"%tile * {trips} + {counter}", b.tiles * trips)))
    base = (
        max(1, steps) * shape[0],
        *(n + (b.r.randrange(4) if b.chance(0.3) else 0) for n in shape[1:]),
    )
    if b.chance(0.08) and element != "i1":
        gather(b, base, shape, element)
        return
    view = b.view(base, element)
    anchor = [row if shape[0] == 1 or row == "0" else f"({row}) * {shape[0]}"]
    anchor += [str(b.r.randrange(n - m + 1)) for n, m in zip(base[1:], shape[1:], strict=True)]
    kind = b.r.choice(("box",) * 8 + ("smaller", "triangle", "sieve", "outside", "outside"))
    points = box(shape)
    if kind == "smaller":
        points = box(tuple(b.r.randint(max(1, n // 2), n) for n in shape))
    elif kind == "triangle" and rank > 1:
        points = box(shape, extra="d0 - d1 >= 0")
    elif kind == "sieve":
        points = box(shape, extra=f"d{rank - 1} mod 2 == 0")
    elif kind == "outside":
        anchor[0] += f" + {b.r.randrange(shape[0])}"
    order = list(range(rank))
    if b.chance(0.2):
        b.r.shuffle(order)
    turned = tuple(shape[d] for d in order)
    b.load(b.tile(view, anchor, shape, points, tuple(order)), turned, element)


def gather(b: Builder, base: Shape, shape: Shape, element: str) -> None:
    """Load rows whose numbers another view holds."""
    view = b.view(base, element)
    list_ = b.view((shape[0],), "i32", dense=True)
    rng = np.random.default_rng(b.r.randrange(1 << 30))
    b.data[list_.argument] = rng.integers(0, base[0], shape[0]).astype(np.int32)
    b.load(indirect(b, view, list_, shape), shape, element)


def computed_rows(b: Builder) -> None:
    """Rows whose numbers the kernel has computed and stored just before; or rows that it stores there."""
    numbers = [v for v in b.values if v.element == "i32" and len(v.shape) == 1]
    if not numbers:
        return
    n = b.r.choice(numbers)
    mask = Value(b.fresh(), n.shape, "i32")
    b.say(f"{mask.name} = arith.constant dense<3> : {mask.type}")
    rows = b.new(f"arith.andi {n.name}, {mask.name} : {n.type}", n.shape, "i32")
    list_ = b.view(n.shape, "i32", dense=True)
    b.store(rows, b.tile(list_, ["0"], n.shape))
    shape = (*n.shape, b.r.choice(b.extents))
    element = b.r.choice(("f32", "f16", "i32"))
    view = b.view((4, *shape[1:]), element)
    there = [v for v in b.values if (v.shape, v.element) == (shape, element)]
    if there and b.chance(0.5):
        b.store(b.r.choice(there), indirect(b, view, list_, shape))
    b.load(indirect(b, view, list_, shape), shape, element)


def indirect(b: Builder, view: View, list_: View, shape: Shape) -> str:
    """A tile of the rows that a list names."""
    names = [b.fresh("k") for _ in shape]
    tile = b.fresh("t")
    others = "".join(f", ({v})" for v in names[1:])
    b.say(
        f"{tile} = ktdp.construct_indirect_access_tile intermediate_variables({', '.join(names)}) {view.name}"
        f"[ind({list_.name}[{names[0]}]){others}] {{variables_space_set = {box(shape)}, variables_space_order ="
        f" {affine(len(shape), [f'd{k}' for k in range(len(shape))])}}} : {view.type}, {list_.type}"
        f" -> !ktdp.access_tile<{coordinates(shape)}>"
    )
    return tile


def write(b: Builder, value: Value) -> None:
    """Store a value to rows of its own (of this tile, and of the iteration of each loop around) of a new view."""
    if not value.shape:
        value = b.new(
            f"tensor.expand_shape {value.name} [] output_shape [1] : {value.type} into {tensor((1,), value.element)}",
            (1,),
            value.element,
        )
    shape = value.shape
    row, steps = "%tile", b.tiles
    for counter, trips in b.counters:
        row, steps = f"({row}) * {max(1, trips)} + {counter}", steps * max(1, trips)
    extra = b.r.randrange(2)
    order = list(range(len(shape)))
    if b.chance(0.15):
        b.r.shuffle(order)
    # The tile is made over the view's dimensions; what is stored has them in the order of ``order``.
    before = [0] * len(shape)
    for position, d in enumerate(order):
        before[d] = shape[position]
    base = (steps * before[0], *(n + extra for n in before[1:]))
    if steps == 1 and not b.depth and order == sorted(order) and b.chance(0.2):
        scatter(b, value)
        return
    view = b.view(base, value.element)
    points = box(tuple(before))
    if b.chance(0.15):
        points = box(tuple(b.r.randint(1, n) for n in before))
    elif b.chance(0.1) and len(shape) > 1:
        points = box(tuple(before), extra="d1 - d0 >= 0")
    anchor = [f"({row}) * {before[0]}", *("0" for _ in before[1:])]
    tile = b.tile(view, anchor, tuple(before), points, tuple(order))
    b.store(value, tile)
    if b.chance(0.25):
        # Through memory and back, and on top of what is there.
        again = elementwise(b, b.load(tile, shape, value.element))
        if b.chance(0.5):
            b.store(again, tile)


def scatter(b: Builder, value: Value) -> None:
    """Store rows where a list says, some of them twice."""
    shape = value.shape
    view = b.view((shape[0] + b.r.randrange(3), *shape[1:]), value.element)
    list_ = b.view((shape[0],), "i32", dense=True)
    rng = np.random.default_rng(b.r.randrange(1 << 30))
    b.data[list_.argument] = rng.integers(0, view.shape[0], shape[0]).astype(np.int32)
    tile = indirect(b, view, list_, shape)
    b.store(value, tile)


def places(b: Builder, counter: str, rows: int, n: int) -> list[str | int]:
    """Where ``n`` of ``rows`` rows start: at the counter, which leaves room for them, or anywhere."""
    return [counter if counter and b.chance(0.6) else b.r.randint(0, rows - n), 0]


def in_place(b: Builder) -> None:
    """Loads and stores on overlapping tiles of one argument, each tile of the grid in a block of its own."""
    element = b.r.choice(("f32", "f16", "i32"))
    rows, columns = b.r.choice((4, 8, 12)), b.r.choice(b.extents)
    view = b.view((rows * b.tiles, columns), element, dense=True)
    n = b.r.randint(1, rows // 2)
    moves = b.r.randint(1, 3)

    def place() -> str:
        return f"%tile * {rows} + {b.r.randint(0, rows - n)}"

    def moved(anchor: Callable[[], str]) -> None:
        value = b.load(b.tile(view, [anchor(), 0], (n, columns)), (n, columns), element)
        value = elementwise(b, value)
        b.store(value, b.tile(view, [anchor(), 0], (n, columns)))

    if b.chance(0.5):
        for _ in range(moves):
            moved(place)
    else:
        trips = b.r.choice((0, 1, 2, rows - n))
        step = b.r.choice((0, 1))
        with b.counting(trips) as counter:

            def running() -> str:
                if not step or trips + n > rows:
                    return place()
                return f"%tile * {rows} + {counter} + {b.r.randint(0, rows - n - trips + 1) if trips else 0}"

            for _ in range(b.r.randint(1, 2)):
                moved(running)
