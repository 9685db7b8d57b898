# ruff: noqa: E501 (ops of kernels keep to a line)
"""Random kernels do the same at every stage, as binary and in any order; and small ones that once did not.

``bench/fuzz_kernels.py`` runs as many as one likes.
"""

from __future__ import annotations

import numpy as np
import pytest
from agreement import Setting, check, setting
from executed import kernel, load, store
from random_kernels import Kernel
from random_kernels import kernel as random_kernel

from spyrec import driver
from spyrec.passes.analysis.dry_run import execute as dry_run

MAPS = "#rc = affine_map<(r, c) -> (r, c)>\n#r = affine_map<(r, c) -> (r)>\n#c = affine_map<(r, c) -> (c)>\n#none = affine_map<(r, c) -> ()>\n#one = affine_map<(i) -> (i)>\n"


@pytest.mark.parametrize("seed", range(12))
def test_a_random_kernel_does_the_same_everywhere(seed: int) -> None:
    outcome = check(random_kernel(seed), setting(seed))
    assert outcome.kind in ("equal", "rounded"), outcome


def test_a_difference_is_seen() -> None:
    """The check itself: a kernel with other data at its later stages."""
    found = random_kernel(0)
    changed = Kernel(found.text, dict(found.values), found.exact)
    runs = []

    class Changing(dict[str, object]):
        def items(self):  # type: ignore[no-untyped-def]
            runs.append(0)
            return [(n, v + len(runs) if isinstance(v, np.ndarray) else v) for n, v in super().items()]

    changed.values = Changing(found.values)
    assert check(changed, Setting()).kind in ("mismatch", "fault")


FOUND = {
    # Units and the host divide without a sign, too.
    "unsigned_divisions_of_negative_numbers": (
        f"""{load("a", "x", "4xi32")}
    %p = tensor.extract %a[%c0] : tensor<4xi32>
    %q = tensor.extract %a[%c1] : tensor<4xi32>
    %m = arith.constant -5 : i32
    %five = arith.constant 5 : i32
    %n = arith.minsi %p, %m : i32
    %d = arith.divui %n, %five : i32
    %r = arith.remui %n, %five : i32
    %c = arith.ceildivui %q, %n : i32
    %e = arith.addi %d, %c : i32
    %s = tensor.splat %e : tensor<4xi32>
    %k = arith.index_cast %r : i32 to index
    %y = scf.for %i = %c0 to %k step %c1 iter_args(%t = %s) -> (tensor<4xi32>) {{
      %u = arith.addi %t, %a : tensor<4xi32>
      scf.yield %u : tensor<4xi32>
    }}
    {store("y", "z", "4xi32")}""",
        ("x 4xi32", "z 4xi32"),
        Setting(),
    ),
    # Folding has made the term 0 before the fold had its init.
    "a_fold_of_nothing_into_nothing": (
        f"""{load("a", "x", "4x8xi32")}
    %e = tensor.empty() : tensor<i32>
    %f = linalg.generic {{indexing_maps = [#rc, #none], iterator_types = ["reduction", "reduction"]}} ins(%a : tensor<4x8xi32>) outs(%e : tensor<i32>) {{
    ^bb0(%p: i32, %o: i32):
      %g = arith.xori %p, %p : i32
      %h = arith.addi %o, %g : i32
      linalg.yield %h : i32
    }} -> tensor<i32>
    %y = tensor.expand_shape %f [] output_shape [1] : tensor<i32> into tensor<1xi32>
    {store("y", "z", "1xi32")}""",
        ("x 4x8xi32", "z 1xi32"),
        Setting(),
    ),
    # What is stored and folded is 0 everywhere: in one stream with its fold, the fold would be gone.
    "a_fold_of_zeros_that_are_stored": (
        f"""{load("a", "x", "4x8xi32")}
    %zero = arith.xori %a, %a : tensor<4x8xi32>
    %e = arith.constant dense<3> : tensor<i32>
    %f = linalg.reduce {{ arith.ori }} ins(%zero : tensor<4x8xi32>) outs(%e : tensor<i32>) dimensions = [0, 1]
    %y = tensor.expand_shape %f [] output_shape [1] : tensor<i32> into tensor<1xi32>
    {store("zero", "w", "4x8xi32")}
    {store("y", "z", "1xi32")}""",
        ("x 4x8xi32", "w 4x8xi32", "z 1xi32"),
        Setting(),
    ),
    # Fusion has: a maximum of unsigned numbers with 0 is no fold any more.
    "a_fold_that_fusion_makes_none": (
        f"""{load("a", "x", "4x8xi32")}
    %zero = arith.xori %a, %a : tensor<4x8xi32>
    %e = arith.constant dense<-2> : tensor<4xi32>
    %f = linalg.generic {{indexing_maps = [#rc, #rc, #r], iterator_types = ["parallel", "reduction"]}} ins(%a, %zero : tensor<4x8xi32>, tensor<4x8xi32>) outs(%e : tensor<4xi32>) {{
    ^bb0(%p: i32, %q: i32, %o: i32):
      %g = arith.muli %p, %q : i32
      %h = arith.maxui %o, %g : i32
      linalg.yield %h : i32
    }} -> tensor<4xi32>
    {store("f", "z", "4xi32")}""",
        ("x 4x8xi32", "z 4xi32"),
        Setting("small_cores"),
    ),
    # Merging has: what stays in a buffer all the same was folded with what goes on in it.
    "a_fold_that_merging_makes_none": (
        f"""{load("a", "x", "4xi32")}
    %zero = arith.constant dense<0> : tensor<4x8xi32>
    %f = linalg.generic {{indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}} ins(%zero : tensor<4x8xi32>) outs(%a : tensor<4xi32>) {{
    ^bb0(%p: i32, %o: i32):
      %h = arith.minui %o, %p : i32
      linalg.yield %h : i32
    }} -> tensor<4xi32>
    {store("f", "z", "4xi32")}
    {store("zero", "y", "4x8xi32")}""",
        ("x 4xi32", "y 4x8xi32", "z 4xi32"),
        Setting(),
    ),
    # Upstream fuses what goes on in its output into what broadcasts it, and it goes on for each row.
    "rows_of_what_goes_on_in_its_output": (
        f"""{load("a", "x", "8xi32")}
    %b = linalg.generic {{indexing_maps = [#one, #one], iterator_types = ["parallel"]}} ins(%a : tensor<8xi32>) outs(%a : tensor<8xi32>) {{
    ^bb0(%p: i32, %o: i32):
      %h = arith.muli %o, %p : i32
      linalg.yield %h : i32
    }} -> tensor<8xi32>
    %e = tensor.empty() : tensor<4x8xi32>
    %f = linalg.generic {{indexing_maps = [#c, #rc], iterator_types = ["parallel", "parallel"]}} ins(%b : tensor<8xi32>) outs(%e : tensor<4x8xi32>) {{
    ^bb0(%p: i32, %o: i32):
      %h = arith.addi %p, %p : i32
      linalg.yield %h : i32
    }} -> tensor<4x8xi32>
    {store("f", "z", "4x8xi32")}""",
        ("x 8xi32", "z 4x8xi32"),
        Setting(tuning=("keep-tensors=off",)),
    ),
    # Upstream makes a sum of what is negated a difference, which is no fold.
    "a_sum_of_negations": (
        f"""{load("i", "x", "4x8xi32")}
    %a = arith.sitofp %i : tensor<4x8xi32> to tensor<4x8xf32>
    %n = arith.negf %a : tensor<4x8xf32>
    %e = arith.constant dense<0.0> : tensor<4xf32>
    %f = linalg.generic {{indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}} ins(%n : tensor<4x8xf32>) outs(%e : tensor<4xf32>) {{
    ^bb0(%p: f32, %o: f32):
      %h = arith.addf %o, %p : f32
      linalg.yield %h : f32
    }} -> tensor<4xf32>
    %y = arith.fptosi %f : tensor<4xf32> to tensor<4xi32>
    {store("y", "z", "4xi32")}""",
        ("x 4x8xi32", "z 4xi32"),
        Setting(),
    ),
    # A stream folds the same loops into all that it folds: rows and columns of what both go on in are two.
    "sums_of_rows_and_columns": (
        f"""{load("a", "x", "4x8xi32")}
    %b = arith.muli %a, %a : tensor<4x8xi32>
    %e = arith.constant dense<0> : tensor<4xi32>
    %f = linalg.generic {{indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}} ins(%b : tensor<4x8xi32>) outs(%e : tensor<4xi32>) {{
    ^bb0(%p: i32, %o: i32):
      %h = arith.addi %o, %p : i32
      linalg.yield %h : i32
    }} -> tensor<4xi32>
    %g = arith.constant dense<0> : tensor<8xi32>
    %k = linalg.generic {{indexing_maps = [#rc, #c], iterator_types = ["reduction", "parallel"]}} ins(%b : tensor<4x8xi32>) outs(%g : tensor<8xi32>) {{
    ^bb0(%p: i32, %o: i32):
      %h = arith.addi %o, %p : i32
      linalg.yield %h : i32
    }} -> tensor<8xi32>
    {store("b", "w", "4x8xi32")}
    {store("f", "z", "4xi32")}
    {store("k", "y", "8xi32")}""",
        ("x 4x8xi32", "w 4x8xi32", "z 4xi32", "y 8xi32"),
        Setting(),
    ),
}

IN_TILES = """
#p = affine_set<(i) : (i >= 0, -i + 62 >= 0)>
#id = affine_map<(i) -> (i)>
#tiles = affine_set<(i)[g] : (i >= 0, -i + 5 >= 0)>
#one = affine_set<(g) : (g == 0)>
#whole = affine_set<(i) : (i >= 0, -i + 377 >= 0)>
func.func @k(%x: index, %y: index) attributes {grid = [6]} {
  %t = ktdp.get_compute_tile_id : index
  %xv = ktdp.construct_memory_view %x, sizes: [378], strides: [1] {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<378xi32>
  %xt = ktdp.construct_access_tile %xv[%t * 63] {access_tile_set = #p, access_tile_order = #id} : memref<378xi32> -> !ktdp.access_tile<63xindex>
  %a = ktdp.load %xt : <63xindex> -> tensor<63xi32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #tiles -> <(tensor<63xi32>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %a : tensor<63xi32>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #tiles, identity(%a : tensor<63xi32>) : <(tensor<63xi32>), groups = #one> -> tensor<63xi32> {
  ^bb0(%p: tensor<63xi32>, %q: tensor<63xi32>):
    %s = arith.addi %p, %q : tensor<63xi32>
    ktdp.yield_reduced %s : tensor<63xi32>
  }
  %yv = ktdp.construct_memory_view %y, sizes: [378], strides: [1] {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<378xi32>
  %yt = ktdp.construct_access_tile %yv[%t * 63] {access_tile_set = #p, access_tile_order = #id} : memref<378xi32> -> !ktdp.access_tile<63xindex>
  ktdp.store %r, %yt : tensor<63xi32>, <63xindex>
  return
}
"""


def test_a_tensor_from_more_tiles_than_the_static_check_runs() -> None:
    values = {name: np.arange(378, dtype=np.int32) for name in ("x", "y")}
    outcome = check(Kernel(IN_TILES, values, True), Setting(tuning=("choose-tile-sizes{size=1}",)))
    assert outcome.kind == "equal", outcome


def test_what_it_cannot_run_whole_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "BUDGET", 6000)
    options = driver.Options(emit="program", tuning=("choose-tile-sizes{size=1}",))
    (found,) = driver.compile_text(IN_TILES, "kernel.mlir", options).diagnostics
    assert found.id == "not-proven"
    assert "there are too many to execute all" in found.message


BY_ANOTHER_NAME = """
#p = affine_set<(i, j) : (i == 0, j >= 0, -j + 63 >= 0)>
#all = affine_set<(i, j) : (i >= 0, -i + 1 >= 0, j >= 0, -j + 63 >= 0)>
#id = affine_map<(i, j) -> (i, j)>
#tiles = affine_set<(i)[g] : (i >= 0, -i + 1 >= 0)>
#one = affine_set<(g) : (g == 0)>
func.func @k(%x: index, %y: index {spyrec.may_alias}, %w: index, %z: index) attributes {grid = [2]} {
  %t = ktdp.get_compute_tile_id : index
  %wv = ktdp.construct_memory_view %w, sizes: [2, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2x64xi32>
  %xv = ktdp.construct_memory_view %x, sizes: [2, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2x64xi32>
  %yv = ktdp.construct_memory_view %y, sizes: [2, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2x64xi32>
  %zv = ktdp.construct_memory_view %z, sizes: [2, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<2x64xi32>
  %wt = ktdp.construct_access_tile %wv[%t, 0] {access_tile_set = #p, access_tile_order = #id} : memref<2x64xi32> -> !ktdp.access_tile<1x64xindex>
  %xt = ktdp.construct_access_tile %xv[%t, 0] {access_tile_set = #p, access_tile_order = #id} : memref<2x64xi32> -> !ktdp.access_tile<1x64xindex>
  %yt = ktdp.construct_access_tile %yv[1 - %t, 0] {access_tile_set = #p, access_tile_order = #id} : memref<2x64xi32> -> !ktdp.access_tile<1x64xindex>
  %zt = ktdp.construct_access_tile %zv[%t, 0] {access_tile_set = #p, access_tile_order = #id} : memref<2x64xi32> -> !ktdp.access_tile<1x64xindex>
  %a = ktdp.load %wt : <1x64xindex> -> tensor<1x64xi32>
  %b = arith.addi %a, %a : tensor<1x64xi32>
  ktdp.store %b, %xt : tensor<1x64xi32>, <1x64xindex>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #tiles -> <(tensor<1x64xi32>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %a : tensor<1x64xi32>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #tiles, identity(%a : tensor<1x64xi32>) : <(tensor<1x64xi32>), groups = #one> -> tensor<1x64xi32> {
  ^bb0(%p: tensor<1x64xi32>, %q: tensor<1x64xi32>):
    %s = arith.addi %p, %q : tensor<1x64xi32>
    ktdp.yield_reduced %s : tensor<1x64xi32>
  }
  %c = ktdp.load %yt : <1x64xindex> -> tensor<1x64xi32>
  %d = arith.addi %c, %r : tensor<1x64xi32>
  ktdp.store %d, %zt : tensor<1x64xi32>, <1x64xindex>
  return
}
"""


def test_what_a_neighbour_has_stored_by_another_name() -> None:
    """@x is apart on cores, but @y, which lies on it, is what the other core reads when both have met."""
    values = {"x": np.arange(128, dtype=np.int32), "y": "@x"}
    values |= {name: np.arange(128, dtype=np.int32) for name in "wz"}
    outcome = check(Kernel(BY_ANOTHER_NAME, values, True), Setting())
    assert outcome.kind == "equal", outcome


ROWS = """
#p = affine_set<(i, j) : (i >= 0, -i + 1 >= 0, j >= 0, -j + 31 >= 0)>
#id = affine_map<(i, j) -> (i, j)>
func.func @k(%x: index, %y: index, %n: i32) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xv = ktdp.construct_memory_view %x, sizes: [2, 32], strides: [32, 1] {coordinate_set = #p, memory_space = #ktdp.memory_space<global>} : memref<2x32xi32>
  %xt = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #p, access_tile_order = #id} : memref<2x32xi32> -> !ktdp.access_tile<2x32xindex>
  %a = ktdp.load %xt : <2x32xindex> -> tensor<2x32xi32>
  %count = arith.index_cast %n : i32 to index
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%t = %a) -> (tensor<2x32xi32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 32] [1, 1] : tensor<2x32xi32> to tensor<1x32xi32>
    %s = arith.addi %row, %row : tensor<1x32xi32>
    %u = tensor.insert_slice %s into %t[%i, 0] [1, 32] [1, 1] : tensor<1x32xi32> into tensor<2x32xi32>
    scf.yield %u : tensor<2x32xi32>
  }
  %yv = ktdp.construct_memory_view %y, sizes: [2, 32], strides: [32, 1] {coordinate_set = #p, memory_space = #ktdp.memory_space<global>} : memref<2x32xi32>
  %yt = ktdp.construct_access_tile %yv[0, 0] {access_tile_set = #p, access_tile_order = #id} : memref<2x32xi32> -> !ktdp.access_tile<2x32xindex>
  ktdp.store %r, %yt : tensor<2x32xi32>, <2x32xindex>
  return
}
"""


@pytest.mark.parametrize("count", range(3))
def test_as_many_rows_as_the_launch_says(count: int) -> None:
    """The static check tries more iterations than the tensor has rows; no launch does."""
    values = {"x": np.arange(64, dtype=np.int32), "y": np.zeros(64, np.int32), "n": count}
    outcome = check(Kernel(ROWS, values, True), Setting())
    assert outcome.kind == "equal", outcome


BEHIND = """
#q = affine_set<(i, j) : (i == 0, j >= 0, -j + 5 >= 0)>

#p = affine_set<(i, j) : (i >= 0, -i + 3 >= 0, j >= 0, -j + 5 >= 0)>
#id = affine_map<(i, j) -> (i, j)>
func.func @k(%x: index, %y: index, %n: i32) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xv = ktdp.construct_memory_view %x, sizes: [4, 6], strides: [6, 1] {coordinate_set = #p, memory_space = #ktdp.memory_space<global>} : memref<4x6xi32>
  %xt = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #p, access_tile_order = #id} : memref<4x6xi32> -> !ktdp.access_tile<4x6xindex>
  %a = ktdp.load %xt : <4x6xindex> -> tensor<4x6xi32>
  %yv = ktdp.construct_memory_view %y, sizes: [4, 6], strides: [6, 1] {coordinate_set = #p, memory_space = #ktdp.memory_space<global>} : memref<4x6xi32>
  %count = arith.index_cast %n : i32 to index
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%t = %a) -> (tensor<4x6xi32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 6] [1, 1] : tensor<4x6xi32> to tensor<1x6xi32>
    %s = arith.addi %row, %row : tensor<1x6xi32>
    %st = ktdp.construct_access_tile %yv[%i, 0] {access_tile_set = #q, access_tile_order = #id} : memref<4x6xi32> -> !ktdp.access_tile<1x6xindex>
    ktdp.store %s, %st : tensor<1x6xi32>, <1x6xindex>
    %u = tensor.insert_slice %s into %t[%i, 0] [1, 6] [1, 1] : tensor<1x6xi32> into tensor<4x6xi32>
    scf.yield %u : tensor<4x6xi32>
  }
  %yt = ktdp.construct_access_tile %yv[0, 0] {access_tile_set = #p, access_tile_order = #id} : memref<4x6xi32> -> !ktdp.access_tile<4x6xindex>
  ktdp.store %r, %yt : tensor<4x6xi32>, <4x6xindex>
  return
}
"""


def test_rows_behind_the_last_that_the_slot_would_have_room_for() -> None:
    """With five iterations the static check reads a fifth row of 24 bytes: of a tensor of 96, in a slot of 128."""
    values = {"x": np.arange(24, dtype=np.int32), "y": np.zeros(24, np.int32), "n": 4}
    outcome = check(Kernel(BEHIND, values, True), Setting())
    assert outcome.kind == "equal", outcome
    (found,) = driver.compile_text(BEHIND, "kernel.mlir", driver.Options(emit="program")).diagnostics[-1:]
    assert found.id == "not-proven"
    assert "which nothing has written, for some inputs" in found.message


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    body, arguments, how = FOUND[name]
    rng = np.random.default_rng(3)
    values = {f"{a.split()[0]}_ptr": rng.integers(-9, 9, 4096).astype(np.int32) for a in arguments}
    assert check(Kernel(MAPS + kernel(body, *arguments), values, True), how).kind == "equal"
