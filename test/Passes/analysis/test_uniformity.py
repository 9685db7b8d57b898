"""Which values are the same on which tiles, and which control flow."""

from __future__ import annotations

import pytest

from spyrec import asm
from spyrec.dialects import make_context
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.uniformity import Uniformity

KERNEL = """
func.func @k(%p: index, %n: index) attributes {grid = [4]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = dataflow.tile_id
  %pair = affine.apply affine_map<(t) -> (t floordiv 2)>(%t)
  %wide = arith.muli %t, %n : index
  %cancelled = arith.subi %t, %t : index
  %shared = dataflow.read @device[%pair from %p] strides [] : tensor<i32>
  %lx = dataflow.read @lx[%zero] strides [] : tensor<i32>
  %a:2 = scf.for %i = %zero to %n step %one iter_args(%u = %zero, %v = %zero) -> (index, index) {
    %inner = arith.addi %u, %i : index
    scf.yield %v, %t : index, index
  }
  %b = scf.for %j = %zero to %n step %one iter_args(%w = %pair) -> (index) {
    %x = arith.addi %w, %j : index
    scf.yield %x : index
  }
  %first = arith.cmpi slt, %t, %one : index
  %chosen = scf.if %first -> (index) {
    scf.yield %one : index
  } else {
    scf.yield %one : index
  }
  return
}
"""


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    """The tiles on which each value is the same, as classes."""
    with make_context() as context:
        module = asm.read(KERNEL, "k.mlir", context).module
        function = next(iter(module.body.operations)).operation
        known = Uniformity(function)
        classes = {}
        for op in kernels.walk(function):
            for k, result in enumerate(op.results):
                groups: list[list[int]] = []
                for tile in range(4):
                    home = next((g for g in groups if known.over(result, [g[0], tile])), None)
                    (groups.append([tile]) if home is None else home.append(tile))
                name = str(result.get_name(use_name_loc_as_prefix=True)).partition("#")[0]
                classes[f"{name}.{k}" if len(op.results) > 1 else name] = " ".join("".join(map(str, g)) for g in groups)
        return classes


@pytest.mark.parametrize(
    ("name", "tiles"),
    [
        ("%zero", "0123"),
        ("%t", "0 1 2 3"),
        ("%pair", "01 23"),
        ("%wide", "0 1 2 3"),
        ("%cancelled", "0123"),
        ("%shared", "01 23"),
        ("%lx", "0 1 2 3"),
        ("%inner", "0 1 2 3"),
        ("%a.0", "0 1 2 3"),
        ("%b", "01 23"),
        ("%x", "01 23"),
        ("%first", "0 123"),
        ("%chosen", "0123"),
    ],
)
def test_where_a_value_is_the_same(found: dict[str, str], name: str, tiles: str) -> None:
    assert found[name] == tiles


def test_loops_that_say_the_same_at_one_place_are_two() -> None:
    """As those of a function that is called twice. Their hash, which is of what they say, does not tell them apart."""
    text = """
func.func @k(%n: index) attributes {grid = [2]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = dataflow.tile_id
  %first = arith.cmpi slt, %t, %one : index
  scf.for %i = %zero to %n step %one {
    scf.for %j = %zero to %n step %one {
      %a = arith.select %first, %i, %j : index
    }
  }
  return
}
"""
    with make_context() as context:
        module = asm.read(text, "k.mlir", context).module
        function = next(iter(module.body.operations)).operation
        for op in kernels.walk(function):
            op.location = function.location
        chosen = next(op for op in kernels.walk(function) if op.name == "arith.select")
        assert not Uniformity(function).is_uniform(chosen.results[0])
