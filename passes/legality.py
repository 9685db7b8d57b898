"""What is valid but cannot be compiled yet is refused here, before anything is lowered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec import numerics
from spyrec.dialects import ktdp, spyreop
from spyrec.mlir import ir
from spyrec.ods import literals
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import kernels, legal_views, support
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.structured import map_problem, structured
from spyrec.passkit import Pass, PassContext

_SHAPED = (ir.RankedTensorType, ir.UnrankedTensorType, ir.MemRefType, ir.UnrankedMemRefType, ir.VectorType)
_INTER_TILE = (ktdp.InterTileProduceOp, ktdp.InterTileConsumeOp, ktdp.InterTileReduceOp)
_ENDS = (ktdp.YieldPartialOp, ktdp.YieldReducedOp)
_WITH_BODIES = ("linalg.generic", "tensor.generate", "tensor.pad")


@dataclass
class Legality(Pass):
    """Refuse, with a place, a reason and a way out, every op that no later pass can lower.

    After it the rest of the line has no unsupported case left, but for what only the resolution of views can decide
    (whether a tile is inside its view). A kernel is never half-compiled: all refusals of all functions are reported,
    and nothing is lowered.

    Refused, for example::

        %e = tensor.empty(%n) : tensor<?x64xf16>

    with ``tensor<?x64xf16> is not compiled yet: its buffer in LX has a fixed size``. It changes nothing: the IR after
    is the IR before.

    Refuses: ops outside the tables of ``passes/analysis/support.py``; what loops and ifs carry besides tensors
    and numbers; tensors of dynamic shape or of element types for which the device has no lanes; slices of extents or
    steps that only the run knows; maps that are not walked in strides; reads of tensors that differ from lane to lane;
    forms of ops that the current dialect no longer has; tiles whose extents only the run knows, and tiles of what is
    not made by ``ktdp.construct_memory_view`` or of such views; arguments that are neither addresses nor numbers."""

    anchor: ClassVar[str] = "builtin.module"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        lanes = frozenset(ctx.device.unit("vector").lanes)
        for view in op.regions[0].blocks[0].operations:
            inner = view.operation
            if inner.name == "func.func":
                _Function(inner, ctx, lanes).check(inner)
            elif inner.name != "ktdf_arch.device":
                _refuse(
                    ctx,
                    inner,
                    "unsupported-op",
                    support.Refusal("a file holds functions", "write kernels as func.func"),
                )


class _Function:
    """The checks of one function; ``lanes`` are the element types that the vector unit computes with."""

    def __init__(self, function: ir.Operation, ctx: PassContext, lanes: frozenset[str]) -> None:
        self.ctx = ctx
        self.lanes = lanes
        self.told: set[ir.Type] = set()
        self.values = IndexValues(function, implicit_tiles=ctx.device.cores)
        self.views = legal_views.ViewChecks(ctx.sink)

    def check(self, function: ir.Operation) -> None:
        if not kernels.has_body(function):
            _refuse(
                self.ctx,
                function,
                "unsupported-op",
                support.Refusal("it is declared only", "define it in this file, or remove the declaration"),
            )
            return
        if len(function.regions[0].blocks) > 1:
            _refuse(self.ctx, function, "unsupported-op", support.refusal("cf.br"))
            return
        if kernels.result_types(function):
            why = "a kernel returns nothing, and nobody in this file calls it"
            _refuse(self.ctx, function, "unsupported-op", support.Refusal(why, "store results through ktdp.store"))
        for argument in kernels.arguments(function):
            self._argument(argument)
        self._block(function.regions[0].blocks[0])

    def _argument(self, argument: ir.BlockArgument) -> None:
        type_ = argument.type
        name = kernels.argument_name(argument)
        if isinstance(type_, ir.IndexType):
            return
        if isinstance(type_, ir.IntegerType | ir.FloatType):
            problem = support.element_problem(type_, self.lanes | {"i1", "i8", "i16", "i32", "i64"})
            if problem is None:
                return
            why = problem
        else:
            why = "an argument is an address (index) or a number"
        self.ctx.sink.error(
            argument,
            "unsupported-type",
            f"argument '{name}' of type {type_} is not compiled yet: {why}",
            notes=["take the address of a tensor as index, and make a view of it"],
        )

    def _block(self, block: ir.Block) -> None:
        for view in block.operations:
            op = view.operation
            if self._op(op):
                for region in op.regions:
                    for inner in region.blocks:
                        self._block(inner)

    def _op(self, op: ir.Operation) -> bool:
        """Check one op outside the bodies of linalg ops; true when the ops inside it are to be checked in the same
        way.
        """
        if isinstance(op.opview, legal_views.OPS):
            self.views.check(op.opview)
            if isinstance(op.opview, ktdp.LoadOp | ktdp.StoreOp):
                self._tensors(op)
        elif isinstance(op.opview, _INTER_TILE):
            self._tensors(op)
            return True
        elif isinstance(op.opview, _ENDS):
            pass
        elif spyreop.is_old_form(op.opview):
            self._old_form(op)
        elif op.name in support.CONTROL_OPS | support.OTHER_CONTROL_OPS:
            return self._control(op)
        elif op.name.startswith("linalg."):
            self._linalg(op)
        elif op.name in support.SHAPE_OPS | support.OTHER_TENSOR_OPS:
            self._tensor_op(op)
        elif op.name == "arith.constant":
            self._constant(op)
        elif op.name == "tensor.extract":
            self._tensors(op)
            self._scalars(op)
        elif _on_tensors(op):
            self._element_wise(op)
        elif op.name in support.SCALAR_OPS or op.name in numerics.SCALAR_OPS:
            self._scalars(op)
        else:
            self._refuse(op, support.refusal(op.name))
        return False

    # Control flow

    def _control(self, op: ir.Operation) -> bool:
        for value in op.results:
            self._carried(op, value.type)
        if op.name == "scf.for":
            if "unsignedCmp" in op.attributes:
                self._refuse(op, support.Refusal("its counter is unsigned", "use a signed loop"))
                return True
            step = self.values.form(op.operands[2])
            if step.is_constant and step.constant < 1 and not self.values.unreachable(op):
                # Later passes prove nothing about such a loop, and their remarks would hide the mistake.
                message = f"the step of the loop is {step.constant}; it has to be at least 1"
                self._error(op, "bad-step", message, "to count down, count up and subtract: %last - %i")
        elif any(len(region.blocks) > 1 for region in op.regions):
            self._refuse(op, support.refusal("cf."))
            return False
        return True

    def _carried(self, op: ir.Operation, type_: ir.Type) -> None:
        """A value that a loop or an if hands out: a tensor or a number."""
        if op.name == "scf.while" and not support.is_integer(type_):
            what, instead = "the condition of a loop hands on integers alone", "use scf.for, with an scf.if inside"
        elif isinstance(type_, ir.RankedTensorType):
            self._tensors(op)
            return
        elif support.is_integer(type_) or isinstance(type_, ir.FloatType):
            if isinstance(type_, ir.FloatType):
                self._scalar_source(op, type_)
            return
        else:
            what, instead = "only tensors and numbers are carried", "make it inside, of what is carried"
        self._error(op, "carried-value", f"{op.name} that hands out {type_} is not compiled yet: {what}", instead)

    # Compute

    def _linalg(self, op: ir.Operation) -> None:
        if op.name == "linalg.softmax":
            self._tensors(op)
            return
        seen = structured(op)
        if seen is None:
            self._refuse(op, support.refusal(op.name))
            return
        if not self._tensors(op):
            return
        problem = map_problem(seen)
        if problem is not None:
            instead = "cut what is needed out with tensor.extract_slice, or write it with tensor.insert_slice"
            self._error(op, "unsupported-op", f"{op.name} is not compiled yet: {problem}", instead)
            return
        for value in seen.inputs:
            if not isinstance(value.type, _SHAPED):
                self._scalar_source(op, value.type)
        self._body(op, seen.body)

    def _body(self, op: ir.Operation, body: ir.Block) -> None:
        """What is computed in lanes; ``op`` is around it."""
        for view in body.operations:
            inner = view.operation
            if spyreop.is_old_form(inner.opview):
                self._old_form(inner)
                continue
            # The bodies of named ops have no text of their own.
            place = inner if op.name in _WITH_BODIES else op
            problem = support.body_problem(inner)
            if problem is None:
                types = [value.type for value in [*inner.results, *inner.operands]]
                problem = next(filter(None, map(self._lane_problem, types)), None)
            if problem is not None:
                self._error(
                    place,
                    "unsupported-op",
                    f"{inner.name} in the body of {op.name} is not compiled yet: {problem}",
                    support.refusal(inner.name).instead,
                )

    def _lane_problem(self, type_: ir.Type) -> str | None:
        """Why lanes cannot hold a number of the type. Places (``linalg.index``) are no elements of tensors, but are
        computed with.
        """
        return None if isinstance(type_, ir.IndexType) else support.element_problem(type_, self.lanes)

    def _old_form(self, op: ir.Operation) -> None:
        self._error(
            op,
            "old-form",
            f"this form of {op.name} is not compiled: the current dialect has another one, which says more",
            "write the current form, in which every number that the op needs is an operand",
        )

    def _element_wise(self, op: ir.Operation) -> None:
        if not op.name.startswith(("arith.", "math.")) or support.body_problem(op) is not None:
            self._refuse(op, support.refusal(op.name))
            return
        if self._tensors(op):
            for operand in op.operands:
                if not isinstance(operand.type, _SHAPED):
                    self._scalar_source(op, operand.type)

    def _constant(self, op: ir.Operation) -> None:
        attribute = op.attributes["value"]
        if not kernels.is_used(op):
            return  # what is left of constants that were folded
        if not _on_tensors(op):
            self._scalars(op)
        elif not isinstance(attribute, ir.DenseElementsAttr):
            self._refuse(op, support.refusal("arith.constant"))
        elif all(use.owner.operation.name == "tensor.reshape" for use in op.results[0].uses):
            return
        elif self._tensors(op) and not attribute.is_splat:
            numbers = literals.dense(attribute).reshape(-1).tolist()
            most = max(Counter(numbers).values(), default=0)
            if len(numbers) - most > support.MOST_LITERALS:
                self._refuse(op, support.refusal("arith.constant"))

    def _tensor_op(self, op: ir.Operation) -> None:
        """An op that moves elements of tensors, in boxes of constant extents and steps, or makes them one by one."""
        shape = [op.operands[1]] if op.name == "tensor.reshape" else []
        if not self._tensors(op, but=shape):
            return
        for name in ("static_sizes", "static_strides"):
            numbers = list(ir.DenseI64ArrayAttr(op.attributes[name])) if name in op.attributes else []
            if DYNAMIC in numbers or any(n < 0 for n in numbers):
                why = f"{name.removeprefix('static_')} of a slice are constants, and not below 0"
                self._refuse(op, support.Refusal(why, "cut slices of constant extents and steps"))
                return
        if op.name in ("tensor.generate", "tensor.pad"):
            self._body(op, op.regions[0].blocks[0])
        elif op.name == "tensor.dim" and kernels.defining(op.operands[1]) is None:
            self._refuse(op, support.Refusal("which dimension it asks for is not known here", "use a constant"))
        for operand in op.operands:
            if not isinstance(operand.type, (*_SHAPED, ir.IndexType)):
                self._scalar_source(op, operand.type)

    def _tensors(self, op: ir.Operation, but: Sequence[ir.Value] = ()) -> bool:
        """Whether all tensors of ``op`` (but for some) have static shapes and element types that the vector unit
        computes with.
        """
        for type_ in dict.fromkeys(value.type for value in [*op.results, *op.operands] if value not in but):
            if not isinstance(type_, _SHAPED):
                continue
            if not isinstance(type_, ir.RankedTensorType):
                self._error(op, "unsupported-type", f"{type_} is not compiled yet: values are tensors", "use a tensor")
                return False
            if not type_.has_static_shape:
                why = "its buffer in LX has a fixed size"
                self._error(op, "dynamic-shape", f"{type_} is not compiled yet: {why}", "use tensors of constant shape")
                return False
            problem = support.element_problem(type_.element_type, self.lanes)
            if problem is not None:
                if type_.element_type not in self.told:  # what a load brings goes through all that follows
                    self.told.add(type_.element_type)
                    message = f"{type_} is not compiled yet: {problem}"
                    self._error(op, "unsupported-type", message, "convert it on the host")
                return False
        return True

    # Scalars

    def _scalars(self, op: ir.Operation) -> None:
        types = [value.type for value in [*op.results, *op.operands] if not isinstance(value.type, _SHAPED)]
        floats = [type_ for type_ in types if isinstance(type_, ir.FloatType)]
        other = next((type_ for type_ in types if not support.is_integer(type_) and type_ not in floats), None)
        if other is not None:
            why = f"a unit has registers of 64 bits, and none for {other}"
            self._refuse(op, support.Refusal(why, "compute with i64 or index"))
        elif floats or op.name not in support.SCALAR_OPS:
            # The vector unit computes it, on a tensor of rank 0.
            for type_ in types:
                self._scalar_source(op, type_)

    def _scalar_source(self, op: ir.Operation, type_: ir.Type) -> None:
        """A scalar that every lane gets, or that the vector unit computes."""
        problem = self._lane_problem(type_)
        if problem is not None:
            message = f"a scalar of type {type_} is not compiled here: {problem}"
            self._error(op, "unsupported-type", message, "cast it to a type that the vector unit has")

    # Reporting

    def _error(
        self, op: ir.Operation | ir.OpView, id: str, message: str, instead: str, field: str | None = None
    ) -> None:
        self.ctx.sink.error(op, id, message, field=field, notes=[instead])

    def _refuse(self, op: ir.Operation, refusal: support.Refusal) -> None:
        _refuse(self.ctx, op, "unsupported-op", refusal)


def _refuse(ctx: PassContext, op: ir.Operation, id: str, refusal: support.Refusal) -> None:
    ctx.sink.error(op, id, f"{op.name} is not compiled yet: {refusal.why}", notes=[refusal.instead])


def _on_tensors(op: ir.Operation) -> bool:
    return any(isinstance(value.type, _SHAPED) for value in [*op.results, *op.operands])
