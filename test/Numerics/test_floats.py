"""Float ops against Python's ``math`` and exact rationals, on every f16 value where there is one operand."""

import itertools
import math
import operator
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from spyrec import numerics

ALL_F16 = np.arange(65536, dtype=np.uint16).view(np.float16)
ALL_BF16 = np.arange(65536, dtype=np.uint16).view(numerics.dtype("bf16"))


def _f32(value: float) -> np.float32:
    with np.errstate(over="ignore"):
        return np.float32(value)


def _limit(function: Callable[[float], float], x: float) -> float:
    """``function`` at x, with the IEEE results where ``math`` raises."""
    try:
        return function(x)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan


def _log(function: Callable[[float], float], pole: float = 0.0) -> Callable[[float], float]:
    return lambda x: -math.inf if x == pole else function(x)


def _inverse(x: float) -> float:
    return math.copysign(math.inf, x) if x == 0 else 1 / x


def _sigmoid(x: float) -> float:
    return 0.0 if x < -700 else 1 / (1 + math.exp(-x))


def _silu(x: float) -> float:
    return -0.0 if x == -math.inf else x * _sigmoid(x)


def _gelu(x: float) -> float:
    return -0.0 if x == -math.inf else x * 0.5 * math.erfc(-x / math.sqrt(2))


ELEMENTARY: dict[str, Callable[[float], float]] = {
    "math.exp": math.exp,
    "math.exp2": lambda x: 2.0**x,
    "math.expm1": math.expm1,
    "math.log": _log(math.log),
    "math.log2": _log(math.log2),
    "math.log10": _log(math.log10),
    "math.log1p": _log(math.log1p, -1.0),
    "math.sin": math.sin,
    "math.cos": math.cos,
    "math.tan": math.tan,
    "math.atan": math.atan,
    "math.tanh": math.tanh,
    "math.erf": math.erf,
    "math.erfc": math.erfc,
    "math.sqrt": lambda x: x if x == 0 else math.sqrt(x),
    "math.rsqrt": lambda x: _inverse(math.sqrt(x)) if x else math.copysign(math.inf, x),
    "math.floor": lambda x: math.copysign(float(math.floor(x)), x) if math.isfinite(x) else x,
    "math.ceil": lambda x: math.copysign(float(math.ceil(x)), x) if math.isfinite(x) else x,
    "math.trunc": lambda x: math.copysign(float(math.trunc(x)), x) if math.isfinite(x) else x,
    "math.roundeven": lambda x: math.copysign(float(round(x)), x) if math.isfinite(x) else x,
    "math.round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x) if math.isfinite(x) else x,
    "math.absf": abs,
    "arith.negf": operator.neg,
    "spyreop.exp": math.exp,
    "spyreop.sqrt": lambda x: x if x == 0 else math.sqrt(x),
    "spyreop.rsqrt": lambda x: _inverse(math.sqrt(x)) if x else math.copysign(math.inf, x),
    "spyreop.reciprocal": _inverse,
    "spyreop.sigmoid": _sigmoid,
    "spyreop.silu": _silu,
    "spyreop.gelu": _gelu,
}


@pytest.mark.parametrize("op", ELEMENTARY)
def test_every_f16_value_is_rounded_from_the_f32_result(op: str) -> None:
    actual = numerics.apply(op, ALL_F16, result_type="f16")
    wide = np.array([_f32(_limit(ELEMENTARY[op], float(x))) for x in ALL_F16])
    with np.errstate(over="ignore"):
        expected = wide.astype(np.float16)
    numbers = ~np.isnan(ALL_F16)
    assert np.isnan(actual[~numbers]).all()
    assert np.array_equal(np.isnan(actual), np.isnan(expected))
    real = ~np.isnan(expected)
    assert numerics.ulp.same_bits(actual[real], expected[real]), np.flatnonzero(
        actual.view("u2") != expected.view("u2")
    )[:5]


@pytest.mark.parametrize("op", ["math.exp", "math.tanh", "spyreop.gelu", "arith.negf", "math.floor"])
def test_bf16_is_computed_in_f32_and_rounded_once(op: str) -> None:
    expected = numerics.apply(op, ALL_BF16.astype(np.float32), result_type="f32")
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = expected.astype(ALL_BF16.dtype)
    actual = numerics.apply(op, ALL_BF16, result_type="bf16")
    real = ~np.isnan(expected)
    assert numerics.ulp.same_bits(actual[real], narrow[real])
    assert np.isnan(actual[~real]).all()


def _nearest(exact: Fraction, dtype: np.dtype) -> float:
    """The number of ``dtype`` nearest to a rational in its normal or subnormal range, ties to even."""
    digits, lowest = {"float16": (11, -24), "bfloat16": (8, -133), "float32": (24, -149), "float64": (53, -1074)}[
        dtype.name
    ]
    if exact == 0:
        return 0.0
    exponent = math.floor(math.log2(abs(exact))) + 1 if abs(exact) < 2**900 else 0
    while Fraction(2) ** exponent <= abs(exact):
        exponent += 1
    while Fraction(2) ** (exponent - 1) > abs(exact):
        exponent -= 1
    unit = Fraction(2) ** max(exponent - digits, lowest)
    return float(round(exact / unit) * unit)


ARITHMETIC: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.divf": operator.truediv,
    "spyreop.realdiv": operator.truediv,
}


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic_is_correctly_rounded(op: str, element: str) -> None:
    rng = np.random.default_rng(7)
    dtype = numerics.dtype(element)
    left, right = (np.ldexp(rng.uniform(1, 2, 400), rng.integers(-7, 7, 400)).astype(dtype) for _ in range(2))
    right = right * rng.choice([-1, 1], 400).astype(dtype)
    actual = numerics.apply(op, left, right, result_type=element)
    for a, b, got in zip(left, right, actual, strict=True):
        assert float(got) == _nearest(ARITHMETIC[op](Fraction(float(a)), Fraction(float(b))), dtype), (a, b)


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_fma_rounds_the_exact_sum_once(element: str) -> None:
    rng = np.random.default_rng(3)
    dtype = numerics.dtype(element)
    spread = 4 if element == "f16" else 12
    a, b, c = (np.ldexp(rng.uniform(-2, 2, 600), rng.integers(-spread, spread, 600)).astype(dtype) for _ in range(3))
    c[:200] = -(a[:200] * b[:200])  # cancellation: what is left is the product's rounding error
    c[200:300] = (c[200:300].astype(np.float64) * 2.0**-9).astype(dtype)
    actual = numerics.apply("math.fma", a, b, c, result_type=element)
    for x, y, z, got in zip(a, b, c, actual, strict=True):
        assert float(got) == _nearest(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)), dtype), (x, y, z)


def test_fma_of_f32_differs_from_a_rounded_product() -> None:
    a, c = np.float32(1 + 2**-12), np.float32(-(1 + 2**-11))
    assert numerics.apply("math.fma", a, a, c, result_type="f32") == np.float32(2**-24)
    product = numerics.apply("arith.mulf", a, a, result_type="f32")
    assert numerics.apply("arith.addf", product, c, result_type="f32") == 0


SPECIAL = np.array([np.nan, -np.inf, -1.5, -0.0, 0.0, 2.0, np.inf], dtype=np.float32)


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_minimum_and_maximum(element: str) -> None:
    values = SPECIAL.astype(numerics.dtype(element))

    def key(x: float) -> tuple[float, float]:
        return (x, math.copysign(1.0, x))

    for x, y in itertools.product(values, values):
        nan = [v for v in (x, y) if math.isnan(float(v))]
        numbers = [v for v in (x, y) if not math.isnan(float(v))]
        for op, choose in (("max", max), ("min", min)):
            strict = numerics.apply(f"arith.{op}imumf", x, y, result_type=element)
            loose = numerics.apply(f"arith.{op}numf", x, y, result_type=element)
            assert np.isnan(strict) if nan else strict.tobytes() == choose(x, y, key=lambda v: key(float(v))).tobytes()
            best = choose(numbers, key=lambda v: key(float(v))) if numbers else None
            assert np.isnan(loose) if best is None else loose.tobytes() == best.tobytes(), (op, x, y)


def test_every_predicate_of_cmpf() -> None:
    relations: dict[str, Callable[[float, float], bool]] = {
        "eq": operator.eq,
        "gt": operator.gt,
        "ge": operator.ge,
        "lt": operator.lt,
        "le": operator.le,
        "ne": lambda a, b: a != b,
    }
    names = numerics.SCALAR_OPS["arith.cmpf"].predicates
    assert names.index("oeq") == 1
    assert names.index("ord") == 7
    assert names.index("uno") == 14
    for a, b in itertools.product(SPECIAL, SPECIAL):
        unordered = bool(np.isnan(a) or np.isnan(b))
        for number, name in enumerate(names):
            if name in ("false", "true"):
                expected = name == "true"
            elif name in ("ord", "uno"):
                expected = unordered == (name == "uno")
            else:
                expected = name[0] == "u" if unordered else relations[name[1:]](a, b)
            for predicate in (number, name):
                got = numerics.apply("arith.cmpf", a, b, result_type="i1", attrs={"predicate": predicate})
                assert bool(got) == expected, (name, a, b)
    with pytest.raises(numerics.UnknownOp, match="no predicate 16"):
        numerics.apply("arith.cmpf", SPECIAL, SPECIAL, result_type="i1", attrs={"predicate": 16})


@pytest.mark.parametrize("op", ["arith.addf", "arith.mulf", "arith.maximumf", "math.powf", "math.atan2"])
def test_a_computed_nan_is_the_canonical_one_whatever_the_operands_carry(op: str) -> None:
    payload = np.array([0xFFC00123, 0x7FC00456], dtype=np.uint32).view(np.float32)
    for order in (payload, payload[::-1]):
        got = numerics.apply(op, order[:1], order[1:], result_type="f32")
        assert got.view(np.uint32)[0] == 0x7FC00000


def test_moves_keep_the_bits_of_a_nan() -> None:
    nan = np.array([0xFFC00123], dtype=np.uint32).view(np.float32)
    assert numerics.apply("arith.negf", nan, result_type="f32").view(np.uint32)[0] == 0x7FC00123
    kept = numerics.apply("arith.select", np.array([True]), nan, nan + 1, result_type="f32")
    assert kept.view(np.uint32)[0] == 0xFFC00123


def test_erf_is_accurate_in_f64() -> None:
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.uniform(-7, 7, 20000), rng.uniform(-0.6, 0.6, 20000), rng.standard_normal(2000) * 1e-9])
    for op, function, bound in (("math.erf", math.erf, 2), ("math.erfc", math.erfc, 8)):
        expected = np.array([function(v) for v in x])
        assert numerics.ulp.distance(numerics.apply(op, x, result_type="f64"), expected).max() <= bound


def test_results_do_not_depend_on_layout() -> None:
    x = np.random.default_rng(2).standard_normal((33, 17)).astype(np.float32)
    for op in ("math.exp", "math.sin", "spyreop.gelu", "math.log"):
        whole = numerics.apply(op, x, result_type="f32")
        strided = numerics.apply(op, x[::2, ::3], result_type="f32")
        single = [[numerics.apply(op, v, result_type="f32") for v in row] for row in x[::2, ::3]]
        assert strided.tobytes() == whole[::2, ::3].tobytes() == np.array(single, dtype=np.float32).tobytes()
