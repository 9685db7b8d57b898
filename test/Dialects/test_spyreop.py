"""Verifiers of `spyreop`, and what its ops are to upstream passes."""

import pytest
from generic import check, only

from spyrec.dialects import make_context, spyreop
from spyrec.mlir import ir, passmanager
from spyrec.ods import registry

TYPES = {"%f": "f16", "%w": "f32", "%i": "i32", "%d": "!spyreop.df16"}
ARGS = " ".join(f'{name} = "test.x"() : () -> {kind}' for name, kind in TYPES.items())


@pytest.mark.parametrize(
    ("op", "id", "field", "message"),
    [
        ('"spyreop.exp"(%i) : (i32) -> i32', "type-mismatch", "type(input)", "must be f16, !spyreop.df16 or f32"),
        (
            '"spyreop.exp"(%f) : (f16) -> f32',
            "type-mismatch",
            "type(result)",
            "must have one type, but are f16 and f32",
        ),
        ('"spyreop.gelu"(%w) : (f32) -> f32', "type-mismatch", "type(input)", "must be f16 or !spyreop.df16"),
        ('"spyreop.realdiv"(%f, %w) : (f16, f32) -> f16', "type-mismatch", "type(rhs)", "are f16 and f32"),
        ('"spyreop.addi32toi32"(%f, %i) : (f16, i32) -> i32', "type-mismatch", "type(lhs)", "must be i32, but is f16"),
        (
            '"spyreop.softplus"(%f) {beta = 0.0 : f32, threshold = 20.0 : f32} : (f16) -> f16',
            "wrong-attribute",
            "beta",
            "must not be 0",
        ),
        (
            '"spyreop.softplus"(%f) {beta = 1.0 : f16, threshold = 20.0 : f32} : (f16) -> f16',
            "wrong-attribute",
            "beta",
            "must be an f32 number",
        ),
        (
            '"spyreop.compare"(%f, %f) {predicate = "equal"} : (f16, f16) -> f16',
            "wrong-attribute",
            "predicate",
            "must be #spyreop.compare_predicate",
        ),
        ('"spyreop.constant"() {value = 1.0 : f16} : () -> f32', "type-mismatch", "type(result)", "value and result"),
    ],
)
def test_one_rule_each(op: str, id: str, field: str, message: str) -> None:
    found = check(f"{ARGS} %r = {op}")[0]
    assert (found.id, found.field) == (id, field)
    assert message in found.message


def test_right_ops() -> None:
    assert not check(
        f"""{ARGS}
        %0 = "spyreop.exp"(%d) : (!spyreop.df16) -> !spyreop.df16
        %1 = "spyreop.compare"(%w, %w) {{predicate = #spyreop.compare_predicate<"lesserthan">}} : (f32, f32) -> f32
        %2 = "spyreop.select"(%1, %w, %w) : (f32, f32, f32) -> f32
        %3 = "spyreop.constant"() {{value = 1.5 : f16}} : () -> f16
        %4 = "spyreop.softplus"(%f) {{beta = 1.0 : f32, threshold = 20.0 : f32}} : (f16) -> f16
        %5 = "spyreop.muli32toi32"(%i, %i) : (i32, i32) -> i32"""
    )


def test_types_that_need_not_be_given() -> None:
    with make_context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            one = spyreop.ConstantOp.build(value=ir.FloatAttr.get(ir.F16Type.get(), 1.0))
            made = spyreop.SiluOp.build(input=one.result)
        assert str(made.result.type) == "f16"


def test_all_are_pure() -> None:
    ops = [op for name, op in registry.ops.items() if name.startswith("spyreop.")]
    assert len(ops) >= 15
    assert all(op.spec.effects == {"pure"} for op in ops)
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse('%0 = "spyreop.constant"() {value = 1.0 : f16} : () -> f16')
        passmanager.PassManager.parse("builtin.module(cse)").run(module.operation)
        assert len(module.body.operations) == 0


def test_a_wrong_predicate_is_refused_by_its_constraint() -> None:
    (param,) = spyreop.ComparePredicateAttr.spec.params
    assert param.constraint.cases == spyreop.PREDICATES
    assert only('"spyreop.constant"() {value = 1 : i32} : () -> f16').field == "value"
