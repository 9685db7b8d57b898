"""Running the example kernels at each stage and as binary, for the tests of whole kernels."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from references import KERNELS, Kernel, ulp_distance

from spyrec import driver, spyrecode
from spyrec.driver import execute
from spyrec.spyrecode import Artifact, Launch

IR_STAGES = tuple(stage for stage in driver.STAGE_NAMES if stage != "spyrecode")
Arrays = dict[str, NDArray[np.generic]]


@dataclass(frozen=True)
class Line:
    """One kernel over one element type: all that the tests ask of it."""

    kernel: Kernel
    element: str
    tuning: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kernel.name}-{self.element}"

    @functools.cached_property
    def inputs(self) -> Arrays:
        """Seeded data for a launch."""
        return self.kernel.inputs(np.random.default_rng(7), self.element)

    @functools.cached_property
    def wanted(self) -> Arrays:
        """What NumPy makes of it."""
        with np.errstate(all="ignore"):
            return self.kernel.reference({name: array.copy() for name, array in self.inputs.items()})

    @functools.cached_property
    def artifact(self) -> Artifact:
        """The compiled kernel."""
        artifact = self.compile("spyrecode").artifact
        assert artifact is not None
        return artifact

    def compile(self, emit: str) -> driver.Compiled:
        """The kernel at stage ``emit``."""
        options = driver.Options(kernel=self.kernel.name, emit=emit, tuning=self.tuning)
        return driver.compile_text(self.kernel.text(self.element), str(self.kernel.path), options)

    def launch(self) -> Launch:
        """A fresh launch on the seeded data."""
        return spyrecode.bind(self.artifact.signature, self.inputs, {}, seed=None)

    def at_stage(self, stage: str, *, seed: int | None = None) -> Arrays:
        """The arrays after executing the IR of ``stage``."""
        launch = self.launch()
        execute.run_stage(self.compile(stage), launch, seed=seed)
        return launch.outputs()

    def binary(self, *, shuffle: int | None = None) -> Arrays:
        """The arrays after the simulator ran the binary."""
        launch = self.launch()
        execute.run_binary(self.artifact, launch, shuffle=shuffle)
        return launch.outputs()

    def distance(self, arrays: Arrays) -> int:
        """The largest distance in ulp between ``arrays`` and NumPy's."""
        assert set(arrays) == set(self.wanted)
        return max(ulp_distance(arrays[name].reshape(want.shape), want) for name, want in self.wanted.items())


def bits(arrays: Arrays) -> dict[str, bytes]:
    """The arrays as bytes, to compare bit for bit."""
    return {name: array.tobytes() for name, array in arrays.items()}


LINES = [Line(kernel, element) for kernel in KERNELS.values() for element in (kernel.element, *kernel.variants)]
