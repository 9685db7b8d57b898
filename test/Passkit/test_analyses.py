"""Analyses: what is kept from pass to pass, and that nothing is which may not hold any more."""

import gc
import weakref
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from spyrec import diag
from spyrec.mlir import ir
from spyrec.passkit import UNCHANGED, Kept, Pass, PassContext, pipeline, registry
from spyrec.passkit.instrument import Instrumentation

TWO = """
func.func @a(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
func.func @b(%x: i32) -> i32 {
  return %x : i32
}
"""


class Count:
    """How many ops a function has."""

    def __init__(self, op: ir.Operation) -> None:
        self.ops = len(op.regions[0].blocks[0].operations)


class Other(Count):
    """Another result of the same sort, kept where `Count` is, since it is one."""


@dataclass
class AskCount(Pass):
    """Find out, or be told; change nothing."""

    asked: ClassVar[list[str]] = []

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        if ctx.analyses.find(op, Count) is None:
            self.asked.append(ir.StringAttr(op.attributes["sym_name"]).value)
            ctx.analyses.add(op, Count(op))
        return UNCHANGED


@dataclass
class SayNothing(Pass):
    """A pass that says nothing of what it keeps."""

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        ctx.analyses.find(op, Count)


@dataclass
class KeepCount(Pass):
    """A pass that keeps one kind."""

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        return (Count,)


@dataclass
class KeepPass(Pass):
    """A pass that keeps another kind."""

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        return (Pass,)


@dataclass
class SayNumber(Pass):
    """A pass from elsewhere, which returns how much it did."""

    def run(self, op: ir.Operation, ctx: PassContext) -> Any:
        return 1


@dataclass
class TouchModule(Pass):
    """A pass of the module."""

    anchor = "builtin.module"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        op.attributes["touched"] = ir.UnitAttr.get(ctx.context)


@dataclass
class RefuseB(Pass):
    """Refuse one of the functions; say that all is as it was."""

    def run(self, op: ir.Operation, ctx: PassContext) -> Kept:
        if ir.StringAttr(op.attributes["sym_name"]).value == "b":
            raise ValueError("a bug")
        return UNCHANGED


for cls in (AskCount, SayNothing, SayNumber, KeepCount, KeepPass, TouchModule, RefuseB):
    registry.register(cls)


@pytest.fixture
def ctx() -> PassContext:
    context = ir.Context()
    context.enable_multithreading(False)
    AskCount.asked.clear()
    return PassContext(context, diag.Sink(), lambda: pytest.fail("no pass here needs a device"))


def asked(ctx: PassContext, *lines: str) -> list[str]:
    """For which functions something was found out, in all lines."""
    module = ir.Module.parse(TWO, ctx.context)
    with ctx.analyses.scope():
        for line in lines:
            pipeline.parse(line).run(module.operation, ctx)
    return AskCount.asked


@pytest.mark.parametrize(
    ("between", "again"),
    [
        ("func.func(ask-count)", []),
        ("func.func(keep-count)", []),
        ("func.func(say-nothing)", ["a", "b"]),
        ("func.func(say-number)", ["a", "b"]),
        ("func.func(keep-pass)", ["a", "b"]),
        ("touch-module", ["a", "b"]),
        ("func.func(cse)", ["a", "b"]),
        ("symbol-dce", ["a", "b"]),
        ("func.func(keep-count,cse)", ["a", "b"]),
    ],
)
def test_what_passes_between_keep(ctx: PassContext, between: str, again: list[str]) -> None:
    assert asked(ctx, f"func.func(ask-count),{between},func.func(ask-count)") == ["a", "b", *again]


def test_from_one_pipeline_to_the_next(ctx: PassContext) -> None:
    assert asked(ctx, "func.func(ask-count)", "func.func(keep-count)", "func.func(ask-count)") == ["a", "b"]


def test_upstream_passes_that_run_one_at_a_time(ctx: PassContext) -> None:
    module = ir.Module.parse(TWO, ctx.context)
    made = pipeline.parse("func.func(ask-count),func.func(cse),func.func(ask-count)")
    made.run(module.operation, ctx, Instrumentation())
    assert AskCount.asked == ["a", "b", "a", "b"]


def test_a_change_between_pipelines_is_seen(ctx: PassContext) -> None:
    module = ir.Module.parse(TWO, ctx.context)
    for _ in range(2):
        pipeline.parse("func.func(ask-count)").run(module.operation, ctx)
    assert AskCount.asked == ["a", "b", "a", "b"]


def test_a_pass_by_itself_finds_everything_anew(ctx: PassContext) -> None:
    module = ir.Module.parse(TWO, ctx.context)
    function = module.body.operations[0].operation
    for _ in range(2):
        AskCount().run(function, ctx)
    assert AskCount.asked == ["a", "a"]


def test_a_pass_that_fails_keeps_nothing(ctx: PassContext) -> None:
    module = ir.Module.parse(TWO, ctx.context)
    with ctx.analyses.scope():
        with pytest.raises(Exception, match="a bug"):
            pipeline.parse("func.func(ask-count),func.func(refuse-b)").run(module.operation, ctx)
        first, second = (view.operation for view in module.body.operations)
        assert ctx.analyses.find(first, Count) is not None
        assert ctx.analyses.find(second, Count) is None


def test_one_result_of_a_kind(ctx: PassContext) -> None:
    module = ir.Module.parse(TWO, ctx.context)
    function = module.body.operations[0].operation
    with ctx.analyses.scope():
        for kind in (Count, Other, Count):
            ctx.analyses.add(function, last := kind(function))
        assert ctx.analyses.find(function, Count) is last
        assert ctx.analyses.find(function, Other) is not None
        ctx.analyses.end(function, (Other,))
        assert ctx.analyses.find(function, Count) is None
        assert ctx.analyses.find(function, Other) is not None


def test_nothing_outlives_the_scope(ctx: PassContext) -> None:
    module = ir.Module.parse(TWO, ctx.context)
    function = module.body.operations[0].operation
    with ctx.analyses.scope():
        with ctx.analyses.scope():
            ctx.analyses.add(function, Count(function))
        found = ctx.analyses.find(function, Count)
        assert found is not None
        dead = weakref.ref(found)
        del found
    gc.collect()
    assert dead() is None
    with ctx.analyses.scope():
        assert ctx.analyses.find(function, Count) is None
