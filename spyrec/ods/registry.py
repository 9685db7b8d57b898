"""All dialects, ops, types and attributes of ours by full name; classes enter themselves when their file is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spyrec.ods.op import Dialect, Op
    from spyrec.ods.types import Attribute, Type

dialects: dict[str, type[Dialect]] = {}
ops: dict[str, type[Op]] = {}
types: dict[str, type[Type]] = {}
attributes: dict[str, type[Attribute]] = {}
