"""Programs written by hand for the target: their texts, their arrays, and running them at every stage below `kernel`.

A program is a pair of files in ``Inputs``: ``NAME.schedule.mlir`` and ``NAME.program.mlir``. A line that ends in
``// iterations`` holds the number that says how often its loop runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrec import asm, codegen, diag, interp, ods, sim, spyrecode
from spyrec.device import read as device_read
from spyrec.device.model import Device
from spyrec.dialects import make_context
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.stages import STAGES
from spyrec.passes.verify_program import VerifyProgram
from spyrec.passes.verify_schedule import VerifySchedule
from spyrec.passkit import PassContext, pipeline
from spyrec.spyrecode import Artifact, Launch

INPUTS = Path(__file__).resolve().parent / "Inputs"
Arrays = dict[str, NDArray[Any]]
_TYPES = {"float16": "f16", "float32": "f32", "int32": "i32", "int64": "i64", "int8": "i8"}


def device() -> Device:
    """Spyre."""
    return device_read.load("spyre")


@dataclass(frozen=True)
class Program:
    """``inputs`` makes the arrays that a launch supplies, ``reference`` those that the program stores, by NumPy.

    ``ulp`` is how far results may be from NumPy's; ``grid`` how many tiles there are; ``on`` names the device.
    """

    name: str
    grid: int
    inputs: Callable[[np.random.Generator], Arrays]
    reference: Callable[[Arrays], Arrays]
    ulp: int = 0
    on: str = "spyre"

    def device(self) -> Device:
        """The device for which it is written."""
        return device_read.load(self.on)

    def __str__(self) -> str:
        return self.name

    def text(self, stage: str, iterations: int | None = None, *, argument: bool = False) -> str:
        """The text of a stage, with another number of iterations if one is given, or with an argument in its place."""
        text = (INPUTS / f"{self.name}.{stage}.mlir").read_text(encoding="utf-8")
        if argument:
            text, times = re.subn(r"\n *(%\w+) = arith.constant \d+ : index *// iterations", "", text)
            assert times == 1
            return text.replace(": index) attributes", ": index, %rows: index) attributes")
        if iterations is None:
            return text
        changed, times = re.subn(r"constant \d+( : \w+ *// iterations)", rf"constant {iterations}\1", text)
        assert times == 1, "one line says how often the loop runs"
        return changed

    def loaded(
        self, stage: str, iterations: int | None = None, *, argument: bool = False
    ) -> tuple[ir.Module, ir.Operation]:
        """The module of a stage and its function, verified, with the signature that its arrays give it."""
        name = f"{self.name}.{stage}.mlir"
        context = make_context()
        parsed = asm.read(self.text(stage, iterations, argument=argument), name, context)
        violations = [f"{op.location}: {v.message}" for op, v in ods.verify_tree(parsed.module.operation)]
        assert not violations, violations
        (function,) = (op.operation for op in parsed.module.body.operations if op.operation.name == "func.func")
        given = self.given()
        stored = self.reference(given)
        names = [kernels.argument_name(a) for a in kernels.arguments(function)]
        views = [_view(names.index(n), n, a, "rw" if n in stored else "r") for n, a in given.items()]
        views += [_view(names.index(n), n, a, "rw" if argument else "w") for n, a in stored.items() if n not in given]
        if argument:
            views.append(f'{{arg = {names.index("rows")} : i64, name = "rows", type = index, scalar}}')
        function.attributes["dataflow.signature"] = ir.Attribute.parse(f"[{', '.join(views)}]", context)
        return parsed.module, function

    def given(self) -> Arrays:
        """Seeded data for a launch."""
        return self.inputs(np.random.default_rng(5))

    def launch(self, function: ir.Operation) -> Launch:
        """A fresh launch on the seeded data."""
        return spyrecode.bind(codegen.signature_of(function), self.given(), {}, seed=None)

    def outputs(self, launch: Launch) -> Arrays:
        """What the program has stored."""
        wanted = self.reference(self.given())
        return {n: a.reshape(wanted[n].shape) for n, a in launch.outputs(tuple(wanted)).items()}

    def at_stage(self, stage: str, *, seed: int | None = None) -> Arrays:
        """The arrays after executing the text of ``stage``."""
        module, function = self.loaded(stage)
        launch = self.launch(function)
        with module.context:
            interp.run(function, launch, seed=seed, rooms=self.device().rooms())
        return self.outputs(launch)

    def artifact(self, iterations: int | None = None, *, argument: bool = False) -> Artifact:
        """The binary of the program text; with ``argument`` the launch says how often its loop runs."""
        module, function = self.loaded("program", iterations, argument=argument)
        with module.context:
            return codegen.generate(function, self.device())

    def at_program(self) -> tuple[ir.Module, ir.Operation]:
        """The program that the passes make of the schedule text; its gate has accepted it."""
        module, function = self.loaded("schedule")
        sink = diag.Sink()
        stage = next(stage for stage in STAGES if stage.name == "program")
        with module.context:
            context = PassContext(module.context, sink, self.device)
            for text in (*(step.pipeline for step in stage.steps), f"func.func({stage.gate})"):
                pipeline.parse(text).run(module.operation, context)
                sink.raise_if_errors()
        return module, function

    def lowered(self) -> Artifact:
        """The binary of the schedule text, through the passes of stage `program` and its gate."""
        module, function = self.at_program()
        with module.context:
            return codegen.generate(function, self.device())

    def binary(self, artifact: Artifact, *, shuffle: int | None = None) -> tuple[Arrays, sim.Result]:
        """The arrays after the simulator ran the binary, and what that took."""
        launch = spyrecode.bind(artifact.signature, self.given(), {}, seed=None)
        result = sim.run(artifact, launch, shuffle=shuffle)
        return self.outputs(launch), result

    def check(self, arrays: Arrays) -> None:
        """Compare with NumPy."""
        for name, want in self.reference(self.given()).items():
            distance = ulp_distance(arrays[name], want)
            assert distance <= self.ulp, f"{name} is {distance} ulp from NumPy"


def gate(stage: str, function: ir.Operation, device: Callable[[], Device] = device) -> None:
    """Run the gate of a stage on one function for a device; raises with what it finds."""
    sink = diag.Sink()
    context = PassContext(function.context, sink, device)
    {"schedule": VerifySchedule, "program": VerifyProgram}[stage]().run(function, context)
    sink.raise_if_errors()


def _view(arg: int, name: str, array: NDArray[Any], access: str) -> str:
    strides = [math.prod(array.shape[k + 1 :]) for k in range(array.ndim)]
    sizes, steps = (", ".join(map(str, numbers)) for numbers in (array.shape, strides))
    return (
        f'{{arg = {arg} : i64, name = "{name}", type = {_TYPES[str(array.dtype)]}, sizes = array<i64: {sizes}>,'
        f' strides = array<i64: {steps}>, offset = 0 : i64, end = {array.size} : i64, access = "{access}",'
        " line = 1 : i64, col = 1 : i64}"
    )


def ulp_distance(got: NDArray[Any], want: NDArray[Any]) -> int:
    """The largest number of representable values between two arrays; of integers the largest difference."""
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype.kind == "i":
        return int(np.abs(got.astype(np.int64) - want.astype(np.int64)).max(initial=0))
    bits = np.int16 if want.dtype.itemsize == 2 else np.int32

    def ordered(array: NDArray[Any]) -> NDArray[np.int64]:
        raw = array.view(bits).astype(np.int64)
        return np.where(raw < 0, np.iinfo(bits).min - raw, raw)

    nan = np.isnan(got) & np.isnan(want)
    return int(np.where(nan, 0, np.abs(ordered(got) - ordered(want))).max(initial=0))
