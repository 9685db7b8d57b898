"""Buffers: their types, sizes and names."""

from __future__ import annotations

import math

from spyrec import numerics
from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels

UNNAMED = "tile"


def in_lx(tensor: ir.RankedTensorType | ir.MemRefType) -> ir.MemRefType:
    """The dense memref in LX that holds a tensor."""
    return _in(tensor, dataflow.LX)


def _in(tensor: ir.RankedTensorType | ir.MemRefType, memory: str) -> ir.MemRefType:
    space = ir.StringAttr.get(memory)
    unknown = ir.Location.unknown()
    return ir.MemRefType.get(list(tensor.shape), tensor.element_type, memory_space=space, loc=unknown)


def is_in_lx(value: ir.Value) -> bool:
    """Whether ``value`` is a memref in LX: a buffer or a view of one."""
    type_ = value.type
    return isinstance(type_, ir.MemRefType) and str(type_.memory_space) == f'"{dataflow.LX}"'


def memory_of(buffer: ir.Value) -> str:
    """The memory that a buffer, or a view of one, lies in."""
    space = ir.MemRefType(buffer.type).memory_space
    return ir.StringAttr(space).value if space is not None else dataflow.LX


def allocate(
    tensor: ir.RankedTensorType | ir.MemRefType, name: str, location: ir.Location, memory: str = dataflow.LX
) -> ir.Value:
    """A new buffer for ``tensor`` at the current insertion point; returns the memref."""
    return dataflow.AllocOp.build(result=_in(tensor, memory), name=name, loc=location).result


def size(type_: ir.Type) -> int:
    """Bytes of one instance of a buffer, or of what a tensor holds."""
    shaped = ir.ShapedType(type_)
    return math.prod(shaped.shape) * numerics.sizeof(str(shaped.element_type))


def size_of_value(value: ir.Value) -> int:
    """Bytes that a value will take of LX; 0 for what is no tensor, or gets no buffer of its own."""
    maker = kernels.defining(value)
    is_empty = maker is not None and maker.name == "tensor.empty"
    return 0 if is_empty or not isinstance(value.type, ir.RankedTensorType) else size(value.type)


def name_of_address(base: ir.Value | None) -> str:
    """A name for a buffer of what lies at ``base``: that of the argument."""
    if base is None or not isinstance(base.owner, ir.Block):
        return UNNAMED
    return kernels.argument_name(ir.BlockArgument(base))


def allocations(function: ir.Operation) -> list[dataflow.AllocOp]:
    """The buffers of a function, in the order of the text."""
    return kernels.views(function, dataflow.AllocOp)


def names_bytes(function: ir.Operation, memory: str) -> bool:
    """Whether transfers name bytes of a memory by address: buffers have to leave them alone."""
    transfers = kernels.views(function, dataflow.DataTransferOp)
    spaces = (space for op in transfers for space in (op.source_space, op.dest_space))
    return any(space is not None and space.value == memory for space in spaces)


def unique(name: str, taken: dict[str, int]) -> str:
    """``name``, with a number behind it if it is taken; ``taken`` has the names so far, each with its last number."""
    unique = name
    while unique in taken:
        taken[name] += 1
        unique = f"{name}_{taken[name]}"
    taken[unique] = 0
    return unique
