# ruff: noqa: E501 (an op per line)
"""One text per place where the executor refuses what no verifier could see, or what stands at a stage of its own."""

import numpy as np
import pytest
from kernel import box, load, parsed, refused, tile, view

from spyrec import interp
from spyrec.errors import SpyrecError
from spyrec.spyrecode.launch import bind
from spyrec.spyrecode.signature import Signature

X = np.arange(64, dtype=np.int32).reshape(8, 8)
DENSE = "memref<8x8xi32>"
ROW = "affine_map<(r, c) -> (r)>"
SAME = "affine_map<(r, c) -> (r, c)>"
GLOBAL = "memory_space = #ktdp.memory_space<global>"
LINES = "affine_set<(r, c)[n] : (r >= 0, -r + n - 1 >= 0, c >= 0, -c + 7 >= 0)>"
PART = (
    "%{0} = ktdp.construct_memory_view %x, sizes: [{1}, 8], strides: [8, 1]"
    " {{coordinate_set = affine_set<(r, c)[n] : ({2}, c >= 0, -c + 7 >= 0)>, " + GLOBAL + "}} : memref<?x8xi32>\n"
)
PARTS = (
    PART.format("low", "%n", "r >= 0, -r + n - 1 >= 0")
    + "%high = ktdp.construct_memory_view %x, sizes: [4, 8], strides: [8, 1] {coordinate_set = "
    + box((4, 8), (4, 0))
    + f", {GLOBAL}}} : memref<4x8xi32>\n"
    "%all = ktdp.construct_distributed_memory_view (%low, %high : memref<?x8xi32>, memref<4x8xi32>) : memref<8x8xi32>\n"
)
TWO = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"
ONE = "affine_set<(g) : (g == 0)>"
EVEN = "affine_set<(i)[g] : (i mod 2 == 0)>"
OWN = "affine_set<(i)[g] : (i - g == 0)>"
ALL = "affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>"
DEPENDS = ", producer_dependency_per_consumer = {}"


def produce(tiles: str, groups: str) -> str:
    return (
        "%p = arith.constant dense<1> : tensor<1x8xi32>\n"
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {tiles} -> <(tensor<1x8xi32>), groups = {groups}> {{\n"
        "^bb0(%g: index):\n  ktdp.yield_partial %p : tensor<1x8xi32>\n}\n"
    )


def consume(tiles: str, groups: str, depends: str = "") -> str:
    given = DEPENDS.format(depends) if depends else ""
    return (
        f"%s = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = {tiles}{given}"
        f" : <(tensor<1x8xi32>), groups = {groups}> -> tensor<1x8xi32>\n"
    )


def generic(body: str, source: str = SAME, operand: str = "%a : tensor<8x8xi32>") -> str:
    """An op over 8 x 8 points with an operand and ``body``, which makes %q."""
    return (
        f'%g = linalg.generic {{indexing_maps = [{source}, {SAME}], iterator_types = ["parallel", "parallel"]}}'
        f" ins({operand}) outs(%empty : tensor<8x8xi32>) {{\n^bb0(%p: i32, %o: i32):\n{body}linalg.yield %q : i32\n"
        "} -> tensor<8x8xi32>\n"
    )


# A fold that has no known combiner: point by point.
ROWS = (
    "%first = arith.constant dense<1> : tensor<8xi32>\n"
    f'%g = linalg.generic {{indexing_maps = [MAP, {ROW}], iterator_types = ["parallel", "reduction"]}}'
    " ins(%a : tensor<8x8xi32>) outs(%first : tensor<8xi32>) {\n^bb0(%p: i32, %o: i32):\n"
    "%q = arith.subi %o, %p : i32\nlinalg.yield %q : i32\n} -> tensor<8xi32>\n"
)
LOADED = view("v", "%x", (8, 8), "i32") + tile("t", "v", "0, 0", (8, 8), DENSE) + load("a", "t", (8, 8), "i32")
EMPTY = "%empty = tensor.empty() : tensor<8x8xi32>\n"
HALF = EMPTY + (
    "%some = arith.constant dense<1> : tensor<4x8xi32>\n"
    "%a = tensor.insert_slice %some into %empty[0, 0] [4, 8] [1, 1] : tensor<4x8xi32> into tensor<8x8xi32>\n"
)


def indirect(base: str, kind: str) -> str:
    return (
        f"%t = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) {base}[ind(%list[%r]), (%c)]"
        f" {{variables_space_set = {box((4, 8))}, variables_space_order = {SAME}}}"
        f" : {kind}, memref<8xi32> -> !ktdp.access_tile<4x8xindex>\n"
    )


LIST = (
    "%list = ktdp.construct_memory_view %x, sizes: [8], strides: [1] {coordinate_set = {0}, "
    + GLOBAL
    + "} : memref<8xi32>\n"
)
BUFFER = "%b = memref.alloc() : memref<4xi32>\n"
LISTED = (
    '%b = dataflow.alloc : memref<8xi32, "lx">\n%l = dataflow.alloc : memref<8xi32, "lx">\n'
    'dataflow.data_transfer from @device[%c0 from %x] strides [1] to %l {unit = @load, route = ["ddr", "lx"]} : memref<8xi32, "lx">\n'
    'dataflow.data_transfer from %b to @device[%c0 from %z] strides [1] index (%l : memref<8xi32, "lx">) below [64]'
    ' {unit = @store, route = ["lx", "ddr"], index_sides = ["source"], index_maps = [affine_map<(i) -> (i)>],'
    ' index_scales = array<i64: 64>} : memref<8xi32, "lx">\n'
)


def in_unit(body: str) -> str:
    return (
        "dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}\n"
        f"dataflow.program_unit @load(%core) {{\n{body}}}\n"
    )


COPY = "dataflow.transfer @device[%x] strides [4] to @lx[%c0 in @b] strides [4] counts [4] {element_bytes = 4}\n"
CONTRACT = (
    "dataflow.contract counts [2, 4] lhs @b[%c0] strides [0, 4] : i32 rhs @b[%c0] strides [0, 4] : i32"
    ' acc @b[%c0] strides [4, 0] : i32 {start = "zero"}\n'
)

# Name -> (statements of a function with %x, %z: addresses of 64 elements, %n: index, n, id, sentence).
TABLE: dict[str, tuple[str, int, str, str]] = {
    # Control and scalars.
    "an extent of a basis that is 0": (
        "%d:2 = affine.delinearize_index %c9 into (%n, 4) : index, index\n", 0, "wrong-size", "extent 0 of the basis is 0",
    ),
    "an index beyond a basis": (
        "%d:2 = affine.delinearize_index %n into (2, 4) : index, index\n", 9, "index-out-of-range", "9 is no index of a basis of 8",
    ),
    "a constant that lies elsewhere": (
        "%d = arith.constant dense_resource<away> : tensor<4xi32>\n", 0, "unsupported-op", "no value for the constant",
    ),
    "a call of what is declared": ("func.call @away() : () -> ()\n", 0, "unsupported-op", "@away is declared without a body"),
    # Views and tiles.
    "a view of a negative size": (
        f"%v = ktdp.construct_memory_view %x, sizes: [%n, 8], strides: [8, 1] {{coordinate_set = {LINES}, {GLOBAL}}} : memref<?x8xi32>\n",
        -1, "wrong-size", "size 0 of the view is -1",
    ),
    "a set that is larger than its view": (
        PART.format("v", "%n", "r >= 0, -r + n * n - 1 >= 0") + tile("t", "v", "0, 0", (1, 8), "memref<?x8xi32>") + load("a", "t", (1, 8), "i32"),
        4, "set-too-large", "coordinate_set reaches over",
    ),
    "a part that is larger than its sizes": (
        PARTS.replace("-r + n - 1", "-r + n"), 3, "set-too-large", "but the sizes of the part are [3, 8]",
    ),
    "parts that overlap and are stored to": (
        PARTS + tile("t", "all", "3, 0", (2, 8), DENSE) + "%d = arith.constant dense<1> : tensor<2x8xi32>\nktdp.store %d, %t : tensor<2x8xi32>, <2x8xindex>\n",
        5, "overlapping-parts", "",
    ),
    "a hole between parts that is loaded": (
        PARTS + tile("t", "all", "2, 0", (2, 8), DENSE) + load("a", "t", (2, 8), "i32"), 3, "out-of-view", "8 coordinates of the tile belong to no part of the view, the first is [3, 0]",
    ),
    "a tile of a tensor": (
        LOADED + tile("u", "a", "0, 0", (8, 8), "tensor<8x8xi32>"), 0, "unsupported-op", "a tile of a tensor has no meaning",
    ),
    "a tensor that is smaller than its tile": (
        view("v", "%x", (8, 8), "i32")
        + f"%t = ktdp.construct_access_tile %v[0, 0] symbols(%n) {{access_tile_set = {LINES}, access_tile_order = {SAME}}} : {DENSE} -> !ktdp.access_tile<?x8xindex>\n"
        "%d = tensor.empty(%c1) : tensor<?x8xi32>\nktdp.store %d, %t : tensor<?x8xi32>, <?x8xindex>\n",
        4, "shape-mismatch", "a tensor of 1 x 8 is stored to a tile of 4 x 8",
    ),
    "a set that is larger than its tile": (
        view("v", "%x", (8, 8), "i32")
        + f"%t = ktdp.construct_access_tile %v[0, 0] symbols(%n) {{access_tile_set = {LINES}, access_tile_order = {SAME}}} : {DENSE} -> !ktdp.access_tile<2x8xindex>\n"
        + load("a", "t", (2, 8), "i32"),
        4, "set-too-large", "the tile's set has 4x8 points, but its type has only 2x8",
    ),
    "an indirect tile of a tensor": (
        view("v", "%x", (8, 8), "i32") + tile("u", "v", "0, 0", (8, 8), DENSE) + load("a", "u", (8, 8), "i32") + LIST.replace("{0}", box((8,))) + indirect("%a", "tensor<8x8xi32>"), 0, "unsupported-op", "a tile of a tensor has no meaning",
    ),
    "indices out of a buffer": (
        view("v", "%x", (8, 8), "i32") + "%list = memref.alloc() : memref<8xi32>\n" + indirect("%v", DENSE) + load("i", "t", (4, 8), "i32"),
        0, "unsupported-op", "an index must be read from a view of memory",
    ),
    "an index in a hole of its view": (
        view("v", "%x", (8, 8), "i32") + LIST.replace("{0}", "affine_set<(r) : (r >= 0, -r + 7 >= 0, r mod 2 == 0)>") + indirect("%v", DENSE) + load("i", "t", (4, 8), "i32"),
        0, "index-out-of-range", "[1] is no coordinate of the index view",
    ),
    "a memory of an older spelling": (
        view("v", "%x", (8, 8), "i32").replace("memory_space<global>", "spyre_memory_space<L0>"), 0, "unsupported-op", "no memory that the executor knows",
    ),
    # Boxes of stage kernel.
    "indices that nobody has written": (
        "%list = tensor.empty() : tensor<4xi32>\n"
        "%r = dataflow.read @device[%c0 from %x] strides [0, 1] index (%list : tensor<4xi32>) below [4]"
        f" {{index_maps = [{ROW}], index_scales = array<i64: 8>}} : tensor<4x8xi32>\n",
        0, "undefined-value", "an index is read that has never been written",
    ),
    "a box without constant extents": (
        "%r = dataflow.read @device[%c0 from %x] strides [8, 1] : tensor<?x8xi32>\n", 0, "unsupported-op", "a box has constant extents",
    ),
    # Structured ops and tensors.
    "an op with two results in a body": (
        LOADED + EMPTY + generic("%q, %h = arith.mulsi_extended %p, %p : i32\n"), 0, "unsupported-op", "'arith.mulsi_extended' has no meaning in the body",
    ),
    "a tensor in a body": (
        LOADED + EMPTY + generic("%d = tensor.empty() : tensor<1xi32>\n%q = arith.addi %p, %p : i32\n"), 0, "unsupported-op", "only scalars are computed there",
    ),
    "an index beyond an operand": (
        LOADED + EMPTY + "%e = tensor.cast %a : tensor<8x8xi32> to tensor<?x8xi32>\n"
        + generic("%q = arith.addi %p, %p : i32\n", "affine_map<(r, c) -> (r + c, c)>", "%e : tensor<?x8xi32>"), 0, "index-out-of-range", "is outside of 0..7",
    ),
    "elements that a map reaches and nobody has written": (
        HALF + generic("%q = arith.addi %p, %p : i32\n", "affine_map<(r, c) -> (7, c)>"), 0, "undefined-value", "have never been written",
    ),
    "elements that a loop of slices reaches and nobody has written": (
        HALF + ROWS.replace("MAP", SAME), 0, "undefined-value", "operand 0 is read where it has never been written",
    ),
    "elements that a loop of places reaches and nobody has written": (
        HALF + "%w = tensor.cast %a : tensor<8x8xi32> to tensor<?x8xi32>\n"
        + ROWS.replace("MAP", "affine_map<(r, c) -> (r + c, c)>").replace("%a : tensor<8x8", "%w : tensor<?x8"),
        0, "undefined-value", "operand 0 is read where it has never been written",
    ),
    "a shape that holds another count": (
        LOADED + "%e = tensor.cast %a : tensor<8x8xi32> to tensor<?x8xi32>\n"
        "%d = tensor.expand_shape %e [[0, 1], [2]] output_shape [%n, 3, 8] : tensor<?x8xi32> into tensor<?x3x8xi32>\n",
        2, "shape-mismatch", "64 elements do not fill the shape [2, 3, 8]",
    ),
    # Buffers.
    "an element beyond a buffer": (BUFFER + "%d = memref.load %b[%n] : memref<4xi32>\n", 4, "index-out-of-range", "index 4 of dimension 0 is outside of 0..3"),
    "an element that nobody has written": (BUFFER + "%d = memref.load %b[%n] : memref<4xi32>\n", 3, "undefined-value", "element [3] is read, but has never been written"),
    "a dimension that a buffer does not have": (BUFFER + "%d = memref.dim %b, %n : memref<4xi32>\n", 1, "index-out-of-range", "dimension 1 is asked of a buffer with 1"),
    "a buffer that is not contiguous": (
        "%b = memref.alloc() : memref<8x8xi32>\n"
        "%d = memref.subview %b[0, 0] [4, 4] [1, %n] : memref<8x8xi32> to memref<4x4xi32, strided<[8, ?]>>\n"
        "%e = memref.cast %d : memref<4x4xi32, strided<[8, ?]>> to memref<4x4xi32, strided<[?, ?]>>\n"
        "%f = memref.collapse_shape %e [[0, 1]] : memref<4x4xi32, strided<[?, ?]>> into memref<16xi32, strided<[?]>>\n",
        1, "unsupported-op", "not contiguous",
    ),
    # Between tiles, in a function that does not know the grid.
    "a tile that the grid does not have": (produce("affine_set<(i)[g] : (i >= 0, -i + 4 >= 0)>", ONE) + consume("affine_set<(i)[g] : (i >= 0, -i + 4 >= 0)>", ONE, "affine_set<(p)[c] : (p - c == 0)>"), 0, "grid-mismatch", "names tile 4, but the grid has 4"),
    "a tile that produces for two groups": (produce(EVEN, TWO) + consume(OWN, TWO), 0, "overlapping-groups", "tile 0 produces for groups 0 and 1"),
    "a tile that consumes from two groups": (
        produce(OWN, TWO) + consume(EVEN, TWO), 0, "overlapping-groups", "tile 0 consumes from groups 0 and 1",
    ),
    "a tile that depends on no producer": (
        produce(EVEN, ONE) + consume(ALL, ONE, "affine_set<(p)[c] : (p - c == 0)>"),
        0, "wrong-dependency", "tile 1 depends on tile 1, which does not produce for group 0",
    ),
    "a consumer of several": (produce(EVEN, ONE) + consume(ALL, ONE), 0, "wrong-dependency", "depends on 2 producers"),
    "a tile that is not there offers nothing": (
        "%p = arith.constant dense<1> : tensor<1xi32>\n%o = dataflow.offer %p to [[1], [2], [3], [0]] : tensor<1xi32>\n%d = dataflow.take %o from %n : tensor<1xi32>\n",
        4, "no-such-core", "there is no tile 4",
    ),
    "a tile takes what is not for it": (
        "%p = arith.constant dense<1> : tensor<1xi32>\n%o = dataflow.offer %p to [[1], [2], [3], [0]] : tensor<1xi32>\n%d = dataflow.take %o from %n : tensor<1xi32>\n",
        0, "wrong-dependency", "takes what tile 0 offers, and is none of its takers",
    ),
    # Stages schedule and program.
    "an element beyond a buffer in LX": (LISTED, 0, "out-of-buffer", "of the source, which has 8"),
    "an element of a buffer that nobody has written": (LISTED.replace("i64: 64", "i64: 0"), 0, "undefined-value", "the source is read where nothing"),
    "a contraction outside of a unit": ("dataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}\n" + CONTRACT, 0, "invalid-ir", "outside of a unit"),
    "accumulators that share bytes": (in_unit(CONTRACT.replace("acc @b[%c0] strides [4, 0]", "acc @b[%c0] strides [2, 0]")), 0, "unsupported-op", "two accumulators share bytes"),
    "a channel that nobody declares": (in_unit("dataflow.wait @away\n"), 0, "undefined-name", "there is no channel @away within a core"),
    "a channel between cores that nobody declares": (in_unit("dataflow.wait @away from %core\n"), 0, "undefined-name", "there is no channel @away between cores"),
    "a program that another function calls": (
        "func.call @unit() : () -> ()\n", 0, "invalid-ir", "this op belongs to a function with program units, and the function has none",
    ),
    "a scalar of a type that no register holds": (in_unit("%d = dataflow.scalar_load @b[%c0] : i5\n"), 0, "unsupported-type", "a register holds no i5"),
    "elements of sixteen bytes": (in_unit(COPY.replace("element_bytes = 4", "element_bytes = 16")), 0, "unsupported-op", "elements of 16 bytes have no meaning"),
    "a transfer into a buffer that nobody declares": (in_unit(COPY.replace("in @b", "in @away")), 0, "undefined-name", "there is no buffer @away"),
    "a transfer that leaves its buffer": (in_unit(COPY.replace("counts [4]", "counts [40]")), 0, "out-of-buffer", "bytes 0 to 159 are not in one slot of @b"),
    "a transfer into LX without a buffer": (in_unit(COPY.replace(" in @b", "")), 0, "undefined-name", "the operand names no buffer"),
    "a transfer out of what another buffer holds": (
        "dataflow.buffer @other {address = 0, slot_bytes = 128, depth = 1}\n"
        + in_unit(COPY + "dataflow.transfer @lx[%c0 in @other] strides [4] to @device[%z] strides [4] counts [4] {element_bytes = 4}\n"),
        0, "wrong-buffer", "bytes read through @other were last written through @b",
    ),
    "an offer in a unit": (
        in_unit("%p = arith.constant dense<1> : tensor<1xi32>\n%o = dataflow.offer %p to [[1], [2], [3], [0]] : tensor<1xi32>\n%d = dataflow.take %o from %c3 : tensor<1xi32>\n"),
        0, "invalid-ir", "a unit waits for another tile",
    ),
}  # fmt: skip


def kernel(body: str, grid: int) -> str:
    """A kernel that calls a function with ``body``: the function does not know the grid."""
    constants = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 1, 3, 9))
    arguments = "(%x: index, %z: index, %n: index)"
    return (
        "func.func private @away()\n"
        "func.func private @unit() {\ndataflow.buffer @b {address = 0, slot_bytes = 128, depth = 1}\nreturn\n}\n"
        f"func.func private @body{arguments} {{\n{constants}{body}return\n}}\n"
        f"func.func @kernel{arguments} attributes {{grid = [{grid}]}} {{\n"
        "func.call @body(%x, %z, %n) : (index, index, index) -> ()\nreturn\n}\n"
    )


@pytest.mark.parametrize(("body", "number", "id", "message"), TABLE.values(), ids=TABLE)
def test_it_is_refused_at_its_place(body: str, number: int, id: str, message: str) -> None:
    whole = body.startswith("dataflow.buffer")
    text = kernel(body, 4)
    if whole:  # a program is no function that another calls
        text = text[: text.index("func.func @kernel")].replace("func.func private @body", "func.func @kernel")
        text = text.replace("%n: index) {", "%n: index) attributes {grid = [4]} {")
    found = refused(text, {"x": X, "z": X.copy(), "n": number})
    assert found.id == id, f"{found.id}: {found.message}"
    assert message in found.message
    assert found.position is not None


def test_a_kernel_has_a_body() -> None:
    launch = bind(Signature("kernel", 1, (), (), "kernel.mlir"), {}, {}, seed=0)
    with parsed("func.func private @kernel()") as function, pytest.raises(SpyrecError) as caught:
        interp.run(function, launch)
    assert caught.value.diagnostics[0].message == "a function without a body cannot be executed"
