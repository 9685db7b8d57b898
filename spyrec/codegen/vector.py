"""Vector units: ``dataflow.stream`` to ``stream``, its body to micro-ops on vector registers."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec import numerics
from spyrec.codegen.attributes import CONSTANTS, attributes, constant_bits, integers, owner_op, type_name
from spyrec.codegen.code import const
from spyrec.codegen.nests import simplified
from spyrec.codegen.refusals import Refused, unsupported
from spyrec.codegen.unit import UnitCode
from spyrec.dialects.dataflow import Fold, PositionOp, StreamOp
from spyrec.isa.fields import VECTOR_REGISTERS
from spyrec.isa.micro import CONST, PRODUCT, SPLAT
from spyrec.isa.objects import LxOperand, MicroOp, Stream
from spyrec.isa.table import ELEMENT_TYPES
from spyrec.mlir import ir
from spyrec.records import replace
from spyrec.spyrecode.bank import to_bits


class Vector(UnitCode):
    """A unit that runs element-wise kernels over LX."""

    def work(self, op: ir.Operation) -> None:
        """Emit a stream. Raises :class:`Refused`."""
        if op.name != "dataflow.stream":
            super().work(op)
            return
        view = StreamOp(op)
        if 0 in view.counts:
            return
        place = self.builder.place
        stream = _Body(self, view).stream()
        self.builder.place = place
        self.builder.emit(stream)


class _Body:
    """Lowers one stream: operands, then the body, then vector registers by lifetime."""

    def __init__(self, unit: Vector, op: StreamOp) -> None:
        self.unit = unit
        self.op = op
        self.block = op.body.blocks[0]
        self.micro_ops: list[MicroOp] = []
        self.registers: dict[ir.Value, int] = {}
        self.inputs: list[LxOperand] = []
        self.next = 0

    def stream(self) -> Stream:
        """The instruction, on scalar registers without limit."""
        op, arguments, split = self.op, list(self.block.arguments), len(self.op.inputs)
        counts, folded, folds = integers(op.counts), op.folded, op.folds()
        in_operands = self._operands(op.inputs, op.input_strides, op.input_buffers, arguments[:split])
        out_operands = self._operands(op.outputs, op.output_strides, op.output_buffers, arguments[split:])
        *operations, terminator = [v.operation for v in self.block.operations]
        needed = _needed(folds, operations, terminator)
        for number, (argument, operand) in enumerate(zip(arguments, (*in_operands, *out_operands), strict=True)):
            # The old value of an output is one more input, from the same address; a fold reads it by itself.
            if argument in needed and (number < split or folds[number - split] is None):
                register = self._new(argument)
                self.inputs.append(replace(operand, register=register))
        for inner in operations:
            if any(result in needed for result in inner.results):
                self._micro(inner)
        outputs = [
            self._output(operand, value, fold, terminator, fresh=op.fresh is not None)
            for operand, value, fold in zip(out_operands, terminator.operands, folds, strict=True)
        ]
        every = (*self.inputs, *outputs)
        # One more list of strides keeps counts that are folded and counts that are not from merging.
        shape = _dense([1 if d in folded else n for d, n in enumerate(counts)], folded)
        counts, strides = simplified(counts, [*(o.strides for o in every), shape])
        every = tuple(replace(o, strides=s) for o, s in zip(every, strides, strict=False))
        read = len(self.inputs)
        return _allocated(
            op.operation,
            Stream(
                counts=counts,
                folded=sum(1 << d for d, s in enumerate(strides[-1]) if s == 0) if folded else 0,
                inputs=every[:read],
                outputs=every[read:],
                micro_ops=tuple(self.micro_ops),
            ),
        )

    def _output(
        self, operand: LxOperand, value: ir.Value, fold: Fold | None, terminator: ir.Operation, *, fresh: bool
    ) -> LxOperand:
        if fold is None:
            return replace(operand, register=self._register(value, terminator))
        parts = tuple(self._register(v, terminator) for v in fold.parts)
        register = parts[0]
        if len(parts) == 2:
            register = self._new(None)
            self.micro_ops.append(MicroOp(PRODUCT, operand.type, register, parts))
        return replace(operand, register=register, fold=fold.op.name.partition(".")[2], fresh=int(fresh))

    def _operands(
        self,
        addresses: Sequence[ir.Value],
        strides: ir.ArrayAttr,
        buffers: ir.ArrayAttr,
        arguments: Sequence[ir.Value],
    ) -> list[LxOperand]:
        found = []
        for address, argument, steps, name in zip(addresses, arguments, strides, buffers, strict=True):
            base, offset = self.unit.builder.split(self.unit.integer(address, self.op))
            buffer = self.unit.buffer(self.op, ir.FlatSymbolRefAttr(name).value)
            type_ = self._type(argument, self.op)
            found.append(LxOperand(base, offset, type_, integers(steps), buffer, 0))
        return found

    def _type(self, value: ir.Value, op: ir.Operation | ir.OpView) -> str:
        name = type_name(value, op)
        if name not in ELEMENT_TYPES:
            raise Refused(op, "unsupported-type", f"elements of type {name} have no encoding")
        return name

    def _new(self, value: ir.Value | None) -> int:
        self.next += 1
        if value is not None:
            self.registers[value] = self.next - 1
        return self.next - 1

    def _register(self, value: ir.Value, user: ir.Operation) -> int:
        """The vector register of ``value``; values from outside of the body are put into every lane."""
        if value in self.registers:
            return self.registers[value]
        type_ = self._type(value, user)
        owner = owner_op(value)
        if owner is not None and owner.name in CONSTANTS:
            return self._const(type_, constant_bits(owner), value)
        scalar = self.unit.value(value, user)
        register = self._new(value)
        source = self.unit.builder.in_register(scalar)
        self.micro_ops.append(MicroOp(SPLAT, type_, register, (source,)))
        return register

    def _const(self, type_: str, bits: int, value: ir.Value | None = None) -> int:
        register = self._new(value)
        self.micro_ops.append(MicroOp(CONST, type_, register, immediate=bits))
        return register

    def _micro(self, op: ir.Operation) -> None:
        if op.name in CONSTANTS:
            return
        self.unit.builder.place = self.unit.job.place_of(op.location)
        if isinstance(op.opview, PositionOp):
            self._position(op.opview)
            return
        scalar = numerics.SCALAR_OPS.get(op.name)
        if scalar is None or len(op.results) != 1:
            raise unsupported(op, "in the body of a stream")
        values = attributes(op)
        sources = [self._register(v, op) for v in op.operands]
        sources += [self._const("f32", to_bits(values[name], "f32")) for name in scalar.constants]
        name = numerics.micro_name(op.name, values)
        assert name is not None
        type_ = self._type(op.results[0], op)
        self.micro_ops.append(MicroOp(name, type_, self._new(op.results[0]), tuple(sources)))

    def _position(self, op: PositionOp) -> None:
        start = const(0) if op.start is None else self.unit.integer(op.start, op)
        base, offset = self.unit.builder.split(start)
        register, strides = self._new(op.result), integers(op.strides)
        self.inputs.append(
            LxOperand(base, offset, self._type(op.result, op.operation), strides, None, register, number=1)
        )


def _needed(
    folds: Sequence[Fold | None], operations: Sequence[ir.Operation], terminator: ir.Operation
) -> set[ir.Value]:
    """The values of a body that are computed: all but the results of combiners, and products that only a sum folds."""
    needed: set[ir.Value] = set()
    parts: set[ir.Value] = set()
    for fold, value in zip(folds, terminator.operands, strict=True):
        needed.update([value] if fold is None else fold.parts)
        parts.update([] if fold is None else [value, fold.term])
    for inner in reversed(operations):
        needed.update(result for result in inner.results if result not in parts)
        if any(result in needed for result in inner.results):
            needed.update(inner.operands)
    return needed


def _dense(counts: Sequence[int], folded: Sequence[int]) -> tuple[int, ...]:
    """Strides of a dense array of shape ``counts``, 0 along the counts in ``folded``."""
    strides: list[int] = []
    step = 1
    for d in reversed(range(len(counts))):
        strides.append(0 if d in folded else step)
        step *= counts[d]
    return tuple(reversed(strides))


def _allocated(op: ir.Operation, stream: Stream) -> Stream:
    """``stream`` on the real vector registers: a straight line, so a register is free after the last read of its
    value.
    """
    end = len(stream.micro_ops)
    last: dict[int, int] = {o.register: end for o in stream.outputs}
    for index, micro in enumerate(stream.micro_ops):
        if micro.op != SPLAT:
            for source in micro.sources:
                last[source] = max(last.get(source, index), index)
    free = list(range(VECTOR_REGISTERS - 1, -1, -1))
    assigned: dict[int, int] = {}
    most = 0

    def take(register: int) -> int:
        nonlocal most
        if not free:
            free.append(VECTOR_REGISTERS + most)
        assigned[register] = free.pop()
        most = max(most, assigned[register] + 1 - VECTOR_REGISTERS)
        return assigned[register]

    inputs = [replace(o, register=take(o.register)) for o in stream.inputs]
    micro_ops = []
    for index, micro in enumerate(stream.micro_ops):
        sources = micro.sources if micro.op == SPLAT else tuple(assigned[s] for s in micro.sources)
        over = {s for s in micro.sources if last[s] == index} if micro.op != SPLAT else set()
        free += sorted((assigned[s] for s in over), reverse=True)
        micro_ops.append(replace(micro, dest=take(micro.dest), sources=sources))
        if micro.dest not in last:
            free.append(assigned[micro.dest])
    outputs = tuple(replace(o, register=assigned[o.register]) for o in stream.outputs)
    if most > 0:
        need = VECTOR_REGISTERS + most
        raise Refused(
            op,
            "out-of-registers",
            f"the body of this stream needs {need} vector registers; a unit has {VECTOR_REGISTERS}",
            ("split the computation into several operations",),
            resource=("vector registers", need, VECTOR_REGISTERS),
        )
    return replace(stream, inputs=tuple(inputs), outputs=outputs, micro_ops=tuple(micro_ops))
