"""Loops done in turns compute what they computed, however many iterations they have and whatever those hand on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from layer_lines import LayerLine
from layers.case import Case, Values, normal, softmax, wide
from layers.reductions import one_tile_softmax
from layers.text import Text, Value

ALWAYS = "alternate-corelets{gain=-1000000}"
SINGLE = "group-iterations=off"
ROWS, WIDTH = 9, 70
COUNTS = (0, 1, 2, 3, 4, 7)
NUMBER = Value("%n", None, "index")

Body = Callable[[Text, int, "int | Value"], None]
Reference = Callable[[Values, int, int], Values]


def rows(k: Text, first: int, end: int | Value) -> None:
    """Softmax of each row: nothing is handed on."""
    x, z = (k.view(p, (ROWS, WIDTH), "f16") for p in ("x_ptr", "z_ptr"))
    with k.loop(first, end) as loop:
        row = k.scaled(loop.counter, 1)
        a = k.wide(k.load(x, [row, 0], (1, WIDTH)))
        k.store(k.narrow(one_tile_softmax(k, a), "f16"), z, [row, 0])


def softmax_of(v: Values, first: int, end: int) -> Values:
    z = wide(v["z_ptr"])
    z[first:end] = softmax(wide(v["x_ptr"][first:end]))
    return {"z_ptr": z}


def sums(k: Text, first: int, end: int | Value) -> None:
    """Each row becomes the sum of all rows up to it: a tensor is handed on."""
    x, z = (k.view(p, (ROWS, WIDTH), "f16") for p in ("x_ptr", "z_ptr"))
    with k.loop(first, end, 1, [k.filled((1, WIDTH), "f32", 0.0)]) as loop:
        row = k.scaled(loop.counter, 1)
        total = k.same("arith.addf", loop.carried[0], k.wide(k.load(x, [row, 0], (1, WIDTH))))
        k.store(k.narrow(k.same("math.exp", total), "f16"), z, [row, 0])
        loop.yields = [total]


def exp_of_sums(v: Values, first: int, end: int) -> Values:
    z = wide(v["z_ptr"])
    z[first:end] = np.exp(np.cumsum(wide(v["x_ptr"][first:end]), axis=0))
    return {"z_ptr": z}


def squares(k: Text, first: int, end: int | Value) -> None:
    """Iteration i stores row i (i + 1) / 2, modulo their number: a number is handed on that is no affine one."""
    x, z = (k.view(p, (ROWS, WIDTH), "f16") for p in ("x_ptr", "z_ptr"))
    with k.loop(first, end, 1, [k.index(0)]) as loop:
        row = k.new(f"arith.addi {loop.carried[0]}, {loop.counter} : index", "index")
        row = k.new(f"arith.remsi {row}, {k.index(ROWS)} : index", "index")
        a = k.wide(k.load(x, [row, 0], (1, WIDTH)))
        k.store(k.narrow(one_tile_softmax(k, a), "f16"), z, [k.scaled(loop.counter, 1), 0])
        loop.yields = [row]


def softmax_of_squares(v: Values, first: int, end: int) -> Values:
    z, row = wide(v["z_ptr"]), 0
    for number in range(first, end):
        row = (row + number) % ROWS
        z[number] = softmax(wide(v["x_ptr"][row]))
    return {"z_ptr": z}


def in_place(k: Text, first: int, end: int | Value) -> None:
    """Each row is made of what the one before it has become: device memory hands it on."""
    z = k.view("z_ptr", (ROWS, WIDTH), "f16")
    with k.loop(first, end) as loop:
        row = k.scaled(loop.counter, 1)
        a = k.wide(k.load(z, [row, 0], (1, WIDTH)))
        k.store(k.narrow(one_tile_softmax(k, a), "f16"), z, [k.scaled(loop.counter, 1, 1), 0])


def softmax_of_softmax(v: Values, first: int, end: int) -> Values:
    z = wide(v["z_ptr"])
    for number in range(first, end):
        z[number + 1] = softmax(z[number]).astype(np.float16)
    return {"z_ptr": z}


KERNELS: dict[str, tuple[Body, Reference]] = {
    "rows": (rows, softmax_of),
    "sums": (sums, exp_of_sums),
    "squares": (squares, softmax_of_squares),
    "in_place": (in_place, softmax_of_softmax),
}


def case(name: str, first: int, count: int, *, known: bool) -> Case:
    """Iterations ``first`` to ``first + count``, ``known`` when the kernel is compiled, or at the launch."""
    body, reference = KERNELS[name]
    pointers = "z_ptr" if body is in_place else "x_ptr z_ptr"
    text = Text(name, (1,), pointers, "hand", scalars={} if known else {"n": "index"})
    body(text, first, first + count if known else NUMBER)

    def inputs(rng: np.random.Generator) -> Values:
        arrays = normal(**dict.fromkeys(pointers.split(), ((ROWS, WIDTH), "f16")))(rng)
        return {**arrays, **({} if known else {"n": first + count})}

    return Case(name, str(text), inputs, lambda v: reference(v, first, first + count), 2.0**-8)


def is_in_turns(line: LayerLine) -> bool:
    text = line.compile("schedule").text
    assert text is not None
    return "dataflow.corelet = 1" in text


@pytest.mark.parametrize("known", [True, False], ids=["known", "launch"])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", KERNELS)
def test_every_number_of_iterations(name: str, count: int, known: bool) -> None:
    line = LayerLine(
        case(name, count % 2, count, known=known), tuning=(ALWAYS, "split-corelets=off", "group-iterations=off")
    )
    assert is_in_turns(line) == (count > 1 or not known)
    line.check_stages()
    line.check_shuffles(2)


@pytest.mark.parametrize("known", [True, False], ids=["known", "launch"])
@pytest.mark.parametrize("name", KERNELS)
def test_every_channel_is_needed(name: str, known: bool) -> None:
    line = LayerLine(case(name, 0, 7, known=known), tuning=(ALWAYS, SINGLE))
    assert line.unneeded_channels() == []
