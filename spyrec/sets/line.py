"""Sets of one dimension, such as the compute tiles of a group, as plain sets of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.sets.affine import IntegerSet

LIMIT = 1 << 16
"""More candidates than this are not looked at."""


def members(points: IntegerSet, symbols: Sequence[int] = (), among: range | None = None) -> frozenset[int] | None:
    """The points of a set of one dimension for these values of its symbols.

    ``among`` says where to look; without it the bounds come from the constraints that are linear in the point. None
    when there are no bounds, or too many candidates.
    """
    assert points.dims == 1
    values = {f"s{k}": v for k, v in enumerate(symbols)}
    among = _bounds(points, values) if among is None else among
    if among is None or len(among) > LIMIT:
        return None
    return frozenset(x for x in among if all(c.holds({**values, "d0": x}) for c in points.constraints))


def _bounds(points: IntegerSet, values: dict[str, int]) -> range | None:
    low: int | None = None
    high: int | None = None
    for constraint in points.constraints:
        form = constraint.expression.linear_in(values)
        if form is None or "d0" not in form.factors:
            continue
        factor, rest = form.factors["d0"], form.constant
        for f, r in ((factor, rest), (-factor, -rest))[: 1 + constraint.equality]:
            # f * x + r >= 0
            if f > 0:
                low = -(r // f) if low is None else max(low, -(r // f))
            else:
                high = r // -f if high is None else min(high, r // -f)
    return None if low is None or high is None else range(low, high + 1)
