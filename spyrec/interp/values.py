"""What SSA values are while a kernel executes.

An integer or index is a Python int (``i1``: 0 or 1), a float a NumPy array of rank 0, a tensor a :class:`Tensor`, a
memref a :class:`Buffer`. Views and access tiles have classes of their own beside the ops that make them.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.interp.faults import Fault
from spyrec.mlir import ir
from spyrec.numerics import Array
from spyrec.ods import literals

Mask = npt.NDArray[np.bool_]


class Tensor:
    """An immutable array. ``holes`` marks elements that nobody has written (None: there are none)."""

    __slots__ = ("data", "holes")

    def __init__(self, data: Array, holes: Mask | None = None) -> None:
        self.data = data
        self.holes = holes if holes is not None and holes.any() else None

    @staticmethod
    def empty(shape: tuple[int, ...], element: str) -> Tensor:
        """A tensor without contents."""
        return Tensor(np.zeros(shape, numerics.dtype(element)), _all_holes(shape))


@functools.lru_cache(maxsize=256)
def _all_holes(shape: tuple[int, ...]) -> Mask:
    return np.broadcast_to(np.True_, shape)


class Buffer:
    """A piece of scratchpad at the ``schedule`` stage; ``data`` and ``holes`` are written in place and may be views."""

    __slots__ = ("data", "holes")

    def __init__(self, data: Array, holes: Mask) -> None:
        self.data = data
        self.holes = holes

    @staticmethod
    def unwritten(shape: tuple[int, ...], element: str) -> Buffer:
        """A fresh buffer."""
        return Buffer(np.zeros(shape, numerics.dtype(element)), np.ones(shape, bool))

    def in_place_of(self, whole: Buffer, other: Buffer) -> Buffer:
        """The same view of ``other`` that this one is of ``whole``, both dense and of one shape."""

        def moved(view: npt.NDArray[Any], inside: npt.NDArray[Any], of: npt.NDArray[Any]) -> npt.NDArray[Any]:
            offset = view.ctypes.data - inside.ctypes.data
            # Buffers do not know of bf16 and fp8.
            return np.ndarray(view.shape, view.dtype, of.reshape(-1).view(np.uint8), offset, view.strides)

        return Buffer(moved(self.data, whole.data, other.data), moved(self.holes, whole.holes, other.holes))


class Address(int):
    """An integer that is a byte address bound at launch plus a number of *elements*.

    ``base`` is the byte address. A view of element type T at this value starts at byte ``base + (self - base) *
    sizeof(T)``.
    """

    base: int

    def __new__(cls, value: int, base: int) -> Address:
        self = super().__new__(cls, value)
        self.base = base
        return self


class Scaled(int):
    """An integer computed from an address by anything but adding numbers to it: of no use as an address."""


def add_addresses(name: str, a: int, b: int, value: int) -> int:
    """The class of ``value``, the result of integer op ``name`` on operands of which one is no plain int."""
    if isinstance(a, Scaled) or isinstance(b, Scaled) or name not in ("arith.addi", "arith.subi"):
        return Scaled(value)
    if isinstance(a, Address) and not isinstance(b, Address):
        return Address(value, a.base)
    if isinstance(b, Address) and not isinstance(a, Address) and name == "arith.addi":
        return Address(value, b.base)
    return Scaled(value)


# Types ---------------------------------------------------------------------------------------------------------------


def is_integer(type_: ir.Type) -> bool:
    """True for ``index`` and integers of any width: what is a Python int here."""
    return isinstance(type_, ir.IndexType | ir.IntegerType)


def element_of(type_: ir.Type) -> str:
    """Name of the element type of a shaped type, or of a scalar type itself."""
    return str(type_.element_type if isinstance(type_, ir.ShapedType) else type_)


def static_shape(type_: ir.Type) -> tuple[int, ...] | None:
    """The shape of a shaped type; None when a dimension is dynamic."""
    shaped = ir.ShapedType(type_)
    return tuple(shaped.shape) if shaped.has_static_shape else None


def as_array(value: Any, element: str) -> Array:
    """A scalar or tensor value as an array of ``element``; raises when it has elements that nobody has written."""
    if isinstance(value, Tensor | Buffer):
        return defined(value)
    return value if isinstance(value, np.ndarray) else np.asarray(value).astype(numerics.dtype(element))


def as_value(array: Array, type_: ir.Type) -> Any:
    """The value of ``type_`` (a scalar or ranked tensor) that holds ``array``."""
    if isinstance(type_, ir.ShapedType):
        return Tensor(array)
    return int(array) if is_integer(type_) else array


def defined(value: Tensor | Buffer, what: str = "the tensor") -> Array:
    """The elements of a value that is read; raises :class:`Fault` ``undefined-value`` when one was never written."""
    holes = value.holes
    if holes is not None and holes.any():
        first = [int(i) for i in np.argwhere(holes)[0]]
        count = int(holes.sum())
        kind = "buffer" if isinstance(value, Buffer) else "tensor"
        raise Fault(
            "undefined-value",
            f"{what} is read, but {count} of its {holes.size} elements have never been written, first {first}",
            notes=[f"a new {kind} has no contents"],
        )
    return value.data


# Constants -----------------------------------------------------------------------------------------------------------


def constant(attribute: ir.Attribute) -> Any:
    """The value of a numeric attribute: an int, a float of rank 0, or a :class:`Tensor` of dense elements."""
    if isinstance(attribute, ir.DenseElementsAttr):
        return Tensor(literals.dense(attribute))
    value = literals.scalar(attribute)
    if value is None:
        raise Fault("unsupported-op", f"the executor has no value for the constant {attribute}")
    return value if isinstance(attribute, ir.FloatAttr) else int(value)
