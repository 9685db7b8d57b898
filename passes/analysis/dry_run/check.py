"""All classes of inputs of a program, one run after the other, until one breaks a rule.

What could not be looked at is handed back too: nothing counts as right because it was not understood.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from spyrec.device.model import Device
from spyrec.dialects.dataflow import LX
from spyrec.mlir import ir
from spyrec.passes.analysis.dry_run.between import TooMany, conflicts
from spyrec.passes.analysis.dry_run.choices import Choices
from spyrec.passes.analysis.dry_run.code import POINTER_BITS, Code, Unmodelled, code_of, hosts
from spyrec.passes.analysis.dry_run.machine import BUDGET, Fault, Impossible, OutOfBudget, Raced, Run, Touch
from spyrec.passes.analysis.dry_run.memory import Memory
from spyrec.passes.analysis.dry_run.values import Diverges, Per

_UNIFORM = 5
_MAX_RUNS = 40
_RANDOM = 12
_RANDOM_OF_FEW_STEPS = 48
_FEW_STEPS = 4_000
"""Programs that take no more are executed without leaving out iterations."""

_OF_CONTENTS = ("unwritten-read", "wrong-buffer")
"""Faults that depend on what every iteration before has written."""


@dataclass
class Verdict:
    """What a program breaks for some input: a race alone, or whatever else the first run that fails finds.

    ``unproven`` is what was not looked at, at most once per op.
    """

    faults: list[Fault] = field(default_factory=list)
    unproven: dict[ir.Operation, Fault] = field(default_factory=dict)


def verdict(function: ir.Operation, device: Device) -> Verdict:
    """Run a program for all classes of inputs."""
    found = Verdict()
    for host in hosts(function):
        one = _verdict(function, device, host)
        found.faults = one.faults
        found.unproven = one.unproven | found.unproven
        if found.faults:
            break
    return found


def _verdict(function: ir.Operation, device: Device, host: int | None) -> Verdict:
    try:
        code = code_of(function, host)
    except Unmodelled as unknown:
        return Verdict(unproven=_only(function, f"the program was not executed: {unknown} has no meaning without data"))
    found = Verdict()
    first: list[Run] = []
    waiting: list[Sequence[int]] = [tuple(range(code.tiles))]
    while waiting:
        cores = waiting.pop(0)
        try:
            for number, run in enumerate(_runs(code, cores, device)):
                found.faults = _judged(run)
                found.unproven |= run.unproven
                if found.faults:
                    return found
                if number == 0 and not code.between_cores:
                    first.append(run)
        except Diverges as diverging:
            waiting[:0] = _parts(cores, diverging.keys)
    try:
        race, writes = conflicts(first)
    except TooMany:
        text = "whether cores conflict in device memory was not looked at: there are too many pieces"
        found.unproven |= _only(function, text)
        return found
    if race is not None:
        found.faults = [race]
    elif writes is not None:
        found.unproven.setdefault(writes.op, writes)
    return found


def _only(op: ir.Operation, message: str) -> dict[ir.Operation, Fault]:
    return {op: Fault("not-proven", op, message)}


def _parts(cores: Sequence[int], keys: Sequence[object]) -> list[Sequence[int]]:
    """The cores whose control, or whose addresses in LX, are the same."""
    parts: dict[object, list[int]] = {}
    for core, key in zip(cores, keys, strict=True):
        parts.setdefault(key, []).append(core)
    return list(parts.values())


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


def _runs(code: Code, cores: Sequence[int], device: Device) -> Iterator[Run]:
    """A run for each class of inputs: every choice the first option, every one the second, and so on; then all
    combinations if they are few, or else all pairs of options of two choices that are near to one another; then some at
    random.
    """

    lx_size, span = device.rooms()[LX], device.limits.access_span
    spare = BUDGET

    def made(choices: Callable[[], Choices]) -> Run:
        nonlocal spare
        run = Run(code, cores, choices(), lx_size, span, left=BUDGET, cuts=cuts)
        ended = _execute(run)
        if cuts and code.visits and (run.faults or not ended):
            # A loop may have been cut that waits for one whose iterations meet cores.
            run = Run(code, cores, choices(), lx_size, span, left=BUDGET, alike=True)
            ended = _execute(run)
        if not ended:
            text = f"of some inputs only the first {BUDGET} steps were executed; what comes after was not looked at"
            run.unproven |= _only(code.function, text)
        if not cuts or not (run.doubtful or any(fault.id in _OF_CONTENTS for fault in run.faults)):
            return run
        # Iterations that were left out may be those that write it.
        whole = Run(code, cores, choices(), lx_size, span, left=spare, cuts=False)
        ended = _execute(whole)
        spare = max(0, whole.left)
        if ended:
            return whole
        for fault in run.faults:
            if fault.id in _OF_CONTENTS:
                text = f"{fault.message} in the iterations that were executed; there are too many to execute all"
                run.unproven.setdefault(fault.op, Fault("not-proven", fault.op, text))
        run.faults = [fault for fault in run.faults if fault.id not in _OF_CONTENTS]
        return run

    # The program is executed whole if that takes few steps; where it surely takes more, that is not even tried.
    steps = sum(unit.least_steps for unit in code.units) * (len(cores) if code.between_cores else 1)
    cuts = steps > _FEW_STEPS
    if not cuts:
        first = Run(code, cores, Choices(), lx_size, span, left=_FEW_STEPS, cuts=False)
        cuts = not _execute(first)
    if cuts:
        first = made(partial(Choices, answers=code.answers))
    yield first
    taken = first.choices.taken
    if not taken:
        return
    seen = _Seen()
    seen.add(first.choices)

    def new(choices: Callable[[], Choices]) -> Iterator[Run]:
        nonlocal taken
        before = seen.path(choices())
        if before is None:
            run = made(choices)
            seen.add(run.choices)
            yield run
        taken = run.choices.taken if before is None else before

    for option in range(1, _UNIFORM):
        yield from new(partial(Choices, answers=code.answers, default=_always(option)))
    taken = first.choices.taken
    few = math.prod(options for _, options in taken) <= _MAX_RUNS
    for _ in range(_MAX_RUNS if few else 0):
        script = _following(taken)
        if script is None:
            return
        yield from new(partial(Choices, script, answers=code.answers))
    for row in range(0 if few else _UNIFORM**2):
        yield from new(partial(Choices, answers=code.answers, default=_pairs(row)))
    for seed in range(_RANDOM if cuts else _RANDOM_OF_FEW_STEPS):
        yield from new(partial(_drawn, seed, code))


class _Seen:
    """The options that runs have taken. Options decide all of a run that looks at no single bits."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, ...], int] = {}
        self._bits = False

    def add(self, choices: Choices) -> None:
        """Remember a run."""
        options = tuple(option for option, _ in choices.taken)
        for number, (_, count) in enumerate(choices.taken):
            self._counts[options[:number]] = count
        self._counts[options] = 0
        self._bits |= choices.drew

    def path(self, choices: Choices) -> list[tuple[int, int]] | None:
        """What a run with these choices takes, if one before took the same."""
        taken: list[tuple[int, int]] = []
        while not self._bits:
            count = self._counts.get(tuple(option for option, _ in taken))
            if count is None:
                break
            if count == 0:
                return taken
            taken.append((choices.option(len(taken), count), count))
        return None


def _drawn(seed: int, code: Code) -> Choices:
    draw = random.Random(seed)
    return Choices(
        default=lambda number, options: draw.randrange(options), bits=lambda: draw.getrandbits(63), answers=code.answers
    )


def _always(option: int) -> Callable[[int, int], int]:
    return lambda number, options: min(option, options - 1)


def _pairs(row: int) -> Callable[[int, int], int]:
    """Options such that over all rows each two of any six choices in a row take all pairs (an orthogonal array)."""
    one, other = divmod(row, _UNIFORM)

    def option(number: int, options: int) -> int:
        column = number % (_UNIFORM + 1)
        return (one if column == _UNIFORM else other + column * one) % _UNIFORM % options

    return option


def _following(taken: Sequence[tuple[int, int]]) -> list[int] | None:
    """The choices after ``taken`` in the order of all combinations."""
    script = [option for option, _ in taken]
    for k in range(len(taken) - 1, -1, -1):
        if taken[k][0] + 1 < taken[k][1]:
            return [*script[:k], taken[k][0] + 1]
    return None


# Device memory


def _judged(run: Run) -> list[Fault]:
    """The faults of a run, those in device memory included; a race alone."""
    if any(fault.id in ("race", "tile-race") for fault in run.faults):
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
