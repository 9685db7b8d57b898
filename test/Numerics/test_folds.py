"""What a fold is, on ops of nothing but a name and operands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from spyrec.numerics.folds import Fold, fold


@dataclass(frozen=True)
class Op:
    name: str
    operands: Sequence[str]


def found(yielded: str = "s", accumulators: Sequence[str] = (), **body: str) -> Fold[Op] | None:
    """How a body folds into the output that held ``o``; ``s="addf o x"`` is one op of it."""
    ops: Mapping[str, Op] = {
        made: Op(f"arith.{name}", operands) for made, (name, *operands) in ((k, v.split()) for k, v in body.items())
    }
    return fold(yielded, "o", accumulators, ops.get)


@pytest.mark.parametrize(("op", "position"), [("addf o x", 1), ("addf x o", 0), ("maxnumf o x", 1), ("xori x o", 0)])
def test_a_combiner_of_the_old_element_and_a_term(op: str, position: int) -> None:
    one = found(s=op)
    assert one is not None
    assert (one.position, one.term, one.combiner.op) == (position, "x", f"arith.{op.split()[0]}")
    assert one.product is None
    assert one.parts == ["x"]


@pytest.mark.parametrize(
    ("total", "term", "is_product", "parts"),
    [
        ("addf o p", "mulf x y", True, ["x", "y"]),
        ("addf p o", "mulf x y", True, ["x", "y"]),
        ("addi o p", "muli x y", True, ["p"]),
        ("addf o p", "addf x y", False, ["p"]),
        ("maximumf o p", "mulf x y", False, ["p"]),
        ("mulf o p", "mulf x y", False, ["p"]),
    ],
)
def test_only_sums_have_products_and_those_of_floats_are_not_rounded(
    total: str, term: str, is_product: bool, parts: list[str]
) -> None:
    one = found(s=total, p=term)
    assert one is not None
    assert (one.product is not None) == is_product
    assert one.parts == parts


def test_a_product_that_the_body_does_not_make_is_a_number_like_others() -> None:
    one = found(s="addf o elsewhere")
    assert one is not None
    assert one.product is None


@pytest.mark.parametrize(
    "body",
    [
        {"s": "subf o x"},
        {"s": "addf o o"},
        {"s": "addf x y"},
        {"s": "addf o p", "p": "mulf o x"},
        {"s": "addf o p", "p": "mulf q x"},
        {"s": "addf o p", "p": "mulf t x", "t": "addf q x"},
        {"t": "addf o x"},
    ],
)
def test_what_is_no_fold(body: Mapping[str, str]) -> None:
    assert found(accumulators=["o", "q"], **body) is None
