"""Scalar ops, control flow and calls."""

import numpy as np
import pytest
from kernel import execute, line_of, refused, store, tile, view, written

from spyrec import numerics


def program(body: str, element: str = "i32", count: int = 1, before: str = "") -> str:
    """A kernel that computes scalars %r0, %r1, ... and stores them to %z; it takes %n (i32) and %f (f32)."""
    names = ", ".join(f"%r{k}" for k in range(count))
    return (
        before
        + "func.func @kernel(%z: index, %n: i32, %f: f32) attributes {grid = [1]} {\n"
        + "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        + body
        + f"%a = tensor.from_elements {names} : tensor<{count}x{element}>\n"
        + view("o", "%z", (count,), element)
        + tile("u", "o", "0", (count,), f"memref<{count}x{element}>")
        + store("a", "u", (count,), element)
        + "return\n}\n"
    )


def values(
    body: str, element: str = "i32", count: int = 1, before: str = "", n: int = 0, f: float = 0.0
) -> list[float]:
    got = execute(program(body, element, count, before), {"z": written((count,), element), "n": n, "f": f})["z"]
    return [v.item() for v in got]


def test_integers_wrap_at_their_width() -> None:
    body = (
        "%big = arith.constant 2147483647 : i32\n%r0 = arith.addi %big, %n : i32\n%r1 = arith.muli %big, %big : i32\n"
        "%r2 = arith.shrui %r0, %n : i32\n"
    )
    assert values(body, count=3, n=1) == [-(2**31), 1, 2**30]
    body = (
        "%w = arith.index_cast %n : i32 to index\n"
        "%r0 = arith.index_castui %n : i32 to index\n%r1 = arith.addi %w, %c1 : index\n"
    )
    assert values(body, "index", 2, n=-1) == [2**32 - 1, 0]


def test_comparisons_and_select() -> None:
    body = (
        "%m = arith.constant -1 : i32\n%s = arith.cmpi slt, %m, %n : i32\n%v = arith.cmpi ult, %m, %n : i32\n"
        "%r0 = arith.select %s, %n, %m : i32\n%r1 = arith.select %v, %n, %m : i32\n%x = arith.extui %s : i1 to i32\n"
        "%r2 = arith.subi %x, %n : i32\n"
    )
    assert values(body, count=3, n=5) == [5, -1, -4]


def test_float_scalars() -> None:
    body = (
        "%h = arith.truncf %f : f32 to f16\n%q = math.exp %h : f16\n%w = arith.extf %q : f16 to f32\n"
        "%k = arith.constant 0x7FC00001 : f32\n"
        "%b = arith.bitcast %k : f32 to i32\n%b1 = arith.bitcast %b : i32 to f32\n"
        "%p = arith.cmpf olt, %f, %w : f32\n%r0 = arith.select %p, %w, %f : f32\n%i = arith.fptosi %f : f32 to i32\n"
        "%r1 = arith.sitofp %i : i32 to f32\n"
    )
    assert values(body, "f32", 2, f=1.75) == [float(np.float16(np.exp(np.float32(1.75)))), 1.0]


def test_every_scalar_op_agrees_on_scalars_and_tensors() -> None:
    body = "%x = tensor.splat %n : tensor<3xi32>\n%y = arith.constant dense<[7, -2, 3]> : tensor<3xi32>\n"
    ops = (
        "addi",
        "subi",
        "muli",
        "divsi",
        "remsi",
        "divui",
        "floordivsi",
        "ceildivsi",
        "maxui",
        "minsi",
        "xori",
        "shrsi",
    )
    for op in ops:
        lines = body + f"%t = arith.{op} %x, %y : tensor<3xi32>\n"
        for k, y in enumerate((7, -2, 3)):
            lines += f"%i{k} = arith.constant {k} : index\n%y{k} = arith.constant {y} : i32\n"
            lines += (
                f"%r{2 * k} = tensor.extract %t[%i{k}] : tensor<3xi32>\n%r{2 * k + 1} = arith.{op} %n, %y{k} : i32\n"
            )
        found = values(lines, count=6, n=-23)
        assert found[::2] == found[1::2], op


def test_min_and_max_of_affine_maps() -> None:
    body = (
        "%i = arith.index_cast %n : i32 to index\n%lo = affine.min affine_map<(d)[s] -> (d * 2, s + 10)>(%i)[%c1]\n"
        "%hi = affine.max affine_map<(d) -> (d floordiv 4, d mod 4, -d ceildiv 3)>(%i)\n"
        "%r0 = arith.index_cast %lo : index to i32\n%r1 = arith.index_cast %hi : index to i32\n"
    )
    assert values(body, count=2, n=7) == [11, 3]
    assert values(body, count=2, n=-7) == [-14, 3]


@pytest.mark.parametrize(("bound", "expected"), [(0, [0, 1]), (1, [0, 2]), (5, [10, 32]), (-3, [0, 1])])
def test_a_loop_carries_values(bound: int, expected: list[int]) -> None:
    body = (
        "%i0 = arith.constant 0 : i32\n%i1 = arith.constant 1 : i32\n"
        "%r0, %r1 = scf.for %i = %i0 to %n step %i1 iter_args(%s = %i0, %p = %i1) -> (i32, i32) : i32 {\n"
        "%s1 = arith.addi %s, %i : i32\n%p1 = arith.addi %p, %p : i32\nscf.yield %s1, %p1 : i32, i32\n}\n"
    )
    assert values(body, count=2, n=bound) == expected


def test_branches_and_while() -> None:
    body = (
        "%i0 = arith.constant 0 : i32\n%i1 = arith.constant 1 : i32\n"
        "%i2 = arith.constant 2 : i32\n%i3 = arith.constant 3 : i32\n"
        "%r0, %r1 = scf.while (%v = %n, %k = %i0) : (i32, i32) -> (i32, i32) {\n"
        "%go = arith.cmpi sgt, %v, %i1 : i32\nscf.condition(%go) %v, %k : i32, i32\n} do {\n^bb0(%v: i32, %k: i32):\n"
        "%odd = arith.andi %v, %i1 : i32\n%is = arith.cmpi eq, %odd, %i1 : i32\n"
        "%next = scf.if %is -> (i32) {\n%t = arith.muli %v, %i3 : i32\n"
        "%u = arith.addi %t, %i1 : i32\nscf.yield %u : i32\n"
        "} else {\n%h = arith.shrsi %v, %i1 : i32\nscf.yield %h : i32\n}\n"
        "%k1 = arith.addi %k, %i1 : i32\nscf.yield %next, %k1 : i32, i32\n}\n"
    )
    assert values(body, count=2, n=27) == [1, 111]


def test_tensors_are_carried_through_loops() -> None:
    body = (
        "%i4 = arith.constant 4 : index\n%one = arith.constant dense<1> : tensor<2xi32>\n"
        "%t = scf.for %i = %c0 to %i4 step %c1 iter_args(%v = %one) -> (tensor<2xi32>) {\n"
        "%w = arith.addi %v, %v : tensor<2xi32>\nscf.yield %w : tensor<2xi32>\n}\n"
        "%r0 = tensor.extract %t[%c0] : tensor<2xi32>\n%r1 = tensor.extract %one[%c1] : tensor<2xi32>\n"
    )
    assert values(body, count=2) == [16, 1]


def test_calls() -> None:
    before = "func.func @twice(%x: i32) -> (i32, i32) {\n%y = arith.addi %x, %x : i32\nreturn %y, %x : i32, i32\n}\n"
    body = (
        "%r0, %r1 = func.call @twice(%n) : (i32) -> (i32, i32)\n%r2, %q = func.call @twice(%r0) : (i32) -> (i32, i32)\n"
    )
    assert values(body, count=3, before=before, n=3) == [6, 3, 12]


def test_hundreds_of_nested_loops() -> None:
    depth = 500
    body = "".join(
        f"%s{k + 1} = scf.for %i{k} = %c0 to %c1 step %c1 iter_args(%a{k}"
        f" = %{'n' if k == 0 else f'a{k - 1}'}) -> (i32) {{\n"
        for k in range(depth)
    )
    body += f"%one = arith.constant 1 : i32\n%s = arith.addi %a{depth - 1}, %one : i32\nscf.yield %s : i32\n}}\n"
    body += "".join(f"scf.yield %s{k} : i32\n}}\n" for k in range(depth, 1, -1))
    assert values(body + "%r0 = arith.addi %s1, %n : i32\n", n=4) == [9]


@pytest.mark.parametrize(
    ("line", "id", "phrase"),
    [
        ("%r0 = arith.divsi %n, %i0 : i32", "division-by-zero", "arith.divsi divides by zero"),
        ("%t = arith.remui %x, %y : tensor<3xi32>", "division-by-zero", "divides by zero at element [1]"),
        (
            "%t = affine.apply affine_map<(d)[s] -> (d mod s)>(%c1)[%c0]",
            "division-by-zero",
            "affine.apply divides by zero",
        ),
        (
            "%t = tensor.extract %x[%c3] : tensor<3xi32>",
            "index-out-of-range",
            "index 3 of dimension 0 is outside of 0..2",
        ),
        ("scf.for %i = %c0 to %c1 step %c0 {", "bad-step", "the step of the loop is 0; it must be at least 1"),
        ("scf.for %i = %c0 to %c1 step %m1 {", "bad-step", "the step of the loop is -1"),
    ],
)
def test_mistakes_have_a_place(line: str, id: str, phrase: str) -> None:
    body = (
        "%i0 = arith.constant 0 : i32\n%c3 = arith.constant 3 : index\n%m1 = arith.constant -1 : index\n"
        "%x = arith.constant dense<7> : tensor<3xi32>\n%y = arith.constant dense<[1, 0, 2]> : tensor<3xi32>\n"
        + line
        + ("\n}\n" if line.endswith("{") else "\n")
        + ("" if line.startswith("%r0") else "%r0 = arith.addi %i0, %i0 : i32\n")
    )
    found = refused(program(body), {"z": written((1,), "i32"), "n": 1, "f": 0.0})
    assert found.id == id
    assert phrase in found.message
    assert found.position.line == line_of(program(body), line)
    assert found.position.file == "kernel.mlir"


def test_a_user_location_comes_first() -> None:
    body = '%i0 = arith.constant 0 : i32\n%r0 = arith.divsi %n, %i0 : i32 loc("model.py":27:12)\n'
    found = refused(program(body), {"z": written((1,), "i32"), "n": 1, "f": 0.0})
    assert str(found.position) == "model.py:27:12"
    assert [n.position.line for n in found.notes] == [line_of(program(body), "arith.divsi")]


def test_constants_of_every_type() -> None:
    for element, text, expected in (
        ("f16", "[0x7C01, -0.0, 1.5]", [np.nan, -0.0, 1.5]),
        ("bf16", "[1.5, 0x7F80, -2.5]", [1.5, np.inf, -2.5]),
        ("bf16", "3.5", [3.5] * 3),
        ("f64", "[1.0e300, 1.0, 2.0]", [1e300, 1, 2]),
        ("i1", "[true, false, true]", [1, 0, 1]),
        ("i8", "[-128, 127, 0]", [-128, 127, 0]),
        ("index", "[-1, 2, 3]", [-1, 2, 3]),
    ):
        body = f"%k = arith.constant dense<{text}> : tensor<3x{element}>\n%i2 = arith.constant 2 : index\n"
        for k, index in enumerate(("c0", "c1", "i2")):
            body += f"%r{k} = tensor.extract %k[%{index}] : tensor<3x{element}>\n"
        got = execute(program(body, element, 3), {"z": written((3,), element), "n": 0, "f": 0.0})["z"]
        want = np.array(expected).astype(numerics.dtype(element))
        assert np.array_equal(got, want, equal_nan=element.endswith("f16")), element


def test_an_op_without_a_meaning() -> None:
    body = "%r0 = arith.addi %n, %n : i32\n%v = vector.broadcast %f : f32 to vector<4xf32>\n"
    found = refused(program(body), {"z": written((1,), "i32"), "n": 1, "f": 0.0})
    assert (
        found.message
        == "the executor has no meaning for 'vector.broadcast': kernels are not written in dialect 'vector'"
    )
    assert found.position.line == line_of(program(body), "vector.broadcast")
