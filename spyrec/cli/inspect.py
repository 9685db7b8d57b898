"""``spyrec inspect``: what is in an artifact, on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from spyrec import isa
from spyrec.cli import frame, shared
from spyrec.device.model import spoken

if TYPE_CHECKING:
    from spyrec.device.model import Device
    from spyrec.spyrecode import Artifact, Signature


@click.command("inspect", context_settings={"help_option_names": ["--help", "-h"]})
@click.argument("file", metavar="FILE")
@shared.DIAGNOSTICS
def command(file: str, diagnostics: str) -> int:
    """Show an artifact: its job, its arguments, its buffers, channels and unit programs."""
    from spyrec.cli import inputs

    given = inputs.read(file)
    if given.artifact is not None:
        frame.emit(_artifact(given.artifact))
    elif given.binary is not None:
        frame.emit("\n".join(_binary(given.binary, None)) + "\n")
    else:
        raise inputs.no_artifact(given)
    return 0


def _artifact(artifact: Artifact) -> str:
    plan = artifact.plan
    lines = [
        f"job         {plan.name}",
        f"device      {artifact.device.name}",
        f"binary      {len(artifact.binary)} bytes",
        f"parameters  {len(plan.bank.entries)} of 8 bytes",
        *_signature(artifact.signature),
        *_binary(artifact.program, artifact.device),
        "preparation",
        *(f"  {type(c).__name__}" for c in plan.preparation),
        "execution",
        *(f"  {type(c).__name__}" for c in plan.execution),
    ]
    return "\n".join(lines) + "\n"


def _signature(signature: Signature) -> list[str]:
    lines = [f"kernel      {signature.kernel}, {signature.grid} tiles", "arguments"]
    for argument in signature.arguments:
        lines.append(f"  {argument.index:3} {argument.name}: {argument.kind}, {argument.type}")
    lines.append("views of device memory")
    for view in signature.views:
        sizes, strides = "x".join(map(str, view.sizes)), ", ".join(map(str, view.strides))
        reach = f"elements {view.offset} to {view.end - 1}"
        decided = "" if view.launch is None else f" at least: {_names(signature, view.launch.arguments)} decides"
        if view.loose:
            reach = f"{view.end - view.offset} elements from where data say"
        lines.append(f"  {view.access:2} {view.name}: {sizes} of {view.type}, strides [{strides}], {reach}{decided}")
    return lines


def _names(signature: Signature, arguments: Sequence[int]) -> str:
    return ", ".join(signature.arguments[number].name for number in arguments)


def _buffers(binary: isa.Binary, memory: str, device: Device | None) -> list[str]:
    """The buffers of one memory, and how much of it they take on each core."""
    buffers = [buffer for buffer in binary.buffers if buffer.memory == memory]
    room = device.buffered(memory) if device is not None else None
    total = f" of {device.share(room)}" if device is not None and room is not None else ""
    lines = [f"buffers in {spoken(memory)}, {max((b.end for b in buffers), default=0)}{total} bytes"]
    for buffer in buffers:
        lines.append(f"  {buffer.name}: {buffer.address:#x}, {buffer.depth} of {buffer.slot_bytes} bytes")
    return lines


def _binary(binary: isa.Binary, device: Device | None) -> list[str]:
    lines = [line for memory in (isa.LX, *binary.stages) for line in _buffers(binary, memory, device)]
    lines.append("channels")
    for channel in binary.channels:
        lines.append(f"  {channel.name}: {channel.source} -> {channel.target}, init {channel.init}")
    lines.append("units")
    for unit in binary.units:
        counts = Counter(i.op for i in unit.code)
        listed = ", ".join(f"{n} {op}" for op, n in counts.most_common())
        lines.append(f"  {unit.label}: {len(unit.code)} instructions ({listed})")
    return lines
