"""Views in several parts, and views of LX."""

from __future__ import annotations

from itertools import pairwise

from spelling import Shape, box, memref

from random_kernels import exchange
from random_kernels.builder import Builder, View
from random_kernels.pointwise import elementwise


def distributed(b: Builder) -> None:
    """Rows out of a view in two or three parts, some of a tile in one and some in the next; or rows into one."""
    element = b.r.choice(("f32", "f16", "bf16", "i32", "i8"))
    n, width = b.r.choice((1, 2, 3, 5, 6)), b.r.choice(b.extents)
    rows = n * b.tiles
    if rows < 2:
        return
    view = _parts(b, (rows, width), element)
    anchor = [f"%tile * {n}", 0]
    value = b.load(b.tile(view, anchor, (n, width)), (n, width), element)
    if b.chance(0.5):
        value = elementwise(b, value)
        target = view if b.chance(0.3) else _parts(b, (rows, width), element)
        b.store(value, b.tile(target, anchor, (n, width)))


def _parts(b: Builder, shape: Shape, element: str) -> View:
    rows, width = shape
    cuts = sorted({0, rows, *(b.r.randint(1, rows - 1) for _ in range(b.r.choice((1, 1, 2))))})
    parts = []
    for low, high in pairwise(cuts):
        part = (high - low, width)
        strides = b.r.choice(((width, 1), (width + 1, 1), (1, part[0])))
        size = sum((m - 1) * s for m, s in zip(part, strides, strict=True)) + 1
        name = b.argument(size, element)
        view = View(b.fresh("v"), part, element, name)
        b.say(
            f"{view.name} = ktdp.construct_memory_view %{name}, sizes: {list(part)}, strides: {list(strides)}"
            f" {{coordinate_set = {box(part, (low, 0))}, memory_space = #ktdp.memory_space<global>}} : {view.type}"
        )
        parts.append(view)
    whole = View(b.fresh("v"), shape, element, parts[0].argument)
    b.say(
        f"{whole.name} = ktdp.construct_distributed_memory_view ({', '.join(v.name for v in parts)} :"
        f" {', '.join(v.type for v in parts)}) : {whole.type}"
    )
    return whole


def scratchpad(b: Builder) -> None:
    """A value through a place of LX that belongs to the kernel, and maybe to other tiles when all have met."""
    value = b.value(rank=2)
    if value is None or value.element not in ("f32", "f16", "bf16", "i32"):
        return
    size = b.numbers(1, value.element).dtype.itemsize * value.shape[0] * value.shape[1]
    at, b.pinned = b.pinned, b.pinned + -(-size // 128) * 128
    if b.pinned > 1024:
        return
    mine = _pinned(b, value.shape, value.element, at, "ct_local")
    b.store(value, b.tile(mine, ["0", "0"], value.shape))
    again = b.load(b.tile(mine, ["0", "0"], value.shape), value.shape, value.element)
    if b.tiles == 1 or not b.uniform or b.depth or b.chance(0.5):
        elementwise(b, again)
        return
    before = len(b.values)
    exchange.exchange(b)
    if len(b.values) > before:
        other = _pinned(b, value.shape, value.element, at, f"ct_local, ct_id = {b.r.randrange(b.tiles)}")
        b.load(b.tile(other, ["0", "0"], value.shape), value.shape, value.element)


def _pinned(b: Builder, shape: Shape, element: str, at: int, space: str) -> View:
    size = b.numbers(1, element).dtype.itemsize
    view = View(b.fresh("v"), shape, element, "")
    b.say(
        f"{view.name} = ktdp.construct_memory_view {b.index(at // size)}, sizes: {list(shape)}, strides:"
        f" {[shape[1], 1]} {{coordinate_set = {box(shape)}, memory_space = #ktdp.memory_space<{space}>}} :"
        f" {memref(shape, element)}"
    )
    return view
