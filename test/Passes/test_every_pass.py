"""What holds of every pass of the stages: a second time it changes nothing, on text it does what it does in line, and
whatever it makes stands at a place that its input has.

Each pass of ours runs where its stage runs it, with the analyses that those before it have kept; then once more on what
it left, and by itself on the text of what it was given. What a pass says it has kept is what would be found anew. The
kernels give between them every pass something to do, which the last test makes sure of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from functools import cache
from pathlib import Path

import pytest
from layer_lines import CASES

from spyrec import asm, diag
from spyrec.device.model import Device
from spyrec.dialects import make_context
from spyrec.driver.compile import load_device, printed
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.addresses import Addresses
from spyrec.passes.analysis.loop_costs import Iteration, LoopCosts
from spyrec.passes.analysis.schedule import Schedule
from spyrec.passes.analysis.schedule import read as read_schedule
from spyrec.passes.stages import STAGES, Step
from spyrec.passkit import UNCHANGED, Analyses, Kept, PassContext, pipeline
from spyrec.passkit.pipeline import Element, Nest, OwnPass, Pipeline

HERE = Path(__file__).resolve().parent
SEMANTICS = HERE.parents[1] / "examples" / "semantics"
NAMES = ("all_reduce", "argmax", "attention_masked", "flash_attention", "rope", "softmax_online", "softmax_splat")
LAYERS = ("axpy_6x63_triton", "matmul_order_f16_32x64x64_triton", "matmul_f16_f32_f32_64x128x192_hand")
STAGED = str(HERE.parent / "Devices" / "Inputs" / "staged.mlir")
DEVICES = {"rope": (STAGED, ("device.l1.size=512",))}
"""Kernels on another device than ``spyre``, and its numbers."""
TEXTS = (
    {name: (SEMANTICS / f"{name}.mlir").read_text() for name in NAMES}
    | {name: CASES[name].text for name in LAYERS}
    | {"swish_gate": (SEMANTICS.parent / "swish_gate.mlir").read_text()}
    | {"rare": (HERE / "Inputs" / "rare.mlir").read_text()}
)
CHECKS = {"legality", "check-uniformity", *(stage.gate for stage in STAGES[1:])}
"""Passes that only refuse."""


@dataclass(frozen=True)
class Run:
    """One run of one pass of ours: the text that it was given, and plain texts before, after, and after another run.

    ``invented`` are the ops and arguments at places, or at none, where nothing was before. ``kept`` is what it says
    that still holds, and ``stale`` what of it is not what is found anew.
    """

    name: str
    pipeline: Pipeline
    given: str
    before: str
    after: str
    again: str
    invented: tuple[str, ...]
    kept: Kept
    stale: tuple[str, ...]


PLACE = re.compile(r'"[^"]+":\d+:\d+')


def places(op: ir.Operation) -> dict[str, str]:
    """All places of ops and arguments in ``op``, each with one that stands there. Without one, the place is empty."""
    found: dict[str, str] = {}

    def note(location: ir.Location, what: str) -> None:
        # MLIR makes constants that are nowhere, and so is a module.
        nowhere = [] if what in ("builtin.module", "arith.constant") else [""]
        found.update(dict.fromkeys(PLACE.findall(str(location)) or nowhere, what))

    def visit(inner: ir.Operation) -> ir.WalkResult:
        note(inner.location, inner.name)
        for block in (block for region in inner.regions for block in region.blocks):
            for argument in block.arguments:
                note(argument.location, f"argument {argument.arg_number} of {inner.name}")
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return found


class Recorded(Analyses):
    """Remembers what the last pass has kept."""

    last: Kept = None

    def end(self, op: ir.Operation, kept: Kept = None) -> None:
        self.last = kept
        super().end(op, kept)


def single(elements: tuple[Element, ...], nest: tuple[str, ...] = ()) -> Iterator[tuple[Pipeline, str | None]]:
    """Each pass as a pipeline of its own, and its name if it is ours."""
    for element in elements:
        if isinstance(element, Nest):
            yield from single(element.elements, (*nest, element.anchor))
        else:
            inner: Element = element
            for anchor in reversed(nest):
                inner = Nest(anchor, (inner,))
            yield Pipeline(pipeline.MODULE, (inner,)), element.instance.NAME if isinstance(element, OwnPass) else None


def context_of(module: ir.Module, kernel: str) -> PassContext:
    sink = diag.Sink()
    device, numbers = DEVICES.get(kernel, ("spyre", ()))
    load = lambda: load_device(device, numbers, sink, module.context)  # noqa: E731
    return PassContext(module.context, sink, load, analyses=Recorded())


def stale(ctx: PassContext, function: ir.Operation) -> Iterator[str]:
    """The analyses of ``function`` that are not what is found anew."""
    schedule = ctx.analyses.find(function, Schedule)
    if schedule is not None:
        fresh = read_schedule(function, diag.Sink(), placed=schedule.is_placed)
        assert fresh is not None
        if described(schedule) != described(fresh):
            yield "Schedule"
    costs = ctx.analyses.find(function, LoopCosts)
    if costs is not None:
        loops = [op for op in kernels.walk(function) if op.name == "scf.for"]
        fresh_costs = LoopCosts(function, ctx.device)
        if [described(costs.of(loop)) for loop in loops] != [described(fresh_costs.of(loop)) for loop in loops]:
            yield "LoopCosts"


def described(found: object) -> list[object]:
    """The same list for two results that say the same of the same ops."""
    numbers: dict[int, int] = {}
    lines: list[object] = []

    def visit(at: object) -> object:
        if isinstance(at, (list, tuple)):
            return [visit(one) for one in at]
        if isinstance(at, frozenset):
            return sorted(map(str, map(visit, at)))
        if isinstance(at, dict):
            return [(visit(key), visit(value)) for key, value in at.items()]
        if isinstance(at, (Addresses, Device)):
            return None
        if isinstance(at, Iteration):
            return [visit(at.computes), visit(at.moves), at.moving]
        if not is_dataclass(at):
            return at
        if id(at) not in numbers:
            numbers[id(at)] = len(numbers)
            lines.append((type(at).__name__, {name: visit(value) for name, value in vars(at).items()}))
        return numbers[id(at)]

    visit(found)
    return lines


def plain(module: ir.Module) -> str:
    """The text, without names (which say where a value comes from) and without the places of views."""
    return re.sub(r"\b(line|col) = \d+", "", str(module))


def read(text: str) -> ir.Module:
    return asm.read(text, "kernel.mlir", make_context(), sink=diag.Sink()).module


@cache
def runs(kernel: str) -> tuple[Run, ...]:
    """Every run of a pass of ours on the way of a kernel."""
    found = []
    module = read(TEXTS[kernel])
    ctx = context_of(module, kernel)
    steps = [step.pipeline for stage in STAGES[1:] for step in (*stage.steps, Step(f"func.func({stage.gate})", ""))]
    with ctx.analyses.scope():
        for one, name in (each for step in steps for each in single(pipeline.parse(step).elements)):
            given = printed(module.operation) if name else ""
            before, old = plain(module), places(module.operation)
            one.run(module.operation, ctx)
            if name:
                copy = read(printed(module.operation))
                one.run(copy.operation, context_of(copy, kernel))
                assert isinstance(ctx.analyses, Recorded)
                functions = [view.operation for view in module.body.operations]
                wrong = tuple(kind for function in functions for kind in stale(ctx, function))
                new = tuple({what: place for place, what in places(module.operation).items() if place not in old})
                kept = ctx.analyses.last
                found.append(Run(name, one, given, before, plain(module), plain(copy), new, kept, wrong))
    return tuple(found)


@pytest.mark.parametrize("kernel", TEXTS)
def test_a_second_time_changes_nothing(kernel: str) -> None:
    assert [run.name for run in runs(kernel) if run.again != run.after] == []


@pytest.mark.parametrize("kernel", TEXTS)
def test_alone_on_text_it_does_the_same(kernel: str) -> None:
    other = []
    for run in runs(kernel):
        module = read(run.given)
        run.pipeline.run(module.operation, context_of(module, kernel))
        if plain(module) != run.after:
            other.append(run.name)
    assert other == []


@pytest.mark.parametrize("kernel", TEXTS)
def test_everything_stands_at_a_place_of_the_kernel(kernel: str) -> None:
    assert "" not in places(read(TEXTS[kernel]).operation)
    assert [(run.name, run.invented) for run in runs(kernel) if run.invented] == []


@pytest.mark.parametrize("kernel", TEXTS)
def test_what_is_kept_holds(kernel: str) -> None:
    assert [run.name for run in runs(kernel) if run.kept == UNCHANGED and run.before != run.after] == []
    assert [(run.name, run.stale) for run in runs(kernel) if run.stale] == []


def test_something_is_kept() -> None:
    kept = {run.name for kernel in TEXTS for run in runs(kernel) if run.before != run.after and run.kept}
    assert kept == {"choose-buffer-depth", "assign-addresses", "insert-synchronization", "prune-synchronization"}


def test_every_pass_had_something_to_do() -> None:
    changed = Counter[str]()
    for kernel in TEXTS:
        for run in runs(kernel):
            changed[run.name] += run.before != run.after
    assert {name for name, count in changed.items() if not count} == CHECKS
