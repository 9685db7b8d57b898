"""The smallest reproducer of a pass that went wrong: the IR right before it, and that pass alone.

While a compilation runs, passes are counted. When one fails, the same compilation is run again up to that count, which
is the state that the failed run destroyed. What fails only together with its past keeps the whole pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spyrec.passkit.instrument import Instrumentation, Label

if TYPE_CHECKING:
    from spyrec.driver.compile import Options
    from spyrec.mlir import ir


class PassCounter(Instrumentation):
    """Counts passes as they begin, tells ``tell`` each number; ``inside`` says whether one is running or failed."""

    each = False

    def __init__(self, tell: Callable[[int], None]) -> None:
        self.number = 0
        self.inside = False
        self._tell = tell

    def before(self, label: Label, op: ir.Operation) -> None:
        self.number += 1
        self.inside = True
        self._tell(self.number)

    def after(self, label: Label, op: ir.Operation) -> None:
        self.inside = False


class _Reached(BaseException):
    """The pass that was looked for is about to run. No ``Exception``: nothing on the way may take it for a failure."""

    def __init__(self, text: str, pipeline: str) -> None:
        self.text = text
        self.pipeline = pipeline


class _Stop(Instrumentation):
    each = False

    def __init__(self, number: int) -> None:
        self.left = number

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


def narrowed(text: str, filename: str, options: Options, number: int) -> tuple[str, str] | None:
    """``(IR, pipeline)`` right before the pass number ``number`` (from 1) of a compilation; None if it never runs."""
    from dataclasses import replace

    from spyrec.driver.compile import Session

    session = Session(text, filename, replace(options, dump_stages=None), _Stop(number))
    try:
        session.run()
    except _Reached as reached:
        return reached.text, reached.pipeline
    except Exception:
        return None
    return None
