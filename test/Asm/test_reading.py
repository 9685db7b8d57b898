"""Spellings that are read, and the one that is printed for them."""

import pytest
from texts import END, HEAD, TILE, VIEW, context, mistakes, printed

from spyrec import asm
from spyrec.errors import InvalidKernel
from spyrec.mlir import ir

KERNEL = HEAD + VIEW + TILE + "  %a = ktdp.load %t : <1x64xindex> -> tensor<1x64xf16>\n" + END


def same(*texts: str) -> None:
    """All texts print alike, and that text reads and prints as itself."""
    first, *rest = [printed(t) for t in texts]
    assert all(r == first for r in rest)
    assert printed(first) == first


def test_memory_spaces_old_and_new() -> None:
    for old, new in (
        ("#ktdp.spyre_memory_space<HBM>", "#ktdp.memory_space<global>"),
        ("#ktdp.spyre_memory_space<LX>", "#ktdp.memory_space<ct_local>"),
        ("#ktdp.spyre_memory_space<LX, core = 7>", "#ktdp.memory_space<ct_local, ct_id = 7>"),
    ):
        texts = [KERNEL.replace("#ktdp.memory_space<global>", s) for s in (old, new)]
        same(*texts)
        assert new in printed(texts[0])


def test_a_spelling_without_a_newer_one_is_kept_with_a_remark() -> None:
    text = KERNEL.replace("#ktdp.memory_space<global>", "#ktdp.spyre_memory_space<L0>")
    parsed = asm.read(text, "in.mlir", context())
    assert [(d.id, d.position.line) for d in parsed.remarks if d.position] == [("old-spelling", 7)]
    assert "#ktdp.spyre_memory_space<L0>" in asm.print_op(parsed.module)


def test_types_short_and_long() -> None:
    same(KERNEL, KERNEL.replace(" : <1x64xindex>", " : !ktdp.access_tile<1x64xindex>"))
    assert "ktdp.load %t : <1x64xindex> ->" in printed(KERNEL)
    assert "-> !ktdp.access_tile<1x64xindex>" in printed(KERNEL)


def test_generic_form_with_properties_or_a_dictionary() -> None:
    entries = "coordinate_set = #all, memory_space = #ktdp.memory_space<global>"
    inherent = "operandSegmentSizes = array<i32: 1, 0, 0>"
    inherent += ", static_sizes = array<i64: 96, 64>, static_strides = array<i64: 64, 1>"
    head = '  %x = "ktdp.construct_memory_view"(%x_ptr)'
    tail = " : (index) -> memref<96x64xf16>\n"
    texts = [
        HEAD + head + form + tail + END
        for form in (f" {{{entries}, {inherent}}}", f" <{{{inherent}, {entries}}}>", f" <{{{inherent}}}> {{{entries}}}")
    ]
    same(HEAD + VIEW + END, *texts)


def test_attributes_in_any_order() -> None:
    swapped = VIEW.replace(
        "coordinate_set = #all, memory_space = #ktdp.memory_space<global>",
        "memory_space = #ktdp.memory_space<global>, coordinate_set = #all",
    )
    same(HEAD + VIEW + END, HEAD + swapped + END)


def test_comments_and_line_breaks_anywhere() -> None:
    wild = KERNEL.replace(", sizes:", "// sizes: [1]\n  ,sizes // }\n:").replace(
        "-> tensor<1x64xf16>\n", "->\r\n\ttensor<1x64xf16>"
    )
    same(KERNEL, wild)


def test_bodies_on_one_line() -> None:
    lines = """func.func @k(%x: index) {
  dataflow.program_unit @u(%c) {
    %y = arith.addi %c, %x : index
    dataflow.wait @a
    dataflow.post @b
  }
  return
}
"""
    same(lines, " ".join(lines.split()))


def test_a_missing_header_is_made_up_where_the_op_says_the_arguments() -> None:
    def stream(header: str) -> str:
        return f"""func.func @k(%x: index) {{
  dataflow.stream counts [4] ins(@a[%x] strides [2] : f16) outs(@b[%x] strides [2] : f16) {{
  {header}
    %c = arith.constant 1.0 : f16
    dataflow.yield %c : f16
  }}
  return
}}
"""

    def body(text: str) -> str:
        return text.split("):\n")[1]

    assert body(printed(stream(""))) == body(printed(stream("^bb0(%p: f16, %q: f16):")))


def test_device_files() -> None:
    """Names without a dialect, aliases of dictionaries, shared memories by their outer names, implied terminators."""
    text = """#DDR = {kind = "ddr", size = 1024 : i64}
ktdf_arch.device @d attributes {spyrec.map = #ktdf_arch.map<#ktdp.memory_space<global> = "ddr", f16 = 64>} {
  %m = memory @ddr #DDR
  group @core share(%m) {
    %l = memory {kind = "lx", my.note}
    %units = group share(%m, %l) {
      %u = exec_unit {kind = "u", ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 64>}}}
      datapath %m to %u : memory, exec_unit
      yield %u
    } -> exec_unit
    datapath {ktdf_arch.bandwidth = 8 : i64} %units to %l : exec_unit, memory
    %p:2 = switch [2]
  }
}
"""
    out = printed(text)
    assert printed(out) == out
    assert '%m = memory @ddr {kind = "ddr", size = 1024 : i64}' in out
    assert "group @core share(%m) {" in out
    assert "%units = group share(%m, %l) {" in out
    assert "datapath %m to %u : memory, exec_unit" in out
    assert out.count("yield") == 1
    assert "%p:2 = switch[2]" in out
    assert '<#ktdp.memory_space<global> = "ddr", f16 = 64>' in out


def test_devices_without_resources() -> None:
    for text in ("ktdf_arch.device @d {\n}", 'ktdf_arch.device @d attributes {version = 3 : i64} import("demo.mlir")'):
        assert " ".join(text.split()) in " ".join(printed(text + "\n").split())
        assert printed(printed(text + "\n")) == printed(text + "\n")


def test_names_repeat_in_isolated_regions() -> None:
    """`%m` means another thing in each group; a use of an outer name that was not shared is an error at that name."""
    group = '  group share(%m) {\n    %x = memory {kind = "lx"}\n    datapath %m to %x : memory, memory\n  }\n'
    device = 'ktdf_arch.device @d {\n  %m = memory {kind = "a"}\n  %x = memory {kind = "b"}\n' + group * 2 + "}\n"
    assert printed(printed(device)) == printed(device)
    (found,) = mistakes(device.replace("share(%m)", "share()", 1).replace("datapath %m to %x", "datapath %x to %m", 1))
    assert (found.id, found.position and (found.position.line, found.position.column)) == ("undefined-name", (6, 20))
    assert "%m" in found.message
    (found,) = mistakes(device.replace("    datapath", '    %x = memory {kind = "c"}\n    datapath', 1))
    assert found.message == "redefinition of SSA value '%x'"


def test_sets_inside_types_and_attributes_of_ours() -> None:
    """MLIR's parser cannot read `>=` there, so the reader moves such sets out."""
    record = "#ktdf_arch.map<affine_set<(d0) : (d0 >= 0)> = affine_map<(d0) -> (d0)>>"
    text = f"func.func private @f() attributes {{a = {record}}}\n"
    out = printed(text, local_scope=True)
    assert record in out
    assert printed(out, local_scope=True) == out
    assert printed(printed(text)) == printed(text)


def test_our_types_inside_upstream_statements() -> None:
    text = """!half = tensor<4x!spyreop.df16>
func.func @f(%t: tensor<4x!spyreop.df16>, %m: memref<4xi16, #ktdp.memory_space<ct_local, ct_id = 3>>) -> !half {
  return %t : tensor<4x!spyreop.df16>
}
func.func private @g(!ktdp.access_tile<?x4xindex>, !ktdp.access_tile<index>)
"""
    out = printed(text)
    assert printed(out) == out
    for part in (
        "tensor<4x!spyreop.df16>",
        "#ktdp.memory_space<ct_local, ct_id = 3>",
        "<?x4xindex>",
        "!ktdp.access_tile<index>",
    ):
        assert part in out


def test_subscripts() -> None:
    def subscript(text: str) -> str:
        out = printed(HEAD + VIEW + TILE.replace("%zero, 0", text) + END)
        assert printed(out) == out
        return out.split("construct_access_tile %x[")[1].split("]")[0]

    assert subscript("%zero * 2 + 4, 0") == "%zero * 2 + 4, 0"
    assert subscript("(%zero + 3) floordiv 4, %zero mod 8") == "(%zero + 3) floordiv 4, %zero mod 8"
    assert subscript("4 - %zero, -%zero") == "-%zero + 4, -%zero"
    assert subscript("%zero + symbol(%x_ptr), symbol(%x_ptr)") == "%zero + symbol(%x_ptr), symbol(%x_ptr)"
    assert subscript("%zero + %zero, 0") == "%zero * 2, 0"


def test_a_subscript_over_values_that_became_one() -> None:
    """Passes merge values; the text is what reading it again would give."""
    two = "  %one = arith.constant 1 : index\n"
    text = HEAD + two + VIEW + TILE.replace("%zero, 0", "%zero + %one, symbol(%one)") + END
    module = asm.read(text, "in.mlir", context()).module
    for op in module.body.operations[0].regions[0].blocks[0].operations:
        if op.name == "ktdp.construct_access_tile":
            for k in range(1, 4):
                op.operands[k] = op.operands[1]
    out = asm.print_op(module)
    assert "[%zero * 2, symbol(%zero)]" in out
    assert printed(out) == out


def test_several_modules_and_a_trailer() -> None:
    text = """module @a { func.func @f() { return } }
module @b { func.func private @f() }
{-#
  dialect_resources: { builtin: { blob: "0x08000000010000000000000002000000" } }
#-}
"""
    out = printed(text)
    assert "module @a" in out
    assert "module @b" in out
    assert printed(out) == out


@pytest.mark.parametrize("written", ["\r\n", "\r", "\t\n"], ids=["CRLF", "CR", "tabs"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "BOM"])
def test_line_ends_tabs_and_marks(written: str, mark: str) -> None:
    text = "// A kernel.\n" + KERNEL
    assert printed(mark + text.replace("\n", written).replace("  ", "\t")) == printed(KERNEL)


def test_locations_that_are_defined_later() -> None:
    text = """func.func @k(%x: index loc(#where)) {
  %t = ktdp.get_compute_tile_id : index loc(#there)
  %s = arith.addi %x, %t : index loc(#where)
  return loc(#there)
} loc(#there)
#there = loc("k.py":3:4)
#where = loc(callsite("f"(#there) at #there))
"""
    out = printed(text, debuginfo=True)
    assert out.count('loc("k.py":3:4)') == 1
    assert "get_compute_tile_id : index loc(#loc" in out
    assert printed(out, debuginfo=True) == out


def test_names_of_arguments() -> None:
    text = "func.func @f(%x_ptr: index, %y: memref<4xf16>, %0: i32, %arg7: i1) {\n  return\n}\n"
    out = printed(text)
    assert "@f(%x_ptr: index, %y: memref<4xf16>, %arg2: i32, %arg7: i1)" in out
    module = asm.read(text, "in.mlir", context()).module
    arguments = module.body.operations[0].regions[0].blocks[0].arguments
    names = [a.location.name_str for a in arguments if isinstance(a.location, ir.NameLoc)]
    assert names == ["x_ptr", "y", "arg7"]


def test_keys_that_look_like_ops() -> None:
    text = """func.func @f() attributes {dataflow.signature = [{arg = 0 : i64}], ktdp.load, dataflow.yield} {
  %c = arith.constant {dataflow.unit = @sfu, ktdp.note} 1 : index
  return
}
"""
    out = printed(text)
    assert printed(out) == out
    assert "dataflow.signature = [{arg = 0 : i64}], dataflow.yield, ktdp.load" in out


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("func.func @f(%c: i1) {\n" + "scf.if %c {\n" * 600 + "}\n" * 600 + "return }\n", (513, 11)),
        ("#a = " + "[" * 5000 + "]" * 5000 + "\n", (1, 4102)),
        ("#a0 = [1]\n" + "".join(f"#a{k + 1} = [#a{k}]\n" for k in range(5000)), (4097, 1)),
        ("#a0 = [1]\n" + "".join(f"#a{k + 1} = [#a{k}, #a{k}]\n" for k in range(60)), (21, 1)),
        ("#m = affine_map<(d0) -> (" + "-" * 10000 + "d0)>\n", (1, 90)),
        ("func.func private @f(" + "!ktdp.access_tile<" * 9000, None),
        ('#a = ' + "#ktdf_arch.map<1 = " * 200 + "1" + ">" * 200 + "\n", (1, 1222)),
    ],
    ids=["regions", "brackets", "aliases", "wide aliases", "signs", "open types", "types"],
)  # fmt: skip
def test_what_would_exhaust_the_stack_is_refused(text: str, place: tuple[int, int] | None) -> None:
    (found,) = mistakes(text)
    assert found.id in ("too-deep", "truncated")
    assert found.position is not None
    if place is not None:
        assert (found.position.line, found.position.column) == place


def test_modules_nest_deeper_than_other_regions() -> None:
    assert printed("module {\n" * 600 + "}\n" * 600).count("module {\n") == 600


@pytest.mark.parametrize(
    "text", ["#a = -", "#a = @b::", "#a = @b::@", "#a = 3 :", "#a = dense<0> :", "!a = () ->", "#a ="]
)
def test_an_alias_that_the_text_cuts_off(text: str) -> None:
    with pytest.raises(InvalidKernel):
        printed(text)


def test_generic_print() -> None:
    out = printed(KERNEL, generic=True)
    assert '"ktdp.load"(%t) : (!ktdp.access_tile<1x64xindex>) -> tensor<1x64xf16>' in out
    assert printed(out) == printed(KERNEL)


def test_large_constants_can_be_elided() -> None:
    text = "func.func @f() { %c = arith.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32> return }\n"
    module = asm.read(text, "in.mlir", context()).module
    assert "dense_resource<__elided__>" in asm.print_op(module, elide_large=4)
    assert "[1, 2, 3, 4, 5, 6]" in asm.print_op(module)
