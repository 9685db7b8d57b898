"""Whole kernels through the passes: every stage and the binary compute what stage ``ktir`` does, bit for bit.

Each pass is idempotent on all of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lines import IR_STAGES, bits

from spyrec import asm, diag, driver, spyrecode
from spyrec.device import read
from spyrec.dialects import make_context
from spyrec.driver import execute
from spyrec.passes.stages import STAGES
from spyrec.passkit import PassContext, pipeline

FILE = Path(__file__).parent / "Inputs" / "kernels.mlir"
TEXT = FILE.read_text()
KERNELS = re.findall(r"func\.func @(\w+)\(", TEXT)
SCALARS: dict[str, dict[str, int | float]] = {"symbolic": {"n": 2}, "scalararg": {"s": 1.5, "k": 3}}


def compiled(kernel: str, stage: str) -> driver.Compiled:
    return driver.compile_text(TEXT, str(FILE), driver.Options(kernel=kernel, emit=stage))


@pytest.mark.parametrize("kernel", KERNELS)
def test_all_stages_agree(kernel: str) -> None:
    artifact = compiled(kernel, "spyrecode").artifact
    assert artifact is not None
    found = {}
    for stage in (*IR_STAGES, "spyrecode"):
        launch = spyrecode.bind(artifact.signature, {}, SCALARS.get(kernel, {}), seed=11)
        if stage == "spyrecode":
            execute.run_binary(artifact, launch, shuffle=5)
        else:
            execute.run_stage(compiled(kernel, stage), launch, seed=5)
        found[stage] = bits(launch.outputs())
    assert all(arrays == found["ktir"] for arrays in found.values()), {s: a == found["ktir"] for s, a in found.items()}


@pytest.mark.parametrize("iterations", [0, 1, 3, 100])
def test_iterations_that_the_launch_decides(iterations: int) -> None:
    artifact = compiled("symbolic", "spyrecode").artifact
    assert artifact is not None
    results = []
    for binary in (False, True):
        launch = spyrecode.bind(artifact.signature, {}, {"n": iterations}, seed=11)
        if binary:
            execute.run_binary(artifact, launch)
        else:
            execute.run_stage(compiled("symbolic", "ktir"), launch)
        results.append(bits(launch.outputs()))
    assert results[0] == results[1]


def test_every_pass_is_idempotent() -> None:
    """Run each step of the line down to the schedule twice: the second time changes nothing."""
    context = make_context()
    sink = diag.Sink()
    module = asm.read(TEXT, str(FILE), context, sink=sink).module
    ctx = PassContext(context, sink, lambda: read.load("spyre"))
    elements = [
        element
        for stage in STAGES[: driver.STAGE_NAMES.index("schedule") + 1]
        for step in stage.steps
        for element in elements_of(step.pipeline)
    ]
    assert len(elements) > 20
    for element in elements:
        once = pipeline.parse(element)
        once.run(module.operation, ctx, verify_each=True)
        first = asm.print_op(module.operation)
        once.run(module.operation, ctx, verify_each=True)
        assert asm.print_op(module.operation) == first, element


def elements_of(text: str) -> list[str]:
    """Each pass of a pipeline on its own, with its anchor."""
    found: list[str] = []
    for nest, plain in re.findall(r"func\.func\(([^()]*)\)|([\w-]+(?:\{[^}]*\})?)", text):
        found += (
            [f"builtin.module(func.func({name}))" for name in nest.split(",")] if nest else [f"builtin.module({plain})"]
        )
    return found
