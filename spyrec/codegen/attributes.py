"""From MLIR's objects to plain values: attributes, constants, places."""

from __future__ import annotations

from typing import Any

from spyrec import diag, numerics
from spyrec.codegen.code import Place
from spyrec.codegen.refusals import Refused
from spyrec.mlir import ir
from spyrec.ods import literals

CONSTANTS = frozenset({"arith.constant", "spyreop.constant"})


class Places:
    """The user's places of locations: the one to show first, then the others. Many ops stand at one."""

    def __init__(self) -> None:
        self._known: dict[ir.Attribute, Place] = {}

    def __call__(self, location: ir.Location) -> Place:
        key = location.attr
        found = self._known.get(key)
        if found is None:
            resolved = diag.resolve(location)
            others = (position for _, position in resolved.related)
            found = self._known[key] = () if resolved.primary is None else (resolved.primary, *others)
        return found


def plain(attribute: ir.Attribute) -> Any:
    """The value of a number, string or keyword attribute; ``None`` for others."""
    value = getattr(attribute, "value", None)
    return plain(value) if isinstance(value, ir.Attribute) else value


def attributes(op: ir.Operation | ir.OpView) -> dict[str, Any]:
    """The op's attributes as plain values."""
    return {name: plain(op.attributes[name]) for name in op.attributes}


def type_name(value: ir.Value, op: ir.Operation | ir.OpView) -> str:
    """The name of ``value``'s scalar type. Raises :class:`Refused`, at ``op``, for a type without a meaning here."""
    name = str(value.type)
    if name not in numerics.TYPES:
        raise Refused(op, "unsupported-type", f"a value of type {name} has no encoding")
    return name


def constant_bits(op: ir.Operation | ir.OpView) -> int:
    """The bytes of a constant op's value, as an unsigned number. Raises :class:`Refused` for a type without a meaning
    here.
    """
    type_name(op.results[0], op)
    value = literals.scalar(op.attributes["value"])
    assert value is not None
    return int.from_bytes(numerics.to_bytes(value).tobytes(), "little")


def owner_op(value: ir.Value) -> ir.Operation | None:
    """The op whose result ``value`` is; ``None`` for a block argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def integers(attribute: Any) -> tuple[int, ...]:
    """The entries of a dense i64 array."""
    return tuple(int(v) for v in attribute)
