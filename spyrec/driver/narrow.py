"""The smallest reproducer of a pass that went wrong: the IR right before it, and that pass alone.

While passes run they are counted. When one fails, the same work is done again up to that count, which is the state that
the failed run destroyed. What fails only together with its past keeps the whole pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from spyrec.passkit.instrument import Instrumentation, Label

if TYPE_CHECKING:
    from spyrec.driver.compile import Options
    from spyrec.mlir import ir

Narrow: TypeAlias = "Callable[[int], tuple[str, str] | None]"
"""From the number of a pass (from 1) to ``(IR, pipeline)`` right before it; None if it never runs."""


class PassCounter(Instrumentation):
    """Counts passes as they begin and tells ``tell`` each number.

    ``failed_at`` is the number of the first pass that refused its input, raised, or left invalid IR; None so far.
    """

    def __init__(self, tell: Callable[[int], None], *, each: bool = False) -> None:
        self.each = each
        self.number = 0
        self.failed_at: int | None = None
        self._tell = tell

    def before(self, label: Label, op: ir.Operation) -> None:
        self.number += 1
        self._tell(self.number)

    def failed(self, label: Label, op: ir.Operation) -> None:
        if self.failed_at is None:
            self.failed_at = self.number


class _Reached(BaseException):
    """The pass that was looked for is about to run. No ``Exception``: nothing on the way may take it for a failure."""

    def __init__(self, text: str, pipeline: str) -> None:
        self.text = text
        self.pipeline = pipeline


class _Stop(Instrumentation):
    def __init__(self, number: int, *, each: bool) -> None:
        self.left = number
        self.each = each

    def before(self, label: Label, op: ir.Operation) -> None:
        self.left -= 1
        if self.left:
            return
        from spyrec.driver.compile import printed

        pipeline, at = label.text, op
        while True:
            pipeline = f"{at.name}({pipeline})"
            if at.parent is None:
                break
            at = at.parent.operation
        raise _Reached(printed(at, debuginfo=True), pipeline)


def before_pass(
    rerun: Callable[[Instrumentation], object], number: int, *, each: bool = False
) -> tuple[str, str] | None:
    """``(IR, pipeline)`` right before the pass ``number`` (from 1) of what ``rerun`` does; None if it never runs.

    ``each`` as it was when the passes were counted.
    """
    try:
        rerun(_Stop(number, each=each))
    except _Reached as reached:
        return reached.text, reached.pipeline
    except Exception:
        return None
    return None


def narrowed(text: str, filename: str, options: Options, number: int) -> tuple[str, str] | None:
    """:func:`before_pass` of a compilation."""
    from dataclasses import replace

    from spyrec.driver.compile import Session

    quiet = replace(options, dump_stages=None)
    return before_pass(lambda stop: Session(text, filename, quiet, stop).run(), number)
