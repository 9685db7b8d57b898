"""What changes shapes and takes parts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spelling import Shape, tensor

from random_kernels.builder import MOST, Builder, Value
from random_kernels.pointwise import binary


def transpose(b: Builder) -> None:
    value = b.late(b.values)
    if not value.shape:
        return  # MLIR's own verifier does not survive it
    order = list(range(len(value.shape)))
    b.r.shuffle(order)
    shape = tuple(value.shape[d] for d in order)
    empty = b.empty(shape, value.element)
    b.new(
        f"linalg.transpose ins({value.name} : {value.type}) outs({empty} : {tensor(shape, value.element)})"
        f" permutation = {order}",
        shape,
        value.element,
    )


def broadcast(b: Builder) -> None:
    value = b.late(b.values)
    if len(value.shape) > 2:
        return
    axis, n = b.r.randint(0, len(value.shape)), b.r.choice(b.extents)
    shape = (*value.shape[:axis], n, *value.shape[axis:])
    if math.prod(shape) > MOST:
        return
    empty = b.empty(shape, value.element)
    b.new(
        f"linalg.broadcast ins({value.name} : {value.type}) outs({empty} : {tensor(shape, value.element)})"
        f" dimensions = [{axis}]",
        shape,
        value.element,
    )


def piece(b: Builder) -> None:
    """A part of a value, which starts at a loop's counter now and then."""
    value = b.late(b.values)
    offsets: list[str] = []
    sizes, steps = [], []
    for n in value.shape:
        counters = [(c, t) for c, t in b.counters if 0 < t <= n]
        if counters and b.chance(0.5):
            counter, trips = b.r.choice(counters)
            offsets.append(counter)
            sizes.append(b.r.randint(1, n - trips + 1))
            steps.append(1)
            continue
        whole = b.chance(0.4)
        offset = 0 if whole else b.r.randrange(n)
        step = b.r.choice((1, 1, 2))
        offsets.append(str(offset))
        steps.append(step if not whole else 1)
        sizes.append(n if whole else b.r.randint(1, (n - 1 - offset) // step + 1))
    shape = tuple(sizes)
    b.new(
        f"tensor.extract_slice {value.name}[{', '.join(offsets)}] {sizes} {steps} : {value.type} to"
        f" {tensor(shape, value.element)}",
        shape,
        value.element,
    )


def insert(b: Builder) -> None:
    """A value inside a larger one, or two halves in an empty tensor."""
    value = b.value()
    if value is None or not value.shape:
        return
    into = [
        v
        for v in b.values
        if v.element == value.element
        and len(v.shape) == len(value.shape)
        and all(a >= b for a, b in zip(v.shape, value.shape, strict=True))
    ]
    if b.chance(0.6):
        target = b.r.choice(into)
        offsets = []
        for n, m in zip(target.shape, value.shape, strict=True):
            counters = [c for c, t in b.counters if t + m <= n + 1]
            offsets.append(b.r.choice(counters) if counters and b.chance(0.5) else str(b.r.randint(0, n - m)))
        inserted(b, value, target.name, offsets, target.shape)
        return
    n = value.shape[-1]
    shape = (*value.shape[:-1], 2 * n)
    name = b.empty(shape, value.element)
    for k, part in enumerate((value, b.same(value))):
        zeros = ["0"] * (len(shape) - 1) + [str(k * n)]
        last = inserted(b, part, name, zeros, shape)
        b.values.remove(last)
        name = last.name
    b.values.append(last)


def inserted(b: Builder, value: Value, into: str, offsets: Sequence[str], shape: Shape) -> Value:
    ones = [1] * len(shape)
    return b.new(
        f"tensor.insert_slice {value.name} into {into}[{', '.join(offsets)}] {list(value.shape)} {ones} :"
        f" {value.type} into {tensor(shape, value.element)}",
        shape,
        value.element,
    )


def reshape(b: Builder) -> None:
    value = b.late(b.values)
    e = value.element
    rank = len(value.shape)
    if rank >= 2 and b.chance(0.6):
        k = b.r.randrange(rank - 1)
        shape = (*value.shape[:k], value.shape[k] * value.shape[k + 1], *value.shape[k + 2 :])
        groups = [[d] for d in range(k)] + [[k, k + 1]] + [[d] for d in range(k + 2, rank)]
        b.new(f"tensor.collapse_shape {value.name} {groups} : {value.type} into {tensor(shape, e)}", shape, e)
    elif 1 <= rank <= 2:
        k = b.r.randrange(rank)
        parts = [d for d in (1, 2, 3, 4, 8) if value.shape[k] % d == 0]
        d = b.r.choice(parts)
        shape = (*value.shape[:k], d, value.shape[k] // d, *value.shape[k + 1 :])
        groups = [[j] for j in range(k)] + [[k, k + 1]] + [[j + 1] for j in range(k + 1, rank)]
        b.new(
            f"tensor.expand_shape {value.name} {groups} output_shape {list(shape)} : {value.type} into"
            f" {tensor(shape, e)}",
            shape,
            e,
        )


def scalar(b: Builder) -> None:
    """An element that is taken out, computed with, and put everywhere."""
    value = b.value(kind="f")
    if value is None:
        return
    out, more = b.fresh("s"), b.fresh("s")
    places = ", ".join(b.index(b.r.randrange(n)) for n in value.shape)
    b.say(f"{out} = tensor.extract {value.name}[{places}] : {value.type}")
    b.say(f"{more} = arith.{binary(b, 'f')} {out}, {out} : {value.element}")
    other = b.r.choice([v for v in b.values if v.element == value.element])
    b.new(f"tensor.splat {more} : {other.type}", other.shape, value.element)


def pad(b: Builder) -> None:
    value = b.value(kind="f")
    if value is None or not value.shape:
        return
    low = [b.r.randint(0, 2) for _ in value.shape]
    high = [b.r.randint(0, 2) for _ in value.shape]
    shape = tuple(a + n + b for a, n, b in zip(low, value.shape, high, strict=True))
    number, result = b.fresh("s"), Value(b.fresh(), shape, value.element)
    b.say(f"{number} = arith.constant 2.0 : {value.element}")
    b.say(f"{result.name} = tensor.pad {value.name} low{low} high{high} {{")
    b.say(f"^bb0({', '.join(f'%d{k}: index' for k in range(len(shape)))}):")
    b.say(f"tensor.yield {number} : {value.element}")
    b.say(f"}} : {value.type} to {result.type}")
    b.values.append(result)
