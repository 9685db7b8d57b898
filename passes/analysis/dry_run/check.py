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
from spyrec.mlir import ir
from spyrec.passes.analysis.dry_run.between import TooMany, conflicts
from spyrec.passes.analysis.dry_run.choices import Choices
from spyrec.passes.analysis.dry_run.code import Code, Unmodelled, code_of, hosts
from spyrec.passes.analysis.dry_run.execute import Executor, only
from spyrec.passes.analysis.dry_run.machine import Fault, Run
from spyrec.passes.analysis.dry_run.values import Diverges

_UNIFORM = 5
_MAX_RUNS = 40
_RANDOM = 12
_RANDOM_OF_FEW_STEPS = 48
_FEW_STEPS = 4_000
"""Programs that take no more are executed without leaving out iterations."""


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
        return Verdict(unproven=only(function, f"the program was not executed: {unknown} has no meaning without data"))
    found = Verdict()
    first: list[Run] = []
    waiting: list[Sequence[int]] = [tuple(range(code.tiles))]
    while waiting:
        cores = waiting.pop(0)
        try:
            for number, run in enumerate(_runs(code, cores, device)):
                found.faults = run.faults
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
        found.unproven |= only(function, text)
        return found
    if race is not None:
        found.faults = [race]
    elif writes is not None:
        found.unproven.setdefault(writes.op, writes)
    return found


def _parts(cores: Sequence[int], keys: Sequence[object]) -> list[Sequence[int]]:
    """The cores whose control, or whose addresses in LX, are the same."""
    parts: dict[object, list[int]] = {}
    for core, key in zip(cores, keys, strict=True):
        parts.setdefault(key, []).append(core)
    return list(parts.values())


def _runs(code: Code, cores: Sequence[int], device: Device) -> Iterator[Run]:
    """A run for each class of inputs: every choice the first option, every one the second, and so on; then all
    combinations if they are few, or else all pairs of options of two choices that are near to one another; then some at
    random.
    """

    # The program is executed whole if that takes few steps; where it surely takes more, that is not even tried.
    executor = Executor(code, cores, device)
    first = executor.whole(Choices(), _FEW_STEPS) if executor.steps <= _FEW_STEPS else None
    made, few_steps = (executor.at_length, True) if first is not None else (executor.cut, False)
    if first is None:
        first = executor.cut(partial(Choices, answers=code.answers))
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
    for seed in range(_RANDOM_OF_FEW_STEPS if few_steps else _RANDOM):
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
