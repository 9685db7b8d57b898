# ruff: noqa: E501 (a case per line reads best)
"""Every mistake is one message at the characters that it is about; the marks say which."""

import pytest
from texts import END, HEAD, TILE, VIEW, marked, mistakes, shown

LOAD = "  %a = ktdp.load %t : <1x64xindex> -> tensor<1x64xf16>\n"


def view(old: str, new: str) -> str:
    assert old in VIEW
    return HEAD + VIEW.replace(old, new) + END


def tile(old: str, new: str) -> str:
    assert old in TILE
    return HEAD + VIEW + TILE.replace(old, new) + END


def load(text: str) -> str:
    return HEAD + VIEW + TILE + f"  {text}\n" + END


ONE = {
    # ops and names
    "misspelt op": (load("%a = «ktdp.laod» %t : <1x64xindex> -> tensor<1x64xf16>"), "unknown-op", "ktdp.laod"),
    "misspelt upstream op": (HEAD + "  %a = «arith.adi» %zero, %zero : index\n" + END, "unknown-op", "arith.adi"),
    "misspelt dialect": (HEAD + "  %a = «arit.addi» %zero, %zero : index\n" + END, "unknown-op", "no dialect arit"),
    "generic op of no dialect": (HEAD + '  «"foo.bar"»() : () -> ()\n' + END, "unknown-op", "foo"),
    "misspelt generic op": (load('%a = «"ktdp.laod"»(%t) : (index) -> index'), "unknown-op", "ktdp.laod"),
    "namesake elsewhere": (HEAD + "  %a = «math.gelu» %zero : index\n" + END, "unknown-op", "math.gelu"),
    "namesake of upstream": (HEAD + "  %a = «spyreop.mulf» %zero : index\n" + END, "unknown-op", "spyreop.mulf"),
    "letters in another order": (HEAD + "  %a = «arith.fmul» %zero, %zero : f32\n" + END, "unknown-op", "arith.fmul"),
    "gone from upstream": (HEAD + "  «linalg.matmul_transpose_b» ins() outs()\n" + END, "unknown-op", "transpose_b"),
    "prose": ("«This» is a letter, and no kernel.\n", "unknown-op", "'This'"),
    "undefined name": (HEAD + "  %a = arith.addi %zero, «%zer» : index\n" + END, "undefined-name", "%zer"),
    "undefined name of ours": (load("%a = ktdp.load «%nt» : <1x64xindex> -> tensor<1x64xf16>"), "undefined-name", "%nt"),
    "minus in a name": (tile("%zero, 0", "«%zero-4», 0"), "undefined-name", "%zero-4"),
    "undefined alias": (view("#all", "«#al»"), "undefined-name", "#al"),
    "redefined name": (load("«%t» = arith.constant 1 : index"), "redefined-name", "%t"),
    # attributes
    "missing attribute": (
        view("%x = ktdp.construct_memory_view", "%x = «ktdp.construct_memory_view»").replace("coordinate_set = #all, ", ""),
        "missing-attribute",
        "coordinate_set",
    ),
    "unknown attribute": (load("%a = ktdp.load %t {«fast = 1»} : <1x64xindex> -> tensor<1x64xf16>"), "unknown-attribute", "fast"),
    "location as attribute": (tile("access_tile_set = #row", "access_tile_set = [«loc(unknown)»]"), "syntax", "a location"),
    "attribute twice": (view("{", "{memory_space = 1, ").replace("#all, memory_space", "#all, «memory_space»"), "duplicate-attribute", "memory_space"),
    "attribute in format and dictionary": (HEAD + "  dataflow.wait @c {«channel» = @c}\n" + END, "duplicate-attribute", "channel"),
    "attribute without value": (view("coordinate_set = #all", "«coordinate_set» = "), "syntax", "no value"),
    "unknown kind of memory": (view("global", "«globl»"), "syntax", "global, ct_local"),
    "unknown record": (view("#ktdp.memory_space", "«#ktdp.memry_space»"), "unknown-type", "#ktdp.memry_space"),
    "index of global memory": (view("#ktdp.memory_space<global>", "«#ktdp.memory_space<global, ct_id = 3>»"), "wrong-type", "ct_id"),
    # types
    "unknown type, spelled out": ("func.func @k(%x: !ktdp<«acess_tile»<4xindex>>) {\n  return\n}\n", "unknown-type", "!ktdp.acess_tile"),
    "rest of a type, spelled out": ("func.func @k(%x: !ktdp<access_tile<4xindex>«,» 3>) {\n  return\n}\n", "syntax", "expected '>'"),
    "type of no dialect": ("func.func @k(%x_ptr: «!tt.ptr»<f32>) {\n  return\n}\n", "unknown-type", "there is no type !tt.ptr"),
    "element type of no dialect": ("func.func @k(%x: tensor<4x«!tt.ptr»<f32>>) {\n  return\n}\n", "unknown-type", "there is no type !tt.ptr"),
    "type that a dialect lacks": ("func.func @k(%x: «!math.big»<f32>) {\n  return\n}\n", "unknown-type", "there is no type !math.big"),
    "attribute of no dialect": ("func.func @k() attributes {a = «#tt.foo»<3>} {\n  return\n}\n", "unknown-type", "there is no attribute #tt.foo"),
    # ends
    "no return": (HEAD + "«}»\n", "syntax", "the function ends without return"),
    "no return behind a region": (HEAD + "  scf.for %i = %zero to %zero step %zero {\n  }\n«}» // } \n", "syntax", "the function ends without return"),
    "nothing at all": ("module {\n  func.func @k() attributes {grid = [1]} {\n  «}»\n}\n", "syntax", "the function ends without return"),
    "no yield": (HEAD + '  %b = arith.constant true\n  "scf.if"(%b) ({\n    %a = arith.constant 1 : index\n  «}», {\n  }) : (i1) -> ()\n' + END, "syntax", "scf.if ends without its terminator"),
    "yield of too few": (HEAD + '  %b = arith.constant true\n  %r = «scf.if» %b -> (index) {\n    "scf.yield"() : () -> ()\n  } else {\n    scf.yield %zero : index\n  }\n' + END, "type-mismatch", "scf.yield hands on 0 values, but scf.if carries 1"),
    "yield of another type": (HEAD + "  %b = arith.constant true\n  %r = «scf.if» %b -> (index) {\n    scf.yield %zero : index\n  } else {\n    scf.yield %b : i1\n  }\n" + END, "type-mismatch", "scf.yield hands on has type 'i1', but scf.if carries 'index'"),
    "value of another type": (load("%a = ktdp.load «%x» : <1x64xindex> -> tensor<1x64xf16>"), "type-mismatch", "memref<96x64xf16>"),
    "shape of another type": (load("%a = ktdp.load «%t» : <1x65xindex> -> tensor<1x65xf16>"), "type-mismatch", "<1x65xindex>"),
    "result of another kind": (load("%a = ktdp.load %t : <1x64xindex> -> «memref<1x64xf16>»"), "type-mismatch", "ranked tensor"),
    "result of another shape": (load("%a = ktdp.load %t : <1x64xindex> -> «tensor<64xf16>»"), "type-mismatch", "tensor<64xf16>"),
    "tile of numbers": (load("%a = ktdp.load %t : «<1x64xf16>» -> tensor<1x64xf16>"), "wrong-type", "1x64xf16"),
    "no such element type": (load("%a = ktdp.load %t : <1x64xindex> -> tensor<1x64x«f99»>"), "syntax", "type"),
    "header against op": (HEAD + "  dataflow.stream counts [1] ins(@a[%zero] strides [2] : f32) outs() { ^bb0(%p: «f16»): dataflow.yield }\n" + END, "type-mismatch", "%p is f16"),
    "more types than values": (HEAD + "  dataflow.program_unit @u(%c) {\n    dataflow.stream counts [1] ins() outs() { dataflow.yield %c : «index, index» }\n  }\n" + END, "type-mismatch", "1 values"),
    # numbers
    "absurd size": (view("[96, 64], s", "[96, «99999999999999999999»], s"), "number-range", "i64"),
    "absurd number of digits": (view("[96, 64], s", f"[96, «{'9' * 5000}»], s"), "number-range", "i64"),
    "absurd dimension": (tile("<1x64xindex>", "<«1x99999999999999999999xindex»>"), "number-range", "i64"),
    "absurd upstream number": (HEAD.replace("[32]", "[«99999999999999999999»]") + END, "syntax", "range"),
    "size that disagrees": (view("[96, 64], s", "[96, «65»], s"), "type-mismatch", "sizes[1]"),
    # grammar
    "missing arrow": (load("%a = ktdp.load %t : <1x64xindex> «tensor»<1x64xf16>"), "syntax", "expected '->'"),
    "value that is a word": (load("%a = ktdp.load «t» : <1x64xindex> -> tensor<1x64xf16>"), "syntax", "SSA name"),
    "something behind": (load("%a = ktdp.load %t : <1x64xindex> -> tensor<1x64xf16> «,» 4"), "syntax", "the end of ktdp.load"),
    "word behind": (load("%a = ktdp.load %t : <1x64xindex> -> tensor<1x64xf16> «twice»"), "unknown-op", "'twice'"),
    "division by a slash": (tile("%zero, 0", "%zero «/» 2, 0"), "syntax", "operator"),
    "subscript that stops": (tile("%zero, 0", "%zero +«,» 0"), "syntax", "value"),
    "too many results": (HEAD + "  «%a», %b = ktdp.get_compute_tile_id : index\n" + END, "syntax", "2"),
    "bracket of another kind": (tile("0]", "(0«]»"), "syntax", "')'"),
    "brace too many": (HEAD + END + "«}»\n", "syntax", "closes nothing"),
    "string without end": ('module attributes {a = «"»b} {\n}\n', "syntax", "quote"),
    "iterator type that is no string": ('func.func @f(%x: tensor<4xf16>) {\n  %r = linalg.generic {indexing_maps = [], iterator_types = [«1»]} outs(%x : tensor<4xf16>) {}\n' + END, "syntax", "iterator type"),
    "transpose without dimensions": ('func.func @f(%x: tensor<f16>) {\n  %r = linalg.transpose ins(%x : tensor<f16>) outs(%x : tensor<f16>) «permutation» = []\n' + END, "wrong-attribute", "without dimensions"),
    "generic transpose without dimensions": ('#p = array<i64>\nfunc.func @f(%x: tensor<f16>) {\n  %r = "linalg.transpose"(%x, %x) <{«permutation» = #p}> ({}) : (tensor<f16>, tensor<f16>) -> tensor<f16>\n' + END, "wrong-attribute", "without dimensions"),
    "upstream verifier": (HEAD + "  %e = tensor.empty() : tensor<4xf16>\n  %c = «tensor.extract» %e[] : tensor<4xf16>\n" + END, "mlir-verify", "indices"),
    # the end, and what is not text
    "cut in a type": ((HEAD + VIEW + TILE)[:-9] + "« »", "truncated", "too early"),
    "cut in a region": (HEAD + VIEW.rstrip() + "« »", "truncated", "too early"),
    "NUL byte": ("func.func @f() {\n  ret«\0»urn\n}\n", "not-text", "0x00"),
    "byte that is not UTF-8": ("func.func @f() {\n  ret«\udc80»urn\n}\n", "not-text", "UTF-8"),
    # columns count characters
    "behind other scripts": ('func.func @f(%x: index) attributes {s = "漢字 ø"} { %y = arith.addi %x, «%q» : index return }\n', "undefined-name", "%q"),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_one_mistake(name: str) -> None:
    text, id, fragment = ONE[name]
    clean, spans = marked(text)
    found = mistakes(clean)
    assert [d.id for d in found] == [id], [str(d) for d in found]
    assert fragment in found[0].message
    if spans:
        assert [shown(found[0])] == spans, str(found[0])


def test_suggestions() -> None:
    notes = {name: mistakes(marked(ONE[name][0])[0])[0].notes for name in ONE}

    def first(name: str) -> str:
        return notes[name][0].message

    assert first("misspelt op") == "did you mean ktdp.load?"
    assert first("misspelt upstream op") == "did you mean arith.addi?"
    assert first("misspelt dialect") == "did you mean arith.addi?"
    assert first("undefined name") == "did you mean %zero?"
    assert first("undefined alias") == "did you mean #all?"
    assert first("unknown kind of memory") == "did you mean 'global'?"
    assert first("division by a slash") == "write floordiv"
    assert "spaces" in first("minus in a name")
    assert first("namesake elsewhere") == "did you mean spyreop.gelu?"
    assert first("namesake of upstream") == "did you mean arith.mulf?"
    assert first("letters in another order") == "did you mean arith.mulf?"
    assert "type index" in first("type of no dialect")
    assert not notes["prose"]


def test_second_places() -> None:
    """Notes have places of their own."""
    text, _ = marked(ONE["redefined name"][0])
    (note,) = mistakes(text)[0].notes
    assert note.position is not None
    assert note.position.line == 8
    (opened,) = mistakes(HEAD)[0].notes
    assert opened.source_line is not None
    assert opened.source_line.startswith("func.func @k")


def test_all_mistakes_of_the_grammar() -> None:
    """After a statement that does not parse the next one is read."""
    text = HEAD + VIEW + TILE
    text += "  %a = «ktdp.laod» %t : <1x64xindex> -> tensor<1x64xf16>\n"
    text += "  %b = ktdp.load %t «<»1x64xindex> -> tensor<1x64xf16>\n"
    text += "  dataflow.program_unit @u(%core) {\n    dataflow.wait «c»\n    dataflow.post @c\n"
    text += "    dataflow.post «{»unit = @u}\n  }\n"
    text += "  %c = ktdp.load «t» : <1x64xindex> -> tensor<1x64xf16>\n" + END
    clean, spans = marked(text)
    assert [shown(d) for d in mistakes(clean)] == spans


def test_all_violations_of_the_verifiers() -> None:
    """Each broken rule of each op is reported, with the fields that break it."""
    text = HEAD + VIEW.replace("[96, 64], s", "[«95», «65»], s")
    text += TILE.replace("!ktdp.access_tile<1x64xindex>", "«!ktdp.access_tile<1x64x2xindex>»") + END
    clean, spans = marked(text)
    assert [shown(d) for d in mistakes(clean)] == spans


def test_windows_line_ends() -> None:
    text, _, _ = ONE["size that disagrees"]
    clean, spans = marked(text)
    (found,) = mistakes(clean.replace("\n", "\r\n"))
    assert [shown(found)] == spans
    assert found.source_line is not None
    assert not found.source_line.endswith("\r")


def test_a_byte_order_mark_is_no_character() -> None:
    assert mistakes("\ufeffprose\n")[0].message == mistakes(" prose\n")[0].message
