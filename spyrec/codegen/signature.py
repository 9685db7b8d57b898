"""From a function and its ``dataflow.signature`` to the signature that launches are bound to."""

from __future__ import annotations

from typing import Any

from spyrec import diag
from spyrec.errors import CompilerBug
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.signature import ATTRIBUTE
from spyrec.spyrecode.signature import Signature


def signature_of(function: ir.Operation) -> Signature:
    """The signature of a ``func.func`` from stage ``kernel`` on. Raises ``CompilerBug`` when no pass has written it."""
    if ATTRIBUTE not in function.attributes:
        raise CompilerBug(f"func.func @{kernels.name(function)} has no {ATTRIBUTE}; resolve-views writes it")
    arguments = []
    file = ""
    for argument in kernels.arguments(function):
        resolved = diag.resolve(argument.location)
        place = resolved.text
        line, column = (place.line, place.column) if place else (0, 0)
        file = file or (place.file if place else "")
        marked = kernels.may_alias(argument)
        arguments.append((kernels.argument_name(argument), str(argument.type), line, column, resolved.source, marked))
    if not file:
        place = diag.resolve(function.location).text
        file = place.file if place else ""
    entries = [_entry(ir.DictAttr(entry)) for entry in ir.ArrayAttr(function.attributes[ATTRIBUTE])]
    return Signature.from_entries(kernels.name(function), kernels.tiles(function), arguments, entries, file)


def _entry(entry: ir.DictAttr) -> dict[str, Any]:
    return {entry[k].name: _plain(entry[k].attr) for k in range(len(entry))}


def _plain(attribute: ir.Attribute) -> Any:
    if isinstance(attribute, ir.TypeAttr):
        return str(attribute.value)
    if isinstance(attribute, ir.DenseI64ArrayAttr):
        return tuple(attribute)
    if isinstance(attribute, ir.UnitAttr):
        return True
    if isinstance(attribute, ir.DictAttr):
        return _entry(attribute)
    if isinstance(attribute, ir.ArrayAttr):
        return tuple(_plain(element) for element in attribute)
    if isinstance(attribute, ir.AffineMapAttr):
        return str(attribute)
    return getattr(attribute, "value", None)
