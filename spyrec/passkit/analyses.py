"""What passes have found out about functions, kept for those that come after while it holds.

Every pass ends what was known of its op, but for the kinds that :meth:`Pass.run` returns; passes of MLIR end all of it.
So nobody can forget to: what is not said to be kept is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from spyrec.mlir import ir

T = TypeVar("T")

Kept = tuple[type, ...] | None
"""The kinds of analyses that hold after a pass, each by its class; ``None`` for none."""

UNCHANGED: Final[tuple[type, ...]] = (object,)
"""What a pass returns that has left its op as it was: all kinds."""


class Analyses:
    """At most one result of each kind (its class) for each op.

    Results name ops, which later passes erase; they live as long as :meth:`scope` and no longer than they hold. Outside
    of it, where nobody tells what changes, nothing is kept.
    """

    def __init__(self) -> None:
        self._found: dict[ir.Operation, dict[type, Any]] = {}
        self._open = 0

    def find(self, op: ir.Operation, kind: type[T]) -> T | None:
        """The result of a kind for ``op``, if there is one that holds."""
        found: T | None = self._found.get(op, {}).get(kind) if self._open else None
        return found

    def add(self, op: ir.Operation, result: object) -> None:
        """Keep a result for ``op``, in the place of one of its kind."""
        if self._open:
            self._found.setdefault(op, {})[type(result)] = result

    def end(self, op: ir.Operation, kept: Kept = None) -> None:
        """``op`` may have changed: forget all about it but what is ``kept``. For another op than a function, about all
        ops.
        """
        if not self._found or kept == UNCHANGED:
            return
        if op.name != "func.func":
            self._found.clear()
        elif op in self._found:
            held = self._found.pop(op)
            # A pass from elsewhere may return whatever it likes: that says nothing.
            kinds = kept if isinstance(kept, tuple) else ()
            left = {kind: result for kind, result in held.items() if issubclass(kind, kinds)}
            if left:
                self._found[op] = left

    @contextmanager
    def scope(self) -> Iterator[None]:
        """In here, passes alone change the IR. All is forgotten at the end of the outermost scope."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
            if not self._open:
                self._found.clear()
