"""Values that are the same on every core: what the host computes from the launch arguments, for the parameter bank."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec import numerics
from spyrec.codegen import affine_maps
from spyrec.codegen.attributes import CONSTANTS, Places, attributes, constant_bits, owner_op, type_name
from spyrec.codegen.code import Place
from spyrec.codegen.refusals import Refused, unsupported
from spyrec.isa.alu import unsigned
from spyrec.mlir import ir
from spyrec.spyrecode.bank import Bank, Step

_AFFINE = {"add": "addi", "mul": "muli", "floordiv": "floordivsi", "ceildiv": "ceildivsi"}
_EXTREMES = {"affine.min": "minsi", "affine.max": "maxsi"}


class Uniforms:
    """The host's steps for one kernel: its arguments, and the scalar ops that stand outside of the units."""

    def __init__(self, function: ir.Operation, place_of: Places) -> None:
        self._steps: list[Step] = []
        self._places: list[Place] = []
        self._known: dict[Step, int] = {}
        self._of: dict[ir.Value, int] = {}
        self._refused: dict[ir.Value, Refused] = {}
        self._entries: list[int] = []
        self._place: Place = ()
        block = function.regions[0].blocks[0]
        for argument in block.arguments:
            if str(argument.type) in numerics.TYPES:
                self._place = place_of(argument.location)
                self._of[argument] = self._step(Step(str(argument.type), arg=argument.arg_number))
            else:
                self._refused[argument] = Refused(
                    argument, "unsupported-type", f"an argument of type {argument.type} cannot be passed to the device"
                )
        for view in block.operations:
            op = view.operation
            if len(op.results) and not len(op.regions):
                self._place = place_of(op.location)
                self._op(op)

    def entry(self, value: ir.Value, user: ir.Operation | ir.OpView) -> int:
        """The number of ``value`` in the parameter bank. Raises :class:`Refused` when the host cannot compute it."""
        if value in self._refused:
            raise self._refused[value]
        if value not in self._of:
            owner = owner_op(value)
            raise unsupported(owner or user, "outside of a unit")
        step = self._of[value]
        if step not in self._entries:
            self._entries.append(step)
        return self._entries.index(step)

    def finish(self) -> tuple[Bank, tuple[Place, ...]]:
        """The bank with what was asked for, without steps that nothing needs, and the place of each step."""
        needed = set(self._entries)
        for number in reversed(range(len(self._steps))):
            if number in needed:
                needed.update(self._steps[number].of)
        kept = sorted(needed)
        renumbered = {old: new for new, old in enumerate(kept)}
        steps = tuple(
            Step(s.type, s.arg, s.const, s.op, tuple(renumbered[n] for n in s.of))
            for s in (self._steps[k] for k in kept)
        )
        bank = Bank(steps, tuple(renumbered[n] for n in self._entries))
        return bank, tuple(self._places[k] for k in kept)

    def _step(self, step: Step) -> int:
        if step not in self._known:
            self._known[step] = len(self._steps)
            self._steps.append(step)
            self._places.append(self._place)
        return self._known[step]

    def _op(self, op: ir.Operation) -> None:
        """Add the steps of ``op``; what is wrong with it is told only when a unit uses it."""
        try:
            bad = next((self._refused[v] for v in op.operands if v in self._refused), None)
            if bad is not None:
                raise bad
            self._of[op.results[0]] = self._computed(op, [self._of[v] for v in op.operands])
        except Refused as refused:
            for result in op.results:
                self._refused[result] = refused

    def _computed(self, op: ir.Operation, operands: Sequence[int]) -> int:
        type_ = type_name(op.results[0], op)
        if op.name in CONSTANTS:
            return self._step(Step(type_, const=constant_bits(op)))
        if op.name in ("affine.apply", *_EXTREMES):
            values = affine_maps.results(op, operands, self._index, self._combine)
            first, *rest = values
            for value in rest:
                first = self._step(Step("index", op=_EXTREMES[op.name], of=(first, value)))
            return first
        scalar = numerics.SCALAR_OPS.get(op.name)
        if scalar is None or len(op.results) != 1:
            raise unsupported(op, "outside of a unit")
        values_ = attributes(op)
        micro = numerics.micro_name(op.name, values_)
        assert micro is not None
        return self._step(Step(type_, op=micro, of=tuple(operands)))

    def _index(self, value: int) -> int:
        return self._step(Step("index", const=unsigned(value)))

    def _combine(self, name: str, a: int, b: int) -> int:
        if name == "mod":
            whole = self._combine("mul", b, self._combine("floordiv", a, b))
            return self._step(Step("index", op="subi", of=(a, whole)))
        return self._step(Step("index", op=_AFFINE[name], of=(a, b)))
