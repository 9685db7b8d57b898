"""Casts: exact against rationals, saturation, and one rounding for every pair of types."""

from fractions import Fraction

import numpy as np
import pytest

from spyrec import numerics

ALL_F16 = np.arange(65536, dtype=np.uint16).view(np.float16)
INTEGERS = {
    "i1": (0, 1),
    "i8": (-128, 127),
    "i16": (-32768, 32767),
    "i32": (-(2**31), 2**31 - 1),
    "i64": (-(2**63), 2**63 - 1),
}


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64"])
def test_every_f16_to_an_integer_saturates(element: str) -> None:
    low, high = INTEGERS[element]

    def expected(x: float, low: int, high: int) -> int:
        if x != x:
            return 0
        return high if x == np.inf else low if x == -np.inf else min(max(int(x), low), high)

    got = numerics.apply("arith.fptosi", ALL_F16, result_type=element)
    assert [int(v) for v in got] == [expected(float(x), low, high) for x in ALL_F16]
    unsigned = numerics.apply("arith.fptoui", ALL_F16, result_type=element)
    top = 2 * high + 1
    assert [int(v) & top for v in unsigned] == [expected(float(x), 0, top) for x in ALL_F16]


def test_large_floats_to_i64() -> None:
    x = np.array([2.0**63, -(2.0**63), 2.0**63 - 1024, 1e300, -1e300])
    assert list(numerics.apply("arith.fptosi", x, result_type="i64")) == [
        2**63 - 1, -(2**63), 2**63 - 1024, 2**63 - 1, -(2**63),
    ]  # fmt: skip


def _distance(value: float, exact: int) -> Fraction:
    return abs(Fraction(value) - exact)


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_integers_to_floats_round_once(element: str) -> None:
    rng = np.random.default_rng(11)
    dtype = numerics.dtype(element)
    limit = 15 if element == "f16" else 62
    values = [int(rng.integers(1, 4)) << int(s) for s in rng.integers(0, limit - 1, 300)]
    # Just beside the midpoint of two neighbours, where a second rounding goes wrong.
    digits = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}[element]
    values += [(1 << s) + (1 << (s - digits)) + d for s in range(digits + 1, limit) for d in (-1, 0, 1)]
    array = np.array(values + [-v for v in values], dtype=np.int64)
    for value, got in zip(array, numerics.apply("arith.sitofp", array, result_type=element), strict=True):
        exact = int(value)
        for step in (np.array(np.inf, dtype), np.array(-np.inf, dtype)):
            other = float(np.nextafter(got, step.astype(dtype)))
            if np.isfinite(other):
                assert _distance(float(got), exact) <= _distance(other, exact), exact


def test_unsigned_integers_to_floats() -> None:
    x = np.array([-1, 1], dtype=np.int64)
    assert list(numerics.apply("arith.uitofp", x, result_type="f32")) == [2.0**64, 1.0]
    assert list(numerics.apply("arith.uitofp", x.astype(np.int8), result_type="bf16")) == [255.0, 1.0]


def test_f64_to_bf16_and_f16_round_once() -> None:
    for element, digits in (("bf16", 8), ("f16", 11)):
        half = 2.0**-digits  # half a unit above 1
        x = np.array(
            [1 + half, 1 + half + 2.0**-40, 1 + half - 2.0**-40, -(1 + half + 2.0**-52), 1e300, 2.0**-200, np.nan]
        )
        got = numerics.apply("arith.truncf", x, result_type=element).astype(np.float64)
        assert list(got[:-1]) == [1.0, 1 + 2 * half, 1.0, -(1 + 2 * half), np.inf, 0.0 if element == "f16" else got[5]]
        assert np.isnan(got[-1])
    assert numerics.apply("arith.truncf", np.array(2.0**-200), result_type="bf16") == 0


def test_extension_is_exact_for_every_f16() -> None:
    numbers = ALL_F16[~np.isnan(ALL_F16)]
    for element in ("f32", "f64"):
        wide = numerics.apply("arith.extf", numbers, result_type=element)
        assert wide.dtype == numerics.dtype(element)
        assert numerics.apply("arith.truncf", wide, result_type="f16").tobytes() == numbers.tobytes()


def test_bitcast_keeps_bits_and_width() -> None:
    bits = numerics.apply("arith.bitcast", ALL_F16, result_type="i16")
    assert bits.tobytes() == ALL_F16.tobytes()
    assert numerics.apply("arith.bitcast", bits, result_type="bf16").tobytes() == ALL_F16.tobytes()
    with pytest.raises(numerics.UnknownOp, match="changes the width"):
        numerics.apply("arith.bitcast", ALL_F16, result_type="i32")


def test_memory_images() -> None:
    raw = np.array([0, 1, 2, 255], dtype=np.uint8)
    assert list(numerics.from_bytes(raw, "i1")) == [False, True, True, True]
    assert list(numerics.from_bytes(raw, "i16")) == [256, -254]
    assert list(numerics.from_bytes(raw, "ui32")) == list(numerics.from_bytes(raw, "i32"))
    assert numerics.to_bytes(numerics.from_bytes(raw, "bf16")).tolist() == raw.tolist()
    assert [numerics.sizeof(t) for t in ("i1", "f16", "bf16", "si32", "f64", "index")] == [1, 2, 2, 4, 8, 8]
    with pytest.raises(numerics.UnknownType, match="'i7' has no NumPy meaning"):
        numerics.dtype("i7")
