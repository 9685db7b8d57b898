"""Small questions that many passes ask about a kernel: its ops in order, its grid, the names of its arguments."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeVar, overload

from spyrec.mlir import ir

_WITH_BODIES = ("linalg.", "dataflow.stream")

V = TypeVar("V", bound=ir.OpView)
W = TypeVar("W", bound=ir.OpView)
X = TypeVar("X", bound=ir.OpView)

GRID = "grid"

TILE_IDS = ("dataflow.tile_id", "ktdp.get_compute_tile_id")
"""Ops that ask which tile it is: for its flat id (one result), or for one id per dimension of the grid."""


def walk(op: ir.Operation) -> list[ir.Operation]:
    """All operations that are inside ``op`` now, in the order of the text. Whoever erases one with regions must not
    look at those in it any more.
    """
    found: list[ir.Operation] = []
    advance = ir.WalkResult.ADVANCE

    def visit(inner: ir.Operation) -> ir.WalkResult:
        found.append(inner)
        return advance

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[1:]


def steps(op: ir.Operation) -> list[ir.Operation]:
    """What :func:`walk` gives, without the bodies of linalg ops and streams: half of all ops stand there, and are for
    each element.
    """
    if op.name.startswith(_WITH_BODIES):
        return walk(op)
    found: list[ir.Operation] = []
    advance, skip = ir.WalkResult.ADVANCE, ir.WalkResult.SKIP

    def visit(inner: ir.Operation) -> ir.WalkResult:
        found.append(inner)
        return skip if inner.name.startswith(_WITH_BODIES) else advance

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[1:]


@overload
def views(op: ir.Operation, kind: type[V], /, *, bodies: bool = ...) -> list[V]: ...
@overload
def views(op: ir.Operation, kind: type[V], other: type[W], /, *, bodies: bool = ...) -> list[V | W]: ...
@overload
def views(op: ir.Operation, kind: type[V], other: type[W], third: type[X], /) -> list[V | W | X]: ...
def views(op: ir.Operation, *kinds: type[ir.OpView], bodies: bool = False) -> list[Any]:
    """The operations of some classes that are inside ``op`` now, in the order of the text; with ``bodies``, those in
    the bodies of linalg ops and streams are of them.
    """
    # An op's name is cheaper to ask for than its view.
    by_name = {kind.OPERATION_NAME: kind for kind in kinds}
    inside = walk(op) if bodies else steps(op)
    return [by_name[inner.name](inner) for inner in inside if inner.name in by_name]


def blocks(function: ir.Operation) -> list[ir.Block]:
    """The block of a function, and those of its loops and branches."""
    control = [function, *(op for op in steps(function) if op.name.startswith("scf."))]
    return [region.blocks[0] for op in control for region in op.regions if len(region.blocks)]


def defining(value: ir.Value) -> ir.Operation | None:
    """The operation whose result ``value`` is; ``None`` for an argument of a block."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    return owner.operation


def parent(op: ir.Operation) -> ir.Operation | None:
    """The operation around ``op``."""
    around = op.parent
    return None if around is None else around.operation


def around(op: ir.Operation, function: ir.Operation) -> Iterator[ir.Operation]:
    """The operations around ``op``, innermost first, up to but without ``function``."""
    at = parent(op)
    while at is not None and at != function:
        yield at
        at = parent(at)


def is_within(inner: ir.Operation, op: ir.Operation) -> bool:
    """Whether ``inner`` is ``op``, or stands in it."""
    at: ir.Operation | None = inner
    while at is not None and at != op:
        at = parent(at)
    return at is not None


def is_inside(value: ir.Value, op: ir.Operation) -> bool:
    """Whether ``value`` is made by ``op`` or in it; arguments of blocks are made by the op around them."""
    maker = defining(value)
    return is_within(owner(ir.BlockArgument(value).owner) if maker is None else maker, op)


def function_of(op: ir.Operation) -> ir.Operation:
    """The ``func.func`` that ``op`` stands in."""
    at = parent(op)
    while at is not None and at.name != "func.func":
        at = parent(at)
    assert at is not None
    return at


def owner(block: ir.Block) -> ir.Operation:
    """The operation that a block belongs to."""
    return block.owner.operation


def terminator(block: ir.Block) -> ir.Operation:
    """The last operation of a block."""
    operations = block.operations
    return operations[len(operations) - 1].operation


def is_used(op: ir.Operation) -> bool:
    """Whether any result of ``op`` has a use."""
    return any(True for result in op.results for _ in result.uses)


def has_body(function: ir.Operation) -> bool:
    """Whether a ``func.func`` is more than a declaration."""
    return len(function.regions[0].blocks) > 0


def name(function: ir.Operation) -> str:
    """The symbol name of a ``func.func``."""
    return ir.StringAttr(function.attributes["sym_name"]).value


def is_private(function: ir.Operation) -> bool:
    """Whether only this module can call the function."""
    visibility = "sym_visibility"
    return visibility in function.attributes and ir.StringAttr(function.attributes[visibility]).value != "public"


def helpers(module: ir.Operation) -> list[ir.Operation]:
    """The functions that others call and that have no grid: they are parts of kernels and none themselves."""
    functions = [view.operation for view in module.regions[0].blocks[0].operations]
    functions = [op for op in functions if op.name == "func.func"]
    without = [op for op in functions if GRID not in op.attributes]
    if not without or len(functions) == 1:
        return []
    calls = (inner for function in functions for inner in walk(function) if inner.name == "func.call")
    called = {ir.FlatSymbolRefAttr(call.attributes["callee"]).value for call in calls}
    return [op for op in without if name(op) in called]


def result_types(function: ir.Operation) -> list[ir.Type]:
    """The types that a ``func.func`` returns."""
    return list(ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).results)


def grid(function: ir.Operation) -> tuple[int, ...] | None:
    """The extents of the kernel's grid, first dimension first; ``None`` when it has no ``grid``, or one that is no list
    of integers.
    """
    if GRID not in function.attributes:
        return None
    attribute = function.attributes[GRID]
    if not isinstance(attribute, ir.ArrayAttr):
        return None
    extents = [entry.value for entry in attribute if isinstance(entry, ir.IntegerAttr)]
    return tuple(extents) if len(extents) == len(attribute) else None


def tiles(function: ir.Operation) -> int:
    """How many compute tiles run the kernel: the product of its grid, 1 without one."""
    return math.prod(grid(function) or (1,))


def arguments(function: ir.Operation) -> list[ir.BlockArgument]:
    """The arguments of a ``func.func``."""
    return list(function.regions[0].blocks[0].arguments) if has_body(function) else []


def argument_name(argument: ir.BlockArgument) -> str:
    """The name that the user gave to an argument, without ``%``; ``argN`` when it has none."""
    return _name(argument.location) or f"arg{argument.arg_number}"


MAY_ALIAS = "spyrec.may_alias"
"""The argument attribute that allows a pointer to meet the others."""


def may_alias(argument: ir.BlockArgument) -> bool:
    """Whether an argument of a ``func.func`` may lie in the memory of others."""
    return MAY_ALIAS in argument_attributes(argument)


PROMISES = {"granularity": "spyrec.granularity", "upperbound": "spyrec.upperbound"}
"""The argument attributes that say what a launch's number is a multiple of, and what it is at most."""


def promise(argument: ir.BlockArgument, kind: str) -> int | None:
    """What an argument of a ``func.func`` promises of its number."""
    found = argument_attributes(argument).get(PROMISES[kind])
    return None if found is None else int(ir.IntegerAttr(found).value)


def argument_attributes(argument: ir.BlockArgument) -> dict[str, ir.Attribute]:
    """The attributes of an argument of a ``func.func``."""
    function = owner(argument.owner)
    if "arg_attrs" not in function.attributes:
        return {}
    found = ir.DictAttr(ir.ArrayAttr(function.attributes["arg_attrs"])[argument.arg_number])
    return {found[k].name: found[k].attr for k in range(len(found))}


def set_argument_attribute(argument: ir.BlockArgument, name: str, value: ir.Attribute) -> None:
    """Give an argument of a ``func.func`` an attribute."""
    function = owner(argument.owner)
    all_ = [argument_attributes(other) for other in arguments(function)]
    all_[argument.arg_number][name] = value
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(own) for own in all_])


def unnamed(location: ir.Location) -> ir.Location:
    """A location without the names that it gives: for what stands for more than the value that has the name."""
    if isinstance(location, ir.NameLoc):
        return unnamed(location.child_loc)
    if isinstance(location, ir.FusedLoc):
        return ir.Location.fused([unnamed(part) for part in location.locations], location.metadata, location.context)
    return location


def _name(location: ir.Location) -> str | None:
    if isinstance(location, ir.NameLoc):
        return location.name_str
    if isinstance(location, ir.FusedLoc):
        return next(filter(None, map(_name, location.locations)), None)
    return None
