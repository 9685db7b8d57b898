# ruff: noqa: E501 (a case per line reads best)
"""Every named op of linalg that upstream can generalise gives what its generic form gives; loops over several counters."""

import numpy as np
import pytest
from kernel import execute, load, refused, store, tile, unary, view, written

from spyrec import asm, dialects, interp
from spyrec.interp.linalg import NAMES

RNG = np.random.default_rng(5)

#: Operands of the ops that are no element-wise ones: shapes of inputs, shape of the output, attributes.
SHAPES: dict[str, tuple[list[tuple[int, ...]], tuple[int, ...], str]] = {
    "matmul": ([(3, 4), (4, 5)], (3, 5), ""),
    "batch_matmul": ([(2, 3, 4), (2, 4, 5)], (2, 3, 5), ""),
    "batch_reduce_matmul": ([(2, 3, 4), (2, 4, 5)], (3, 5), ""),
    "matvec": ([(3, 4), (4,)], (3,), ""),
    "vecmat": ([(4,), (4, 5)], (5,), ""),
    "batch_matvec": ([(2, 3, 4), (2, 4)], (2, 3), ""),
    "batch_vecmat": ([(2, 4), (2, 4, 5)], (2, 5), ""),
    "dot": ([(6,), (6,)], (), ""),
    "mmt4d": ([(2, 3, 2, 4), (2, 3, 5, 4)], (2, 2, 2, 5), ""),
    "batch_mmt4d": ([(2, 2, 3, 2, 4), (2, 2, 3, 5, 4)], (2, 2, 2, 2, 5), ""),
    "conv_1d": ([(7,), (3,)], (5,), ""),
    "conv_2d": ([(6, 7), (3, 2)], (4, 6), ""),
    "conv_3d": ([(4, 4, 4), (2, 3, 2)], (3, 2, 3), ""),
    "conv_1d_nwc_wcf": ([(2, 7, 3), (2, 3, 4)], (2, 3, 4), "{dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}"),
    "conv_1d_ncw_fcw": ([(2, 3, 7), (4, 3, 2)], (2, 4, 3), "{dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}"),
    "conv_2d_nhwc_hwcf": ([(1, 5, 5, 2), (3, 3, 2, 4)], (1, 3, 3, 4), ""),
    "conv_2d_nhwc_fhwc": ([(1, 5, 5, 2), (4, 3, 3, 2)], (1, 3, 3, 4), ""),
    "conv_2d_nchw_fchw": ([(1, 2, 5, 5), (4, 2, 3, 3)], (1, 4, 3, 3), ""),
    "depthwise_conv_1d_nwc_wc": ([(2, 7, 3), (2, 3)], (2, 6, 3), ""),
    "depthwise_conv_2d_nhwc_hwc": ([(1, 5, 5, 2), (3, 3, 2)], (1, 3, 3, 2), ""),
    "depthwise_conv_2d_nhwc_hwcm": ([(1, 5, 5, 2), (3, 3, 2, 3)], (1, 3, 3, 2, 3), ""),
    "pooling_nhwc_sum": ([(1, 6, 6, 2), (2, 3)], (1, 5, 4, 2), ""),
    "pooling_nhwc_max": ([(1, 6, 6, 2), (2, 3)], (1, 3, 2, 2), "{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}"),
    "pooling_nhwc_min": ([(1, 6, 6, 2), (2, 3)], (1, 5, 4, 2), ""),
    "pooling_nchw_sum": ([(1, 2, 6, 6), (2, 3)], (1, 2, 5, 4), ""),
    "pooling_nchw_max": ([(1, 2, 6, 6), (2, 3)], (1, 2, 5, 4), ""),
    "pooling_nwc_sum": ([(2, 6, 3), (2,)], (2, 5, 3), ""),
    "pooling_nwc_max": ([(2, 6, 3), (2,)], (2, 5, 3), ""),
    "pooling_ncw_max": ([(2, 3, 6), (2,)], (2, 3, 5), ""),
    **{name: ([(3, 4), (3, 4)], (3, 4), "") for name in ("add", "sub", "mul", "div", "max", "min", "powf")},
    **{
        name: ([(3, 4)], (3, 4), "")
        for name in ("abs", "ceil", "copy", "erf", "exp", "floor", "log", "negf", "reciprocal", "round", "rsqrt", "sqrt", "square", "tanh")
    },
}  # fmt: skip


def typed(shape: tuple[int, ...]) -> str:
    return f"tensor<{'x'.join([*map(str, shape), 'f32'])}>"


def kernel(name: str) -> str:
    inputs, output, attributes = SHAPES[name]
    parts, arguments = "", []
    for k, shape in enumerate([*inputs, output]):
        argument = f"p{k}"
        arguments.append(f"%{argument}: index")
        kind = f"memref<{'x'.join([*map(str, shape), 'f32'])}>"
        parts += view(f"v{k}", f"%{argument}", shape, "f32") + tile(
            f"t{k}", f"v{k}", ", ".join("0" for _ in shape), shape, kind
        )
        parts += load(f"x{k}", f"t{k}", shape, "f32")
    ins = ", ".join(f"%x{k}" for k in range(len(inputs)))
    op = (
        f"%r = linalg.{name} {attributes} ins({ins} : {', '.join(map(typed, inputs))})"
        f" outs(%x{len(inputs)} : {typed(output)}) -> {typed(output)}\n"
    )
    last = len(inputs)
    return (
        f"func.func @kernel({', '.join(arguments)}) attributes {{grid = [1]}} {{\n"
        + parts
        + op
        + store("r", f"t{last}", output, "f32")
        + "return\n}\n"
    )


def generalised(text: str) -> str:
    context = dialects.make_context()
    with context:
        module = asm.read(text, "kernel.mlir", context).module
        from spyrec.mlir import passmanager

        passmanager.PassManager.parse("builtin.module(func.func(linalg-generalize-named-ops))").run(module.operation)
        return asm.print_op(module.operation)


@pytest.mark.parametrize("name", SHAPES)
def test_a_named_op_is_its_generic_form(name: str) -> None:
    inputs, output, _ = SHAPES[name]
    values = {f"p{k}": np.abs(RNG.standard_normal(s).astype(np.float32)) + 0.5 for k, s in enumerate([*inputs, output])}
    text = kernel(name)
    generic = generalised(text)
    assert f"linalg.{name} " not in generic
    got, want = (execute(t, values)[f"p{len(inputs)}"] for t in (text, generic))
    assert got.tobytes() == want.tobytes()
    if name == "conv_2d":
        a, b, c = (values[f"p{k}"].astype(np.float64) for k in range(3))
        direct = [[c[i, j] + (a[i : i + 3, j : j + 2] * b).sum() for j in range(6)] for i in range(4)]
        assert np.array_equal(got, np.array(direct).astype(np.float32))


def test_all_named_ops_are_known() -> None:
    assert {f"linalg.{name}" for name in SHAPES} <= set(NAMES)
    assert len(NAMES) > 90
    assert {"linalg.softmax"} | set(NAMES) <= interp.meanings()


def test_softmax_along_a_dimension() -> None:
    x = RNG.standard_normal((3, 5)).astype(np.float32)
    body = "%e = tensor.empty() : tensor<3x5xf32>\n%r = linalg.softmax dimension(0) ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>\n"
    got = execute(unary(body, (3, 5), (3, 5)), {"x": x, "z": written((3, 5), "f32")})["z"]
    e = np.exp(x.astype(np.float64) - x.max(axis=0))
    assert np.allclose(got, e / e.sum(axis=0), rtol=1e-6)


def test_parallel_folds_in_order() -> None:
    body = """
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c3 = arith.constant 3 : index
%c4 = arith.constant 4 : index
%zero = arith.constant 0.0 : f32
%least = arith.constant 1.0e+30 : f32
%s:2 = scf.parallel (%i, %j) = (%c0, %c0) to (%c3, %c4) step (%c1, %c1) init (%zero, %least) -> (f32, f32) {
  %v = tensor.extract %a[%i, %j] : tensor<3x4xf32>
  scf.reduce(%v, %v : f32, f32) {
  ^bb0(%p: f32, %q: f32):
    %t = arith.addf %p, %q : f32
    scf.reduce.return %t : f32
  }, {
  ^bb0(%p: f32, %q: f32):
    %t = arith.minimumf %p, %q : f32
    scf.reduce.return %t : f32
  }
}
%r = tensor.from_elements %s#0, %s#1 : tensor<2xf32>
"""
    x = RNG.standard_normal((3, 4)).astype(np.float32)
    got = execute(unary(body, (3, 4), (2,)), {"x": x, "z": written((2,), "f32")})["z"]
    total = np.float32(0)
    for v in x.reshape(-1):
        total += v
    assert list(got) == [total, x.min()]
    assert (
        refused(
            unary(
                body.replace("step (%c1, %c1)", "step (%c1, %none)").replace(
                    "%s:2 =", "%none = arith.subi %c1, %c1 : index\n%s:2 ="
                ),
                (3, 4),
                (2,),
            ),
            {"x": x, "z": written((2,), "f32")},
        ).id
        == "bad-step"
    )


def test_forall_inserts_into_shared_outputs() -> None:
    body = """
%e = tensor.empty() : tensor<4x6xf32>
%r = scf.forall (%i, %j) in (2, 3) shared_outs(%o = %e) -> (tensor<4x6xf32>) {
  %r0 = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
  %c0 = affine.apply affine_map<(d0) -> (d0 * 2)>(%j)
  %p = tensor.extract_slice %a[%r0, %c0] [2, 2] [1, 1] : tensor<4x6xf32> to tensor<2x2xf32>
  %n = arith.negf %p : tensor<2x2xf32>
  scf.forall.in_parallel {
    tensor.parallel_insert_slice %n into %o[%r0, %c0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x6xf32>
  }
}
"""
    x = RNG.standard_normal((4, 6)).astype(np.float32)
    got = execute(unary(body, (4, 6), (4, 6)), {"x": x, "z": written((4, 6), "f32")})["z"]
    assert np.array_equal(got, -x)


def test_a_switch_takes_its_case() -> None:
    body = """
%w = tensor.extract %a[%c0] : tensor<3xi32>
%n = arith.index_cast %w : i32 to index
%v = scf.index_switch %n -> i32
case 2 { %k = arith.constant 20 : i32 scf.yield %k : i32 }
case 5 { %k = arith.constant 50 : i32 scf.yield %k : i32 }
default { %k = arith.constant -1 : i32 scf.yield %k : i32 }
%r = tensor.splat %v : tensor<3xi32>
"""
    for case, want in ((2, 20), (5, 50), (3, -1)):
        text = unary("%c0 = arith.constant 0 : index\n" + body, (3,), (3,), "i32", "i32")
        got = execute(text, {"x": np.full(3, case, np.int32), "z": written((3,), "i32")})["z"]
        assert (got == want).all()


def test_concat_bitcast_and_gather_of_tensors() -> None:
    x = RNG.standard_normal((2, 3)).astype(np.float32)
    body = "%r = tensor.concat dim(1) %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>\n"
    got = execute(unary(body, (2, 3), (2, 6)), {"x": x, "z": written((2, 6), "f32")})["z"]
    assert np.array_equal(got, np.concatenate([x, x], axis=1))
    body = "%r = tensor.bitcast %a : tensor<2x3xf32> to tensor<2x3xi32>\n"
    got = execute(unary(body, (2, 3), (2, 3), "f32", "i32"), {"x": x, "z": written((2, 3), "i32")})["z"]
    assert np.array_equal(got, x.view(np.int32))
    body = """
%i = arith.constant dense<[[2], [0], [2], [1]]> : tensor<4x1xindex>
%g = tensor.gather %a[%i] gather_dims([1]) : (tensor<2x3xf32>, tensor<4x1xindex>) -> tensor<4x2x1xf32>
%r = tensor.collapse_shape %g [[0], [1, 2]] : tensor<4x2x1xf32> into tensor<4x2xf32>
"""
    got = execute(unary(body, (2, 3), (4, 2)), {"x": x, "z": written((4, 2), "f32")})["z"]
    assert np.array_equal(got, x[:, [2, 0, 2, 1]].T)
    past = body.replace("[[2], [0]", "[[3], [0]")
    assert refused(unary(past, (2, 3), (4, 2)), {"x": x, "z": written((4, 2), "f32")}).id == "index-out-of-range"
