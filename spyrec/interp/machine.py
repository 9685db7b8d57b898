"""The core of the executor: meanings of ops, blocks prepared for execution, and what runs them.

A function is prepared once: each op becomes a step, a Python function with the numbers of the slots that hold its
operands and results, so that executing a tile looks up no attributes. A *meaning* is a function registered for an op
name; it reads the op's attributes and types and returns the function that is called with the operands' values:

    @meaning("tensor.extract")
    def extract(op: ir.Operation, scope: Scope) -> Run:
        def run(frame: Frame, source: Tensor, *indices: int) -> Any: ...
        return run

An op with regions asks the scope to prepare its blocks and returns a generator function, marked ``flow=True``, that
runs them with ``yield from``. What is yielded to the outside is a request to wait: :class:`Await` of a compute tile
that takes what other tiles produce, :class:`Blocked` of a unit of the ``program`` stage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spyrec import numerics
from spyrec.errors import Severity
from spyrec.interp.exchange import Exchange
from spyrec.interp.faults import Fault, at, located
from spyrec.interp.refusals import reason
from spyrec.interp.requests import Flow
from spyrec.mlir import ir

if TYPE_CHECKING:
    from spyrec.diag import NoteLike, Sink
    from spyrec.interp.memory import Device, Scratchpad
    from spyrec.interp.program import Program
    from spyrec.interp.races import Access, Clock


#: What a step calls: frame and operand values -> the result, a tuple of several, None; for control flow, a Flow.
Run = Callable[..., Any]
Prepare = Callable[[ir.Operation, "Scope"], Run]


@dataclass(frozen=True)
class Meaning:
    """How an op is prepared; ``flow`` says that what it returns is a generator function."""

    prepare: Prepare
    flow: bool


MEANINGS: dict[str, Meaning] = {}
"""Every op that can be executed, by name. Filled by the modules of the package, one per dialect."""

TERMINATORS = frozenset(
    {
        "func.return",
        "affine.yield",
        "scf.yield",
        "scf.condition",
        "linalg.yield",
        "tensor.yield",
        "dataflow.yield",
        "ktdp.region_terminator",
        "ktdp.yield_partial",
        "ktdp.yield_reduced",
        "scf.reduce",
        "scf.reduce.return",
        "scf.forall.in_parallel",
    }
)
"""Ops whose operands are what their block gives back; they need no step of their own."""


def meaning(*names: str, flow: bool = False) -> Callable[[Prepare], Prepare]:
    """Register a function as the meaning of ops."""

    def register(prepare: Prepare) -> Prepare:
        for name in names:
            if name in MEANINGS:
                raise AssertionError(f"two meanings of {name}")
            MEANINGS[name] = Meaning(prepare, flow)
        return prepare

    return register


MAX_ITERATIONS = 1 << 22
"""Iterations of loops that one tile may execute: minutes, and a way out of a loop that never ends."""


@dataclass(eq=False)
class Tile:
    """One compute tile, or one core of the ``program`` stage: what ops may touch besides their operands.

    ``number`` is the flat id, ``grid`` the extents (first dimension fastest). ``scratchpads`` are shared by all tiles,
    by the flat id of their owner. ``clock`` orders the tile's accesses to memory among those of other tiles (None:
    there are none), ``exchange`` holds what tiles produce for one another. ``program`` holds buffers and channels at
    the ``program`` stage.
    """

    number: int
    grid: tuple[int, ...]
    device: Device
    scratchpads: Callable[[int], Scratchpad]
    report: Reporter
    strict_bounds: bool
    clock: Clock | None = None
    exchange: Exchange = field(default_factory=Exchange)
    program: Program | None = None
    iterations: int = 0

    def iterate(self, count: int = 1) -> None:
        """Count iterations of loops; raises :class:`Fault` when a kernel has more than anyone waits for."""
        self.iterations += count
        if self.iterations > MAX_ITERATIONS:
            raise Fault(
                "too-many-iterations", f"the loops of one compute tile have more than {MAX_ITERATIONS} iterations"
            )

    @property
    def count(self) -> int:
        """How many tiles run the kernel."""
        return math.prod(self.grid)

    def access(self, op: ir.Operation) -> Access | None:
        """An access to memory by ``op`` now, to be checked for races."""
        return None if self.clock is None else self.clock.at(op)

    @property
    def scratchpad(self) -> Scratchpad:
        """This tile's own."""
        return self.scratchpads(self.number)


#: Sees what an op gave: the tile, the op, its results.
Watch = Callable[[Tile, ir.Operation, Sequence[Any]], None]
#: Who watches an op, if anyone does.
Watcher = Callable[[ir.Operation], "Watch | None"]


class Frame:
    """The values of one activation of a function on one tile, by slot."""

    __slots__ = ("tile", "values")

    def __init__(self, tile: Tile, slots: int) -> None:
        self.tile = tile
        self.values: list[Any] = [None] * slots


class Step:
    """One op, ready to run: results of ``run(frame, *operands)`` go to ``results``."""

    __slots__ = ("flow", "op", "operands", "results", "run", "watch")

    def __init__(self, op: ir.Operation, run: Run, flow: bool, operands: Sequence[int], results: Sequence[int]) -> None:
        self.op = op
        self.run = run
        self.flow = flow
        self.operands = tuple(operands)
        self.results = tuple(results)
        self.watch: Watch | None = None


class Block:
    """A block of straight-line code. ``run(frame, arguments)`` gives the values of its terminator's operands."""

    __slots__ = ("arguments", "steps", "terminator", "yields")

    def __init__(
        self, arguments: Sequence[int], steps: Sequence[Step], yields: Sequence[int], terminator: ir.Operation | None
    ) -> None:
        self.arguments = tuple(arguments)
        self.steps = tuple(steps)
        self.yields = tuple(yields)
        self.terminator = terminator

    def run(self, frame: Frame, arguments: Sequence[Any] = ()) -> Flow:
        """Execute the block once."""
        values = frame.values
        for slot, value in zip(self.arguments, arguments, strict=True):
            values[slot] = value
        step = None
        try:
            for step in self.steps:
                result = step.run(frame, *[values[slot] for slot in step.operands])
                if step.flow:
                    result = yield from result
                results = step.results
                if len(results) == 1:
                    values[results[0]] = result
                elif results:
                    for slot, value in zip(results, result, strict=True):
                        values[slot] = value
                if step.watch is not None:
                    step.watch(frame.tile, step.op, [values[slot] for slot in results])
        except Fault as fault:
            fault.op = fault.op or (step.op if step else None)
            raise
        except (numerics.NumericsError, ZeroDivisionError) as error:
            assert step is not None
            raise located(error, step.op) from None
        return tuple([values[slot] for slot in self.yields])


@dataclass(eq=False)
class Function:
    """A prepared function: its body, and how many slots a frame of it has."""

    op: ir.Operation
    scope: Scope
    body: Block

    def run(self, tile: Tile, arguments: Sequence[Any]) -> Flow:
        """Execute it once; gives the operands of its ``return``."""
        result = yield from self.body.run(Frame(tile, self.scope.slots), arguments)
        return result


class Scope:
    """What the ops of one function are prepared in: slots of its values, and the functions that it can call."""

    def __init__(
        self, functions: dict[str, Function], module: ir.Operation | None, watcher: Watcher | None = None
    ) -> None:
        self._slots: dict[ir.Value, int] = {}
        self._functions = functions
        self._module = module
        self.watcher = watcher

    @property
    def slots(self) -> int:
        """How many slots the function needs."""
        return len(self._slots)

    def slot(self, value: ir.Value) -> int:
        """The slot of a value."""
        return self._slots.setdefault(value, len(self._slots))

    def block(self, block: ir.Block) -> Block:
        """Prepare a block and all that is nested in it."""
        arguments = [self.slot(argument) for argument in block.arguments]
        steps: list[Step] = []
        yields: list[int] = []
        terminator = None
        for wrapper in block.operations:
            op = wrapper.operation
            operands = [self.slot(v) for v in op.operands]
            if op.name in TERMINATORS:
                yields, terminator = operands, op
                continue
            steps.append(self._step(op, operands))
        return Block(arguments, steps, yields, terminator)

    def _step(self, op: ir.Operation, operands: Sequence[int]) -> Step:
        found = MEANINGS.get(op.name)
        with at(op):
            if found is None:
                raise Fault("unsupported-op", f"the executor has no meaning for '{op.name}': {reason(op.name)}")
            run = found.prepare(op, self)
        step = Step(op, run, found.flow, operands, [self.slot(v) for v in op.results])
        if self.watcher is not None:
            step.watch = self.watcher(op)
        return step

    def region(self, op: ir.Operation, number: int) -> Block | None:
        """Prepare a region of one block; None when it is empty."""
        blocks = list(op.regions[number].blocks)
        if len(blocks) > 1:
            raise Fault(
                "unsupported-op", f"region {number} of '{op.name}' has {len(blocks)} blocks; branches have no meaning"
            )
        return self.block(blocks[0]) if blocks else None

    def function(self, name: str) -> Callable[[], Function]:
        """The function of the module that is called ``name``, prepared on first use (a call may come before it)."""

        def get() -> Function:
            if name not in self._functions:
                self._functions[name] = prepare(self._find(name), self._functions, self._module, self.watcher)
            return self._functions[name]

        self._find(name)
        return get

    def _find(self, name: str) -> ir.Operation:
        assert self._module is not None, "calls were verified, so the function that is called stands in a module"
        functions = (wrapper.operation for wrapper in self._module.regions[0].blocks[0].operations)
        named = {ir.StringAttr(op.attributes["sym_name"]).value: op for op in functions if op.name == "func.func"}
        if not list(named[name].regions[0].blocks):
            raise Fault("unsupported-op", f"@{name} is declared without a body")
        return named[name]


def prepare(
    function: ir.Operation,
    functions: dict[str, Function],
    module: ir.Operation | None,
    watcher: Watcher | None = None,
) -> Function:
    """Make a ``func.func`` ready to run. Raises a located :class:`Fault` for an op that has no meaning.

    ``watcher`` says which ops are watched.
    """
    scope = Scope(functions, module, watcher)
    with at(function):
        body = scope.region(function, 0)
        if body is None:
            raise Fault("unsupported-op", "a function without a body cannot be executed")
        return Function(function, scope, body)


def drain(flow: Flow) -> Any:
    """Run to the end what never waits."""
    try:
        while True:
            blocked = next(flow)
            raise AssertionError(f"{blocked} outside a unit")
    except StopIteration as end:
        return end.value


class Reporter:
    """Warnings and remarks of an execution, once per op and id however many tiles meet them."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self._said: set[tuple[int, str]] = set()

    def warn(self, op: ir.Operation, id: str, message: str, notes: Sequence[NoteLike] = ()) -> None:
        """Something legal that is probably not meant."""
        self._say(Severity.WARNING, op, id, message, notes)

    def remark(self, op: ir.Operation, id: str, message: str, notes: Sequence[NoteLike] = ()) -> None:
        """Something worth knowing."""
        self._say(Severity.REMARK, op, id, message, notes)

    def _say(self, severity: Severity, op: ir.Operation, id: str, message: str, notes: Sequence[NoteLike]) -> None:
        key = (hash(op), id)
        if key not in self._said:
            self._said.add(key)
            # Locations, because the IR may be gone when this is shown.
            place, said = op.location, [n if isinstance(n, str) else (_place(n[0]), n[1]) for n in notes]
            self.sink.emit_later(lambda: self.sink.diagnostic(severity, place, id, message, notes=said))


def _place(where: Any) -> Any:
    """The location of an op; anything else as it is."""
    return where.location if isinstance(where, ir.Operation | ir.OpView | ir.Value) else where
