"""The one door to MLIR's Python bindings: finds the package that provides them, hands out its modules on first use.

``from spyrec.mlir import ir`` imports MLIR; ``import spyrec.mlir`` alone does not, so commands that need no compiler
start fast. The bindings ship as ``torch_mlir`` (with every upstream dialect registered) or under upstream's own name
``mlir``; the API is one.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
import threading
import types
from typing import Any

_MODULES = {
    "ir": "ir",
    "passmanager": "passmanager",
    "rewrite": "rewrite",
    "affine": "dialects.affine",
    "arith": "dialects.arith",
    "bufferization": "dialects.bufferization",
    "func": "dialects.func",
    "linalg": "dialects.linalg",
    "math": "dialects.math",
    "memref": "dialects.memref",
    "scf": "dialects.scf",
    "tensor": "dialects.tensor",
    "transform": "dialects.transform",
    "vector": "dialects.vector",
    # The parts below the public modules; the functions of this file use them.
    "_cext": "_mlir_libs._mlir",
    "_irdl": "_mlir_libs._mlirDialectsIRDL",
}
_PACKAGES = ("torch_mlir", "mlir")

LOAD_LOCK = threading.Lock()
"""Held while a dialect is loaded into any context: the bindings crash when two threads do so at once."""


@functools.cache
def package() -> str:
    """Name of the package that provides the bindings. Raises ImportError when none is installed."""
    broken: ImportError | None = None
    for name in _PACKAGES:
        try:
            importlib.import_module(f"{name}._mlir_libs")
        except ModuleNotFoundError:
            continue
        except ImportError as error:
            broken = broken or ImportError(str(error), name=f"{name}._mlir_libs")
            continue
        return name
    raise broken or ModuleNotFoundError("MLIR's Python bindings are not installed", name=_PACKAGES[0])


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = globals()[name] = _module(name)
    return module


@functools.cache
def _module(name: str) -> Any:
    """The module of MLIR that goes by ``name`` here, made ready on its first import."""
    module = importlib.import_module(f"{package()}.{_MODULES[name]}")
    if name == "ir":
        _hash_by_identity(module)
        _iterate_by_index(module)
    return module


def _hash_by_identity(module: Any) -> None:
    """Make the hash of an op agree with its ``==``, which compares identity.

    The bindings hash attributes, operands and result types, so an op that is changed while it is in a set or a
    dictionary is not found there any more.
    """
    prototype = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.py_object, ctypes.c_char_p)
    pointer = prototype(("PyCapsule_GetPointer", ctypes.pythonapi))
    name = f"{package()}.ir.Operation._CAPIPtr".encode()

    def by_identity(op: Any) -> int:
        # The low bits of an address are always 0, and tables of hashes go by them.
        return int(pointer(op._CAPIPtr, name)) >> 4

    module._OperationBase.__hash__ = by_identity


def _iterate_by_index(module: Any) -> None:
    """Make iterating over arrays of numbers and dictionaries cheap.

    The bindings end it with a C++ exception, which takes longer than handing out twenty entries.
    """

    def by_index(attribute: Any) -> Any:
        return iter([attribute[number] for number in range(len(attribute))])

    for kind in ("Bool", "I8", "I16", "I32", "I64", "F32", "F64"):
        getattr(module, f"Dense{kind}ArrayAttr").__iter__ = by_index
    module.DictAttr.__iter__ = by_index


def claim_dialect_module(dialect: str) -> None:
    """Stop the bindings from searching for a module of this dialect at each access to one of its ops.

    They do not cache a miss; a search each time makes everything several times slower.
    """
    name = f"{package()}.dialects.{dialect}"
    if name not in sys.modules:
        sys.modules[name] = types.ModuleType(name)


def load_irdl(module: Any) -> None:
    """Register the dialects that an IRDL module defines in the module's context. The caller holds :data:`LOAD_LOCK`."""
    _module("_irdl").load_dialects(module)


def register_op(dialect: type, op: type) -> None:
    """Make ``op`` the class of ``operation.opview`` for its OPERATION_NAME, in all contexts, now and later."""
    _module("_cext").register_operation(dialect, replace=True)(op)


def register_dialect(namespace: str, dialect: type) -> None:
    """Make ``dialect`` the class of ``context.dialects[namespace]``."""
    _module("_cext").globals._register_dialect_impl(namespace, dialect, replace=True)


def register_record(cls: type, full_name: str, *, is_type: bool) -> None:
    """Make values of the type or attribute ``full_name`` arrive as ``cls`` in the *current* context."""
    ir = _module("ir")
    base = ir.DynamicType if is_type else ir.DynamicAttr
    _module("_cext").register_type_caster(base.lookup_typeid(full_name), replace=True)(cls)
