"""What holds of every pass of the stages: a second time it changes nothing, on text it does what it does in line, and
whatever it makes stands at a place that its input has.

Each pass of ours runs where its stage runs it; then once more on what it left, and by itself on the text of what it was
given. The kernels give between them every pass something to do, which the last test makes sure of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from layer_lines import CASES

from spyrec import asm, diag
from spyrec.dialects import make_context
from spyrec.driver.compile import load_device, printed
from spyrec.mlir import ir
from spyrec.passes.stages import STAGES
from spyrec.passkit import PassContext, pipeline
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
CHECKS = {"legality", "check-uniformity"}
"""Passes that only refuse."""


@dataclass(frozen=True)
class Run:
    """One run of one pass of ours: the text that it was given, and plain texts before, after, and after another run.

    ``invented`` are the ops and arguments at places, or at none, where nothing was before.
    """

    name: str
    pipeline: Pipeline
    given: str
    before: str
    after: str
    again: str
    invented: tuple[str, ...]


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
    return PassContext(module.context, sink, lambda: load_device(device, numbers, sink, module.context))


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
    for stage in STAGES[1:]:
        for step in stage.steps:
            for one, name in single(pipeline.parse(step.pipeline).elements):
                given = printed(module.operation) if name else ""
                before, old = plain(module), places(module.operation)
                one.run(module.operation, ctx)
                if name:
                    copy = read(printed(module.operation))
                    one.run(copy.operation, context_of(copy, kernel))
                    new = {what: place for place, what in places(module.operation).items() if place not in old}
                    found.append(Run(name, one, given, before, plain(module), plain(copy), tuple(new)))
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


def test_every_pass_had_something_to_do() -> None:
    changed = Counter[str]()
    for kernel in TEXTS:
        for run in runs(kernel):
            changed[run.name] += run.before != run.after
    assert {name for name, count in changed.items() if not count} == CHECKS
