"""Linalg ops seen alike, named or generic: their inputs, outputs, indexing maps and body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spyrec.mlir import ir, linalg

MAX_STREAM_RANK = 4
"""Loops that one stream kernel nests. More are possible only where neighbouring ones merge."""


@dataclass(frozen=True)
class Structured:
    """A linalg op on tensors or memrefs; ``maps`` has one entry per input and then per output."""

    op: ir.Operation
    inputs: tuple[ir.Value, ...]
    outputs: tuple[ir.Value, ...]
    maps: tuple[ir.AffineMap, ...]

    @property
    def body(self) -> ir.Block:
        return self.op.regions[0].blocks[0]

    @property
    def loops(self) -> int:
        return self.maps[0].n_dims if self.maps else 0

    @property
    def output_maps(self) -> tuple[ir.AffineMap, ...]:
        return self.maps[len(self.inputs) :]

    @property
    def is_parallel(self) -> bool:
        """Whether every iteration writes elements of its own: no loop reduces."""
        return all(map_.is_permutation for map_ in self.output_maps)

    def output_argument(self, position: int) -> ir.BlockArgument | None:
        """The body's argument for the old value of an output; ``None`` where the op's form has none."""
        arguments = self.body.arguments
        index = len(self.inputs) + position
        return arguments[index] if index < len(arguments) else None

    def reads_output(self, position: int) -> bool:
        """Whether the body uses the old value of an output."""
        argument = self.output_argument(position)
        return argument is not None and any(True for _ in argument.uses)


def structured(op: ir.Operation) -> Structured | None:
    """``op`` as a structured op, or ``None`` when it is none (``linalg.softmax``, ``linalg.pack``, other dialects)."""
    if not op.name.startswith("linalg.") or not op.regions or not op.regions[0].blocks:
        return None
    maps = linalg.get_indexing_maps(op)
    if maps is None:
        return None
    operands = list(op.operands)
    if "operandSegmentSizes" in op.attributes:
        count = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
    else:
        count = len(operands) - (len(op.results) or 1)
    values = tuple(attribute.value for attribute in maps)
    return Structured(op, tuple(operands[:count]), tuple(operands[count:]), values)


def stream_problems(op: Structured) -> Iterator[str]:
    """Why a vector unit cannot run the op as one stream; nothing when it can.

    A stream walks up to four nested counts, each operand with a stride of its own per count, and carries nothing from
    one iteration to the next."""
    if not op.is_parallel:
        yield "it reduces: an iteration would need what another one made"
        return
    for position, map_ in enumerate(op.maps):
        if not map_.is_projected_permutation and map_.results:
            what = "input" if position < len(op.inputs) else "output"
            yield f"its {what} map {_text(map_)} does more than pick loops, and a stream has one stride per loop"
    if op.loops > MAX_STREAM_RANK and not all(is_identity(map_) or not map_.results for map_ in op.maps):
        yield f"it nests {op.loops} loops that do not merge, and a stream nests {MAX_STREAM_RANK}"


def is_identity(map_: ir.AffineMap) -> bool:
    """Whether the map hands out all of its dimensions in their order."""
    return len(map_.results) == map_.n_dims and map_ == ir.AffineMap.get_identity(map_.n_dims)


def _text(map_: ir.AffineMap) -> str:
    return str(map_)
