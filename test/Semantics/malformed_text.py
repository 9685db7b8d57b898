# ruff: noqa: E501 (kernels keep an op on a line)
"""Mistakes in text, types and shapes, which the reader finds: rows as in malformed.py, all of them edits of its kernel."""

from __future__ import annotations

from malformed import Row

TEXT_ROWS: list[Row] = [
    (
        "an unknown op of ours",
        [("ktdp.load", "ktdp.laod")],
        "unknown-op",
        None,
    ),
    (
        "an unknown upstream op",
        [("arith.divf", "arith.devide")],
        "unknown-op",
        None,
    ),
    (
        "an unknown dialect",
        [("arith.divf", "airth.divf")],
        "unknown-op",
        None,
    ),
    (
        "an undefined value",
        [("arith.divf %a, %t", "arith.divf %a, %nowhere")],
        "undefined-name",
        None,
    ),
    (
        "an undefined alias",
        [
            (
                (
                    "access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access"
                    "_tile<1x64xindex>\n    %zt"
                ),
                (
                    "access_tile_set = #rwo, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access"
                    "_tile<1x64xindex>\n    %zt"
                ),
            )
        ],
        "undefined-name",
        "#rwo",
    ),
    (
        "a value defined twice",
        [("%t = tensor.splat", "%s = tensor.splat")],
        "redefined-name",
        None,
    ),
    (
        "a value used before it is defined",
        [
            (
                ("    %s = tensor.extract %sum[%c0] : tensor<1xf32>\n    %t = tensor.splat %s : tensor<1x64xf32>\n"),
                ("    %t = tensor.splat %s : tensor<1x64xf32>\n    %s = tensor.extract %sum[%c0] : tensor<1xf32>\n"),
            )
        ],
        "undefined-name",
        "%t = tensor.splat",
    ),
    (
        "a missing brace",
        [("  return\n}\n", "  return\n")],
        "truncated",
        "  return",
    ),
    (
        "a brace too many",
        [("  return\n}\n", "  return\n}\n}\n")],
        "syntax",
        -1,
    ),
    (
        "a bracket that does not close",
        [("%xv[%i, %c0]", "%xv[%i, %c0")],
        "syntax",
        "  }\n  return",
    ),
    (
        "text that ends in the middle of an op",
        [
            (
                (
                    "    %r = arith.divf %a, %t : tensor<1x64xf32>\n    ktdp.store %r, %zt : tensor<1x64xf"
                    "32>, <1x64xindex>\n  }\n  return\n}\n"
                ),
                "    %r = arith.divf %a,",
            )
        ],
        "truncated",
        None,
    ),
    (
        "a missing colon",
        [("%xt : <1x64xindex> ->", "%xt <1x64xindex> ->")],
        "syntax",
        None,
    ),
    (
        "a missing arrow",
        [(": <1x64xindex> -> tensor", ": <1x64xindex> tensor")],
        "syntax",
        None,
    ),
    (
        "an attribute given twice",
        [
            (
                (
                    "{access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.acces"
                    "s_tile<1x64xindex>\n    %zt"
                ),
                (
                    "{access_tile_set = #row, access_tile_set = #row, access_tile_order = #id2} : memref<"
                    "4x64xf32> -> !ktdp.access_tile<1x64xindex>\n    %zt"
                ),
            )
        ],
        "duplicate-attribute",
        "access_tile_set = #row, access_tile_set",
    ),
    (
        "a misspelt attribute",
        [("%zv[%i, %c0] {access_tile_set", "%zv[%i, %c0] {access_tile_sett")],
        "unknown-attribute",
        None,
    ),
    (
        "a missing attribute",
        [("%zv[%i, %c0] {access_tile_set = #row, ", "%zv[%i, %c0] {")],
        "missing-attribute",
        None,
    ),
    (
        "an unknown memory",
        [("memory_space<global>} : memref<4x64xf32>\n  %zv", "memory_space<gobal>} : memref<4x64xf32>\n  %zv")],
        "syntax",
        "gobal",
    ),
    (
        "an unknown type of ours",
        [("!ktdp.access_tile<1x64xindex>\n    %zt", "!ktdp.acess_tile<1x64xindex>\n    %zt")],
        "unknown-type",
        "acess_tile",
    ),
    (
        "a type that is none",
        [("tensor<1x64xf32>\n    ktdp.store", "tensor<1x64xf33>\n    ktdp.store")],
        "syntax",
        "f33",
    ),
    (
        "a number that is too large",
        [("arith.constant 9 : index", "arith.constant 99999999999999999999 : index")],
        "syntax",
        None,
    ),
    (
        "a constant of the wrong kind",
        [("arith.constant 9 : index", "arith.constant 9.5 : index")],
        "syntax",
        "%first = ",
    ),
    (
        "cmpi on floats",
        [("%r = arith.divf %a, %t", "%q = arith.cmpi eq, %a, %t : tensor<1x64xf32>\n    %r = arith.divf %a, %t")],
        "type-mismatch",
        "arith.cmpi",
    ),
    (
        "select on tensors with one type",
        [
            (
                "%r = arith.divf",
                (
                    "%k = arith.constant dense<true> : tensor<1x64xi1>\n    %q = arith.select %k, %a, %t :"
                    " tensor<1x64xf32>\n    %r = arith.divf"
                ),
            )
        ],
        "type-mismatch",
        "arith.select",
    ),
    (
        "expand_shape without output_shape",
        [
            (
                "%r = arith.divf",
                (
                    "%q = tensor.expand_shape %a [[0, 1], [2]] : tensor<1x64xf32> into tensor<1x1x64xf32>"
                    "\n    %r = arith.divf"
                ),
            )
        ],
        "syntax",
        "tensor.expand_shape",
    ),
    (
        "an op that current linalg does not have",
        [
            (
                "%r = arith.divf",
                (
                    "%q = linalg.matmul_transpose_b ins(%a, %a : tensor<1x64xf32>, tensor<1x64xf32>) outs"
                    "(%a : tensor<1x64xf32>) -> tensor<1x64xf32>\n    %r = arith.divf"
                ),
            )
        ],
        "unknown-op",
        "linalg.matmul_transpose_b",
    ),
    (
        "operands of two types",
        [("%t = tensor.splat %s : tensor<1x64xf32>", "%t = tensor.splat %s : tensor<64xf32>")],
        "type-mismatch",
        "arith.divf",
    ),
    (
        "a load of another element type",
        [
            (
                "%a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf32>",
                (
                    "%h = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf16>\n    %a = ktdp.load %xt : <1x64"
                    "xindex> -> tensor<1x64xf32>"
                ),
            )
        ],
        "type-mismatch",
        None,
    ),
    (
        "a load of another shape",
        [
            (
                "%a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf32>",
                (
                    "%h = ktdp.load %xt : <1x64xindex> -> tensor<64xf32>\n    %a = ktdp.load %xt : <1x64xi"
                    "ndex> -> tensor<1x64xf32>"
                ),
            )
        ],
        "type-mismatch",
        None,
    ),
    (
        "a store of another shape",
        [("ktdp.store %r, %zt : tensor<1x64xf32>", "ktdp.store %init, %zt : tensor<1xf32>")],
        "type-mismatch",
        None,
    ),
    (
        "a store of a scalar",
        [("ktdp.store %r, %zt : tensor<1x64xf32>", "ktdp.store %s, %zt : f32")],
        "type-mismatch",
        None,
    ),
    (
        "a view whose type has another shape",
        [
            (
                (
                    "  %xv = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {coordinate_"
                    "set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>"
                ),
                (
                    "  %yv = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {coordinate_"
                    "set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x65xf32>\n  %xv = kt"
                    "dp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {coordinate_set = #all"
                    ", memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>"
                ),
            )
        ],
        "type-mismatch",
        "%yv = ",
    ),
    (
        "a view with more sizes than dimensions",
        [("%x, sizes: [4, 64], strides: [64, 1]", "%x, sizes: [4, 64, 1], strides: [64, 1, 1]")],
        "rank-mismatch",
        None,
    ),
    (
        "a view with fewer strides than sizes",
        [("%x, sizes: [4, 64], strides: [64, 1]", "%x, sizes: [4, 64], strides: [64]")],
        "rank-mismatch",
        None,
    ),
    (
        "a negative size",
        [("%x, sizes: [4, 64]", "%x, sizes: [-4, 64]")],
        "wrong-attribute",
        None,
    ),
    (
        "a set of another rank",
        [
            (
                ("coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>\n  %zv"),
                (
                    "coordinate_set = affine_set<(r) : (r >= 0, -r + 3 >= 0)>, memory_space = #ktdp.memor"
                    "y_space<global>} : memref<4x64xf32>\n  %zv"
                ),
            )
        ],
        "rank-mismatch",
        "(r) : (r >= 0",
    ),
    (
        "a set with a symbol that nothing gives",
        [
            (
                (
                    "access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access"
                    "_tile<1x64xindex>\n    %zt"
                ),
                (
                    "access_tile_set = affine_set<(r, c)[s] : (r == 0, c >= 0, -c + s >= 0)>, access_tile"
                    "_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>\n    %zt"
                ),
            )
        ],
        "rank-mismatch",
        "[s]",
    ),
    (
        "too few subscripts",
        [("%xv[%i, %c0]", "%xv[%i]")],
        "rank-mismatch",
        None,
    ),
    (
        "a subscript that is no index",
        [
            (
                "%t = tensor.splat",
                (
                    "%yt = ktdp.construct_access_tile %xv[%i, %s] {access_tile_set = #row, access_tile_or"
                    "der = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>\n    %t = tensor.spla"
                    "t"
                ),
            )
        ],
        "type-mismatch",
        "%yt = ",
    ),
    (
        "an order of another rank",
        [
            (
                "#id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>\n    %zt",
                "affine_map<(a) -> (a)>} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>\n    %zt",
            )
        ],
        "rank-mismatch",
        "(a) -> (a)",
    ),
    (
        "a set where a map belongs",
        [
            (
                ("access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>\n    %zt"),
                ("access_tile_order = #row} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>\n    %zt"),
            )
        ],
        "wrong-attribute",
        "access_tile_order = #row",
    ),
    (
        "a tile of another rank",
        [
            (
                (
                    "    %xt = ktdp.construct_access_tile %xv[%i, %c0] {access_tile_set = #row, access_ti"
                    "le_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>"
                ),
                (
                    "    %yt = ktdp.construct_access_tile %xv[%i, %c0] {access_tile_set = #row, access_ti"
                    "le_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<64xindex>\n    %xt = ktdp.co"
                    "nstruct_access_tile %xv[%i, %c0] {access_tile_set = #row, access_tile_order = #id2} "
                    ": memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>"
                ),
            )
        ],
        "rank-mismatch",
        "%yt = ",
    ),
    (
        "a tile of f32",
        [("!ktdp.access_tile<1x64xindex>\n    %zt", "!ktdp.access_tile<1x64xf32>\n    %zt")],
        "wrong-type",
        "access_tile<1x64xf32>",
    ),
    (
        "a view at a float",
        [
            (
                "%xv = ktdp.construct_memory_view %x",
                "%fl = arith.constant 1.0 : f32\n  %xv = ktdp.construct_memory_view %fl",
            )
        ],
        "type-mismatch",
        "construct_memory_view %fl",
    ),
    (
        "a core for device memory",
        [
            (
                "#ktdp.memory_space<global>} : memref<4x64xf32>\n  %zv",
                "#ktdp.memory_space<global, ct_id = 2>} : memref<4x64xf32>\n  %zv",
            )
        ],
        "wrong-type",
        "ct_id = 2",
    ),
    (
        "a negative core",
        [
            (
                "#ktdp.memory_space<global>} : memref<4x64xf32>\n  %zv",
                "#ktdp.memory_space<ct_local, ct_id = -1>} : memref<4x64xf32>\n  %zv",
            )
        ],
        "wrong-type",
        "ct_id = -1",
    ),
    (
        "a reduction over a dimension that is not there",
        [("dimensions = [1]", "dimensions = [2]")],
        "mlir-verify",
        None,
    ),
    (
        "a reduction into the wrong shape",
        [
            ("dense<0.0> : tensor<1xf32>", "dense<0.0> : tensor<2xf32>"),
            ("outs(%init : tensor<1xf32>)", "outs(%init : tensor<2xf32>)"),
            ("%sum[%c0] : tensor<1xf32>", "%sum[%c0] : tensor<2xf32>"),
        ],
        "mlir-verify",
        "linalg.reduce",
    ),
    (
        "an extract with too few indices",
        [("%sum[%c0]", "%sum[]")],
        "mlir-verify",
        None,
    ),
    (
        "a dense constant of the wrong count",
        [("dense<0.0> : tensor<1xf32>", "dense<[0.0, 1.0]> : tensor<1xf32>")],
        "syntax",
        None,
    ),
    (
        "a condition that is no i1",
        [("%r = arith.divf", "scf.if %c1 {\n    }\n    %r = arith.divf")],
        "type-mismatch",
        "scf.if",
    ),
    (
        "a step of another type",
        [("step %c1", "step %s0"), ("  %c9 =", "  %s0 = arith.constant 1 : i32\n  %c9 =")],
        "type-mismatch",
        "step %s0",
    ),
]
