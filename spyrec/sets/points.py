"""Sets of points with their symbols bound, and what can be said of them for certain."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from spyrec.sets.affine import Constraint, Expression, IntegerSet, parse
from spyrec.sets.box import Box, NotABox, of_constraints, uncovered

if TYPE_CHECKING:
    from spyrec.sets.isl import Shape

Point: TypeAlias = tuple[int, ...]
_unnamed = itertools.count()


@dataclass(frozen=True)
class Points:
    """The points of an integer set, moved by ``offset``.

    ``symbols`` says what each symbol of the set stands for: a number, or the name of a parameter, which is any number
    of at least 0 and the same one in all sets that name it.
    """

    points: IntegerSet
    symbols: tuple[int | str, ...] = ()
    offset: tuple[int, ...] = field(default=())

    @staticmethod
    def of(text: str, symbols: Sequence[int | str] = ()) -> Points:
        """The set whose text MLIR prints as ``text``. Symbols that are not given are parameters of that set alone.

        Raises :class:`spyrec.sets.affine.AffineSyntaxError`.
        """
        points = parse(text)
        if points.symbols <= len(symbols):
            return _known(points, tuple(symbols[: points.symbols]))
        free = tuple(f"free{next(_unnamed)}" for _ in range(len(symbols), points.symbols))
        return Points(points, (*symbols, *free))

    @staticmethod
    def of_sizes(sizes: Sequence[int | str]) -> Points:
        """All points from 0 up to, but not including, ``sizes``; a size may be a parameter."""
        return _of_sizes(tuple(sizes))

    def moved(self, by: Sequence[int]) -> Points:
        """The set with ``by`` added to each point."""
        old = self.offset or (0,) * self.dims
        return Points(self.points, self.symbols, tuple(a + b for a, b in zip(old, by, strict=True)))

    @property
    def dims(self) -> int:
        return self.points.dims

    @functools.cached_property
    def box(self) -> Box | None:
        """The box that the set is; None when it is none, or depends on a parameter."""
        if self.offset:
            still = _known(self.points, self.symbols).box
            return None if still is None else still.moved(self.offset)
        values = {f"s{k}": v for k, v in enumerate(self.symbols) if isinstance(v, int)}
        forms = [constraint.expression.linear_in(values) for constraint in self.points.constraints]
        known = [form for form in forms if form is not None and all(name[0] == "d" for name in form.factors)]
        if len(known) < len(forms):
            return None
        try:
            return of_constraints(self.dims, self.points.constraints, known)
        except NotABox:
            return None

    @property
    def shape(self) -> Shape | None:
        """The set for the integer set library; None when it cannot be said there."""
        from spyrec.sets.isl import shape

        return shape(self)

    # -- questions ----------------------------------------------------------------------------------------------------

    def surely_empty(self) -> bool:
        """Whether there is no point, whatever the parameters are."""
        if self.box is not None:
            return self.box.is_empty
        shape = self.shape
        return shape is not None and shape.empty()

    def surely_outside(self, room: Points) -> Point | None:
        """A point that is none of ``room``, if there is one whatever the parameters are."""
        if self.box is not None and room.box is not None:
            return self.box.outside(room.box)
        mine, other = self.shape, room.shape
        return mine.leaves(other) if mine is not None and other is not None else None

    def surely_meets(self, other: Points) -> Point | None:
        """A point of both, if there is one whatever the parameters are."""
        if self.box is not None and other.box is not None:
            both = self.box.common(other.box)
            return None if both.is_empty else both.low
        mine, its = self.shape, other.shape
        return mine.meets(its) if mine is not None and its is not None else None

    def surely_apart(self, other: Points) -> bool:
        """Whether no point is one of both, whatever the parameters are."""
        if self.box is not None and other.box is not None:
            return self.box.common(other.box).is_empty
        mine, its = self.shape, other.shape
        return mine is not None and its is not None and mine.apart(its)

    def spans(self) -> list[tuple[int, int] | None]:
        """Lowest and highest coordinate per dimension; None where not known, without bound, or without points."""
        if self.box is not None:
            return list(zip(self.box.low, self.box.high, strict=True)) if not self.box.is_empty else [None] * self.dims
        shape = self.shape
        return shape.spans() if shape is not None else [None] * self.dims

    def extents(self) -> list[int | None]:
        """From the lowest to the highest coordinate, per dimension; None where that is not known or has no bound."""
        if self.box is not None:
            return [0 if self.box.is_empty else extent for extent in self.box.extents]
        shape = self.shape
        return shape.extents() if shape is not None else [None] * self.dims

    def surely_uncovered(self, parts: Sequence[Points]) -> Point | None:
        """A point that is in none of ``parts``, if there is one whatever the parameters are."""
        boxes = [part.box for part in parts if part.box is not None]
        if self.box is not None and len(boxes) == len(parts):
            return uncovered(self.box, boxes)
        mine, shapes = self.shape, [part.shape for part in parts]
        known = [s for s in shapes if s is not None]
        return mine.leaves(*known) if mine is not None and len(known) == len(shapes) else None


@functools.lru_cache(maxsize=4096)
def _known(points: IntegerSet, symbols: tuple[int | str, ...]) -> Points:
    """One object per set and symbols, so that what is found out about it is found out once."""
    return Points(points, symbols)


@functools.lru_cache(maxsize=256)
def _of_sizes(sizes: tuple[int | str, ...]) -> Points:
    constraints: list[Constraint] = []
    for k in range(len(sizes)):
        # The size is symbol k: d >= 0, s - d - 1 >= 0.
        constraints.append(Constraint(Expression((f"d{k}",)), False, f"d{k}"))
        room = Expression((f"s{k}", f"d{k}", "-", 1, "-"))
        constraints.append(Constraint(room, False, f"s{k} - d{k} - 1"))
    return Points(IntegerSet(len(sizes), len(sizes), tuple(constraints)), sizes)


def substitute(points: Points) -> Mapping[str, str]:
    """What each name of the set is called in the text of the integer set library: ``x0 - offset`` and the like."""
    offset = points.offset or (0,) * points.dims
    dims = {f"d{k}": f"(x{k} - {o})" if o > 0 else f"(x{k} + {-o})" for k, o in enumerate(offset)}
    return dims | {f"s{k}": f"({v})" if isinstance(v, int) else v for k, v in enumerate(points.symbols)}
