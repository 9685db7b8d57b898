"""The body of a loop for several of its iterations at once: what differs between them gets a dimension in front."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spyrec.dialects import dataflow
from spyrec.mlir import arith, ir, linalg, scf
from spyrec.passes.analysis import generics, kernels, ops, tensor_boxes
from spyrec.passes.analysis.iterations import Iterations, clip_of
from spyrec.passes.analysis.mixed import decomposed
from spyrec.passes.analysis.structured import Structured, structured


class Together:
    """``size`` iterations from number ``first`` on, made at the current insertion point by :meth:`build`."""

    def __init__(self, iterations: Iterations, first: ir.Value, size: int) -> None:
        self.iterations = iterations
        self.size = size
        self.made: dict[ir.Value, ir.Value] = {iterations.counter: first}
        self.operations: list[ir.Operation] = []
        """What stands for each op of the body, and what was needed beside."""
        self.moved: list[ir.Value] = []
        """What is read and written for all iterations."""

    def build(self) -> list[ir.Operation]:
        """All ops, without those that only make what nothing uses any more."""
        for op in self.iterations.body:
            self._clone(op)
        kept = []
        for op in reversed(self.operations):
            if op.results and not kernels.is_used(op) and not tensor_boxes.accesses_of(op):
                op.erase()
            else:
                kept.append(op)
        return kept[::-1]

    def _clone(self, old: ir.Operation) -> None:
        if old.name == "scf.for":
            self._loop(old)
            return
        tensors = any(isinstance(v.type, ir.RankedTensorType) for v in [*old.operands, *old.results])
        if not tensors or not self.iterations.changes(old):
            # Scalars are those of the first iteration; other ops do the same in all of them.
            self.operations.append(again(old, self.made))
            return
        if old.name == "linalg.generic":
            new = self._generic(old)
        elif isinstance(view := old.opview, dataflow.BoxOp):
            new = self._box(view)
        else:
            new = self._shape(old)
        self._keep(old, new)

    def _keep(self, old: ir.Operation, new: ir.Operation) -> None:
        self.operations.append(new)
        self.made.update(zip(old.results, new.results, strict=True))

    def _one(self, value: ir.Value) -> ir.Value:
        """A scalar of the first iteration, a tensor for all of them where it varies, or what all have."""
        return self.made.get(value, value)

    def _all(self, value: ir.Value) -> ir.Value:
        """A tensor for all iterations, also where they have the same."""
        if self.iterations.varies(value):
            return self.made[value]
        where = kernels.unnamed(value.location)
        type_ = self._type(value)
        maker = kernels.defining(value)
        empty = ops.empty(type_, where)
        self._beside(empty)
        if maker is not None and maker.name == "tensor.empty":
            return empty
        seen = None if maker is None else structured(maker)
        if seen is not None and _is_fill(seen):
            identity = ir.AffineMap.get_identity(type_.rank)
            filled = ops.generic([], [empty], [identity], where, lambda _: self._lanes(seen.op, {}))
        else:
            dims = [ir.AffineExpr.get_dim(k) for k in range(type_.rank)]
            maps = [ir.AffineMap.get(type_.rank, 0, dims[1:]), ir.AffineMap.get_identity(type_.rank)]
            filled = ops.generic([self._one(value)], [empty], maps, where, lambda arguments: [arguments[0]])
        self.operations.append(filled)
        return filled.results[0]

    def _beside(self, value: ir.Value) -> None:
        maker = kernels.defining(value)
        assert maker is not None
        self.operations.append(maker)

    def _type(self, value: ir.Value) -> ir.RankedTensorType:
        tensor = ir.RankedTensorType(value.type)
        return ir.RankedTensorType.get([self.size, *tensor.shape], tensor.element_type, loc=value.location)

    # Compute

    def _generic(self, old: ir.Operation) -> ir.Operation:
        seen = structured(old)
        assert seen is not None
        outputs = []
        for position, value in enumerate(seen.outputs):
            if not seen.reads_output(position):
                value = ops.empty(self._type(value), kernels.unnamed(value.location))
                self._beside(value)
                outputs.append(value)
            else:
                outputs.append(self._all(value))
        maps = [
            _later(map_, front=position >= len(seen.inputs) or self.iterations.varies(value))
            for position, (value, map_) in enumerate(zip(seen.operands, seen.maps, strict=True))
        ]
        before = list(seen.body.arguments)
        new = ops.generic(
            list(map(self._one, seen.inputs)),
            outputs,
            maps,
            old.location,
            lambda arguments: self._lanes(old, dict(zip(before, arguments, strict=True))),
            {loop + 1 for loop in seen.reduced},
        )
        for named in old.attributes:
            if "." in named:
                new.attributes[named] = old.attributes[named]
        return new

    def _lanes(self, old: ir.Operation, made: dict[ir.Value, ir.Value]) -> list[ir.Value]:
        """The body of ``old`` again, for its arguments ``made``; returns what it yields."""
        for value in generics.captured(old):
            made[value] = self._lane(value) if self.iterations.varies(value) else self._one(value)
        *inside, end = [view.operation for view in old.regions[0].blocks[0].operations]
        for op in inside:
            new = op.clone()
            for position, value in enumerate(op.operands):
                new.operands[position] = made[value]
            if op.name == "linalg.index":
                new.attributes["dim"] = ops.i64(ir.IntegerAttr(op.attributes["dim"]).value + 1)
            made.update(zip(op.results, new.results, strict=True))
        return [made[value] for value in end.operands]

    def _lane(self, value: ir.Value) -> ir.Value:
        """An integer of the iteration that a lane is of."""
        where = value.location
        scale = self.iterations.scale(value)
        assert scale is not None
        number: ir.Value = linalg.IndexOp(0, loc=where).result
        if scale != 1:
            number = ops.multiply(number, ops.index_constant(scale, where), where)
        if not isinstance(value.type, ir.IndexType):
            number = ops.index_cast(number, value.type, where)
        return ops.add(self._one(value), number, where)

    # Shapes

    def _shape(self, old: ir.Operation) -> ir.Operation:
        """A slice or a reshape, of all iterations."""
        operands = [self._all(v) if isinstance(v.type, ir.RankedTensorType) else self._one(v) for v in old.operands]
        new: ir.Operation = old.clone().operation
        for position, operand in enumerate(operands):
            new.operands[position] = operand
        new.results[0].set_type(self._type(old.results[0]))
        for name, first in (
            ("static_offsets", 0),
            ("static_sizes", self.size),
            ("static_strides", 1),
            ("static_output_shape", self.size),
        ):
            if name in old.attributes:
                new.attributes[name] = ir.DenseI64ArrayAttr.get([first, *ir.DenseI64ArrayAttr(old.attributes[name])])
        if "reassociation" in old.attributes:
            groups = [
                [int(entry.value) + 1 for entry in group] for group in ir.ArrayAttr(old.attributes["reassociation"])
            ]
            many = old.operands[0] if old.name == "tensor.collapse_shape" else old.results[0]
            # What has no dimensions is made of those of extent 1, in front of which there is something now.
            alone = [] if groups else range(1, ir.RankedTensorType(many.type).rank + 1)
            new.attributes["reassociation"] = ir.ArrayAttr.get(
                [ir.ArrayAttr.get(list(map(ops.i64, group))) for group in ([0, *alone], *groups)]
            )
        return new

    # Memory

    def _box(self, old: dataflow.BoxOp) -> ir.Operation:
        fields = tensor_boxes.fields_of(old, self._one)
        scale = self.iterations.scale(old.offset, wraps=True)
        assert scale is not None
        fields["static_strides"] = [scale, *old.static_strides]
        if isinstance(old, dataflow.ReadOp):
            fields["result"] = self._type(old.result)
            if old.init is not None:
                fields["init"] = self._all(old.init)
        elif isinstance(old, dataflow.WriteOp):
            fields["value"] = self._all(old.value)
        if old.static_lower is not None:
            self._clip(old, fields)
        maps = zip(old.indices, old.index_maps or (), strict=True)
        varying = [(ir.AffineMapAttr(map_).value, self.iterations.varies(list_)) for list_, map_ in maps]
        if varying:
            later = [ir.AffineMapAttr.get(_later(map_, front=front)) for map_, front in varying]
            fields["index_maps"] = ir.ArrayAttr.get(later)
        new = type(old).build(**fields, loc=old.operation.location)
        self.moved.append(new.tensor)
        return new.operation

    def _clip(self, old: dataflow.BoxOp, fields: dict[str, Any]) -> None:
        """A clip that moves with the iteration is one of the iterations: the dimension has one step, 0."""
        where = kernels.unnamed(old.operation.location)
        lower, upper = clip_of(old)
        from_: list[int | ir.Value] = [0]
        to: list[int | ir.Value] = [self.size]

        def computed(expression: ir.AffineExpr, bound: ir.Value) -> ir.Value:
            value = ops.apply(ir.AffineMap.get(1, 0, [expression]), [self._one(bound)], where)
            self._beside(value)
            return value

        def iterations(bound: ir.Value, scale: int, least: int, *, below: bool) -> None:
            """Of those in which the bound is at most 0 (``below``), or at least ``least``, 1."""
            d = ir.AffineExpr.get_dim(0)
            # bound + scale * k <= 0, or bound + scale * k - 1 >= 0
            rest = d * -1 if below else d + -least
            factor = -scale if below else scale
            # rest + factor * k >= 0
            if factor > 0:
                found = ir.AffineExpr.get_ceil_div(rest * -1, factor)
                from_.append(computed(found, bound))
            else:
                found = ir.AffineExpr.get_floor_div(rest, -factor) + 1
                to.append(computed(found, bound))

        for bounds, least in ((lower, 0), (upper, 1)):
            for dim, bound in enumerate(bounds):
                if isinstance(bound, int):
                    continue
                scale = self.iterations.scale(bound, wraps=True)
                assert scale is not None
                if scale:
                    iterations(bound, scale, least, below=bounds is lower)
                    bounds[dim] = least
                else:
                    bounds[dim] = self._one(bound)
        low, high = self._tightest(from_, arith.MaxSIOp, where), self._tightest(to, arith.MinSIOp, where)
        fields["static_lower"], fields["lower"] = decomposed([low, *lower])
        fields["static_upper"], fields["upper"] = decomposed([high, *upper])

    def _tightest(self, bounds: list[int | ir.Value], pick: type[Any], where: ir.Location) -> int | ir.Value:
        """The one bound that all of them come to."""
        first, *rest = bounds
        if not rest:
            return first
        found = rest[0]
        for bound in rest[1:]:
            found = pick(found, bound, loc=where).result
            assert isinstance(found, ir.Value)
            self._beside(found)
        return found

    # Loops

    def _loop(self, old: ir.Operation) -> None:
        """A loop in which tensors are carried for all iterations at once."""
        bounds, starts = list(old.operands)[:3], list(old.operands)[3:]
        before = old.regions[0].blocks[0]
        end = kernels.terminator(before)
        varying = [self.iterations.varies(result) for result in old.results]
        with old.location:  # the arguments of the body get it
            new: ir.Operation = scf.ForOp(*map(self._one, bounds), self._each(starts, varying)).operation
        after = new.regions[0].blocks[0]
        self.made.update(zip(before.arguments, after.arguments, strict=True))
        outside, self.operations = self.operations, []
        with ir.InsertionPoint(after):
            for view in list(before.operations)[:-1]:
                self._clone(view.operation)
            scf.YieldOp(self._each(end.operands, varying), loc=end.location)
        self.operations = outside
        self._keep(old, new)

    def _each(self, values: Iterable[ir.Value], varying: Iterable[bool]) -> list[ir.Value]:
        """Values, for all iterations where they are to vary."""
        return [self._all(v) if varies else self._one(v) for v, varies in zip(values, varying, strict=True)]


def again(op: ir.Operation, made: dict[ir.Value, ir.Value]) -> ir.Operation:
    """``op`` at the current insertion point, with what was made for values; its results are added to them."""
    new: ir.Operation = op.clone().operation
    for inner in (new, *kernels.walk(new)):
        for position, value in enumerate(inner.operands):
            if value in made:
                inner.operands[position] = made[value]
    made.update(zip(op.results, new.results, strict=True))
    return new


def _is_fill(op: Structured) -> bool:
    """Whether an op makes one tensor, of one number."""
    return not op.inputs and len(op.outputs) == 1 and not op.reads_output(0) and not op.indexed


def _later(map_: ir.AffineMap, *, front: bool) -> ir.AffineMap:
    """A map over one loop more, in front; with ``front``, the first result is that loop."""
    dims = [ir.AffineExpr.get_dim(k + 1) for k in range(map_.n_dims)]
    results = [_shifted(result, dims) for result in map_.results]
    if front:
        results = [ir.AffineExpr.get_dim(0), *results]
    return ir.AffineMap.get(map_.n_dims + 1, 0, results)


def _shifted(expression: ir.AffineExpr, dims: Sequence[ir.AffineExpr]) -> ir.AffineExpr:
    """``expression`` over other dimensions."""
    return expression.compose(ir.AffineMap.get(len(dims) + 1, 0, list(dims)))
