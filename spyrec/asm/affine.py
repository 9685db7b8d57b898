"""Affine expressions over SSA names: ``[%i + 4, %j * 2, symbol(%s)]`` and back from an affine map with operands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spyrec.asm.state import OpRead, Piece

_OPERATORS = frozenset({"+", "-", "*", "floordiv", "ceildiv", "mod"})
#: What people write from habit, and what MLIR calls it.
_HABITS = {"/": "floordiv", "%": "mod", "//": "floordiv"}
_MAP = re.compile(r"affine_map<\((?P<dims>[^)]*)\)(?:\[(?P<symbols>[^\]]*)\])? -> \((?P<results>.*)\)>$", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][\w$.]*")


def habit(text: str, after_value: bool = True) -> str | None:
    """What MLIR calls an operator that people write from habit: ``mod 64`` for ``%64``; None for other tokens."""
    if text in _HABITS:
        return _HABITS[text]
    return f"mod {text[1:]}" if after_value and text[0] == "%" and text[1:].isdigit() else None


class Subscripts:
    """Reads a bracketed list of affine expressions; each distinct SSA name becomes one dimension or symbol, in order of
    first use.
    """

    def __init__(self, s: OpRead) -> None:
        self.s = s
        self.dims: dict[str, Piece] = {}
        self.symbols: dict[str, Piece] = {}
        self.results: list[str] = []
        self.spans: list[tuple[int, int]] = []

    def read(self) -> None:
        """Read ``[`` to ``]``."""
        s = self.s
        if s.texts[s.i] != "[":
            s.fail(f"expected '[' of the subscripts, but found {s.found()}")
        after = s.past(s.i)
        for start, end in s.split(s.i + 1, after - 1):
            self.results.append(self._expression(start, end))
            self.spans.append((start, max(end, start + 1)))
        s.i = after

    @property
    def map(self) -> str:
        """The affine map as an attribute."""
        dims = ", ".join(f"d{k}" for k in range(len(self.dims)))
        symbols = f"[{', '.join(f's{k}' for k in range(len(self.symbols)))}]" if self.symbols else ""
        return f"affine_map<({dims}){symbols} -> ({', '.join(self.results)})>"

    @property
    def operands(self) -> list[Piece]:
        """Values of the dimensions, then of the symbols."""
        return [*self.dims.values(), *self.symbols.values()]

    def _expression(self, start: int, end: int) -> str:
        s = self.s
        if start == end:
            s.fail(f"expected a subscript, but found {s.found(start)}", start)
        out: list[str] = []
        wants_term = True
        s.i = start
        while s.i < end:
            text = s.texts[s.i]
            if wants_term and text == "-":
                out.append("-")
                s.i += 1
            elif wants_term and text == "(":
                out.append("(")
                s.i += 1
            elif wants_term:
                out.append(self._term())
                wants_term = False
            elif text == ")":
                out.append(")")
                s.i += 1
            elif text in _OPERATORS:
                out.append(f" {text} ")
                s.i += 1
                wants_term = True
            else:
                hint = f"write {habit(text)}" if habit(text) else None
                s.fail(
                    f"expected an operator, ',' or ']' in the subscript, but found {s.found()}",
                    notes=[hint] if hint else (),
                )
        if wants_term:
            s.fail(f"the subscript ends where a value should stand, before {s.found(end)}", end)
        return "".join(out)

    def _term(self) -> str:
        s = self.s
        text = s.texts[s.i]
        if text[0] == "%" and len(text) > 1:
            return self._named(self.dims, "d")
        if text == "symbol" and s.texts[s.i + 1] == "(":
            s.i += 2
            name = self._named(self.symbols, "s")
            s.expect(")")
            return name
        if text[0].isdigit():
            if not text.isdigit() or len(text) > 18:
                s.fail(f"{text} is no integer that a subscript can hold", id="number-range")
            s.i += 1
            return text
        raise s.problem(f"expected an SSA name, an integer or '(' in the subscript, but found {s.found()}")

    def _named(self, known: dict[str, Piece], letter: str) -> str:
        s = self.s
        name = s.texts[s.i]
        value = s.value()
        known.setdefault(name, value)
        return f"{letter}{list(known).index(name)}"


def show_subscripts(map_text: str, operands: Sequence[str], simplify: bool = True) -> str | None:
    """``[%i + 4, 0]`` for a map and its operands; None when they do not fit each other."""
    match = _MAP.match(map_text)
    if match is None:
        return None
    dims = [d.strip() for d in match["dims"].split(",") if d.strip()]
    symbols = [t.strip() for t in (match["symbols"] or "").split(",") if t.strip()]
    if len(dims) + len(symbols) != len(operands):
        return None
    if simplify and len(set(operands)) < len(operands):
        return show_subscripts(*_merged(map_text, dims, symbols, operands), simplify=False)
    named = dict(zip(dims, operands, strict=False))
    named |= {t: f"symbol({o})" for t, o in zip(symbols, operands[len(dims) :], strict=True)}
    return f"[{_NAME.sub(lambda m: named.get(m[0], m[0]), match['results'])}]"


def _merged(map_text: str, dims: list[str], symbols: list[str], operands: Sequence[str]) -> tuple[str, list[str]]:
    """The same subscripts with each value as one operand, as reading them again would make them."""
    from spyrec.mlir import ir

    kept: list[str] = []
    names: dict[str, str] = {}
    for letter, inputs, values in (("d", dims, operands[: len(dims)]), ("s", symbols, operands[len(dims) :])):
        distinct = list(dict.fromkeys(values))
        names |= {n: f"{letter}{distinct.index(v)}" for n, v in zip(inputs, values, strict=True)}
        kept += distinct
    results = _NAME.sub(lambda m: names.get(m[0], m[0]), _MAP.match(map_text)["results"])  # type: ignore[index]
    d = ", ".join(sorted({v for v in names.values() if v[0] == "d"}, key=lambda v: int(v[1:])))
    t = ", ".join(sorted({v for v in names.values() if v[0] == "s"}, key=lambda v: int(v[1:])))
    merged = f"affine_map<({d})[{t}] -> ({results})>"
    with ir.Context():
        return str(ir.Attribute.parse(merged)), kept
