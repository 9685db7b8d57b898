"""Upstream's patterns, which fold with the host's C library, find nothing left that would change a bit."""

from __future__ import annotations

import numpy as np
import pytest
from executed import execute, kernel, load, store, unchanged

from spyrec import numerics

#: tanh of this has another last bit in the host's library.
NUMBER = "-0.6615280508995056"
PASSES = (
    "func.func(fold-constants),linalg-generalize-named-ops,func.func(fold-constants,canonicalize)",
    "func.func(convert-elementwise-to-linalg,scalars-to-tensors,linalg-fuse-elementwise-ops,canonicalize)",
)

BODIES = {
    "scalar": f"""
    %k = arith.constant {NUMBER} : f32
    %t = math.tanh %k : f32
    %r = tensor.splat %t : tensor<4xf32>""",
    "a loop that runs once": f"""
    %k = arith.constant {NUMBER} : f32
    %t = scf.for %i = %c0 to %c1 step %c1 iter_args(%u = %k) -> (f32) {{
      %v = math.tanh %u : f32
      scf.yield %v : f32
    }}
    %w = math.tanh %t : f32
    %r = tensor.splat %w : tensor<4xf32>""",
    "a loop that never runs": f"""
    %k = arith.constant {NUMBER} : f32
    %one = arith.constant 1.0 : f32
    %t = scf.for %i = %c1 to %c1 step %c1 iter_args(%u = %k) -> (f32) {{
      %v = arith.addf %u, %one : f32
      scf.yield %v : f32
    }}
    %w = math.tanh %t : f32
    %r = tensor.splat %w : tensor<4xf32>""",
    "handed on": f"""
    %k = arith.constant {NUMBER} : f32
    %n = arith.constant 3 : index
    %p, %q = scf.for %i = %c0 to %n step %c1 iter_args(%u = %k, %s = %k) -> (f32, f32) {{
      %v = math.tanh %u : f32
      scf.yield %u, %v : f32, f32
    }}
    %w = math.tanh %p : f32
    %x = arith.addf %w, %q : f32
    %r = tensor.splat %x : tensor<4xf32>""",
    "a branch": f"""
    %k = arith.constant {NUMBER} : f32
    %yes = arith.constant true
    %t = scf.if %yes -> (f32) {{
      scf.yield %k : f32
    }} else {{
      %no = arith.constant 2.0 : f32
      scf.yield %no : f32
    }}
    %w = math.tanh %t : f32
    %r = tensor.splat %w : tensor<4xf32>""",
    "lanes": f"""
    %k = arith.constant dense<{NUMBER}> : tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.map ins(%k, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) (%p: f32, %q: f32, %o: f32) {{
      %t = math.tanh %p : f32
      %u = arith.addf %t, %q : f32
      linalg.yield %u : f32
    }}""",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_known_numbers_are_those_of_the_executors(body: str) -> None:
    text = kernel("\n".join([load("a", "x", "4xf32"), body, store("r", "y", "4xf32")]), "x 4xf32", "y 4xf32")
    unchanged(text, ",".join(PASSES))


def test_upstream_has_other_bits() -> None:
    text = kernel("\n".join([BODIES["a loop that runs once"], store("r", "y", "4xf32")]), "y 4xf32")
    before, after = execute(text), execute(text, "canonicalize")
    assert before.arrays["y_ptr"].tobytes() != after.arrays["y_ptr"].tobytes()


@pytest.mark.parametrize("width", [1, 8, 32, 64])
def test_a_shift_by_itself_is_none_of_upstreams_zeros(width: int) -> None:
    body = f"""
    %l = arith.shrsi %a, %a : tensor<8xi{width}>
    %p = tensor.extract %a[%c1] : tensor<8xi{width}>
    %q = arith.shrsi %p, %p : i{width}
    %s = tensor.splat %q : tensor<8xi{width}>
    %r = arith.xori %l, %s : tensor<8xi{width}>"""
    type_ = f"8xi{width}"
    text = kernel("\n".join([load("a", "x", type_), body, store("r", "y", type_)]), f"x {type_}", f"y {type_}")
    given = {"x_ptr": np.array([1, -1, 0, -5, 40, 7, -128, 127]).astype(numerics.dtype(f"i{width}"))}
    unchanged(text, ",".join(PASSES), given)
    before, after = execute(text, given=given), execute(text, "canonicalize", given)
    assert before.arrays["y_ptr"].tobytes() != after.arrays["y_ptr"].tobytes()
