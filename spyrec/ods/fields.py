"""Fields of op classes: what a class body assigns, and the accessors they become.

``access_tile = ods.operand(AnyAccessTile, "prose")`` makes a descriptor; on an op it gives the value, the list of
values, the attribute or the region, found by the sizes that the op itself carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from spyrec.mlir import ir
from spyrec.ods.constraints import AttrConstraint
from spyrec.ods.spec import Arity, AttributeSpec, Constraint, RegionSpec, ValueSpec

if TYPE_CHECKING:
    from typing import Self

    from spyrec.ods.op import Op

A = TypeVar("A", bound=ir.Attribute)

OPERAND_SIZES, RESULT_SIZES = "operandSegmentSizes", "resultSegmentSizes"
"""The attributes with the number of values of each group, where it does not follow from how many there are."""


class Field:
    """Common to all fields: the name it is bound to, and its record once the class is complete."""

    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        # `in_` for a field named `in`: Python keywords take a trailing underscore.
        self.name = name.rstrip("_")


class ValueField(Field):
    """An operand or result. ``index`` is its place among the fields of its kind, and ``entries`` are those that it has
    in segment sizes; set when the class is built.
    """

    def __init__(self, kind: Literal["operand", "result"], arity: Arity, constraint: Constraint, doc: str) -> None:
        self.kind = kind
        self.arity = arity
        self.constraint = constraint
        self.doc = doc
        self.index = 0
        self.entries = range(1)

    def spec(self) -> ValueSpec:
        mixed = self.arity is Arity.VARIADIC and self.constraint.fixed is None
        return ValueSpec(self.name, self.constraint, self.doc, self.arity, mixed)

    def values(self, op: Op) -> list[Any]:
        """The values of this field on ``op``."""
        operands, operation = self.kind == "operand", op.operation
        values: Sequence[Any] = operation.operands if operands else operation.results
        if op.spec.operand_segmented if operands else op.spec.result_segmented:
            # Sizes are long where groups are mixed: those up to here say enough, but for what does not fit.
            sizes = operation.attributes.get(OPERAND_SIZES if operands else RESULT_SIZES)
            if isinstance(sizes, ir.DenseI32ArrayAttr) and len(sizes) >= self.entries.stop:
                start = sum([sizes[k] for k in range(self.entries.start)])
                end = start + sum([sizes[k] for k in self.entries])
                if end <= len(values):
                    return [values[k] for k in range(start, end)]
        counts = value_counts(op, operands=operands)
        start = sum(counts[: self.index])
        return [values[k] for k in range(start, start + counts[self.index])]


def value_counts(op: Op, *, operands: bool) -> list[int]:
    """Values per operand (or result) field. Raises ValueError when the op's segment sizes are missing or do not fit."""
    spec, operation = op.spec, op.operation
    segmented = spec.operand_segmented if operands else spec.result_segmented
    total = len(operation.operands if operands else operation.results)
    segments: tuple[int, ...] | None = None
    if segmented:
        key = OPERAND_SIZES if operands else RESULT_SIZES
        raw = operation.attributes.get(key)
        if not isinstance(raw, ir.DenseI32ArrayAttr):
            raise ValueError(f"attribute {key} is missing")
        segments = tuple(raw)
    return spec.operand_counts(total, segments) if operands else spec.result_counts(total, segments)


class OneValue(ValueField):
    """Exactly one value."""

    fast: int | None = None
    """Index among all values when every earlier field is one value too; negative when every later one is; else None."""

    @overload
    def __get__(self, op: None, owner: type) -> Self: ...
    @overload
    def __get__(self, op: Op, owner: type) -> ir.Value: ...
    def __get__(self, op: Op | None, owner: type) -> ir.Value | Self:
        if op is None:
            return self
        if self.fast is not None:
            values = op.operation.operands if self.kind == "operand" else op.operation.results
            value: ir.Value = values[self.fast]
            return value
        only: ir.Value = self.values(op)[0]
        return only


class OptionalValue(ValueField):
    """One value or none."""

    @overload
    def __get__(self, op: None, owner: type) -> Self: ...
    @overload
    def __get__(self, op: Op, owner: type) -> ir.Value | None: ...
    def __get__(self, op: Op | None, owner: type) -> ir.Value | Self | None:
        if op is None:
            return self
        values = self.values(op)
        return values[0] if values else None


class VariadicValue(ValueField):
    """Any number of values, as a list."""

    @overload
    def __get__(self, op: None, owner: type) -> Self: ...
    @overload
    def __get__(self, op: Op, owner: type) -> list[ir.Value]: ...
    def __get__(self, op: Op | None, owner: type) -> list[ir.Value] | Self:
        return self if op is None else self.values(op)


class AttrField(Field, Generic[A]):
    """A declared attribute that is always there: required, or with a default."""

    def __init__(
        self, constraint: AttrConstraint[A], doc: str, *, default: str | None = None, optional: bool = False
    ) -> None:
        self.constraint = constraint
        self.doc = doc
        self.default = default
        self.optional = optional

    def spec(self) -> AttributeSpec:
        return AttributeSpec(
            self.name, self.constraint, self.doc, self.optional or self.default is not None, self.default
        )

    def lookup(self, op: Op) -> Any:
        """The attribute, its default, or None."""
        found = op.operation.attributes.get(self.name)
        if found is not None or self.default is None:
            return found
        return ir.Attribute.parse(self.default, op.operation.context)

    @overload
    def __get__(self, op: None, owner: type) -> Self: ...
    @overload
    def __get__(self, op: Op, owner: type) -> A: ...
    def __get__(self, op: Op | None, owner: type) -> A | Self:
        if op is None:
            return self
        found: A | None = self.lookup(op)
        if found is None:
            raise KeyError(f"{op.operation.name} has no attribute {self.name}")
        return found

    def __set__(self, op: Op, value: A) -> None:
        op.operation.attributes[self.name] = value


class OptionalAttrField(AttrField[A]):
    """A declared attribute that may be absent; assigning None removes it."""

    @overload  # type: ignore[override]
    def __get__(self, op: None, owner: type) -> Self: ...
    @overload
    def __get__(self, op: Op, owner: type) -> A | None: ...
    def __get__(self, op: Op | None, owner: type) -> A | Self | None:
        if op is None:
            return self
        found: A | None = self.lookup(op)
        return found

    def __set__(self, op: Op, value: A | None) -> None:
        if value is not None:
            op.operation.attributes[self.name] = value
        elif self.name in op.operation.attributes:
            del op.operation.attributes[self.name]


class RegionField(Field):
    """A region."""

    def __init__(self, doc: str, **options: Any) -> None:
        self.doc = doc
        self.options = options
        self.index = 0

    def spec(self) -> RegionSpec:
        return RegionSpec(self.name, self.doc, **self.options)

    @overload
    def __get__(self, op: None, owner: type) -> Self: ...
    @overload
    def __get__(self, op: Op, owner: type) -> ir.Region: ...
    def __get__(self, op: Op | None, owner: type) -> ir.Region | Self:
        return self if op is None else op.operation.regions[self.index]


def operand(constraint: Constraint, doc: str) -> OneValue:
    """One operand."""
    return OneValue("operand", Arity.ONE, constraint, doc)


def optional_operand(constraint: Constraint, doc: str) -> OptionalValue:
    """An operand that may be absent."""
    return OptionalValue("operand", Arity.OPTIONAL, constraint, doc)


def variadic_operand(constraint: Constraint, doc: str) -> VariadicValue:
    """A list of operands; they may differ in type unless the constraint fixes it."""
    return VariadicValue("operand", Arity.VARIADIC, constraint, doc)


def result(constraint: Constraint, doc: str) -> OneValue:
    """One result."""
    return OneValue("result", Arity.ONE, constraint, doc)


def optional_result(constraint: Constraint, doc: str) -> OptionalValue:
    """A result that may be absent."""
    return OptionalValue("result", Arity.OPTIONAL, constraint, doc)


def variadic_result(constraint: Constraint, doc: str) -> VariadicValue:
    """A list of results; they may differ in type unless the constraint fixes it."""
    return VariadicValue("result", Arity.VARIADIC, constraint, doc)


def attr(constraint: AttrConstraint[A], doc: str, *, default: str | None = None) -> AttrField[A]:
    """A required attribute, or with ``default`` (generic text) one that means that when absent."""
    return AttrField(constraint, doc, default=default)


def optional_attr(constraint: AttrConstraint[A], doc: str) -> OptionalAttrField[A]:
    """An attribute that may be absent."""
    return OptionalAttrField(constraint, doc, optional=True)


def region(
    doc: str,
    *,
    args: Sequence[Constraint] | None = None,
    terminator: str | None = None,
    implicit: bool = False,
    default_dialect: str | None = None,
    optional: bool = False,
    max_blocks: int = 1,
) -> RegionField:
    """A region; see :class:`spyrec.ods.spec.RegionSpec` for the options."""
    return RegionField(
        doc,
        args=None if args is None else tuple(args),
        terminator=terminator,
        implicit=implicit,
        default_dialect=default_dialect,
        optional=optional,
        max_blocks=max_blocks,
    )
