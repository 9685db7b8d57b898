"""Python values to attributes, by the form of the field that takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spyrec.mlir import ir
from spyrec.ods.spec import Constraint, Form


def to_attribute(constraint: Constraint, value: Any) -> ir.Attribute:
    """``value`` itself when it is an attribute, else converted (numbers, strings, sequences of ints, maps, types).

    Raises TypeError when the constraint's form has no such Python value.
    """
    if isinstance(value, ir.Attribute):
        return value
    maker = _MAKERS.get(constraint.form)
    made = None if maker is None else maker(constraint, value)
    if made is None:
        raise TypeError(f"cannot make an attribute ({constraint.description}) of {value!r}")
    return made


def _integer(constraint: Constraint, value: Any) -> ir.Attribute:
    type_ = ir.IntegerType.get_signless(64) if constraint.fixed is None else ir.Type.parse(constraint.fixed)
    return ir.IntegerAttr.get(type_, int(value))


def _keyword(constraint: Constraint, value: Any) -> ir.Attribute:
    if constraint.fixed is None:
        return ir.StringAttr.get(str(value))
    return ir.IntegerAttr.get(ir.Type.parse(constraint.fixed), constraint.cases.index(str(value)))


def _symbol(constraint: Constraint, value: Any) -> ir.Attribute:
    text = str(value).removeprefix("@")
    return ir.StringAttr.get(text) if constraint.defines else ir.FlatSymbolRefAttr.get(text)


_MAKERS: dict[Form, Callable[[Constraint, Any], ir.Attribute | None]] = {
    Form.INTEGER: _integer,
    Form.FLOAT: lambda constraint, value: ir.FloatAttr.get(ir.Type.parse(constraint.fixed or "f32"), float(value)),
    Form.BOOL: lambda _, value: ir.BoolAttr.get(bool(value)),
    Form.UNIT: lambda _, value: ir.UnitAttr.get() if value is True else None,
    Form.KEYWORD: _keyword,
    Form.STRING: lambda _, value: ir.StringAttr.get(str(value)),
    Form.SYMBOL: _symbol,
    Form.I64_ARRAY: lambda _, value: ir.DenseI64ArrayAttr.get([int(v) for v in value]),
    Form.MAP: lambda _, value: ir.AffineMapAttr.get(value) if isinstance(value, ir.AffineMap) else None,
    Form.SET: lambda _, value: ir.IntegerSetAttr.get(value) if isinstance(value, ir.IntegerSet) else None,
    Form.TYPE: lambda _, value: ir.TypeAttr.get(value) if isinstance(value, ir.Type) else None,
}
"""What makes the attribute of a form; gives None for a value of the wrong kind."""
