"""What compiling must not do over and over: counted, since times depend on the machine (``bench/compile_time.py``)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import spyrec
from spyrec import asm, dialects, driver
from spyrec.driver.compile import kernels, printed
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels as functions
from spyrec.passes.analysis import schedule
from spyrec.passes.analysis.dry_run.choices import Choices
from spyrec.passes.analysis.dry_run.code import code_of
from spyrec.passes.analysis.dry_run.machine import Run

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import compile_time as bench  # noqa: E402


def at_stage(text: str, stage: str) -> driver.Compiled:
    return driver.compile_text(text, "kernel.mlir", driver.Options(emit=stage))


@pytest.mark.parametrize("shape", bench.SHAPES, ids=lambda shape: shape.__name__)
def test_programs_of_the_bench_are_as_long_as_they_say(shape: Callable[[int], str]) -> None:
    module = asm.read(shape(1000), "kernel.mlir", dialects.make_context()).module
    count = sum(1 for _ in functions.walk(module.operation))
    assert 950 <= count <= 1150


def test_contexts_load_what_kernels_are_written_in_and_the_rest_when_asked() -> None:
    context = dialects.make_context()
    assert context.is_dialect_loaded("linalg")
    assert not context.is_dialect_loaded("transform")
    assert not context.is_dialect_loaded("shape")
    module = ir.Module.parse("%0 = shape.const_size 3", context)
    assert context.is_dialect_loaded("shape")
    assert [view.operation.name for view in module.body.operations] == ["shape.const_size"]


def test_fused_bodies_are_of_bounded_length() -> None:
    length, most = 600, 256
    text = bench.chain(length)
    compiled = at_stage(text, "kernel")
    ops = [op for op in functions.walk(compiled.module.operation) if op.name == "linalg.generic"]
    bodies = [len(op.regions[0].blocks[0].operations) - 1 for op in ops]
    assert sum(bodies) == length
    assert max(bodies) <= most
    assert len(bodies) <= length // most + 1
    x = np.linspace(-3, 3, 64, dtype=np.float16).reshape(1, 64)
    kernel = text.replace("grid = [2]", "grid = [1]")
    as_written = spyrec.interpret(kernel, {"x_ptr": x}).outputs["y_ptr"]
    assert spyrec.compile(kernel).run({"x_ptr": x})["y_ptr"].tobytes() == as_written.tobytes()


@pytest.mark.parametrize("shape", [bench.triples, bench.loops_of_triples, bench.nests, bench.branches])
def test_a_whole_run_takes_at_least_the_steps_that_are_foreseen(shape: Callable[[int], str]) -> None:
    compiled = at_stage(shape(110), "program")
    ((_, function),) = kernels(compiled.module)
    code = code_of(function)
    budget = 1_000_000
    run = Run(code, (0,), Choices(), 1 << 21, 1 << 40, left=budget, cuts=False)
    run.execute()
    assert not run.faults
    foreseen = sum(unit.least_steps for unit in code.units)
    if shape is bench.branches:
        assert 0 < foreseen <= budget - run.left
    else:
        assert foreseen == budget - run.left


def test_a_schedule_is_read_once_from_addresses_to_units(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = at_stage((ROOT / "examples" / "semantics" / "flash_attention.mlir").read_text(), "schedule")
    read, seen = schedule.read, []
    monkeypatch.setattr(schedule, "read", lambda *given, **more: seen.append(1) or read(*given, **more))
    driver.compile_text(printed(compiled.module.operation), "x.mlir", driver.Options(from_stage="schedule"))
    assert len(seen) == 1


def test_arrays_of_numbers_and_dictionaries_iterate_over_their_entries() -> None:
    with dialects.make_context(), ir.Location.unknown():
        assert list(ir.DenseI64ArrayAttr.get([3, -1, 2])) == [3, -1, 2]
        assert list(ir.DenseI32ArrayAttr.get([])) == []
        entry = ir.StringAttr.get("x")
        assert [(named.name, named.attr) for named in ir.DictAttr.get({"a": entry})] == [("a", entry)]


def test_more_boxes_are_shared_than_an_op_can_name() -> None:
    text = bench.branches(9 * 70)
    x = np.linspace(-1, 1, 70 * 64, dtype=np.float16).reshape(70, 64)
    as_written = spyrec.interpret(text, {"x_ptr": x}).outputs["y_ptr"]
    code = spyrec.compile(text)
    assert code.run({"x_ptr": x})["y_ptr"].tobytes() == as_written.tobytes()
