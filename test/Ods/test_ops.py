"""Ops stated with the kit: built, printed and parsed in generic form, walked, transformed by upstream passes."""

from collections.abc import Iterator

import pytest
import sample
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec import ods
from spyrec.mlir import ir, passmanager


@pytest.fixture
def context() -> Iterator[ir.Context]:
    """A context with a module that new ops go into (a detached op that loses its operands' ops corrupts memory)."""
    with sample.context() as made, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            yield made


def generic(module: ir.Module) -> str:
    return module.operation.get_asm(print_generic_op_form=True)


def values(*types: str) -> list[ir.Value]:
    """Values of these types."""
    return [
        ir.Operation.create("builtin.unrealized_conversion_cast", results=[ir.Type.parse(t)]).results[0] for t in types
    ]


COUNTS = st.fixed_dictionaries(
    {
        "maybe": st.booleans(),
        "many": st.integers(0, 5),
        "indices": st.integers(0, 3),
        "tail": st.integers(0, 4),
        "end": st.booleans(),
    }
)
CYCLE = ("f16", "tensor<4xf32>", "index", "memref<2xi8>")


@given(COUNTS)
@settings(max_examples=40, deadline=None)
def test_fields_come_back_after_text(counts: dict[str, int]) -> None:
    with sample.context(), ir.Location.unknown():
        module = ir.Module.create()
        types = [CYCLE[k % len(CYCLE)] for k in range(counts["many"])]
        tail = [ir.Type.parse(CYCLE[k % len(CYCLE)]) for k in range(counts["tail"])]
        with ir.InsertionPoint(module.body):
            op = sample.MixOp.build(
                first=values("index")[0],
                maybe=values("i1")[0] if counts["maybe"] else None,
                many=values(*types),
                indices=values(*["index"] * counts["indices"]),
                last=values("f32")[0],
                mode=sample.ModeAttr.make(value="fast"),
                tail=tail,
                end=ir.IndexType.get() if counts["end"] else None,
            )
            with ir.InsertionPoint(op.body.blocks[0]):
                sample.StopOp.build(values=[op.body.blocks[0].arguments[0], op.first])
        again = ir.Module.parse(generic(module))
        assert generic(again) == generic(module)
        (found,) = (o for o in again.body.operations if isinstance(o, sample.MixOp))
        assert str(found.first.type) == "index"
        assert (found.maybe is not None) == counts["maybe"]
        assert [str(v.type) for v in found.many] == types
        assert len(found.indices) == counts["indices"]
        assert str(found.last.type) == "f32"
        assert str(found.head.type) == "index"
        assert [v.type for v in found.tail] == tail
        assert (found.end is not None) == counts["end"]
        assert len(found.other.blocks) == 0
        (stop,) = found.body.blocks[0].operations
        assert isinstance(stop, sample.StopOp)
        assert [str(v.type) for v in stop.values] == ["index", "index"]


def test_attributes_by_name_with_defaults_and_removal(context: ir.Context) -> None:
    op = sample.MixOp.build(
        first=values("index")[0],
        last=values("f16")[0],
        mode=sample.ModeAttr.make(value="slow"),
        name="x",
    )
    assert op.count.value == 3
    assert "count" not in op.operation.attributes
    assert op.name_ is not None
    assert op.name_.value == "x"
    op.name_ = None
    assert "name" not in op.operation.attributes
    op.count = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 5)
    assert op.count.value == 5
    assert isinstance(op.mode, sample.ModeAttr)
    assert op.mode.value.value == "slow"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "first is missing"),
        ({"first": "index", "last": "f32"}, "attribute mode is missing"),
        ({"first": "index", "last": "f32", "mode": "fast", "lsat": 1}, "no field lsat"),
    ],
)
def test_a_wrong_build_is_a_type_error(context: ir.Context, fields: dict[str, object], message: str) -> None:
    made = {k: values(str(v))[0] if k in ("first", "last") else v for k, v in fields.items()}
    if "mode" in made:
        made["mode"] = sample.ModeAttr.make(value="fast")
    with pytest.raises(TypeError, match=message):
        sample.MixOp.build(**made)


def test_result_types_that_need_not_be_given(context: ir.Context) -> None:
    lhs, rhs = values("tensor<4xf32>", "tensor<4xf32>")
    assert str(sample.SumOp.build(lhs=lhs, rhs=rhs).result.type) == "tensor<4xf32>"
    assert str(sample.PeekOp.build().result.type) == "index"
    with pytest.raises(TypeError, match="result is missing"):
        sample.BufferOp.build()


def run(text: str, pipeline: str) -> list[str]:
    """Names of the ops that are left in ``@f``."""
    module = ir.Module.parse(f"func.func @f() {{ {text} return }}")
    passmanager.PassManager.parse(pipeline).run(module.operation)
    (function,) = module.body.operations
    return [o.operation.name for o in function.operation.regions[0].blocks[0].operations]


def test_upstream_passes_see_the_effects(context: ir.Context) -> None:
    pipeline = "builtin.module(func.func(canonicalize,cse))"
    buffers = '%a = "sample.buffer"() : () -> memref<2xi8> %b = "sample.buffer"() : () -> memref<2xi8>'
    assert run(buffers, pipeline).count("sample.buffer") == 2
    kept = '"sample.unknown"() : () -> () "sample.poke"() : () -> ()'
    assert run(kept, pipeline)[:2] == [
        "sample.unknown",
        "sample.poke",
    ]
    assert "sample.peek" not in run('%a = "sample.peek"() : () -> index', pipeline)
    pure = (
        "%c = arith.constant 1.0 : f32"
        ' %a = "sample.sum"(%c, %c) : (f32, f32) -> f32 %b = "sample.sum"(%c, %c) : (f32, f32) -> f32'
        ' "other.stay"(%a, %b) : (f32, f32) -> ()'
    )
    context.allow_unregistered_dialects = True
    assert run(pure, pipeline).count("sample.sum") == 1


def test_reads_are_merged_only_without_a_write_between(context: ir.Context) -> None:
    context.allow_unregistered_dialects = True
    peek, use = '"sample.peek"() : () -> index', '"other.stay"(%a, %b) : (index, index) -> ()'
    poke = '"sample.poke"() : () -> ()'
    assert run(f"%a = {peek} %b = {peek} {use}", "builtin.module(func.func(cse))").count("sample.peek") == 1
    assert run(f"%a = {peek} {poke} %b = {peek} {use}", "builtin.module(func.func(cse))").count("sample.peek") == 2


def test_only_pure_ops_leave_a_loop(context: ir.Context) -> None:
    loop = """%z = arith.constant 0 : index %n = arith.constant 4 : index %s = arith.constant 1 : index
    %c = arith.constant 1.0 : f32 scf.for %i = %z to %n step %s {{ {} }}"""
    pipeline = "builtin.module(func.func(loop-invariant-code-motion))"
    assert "sample.sum" in run(loop.format('%a = "sample.sum"(%c, %c) : (f32, f32) -> f32'), pipeline)
    assert "sample.peek" not in run(loop.format('%a = "sample.peek"() : () -> index'), pipeline)


def test_mixed_groups_survive_canonicalisation(context: ir.Context) -> None:
    sizes = sample.StopOp.spec.operand_segments([2])
    assert sizes is not None
    segments = f"{{operandSegmentSizes = array<i32: {', '.join(map(str, sizes))}>}}"
    module = ir.Module.parse(
        f"""%c = arith.constant 1.0 : f32 %i = arith.constant 1 : index
        "sample.mix"(%i, %c) ({{ ^bb0(%x: index): "sample.stop"(%c, %x) {segments} : (f32, index) -> () }}, {{}}) {{
          mode = #sample.mode<"fast">, operandSegmentSizes = array<i32: {segment_text([1, 0, 0, 0, 1])}>,
          resultSegmentSizes = array<i32: {segment_text([1, 0, 0], operands=False)}>
        }} : (index, f32) -> index"""
    )
    passmanager.PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
    assert not ods.verify_tree(module.operation)
    (mix,) = (o for o in module.body.operations if isinstance(o, sample.MixOp))
    (stop,) = mix.body.blocks[0].operations
    assert isinstance(stop, sample.StopOp)
    assert [str(v.type) for v in stop.values] == ["f32", "index"]


def segment_text(counts: list[int], *, operands: bool = True) -> str:
    spec = sample.MixOp.spec
    sizes = spec.operand_segments(counts) if operands else spec.result_segments(counts)
    return ", ".join(map(str, sizes or []))


def test_isolated_bodies_cannot_see_outside(context: ir.Context) -> None:
    inside = '"sample.sum"(%i, %i) : (index, index) -> index'
    with pytest.raises(ir.MLIRError, match="defined outside the region"):
        ir.Module.parse(f'%i = arith.constant 1 : index "sample.scope"() ({{ {inside} }}) : () -> ()')
