"""Lists of numbers of which some are constants and the others operands, as ops have them: static entries with a marker
for what is dynamic, and the operands. Upstream calls the two directions mixed values and their decomposition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from spyrec.ods.checks import DYNAMIC

Number = TypeVar("Number")


def mixed(static: Iterable[int], dynamic: Iterable[Number]) -> Iterator[int | Number]:
    """The numbers in their order."""
    operands = iter(dynamic)
    return (next(operands) if entry == DYNAMIC else entry for entry in static)


def decomposed(numbers: Sequence[int | Number]) -> tuple[list[int], list[Number]]:
    """Static entries, and the operands that the others are."""
    static = [number if isinstance(number, int) else DYNAMIC for number in numbers]
    return static, [number for number in numbers if not isinstance(number, int)]
