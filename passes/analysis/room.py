"""How much of each memory the buffers of a schedule leave."""

from __future__ import annotations

from collections import Counter

from spyrec.device.model import Device
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers


def room(function: ir.Operation, device: Device) -> Counter[str]:
    """Bytes that are left of each memory that buffers lie in; none where transfers name bytes by address."""
    found: Counter[str] = Counter()
    for space in {buffers.memory_of(buffer.result) for buffer in buffers.allocations(function)}:
        memory = device.buffered(space)
        if memory is not None and not buffers.names_bytes(function, space):
            found[space] = device.share(memory)
    for buffer in buffers.allocations(function):
        found[buffers.memory_of(buffer.result)] -= slot(buffer, device) * depth(buffer)
    return found


def slot(buffer: dataflow.AllocOp, device: Device) -> int:
    """Bytes of one slot of a buffer."""
    memory = device.buffered(buffers.memory_of(buffer.result))
    bytes_ = buffers.size(buffer.result.type)
    return bytes_ if memory is None else memory.aligned(bytes_)


def depth(buffer: dataflow.AllocOp) -> int:
    """How many slots a buffer has."""
    return 1 if buffer.depth is None else buffer.depth.value
