"""Which classes of inputs the static check goes through."""

from __future__ import annotations

import itertools

from spyrec.passes.analysis.dry_run import check


def test_each_two_of_six_choices_take_all_pairs_of_options() -> None:
    rows = [check._pairs(row) for row in range(25)]
    for first in (0, 1, 4, 9):
        for a, b in itertools.combinations(range(first, first + 6), 2):
            for few, many in ((5, 5), (2, 5), (5, 2), (2, 2), (3, 5)):
                found = {(option(a, few), option(b, many)) for option in rows}
                assert len(found) == few * many, (a, b, few, many)
