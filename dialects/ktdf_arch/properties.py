"""Properties and features: what may stand under `ktdf_arch.` in the dictionary of a resource, or of an op of another
dialect.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from spyrec import ods
from spyrec.dialects.ktdf_arch.types import MapAttr
from spyrec.mlir import ir
from spyrec.ods import constraints as c

RESERVED = "ktdf_arch."
FEATURES = "ktdf_arch.features"
FEATURE = "ktdf_arch.feature."

Check = Callable[[ir.Attribute], str | None]
"""What is wrong with an attribute, as the end of the sentence "NAME must be ...", or None."""


def _needs(constraint: c.AttrConstraint[Any]) -> Check:
    return lambda a: None if constraint.accepts(a) else constraint.description


def _granularity(sizes: ir.Attribute) -> str | None:
    if isinstance(sizes, ir.DenseI64ArrayAttr):
        values = list(sizes)
        if len(set(values)) == len(values) and all(v >= 0 for v in values):
            return None
    return "an i64 array of distinct sizes of at least 0"


def _map(check: Check, keys: Check | None = None) -> Check:
    """A map whose values (and keys) pass a check."""

    def wrong(a: ir.Attribute) -> str | None:
        if not isinstance(a, MapAttr):
            return "a #ktdf_arch.map"
        for key, value in a.items():
            problem = keys(key) if keys is not None else None
            if problem is not None:
                return f"a map from {problem}, but has the key {key}"
            problem = check(value)
            if problem is not None:
                return f"a map to {problem}, but for {key} it holds {value}"
        return None

    return wrong


def _accesses(a: ir.Attribute) -> str | None:
    """A list of `{size_in_words = N, align_in_words = N}`."""
    shape = "lists of {size_in_words = N, align_in_words = N} with numbers of at least 1"
    if not isinstance(a, ir.ArrayAttr):
        return shape
    for entry in a:
        if not isinstance(entry, ir.DictAttr) or "size_in_words" not in entry:
            return shape
        if not all(c.PositiveI64.accepts(entry[k].attr) for k in range(len(entry))):
            return shape
        if any(entry[k].name not in ("size_in_words", "align_in_words") for k in range(len(entry))):
            return shape
    return None


_UNIT, _POSITIVE, _TYPE = _needs(c.UnitAttr), _needs(c.PositiveI64), _needs(c.TypeAttr)
_MEMORY_ACCESS: dict[str, Check] = {"word_size": _map(_POSITIVE), "access_granularity": _map(_accesses)}


@dataclass(frozen=True)
class Feature:
    """What a feature may say: its entries, or that it is there; and whether it belongs to units or to links."""

    entries: dict[str, Check]
    on_links: bool = False


FEATURE_TABLE: dict[str, Feature] = {
    "compute": Feature({}),
    "load": Feature(_MEMORY_ACCESS),
    "store": Feature(_MEMORY_ACCESS),
    "simd": Feature({"splat": _UNIT, "zero_pad": _UNIT, "lanes": _map(_POSITIVE, _TYPE)}),
    "queue": Feature({"ordered": _UNIT, "size": _POSITIVE, "depth": _POSITIVE}, on_links=True),
}
UNIT_FEATURES = tuple(name for name, feature in FEATURE_TABLE.items() if not feature.on_links)
LINK_FEATURES = tuple(name for name, feature in FEATURE_TABLE.items() if feature.on_links)

_CHECKS: dict[str, Check] = {
    "bandwidth": _POSITIVE,
    "transfer_granularity": _granularity,
    "overlaps": _needs(c.ArrayAttr),
    "features": _needs(c.DictAttr),
    "maps_to": _needs(c.AnyAttr),
}
RESOURCE_PROPERTIES = ("features", "overlaps")
LINK_PROPERTIES = (*RESOURCE_PROPERTIES, "bandwidth", "transfer_granularity")


def of_resource(op: ods.Op, features: tuple[str, ...], *, link: bool = False) -> Iterator[ods.Violation]:
    """Names under `ktdf_arch.` are properties that the resource can have, with values that they can take; its features
    are among ``features``.
    """
    known = LINK_PROPERTIES if link else RESOURCE_PROPERTIES
    attributes = op.operation.attributes
    for name in attributes:
        if name.startswith(RESERVED):
            yield from _property(op.spec.name, name, attributes[name], known, features)


def on_other_op(name: str, attribute: ir.Attribute) -> Iterator[ods.Violation]:
    """The same for an op of another dialect, which may be mapped to a resource and need features of it."""
    yield from _property("an op that is no resource", name, attribute, ("maps_to", "features"), UNIT_FEATURES)


def _property(
    whose: str, name: str, value: ir.Attribute, known: tuple[str, ...], features: tuple[str, ...]
) -> Iterator[ods.Violation]:
    mnemonic = name.removeprefix(RESERVED)
    if mnemonic not in known:
        legal = ", ".join(RESERVED + k for k in known)
        yield ods.Violation("unknown-attribute", f"{whose} has no property {name}", name, (f"it has {legal}",))
        return
    problem = _CHECKS[mnemonic](value)
    if problem is not None:
        yield ods.Violation("wrong-attribute", f"{name} must be {problem}, but is {value}", name)
    elif isinstance(value, ir.DictAttr) and mnemonic == "features":
        for k in range(len(value)):
            yield from _feature(whose, value[k].name, value[k].attr, features)


def _feature(whose: str, name: str, value: ir.Attribute, known: tuple[str, ...]) -> Iterator[ods.Violation]:
    """Names that are not reserved are somebody else's, and kept."""
    if not name.startswith(RESERVED):
        return
    mnemonic = name.removeprefix(FEATURE)
    if mnemonic not in known:
        legal = ", ".join(FEATURE + f for f in known)
        notes = (f"it has {legal}",) if legal else ("features belong to units and datapaths",)
        yield ods.Violation("unknown-attribute", f"{whose} has no feature {name}", FEATURES, notes)
        return
    if isinstance(value, ir.UnitAttr):
        return
    entries = FEATURE_TABLE[mnemonic].entries
    if not isinstance(value, ir.DictAttr):
        yield ods.Violation("wrong-attribute", f"{name} must be a dictionary, but is {value}", FEATURES)
        return
    for k in range(len(value)):
        key, entry = value[k].name, value[k].attr
        if "." in key:
            continue
        problem = entries[key](entry) if key in entries else None
        if key not in entries:
            legal = f"it has {', '.join(entries)}" if entries else "it has none"
            yield ods.Violation("unknown-attribute", f"{name} has no entry {key}", FEATURES, (legal,))
        elif problem is not None:
            yield ods.Violation("wrong-attribute", f"{key} of {name} must be {problem}", FEATURES)
