"""Types and attributes of ours: ``class TileType(ods.Type, dialect=Ktdp, name="tile")`` with ``ods.param`` fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from spyrec.mlir import ir
from spyrec.ods import registry
from spyrec.ods.constraints import AttrConstraint
from spyrec.ods.convert import to_attribute
from spyrec.ods.op import Dialect, prose
from spyrec.ods.spec import ParamSpec, RecordSpec

if TYPE_CHECKING:
    from typing import Self

A = TypeVar("A", bound=ir.Attribute)


class Param(Generic[A]):
    """A parameter; on an instance its attribute."""

    optional = False

    def __init__(self, constraint: AttrConstraint[A], doc: str) -> None:
        self.constraint = constraint
        self.doc = doc
        self.name = ""
        self.index = 0

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name.rstrip("_")

    def spec(self) -> ParamSpec:
        return ParamSpec(self.name, self.constraint, self.doc, self.optional)

    def stored(self, record: Any) -> Any:
        """The stored attribute as its own class (parameters arrive as plain attributes)."""
        return record.params[self.index].maybe_downcast()

    @overload
    def __get__(self, record: None, owner: type) -> Self: ...
    @overload
    def __get__(self, record: ir.DynamicType | ir.DynamicAttr, owner: type) -> A: ...
    def __get__(self, record: ir.DynamicType | ir.DynamicAttr | None, owner: type) -> A | Self:
        if record is None:
            return self
        value: A = self.stored(record)
        return value


class OptionalParam(Param[A]):
    """A parameter that may be absent: None then."""

    optional = True

    @overload  # type: ignore[override]
    def __get__(self, record: None, owner: type) -> Self: ...
    @overload
    def __get__(self, record: ir.DynamicType | ir.DynamicAttr, owner: type) -> A | None: ...
    def __get__(self, record: ir.DynamicType | ir.DynamicAttr | None, owner: type) -> A | Self | None:
        if record is None:
            return self
        value = self.stored(record)
        return None if isinstance(value, ir.UnitAttr) else value


def param(constraint: AttrConstraint[A], doc: str) -> Param[A]:
    """A parameter that is always there."""
    return Param(constraint, doc)


def optional_param(constraint: AttrConstraint[A], doc: str) -> OptionalParam[A]:
    """A parameter that may be absent."""
    return OptionalParam(constraint, doc)


def _make_spec(cls: Any, sigil: str, dialect: type[Dialect], name: str, ir_name: str | None) -> RecordSpec:
    params = [p for base in reversed(cls.__mro__) for p in vars(base).values() if isinstance(p, Param)]
    for index, p in enumerate(params):
        p.index = index
    prefix = dialect.DIALECT_NAMESPACE
    return RecordSpec(
        sigil,
        f"{prefix}.{name}",
        f"{prefix}.{ir_name or name}",
        tuple(p.spec() for p in params),
        cls.assembly_format,
        *prose(cls),
        newest=None if cls.newest is _no_newest else cls.newest,
        problem=None if cls.problem is _no_problem else cls.problem,
        bits=getattr(cls, "bits", ""),
    )


def _attributes(spec: RecordSpec, params: dict[str, Any]) -> list[ir.Attribute]:
    """Parameters by name as the attributes that are stored, in order. Raises TypeError when they do not fit."""
    out: list[ir.Attribute] = []
    for p in spec.params:
        value = params.pop(p.name, None)
        if value is not None:
            out.append(to_attribute(p.constraint, value))
        elif p.optional:
            out.append(ir.UnitAttr.get())
        else:
            raise TypeError(f"{spec.name}: parameter {p.name} is missing")
    if params:
        raise TypeError(f"{spec.name} has no parameter {', '.join(sorted(params))}")
    if spec.problem is not None:
        pairs = zip(spec.params, out, strict=True)
        wrong = spec.problem({p.name: None if isinstance(a, ir.UnitAttr) else str(a) for p, a in pairs})
        if wrong is not None:
            raise TypeError(f"{spec.sigil}{spec.name}: {wrong}")
    return out


Params = Mapping[str, str | None]
"""Generic text of parameters by name; None for absent ones."""


def _no_newest(params: Params) -> tuple[str, dict[str, str | None]] | None:
    """Default of ``newest``: the spelling is current."""
    return None


def _no_problem(params: Params) -> str | None:
    """Default of ``problem``: any parameters that satisfy their constraints are right."""
    return None


class Type(ir.DynamicType):
    """Base of types. ``ir_name`` is the name inside MLIR where the public one is also an op's.

    ``newest``, ``problem`` and ``bits``: see :class:`spyrec.ods.spec.RecordSpec`. (The bindings' classes allow one base
    only.)
    """

    spec: ClassVar[RecordSpec]
    assembly_format: ClassVar[str] = ""
    bits: ClassVar[str] = ""
    newest = staticmethod(_no_newest)
    problem = staticmethod(_no_problem)

    def __init_subclass__(
        cls, *, dialect: type[Dialect] | None = None, name: str | None = None, ir_name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init_subclass__(**kwargs)
        if dialect is None or name is None:
            return
        cls.spec = _make_spec(cls, "!", dialect, name, ir_name)
        registry.types[cls.spec.name] = cls

    @classmethod
    def make(cls, **params: Any) -> Self:
        """The type with these parameters, attributes or Python values. Raises TypeError when they do not fit."""
        return cls(ir.DynamicType.get(cls.spec.ir_name, _attributes(cls.spec, params)))


class Attribute(ir.DynamicAttr):
    """Base of attributes; as :class:`Type`."""

    spec: ClassVar[RecordSpec]
    assembly_format: ClassVar[str] = ""
    newest = staticmethod(_no_newest)
    problem = staticmethod(_no_problem)

    def __init_subclass__(
        cls, *, dialect: type[Dialect] | None = None, name: str | None = None, ir_name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init_subclass__(**kwargs)
        if dialect is None or name is None:
            return
        cls.spec = _make_spec(cls, "#", dialect, name, ir_name)
        registry.attributes[cls.spec.name] = cls

    @classmethod
    def make(cls, **params: Any) -> Self:
        """As :meth:`Type.make`."""
        return cls(ir.DynamicAttr.get(cls.spec.ir_name, _attributes(cls.spec, params)))
