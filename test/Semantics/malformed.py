# ruff: noqa: E501 (kernels keep an op on a line)
"""Kernels that are malformed or make no sense: edits of sound ones, each with the id of the error and the line it is at.

A row is ``(what is wrong, base, [(old, new), ...], id, marker)``: ``marker`` is text of the line where the error has to
point; by default it is the first new text.
"""

from __future__ import annotations

PLAIN = """
#all = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id2 = affine_map<(a, b) -> (a, b)>
func.func @k(%x: index, %z: index) attributes {grid = [2]} {
  %tile = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %first = arith.muli %tile, %c2 : index
  %end = arith.addi %first, %c2 : index
  %xv = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>
  %zv = ktdp.construct_memory_view %z, sizes: [4, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>
  scf.for %i = %first to %end step %c1 {
    %xt = ktdp.construct_access_tile %xv[%i, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>
    %zt = ktdp.construct_access_tile %zv[%i, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>
    %a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf32>
    %init = arith.constant dense<0.0> : tensor<1xf32>
    %sum = linalg.reduce { arith.addf } ins(%a : tensor<1x64xf32>) outs(%init : tensor<1xf32>) dimensions = [1]
    %s = tensor.extract %sum[%c0] : tensor<1xf32>
    %t = tensor.splat %s : tensor<1x64xf32>
    %r = arith.divf %a, %t : tensor<1x64xf32>
    ktdp.store %r, %zt : tensor<1x64xf32>, <1x64xindex>
  }
  return
}
"""
GLOBAL = "memory_space = #ktdp.memory_space<global>"
LINE = "    ktdp.store %r, %zt"

#: What is wrong, the edits, the id; text of the line that the error is at (None: the first new text), or its number (from
#: the end when negative).
Row = tuple[str, list[tuple[str, str]], str, str | int | None]

ROWS: list[Row] = [
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
        "syntax",
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
        "syntax",
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
    (
        "a grid without extents",
        [("grid = [2]", "grid = []")],
        "bad-grid",
        "func.func",
    ),
    (
        "a grid of extent 0",
        [("grid = [2]", "grid = [0]")],
        "bad-grid",
        "func.func",
    ),
    (
        "a negative grid",
        [("grid = [2]", "grid = [-2]")],
        "bad-grid",
        "func.func",
    ),
    (
        "a grid that is a number",
        [("grid = [2]", "grid = 2")],
        "bad-grid",
        "func.func",
    ),
    (
        "a grid of strings",
        [("grid = [2]", 'grid = ["2"]')],
        "bad-grid",
        "func.func",
    ),
    (
        "a grid with more tiles than cores",
        [("grid = [2]", "grid = [8, 8]")],
        "grid-too-large",
        None,
    ),
    (
        "more ids than the grid has dimensions",
        [("%tile = ktdp.get_compute_tile_id : index", "%tile, %u = ktdp.get_compute_tile_id : index, index")],
        "grid-mismatch",
        None,
    ),
    (
        "no id at all",
        [("%tile = ktdp.get_compute_tile_id : index", "ktdp.get_compute_tile_id\n  %tile = arith.constant 0 : index")],
        "syntax",
        "  %tile = arith.constant 0",
    ),
    (
        "an argument that is scaled",
        [
            ("construct_memory_view %x, sizes", "construct_memory_view %xx, sizes"),
            ("  %c9 =", "  %xx = arith.muli %x, %x : index\n  %c9 ="),
        ],
        "scaled-address",
        "construct_memory_view %xx",
    ),
    (
        "two arguments added to one address",
        [
            ("construct_memory_view %x, sizes", "construct_memory_view %xx, sizes"),
            ("  %c9 =", "  %xx = arith.addi %x, %z : index\n  %c9 ="),
        ],
        "scaled-address",
        "construct_memory_view %xx",
    ),
    (
        "a call of nothing",
        [("%r = arith.divf", "func.call @nothing() : () -> ()\n    %r = arith.divf")],
        "mlir-verify",
        "func.call",
    ),
    (
        "a recursive call",
        [("%r = arith.divf", "func.call @k(%x, %z) : (index, index) -> ()\n    %r = arith.divf")],
        "recursive-call",
        "func.call",
    ),
    (
        "an op without a meaning",
        [("%r = arith.divf", "%vec = vector.broadcast %s : f32 to vector<4xf32>\n    %r = arith.divf")],
        "unsupported-op",
        "vector.broadcast",
    ),
    (
        "branches",
        [("  return\n}", "  cf.br ^end\n^end:\n  return\n}")],
        "unsupported-op",
        "func.func",
    ),
    (
        "a set that reaches beyond the sizes",
        [("-r + 3 >= 0", "-r + 4 >= 0")],
        "set-too-large",
        "%xv = ",
    ),
    (
        "a set without an upper bound",
        [
            (
                "#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>",
                "#row = affine_set<(r, c) : (r == 0, c >= 0)>",
            )
        ],
        "unbounded-set",
        "%xt = ",
    ),
    (
        "a tile set larger than the tile",
        [("#row = affine_set<(r, c) : (r == 0,", "#row = affine_set<(r, c) : (r >= 0, -r + 1 >= 0,")],
        "set-too-large",
        "ktdp.load",
    ),
    (
        "a tile outside of its view",
        [("%xv[%i, %c0]", "%xv[%i + 4, %c0]")],
        "out-of-view",
        "ktdp.load",
    ),
    (
        "a constant start below 0",
        [("%xv[%i, %c0]", "%xv[%i, -1]")],
        "out-of-view",
        "ktdp.load",
    ),
    (
        "an index past a tensor",
        [("%sum[%c0]", "%sum[%c9]")],
        "index-out-of-range",
        None,
    ),
    (
        "a slice past a tensor",
        [
            (
                "%r = arith.divf",
                (
                    "%q = tensor.extract_slice %a[0, %c9] [1, 60] [1, 1] : tensor<1x64xf32> to tensor<1x6"
                    "0xf32>\n    %r = arith.divf"
                ),
            )
        ],
        "index-out-of-range",
        "tensor.extract_slice",
    ),
    (
        "a division by zero",
        [("arith.muli %tile, %c2 : index", "arith.divsi %tile, %c0 : index")],
        "division-by-zero",
        None,
    ),
    (
        "a remainder by zero",
        [("arith.muli %tile, %c2 : index", "arith.remui %tile, %c0 : index")],
        "division-by-zero",
        None,
    ),
    (
        "a subscript mod 0",
        [("%xv[%i, %c0]", "%xv[%i mod 0, %c0]")],
        "division-by-zero",
        None,
    ),
    (
        "a step of 0",
        [("step %c1", "step %c0")],
        "bad-step",
        None,
    ),
    (
        "a negative step",
        [("step %c1", "step %m1"), ("  %c9 =", "  %m1 = arith.constant -1 : index\n  %c9 =")],
        "bad-step",
        "step %m1",
    ),
    (
        "a loop without end",
        [
            (
                "%r = arith.divf",
                (
                    "scf.while : () -> () {\n      %yes = arith.constant true\n      scf.condition(%yes)\n  "
                    "  } do {\n      scf.yield\n    }\n    %r = arith.divf"
                ),
            )
        ],
        "too-many-iterations",
        "scf.while",
    ),
    (
        "a loop that takes centuries",
        [
            ("scf.for %i = %first to %end", "scf.for %i = %first to %far"),
            ("  %c9 =", "  %far = arith.constant 1000000000000000 : index\n  %c9 ="),
        ],
        "too-many-iterations",
        "scf.for",
    ),
    (
        "an empty tensor that is stored",
        [("%r = arith.divf %a, %t : tensor<1x64xf32>", "%r = tensor.empty() : tensor<1x64xf32>")],
        "undefined-value",
        "    ktdp.store %r, %zt",
    ),
    (
        "arithmetic on an empty tensor",
        [("%r = arith.divf %a, %t", "%e = tensor.empty() : tensor<1x64xf32>\n    %r = arith.divf %a, %e")],
        "undefined-value",
        "arith.divf %a, %e",
    ),
    (
        "an element of an empty tensor",
        [
            (
                "dense<0.0> : tensor<1xf32>\n",
                "dense<0.0> : tensor<1xf32>\n    %none = tensor.empty() : tensor<1xf32>\n",
            ),
            ("tensor.extract %sum", "tensor.extract %none"),
        ],
        "undefined-value",
        "tensor.extract",
    ),
    (
        "a reduction by an unknown combiner into an empty tensor",
        [
            ("dense<0.0> : tensor<1xf32>", "dense<0.0> : tensor<1xf32>\n    %none = tensor.empty() : tensor<1xf32>"),
            (
                (
                    "linalg.reduce { arith.addf } ins(%a : tensor<1x64xf32>) outs(%init : tensor<1xf32>) "
                    "dimensions = [1]"
                ),
                (
                    "linalg.reduce { arith.subf } ins(%a : tensor<1x64xf32>) outs(%none : tensor<1xf32>) "
                    "dimensions = [1]"
                ),
            ),
        ],
        "undefined-value",
        "arith.subf",
    ),
    (
        "a scratchpad that nobody wrote",
        [
            (
                "memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>\n  %zv",
                "memory_space = #ktdp.memory_space<ct_local>} : memref<4x64xf32>\n  %zv",
            ),
            ("construct_memory_view %x,", "construct_memory_view %c0,"),
        ],
        "unwritten-read",
        "ktdp.load",
    ),
    (
        "a view beyond the scratchpad",
        [
            (
                "memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>\n  %zv",
                "memory_space = #ktdp.memory_space<ct_local>} : memref<4x64xf32>\n  %zv",
            ),
            ("construct_memory_view %x,", "construct_memory_view %huge,"),
            ("  %c9 =", "  %huge = arith.constant 524288 : index\n  %c9 ="),
        ],
        "out-of-lx",
        "ktdp.load",
    ),
    (
        "the scratchpad of a core that is not there",
        [
            (
                "memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>\n  %zv",
                "memory_space = #ktdp.memory_space<ct_local, ct_id = 40>} : memref<4x64xf32>\n  %zv",
            ),
            ("construct_memory_view %x,", "construct_memory_view %c0,"),
        ],
        "out-of-lx",
        "ct_id = 40",
    ),
    (
        "a view of 16 MiB in a scratchpad",
        [
            (
                (
                    "%zv = ktdp.construct_memory_view %z, sizes: [4, 64], strides: [64, 1] {coordinate_se"
                    "t = #all, memory_space = #ktdp.memory_space<global>"
                ),
                (
                    "%zv = ktdp.construct_memory_view %c0, sizes: [4, 64], strides: [1048576, 1] {coordin"
                    "ate_set = #all, memory_space = #ktdp.memory_space<ct_local>"
                ),
            )
        ],
        "out-of-lx",
        "ktdp.store",
    ),
    (
        "two tiles that write one row",
        [("%zv[%i, %c0]", "%zv[%c0, %c0]")],
        "race",
        "    ktdp.store %r, %zt",
    ),
    (
        "a tile that reads what another writes",
        [
            (
                "%zv[%i, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32>",
                ("%xv[3 - %i, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32>"),
            )
        ],
        "race",
        None,
    ),
    (
        "a dynamic size below 0",
        [
            (
                (
                    "sizes: [4, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory"
                    "_space<global>} : memref<4x64xf32>\n  %zv"
                ),
                (
                    "sizes: [%m1, 64], strides: [64, 1] {coordinate_set = affine_set<(r, c)[s] : (r >= 0,"
                    " -r + s - 1 >= 0, c >= 0, -c + 63 >= 0)>, memory_space = #ktdp.memory_space<global>}"
                    " : memref<?x64xf32>\n  %zv"
                ),
            ),
            (
                "%xv[%i, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32>",
                "%xv[%i, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<?x64xf32>",
            ),
            ("  %c9 =", "  %m1 = arith.constant -1 : index\n  %c9 ="),
        ],
        "wrong-size",
        "sizes: [%m1, 64]",
    ),
    (
        "a reshape to another number of elements",
        [
            (
                "%r = arith.divf",
                (
                    "%sh = arith.constant dense<[2, 64]> : tensor<2xindex>\n    %q = tensor.reshape %a(%sh"
                    ") : (tensor<1x64xf32>, tensor<2xindex>) -> tensor<2x64xf32>\n    %r = arith.divf"
                ),
            )
        ],
        "mlir-verify",
        "tensor.reshape",
    ),
    (
        "a cast to another extent",
        [
            (
                "%r = arith.divf",
                (
                    "%d = tensor.cast %a : tensor<1x64xf32> to tensor<1x?xf32>\n    %q = tensor.cast %d : "
                    "tensor<1x?xf32> to tensor<1x63xf32>\n    %r = arith.divf"
                ),
            )
        ],
        "shape-mismatch",
        "tensor<1x63xf32>",
    ),
    (
        "dynamic operands that differ",
        [
            (
                "%r = arith.divf",
                (
                    "%d = tensor.cast %a : tensor<1x64xf32> to tensor<1x?xf32>\n    %h = tensor.extract_sl"
                    "ice %d[0, 0] [1, %c9] [1, 1] : tensor<1x?xf32> to tensor<1x?xf32>\n    %q = linalg.ad"
                    "d ins(%d, %h : tensor<1x?xf32>, tensor<1x?xf32>) outs(%d : tensor<1x?xf32>) -> tenso"
                    "r<1x?xf32>\n    %r = arith.divf"
                ),
            )
        ],
        "shape-mismatch",
        "linalg.add",
    ),
    (
        "dynamic operands of arith that differ",
        [
            (
                "%r = arith.divf",
                (
                    "%d = tensor.cast %a : tensor<1x64xf32> to tensor<1x?xf32>\n    %h = tensor.extract_sl"
                    "ice %d[0, 0] [1, %c9] [1, 1] : tensor<1x?xf32> to tensor<1x?xf32>\n    %q = arith.add"
                    "f %d, %h : tensor<1x?xf32>\n    %r = arith.divf"
                ),
            )
        ],
        "shape-mismatch",
        "arith.addf %d, %h",
    ),
    (
        "the rank of a tensor beyond its dimensions",
        [("%r = arith.divf", "%q = tensor.dim %a, %c9 : tensor<1x64xf32>\n    %r = arith.divf")],
        "index-out-of-range",
        "tensor.dim",
    ),
    (
        "an empty tensor of negative size",
        [
            (
                "%r = arith.divf",
                ("%m1 = arith.constant -1 : index\n    %q = tensor.empty(%m1) : tensor<?xf32>\n    %r = arith.divf"),
            )
        ],
        "wrong-size",
        "tensor.empty",
    ),
    (
        "a map that reaches past an operand",
        [
            (
                "%r = arith.divf",
                (
                    "%e = tensor.empty() : tensor<8xf32>\n    %q = linalg.generic {indexing_maps = [affine"
                    '_map<(d) -> (0, d + 60)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} in'
                    "s(%a : tensor<1x64xf32>) outs(%e : tensor<8xf32>) {\n    ^bb0(%in: f32, %out: f32):\n "
                    "     linalg.yield %in : f32\n    } -> tensor<8xf32>\n    %r = arith.divf"
                ),
            )
        ],
        "mlir-verify",
        "linalg.generic",
    ),
]
