"""What one unit has to execute of a schedule: its own ops, the control around them, and the scalars that both need."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from spyrec.dialects.dataflow import AllocOp, DataTransferOp, PostOp, WaitOp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels

UNIT = "dataflow.unit"
"""The discardable attribute that names the unit of a linalg op."""

CORELET = "dataflow.corelet"
"""The discardable attribute with the number of the corelet whose unit runs a linalg op; 0 when absent."""

_NAMES_UNIT = frozenset({DataTransferOp.NAME, PostOp.NAME, WaitOp.NAME})
_TERMINATORS = frozenset({"scf.yield", "scf.condition"})


def _place_order(a: ir.Operation, b: ir.Operation) -> int:
    return -1 if a.is_before_in_block(b) else 1


_BY_PLACE = functools.cmp_to_key(_place_order)


def unit_of(op: ir.Operation) -> str | None:
    """The unit that an op names, as channels refer to it: ``sfu``, on the second corelet ``sfu.1``."""
    if op.name in _NAMES_UNIT:
        view = op.opview
        assert isinstance(view, DataTransferOp | PostOp | WaitOp)
        return view.unit.value if view.unit is not None else None
    if not op.name.startswith("linalg.") or UNIT not in op.attributes:
        return None
    unit = str(ir.FlatSymbolRefAttr(op.attributes[UNIT]).value)
    corelet = ir.IntegerAttr(op.attributes[CORELET]).value if CORELET in op.attributes else 0
    return f"{unit}.{corelet}" if corelet else unit


def by_unit(function: ir.Operation) -> dict[str, list[ir.Operation]]:
    """The ops of each unit that ops of ``function`` name, in the order of the text."""
    found: dict[str, list[ir.Operation]] = {}
    for op in kernels.steps(function):
        unit = unit_of(op)
        if unit is not None:
            found.setdefault(unit, []).append(op)
    return found


class Slice:
    """The part of ``function`` that the unit executes whose ops are ``own``.

    ``ops`` are its ops. Of the values that loops and branches hand on, ``values`` has those that it needs.
    """

    def __init__(self, function: ir.Operation, own: Iterable[ir.Operation]) -> None:
        self.ops: set[ir.Operation] = set()
        self.values: set[ir.Value] = set()
        self._blocks: dict[ir.Block, list[ir.Operation]] = {}
        self._function = function
        self._todo: list[ir.Operation | ir.Value] = [*own]
        while self._todo:
            item = self._todo.pop()
            if isinstance(item, ir.Value):
                self._value(item)
            else:
                self._op(item)

    def needs(self, value: ir.Value) -> bool:
        """Whether the unit computes ``value``, a result or an argument of a loop or branch."""
        return value in self.values

    def inside(self, block: ir.Block) -> list[ir.Operation]:
        """Its ops right inside of ``block``, in the order of the text."""
        return sorted(self._blocks.get(block, ()), key=_BY_PLACE)

    def _op(self, op: ir.Operation) -> None:
        known = len(self.ops)
        if op == self._function or op.name in _TERMINATORS:
            return
        self.ops.add(op)
        if len(self.ops) == known:
            return
        self._todo += _operands(op)
        inside = self._blocks.setdefault(op.block, [])
        if not inside:
            parent = kernels.parent(op)
            assert parent is not None
            self._todo.append(parent)
        inside.append(op)

    def _value(self, value: ir.Value) -> None:
        if value in self.values:
            return
        self.values.add(value)
        op = kernels.defining(value)
        if op is not None:
            if op.name == AllocOp.NAME:
                return
            self._todo.append(op)
            self._todo += _handed_out(op, ir.OpResult(value).result_number)
            return
        argument = ir.BlockArgument(value)
        self._todo += _handed_in(kernels.owner(argument.owner), argument)


def condition_of(loop: ir.Operation) -> ir.Operation:
    """The ``scf.condition`` of an ``scf.while``."""
    return kernels.terminator(loop.regions[0].blocks[0])


def _operands(op: ir.Operation) -> Iterator[ir.Value]:
    """The values without which ``op`` cannot execute."""
    if op.name == "scf.while":
        yield condition_of(op).operands[0]
        return
    needed = {"scf.for": 3, "scf.if": 1}.get(op.name, len(op.operands))
    yield from list(op.operands)[:needed]
    if op.name.startswith("linalg."):
        for inner in kernels.walk(op):
            yield from (value for value in inner.operands if kernels.defining(value) is None or _outside(value, op))


def _outside(value: ir.Value, op: ir.Operation) -> bool:
    defining = kernels.defining(value)
    return defining is not None and kernels.parent(defining) != op


def _handed_out(op: ir.Operation, number: int) -> Iterator[ir.Value]:
    """What result ``number`` of a loop or branch is made of."""
    if op.name == "scf.for":
        yield op.regions[0].blocks[0].arguments[1 + number]
        yield from _carried(op, number)
    elif op.name == "scf.if":
        for region in op.regions:
            yield kernels.terminator(region.blocks[0]).operands[number]
    elif op.name == "scf.while":
        yield condition_of(op).operands[1 + number]


def _handed_in(owner: ir.Operation, argument: ir.BlockArgument) -> Iterator[ir.Value]:
    """What an argument of a loop's body is made of."""
    number = argument.arg_number
    if owner.name == "scf.for" and number:
        yield from _carried(owner, number - 1)
    elif owner.name == "scf.while" and argument.owner == owner.regions[0].blocks[0]:
        yield owner.operands[number]
        yield kernels.terminator(owner.regions[1].blocks[0]).operands[number]
    elif owner.name == "scf.while":
        yield condition_of(owner).operands[1 + number]


def _carried(loop: ir.Operation, number: int) -> Iterator[ir.Value]:
    yield loop.operands[3 + number]
    yield kernels.terminator(loop.regions[0].blocks[0]).operands[number]
