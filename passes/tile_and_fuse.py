"""Groups of ops become loops over tiles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir, scf
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import accumulators, kernels, ops, tensor_boxes
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Linear
from spyrec.passes.analysis.tiling import TILES, Group, Phase, Plan, groups_of, tiles_of
from spyrec.passkit import Pass, PassContext


@dataclass
class TileAndFuse(Pass):
    """Cut what ``dataflow.tiles`` marks into tiles: a loop over them, in which all that belongs together is done.

    The attribute is a list of a dimension of the op and the extent of a tile, outermost loop first; choose-tile-sizes
    sets it. The reads that the op needs, the ops between and the writes are computed for one tile at a time, so that
    no more than a tile of each has to be in LX. What is left when the extent does not divide is done behind the loop:
    buffers have static shapes.

    IR before::

        %a = dataflow.read @device[%o from %x] strides [64, 1] : tensor<100x64xf16>
        %s = linalg.generic {dataflow.tiles = [array<i64: 0, 8>], ...} ins(%a : ...) outs(%e : tensor<100x64xf16>) {...}
        dataflow.write %s, @device[%o from %z] strides [64, 1] : tensor<100x64xf16>

    IR after, and once more for the last 4 rows::

        scf.for %i = %c0 to %c12 step %c1 {
          %p = affine.apply affine_map<(d0)[s0] -> (d0 * 512 + s0)>(%i)[%o]
          %a = dataflow.read @device[%p from %x] strides [64, 1] : tensor<8x64xf16>
          %s = linalg.generic {...} ins(%a : ...) outs(%e : tensor<8x64xf16>) {...}
          dataflow.write %s, @device[%p from %z] strides [64, 1] : tensor<8x64xf16>
        }

    A dimension that an op folds is cut as well: the loop carries what has been folded so far, sums and products of f16
    and bf16 in f32. What comes after the fold and has the dimension again (a softmax) reads it again, in a loop of its
    own. Results have equal bits unless a sum or product is carried, which rounds it once per tile.

    A loop with the mark is cut along a dimension of what it carries (those of all its tensors count, one after the
    other, each that is the same once), with the ops around it: it is done once per tile.

    Leaves alone what has no mark. Refuses a mark on a dimension that cannot be cut without changing what the kernel
    computes (``wrong-attribute``).
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            return
        while (found := _next(op, ctx)) is not None:
            marked, group = found
            wanted = tiles_of(marked)
            plan = _plan(group, marked, wanted)
            if plan is None:
                tiles = ", then ".join(f"tiles of {size} of dimension {dim}" for dim, size in wanted)
                message = f"{marked.name} cannot be cut into {tiles or 'tiles'}: results would change"
                ctx.sink.error(marked, "wrong-attribute", message, TILES)
                return
            _Cutting(group, plan, wanted[0][1], marked).run()
            ctx.statistics["loops made"] += len(plan.phases)


def _next(function: ir.Operation, ctx: PassContext) -> tuple[ir.Operation, Group] | None:
    """A marked op, with the ops that it hangs together with.

    Of those in a segment, of the group that ends last: all of it moves behind its last op, so that its loops do not
    come to stand between ops of another group.
    """
    for marked in kernels.steps(function):
        if TILES not in marked.attributes:
            continue
        block = marked.block
        place = {view.operation: k for k, view in enumerate(block.operations)}
        values = IndexValues(function, implicit_tiles=ctx.device.cores)
        found = [(root, group) for group in groups_of(block, values, marked) if (root := _root(group)) is not None]
        if found:
            return max(found, key=lambda pair: place[pair[1].operations[-1]])
        ctx.sink.error(marked, "wrong-attribute", f"{marked.name} cannot be cut into tiles", TILES)
        del marked.attributes[TILES]
    return None


def _root(group: Group) -> ir.Operation | None:
    """The op of a group that says how it is cut."""
    return next((op for op in group.loops or group.operations if TILES in op.attributes), None)


def _plan(group: Group, marked: ir.Operation, wanted: list[tuple[int, int]]) -> Plan | None:
    """How to cut the first dimension of ``wanted``, the others being cut inside."""
    space = group.axes.space(marked)
    if not wanted or not all(0 <= dim < len(space) and 0 < size < space[dim].extent for dim, size in wanted):
        return None
    first, *rest = (space[dim] for dim, _ in wanted)
    return None if first in rest else group.plan(first, rest)


class _Cutting:
    """One axis of one group, cut."""

    def __init__(self, group: Group, plan: Plan, size: int, marked: ir.Operation) -> None:
        self.group = group
        self.axis = plan.axis
        self.plan = plan
        self.size = size
        self.marked = marked
        self.where = kernels.unnamed(marked.location)
        self.values = group.values
        self.folded: dict[ir.Value, ir.Value] = {}
        """What stands for the results of the folds that are done."""

    def run(self) -> None:
        """Put loops behind the last op that moves, and take away what they replace."""
        block = list(self.plan.last.block.operations)
        following = block[[view.operation for view in block].index(self.plan.last) + 1].operation
        outer = {v: self.group.outer_uses(v) for phase in self.plan.phases for v in phase.escaping}
        whole: dict[ir.Value, ir.Value] = {}
        with ir.InsertionPoint(following):
            for phase in self.plan.phases:
                whole |= self._phase(phase)
                for op in phase.after:
                    op.move_before(following)
        for value, uses in outer.items():
            for use in uses:
                use.owner.operation.operands[use.operand_number] = whole[value]
        for value, folded in self.folded.items():
            value.replace_all_uses_with(folded)
        for op in reversed(self.plan.gone):
            op.erase()

    def _phase(self, phase: Phase) -> dict[ir.Value, ir.Value]:
        """The loop of a phase and the rest behind it; returns the whole tensors that it puts together."""
        carried = [accumulators.start(op, k, self.folded) for op in phase.folds for k in range(len(op.results))]
        carried += [ops.empty(ir.RankedTensorType(value.type), self.where) for value in phase.escaping]
        if any(map(accumulators.rounds, phase.folds)):
            kernels.function_of(self.marked).attributes[accumulators.IN_PARTS] = ir.UnitAttr.get()
        count, rest = divmod(self.axis.extent, self.size)
        loop = ops.loop(count, carried, self.where)
        body = loop.regions[0].blocks[0]
        counter, *inside = body.arguments
        with ir.InsertionPoint(body):
            tile = self.values.form(counter).scaled(self.size)
            scf.YieldOp(self._tile(phase, tile, self.size, inside), loc=self.where)
        made: list[ir.Value] = list(loop.results)
        if rest:
            made = self._tile(phase, Linear.of(count * self.size), rest, made)
        for op in phase.folds:
            for result in op.results:
                self.folded[result] = accumulators.finish(made.pop(0), result.type, self.where)
        return dict(zip(phase.escaping, made, strict=True))

    def _tile(self, phase: Phase, start: Linear, size: int, carried: Sequence[ir.Value]) -> list[ir.Value]:
        """All ops of the phase for the indices of the axis from ``start`` on; returns what is carried on."""
        tile = _Tile(self, start, size)
        before = list(carried)
        after: list[ir.Value] = []
        for op in phase.body:
            if op in phase.folds:
                outputs, before = before[: len(op.results)], before[len(op.results) :]
                after += tile.fold(op, outputs)
            else:
                tile.clone(op)
        for value, whole in zip(phase.escaping, before, strict=True):
            places = tile.places(value)
            after.append(ops.insert_slice(tile.made[value], whole, places, self.where))
        return after


class _Tile:
    """Ops again, for ``size`` indices of the axis from ``start`` on, at the current insertion point."""

    def __init__(self, cutting: _Cutting, start: Linear, size: int) -> None:
        self.axis = cutting.axis
        self.axes = cutting.group.axes
        self.values = cutting.values
        self.marked = cutting.marked
        self.where = cutting.where
        self.start = start
        self.size = size
        self.made: dict[ir.Value, ir.Value] = dict(cutting.folded)
        # Made here, in front of all that may use it.
        known = start.is_constant
        self.first: int | ir.Value = start.constant if known else self.values.materialize(start, self.where)

    def places(self, value: ir.Value) -> list[int | ir.Value]:
        """Where the tile of a tensor begins in it."""
        return [self.first if axis is self.axis else 0 for axis in self.axes.dims(value)]

    def shape(self, value: ir.Value) -> list[int]:
        """The extents of the tile of a tensor."""
        extents = ir.RankedTensorType(value.type).shape
        axes = self.axes.dims(value)
        return [self.size if axis is self.axis else n for axis, n in zip(axes, extents, strict=True)]

    def clone(self, old: ir.Operation) -> ir.Operation:
        """``old`` for the tile."""
        view = old.opview
        if isinstance(view, dataflow.BoxOp):
            new = self._box(view)
        elif old.name == "scf.for":
            new = self._loop(old)
        else:
            operands = [self._operand(value) for value in old.operands]
            new = old.clone()
            for position, operand in enumerate(operands):
                new.operands[position] = operand
            for before, result in zip(old.results, new.results, strict=True):
                if isinstance(before.type, ir.RankedTensorType):
                    result.set_type(self._type(before))
            for inner in kernels.walk(new):
                for position, operand in enumerate(inner.operands):
                    if operand in self.made:  # a scalar of the loop around it
                        inner.operands[position] = self.made[operand]
        self.made.update(zip(old.results, new.results, strict=True))
        match old.name:
            case "linalg.generic":
                self._shift_indices(old, new)
            case "tensor.extract_slice" | "tensor.insert_slice":
                piece = new.results[0] if old.name == "tensor.extract_slice" else new.operands[0]
                new.attributes["static_sizes"] = ir.DenseI64ArrayAttr.get(list(ir.RankedTensorType(piece.type).shape))
            case "tensor.expand_shape":
                new.attributes["static_output_shape"] = ir.DenseI64ArrayAttr.get(self.shape(old.results[0]))
        if old == self.marked:
            if TILES in new.attributes:
                del new.attributes[TILES]
            if rest := tiles_of(old)[1:]:
                new.attributes[TILES] = ir.ArrayAttr.get([ir.DenseI64ArrayAttr.get(pair) for pair in rest])
        return new

    def fold(self, old: ir.Operation, outputs: Sequence[ir.Value]) -> list[ir.Value]:
        """``old``, which folds the axis, adding to ``outputs``; returns what it makes of them."""
        new = self.clone(old)
        accumulators.widen(new, outputs)
        return list(new.results)

    def _loop(self, old: ir.Operation) -> ir.Operation:
        """A loop, with all that is in it for the tile."""
        inside = [old, *kernels.walk(old)]
        own: set[ir.Value] = {value for op in inside[1:] for value in op.results}
        own |= {value for op in inside for region in op.regions for block in region.blocks for value in block.arguments}
        for op in inside:
            for value in op.operands:
                if value not in own:
                    self._operand(value)  # a piece that several take stands in front of all of them
        bounds, starts = list(old.operands)[:3], list(old.operands)[3:]
        with old.location:  # the arguments of the body get it
            new: ir.Operation = scf.ForOp(*map(self._operand, bounds), list(map(self._operand, starts))).operation
        before, after = (loop.regions[0].blocks[0] for loop in (old, new))
        self.made.update(zip(before.arguments, after.arguments, strict=True))
        *body, end = (view.operation for view in before.operations)
        with ir.InsertionPoint(after):
            for op in body:
                self.clone(op)
            scf.YieldOp([self._operand(value) for value in end.operands], loc=end.location)
        return new

    def _operand(self, value: ir.Value) -> ir.Value:
        if value not in self.made:
            if self.axis not in self.axes.dims(value):
                return value
            piece = ops.extract_slice(value, self.places(value), self.shape(value), self.where)
            self.made[value] = piece
        return self.made[value]

    def _type(self, value: ir.Value) -> ir.Type:
        tensor = ir.RankedTensorType(value.type)
        return ir.RankedTensorType.get(self.shape(value), tensor.element_type, loc=self.where)

    def _box(self, old: dataflow.BoxOp) -> ir.Operation:
        """A read or write of the tile."""
        op = old.operation
        fields = tensor_boxes.fields_of(old, self._operand)
        if isinstance(old, dataflow.ReadOp):
            fields["result"] = self._type(old.result)
        space = self.axes.space(op)
        if self.axis in space:
            self._shift(old, space.index(self.axis), fields)
        return type(old).build(**fields, loc=op.location).operation

    def _shift(self, old: dataflow.BoxOp, dim: int, fields: dict[str, Any]) -> None:
        """Let a box start where the tile starts in its dimension ``dim``; its clip and its set stay where they are."""
        where, offset = kernels.unnamed(old.operation.location), fields["offset"]
        stride = old.static_strides[dim]
        if stride == DYNAMIC:
            step = fields["strides"][list(old.static_strides)[:dim].count(DYNAMIC)]
            moved = ops.multiply(self.values.materialize(self.start, where), step, where)
            fields["offset"] = ops.add(offset, moved, where)
        else:
            start = self.values.unwrapped(offset) + self.start.scaled(stride)
            fields["offset"] = self.values.materialize(start, where)
        for name, static in (("lower", old.static_lower), ("upper", old.static_upper)):
            if static is None:
                continue
            bounds, values = list(static), list(fields[name])
            position = bounds[:dim].count(DYNAMIC)
            known = bounds[dim] != DYNAMIC
            bound = Linear.of(bounds[dim]) if known else self.values.form(values[position])
            bound -= self.start
            if bound.is_constant:
                bounds[dim] = bound.constant
                values[position : position + (not known)] = []
            else:
                bounds[dim] = DYNAMIC
                values[position : position + (not known)] = [self.values.materialize(bound, where)]
            fields[name], fields[f"static_{name}"] = values, bounds
        if old.set_ is not None:
            fields["set"], symbols = _shifted(old.set_, dim, self.start)
            fields["symbols"] += [self.values.materialize(self.start, where)] * symbols

    def _shift_indices(self, old: ir.Operation, new: ir.Operation) -> None:
        """``linalg.index`` counts from the start of the tile."""
        for view in list(new.regions[0].blocks[0].operations):
            op = view.operation
            if op.name != "linalg.index":
                continue
            if self.axes.space(old)[ir.IntegerAttr(op.attributes["dim"]).value] is not self.axis:
                continue
            first = self.first
            with ir.InsertionPoint.after(op):
                if isinstance(first, int):
                    first = ops.index_constant(first, op.location)
                shifted = ops.add(op.results[0], first, op.location)
            adding = kernels.defining(shifted)
            assert adding is not None
            op.results[0].replace_all_uses_except(shifted, adding)


def _shifted(attribute: ir.Attribute, dim: int, start: Linear) -> tuple[ir.Attribute, int]:
    """A set over coordinates that count from ``start`` in dimension ``dim``, and how many symbols more it has.

    The bindings do not hand out the set of an attribute, so it is done in the text, where MLIR's names are fixed.
    """
    found = re.fullmatch(r"affine_set<\((.*?)\)(?:\[(.*?)\])? : \((.*)\)>", str(attribute))
    assert found is not None, attribute
    dims, symbols, constraints = found.groups(default="")
    names = symbols.split(", ") if symbols else []
    added = str(start.constant) if start.is_constant else f"s{len(names)}"
    names += [] if start.is_constant else [added]
    constraints = re.sub(rf"\bd{dim}\b", f"(d{dim} + {added})", constraints)
    return ir.Attribute.parse(f"affine_set<({dims})[{', '.join(names)}] : ({constraints})>"), int(not start.is_constant)
