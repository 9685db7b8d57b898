"""Textual pipelines that mix our passes and MLIR's at any nesting.

The grammar is MLIR's: ``builtin.module(func.func(resolve-views{depth=2},canonicalize),cse)``. A name of ours becomes a
:class:`Pass`; every other name is handed to MLIR's ``PassManager``. The outer ``builtin.module(...)`` may be left out.

Positions in errors are those of the pipeline's text, as a file named ``<pass pipeline>``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from spyrec.errors import Diagnostic, Position, Severity, UsageError
from spyrec.passkit import registry, upstream
from spyrec.passkit.base import Pass

if TYPE_CHECKING:
    from spyrec.mlir import ir
    from spyrec.passkit.base import PassContext
    from spyrec.passkit.instrument import Instrumentation

MODULE = "builtin.module"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


@dataclass(frozen=True)
class OwnPass:
    """One of our passes, made with its options."""

    instance: Pass

    def __str__(self) -> str:
        return self.instance.spelling()


@dataclass(frozen=True)
class UpstreamPass:
    """A pass, or a named pipeline, that MLIR registers. ``options`` is the text between its braces, empty when none."""

    name: str
    options: str = ""
    column: int = field(default=1, compare=False)

    def __str__(self) -> str:
        return self.name + (f"{{{self.options}}}" if self.options else "")


@dataclass(frozen=True)
class Nest:
    """Elements that run on each op ``anchor`` directly inside the current one."""

    anchor: str
    elements: tuple[Element, ...]

    def __str__(self) -> str:
        return f"{self.anchor}({','.join(map(str, self.elements))})"


Element = OwnPass | UpstreamPass | Nest


def _lines(element: Element, indent: str) -> str:
    if not isinstance(element, Nest):
        return f"{indent}{element}"
    inner = ",\n".join(_lines(e, indent + "  ") for e in element.elements)
    return f"{indent}{element.anchor}(\n{inner}\n{indent})"


@dataclass(frozen=True)
class Pipeline:
    """A parsed pipeline: ``elements`` run in order on the op ``anchor`` (``any``: whatever is there)."""

    anchor: str
    elements: tuple[Element, ...]
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return str(Nest(self.anchor, self.elements))

    def lines(self) -> str:
        """Its text with a line per pass, indented by how deep they nest: what ``--dump-pass-pipeline`` prints."""
        return _lines(Nest(self.anchor, self.elements), "")

    def check(self, context: ir.Context) -> None:
        """Ask MLIR whether it knows every pass that is not ours, with its options. Raises UsageError, located."""
        _check_upstream(self.elements, self.anchor, self.text, context)

    def run(
        self,
        op: ir.Operation,
        ctx: PassContext,
        instrumentation: Instrumentation | None = None,
        *,
        verify_each: bool = False,
    ) -> None:
        """Run on ``op`` in place.

        Raises the exception that ``diag.IDS`` gives for the first error that a pass reported (``pass-failed``, an
        InvalidKernel, when a pass of MLIR fails), and CompilerBug when a pass of ours raises something that is no
        SpyrecError, or when with ``verify_each`` the IR is not valid after a pass.
        """
        from spyrec.passkit.runner import Runner

        Runner(ctx, instrumentation, verify_each=verify_each).run(self, op)

    def then(self, other: Pipeline) -> Pipeline:
        """This pipeline followed by ``other``, which has the same anchor."""
        return replace(self, elements=self.elements + other.elements, text="")


def parse(text: str) -> Pipeline:
    """Read a pipeline; imports the passes of ours that it names. Raises UsageError at the offending column."""
    parser = _Parser(text)
    elements = parser.elements(MODULE)
    parser.expect_end()
    match elements:
        case (Nest(anchor=("builtin.module" | "any") as anchor, elements=inner),):
            return Pipeline(anchor, inner, text)
    return Pipeline(MODULE, elements, text)


def from_flags(flags: list[tuple[str, str]]) -> Pipeline:
    """The pipeline that command-line flags spell: ``--cse --x=a=1`` is ``[("cse", ""), ("x", "a=1")]``.

    A pass of ours is nested in its anchor by itself, as are MLIR's that are restricted to functions.
    """
    elements: list[Element] = []
    for name, options in flags:
        if registry.known(name):
            instance = registry.lookup(name).from_options(options)
            own = OwnPass(instance)
            elements.append(own if instance.anchor == MODULE else Nest(instance.anchor, (own,)))
        else:
            elements.append(UpstreamPass(name, options))
    return Pipeline(MODULE, tuple(elements))


def nest_upstream(pipeline: Pipeline, context: ir.Context) -> Pipeline:
    """Put each pass of MLIR that refuses the module into ``func.func(...)``, as a command-line flag means it."""
    moved = tuple(
        Nest("func.func", (e,))
        if isinstance(e, UpstreamPass) and upstream.problem(e.name, e.options, MODULE, context) == upstream.WRONG_ANCHOR
        else e
        for e in pipeline.elements
    )
    return replace(pipeline, elements=moved)


def walk(elements: tuple[Element, ...]) -> Iterator[OwnPass | UpstreamPass]:
    """All passes, in order of the text."""
    for element in elements:
        if isinstance(element, Nest):
            yield from walk(element.elements)
        else:
            yield element


def fail(text: str, column: int, message: str, notes: tuple[str, ...] = (), width: int = 1) -> NoReturn:
    """Raise UsageError at ``column`` (from 1) of the pipeline ``text``, with ``width`` characters underlined."""
    position = Position("<pass pipeline>", 1, column) if text else None
    raise UsageError(
        [
            Diagnostic(
                Severity.ERROR,
                message,
                "pass-pipeline",
                position,
                column + width if position else None,
                source_line=text or None,
                notes=tuple(Diagnostic(Severity.NOTE, n) for n in notes),
            )
        ]
    )


def _check_upstream(elements: tuple[Element, ...], anchor: str, text: str, context: ir.Context) -> None:
    for element in elements:
        if isinstance(element, Nest):
            _check_upstream(element.elements, element.anchor, text, context)
        elif isinstance(element, UpstreamPass):
            wide = len(element.name)
            problem = upstream.problem(element.name, element.options, anchor, context)
            if problem is None:
                continue
            if problem == upstream.UNKNOWN:
                near = registry.nearest(element.name, tuple(upstream.CLASS_NAMES))
                hint = f"; did you mean '{near}'?" if near else ""
                fail(
                    text,
                    element.column,
                    f"'{element.name}' is neither a pass of spyrec nor one of MLIR's{hint}",
                    (),
                    wide,
                )
            if problem == upstream.WRONG_ANCHOR:
                fail(
                    text,
                    element.column,
                    f"pass '{element.name}' does not run on '{anchor}'",
                    (f"nest it in the op that it runs on, as in func.func({element})",),
                    wide,
                )
            fail(text, element.column, f"pass '{element.name}': {problem}", (), wide)


class _Parser:
    """Recursive descent over the text; ``at`` is the offset of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def elements(self, anchor: str) -> tuple[Element, ...]:
        found: list[Element] = []
        self.skip_blank()
        if self.peek() in ("", ")"):
            return ()
        while True:
            element = self.element(anchor)
            if not (isinstance(element, Nest) and not element.elements):
                found.append(element)
            self.skip_blank()
            if self.peek() != ",":
                return tuple(found)
            self.at += 1

    def element(self, anchor: str) -> Element:
        self.skip_blank()
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in _NAME:
            self.at += 1
        name = self.text[start : self.at]
        if not name:
            found = f"'{self.peek()}'" if self.peek() else "the end"
            fail(self.text, self.at + 1, f"expected the name of a pass, got {found}")
        self.skip_blank()
        if self.peek() == "(":
            opened = self.at
            self.at += 1
            inner = self.elements(name)
            self.skip_blank()
            if self.peek() != ")":
                what = f"expected ',' or ')', got '{self.peek()}'" if self.peek() else "this '(' is not closed"
                fail(self.text, (self.at if self.peek() else opened) + 1, what)
            self.at += 1
            return Nest(name, inner)
        options = self.options() if self.peek() == "{" else ""
        if not registry.known(name):
            return UpstreamPass(name, options, start + 1)
        cls = registry.lookup(name)
        # The outermost level has no name when `builtin.module(` is left out.
        if cls.anchor != anchor:
            fail(
                self.text,
                start + 1,
                f"pass '{name}' runs on '{cls.anchor}', not on '{anchor}'",
                (f"nest it: {cls.anchor}({name})",),
                len(name),
            )
        try:
            return OwnPass(cls.from_options(options))
        except UsageError as error:
            fail(self.text, start + 1, error.diagnostics[0].message, (), len(name))

    def options(self) -> str:
        start, depth, quote = self.at, 0, ""
        while self.at < len(self.text):
            c = self.text[self.at]
            self.at += 1
            if quote:
                quote = "" if c == quote else quote
            elif c in "\"'":
                quote = c
            elif c == "{":
                depth += 1
            elif c == "}":
                depth -= 1
                if depth == 0:
                    return self.text[start + 1 : self.at - 1].strip()
        fail(self.text, start + 1, "this '{' is not closed")

    def expect_end(self) -> None:
        self.skip_blank()
        if self.peek():
            fail(self.text, self.at + 1, f"expected ',' or the end, got '{self.peek()}'")

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip_blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
