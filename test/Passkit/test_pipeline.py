"""Pipelines: reading and printing, what is said about a wrong one, running, refusing, and what instruments see."""

import json
import re
from dataclasses import dataclass
from io import StringIO
from typing import Any

import pytest

from spyrec import diag
from spyrec.errors import CompilerBug, InvalidKernel, UsageError
from spyrec.mlir import ir
from spyrec.passkit import Pass, PassContext, option, pipeline, registry, statistics, upstream
from spyrec.passkit.instrument import Instrumentation, Label
from spyrec.passkit.printing import PrintConfig, Printer
from spyrec.passkit.timing import Timing

TWO = """
func.func @a(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @b(%x: i32) -> i32 {
  return %x : i32
}
"""


@dataclass
class MarkFunctions(Pass):
    """Leave an attribute on each function, so that a test sees where it ran."""

    name: str = option("mark", "name of the attribute")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        op.attributes[self.name] = ir.UnitAttr.get(ctx.context)
        ctx.statistics["marked"] += 1


@dataclass
class MarkModule(Pass):
    """Leave an attribute on the module."""

    anchor = "builtin.module"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        op.attributes["marked"] = ir.UnitAttr.get(ctx.context)


@dataclass
class RefuseFunctions(Pass):
    """Refuse every function."""

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        ctx.sink.error(op, "type-mismatch", f"refused {op.attributes['sym_name'].value}")


@dataclass
class CrashHere(Pass):
    """Fail as a bug would."""

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        {}["missing"]


@dataclass
class BreakReturns(Pass):
    """Leave IR that does not verify."""

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        op.attributes["function_type"] = ir.TypeAttr.get(ir.Type.parse("(i32) -> i64"))


for cls in (MarkFunctions, MarkModule, RefuseFunctions, CrashHere, BreakReturns):
    registry.register(cls)


@pytest.fixture
def context() -> ir.Context:
    made = ir.Context()
    made.enable_multithreading(False)
    return made


def run(text: str, context: ir.Context, **keywords: Any) -> tuple[ir.Module, PassContext]:
    module = ir.Module.parse(TWO, context)
    ctx = PassContext(context, diag.Sink(), lambda: pytest.fail("no pass here needs a device"))
    pipeline.parse(text).run(module.operation, ctx, **keywords)
    return module, ctx


@pytest.mark.parametrize(
    "text",
    [
        "builtin.module(cse)",
        "builtin.module(func.func(mark-functions{name=m},canonicalize{max-iterations=3}),mark-module)",
        "builtin.module(func.func(scf.for(cse)))",
        "any(cse)",
    ],
)
def test_printed_as_read(text: str) -> None:
    assert str(pipeline.parse(text)) == text
    assert str(pipeline.parse(text.replace(",", " ,\n ").replace("(", "( "))) == text


def test_the_module_may_be_left_out() -> None:
    assert str(pipeline.parse("func.func(cse),symbol-dce")) == "builtin.module(func.func(cse),symbol-dce)"
    assert str(pipeline.parse("func.func()")) == "builtin.module()"


def test_flags_nest_by_themselves(context: ir.Context) -> None:
    flags = [("mark-functions", "name=q"), ("cse", ""), ("affine-simplify-structures", "")]
    made = pipeline.nest_upstream(pipeline.from_flags(flags), context)
    want = "builtin.module(func.func(mark-functions{name=q}),cse,func.func(affine-simplify-structures))"
    assert str(made) == want


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("builtin.module(cse", 15, "'(' is not closed"),
        ("cse)", 4, "expected ',' or the end, got ')'"),
        ("cse,,cse", 5, "expected the name of a pass, got ','"),
        ("cse{a=1", 4, "'{' is not closed"),
        ("mark-functions", 1, "runs on 'func.func', not on 'builtin.module'"),
        ("func.func(mark-module)", 11, "runs on 'builtin.module', not on 'func.func'"),
        ("func.func(mark-functions{nmae=x})", 11, "did you mean 'name'?"),
        ("cse,canonicalise", 5, "did you mean 'canonicalize'?"),
        ("func.func(mark-function)", 11, "did you mean 'mark-functions'?"),
        ("canonicalize{max=3}", 1, "pass 'canonicalize': no such option max"),
        ("affine-simplify-structures", 1, "does not run on 'builtin.module'"),
    ],
)
def test_wrong_pipelines_are_located(text: str, column: int, says: str, context: ir.Context) -> None:
    with pytest.raises(UsageError) as caught:
        pipeline.parse(text).check(context)
    (error,) = caught.value.diagnostics
    assert says in error.message
    assert error.position is not None
    assert error.position.column == column
    assert error.source_line == text


def test_ours_and_upstream_run_in_order(context: ir.Context) -> None:
    module, _ = run("func.func(mark-functions,cse),mark-module", context)
    assert "marked" in module.operation.attributes
    assert all("mark" in f.attributes for f in module.body.operations)
    assert str(module).count("arith.addi") == 1


def test_all_functions_are_refused_together(context: ir.Context) -> None:
    with pytest.raises(InvalidKernel) as caught:
        run("func.func(refuse-functions,mark-functions),mark-module", context)
    assert [d.message for d in caught.value.diagnostics] == ["refused a", "refused b"]


def test_a_crash_is_the_compilers_fault(context: ir.Context) -> None:
    with pytest.raises(CompilerBug, match="pass crash-here: KeyError: 'missing'"):
        run("func.func(crash-here)", context)


def test_verify_each_finds_who_broke_it(context: ir.Context) -> None:
    with pytest.raises(CompilerBug, match="not valid after pass break-returns") as caught:
        run("func.func(mark-functions,break-returns,cse)", context, verify_each=True)
    assert len(caught.value.diagnostics) == 2


def test_a_failing_upstream_pass_reports(context: ir.Context) -> None:
    with pytest.raises(InvalidKernel, match="could not find a nested named sequence"):
        run("transform-interpreter", context)


def test_an_upstream_pass_that_fails_without_a_word(context: ir.Context) -> None:
    text = "func.func @f(%x: i32) -> i32 { %0 = arith.constant 0 : i32 %1 = arith.addi %x, %0 : i32 return %1 : i32 }"
    ctx = PassContext(context, diag.Sink(), lambda: pytest.fail("no pass here needs a device"))
    passes = pipeline.parse("canonicalize{max-iterations=1 test-convergence=true}")
    with pytest.raises(InvalidKernel) as caught:
        passes.run(ir.Module.parse(text, context).operation, ctx)
    (error,) = caught.value.diagnostics
    assert (error.id, "canonicalize" in error.message) == ("pass-failed", True)


def test_a_pipeline_runs_on_what_it_is_for(context: ir.Context) -> None:
    module = ir.Module.parse(TWO, context)
    ctx = PassContext(context, diag.Sink(), lambda: pytest.fail("no pass here needs a device"))
    with pytest.raises(UsageError, match=r"can't run a pipeline for 'builtin.module' on 'func.func'"):
        pipeline.parse("cse").run(module.body.operations[0].operation, ctx)


def dumps(text: str, context: ir.Context, **config: Any) -> str:
    out = StringIO()
    run(text, context, instrumentation=Printer(PrintConfig(**config), str, out))
    return out.getvalue()


def banners(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("// -----// ")]


def test_banners_are_mlirs(context: ir.Context) -> None:
    got = dumps("func.func(mark-functions,cse)", context, before=frozenset({"cse"}), after=frozenset("*"))
    assert banners(got) == 2 * [
        "// -----// IR Dump After MarkFunctions: mark-functions{name=mark} //----- //",
        "// -----// IR Dump Before CSEPass: cse //----- //",
        "// -----// IR Dump After CSEPass: cse //----- //",
    ]
    assert got.endswith("}\n\n")


def test_only_changes_are_shown(context: ir.Context) -> None:
    got = dumps("func.func(cse)", context, after=frozenset("*"), after_change=True, module_scope=True)
    assert banners(got) == ["// -----// IR Dump After CSEPass: cse ('func.func' operation: @a) //----- //"]
    assert "func.func @b" in got


def test_failures_are_shown(context: ir.Context) -> None:
    out = StringIO()
    with pytest.raises(InvalidKernel):
        run(
            "cse,func.func(refuse-functions)",
            context,
            instrumentation=Printer(PrintConfig(after_failure=True), str, out),
        )
    assert banners(out.getvalue()) == 2 * [
        "// -----// IR Dump After RefuseFunctions Failed: refuse-functions //----- //"
    ]


def test_upstream_options_are_shown_in_full(context: ir.Context) -> None:
    got = dumps("canonicalize{max-iterations=3}", context, before=frozenset("*"))
    assert re.match(
        r"// -----// IR Dump Before CanonicalizerPass: canonicalize\{.*max-iterations=3 .*\} //----- //", got
    )
    assert "top-down=true" in got


def test_a_tree_of_dumps(context: ir.Context, tmp_path: Any) -> None:
    # MLIR's names: the dumps of an op are counted, behind the count of what it is in.
    dumps(
        "func.func(cse,canonicalize),mark-module",
        context,
        before=frozenset({"cse"}),
        after=frozenset("*"),
        tree_dir=tmp_path,
    )
    found = sorted(str(p.relative_to(tmp_path / "builtin_module_no-symbol-name")) for p in tmp_path.rglob("*.mlir"))
    assert found == [
        "1_mark-module.mlir",
        *(f"func_func_{f}/0_{k}_{p}.mlir" for f in "ab" for k, p in enumerate(("cse", "cse", "canonicalize"))),
    ]


def test_a_tree_that_cannot_be_written(context: ir.Context, tmp_path: Any) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidKernel, match=r"cannot write .*0_cse.mlir: not a directory"):
        dumps("cse", context, after=frozenset("*"), tree_dir=tmp_path / "file")


def timed(context: ir.Context, **how: str) -> str:
    timing = Timing()
    with timing.measure("Parser"):
        pass
    run("func.func(cse,mark-functions),cse", context, instrumentation=timing)
    return timing.report(**how)


def test_timing_accounts_for_passes(context: ir.Context) -> None:
    names = [line[line.index(")") + 3 :] for line in timed(context).splitlines() if "%)" in line]
    assert names == ["Parser", "'func.func' Pipeline", "  CSEPass", "  MarkFunctions", "CSEPass", "Rest", "Total"]


def test_timing_as_a_list_merges_and_sorts(context: ir.Context) -> None:
    rows = [line for line in timed(context, display="list").splitlines() if "%)" in line]
    seconds = [float(row.split()[0]) for row in rows[:-2]]
    assert seconds == sorted(seconds, reverse=True)
    assert rows[0].endswith("root")
    assert sum(row.endswith("CSEPass") for row in rows) == 1


@pytest.mark.parametrize("display", ["tree", "list"])
def test_timing_as_json(display: str, context: ir.Context) -> None:
    rows = json.loads(timed(context, display=display, output_format="json"))
    assert [row["name"] for row in rows[-2:]] == ["Rest", "Total"]
    if display == "tree":
        (nest,) = (row for row in rows if row["name"] == "'func.func' Pipeline")
        assert [inner.get("name") for inner in nest["passes"]] == ["CSEPass", "MarkFunctions", None]


def test_statistics_by_place_and_by_pass(context: ir.Context) -> None:
    made = pipeline.parse("func.func(mark-functions,cse,mark-functions{name=q}),mark-module")
    ctx = PassContext(context, diag.Sink(), lambda: pytest.fail("no pass here needs a device"))
    made.run(ir.Module.parse(TWO, context).operation, ctx)
    one = ["  MarkFunctions", "    (S) 2 marked"]
    assert statistics.report(made, ctx).splitlines()[3:] == [
        "'func.func' Pipeline",
        *one,
        "  CSEPass",
        *one,
        "MarkModule",
    ]
    assert statistics.report(made, ctx, "list").splitlines()[3:] == ["MarkFunctions", "  (S) 4 marked"]


def test_unwatched_neighbours_run_together(context: ir.Context) -> None:
    class Count(Instrumentation):
        each = False

        def __init__(self) -> None:
            self.seen: list[str] = []

        def before(self, label: Label, op: ir.Operation) -> None:
            self.seen.append(label.name)

    count = Count()
    run("func.func(cse,canonicalize),cse,func.func(mark-functions,cse,canonicalize)", context, instrumentation=count)
    assert count.seen == ["func.func(cse,canonicalize),cse", *2 * ["mark-functions", "cse,canonicalize"]]


def test_the_class_names_of_upstream_are_registered(context: ir.Context) -> None:
    for name in upstream.CLASS_NAMES:
        assert upstream.problem(name, "", "any", context) in (None, upstream.WRONG_ANCHOR), name
