# ruff: noqa: E501 (ops of kernels keep to a line)
"""Forms of compute and control that stage kernel normalises: equal bytes as written, at the stage, and as binary."""

from __future__ import annotations

import numpy as np
import pytest
from executed import execute, kernel, load, store

from spyrec import spyrecode
from spyrec.driver import execute as driver
from spyrec.driver.compile import Options, compile_text

#: Bodies that make %r of %a, both 4x8xf32.
FORMS = {
    "a loop on a condition": """
    %n = arith.constant 3 : index
    %k = scf.while (%k = %c0) : (index) -> index {
      %more = arith.cmpi slt, %k, %n : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    %i = arith.index_cast %k : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = tensor.splat %f : tensor<4x8xf32>
    %r = arith.addf %a, %s : tensor<4x8xf32>""",
    "a float out of a tensor": """
    %m = tensor.extract %a[%c1, %c0] : tensor<4x8xf32>
    %e = math.exp %m : f32
    %s = tensor.splat %e : tensor<4x8xf32>
    %r = arith.addf %a, %s : tensor<4x8xf32>""",
    "a float that a loop carries": """
    %n = arith.constant 3 : index
    %z = arith.constant 0.0 : f32
    %m = scf.for %i = %c0 to %n step %c1 iter_args(%u = %z) -> (f32) {
      %e = tensor.extract %a[%i, %c0] : tensor<4x8xf32>
      %v = arith.addf %u, %e : f32
      scf.yield %v : f32
    }
    %r = tensor.splat %m : tensor<4x8xf32>""",
    "a branch on a float": """
    %z = arith.constant 0.0 : f32
    %m = tensor.extract %a[%c1, %c0] : tensor<4x8xf32>
    %p = arith.cmpf ogt, %m, %z : f32
    %r = scf.if %p -> (tensor<4x8xf32>) {
      scf.yield %a : tensor<4x8xf32>
    } else {
      %e = math.exp %a : tensor<4x8xf32>
      scf.yield %e : tensor<4x8xf32>
    }""",
    "a branch that comes to pick between two values": """
    %z = arith.constant 0.0 : f32
    %m = tensor.extract %a[%c1, %c0] : tensor<4x8xf32>
    %p = arith.cmpf ogt, %m, %z : f32
    %b = math.exp %a : tensor<4x8xf32>
    %q = scf.if %p -> (tensor<4x8xf32>) {
      %t = math.exp %a : tensor<4x8xf32>
      scf.yield %t : tensor<4x8xf32>
    } else {
      scf.yield %a : tensor<4x8xf32>
    }
    %r = arith.addf %b, %q : tensor<4x8xf32>""",
    "places": """
    %g = tensor.generate {
    ^bb0(%i: index, %j: index):
      %k = arith.index_cast %j : index to i32
      %f = arith.sitofp %k : i32 to f32
      tensor.yield %f : f32
    } : tensor<4x8xf32>
    %r = arith.addf %a, %g : tensor<4x8xf32>""",
    "another shape": """
    %shape = arith.constant dense<[8, 4]> : tensor<2xindex>
    %b = tensor.reshape %a(%shape) : (tensor<4x8xf32>, tensor<2xindex>) -> tensor<8x4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %r = linalg.transpose ins(%b : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]""",
    "halves": """
    %b = tensor.extract_slice %a[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %d = tensor.extract_slice %a[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %r = tensor.concat dim(1) %d, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>""",
    "one element of a row, stored": """
    %b = tensor.extract_slice %a[0, 2] [1, 1] [1, 1] : tensor<4x8xf32> to tensor<1xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %s = tensor.extract_slice %a[0, 0] [1, 1] [1, 1] : tensor<4x8xf32> to tensor<1xf32>
    %t = arith.addf %b, %s : tensor<1xf32>
    %u = tensor.insert_slice %t into %a[1, 1] [1, 1] [1, 1] : tensor<1xf32> into tensor<4x8xf32>
    %r = tensor.insert_slice %b into %u[3, 7] [1, 1] [1, 1] : tensor<1xf32> into tensor<4x8xf32>""",
    "a border": """
    %z = arith.constant 0.0 : f32
    %b = tensor.extract_slice %a[0, 0] [3, 4] [1, 1] : tensor<4x8xf32> to tensor<3x4xf32>
    %r = tensor.pad %b low[0, 1] high[1, 3] {
    ^bb0(%i: index, %j: index):
      tensor.yield %z : f32
    } : tensor<3x4xf32> to tensor<4x8xf32>""",
    "softmax": """
    %e = tensor.empty() : tensor<4x8xf32>
    %r = linalg.softmax dimension(1) ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>""",
    "a sum of rounded squares": """
    %z = arith.constant dense<0.0> : tensor<4xf32>
    %p = arith.mulf %a, %a : tensor<4x8xf32>
    %q = linalg.reduce { arith.addf } ins(%p : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
    %e = tensor.empty() : tensor<4x8xf32>
    %r = linalg.broadcast ins(%q : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]""",
    "a table": """
    %b = tensor.extract_slice %a[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %t = arith.constant dense<[1.0, 2.0, 1.0, 1.0, 0.5, 1.0, 1.0, -1.0]> : tensor<8xf32>
    %m = arith.mulf %b, %t : tensor<8xf32>
    %r = tensor.insert_slice %m into %a[3, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>""",
    "one constant as first value of a loop, as init in it, and as a term": """
    %n = arith.constant 3 : index
    %zero = arith.constant dense<0.5> : tensor<4x4xf32>
    %x = tensor.extract_slice %a[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<4x4xf32>) {
      %p = linalg.matmul ins(%x, %sum : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
      %q = arith.addf %p, %zero : tensor<4x4xf32>
      scf.yield %q : tensor<4x4xf32>
    }
    %r = tensor.insert_slice %s into %a[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>""",
    "values that change places": """
    %n = arith.constant 3 : index
    %t = math.tanh %a : tensor<4x8xf32>
    %p, %q = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %t) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
      scf.yield %v, %u : tensor<4x8xf32>, tensor<4x8xf32>
    }
    %r = arith.subf %p, %q : tensor<4x8xf32>""",
    "the place of the greatest": """
    %low = arith.constant dense<0xFF800000> : tensor<4xf32>
    %none = arith.constant dense<-1> : tensor<4xi32>
    %m:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%low, %none : tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%v: f32, %best: f32, %at: i32):
      %k = linalg.index 1 : index
      %i = arith.index_cast %k : index to i32
      %more = arith.cmpf ogt, %v, %best : f32
      %nv = arith.select %more, %v, %best : f32
      %ni = arith.select %more, %i, %at : i32
      linalg.yield %nv, %ni : f32, i32
    } -> (tensor<4xf32>, tensor<4xi32>)
    %f = arith.sitofp %m#1 : tensor<4xi32> to tensor<4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %r = linalg.broadcast ins(%f : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]""",
    "loops over several counters": """
    %two = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    %m = scf.parallel (%i, %j) = (%c0, %c1) to (%two, %two) step (%c1, %c1) init (%zero) -> f32 {
      %v = tensor.extract %a[%i, %j] : tensor<4x8xf32>
      scf.reduce(%v : f32) {
      ^bb0(%p: f32, %q: f32):
        %s = arith.subf %p, %q : f32
        scf.reduce.return %s : f32
      }
    }
    %w = scf.forall (%i) in (3) shared_outs(%o = %a) -> (tensor<4x8xf32>) {
      %k = arith.addi %i, %c1 : index
      %row = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %row into %o[%k, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
      }
    }
    %s = tensor.splat %m : tensor<4x8xf32>
    %r = arith.addf %w, %s : tensor<4x8xf32>""",
}


@pytest.mark.parametrize("body", FORMS.values(), ids=FORMS)
def test_equal_bytes_as_written_at_stage_kernel_and_as_binary(body: str) -> None:
    text = kernel("\n".join([load("a", "x", "4x8xf32"), body, store("r", "y", "4x8xf32")]), "x 4x8xf32", "y 4x8xf32")
    given = {"x_ptr": np.random.default_rng(2).standard_normal((4, 8)).astype(np.float32)}
    wanted = execute(text, given=given).arrays["y_ptr"].tobytes()
    compiled = {stage: compile_text(text, "kernel.mlir", Options(emit=stage)) for stage in ("kernel", "spyrecode")}
    artifact = compiled["spyrecode"].artifact
    assert artifact is not None
    for stage, reached in compiled.items():
        launch = spyrecode.bind(artifact.signature, given, {}, seed=None)
        if stage == "kernel":
            driver.run_stage(reached, launch)
        else:
            driver.run_binary(artifact, launch, shuffle=3)
        assert launch.outputs()["y_ptr"].tobytes() == wanted, stage
