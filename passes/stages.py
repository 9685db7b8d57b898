"""The stages of the compiler, in order: what each is, which passes lead to it and why, and the gate that guards it.

This table is the only place where the order of passes is written down. The driver walks it; ``spyrec compile --emit``,
``--from-stage``, ``--dump-stages`` and reproducers are all read off it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One line of the lowering: ``pipeline`` in MLIR's spelling, anchored on the module, and the reason for it."""

    pipeline: str
    why: str


@dataclass(frozen=True)
class Stage:
    """A form of the program.

    ``steps`` lead to it from the stage before; ``gate`` is the pass that then verifies ``holds`` and names the pass
    that should have removed what it finds. ``number`` orders the dumps (``NAME.2.kernel.mlir``).
    """

    name: str
    number: int
    holds: str
    steps: tuple[Step, ...]
    gate: str


STAGES: tuple[Stage, ...] = (
    Stage("ktir", 1, "as written, verified", (), gate="verify-ktir"),
    Stage(
        "kernel",
        2,
        "tensors in normal form; views are boxes of a memory; what this compiler cannot do has been refused",
        (
            Step("func.func(resolve-views)", "No pass after this one has to know what a view or an access tile is."),
            Step(
                "func.func(linalg-generalize-named-ops,canonicalize,cse)",
                "One spelling of compute, so that placement and the encoder have one op to read.",
            ),
        ),
        gate="verify-kernel",
    ),
    Stage(
        "schedule",
        3,
        "memrefs in program order; every op names its unit; every moved byte has a route of the device",
        (),
        gate="verify-schedule",
    ),
    Stage(
        "program",
        4,
        "one program per kind of unit; channels alone order them",
        (),
        gate="verify-program",
    ),
)
"""All stages that are IR; the binary (``spyrecode``, number 5) is made from the last."""
