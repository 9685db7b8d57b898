"""What fields may hold: constraints on types of values, on attributes and parameters, and makers of more of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from spyrec.mlir import ir
from spyrec.ods.spec import Constraint, Form

A = TypeVar("A", bound=ir.Attribute)


@dataclass(frozen=True)
class AttrConstraint(Constraint, Generic[A]):
    """A constraint on attributes; its parameter is the class that the accessor of a field returns."""


def type_is(name: str, description: str, accepts: Callable[[ir.Type], bool]) -> Constraint:
    """A constraint that is a predicate on types."""
    return Constraint(name, description, accepts)


def fixed_type(text: str) -> Constraint:
    """Exactly the type that ``text`` spells; formats need not state it."""
    return Constraint(text, text, lambda t: str(t) == text, fixed=text)


def type_class(*classes: type) -> Constraint:
    """Types of the given classes of ours (:class:`spyrec.ods.types.Type`). One without parameters fixes the type."""
    names = tuple(c.spec.name for c in classes)  # type: ignore[attr-defined]
    only = classes[0].spec if len(classes) == 1 else None  # type: ignore[attr-defined]
    fixed = f"!{only.name}" if only is not None and not only.params else None
    shown = " or ".join(f"!{n}" for n in names)
    return Constraint(shown, shown, lambda t: isinstance(t, classes), fixed=fixed, classes=names)


def any_of(name: str, *options: Constraint) -> Constraint:
    """A type that one of the options accepts."""
    classes = tuple(c for o in options for c in o.classes) if all(o.classes for o in options) else ()
    description = " or ".join(o.description for o in options)
    return Constraint(name, description, lambda t: any(o.accepts(t) for o in options), classes=classes)


AnyType = Constraint("any type", "any type", lambda _: True)
Index = Constraint("index", "index", lambda t: isinstance(t, ir.IndexType), fixed="index")
I1 = fixed_type("i1")
I32 = fixed_type("i32")
I64 = fixed_type("i64")
AnyFloat = type_is("float", "a floating-point type", lambda t: isinstance(t, ir.FloatType))
Tensor = type_is("tensor", "a tensor", lambda t: isinstance(t, (ir.RankedTensorType, ir.UnrankedTensorType)))
RankedTensor = type_is("ranked tensor", "a ranked tensor", lambda t: isinstance(t, ir.RankedTensorType))
MemRef = type_is("memref", "a ranked memref", lambda t: isinstance(t, ir.MemRefType))
MemRefOrTensor = any_of("memref or tensor", MemRef, Tensor)


def _integer(width: int) -> AttrConstraint[ir.IntegerAttr]:
    text = f"i{width}"

    def accepts(a: Any) -> bool:
        return isinstance(a, ir.IntegerAttr) and str(a.type) == text

    return AttrConstraint(f"{text} attribute", f"an {text} integer", accepts, fixed=text, form=Form.INTEGER)


I64Attr = _integer(64)
I32Attr = _integer(32)


def integer_attr(
    description: str, minimum: int | None = None, maximum: int | None = None
) -> AttrConstraint[ir.IntegerAttr]:
    """An i64 within bounds (inclusive)."""

    def accepts(a: Any) -> bool:
        if not I64Attr.accepts(a):
            return False
        return (minimum is None or a.value >= minimum) and (maximum is None or a.value <= maximum)

    return AttrConstraint(description, description, accepts, fixed="i64", form=Form.INTEGER)


PositiveI64 = integer_attr("an i64 integer of at least 1", minimum=1)
NonNegativeI64 = integer_attr("an i64 integer of at least 0", minimum=0)


def _float(width: int) -> AttrConstraint[ir.FloatAttr]:
    text = f"f{width}"

    def accepts(a: Any) -> bool:
        return isinstance(a, ir.FloatAttr) and str(a.type) == text

    return AttrConstraint(f"{text} attribute", f"an {text} number", accepts, fixed=text, form=Form.FLOAT)


F32Attr = _float(32)
TypedFloatAttr: AttrConstraint[ir.FloatAttr] = AttrConstraint(
    "float attribute", "a number with its floating-point type", lambda a: isinstance(a, ir.FloatAttr)
)


def attr_class(
    name: str,
    description: str,
    cls: type[A],
    form: Form = Form.ANY,
    where: Callable[[A], bool] | None = None,
    *,
    defines: bool = False,
) -> AttrConstraint[A]:
    """Attributes of one class of the bindings, narrowed by ``where``."""

    def accepts(a: Any) -> bool:
        return isinstance(a, cls) and (where is None or where(a))

    return AttrConstraint(name, description, accepts, form=form, defines=defines)


AnyAttr: AttrConstraint[ir.Attribute] = AttrConstraint("any attribute", "any attribute", lambda _: True)
BoolAttr = attr_class("bool", "true or false", ir.BoolAttr, Form.BOOL)
UnitAttr = attr_class("unit", "the unit attribute (its name alone)", ir.UnitAttr, Form.UNIT)
StringAttr = attr_class("string", "a string", ir.StringAttr, Form.STRING)
SymbolName = attr_class("symbol name", "the name of a symbol", ir.StringAttr, Form.SYMBOL, defines=True)
FlatSymbol = attr_class("symbol", "a symbol such as @name", ir.FlatSymbolRefAttr, Form.SYMBOL)
I64Array = attr_class("i64 array", "a dense array of i64", ir.DenseI64ArrayAttr, Form.I64_ARRAY)
AffineMapAttr = attr_class("affine map", "an affine map", ir.AffineMapAttr, Form.MAP)
IntegerSetAttr = attr_class("affine set", "an affine set", ir.IntegerSetAttr, Form.SET)
TypeAttr = attr_class("type", "a type", ir.TypeAttr, Form.TYPE)
DictAttr = attr_class("dictionary", "a dictionary", ir.DictAttr)
ArrayAttr = attr_class("array", "an array", ir.ArrayAttr, Form.ARRAY)
DenseAttr = attr_class("dense elements", "dense elements", ir.DenseElementsAttr)
ElementsAttr: AttrConstraint[ir.Attribute] = AttrConstraint(
    "elements", "dense or sparse elements", lambda a: str(a).startswith(("dense<", "sparse<", "dense_resource<"))
)


def array_of(element: Constraint, description: str) -> AttrConstraint[ir.ArrayAttr]:
    """An array attribute whose elements all satisfy ``element``."""
    return attr_class(
        description, description, ir.ArrayAttr, Form.ARRAY, where=lambda a: all(element.accepts(e) for e in a)
    )


def keyword(*cases: str) -> AttrConstraint[ir.StringAttr]:
    """One of a few words, printed bare, stored as a string."""
    described = "one of " + ", ".join(cases)
    return AttrConstraint(
        "keyword",
        described,
        lambda a: isinstance(a, ir.StringAttr) and a.value in cases,
        form=Form.KEYWORD,
        cases=cases,
    )


def enumerated(type_text: str, *cases: str) -> AttrConstraint[ir.IntegerAttr]:
    """One of a few words, printed bare, stored as its number among them in an integer of the given type."""

    def accepts(a: Any) -> bool:
        return isinstance(a, ir.IntegerAttr) and str(a.type) == type_text and 0 <= a.value < len(cases)

    described = f"one of {', '.join(cases)} (an {type_text} from 0)"
    return AttrConstraint("enumeration", described, accepts, fixed=type_text, form=Form.KEYWORD, cases=cases)


def record_attr(*classes: type) -> AttrConstraint[ir.Attribute]:
    """Attributes of the given classes of ours; where a format names the field, a single class prints no prefix."""
    names = tuple(c.spec.name for c in classes)  # type: ignore[attr-defined]
    shown = " or ".join(f"#{n}" for n in names)
    form = Form.STRIPPED if len(names) == 1 else Form.ANY
    return AttrConstraint(shown, shown, lambda a: isinstance(a, classes), form=form, classes=names)


def either(name: str, options: Sequence[AttrConstraint[Any]]) -> AttrConstraint[ir.Attribute]:
    """An attribute that one of the options accepts, in full text."""
    description = " or ".join(o.description for o in options)
    return AttrConstraint(name, description, lambda a: any(o.accepts(a) for o in options))
