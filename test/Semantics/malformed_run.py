# ruff: noqa: E501 (kernels keep an op on a line)
"""Mistakes in a kernel as a whole, and those that show when it runs: rows as in malformed.py, all of them edits of its kernel."""

from __future__ import annotations

from malformed import Row

RUN_ROWS: list[Row] = [
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
        "%xt = ",
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
        "ktdp.load",
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
