"""Running what was compiled: a stage's IR in its executor, the binary in the simulator, and comparing the two."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spyrec import diag
from spyrec.driver import worker
from spyrec.driver.compile import Compiled, Options, compile_text, kernels
from spyrec.errors import CompilerBug, SpyrecError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spyrec import sim
    from spyrec.interp import Probes
    from spyrec.spyrecode import Artifact, Launch, Signature
    from spyrec.spyrecode.launch import Region


@dataclass(frozen=True)
class Comparison:
    """One array in two memories: how many elements differ in their bits, by how many ulp at most, and where first.

    ``index`` is the first bad index in the array's shape; ``got`` and ``want`` are the elements there, as text.
    ``elements`` are those that were written, ``unwritten`` those that neither execution wrote. ``apart`` is the largest
    distance of two floats, in ulps of the largest magnitude (infinite where only one is a number).
    """

    name: str
    type: str
    elements: int
    differing: int
    max_ulp: int
    index: tuple[int, ...] = ()
    got: str = ""
    want: str = ""
    unwritten: int = 0
    apart: float = math.inf


def run_binary(artifact: Artifact, launch: Launch, *, shuffle: int | None = None, trace: Any = None) -> sim.Result:
    """Execute the binary on the launch's memory, which it changes. Raises InvalidKernel where the kernel fails."""
    from spyrec import sim

    return sim.run(artifact, launch, shuffle=shuffle, trace=trace)


def run_stage(
    compiled: Compiled,
    launch: Launch,
    *,
    seed: int | None = None,
    probes: Probes | None = None,
    strict_bounds: bool = False,
) -> tuple[diag.Diagnostic, ...]:
    """Execute a stage's IR on the launch's memory, which it changes; ``seed`` draws the order of the tiles.

    ``probes`` records values on the way; ``strict_bounds`` makes tiles that stick out of their view an error. Returns
    the warnings and remarks that compilation has not given already. Raises SpyrecError where the kernel fails.
    """
    from spyrec import interp

    def body() -> tuple[diag.Diagnostic, ...]:
        sink = diag.Sink()
        sink.add_source(compiled.source)
        rooms = compiled.device().rooms()
        with compiled.module.context:
            kernel, watcher = kernels(compiled.module)[0][1], probes.watcher if probes else None
            interp.run(
                kernel,
                launch,
                seed=seed,
                sink=sink,
                strict_bounds=strict_bounds,
                rooms=rooms,
                watcher=watcher,
            )
        return tuple(sink.diagnostics)

    said = {(d.id, d.position.file, d.position.line) for d in compiled.diagnostics if d.position}
    found = worker.call(body)
    return tuple(d for d in found if not d.position or (d.id, d.position.file, d.position.line) not in said)


def signature_of(
    text: str,
    filename: str,
    options: Options,
    *,
    stage: str = "kernel",
    numbers: Mapping[str, int | float] | None = None,
) -> Signature:
    """What a kernel asks of a launch, without compiling it further than it takes to know.

    A kernel that cannot be compiled can still be executed at ``stage`` ``ktir``: then its text says what it asks for,
    given the ``numbers`` of the launch.
    """
    from spyrec import codegen, interp
    from spyrec.driver.compile import STAGE_NAMES, at_stage

    known_from = max("kernel", options.from_stage, key=STAGE_NAMES.index)
    try:
        reached = compile_text(text, filename, at_stage(options, known_from))
    except CompilerBug:
        raise
    except SpyrecError:
        if stage != "ktir":
            raise
        original = compile_text(text, filename, at_stage(options, "ktir"))

        def body() -> Signature:
            with original.module.context:
                return interp.signature_of(kernels(original.module)[0][1], numbers)

        return worker.call(body)
    return worker.call(lambda: codegen.signature_of(kernels(reached.module)[0][1]))


Masks = dict[str, "npt.NDArray[np.bool_]"]


def never_written(before: Launch, after: Launch, execute: Callable[[Launch], object]) -> Masks:
    """Which elements of arrays that a kernel only writes it left alone, by array; arrays without any are left out.

    Where ``after`` has what unwritten memory starts with, a second execution, from ``before`` over other contents,
    tells whether the kernel wrote just that.
    """
    import numpy as np

    from spyrec.spyrecode.launch import UNWRITTEN

    read = [r for r in after.regions if r.read]
    suspects: Masks = {}
    again = before.copy()
    for region in after.regions:
        end = region.address + region.size
        shared = any(r.address < end and region.address < r.address + r.size for r in read)
        if not region.written or shared:
            continue
        data = _elements(after, region)
        blank = (data == UNWRITTEN).all(axis=1)
        if blank.any():
            suspects[region.key] = blank
            again.memory.write(region.address, np.zeros(data.size, np.uint8))
    if not suspects:
        return {}
    execute(again)
    found: Masks = {}
    for region in again.regions:
        if region.key in suspects:
            untouched = suspects[region.key] & (_elements(again, region) == 0).all(axis=1)
            if untouched.any():
                found[region.key] = untouched
    return found


def _elements(launch: Launch, region: Region) -> npt.NDArray[np.uint8]:
    """The whole elements of an array that the kernel writes, in a launch's memory: a row of bytes each."""
    from spyrec import numerics

    size = numerics.sizeof(next(v.type for v in region.views if "w" in v.access))
    return launch.memory.read(region.address, region.size // size * size).reshape(-1, size)


def unwritten(comparisons: list[Comparison]) -> list[diag.Diagnostic]:
    """A remark per array of which elements were never written."""
    return [
        diag.Diagnostic(
            diag.Severity.REMARK,
            f"{c.unwritten} of {c.unwritten + c.elements} elements of {c.name} were never written, and are not"
            " compared",
            "never-written",
        )
        for c in comparisons
        if c.unwritten
    ]


def compare(
    launch: Launch, reference: Launch, left: Masks | None = None, reference_left: Masks | None = None
) -> list[Comparison]:
    """Each array that the kernel writes, in the memories of two launches of one signature.

    ``left`` and ``reference_left`` are the elements that each never wrote: they must be the same ones.
    """
    from spyrec import numerics

    found = []
    for region in launch.regions:
        views = [v for v in region.views if "w" in v.access]
        if not views:
            continue
        type_ = views[0].type
        got, want = (numerics.from_bytes(_elements(of, region).ravel(), type_) for of in (launch, reference))
        shapes = {v.sizes for v in views if v.dense and math.prod(v.sizes) == got.size}
        shape = shapes.pop() if len(shapes) == 1 else got.shape
        masks = [(m or {}).get(region.key) for m in (left, reference_left)]
        found.append(_compared(region.key, type_, got, want, shape, *masks))
    return found


def _compared(
    name: str,
    type_: str,
    got: Any,
    want: Any,
    shape: tuple[int, ...],
    left: npt.NDArray[np.bool_] | None = None,
    reference_left: npt.NDArray[np.bool_] | None = None,
) -> Comparison:
    import numpy as np

    from spyrec import numerics

    size = numerics.sizeof(type_)
    bad: npt.NDArray[np.bool_] = (got.view(np.uint8).reshape(-1, size) != want.view(np.uint8).reshape(-1, size)).any(
        axis=1
    )
    nothing = np.zeros(got.size, np.bool_)
    left, reference_left = (nothing if mask is None else mask for mask in (left, reference_left))
    bad |= left != reference_left
    skipped = int((left & reference_left).sum())
    if not bad.any():
        return Comparison(name, type_, got.size - skipped, 0, 0, unwritten=skipped)
    first = int(np.argmax(bad))
    index = tuple(int(i) for i in np.unravel_index(first, shape))
    worst = int(np.max(numerics.ulp.distance(got, want)))
    shown, wanted = (
        "unwritten" if mask[first] else str(data[first]) for data, mask in ((got, left), (want, reference_left))
    )
    apart = _apart(got[bad], want[bad], want[np.isfinite(want)]) if "f" in type_ else math.inf
    return Comparison(name, type_, got.size - skipped, int(bad.sum()), worst, index, shown, wanted, skipped, apart)


def _apart(got: Any, want: Any, all_: Any) -> float:
    """The largest distance of floats that differ, in ulps of the largest magnitude of ``all_``."""
    import ml_dtypes
    import numpy as np

    if not (np.isfinite(got).all() and np.isfinite(want).all()):
        return math.inf
    ulp = float(ml_dtypes.finfo(want.dtype).eps)  # type: ignore[no-untyped-call]
    step = ulp * float(np.abs(all_.astype(np.float64)).max())
    distance = float(np.abs(got.astype(np.float64) - want.astype(np.float64)).max())
    return distance / step if step else math.inf


def say(comparison: Comparison, stage: str = "ktir") -> str:
    """One line about a comparison with what ``stage`` does."""
    c = comparison
    if not c.differing:
        return f"{c.name}: {c.elements} elements of {c.type}, equal bits"
    from spyrec.numerics.ulp import FAR

    ulp = "NaN against a number" if c.max_ulp == FAR else f"{c.max_ulp} ulp at most"
    where = ", ".join(map(str, c.index))
    return (
        f"{c.name}: {c.differing} of {c.elements} elements of {c.type} differ, {ulp}; "
        f"first at [{where}]: {c.got}, stage {stage} has {c.want}"
    )


_LITTLE = 4  # ulps of the largest magnitude


def differs(comparisons: list[Comparison], stage: str = "ktir", *, in_parts: bool = False) -> list[diag.Diagnostic]:
    """An error per array that differs. ``in_parts``: sums are carried from tile to tile, so floats may differ a little,
    which is a warning.
    """
    return [_different(c, stage, in_parts=in_parts) for c in comparisons if c.differing]


def _different(c: Comparison, stage: str, *, in_parts: bool) -> diag.Diagnostic:
    if in_parts and c.apart <= _LITTLE:
        note = diag.Diagnostic(diag.Severity.NOTE, "docs/numerics.md has the bound; more LX would leave the row whole")
        message = f"a row that alone is larger than LX is summed in parts, each rounded to f32: {say(c, stage)}"
        return diag.Diagnostic(diag.Severity.WARNING, message, "sums-in-parts", notes=(note,))
    message = f"the binary does not do what stage {stage} does: {say(c, stage)}"
    return diag.Diagnostic(diag.Severity.ERROR, message, "check-failed")


def sums_in_parts(schedule: Compiled) -> bool:
    """Whether a kernel at stage ``schedule`` rounds a sum or product of floats once per tile."""
    from spyrec.passes.analysis.accumulators import IN_PARTS

    return any(IN_PARTS in function.attributes for _, function in kernels(schedule.module))
