"""Formats of every shape, in both directions: read, printed, read again; what is in the generic form in between."""

import pytest
import sample

from spyrec import asm, ods
from spyrec.errors import InvalidKernel

FUNCTION = """func.func @f(%i: index, %x: f16, %t: tensor<4xf32>, %m: memref<2xi8>, %box: !sample.box<f16>) {{
  {op}
  return
}}
"""


def rewrite(op: str) -> str:
    """The op's text after reading and printing, on one line; it reads and prints as itself again."""
    context = sample.context()
    printed = asm.print_op(asm.read(FUNCTION.format(op=op), "in.mlir", context).module.operation)
    module = asm.read(printed, "again.mlir", context).module
    assert not ods.verify_tree(module.operation)
    assert asm.print_op(module.operation) == printed
    body = printed.split("{\n", 2)[2].rsplit("return", 1)[0]
    return " ".join(body.split())


BODY = "{ ^bb0(%a: index): sample.stop %a, %x : index, f16 }"


@pytest.mark.parametrize(
    "text",
    [
        f"%r = sample.mix %i , %x : f16 mode <fast> -> () {BODY}",
        f"%r = sample.mix %i maybe %t : tensor<4xf32> , %x : f16 mode <slow> -> () {BODY}",
        f"%r = sample.mix %i many(%t, %i, %m : tensor<4xf32>, index, memref<2xi8>) , %x : f16 mode <fast> -> () {BODY}",
        f"%r = sample.mix %i maybe %i : index many(%x : f16) at[%i, %i] , %x : f16 mode <fast> -> () {BODY}",
        f'%r = sample.mix %i , %x : f16 mode <fast> count = 5 called "n" {{my.note = 1 : i64}} -> () {BODY}',
        f"%r:3 = sample.mix %i , %x : f16 mode <fast> -> (f16, tensor<4xf32>) {BODY}",
        f"%r:2 = sample.mix %i , %x : f16 mode <fast> -> () end index {BODY}",
        f"%r = sample.mix %i , %x : f16 mode <fast> -> () {BODY} other {{ ^bb0(%b: f16): sample.stop }}",
        "%r = sample.sum %t, %t : tensor<4xf32>",
        "sample.scope { unknown scope attributes {my.note} { poke } }",
        "sample.each @e sizes [1, -2] points affine_set<() : (0 == 0)> () { }",
        "%k = sample.token_of %box : <f16>"
        " sample.each @e for @other after %k flag sizes [] points affine_set<(d0) : (d0 >= 0)> (%p: f16, %q: index)"
        " { sample.stop %p : f16 }",
        "%k = sample.token_of %box either %i : <f16>",
        "%k = sample.token_of %box other %i {my.note} : <f16>",
        "sample.say -1.500000e+00, false",
        "%r:2 = sample.call %i(%x, %t) : (index, f16, tensor<4xf32>) -> (f16, index)",
        "sample.show %box : !sample.box<f16>",
    ],
)
def test_texts_come_back(text: str) -> None:
    def shape(s: str) -> str:
        return s.replace(" ", "")

    printed = rewrite(text)
    if "affine_set" in text:  # an alias takes its place
        printed, text = printed.split("points")[0], text.split("points")[0]
    assert shape(printed) == shape(text)


def test_other_spellings_and_what_is_printed() -> None:
    assert "mode <fast> ->" in rewrite(f"%r = sample.mix %i, %x : f16 mode #sample.mode<fast> count = 3 -> () {BODY}")
    assert rewrite("%k = sample.token_of %box : !sample.box<f16>") == "%k = sample.token_of %box : <f16>"
    assert rewrite("%k = sample.token_of %box either %i {} : <f16>").endswith("either %i : <f16>")
    written_out = "sample.each @e sizes array<i64> points affine_set<() : (0 == 0)> () { sample.stop }"
    assert rewrite(written_out) == "sample.each @e sizes [] points #set() { }"
    nested = rewrite('%u = "sample.box"(%t) : (tensor<4xf32>) -> !sample.box<tensor<2x!sample.box<f16, 3>>, 7>')
    assert nested.endswith("-> !sample.box<tensor<2x!sample.box<f16, 3>>, 7>")


def test_generic_form_has_hidden_segments_and_inner_names() -> None:
    context = sample.context()
    text = FUNCTION.format(
        op=f"%r = sample.mix %i many(%x, %t : f16, tensor<4xf32>), %x : f16 mode <fast> -> () {BODY}"
    )
    module = asm.read(text, "in.mlir", context).module
    generic = module.operation.get_asm(print_generic_op_form=True)
    sizes = sample.MixOp.spec.operand_segments([1, 0, 2, 0, 1])
    assert sizes is not None
    assert f"operandSegmentSizes = array<i32: {', '.join(map(str, sizes))}>" in generic
    assert "!sample.box_type<f16, unit>" in generic
    assert "SegmentSizes" not in asm.print_op(module.operation)


EACH = "sample.each @e sizes [] points affine_set<() : (0 == 0)>"
MANY, TYPES = ", ".join(["%x"] * 65), ", ".join(["f16"] * 65)


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (f"%r = sample.mix %i, %x : f16 mode <quick> -> () {BODY}", "expected one of fast, slow"),
        (f"%r = sample.mix %i, %x : f16 -> () {BODY}", "expected 'mode'"),
        ("%r = sample.sum %t, %x : tensor<4xf32>", "f16"),
        ("%k = sample.token_of %t : <f16>", "tensor<4xf32>"),
        ("sample.each @e sizes [1] points affine_map<() -> ()> () { }", "expected an affine set"),
        (f"{EACH} (%p: f16) {{ ^bb0(%q: f16): sample.stop }}", "the arguments of region body are named already"),
        (f"{EACH} () sample.stop", "expected '{' of region body, but found 'sample.stop'"),
        ("sample.each @e::@f sizes [] points affine_set<() : (0 == 0)> () { }", "has one name, without '::'"),
        (f"%r = sample.mix %i many(%x, %i : f16), %x : f16 mode <fast> -> () {BODY}", "many has 2 values, but 1 types"),
        ("sample.say x, true", "expected a number, but found 'x'"),
        ("sample.say 1.0, 2", "expected true or false, but found '2'"),
        ("%r = sample.call %i(%x) : (index) -> f16", "there are 1 types, but given needs more"),
        ("%r = sample.call %i(%x) : (index, f16, f16) -> f16", "there are 3 types for 2 values"),
        ("sample.show %box : <f16>", "it may be !sample.box or !sample.token"),
        ("%r = sample.free %i : (!sample.pair) -> f16".replace("free %i", "call %i()"), "!sample.pair needs first"),
        (f"%r = sample.mix %i many({MANY} : {TYPES}), %x : f16 mode <fast> -> () {BODY}", "64"),
    ],
)
def test_wrong_texts_are_refused_with_a_place(op: str, message: str) -> None:
    with pytest.raises(InvalidKernel, match=r"in\.mlir:2:") as caught:
        asm.read(FUNCTION.format(op=op), "in.mlir", sample.context())
    assert message in str(caught.value)
