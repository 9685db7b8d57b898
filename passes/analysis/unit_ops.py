"""Ops of units that compute, on byte addresses, made from linalg ops on buffers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from spyrec import diag
from spyrec.device.model import Unit
from spyrec.dialects.dataflow import FRESH, ContractOp, PositionOp, StreamOp, YieldOp
from spyrec.mlir import ir
from spyrec.passes.analysis import contractions, layouts, ops, unit_loops
from spyrec.passes.analysis.accesses import element_bytes
from spyrec.passes.analysis.buffer_views import BufferView, view_of
from spyrec.passes.analysis.layouts import MAX_NEST, Nest
from spyrec.passes.analysis.slots import Mapped
from spyrec.passes.analysis.structured import Structured, picked, structured
from spyrec.passes.analysis.unit_moves import Slot
from spyrec.records import dataclass


@dataclass
class UnitOps:
    """Makes ops at the current insertion point.

    ``mapped`` finds values of the schedule in the program; ``slot`` gives a buffer's name and the address of what is
    shown of its current slot. What cannot be said with descriptors is reported to ``sink``.
    """

    mapped: Mapped
    slot: Slot
    sink: diag.Sink

    def compute(self, op: ir.Operation, unit: Unit) -> None:
        """`dataflow.stream`, or on a matrix unit `dataflow.contract`, for a `linalg.generic` on buffers, inside of
        loops where it has more than four counts.
        """
        seen = structured(op)
        assert seen is not None
        buffers = [k for k, operand in enumerate(seen.operands) if isinstance(operand.type, ir.MemRefType)]
        shown = {k: view for k in buffers if (view := view_of(seen.operands[k])) is not None}
        counts = seen.extents
        walks = [layouts.walk(seen.maps[k], _byte_strides(shown[k])) for k in buffers]
        known = [found for found in walks if found is not None]
        if counts is None or len(known) < len(walks):
            message = "its indexing maps are not linear, or one of its loops is no coordinate of any operand"
            self.sink.error(op, "unsupported-op", message)
            return
        if 0 in counts:
            return
        reduced = seen.reduced
        # Walks that are no operand: one for each loop whose number the body asks for, and one which stands still in
        # loops that reduce, to keep these from merging with others.
        positions = sorted(seen.indexed)
        counted = [tuple(int(d == wanted) for d in range(len(counts))) for wanted in positions]
        still = [1 if d in reduced else count for d, count in enumerate(counts)]
        marks = tuple(0 if d in reduced else s for d, s in enumerate(layouts.dense_strides(still, 1)))
        nest = layouts.collapsed(Nest(tuple(counts), (*(strides for strides, _ in known), *counted, marks)))
        steps = [
            element_bytes(view.element_type) if k >= len(seen.inputs) and len(picked(seen.maps[k])) == seen.loops else 0
            for k, view in shown.items()
        ]
        nest = _reducing_inside(nest, steps) if reduced else nest
        if reduced and 0 in nest.strides[-1][: max(0, len(nest.counts) - MAX_NEST)]:
            message = f"{nest.strides[-1].count(0)} of its loops reduce and do not merge, and {MAX_NEST} may"
            self.sink.error(op, "unsupported-op", message)
            return
        slots = {k: self.slot(shown[k], op.location) for k in buffers}
        with _outer_loops(nest, op.location) as (inner, offsets):
            addresses = [
                unit_loops.plus(slots[k][1], offset, op.location, first)
                for k, offset, (_, first) in zip(buffers, offsets, known, strict=False)
            ]
            numbers = {d: (offsets[k], inner.strides[k]) for k, d in enumerate(positions, start=len(buffers))}
            folded = [d for d, mark in enumerate(inner.strides[-1]) if mark == 0] if reduced else []
            walked = _Walked(
                inner.counts,
                folded,
                addresses,
                [slots[k][0] for k in buffers],
                list(inner.strides[: len(buffers)]),
                buffers,
                numbers,
            )
            if unit.role == "matrix":
                self._contract(seen, walked)
            else:
                self._stream(seen, walked)

    def _stream(self, seen: Structured, walked: _Walked) -> None:
        op = seen.op
        split = len(walked.buffers) - len(seen.outputs)
        names = [ir.FlatSymbolRefAttr.get(name) for name in walked.names]
        steps = [ir.DenseI64ArrayAttr.get(list(strides)) for strides in walked.strides]
        folded: dict[str, Any] = {"reduce": walked.folded} if walked.folded else {}
        if FRESH in op.attributes:
            folded["fresh"] = ir.UnitAttr.get()
        made = StreamOp.build(
            inputs=walked.addresses[:split],
            outputs=walked.addresses[split:],
            counts=walked.counts,
            **folded,
            input_strides=ir.ArrayAttr.get(steps[:split]),
            output_strides=ir.ArrayAttr.get(steps[split:]),
            input_buffers=ir.ArrayAttr.get(names[:split]),
            output_buffers=ir.ArrayAttr.get(names[split:]),
            region_args={"body": [ir.MemRefType(op.operands[k].type).element_type for k in walked.buffers]},
            loc=op.location,
        )
        if not self._body(op, made, walked):
            return
        for number, fold in enumerate(made.folds() if walked.folded else ()):
            if fold is None and made.is_accumulator(number):
                message = "it reduces by something that is no known combiner of its output and of one term"
                self.sink.error(op, "unsupported-op", message)

    def _contract(self, seen: Structured, walked: _Walked) -> None:
        op = seen.op
        factors = contractions.factors(seen)
        if factors is None or len(walked.buffers) != 3:
            message = "a matrix unit adds up products of two operands, and this op does something else"
            self.sink.error(op, "unsupported-op", message)
            return
        fields: dict[str, Any] = {}
        for side, k in zip(("lhs", "rhs", "acc"), (*factors, 2), strict=True):
            fields[side] = walked.addresses[k]
            fields[f"{side}_buffer"] = walked.names[k]
            fields[f"{side}_strides"] = walked.strides[k]
            fields[f"{side}_type"] = ir.TypeAttr.get(ir.MemRefType(op.operands[k].type).element_type)
        start = "zero" if FRESH in op.attributes else "lx"
        ContractOp.build(counts=walked.counts, start=ir.StringAttr.get(start), loc=op.location, **fields)

    def _body(self, op: ir.Operation, stream: StreamOp, walked: _Walked) -> bool:
        """Clone the body; scalars from outside are used from where they are. False when something in it cannot be."""
        buffers = walked.buffers
        old, new = op.regions[0].blocks[0], stream.body.blocks[0]
        inside: dict[ir.Value, ir.Value] = {}

        def found(value: ir.Value) -> ir.Value:
            return inside[value] if value in inside else self.mapped(value)

        for argument in old.arguments:
            number = argument.arg_number
            scalar = number not in buffers
            inside[argument] = found(op.operands[number]) if scalar else new.arguments[buffers.index(number)]
        for view in old.operations:
            inner = view.operation
            values = [found(value) for value in inner.operands]
            if inner.name == "linalg.yield":
                with ir.InsertionPoint(new):
                    YieldOp.build(values=values, loc=inner.location)
                continue
            if inner.name == "linalg.index":
                start, strides = walked.numbers[ir.IntegerAttr(inner.attributes["dim"]).value]
                with ir.InsertionPoint(new):
                    type_ = inner.results[0].type
                    made = PositionOp.build(start=start, strides=strides, result=type_, loc=inner.location)
                inside[inner.results[0]] = made.result
                continue
            if inner.name == "affine.apply":
                map_ = ir.AffineMapAttr(inner.attributes["map"]).value
                with ir.InsertionPoint(new):
                    inside[inner.results[0]] = ops.lanes(map_, values, inner.location)
                continue
            if len(inner.regions):
                self.sink.error(inner, "unsupported-op", f"'{inner.name}' cannot stand in the body of a stream")
                return False
            clone = inner.clone(ip=ir.InsertionPoint(new))
            for number, value in enumerate(values):
                clone.operands[number] = value
            inside.update(zip(inner.results, clone.results, strict=True))
        return True


def _byte_strides(view: BufferView) -> list[int]:
    size = element_bytes(view.element_type)
    return [stride * size for stride in view.strides]


@dataclass(frozen=True)
class _Walked:
    """A compute op as nested counts: which of them are folded, and per buffer its address, name and strides.

    ``buffers`` are the numbers of the operands that are buffers. ``numbers`` has, for each loop whose number the body
    asks for, what it starts with (``None``: 0), and what a step of each count adds.
    """

    counts: tuple[int, ...]
    folded: list[int]
    addresses: list[ir.Value]
    names: list[str]
    strides: list[tuple[int, ...]]
    buffers: list[int]
    numbers: dict[int, tuple[ir.Value | None, tuple[int, ...]]]


def _reducing_inside(nest: Nest, steps: Sequence[int]) -> Nest:
    """The same points, the counts that reduce (the last strides are 0 there) inside the others if there are too many
    for one stream, and at least one that does: a fold rounds in another way than the body, over one element too.

    ``steps`` are strides of operands along that one: an output without a stride there would be one that folds.
    """
    # A single point has a count of 1 of its own.
    dims = [dim for dim in zip(nest.counts, *nest.strides, strict=True) if dim[0] != 1]
    if not any(strides[-1] == 0 for _, *strides in dims):
        dims.append((1, *steps, *(0 for _ in nest.strides[len(steps) :])))
    if len(dims) > MAX_NEST:
        dims.sort(key=lambda dim: dim[-1] == 0)
    counts, *strides = zip(*dims, strict=True)
    return Nest(counts, tuple(strides))


@contextmanager
def _outer_loops(nest: Nest, location: ir.Location) -> Iterator[tuple[Nest, list[ir.Value | None]]]:
    """Loops for the counts beyond four, the insertion point inside them.

    Gives what is left for a descriptor, and per operand what the loops add to its address (``None``: nothing).
    """
    extra = max(0, len(nest.counts) - MAX_NEST)
    inner = Nest(nest.counts[extra:], tuple(strides[extra:] for strides in nest.strides))
    if not extra:
        yield inner, [None] * len(nest.strides)
        return
    with unit_loops.nested([(0, count) for count in nest.counts[:extra]], location) as counters:
        yield inner, [unit_loops.offset(counters, strides[:extra], location) for strides in nest.strides]
