"""Integer ops: every pair of i8 against Python's integers, and scalars against arrays for all widths."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec import numerics
from spyrec.numerics import scalars


def _binary(op: str, bits: int) -> Callable[[int, int], int]:
    function = scalars.binary(op, bits)
    assert function is not None
    return function


def _signed(value: int) -> int:
    return (value + 128) % 256 - 128


def _trunc(a: int, b: int) -> int:
    return int(math.copysign(1, a) * math.copysign(1, b)) * (abs(a) // abs(b))


BINARY: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.maxui": lambda a, b: max(a % 256, b % 256),
    "arith.minui": lambda a, b: min(a % 256, b % 256),
    "arith.shli": lambda a, b: a << b % 256,
    "arith.shrsi": lambda a, b: a >> b % 256,
    "arith.shrui": lambda a, b: a % 256 >> b % 256,
}
DIVISIONS: dict[str, Callable[[int, int], int]] = {
    "arith.divsi": _trunc,
    "arith.remsi": lambda a, b: a - b * _trunc(a, b),
    "arith.floordivsi": lambda a, b: math.floor(a / b),
    "arith.ceildivsi": lambda a, b: math.ceil(a / b),
    "arith.divui": lambda a, b: a % 256 // (b % 256),
    "arith.remui": lambda a, b: a % 256 % (b % 256),
    "arith.ceildivui": lambda a, b: math.ceil(a % 256 / (b % 256)),
}


@pytest.mark.parametrize("op", [*BINARY, *DIVISIONS])
def test_every_pair_of_i8(op: str) -> None:
    pairs = [(a, b) for a in range(-128, 128) for b in range(-128, 128) if b or op in BINARY]
    left, right = np.array(pairs, dtype=np.int8).T
    function = BINARY.get(op) or DIVISIONS[op]
    expected = np.array([_signed(function(a, b)) for a, b in pairs], dtype=np.int8)
    actual = numerics.apply(op, left, right, result_type="i8")
    assert numerics.ulp.same_bits(actual, expected)


@pytest.mark.parametrize("op", DIVISIONS)
def test_division_by_zero_says_where(op: str) -> None:
    right = np.array([[1, 2], [3, 0]], dtype=np.int32)
    with pytest.raises(numerics.DivisionByZero, match=r"divides by zero at element \[1, 1\]") as caught:
        numerics.apply(op, np.ones((2, 2), dtype=np.int32), right, result_type="i32")
    assert caught.value.index == (1, 1)
    with pytest.raises(numerics.DivisionByZero, match=f"{op} divides by zero$"):
        _binary(op, 32)(1, 0)


def test_one_bit_integers_are_minus_one_when_signed() -> None:
    a, b = np.array(list(itertools.product([False, True], repeat=2))).T

    def got(op: str) -> list[bool]:
        return list(numerics.apply(op, a, b, result_type="i1"))

    assert got("arith.addi") == [False, True, True, False]
    assert got("arith.maxsi") == [False, False, False, True]  # -1 is below 0
    assert got("arith.maxui") == [False, True, True, True]
    assert list(numerics.apply("arith.extsi", a, result_type="i32")) == [0, 0, -1, -1]
    assert list(numerics.apply("arith.extui", a, result_type="i32")) == [0, 0, 1, 1]
    assert list(numerics.apply("arith.sitofp", a, result_type="f16")) == [0, 0, -1, -1]


WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


@st.composite
def _typed_pair(draw: st.DrawFn) -> tuple[str, int, int]:
    element = draw(st.sampled_from(list(WIDTHS)))
    bits = WIDTHS[element]
    low, high = (0, 1) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    number = st.one_of(
        st.integers(low, high), st.sampled_from([low, high, *(v for v in (-1, 1) if low <= v)]), st.integers(0, 1)
    )
    return element, draw(number), draw(number)


@given(_typed_pair(), st.sampled_from([*BINARY, *DIVISIONS]))
@settings(max_examples=400, deadline=None)
def test_scalars_agree_with_arrays(pair: tuple[str, int, int], op: str) -> None:
    element, a, b = pair
    dtype = numerics.dtype(element)
    try:
        expected = numerics.apply(op, np.array(a, dtype), np.array(b, dtype), result_type=element)
    except numerics.DivisionByZero:
        with pytest.raises(numerics.DivisionByZero):
            _binary(op, WIDTHS[element])(a, b)
        return
    assert _binary(op, WIDTHS[element])(a, b) == int(expected)


@given(_typed_pair(), st.integers(0, 9))
@settings(max_examples=200, deadline=None)
def test_scalar_comparisons_agree_with_arrays(pair: tuple[str, int, int], predicate: int) -> None:
    element, a, b = pair
    dtype = numerics.dtype(element)
    expected = numerics.apply(
        "arith.cmpi", np.array(a, dtype), np.array(b, dtype), result_type="i1", attrs={"predicate": predicate}
    )
    assert scalars.compare(predicate, WIDTHS[element])(a, b) == int(expected)


@given(
    _typed_pair(),
    st.sampled_from(list(WIDTHS)),
    st.sampled_from(["extsi", "extui", "trunci", "index_cast", "index_castui"]),
)
@settings(max_examples=200, deadline=None)
def test_scalar_casts_agree_with_arrays(pair: tuple[str, int, int], target: str, cast: str) -> None:
    element, value, _ = pair
    expected = numerics.apply(f"arith.{cast}", np.array(value, numerics.dtype(element)), result_type=target)
    function = scalars.resize(f"arith.{cast}", WIDTHS[element], WIDTHS[target])
    assert function is not None
    assert function(value) == int(expected)


def test_cmpi_predicates_are_numbered_as_in_mlir() -> None:
    assert numerics.SCALAR_OPS["arith.cmpi"].predicates == (
        "eq",
        "ne",
        "slt",
        "sle",
        "sgt",
        "sge",
        "ult",
        "ule",
        "ugt",
        "uge",
    )
    with pytest.raises(numerics.UnknownOp, match="no predicate 10"):
        scalars.compare(10, 32)


def test_bit_counts() -> None:
    x = np.array([0, 1, 8, -1, -128], dtype=np.int8)
    assert list(numerics.apply("math.ctlz", x, result_type="i8")) == [8, 7, 4, 0, 0]
    assert list(numerics.apply("math.cttz", x, result_type="i8")) == [8, 0, 3, 0, 7]
    assert list(numerics.apply("math.ctpop", x, result_type="i8")) == [0, 1, 1, 8, 1]
