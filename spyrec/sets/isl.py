"""The integer set library behind :class:`spyrec.sets.points.Points`, for sets that are no boxes of numbers.

It is imported when the first such set turns up. Every question has a budget of work; beyond it the answer is "not
known", which callers treat as "nothing to report".
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spyrec.sets.points import Point, Points, substitute

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET = 50_000
"""Elementary operations of the library for one question; some tenths of a second at worst."""
MAX_TEXT = 20_000
"""Longest text of one set that is handed to the library."""

_local = threading.local()
_NUMBER = re.compile(r"-?\d+")


def _context() -> Any:
    """The library's context of this thread (contexts must not be shared between threads)."""
    made = getattr(_local, "context", None)
    if made is None:
        import islpy

        made = _local.context = islpy.Context()
        made.set_max_operations(BUDGET)
    return made


def shape(points: Points) -> Shape | None:
    """``points`` for the library; None when it has no words for it (a product of names) or it is too large."""
    found: Shape | None = _shapes()(points)
    return found


def _shapes() -> Callable[[Points], Shape | None]:
    """The memory of this thread's shapes."""
    if not hasattr(_local, "shapes"):
        _local.shapes = functools.lru_cache(maxsize=1024)(_make)
    found: Callable[[Points], Shape | None] = _local.shapes
    return found


def _make(points: Points) -> Shape | None:
    text = _text(points)
    if text is None or len(text) > MAX_TEXT:
        return None
    import islpy

    try:
        return Shape(islpy.Set(text, context=_context()), points.dims)
    except islpy.Error:
        return None
    finally:
        _context().reset_operations()


def _text(points: Points) -> str | None:
    names = substitute(points)
    parameters = sorted({v for v in points.symbols if isinstance(v, str)})
    conditions = [f"{p} >= 0" for p in parameters]
    for constraint in points.points.constraints:
        said = constraint.expression.fold(str, names.__getitem__, _apply)
        if said is None:
            return None
        conditions.append(f"{said} {'=' if constraint.equality else '>='} 0")
    dims = ", ".join(f"x{k}" for k in range(points.dims))
    return f"[{', '.join(parameters)}] -> {{ [{dims}] : {' and '.join(conditions) or 'true'} }}"


def _apply(operator: str, arguments: Sequence[str]) -> str | None:
    """An operator in the library's language; None for what it has no words for."""
    if operator == "neg":
        return f"(-{arguments[0]})"
    left, right = arguments
    if operator in "+-":
        return f"({left} {operator} {right})"
    divisor = right.strip("()")
    if operator == "*":
        numbers = _NUMBER.fullmatch(divisor) or _NUMBER.fullmatch(left.strip("()"))
        return f"({left} * {right})" if numbers else None
    if not divisor.isdigit() or int(divisor) == 0:
        return None
    if operator == "mod":
        return f"({left} mod {divisor})"
    return f"floor({left} / {divisor})" if operator == "floordiv" else f"(-floor((-{left}) / {divisor}))"


class Shape:
    """A set of the library. Answers are about all parameters of at least 0 for which the sets involved have points."""

    def __init__(self, points: Any, dims: int) -> None:
        self.points = points
        self.dims = dims

    def empty(self) -> bool:
        """Whether there is no point."""
        return bool(_ask(lambda: self.points.is_empty()))

    def apart(self, other: Shape) -> bool:
        """Whether no point is one of both."""
        return bool(_ask(lambda: self.points.is_disjoint(other.points)))

    def meets(self, other: Shape) -> Point | None:
        """A point of both, if there always is one."""

        def find() -> Point | None:
            both = self.points.intersect(other.points)
            possible = self.points.params().intersect(other.points.params())
            return _sample(both) if not both.is_empty() and possible.is_subset(both.params()) else None

        found: Point | None = _ask(find)
        return found

    def leaves(self, *rooms: Shape) -> Point | None:
        """A point that is in none of ``rooms``, if there always is one."""

        def find() -> Point | None:
            out, possible = self.points, self.points.params()
            for room in rooms:
                out = out.subtract(room.points)
            return _sample(out) if not out.is_empty() and possible.is_subset(out.params()) else None

        found: Point | None = _ask(find)
        return found

    def spans(self) -> list[tuple[int, int] | None]:
        """Lowest and highest coordinate per dimension, where they are the same for all parameters."""
        return [_ask(lambda k=k: self._span(k)) for k in range(self.dims)]  # type: ignore[misc]

    def _span(self, dim: int) -> tuple[int, int] | None:
        if self.points.is_empty():
            return None
        ends = [self._fixed(self.points.dim_min(dim)), self._fixed(self.points.dim_max(dim))]
        return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])

    @staticmethod
    def _fixed(value: Any) -> int | None:
        """The number that a piecewise expression of the parameters always is."""
        low, high = value.min_val(), value.max_val()
        return low.to_python() if low.is_int() and high.is_int() and low.eq(high) else None

    def extents(self) -> list[int | None]:
        """From the lowest to the highest coordinate, per dimension."""
        return [_ask(lambda k=k: self._extent(k)) for k in range(self.dims)]  # type: ignore[misc]

    def _extent(self, dim: int) -> int | None:
        import islpy

        kind = islpy.dim_type.set
        line = self.points.project_out(kind, dim + 1, self.dims - dim - 1).project_out(kind, 0, dim)
        if line.is_empty():
            return 0
        # The longest step from one point to another, where no parameter decides how long it is.
        steps = islpy.Map.from_domain_and_range(line, line).deltas()
        longest = steps.dim_max_val(0) if steps.dim_has_upper_bound(kind, 0) else None
        if longest is None or not longest.is_int():
            return None
        fixed = steps.intersect(islpy.Set(f"{{ [x] : x = {longest} }}", context=_context())).params()
        return longest.to_python() + 1 if line.params().is_subset(fixed) else None


def _sample(points: Any) -> Point | None:
    import islpy

    point = points.lexmin().sample_point() if points.is_bounded() else points.sample_point()
    if point.is_void():
        return None
    kind = islpy.dim_type.set
    values = [point.get_coordinate_val(kind, k) for k in range(points.dim(kind))]
    return tuple(v.to_python() for v in values)


def _ask(question: Callable[[], Any]) -> Any:
    """The answer, or None when it takes too much work."""
    import islpy

    try:
        return question()
    except islpy.Error:
        return None
    finally:
        _context().reset_operations()
