"""Executes a kernel at any of the stages ``ktir``, ``kernel``, ``schedule`` and ``program``: the oracle of every other
part.

It is strict. Memory that was never written, contents of a new tensor, coordinates outside a view, bytes outside
memory, division by zero, a step of 0, an index out of range: each is an error at the op's place. What stands for many
elements is one NumPy operation. ``docs/numerics.md`` has the meaning of scalar ops; :mod:`spyrec.interp.machine` says
how a meaning is written.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from spyrec import numerics
from spyrec.diag import Sink, resolve
from spyrec.interp import affine, arith, dataflow, func, ktdp, linalg, memref, scf, tensor
from spyrec.interp import program as units
from spyrec.interp.faults import Fault
from spyrec.interp.machine import MEANINGS, TERMINATORS, Reporter, Tile, drain, prepare
from spyrec.interp.memory import Device, Scratchpad
from spyrec.interp.values import Address
from spyrec.mlir import ir

if TYPE_CHECKING:
    from spyrec.spyrecode.launch import Launch

LX_BYTES = 2 << 20
"""Size of a scratchpad unless the caller says otherwise."""

_DIALECTS = (affine, arith, dataflow, func, ktdp, linalg, memref, scf, tensor, units)


def meanings() -> frozenset[str]:
    """Names of the ops that can be executed."""
    return frozenset(MEANINGS) | TERMINATORS


def run(
    function: ir.Operation | ir.OpView,
    launch: Launch,
    *,
    seed: int | None = None,
    sink: Sink | None = None,
    strict_bounds: bool = False,
    lx_bytes: int = LX_BYTES,
) -> None:
    """Execute a ``func.func`` on a launch; what it stores is in ``launch.memory`` afterwards.

    ``seed`` shuffles the order of compute tiles, and at the ``program`` stage the turns of the units; None takes them
    in order. Warnings and remarks go to ``sink``. ``strict_bounds`` makes tiles that stick out of their view an error.
    ``lx_bytes`` is the size of a core's scratchpad. Raises a :class:`spyrec.errors.SpyrecError` with everything that
    the sink holds: ``InvalidKernel`` for a broken rule, ``Unsupported`` for an op without a meaning.
    """
    op = function.operation
    sink = sink if sink is not None else Sink()
    _make_room(op)
    try:
        _run(op, launch, seed, sink, strict_bounds, lx_bytes)
    except Fault as fault:
        sink.error(_with_a_place(fault.op or op), fault.id, fault.message, fault.field, fault.notes)
        sink.fail()


def _with_a_place(op: ir.Operation) -> ir.Operation:
    """``op``, or the nearest op around it that has a place: the body of a named linalg op has none of its own."""
    here = op
    while resolve(here.location).primary is None and here.parent is not None:
        here = here.parent.operation
    return here


def _make_room(op: ir.Operation) -> None:
    """Raise Python's recursion limit when regions nest deeply. It stays raised: another thread may be executing too."""
    deepest, pending = 0, [(op, 1)]
    while pending:
        outer, depth = pending.pop()
        deepest = max(deepest, depth)
        for region in outer.regions:
            pending += [
                (inner.operation, depth + 1) for block in region for inner in block if len(inner.operation.regions)
            ]
    wanted = 1000 + 8 * deepest  # calls: preparing a region takes five, running it two
    sys.setrecursionlimit(max(sys.getrecursionlimit(), wanted))


def _run(op: ir.Operation, launch: Launch, seed: int | None, sink: Sink, strict_bounds: bool, lx_bytes: int) -> None:
    module = op.parent.operation if op.parent is not None and op.parent.operation.name == "builtin.module" else None
    prepared = prepare(op, {}, module)
    arguments = _arguments(op, launch)
    grid = _grid(op, launch)
    device, report = Device(launch), Reporter(sink)
    scratchpads: dict[int, Scratchpad] = {}

    def scratchpad(owner: int) -> Scratchpad:
        if not 0 <= owner < math.prod(grid):
            raise Fault("out-of-lx", f"there is no core {owner}: the kernel runs on {math.prod(grid)}")
        return scratchpads.setdefault(owner, Scratchpad(lx_bytes, owner))

    rng = None if seed is None else np.random.default_rng(seed)
    count = math.prod(grid)
    for number in range(count) if rng is None else rng.permutation(count):
        tile = Tile(int(number), grid, device, scratchpad, report, strict_bounds)
        if units.is_program(op):
            tile.program = units.Program(np.full(lx_bytes, -1, np.int32))
        try:
            drain(prepared.run(tile, arguments))
            if tile.program is not None:
                tile.program.execute(rng)
        except Fault as fault:
            if count > 1:
                fault.notes += (f"on compute tile {number} of {count}",)
            raise


def _grid(op: ir.Operation, launch: Launch) -> tuple[int, ...]:
    """Extents of the grid, as the function says, else as the launch counts tiles."""
    if "grid" not in op.attributes:
        return (launch.signature.grid,)
    extents = tuple(ir.IntegerAttr(n).value for n in ir.ArrayAttr(op.attributes["grid"]))
    if not extents or min(extents) < 1:
        raise Fault("bad-grid", f"the grid {list(extents)} has no tiles", "grid")
    return extents


def _arguments(op: ir.Operation, launch: Launch) -> list[Any]:
    """Values of the arguments: addresses where the signature says so, else numbers of their types."""
    values: list[Any] = []
    for argument, value in zip(launch.signature.arguments, launch.args, strict=True):
        if argument.kind == "address":
            values.append(Address(int(value), int(value)))
        elif numerics.is_float(argument.type):
            values.append(np.asarray(value).astype(numerics.dtype(argument.type)))
        else:
            values.append(numerics.scalars.wrap(int(value), numerics.scalar_type(argument.type).bits))
    return values


__all__ = ["LX_BYTES", "meanings", "run"]
