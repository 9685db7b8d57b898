"""The elements of a format, bound to one op, type or attribute; each owns both directions.

``read`` steps over custom text and stores the generic texts of its fields; ``show`` emits the custom text of its
fields.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence

from spyrec.asm import forms
from spyrec.asm.state import EntryArgument, OpRead, OpShow, Piece, ReadState, ShowState
from spyrec.ods.spec import Arity, AttributeSpec, Constraint, OpSpec, ParamSpec, RegionSpec, ValueSpec


class Element(abc.ABC):
    """One step of a format."""

    def starts(self, s: OpRead) -> bool:
        """Whether custom text for it can begin at the cursor (asked of optional groups)."""
        return True

    @abc.abstractmethod
    def read(self, s: OpRead) -> None:
        """Step over the custom text."""

    def present(self, s: OpShow) -> bool:
        """Whether there is anything to show (asked of anchors)."""
        return True

    @abc.abstractmethod
    def show(self, s: OpShow) -> None:
        """Emit the custom text."""


class LiteralElement(Element):
    """Tokens that stand in the text as they are."""

    def __init__(self, text: str, tokens: Sequence[str]) -> None:
        self.text = text
        self.tokens = tokens

    def starts(self, s: ReadState) -> bool:
        return not self.tokens or s.texts[s.i] == self.tokens[0]

    def read(self, s: ReadState) -> None:
        for k, token in enumerate(self.tokens):
            if s.texts[s.i] != token:
                s.fail(f"expected '{token}', but found {s.found()}", notes=self._missing(s, k))
            s.i += 1

    def _missing(self, s: ReadState, k: int) -> tuple[str, ...]:
        """What the text lacks where token ``k`` does not stand: the keyword that comes next, if it names a field."""
        words = list(self.tokens[k:])
        for element in reversed(s.todo):
            if isinstance(element, LiteralElement):
                words += element.tokens
            elif not isinstance(element, GroupElement):
                break
        keyword = next((word for word in words if word.isidentifier()), "")
        field = s.spec.fields.get(keyword) if isinstance(s.spec, OpSpec) else None
        if field is None or keyword == words[0]:
            return ()
        brackets = "(...)" if words[words.index(keyword) + 1 :][:1] == ["("] else ""
        return (f"'{keyword}{brackets}' has to follow: {field.doc}",) if field.doc else ()

    def show(self, s: ShowState) -> None:
        s.emit.literal(self.text)


class OperandElement(Element):
    """``$operand``."""

    def __init__(self, spec: ValueSpec) -> None:
        self.name = spec.name
        self.arity = spec.arity

    def starts(self, s: OpRead) -> bool:
        return s.texts[s.i][0] == "%"

    def read(self, s: OpRead) -> None:
        first = s.i
        if self.arity is Arity.ONE:
            s.operands[self.name] = [s.value()]
        else:
            values: list[Piece] = []
            if s.at_value():
                values.append(s.value())
                while self.arity is Arity.VARIADIC and s.texts[s.i] == "," and s.texts[s.i + 1][0] == "%":
                    s.i += 1
                    values.append(s.value())
            s.operands[self.name] = values
            if self.arity is Arity.VARIADIC:
                for k, (_, token) in enumerate(values):
                    s.span(f"{self.name}[{k}]", token, token + 1)
        s.span(self.name, first, max(s.i, first + 1))

    def present(self, s: OpShow) -> bool:
        return bool(s.operands.get(self.name))

    def show(self, s: OpShow) -> None:
        values = s.operands.get(self.name)
        if values:
            s.emit.value(", ".join(values))


class AttributeElement(Element):
    """``$attribute`` of an op, or ``$parameter`` of a type or attribute."""

    def __init__(self, spec: AttributeSpec | ParamSpec) -> None:
        self.name = spec.name
        self.constraint = spec.constraint
        self.optional = spec.optional
        self.default = spec.default if isinstance(spec, AttributeSpec) else None

    def starts(self, s: ReadState) -> bool:
        return forms.starts(s, self.constraint)

    def read(self, s: ReadState) -> None:
        first = s.i
        s.set_attr(self.name, forms.parse(s, self.constraint), first)
        s.span(self.name, first, max(s.i, first + 1))

    def present(self, s: ShowState) -> bool:
        text = s.attrs.get(self.name)
        return text is not None and text != self.default

    def show(self, s: ShowState) -> None:
        text = s.attrs.get(self.name, self.default)
        if text is not None:
            shown = forms.show(s, self.constraint, text)
            if shown:
                s.emit.value(shown)


class TypeElement(Element):
    """``type($value)`` and ``short-type($value)``."""

    def __init__(self, spec: ValueSpec, *, short: bool) -> None:
        self.name = spec.name
        self.many = spec.arity is not Arity.ONE
        self.list = spec.arity is Arity.VARIADIC
        self.constraint = spec.constraint
        self.short = short
        self.field = f"type({self.name})"

    def starts(self, s: OpRead) -> bool:
        return s.at_type() or s.texts[s.i] == "<"

    def read(self, s: OpRead) -> None:
        first = s.i
        if not self.many:
            s.types[self.name] = [read_type(s, self.constraint)]
            s.span(self.field, first, s.i)
            return
        types: list[Piece] = []
        if self.starts(s):
            types.append(read_type(s, self.constraint))
            while self.list and s.texts[s.i] == ",":
                s.i += 1
                types.append(read_type(s, self.constraint))
        s.types[self.name] = types
        for k, (_, token) in enumerate(types):
            after = types[k + 1][1] - 1 if k + 1 < len(types) else s.i
            s.span(f"type({self.name}[{k}])", token, after)
        s.span(self.field, first, max(s.i, first + 1))

    def present(self, s: OpShow) -> bool:
        return bool(s.types.get(self.name))

    def show(self, s: OpShow) -> None:
        types = s.types.get(self.name)
        if types:
            s.emit.value(", ".join(show_type(s, t, self.constraint if self.short else None) for t in types))


def read_type(s: OpRead, constraint: Constraint) -> Piece:
    """Read a type in full or, where the constraint says the rest, in short spelling."""
    first = s.i
    text = s.texts[first]
    if text == "<" and constraint.classes:
        if len(constraint.classes) > 1:
            s.fail("this type needs its name: it may be " + " or ".join(f"!{c}" for c in constraint.classes))
        return s.record_body(f"!{constraint.classes[0]}"), first
    if constraint.classes and text[0] != "!":
        name = next((c for c in constraint.classes if c.partition(".")[2] == text), None)
        if name is not None:
            s.i += 1
            return s.record_body(f"!{name}"), first
        if not s.at_type():
            s.fail(f"expected {constraint.description}, but found {s.found()}")
    s.i = s.skip_type(first)
    return s.translator.type(first, s.i), first


def show_type(s: OpShow, text: str, short: Constraint | None = None) -> str:
    """A type from its generic text; without what the constraint ``short`` says, if given."""
    shown = s.custom_text(text)
    return s.short_record(shown, short) if short is not None and short.classes else shown


class FunctionalElement(Element):
    """``functional-type(operands, results)``; a name may be that of one field, or ``operands`` or ``results`` for
    all.
    """

    def __init__(self, inputs: Sequence[ValueSpec], results: Sequence[ValueSpec]) -> None:
        self.inputs = inputs
        self.results = results

    def starts(self, s: OpRead) -> bool:
        return s.texts[s.i] == "("

    def read(self, s: OpRead) -> None:
        self._list(s, self.inputs)
        s.expect("->")
        self._list(s, self.results)

    @staticmethod
    def _list(s: OpRead, specs: Sequence[ValueSpec]) -> None:
        first = s.i
        types: list[Piece] = []
        if s.accept("("):
            while not s.accept(")"):
                if types:
                    s.expect(",")
                types.append(read_type(s, specs[min(len(types), len(specs) - 1)].constraint))
        else:
            types.append(read_type(s, specs[0].constraint))
        rest = list(types)
        for spec in specs:
            counted = len(s.operands[spec.name]) if spec.name in s.operands else None
            count = 1 if spec.arity is Arity.ONE else (counted if counted is not None else len(rest))
            if count > len(rest):
                s.fail(f"there are {len(types)} types, but {spec.name} needs more", first, s.i)
            s.types[spec.name], rest = rest[:count], rest[count:]
            s.span(f"type({spec.name})", first, s.i)
        if rest:
            s.fail(f"there are {len(types)} types for {len(types) - len(rest)} values", first, s.i)

    def show(self, s: OpShow) -> None:
        inputs = [show_type(s, t) for f in self.inputs for t in s.types.get(f.name, ())]
        results = [show_type(s, t) for f in self.results for t in s.types.get(f.name, ())]
        s.emit.value(f"({', '.join(inputs)})")
        s.emit.literal("->")
        bare = len(results) == 1 and not results[0].startswith("(")
        s.emit.value(results[0] if bare else f"({', '.join(results)})")


class ArgsElement(Element):
    """``args($region)``: ``%core, %n``, each with ``: type`` unless the region fixes it."""

    def __init__(self, spec: RegionSpec) -> None:
        self.spec = spec

    def starts(self, s: OpRead) -> bool:
        return s.at_value()

    def read(self, s: OpRead) -> None:
        region = s.region(self.spec)
        region.entry = []
        first = s.i
        while s.at_value():
            token = s.i
            name = s.renamed(s.texts[token], region.prefix)
            s.i += 1
            fixed = self._fixed(len(region.entry))
            if fixed is None or s.texts[s.i] == ":":
                s.expect(":")
                kind = read_type(s, self.spec.args[0] if self.spec.args and fixed is None else _ANY)
            else:
                kind = (s.translator.fixed(fixed), token)
            region.entry.append(EntryArgument((name, token), kind, read_location(s)))
            if not s.accept(","):
                break
        s.span(f"args({self.spec.name})", first, max(s.i, first + 1))

    def present(self, s: OpShow) -> bool:
        return bool(s.regions[self.spec.name].arguments)

    def show(self, s: OpShow) -> None:
        region = s.regions[self.spec.name]
        region.headerless = True
        shown = []
        for k, (name, kind, location) in enumerate(region.arguments):
            custom = s.custom_text(kind)
            stated = "" if self._fixed(k) == custom else f": {custom}"
            shown.append(f"{name}{stated}{location and ' ' + location}")
        if shown:
            s.emit.value(", ".join(shown))

    def _fixed(self, k: int) -> str | None:
        args = self.spec.args
        return args[k].fixed if args is not None and k < len(args) else None


_ANY = Constraint("any type", "any type", lambda _: True)


def read_location(s: OpRead) -> str:
    """Step over a ``loc(...)`` behind an argument; its text, or nothing."""
    if s.texts[s.i] != "loc" or s.texts[s.i + 1] != "(":
        return ""
    first = s.i
    s.i = s.past(first + 1)
    return s.tokens.slice(first, s.i)


class RegionElement(Element):
    """``$region``: only enters or announces it; the reader and the printer walk through its body."""

    def __init__(self, spec: RegionSpec) -> None:
        self.spec = spec

    def starts(self, s: OpRead) -> bool:
        return s.texts[s.i] == "{"

    def read(self, s: OpRead) -> None:
        if s.texts[s.i] != "{":
            s.fail(f"expected '{{' of region {self.spec.name}, but found {s.found()}")
        region = s.region(self.spec)
        region.open = s.i
        region.close = s.past(s.i) - 1
        s.span(self.spec.name, s.i, s.i + 1)
        s.opening = region

    def present(self, s: OpShow) -> bool:
        region = s.regions[self.spec.name]
        return region.close > region.open + 1

    def show(self, s: OpShow) -> None:
        s.opening = (self.spec, s.regions[self.spec.name])


class DictElement(Element):
    """``attr-dict``: every attribute that the format does not print elsewhere."""

    def __init__(
        self, keyword: bool, printed: frozenset[str], defaults: dict[str, str], *, before_region: bool = False
    ) -> None:
        self.keyword = keyword
        self.printed = printed
        self.defaults = defaults
        self.before_region = before_region

    def starts(self, s: OpRead) -> bool:
        return s.texts[s.i] == "attributes" if self.keyword else self._at_dictionary(s)

    def _at_dictionary(self, s: OpRead) -> bool:
        text = s.texts[s.i]
        if text == "{":
            return not self.before_region or s.tokens.is_dictionary(s.i)
        return text[0] == "#" and len(text) > 1

    def read(self, s: OpRead) -> None:
        if self.keyword:
            if not s.accept("attributes"):
                return
            if not self._at_dictionary(s):
                s.fail(f"expected a dictionary, but found {s.found()}")
        elif not self._at_dictionary(s):
            return
        if s.texts[s.i][0] == "#":
            self._alias(s)
            return
        after = s.past(s.i)
        read_entries(s, s.i + 1, after - 1)
        s.i = after

    @staticmethod
    def _alias(s: OpRead) -> None:
        """``#name`` in place of a whole dictionary is expanded: the generic form has no such thing."""
        use = s.i
        first, after = s.translator.alias(use)
        if s.texts[first] != "{":
            s.fail(f"{s.texts[use]} stands for no dictionary", use)
        read_entries(s, first + 1, after - 1)
        for name, (text, _) in s.attrs.items():
            if first < s.attrs[name][1] < after:
                s.attrs[name] = (text, use)
                s.span(name, use, use + 1)
        s.i = use + 1

    def show(self, s: OpShow) -> None:
        entries = []
        for name in sorted(s.attrs.keys() - self.printed):
            text = s.attrs[name]
            if self.defaults.get(name) != text:
                entries.append(name if text == "unit" else f"{name} = {s.custom_text(text)}")
        if not entries:
            return
        if self.keyword:
            s.emit.literal("attributes")
        s.emit.value(f"{{{', '.join(entries)}}}")


def read_entries(s: OpRead, first: int, after: int) -> None:
    """Read ``name = value`` entries from tokens ``first`` to ``after``; the cursor is left anywhere."""
    texts = s.texts
    for start, end in s.split(first, after):
        if start == end:
            s.fail(f"expected the name of an attribute, but found {s.found(start)}", start)
        name = texts[start]
        if not (name[0].isalpha() or name[0] in '_"') or name == '"':
            s.fail(f"expected the name of an attribute, but found {s.found(start)}", start)
        key = name if name[0] != '"' else _unquoted(name)
        if end == start + 1:
            text, value = "unit", start
        elif texts[start + 1] != "=":
            s.fail(f"expected '=' after '{name}', but found {s.found(start + 1)}", start + 1)
        elif end == start + 2:
            s.fail(f"'{name}' has no value", start)
        else:
            value = start + 2
            stop = s.skip_attribute(value)
            if stop != end:
                s.fail(f"expected ',' or '}}' after the value of '{name}', but found {s.found(stop)}", stop)
            s.refuse_locations(value, end)
            text = s.translator.plain(value, end)
        s.i = end
        if key in s.attrs:
            s.fail(f"attribute '{key}' is given twice", start, id="duplicate-attribute")
        s.attrs[key] = (text, value)
        s.span(key, start, end)


def _unquoted(name: str) -> str:
    """A quoted key that is a plain identifier is the same name without quotes."""
    inner = name[1:-1]
    return inner if inner.replace(".", "_").replace("$", "_").isidentifier() and inner.isascii() else name


class GroupElement(Element):
    """``( then )?`` and ``( then ) : ( otherwise )``."""

    def __init__(self, then: Sequence[Element], otherwise: Sequence[Element], anchor: Element) -> None:
        self.then = tuple(reversed(then))
        self.otherwise = tuple(reversed(otherwise))
        self.first = next(e for e in then if not (isinstance(e, LiteralElement) and not e.tokens))
        self.anchor = anchor
        self.anchor_is_first = anchor in then

    def starts(self, s: OpRead) -> bool:
        return self.first.starts(s) or bool(self.otherwise and self.otherwise[-1].starts(s))

    def read(self, s: OpRead) -> None:
        if self.first.starts(s):
            s.todo.extend(self.then)
        else:
            s.todo.extend(self.otherwise)

    def present(self, s: OpShow) -> bool:
        return self.anchor.present(s) is self.anchor_is_first

    def show(self, s: OpShow) -> None:
        s.todo.extend(self.then if self.present(s) else self.otherwise)
