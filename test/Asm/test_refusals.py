"""One text per place where the reader, or a verifier of an op of a later stage, refuses: what it says, and where.

The caret of each message is at the text between « and » (or starts there, when only « stands).
"""

import pytest
from texts import context

from spyrec import asm
from spyrec.asm import format
from spyrec.errors import InvalidKernel, Severity

VIEW = (
    "ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1]"
    " {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>"
)
TILE = (
    "%v = " + VIEW + "\n  %t = ktdp.construct_access_tile %v[SUBSCRIPTS]"
    " {access_tile_set = #all, access_tile_order = #same} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>"
)
READ = "%r = dataflow.read @device[%x from %x] strides [64, 1]"
MOVE = (
    "dataflow.data_transfer from @device[%x] strides [64, 1] to %b OPTIONS"
    ' {unit = @load, route = ["ddr", "lx"]} : memref<4x64xf16, "lx">'
)
ALLOC = '%b = dataflow.alloc : memref<4x64xf16, "lx">\n  %l = dataflow.alloc : memref<4xi32, "lx">\n  '
STREAM = """dataflow.stream counts [4, 64] ins(@y[%x] strides [128, 2] : f16) outs(@z[%x] strides [2, 0] : f16)
    attributes {REDUCE} {
  ^bb0(%i: f16, %o: f16):
    dataflow.yield %i : f16
  }"""
CONTRACT = (
    "dataflow.contract counts [4] lhs @l[%x] strides [2] : f16 rhs @y[%x] strides [2] : f16"
    ' acc @z[%x] strides [0] : f32 {start = "zero"}'
)
COPY = "dataflow.transfer @device[%x] strides [2] to @lx[%x] strides [2] counts [4]"

# Name -> (statements of a function with arguments %x: index, %a: tensor<4x64xf16>, %n: tensor<4xi32>; the message).
IN_A_FUNCTION = {
    "a subscript without a value": (TILE.replace("SUBSCRIPTS", "%x + «», 0"), "ends where a value should stand"),
    "an empty subscript": (TILE.replace("SUBSCRIPTS", "«,» 0"), "expected a subscript, but found ','"),
    "a number that is too long": (
        TILE.replace("SUBSCRIPTS", "«1234567890123456789», 0"),
        "no integer that a subscript can hold",
    ),
    "the marker of operands": (
        VIEW.replace("%x,", "%x,").replace("[64, 1]", "[«-9223372036854775808», 1]").replace("ktdp", "%v = ktdp", 1),
        "marks an entry that is an operand",
    ),
    "more types than operands": ("ktdp.store %a, %t : tensor<4x64xf16>, <4x64xindex>", "defines %t"),
    "a side of neither kind": (
        ALLOC + 'dataflow.data_transfer from «4» to %b {unit = @load, route = ["ddr", "lx"]} : memref<4x64xf16, "lx">',
        "expected a buffer such as %b or a memory such as @device[...]",
    ),
    "a clip without room": (f"{READ} clip [0] to [4, 64] : tensor<4x64xf16>", "lower has 1 bounds for 2 counts"),
    "a fill without a clip": (f"{READ} «fill 1» : tensor<4x64xf16>".replace("«fill 1»", "fill 1"), "there is none"),
    "half a clip": (
        '"dataflow.read"(%x, %x) {space = @device, static_strides = array<i64: 64, 1>, static_lower = array<i64: 0, 0>,'
        " operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>} : (index, index) -> tensor<4x64xf16>",
        "a clip has lower and upper bounds",
    ),
    "symbols of no set": (f"{READ} symbols(%x) : tensor<4x64xf16>", "symbols belong to a set"),
    "the device of another core": (f"{READ} get %x : tensor<4x64xf16>", "only the LX of another core"),
    "a list without a map": (f"{READ} index (%n : tensor<4xi32>) below [4] : tensor<4x64xf16>", "index_maps has 0"),
    "a map of another rank": (
        f"{READ} index (%n : tensor<4xi32>) below [4] {{index_maps = [affine_map<(r) -> (r)>],"
        " index_scales = array<i64: 64>} : tensor<4x64xf16>",
        "map 0 takes 1 dimensions to 1; the box has 2",
    ),
    "indices that are floats": (
        f"{READ} index (%a : tensor<4x64xf16>) below [4] {{index_maps = [affine_map<(r, c) -> (r, c)>],"
        " index_scales = array<i64: 64>} : tensor<4x64xf16>",
        "indices are integers, but list 0 is tensor<4x64xf16>",
    ),
    "two sides in other cores": (
        ALLOC + 'dataflow.data_transfer from %b to %b get %x put %x {unit = @load, route = ["lx", "lx"]}'
        ' : memref<4x64xf16, "lx">, memref<4x64xf16, "lx">',
        "not both",
    ),
    "members without a step": (
        COPY.replace("@device", "@lx") + " put %x {members = 2 : i64, element_bytes = 2 : i64}",
        "members and member_step come together",
    ),
    "members of a get": (
        COPY.replace("@device", "@lx") + " get %x times 2 by 1 {element_bytes = 2 : i64}",
        "only a put reaches several cores",
    ),
    "device memory of another core": (COPY + " get %x {element_bytes = 2 : i64}", "only the LX of another core"),
    "a put out of device memory": (COPY + " put %x {element_bytes = 2 : i64}", "from LX to LX"),
    "a put of a buffer from device memory": (ALLOC + MOVE.replace("OPTIONS", "put %x"), "from LX to LX"),
    "a get of a box in device memory": (ALLOC + MOVE.replace("OPTIONS", "get %x"), "only the LX of another core"),
    "a list with too many strides": (
        COPY + ' index (%x) below [4] {element_bytes = 2 : i64, index_sides = ["source"], index_buffers = [@l],'
        " index_strides = [array<i64: 4, 4>], index_types = [i32], index_scales = array<i64: 2>}",
        "list 0 has 2 strides for 1 counts",
    ),
    "a list without a side": (
        COPY + " index (%x) below [4] {element_bytes = 2 : i64, index_buffers = [@l],"
        " index_strides = [array<i64: 4>], index_types = [i32], index_scales = array<i64: 2>}",
        "index_sides has 0 entries for 1 lists",
    ),
    "a list of neither side": (
        COPY + ' index (%x) below [4] {element_bytes = 2 : i64, index_sides = ["up"], index_buffers = [@l],'
        " index_strides = [array<i64: 4>], index_types = [i32], index_scales = array<i64: 2>}",
        "a list moves `source` or `dest`",
    ),
    "a fill where indices write": (
        COPY + ' clip [0] to [4] fill 1 index (%x) below [4] {element_bytes = 2 : i64, index_sides = ["dest"],'
        " index_buffers = [@l], index_strides = [array<i64: 4>], index_types = [i32], index_scales = array<i64: 2>}",
        "no outside that could be filled",
    ),
    "an offer to no tile": (
        "%o = dataflow.offer %a to [[1 : i64]] : tensor<4x64xf16>",
        "tile 0 offers to tile 1, but there are lists for tiles 0 to 0",
    ),
    "an offer to a tile twice": ("%o = dataflow.offer %a to [[0 : i64, 0 : i64]] : tensor<4x64xf16>", "twice"),
    "an offer that is added": (
        "%o = dataflow.offer %a to [[0 : i64]] : tensor<4x64xf16>\n  %s = arith.addf %o, %a : tensor<4x64xf16>",
        "an offer can only be taken",
    ),
    "what was not offered": ("%o = dataflow.take %a from %x : tensor<4x64xf16>", "only the result of dataflow.offer"),
    "an operand too many": ('"ktdp.load"(%x, %x) : (index, index) -> tensor<4x64xf16>', "do not fit its fields"),
    "an operand without a type": ('"ktdp.load"(%x) : () -> tensor<4x64xf16>', "there are 1 operands, but 0 types"),
    "sizes that are no array": (
        '%v = "ktdp.construct_memory_view"(%x) {operandSegmentSizes = 4 : i32} : (index) -> memref<4x64xf16>',
        "must be a dense array of i32",
    ),
    "sizes of too many": (
        '%v = "ktdp.construct_memory_view"(%x) {operandSegmentSizes = array<i32: 1, 1, 0>} : (index)'
        " -> memref<4x64xf16>",
        "does not fit 1 values",
    ),
    "no sizes": ('%v = "ktdp.construct_memory_view"(%x) : (index) -> memref<4x64xf16>', "needs operandSegmentSizes"),
    "no dictionary": (
        VIEW.replace("ktdp", "%v = ktdp", 1).partition(" {")[0] + " «#all» : memref<4x64xf16>",
        "#all stands for no dictionary",
    ),
    "a position in no stream": ("%p = dataflow.position strides [1] : index", "a point of a dataflow.stream around it"),
    "a position of a float": (
        STREAM.replace("REDUCE", "").replace(
            "  ^bb0(%i: f16, %o: f16):\n",
            "  ^bb0(%i: f16, %o: f16):\n    %p = dataflow.position strides [1, 0] : f16\n",
        ),
        "positions are of type index, i32 or i64, not f16",
    ),
    "a position with a stride too few": (
        STREAM.replace("REDUCE", "").replace(
            "  ^bb0(%i: f16, %o: f16):\n", "  ^bb0(%i: f16, %o: f16):\n    %p = dataflow.position strides [1] : i32\n"
        ),
        "strides has 1 entries for 2 counts",
    ),
    "an alias of nothing": (
        VIEW.replace("ktdp", "%v = ktdp", 1).partition(" {")[0] + " «#al» : memref<4x64xf16>",
        "nothing defines #al",
    ),
    "an alias used before its definition": (
        "%v = " + VIEW.replace("coordinate_set = #all", "coordinate_set = «#late»"),
        "#late is used here before its definition",
    ),
    "reduced counts out of order": (
        STREAM.replace("REDUCE", "reduce = array<i64: 1, 0>"),
        "reduce is [1, 0]; it lists some of the counts 0 to 1, in order",
    ),
    "fresh accumulators of no sum": (STREAM.replace("REDUCE", "fresh"), "no count is reduced"),
    "a sum that is none": (STREAM.replace("REDUCE", "reduce = array<i64: 1>"), "output 0 has stride 0 along"),
    "a contraction with too many strides": (
        CONTRACT.replace("rhs @y[%x] strides [2]", "rhs @y[%x] strides [2, 2]"),
        "rhs_strides has 2 entries for 1 counts",
    ),
    "a contraction of mixed numbers": (
        CONTRACT.replace("[2] : f16 acc", "[2] : i8 acc"),
        "all floats or all integers, but these are f16, i8, f32",
    ),
    "a fill beside init": (
        f"{READ} clip [0, 0] to [4, 4] fill 1 into %a : tensor<4x64xf16>",
        "points that are not read have the elements of init",
    ),
    "a capture without a name": (
        "%t = ktdp.construct_indirect_access_tile intermediate_variables(%p, «)» %a [(%p)]",
        "expected an SSA name such as %x, but found ')'",
    ),
    "an indirect tile without subscripts": (
        "%t = ktdp.construct_indirect_access_tile intermediate_variables(%p) %a «{»}",
        "expected '[' of the subscripts",
    ),
    "a location as an attribute": ('"dataflow.post"() {channel = @c, where = loc("k.py":1:1)} : () -> ()', "location"),
}
# A device's text has other forms; {} is where the mistake stands.
DEVICE = "ktdf_arch.device @d {{\n  {}\n}}\n"
WHOLE = {
    "an attribute as a keyword": (
        "func.func private @f(memref<4xf16, #ktdp.memory_space<#ktdp.memory_space<global>>>)\n",
        "expected one of global, ct_local",
    ),
    "a map without values": ('#m = #ktdf_arch.map<«"A">\n', "expected '=' after the key"),
    "a map with too much": ('#m = #ktdf_arch.map<"A" = 4 «5»>\n', "expected ',' or '>' after the value"),
    "an empty entry": ('#m = #ktdf_arch.map<"A" = 4, «,» "B" = 5>\n', "expected key = value"),
    "a key twice": ('#m = #ktdf_arch.map<"A" = 4, «"A"» = 5>\n', 'the key "A" is given twice'),
    "shared twice": (
        DEVICE.format('%m = memory @m {kind = "ddr"}\n  group @g {kind = "core"} share(%m, «%m») {\n  }'),
        "%m is shared twice",
    ),
    "partials without a comma": (
        "func.func private @g(!ktdp.tile_future<(tensor<4xf16> tensor<4xf16>), groups = #all>)\n",
        "expected ',' or ')' after the type",
    ),
    "too many ports": (DEVICE.format("%m:2 = switch [«5000»]"), "5000 results; 0 to 1024 are possible"),
    "attributes that are no dictionary": ("ktdf_arch.device @d attributes «4» {\n}\n", "expected a dictionary"),
    "the end in an op": ("func.func private @f()\n%v = ktdp.load", "expected"),
}


def test_all_of_them_are_refused_as_wholes() -> None:
    for name, (text, message) in WHOLE.items():
        with pytest.raises(InvalidKernel) as caught:
            asm.read(text.replace("«", "").replace("»", ""), "x.mlir", context())
        assert any(message in d.message for d in caught.value.diagnostics), (name, caught.value)


FORMATS = {
    "$a ? ^": "",
    "$a )": "unbalanced parenthesis",
    "$a `x`^": "an anchor outside a group",
    "type(": "expected",
    "($a)?": "a group needs content and an anchor",
    "($a^": "expected ')'",
    "nothing($a)": "there is no directive nothing with 1 arguments",
    "type(`x`)": "an argument is $name or type($name)",
    "custom<`x`>($a)": "expected a word",
    "^ $a": "unexpected '^'",
    "$a & $b": "does not belong in a format",
}


@pytest.mark.parametrize("text", FORMATS)
def test_formats_that_are_wrong(text: str) -> None:
    with pytest.raises(format.FormatError) as caught:
        format.parse(text)
    assert FORMATS[text] in str(caught.value)


def mistakes(body: str) -> list[tuple[str, str, int]]:
    text = (
        "#all = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>\n"
        "#same = affine_map<(r, c) -> (r, c)>\n"
        "func.func @f(%x: index, %a: tensor<4x64xf16>, %n: tensor<4xi32>) {\n"
        f"  {body}\n  return\n}}\n#late = affine_set<(r, c) : (r >= 0, c >= 0)>\n"
    )
    marked = text.replace("»", "")
    with pytest.raises(InvalidKernel) as caught:
        asm.read(marked.replace("«", ""), "x.mlir", context())
    where = marked.find("«")
    line, column = marked.count("\n", 0, where) + 1, where - marked.rfind("\n", 0, where)
    found = [d for d in caught.value.diagnostics if d.severity is Severity.ERROR]
    if where >= 0:
        assert [(d.position.line, d.position.column) for d in found if d.position] == [(line, column)]
    assert all(d.position is not None and d.id for d in found)
    return [(d.id, d.message, d.position.line if d.position else 0) for d in found]


@pytest.mark.parametrize("name", IN_A_FUNCTION)
def test_it_says_what_is_wrong(name: str) -> None:
    body, message = IN_A_FUNCTION[name]
    found = mistakes(body)
    assert any(message in said for _, said, _ in found), found
