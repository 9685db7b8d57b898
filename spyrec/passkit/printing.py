"""Printing IR around passes, under MLIR's banners and into MLIR's tree of files, in this compiler's assembly."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from spyrec import files
from spyrec.passkit import upstream
from spyrec.passkit.instrument import Instrumentation, Label
from spyrec.passkit.pipeline import UpstreamPass

if TYPE_CHECKING:
    from spyrec.mlir import ir

NAMELESS = "no-symbol-name"
"""What stands for the symbol of an op that has none, in names of folders."""


@dataclass
class PrintConfig:
    """Which dumps are wanted. ``before`` and ``after`` hold names of passes; ``"*"`` stands for all.

    ``after_change`` and ``after_failure`` narrow down what is printed after passes; alone, they mean all passes.
    """

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
        self._counters: dict[tuple[str, ...], int] = {}

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
        if self.config.module_scope:
            symbol = _symbol(op)
            scope = f" ('{op.name}' operation{f': @{symbol}' if symbol else ''})"
            while shown.parent is not None:
                shown = shown.parent.operation
        mark = " Failed" if failed else ""
        banner = f"// -----// IR Dump {when} {label.class_name}{mark}: {_full_text(label, op)}{scope} //----- //"
        text = f"{banner}\n{self.render(shown).rstrip()}\n\n"
        if self.config.tree_dir is None:
            print(text, end="", file=self.out or sys.stderr, flush=True)
        else:
            self._write(self.config.tree_dir, label, op, text)

    def _write(self, root: Path, label: Label, op: ir.Operation, text: str) -> None:
        """One file per dump, where MLIR puts it: ``builtin_module_no-symbol-name/func_func_add/0_3_cse.mlir``.

        The numbers count the dumps of each op on the way from the module, as far as they were made by then. Raises
        InvalidKernel when the file cannot be written.
        """
        way = []
        at = op
        while True:
            symbol = _symbol(at) or NAMELESS
            name = f"{at.name.replace('.', '_')}_{symbol}"
            way.append("".join(c if c.isalnum() or c in "_-" else "_" for c in name)[:200])
            if at.parent is None:
                break
            at = at.parent.operation
        way.reverse()
        own = tuple(way)
        self._counters[own] = self._counters.get(own, -1) + 1
        numbers = [str(self._counters.setdefault(own[: depth + 1], 0)) for depth in range(len(own))]
        path = root.joinpath(*own, f"{'_'.join(numbers)}_{label.name}.mlir")
        with files.writing_to(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, text.encode())


def fingerprint(op: ir.Operation) -> bytes:
    """A digest of the op and all inside it; equal digests mean that nothing but locations changed."""
    import hashlib

    return hashlib.sha256(op.get_asm(print_generic_op_form=True).encode()).digest()


def _wanted(names: frozenset[str], label: Label) -> bool:
    return "*" in names or label.name in names


def _full_text(label: Label, op: ir.Operation) -> str:
    if isinstance(label.element, UpstreamPass):
        return upstream.full_text(label.text, op.name)
    return label.full_text


def _symbol(op: ir.Operation) -> str:
    if "sym_name" not in op.attributes:
        return ""
    from spyrec.mlir import ir

    return ir.StringAttr(op.attributes["sym_name"]).value
