"""``--mlir-timing``: wall time per pass and nested pipeline, in MLIR's four report formats."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spyrec.passkit.instrument import Instrumentation, Label

if TYPE_CHECKING:
    from spyrec.mlir import ir

RULE = "===" + "-" * 73 + "==="


def heading(title: str) -> list[str]:
    """The three lines that open a report."""
    return [RULE, title.center(79).rstrip(), RULE]


@dataclass
class _Timer:
    name: str
    seconds: float = 0.0
    children: dict[str, _Timer] = field(default_factory=dict)

    def child(self, name: str) -> _Timer:
        return self.children.setdefault(name, _Timer(name))


@dataclass(frozen=True)
class _Row:
    name: str
    seconds: float
    percentage: float
    children: tuple[_Row, ...] = ()


class Timing(Instrumentation):
    """Measures; seconds are wall time, in one thread."""

    def __init__(self) -> None:
        self._root = _Timer("root")
        self._stack: list[tuple[_Timer, float]] = [(self._root, time.perf_counter())]

    def start(self, name: str) -> None:
        """Begin the interval ``name`` inside the current one."""
        self._stack.append((self._stack[-1][0].child(name), time.perf_counter()))

    def stop(self) -> None:
        """End the innermost interval."""
        timer, began = self._stack.pop()
        timer.seconds += time.perf_counter() - began

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """The interval ``name`` around a block."""
        self.start(name)
        try:
            yield
        finally:
            self.stop()

    def before(self, label: Label, op: ir.Operation) -> None:
        self.start(label.class_name)

    def after(self, label: Label, op: ir.Operation) -> None:
        self.stop()

    def failed(self, label: Label, op: ir.Operation) -> None:
        self.stop()

    def enter(self, anchor: str) -> None:
        self.start(f"'{anchor}' Pipeline")

    def leave(self, anchor: str) -> None:
        self.stop()

    def report(self, display: str = "tree", output_format: str = "text") -> str:
        """The table: ``tree`` nests, ``list`` merges equal names and sorts by time; ``text`` or ``json``.

        ``Rest`` is what no interval accounts for.
        """
        total = time.perf_counter() - self._stack[0][1]
        rest = total - sum(t.seconds for t in self._root.children.values())

        def row(timer: _Timer) -> _Row:
            children = tuple(map(row, timer.children.values()))
            return _Row(timer.name, timer.seconds, _percent(timer.seconds, total), children)

        if display == "list":
            merged: dict[str, float] = {self._root.name: total}
            _merge(self._root, merged)
            ordered = sorted(merged.items(), key=lambda item: -item[1])
            rows = [_Row(name, seconds, _percent(seconds, total)) for name, seconds in ordered]
        else:
            rows = [row(timer) for timer in self._root.children.values()]
        last = [_Row("Rest", rest, _percent(rest, total)), _Row("Total", total, 100.0)]
        if output_format == "json":
            return _json(rows, last, nested=display == "tree")
        lines = heading("... Execution time report ...")
        lines += [f"  Total Execution Time: {total:.4f} seconds", "", "  ----Wall Time----  ----Name----"]
        return "\n".join([*lines, *_text([*rows, *last], 0)]) + "\n"


def _percent(seconds: float, total: float) -> float:
    return 100 * seconds / max(total, 1e-12)


def _merge(timer: _Timer, into: dict[str, float]) -> None:
    for child in timer.children.values():
        into[child.name] = into.get(child.name, 0.0) + child.seconds
        _merge(child, into)


def _text(rows: list[_Row], depth: int) -> Iterator[str]:
    for row in rows:
        yield f"  {row.seconds:8.4f} ({row.percentage:5.1f}%)  {'  ' * depth}{row.name}"
        yield from _text(list(row.children), depth + 1)


def _json(rows: list[_Row], last: list[_Row], *, nested: bool) -> str:
    """MLIR's layout: a list whose nested lists end in an empty object."""

    def entry(row: _Row) -> str:
        wall = f'{{"duration": {row.seconds:8.4f}, "percentage": {row.percentage:5.1f}}}'
        return f'{{"wall": {wall}, "name": {_quoted(row.name)}'

    def lines(row: _Row, depth: int) -> Iterator[str]:
        pad = "  " * depth
        yield f'{pad}{entry(row)}, "passes": ['
        for child in row.children:
            yield from lines(child, depth + 1)
        yield f"{pad}{{}}]}},"

    body = [line for row in rows for line in (lines(row, 0) if nested else (f"{entry(row)}}},",))]
    ends = [f"{entry(last[0])}}},", f"{entry(last[1])}}}"]
    return "\n".join(["[", *body, *ends, "]"]) + "\n"


def _quoted(text: str) -> str:
    import json

    return json.dumps(text)
