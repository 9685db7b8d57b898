"""Formats bound to ops, types and attributes: what the reader and the printer look up by name.

A :class:`Grammar` is made from specifications alone. :func:`default` makes one from everything that
:mod:`spyrec.ods.registry` knows; formats are parsed and bound on first use.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence

from spyrec.asm import directives_tiles as directives_tiles  # registers its directives
from spyrec.asm import format as fmt
from spyrec.asm.directives import DIRECTIVES, Directive
from spyrec.asm.elements import (
    ArgsElement,
    AttributeElement,
    DictElement,
    Element,
    FunctionalElement,
    GroupElement,
    LiteralElement,
    OperandElement,
    RegionElement,
    TypeElement,
)
from spyrec.asm.lexer import Tokens
from spyrec.asm.nearest import nearest
from spyrec.ods.spec import AttributeSpec, OpSpec, ParamSpec, RecordSpec, RegionSpec, ValueSpec

SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")


class Grammar:
    """All ops by full name, all types and attributes by sigil and name, public and as MLIR knows them.

    ``absent``: full names of ops that our dialects do not have though people know of them, with what to say.
    """

    def __init__(
        self,
        ops: Iterable[OpSpec],
        records: Iterable[RecordSpec],
        dialects: Iterable[str] = (),
        absent: Mapping[str, str] | None = None,
    ) -> None:
        self.absent = absent or {}
        self.ops = {o.name: o for o in ops}
        self.records = {f"{r.sigil}{r.name}": r for r in records}
        self.ir_records = {f"{r.sigil}{r.ir_name}": r for r in self.records.values()}
        named: tuple[OpSpec | RecordSpec, ...] = (*self.ops.values(), *self.records.values())
        self.dialects = tuple(sorted({*dialects, *(s.dialect for s in named)}))
        self._ops: dict[str, tuple[Element, ...]] = {}
        self._records: dict[str, tuple[Element, ...]] = {}

    def op(self, name: str) -> tuple[Element, ...]:
        """The elements of an op's format."""
        found = self._ops.get(name)
        if found is None:
            found = self._ops[name] = _Binder(self.ops[name]).bind()
        return found

    def record(self, name: str) -> tuple[Element, ...]:
        """The elements of a type's or attribute's format; ``name`` has its sigil."""
        found = self._records.get(name)
        if found is None:
            found = self._records[name] = _Binder(self.records[name]).bind()
        return found

    @functools.cached_property
    def implied(self) -> Mapping[str, frozenset[str]]:
        """Ops that end a region and may be left out there, and the ops that have such regions."""
        found: dict[str, frozenset[str]] = {}
        for op in self.ops.values():
            for region in op.regions:
                if region.implicit and region.terminator is not None:
                    found[region.terminator] = found.get(region.terminator, frozenset()) | {op.name}
        return found

    def nearest_record(self, name: str) -> str | None:
        """The type or attribute of ours (with sigil) that ``name`` is most likely a misspelling of."""
        return nearest(name, self.records)


_default: Grammar | None = None


def default() -> Grammar:
    """The grammar of all registered dialects; made again when more have been registered."""
    from spyrec.ods import registry

    global _default
    known = len(registry.ops) + len(registry.types) + len(registry.attributes)
    if _default is None or len(_default.ops) + len(_default.records) != known:
        records = [t.spec for t in registry.types.values()] + [a.spec for a in registry.attributes.values()]
        absent = {f"{d.spec.name}.{n}": s for d in registry.dialects.values() for n, s in d.spec.absent.items()}
        _default = Grammar([c.spec for c in registry.ops.values()], records, registry.dialects, absent)
    return _default


class _Binder:
    """Turns the nodes of one format into elements."""

    def __init__(self, spec: OpSpec | RecordSpec) -> None:
        self.spec = spec
        self.fields: dict[str, ValueSpec | AttributeSpec | RegionSpec | ParamSpec]
        self.fields = dict(spec.fields) if isinstance(spec, OpSpec) else {p.name: p for p in spec.params}
        self.printed: set[str] = set(SEGMENTS)
        self.dictionaries: list[DictElement] = []

    def bind(self) -> tuple[Element, ...]:
        elements = self._all(fmt.parse(self.spec.assembly_format))
        for dictionary in self.dictionaries:
            dictionary.printed = frozenset(self.printed)
        return elements

    def _all(self, nodes: Sequence[fmt.Node]) -> tuple[Element, ...]:
        elements = tuple(map(self._element, nodes))
        for element, follower in itertools.pairwise(elements):
            if isinstance(element, DictElement) and isinstance(follower, (RegionElement, GroupElement)):
                first = follower.first if isinstance(follower, GroupElement) else follower
                element.before_region = isinstance(first, RegionElement)
        return elements

    def _element(self, node: fmt.Node) -> Element:
        match node:
            case fmt.Literal(text):
                return LiteralElement(text, Tokens(text, ()).texts[:-1] if text not in _LONE else [text])
            case fmt.Ref(name):
                return self._ref(name)
            case fmt.TypeOf(name, short):
                return TypeElement(self._value(name), short=short)
            case fmt.FunctionalType(inputs, results):
                return FunctionalElement(self._values(inputs), self._values(results))
            case fmt.Args(name):
                return ArgsElement(self._region(name))
            case fmt.AttrDict(keyword):
                defaults = {}
                if isinstance(self.spec, OpSpec):
                    defaults = {a.name: a.default for a in self.spec.attributes if a.default is not None}
                dictionary = DictElement(keyword, frozenset(), defaults)
                self.dictionaries.append(dictionary)
                return dictionary
            case fmt.Custom(name, arguments):
                if name not in DIRECTIVES:
                    raise fmt.FormatError(f"{self.spec.name}: there is no directive custom<{name}>")
                made: Directive = DIRECTIVES[name](self.spec, arguments)
                self.printed |= made.attributes
                return made
            case fmt.Group(then, otherwise, anchor):
                bound = {id(n): e for n, e in zip(then, self._all(then), strict=True)}
                other = {id(n): e for n, e in zip(otherwise, self._all(otherwise), strict=True)}
                found = bound.get(id(anchor)) or other[id(anchor)]
                return GroupElement(list(bound.values()), list(other.values()), found)

    def _ref(self, name: str) -> Element:
        field = self._field(name)
        match field:
            case RegionSpec():
                return RegionElement(field)
            case ValueSpec():
                return OperandElement(field)
            case _:
                self.printed.add(name)
                return AttributeElement(field)

    def _field(self, name: str) -> ValueSpec | AttributeSpec | RegionSpec | ParamSpec:
        if name not in self.fields:
            raise fmt.FormatError(f"{self.spec.name} has no field {name}")
        return self.fields[name]

    def _value(self, name: str) -> ValueSpec:
        field = self._field(name)
        if not isinstance(field, ValueSpec):
            raise fmt.FormatError(f"{name} of {self.spec.name} is no operand or result")
        return field

    def _values(self, names: Sequence[str]) -> Sequence[ValueSpec]:
        assert isinstance(self.spec, OpSpec)
        groups = {"operands": self.spec.operands, "results": self.spec.results}
        return [v for n in names for v in (groups.get(n) or [self._value(n)])]

    def _region(self, name: str) -> RegionSpec:
        field = self._field(name)
        if not isinstance(field, RegionSpec):
            raise fmt.FormatError(f"{name} of {self.spec.name} is no region")
        return field


#: Literals that are one token but would not pass the lexer alone.
_LONE = frozenset("()[]{}<>")
