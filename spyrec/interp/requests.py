"""What control flow asks for when it cannot go on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spyrec.mlir import ir


@dataclass(frozen=True)
class Blocked:
    """A unit cannot go on: ``channel`` is empty, and ``op`` waits for it."""

    channel: str
    op: ir.Operation


@dataclass(frozen=True)
class Await:
    """A compute tile cannot go on: at ``op`` it waits until ``missing()``, the tiles that ``what`` has to come from
    ("a post of channel @c from"), is empty.
    """

    op: ir.Operation
    what: str
    missing: Callable[[], Sequence[int]]


#: How control flow runs: it may yield, and returns the values that leave it.
Flow = Generator[Blocked | Await, None, Any]
