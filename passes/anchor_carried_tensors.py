"""Loops and branches hand on tensors in places that are known before bufferization."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops
from spyrec.passes.analysis.structured import structured
from spyrec.passkit import Pass, PassContext

_REFUSED = "carried-value"


@dataclass
class AnchorCarriedTensors(Pass):
    """Let every loop and branch write the tensors that it hands on to one place each.

    A loop that carries a tensor would carry a buffer after bufferization, another one in each iteration perhaps, and no
    unit could know which. So what a loop yields is materialised in the tensor that it came in, and what the arms of a
    branch yield in one new tensor: or in the tensor that one of the arms passes on, when nothing else needs that one.
    An element-wise op that makes such a tensor is told to write there itself. Upstream copies what has to be kept, and
    accumulators stay where they are. What is yielded in the place of another tensor of the loop (a swap) is copied
    before anything is overwritten.

    IR before::

        scf.for ... iter_args(%a = %x) -> (tensor<64xf16>) {
          %s = linalg.generic {...} ins(%a, %b : ...) outs(%f : tensor<64xf16>) {...}
          scf.yield %s : tensor<64xf16>

    IR after::

        scf.for ... iter_args(%a = %x) -> (tensor<64xf16>) {
          %s = linalg.generic {...} ins(%a, %b : ...) outs(%a : tensor<64xf16>) {...}
          %m = bufferization.materialize_in_destination %s in %a : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
          scf.yield %m : tensor<64xf16>

    Leaves alone scalars that are carried. Refuses tensors that other ops than ``scf.for`` and ``scf.if`` hand out of a
    region (``carried-value``).
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in reversed(list(kernels.walk(op))):
            if not any(map(_is_tensor, inner.results)) or not inner.regions:
                continue
            if inner.name == "scf.for":
                ctx.statistics["tensors anchored"] += _loop(inner)
            elif inner.name == "scf.if":
                ctx.statistics["tensors anchored"] += _branch(inner)
            elif structured(inner) is None:
                message = f"'{inner.name}' hands on tensors, and only scf.for and scf.if may"
                ctx.sink.error(inner, _REFUSED, message, notes=["carry the tensor through an scf.for, or store it"])


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _loop(op: ir.Operation) -> int:
    block = op.regions[0].blocks[0]
    places = [argument if _is_tensor(argument) else None for argument in list(block.arguments)[1:]]
    return _Arm(block, places).anchor()


def _branch(op: ir.Operation) -> int:
    arms = [region.blocks[0] for region in op.regions]
    places: list[ir.Value | None] = []
    taken: set[ir.Value] = set()
    for number, result in enumerate(op.results):
        yielded = [_terminator(arm).operands[number] for arm in arms]
        place = None
        if _is_tensor(result):
            place = _anchored(yielded, op) or next((v for v in yielded if v not in taken and _may_go(v, op)), None)
            if place is None:
                with ir.InsertionPoint(op):
                    place = ops.alloc_tensor(result.type, dataflow.LX, op.location)
            taken.add(place)
        places.append(place)
    return sum(_Arm(arm, places).anchor() for arm in arms)


def _anchored(yielded: Sequence[ir.Value], op: ir.Operation) -> ir.Value | None:
    """The place where all arms have put their value already."""
    places = {next(iter(_places_of(value)), value) for value in yielded}
    (place, *others) = places
    return place if not others and not _is_inside(place, op) else None


def _places_of(value: ir.Value) -> Sequence[ir.Value]:
    """Where ``value`` was materialised, if it was."""
    maker = kernels.defining(value)
    return [maker.operands[1]] if maker is not None and maker.name == ops.MATERIALIZE else []


def _may_go(value: ir.Value, branch: ir.Operation) -> bool:
    """Whether the branch may overwrite ``value``: nothing needs it afterwards, under any name."""
    block = branch.block
    if isinstance(value.owner, ir.Block):
        if value.owner != block or kernels.owner(block).name != "scf.for":
            return False
    elif value.owner.operation.block != block or value.owner.name not in ("linalg.generic", "scf.for", "scf.if"):
        return False
    before = {inner.operation for inner in _up_to(block, branch)}
    for use in value.uses:
        user = use.owner.operation
        if _is_within(user, branch):
            continue
        seen = structured(user)
        if user not in before or seen is None or use.operand_number >= len(seen.inputs):
            return False
    return True


def _up_to(block: ir.Block, last: ir.Operation) -> Iterator[ir.OpView]:
    for view in block.operations:
        if view.operation == last:
            return
        yield view


def _is_inside(value: ir.Value, op: ir.Operation) -> bool:
    owner = value.owner
    return _is_within(kernels.owner(owner) if isinstance(owner, ir.Block) else owner.operation, op)


def _is_within(inner: ir.Operation, op: ir.Operation) -> bool:
    at: ir.Operation | None = inner
    while at is not None:
        if at == op:
            return True
        at = kernels.parent(at)
    return False


def _terminator(block: ir.Block) -> ir.Operation:
    *_, last = block.operations
    return last.operation


@dataclass
class _Arm:
    """A block whose terminator hands on values; ``places`` are where they belong (``None``: no tensor)."""

    block: ir.Block
    places: Sequence[ir.Value | None]

    def anchor(self) -> int:
        """Materialise what is yielded; gives how many values that took."""
        end = _terminator(self.block)
        todo = [
            (number, ir.Value(end.operands[number]), place)
            for number, place in enumerate(self.places)
            if place is not None and place not in (end.operands[number], *_places_of(end.operands[number]))
        ]
        for _, value, place in todo:
            self._write_there(value, place)
        moves = [_Move(number, value, place, set(_roots(value))) for number, value, place in todo]
        made: dict[ir.Value, ir.Value] = {}
        with ir.InsertionPoint(end):
            while moves:
                # A place is written once nothing that still has to move may lie there.
                ready = next((m for m in moves if not any(m.place in o.roots for o in moves if o is not m)), None)
                if ready is None:
                    moves[0].value, moves[0].roots = _copy(moves[0].value, end.location), set()
                    continue
                moves.remove(ready)
                source = made.get(ready.value, ready.value)
                end.operands[ready.number] = made[ready.value] = ops.materialize(source, ready.place, end.location)
        return len(todo)

    def _write_there(self, value: ir.Value, place: ir.Value) -> None:
        """Let the op that makes ``value`` write to ``place``, if all that it has is a fresh tensor to write to."""
        maker = kernels.defining(value)
        seen = structured(maker) if maker is not None and maker.block == self.block else None
        if seen is None:
            return
        number = ir.OpResult(value).result_number
        if not seen.reads_output(number) and ops.is_fresh(seen.outputs[number]) and place not in seen.outputs:
            fresh = kernels.defining(seen.outputs[number])
            seen.op.operands[len(seen.inputs) + number] = place
            assert fresh is not None
            fresh.erase()


@dataclass(eq=False)
class _Move:
    """Operand ``number`` of a terminator has to come to lie in ``place``; ``roots`` are where it may lie now."""

    number: int
    value: ir.Value
    place: ir.Value
    roots: set[ir.Value]


def _roots(value: ir.Value) -> Iterator[ir.Value]:
    """The values in whose bytes ``value`` may lie once it has a buffer, itself included."""
    todo, seen = [value], set()
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        yield at
        todo += _through(at)


def _through(value: ir.Value) -> Sequence[ir.Value]:
    if isinstance(value.owner, ir.Block):
        loop = kernels.owner(value.owner)
        number = ir.BlockArgument(value).arg_number
        return [loop.operands[2 + number]] if loop.name == "scf.for" and number else []
    maker = value.owner.operation
    number = ir.OpResult(value).result_number
    view = structured(maker)
    if view is not None:
        return [view.outputs[number]]
    match maker.name:
        case "tensor.extract_slice" | "tensor.expand_shape" | "tensor.collapse_shape":
            return [maker.operands[0]]
        case "tensor.insert_slice" | ops.MATERIALIZE:
            return [maker.operands[1]]
        case "scf.for":
            return [maker.operands[3 + number], _terminator(maker.regions[0].blocks[0]).operands[number]]
        case "scf.if":
            return [_terminator(region.blocks[0]).operands[number] for region in maker.regions]
    return []


def _copy(value: ir.Value, location: ir.Location) -> ir.Value:
    """A copy of ``value`` in a new tensor."""
    type_ = ir.RankedTensorType(value.type)
    fresh = ops.alloc_tensor(type_, dataflow.LX, location)
    identity = ir.AffineMap.get_identity(type_.rank)
    copied = ops.generic([value], [fresh], [identity, identity], location, lambda arguments: [arguments[0]])
    return ir.Value(copied.results[0])
