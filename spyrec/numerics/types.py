"""Scalar types: how each IR element type is held in NumPy and in memory.

``index`` is a signed 64-bit integer. ``i1`` is one byte that holds 0 or 1 and is a NumPy ``bool``. ``si32``/``ui32``
(and the other widths) say how their *elements are written down*, not how ops read them: they count as signless
integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np
import numpy.typing as npt

from spyrec.numerics.df16 import DF16
from spyrec.numerics.errors import UnknownType

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ScalarType:
    """One element type. ``size`` is in bytes of memory, ``bits`` is the width of a value."""

    name: str
    dtype: np.dtype[Any]
    kind: Literal["float", "integer"]
    bits: int

    @property
    def size(self) -> int:
        return self.dtype.itemsize


def _integer(name: str, bits: int) -> ScalarType:
    return ScalarType(name, np.dtype(bool) if bits == 1 else np.dtype(f"int{bits}"), "integer", bits)


#: Every element type by the name that MLIR prints.
TYPES: dict[str, ScalarType] = {
    t.name: t
    for t in (
        ScalarType("f16", np.dtype(np.float16), "float", 16),
        ScalarType("bf16", np.dtype(ml_dtypes.bfloat16), "float", 16),
        ScalarType("f32", np.dtype(np.float32), "float", 32),
        ScalarType("f64", np.dtype(np.float64), "float", 64),
        ScalarType("df16", DF16, "float", 16),
        _integer("i1", 1),
        *(_integer(f"{sign}i{bits}", bits) for bits in (8, 16, 32, 64) for sign in ("", "s", "u")),
        _integer("index", 64),
    )
}

#: The type that a NumPy dtype stands for when only an array is at hand (``int64`` is ``i64``; ``index`` behaves the
#: same).
TYPE_OF_DTYPE: dict[np.dtype[Any], ScalarType] = {t.dtype: t for t in reversed(TYPES.values()) if t.name[0] not in "su"}
TYPE_OF_DTYPE[np.dtype(np.int64)] = TYPES["i64"]

_UNSIGNED: dict[int, np.dtype[Any]] = {bits: np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)}


#: Other spellings: the type of the dialect, and what stands for it in memrefs, which take no types of dialects.
ALIASES = {"!spyreop.df16": "df16", "vector<1xui16>": "df16"}
TYPES.update({alias: TYPES[name] for alias, name in ALIASES.items()})


def scalar_type(name: str) -> ScalarType:
    """The :class:`ScalarType` called ``name`` (``"f16"``, ``"index"``); raises :class:`UnknownType`."""
    try:
        return TYPES[name]
    except KeyError:
        known = ", ".join(n for n in TYPES if n not in ALIASES)
        raise UnknownType(f"element type '{name}' has no NumPy meaning; known: {known}") from None


def type_of(array: Array) -> ScalarType:
    """The scalar type of ``array``'s elements; raises :class:`UnknownType` for a dtype that no IR type has."""
    try:
        return TYPE_OF_DTYPE[array.dtype]
    except KeyError:
        raise UnknownType(f"NumPy dtype '{array.dtype}' is no element type") from None


def dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of element type ``name``."""
    return scalar_type(name).dtype


def sizeof(name: str) -> int:
    """Bytes that one element of type ``name`` takes in memory."""
    return scalar_type(name).size


def is_float(name: str) -> bool:
    """True for floating-point element types."""
    return scalar_type(name).kind == "float"


def unsigned(array: Array) -> Array:
    """The bits of an integer array as unsigned integers of the same width (``i1`` as ``uint8``); no copy."""
    return array.view(np.uint8) if array.dtype == np.bool_ else array.view(_UNSIGNED[array.dtype.itemsize * 8])


def signed(array: Array) -> Array:
    """``i1`` as ``int8`` with 1 read as -1, its two's complement meaning; other arrays as they are."""
    return -array.view(np.int8) if array.dtype == np.bool_ else array


def from_bytes(raw: npt.NDArray[np.uint8], name: str) -> Array:
    """Elements of type ``name`` from little-endian memory; the last axis of ``raw`` is a multiple of the element size.

    Any bit pattern is an element, except that a byte other than 0 is true for ``i1``. May share memory with ``raw``.
    """
    kind = scalar_type(name)
    return raw != 0 if kind.bits == 1 else np.ascontiguousarray(raw).view(kind.dtype)


def to_bytes(array: Array) -> npt.NDArray[np.uint8]:
    """The little-endian memory image of ``array`` in C order: ``uint8``, one axis. May share memory with ``array``."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def limits(name: str) -> tuple[int, int]:
    """Smallest and largest value of integer type ``name`` read as signed (``i1``: -1 and 0)."""
    bits = scalar_type(name).bits
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
