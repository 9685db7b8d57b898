"""Directives that formats name as ``custom<Name>(...)``: one class each, which reads and shows.

A class is registered by its name. It is constructed once per use in a format, with the op's (or type's) specification
and the directive's arguments, and checks there that they are what it needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from spyrec.asm import forms
from spyrec.asm.affine import Subscripts, show_subscripts
from spyrec.asm.elements import Element, RegionElement, read_type, show_type
from spyrec.asm.format import Ref, TypeOf
from spyrec.asm.state import EntryArgument, OpRead, OpShow, Piece, ReadState, ShowState
from spyrec.ods.spec import OpSpec, RecordSpec, RegionSpec, ValueSpec

DYNAMIC = -(1 << 63)
"""What a static list holds where the entry is an operand."""


class Directive(Element):
    """Base of all directives. ``attributes``: names of the attributes that this directive prints, so that ``attr-dict``
    does not.
    """

    def __init__(self, spec: OpSpec | RecordSpec, arguments: Sequence[Ref | TypeOf]) -> None:
        self.spec = spec
        self.names = [a.name for a in arguments]
        known = spec.fields if isinstance(spec, OpSpec) else {p.name: p for p in spec.params}
        unknown = [n for n in self.names if n not in known]
        if unknown:
            raise ValueError(f"{spec.name} has no field {unknown[0]}")
        declared = {a.name for a in spec.attributes} if isinstance(spec, OpSpec) else set()
        self.attributes = frozenset(n for n in self.names if n in declared)

    def value_spec(self, name: str) -> ValueSpec:
        """The operand or result of that name."""
        found = self.spec.fields[name] if isinstance(self.spec, OpSpec) else None
        assert isinstance(found, ValueSpec), f"{name} of {self.spec.name} is no operand or result"
        return found


DIRECTIVES: dict[str, type[Directive]] = {}
D = TypeVar("D", bound=type[Directive])


def directive(name: str) -> Callable[[D], D]:
    """Register a class under the name that formats use."""

    def register(cls: D) -> D:
        DIRECTIVES[name] = cls
        return cls

    return register


def read_index_list(s: OpRead, dynamic: str, static: str) -> None:
    """``[1, %n]``: operands go to ``dynamic``, all entries to the dense array ``static``; both names get a span per
    entry.
    """
    if s.texts[s.i] != "[":
        s.fail(f"expected '[' of the list of {dynamic}, but found {s.found()}")
    first = s.i
    s.i += 1
    values: list[int] = []
    operands: list[Piece] = []
    while not s.accept("]"):
        if values:
            s.expect(",")
        start = s.i
        if s.at_value():
            operands.append(s.value())
            values.append(DYNAMIC)
        elif s.texts[start] == "-" or s.texts[start][0].isdigit():
            value = forms.parse_integer(s, "i64")
            if value == DYNAMIC:
                s.fail(
                    f"{value} marks an entry that is an operand; it cannot be written", start, s.i, id="number-range"
                )
            values.append(value)
        else:
            s.fail(f"expected an integer or an SSA name, but found {s.found()}")
        for name in (dynamic, static):
            s.span(f"{name}[{len(values) - 1}]", start, s.i)
    s.operands[dynamic] = operands
    s.set_attr(static, forms.dense(values), first)
    for name in (dynamic, static):
        s.span(name, first, s.i)


def show_index_list(dynamic: Sequence[str], static: str | None) -> str:
    """The inverse: a dynamic marker without an operand shows as ``?``, which reads as an error."""
    try:
        values = forms.dense_values(static or "array<i64>")
    except ValueError:
        return str(static)
    operands = iter(dynamic)
    return f"[{', '.join(next(operands, '?') if v == DYNAMIC else str(v) for v in values)}]"


@directive("DynamicIndexList")
class DynamicIndexList(Directive):
    """``custom<DynamicIndexList>($operands, $static)``: ``[1, %n]``."""

    def starts(self, s: OpRead) -> bool:
        return s.texts[s.i] == "["

    def read(self, s: OpRead) -> None:
        read_index_list(s, *self.names)

    def present(self, s: OpShow) -> bool:
        return self.names[1] in s.attrs

    def show(self, s: OpShow) -> None:
        s.emit.value(show_index_list(s.operands.get(self.names[0], ()), s.attrs.get(self.names[1])))


@directive("AffineSubscript")
class AffineSubscript(Directive):
    """``custom<AffineSubscript>($operands, $map)``: ``[%i + 4, %j * 2, symbol(%s)]``."""

    def starts(self, s: OpRead) -> bool:
        return s.texts[s.i] == "["

    def read(self, s: OpRead) -> None:
        operands, map_name = self.names
        first = s.i
        subscripts = Subscripts(s)
        subscripts.read()
        s.operands[operands] = subscripts.operands
        s.set_attr(map_name, subscripts.map, first)
        for name in self.names:
            s.span(name, first, s.i)
            for k, span in enumerate(subscripts.spans):
                s.span(f"{name}[{k}]", *span)

    def show(self, s: OpShow) -> None:
        operands, map_name = self.names
        text = s.attrs.get(map_name, "")
        shown = show_subscripts(s.resolve(text), s.operands.get(operands, ()))
        s.emit.literal("[")
        s.emit.value((shown or f"[{text}]")[1:])


@directive("Side")
class Side(Directive):
    """A side of a transfer: a buffer ``%b``, or a box of a memory ``@device[%offset from %base] strides [64, %s]``.

    Arguments: buffer, space, offset, base, dynamic strides, static strides.
    """

    def starts(self, s: OpRead) -> bool:
        return s.texts[s.i][0] in "%@"

    def read(self, s: OpRead) -> None:
        buffer, space, offset, base, dynamic, static = self.names
        first = s.i
        if s.at_value():
            s.operands[buffer] = [s.value()]
            s.span(buffer, first, s.i)
            return
        if s.texts[first][0] != "@":
            s.fail(f"expected a buffer such as %b or a memory such as @device[...], but found {s.found()}")
        s.i = s.skip_attribute(first)
        s.set_attr(space, s.tokens.slice(first, s.i), first)
        s.span(space, first, s.i)
        s.expect("[")
        self._operand(s, offset)
        if s.accept("from"):
            self._operand(s, base)
        s.expect("]")
        s.expect("strides")
        read_index_list(s, dynamic, static)
        s.span(buffer, first, s.i)

    @staticmethod
    def _operand(s: OpRead, name: str) -> None:
        first = s.i
        s.operands[name] = [s.value()]
        s.span(name, first, s.i)

    def show(self, s: OpShow) -> None:
        buffer, space, offset, base, dynamic, static = self.names
        if s.operands.get(buffer):
            s.emit.value(s.operands[buffer][0])
            return
        s.emit.value(s.attrs.get(space, "@?"))
        s.emit.literal("[")
        s.emit.value(", ".join(s.operands.get(offset, ())))
        if s.operands.get(base):
            s.emit.literal("from")
            s.emit.value(s.operands[base][0])
        s.emit.literal("]")
        s.emit.literal("strides")
        s.emit.value(show_index_list(s.operands.get(dynamic, ()), s.attrs.get(static)))


@directive("PresentTypes")
class PresentTypes(Directive):
    """``custom<PresentTypes>(type($a), type($b))``: the types of those optional operands that are there, by commas."""

    def read(self, s: OpRead) -> None:
        present = [n for n in self.names if s.operands.get(n)]
        for k, name in enumerate(present):
            if k:
                s.expect(",")
            first = s.i
            s.types[name] = [read_type(s, self.value_spec(name).constraint)]
            s.span(f"type({name})", first, s.i)

    def show(self, s: OpShow) -> None:
        shown = [show_type(s, t) for n in self.names for t in s.types.get(n, ())]
        if shown:
            s.emit.value(", ".join(shown))


@directive("StreamOperands")
class StreamOperands(Directive):
    """``custom<StreamOperands>($operands, $buffers, $strides, $body)``: ``@x[%a] strides [2] : f16, ...``.

    The element types are those of the body's block arguments, in order over all such directives of the op; a body
    without a header gets its arguments from here.
    """

    def read(self, s: OpRead) -> None:
        operands, buffers, strides, _ = self.names
        first = s.i
        values: list[Piece] = []
        names: list[str] = []
        lists: list[str] = []
        region = s.region(s.spec.regions[0])
        region.expected = region.expected or []
        while s.texts[s.i][0] == "@":
            if values:
                s.span(f"{operands}[{len(values) - 1}]", values[-1][1], values[-1][1] + 1)
            start = s.i
            s.i = s.skip_attribute(start)
            names.append(s.tokens.slice(start, s.i))
            s.expect("[")
            values.append(s.value())
            s.expect("]")
            s.expect("strides")
            at = s.i
            lists.append(forms.dense(forms.parse_list(s)))
            s.span(f"{strides}[{len(lists) - 1}]", at, s.i)
            s.span(f"{buffers}[{len(names) - 1}]", start, start + 1)
            s.expect(":")
            kind = s.i
            region.expected.append(EntryArgument(("", kind), (s.type(), kind)))
            if not s.accept(","):
                break
        s.operands[operands] = values
        s.set_attr(buffers, f"[{', '.join(names)}]", first)
        s.set_attr(strides, f"[{', '.join(lists)}]", first)
        for name in (operands, buffers, strides):
            s.span(name, first, max(s.i, first + 1))

    def show(self, s: OpShow) -> None:
        operands, buffers, strides, body = self.names
        mine = s.operands.get(operands, [])
        before = 0
        for spec in s.spec.operands:
            if spec.name == operands:
                break
            before += len(s.operands.get(spec.name, ()))
        types = [t for _, t, _ in s.regions[body].arguments][before:]
        symbols = s.parts(s.resolve(s.attrs.get(buffers, "[]")))
        lists = s.parts(s.resolve(s.attrs.get(strides, "[]")))
        shown = []
        for k, value in enumerate(mine):
            symbol = symbols[k] if k < len(symbols) else "@?"
            steps = show_index_list((), s.resolve(lists[k])) if k < len(lists) else "[]"
            kind = s.custom_text(types[k]) if k < len(types) else "none"
            shown.append(f"{symbol}[{value}] strides {steps} : {kind}")
        if shown:
            s.emit.value(", ".join(shown))


_SHAPE = re.compile(r"((?:(?:\d+|\?)x)*)([a-z]\w*)")


@directive("TileShape")
class TileShape(Directive):
    """``4x?xindex``, kept as ``tensor<4x?xindex>``."""

    def read(self, s: ReadState) -> None:
        first = s.i
        while s.texts[s.i] == "?" or s.texts[s.i][0].isalnum():
            s.i += 1
        text = s.tokens.slice(first, s.i).replace(" ", "")
        match = _SHAPE.fullmatch(text)
        if match is None:
            s.fail(f"expected a shape such as 4x64xindex, but found {s.found(first)}", first, max(s.i, first + 1))
        for extent in match[1].split("x")[:-1]:
            if len(extent) > 18:
                s.fail(f"dimension {extent[:40]} does not fit i64", first, s.i, id="number-range")
        s.set_attr(self.names[0], f"tensor<{text}>", first)

    def show(self, s: ShowState) -> None:
        s.emit.value(s.attrs.get(self.names[0], "").removeprefix("tensor<").removesuffix(">"))


@directive("MapEntries")
class MapEntries(Directive):
    """``"DDR" = 64, f16 = 32``, kept as an array of pairs."""

    def read(self, s: ReadState) -> None:
        first = s.i
        assert s.texts[first - 1] == "<", "formats have it in angle brackets"
        after = s.past(first - 1) - 1
        pairs: list[str] = []
        keys: set[str] = set()
        for start, end in s.split(first, after):
            if start == end:
                s.fail(f"expected key = value, but found {s.found(start)}", start)
            equal = s.skip_attribute(start)
            if equal >= end or s.texts[equal] != "=":
                s.fail(f"expected '=' after the key, but found {s.found(equal)}", equal)
            stop = s.skip_attribute(equal + 1)
            if stop != end:
                s.fail(f"expected ',' or '>' after the value, but found {s.found(stop)}", stop)
            key = s.translate(start, equal)
            if key in keys:
                s.fail(f"the key {s.tokens.slice(start, equal)} is given twice", start, equal, id="duplicate-attribute")
            keys.add(key)
            pairs.append(f"[{key}, {s.translate(equal + 1, end)}]")
        s.i = after
        s.set_attr(self.names[0], f"[{', '.join(pairs)}]", first)

    def show(self, s: ShowState) -> None:
        shown = []
        for pair in s.parts(s.attrs.get(self.names[0], "[]")):
            key, *value = s.parts(pair)
            shown.append(f"{s.custom_text(key)} = {s.custom_text(', '.join(value))}")
        if shown:
            s.emit.value(", ".join(shown))


@directive("SharedRegion")
class SharedRegion(Directive):
    """``(%ddr, %lx) { ... }``: the region's block arguments are written as the operands that they stand for."""

    def read(self, s: OpRead) -> None:
        operands, _ = self.names
        spec = self.value_spec(operands)
        region = s.region(self._region(s))
        region.entry = []
        values: list[Piece] = []
        first = s.i
        s.expect("(")
        kind = s.translator.fixed(spec.constraint.fixed or "index")
        while not s.accept(")"):
            if values:
                s.expect(",")
            token = s.i
            name = s.texts[token]
            values.append(s.value())
            if any(name == s.texts[t] for _, t in values[:-1]):
                s.fail(f"{name} is shared twice", token)
            inner = s.renamed(name, region.prefix).replace("#", ".")
            s.translator.nameless.add(inner)
            # The argument itself is implied; its place is the op's, as that of everything else that an op implies.
            region.entry.append(EntryArgument((inner, s.name_token), (kind, s.name_token)))
            s.span(f"{operands}[{len(values) - 1}]", token, token + 1)
        s.operands[operands] = values
        s.span(operands, first, s.i)
        RegionElement(region.spec).read(s)

    def show(self, s: OpShow) -> None:
        operands, body = self.names
        values = s.operands.get(operands, [])
        region = s.regions[body]
        region.headerless = True
        region.names = {name: value for (name, _, _), value in zip(region.arguments, values, strict=False)}
        s.emit.literal("(")
        if values:
            s.emit.value(", ".join(values))
        s.emit.literal(")")
        RegionElement(self._region(s)).show(s)

    def _region(self, s: OpRead | OpShow) -> RegionSpec:
        return next(r for r in s.spec.regions if r.name == self.names[1])


@directive("ResultCount")
class ResultCount(Directive):
    """How many results of one fixed type there are: ``4``."""

    LIMIT = 1024

    def read(self, s: OpRead) -> None:
        name = self.names[0]
        first = s.i
        count = forms.parse_integer(s, "i64")
        if not 0 <= count <= self.LIMIT:
            s.fail(f"{count} results; 0 to {self.LIMIT} are possible", first, s.i, id="number-range")
        kind = s.translator.fixed(self.value_spec(name).constraint.fixed or "index")
        s.types[name] = [(kind, first)] * count
        s.span(name, first, s.i)

    def show(self, s: OpShow) -> None:
        s.emit.value(str(len(s.types.get(self.names[0], ()))))
