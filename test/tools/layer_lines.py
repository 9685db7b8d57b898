"""Running the kernels of ``examples/layers`` at each stage and as binary, on each device."""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from layers import CASES, Case, Values, close

from spyrec import driver, spyrecode
from spyrec.driver import execute
from spyrec.errors import SpyrecError
from spyrec.spyrecode import Artifact, Launch

STAGES = driver.STAGE_NAMES[:-1]
DEVICES = ("spyre", "small_cores", "fast_memory")


@dataclass(frozen=True)
class LayerLine:
    """One kernel for one device; ``tuning`` as ``--tune`` takes it, ``settings`` as ``--set``."""

    case: Case
    device: str = "spyre"
    tuning: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

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
        options = self._options(kernel=self.case.name, emit=emit, tuning=self.tuning)
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

    def check_stages(self) -> None:
        """Each stage and the binary agree with NumPy; bits are those of the kernel as written, but where a sum is made
        of the sums of tiles."""
        written = self.as_written()
        assert self.agrees(written)
        for stage in STAGES[1:]:
            arrays = self.at_stage(stage, seed=5)
            assert self.agrees(arrays), stage
            assert self.case.reassociated or bits(arrays) == bits(written), f"bits of stage {stage}"
        binary = self.binary()
        assert self.agrees(binary)
        assert bits(binary) == bits(arrays), "bits of the binary"

    def check_shuffles(self, shuffles: int) -> None:
        """Results do not depend on timing."""
        plain = bits(self.binary())
        for seed in range(shuffles):
            assert bits(self.binary(shuffle=seed)) == plain, f"shuffle {seed}"

    def unneeded_channels(self) -> list[str]:
        """Channels without which the static check accepts the program all the same."""
        text = self.compile("program").text
        assert text is not None
        channels = re.findall(r"dataflow\.channel (@\S+) ", text)
        assert channels
        return [name for name in channels if self._accepts(_without(text, name))]

    def _accepts(self, program: str) -> bool:
        """Whether the gate of stage program takes a text."""
        try:
            driver.compile_text(program, "program.mlir", self._options(from_stage="program", emit="program"))
        except SpyrecError:
            return False
        return True

    def _options(self, **options: Any) -> driver.Options:
        return driver.Options(device=self.device, settings=self.settings, **options)


def bits(arrays: Values) -> dict[str, bytes]:
    """What is compared where results have to be equal."""
    return {name: array.tobytes() for name, array in arrays.items()}


def _without(program: str, channel: str) -> str:
    rows = program.splitlines()
    return "\n".join(row for row in rows if not re.search(rf"(wait|post|channel) {re.escape(channel)}( |$)", row))


LINES = [LayerLine(case) for case in CASES.values()]
