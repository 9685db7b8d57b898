"""Control flow of other forms becomes ``scf.for`` and ``scf.if``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import arith, ir, scf, tensor
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.mixed import mixed
from spyrec.passkit import Pass, PassContext

Values = list[ir.Value]


@dataclass
class NormalizeControl(Pass):
    """Lower ``scf.parallel``, ``scf.forall``, ``scf.index_switch`` and ``scf.execute_region`` to loops and ifs.

    A tile has one thread of control, so the points of a parallel loop run one after the other, the last counter
    fastest; what they reduce is carried. Every point of ``scf.forall`` sees the shared outputs as they were before it.

    IR before::

        %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> index {
          scf.reduce(%i : index) {
          ^bb0(%a: index, %b: index):
            %t = arith.addi %a, %b : index
            scf.reduce.return %t : index
          }
        }
        %r = scf.index_switch %k -> index case 3 { scf.yield %x : index } default { scf.yield %y : index }

    IR after::

        %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (index) {
          %t = arith.addi %a, %i : index
          scf.yield %t : index
        }
        %c3 = arith.constant 3 : index
        %is = arith.cmpi eq, %k, %c3 : index
        %r = scf.if %is -> (index) { scf.yield %x : index } else { scf.yield %y : index }

    Leaves alone ``scf.for``, ``scf.if`` and ``scf.while``, and regions of several blocks, which ``legality`` refuses.
    Refuses nothing.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        # Inner ops first: an outer one is then moved with what has become of them.
        for inner in reversed([inner for inner in kernels.walk(op) if inner.name in _RULES]):
            with ir.InsertionPoint(inner):
                results = _RULES[inner.name](inner)
            for old, new in zip(inner.results, results, strict=True):
                old.replace_all_uses_with(new)
            inner.erase()
            ctx.statistics["ops lowered"] += 1


def _execute_region(op: ir.Operation) -> Values:
    return ops.inlined(op.regions[0].blocks[0])


def _index_switch(op: ir.Operation) -> Values:
    cases = list(ir.DenseI64ArrayAttr(op.attributes["cases"]))

    def arm(number: int) -> Values:
        """What cases from ``number`` on and the default give, made at the insertion point."""
        if number == len(cases):
            return ops.inlined(op.regions[0].blocks[0])
        case = ops.index_constant(cases[number], op.location)
        taken = ops.compare(arith.CmpIPredicate.eq, op.operands[0], case, op.location)
        branch = scf.IfOp(taken, [r.type for r in op.results], has_else=True, loc=op.location).operation
        with ir.InsertionPoint(branch.regions[0].blocks[0]):
            scf.YieldOp(ops.inlined(op.regions[number + 1].blocks[0]), loc=op.location)
        with ir.InsertionPoint(branch.regions[1].blocks[0]):
            scf.YieldOp(arm(number + 1), loc=op.location)
        return list(branch.results)

    return arm(0)


def _nest(
    bounds: Sequence[tuple[ir.Value, ir.Value, ir.Value]],
    carried: Sequence[ir.Value],
    location: ir.Location,
    body: Callable[[Values, Values], Values],
) -> Values:
    """Loops, the last one innermost; ``body`` gets the counters and what is carried, and gives what goes on."""

    def level(number: int, counters: Values, values: Values) -> Values:
        if number == len(bounds):
            return body(counters, values)
        with location:
            loop = scf.ForOp(*bounds[number], values).operation
        counter, *inside = loop.regions[0].blocks[0].arguments
        with ir.InsertionPoint(loop.regions[0].blocks[0]):
            scf.YieldOp(level(number + 1, [*counters, counter], list(inside)), loc=location)
        return list(loop.results)

    return level(0, [], list(carried))


def _groups(op: ir.Operation) -> list[Values]:
    """Operands by the segments of the op."""
    rest = iter(op.operands)
    return [[next(rest) for _ in range(n)] for n in ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])]


def _parallel(op: ir.Operation) -> Values:
    lower, upper, step, initial = _groups(op)

    def body(counters: Values, values: Values) -> Values:
        end = kernels.terminator(op.regions[0].blocks[0])
        given = ops.inlined(op.regions[0].blocks[0], counters)
        combined: Values = []
        for region, value, new in zip(end.regions, values, given, strict=True):
            combined += ops.inlined(region.blocks[0], [value, new])
        return combined

    return _nest(list(zip(lower, upper, step, strict=True)), initial, op.location, body)


def _forall(op: ir.Operation) -> Values:
    *dynamic, outputs = _groups(op)
    bounds = []
    for name, values in zip(("staticLowerBound", "staticUpperBound", "staticStep"), dynamic, strict=True):
        numbers = mixed(ir.DenseI64ArrayAttr(op.attributes[name]), values)
        bounds.append([ops.index_constant(n, op.location) if isinstance(n, int) else n for n in numbers])
    shared = list(op.regions[0].blocks[0].arguments)[len(bounds[0]) :]
    # The insertions name the shared outputs; everything else sees them as they were at first.
    inserts = [view.operation for view in kernels.terminator(op.regions[0].blocks[0]).regions[0].blocks[0]]
    into = [shared.index(ir.BlockArgument(insert.operands[1])) for insert in inserts]

    def body(counters: Values, values: Values) -> Values:
        ops.inlined(op.regions[0].blocks[0], [*counters, *outputs])
        for insert, number in zip(inserts, into, strict=True):
            source, _, *lists = _groups(insert)
            static = [ir.DenseI64ArrayAttr(insert.attributes[f"static_{n}"]) for n in ("offsets", "sizes", "strides")]
            values[number] = tensor.InsertSliceOp(
                source[0], values[number], *lists, *map(list, static), loc=insert.location
            ).result
        return values

    return _nest(list(zip(*bounds, strict=True)), outputs, op.location, body)


_RULES: dict[str, Callable[[ir.Operation], Values]] = {
    "scf.execute_region": _execute_region,
    "scf.forall": _forall,
    "scf.index_switch": _index_switch,
    "scf.parallel": _parallel,
}
