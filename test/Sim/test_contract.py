"""Contractions: values against a matrix product, sums that stay in the unit, time against a walk through the array."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from assembled import HALT, device, i, launch, load, post, run, store, wait

from spyrec.errors import InvalidKernel
from spyrec.isa import Binary, Buffer, Channel, Contract, Instruction, LxOperand, UnitProgram

M, N, K = 5, 12, 7


def contract(
    counts: tuple[int, ...] = (M, N, K), start: str = "zero", keep: int = 0, k: int = K, **at: int
) -> Contract:
    """C[M, N] (f32) from A[M, K] and B[K, N] (f16), with ``k`` elements from row to row of A."""
    lhs = LxOperand(None, at.get("lhs", 0), "f16", (2 * k, 0, 2), 0, 0)
    rhs = LxOperand(None, 1024 + at.get("rhs", 0), "f16", (0, 2, 2 * N), 1, 0)
    acc = LxOperand(None, 4096, "f32", (4 * N, 4, 0), 2, 0)
    return Contract(counts=counts, lhs=lhs, rhs=rhs, acc=acc, start=start, keep=keep)


def program(*code: Instruction) -> Binary:
    """a, b and the old c go to LX, the matrix unit runs ``code``, c comes back."""
    loads: list[Instruction] = []
    for number, (at, size, element) in enumerate(((0, 1024, 2), (1024, 2048, 2), (4096, 1024, 4))):
        loads += [i("param", rd=1, imm=number), load(1, None, number, size, at=at, element=element)]
    stores = [wait(1), i("param", rd=1, imm=3), store(1, None, 2, 1024, at=4096, element=4), HALT]
    return Binary(
        units=(
            UnitProgram("load", 0, (*loads, post(0), HALT)),
            UnitProgram("pt", 0, (wait(0), *code, post(1), HALT)),
            UnitProgram("store", 0, tuple(stores)),
        ),
        channels=(Channel("in", "load", "pt", 0), Channel("out", "pt", "store", 0)),
        buffers=(Buffer("a", 0, 1024, 1), Buffer("b", 1024, 3072, 1), Buffer("c", 4096, 1024, 1)),
    )


def ran(*code: Instruction) -> tuple[Any, Any, Any, Any, int]:
    """A, B, the old C, the new C, and cycles."""
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal(512).astype(np.float16), rng.standard_normal(1024).astype(np.float16)
    c = rng.standard_normal(256).astype(np.float32)
    bound = launch({"a": a, "b": b, "c": c, "y": c}, ("y",))
    cycles = run(program(*code), bound).cycles
    return a, b, c[: M * N].reshape(M, N), bound.outputs(("y",))["y"][: M * N].reshape(M, N), cycles


def product(a: Any, b: Any, k: int = K) -> Any:
    """In f64."""
    return a[: M * k].astype(np.float64).reshape(M, k) @ b[: k * N].astype(np.float64).reshape(k, N)


def test_a_contraction_is_of_floats_or_of_integers() -> None:
    mixed = replace(contract(), rhs=replace(contract().rhs, type="i16"))
    with pytest.raises(InvalidKernel, match="contract does not take f16, i16, f32 together"):
        ran(mixed)


@pytest.mark.parametrize("start", ["zero", "lx"])
def test_a_contraction_is_a_matrix_product(start: str) -> None:
    a, b, old, new, _ = ran(contract(start=start))
    want = product(a, b) + (old.astype(np.float64) if start == "lx" else 0)
    assert new.tobytes() == want.astype(np.float32).tobytes()


def test_sums_that_stay_in_the_unit_are_rounded_once() -> None:
    """Two halves of K, the first one kept: the same bits as all of it at once."""
    parts = [
        contract((M, N, 3), keep=1),
        replace(contract((M, N, 4), start="unit"), lhs=LxOperand(None, 6, "f16", (14, 0, 2), 0, 0)),
    ]
    parts[1] = replace(parts[1], rhs=replace(parts[1].rhs, offset=1024 + 3 * 2 * N))
    a, b, _, new, _ = ran(*parts)
    assert new.tobytes() == product(a, b).astype(np.float32).tobytes()


@pytest.mark.parametrize("code", [[contract(start="unit")], [contract((M, 6, K), keep=1), contract(start="unit")]])
def test_going_on_from_what_was_not_kept(code: list[Contract]) -> None:
    with pytest.raises(InvalidKernel) as caught:
        ran(*code)
    assert caught.value.diagnostics[0].id == "accumulator-misuse"


def test_what_is_kept_is_used_once() -> None:
    with pytest.raises(InvalidKernel, match="has kept nothing"):
        ran(contract(keep=1), contract(start="unit"), contract(start="unit"))


def test_repeated_operands_batches_and_one_element() -> None:
    """The same row for all rows; one product; a count that no operand has."""
    same = replace(contract(), lhs=LxOperand(None, 0, "f16", (0, 0, 2), 0, 0))
    a, b, _, new, _ = ran(same)
    want = np.broadcast_to(product(a, b)[0], (M, N)).astype(np.float32)
    assert new.tobytes() == want.tobytes()
    four = LxOperand(None, 0, "f16", (0, 0, 0), 0, 0)
    times = replace(contract(), lhs=four, rhs=replace(four, offset=1024, buffer=1))
    a, b, _, new, _ = ran(times)
    assert (new == np.float32(float(a[0]) * float(b[0]) * K)).all()


def steps(m: int, n: int, k: int) -> int:
    """Cycles of an 8 x 8 array whose cells do 8 multiply-adds each per cycle, walked through block by block."""
    count = 0
    for _ in itertools.product(range(0, m, 8), range(0, n, 8)):
        left = k
        while left > 0:
            left -= 8
            count += 1
    return count


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 12, 7), (5, 8, 7), (1, 12, 5), (4, 9, 1)], ids=str)
def test_the_closed_form_is_the_walk_through_the_array(shape: tuple[int, int, int]) -> None:
    base = ran(contract((1, 1, 1)))[4]
    assert ran(contract(shape))[4] - base == steps(*shape) - steps(1, 1, 1)


def test_types_without_lanes_are_refused() -> None:
    wrong = replace(contract(), lhs=LxOperand(None, 0, "f32", (28, 0, 4), 0, 0))
    with pytest.raises(InvalidKernel, match="no lanes for f32"):
        ran(wrong)


def test_the_array_is_not_slower_with_more_lanes() -> None:
    dev = device()
    wide = replace(dev, units={**dev.units, "pt": replace(dev.units["pt"], lanes={"f16": 1024})})
    x = {n: np.zeros(s, t) for n, s, t in (("a", 512, np.float16), ("b", 1024, np.float16), ("c", 256, np.float32))}
    cycles = [run(program(contract()), launch({**x, "y": x["c"]}, ("y",)), one).cycles for one in (dev, wide)]
    assert cycles[1] <= cycles[0]
