"""Boxes that meet themselves, against their points one by one."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec.passes.analysis.views import meets_itself

DIMENSIONS = st.lists(st.tuples(st.integers(0, 5), st.integers(-12, 12)), max_size=4)


@settings(max_examples=300, deadline=None)
@given(DIMENSIONS)
def test_boxes_that_meet_themselves(dimensions: list[tuple[int, int]]) -> None:
    extents, strides = [n for n, _ in dimensions], [s for _, s in dimensions]
    places = [sum(map(int.__mul__, point, strides)) for point in product(*map(range, extents))]
    assert meets_itself(extents, strides) == (len(set(places)) < len(places))
