"""Reductions by other bodies than a known combiner's become loops, and those over different loops an op each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir, linalg, scf
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.folds import folds
from spyrec.passes.analysis.structured import Structured, picked, structured
from spyrec.passkit import Pass, PassContext


@dataclass
class ReductionsToLoops(Pass):
    """Run, one after the other, the iterations of a reduction that no known combiner ends (such as an argmax).

    No unit folds by such a body, and each of its operations is rounded, so the order is that of the loops. What every
    output has a place of its own for is still done together: a ``linalg.generic`` without reduction, on slices.

    IR before::

        %m:2 = linalg.generic {indexing_maps = [#rc, #rc, #r, #r], iterator_types = ["parallel", "reduction"]}
            ins(%v, %i : tensor<4x64xf32>, tensor<4x64xi32>) outs(%a, %b : tensor<4xf32>, tensor<4xi32>) {...}

    IR after::

        %m:2 = scf.for %c = %c0 to %c64 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xi32>) {
          %vc = tensor.extract_slice %v[0, %c] [4, 1] [1, 1] : tensor<4x64xf32> to tensor<4xf32>
          %ic = tensor.extract_slice %i[0, %c] [4, 1] [1, 1] : tensor<4x64xi32> to tensor<4xi32>
          %n:2 = linalg.generic {indexing_maps = [#r, #r, #r, #r], iterator_types = ["parallel"]}
              ins(%vc, %ic : ...) outs(%x, %y : ...) {...}
          scf.yield %n#0, %n#1 : tensor<4xf32>, tensor<4xi32>
        }

    An op that folds different loops, such as sums of rows and of columns, becomes an op for each: a unit folds the same
    into all that it folds.

    Of a body that uses no old value the last iteration alone counts, and one that yields nothing but old values is its
    outputs: what folds a body may leave such ones. Leaves alone reductions by known combiners.
    Refuses nothing: ``legality`` has refused maps that do more than pick loops.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in [inner for inner in kernels.steps(op) if inner.name == "linalg.generic"]:
            seen = structured(inner)
            known = None if seen is None else folds(seen)
            groups = [] if seen is None or known is None else _groups(seen)
            if seen is None or (known is not None and len(groups) < 2):
                continue
            with ir.InsertionPoint(inner):
                if known is not None:
                    results = _apart(seen, groups)
                else:
                    results = list(seen.outputs) if _keeps(seen) else _Loops(seen).results()
            for old, new in zip(inner.results, results, strict=True):
                old.replace_all_uses_with(new)
            inner.erase()
            ctx.statistics["reductions unrolled"] += 1


def _groups(op: Structured) -> list[list[int]]:
    """The outputs of an op, those together that fold the same loops; with the first of them those that fold none."""
    found: dict[frozenset[int], list[int]] = {}
    for output, map_ in enumerate(op.output_maps):
        found.setdefault(picked(map_), []).append(output)
    whole = found.pop(frozenset(range(op.loops)), [])
    folding = list(found.values()) or [[]]
    return [sorted([*whole, *folding[0]]), *folding[1:]]


def _apart(op: Structured, groups: Sequence[Sequence[int]]) -> list[ir.Value]:
    """An op for each group of outputs, which reads the others; gives what all give."""
    results: dict[int, ir.Value] = {}
    split = len(op.inputs)
    for group in groups:
        order = [*range(split), *(split + k for k in range(len(op.outputs)) if k not in group)]
        order += [split + k for k in group]

        def body(
            block: Sequence[ir.BlockArgument], order: Sequence[int] = order, group: Sequence[int] = group
        ) -> list[ir.Value]:
            _, yielded = ops.cloned(op.body, [block[order.index(k)] for k in range(len(order))])
            return [yielded[k] for k in group]

        values, maps = [op.operands[k] for k in order], [op.maps[k] for k in order]
        at = len(order) - len(group)
        reduced = {d for d in range(op.loops) if any(d not in picked(op.output_maps[k]) for k in group)}
        made = ops.generic(values[:at], values[at:], maps, op.op.location, body, reduced)
        results.update(zip(group, made.results, strict=True))
    return [results[k] for k in range(len(op.outputs))]


def _keeps(op: Structured) -> bool:
    """Whether every output stays as it was (``max(old, 0)`` of unsigned numbers has become ``old``)."""
    return all(op.yielded[k] == op.output_argument(k) for k in range(len(op.outputs)))


class _Loops:
    """The loops of one op: ``outer`` run one after the other, the others are done together."""

    def __init__(self, op: Structured) -> None:
        self.op = op
        self.where = op.op.location
        together = frozenset.intersection(*map(picked, op.output_maps))
        self.outer = [d for d in range(op.loops) if d not in together]
        self.inner = [d for d in range(op.loops) if d in together]
        self.extents = op.extents or []

    def results(self) -> list[ir.Value]:
        read = any(self.op.reads_output(k) for k in range(len(self.op.outputs)))
        alone = not read and not any(picked(map_) & set(self.outer) for map_ in self.op.output_maps)
        if alone and all(self.extents[d] for d in self.outer):
            return self._step(
                [ops.index_constant(self.extents[d] - 1, self.where) for d in self.outer], self.op.outputs
            )
        return self._loop([], self.op.outputs)

    def _loop(self, counters: list[ir.Value], carried: tuple[ir.Value, ...]) -> list[ir.Value]:
        if len(counters) == len(self.outer):
            return self._step(counters, carried)
        loop = ops.loop(self.extents[self.outer[len(counters)]], carried, self.where)
        counter, *inside = loop.regions[0].blocks[0].arguments
        with ir.InsertionPoint(loop.regions[0].blocks[0]):
            scf.YieldOp(self._loop([*counters, counter], tuple(inside)), loc=self.where)
        return list(loop.results)

    def _step(self, counters: list[ir.Value], outputs: tuple[ir.Value, ...]) -> list[ir.Value]:
        """One iteration: the body on the slices that belong to it."""
        at = dict(zip(self.outer, counters, strict=True))
        split = len(self.op.inputs)
        values = [*self.op.inputs, *outputs]
        pieces = [self._piece(value, map_, at) for value, map_ in zip(values, self.op.maps, strict=True)]
        maps = [self._map(map_) for map_ in self.op.maps]
        made = ops.generic(pieces[:split], pieces[split:], maps, self.where, lambda block: self._body(list(block), at))
        results = []
        for value, map_, piece in zip(outputs, self.op.output_maps, made.results, strict=True):
            results.append(self._put(piece, value, map_, at) if picked(map_) & at.keys() else piece)
        return results

    def _piece(self, value: ir.Value, map_: ir.AffineMap, at: dict[int, ir.Value]) -> ir.Value:
        if not picked(map_) & at.keys():
            return value
        offsets, sizes, kept = self._box(value, map_, at)
        return ops.extract_slice(value, offsets, sizes, self.where, shape=kept)

    def _put(self, piece: ir.Value, into: ir.Value, map_: ir.AffineMap, at: dict[int, ir.Value]) -> ir.Value:
        offsets, sizes, _ = self._box(into, map_, at)
        return ops.insert_slice(piece, into, offsets, self.where, sizes=sizes)

    @staticmethod
    def _box(
        value: ir.Value, map_: ir.AffineMap, at: dict[int, ir.Value]
    ) -> tuple[list[int | ir.Value], list[int], list[int]]:
        """Offsets and sizes of the slice of an iteration, and the shape that is left of it."""
        offsets: list[int | ir.Value] = []
        sizes, kept = [], []
        for result, extent in zip(map_.results, ir.RankedTensorType(value.type).shape, strict=True):
            counter = at.get(result.position) if isinstance(result, ir.AffineDimExpr) else None
            offsets.append(0 if counter is None else counter)
            sizes.append(extent if counter is None else 1)
            kept += [extent] if counter is None else []
        return offsets, sizes, kept

    def _map(self, map_: ir.AffineMap) -> ir.AffineMap:
        """The map over the inner loops alone, to what is left of the operand."""
        results = []
        for result in map_.results:
            if not isinstance(result, ir.AffineDimExpr):
                results.append(result)
            elif result.position in self.inner:
                results.append(ir.AffineExpr.get_dim(self.inner.index(result.position)))
        return ir.AffineMap.get(len(self.inner), 0, results)

    def _body(self, arguments: list[ir.BlockArgument], at: dict[int, ir.Value]) -> list[ir.Value]:
        """Copies what the body does to the insertion point."""
        copies: dict[ir.Value, ir.Value] = dict(zip(self.op.body.arguments, arguments, strict=False))
        *computing, end = [view.operation for view in self.op.body.operations]
        for inner in computing:
            if inner.name == "linalg.index":
                dim = ir.IntegerAttr(inner.attributes["dim"]).value
                counter = at.get(dim)
                if counter is None:
                    counter = linalg.IndexOp(self.inner.index(dim), loc=inner.location).result
                copies[inner.results[0]] = counter
                continue
            copy = inner.clone()
            for k, operand in enumerate(inner.operands):
                copy.operands[k] = copies.get(operand, operand)
            copies |= dict(zip(inner.results, copy.results, strict=True))
        return [copies.get(value, value) for value in end.operands]
