"""Executes a kernel at any of the stages ``ktir``, ``kernel``, ``schedule`` and ``program``: the oracle of every other
part.

It is strict. Memory that was never written, contents of a new tensor, coordinates outside a view, bytes outside
memory, division by zero, a step of 0, an index out of range: each is an error at the op's place. What stands for many
elements is one NumPy operation. ``docs/numerics.md`` has the meaning of scalar ops; :mod:`spyrec.interp.machine` says
how a meaning is written.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spyrec import numerics
from spyrec.diag import Sink, resolve
from spyrec.dialects.dataflow import LX
from spyrec.interp import (
    affine,
    affine_control,
    arith,
    bufferization,
    collectives,
    dataflow,
    func,
    indirect,
    ktdp,
    linalg,
    memref,
    scf,
    tensor,
)
from spyrec.interp import program as units
from spyrec.interp.cores import cores_of
from spyrec.interp.exchange import Exchange, Turn, take_turns
from spyrec.interp.faults import Fault
from spyrec.interp.footprint import grid_of, scratchpad_bases, signature_of
from spyrec.interp.lanes import IN_BODIES
from spyrec.interp.machine import MEANINGS, TERMINATORS, Function, Reporter, Tile, Watcher, prepare
from spyrec.interp.memory import Device, Scratchpad
from spyrec.interp.probes import Probe, Probes
from spyrec.interp.races import Tracker
from spyrec.interp.values import Address
from spyrec.mlir import ir
from spyrec.spyrecode.lx import Preset

if TYPE_CHECKING:
    from spyrec.spyrecode.launch import Launch

ROOMS = {LX: 2 << 20}
"""Bytes of a scratchpad, and no stages, unless the caller says otherwise."""

CORES = 32
"""Cores whose scratchpads a view may name."""


_DIALECTS = (
    affine,
    affine_control,
    arith,
    bufferization,
    collectives,
    dataflow,
    func,
    indirect,
    ktdp,
    linalg,
    memref,
    scf,
    tensor,
    units,
)


def meanings() -> frozenset[str]:
    """Names of the ops that can be executed."""
    return frozenset(MEANINGS) | TERMINATORS | IN_BODIES


@dataclass(eq=False)
class Prepared:
    """A kernel that is ready to run, as often as one likes. The IR may not be changed in between."""

    op: ir.Operation
    body: Function

    @functools.cached_property
    def stated_grid(self) -> tuple[int, ...] | None:
        """Extents of the grid that the function states."""
        return grid_of(self.op) if "grid" in self.op.attributes else None

    @functools.cached_property
    def scratchpad_bases(self) -> set[int]:
        """Numbers of the arguments that are addresses in scratchpads."""
        return scratchpad_bases(self.op)

    @functools.cached_property
    def is_program(self) -> bool:
        """Whether it has units."""
        return units.is_program(self.op)

    @functools.cached_property
    def joins_cores(self) -> bool:
        """Whether units of several cores have to be executed together."""
        return units.joins_cores(self.op)


def prepared(
    function: ir.Operation | ir.OpView, *, watcher: Watcher | None = None, sink: Sink | None = None
) -> Prepared:
    """Look all ops up once. ``watcher`` says which ops are watched (:mod:`spyrec.interp.probes`). Raises as
    :func:`run` does.
    """
    op = function.operation
    _make_room(op)
    with _reported(op, sink if sink is not None else Sink()):
        _refuse_recursion(op, _module_of(op))
        return Prepared(op, prepare(op, {}, _module_of(op), watcher))


@contextmanager
def _reported(op: ir.Operation, sink: Sink) -> Iterator[None]:
    """Faults become errors of the sink, which are raised together with all that it holds."""
    try:
        yield
    except Fault as fault:
        sink.error(
            _with_a_place(fault.op or op), fault.id, fault.message, fault.field, fault.notes, resource=fault.resource
        )
        sink.fail()


def _module_of(op: ir.Operation) -> ir.Operation | None:
    return op.parent.operation if op.parent is not None and op.parent.operation.name == "builtin.module" else None


def run(
    function: ir.Operation | ir.OpView | Prepared,
    launch: Launch,
    *,
    seed: int | None = None,
    sink: Sink | None = None,
    strict_bounds: bool = False,
    rooms: Mapping[str, int] = ROOMS,
    lx: Sequence[Preset] = (),
    watcher: Watcher | None = None,
) -> None:
    """Execute a ``func.func`` (:class:`Prepared` where it runs often) on a launch; what it stores is in
    ``launch.memory`` afterwards.

    ``seed`` shuffles the order of compute tiles, and at the ``program`` stage the turns of the units; None takes them
    in order. Warnings and remarks go to ``sink``. ``strict_bounds`` makes tiles that stick out of their view an error.
    ``rooms`` is what a core has of LX and of each stage (``Device.rooms``), ``lx`` what is in scratchpads at first
    besides what the launch has.
    ``watcher`` says which ops are watched (:mod:`spyrec.interp.probes`). Raises a
    :class:`spyrec.errors.SpyrecError` with everything that the sink holds: ``InvalidKernel`` for a broken rule,
    ``Unsupported`` for an op without a meaning.
    """
    sink = sink if sink is not None else Sink()
    ready = function if isinstance(function, Prepared) else prepared(function, watcher=watcher, sink=sink)
    with _reported(ready.op, sink):
        _run(ready, launch, seed, sink, strict_bounds, rooms, lx)


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


def _run(
    ready: Prepared,
    launch: Launch,
    seed: int | None,
    sink: Sink,
    strict_bounds: bool,
    rooms: Mapping[str, int],
    lx: Sequence[Preset],
) -> None:
    op, body = ready.op, ready.body
    arguments = _arguments(ready, launch)
    grid = _grid(ready, launch)
    device, report = Device(launch), Reporter(sink)
    if ready.stated_grid is None and math.prod(grid) > 1:
        report.warn(
            op, "implicit-grid", f"the kernel asks for its id and states no grid: it runs on {math.prod(grid)} cores"
        )
    scratchpads: dict[int, Scratchpad] = {}

    def scratchpad(owner: int) -> Scratchpad:
        if not 0 <= owner < max(CORES, math.prod(grid)):
            raise Fault("out-of-lx", f"there is no core {owner}: cores are numbered from 0 to {CORES - 1}")
        if owner not in scratchpads:
            scratchpads[owner] = Scratchpad(rooms[LX], owner)
            for preset in (*launch.lx, *lx):
                if preset.core == owner:
                    scratchpads[owner].preset(preset.address, preset.array)
        return scratchpads[owner]

    rng = None if seed is None else np.random.default_rng(seed)
    count = math.prod(grid)
    tracker = Tracker(count, report) if count > 1 else None
    exchange = Exchange()
    order = [int(n) for n in (range(count) if rng is None else rng.permutation(count))]
    tiles = [
        Tile(n, grid, device, scratchpad, report, strict_bounds, tracker.clock(n) if tracker else None, exchange)
        for n in order
    ]
    if not ready.is_program:
        take_turns([Turn(t.number, body.run(t, arguments)) for t in tiles], rng)
        return
    if ready.joins_cores:
        programs = [units.begin(body, tile, arguments, rooms) for tile in tiles]
        units.execute(programs, rng)
        cores_of(tiles[0]).balance()
        return
    for tile in tiles:
        try:
            units.execute([units.begin(body, tile, arguments, rooms)], rng)
        except Fault as fault:
            if count > 1:
                fault.notes += (f"on compute tile {tile.number} of {count}",)
            raise


def _refuse_recursion(function: ir.Operation, module: ir.Operation | None) -> None:
    """Raise :class:`Fault` at a call that leads back to the function that it is in."""
    bodies = {
        ir.StringAttr(f.operation.attributes["sym_name"]).value: f.operation
        for f in (module.regions[0].blocks[0].operations if module is not None else ())
        if f.operation.name == "func.func"
    }
    finished: set[str] = set()

    def visit(caller: ir.Operation, above: tuple[str, ...]) -> None:
        name = ir.StringAttr(caller.attributes["sym_name"]).value
        for call in _calls(caller):
            callee = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
            if callee in (*above, name):
                fault = Fault("recursive-call", f"@{name} calls @{callee}, which leads to this call again")
                fault.op = call
                raise fault
            if callee in bodies and callee not in finished:
                visit(bodies[callee], (*above, name))
        finished.add(name)

    visit(function, ())


def _calls(function: ir.Operation) -> list[ir.Operation]:
    found, pending = [], [function]
    while pending:
        op = pending.pop()
        if op.name == "func.call":
            found.append(op)
        pending += [inner.operation for region in op.regions for block in region for inner in block.operations]
    return found


def _grid(ready: Prepared, launch: Launch) -> tuple[int, ...]:
    """Extents of the grid, as the function says, else as the launch counts tiles."""
    extents = ready.stated_grid or (launch.signature.grid,)
    if math.prod(extents) > CORES:
        raise Fault(
            "grid-too-large",
            f"the grid {list(extents)} has {math.prod(extents)} tiles, but there are {CORES} cores",
            "grid",
            resource=("cores", math.prod(extents), CORES),
        )
    return extents


def _arguments(ready: Prepared, launch: Launch) -> list[Any]:
    """Values of the arguments: addresses where the signature says so, else numbers of their types."""
    values: list[Any] = []
    for argument, value in zip(launch.signature.arguments, launch.args, strict=True):
        if argument.kind == "address" or (argument.kind == "scalar" and argument.index in ready.scratchpad_bases):
            values.append(Address(int(value), int(value)))
        elif numerics.is_float(argument.type):
            values.append(numerics.rounded(np.asarray(float(value)), argument.type))
        else:
            values.append(numerics.scalars.wrap(int(value), numerics.scalar_type(argument.type).bits))
    return values


__all__ = ["Prepared", "Preset", "Probe", "Probes", "meanings", "prepared", "run", "signature_of"]
