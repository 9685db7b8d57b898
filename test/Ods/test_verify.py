"""What the kit says about wrong ops: every violation, with id, field and a way out; through MLIR and without it."""

from collections.abc import Iterator

import pytest
import sample

from spyrec import ods
from spyrec.mlir import ir


@pytest.fixture(autouse=True)
def context() -> Iterator[ir.Context]:
    with sample.context() as made, ir.Location.unknown():
        yield made


def check(text: str) -> list[ods.Violation]:
    with ods.verification_suspended():
        module = ir.Module.parse(text)
    return [v for _, v in ods.verify_tree(module.operation)]


CASES = [
    (
        '"sample.range"() {lower = 1 : i64} : () -> ()',
        "missing-attribute",
        None,
        "needs the attribute upper, an i64 integer",
    ),
    (
        '"sample.range"() {lower = 1 : i64, upper = 2.0 : f32} : () -> ()',
        "wrong-attribute",
        "upper",
        "must be an i64 integer, but is 2.0",
    ),
    ('"sample.range"() {lower = 3 : i64, upper = 2 : i64} : () -> ()', "wrong-attribute", "lower", "3 is above 2"),
    (
        '"sample.range"() {lower = 1 : i64, upper = 2 : i64, lowr = 1 : i64} : () -> ()',
        "unknown-attribute",
        "lowr",
        "no attribute lowr",
    ),
    (
        '%i = arith.constant 1 : index %f = arith.constant 1.0 : f32 "sample.sum"(%i, %f) : (index, f32) -> index',
        "type-mismatch",
        "type(rhs)",
        "lhs and rhs must have one type, but are index and f32",
    ),
    (
        '%i = arith.constant 1 : index "sample.box"(%i) : (index) -> index',
        "type-mismatch",
        "type(result)",
        "must be !sample.box, but is index",
    ),
    ('"sample.scope"() ({}) : () -> ()', "wrong-region", "body", "region body of sample.scope is empty"),
]


@pytest.mark.parametrize(("text", "id", "field", "message"), CASES)
def test_violation(text: str, id: str, field: str | None, message: str) -> None:
    (found,) = check(text)
    assert (found.id, found.field) == (id, field)
    assert message in found.message


@pytest.mark.parametrize(("text", "id", "field", "message"), CASES)
def test_mlir_reports_the_same(text: str, id: str, field: str | None, message: str) -> None:
    with pytest.raises(ir.MLIRError) as caught:
        ir.Module.parse(text)
    (violation,) = check(text)
    assert ods.decode(caught.value.error_diagnostics[0].message) == violation


def test_ops_that_mlir_itself_would_refuse() -> None:
    """What a pass may make without MLIR's own checks."""
    op = ir.Operation.create("sample.mix", attributes={"mode": ir.Attribute.parse('#sample.mode<"fast">')})
    assert "the operands do not fit its fields" in ods.verify_tree(op)[0][1].message
    (found,) = ods.verify_tree(ir.Operation.create("sample.scope"))
    assert (found[1].id, found[1].message) == ("wrong-region", "sample.scope has 0 regions; 1 are needed")
    (violation,) = check('"opensample.free"() {known = loc(unknown)} : () -> ()')
    assert (violation.id, violation.field) == ("wrong-attribute", "known")


def test_the_nearest_attribute_is_suggested_and_dotted_ones_are_kept() -> None:
    (found,) = check('"sample.range"() {lower = 1 : i64, upper = 2 : i64, uper = 1 : i64} : () -> ()')
    assert found.notes == ("did you mean upper?",)
    assert not check('"sample.range"() {lower = 1 : i64, upper = 2 : i64, my.note = 1 : i64} : () -> ()')
    assert not check('"opensample.free"() {anything = 1 : i64} : () -> ()')


def test_all_violations_come_out_in_program_order() -> None:
    text = '"sample.range"() {lower = 9 : i64, upper = 2 : i64} : () -> ()'
    inner = '"sample.scope"() ({ "sample.range"() {lower = 8 : i64, upper = 2 : i64} : () -> () }) : () -> ()'
    assert [v.message for v in check(text + inner + text)] == ["9 is above 2", "8 is above 2", "9 is above 2"]


MIX = """
%i = arith.constant 1 : index %f = arith.constant 1.0 : f32
%r = "sample.mix"(%i, %f) ({{ {body} }}, {{}}) {{
  mode = #sample.mode<"{mode}">, operandSegmentSizes = array<i32: {sizes}>,
  resultSegmentSizes = array<i32: {results}>}} : (index, f32) -> index
"""


def mix(
    body: str = '^bb0(%x: index): "sample.stop"() {operandSegmentSizes = array<i32: STOP>} : () -> ()', **change: str
) -> str:
    spec = sample.MixOp.spec
    stop = sample.StopOp.spec.operand_segments([0]) or []
    sizes, results = spec.operand_segments([1, 0, 0, 0, 1]) or [], spec.result_segments([1, 0, 0]) or []
    parts = {"mode": "fast", "sizes": ", ".join(map(str, sizes)), "results": ", ".join(map(str, results))}
    return MIX.format(body=body.replace("STOP", ", ".join(map(str, stop))), **{**parts, **change})


def test_a_right_mix_has_no_violation() -> None:
    assert not check(mix())
    ir.Module.parse(mix())


@pytest.mark.parametrize(
    ("change", "id", "message"),
    [
        ({"body": ""}, "wrong-region", "body of sample.mix is empty"),
        (
            {"body": '^bb0(%x: index): "sample.leave"() : () -> ()'},
            "wrong-region",
            "must end with sample.stop, but ends with sample.leave",
        ),
        (
            {"body": '^bb0(%x: index): "sample.leave"() : () -> () ^bb1: "sample.leave"() : () -> ()'},
            "wrong-region",
            "region body has 2 blocks",
        ),
        (
            {"body": '^bb0(%x: f32): "sample.stop"() {operandSegmentSizes = array<i32: STOP>} : () -> ()'},
            "type-mismatch",
            "argument 0 of region body must be index, but is f32",
        ),
        (
            {"body": '^bb0: "sample.stop"() {operandSegmentSizes = array<i32: STOP>} : () -> ()'},
            "wrong-region",
            "has 0 block arguments; 1 are needed",
        ),
    ],
)
def test_structure_of_a_wrong_mix(change: dict[str, str], id: str, message: str) -> None:
    found = check(mix(**change))[0]
    assert found.id == id
    assert message in found.message


def test_a_crash_in_a_verifier_is_a_violation_and_not_an_abort() -> None:
    (found,) = check('"sample.crash"() : () -> ()')
    assert found.id == "verifier-crashed"
    assert "ZeroDivisionError: a bug" in found.message
    with pytest.raises(ir.MLIRError, match="ZeroDivisionError"):
        ir.Module.parse('"sample.crash"() : () -> ()')


def test_review_is_asked_for_text_as_written_that_breaks_no_rule() -> None:
    def said(text: str, *, written: bool) -> list[tuple[str, ods.Severity]]:
        with ods.verification_suspended():
            module = ir.Module.parse(text)
        return [(v.message, v.severity) for _, v in ods.verify_tree(module.operation, written=written)]

    empty = '"sample.range"() {lower = 2 : i64, upper = 2 : i64} : () -> ()'
    wrong = empty.replace("lower = 2", "lower = 9")
    assert said(empty, written=False) == []
    assert said(empty, written=True) == [("the range is empty", ods.Severity.WARNING)]
    assert said(wrong, written=True) == [("9 is above 2", ods.Severity.ERROR)]


def test_notes_about_other_places_keep_their_sentence() -> None:
    violation = ods.Violation("an-id", "text", None, (("a place", "made here"), "mend it"))  # type: ignore[arg-type]
    decoded = ods.decode(ods.encode(violation))
    assert decoded is not None
    assert decoded.notes == ("made here", "mend it")


def test_decode_leaves_foreign_messages_alone() -> None:
    assert ods.decode("'arith.addf' op expects [something] at x; y") is None
    violation = ods.Violation("an-id", "text with ; and [x] at y", "sizes[1]", ("first", "second; still second"))
    assert ods.decode(ods.encode(violation)) == violation
