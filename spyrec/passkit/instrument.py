"""Watching passes: the hook that the driver calls, IR printing with MLIR's banners, and timing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from spyrec.passkit.pipeline import OwnPass, UpstreamPass
from spyrec.passkit.upstream import class_name

if TYPE_CHECKING:
    from spyrec.mlir import ir


@dataclass(frozen=True)
class Label:
    """What a pass is called: its class (``ResolveViews``), its name (``resolve-views``), its text with options."""

    class_name: str
    name: str
    text: str

    @classmethod
    def of(cls, element: OwnPass | UpstreamPass) -> Label:
        """The label of a pipeline element."""
        if isinstance(element, OwnPass):
            return cls(type(element.instance).__name__, element.instance.NAME, str(element))
        return cls(class_name(element.name), element.name, str(element))


class Instrumentation:
    """Hooks around passes; this base does nothing.

    ``each`` says whether passes have to be run one at a time to be seen; when it is false, neighbouring passes of MLIR
    run together and share one label.
    """

    each: bool = True

    def before(self, label: Label, op: ir.Operation) -> None:
        """``label`` is about to run on ``op``."""

    def after(self, label: Label, op: ir.Operation) -> None:
        """``label`` ran and ``op`` is what it left."""

    def failed(self, label: Label, op: ir.Operation) -> None:
        """``label`` refused the input, raised, or left ``op`` invalid."""

    def enter(self, anchor: str) -> None:
        """A nested pipeline on ops ``anchor`` begins."""

    def leave(self, anchor: str) -> None:
        """It is through."""


class Several(Instrumentation):
    """Calls each of a list; the ``after`` hooks in reverse, so that they nest."""

    def __init__(self, parts: list[Instrumentation]) -> None:
        self.parts = parts
        self.each = any(p.each for p in parts)

    def before(self, label: Label, op: ir.Operation) -> None:
        for part in self.parts:
            part.before(label, op)

    def after(self, label: Label, op: ir.Operation) -> None:
        for part in reversed(self.parts):
            part.after(label, op)

    def failed(self, label: Label, op: ir.Operation) -> None:
        for part in reversed(self.parts):
            part.failed(label, op)

    def enter(self, anchor: str) -> None:
        for part in self.parts:
            part.enter(anchor)

    def leave(self, anchor: str) -> None:
        for part in reversed(self.parts):
            part.leave(anchor)


@dataclass
class PrintConfig:
    """Which dumps are wanted. ``before`` and ``after`` hold names of passes; ``"*"`` stands for all."""

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    after_change: bool = False
    after_failure: bool = False
    module_scope: bool = False
    tree_dir: Path | None = None

    @property
    def active(self) -> bool:
        """Whether anything can be printed at all."""
        return bool(self.before or self.after or self.after_change or self.after_failure)


class Printer(Instrumentation):
    """Prints IR around passes to ``out``, or to files under ``config.tree_dir``.

    ``render`` prints one op in this compiler's assembly.
    """

    def __init__(self, config: PrintConfig, render: Callable[[ir.Operation], str], out: TextIO | None = None) -> None:
        self.config = config
        self.render = render
        self.out = out
        self._prints: list[bytes] = []
        self._counts: list[int] = [0]
        self._folders: dict[str, int] = {}

    def before(self, label: Label, op: ir.Operation) -> None:
        if self.config.after_change:
            self._prints.append(fingerprint(op))
        if _wanted(self.config.before, label):
            self._dump("Before", label, op)

    def after(self, label: Label, op: ir.Operation) -> None:
        unchanged = self.config.after_change and self._prints.pop() == fingerprint(op)
        wanted = _wanted(self.config.after, label) or (self.config.after_change and not self.config.after)
        if wanted and not unchanged and not self.config.after_failure:
            self._dump("After", label, op)

    def failed(self, label: Label, op: ir.Operation) -> None:
        if self.config.after_change:
            self._prints.pop()
        if self.config.after_failure or _wanted(self.config.after, label):
            self._dump("After", label, op, failed=True)

    def _dump(self, when: str, label: Label, op: ir.Operation, *, failed: bool = False) -> None:
        shown, scope = op, ""
        if self.config.module_scope or self.config.tree_dir:
            scope = f" ('{op.name}' operation{_symbol(op)})"
            while self.config.module_scope and shown.parent is not None:
                shown = shown.parent.operation
        mark = " Failed" if failed else ""
        banner = f"// -----// IR Dump {when} {label.class_name}{mark} ({label.name}){scope} //----- //"
        text = f"{banner}\n{self.render(shown).rstrip()}\n\n"
        if self.config.tree_dir is None:
            print(text, end="", file=self.out or sys.stderr, flush=True)
        else:
            self._write(self.config.tree_dir, label, op, text, "before" if when == "Before" else "after")

    def _write(self, root: Path, label: Label, op: ir.Operation, text: str, when: str) -> None:
        """One file per dump, as upstream lays them out: ``builtin_module/func_func_add/3_cse.mlir``."""
        parts, at = [], op
        while True:
            name = at.name.replace(".", "_")
            symbol = _symbol(at).removeprefix(": @")
            parts.append("".join(c if c.isalnum() or c in "_-" else "_" for c in f"{name}_{symbol}".rstrip("_"))[:100])
            if at.parent is None:
                break
            at = at.parent.operation
        folder = root.joinpath(*reversed(parts))
        folder.mkdir(parents=True, exist_ok=True)
        number = self._folders.setdefault(str(folder), 0)
        self._folders[str(folder)] += 1
        suffix = "_before" if when == "before" else ""
        (folder / f"{number}_{label.name}{suffix}.mlir").write_text(text, encoding="utf-8")


def fingerprint(op: ir.Operation) -> bytes:
    """A digest of the op and all inside it; equal digests mean that nothing but locations changed."""
    import hashlib

    return hashlib.sha256(op.get_asm(print_generic_op_form=True).encode()).digest()


def _wanted(names: frozenset[str], label: Label) -> bool:
    return "*" in names or label.name in names


def _symbol(op: ir.Operation) -> str:
    if "sym_name" not in op.attributes:
        return ""
    from spyrec.mlir import ir

    return f": @{ir.StringAttr(op.attributes['sym_name']).value}"


@dataclass
class _Timer:
    name: str
    seconds: float = 0.0
    children: dict[str, _Timer] = field(default_factory=dict)

    def child(self, name: str) -> _Timer:
        return self.children.setdefault(name, _Timer(name))


class Timing(Instrumentation):
    """Wall time per pass and nested pipeline, reported as MLIR does."""

    def __init__(self) -> None:
        self._root = _Timer("Total")
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

    def report(self) -> str:
        """The table, with the rest that no pass accounts for and the total."""
        total = time.perf_counter() - self._stack[0][1]
        rest = total - sum(t.seconds for t in self._root.children.values())
        line = "===" + "-" * 73 + "==="
        rows = [line, "... Execution time report ...".center(79).rstrip(), line]
        rows += [f"  Total Execution Time: {total:.4f} seconds", "", "  ----Wall Time----  ----Name----"]

        def row(name: str, seconds: float, depth: int) -> str:
            return f"  {seconds:8.4f} ({100 * seconds / max(total, 1e-12):5.1f}%)  {'  ' * depth}{name}"

        def visit(timer: _Timer, depth: int) -> None:
            rows.append(row(timer.name, timer.seconds, depth))
            for inner in timer.children.values():
                visit(inner, depth + 1)

        for timer in self._root.children.values():
            visit(timer, 0)
        rows += [row("Rest", rest, 0), row("Total", total, 0)]
        return "\n".join(rows) + "\n"
