"""Watching passes: the hooks that the driver calls around them, and what a pass is called there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spyrec.passkit import options
from spyrec.passkit.pipeline import OwnPass, UpstreamPass
from spyrec.passkit.upstream import class_name

if TYPE_CHECKING:
    from spyrec.mlir import ir


@dataclass(frozen=True)
class Label:
    """What a pass is called: its class (``ResolveViews``), its name (``resolve-views``), its text with options.

    ``element`` is the pass itself, None where several of MLIR's run as one.
    """

    class_name: str
    name: str
    text: str
    element: OwnPass | UpstreamPass | None = None

    @classmethod
    def of(cls, element: OwnPass | UpstreamPass) -> Label:
        """The label of a pipeline element."""
        if isinstance(element, OwnPass):
            return cls(type(element.instance).__name__, element.instance.NAME, str(element), element)
        return cls(class_name(element.name), element.name, str(element), element)

    @property
    def full_text(self) -> str:
        """The text with all options that the pass has, defaults too, as MLIR's banners show it."""
        if isinstance(self.element, OwnPass):
            return self.name + options.print_options(self.element.instance, defaults=True)
        return self.text


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
