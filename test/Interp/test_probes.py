"""Probes: values by name and by line, on one tile or all, from Python and from the command line."""

import subprocess
import sys

import numpy as np
import pytest
from kernel import execute, line_of, load, parsed, store, tile, view, written

from spyrec import interp
from spyrec.errors import UsageError
from spyrec.interp.probes import stacked

TEXT = (
    "func.func @kernel(%x: index, %z: index) attributes {grid = [2]} {\n%tile = ktdp.get_compute_tile_id : index\n"
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n"
    + view("xv", "%x", (2, 4), "f32")
    + view("zv", "%z", (2, 4), "f32")
    + tile("xt", "xv", "%tile, 0", (1, 4), "memref<2x4xf32>")
    + tile("zt", "zv", "%tile, 0", (1, 4), "memref<2x4xf32>")
    + load("a", "xt", (1, 4), "f32")
    + "%e = tensor.empty() : tensor<1x4xf32>\n"
    "%r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a, %q = %a) -> (tensor<1x4xf32>, tensor<1x4xf32>) {\n"
    "%s = arith.addf %p, %q : tensor<1x4xf32>\n"
    "scf.yield %s, %p : tensor<1x4xf32>, tensor<1x4xf32>\n}\n"
    + store("r#0", "zt", (1, 4), "f32")
    + "return\n}\n"
)  # fmt: skip
X = np.arange(8, dtype=np.float32).reshape(2, 4)


def probed(*probes: str) -> interp.Probes:
    found = interp.Probes([interp.Probe.parse(p) for p in probes], TEXT)
    execute(TEXT, {"x": X, "z": written((2, 4), "f32")}, watcher=found.watcher)
    return found


def test_a_name_on_one_tile() -> None:
    (record,) = probed("%a@tile=1").records
    assert (record.name, record.tile, record.execution) == ("%a", 1, 0)
    assert np.array_equal(record.data, X[1:])
    assert record.position.line == line_of(TEXT, "ktdp.load")


def test_every_execution_and_every_tile() -> None:
    records = probed("%s").records
    assert [(r.tile, r.execution) for r in records] == [(t, k) for t in (0, 1) for k in range(3)]
    assert np.array_equal(records[5].data, 5 * X[1:])


def test_results_of_one_op_by_number_and_together() -> None:
    assert [r.name for r in probed("%r#1@tile=0").records] == ["%r#1"]
    assert [r.name for r in probed("%r@tile=0").records] == ["%r#0", "%r#1"]


def test_a_line_and_what_is_no_number() -> None:
    records = probed(f"{line_of(TEXT, 'tensor.empty')}@tile=0").records
    assert (records[0].undefined, "4 elements undefined" in records[0].shown) == (4, True)
    (record,) = probed("%xv@tile=0").records
    assert (record.data, record.shown) == (None, "a view")


def test_what_matches_nothing_is_named() -> None:
    assert [p.name for p in probed("%nowhere", "%a").missing()] == ["%nowhere"]


@pytest.mark.parametrize("text", ["a", "%a@tile=", "%a@tile=x", "-3", "", "%"])
def test_probes_that_are_none(text: str) -> None:
    with pytest.raises(UsageError):
        interp.Probe.parse(text)


def test_many_executions_keep_the_first_ones_and_the_last() -> None:
    text = TEXT.replace("arith.constant 3 : index", "arith.constant 100 : index")
    found = interp.Probes([interp.Probe.parse("%s@tile=0")], text)
    execute(text, {"x": X * 0, "z": written((2, 4), "f32")}, watcher=found.watcher)
    assert [r.execution for r in found.records] == [*range(64), 99]


def test_values_of_several_shapes_are_no_one_array() -> None:
    records = probed(f"{line_of(TEXT, 'scf.for')}@tile=0", "%e").records
    assert stacked([r for r in records if r.name == "%r#0"]).shape == (1, 4)
    other = probed("%tile").records
    with pytest.raises(UsageError, match=r"its values are .*scalar.*; one file takes values of one shape"):
        stacked([*records[:1], *other])


def test_the_command_line(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "k.mlir"
    file.write_text(TEXT, encoding="utf-8")
    np.save(tmp_path / "x.npy", X)
    run = [sys.executable, "-m", "spyrec", "run", str(file), "--in", f"x={tmp_path}/x.npy"]
    done = subprocess.run([*run, "--stage", "ktir", "--probe", "%a@tile=1"], capture_output=True, text=True, check=True)
    assert "%a (" in done.stdout
    assert "[[4., 5., 6., 7.]]" in done.stdout
    for flags in (["--probe", "%a"], ["--stage", "ktir", "--probe", "%nowhere"], ["--stage", "ktir", "--probe", "a"]):
        assert subprocess.run([*run, *flags], capture_output=True).returncode == 2


def test_parsing_keeps_the_text() -> None:
    with parsed(TEXT) as function:
        assert interp.signature_of(function).grid == 2


def test_strict_bounds_on_the_command_line(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "k.mlir"
    file.write_text(TEXT.replace("%xv[%tile, 0]", "%xv[%tile, 2]"), encoding="utf-8")
    run = [sys.executable, "-m", "spyrec", "run", str(file), "--stage", "ktir"]
    loose = subprocess.run(run, capture_output=True, text=True)
    assert (loose.returncode, "[clipped-tile]" in loose.stderr) == (0, True)
    strict = subprocess.run([*run, "--strict-bounds"], capture_output=True, text=True)
    assert (strict.returncode, "[out-of-view]" in strict.stderr) == (1, True)
    assert subprocess.run([*run[:5], "--strict-bounds"], capture_output=True).returncode == 2
