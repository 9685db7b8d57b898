"""Deep nests of long loops, which are cut: what orders units may be the iterations that are left out.

Where an inner loop is known to run often, pruning lets what units wait for in it order what is around it.
"""

from __future__ import annotations

import functools
import re

import pytest

from spyrec import asm, driver
from spyrec.device import read
from spyrec.dialects import make_context
from spyrec.mlir import ir
from spyrec.passes.analysis.dry_run import check, execute
from spyrec.passes.analysis.dry_run.choices import Choices
from spyrec.passes.analysis.dry_run.code import code_of

HEAD = """\
#all = affine_set<(r, c) : (r >= 0, -r + {last} >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#same = affine_map<(r, c) -> (r, c)>
func.func @kernel(%x_ptr: index, %y_ptr: index) attributes {{grid = [2]}} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %trips = arith.constant {trips} : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [{rows}, 64], strides: [64, 1]
    {{coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<{rows}x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [{rows}, 64], strides: [64, 1]
    {{coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<{rows}x64xf16>
"""

BODY = """\
scf.for %i{k} = %zero to %trips step %one {{
  %k{k} = arith.constant {first} : index
  %r{k} = arith.addi %i{k}, %k{k} : index
  %a{k}_at = ktdp.construct_access_tile %x[%r{k}, 0] {{access_tile_set = #row, access_tile_order = #same}}
    : memref<{rows}x64xf16> -> !ktdp.access_tile<1x64xindex>
  %a{k} = ktdp.load %a{k}_at : <1x64xindex> -> tensor<1x64xf16>
  %b{k} = arith.negf %a{k} : tensor<1x64xf16>
  %b{k}_to = ktdp.construct_access_tile %y[%r{k}, 0] {{access_tile_set = #row, access_tile_order = #same}}
    : memref<{rows}x64xf16> -> !ktdp.access_tile<1x64xindex>
  ktdp.store %b{k}, %b{k}_to : tensor<1x64xf16>, <1x64xindex>
"""

DEEP = [(4, 1_000), (5, 64), (8, 64)]


@functools.cache
def program(deep: int, trips: int, *others: int) -> str:
    """Nests of loops, a row in each, at stage ``program``; the gate has accepted it."""
    rows = 3 * (deep + sum(others)) + trips
    text = HEAD.format(rows=rows, last=rows - 1, trips=trips)
    first = 0
    for depth in (deep, *others):
        text += "".join(BODY.format(k=k, first=3 * k, rows=rows) for k in range(first, first + depth)) + "}\n" * depth
        first += depth
    text += "return\n}\n"
    found = driver.compile_text(text, "nest.mlir", driver.Options(emit="program")).text
    assert found is not None
    return found


def channels(text: str) -> list[str]:
    return re.findall(r"dataflow\.channel @(\S+)", text)


def without(text: str, name: str) -> str:
    """A program without one of its channels."""
    end = rf"(wait|post|channel) @{re.escape(name)}( |$)"
    return "\n".join(row for row in text.splitlines() if not re.search(end, row))


def checked(text: str) -> check.Verdict:
    with make_context() as context:
        module = asm.read(text, "nest.mlir", context).module
        return check.verdict(module.body.operations[0].operation, read.load("spyre"))


def refused(text: str) -> set[str]:
    return {fault.id for fault in checked(text).faults}


def refused_whole(text: str) -> set[str]:
    """What a run without a cut finds."""
    with make_context() as context:
        module = asm.read(text, "nest.mlir", context).module
        function: ir.Operation = module.body.operations[0].operation
        code = code_of(function)
        run = execute.Executor(code, range(code.tiles), read.load("spyre")).whole(Choices(), 10_000_000)
        assert run is not None
        return {fault.id for fault in run.faults}


@pytest.mark.parametrize("trips", [5, 20, 64, 1_000])
@pytest.mark.parametrize("deep", [2, 3, 4, 5, 8])
def test_nests_compile(deep: int, trips: int) -> None:
    assert channels(program(deep, trips))


@pytest.mark.parametrize("depths", [(4, 6), (6, 4), (8, 5, 3)])
def test_nests_of_several_depths_are_looked_at(depths: tuple[int, ...]) -> None:
    found = checked(program(depths[0], 1_000, *depths[1:]))
    assert not found.faults
    assert not [fault.message for fault in found.unproven.values() if "execute" in fault.message]


@pytest.mark.parametrize(("deep", "trips"), DEEP)
def test_few_iterations_alone_would_race(deep: int, trips: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = program(deep, trips)
    monkeypatch.setattr(execute.Executor, "_with_more", lambda self, run, choices: run)
    assert refused(text) == {"race"}


@pytest.mark.parametrize(("deep", "trips"), [*DEEP[:2], (3, 64)])
def test_without_any_channel_they_are_refused(deep: int, trips: int) -> None:
    text = program(deep, trips)
    assert [name for name in channels(text) if refused(without(text, name)) != {"race"}] == []


@pytest.mark.parametrize(("deep", "trips"), [(3, 6), (4, 5)])
def test_a_run_that_is_cut_finds_what_one_without_a_cut_does(
    deep: int, trips: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "_FEW_STEPS", 100)
    text = program(deep, trips)
    for changed in (text, *(without(text, name) for name in channels(text))):
        assert refused(changed) == refused_whole(changed)


def test_what_is_not_known_to_run_often_orders_nothing() -> None:
    text = program(4, 1_000)
    launched = text.replace("%y_ptr: index", "%y_ptr: index, %n: index").replace("to %c20 ", "to %n ")
    assert launched.count("to %n ") == 5
    assert refused(launched) == {"race"}


def test_what_cannot_be_repeated_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program(4, 1_000)
    monkeypatch.setattr(execute, "BUDGET", 1_500)
    found = checked(text)
    assert not found.faults
    (said,) = {fault.message for fault in found.unproven.values() if "no channel orders the two" in fault.message}
    assert said.endswith("in the iterations that were executed; there are too many to execute all")
