"""The places in the sources that make a diagnostic, each under a name that edits elsewhere leave alone.

A site is a call that is given the id of a diagnostic as a string, or a literal sentence where a mistake is raised
(``cursor.fail("expected ...")``); an id that a function puts aside or hands out (``return "syntax", text``) is one,
too. It is called ``FILE::FUNCTION id#N``: the N-th with this id in the function (``#0`` is left out). Where no id is in
sight the name of the callee stands for it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("spyrec", "passes", "dialects")
# Callees that make or raise a mistake from a sentence; their id is implied, or computed.
_RAISE = {"error", "warning", "remark", "warn", "fail", "problem", "refuse", "_refuse", "stop"} | {
    *("Violation", "Fault", "UnitStops", "Refused", "Problem", "Diagnostic", "BadParameter", "ClickException"),
    *("InvalidKernel", "Unsupported", "OutOfResources", "UsageError", "CompilerBug"),
}


@dataclass(frozen=True)
class Site:
    """``event``: what reaching it is, seen by ``sys.monitoring``: a call that ends at a line and column (a byte), or a
    line.
    """

    name: str
    path: str
    line: int
    event: tuple[int, int] | int


def sources() -> Iterator[Path]:
    """Files with sites."""
    for folder in FOLDERS:
        # The two symlinks in spyrec lead to the other folders; rglob does not follow them.
        yield from (p for p in sorted((ROOT / folder).rglob("*.py")) if p.name != "ids.py" and not p.is_symlink())


def sites() -> list[Site]:
    """All sites, in order of file and place."""
    from spyrec.diag.ids import IDS

    return [
        site for path in sources() for site in Finder(path, path.read_text(encoding="utf-8"), frozenset(IDS)).found()
    ]


class Finder(ast.NodeVisitor):
    """Sites of one file."""

    def __init__(self, path: Path, text: str, ids: frozenset[str]) -> None:
        self._path = path.relative_to(ROOT).as_posix()
        self._tree = ast.parse(text)
        self._ids = ids
        self._scopes: list[str] = []
        self._functions = 0
        self._numbers: Counter[str] = Counter()
        self._sites: list[Site] = []

    def found(self) -> list[Site]:
        self.visit(self._tree)
        return self._sites

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._within(node.name, node.body, function=False)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        # Neither decorators nor defaults report anything.
        self._within(node.name, node.body, function=True)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._functions += 1
        self.visit(node.body)
        self._functions -= 1

    def visit_Compare(self, node: ast.Compare) -> None:
        """Comparing with an id reports nothing."""

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        given = [*node.args, *(k.value for k in node.keywords)]
        callee = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        named = [v.value for v in given if self._is_id(v)]
        if self._functions and (named or (callee in _RAISE and any(_is_text(v) for v in given))):
            self._add(named[0] if named else callee, node.lineno, (node.end_lineno or 0, node.end_col_offset or 0))
        self.visit(node.func)
        for value in given:
            if not self._is_id(value):
                self.visit(value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if self._functions and self._is_id(node):
            self._add(str(node.value), node.lineno, node.lineno)

    def _is_id(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in self._ids

    def _within(self, name: str, body: list[ast.stmt], *, function: bool) -> None:
        self._scopes.append(name)
        self._functions += function
        for statement in body:
            self.visit(statement)
        self._functions -= function
        self._scopes.pop()

    def _add(self, what: str, line: int, event: tuple[int, int] | int) -> None:
        name = f"{self._path}::{'.'.join(self._scopes) or '-'} {what}"
        number = self._numbers[name]
        self._numbers[name] += 1
        self._sites.append(Site(f"{name}#{number}" if number else name, self._path, line, event))


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
