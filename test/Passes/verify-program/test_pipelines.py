"""What the static check accepts, the simulator never faults on: over programs that are right by construction, as they
are and changed in one line. ``bench/verify_program.py`` goes on for as long as one likes.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest
from mutants import Mutant, Verdict, gentle, mutants, of_program, simulated, statically, unchanged
from pipelines import Pipeline, drawn, pipeline

RIGHT = range(40)
CHANGED = range(100, 118)


@cache
def judged() -> list[tuple[Pipeline, Mutant, Verdict, Verdict]]:
    """Programs changed in one line, with the verdicts of the check and of the simulator."""
    found = []
    for seed in CHANGED:
        program = pipeline(seed)
        base = of_program(program)
        draw = random.Random(seed)
        for changed in (*draw.sample(list(gentle(base)), 2), *draw.sample(list(mutants(base)), 2)):
            run = simulated(changed)
            if run is not None:
                found.append((program, changed, statically(changed), run))
    return found


@pytest.mark.parametrize("seed", RIGHT)
def test_they_are_accepted_and_every_executor_agrees(seed: int) -> None:
    program = pipeline(seed)
    code = program.artifact()
    assert not statically(unchanged(of_program(program)))
    plain = program.at_stage("program")["y"].tobytes()
    for shuffle in (None, seed):
        assert program.binary(code, shuffle=shuffle)[0]["y"].tobytes() == plain


def test_they_are_of_every_kind() -> None:
    kinds = Counter(kind for seed in RIGHT for kind in drawn(seed).features)
    names = {"loaded", "counter", "flag", "core", "clip", "gather", "ring", "nest", "empty"}
    assert set(kinds) == names | {f"{n} buffers" for n in (2, 3, 4)} | {f"depth {n}" for n in (1, 2, 3)}
    assert min(kinds.values()) >= 3


def test_what_is_accepted_never_faults() -> None:
    wrong = [f"{changed}: {run.ids}\n{changed.text}" for _, changed, static, run in judged() if run and not static]
    assert not wrong


def test_what_is_refused_is_wrong_or_has_another_form() -> None:
    """Where the data decide nothing, a program that is refused faults, or a region leaves a channel unbalanced."""
    for program, changed, static, run in judged():
        if static and not run and not program.shape.by_data:
            assert static.ids == {"stage-invariant"}, changed


def test_many_are_accepted_and_many_refused() -> None:
    accepted = [program.shape for program, _, static, _ in judged() if not static]
    assert len(judged()) / 4 <= len(accepted) <= 3 * len(judged()) / 4
    assert {"ring", "gather", "clip", "nest", "loaded"} <= {kind for shape in accepted for kind in shape.features}
