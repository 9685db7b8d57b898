"""Loops and branches hand on tensors in places that are known before bufferization."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spyrec.dialects import dataflow
from spyrec.mlir import ir, scf
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

    A loop that changes a tensor which is needed elsewhere too starts from a copy, and one that reads the old numbers of
    a tensor after it has gone on in it keeps a copy of those. A select between tensors becomes a branch first. Leaves
    alone scalars that are carried. Refuses tensors that other ops than ``scf.for`` and ``scf.if`` hand out of a region
    (``carried-value``).
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for inner in kernels.steps(op):
            if inner.name == "arith.select" and _is_tensor(inner.results[0]) and not _is_tensor(inner.operands[0]):
                _branch_for(inner)
        for inner in kernels.steps(op):
            if inner.name == "scf.for":
                ctx.statistics["tensors copied"] += _own_starts(inner)
        for inner in reversed(kernels.steps(op)):
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


def _branch_for(select: ir.Operation) -> None:
    """Put an ``scf.if`` in the place of a select of tensors: canonicalization makes the one of the other."""
    condition, *chosen = select.operands
    with ir.InsertionPoint(select), select.location:
        branch = scf.IfOp(condition, [select.results[0].type], has_else=True)
        for block, value in zip((branch.then_block, branch.else_block), chosen, strict=True):
            with ir.InsertionPoint(block):
                scf.YieldOp([value], loc=select.location)
    select.results[0].replace_all_uses_with(branch.results[0])
    select.erase()


def _own_starts(loop: ir.Operation) -> int:
    """Let the loop start from a copy of each tensor that is needed elsewhere too; gives their number.

    Bufferization would see to that as well, but takes offence when the loop's result goes back to where the tensor is.
    """
    copied = 0
    for position in range(3, len(loop.operands)):
        value = ir.Value(loop.operands[position])
        if _is_tensor(value) and _is_anchored(loop, position - 3) and not _may_go(value, loop):
            with ir.InsertionPoint(loop):
                loop.operands[position] = _copy(value, loop.location)
            copied += 1
    return copied


def _is_anchored(loop: ir.Operation, number: int) -> bool:
    """Whether the loop puts a tensor of its own into the place where it keeps tensor ``number``."""
    block = loop.regions[0].blocks[0]
    return not _lies_in(kernels.terminator(block).operands[number], block.arguments[1 + number]) or any(
        use.operand_number == 1 and use.owner.name == ops.MATERIALIZE for use in block.arguments[1 + number].uses
    )


def _loop(op: ir.Operation) -> int:
    block = op.regions[0].blocks[0]
    for argument, value in zip(list(block.arguments)[1:], kernels.terminator(block).operands, strict=True):
        if _is_tensor(argument):
            _keep_old(argument, value)
    places = [argument if _is_tensor(argument) else None for argument in list(block.arguments)[1:]]
    return _Arm(block, places).anchor()


def _keep_old(argument: ir.BlockArgument, value: ir.Value) -> None:
    """Copy what a loop came in with, where ``value``, which it hands on, goes on in it and the old one is read later.

    Otherwise bufferization would copy twice: what is to be gone on in, and what is handed on to where it belongs.
    """
    block = argument.owner
    while (maker := kernels.defining(value)) is not None and maker.block == block:
        seen = structured(maker)
        if seen is None or not seen.reads_output(number := ir.OpResult(value).result_number):
            return
        if (value := seen.outputs[number]) != argument:
            continue
        late = [use for use in argument.uses if use.owner.operation != maker and not _is_before(use.owner, maker)]
        if not late or argument in seen.inputs or not all(_is_read_by(use, block) for use in late):
            return
        with ir.InsertionPoint(maker):
            kept = _copy(argument, maker.location)
        for use in late:
            use.owner.operation.operands[use.operand_number] = kept
        return


def _is_before(user: ir.OpView, op: ir.Operation) -> bool:
    return bool(user.operation.block == op.block and user.operation.is_before_in_block(op))


def _is_read_by(use: ir.OpOperand, block: ir.Block) -> bool:
    """Whether a compute op of the block reads a value, and does not go on in it."""
    user = use.owner.operation
    return user.block == block and structured(user) is not None and _only_reads(user, use.operand_number)


def _branch(op: ir.Operation) -> int:
    arms = [region.blocks[0] for region in op.regions]
    places: list[ir.Value | None] = []
    taken: set[ir.Value] = set()
    for number, result in enumerate(op.results):
        yielded = [kernels.terminator(arm).operands[number] for arm in arms]
        place = None
        if _is_tensor(result):
            # What a loop carries comes first: it is likely to be put there anyway.
            yielded.sort(key=lambda value: not isinstance(value.owner, ir.Block))
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
    return place if not others and not kernels.is_inside(place, op) else None


def _places_of(value: ir.Value) -> Sequence[ir.Value]:
    """Where ``value`` was materialised, if it was."""
    maker = kernels.defining(value)
    return [maker.operands[1]] if maker is not None and maker.name == ops.MATERIALIZE else []


_MAKES = frozenset({"linalg.generic", "scf.for", "scf.if", "tensor.insert_slice", ops.ALLOC_TENSOR, ops.MATERIALIZE})
"""Ops whose results lie in bytes that may be written."""


def _may_go(value: ir.Value, taker: ir.Operation) -> bool:
    """Whether a loop or branch may overwrite ``value``: nothing needs it afterwards, under any name.

    The arms of a branch may use it before they do; a loop may not, but as the tensor that it starts from.
    """
    block = taker.block
    if isinstance(value.owner, ir.Block):
        if value.owner != block or kernels.owner(block).name != "scf.for":
            return False
    elif ops.is_sole_start(value):
        return True
    elif value.owner.operation.block != block or value.owner.name not in _MAKES:
        return False
    elif taker.name == "scf.if" and not all(_may_go(below, value.owner.operation) for below in _below(value)):
        # Bufferization takes offence at what may be written where something else lies that is read later.
        return False
    taken = 0
    for use in value.uses:
        user = use.owner.operation
        if user == taker:
            taken += 1
        elif user.name == ops.MATERIALIZE and use.operand_number == 1 and user.block == block:
            continue
        elif kernels.is_within(user, taker):
            if taker.name != "scf.if":
                return False
        elif user.block != block or not user.is_before_in_block(taker) or not _only_reads(user, use.operand_number):
            return False
    return taken < 2 or taker.name == "scf.if"


def _only_reads(user: ir.Operation, operand: int) -> bool:
    """Whether the op is done with its operand once it is through: no result lies there."""
    seen = structured(user)
    return operand < len(seen.inputs) if seen is not None else user.name == dataflow.WriteOp.NAME


def _lies_in(value: ir.Value, place: ir.Value) -> bool:
    """Whether ``value`` surely lies where ``place`` does: it went there, or loops and branches left it there."""
    if value == place:
        return True
    maker = kernels.defining(value)
    if maker is None:
        return False
    number = ir.OpResult(value).result_number
    if maker.name == ops.MATERIALIZE:
        return _lies_in(maker.operands[1], place)
    if maker.name == "scf.for":
        return _lies_in(maker.operands[3 + number], place)
    if maker.name == "scf.if":
        return all(_lies_in(kernels.terminator(region.blocks[0]).operands[number], place) for region in maker.regions)
    return False


@dataclass
class _Arm:
    """A block whose terminator hands on values; ``places`` are where they belong (``None``: no tensor)."""

    block: ir.Block
    places: Sequence[ir.Value | None]

    def anchor(self) -> int:
        """Materialise what is yielded; gives how many values that took."""
        end = kernels.terminator(self.block)
        todo = [
            (number, ir.Value(end.operands[number]), place)
            for number, place in enumerate(self.places)
            if place is not None and not _lies_in(end.operands[number], place)
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
        """Let the op that ``value`` begins with write to ``place``, if all that it has is a fresh tensor to write to.

        What accumulates or inserts goes on in the tensor that it is given: there the op before it began.
        """
        while (maker := kernels.defining(value)) is not None and maker.block == self.block:
            seen = structured(maker)
            if seen is not None:
                number = ir.OpResult(value).result_number
                position, goes_on = len(seen.inputs) + number, seen.reads_output(number)
            else:
                position, goes_on = 1, maker.name == "tensor.insert_slice"
            output = ir.Value(maker.operands[position]) if seen is not None or goes_on else value
            # A value that goes to two places is computed in the first.
            if any(output == p for p in self.places if p is not None) or sum(1 for _ in output.uses) != 1:
                return
            if not goes_on:
                fresh = kernels.defining(output)
                if seen is not None and fresh is not None and place not in seen.outputs and ops.is_fresh(output):
                    maker.operands[position] = place
                    fresh.erase()
                return
            value = output


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


def _below(value: ir.Value) -> Sequence[ir.Value]:
    """The operands of its maker in whose bytes ``value`` may lie."""
    maker = kernels.defining(value)
    return [] if maker is None else [operand for operand in _through(value) if operand in list(maker.operands)]


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
            return [maker.operands[3 + number], kernels.terminator(maker.regions[0].blocks[0]).operands[number]]
        case "scf.if":
            return [kernels.terminator(region.blocks[0]).operands[number] for region in maker.regions]
    return []


def _copy(value: ir.Value, location: ir.Location) -> ir.Value:
    """A copy of ``value`` in a new tensor."""
    copied = ops.copy(value, ops.alloc_tensor(value.type, dataflow.LX, location), location)
    return ir.Value(copied.results[0])
