"""Devices on which bytes rest in a memory between device memory and LX: one of each core, and one that cores share."""

from __future__ import annotations

from pathlib import Path

STAGED, SHARED = (
    str(Path(__file__).parents[1] / "Devices" / "Inputs" / f"{n}.mlir") for n in ("staged", "shared_stage")
)
CORES = "device.cores=32"
"""A setting with which kernels for Spyre have as many cores as they ask for."""


def settings(device: str, stage: int | None = None) -> tuple[str, ...]:
    """What ``--set`` makes of one of them, and nothing of others; ``stage`` is how many bytes of it a core has."""
    if device not in (STAGED, SHARED):
        return ()
    return (CORES,) if stage is None else (CORES, f"device.stage.size={stage * (32 if device == SHARED else 1)}")
