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
            Step(
                "privatize-helpers,inline{default-pipeline=},symbol-dce,func.func(bind-runtime-args)",
                "A kernel may be written in several functions. Nothing is cleaned up on the way. Numbers of the launch"
                " are numbers from here on.",
            ),
            Step(
                "func.func(fold-constants)",
                "What is known now is computed by what would execute it, before upstream folds it in other ways.",
            ),
            Step("legality", "What cannot be compiled is refused while it still is what the user wrote."),
            Step("func.func(normalize-control)", "A tile has one thread of control: loops and ifs say all there is."),
            Step(
                "func.func(normalize-grid,check-uniformity,resolve-exchange)",
                "Tiles have one number each; those of a group come to their exchanges together, and say whom they take"
                " from. What a group does in its combiner is compute like any other from here on.",
            ),
            Step(
                "func.func(normalize-loops,simplify-indices)",
                "Counters and addresses in one form each, over which bounds can be proven.",
            ),
            Step(
                "func.func(resolve-views)",
                "No pass after this one has to know what a view is. Dead code goes only now (upstream's passes remove"
                " it): its views are what the kernel asks of a launch, too.",
            ),
            Step(
                "func.func(lower-tensor-ops,decompose-softmax,keep-rounding,normalize-reductions),"
                "linalg-generalize-named-ops,func.func(reductions-to-loops,keep-rounding)",
                "One spelling of compute. What a fold starts from and what a sum rounds is settled before upstream"
                " folds or fuses anything: already making ops generic does.",
            ),
            Step(
                "func.func(normalize-loops,simplify-indices,fold-constants,canonicalize,cse)",
                "Loops that reductions have become count like the others; what is computed twice was only there to be"
                " read.",
            ),
            Step(
                "func.func(convert-elementwise-to-linalg,float-scalars-to-tensors,scalars-to-tensors)",
                "Placement and the encoder have one op to read. The conversion folds (x ^ x, of two loads that are one"
                " by now), so what it leaves constant is filled after it.",
            ),
            Step(
                "func.func(keep-tensors,linalg-fuse-elementwise-ops,release-tensors,capture-scalars,canonicalize,"
                "reductions-to-loops,canonicalize,cse)",
                "What passes through lanes needs no buffer, but for what lanes would compute many times over; what is"
                " the same in all of them needs no lane. A fold of what has become constant may be none any more.",
            ),
            Step(
                "func.func(convert-elementwise-to-linalg,capture-scalars,drop-rounding)",
                "An if whose branches have become values is a selection by now, of tensors. No two ops become one any"
                " more, so few marks are needed.",
            ),
        ),
        gate="verify-kernel",
    ),
    Stage(
        "schedule",
        3,
        "memrefs in program order; every op names its unit; every moved byte has a route of the device",
        (
            Step(
                "func.func(unshare-inits,group-iterations)",
                "Rows that are too small to be worth a transfer each are done several at a time. Groups that share no"
                " fill are apart.",
            ),
            Step(
                "func.func(choose-tile-sizes,tile-and-fuse,canonicalize,cse)",
                "What is too large for LX, or would load, compute and store in turn, becomes a loop over tiles.",
            ),
            Step("func.func(hoist-reads)", "What does not change from iteration to iteration is loaded once."),
            Step(
                "func.func(unshare-inits,place-outputs,write-into-slices)",
                "Before tensors get buffers, none of them stands for two.",
            ),
            Step(
                "func.func(anchor-carried-tensors)",
                "What goes from iteration to iteration stays in one place, so no loop carries a buffer.",
            ),
            Step("func.func(materialize-exchange)", "Cores fetch what others offer, and say when they have it."),
            Step("func.func(materialize-tiles)", "Bytes move between memories on a route that the device has."),
            Step("one-shot-bufferize,func.func(canonicalize,cse)", "Upstream decides what may be computed in place."),
            Step(
                "func.func(adopt-buffers,place-compute,drop-fills)",
                "Whatever is left is run by a unit, in buffers of LX; what a fold starts from anyway, by none.",
            ),
            Step(
                "func.func(share-reads)",
                "What all tiles read comes from device memory once. Only buffers have an instance on other cores.",
            ),
            Step("func.func(narrow-stages)", "What is too much for a memory on the way passes it in pieces."),
            Step("func.func(choose-buffer-depth)", "Units run ahead as far as their buffers have slots."),
            Step(
                "func.func(alternate-corelets,pipeline-corelets,split-corelets)",
                "A core has two units of each kind: they take iterations in turns, do half of each, or do what is large"
                " together.",
            ),
            Step(
                "func.func(merge-streams,trim-slots)",
                "What one unit does with the same points is one stream of it; what it alone uses needs no second slot.",
            ),
        ),
        gate="verify-schedule",
    ),
    Stage(
        "program",
        4,
        "one program per kind of unit; channels alone order them",
        (
            Step("func.func(assign-addresses)", "Which bytes a buffer has decides who has to wait for whom."),
            Step(
                "func.func(insert-synchronization)",
                "Every hazard gets a channel while order is still that of the text.",
            ),
            Step("func.func(prune-synchronization)", "What other channels imply costs time and proves nothing."),
            Step(
                "func.func(split-units,canonicalize,loop-invariant-code-motion,cse)",
                "Units run their own programs; each computes the scalars it needs, as rarely as it can.",
            ),
        ),
        gate="verify-program",
    ),
)
"""All stages that are IR; the binary (``spyrecode``, number 5) is made from the last."""
