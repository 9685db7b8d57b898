"""When affine addresses can meet, against enumeration."""

from __future__ import annotations

import itertools
import random

from spyrec.passes.analysis.overlap import Term, can_reach, first_distance

FAR = 60


def sums(terms: list[Term]) -> set[int]:
    """All sums, variables without a bound reaching far."""
    ranges = []
    for _, low, high in terms:
        first = low if low is not None else (high or 0) - FAR
        ranges.append(range(first, (high if high is not None else first + FAR) + 1))
    factors = [factor for factor, _, _ in terms]
    return {sum(f * v for f, v in zip(factors, point, strict=True)) for point in itertools.product(*ranges)}


def generated(draw: random.Random, sign: int, open_: int) -> list[Term]:
    """Bounded terms and ``open_`` half-bounded ones that all lead to the side of ``sign``."""
    terms: list[Term] = []
    for _ in range(draw.randint(0, 3 - open_)):
        low = draw.randint(-3, 2)
        terms.append((draw.randint(-9, 9), low, low + draw.randint(0, 3)))
    for _ in range(open_):
        factor, bound = draw.randint(1, 6), draw.randint(-2, 3)
        up: Term = (sign * factor, bound, None)
        down: Term = (-sign * factor, None, bound)
        terms.append(draw.choice([up, down]))
    return terms


def test_exact_against_enumeration() -> None:
    draw = random.Random(1)
    for _ in range(3000):
        sign = draw.choice([1, -1])
        terms = generated(draw, sign, draw.randint(0, 1))
        low = draw.randint(-20, 20)
        high = low + draw.randint(0, 4)
        reached = sums(terms)
        assert can_reach(terms, low, high) == any(low <= value <= high for value in reached), (terms, low, high)
        step, limit = sign * draw.randint(0, 6), draw.choice([None, 0, 3, 8])
        distances = range(1, (FAR if limit is None else limit) + 1)
        expected = next((d for d in distances if any(low <= v + step * d <= high for v in reached)), None)
        assert first_distance(step, limit, terms, low, high) == expected, (step, limit, terms, low, high)


def test_unbounded_variables_leave_residues() -> None:
    draw = random.Random(2)
    for _ in range(3000):
        bounded = generated(draw, 1, 0)
        modulus = draw.randint(1, 9)
        terms: list[Term] = [*bounded, (draw.choice([1, -1]) * modulus, None, None)]
        low = draw.randint(-20, 20)
        high = low + draw.randint(0, 4)
        residues = {value % modulus for value in sums(bounded)}
        window = range(low, high + 1)
        assert can_reach(terms, low, high) == any(x % modulus in residues for x in window)
        step = draw.randint(-9, 9)
        expected = next((d for d in range(1, 20) if any((x - step * d) % modulus in residues for x in window)), None)
        assert first_distance(step, None, terms, low, high) == expected


def test_large_numbers_are_exact() -> None:
    """Rows of 2**33 bytes: neighbouring ones are apart by one byte."""
    row = 1 << 33
    box: list[Term] = [(-1, 0, row - 1), (1, 0, row - 2)]
    assert first_distance(row, None, box, 0, 0) is None or first_distance(row, None, box, 0, 0) == 1
    assert first_distance(row + 1, None, [(-1, 0, row - 1), (1, 0, row - 1)], 0, 0) is None
    assert first_distance(row - 1, None, [(-1, 0, row - 1), (1, 0, row - 1)], 0, 0) == 1


def test_empty_ranges_reach_nothing() -> None:
    assert not can_reach([(1, 0, -1)], -100, 100)
    assert first_distance(4, None, [(1, 0, -1)], -100, 100) is None
