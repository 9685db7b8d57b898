"""What every iteration of a loop reads again is read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.errors import UsageError
from spyrec.mlir import ir
from spyrec.passes.analysis import buffers, kernels, reach, support
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.tile_costs import SLOTS
from spyrec.passkit import Pass, PassContext, option


@dataclass
class HoistReads(Pass):
    """Move reads whose address does not depend on a loop before it, and let the tensor stay in LX.

    Scales and shifts of a norm, the queries of attention, a block of a matrix that all blocks of the other one meet: a
    kernel says where it needs them. Moved before the loop they cost one transfer and one slot instead of a transfer in
    each iteration and a slot for each that runs ahead.

    A read goes when nothing in the loop writes the memory that it reads (another argument that is not marked as
    ``spyrec.may_alias`` is other memory), no values are exchanged there, and the loop surely has an iteration: else
    bytes would be read that nobody asked for. Into a loop further out it goes only when all tensors of the kernel
    together, with two slots each, take no more than ``percent`` of LX: there it takes room for as long as that loop
    runs, beside tensors that it never met before.

    IR before::

        scf.for %i = %c0 to %c8 step %c1 {
          %g = dataflow.read @device[%c0 from %scale] strides [1] : tensor<64xf16>

    IR after::

        %g = dataflow.read @device[%c0 from %scale] strides [1] : tensor<64xf16>
        scf.for %i = %c0 to %c8 step %c1 {

    Leaves alone reads that begin with another tensor or follow lists of indices. Refuses nothing but a ``percent``
    outside of 0 to 100.
    """

    anchor: ClassVar[str] = "func.func"

    optional: ClassVar[bool] = True

    percent: int = option(100, "how much of LX all tensors may take for reads to stay through loops further out")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not 0 <= self.percent <= 100:
            raise UsageError(f"pass '{self.NAME}': percent must be from 0 to 100, but is {self.percent}")
        if not kernels.has_body(op):
            return
        roomy = SLOTS * sum(map(_bytes, kernels.steps(op))) * 100 <= ctx.device.memory("lx").size * self.percent
        values = IndexValues(op, implicit_tiles=ctx.device.cores)
        # Inner loops come first, so that a read can leave several.
        for loop in reversed([inner for inner in kernels.steps(op) if inner.name == "scf.for"]):
            outermost = not any(outer.name in ("scf.for", "scf.while") for outer in kernels.around(loop, op))
            if not (roomy or outermost) or not _runs(loop, values):
                continue
            written = list(_written(loop))
            for read in _reads(loop):
                moved = _with_makers(read.operation, loop)
                if moved is None or any(_may_meet(read, write) for write in written):
                    continue
                for inner in moved:
                    inner.move_before(loop)
                ctx.statistics["reads moved"] += 1


def _runs(loop: ir.Operation, values: IndexValues) -> bool:
    """Whether the loop surely has an iteration."""
    low, high = (values.form(operand) for operand in list(loop.operands)[:2])
    return values.interval(high - low, at=loop).low > 0


def _reads(loop: ir.Operation) -> Iterator[dataflow.ReadOp]:
    """The reads that each iteration does, and that need no other tensor."""
    for view in list(loop.regions[0].blocks[0].operations):
        if isinstance(view, dataflow.ReadOp) and view.init is None and not view.indices:
            yield view


def _written(loop: ir.Operation) -> Iterator[ir.OpView]:
    """What a loop does to memory, or lets other cores do."""
    for inner in kernels.steps(loop):
        view = inner.opview
        if isinstance(view, dataflow.WriteOp | dataflow.OfferOp | dataflow.TakeOp):
            yield view


def _may_meet(read: dataflow.ReadOp, other: ir.OpView) -> bool:
    if not isinstance(other, dataflow.WriteOp):
        return True  # what another core wrote before an exchange can be seen after it
    if read.space.value != other.space.value:
        return False
    return reach.may_meet(read.base, other.base)


def _with_makers(op: ir.Operation, loop: ir.Operation) -> list[ir.Operation] | None:
    """The op behind the scalar ops in the loop that make its operands; ``None`` if one depends on the loop."""
    found: dict[ir.Operation, None] = {}

    def visit(at: ir.Operation) -> bool:
        for value in at.operands:
            if isinstance(value.owner, ir.Block):
                if value.owner == loop.regions[0].blocks[0]:
                    return False
                continue
            maker = value.owner.operation
            inside = maker.block == loop.regions[0].blocks[0] and maker not in found
            if inside and (maker.name not in support.SCALAR_OPS or not visit(maker)):
                return False
        found[at] = None
        return True

    return list(found) if visit(op) else None


def _bytes(op: ir.Operation) -> int:
    """What the tensors take that an op makes, if it is one that makes some."""
    if op.name != "linalg.generic" and not isinstance(op.opview, dataflow.ReadOp):
        return 0
    return sum(map(buffers.size_of_value, op.results))
