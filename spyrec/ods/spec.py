"""What an op, type or attribute *is*, as plain data: read by the assembly layer, the verifier and the documentation.

Nothing here imports MLIR. The classes of :mod:`spyrec.ods.op` and :mod:`spyrec.ods.types` build these records once,
when a dialect file is imported, and keep them as ``Class.spec``.

Generic form: how the records map onto MLIR text
------------------------------------------------
*Ops.* All operands in field order, all results in field order, all regions in field order (an absent region is an empty
one, ``({})``), one plain attribute dictionary (never properties, ``<{}>``). When more than one IRDL operand may be
missing or repeat, the dictionary carries ``operandSegmentSizes = array<i32: ...>`` (``resultSegmentSizes`` likewise):
:meth:`OpSpec.operand_segments` gives its entries from the counts per field, or ``None`` when no attribute belongs
there. IRDL gives a variadic group one type, so a ``mixed`` group is stored as :data:`MIXED_LIMIT` optional ones; the
segments method hides this. Custom form never shows segments.

*Parameters of types and attributes* are attributes, printed by MLIR in order:
``!ktdp.access_tile<tensor<4x64xindex>>``. A type as a parameter is a TypeAttr (its text is the type's). A parameter
that is absent is the unit attribute: ``#ktdp.memory_space<"global", unit>``. A parameter with a list of types is an
array, ``[f16, f32]``. Integers carry their type, ``7 : i64``. A record without parameters has no angle brackets:
``!ktdf_arch.port_resource``. ``ir_name`` is the name in generic form, ``name`` the one users read: they differ where
IRDL has one symbol table for ops, types and attributes. Affine maps and sets inside must be hoisted to an alias before
MLIR sees the text.

Format language of ``assembly_format``
--------------------------------------
==========================  ===========================================================================================
`` `tok` ``                 literal keyword or punctuation; the empty literal prints nothing and suppresses a space
``$operand``                one SSA name; a comma list for a variadic; nothing for an absent optional
``$attr``                   the attribute in the short text that its constraint's :class:`Form` allows
``$region``                 ``{ ... }`` with a ``^bb0(...)`` header if it has arguments; without it after
                            ``args($region)``
``$param``                  in types and attributes: a parameter, as ``$attr``
``type($f)``                full type(s) of an operand or result
``short-type($f)``          as ``type`` without what the constraint fixes: ``<1x64xindex>`` when it allows one class
                            that has parameters, else ``memory`` (the name without ``!dialect.``); both are read
``functional-type(a, b)``   ``(types) -> types``
``args($region)``           the entry block's arguments in place, ``%core, %n``, with ``: type`` unless the RegionSpec
                            fixes it
``attr-dict``               all attributes that the format does not print, sorted; nothing if none; a ``#alias`` of a
                            dictionary is read
``attr-dict-with-keyword``  the same after the keyword ``attributes``
``( a $x^ b )?``            optional group, present when the anchor is (optional, variadic and non-empty, attribute that
                            is not the default, non-empty region); may nest
``( a $x^ ) : ( b )?``      with an alternative
``custom<Name>($a, $b)``    a directive class that reads and prints these fields; ``type($x)`` and ``$region`` may be
                            arguments
==========================  ===========================================================================================

Types that the text does not state: operands, results and region arguments whose constraint has ``fixed``; else the type
of any field in the same tuple of :attr:`OpSpec.same_types` (a typed attribute may be a member: ``$value`` of
``1.0 : f16``); or, last, what the custom directive says. Attributes print in the format as their Form says and, inside
``attr-dict``, as MLIR prints them, with our types and attributes in custom form.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

MIXED_LIMIT = 64
"""How many values a variadic group of mixed types may hold."""


class Form(enum.Enum):
    """The short text of an attribute or parameter where a format names it  <->  the text that MLIR reads."""

    __hash__ = object.__hash__  # as there is one object for each; that of enumerations hashes the name, in Python

    ANY = "any"
    """The attribute's full text, typed if it is: ``1.0 : f16``, ``[1, "a"]``, ``#s``."""
    INTEGER = "integer"
    """``7``  <->  ``7 : T`` with T = ``Constraint.fixed`` (``i64`` unless stated)."""
    FLOAT = "float"
    """``1.5``  <->  ``1.5 : T`` with T = ``Constraint.fixed``."""
    BOOL = "bool"
    """``true``, ``false``."""
    UNIT = "unit"
    """Nothing: presence is the anchor of an optional group  <->  ``unit``."""
    STRING = "string"
    """``"text"``."""
    SYMBOL = "symbol"
    """``@name``  <->  ``@name`` for a reference, ``"name"`` for a symbol that the op itself defines."""
    ARRAY = "array"
    """``[1, "a"]``, typed elements in full."""
    I64_ARRAY = "i64-array"
    """``[1, 2]``  <->  ``array<i64: 1, 2>``."""
    MAP = "map"
    """``affine_map<...>`` or its alias."""
    SET = "set"
    """``affine_set<...>`` or its alias."""
    TYPE = "type"
    """A type, printed as such."""
    KEYWORD = "keyword"
    """One of ``Constraint.cases``, bare  <->  a string attribute ``"keyword"``, or with ``Constraint.fixed`` its number
    among the cases, ``1 : i32``.
    """
    STRIPPED = "stripped"
    """One of ours without its prefix, ``<equal>``  <->  ``#spyreop.compare_predicate<"equal">``; both are read."""


@dataclass(frozen=True)
class Constraint:
    """What a value's type, an attribute or a parameter may be.

    ``accepts`` takes an ``ir.Type`` (values) or an ``ir.Attribute`` (attributes, parameters). ``description`` completes
    the sentence "must be ...". ``fixed``: for values the type's text when only one is possible (``index``); for
    INTEGER, FLOAT and numbered KEYWORDs the type. ``classes``: full names of the type or attribute classes of ours that
    are allowed, when only such are.
    """

    name: str
    description: str
    accepts: Callable[[Any], bool] = field(compare=False)
    fixed: str | None = None
    form: Form = Form.ANY
    cases: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    defines: bool = False


class Arity(enum.Enum):
    """How many values a field holds."""

    ONE = "one"
    OPTIONAL = "optional"
    VARIADIC = "variadic"


class ValueSpec(NamedTuple):
    """An operand or a result (group). ``mixed``: values of a variadic group may differ in type."""

    name: str
    constraint: Constraint
    doc: str
    arity: Arity = Arity.ONE
    mixed: bool = False

    @property
    def irdl_count(self) -> int:
        """How many IRDL operands (results) stand for this field."""
        return MIXED_LIMIT if self.mixed else 1


class AttributeSpec(NamedTuple):
    """A declared attribute. ``default``: generic text of what an absent one means; it makes the attribute optional."""

    name: str
    constraint: Constraint
    doc: str
    optional: bool = False
    default: str | None = None


class RegionSpec(NamedTuple):
    """A region.

    ``args``: constraints of the entry block's arguments, ``None`` when free (the op's verifier decides).
    ``terminator``: full name of the only terminator allowed; ``implicit``: it may be absent in text and is not printed
    when it has no operands or attributes. ``default_dialect``: ops without a dialect prefix in here are of this dialect
    and are printed so. ``optional``: may be empty. ``max_blocks``: most regions of ours are one block.
    """

    name: str
    doc: str
    args: tuple[Constraint, ...] | None = None
    terminator: str | None = None
    implicit: bool = False
    default_dialect: str | None = None
    optional: bool = False
    max_blocks: int = 1


@dataclass(frozen=True)
class OpSpec:
    """Everything about an op but its verifier. ``name`` is the full name, ``ktdp.load``.

    ``traits`` and ``effects`` are names (``terminator``, ``no-terminator``, ``isolated``, ``symbol``; ``pure``,
    ``read``, ``write``, ``alloc``). ``open_attributes``: undeclared bare attribute names are legal.
    """

    name: str
    operands: tuple[ValueSpec, ...]
    results: tuple[ValueSpec, ...]
    attributes: tuple[AttributeSpec, ...]
    regions: tuple[RegionSpec, ...]
    assembly_format: str
    summary: str
    description: str
    traits: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()
    same_types: tuple[tuple[str, ...], ...] = ()
    open_attributes: bool = False

    @property
    def dialect(self) -> str:
        return self.name.partition(".")[0]

    @property
    def mnemonic(self) -> str:
        return self.name.partition(".")[2]

    @cached_property
    def fields(self) -> Mapping[str, ValueSpec | AttributeSpec | RegionSpec]:
        """All fields by name (names are unique over operands, results, attributes and regions)."""
        values: list[ValueSpec | AttributeSpec | RegionSpec] = [*self.operands, *self.results]
        return {f.name: f for f in [*values, *self.attributes, *self.regions]}

    @cached_property
    def operand_segmented(self) -> bool:
        """Whether the op carries ``operandSegmentSizes``."""
        return _segmented(self.operands)

    @cached_property
    def result_segmented(self) -> bool:
        """Whether the op carries ``resultSegmentSizes``."""
        return _segmented(self.results)

    def operand_segments(self, counts: Sequence[int]) -> list[int] | None:
        """Entries of ``operandSegmentSizes`` for ``counts[i]`` values in field i; None when the op does not have it.

        Raises ValueError when a mixed group is longer than :data:`MIXED_LIMIT`.
        """
        return _segments(self.operands, counts) if self.operand_segmented else None

    def result_segments(self, counts: Sequence[int]) -> list[int] | None:
        """As :meth:`operand_segments`, for ``resultSegmentSizes``."""
        return _segments(self.results, counts) if self.result_segmented else None

    def operand_counts(self, total: int, segments: Sequence[int] | None) -> list[int]:
        """Values per operand field, from the number of operands and the entries of ``operandSegmentSizes``, if any.

        Raises ValueError when they do not fit the fields. The list is shared between calls: do not change it.
        """
        return self._cached_counts(self.operands, total, segments if self.operand_segmented else None)

    def result_counts(self, total: int, segments: Sequence[int] | None) -> list[int]:
        """As :meth:`operand_counts`, for results."""
        return self._cached_counts(self.results, total, segments if self.result_segmented else None)

    def _cached_counts(self, fields: tuple[ValueSpec, ...], total: int, segments: Sequence[int] | None) -> list[int]:
        # Each accessor of an op with optional or repeated fields asks this, and few combinations ever occur.
        key = (fields is self.operands, total, None if segments is None else tuple(segments))
        counts = self._known_counts.get(key)
        if counts is None:
            counts = self._known_counts[key] = _counts(fields, total, segments)
        return counts

    @cached_property
    def _known_counts(self) -> dict[tuple[bool, int, tuple[int, ...] | None], list[int]]:
        return {}


class ParamSpec(NamedTuple):
    """A parameter of a type or attribute; ``optional``: stored as the unit attribute when absent."""

    name: str
    constraint: Constraint
    doc: str
    optional: bool = False


@dataclass(frozen=True)
class RecordSpec:
    """A type (``sigil`` ``!``) or an attribute (``#``) of ours.

    ``name`` is the full public name, ``ir_name`` the one that MLIR knows.

    ``assembly_format`` covers all that follows the name, angle brackets included; empty without parameters.
    ``newest``: for spellings that are read but no longer printed; takes the parameters' generic text by name (None
    when absent) and gives the full name of the record to write instead with *its* parameters, or None when there is no
    equivalent. ``problem``: takes the same and says what is wrong with them, or None. ``bits``: for types that may be
    elements of memrefs and vectors, where MLIR does not take them: the integer type that carries their bits there, see
    :meth:`carrier`.
    """

    sigil: str
    name: str
    ir_name: str
    params: tuple[ParamSpec, ...]
    assembly_format: str
    summary: str
    description: str
    newest: Callable[[Mapping[str, str | None]], tuple[str, dict[str, str | None]] | None] | None = field(
        default=None, compare=False
    )
    problem: Callable[[Mapping[str, str | None]], str | None] | None = field(default=None, compare=False)
    bits: str = ""

    @property
    def dialect(self) -> str:
        return self.name.partition(".")[0]

    @property
    def mnemonic(self) -> str:
        return self.name.partition(".")[2]

    def carrier(self, container: str) -> str:
        """What MLIR reads as the element of a ``memref`` (a vector of one integer) or of a ``vector`` (one more
        dimension of 1).
        """
        return f"vector<1x{self.bits}>" if container == "memref" else f"1x{self.bits}"

    def generic(self, params: Mapping[str, str | None]) -> str:
        """The text that MLIR reads, from the parameters' generic texts: ``#ktdp.memory_space<"ct_local", 7 : i64>``."""
        head = f"{self.sigil}{self.ir_name}"
        if not self.params:
            return head
        texts = ("unit" if params.get(p.name) is None else str(params[p.name]) for p in self.params)
        return f"{head}<{', '.join(texts)}>"


class DialectSpec(NamedTuple):
    """A dialect: its name and prose. ``absent``: ops that people know of and that it does not have, by mnemonic, with
    what to say about each.
    """

    name: str
    summary: str
    description: str
    open_attributes: bool = False
    absent: Mapping[str, str] = MappingProxyType({})


def _segmented(fields: Sequence[ValueSpec]) -> bool:
    """IRDL wants explicit sizes as soon as two of *its* groups are not exactly one value."""
    return sum(f.irdl_count for f in fields if f.arity is not Arity.ONE) > 1


def _segments(fields: Sequence[ValueSpec], counts: Sequence[int]) -> list[int]:
    out: list[int] = []
    for spec, count in zip(fields, counts, strict=True):
        if not spec.mixed:
            out.append(count)
        elif count > MIXED_LIMIT:
            raise ValueError(f"{spec.name} has {count} values; at most {MIXED_LIMIT} are supported")
        else:
            out.extend([1] * count + [0] * (MIXED_LIMIT - count))
    return out


def _counts(fields: Sequence[ValueSpec], total: int, segments: Sequence[int] | None) -> list[int]:
    if segments is not None:
        expected = sum(f.irdl_count for f in fields)
        if len(segments) != expected:
            raise ValueError(f"the segment sizes have {len(segments)} entries; {expected} are needed")
        counts, at = [], 0
        for spec in fields:
            counts.append(sum(segments[at : at + spec.irdl_count]))
            at += spec.irdl_count
        if sum(counts) != total:
            raise ValueError(f"the segment sizes add up to {sum(counts)}, but there are {total} values")
    else:
        loose = [f for f in fields if f.arity is not Arity.ONE]
        spare = total - (len(fields) - len(loose))
        counts = [1 if f.arity is Arity.ONE else spare for f in fields]
    for spec, count in zip(fields, counts, strict=True):
        if count < 0 or (spec.arity is Arity.ONE and count != 1) or (spec.arity is Arity.OPTIONAL and count > 1):
            raise ValueError(f"{spec.name} would have {count} values")
    if sum(counts) != total:
        raise ValueError(f"there are {total} values for {len(fields)} fields")
    return counts
