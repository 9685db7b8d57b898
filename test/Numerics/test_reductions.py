"""Reductions and contractions: identities, order independence, one rounding, NaN and signs of zero."""

import math

import numpy as np
import pytest

from spyrec import numerics
from spyrec.numerics import reductions


@pytest.mark.parametrize(
    ("op", "element"),
    [
        (op, element)
        for op, combiner in reductions.COMBINERS.items()
        for element in (("f16", "bf16", "f32") if combiner.is_float else ("i1", "i8", "i32", "index"))
    ],
)
def test_the_identity_changes_nothing(op: str, element: str) -> None:
    dtype = numerics.dtype(element)
    values = np.array([-3, -1, 0, 1, 5]).astype(dtype)
    start = reductions.identity(op, element)
    assert start.dtype == dtype
    for value in values:
        assert numerics.apply(op, start, value, result_type=element) == value
        assert reductions.reduce(op, np.array([value]), (0,), None, element) == value


@pytest.mark.parametrize("element", ["f16", "bf16", "f32"])
def test_sums_are_rounded_once_in_any_order(element: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((7, 1000)).astype(numerics.dtype(element))
    total = reductions.reduce("arith.addf", x, (1,), None, element)
    exact = np.array([math.fsum(float(v) for v in row) for row in x]).astype(np.float32).astype(x.dtype)
    assert numerics.ulp.same_bits(total, exact)
    assert numerics.ulp.same_bits(
        total, reductions.reduce("arith.addf", np.ascontiguousarray(x[:, ::-1]).T, (0,), None, element)
    )


def test_a_sum_does_not_saturate_where_f16_arithmetic_would() -> None:
    x = np.concatenate([np.full(4096, 1, np.float16), [np.float16(60000)] * 2, [np.float16(-60000)] * 2]).astype(
        np.float16
    )
    assert reductions.reduce("arith.addf", x, (0,), None, "f16") == 4096


def test_init_takes_part() -> None:
    x = np.array([[2.0, 3.0], [4.0, 5.0]], np.float32)
    init = np.array([10.0, 100.0], np.float32)
    assert list(reductions.reduce("arith.mulf", x, (1,), init, "f32")) == [60.0, 2000.0]
    assert list(reductions.reduce("arith.maximumf", x, (1,), init, "f32")) == [10.0, 100.0]
    assert list(reductions.reduce("arith.addf", x[:, :0], (1,), init, "f32")) == [10.0, 100.0]


def test_nan_rules() -> None:
    nan = np.array([[np.nan, 1.0], [np.nan, np.nan]], np.float16)
    assert np.isnan(reductions.reduce("arith.maximumf", nan, (1,), None, "f16")).all()
    assert list(reductions.reduce("arith.maxnumf", nan, (1,), None, "f16")) == [1.0, -np.inf]
    assert list(reductions.reduce("arith.minnumf", nan, (1,), None, "f16")) == [1.0, np.inf]


@pytest.mark.parametrize("order", [(0.0, -0.0), (-0.0, 0.0)])
def test_zeros_have_an_order(order: tuple[float, float]) -> None:
    x = np.array(order * 20, np.float32)
    assert not np.signbit(reductions.reduce("arith.maximumf", x, (0,), None, "f32"))
    assert np.signbit(reductions.reduce("arith.minnumf", x, (0,), None, "f32"))
    assert np.signbit(reductions.reduce("arith.maxnumf", np.array([-0.0] * 3, np.float16), (0,), None, "f16"))


def test_a_sum_of_negative_zeros_is_positive() -> None:
    low = np.full((1, 4), -0.0, np.float32)
    assert not np.signbit(reductions.reduce("arith.addf", low, (1,), low[:, 0], "f32")).any()
    ones = np.ones((4, 1), np.float32)
    assert not np.signbit(reductions.contract("mk,kn->mn", low, ones, low[:, :1], "f32")).any()


def test_unsigned_and_wrapping_integers() -> None:
    x = np.array([-1, 5, 100], np.int8)
    assert reductions.reduce("arith.maxui", x, (0,), None, "i8") == -1
    assert reductions.reduce("arith.maxsi", x, (0,), None, "i8") == 100
    assert reductions.reduce("arith.addi", np.array([100, 100], np.int8), (0,), None, "i8") == -56
    assert reductions.reduce("arith.addi", np.array([True, True, True]), (0,), None, "i1") == 1


def test_contractions_accumulate_unrounded_products() -> None:
    # 2049 is no f16; rounding the products or a partial sum to f16 loses the ones.
    left = np.array([[2048.0, 1.0, 1.0, -1.0]], np.float16)
    right = np.array([[1.0], [1.0], [1.0], [1.0]], np.float16)
    zero = np.zeros((1, 1), np.float16)
    assert reductions.contract("mk,kn->mn", left, right, zero, "f16") == 2048
    assert reductions.contract("mk,kn->mn", left[:, :3], right[:3], zero, "f16") == 2050
    assert reductions.contract("mk,kn->mn", left[:, :2], right[:2], np.ones((1, 1), np.float32), "f32") == 2050
    x = np.random.default_rng(0).standard_normal((9, 33)).astype(np.float16)
    exact = [[math.fsum(float(a) * float(b) for a, b in zip(r, s, strict=True)) for s in x] for r in x]
    got = reductions.contract("mk,nk->mn", x, x, np.zeros((9, 9), np.float16), "f16")
    assert numerics.ulp.same_bits(got, np.array(exact).astype(np.float16))
    bytes_ = np.array([[-128, 127]], np.int8)
    assert reductions.contract("mk,nk->mn", bytes_, bytes_, np.zeros((1, 1), np.int32), "i32") == 128**2 + 127**2


def test_ulp_distance() -> None:
    one = np.array([1.0, -0.0, np.nan, np.nan, -1e-7], np.float16)
    two = np.array([np.nextafter(np.float16(1), np.float16(2)), 0.0, np.nan, 1.0, 1e-7], np.float16)
    assert [int(v) for v in numerics.ulp.distance(one, two)] == [1, 0, 0, 2**64 - 1, 4]
    assert int(numerics.ulp.distance(np.array(-(2**63)), np.array(2**63 - 1))) == 2**64 - 1


def test_products_are_summed_and_not_sums_multiplied() -> None:
    left = np.array([[1, -1, 2]], np.float32)
    total = reductions.contract("rc,r->r", left, np.array([np.inf], np.float32), np.zeros(1, np.float32), "f32")
    assert np.isnan(total).all()
