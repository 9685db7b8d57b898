"""Reads and writes of memory: what they touch, whether two of them can touch the same byte, how to make them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spyrec import numerics
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.ods.spec import Arity
from spyrec.passes.analysis import kernels, reach
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Linear
from spyrec.passes.analysis.overlap import Term, can_reach


def is_access(op: ir.Operation) -> bool:
    """Whether ``op`` reads or writes memory."""
    return isinstance(op.opview, dataflow.BoxOp)


def accesses_of(op: ir.Operation) -> list[ir.Operation]:
    """``op`` if it reads or writes memory; of a loop, what does so in it (loops that are cut only read)."""
    return [inner for inner in ((op,) if op.name != "scf.for" else kernels.steps(op)) if is_access(inner)]


def is_write(op: ir.Operation) -> bool:
    """Whether ``op`` writes memory."""
    return isinstance(op.opview, dataflow.WriteOp)


@dataclass(frozen=True)
class AccessBox:
    """The bytes that a read or write touches: elements of ``element`` bytes from ``start`` bytes behind ``base`` on.

    ``strides`` are in bytes. A clip or a set leaves points out, so this is what may be touched. ``unknown``: it could
    be anywhere behind the base.
    """

    space: str
    base: ir.Value | None
    start: Linear
    strides: tuple[int, ...]
    extents: tuple[int, ...]
    element: int
    unknown: bool

    @property
    def span(self) -> tuple[int, int]:
        """Where it begins and ends, relative to what of its start only the run knows; not for an empty one."""
        reach = [stride * (extent - 1) for stride, extent in zip(self.strides, self.extents, strict=True)]
        start = self.start.constant
        return start + sum(r for r in reach if r < 0), start + sum(r for r in reach if r > 0) + self.element


def access_box(op: ir.Operation, values: IndexValues) -> AccessBox:
    """What ``op``, a read or a write, touches at most."""
    view = op.opview
    assert isinstance(view, dataflow.BoxOp)
    tensor = ir.RankedTensorType(view.tensor.type)
    element = numerics.sizeof(str(tensor.element_type))
    strides = tuple(stride * element for stride in view.static_strides)
    return AccessBox(
        view.space.value,
        view.base,
        values.unwrapped(view.offset).scaled(element),
        strides,
        tuple(tensor.shape),
        element,
        len(view.strides) > 0 or len(view.indices) > 0 or view.core is not None,
    )


def meets(first: AccessBox, second: AccessBox, terms: list[Term], values: IndexValues) -> bool:
    """Whether a byte of one can be one of the other, ``terms`` being the first's element minus the second's."""
    known = always_meets(first, second)
    if known is not None:
        return known
    difference = first.start - second.start
    return can_reach([*terms, *form_terms(difference, values)], *meeting(first, second, difference))


def always_meets(first: AccessBox, second: AccessBox) -> bool | None:
    """Whether two boxes meet, as far as addresses have no part in it; ``None`` where they decide."""
    if first.space != second.space or 0 in first.extents or 0 in second.extents:
        return False
    if not reach.is_same(first.base, second.base):
        return reach.may_meet(first.base, second.base)
    return True if first.unknown or second.unknown else None


def form_terms(form: Linear, values: IndexValues) -> list[Term]:
    """What varies in a form, each atom for itself."""
    bounds = [(factor, values.interval(Linear.atom(atom))) for atom, factor in form.terms]
    return [(factor, interval.low, interval.high) for factor, interval in bounds]


def meeting(first: AccessBox, second: AccessBox, difference: Linear) -> tuple[int, int]:
    """What the distance of two elements, but for the constant of the boxes' ``difference``, is when they share a byte:
    from, to.
    """
    return 1 - first.element - difference.constant, second.element - 1 - difference.constant


def box_terms(box: AccessBox, cut: int | None, sign: int) -> list[Term]:
    """An element's place in a box, but for the dimension ``cut``."""
    dims = enumerate(zip(box.strides, box.extents, strict=True))
    return [(sign * stride, 0, extent - 1) for k, (stride, extent) in dims if k != cut]


def fields_of(view: dataflow.BoxOp, mapped: Callable[[ir.Value], ir.Value]) -> dict[str, Any]:
    """What a read or a write is built of, each operand through ``mapped``; other attributes are in ``extra``."""
    spec, op = type(view).spec, view.operation
    fields: dict[str, Any] = {}
    for operand in spec.operands:
        given = getattr(view, operand.name)
        if operand.arity is Arity.VARIADIC:
            fields[operand.name] = [mapped(value) for value in given]
        elif given is not None:
            fields[operand.name] = mapped(given)
    names = {attribute.name for attribute in spec.attributes}
    fields |= {name: op.attributes[name] for name in op.attributes if name in names}
    fields["extra"] = {name: op.attributes[name] for name in op.attributes if "." in name}
    return fields
