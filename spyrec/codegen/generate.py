"""The last step: a function at the ``program`` stage to an artifact."""

from __future__ import annotations

from collections.abc import Iterable

from spyrec import diag
from spyrec.codegen.attributes import Places
from spyrec.codegen.code import Place
from spyrec.codegen.matrix import Matrix
from spyrec.codegen.mover import Mover
from spyrec.codegen.refusals import Refused
from spyrec.codegen.registers import OutOfRegisters, finish
from spyrec.codegen.signature import signature_of
from spyrec.codegen.uniform import Uniforms
from spyrec.codegen.unit import Job, UnitCode
from spyrec.codegen.vector import Vector
from spyrec.device.model import Device
from spyrec.dialects.dataflow import BufferOp, ChannelOp, ProgramUnitOp
from spyrec.errors import Diagnostic, InvalidKernel, Severity
from spyrec.isa.fields import REGISTERS
from spyrec.isa.objects import Binary, Buffer, Channel, Instruction, UnitProgram
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.spyrecode.artifact import HOST, Artifact

#: The class that lowers a unit's program, by the role of the unit.
_BY_ROLE: dict[str, type[UnitCode]] = {"load": Mover, "store": Mover, "ring": Mover, "vector": Vector, "matrix": Matrix}


def generate(
    op: ir.Module | ir.Operation | ir.OpView, device: Device, *, sink: diag.Sink | None = None, eager: bool = True
) -> Artifact:
    """The artifact of the kernel in ``op``, a module with one function at the ``program`` stage or that
    function.

    What cannot be encoded is reported to ``sink`` (a new one by default) at its place and raised:
    ``Unsupported`` for an op or type, ``OutOfResources`` for registers, ``CompilerBug`` for a program that
    breaks a rule of its stage.
    """
    sink = sink or diag.Sink()
    function = _function(op)
    units: list[UnitProgram] = []
    locations: dict[str, tuple[Place, ...]] = {}
    try:
        top = list(function.regions[0].blocks[0].operations)
        channels = tuple(_channel(view) for view in top if isinstance(view, ChannelOp))
        buffers = tuple(_buffer(view) for view in top if isinstance(view, BufferOp))
        place_of = Places()
        job = Job(
            device,
            kernels.tiles(function),
            {channel.name: number for number, channel in enumerate(channels)},
            {buffer.name: number for number, buffer in enumerate(buffers)},
            Uniforms(function, place_of),
            place_of,
        )
        for view in top:
            if isinstance(view, ProgramUnitOp):
                code, places = _unit(view, job, eager)
                unit = UnitProgram(view.unit.value, 0 if view.corelet is None else view.corelet.value, code)
                units.append(unit)
                locations[unit.label] = places
    except Refused as refused:
        sink.error(refused.where, refused.id, refused.message, notes=refused.notes, resource=refused.resource)
        sink.raise_if_errors()
        raise
    bank, host = job.uniforms.finish()
    if host:
        locations[HOST] = host
    binary = Binary(tuple(units), channels, buffers, len(bank.entries), (), job.tiles)
    return Artifact.make(binary, bank, signature_of(function), device, locations)


def _function(op: ir.Module | ir.Operation | ir.OpView) -> ir.Operation:
    """The kernel's ``func.func``."""
    operation = op.operation
    if operation.name == "func.func":
        return operation
    found = [view.operation for view in operation.regions[0].blocks[0].operations if view.operation.name == "func.func"]
    if len(found) != 1:
        names = ", ".join(f"@{kernels.name(f)}" for f in found) or "none"
        message = f"one kernel is encoded at a time; the module has {names}"
        raise InvalidKernel([Diagnostic(Severity.ERROR, message, "no-kernel")])
    return found[0]


def _unit(op: ProgramUnitOp, job: Job, eager: bool) -> tuple[tuple[Instruction, ...], tuple[Place, ...]]:
    """The code of one unit: first fast code; when that needs too many registers, code that keeps less in them."""
    kind = op.unit.value
    unit = job.device.units.get(kind)
    if unit is None:
        raise Refused(op, "invalid-program", f"device '{job.device.name}' has no unit '{kind}'")
    lowering = _BY_ROLE.get(unit.role)
    if lowering is None:
        raise Refused(op, "unsupported-op", f"programs of unit '{kind}' (its role is {unit.role}) have no encoding")
    failure: OutOfRegisters | None = None
    for fast in (True, False) if eager else (False,):
        code = lowering(op, job, eager=fast)
        code.lower()
        try:
            return finish(code.builder.blocks[0].items)
        except OutOfRegisters as error:
            failure = error
    assert failure is not None
    raise Refused(
        op,
        "out-of-registers",
        f"the program of unit '{kind}' needs {failure.need} scalar registers at the same time; a unit has {REGISTERS}",
        _where(failure.place),
        resource=("scalar registers", failure.need, REGISTERS),
    )


def _where(place: Place) -> Iterable[str]:
    return [f"most are needed at {place[0]}"] if place else []


def _channel(op: ChannelOp) -> Channel:
    peers = int(op.peers is not None)
    return Channel(op.sym_name.value, op.from_unit.value, op.to_unit.value, op.init.value, peers)


def _buffer(op: BufferOp) -> Buffer:
    return Buffer(op.sym_name.value, op.address.value, op.slot_bytes.value, op.depth.value, op.memory)
