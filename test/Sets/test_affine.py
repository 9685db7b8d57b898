"""Reading integer sets from MLIR's text: every operator, against MLIR's own printer and Python's arithmetic."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec import sets
from spyrec.mlir import ir
from spyrec.sets import AffineSyntaxError, Linear

# Expressions as (text for MLIR, function of d0, d1, s0).
LEAVES = [("d0", lambda a, b, s: a), ("d1", lambda a, b, s: b), ("s0", lambda a, b, s: s)]


def expressions() -> st.SearchStrategy[tuple[str, object]]:
    leaf = st.one_of(st.sampled_from(LEAVES), st.integers(0, 9).map(lambda n: (str(n), lambda a, b, s: n)))

    def grow(inner: st.SearchStrategy[tuple[str, object]]) -> st.SearchStrategy[tuple[str, object]]:
        def both(x: tuple[str, object], y: tuple[str, object], minus: bool) -> tuple[str, object]:
            f, g = x[1], y[1]
            if minus:
                return f"({x[0]}) - ({y[0]})", lambda a, b, s: f(a, b, s) - g(a, b, s)  # type: ignore[operator]
            return f"({x[0]}) + ({y[0]})", lambda a, b, s: f(a, b, s) + g(a, b, s)  # type: ignore[operator]

        def scaled(x: tuple[str, object], n: int, how: str) -> tuple[str, object]:
            f = x[1]
            calculate = {
                "*": lambda v: v * n,
                "floordiv": lambda v: v // n,
                "ceildiv": lambda v: -(-v // n),
                "mod": lambda v: v % n,
                "neg": lambda v: -v,
            }[how]
            text = f"-({x[0]})" if how == "neg" else f"({x[0]}) {how} {n}"
            return text, lambda a, b, s: calculate(f(a, b, s))  # type: ignore[operator]

        operators = st.sampled_from(["*", "floordiv", "ceildiv", "mod", "neg"])
        return st.builds(both, inner, inner, st.booleans()) | st.builds(scaled, inner, st.integers(1, 7), operators)

    return st.recursive(leaf, grow, max_leaves=6)


@settings(max_examples=100, deadline=None)
@given(expressions(), st.booleans(), st.tuples(*[st.integers(-20, 20)] * 3))
def test_what_mlir_prints_means_what_was_written(
    written: tuple[str, object], equality: bool, values: tuple[int, int, int]
) -> None:
    text, function = written
    with ir.Context():
        printed = str(ir.Attribute.parse(f"affine_set<(d0, d1)[s0] : ({text} {'==' if equality else '>='} 0)>"))
    value = function(*values)  # type: ignore[operator]
    assert sets.parse(printed).holds(values[:2], values[2:]) is (value == 0 if equality else value >= 0)


def test_a_set_and_its_linear_forms() -> None:
    found = sets.parse("affine_set<(d0, d1)[s0] : (-d0 + s0 * 2 - 1 >= 0, d1 mod 3 == 0)>")
    assert (found.dims, found.symbols) == (2, 1)
    assert found.constraints[0].expression.linear == Linear({"d0": -1, "s0": 2}, -1)
    assert found.constraints[0].text == "-d0 + s0 * 2 - 1"
    assert found.constraints[1].expression.linear is None
    assert [c.equality for c in found.constraints] == [False, True]
    nothing = sets.parse("affine_set<() : (0 == 0)>")
    assert (nothing.dims, nothing.symbols, [c.text for c in nothing.constraints]) == (0, 0, ["0"])
    assert sets.parse("affine_set<() : (0 == 0)>") is nothing


def test_maps() -> None:
    found = sets.parse_map("affine_map<(d0, d1)[s0] -> (d0 * 4 + s0, 7, d1 floordiv 2)>")
    assert (found.dims, found.symbols) == (2, 1)
    assert found.values([3, 5, 1]) == [13, 7, 2]
    assert found.values([3, None, 1]) == [13, 7, None]
    assert found.values([None, 4, 1]) == [None, 7, 2]
    assert sets.parse_map("affine_map<() -> ()>").values([]) == []
    assert sets.parse_map("affine_map<() -> (0)>").values([]) == [0]
    with pytest.raises(AffineSyntaxError):
        sets.parse_map("affine_map<(d0) -> (d0 >= 0)>")


def test_deep_nesting_needs_no_stack() -> None:
    text = "d0"
    for _ in range(2000):
        text = f"({text} floordiv 3 + 1)"
    assert sets.parse(f"affine_set<(d0) : ({text} - 1 == 0)>").holds((0,))


@pytest.mark.parametrize(
    "text",
    [
        "affine_map<(d0) -> (d0)>",
        "affine_set<(d0) : (d0 >= 1)>",
        "affine_set<(d0) : (d0 + >= 0)>",
        "affine_set<(d0) : (d0 d0 >= 0)>",
        "affine_set<(d0) : ((d0 >= 0)>",
        "affine_set<(d0) : (d0) >= 0)>",
        "affine_set<(d0) : (d0 ** 2 >= 0)>",
        "affine_set<(d0) : (d0)>",
        "affine_set<(i) : (i >= 0)>",
        "affine_set<(d0) : (d1 >= 0)>",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(AffineSyntaxError):
        sets.parse(text)
