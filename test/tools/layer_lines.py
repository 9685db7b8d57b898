"""Running the kernels of ``examples/layers`` at each stage and as binary, on each device."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from layers import CASES, Case, Values, close

from spyrec import driver, spyrecode
from spyrec.driver import execute
from spyrec.spyrecode import Artifact, Launch

STAGES = driver.STAGE_NAMES[:-1]
DEVICES = ("spyre", "small_cores", "fast_memory")


@dataclass(frozen=True)
class LayerLine:
    """One kernel for one device; ``tuning`` as ``--tune`` takes it."""

    case: Case
    device: str = "spyre"
    tuning: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.case.name

    @functools.cached_property
    def values(self) -> Values:
        """Seeded data of a launch."""
        return self.case.inputs(np.random.default_rng(7))

    @functools.cached_property
    def wanted(self) -> Values:
        """What NumPy makes of it."""
        copies = {name: np.copy(v) if isinstance(v, np.ndarray) else v for name, v in self.values.items()}
        with np.errstate(all="ignore"):
            return self.case.reference(copies)

    def compile(self, emit: str) -> driver.Compiled:
        """The kernel at stage ``emit``."""
        options = driver.Options(kernel=self.case.name, emit=emit, device=self.device, tuning=self.tuning)
        return driver.compile_text(self.case.text, f"{self.case.name}.mlir", options)

    @functools.cached_property
    def artifact(self) -> Artifact:
        """The compiled kernel."""
        artifact = self.compile("spyrecode").artifact
        assert artifact is not None
        return artifact

    def launch(self) -> Launch:
        """A fresh launch on the seeded data."""
        numbers = {name: v for name, v in self.values.items() if np.isscalar(v)}
        arrays = {name: v for name, v in self.values.items() if not np.isscalar(v)}
        return spyrecode.bind(self.artifact.signature, arrays, numbers, seed=None)

    def as_written(self) -> Values:
        """The arrays after executing the text, for kernels that do not compile yet, too."""
        options = driver.Options(kernel=self.case.name)
        numbers = {name: v for name, v in self.values.items() if np.isscalar(v)}
        arrays = {name: v for name, v in self.values.items() if not np.isscalar(v)}
        file = f"{self.case.name}.mlir"
        signature = execute.signature_of(self.case.text, file, options, stage="ktir", numbers=numbers)
        launch = spyrecode.bind(signature, arrays, numbers, seed=None)
        execute.run_stage(self.compile("ktir"), launch)
        return dict(launch.outputs())

    def at_stage(self, stage: str, *, seed: int | None = None) -> Values:
        """The arrays after executing the IR of ``stage``."""
        launch = self.launch()
        execute.run_stage(self.compile(stage), launch, seed=seed)
        return dict(launch.outputs())

    def binary(self, *, shuffle: int | None = None) -> Values:
        """The arrays after the simulator ran the binary."""
        launch = self.launch()
        execute.run_binary(self.artifact, launch, shuffle=shuffle)
        return dict(launch.outputs())

    def agrees(self, arrays: Values) -> bool:
        """Whether the arrays are NumPy's, as nearly as the case asks for."""
        assert set(arrays) == set(self.wanted)
        return all(close(arrays[name], want, self.case.tolerance) for name, want in self.wanted.items())


LINES = [LayerLine(case) for case in CASES.values()]
