"""Loops over several counters, switches and regions do the same as loops and ifs."""

from __future__ import annotations

import pytest
from executed import kernel, load, store, unchanged


def check(body: str) -> str:
    text = kernel("\n".join([load("a", "x", "4x8xi32"), body, store("r", "y", "4x8xi32")]), "x 4x8xi32", "y 4x8xi32")
    made = unchanged(text, "func.func(normalize-control)").text
    assert not any(f"scf.{name}" in made for name in ("parallel", "forall", "index_switch", "execute_region", "reduce"))
    return made


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_parallel_folds_in_the_order_of_its_counters(trips: int) -> None:
    check(f"""
    %n = arith.constant {trips} : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %first, %last = scf.parallel (%i, %j) = (%c0, %c1) to (%n, %n) step (%c1, %c2) init (%zero, %zero) -> (i32, i32) {{
      %v = tensor.extract %a[%i, %j] : tensor<4x8xi32>
      scf.reduce(%v, %v : i32, i32) {{
      ^bb0(%p: i32, %q: i32):
        %s = arith.subi %p, %q : i32
        scf.reduce.return %s : i32
      }}, {{
      ^bb0(%p: i32, %q: i32):
        scf.reduce.return %q : i32
      }}
    }}
    %s = arith.addi %first, %last : i32
    %r = tensor.splat %s : tensor<4x8xi32>""")


def test_parallel_that_only_stores() -> None:
    body = f"""
    {load("a", "x", "4x8xi32")}
    scf.parallel (%i) = (%c0) to (%c1) step (%c1) {{
      {store("a", "y", "4x8xi32")}
    }}"""
    unchanged(kernel(body, "x 4x8xi32", "y 4x8xi32"), "func.func(normalize-control)")


def test_forall_sees_its_outputs_as_they_were() -> None:
    check("""
    %n = arith.constant 3 : index
    %r = scf.forall (%i, %j) = (0, 1) to (%n, 8) step (1, 3) shared_outs(%o = %a) -> (tensor<4x8xi32>) {
      %k = arith.addi %i, %c1 : index
      %row = tensor.extract_slice %o[%i, %j] [1, 1] [1, 1] : tensor<4x8xi32> to tensor<1x1xi32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %row into %o[%k, %j] [1, 1] [1, 1] : tensor<1x1xi32> into tensor<4x8xi32>
      }
    }""")


@pytest.mark.parametrize("number", [0, 1, 7, -2])
def test_a_switch_is_a_chain_of_ifs(number: int) -> None:
    made = check(f"""
    %k = arith.constant {number} : index
    %r = scf.index_switch %k -> tensor<4x8xi32>
    case 1 {{
      %s = arith.addi %a, %a : tensor<4x8xi32>
      scf.yield %s : tensor<4x8xi32>
    }}
    case -2 {{
      %s = arith.muli %a, %a : tensor<4x8xi32>
      scf.yield %s : tensor<4x8xi32>
    }}
    default {{
      scf.yield %a : tensor<4x8xi32>
    }}""")
    assert made.count("scf.if") == 2


def test_regions_inside_of_others() -> None:
    check("""
    %n = arith.constant 2 : index
    %r = scf.execute_region -> tensor<4x8xi32> {
      %s = scf.forall (%i) in (%n) shared_outs(%o = %a) -> (tensor<4x8xi32>) {
        %t = scf.index_switch %i -> tensor<1x8xi32>
        case 0 {
          %u = tensor.extract_slice %a[3, 0] [1, 8] [1, 1] : tensor<4x8xi32> to tensor<1x8xi32>
          scf.yield %u : tensor<1x8xi32>
        }
        default {
          %u = tensor.extract_slice %a[2, 0] [1, 8] [1, 1] : tensor<4x8xi32> to tensor<1x8xi32>
          scf.yield %u : tensor<1x8xi32>
        }
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %t into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xi32> into tensor<4x8xi32>
        }
      }
      scf.yield %s : tensor<4x8xi32>
    }""")
