"""The control around an op, in a form in which two programs can be compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels


@dataclass(frozen=True)
class Path:
    """Loops and conditions around an op, outermost first.

    Two paths are equal when their loops have the same bounds, and their conditions the same value, in every
    execution: both are compared as expressions over arguments, the tile id and the counters of loops further out.
    """

    steps: tuple[Hashable, ...]
    inside: str = field(compare=False)

    def describe(self) -> str:
        """Where that is, in words."""
        return self.inside


def paths(unit: ir.Operation) -> Iterator[tuple[ir.Operation, Path]]:
    """All ops of a ``dataflow.program_unit`` outside of stream bodies, with the control around them."""
    body = unit.regions[0].blocks[0]
    keys: dict[ir.Value, Hashable] = {body.arguments[0]: "tile"}
    yield from _block(body, (), "the program itself", keys)


def _block(
    block: ir.Block, steps: tuple[Hashable, ...], inside: str, keys: dict[ir.Value, Hashable]
) -> Iterator[tuple[ir.Operation, Path]]:
    path = Path(steps, inside)
    for view in block.operations:
        op = view.operation
        yield op, path
        if op.name == "scf.for":
            bounds = tuple(_key(value, keys) for value in list(op.operands)[:3])
            body = op.regions[0].blocks[0]
            keys[body.arguments[0]] = ("counter", len(steps))
            keys.update((a, ("carried", len(steps), a.arg_number)) for a in list(body.arguments)[1:])
            yield from _block(body, (*steps, ("for", *bounds)), f"the loop at {_place(op)}", keys)
        elif op.name == "scf.if":
            for holds, region in ((True, op.regions[0]), (False, op.regions[1])):
                for arm in region.blocks:
                    tests = tuple(_conditions(op.operands[0], holds, keys))
                    yield from _block(arm, (*steps, *tests), f"the branch at {_place(op)}", keys)
        elif op.name == "scf.while":
            for part, region in zip(("test", "body"), op.regions, strict=True):
                inner = region.blocks[0]
                keys.update((a, (part, len(steps), a.arg_number)) for a in inner.arguments)
                yield from _block(inner, (*steps, ("while", part)), f"the {part} of the loop at {_place(op)}", keys)


def _conditions(value: ir.Value, holds: bool, keys: dict[ir.Value, Hashable]) -> Iterator[Hashable]:
    """What is known in an arm. Nested branches may have been joined into one that tests both."""
    op = kernels.defining(value)
    if holds and op is not None and op.name == "arith.andi":
        for operand in op.operands:
            yield from _conditions(operand, holds, keys)
    else:
        yield ("if", _key(value, keys), holds)


def _key(value: ir.Value, keys: dict[ir.Value, Hashable]) -> Hashable:
    """An expression that is equal for values that are."""
    found = keys.get(value)
    if found is None:
        op = kernels.defining(value)
        if op is None:
            found = ("argument", ir.BlockArgument(value).arg_number)
        else:
            attributes = tuple(sorted((name, str(op.attributes[name])) for name in op.attributes))
            operands = tuple(_key(operand, keys) for operand in op.operands)
            found = (op.name, attributes, operands, ir.OpResult(value).result_number)
        keys[value] = found
    return found


def _place(op: ir.Operation) -> str:
    location = op.location
    if isinstance(location, ir.FileLineColLoc):
        return f"{location.start_line}:{location.start_col}"
    return str(location)
