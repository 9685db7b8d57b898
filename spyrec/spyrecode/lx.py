"""What a launch puts into scratchpads (LX) before the kernel starts.

``lx3:128`` is the LX of core 3 from element 128 on, counted in elements of the array, as literal addresses are;
``lx:128`` is the LX of every core, and the array has a row per compute tile. ``lx3:128:bf16`` takes raw bits as bf16.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from spyrec import numerics

_NAME = re.compile(r"lx(\d*):(\d+)(?::(\w+))?")


@dataclass(frozen=True)
class Preset:
    """What a scratchpad holds when the kernel starts: ``array`` from byte ``address`` on, on core ``core``."""

    core: int
    address: int
    array: npt.NDArray[Any]


def is_lx(name: str) -> bool:
    """Whether a name of a launch means a place in LX."""
    return _NAME.fullmatch(name) is not None


def presets(name: str, array: npt.NDArray[Any], tiles: int, problem: Callable[[str], None]) -> list[Preset]:
    """What ``name`` puts where, on ``tiles`` compute tiles; mistakes go to ``problem``."""
    match = _NAME.fullmatch(name)
    assert match is not None
    core, element, type_ = match.groups()
    try:
        own = numerics.scalar_type(type_) if type_ else numerics.type_of(array)
    except numerics.UnknownType as error:
        problem(f"'{name}': {error}")
        return []
    if array.dtype.itemsize != numerics.sizeof(own.name):
        problem(f"'{name}' has elements of type {array.dtype}, which are no bits of {own.name}")
        return []
    address = int(element) * numerics.sizeof(own.name)
    if core and int(core) >= tiles:
        problem(f"'{name}' is the scratchpad of no compute tile: they are 0 to {tiles - 1}")
        return []
    if core:
        return [Preset(int(core), address, array)]
    if array.ndim < 1 or array.shape[0] != tiles:
        problem(f"'{name}' has shape {list(array.shape)}; it needs a row for each of the {tiles} compute tiles")
        return []
    return [Preset(tile, address, array[tile]) for tile in range(tiles)]
