"""The gate of stage ``kernel``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, scalars, signature, support
from spyrec.passes.analysis.folds import folds
from spyrec.passes.analysis.structured import map_problem, structured
from spyrec.passkit import Pass, PassContext

_BROKEN = "stage-invariant"

_SHOULD_BE_GONE = {
    "ktdp.get_compute_tile_id": "normalize-grid",
    "ktdp.": "resolve-views",
    "ktdp.inter_tile_": "resolve-exchange",
    "linalg.": "linalg-generalize-named-ops",
    "linalg.softmax": "decompose-softmax",
    "scf.": "normalize-control",
    "tensor.": "lower-tensor-ops",
    "tensor.extract": "float-scalars-to-tensors",
    "tensor.splat": "scalars-to-tensors",
    "func.call": "inline",
}


@dataclass
class VerifyKernel(Pass):
    """Hold the compiler to what stage ``kernel`` promises.

    One flat grid; reads and writes instead of views, offers and takes instead of futures; compute as
    ``linalg.generic`` on tensors, without scalar inputs, with maps that pick loops, and reductions that combine the old
    value with a term; slices and reshapes; integer scalars; loops and ifs that hand out tensors and integers; a
    signature. What is found otherwise is reported with the name of the pass that should have removed it
    (``stage-invariant``).

    Refused, for example::

        %i = ktdp.get_compute_tile_id : index

    with ``ktdp.get_compute_tile_id is still here at stage kernel; normalize-grid should have removed it``. It changes
    nothing: the IR after is the IR before."""

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not kernels.has_body(op):
            ctx.sink.error(op, _BROKEN, "a declaration is still here at stage kernel; legality should have refused it")
            return
        extents = kernels.grid(op)
        if extents is None or len(extents) != 1:
            ctx.sink.error(
                op,
                _BROKEN,
                "grid must be one number at stage kernel; normalize-grid should have seen to it",
                field="grid",
            )
        if signature.ATTRIBUTE not in op.attributes:
            ctx.sink.error(op, _BROKEN, f"there is no {signature.ATTRIBUTE}; resolve-views should have written it")
        for inner in scalars.outside_bodies(op):
            problem = _problem(inner)
            if problem is not None:
                ctx.sink.error(inner, _BROKEN, problem)


def _problem(op: ir.Operation) -> str | None:
    """What is wrong with ``op`` at this stage; ``None`` when it may stand here."""
    match op.opview:
        case dataflow.TileIdOp() | dataflow.ReadOp() | dataflow.WriteOp() | dataflow.OfferOp() | dataflow.TakeOp():
            return None
    if op.name == "linalg.generic":
        return _generic_problem(op)
    if op.name in support.CONTROL_OPS:
        carried = next((value.type for value in op.results if not _may_be_carried(value.type)), None)
        if carried is None:
            return None
        culprit = "float-scalars-to-tensors" if isinstance(carried, ir.FloatType) else "legality"
        return f"{op.name} hands out {carried} at stage kernel; {culprit} should have seen to it"
    tensors = any(isinstance(value.type, ir.RankedTensorType) for value in [*op.results, *op.operands])
    if op.name in support.SHAPE_OPS:
        return None
    if op.name == "tensor.extract" and support.is_integer(op.results[0].type):
        return None
    floats = any(isinstance(value.type, ir.FloatType) for value in [*op.results, *op.operands])
    if floats and not tensors and op.name != "arith.constant":
        return _still(op, "float-scalars-to-tensors")
    if op.name in support.SCALAR_OPS and not tensors:
        return None
    if tensors and op.name == "arith.constant":
        return _still(op, "scalars-to-tensors")
    if tensors and op.name.startswith(("arith.", "math.")):
        return _still(op, "convert-elementwise-to-linalg")
    return _still(op, support.row_for(op.name, _SHOULD_BE_GONE, "legality"))


def _generic_problem(op: ir.Operation) -> str | None:
    seen = structured(op)
    if seen is None:
        return _still(op, "legality")
    if not all(isinstance(value.type, ir.RankedTensorType) for value in op.operands):
        return "linalg.generic has inputs that are no tensors; capture-scalars should have taken them into the body"
    problem = map_problem(seen)
    if problem is not None:
        return f"linalg.generic is not walked in strides: {problem}; legality should have refused it"
    found = folds(seen)
    if found is None:
        return "linalg.generic reduces by no known combiner; reductions-to-loops should have removed it"
    if any(one is not None and one.position != 1 for one in found):
        return "linalg.generic combines a term with the old value; normalize-reductions should have turned it"
    return None


def _may_be_carried(type_: ir.Type) -> bool:
    return isinstance(type_, ir.RankedTensorType) or support.is_integer(type_)


def _still(op: ir.Operation, culprit: str) -> str:
    return f"{op.name} is still here at stage kernel; {culprit} should have removed it"
