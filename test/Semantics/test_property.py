"""Kernels drawn at random: the executor against an evaluator that goes over elements one by one, and stage kernel."""

from __future__ import annotations

import hypothesis
import numpy as np
from generator import Generated, kernels
from hypothesis import given
from launching import execute, kernel_of
from naive import Kernel

from spyrec.driver import execute as driver
from spyrec.driver.compile import Options, compile_text
from spyrec.errors import Unsupported
from spyrec.interp.footprint import argument_name
from spyrec.spyrecode.launch import bind

SETTINGS = hypothesis.settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=list(hypothesis.HealthCheck),
    derandomize=True,
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
)


def naively(case: Generated) -> dict[str, np.ndarray]:
    """The written arrays by the naive evaluator."""
    memories = {name: bytearray(array.tobytes()) for name, array in case.arrays.items()}
    with kernel_of(case.text) as (function, _):
        names = [argument_name(a) for a in function.regions[0].blocks[0].arguments]
        Kernel(function, memories, names).run()
    return {name: np.frombuffer(memories[name], case.arrays[name].dtype) for name in case.outputs}


def assert_equal(case: Generated, got: dict[str, np.ndarray], want: dict[str, np.ndarray]) -> None:
    """Equal bits, but for the payload of a NaN."""
    for name in case.outputs:
        a, b = np.asarray(got[name]).reshape(-1), want[name]
        same = a.view(np.uint8) if a.dtype.kind == "i" else np.where(np.isnan(a), np.nan, a)
        other = b.view(np.uint8) if b.dtype.kind == "i" else np.where(np.isnan(b), np.nan, b)
        assert np.array_equal(same, other, equal_nan=a.dtype.kind == "f"), (name, got[name], b, case.text)
        if a.dtype.kind == "f":
            assert np.array_equal(np.signbit(a)[~np.isnan(a)], np.signbit(b)[~np.isnan(b)]), (name, case.text)


@SETTINGS
@given(kernels())
def test_the_executor_agrees_with_the_naive_evaluator(case: Generated) -> None:
    got = execute(case.text, case.arrays, seed=3)
    assert_equal(case, got, naively(case))


def at_stage(case: Generated, stage: str) -> dict[str, bytes] | None:
    """The written arrays of the kernel at a stage; None where it is refused."""
    options = Options(emit=stage)
    try:
        reached = compile_text(case.text, "kernel.mlir", options)
    except Unsupported as refused:
        hypothesis.event(f"{stage} refused: {refused.diagnostics[-1].id}")
        return None
    launch = bind(driver.signature_of(case.text, "kernel.mlir", options), case.arrays, {}, seed=None)
    driver.run_stage(reached, launch)
    return {name: launch.outputs()[name].tobytes() for name in case.outputs}


@SETTINGS
@given(kernels(compilable=True))
def test_stages_give_the_same_bytes(case: Generated) -> None:
    got = execute(case.text, case.arrays)
    for stage in ("kernel", "schedule"):
        found = at_stage(case, stage)
        for name, found_bytes in (found or {}).items():
            assert found_bytes == got[name].tobytes(), (stage, name, case.text)
