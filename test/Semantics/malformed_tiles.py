# ruff: noqa: E501 (kernels keep an op on a line)
"""Mistakes in indirect tiles, distributed views and inter-tile ops: rows as in malformed.py, each with its kernel."""

from __future__ import annotations

from malformed import Row

GATHER = """
#table = affine_set<(r, c) : (r >= 0, -r + 9 >= 0, c >= 0, -c + 63 >= 0)>
#out = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#ids = affine_set<(r) : (r >= 0, -r + 3 >= 0)>
#id2 = affine_map<(a, b) -> (a, b)>
func.func @k(%t: index, %n: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %tv = ktdp.construct_memory_view %t, sizes: [10, 64], strides: [64, 1] {coordinate_set = #table, memory_space = #ktdp.memory_space<global>} : memref<10x64xf16>
  %nv = ktdp.construct_memory_view %n, sizes: [4], strides: [1] {coordinate_set = #ids, memory_space = #ktdp.memory_space<global>} : memref<4xi32>
  %zv = ktdp.construct_memory_view %z, sizes: [4, 64], strides: [64, 1] {coordinate_set = #out, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
  %tt = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %tv[ind(%nv[%r]), (%c)] {variables_space_set = #out, variables_space_order = #id2} : memref<10x64xf16>, memref<4xi32> -> !ktdp.access_tile<4x64xindex>
  %zt = ktdp.construct_access_tile %zv[%c0, %c0] {access_tile_set = #out, access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
  %a = ktdp.load %tt : <4x64xindex> -> tensor<4x64xf16>
  ktdp.store %a, %zt : tensor<4x64xf16>, <4x64xindex>
  return
}
"""

GATHER_ROWS: list[Row] = [
    ("a bare variable as a subscript", [("(%c)] {", "%c] {")], "syntax", None),
    ("an undeclared variable", [("[ind(%nv[%r]), (%c)]", "[ind(%nv[%r]), (%d)]")], "undefined-name", None),
    (
        "an index view that is not listed",
        [("memref<10x64xf16>, memref<4xi32> ->", "memref<10x64xf16> ->")],
        "syntax",
        None,
    ),
    (
        "an index view of floats",
        [
            ("memref<4xi32>\n", "memref<4xf32>\n"),
            ("memref<10x64xf16>, memref<4xi32>", "memref<10x64xf16>, memref<4xf32>"),
        ],
        "type-mismatch",
        "%tt = ",
    ),
    ("too few subscripts of a table", [("[ind(%nv[%r]), (%c)]", "[ind(%nv[%r])]")], "rank-mismatch", None),
    ("too many subscripts of an index view", [("ind(%nv[%r])", "ind(%nv[%r, %c])")], "rank-mismatch", None),
    ("a set of other variables", [("variables_space_set = #out", "variables_space_set = #ids")], "rank-mismatch", None),
    (
        "an order of other variables",
        [("variables_space_order = #id2", "variables_space_order = affine_map<(a) -> (a)>")],
        "rank-mismatch",
        None,
    ),
    ("a missing set of variables", [("variables_space_set = #out, ", "")], "missing-attribute", "%tt = "),
    (
        "a set of variables that is larger than the tile",
        [
            ("-> !ktdp.access_tile<4x64xindex>\n  %zt", "-> !ktdp.access_tile<3x64xindex>\n  %zt"),
            (
                "%a = ktdp.load %tt : <4x64xindex> -> tensor<4x64xf16>",
                "%b = ktdp.load %tt : <3x64xindex> -> tensor<3x64xf16>\n  %a = ktdp.load %zt : <4x64xindex> -> tensor<4x64xf16>",
            ),
        ],
        "set-too-large",
        "%tt = ",
    ),
    ("an index out of range", [("-r + 9 >= 0", "-r + 8 >= 0")], "index-out-of-range", "ktdp.load"),
    ("an index view that is read outside", [("ind(%nv[%r])", "ind(%nv[%r + 1])")], "index-out-of-range", None),
    ("a direct subscript wholly outside", [("(%c)]", "(%c + 64)]")], "out-of-view", "%tt = "),
    ("a direct subscript with a constant start below 0", [("(%c)]", "(%c - 1)]")], "out-of-view", "ktdp.load"),
]

SPLIT = """
#top = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#low = affine_set<(r, c) : (r - 4 >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>
#all = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>
#id2 = affine_map<(a, b) -> (a, b)>
func.func @k(%a: index, %b: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %av = ktdp.construct_memory_view %a, sizes: [4, 64], strides: [64, 1] {coordinate_set = #top, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
  %bv = ktdp.construct_memory_view %b, sizes: [4, 64], strides: [64, 1] {coordinate_set = #low, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
  %w = ktdp.construct_distributed_memory_view (%av, %bv : memref<4x64xf16>, memref<4x64xf16>) : memref<8x64xf16>
  %zv = ktdp.construct_memory_view %z, sizes: [8, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
  %wt = ktdp.construct_access_tile %w[%c0, %c0] {access_tile_set = #all, access_tile_order = #id2} : memref<8x64xf16> -> !ktdp.access_tile<8x64xindex>
  %zt = ktdp.construct_access_tile %zv[%c0, %c0] {access_tile_set = #all, access_tile_order = #id2} : memref<8x64xf16> -> !ktdp.access_tile<8x64xindex>
  %v = ktdp.load %wt : <8x64xindex> -> tensor<8x64xf16>
  ktdp.store %v, %zt : tensor<8x64xf16>, <8x64xindex>
  return
}
"""

SPLIT_ROWS: list[Row] = [
    ("a hole that is loaded", [("r - 4 >= 0", "r - 5 >= 0")], "out-of-view", "ktdp.load"),
    (
        "a hole that is stored",
        [
            ("r - 4 >= 0", "r - 5 >= 0"),
            ("ktdp.load %wt", "ktdp.load %zt"),
            ("ktdp.store %v, %zt", "ktdp.store %v, %wt"),
        ],
        "out-of-view",
        "ktdp.store",
    ),
    (
        "shared rows that are stored",
        [
            ("r - 4 >= 0, -r + 7", "r - 3 >= 0, -r + 6"),
            ("#all = affine_set<(r, c) : (r >= 0, -r + 7 >= 0", "#all = affine_set<(r, c) : (r >= 0, -r + 6 >= 0"),
            ("ktdp.load %wt", "ktdp.load %zt"),
            ("ktdp.store %v, %zt", "ktdp.store %v, %wt"),
        ],
        "overlapping-parts",
        "ktdp.store",
    ),
    ("a part with more coordinates than its sizes", [("r - 4 >= 0", "r - 3 >= 0")], "set-too-large", "%bv = "),
    (
        "parts of two element types",
        [
            ("} : memref<4x64xf16>\n  %w", "} : memref<4x64xf32>\n  %w"),
            ("memref<4x64xf16>, memref<4x64xf16>) :", "memref<4x64xf16>, memref<4x64xf32>) :"),
        ],
        "type-mismatch",
        "%w = ",
    ),
    (
        "no parts",
        [("(%av, %bv : memref<4x64xf16>, memref<4x64xf16>)", "()"), ("r - 4 >= 0, -r + 7", "r >= 0, -r + 3")],
        "wrong-operands",
        None,
    ),
    ("a part that is no view", [("(%av, %bv :", "(%av, %c0 :")], "type-mismatch", None),
    (
        "a whole of another rank",
        [
            (
                "  %zv = ",
                "  %w1 = ktdp.construct_distributed_memory_view (%av, %bv : memref<4x64xf16>, memref<4x64xf16>) : memref<8x64x1xf16>\n  %zv = ",
            )
        ],
        "rank-mismatch",
        None,
    ),
]

INTER = """
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#all = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#cores = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#prev = affine_set<(p)[c] : (p >= 0, -p + 3 >= 0, (c - p - 1) mod 4 == 0)>
#id2 = affine_map<(a, b) -> (a, b)>
func.func @k(%x: index, %z: index) attributes {grid = [4]} {
  %tile = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %xv = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>
  %zv = ktdp.construct_memory_view %z, sizes: [4, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>
  %xt = ktdp.construct_access_tile %xv[%tile, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>
  %zt = ktdp.construct_access_tile %zv[%tile, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>
  %a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf32>
  %zero = arith.constant dense<0.0> : tensor<1x64xf32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #cores -> <(tensor<1x64xf32>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %a : tensor<1x64xf32>
  }
  %s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #cores, identity(%zero : tensor<1x64xf32>) : <(tensor<1x64xf32>), groups = #one> -> tensor<1x64xf32> {
  ^bb0(%p: tensor<1x64xf32>, %q: tensor<1x64xf32>):
    %t = arith.addf %p, %q : tensor<1x64xf32>
    ktdp.yield_reduced %t : tensor<1x64xf32>
  }
  %h = ktdp.inter_tile_produce producer_tiles_per_group = #cores -> <(tensor<1x64xf32>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %s : tensor<1x64xf32>
  }
  %n = ktdp.inter_tile_consume(%h) consumer_tiles_per_group = #cores, producer_dependency_per_consumer = #prev : <(tensor<1x64xf32>), groups = #one> -> tensor<1x64xf32>
  ktdp.store %n, %zt : tensor<1x64xf32>, <1x64xindex>
  return
}
"""

_CONSUME = "  %n = ktdp.inter_tile_consume(%h)"
INTER_ROWS: list[Row] = [
    ("a future that is used twice", [("inter_tile_consume(%h)", "inter_tile_consume(%f)")], "future-uses", "%f = "),
    (
        "producers beyond the grid",
        [("#cores = affine_set<(i)[g] : (i >= 0, -i + 3", "#cores = affine_set<(i)[g] : (i >= 0, -i + 7")],
        "grid-mismatch",
        "%f = ",
    ),
    (
        "groups that share a tile",
        [("#one = affine_set<(g) : (g == 0)>", "#one = affine_set<(g) : (g >= 0, -g + 1 >= 0)>")],
        "overlapping-groups",
        "%f = ",
    ),
    (
        "several producers and no dependency",
        [(", producer_dependency_per_consumer = #prev", "")],
        "wrong-dependency",
        "%n = ",
    ),
    ("a dependency on nobody", [("(c - p - 1) mod 4 == 0", "p - 4 >= 0")], "wrong-dependency", "%n = "),
    ("a dependency on everybody", [(", (c - p - 1) mod 4 == 0", "")], "wrong-dependency", "%n = "),
    (
        "a partial of another type",
        [("ktdp.yield_partial %a : tensor<1x64xf32>", "ktdp.yield_partial %tile : index")],
        "type-mismatch",
        "%f = ",
    ),
    (
        "too few partials",
        [("ktdp.yield_partial %a : tensor<1x64xf32>", "ktdp.yield_partial")],
        "wrong-operands",
        "%f = ",
    ),
    (
        "a result of another rank",
        [
            ("groups = #one> -> tensor<1x64xf32> {", "groups = #one> -> tensor<64xf32> {"),
            ("yield_partial %s : tensor<1x64xf32>", "yield_partial %s : tensor<64xf32>"),
        ],
        "type-mismatch",
        "%s = ",
    ),
    (
        "an identity of another type",
        [("identity(%zero : tensor<1x64xf32>)", "identity(%c0 : index)")],
        "type-mismatch",
        None,
    ),
    ("no identity", [(", identity(%zero : tensor<1x64xf32>)", "")], "syntax", "%s = "),
    (
        "a combiner of one argument",
        [
            (
                "^bb0(%p: tensor<1x64xf32>, %q: tensor<1x64xf32>):",
                "^bb0(%p: tensor<1x64xf32>):\n    %q = arith.negf %p : tensor<1x64xf32>",
            )
        ],
        "wrong-region",
        "%s = ",
    ),
    (
        "a group set with symbols",
        [("#one = affine_set<(g) : (g == 0)>", "#one = affine_set<(g)[s] : (g == 0)>")],
        "wrong-type",
        "%f = ",
    ),
    (
        "a producer set without a symbol",
        [("#cores = affine_set<(i)[g] :", "#cores = affine_set<(i) :")],
        "rank-mismatch",
        "%f = ",
    ),
    (
        "an op that the dialect does not have",
        [("ktdp.inter_tile_consume", "ktdp.inter_tile_gather")],
        "absent-op",
        None,
    ),
    (
        "a tile that ends instead of producing",
        [
            (
                "  %f = ktdp.inter_tile_produce",
                "  %skip = arith.cmpi eq, %tile, %c0 : index\n  scf.if %skip {\n  } else {\n  %f = ktdp.inter_tile_produce",
            ),
            ("  return", "  }\n  return"),
        ],
        "deadlock",
        "%s = ",
    ),
    (
        "a consumer of a tile that is none",
        [
            (
                "%s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #cores",
                "%s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = affine_set<(i)[g] : (i == 0)>",
            ),
            ("ktdp.yield_partial %s", "%u = arith.addf %s, %a : tensor<1x64xf32>\n    ktdp.yield_partial %u"),
        ],
        "undefined-value",
        "%u = ",
    ),
    (
        "tiles that read what another writes without an order",
        [
            ("%zv[%tile, %c0]", "%xv[3 - %tile, %c0]"),
            ("ktdp.store %n", "%again = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf32>\n  ktdp.store %n"),
        ],
        "race",
        "%again = ",
    ),
]
