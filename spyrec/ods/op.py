"""Classes of dialects and ops: :class:`Op` turns a class body into an ``ir.OpView`` with accessors and a builder."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from spyrec.mlir import ir
from spyrec.ods import registry
from spyrec.ods.convert import to_attribute
from spyrec.ods.fields import OPERAND_SIZES, RESULT_SIZES, AttrField, Field, OneValue, RegionField, ValueField
from spyrec.ods.spec import Arity, DialectSpec, OpSpec, RegionSpec, ValueSpec
from spyrec.ods.traits import Effects, Trait
from spyrec.ods.violation import Violation

if TYPE_CHECKING:
    from typing import Self


def prose(cls: type) -> tuple[str, str]:
    """First paragraph and the rest of a class's own docstring."""
    head, _, rest = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")
    return " ".join(head.split()), rest.strip()


class Dialect(ir.Dialect):
    """Base of dialects: ``class Ktdp(ods.Dialect, name="ktdp")``; the docstring opens the generated page.

    ``open_attributes``: undeclared bare attribute names are legal on all its ops. ``absent``: see
    :class:`spyrec.ods.spec.DialectSpec`.
    """

    DIALECT_NAMESPACE: ClassVar[str]
    spec: ClassVar[DialectSpec]

    def __init_subclass__(
        cls, *, name: str, open_attributes: bool = False, absent: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init_subclass__(**kwargs)
        cls.DIALECT_NAMESPACE = name
        cls.spec = DialectSpec(name, *prose(cls), open_attributes=open_attributes, absent=absent or {})
        registry.dialects[name] = cls

    @classmethod
    def verify_attribute(cls, op: ir.Operation, name: str, attribute: ir.Attribute) -> Iterator[Violation]:
        """Rules for an attribute under the dialect's name, such as ``ktdf_arch.maps_to``, on an op of another dialect.

        Asked when text is read.
        """
        yield from ()


class Op(ir.OpView):
    """Base of ops: ``class LoadOp(ods.Op, dialect=Ktdp, name="load", traits=(...), effects=ods.Read)``.

    ``same_types`` names fields that have one type, so that the assembly need state it only once.
    """

    spec: ClassVar[OpSpec]
    NAME: ClassVar[str]
    dialect: ClassVar[type[Dialect]]
    assembly_format: ClassVar[str] = "attr-dict"
    trait_set: ClassVar[tuple[Trait, ...]] = ()
    effect_set: ClassVar[Effects | None] = None

    def __init_subclass__(
        cls,
        *,
        dialect: type[Dialect] | None = None,
        name: str | None = None,
        traits: Iterable[Trait] = (),
        effects: Effects | None = None,
        same_types: Sequence[Sequence[str]] = (),
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        if dialect is None or name is None:
            return
        fields = _collect(cls)
        operands = [f for f in fields if isinstance(f, ValueField) and f.kind == "operand"]
        results = [f for f in fields if isinstance(f, ValueField) and f.kind == "result"]
        regions = [f for f in fields if isinstance(f, RegionField)]
        indexed: list[Sequence[ValueField | RegionField]] = [operands, results, regions]
        for group in indexed:
            for index, member in enumerate(group):
                member.index = index
        for values in (operands, results):
            _set_fast_indices(values)
            starts = accumulate((member.spec().irdl_count for member in values), initial=0)
            for member, (first, after) in zip(values, pairwise(starts), strict=True):
                member.entries = range(first, after)
        cls.dialect = dialect
        cls.trait_set, cls.effect_set = tuple(traits), effects
        cls.NAME = cls.OPERATION_NAME = f"{dialect.DIALECT_NAMESPACE}.{name}"
        cls._ODS_REGIONS = (len(regions), True)
        summary, description = prose(cls)
        cls.spec = OpSpec(
            name=cls.NAME,
            operands=tuple(f.spec() for f in operands),
            results=tuple(f.spec() for f in results),
            attributes=tuple(f.spec() for f in fields if isinstance(f, AttrField)),
            regions=tuple(f.spec() for f in regions),
            assembly_format=cls.assembly_format,
            summary=summary,
            description=description,
            traits=frozenset(t.name for t in cls.trait_set),
            effects=frozenset() if effects is None else effects.names,
            same_types=tuple(tuple(group) for group in same_types),
            open_attributes=dialect.spec.open_attributes,
        )
        if len(cls.spec.fields) != len(fields):
            raise TypeError(f"{cls.NAME}: two fields have one name")
        registry.ops[cls.NAME] = cls

    def verify(self) -> Iterator[Violation]:
        """Rules of the op beyond its fields' constraints, which hold at every stage; runs only when those hold."""
        yield from ()

    def review(self) -> Iterator[Violation]:
        """What to say about the op as somebody wrote it: mistakes that a correct pass could not make but might move
        into code that never runs, warnings and remarks. Asked by the reader alone, when ``verify`` found nothing.
        """
        yield from ()

    @classmethod
    def build(
        cls,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
        region_args: Mapping[str, Sequence[ir.Type]] | None = None,
        extra: Mapping[str, ir.Attribute] | None = None,
        **fields: Any,
    ) -> Self:
        """Create the op.

        Keyword fields: an operand is a value, None (optional) or a sequence (variadic); a result is its type(s), needed
        unless the constraint or ``same_types`` fixes it; an attribute is an ``ir.Attribute``, a plain Python value that
        its form can hold, or None. ``region_args`` gives the entry block's argument types; every region that is not
        optional gets one block. ``extra`` holds discardable attributes. Raises TypeError for a missing, unknown or
        ill-shaped field.
        """
        spec = cls.spec
        operands, operand_counts = _gather(spec, spec.operands, fields)
        attributes: dict[str, ir.Attribute] = dict(extra or {})
        for a in spec.attributes:
            value = fields.pop(a.name, None)
            if value is not None:
                attributes[a.name] = to_attribute(a.constraint, value)
            elif not a.optional:
                raise TypeError(f"{spec.name}: attribute {a.name} is missing")
        result_types = _result_types(spec, fields, operands, operand_counts, attributes) if spec.results else {}
        results, result_counts = _gather(spec, spec.results, result_types)
        if fields:
            raise TypeError(f"{spec.name} has no field {', '.join(sorted(fields))}")
        for key, sizes in (
            (OPERAND_SIZES, spec.operand_segments(operand_counts)),
            (RESULT_SIZES, spec.result_segments(result_counts)),
        ):
            if sizes is not None:
                attributes[key] = ir.DenseI32ArrayAttr.get(sizes)
        op = ir.Operation.create(
            spec.name,
            results=results,
            operands=operands,
            attributes=attributes,
            regions=len(spec.regions),
            loc=loc,
            ip=ip,
        )
        for number, owner in enumerate(spec.regions):
            _add_entry_block(op.regions[number], owner, (region_args or {}).get(owner.name), op.location)
        return cls(op)


def _collect(cls: type) -> list[Field]:
    """Fields of the class and its bases, bases first, in the order written; a class may restate a base's field."""
    found: dict[str, Field] = {}
    for base in reversed(cls.__mro__):
        for value in vars(base).values():
            if isinstance(value, Field):
                found[value.name] = value
    return list(found.values())


def _set_fast_indices(fields: Sequence[ValueField]) -> None:
    for index, member in enumerate(fields):
        if not isinstance(member, OneValue):
            continue
        if all(f.arity is Arity.ONE for f in fields[:index]):
            member.fast = index
        elif all(f.arity is Arity.ONE for f in fields[index:]):
            member.fast = index - len(fields)


def _gather(spec: OpSpec, specs: Sequence[ValueSpec], given: dict[str, Any]) -> tuple[list[Any], list[int]]:
    """Take the values (or result types) of ``specs`` out of ``given``: flat list and counts per field."""
    flat: list[Any] = []
    counts: list[int] = []
    for s in specs:
        value = given.pop(s.name, None)
        if value is None:
            if s.arity is Arity.ONE:
                raise TypeError(f"{spec.name}: {s.name} is missing")
            counts.append(0)
            continue
        items = value if s.arity is Arity.VARIADIC else (value,)
        before = len(flat)
        for item in items:
            flat.append(item.result if isinstance(item, (ir.OpView, ir.Operation)) else item)
        counts.append(len(flat) - before)
    return flat, counts


def _result_types(
    spec: OpSpec,
    fields: dict[str, Any],
    operands: Sequence[ir.Value],
    counts: Sequence[int],
    attributes: Mapping[str, Any],
) -> dict[str, Any]:
    """Result types as given, or as the constraint or ``same_types`` fixes them."""
    out: dict[str, Any] = {}
    known: dict[str, ir.Type] | None = None
    for r in spec.results:
        given = fields.pop(r.name, None)
        if given is None and r.arity is Arity.ONE:
            if r.constraint.fixed is not None:
                given = parse_type(r.constraint.fixed)
            else:
                if known is None:
                    known = _known_types(spec, operands, counts, attributes)
                mates = [n for group in spec.same_types if r.name in group for n in group]
                given = next((known[m] for m in mates if m in known), None)
        out[r.name] = given
    return out


def _known_types(
    spec: OpSpec, operands: Sequence[ir.Value], counts: Sequence[int], attributes: Mapping[str, Any]
) -> dict[str, ir.Type]:
    """Types of the single operands and typed attributes by field name."""
    known: dict[str, ir.Type] = {}
    at = 0
    for s, count in zip(spec.operands, counts, strict=True):
        if count == 1:
            known[s.name] = operands[at].type
        at += count
    for name, value in attributes.items():
        if isinstance(value, (ir.FloatAttr, ir.IntegerAttr)):
            known[name] = value.type
    return known


def parse_type(text: str) -> ir.Type:
    """A type of the current context from its text; ours without parameters by their public name."""
    record = registry.types.get(text[1:]) if text.startswith("!") else None
    parsed: ir.Type = ir.Type.parse(text if record is None else f"!{record.spec.ir_name}")
    return parsed


def _add_entry_block(region: ir.Region, spec: RegionSpec, types: Sequence[ir.Type] | None, loc: ir.Location) -> None:
    if types is None:
        if spec.optional:
            return
        fixed = [c.fixed for c in spec.args or ()]
        types = [parse_type(f) for f in fixed if f is not None]
        if len(types) != len(fixed):
            raise TypeError(f"region {spec.name} needs the types of its arguments")
    region.blocks.append(*types, arg_locs=[loc] * len(types))
