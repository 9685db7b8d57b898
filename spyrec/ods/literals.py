"""Numbers of constant attributes as NumPy arrays, and back."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.mlir import ir
from spyrec.numerics import Array


def scalar(attribute: ir.Attribute) -> Array | None:
    """The number of a scalar attribute, rank 0; ``None`` for another attribute."""
    if isinstance(attribute, ir.BoolAttr):
        return np.asarray(attribute.value)
    if isinstance(attribute, ir.IntegerAttr):
        bits = numerics.scalar_type(str(attribute.type)).bits
        value = numerics.scalars.wrap(attribute.value, bits)
        return np.asarray(value).astype(numerics.dtype(str(attribute.type)))
    if isinstance(attribute, ir.FloatAttr):
        return _float(str(attribute).partition(" : ")[0], attribute.value, str(attribute.type))
    return None


def dense(attribute: ir.DenseElementsAttr) -> Array:
    """The numbers of a constant tensor in its shape."""
    shaped = ir.ShapedType(attribute.type)
    element, shape = str(shaped.element_type), tuple(shaped.shape)
    dtype = numerics.dtype(element)
    if attribute.is_splat:
        single = scalar(attribute.get_splat_value())
        return np.broadcast_to(np.asarray(single).astype(dtype), shape)
    if element != "bf16":
        return np.array(attribute).astype(dtype).reshape(shape)
    # The bindings give no buffer of bf16. Long constants are printed as one string of bytes.
    text = str(attribute)
    if text.startswith('dense<"0x'):
        raw = bytes.fromhex(text[len('dense<"0x') : text.index('"', 8)])
        return np.frombuffer(raw, np.uint8).view(dtype).reshape(shape)
    words = re.findall(
        r"0x[0-9A-Fa-f]+|[-+.\w]+", text[: text.rindex(">", 0, text.rindex(" : "))].removeprefix("dense<")
    )
    return np.array([_float(w, 0.0 if w.startswith("0x") else float(w), element) for w in words]).reshape(shape)


def attribute(type_: ir.Type, value: Any) -> ir.Attribute:
    """The attribute of an element type for a number; a location must be current. A NaN that comes as an array of the
    type keeps its bits.
    """
    if isinstance(type_, ir.FloatType):
        if isinstance(value, np.ndarray | np.generic) and value != value:
            bits = numerics.to_bytes(np.asarray(value))[::-1].tobytes().hex()
            made: ir.Attribute = ir.Attribute.parse(f"0x{bits} : {type_}")
            return made
        return ir.FloatAttr.get(type_, float(value))
    return ir.IntegerAttr.get(type_, int(value))


def _float(text: str, value: float, element: str) -> Array:
    """A float constant; NaN and infinity are printed as their bits, which keeps a payload."""
    dtype = numerics.dtype(element)
    if text.startswith("0x"):
        return np.asarray(int(text, 16)).astype(f"uint{dtype.itemsize * 8}").view(dtype)
    with np.errstate(over="ignore"):
        return np.asarray(value).astype(dtype)
