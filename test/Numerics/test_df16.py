"""df16 against exact rational arithmetic: every pattern decoded and encoded, every unary op on every pattern."""

import math
from fractions import Fraction

import numpy as np
import pytest

from spyrec import numerics
from spyrec.numerics.df16 import DF16, LARGEST, SMALLEST, SYMBOL, bits_of, decode, encode

BITS = np.arange(1 << 16, dtype=np.uint16)
ALL = BITS.view(DF16)
VALUES = decode(ALL).astype(np.float64)


def exact(bits: int) -> Fraction | None:
    """The value of a pattern by the definition; None for the symbol."""
    sign, exponent, fraction = bits >> 15, bits >> 9 & 63, bits & 511
    if (exponent, fraction) == (63, 511):
        return None
    if (exponent, fraction) == (0, 0):
        return Fraction(0)
    value = Fraction(2) ** (exponent - 31) * (1 + Fraction(fraction, 512))
    return -value if sign else value


EXACT = [exact(b) for b in range(1 << 15)]
NUMBERS = [v for v in EXACT if v is not None]  # ascending: the patterns order as the values do


def nearest(value: Fraction) -> int:
    """The pattern (without sign) of the number nearest to a magnitude, halves up; the symbol beyond half a step."""
    top = NUMBERS[-1]
    if value >= top + (top - NUMBERS[-2]) / 2:
        return SYMBOL
    low, high = 0, len(NUMBERS) - 1
    while low < high:  # the greatest number that is not above the value
        middle = (low + high + 1) // 2
        low, high = (middle, high) if NUMBERS[middle] <= value else (low, middle - 1)
    if low + 1 < len(NUMBERS) and value - NUMBERS[low] >= NUMBERS[low + 1] - value:
        return low + 1
    return low


def pattern(value: float) -> int:
    """The pattern that a double rounds to."""
    if not math.isfinite(value):
        return SYMBOL
    code = nearest(abs(Fraction(value)))
    return code if code == SYMBOL else code | (0x8000 if math.copysign(1, value) < 0 else 0)


def test_every_pattern_has_the_value_of_the_definition() -> None:
    for bits in range(1 << 16):
        want = exact(bits)
        got = float(VALUES[bits])
        assert math.isnan(got) if want is None else Fraction(got) == want, hex(bits)
    assert math.copysign(1, VALUES[0x8000]) == -1
    assert (float(NUMBERS[1]), float(NUMBERS[-1])) == (SMALLEST, LARGEST)


def test_every_number_encodes_to_its_pattern_and_the_symbol_to_one() -> None:
    got = bits_of(encode(VALUES))
    symbols = BITS & 0x7FFF == SYMBOL
    assert np.array_equal(got[~symbols], BITS[~symbols])
    assert (got[symbols] == SYMBOL).all()
    assert list(bits_of(encode(np.array([np.inf, -np.inf, np.nan, 1e300])))) == [SYMBOL] * 4


def test_halves_round_up_and_neighbours_of_halves_to_the_nearest() -> None:
    rng = np.random.default_rng(7)
    chosen = [0, 1, 2, 510, 511, 512, *rng.integers(0, len(NUMBERS) - 1, 400), len(NUMBERS) - 2]
    for k in map(int, chosen):
        middle = float((NUMBERS[k] + NUMBERS[k + 1]) / 2)
        below, above = np.nextafter(middle, 0), np.nextafter(middle, np.inf)
        codes = bits_of(encode(np.array([middle, below, above, -middle])))
        assert list(codes) == [k + 1, k, k + 1, (k + 1) | 0x8000], k
    beyond = LARGEST + (LARGEST - float(NUMBERS[-2])) / 2
    assert list(bits_of(encode(np.array([beyond, np.nextafter(beyond, 0)])))) == [SYMBOL, SYMBOL - 1]


def test_the_published_storage_error() -> None:
    x = np.random.default_rng(0).random(100_000)
    assert np.abs(decode(encode(x)) - x).max() <= 0.00048828125


UNARY = {
    "spyreop.exp": math.exp,
    "spyreop.sqrt": math.sqrt,
    "spyreop.rsqrt": lambda x: 1 / math.sqrt(x),
    "spyreop.reciprocal": lambda x: float(Fraction(1) / Fraction(x)),
    "spyreop.sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "spyreop.silu": lambda x: x / (1 + math.exp(-x)),
    "spyreop.gelu": lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2)),
}


def reference(function: object, x: float) -> float:
    """The function on a double; NaN outside its domain, its limit where Python overflows."""
    try:
        return float(function(x))  # type: ignore[operator]
    except ZeroDivisionError:
        return math.nan  # an infinity, which is the symbol
    except OverflowError:
        return {"exp": math.inf}.get(getattr(function, "__name__", ""), -0.0)
    except ValueError:
        return math.nan


@pytest.mark.parametrize("op", UNARY)
def test_unary_ops_on_all_patterns(op: str) -> None:
    got = bits_of(numerics.apply(op, ALL, result_type="df16"))
    for bits in range(1 << 16):
        value = float(VALUES[bits])
        want = pattern(reference(UNARY[op], value)) if not math.isnan(value) else SYMBOL
        found = int(got[bits])
        if (found | 0x8000) == (want | 0x8000) == 0x8000:
            continue  # the sign of a zero does not matter
        # A value within f32's error of a half may go either way.
        assert abs(found - want) <= (0 if SYMBOL in (found, want) else 1), (hex(bits), value, hex(found), hex(want))
        if found != want:
            low, high = sorted((abs(float(VALUES[found])), abs(float(VALUES[want]))))
            true = abs(reference(UNARY[op], value))
            assert abs(true - (low + high) / 2) <= 2.0**-22 * true, (hex(bits), true)


def test_softplus_on_all_patterns() -> None:
    attributes = {"beta": 2.0, "threshold": 20.0}
    got = bits_of(numerics.apply("spyreop.softplus", ALL, result_type="df16", attrs=attributes))
    for bits in range(0, 1 << 16, 7):
        x = float(VALUES[bits])
        if math.isnan(x):
            assert got[bits] == SYMBOL
            continue
        true = x if 2 * x > 20 else (max(2 * x, 0) + math.log1p(math.exp(-abs(2 * x)))) / 2
        assert abs(int(got[bits]) - pattern(true)) <= 1, x


def test_operands_of_two() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 1 << 16, 20_000).astype(np.uint16) for _ in range(2))
    got = bits_of(numerics.apply("spyreop.realdiv", a.view(DF16), b.view(DF16), result_type="df16"))
    less = bits_of(
        numerics.apply(
            "spyreop.compare", a.view(DF16), b.view(DF16), result_type="df16", attrs={"predicate": "lesserthan"}
        )
    )
    chosen = bits_of(numerics.apply("spyreop.select", less.view(DF16), a.view(DF16), b.view(DF16), result_type="df16"))
    one = pattern(1.0)
    for k, (p, q) in enumerate(zip(map(int, a), map(int, b), strict=True)):
        x, y = exact(p), exact(q)
        smaller = x is not None and y is not None and x < y
        assert int(less[k]) == (one if smaller else 0)
        assert int(chosen[k]) == (p if smaller else q)
        if x is None or y is None or y == 0:
            assert int(got[k]) == SYMBOL
        else:
            code = nearest(abs(x / y))
            negative = (p >> 15) != (q >> 15)
            assert int(got[k]) == (code if code == SYMBOL else code | (0x8000 if negative else 0)), (p, q)


def test_memory_and_ulp() -> None:
    raw = numerics.to_bytes(ALL)
    assert raw.size == 2 << 16
    assert np.array_equal(bits_of(numerics.from_bytes(raw, "df16")), BITS)
    assert numerics.dtype("!spyreop.df16") == numerics.dtype("vector<1xui16>") == DF16
    assert numerics.sizeof("df16") == 2
    one, next_ = encode(np.array([1.0])), encode(np.array([1 + 2.0**-9]))
    assert int(numerics.ulp.distance(one, next_)[0]) == 1
    assert np.array_equal(bits_of(numerics.rounded(np.array([1.0]), "df16")), bits_of(one))
