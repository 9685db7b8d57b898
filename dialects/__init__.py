"""The dialects of this compiler, and contexts in which they are loaded.

Importing this package imports no MLIR; a dialect's module does (``from spyrec.dialects import ktdp``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from spyrec.mlir import ir
    from spyrec.ods import Dialect

NAMES = ("dataflow", "ktdf_arch", "ktdp", "spyreop")
"""The dialects that live here, by name."""

_OF_MLIR = ("affine", "arith", "bufferization", "func", "linalg", "math", "memref", "scf", "tensor")
"""What kernels are written in. MLIR's other dialects come in when a text or a pass of MLIR asks for them: to load all
of them takes longer than to read a kernel, and canonicalisation collects patterns from each that is there.
"""

_T = TypeVar("_T")
_extra: dict[str, type[Dialect]] = {}


def make_context() -> ir.Context:
    """A new context with all dialects of ours and of extensions, without MLIR's own threads. Safe to call from several
    threads.
    """
    from spyrec import ods
    from spyrec.dialects import dataflow, ktdf_arch, ktdp, spyreop
    from spyrec.mlir import ir

    _load_entry_points()
    context = ir.Context(load_on_create_dialects=_OF_MLIR)
    context.enable_multithreading(False)
    ods.load(context, (ktdp.Ktdp, spyreop.Spyreop, dataflow.Dataflow, ktdf_arch.KtdfArch, *_extra.values()))
    return context


def load_file(path: str) -> None:
    """Add the dialects that a Python file defines to every context made from now on.

    Raises InvalidKernel when it cannot be read, UsageError when it cannot be loaded, defines no dialect, or one whose
    name is taken.
    """
    from spyrec import extensions, ods

    module = _keeping_names(functools.partial(extensions.load_file, path))
    for dialect in extensions.classes(module, ods.Dialect):
        _extra[dialect.DIALECT_NAMESPACE] = dialect


def names() -> list[str]:
    """The dialects that a context made now would have, MLIR's not among them."""
    _load_entry_points()
    return sorted({*NAMES, *_extra})


@functools.cache
def _load_entry_points() -> None:
    from spyrec import extensions

    for entry in extensions.entry_points(extensions.DIALECTS):
        from spyrec import ods

        dialect = _keeping_names(functools.partial(extensions.load_entry_point, entry, ods.Dialect))
        _extra[dialect.DIALECT_NAMESPACE] = dialect


def _keeping_names(load: Callable[[], _T]) -> _T:
    """What ``load`` gives. Raises UsageError when it defines a dialect of a name that another has."""
    from spyrec import extensions
    from spyrec.dialects import dataflow, ktdf_arch, ktdp, spyreop  # noqa: F401 (defines their names)
    from spyrec.ods import registry

    before = dict(registry.dialects)
    result = load()
    for name, dialect in before.items():
        if registry.dialects[name] is not dialect:
            registry.dialects[name] = dialect
            extensions.refuse(f"there is already a dialect '{name}'")
    return result
