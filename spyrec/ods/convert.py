"""Python values to attributes, by the form of the field that takes them."""

from __future__ import annotations

from typing import Any

from spyrec.mlir import ir
from spyrec.ods.spec import Constraint, Form


def to_attribute(constraint: Constraint, value: Any) -> ir.Attribute:
    """``value`` itself when it is an attribute, else converted (numbers, strings, sequences of ints, maps, types).

    Raises TypeError when the constraint's form has no such Python value.
    """
    if isinstance(value, ir.Attribute):
        return value
    match constraint.form:
        case Form.INTEGER:
            return ir.IntegerAttr.get(ir.Type.parse(constraint.fixed or "i64"), int(value))
        case Form.FLOAT:
            return ir.FloatAttr.get(ir.Type.parse(constraint.fixed or "f32"), float(value))
        case Form.BOOL:
            return ir.BoolAttr.get(bool(value))
        case Form.UNIT if value is True:
            return ir.UnitAttr.get()
        case Form.KEYWORD if constraint.fixed is not None:
            return ir.IntegerAttr.get(ir.Type.parse(constraint.fixed), constraint.cases.index(str(value)))
        case Form.STRING | Form.KEYWORD:
            return ir.StringAttr.get(str(value))
        case Form.SYMBOL:
            text = str(value).removeprefix("@")
            return ir.StringAttr.get(text) if constraint.defines else ir.FlatSymbolRefAttr.get(text)
        case Form.I64_ARRAY:
            return ir.DenseI64ArrayAttr.get([int(v) for v in value])
        case Form.MAP if isinstance(value, ir.AffineMap):
            return ir.AffineMapAttr.get(value)
        case Form.SET if isinstance(value, ir.IntegerSet):
            return ir.IntegerSetAttr.get(value)
        case Form.TYPE if isinstance(value, ir.Type):
            return ir.TypeAttr.get(value)
        case _:
            raise TypeError(f"cannot make an attribute ({constraint.description}) of {value!r}")
