"""Structured ops and shapes of tensors: any maps, any body, reductions that accumulate wide and round once."""

import math

import numpy as np
import pytest
from kernel import execute, line_of, refused, unary, written

from spyrec import diag
from spyrec.errors import Severity

RNG = np.random.default_rng(4)
X = RNG.standard_normal((4, 6)).astype(np.float32)


def run(
    body: str, x: np.ndarray, shape: tuple[int, ...], source: str = "f32", target: str = "f32", **options: object
) -> np.ndarray:
    """Compute %r (of ``shape`` and ``target``) from %a (that is ``x``)."""
    return execute(unary(body, x.shape, shape, source, target), {"x": x, "z": written(shape, target)}, **options)["z"]


def ty(shape: tuple[int, ...], element: str = "f32") -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


E = "%e = tensor.empty() : tensor<4x6xf32>\n"


@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("add", np.add),
        ("sub", np.subtract),
        ("mul", np.multiply),
        ("div", np.divide),
        ("max", np.maximum),
        ("min", np.minimum),
    ],
)
def test_named_ops_of_two_operands(op: str, function: np.ufunc) -> None:
    body = "%b = arith.constant dense<0.75> : tensor<4x6xf32>\n" + E
    body += (
        f"%r = linalg.{op} ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>)"
        " outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>\n"
    )
    assert np.array_equal(run(body, X, (4, 6)), function(X, np.float32(0.75)))


@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("exp", np.exp),
        ("abs", np.abs),
        ("ceil", np.ceil),
        ("floor", np.floor),
        ("negf", np.negative),
        ("tanh", np.tanh),
        ("square", np.square),
        ("reciprocal", lambda x: 1 / x),
        ("sqrt", lambda x: np.sqrt(x)),
        ("log", np.log),
        ("round", lambda x: np.trunc(x + np.copysign(0.5, x))),
        ("rsqrt", lambda x: 1 / np.sqrt(x)),
        ("erf", np.vectorize(math.erf)),
    ],
)
def test_named_ops_of_one_operand(op: str, function: object) -> None:
    x = np.abs(X) if op in ("sqrt", "log", "rsqrt") else X
    body = E + f"%r = linalg.{op} ins(%a : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>\n"
    assert np.array_equal(run(body, x, (4, 6)), function(x.astype(np.float64)).astype(np.float32))


def test_fill_broadcast_transpose_copy_and_map() -> None:
    body = (
        "%c = arith.constant 2.5 : f32\n%e = tensor.empty() : tensor<6x4xf32>\n"
        "%f = tensor.empty() : tensor<5x6x4xf32>\n"
        "%t = linalg.transpose ins(%a : tensor<4x6xf32>) outs(%e : tensor<6x4xf32>) permutation = [1, 0]\n"
        "%k = linalg.fill ins(%c : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>\n"
        "%m = linalg.map { arith.mulf } ins(%t, %k : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xf32>)\n"
        "%b = linalg.broadcast ins(%m : tensor<6x4xf32>) outs(%f : tensor<5x6x4xf32>) dimensions = [0]\n"
        "%r = linalg.copy ins(%b : tensor<5x6x4xf32>) outs(%f : tensor<5x6x4xf32>) -> tensor<5x6x4xf32>\n"
    )
    assert np.array_equal(run(body, X, (5, 6, 4)), np.broadcast_to(X.T * np.float32(2.5), (5, 6, 4)))


def test_permutations_of_three_dimensions() -> None:
    x = RNG.standard_normal((2, 3, 5)).astype(np.float32)
    body = (
        "%e = tensor.empty() : tensor<5x2x3xf32>\n"
        "%r = linalg.transpose ins(%a : tensor<2x3x5xf32>) outs(%e : tensor<5x2x3xf32>) permutation = [2, 0, 1]\n"
    )
    assert np.array_equal(run(body, x, (5, 2, 3)), x.transpose(2, 0, 1))
    body = (
        "%e = tensor.empty() : tensor<5x2x3xf32>\n"
        "%r = linalg.generic {indexing_maps = [affine_map<(p, q, s) -> (q, s, p)>, affine_map<(p, q, s) -> (p, q, s)>],"
        ' iterator_types = ["parallel", "parallel", "parallel"]}'
        " ins(%a : tensor<2x3x5xf32>) outs(%e : tensor<5x2x3xf32>) {\n"
        "^bb0(%v: f32, %o: f32):\nlinalg.yield %v : f32\n} -> tensor<5x2x3xf32>\n"
    )
    assert np.array_equal(run(body, x, (5, 2, 3)), x.transpose(2, 0, 1))


def reduce(
    combiner: str, init: str | None, axes: str, shape: tuple[int, ...], source: str, element: str = "f16"
) -> str:
    """Reduce %a of type ``source`` into ``shape``; without ``init`` into a tensor without contents."""
    t = ty(shape, element)
    start = f"%i = tensor.empty() : {t}\n" if init is None else f"%i = arith.constant dense<{init}> : {t}\n"
    return (
        start + f"%r = linalg.reduce {{ arith.{combiner} }} ins(%a : {source}) outs(%i : {t}) dimensions = [{axes}]\n"
    )


def test_a_reduction_rounds_once() -> None:
    x = RNG.standard_normal((3, 4096)).astype(np.float16)
    got = run(reduce("addf", "0.0", "1", (3,), ty(x.shape, "f16")), x, (3,), "f16", "f16")
    assert np.array_equal(got, np.array([math.fsum(map(float, row)) for row in x]).astype(np.float16))
    ones = np.ones((1, 4096), np.float16)
    assert (
        run(reduce("addf", "1.0", "1", (1,), ty(ones.shape, "f16")), ones, (1,), "f16", "f16") == 4096
    )  # 4097, the nearest even f16


def test_the_init_value_takes_part() -> None:
    x = np.array([[2, -8, 5], [1, 1, 1]], np.float16)
    t = ty((2, 3), "f16")
    for combiner, init, axes, expected in (
        ("mulf", "3.0", "1", [-240, 3]),
        ("maximumf", "4.0", "1", [5, 4]),
        ("minimumf", "0.5", "0", [0.5, -8, 0.5]),
        ("addf", "1.0", "0, 1", 3),
    ):
        shape = np.shape(expected)
        got = run(reduce(combiner, init, axes, shape, t), x, shape, "f16", "f16")
        assert np.array_equal(got, np.array(expected, np.float16)), combiner


@pytest.mark.parametrize(
    ("combiner", "expected"), [("addf", [-1, 3]), ("mulf", [-80, 1]), ("maximumf", [5, 1]), ("minnumf", [-8, 1])]
)
def test_an_empty_init_is_the_identity_with_a_remark(combiner: str, expected: list[float]) -> None:
    x, sink = np.array([[2, -8, 5], [1, 1, 1]], np.float16), diag.Sink()
    text = reduce(combiner, None, "1", (2,), ty((2, 3), "f16"))
    assert list(run(text, x, (2,), "f16", "f16", sink=sink)) == expected
    assert [(d.severity, d.id) for d in sink.diagnostics] == [(Severity.REMARK, "empty-init")]


def test_a_row_of_nan_under_maxnumf() -> None:
    x = np.array([[np.nan, np.nan], [np.nan, 2]], np.float16)
    assert list(run(reduce("maxnumf", None, "1", (2,), ty((2, 2), "f16")), x, (2,), "f16", "f16")) == [-np.inf, 2]
    assert np.isnan(run(reduce("maximumf", None, "1", (2,), ty((2, 2), "f16")), x, (2,), "f16", "f16")).all()


def test_a_reduction_over_nothing_is_its_init() -> None:
    body = (
        "%n = arith.constant 0 : index\n"
        "%z0 = tensor.extract_slice %a[0, 0] [4, 0] [1, 1] : tensor<4x6xf32> to tensor<4x0xf32>\n"
        "%i = arith.constant dense<7.0> : tensor<4xf32>\n"
        "%r = linalg.reduce { arith.addf } ins(%z0 : tensor<4x0xf32>) outs(%i : tensor<4xf32>) dimensions = [1]\n"
    )
    assert list(run(body, X, (4,))) == [7] * 4


def matmul(init: str, element: str = "f32") -> str:
    return (
        f"%i = {init} : tensor<4x4x{element}>\n%e = tensor.empty() : tensor<6x4xf16>\n"
        "%t = linalg.transpose ins(%a : tensor<4x6xf16>) outs(%e : tensor<6x4xf16>) permutation = [1, 0]\n"
        "%r = linalg.matmul ins(%a, %t : tensor<4x6xf16>, tensor<6x4xf16>)"
        f" outs(%i : tensor<4x4x{element}>) -> tensor<4x4x{element}>\n"
    )


@pytest.mark.parametrize(("element", "dtype"), [("f16", np.float16), ("f32", np.float32)])
def test_matmul_accumulates_exact_products(element: str, dtype: type) -> None:
    x = (RNG.standard_normal((4, 6)) * 30).astype(np.float16)
    exact = np.array([[math.fsum(float(p) * float(q) for p, q in zip(u, v, strict=True)) for v in x] for u in x])
    got = run(matmul("arith.constant dense<1.0>", element), x, (4, 4), "f16", element)
    assert np.array_equal(got, (exact + 1).astype(dtype))
    sink = diag.Sink()
    assert np.array_equal(
        run(matmul("tensor.empty()", element), x, (4, 4), "f16", element, sink=sink), exact.astype(dtype)
    )
    assert [(d.severity, d.id) for d in sink.diagnostics] == [(Severity.WARNING, "empty-init")]


def test_batch_matmul_and_transposed_operands() -> None:
    x = RNG.standard_normal((3, 4, 4)).astype(np.float32)
    exact = np.matmul(x.astype(np.float64), x.astype(np.float64)).astype(np.float32)
    t = "tensor<3x4x4xf32>"
    body = (
        f"%i = arith.constant dense<0.0> : {t}\n%r = linalg.batch_matmul ins(%a, %a : {t}, {t}) outs(%i : {t}) -> {t}\n"
    )
    assert np.array_equal(run(body, x, (3, 4, 4)), exact)
    body = (
        "%i = arith.constant dense<0.0> : tensor<4x4xf32>\n"
        "%r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,"
        " affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]"
        " ins(%a, %a : tensor<4x6xf32>, tensor<4x6xf32>) outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    )
    wide = X.astype(np.float64)
    assert np.array_equal(run(body, X, (4, 4)), (wide @ wide.T).astype(np.float32))


def generic(maps: str, kinds: str, ins: str, outs: str, args: str, body: str, result: str) -> str:
    kinds = ", ".join(f'"{ {"p": "parallel", "r": "reduction"}[k] }"' for k in kinds)
    return (
        f"%r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins({ins}) outs({outs}) {{\n"
        f"^bb0({args}):\n{body}}} -> {result}\n"
    )


def test_a_body_with_captured_values_and_indices() -> None:
    text = (
        E
        + "%k = arith.constant 10.0 : f32\n"
        + generic(
            "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>",
            "pp",
            "%a : tensor<4x6xf32>",
            "%e : tensor<4x6xf32>",
            "%v: f32, %o: f32",
            "%i = linalg.index 0 : index\n"
            "%j = linalg.index 1 : index\n"
            "%s = arith.addi %i, %j : index\n"
            "%m = arith.index_cast %s : index to i32\n"
            "%f = arith.sitofp %m : i32 to f32\n"
            "%p = arith.mulf %f, %k : f32\n"
            "%q = arith.addf %p, %v : f32\n"
            "linalg.yield %q : f32\n",
            "tensor<4x6xf32>",
        )
    )
    assert np.array_equal(run(text, X, (4, 6)), np.indices((4, 6)).sum(0).astype(np.float32) * 10 + X)


def test_the_old_value_of_an_output_is_an_operand() -> None:
    text = "%i = arith.constant dense<2.0> : tensor<4x6xf32>\n" + generic(
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>",
        "pp",
        "%a : tensor<4x6xf32>",
        "%i : tensor<4x6xf32>",
        "%v: f32, %o: f32",
        "%q = arith.divf %v, %o : f32\nlinalg.yield %q : f32\n",
        "tensor<4x6xf32>",
    )
    assert np.array_equal(run(text, X, (4, 6)), X / 2)
    empty = text.replace("%i = arith.constant dense<2.0>", "%i = tensor.empty()")
    found = refused(unary(empty, (4, 6), (4, 6)), {"x": X, "z": written((4, 6), "f32")})
    assert (found.id, found.position.line) == (
        "undefined-value",
        line_of(unary(empty, (4, 6), (4, 6)), "linalg.generic"),
    )


def test_every_op_but_the_combiner_is_rounded() -> None:
    x = np.array([[1.0, 2.0**-11, 3.0, 2.0**-11]], np.float16)  # 1 + 2**-11 is no f16
    text = "%i = arith.constant dense<0.0> : tensor<1xf16>\n%k = arith.constant 1.0 : f16\n" + generic(
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>",
        "pr",
        "%a : tensor<1x4xf16>",
        "%i : tensor<1xf16>",
        "%v: f16, %o: f16",
        "%w = arith.addf %v, %k : f16\n%q = arith.addf %w, %o : f16\nlinalg.yield %q : f16\n",
        "tensor<1xf16>",
    )
    assert run(text, x, (1,), "f16", "f16") == 8.0
    squares = text.replace("%w = arith.addf %v, %k : f16", "%w = arith.mulf %v, %v : f16")
    big = np.array([[300.0, -300.0, 1.0, 1.0]], np.float16)  # 300 * 300 is no f16, but the difference of two is
    difference = squares.replace("%w = arith.mulf %v, %v", "%s = math.absf %v : f16\n%w = arith.mulf %v, %s")
    assert run(difference, big, (1,), "f16", "f16") == 2.0


def test_a_reduction_with_two_results_that_belong_together() -> None:
    text = (
        "%i0 = arith.constant dense<0xFF800000> : tensor<4xf32>\n%i1 = arith.constant dense<-1> : tensor<4xindex>\n"
        + generic(
            "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>",
            "pr",
            "%a : tensor<4x6xf32>",
            "%i0, %i1 : tensor<4xf32>, tensor<4xindex>",
            "%v: f32, %m: f32, %at: index",
            "%j = linalg.index 1 : index\n%g = arith.cmpf ogt, %v, %m : f32\n%w = arith.select %g, %v, %m : f32\n"
            "%n = arith.select %g, %j, %at : index\nlinalg.yield %w, %n : f32, index\n",
            "(tensor<4xf32>, tensor<4xindex>)",
        ).replace("%r = ", "%best, %r = ")
    )
    assert list(run(text, X, (4,), "f32", "index")) == list(X.argmax(1))


def test_an_output_dimension_that_no_input_has() -> None:
    text = "%i = arith.constant dense<0.0> : tensor<4x3xf32>\n" + generic(
        "affine_map<(i, k, j) -> (i, j)>, affine_map<(i, k, j) -> (i, k)>",
        "ppr",
        "%a : tensor<4x6xf32>",
        "%i : tensor<4x3xf32>",
        "%v: f32, %o: f32",
        "%q = arith.addf %v, %o : f32\nlinalg.yield %q : f32\n",
        "tensor<4x3xf32>",
    )
    sums = X.astype(np.float64).sum(1).astype(np.float32)
    assert np.array_equal(run(text, X, (4, 3)), np.repeat(sums[:, None], 3, 1))
    product = text.replace("%q = arith.addf %v, %o", "%w = arith.mulf %v, %v : f32\n%q = arith.addf %o, %w")
    squares = (X.astype(np.float64) ** 2).sum(1).astype(np.float32)
    assert np.array_equal(run(product, X, (4, 3)), np.repeat(squares[:, None], 3, 1))


def test_constants_in_maps() -> None:
    text = "%i = arith.constant dense<5.0> : tensor<4x3xf32>\n" + generic(
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 1)>",
        "pr",
        "%a : tensor<4x6xf32>",
        "%i : tensor<4x3xf32>",
        "%v: f32, %o: f32",
        "%q = arith.maximumf %v, %o : f32\nlinalg.yield %q : f32\n",
        "tensor<4x3xf32>",
    )
    expected = np.full((4, 3), 5, np.float32)
    expected[:, 1] = np.maximum(X.max(1), 5)
    assert np.array_equal(run(text, X, (4, 3)), expected)
    column = E + generic(
        "affine_map<(i, j) -> (i, 2)>, affine_map<(i, j) -> (i, j)>",
        "pp",
        "%a : tensor<4x6xf32>",
        "%e : tensor<4x6xf32>",
        "%v: f32, %o: f32",
        "linalg.yield %v : f32\n",
        "tensor<4x6xf32>",
    )
    assert np.array_equal(run(column, X, (4, 6)), np.repeat(X[:, 2:3], 6, 1))


def test_sums_of_dimensions_in_maps() -> None:
    x = np.arange(8, dtype=np.float32)
    text = (
        "%i = arith.constant"
        " dense<0.0> : tensor<6xf32>\n"
        "%w = arith.constant dense<[1.0,"
        " 10.0, 100.0]> : tensor<3xf32>\n"
        + generic(
            "affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>",
            "pr",
            "%a, %w : tensor<8xf32>, tensor<3xf32>",
            "%i : tensor<6xf32>",
            "%v: f32, %u: f32, %o: f32",
            "%p = arith.mulf %v, %u : f32\n%q = arith.addf %p, %o : f32\nlinalg.yield %q : f32\n",
            "tensor<6xf32>",
        )
    )
    assert list(run(text, x, (6,))) == [i + 10 * (i + 1) + 100 * (i + 2) for i in range(6)]
    diagonal = E + generic(
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ((i + j) mod 4, j)>",
        "pp",
        "%a : tensor<4x6xf32>",
        "%e : tensor<4x6xf32>",
        "%v: f32, %o: f32",
        "linalg.yield %v : f32\n",
        "tensor<4x6xf32>",
    )
    expected = np.empty_like(X)
    for i, j in np.ndindex(4, 6):
        expected[(i + j) % 4, j] = X[i, j]
    assert np.array_equal(run(diagonal, X, (4, 6)), expected)


def test_a_body_that_ignores_the_accumulator_keeps_the_last_element() -> None:
    text = "%i = tensor.empty() : tensor<4xf32>\n" + generic(
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>",
        "pr",
        "%a : tensor<4x6xf32>",
        "%i : tensor<4xf32>",
        "%v: f32, %o: f32",
        "linalg.yield %v : f32\n",
        "tensor<4xf32>",
    )
    assert np.array_equal(run(text, X, (4,)), X[:, -1])


def test_integer_reductions_wrap() -> None:
    x = np.array([[100, 100, -3], [-128, -1, 5]], np.int8)
    assert list(run(reduce("addi", "0", "1", (2,), ty((2, 3), "i8"), "i8"), x, (2,), "i8", "i8")) == [-59, -124]
    assert list(run(reduce("maxui", None, "1", (2,), ty((2, 3), "i8"), "i8"), x, (2,), "i8", "i8")) == [-3, -1]


# Shapes --------------------------------------------------------------------------------------------------------------


def test_shapes_change_without_moving_elements() -> None:
    body = (
        "%b = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 6] : tensor<4x6xf32> into tensor<2x2x6xf32>\n"
        "%c = tensor.collapse_shape %b [[0], [1, 2]] : tensor<2x2x6xf32> into tensor<2x12xf32>\n"
        "%s = arith.constant dense<[3, 8]> : tensor<2xindex>\n"
        "%r = tensor.reshape %c(%s) : (tensor<2x12xf32>, tensor<2xindex>) -> tensor<3x8xf32>\n"
    )
    assert np.array_equal(run(body, X, (3, 8)), X.reshape(3, 8))


def test_slices() -> None:
    body = (
        "%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
        "%s = tensor.extract_slice %a[%c1, 1] [2, %c2] [2, 3] : tensor<4x6xf32> to tensor<2x?xf32>\n"
        "%t = tensor.cast %s : tensor<2x?xf32> to tensor<2x2xf32>\n"
        "%u = tensor.extract_slice %a[2, 0] [1, 3] [1, 2] : tensor<4x6xf32> to tensor<3xf32>\n"
        "%i = arith.constant dense<9.0> : tensor<4x5xf32>\n"
        "%v = tensor.insert_slice %t into %i[0, %c1] [2, 2] [3, 1] : tensor<2x2xf32> into tensor<4x5xf32>\n"
        "%r = tensor.insert_slice %u into %v[2, 0] [1, 3] [1, 2] : tensor<3xf32> into tensor<4x5xf32>\n"
    )
    expected = np.full((4, 5), 9, np.float32)
    expected[0::3, 1:3] = X[1::2, 1::3]
    expected[2, ::2] = X[2, ::2]
    assert np.array_equal(run(body, X, (4, 5)), expected)
    outside = body.replace("%a[2, 0] [1, 3] [1, 2]", "%a[2, %c2] [1, 3] [1, 2]")
    found = refused(unary(outside, (4, 6), (4, 5)), {"x": X, "z": written((4, 5), "f32")})
    assert (found.id, found.message) == (
        "index-out-of-range",
        "the slice covers 2 to 6 in dimension 1, which has extent 6",
    )


@pytest.mark.parametrize("kept", ["1x3", "3x1", "3", "1x3x1"])
def test_a_slice_may_drop_dimensions_of_one(kept: str) -> None:
    body = (
        "%b = tensor.expand_shape %a [[0, 1], [2, 3]] output_shape"
        " [1, 4, 6, 1] : tensor<4x6xf32> into tensor<1x4x6x1xf32>\n"
        "%r = tensor.extract_slice %b[0, 2, 1, 0] [1, 1, 3, 1] [1,"
        f" 1, 2, 1] : tensor<1x4x6x1xf32> to tensor<{kept}xf32>\n"
    )
    shape = tuple(map(int, kept.split("x")))
    assert np.array_equal(run(body, X, shape), X[2, 1::2].reshape(shape))


def test_a_mistake_in_a_named_op_is_at_the_op() -> None:
    body = (
        "%e = tensor.empty() : tensor<2xi32>\n%k = arith.constant dense<[1, 0]> : tensor<2xi32>\n"
        "%r = linalg.div ins(%a, %k : tensor<2xi32>, tensor<2xi32>) outs(%e : tensor<2xi32>) -> tensor<2xi32>\n"
    )
    text = unary(body, (2,), (2,), "i32", "i32")
    found = refused(text, {"x": np.ones(2, np.int32), "z": written((2,), "i32")})
    assert (found.id, found.position.line) == ("division-by-zero", line_of(text, "linalg.div"))


def test_halves_written_into_an_empty_tensor() -> None:
    halves = (
        "%e = tensor.empty() : tensor<4x6xf32>\n"
        "%l = tensor.extract_slice %a[0, 0] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>\n"
        "%h = tensor.extract_slice %a[0, 3] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>\n"
        "%m = tensor.insert_slice %h into %e[0, 0] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x6xf32>\n"
        "%r = tensor.insert_slice %l into %m[0, 3] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x6xf32>\n"
    )
    assert np.array_equal(run(halves, X, (4, 6)), np.roll(X, 3, 1))
    one = halves.replace("%r = tensor.insert_slice %l into %m[0, 3]", "%q = tensor.insert_slice %l into %m[0, 3]")
    for use in (
        "%r = arith.addf %m, %m : tensor<4x6xf32>\n",
        "%r = tensor.cast %m : tensor<4x6xf32> to tensor<4x6xf32>\n",
    ):
        text = unary(one + use, (4, 6), (4, 6))
        found = refused(text, {"x": X, "z": written((4, 6), "f32")})
        assert found.id == "undefined-value"
        assert "12 of its 24 elements have never been written, first [0, 3]" in found.message
        assert found.position.line == line_of(text, "arith.addf" if "addf" in use else "ktdp.store")
    left = one + "%r = tensor.extract_slice %m[0, 0] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>\n"
    assert np.array_equal(run(left, X, (4, 3)), X[:, 3:])


def test_generate_and_extract() -> None:
    body = (
        "%k = arith.constant 0.5 : f32\n%z0 = arith.constant 0.0 : f32\n"
        "%r = tensor.generate {\n^bb0(%i: index, %j: index):\n%m = arith.cmpi sge, %i, %j : index\n"
        "%v = tensor.extract %a[%i, %j] : tensor<4x6xf32>\n%w = arith.mulf %v, %k : f32\n"
        "%s = arith.select %m, %w, %z0 : f32\ntensor.yield %s : f32\n} : tensor<4x6xf32>\n"
    )
    assert np.array_equal(run(body, X, (4, 6)), np.tril(X) / 2)


def test_softmax_with_extract_and_splat() -> None:
    x = RNG.standard_normal((1, 64)).astype(np.float16)
    t = "tensor<1x64xf16>"
    body = (
        (
            "%c0 = arith.constant 0 : index\n%lo = arith.constant dense<0xFC00> : tensor<1xf16>\n"
            "%z0 = arith.constant dense<0.0> : tensor<1xf16>\n"
            f"%m = linalg.reduce {{ arith.maximumf }} ins(%a : {t}) outs(%lo : tensor<1xf16>) dimensions = [1]\n"
            f"%ms = tensor.extract %m[%c0] : tensor<1xf16>\n%mt = tensor.splat %ms : {t}\n"
            f"%d = arith.subf %a, %mt : {t}\n%x = math.exp %d : {t}\n"
            f"%s = linalg.reduce {{ arith.addf }} ins(%x : {t}) outs(%z0 : tensor<1xf16>) dimensions = [1]\n"
            "%ss = tensor.extract %s[%c0] : tensor<1xf16>\n"
            f"%st = tensor.splat %ss : {t}\n%r = arith.divf %x, %st : {t}\n"
        )
        .replace("%x = ", "%ex = ")
        .replace("ins(%x", "ins(%ex")
        .replace("divf %x", "divf %ex")
    )
    f32 = np.float32
    e = np.exp((x - x.max()).astype(f32)).astype(np.float16)
    expected = (e.astype(f32) / f32(np.float16(e.astype(np.float64).sum()))).astype(np.float16)
    assert np.array_equal(run(body, x, (1, 64), "f16", "f16"), expected)
