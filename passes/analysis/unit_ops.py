"""Ops of units on byte addresses, made from transfers and compute ops on buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from spyrec import diag
from spyrec.dialects.dataflow import DataTransferOp, StreamOp, TransferOp, YieldOp
from spyrec.mlir import ir, scf
from spyrec.passes.analysis import layouts, ops
from spyrec.passes.analysis.layouts import MAX_NEST, Nest
from spyrec.passes.analysis.schedule import element_bytes, operands

Mapped = Callable[[ir.Value], ir.Value]
Slot = Callable[[ir.Value, ir.Location], tuple[str, ir.Value]]
"""Name and current address of a buffer."""


@dataclass
class UnitOps:
    """Makes ops at the current insertion point.

    ``mapped`` finds values of the schedule in the program; ``slot`` gives a buffer's name and the address of its
    current slot. What cannot be said with descriptors is reported to ``sink``.
    """

    mapped: Mapped
    slot: Slot
    sink: diag.Sink

    def transfer(self, view: DataTransferOp) -> None:
        """`dataflow.transfer` for a `dataflow.data_transfer`, inside of loops where its box has more than four
        counts.
        """
        found = operands(view)
        memref = ir.MemRefType((found["source"] or found["dest"])[0].type)
        size = element_bytes(memref.element_type)
        sides = ("source", "dest")
        strides: list[tuple[int, ...]] = []
        for side in sides:
            if found[f"{side}_dyn_strides"]:
                message = f"strides that only the run knows have no descriptor, but those of {side} are computed"
                self.sink.error(view.operation, "unsupported-view", message, f"{side}_strides")
                return
            if found[side]:
                strides.append(layouts.dense_strides(memref.shape, size))
            else:
                strides.append(tuple(stride * size for stride in getattr(view, f"{side}_strides")))
        nest = Nest(tuple(memref.shape), tuple(strides))
        if nest.is_empty:
            return
        ends = [self._end(view, found, side, size) for side in sides]
        with _outer_loops(layouts.collapsed(nest), view.location) as (inner, offsets):
            source, dest = (
                _plus(end.address, offset, view.location) for end, offset in zip(ends, offsets, strict=True)
            )
            TransferOp.build(
                source_base=ends[0].base,
                source=source,
                source_space=ends[0].space,
                source_buffer=ends[0].buffer,
                source_strides=inner.strides[0],
                dest_base=ends[1].base,
                dest=dest,
                dest_space=ends[1].space,
                dest_buffer=ends[1].buffer,
                dest_strides=inner.strides[1],
                counts=inner.counts,
                element_bytes=size,
                loc=view.location,
            )

    def _end(self, view: DataTransferOp, found: dict[str, list[ir.Value]], side: str, size: int) -> _End:
        for buffer in found[side]:
            name, address = self.slot(buffer, view.location)
            return _End("lx", None, address, name)
        base = next(map(self.mapped, found[f"{side}_base"]), None)
        offset = self.mapped(found[f"{side}_offset"][0])
        scaled = ops.apply(ir.AffineMap.get(1, 0, [ir.AffineExpr.get_dim(0) * size]), [offset], view.location)
        space: str = getattr(view, f"{side}_space").value
        return _End(space, base, scaled, None)

    def stream(self, op: ir.Operation) -> None:
        """`dataflow.stream` for a `linalg.generic` on buffers, inside of loops where it has more than four counts."""
        values = list(op.operands)
        outputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[1]
        maps = [ir.AffineMapAttr(attribute).value for attribute in ir.ArrayAttr(op.attributes["indexing_maps"])]
        buffers = [k for k, operand in enumerate(values) if isinstance(operand.type, ir.MemRefType)]
        memrefs = {k: ir.MemRefType(values[k].type) for k in buffers}
        if not self._is_parallel(op):
            return
        counts = layouts.extents([maps[k] for k in buffers], [memrefs[k].shape for k in buffers])
        walks = [layouts.walk(maps[k], memrefs[k].shape, element_bytes(memrefs[k].element_type)) for k in buffers]
        known = [found for found in walks if found is not None]
        if counts is None or len(known) < len(walks):
            message = "its indexing maps are not linear, or one of its loops is no coordinate of any operand"
            self.sink.error(op, "unsupported-op", message)
            return
        nest = Nest(tuple(counts), tuple(strides for strides, _ in known))
        if nest.is_empty:
            return
        slots = {k: self.slot(values[k], op.location) for k in buffers}
        with _outer_loops(layouts.collapsed(nest), op.location) as (inner, offsets):
            addresses = [
                _plus(slots[k][1], offset, op.location, first)
                for k, offset, (_, first) in zip(buffers, offsets, known, strict=True)
            ]
            split = len(buffers) - outputs
            names = [ir.FlatSymbolRefAttr.get(slots[k][0]) for k in buffers]
            steps = [ir.DenseI64ArrayAttr.get(list(strides)) for strides in inner.strides]
            made = StreamOp.build(
                inputs=addresses[:split],
                outputs=addresses[split:],
                counts=inner.counts,
                input_strides=ir.ArrayAttr.get(steps[:split]),
                output_strides=ir.ArrayAttr.get(steps[split:]),
                input_buffers=ir.ArrayAttr.get(names[:split]),
                output_buffers=ir.ArrayAttr.get(names[split:]),
                region_args={"body": [memrefs[k].element_type for k in buffers]},
                loc=op.location,
            )
            self._body(op, made, buffers)

    def _is_parallel(self, op: ir.Operation) -> bool:
        for kind in ir.ArrayAttr(op.attributes["iterator_types"]):
            if "parallel" not in str(kind):
                self.sink.error(op, "unsupported-op", "a stream has parallel loops only, but this op reduces")
                return False
        return True

    def _body(self, op: ir.Operation, stream: StreamOp, buffers: Sequence[int]) -> None:
        """Clone the body; scalars from outside are used from where they are."""
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
            if len(inner.regions) or inner.name == "linalg.index":
                self.sink.error(inner, "unsupported-op", f"'{inner.name}' cannot stand in the body of a stream")
                return
            clone = inner.clone(ip=ir.InsertionPoint(new))
            for number, value in enumerate(values):
                clone.operands[number] = value
            inside.update(zip(inner.results, clone.results, strict=True))


@dataclass(frozen=True)
class _End:
    """One side of a transfer."""

    space: str
    base: ir.Value | None
    address: ir.Value
    buffer: str | None


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
    counters: list[ir.Value] = []
    points: list[ir.InsertionPoint] = []
    for count in nest.counts[:extra]:
        zero, one, end = (ops.index_constant(value, location) for value in (0, 1, count))
        with location:  # of the counter, for which the builder asks
            loop = scf.ForOp(zero, end, one)
        with ir.InsertionPoint(loop.body):
            done = scf.YieldOp([], loc=location)
        points.append(ir.InsertionPoint(done))
        points[-1].__enter__()
        counters.append(loop.induction_variable)
    try:
        offsets: list[ir.Value | None] = []
        for strides in nest.strides:
            total: ir.AffineExpr = ir.AffineExpr.get_constant(0)
            for dim, stride in enumerate(strides[:extra]):
                total = total + ir.AffineExpr.get_dim(dim) * stride
            offsets.append(ops.apply(ir.AffineMap.get(extra, 0, [total]), counters, location))
        yield inner, offsets
    finally:
        for point in reversed(points):
            point.__exit__(None, None, None)


def _plus(address: ir.Value, offset: ir.Value | None, location: ir.Location, constant: int = 0) -> ir.Value:
    """``address + offset + constant``."""
    if offset is None and not constant:
        return address
    total = ir.AffineExpr.get_dim(0) + constant
    operands = [address]
    if offset is not None:
        total = total + ir.AffineExpr.get_dim(1)
        operands.append(offset)
    return ops.apply(ir.AffineMap.get(len(operands), 0, [total]), operands, location)
