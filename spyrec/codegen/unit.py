"""The program of one unit: values, loops, branches and channels. What the unit does is in the file of its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spyrec import numerics
from spyrec.codegen.attributes import CONSTANTS, Places, constant_bits, owner_op, type_name
from spyrec.codegen.code import ANY, BIT, Builder, Scalar, const, held, union
from spyrec.codegen.refusals import Refused, unsupported
from spyrec.codegen.scalars import Scalars, width
from spyrec.codegen.uniform import Uniforms
from spyrec.device.model import Device
from spyrec.dialects.dataflow import PostOp, ProgramUnitOp, ScalarLoadOp, WaitOp
from spyrec.isa import alu
from spyrec.isa.objects import Instruction
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels

_TERMINATORS = frozenset({"scf.yield", "scf.condition"})


@dataclass(frozen=True)
class Job:
    """What all units of a kernel share: numbers of channels and buffers by name, the bank, the device, the grid."""

    device: Device
    tiles: int
    channels: dict[str, int]
    buffers: dict[str, int]
    uniforms: Uniforms
    place_of: Places


class UnitCode:
    """Lowers the body of a ``dataflow.program_unit``. Subclasses add the ops that only their kind of unit executes."""

    def __init__(self, op: ProgramUnitOp, job: Job, *, eager: bool) -> None:
        self.op = op
        self.job = job
        self.builder = Builder(eager=eager)
        self.scalars = Scalars(self.builder)
        self.values: dict[ir.Value, Scalar] = {}

    def lower(self) -> None:
        """Emit the whole program, ``halt`` included. Raises :class:`Refused`."""
        self.block(self.op.body.blocks[0])
        self.builder.place = ()
        self.builder.emit(Instruction("halt"))

    def work(self, op: ir.Operation) -> None:
        """Emit an op of this kind of unit. Raises :class:`Refused` for any other."""
        raise unsupported(op, f"on unit '{self.op.unit.value}'")

    # Values.

    def value(self, value: ir.Value, user: ir.Operation | ir.OpView) -> Scalar:
        """What ``value`` is here: computed before, the core's number, a constant, or an entry of the parameter bank."""
        if value in self.values:
            return self.values[value]
        owner = owner_op(value)
        if owner is not None and owner.name in CONSTANTS:
            bits = constant_bits(owner)
            size = 8 * numerics.sizeof(str(value.type))
            is_number = isinstance(value.type, (ir.IndexType, ir.IntegerType)) and str(value.type) != "i1"
            found = self.values[value] = const(alu.wrap(bits, size) if is_number else bits)
            return found
        if value == self.op.body.blocks[0].arguments[0]:
            return held(self.builder.pure(Instruction("core"), (0, self.job.tiles - 1)))
        number = self.job.uniforms.entry(value, user)
        return held(self.builder.pure(Instruction("param", imm=number), _range_of(type_name(value, user))))

    def integer(self, value: ir.Value, user: ir.Operation | ir.OpView) -> Scalar:
        """:meth:`value` of an integer or index."""
        width(value.type, user)
        return self.value(value, user)

    def buffer(self, op: ir.OpView, name: str) -> int:
        """The number of the buffer called ``name``."""
        if name not in self.job.buffers:
            raise Refused(op, "invalid-program", f"no buffer @{name} in this function")
        return self.job.buffers[name]

    # Ops.

    def block(self, block: ir.Block) -> None:
        """Emit the ops of ``block`` up to its terminator."""
        for view in block.operations:
            op = view.operation
            if op.name in CONSTANTS or op.name in _TERMINATORS:
                continue
            self.builder.place = self.job.place_of(op.location)
            if op.name == "scf.for":
                self._for(op)
            elif op.name == "scf.if":
                self._if(op)
            elif op.name == "scf.while":
                self._while(op)
            elif isinstance(view, ScalarLoadOp):
                self._scalar_load(view)
            elif isinstance(view, WaitOp | PostOp):
                self._synchronise(view)
            elif self.scalars.knows(op.name):
                operands = [self.value(v, op) for v in op.operands]
                self.values[op.results[0]] = self.scalars.compute(op, operands)
            else:
                self.work(op)

    def _synchronise(self, op: WaitOp | PostOp) -> None:
        name = op.channel.value
        if name not in self.job.channels:
            raise Refused(op, "invalid-program", f"no channel @{name} in this function")
        peer = None if op.peer is None else self.builder.in_register(self.integer(op.peer, op))
        what = "wait" if isinstance(op, WaitOp) else "post"
        self.builder.emit(Instruction(what, channel=self.job.channels[name], peer=peer))

    def _scalar_load(self, op: ScalarLoadOp) -> None:
        """Load where it stands: what LX holds depends on when."""
        type_ = type_name(op.result, op)
        address = self.builder.in_register(self.integer(op.address, op))
        buffer = self.buffer(op, op.buffer.value)
        size = numerics.sizeof(type_)
        register = self.builder.register(values=_range_of("i8" if type_ == "i1" else type_))
        self.builder.emit(Instruction("sload", rd=register, ra=address, imm=size, buffer=buffer))
        # Any byte but 0 is true.
        loaded = held(register)
        self.values[op.result] = self.builder.alu("ne", loaded, const(0)) if type_ == "i1" else loaded

    def _while(self, op: ir.Operation) -> None:
        """``scf.while`` as a ``repeat`` that is left after its first part; what it hands out is set before that."""
        build = self.builder
        place, outside = build.place, build.depth
        before, after = (region.blocks[0] for region in op.regions)
        inits = [self.value(v, op) for v in op.operands]
        carried = [build.register() for _ in inits]
        for register, init in zip(carried, inits, strict=True):
            build.move(register, init)
        results = [build.register() for _ in op.results]
        end = build.label()
        with build.block() as body:
            for register in carried:
                build.depths[register] = build.depth
            self._define(list(before.arguments), [held(register) for register in carried])
            self.block(before)
            condition, *passed = self._yielded(before)
            build.place = place
            for register, value in zip(results, passed, strict=True):
                build.move(register, value)
            build.emit(Instruction("exitz", ra=build.in_register(condition)))
            self._define(list(after.arguments), passed)
            self.block(after)
            self._carry(carried, self._yielded(after))
        for register in carried:
            build.depths[register] = outside
        build.place = place
        build.emit(Instruction("repeat", target=end.number))
        build.splice(body)
        build.mark(end)
        build.emit(Instruction("endrepeat"))
        self._define(op.results, [held(register) for register in results])

    def _if(self, op: ir.Operation) -> None:
        condition = self.value(op.operands[0], op)
        arms = [region.blocks[0] if len(region.blocks) else None for region in op.regions]
        if condition.constant is not None:
            chosen = arms[0] if condition.constant else arms[1]
            if chosen is not None:
                self.block(chosen)
                self._define(op.results, self._yielded(chosen))
            return
        tested = self.builder.in_register(condition)
        place = self.builder.place
        results = [self.builder.register() for _ in op.results]
        codes = []
        ranges = []
        for arm in arms:
            with self.builder.block() as code:
                yielded: list[Scalar] = []
                if arm is not None:
                    self.block(arm)
                    yielded = self._yielded(arm)
                    self.builder.place = place
                for register, value in zip(results, yielded, strict=False):
                    self.builder.move(register, value)
            codes.append(code)
            ranges.append([self.builder.range(value) for value in yielded])
        self.builder.place = place
        other, end = self.builder.label(), self.builder.label()
        self.builder.emit(Instruction("brz", ra=tested, target=other.number))
        self.builder.splice(codes[0])
        if codes[1].items:
            self.builder.emit(Instruction("jump", target=end.number))
        self.builder.mark(other)
        self.builder.splice(codes[1])
        self.builder.mark(end)
        for register, pair in zip(results, zip(*ranges, strict=False), strict=False):
            self.builder.ranges[register] = union(*pair)
        self._define(op.results, [held(register) for register in results])

    def _yielded(self, block: ir.Block) -> list[Scalar]:
        terminator = kernels.terminator(block)
        return [self.value(v, terminator) for v in terminator.operands]

    def _define(self, results: Sequence[ir.Value], values: Sequence[Scalar]) -> None:
        self.values.update(zip(results, values, strict=True))

    # Loops.

    def _for(self, op: ir.Operation) -> None:
        """``scf.for`` as one ``loop``, however often it runs: the unit nests hardware loops where one is not enough."""
        lower, upper, step = (self.integer(v, op) for v in list(op.operands)[:3])
        inits = [self.value(v, op) for v in list(op.operands)[3:]]
        bits = width(op.operands[0].type, op)
        count = self._trips(op, lower, upper, step)
        if count.constant == 0:
            self._define(op.results, inits)
            return
        place = self.builder.place
        body = op.regions[0].blocks[0]
        carried = [self.builder.register() for _ in inits]
        for register, init in zip(carried, inits, strict=True):
            self.builder.move(register, init)

        def iteration(k: Scalar) -> None:
            self.values[body.arguments[0]] = self._induction(lower, step, k, bits)
            self._define(list(body.arguments)[1:], [held(register) for register in carried])
            self.block(body)
            self._carry(carried, self._yielded(body))

        self._loop(count, carried, iteration)
        self.builder.place = place
        self._define(op.results, [held(register) for register in carried])

    def _trips(self, op: ir.Operation, lower: Scalar, upper: Scalar, step: Scalar) -> Scalar:
        """How often the loop runs: max(0, (upper - lower) ceildiv step)."""
        if step.constant is not None and step.constant <= 0:
            raise Refused(op, "bad-step", f"the step of the loop is {step.constant}; it has to be at least 1")
        build = self.builder.alu
        return build("max", build("ceildiv", build("sub", upper, lower), step), const(0))

    def _induction(self, lower: Scalar, step: Scalar, k: Scalar, bits: int) -> Scalar:
        build = self.builder.alu
        return self.scalars.wrap(build("add", lower, build("mul", k, step)), bits)

    def _loop(self, count: Scalar, carried: Sequence[int], iteration: Callable[[Scalar], None]) -> None:
        """A ``loop`` of ``count`` iterations; registers ``carried`` change in it."""
        build = self.builder
        place = build.place
        times = build.in_register(count)
        outside = build.depth
        counter = build.register(outside + 1, (0, max(0, build.range(count)[1] - 1)))
        end = build.label()
        with build.block() as body:
            for register in carried:
                build.depths[register] = build.depth
            iteration(held(counter))
        for register in carried:
            build.depths[register] = outside
        build.place = place
        build.emit(Instruction("loop", rd=counter, ra=times, target=end.number))
        build.splice(body)
        build.mark(end)
        build.emit(Instruction("endloop"))

    def _carry(self, carried: Sequence[int], values: Sequence[Scalar]) -> None:
        """Set the registers ``carried`` to ``values``, all at once."""
        build = self.builder
        fresh = []
        for own, value in zip(carried, values, strict=True):
            source, offset = build.split(value)
            if source is not None and source != own and source in carried:
                # Another move may change it first.
                copy = build.register()
                build.emit(Instruction("mov", rd=copy, ra=source))
                source = copy
            fresh.append(const(offset) if source is None else Scalar(((source, 1),), offset))
        for own, value in zip(carried, fresh, strict=True):
            if value != held(own):
                build.move(own, value)


def _range_of(type_: str) -> tuple[int, int]:
    """The values that an argument of this type can have in a register."""
    if type_ == "i1":
        return BIT
    if numerics.is_float(type_):
        return ANY
    return numerics.limits(type_)
