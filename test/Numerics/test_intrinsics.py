"""Limits and constants of the spyreop intrinsics, and that micro-ops are the same functions."""

import math

import numpy as np
import pytest

from spyrec import numerics


def _one(op: str, x: float, element: str = "f16", **attrs: object) -> np.ndarray:
    return numerics.apply(op, np.array(x, numerics.dtype(element)), result_type=element, attrs=attrs)


@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize("op", ["spyreop.silu", "spyreop.gelu"])
def test_gates_vanish_from_below_at_minus_infinity(op: str, element: str) -> None:
    low = _one(op, -np.inf, element)
    assert low == 0
    assert np.signbit(low)
    assert _one(op, np.inf, element) == np.inf
    assert np.signbit(_one(op, -0.0, element))
    assert np.isnan(_one(op, np.nan, element))


def test_gelu_keeps_the_digits_of_its_left_tail() -> None:
    for x in (-9.0, -6.5, -3.0, -0.5, 2.0):
        expected = np.float32(x * 0.5 * math.erfc(-x / math.sqrt(2)))
        assert numerics.ulp.distance(_one("spyreop.gelu", x, "f32"), expected) == 0


def test_sigmoid_and_reciprocal_at_their_ends() -> None:
    assert [float(_one("spyreop.sigmoid", x)) for x in (-np.inf, 0.0, np.inf)] == [0.0, 0.5, 1.0]
    assert float(_one("spyreop.reciprocal", -0.0)) == -np.inf
    assert float(_one("spyreop.rsqrt", 0.0)) == np.inf
    assert np.isnan(_one("spyreop.rsqrt", -1.0))


def test_softplus_is_linear_above_its_threshold_and_continuous() -> None:
    def softplus(x: float, beta: float, threshold: float) -> float:
        return float(_one("spyreop.softplus", x, "f32", beta=beta, threshold=threshold))

    assert softplus(1.5, 2.0, 20.0) == np.float32(math.log1p(math.exp(3.0)) / 2)
    assert softplus(1.5, 2.0, 2.0) == 1.5
    assert softplus(-np.inf, 2.0, 20.0) == 0.0
    assert softplus(np.inf, 2.0, 20.0) == np.inf
    assert abs(softplus(10.01, 2.0, 20.0) - softplus(9.99, 2.0, 20.0)) < 0.021


def test_compare_yields_numbers_and_select_takes_them() -> None:
    a, b = np.array([1, 2, 3, np.nan], np.float16), np.array([2, 2, 2, 2], np.float16)
    expected = {
        "equal": [0, 1, 0, 0],
        "notequal": [1, 0, 1, 1],
        "greaterthan": [0, 0, 1, 0],
        "greaterequal": [0, 1, 1, 0],
        "lesserthan": [1, 0, 0, 0],
        "lesserequal": [1, 1, 0, 0],
    }
    assert tuple(expected) == numerics.SCALAR_OPS["spyreop.compare"].predicates
    for predicate, wanted in expected.items():
        got = numerics.apply("spyreop.compare", a, b, result_type="f16", attrs={"predicate": predicate})
        assert got.dtype == np.float16
        assert list(got) == wanted
        chosen = numerics.apply("spyreop.select", got, a, b, result_type="f16")
        assert [float(v) for v in chosen[:3]] == [float(x if w else y) for x, y, w in zip(a, b, wanted, strict=True)][
            :3
        ]


def test_address_arithmetic_wraps_at_32_bits() -> None:
    i, base, stride = (np.array(v, np.int32) for v in (3, 2**31 - 4, 4))
    assert numerics.apply("spyreop.idx32toaddr", i, base, stride, result_type="i32") == -(2**31) + 8
    assert numerics.apply("spyreop.muli32toi32", base, base, result_type="i32") == 16


def test_every_scalar_op_has_a_micro_op_of_the_same_function() -> None:
    rng = np.random.default_rng(0)
    for op in numerics.SCALAR_OPS.values():
        for predicate in op.predicates or (None,):
            name = numerics.micro_name(op.name, {"predicate": predicate})
            assert name == numerics.MICRO_OPS[op.name, predicate]
            micro = numerics.MICRO[str(name)]
            assert micro.arity == op.arity + len(op.constants)
            assert micro.op.evaluate is op.evaluate or op.name.startswith("spyreop.")
    x = rng.standard_normal(64).astype(np.float16)
    constants = {"beta": 1.5, "threshold": 2.0}
    whole = numerics.apply("spyreop.softplus", x, result_type="f16", attrs=constants)
    split = numerics.apply_micro("softplus", x, *(np.float32(v) for v in constants.values()), result_type="f16")
    assert numerics.ulp.same_bits(whole, split)
    less = numerics.apply_micro("cmpf_olt", x, -x, result_type="i1")
    assert list(less) == [bool(v < 0) for v in x]
    assert numerics.micro_name("tensor.empty") is None
    with pytest.raises(numerics.UnknownOp, match="takes 2 operands, not 1"):
        numerics.apply_micro("addf", x, result_type="f16")
