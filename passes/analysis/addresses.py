"""The addresses of a schedule as linear forms over loop counters and what else they depend on."""

from __future__ import annotations

from spyrec.dialects.dataflow import TileIdOp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Interval, Leaf, Linear
from spyrec.passes.analysis.places import BoxPlace, Place, Variable
from spyrec.passes.analysis.skeleton import Block, Loop

BOUNDED = Interval(-(1 << 40), 1 << 40)
"""An interval that is not in here says nothing about an address."""


class Addresses:
    """What one function adds up to addresses.

    ``blocks`` and ``loops`` are filled by whoever reads the function: what has been made of a block, and of the loop
    whose body a block is. ``tiles`` are the keys of those ``variables`` that are the number of the core.
    """

    def __init__(self, function: ir.Operation) -> None:
        self.values = IndexValues(function, kernels.tiles(function))
        self.blocks: dict[ir.Block, Block] = {}
        self.loops: dict[ir.Block, Loop] = {}
        self.variables: dict[object, Variable] = {}
        self.tiles: set[object] = set()
        arguments = kernels.arguments(function)
        self.arguments = {ir.Value(a): number for number, a in enumerate(arguments)}
        self.names = [kernels.argument_name(a) for a in arguments]
        self.may_alias = frozenset(a.arg_number for a in arguments if kernels.may_alias(a))

    def anywhere(self, name: str, number: int | None, into: Block) -> Place:
        """Bytes of one argument of which only the run knows where they are, other ones each time."""
        variable = Variable(frozenset(into.loops))
        return BoxPlace(name, number, number is not None and number in self.may_alias, 0, ((variable, 1),), (), 1)

    def base(self, base: ir.Value | None) -> tuple[int | None, Linear]:
        """The argument that a base is, and what is added to it (bytes)."""
        if base is None:
            return None, Linear.of(0)
        form = self.index(base)
        for atom, factor in form.terms:
            if isinstance(atom, Leaf) and factor == 1:
                number = self.arguments.get(self.values.value(atom))
                if number is not None:
                    return number, form - Linear.atom(atom)
        return None, form

    def index(self, value: ir.Value) -> Linear:
        """The form of an address. What `affine.apply` says holds without wrapping around, by its definition."""
        op = kernels.defining(value)
        if op is None or op.name != "affine.apply":
            return self.values.form(value)
        map_ = ir.AffineMapAttr(op.attributes["map"]).value
        forms = [self.index(operand) for operand in op.operands]
        form = self.values.expression(map_.results[0], forms[: map_.n_dims], forms[map_.n_dims :])
        return self.values.form(value) if form is None else form

    def over_counters(self, form: Linear) -> tuple[int, tuple[tuple[Variable, int], ...]]:
        """``form`` over counters that start at 0 and go up by 1, and over what else it depends on."""
        factors: dict[Variable, int] = {}
        constant = form.constant
        todo = list(form.terms)
        while todo:
            atom, factor = todo.pop()
            loop = self._counted(atom) if isinstance(atom, Leaf) else None
            if loop is None:
                variable = self._variable(("value", atom), self.loops_of(Linear.atom(atom)), None, Linear.atom(atom))
            else:
                low, _, step = (self.values.form(operand) for operand in list(loop.ref.operands)[:3])
                todo += low.scaled(factor).terms
                constant += low.constant * factor
                factor *= step.constant
                variable = self._variable(("counter", loop), frozenset(loop.body.loops), loop, None)
            factors[variable] = factors.get(variable, 0) + factor
        order = {variable: position for position, variable in enumerate(self.variables.values())}
        kept = [(variable, factor) for variable, factor in factors.items() if factor]
        return constant, tuple(sorted(kept, key=lambda pair: order[pair[0]]))

    def _counted(self, atom: Leaf) -> Loop | None:
        """The loop whose counter ``atom`` is, when its step is a constant."""
        value = self.values.value(atom)
        if not isinstance(value, ir.BlockArgument) or value.arg_number:
            return None
        loop = self.loops.get(value.owner)
        return loop if loop is not None and self.values.form(loop.ref.operands[2]).is_constant else None

    def _variable(self, key: object, loops: frozenset[Loop], counter: Loop | None, form: Linear | None) -> Variable:
        found = self.variables.get(key)
        if found is None:
            if counter is not None:
                low: int | None = 0
                high = None if counter.max_trips is None else max(0, counter.max_trips - 1)
            else:
                interval = self.values.interval(form) if form is not None else Interval.signed(64)
                known = interval in BOUNDED
                low, high = (interval.low, interval.high) if known else (None, None)
            found = self.variables[key] = Variable(loops, counter, low, high)
            if form is not None and any(self._is_tile(leaf) for leaf in form.leaves() if form == Linear.atom(leaf)):
                self.tiles.add(key)
        return found

    def _is_tile(self, leaf: Leaf) -> bool:
        op = kernels.defining(self.values.value(leaf))
        return op is not None and isinstance(op.opview, TileIdOp)

    def loops_of(self, form: Linear) -> frozenset[Loop]:
        """The loops in whose iterations ``form`` may differ."""
        loops: set[Loop] = set()
        for leaf in form.leaves():
            value = self.values.value(leaf)
            owner = value.owner
            if isinstance(owner, ir.Block):
                loops.update(self.blocks[owner].loops)
            elif owner.name != TileIdOp.NAME:
                loops.update(self.blocks[owner.operation.block].loops)
        return frozenset(loops)
