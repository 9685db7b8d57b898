"""One class of inputs: the program is executed for it, whole or with iterations left out, and judged.

Iterations that are left out order units, too. So what only such a run says is no reason to refuse: it is repeated with
more of them, of those loops that make a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from spyrec.device.model import Device
from spyrec.dialects.dataflow import LX
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.dry_run.choices import Choices
from spyrec.passes.analysis.dry_run.code import POINTER_BITS, Code
from spyrec.passes.analysis.dry_run.machine import BUDGET, Fault, Impossible, OutOfBudget, Raced, Run, Touch
from spyrec.passes.analysis.dry_run.memory import Memory
from spyrec.passes.analysis.dry_run.values import Per

_OF_CONTENTS = ("unwritten-read", "wrong-buffer")
"""Faults that depend on what every iteration before has written."""

_OF_ORDER = ("race", "tile-race")

Counts = Mapping[tuple[int, int], int]
"""How many iterations of the loops of a nest and level are run."""

_TOO_MANY = "in the iterations that were executed; there are too many to execute all"


def only(op: ir.Operation, message: str) -> dict[ir.Operation, Fault]:
    """What was not looked at, at one op."""
    return {op: Fault("not-proven", op, message)}


class Executor:
    """Executes ``code`` on ``cores``."""

    def __init__(self, code: Code, cores: Sequence[int], device: Device) -> None:
        self.code = code
        self.cores = cores
        self.lx_size, self.span = device.rooms()[LX], device.limits.access_span
        self.steps = sum(unit.least_steps for unit in code.units) * (len(cores) if code.between_cores else 1)
        """How many steps it takes at least, when no iteration is left out."""
        self._spare = BUDGET
        self._more = 4 * BUDGET
        """Steps left of all runs that are repeated with more iterations."""
        self.helpful: Counts = {}
        """The iterations with which such a run did not race."""

    def whole(self, choices: Choices, left: int) -> Run | None:
        """No iteration is left out; ``None`` if that takes more than ``left`` steps."""
        run, ended = self._run(choices, left, cuts=False)
        return run if ended else None

    def at_length(self, choices: Callable[[], Choices]) -> Run:
        """No iteration is left out, but the last steps if there are very many."""
        run, ended = self._run(choices(), cuts=False)
        self._ends(run, ended)
        return run

    def cut(self, choices: Callable[[], Choices]) -> Run:
        """Long loops are cut."""
        run, ended = self._run(choices())
        if self.code.visits and (run.faults or not ended):
            # A loop may have been cut that waits for one whose iterations meet cores.
            run, ended = self._run(choices(), alike=True)
        self._ends(run, ended)
        if _race(run) is not None:
            run = self._with_more(run, choices)
        if not (run.doubtful or any(fault.id in _OF_CONTENTS for fault in run.faults)):
            return run
        # Iterations that were left out may be those that write it.
        whole, ended = self._run(choices(), self._spare, cuts=False)
        self._spare = max(0, whole.left)
        if ended:
            return whole
        return _doubted(run, _OF_CONTENTS)

    def _run(
        self,
        choices: Choices,
        left: int | None = None,
        *,
        cuts: bool = True,
        alike: bool = False,
        counts: Counts | None = None,
    ) -> tuple[Run, bool]:
        """A run, and whether it ended by itself."""
        left = BUDGET if left is None else left
        run = Run(self.code, self.cores, choices, self.lx_size, self.span, left=left, cuts=cuts, alike=alike)
        run.counts = counts or {}
        ended = _execute(run)
        run.faults = _judged(run)
        return run, ended

    def _ends(self, run: Run, ended: bool) -> None:
        if not ended:
            text = f"of some inputs only the first {BUDGET} steps were executed; what comes after was not looked at"
            run.unproven |= only(self.code.function, text)

    def _with_more(self, run: Run, choices: Callable[[], Choices]) -> Run:
        """What ``run``, which races, is with more iterations.

        A loop that runs more often has all accesses of the shorter one, and no less order between them: so one such
        run without a race shows that there is none in what ``run`` has looked at.
        """
        again = _Repeats(self, run, choices)
        # A longest path visits each unit, and wraps around at most twice per unit.
        for few in (run.limit, (2 * len(self.code.units) + 2) * self.code.depth):
            if few > run.few and (again.with_helpful() or again.level_by_level(few) or again.inner_levels(few)):
                return again.last
        if self.steps <= BUDGET and (whole := self.whole(choices().after(run.choices), BUDGET)) is not None:
            return whole
        return again.last if again.decided else _doubted(again.last, _OF_ORDER)

    def repeat(self, run: Run, choices: Choices, counts: Counts) -> tuple[Run, bool]:
        """As ``run``, with more iterations of some loops; and whether it ended by itself."""
        left = min(BUDGET, self._more)
        again, ended = self._run(choices.after(run.choices), left, alike=run.alike, counts=counts)
        self._more -= left - max(0, again.left)
        return again, ended


class _Repeats:
    """Repeats a run that races, until one does not. ``last`` is the last that says something; ``decided``: every level
    alone took few enough steps. Only nests with an op that races are run more often.
    """

    def __init__(self, executor: Executor, run: Run, choices: Callable[[], Choices]) -> None:
        self.executor = executor
        self.first = self.last = run
        self.choices = choices
        self.decided = True
        self.counts: dict[tuple[int, int], int] = {}

    def with_helpful(self) -> bool:
        """With the iterations that have helped another run; whether it does not race."""
        return bool(self.executor.helpful) and self._good(self._run(self.executor.helpful))

    def level_by_level(self, few: int) -> bool:
        """Where a level makes a difference, another race may be left, which another level does away with."""
        counts = self.counts = {}
        while True:
            before = _race(self.last)
            for place in self._places():
                if place in counts:
                    continue
                run = self._run(counts | {place: few})
                self.decided &= run is not None
                if self._good(run):
                    return True
                if run is not None and _race(run) != before:
                    counts[place] = few
                    break
            else:
                return False

    def inner_levels(self, few: int) -> bool:
        """The inner levels together, as far as steps last."""
        places = self._places()
        for lowest in range(places[0][1] - 1 if places else -1, -1, -1):
            run = self._run(self.counts | {place: few for place in places if place[1] >= lowest})
            if run is None or self._good(run):
                return run is not None
        return False

    def _places(self) -> list[tuple[int, int]]:
        """Nests and levels with more of which the race may go away, inner levels first."""
        code = self.executor.code
        nests = {nest for op in _race(self.last) or () if (nest := _nest(code, op)) is not None}
        found = [(nest, level) for nest in nests or code.heights for level in range(code.heights[nest] + 1)]
        return sorted(found, key=lambda place: (-place[1], place[0]))

    def _run(self, counts: Counts) -> Run | None:
        """The run with so many iterations; ``None`` if it says nothing about races."""
        run, ended = self.executor.repeat(self.first, self.choices(), counts)
        races = _race(run) is not None
        if not ended or not (races or all(fault.id in _OF_CONTENTS for fault in run.faults)):
            return None
        if not races:
            self.executor.helpful = counts
        self.last = run
        return run

    def _good(self, run: Run | None) -> bool:
        return run is not None and _race(run) is None


def _nest(code: Code, op: ir.Operation) -> int | None:
    """The nest that an op is in."""
    while op != code.function:
        if op in code.nests:
            return code.nests[op]
        op = kernels.owner(op.block)
    return None


def _race(run: Run) -> tuple[ir.Operation, ...] | None:
    """The ops that race, if any do."""
    for fault in run.faults:
        if fault.id in _OF_ORDER:
            return fault.op, *(op for op, _ in fault.notes)
    return None


def _doubted(run: Run, ids: Sequence[str]) -> Run:
    """The run, of which what it says of iterations that were left out is no fault."""
    for fault in run.faults:
        if fault.id in ids:
            run.unproven.setdefault(fault.op, Fault("not-proven", fault.op, f"{fault.message} {_TOO_MANY}"))
    run.faults = [fault for fault in run.faults if fault.id not in ids]
    return run


def _execute(run: Run) -> bool:
    """Run it; whether that ended by itself."""
    try:
        run.execute()
    except Raced as race:
        run.faults = [race.fault]
    except Impossible as impossible:
        run.faults = []
        run.unproven.setdefault(impossible.fault.op, impossible.fault)
    except OutOfBudget:
        run.faults = []
        return False
    return True


def _judged(run: Run) -> list[Fault]:
    """The faults of a run, those in device memory included; a race alone."""
    if _race(run) is not None:
        return run.faults
    contested = _contested(run.touches)
    shared = [touch for touch in run.touches if _segment(touch) in contested]
    for column in _columns(shared):
        memory = Memory(known=True)
        accesses = [(touch.shape, at, touch.access, touch.clock) for touch, at in zip(shared, column, strict=True)]
        try:
            for clashes in memory.touches(accesses):
                run.judge(clashes, "device")
        except Raced as race:
            return [race.fault]
    outside = (_outside(run.code, touch) for touch in run.touches if touch.access.certain)
    return run.faults or [fault for fault in outside if fault is not None][:1]


def _places(touch: Touch) -> Sequence[int]:
    """The address on each core that differs, or the one of all."""
    return touch.at if isinstance(touch.at, Per) else (touch.at,)


def _segment(touch: Touch) -> int:
    """Which argument's memory an access is in; 0 for all that is at literal addresses."""
    return _places(touch)[0] >> POINTER_BITS


def _contested(touches: Sequence[Touch]) -> set[int]:
    """Segments that some unit writes and another one touches."""
    users: dict[int, set[int]] = {}
    written: set[int] = set()
    for touch in touches:
        segment = _segment(touch)
        users.setdefault(segment, set()).add(touch.access.unit)
        if touch.access.writes:
            written.add(segment)
    return {segment for segment in written if len(users[segment]) > 1}


def _columns(touches: Sequence[Touch]) -> Iterator[Sequence[int]]:
    """The addresses of all accesses on each core, once for cores on which they lie in the same way to one another."""
    count = max((len(_places(touch)) for touch in touches), default=0)
    seen: set[tuple[int, ...]] = set()
    for core in range(count):
        column = [places[core] if len(places) > 1 else places[0] for places in map(_places, touches)]
        first: dict[int, int] = {}
        shape = tuple(at - first.setdefault(at >> POINTER_BITS, at) for at in column)
        if shape not in seen:
            seen.add(shape)
            yield column


def _outside(code: Code, touch: Touch) -> Fault | None:
    """What an access outside of the kernel's views is refused with."""
    windows = code.windows
    if windows is None:
        return None
    for at in {min(_places(touch)), max(_places(touch))}:
        low, high = at + touch.shape.low, at + touch.shape.high
        if not any(start <= low and high <= end for start, end in windows):
            text = f"{code.bytes_text(low, high)} are outside of the kernel's views"
            return Fault("out-of-view", touch.access.op, text)
    return None
