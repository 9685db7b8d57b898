# ruff: noqa: E501 (kernels keep an op on a line)
"""Valid kernels that other tools get wrong, each with the right result. One test per mistake."""

from __future__ import annotations

import numpy as np
import pytest
from launching import execute

from spyrec.errors import SpyrecError

HEAD = """
#p4 = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 7 >= 0)>
#p1 = affine_set<(r) : (r >= 0, -r + 3 >= 0)>
#id2 = affine_map<(a, b) -> (a, b)>
#id1 = affine_map<(a) -> (a)>
func.func @k(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %xv = ktdp.construct_memory_view %x, sizes: [4, 8], strides: [8, 1] {coordinate_set = #p4, memory_space = #ktdp.memory_space<global>} : memref<4x8xELEMENT>
  %xt = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #p4, access_tile_order = #id2} : memref<4x8xELEMENT> -> !ktdp.access_tile<4x8xindex>
  %a = ktdp.load %xt : <4x8xindex> -> tensor<4x8xELEMENT>
"""
TAIL_2 = """
  %zv = ktdp.construct_memory_view %z, sizes: [4, 8], strides: [8, 1] {coordinate_set = #p4, memory_space = #ktdp.memory_space<global>} : memref<4x8xRESULT>
  %zt = ktdp.construct_access_tile %zv[0, 0] {access_tile_set = #p4, access_tile_order = #id2} : memref<4x8xRESULT> -> !ktdp.access_tile<4x8xindex>
  ktdp.store %r, %zt : tensor<4x8xRESULT>, <4x8xindex>
  return
}
"""
TAIL_1 = """
  %zv = ktdp.construct_memory_view %z, sizes: [4], strides: [1] {coordinate_set = #p1, memory_space = #ktdp.memory_space<global>} : memref<4xRESULT>
  %zt = ktdp.construct_access_tile %zv[0] {access_tile_set = #p1, access_tile_order = #id1} : memref<4xRESULT> -> !ktdp.access_tile<4xindex>
  ktdp.store %r, %zt : tensor<4xRESULT>, <4xindex>
  return
}
"""
X = (np.arange(32, dtype=np.float32).reshape(4, 8) - 13) / 4


def run(body: str, x: np.ndarray = X, *, rank: int = 2, element: str = "f32", result: str = "f32") -> np.ndarray:
    """Load all of x as %a, run ``body``, which makes %r, and store that."""
    text = (HEAD + body + (TAIL_2 if rank == 2 else TAIL_1)).replace("ELEMENT", element).replace("RESULT", result)
    return np.asarray(execute(text, {"x": x})["z"])


def reduce(op: str, init: str) -> str:
    return f"{init}\n%r = linalg.reduce {{ {op} }} ins(%a : tensor<4x8xf32>) outs(%i : tensor<4xf32>) dimensions = [1]"


def test_a_reduction_starts_from_its_init() -> None:
    start = "%i = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>"
    assert np.array_equal(run(reduce("arith.addf", start), rank=1), X.sum(axis=1) + np.arange(1, 5))
    start = "%i = arith.constant dense<100.0> : tensor<4xf32>"
    assert np.array_equal(run(reduce("arith.maximumf", start), rank=1), [100] * 4)


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("arith.mulf", np.prod(X.astype(np.float64), axis=1)),
        ("arith.maximumf", X.max(axis=1)),
        ("arith.maxnumf", X.max(axis=1)),
        ("arith.minimumf", X.min(axis=1)),
        ("arith.addf", X.sum(axis=1)),
    ],
)
def test_an_empty_init_is_the_identity_and_not_0(op: str, expected: np.ndarray) -> None:
    got = run(reduce(op, "%i = tensor.empty() : tensor<4xf32>"), rank=1)
    assert np.array_equal(got, expected.astype(np.float32))
    negative = -np.abs(X) - 1
    if "max" in op:
        got = run(reduce(op, "%i = tensor.empty() : tensor<4xf32>"), negative, rank=1)
        assert np.array_equal(got, negative.max(axis=1))


def test_maxnumf_is_no_absolute_maximum() -> None:
    x = np.where(np.arange(8) == 3, -100, X).astype(np.float32)
    start = "%i = arith.constant dense<-3.0e+38> : tensor<4xf32>"
    assert np.array_equal(run(reduce("arith.maxnumf", start), x, rank=1), x.max(axis=1))


def test_order_maps_are_obeyed() -> None:
    body = """
  %o = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 3 >= 0)>, access_tile_order = affine_map<(a, b) -> (b, a)>} : memref<4x8xf32> -> !ktdp.access_tile<4x4xindex>
  %t = ktdp.load %o : <4x4xindex> -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %h = tensor.insert_slice %t into %e[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
  %r = tensor.insert_slice %t into %h[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>"""
    assert np.array_equal(run(body), np.concatenate([X[:, :4].T, X[:, :4].T], axis=1))


def tile(points: str) -> str:
    return (
        f"%s = ktdp.construct_access_tile %xv[0, 0] {{access_tile_set = {points}, access_tile_order = #id2}}"
        " : memref<4x8xf32> -> !ktdp.access_tile<4x8xindex>\n%r = ktdp.load %s : <4x8xindex> -> tensor<4x8xf32>"
    )


def test_sets_that_are_no_boxes_are_obeyed() -> None:
    triangle = "affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 7 >= 0, r - c >= 0)>"
    assert np.array_equal(run(tile(triangle)), np.tril(X))


def test_shifted_sets_are_obeyed() -> None:
    shifted = "affine_set<(r, c) : (r - 2 >= 0, -r + 3 >= 0, c - 1 >= 0, -c + 7 >= 0)>"
    expected = np.zeros((4, 8), np.float32)
    expected[:2, :7] = X[2:, 1:]
    assert np.array_equal(run(tile(shifted)), expected)


def test_a_coordinate_set_smaller_than_the_sizes_bounds_the_view() -> None:
    text = HEAD.replace(
        "coordinate_set = #p4", "coordinate_set = affine_set<(r, c) : (r >= 0, -r + 1 >= 0, c >= 0, -c + 7 >= 0)>"
    )
    text = text.replace("ELEMENT", "f32") + (TAIL_2.replace("RESULT", "f32")).replace("%r,", "%a,")
    got = execute(text, {"x": X})
    assert got.ids == ["clipped-tile"]
    assert np.array_equal(got["z"][:2], X[:2])
    assert not got["z"][2:].any()


def test_load_then_store_is_a_copy() -> None:
    text = (HEAD + TAIL_2).replace("ELEMENT", "f32").replace("RESULT", "f32").replace("%r,", "%a,")
    assert np.array_equal(execute(text, {"x": X})["z"], X)


def test_a_result_may_be_stored_twice() -> None:
    body = "%r = arith.addf %a, %a : tensor<4x8xf32>\nktdp.store %r, %xt : tensor<4x8xf32>, <4x8xindex>"
    text = (HEAD + body + TAIL_2).replace("ELEMENT", "f32").replace("RESULT", "f32")
    got = execute(text, {"x": X})
    assert np.array_equal(got["x"], X + X)
    assert np.array_equal(got["z"], X + X)


@pytest.mark.parametrize(
    "body",
    [
        "scf.for %i = %c0 to %c0 step %c1 {\n}\n%r = arith.addf %a, %a : tensor<4x8xf32>",
        "scf.for %i = %c0 to %c0 step %c1 { } %r = arith.addf %a, %a : tensor<4x8xf32>",
        "scf.if %no {\n} else {\nktdp.store %b, %xt : tensor<4x8xf32>, <4x8xindex>\n}\n%r = ktdp.load %xt : <4x8xindex> -> tensor<4x8xf32>",
        "// { a comment with a brace\n%r = arith.addf %a, %a : tensor<4x8xf32>",
        "scf.for %i = %c0 to %c1 step %c1 { // } one\nktdp.store %b, %xt : tensor<4x8xf32>, <4x8xindex>\n// }\n}\n%r = ktdp.load %xt : <4x8xindex> -> tensor<4x8xf32>",
        '%r = arith.addf %a, %a : tensor<4x8xf32> loc("a.py":1:2)',
        '%r = "arith.addf"(%a, %a) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>',
        '"ktdp.store"(%b, %xt) : (tensor<4x8xf32>, !ktdp.access_tile<4x8xindex>) -> () %r = "ktdp.load"(%xt) : (!ktdp.access_tile<4x8xindex>) -> tensor<4x8xf32>',
    ],
)
def test_no_op_is_lost(body: str) -> None:
    setup = "%c1 = arith.constant 1 : index\n%no = arith.constant false\n%b = arith.addf %a, %a : tensor<4x8xf32>\n"
    assert np.array_equal(run(setup + body), X + X)


def test_f32_scalars_are_computed_in_f32() -> None:
    body = """
  %half = arith.constant 1.0e-05 : f32
  %big = arith.constant 2048.0 : f32
  %s = arith.addf %big, %half : f32
  %t = arith.subf %s, %big : f32
  %v = tensor.splat %t : tensor<4x8xf32>
  %r = arith.addf %v, %v : tensor<4x8xf32>"""
    term = np.float32(2048) + np.float32(1e-5) - np.float32(2048)
    assert np.array_equal(run(body), np.full((4, 8), term + term, np.float32))
    body = "%s = arith.constant 65536.0 : f32\n%v = tensor.splat %s : tensor<4x8xf32>\n%r = arith.addf %v, %a : tensor<4x8xf32>"
    assert np.array_equal(run(body), X + np.float32(65536))  # f16 has no 65536


def test_f16_matmul_is_accumulated_wide() -> None:
    ones = np.ones((4, 8), np.float16)
    ones[:, 0] = 2048  # 2048 + 1 is 2048 in f16
    body = """
  %e = tensor.empty() : tensor<8x8xf16>
  %one = arith.constant dense<1.0> : tensor<8x8xf16>
  %zero = arith.constant dense<0.0> : tensor<4x8xf16>
  %r = linalg.matmul ins(%a, %one : tensor<4x8xf16>, tensor<8x8xf16>) outs(%zero : tensor<4x8xf16>) -> tensor<4x8xf16>"""
    assert np.array_equal(run(body, ones, element="f16", result="f16"), np.full((4, 8), 2056, np.float16))


def test_a_read_past_a_tensor_is_an_error() -> None:
    body = "%c9 = arith.constant 9 : index\n%s = tensor.extract %a[%c0, %c9] : tensor<4x8xf32>\n%r = tensor.splat %s : tensor<4x8xf32>"
    with pytest.raises(SpyrecError, match=r"index 9 of dimension 1 is outside of 0\.\.7"):
        run(body)


LX = """
  %at = arith.constant ADDRESS : index
  %lv = ktdp.construct_memory_view %at, sizes: [4, 8], strides: [8, 1] {coordinate_set = #p4, memory_space = #ktdp.memory_space<ct_local>} : memref<4x8xf32>
  %lt = ktdp.construct_access_tile %lv[0, 0] {access_tile_set = #p4, access_tile_order = #id2} : memref<4x8xf32> -> !ktdp.access_tile<4x8xindex>
  ktdp.store %a, %lt : tensor<4x8xf32>, <4x8xindex>
"""


def test_scratchpad_contents_survive_loads_and_computes() -> None:
    body = (
        LX.replace("ADDRESS", "0")
        + """
  %b = ktdp.load %xt : <4x8xindex> -> tensor<4x8xf32>
  %c = arith.mulf %b, %b : tensor<4x8xf32>
  ktdp.store %c, %xt : tensor<4x8xf32>, <4x8xindex>
  %r = ktdp.load %lt : <4x8xindex> -> tensor<4x8xf32>"""
    )
    assert np.array_equal(run(body), X)


def test_two_scratchpad_views_at_two_addresses_are_two() -> None:
    second = (
        LX.replace("ADDRESS", "32")
        .replace("%at", "%at2")
        .replace("%lv", "%lv2")
        .replace("%lt", "%lt2")
        .replace("%a,", "%b,")
    )
    body = LX.replace("ADDRESS", "0") + "%b = arith.addf %a, %a : tensor<4x8xf32>" + second
    assert np.array_equal(run(body + "%r = ktdp.load %lt : <4x8xindex> -> tensor<4x8xf32>"), X)
    assert np.array_equal(run(body + "%r = ktdp.load %lt2 : <4x8xindex> -> tensor<4x8xf32>"), X + X)


def test_computes_may_share_a_load() -> None:
    body = """
  %p = arith.addf %a, %a : tensor<4x8xf32>
  %q = arith.mulf %a, %a : tensor<4x8xf32>
  %r = arith.subf %q, %p : tensor<4x8xf32>"""
    assert np.array_equal(run(body), X * X - (X + X))


def test_a_load_may_stand_outside_the_block_of_its_store() -> None:
    body = """
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %s = arith.addf %a, %a : tensor<4x8xf32>
    ktdp.store %s, %xt : tensor<4x8xf32>, <4x8xindex>
  }
  %r = ktdp.load %xt : <4x8xindex> -> tensor<4x8xf32>"""
    assert np.array_equal(run(body), X + X)


def test_a_buffer_that_is_initial_value_and_outs_is_not_reused_in_place() -> None:
    body = """
  %cst = arith.constant dense<0.0> : tensor<4x8xf32>
  %one = arith.constant dense<1.0> : tensor<8x8xf32>
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %cst) -> (tensor<4x8xf32>) {
    %p = linalg.matmul ins(%a, %one : tensor<4x8xf32>, tensor<8x8xf32>) outs(%cst : tensor<4x8xf32>) -> tensor<4x8xf32>
    %s = arith.addf %acc, %p : tensor<4x8xf32>
    scf.yield %s : tensor<4x8xf32>
  }"""
    assert np.array_equal(run(body), 3 * np.repeat(X.sum(axis=1, keepdims=True), 8, axis=1))


def test_one_empty_tensor_may_be_the_output_of_several_ops() -> None:
    body = """
  %e = tensor.empty() : tensor<4x8xf32>
  %p = linalg.add ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = linalg.mul ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.sub ins(%q, %p : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>"""
    assert np.array_equal(run(body), X * X - (X + X))
