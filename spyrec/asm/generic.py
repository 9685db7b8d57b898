"""Ops of ours that the text writes in generic form, with properties or with a plain dictionary."""

from __future__ import annotations

import re

from spyrec.asm.elements import Element, RegionElement, read_entries
from spyrec.asm.emit import tail
from spyrec.asm.grammar import SEGMENTS
from spyrec.asm.output import Output
from spyrec.asm.state import OpRead, OpShow, Piece
from spyrec.ods.spec import Arity, OpSpec, RegionSpec, ValueSpec

_SIZES = re.compile(r"array<i32(?::\s*([-\d,\s]*))?>$")
_FREE = "free"


def elements(spec: OpSpec) -> list[Element]:
    """The steps of the generic form, in reading order."""
    steps: list[Element] = [_Head()]
    for k, region in enumerate(spec.regions):
        steps.append(_GenericRegion(region, first=k == 0, last=k == len(spec.regions) - 1))
    return [*steps, _Tail()]


class _ReadOnly(Element):
    def show(self, s: OpShow) -> None:
        raise AssertionError("MLIR prints the generic form itself")


class _Head(_ReadOnly):
    """``(%a, %b) <{ properties }>``."""

    def read(self, s: OpRead) -> None:
        s.expect("(")
        values: list[Piece] = []
        while not s.accept(")"):
            if values:
                s.expect(",")
            values.append(s.value())
        s.operands[_FREE] = values
        if s.texts[s.i] == "<" and s.texts[s.i + 1] == "{":
            after = s.past(s.i)
            read_entries(s, s.i + 2, s.past(s.i + 1) - 1)
            s.i = after


class _GenericRegion(RegionElement):
    def __init__(self, spec: RegionSpec, *, first: bool, last: bool) -> None:
        super().__init__(spec)
        self.first = first
        self.last = last

    def read(self, s: OpRead) -> None:
        s.expect("(" if self.first else ",")
        super().read(s)
        region = s.region(self.spec)
        region.generic = True
        if self.last:
            s.todo.append(_Close())


class _Close(_ReadOnly):
    def read(self, s: OpRead) -> None:
        s.expect(")")


class _Tail(_ReadOnly):
    """``{ attributes } : (types) -> types``."""

    def read(self, s: OpRead) -> None:
        if s.texts[s.i] == "{":
            after = s.past(s.i)
            read_entries(s, s.i + 1, after - 1)
            s.i = after
        s.expect(":")
        s.types[_FREE] = self._list(s)
        s.expect("->")
        s.types["->"] = self._list(s) if s.texts[s.i] == "(" else [self._one(s)]

    @staticmethod
    def _one(s: OpRead) -> Piece:
        first = s.i
        s.i = s.skip_type(first)
        return s.translator.type(first, s.i), first

    def _list(self, s: OpRead) -> list[Piece]:
        s.expect("(")
        types: list[Piece] = []
        while not s.accept(")"):
            if types:
                s.expect(",")
            types.append(self._one(s))
        return types


def emit(s: OpRead, out: Output) -> None:
    """Append the generic form again, with segment sizes as the kit stores them. Raises ``Problem`` when the numbers do
    not fit.
    """
    spec = s.spec
    operands, types, results = s.operands[_FREE], s.types[_FREE], s.types["->"]
    if len(types) != len(operands):
        s.fail(f"there are {len(operands)} operands, but {len(types)} types", s.name_token, id="type-mismatch")
    counts = _counts(s, spec.operands, len(operands), results=False)
    result_counts = _counts(s, spec.results, len(results), results=True)
    segments = (spec.operand_segments(counts), spec.result_segments(result_counts))
    _name(s, spec.operands, counts, operands, types)
    _name(s, spec.results, result_counts, (), results)
    tail(s, out, operands, segments, types, results, s.tokens.starts[s.name_token])


def _counts(s: OpRead, fields: tuple[ValueSpec, ...], total: int, *, results: bool) -> list[int]:
    """How many values each field has."""
    spec = s.spec
    key = SEGMENTS[results]
    segmented = spec.result_segmented if results else spec.operand_segmented
    sizes: list[int] | None = None
    # The public dialects have no sizes where only one field repeats.
    if segmented and (key in s.attrs or sum(f.arity is not Arity.ONE for f in fields) > 1):
        if key not in s.attrs:
            s.fail(f"{spec.name} needs {key} in generic form", s.name_token, id="missing-attribute")
        text, token = s.attrs[key]
        match = _SIZES.match(text)
        if match is None:
            s.fail(f"{key} must be a dense array of i32, but is {text}", token, id="wrong-attribute")
        sizes = [int(v) for v in (match[1] or "").split(",") if v.strip().lstrip("-").isdigit() and len(v) < 12]
        if len(sizes) == len(fields):
            # As the public dialects count: one entry per field.
            if sum(sizes) != total or any(
                n < 0 or (f.arity is Arity.ONE and n != 1) or (f.arity is Arity.OPTIONAL and n > 1)
                for n, f in zip(sizes, fields, strict=True)
            ):
                s.fail(f"{key} does not fit {total} values", token, id="wrong-operands")
            return sizes
    try:
        counts = spec.result_counts(total, sizes) if results else spec.operand_counts(total, sizes)
        if results:
            spec.result_segments(counts)
        else:
            spec.operand_segments(counts)
    except ValueError as error:
        kind = "results" if results else "operands"
        s.fail(f"the {kind} of {spec.name} do not fit its fields: {error}", s.name_token, id="wrong-operands")
    return counts


def _name(
    s: OpRead, fields: tuple[ValueSpec, ...], counts: list[int], values: list[Piece] | tuple[()], types: list[Piece]
) -> None:
    """Give values and types the spans of their fields."""
    at = 0
    for f, count in zip(fields, counts, strict=True):
        for k in range(count):
            element = f"{f.name}[{k}]" if f.arity is Arity.VARIADIC else f.name
            if values:
                s.span(element, values[at][1], values[at][1] + 1)
            token = types[at][1]
            s.span(f"type({element})", token, s.skip_type(token))
            at += 1
