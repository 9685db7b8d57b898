"""All dialects, ops, types and attributes of ours by full name; importing their file enters them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spyrec.ods.op import Dialect, Op
    from spyrec.ods.spec import RecordSpec
    from spyrec.ods.types import Attribute, Type

dialects: dict[str, type[Dialect]] = {}
ops: dict[str, type[Op]] = {}
types: dict[str, type[Type]] = {}
attributes: dict[str, type[Attribute]] = {}


def records(dialect: str) -> Iterator[tuple[RecordSpec, type]]:
    """Types, then attributes, of a dialect, with their classes."""
    for type_class in types.values():
        if type_class.spec.dialect == dialect:
            yield type_class.spec, type_class
    for attribute_class in attributes.values():
        if attribute_class.spec.dialect == dialect:
            yield attribute_class.spec, attribute_class
