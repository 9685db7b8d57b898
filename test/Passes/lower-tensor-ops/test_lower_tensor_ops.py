"""Each tensor op computes the same when it is said with slices, reshapes and linalg."""

from __future__ import annotations

import pytest
from executed import kernel, load, store, unchanged

LEFT = ("bitcast", "cast", "concat", "dim", "from_elements", "generate", "insert ", "pad", "rank", "reshape")


def check(body: str, source: str, target: str) -> str:
    """A kernel that computes %r, of type ``target``, from %a, of type ``source``."""
    text = kernel("\n".join([load("a", "x", source), body, store("r", "y", target)]), f"x {source}", f"y {target}")
    made = unchanged(text, "func.func(lower-tensor-ops)").text
    assert not any(f"tensor.{name}" in made for name in LEFT), made
    return made


@pytest.mark.parametrize(
    ("shape", "target"), [("4x1x8", "4x8"), ("4x8", "32"), ("32", "2x16"), ("6x4", "8x3"), ("1x1", "1"), ("1", "1x1x1")]
)
def test_reshape(shape: str, target: str) -> None:
    extents = target.split("x")
    same = len(set(extents)) == 1
    numbers = extents[0] if same else f"[{', '.join(extents)}]"
    body = f"""
    %shape = arith.constant dense<{numbers}> : tensor<{len(extents)}xindex>
    %r = tensor.reshape %a(%shape) : (tensor<{shape}xf32>, tensor<{len(extents)}xindex>) -> tensor<{target}xf32>"""
    check(body, f"{shape}xf32", f"{target}xf32")


def test_reshape_to_and_from_rank_0() -> None:
    body = """
    %none = arith.constant dense<> : tensor<0xindex>
    %ones = arith.constant dense<1> : tensor<2xindex>
    %p = tensor.reshape %a(%none) : (tensor<1x1xf32>, tensor<0xindex>) -> tensor<f32>
    %r = tensor.reshape %p(%ones) : (tensor<f32>, tensor<2xindex>) -> tensor<1x1xf32>"""
    check(body, "1x1xf32", "1x1xf32")


def test_generate_asks_for_its_place() -> None:
    body = """
    %low = arith.constant -1.0 : f32
    %one = arith.constant 1.0 : f32
    %r = tensor.generate {
    ^bb0(%i: index, %j: index):
      %later = arith.cmpi sgt, %j, %i : index
      %v = arith.select %later, %low, %one : f32
      tensor.yield %v : f32
    } : tensor<5x7xf32>"""
    assert "linalg.index 1" in check(body, "1xf32", "5x7xf32")


def test_pad_with_a_number_and_by_place() -> None:
    body = """
    %low = arith.constant -1.0 : f32
    %p = tensor.pad %a low[1, %c1] high[0, 2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %low : f32
    } : tensor<3x4xf32> to tensor<4x?xf32>
    %q = tensor.cast %p : tensor<4x?xf32> to tensor<4x7xf32>
    %r = tensor.pad %q low[0, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      %k = arith.index_cast %j : index to i32
      %v = arith.sitofp %k : i32 to f32
      tensor.yield %v : f32
    } : tensor<4x7xf32> to tensor<5x7xf32>"""
    body = body.replace("%c1]", "1]").replace("4x?", "4x7")
    check(body, "3x4xf32", "5x7xf32")


def test_a_slice_of_one_element_has_no_step() -> None:
    body = """
    %b = tensor.extract_slice %a[1, 1] [1, 2] [3, 2] : tensor<3x4xf32> to tensor<1x2xf32>
    %r = tensor.insert_slice %b into %a[0, 0] [1, 2] [2, 1] : tensor<1x2xf32> into tensor<3x4xf32>"""
    made = check(body, "3x4xf32", "3x4xf32")
    assert "[1, 2] [1, 2]" in made
    assert "[1, 2] [1, 1]" in made


def test_concat() -> None:
    body = """
    %b = tensor.extract_slice %a[0, 0] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
    %r = tensor.concat dim(1) %a, %b, %a : (tensor<3x4xf32>, tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<3x10xf32>"""
    check(body, "3x4xf32", "3x10xf32")


def test_elements_one_by_one() -> None:
    body = """
    %u = tensor.extract %a[%c0] : tensor<3xi32>
    %v = tensor.extract %a[%c1] : tensor<3xi32>
    %e = tensor.from_elements %u, %v, %u, %u : tensor<2x2xi32>
    %f = tensor.from_elements %u, %v : tensor<2xi32>
    %g = tensor.insert %v into %e[%c1, %c0] : tensor<2x2xi32>
    %h = tensor.insert_slice %f into %g[0, 0] [1, 2] [1, 1] : tensor<2xi32> into tensor<2x2xi32>
    %one = tensor.from_elements %v : tensor<i32>
    %l = tensor.extract %one[] : tensor<i32>
    %r = tensor.insert %l into %h[%c0, %c0] : tensor<2x2xi32>"""
    check(body, "3xi32", "2x2xi32")


@pytest.mark.parametrize(
    ("element", "numbers"),
    [("f16", "[[1.0, -2.5], [1.0, 0x7C00]]"), ("bf16", "[[0.5, 0.5], [3.0, -0.0]]"), ("i32", "[[1, 2], [-3, 4]]")],
)
def test_a_constant_of_different_numbers(element: str, numbers: str) -> None:
    op = "arith.addi" if element == "i32" else "arith.addf"
    body = f"""
    %t = arith.constant dense<{numbers}> : tensor<2x2x{element}>
    %r = {op} %a, %t : tensor<2x2x{element}>"""
    assert "dense" not in check(body, f"2x2x{element}", f"2x2x{element}")


def test_questions_about_a_shape_and_other_bits() -> None:
    body = """
    %d = tensor.dim %a, %c1 : tensor<3x4xf32>
    %n = tensor.rank %a : tensor<3x4xf32>
    %s = arith.addi %d, %n : index
    %k = arith.index_cast %s : index to i32
    %b = tensor.bitcast %a : tensor<3x4xf32> to tensor<3x4xi32>
    %c = tensor.cast %b : tensor<3x4xi32> to tensor<3x4xi32>
    %t = tensor.splat %k : tensor<3x4xi32>
    %r = arith.addi %c, %t : tensor<3x4xi32>"""
    check(body, "3x4xf32", "3x4xi32")
