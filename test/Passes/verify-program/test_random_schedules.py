"""Random schedules that the passes have synchronised: accepted as they are, refused without any one channel.

The generator is that of ``test/Passes/split-units``, whose oracle shows that each of these channels is needed. Loops
have bounds, and branches conditions, that only a launch knows. The schedules compute with whatever is in LX: what was
written there before, if anything, does not matter here.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "split-units"))

from test_every_order import Generator, is_needed, lower

from spyrec import asm
from spyrec.device import read
from spyrec.dialects import make_context
from spyrec.mlir import ir
from spyrec.passes.analysis.dry_run import check, memory


@pytest.fixture(autouse=True)
def only_order_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    real = memory.Memory.touch

    def touch(self: memory.Memory, *arguments: Any) -> list[memory.Clash]:
        return [clash for clash in real(self, *arguments) if clash.id == "race"]

    monkeypatch.setattr(memory.Memory, "touch", touch)


def schedule(seed: int, size: int, constant: float) -> str:
    """A random schedule whose bodies use all their inputs: an input that is not used is not read."""

    def body(match: re.Match[str]) -> str:
        count, add, type_ = match[1].count(":"), match[2], match[4]
        sums = [f"%s{k} = {add} {'%e0' if k == 1 else f'%s{k - 1}'}, %e{k} : {type_}" for k in range(1, count - 1)]
        last = f"%s{count - 2}" if count > 2 else "%e0" if count > 1 else match[3]
        return f"^bb0({match[1]}): {' '.join(sums)} %q = {add} {last}, {match[3]} : {type_}"

    text = Generator(seed, size, constant=constant).text()
    text, bodies = re.subn(r"\^bb0\(([^)]*)\): %q = (arith\.add[fi]) (%\w+), %\w+ : (\w+)", body, text)
    assert bodies == text.count("^bb0(")
    return text


def found(function: ir.Operation) -> set[str]:
    return {fault.id for fault in check.verdict(function, read.load("spyre")).faults}


@pytest.mark.parametrize("share", ["never", "always"])
def test_they_are_accepted(share: str) -> None:
    with make_context() as context:
        for seed in range(30):
            text = schedule(seed, 3 + seed % 6, 0.3)
            assert not found(lower(context, text, share=share, prune=seed % 3 > 0).program), seed


@pytest.mark.parametrize("first", [100, 150, 180])
def test_without_any_channel_they_are_refused(first: int) -> None:
    """But for those that pruning keeps for what no input does (docs/decisions/0040), by all launches of few iterations:
    a conflict in some iterations alone keeps a channel.
    """
    removed = kept = 0
    with make_context() as context:
        for seed in range(first, first + 12):
            lowered = lower(context, schedule(seed, 6, 0), share="never", prune=True)
            text = asm.print_op(lowered.program)
            # A distance between boxes of device memory can be longer than the loops that are run.
            for name in (name for name, credits in lowered.credits.items() if credits <= 3):
                rows = [r for r in text.splitlines() if not re.search(rf"(wait|post|channel) @{name}( |$)", r)]
                module = asm.read("\n".join(rows), "without.mlir", context).module
                ids = found(module.body.operations[0].operation)
                assert ids == {"race"} or (not ids and not is_needed(lowered, name)), (seed, name)
                removed += 1
                kept += not ids
    assert removed >= 10
    assert kept <= 1
