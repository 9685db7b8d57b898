"""What ``verify-program`` refuses is really wrong, and what it accepts runs.

The simulator, which has the data and draws latencies at random, judges programs in which something was changed.
"""

from __future__ import annotations

import functools
import itertools

import pytest
from by_hand import PROGRAMS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lines import LINES
from mutants import Mutant, Verdict, base_of, mutants, simulated, statically, unchanged

BASES = {
    "rows65-f16": 1,
    "in_place-f16": 2,
    "add-f16": 1,
    "gather": 3,
    "allreduce": 7,
    "multicast": 5,
    "staged": 4,
    "shared_stage": 4,
}
"""Programs, and of how many of their mutants one is judged; ``bench/verify_program.py`` takes them all."""


@functools.cache
def judged(base: str) -> list[tuple[Mutant, Verdict, Verdict]]:
    """Mutants with both verdicts; without those that code generation has no meaning for."""
    found = []
    for mutant in itertools.islice(mutants(base_of(base)), 0, None, BASES[base]):
        run = simulated(mutant)
        if run is not None:
            found.append((mutant, statically(mutant), run))
    return found


@pytest.mark.parametrize("base", BASES)
def test_mutants_are_refused_if_and_only_if_the_simulator_faults(base: str) -> None:
    wrong = [str(mutant) for mutant, static, run in judged(base) if bool(static) != bool(run)]
    assert not wrong


@pytest.mark.parametrize("base", BASES)
def test_the_id_is_the_simulators(base: str) -> None:
    for mutant, static, run in judged(base):
        # Which bytes around the views belong to an array, the launch knows.
        same = {"out-of-view", "out-of-memory"}
        assert static.ids <= run.ids or (static.ids | run.ids) <= same, f"{mutant}: {static.ids}, {run.ids}"


@pytest.mark.parametrize("base", BASES)
def test_the_lines_are_those_of_the_accesses_or_waiters(base: str) -> None:
    for mutant, static, run in judged(base):
        if run:
            assert static.places & run.places, f"{mutant}: lines {static.places}, {run.places}"
            if "race" in static.ids:
                assert 1 <= len(static.places) <= 2, f"{mutant}: a race is of two accesses"


def test_there_are_many_of_each_kind() -> None:
    runs = [run for base in BASES for _, _, run in judged(base)]
    ids = [id for run in runs for id in run.ids]
    assert sum(map(bool, runs)) >= 100
    assert sum(not run for run in runs) >= 5
    for id, least in (("race", 30), ("deadlock", 20), ("channel-misuse", 2), ("out-of-buffer", 3)):
        assert ids.count(id) >= least, id


@pytest.mark.parametrize("name", [str(line) for line in LINES])
def test_what_the_compiler_emits_is_accepted(name: str) -> None:
    assert not statically(unchanged(base_of(name)))


@pytest.mark.parametrize("name", [str(program) for program in PROGRAMS])
def test_programs_by_hand_are_accepted(name: str) -> None:
    assert not statically(unchanged(base_of(name)))


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_is_accepted_never_faults(data: st.DataObject) -> None:
    """Several changes at once, of which one may make up for another."""
    base = base_of(data.draw(st.sampled_from((*BASES, "loop_2-f16"))))
    text = base.text
    for _ in range(data.draw(st.integers(1, 3))):
        text = data.draw(st.sampled_from(list(mutants(base, text)))).text
    mutant = Mutant(base, "several changes", text)
    if not statically(mutant):
        run = simulated(mutant)
        assert not run, f"{run}\n{text}"
