"""What each optimisation is worth to a kernel: the cycles of its binary with each left out in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from spyrec.driver import execute, tuning
from spyrec.driver.compile import BINARY, Options, at_stage, compile_text
from spyrec.errors import OutOfResources
from spyrec.spyrecode import Launch

AS_FAR_AS_NEEDED = {"choose-tile-sizes": "choose-tile-sizes{when=fit}"}
"""What runs instead of an optimisation without which a kernel may not fit into LX."""


@dataclass(frozen=True)
class Without:
    """The run without the optimisation ``name``: its cycles, None where the kernel does not fit then; ``still`` where
    it fits only because the pass did what LX asks for.
    """

    name: str
    cycles: int | None
    still: bool = False


def measured(text: str, filename: str, options: Options, launch: Launch) -> Iterator[Without]:
    """A run of ``launch``, which stays as it is, for each optimisation that ``options`` have not left out already."""
    for name in tuning.optimizations():
        if f"{name}=off" in options.tuning:
            continue
        found = Without(name, None)
        for instead in filter(None, (f"{name}=off", AS_FAR_AS_NEEDED.get(name))):
            tuned = replace(at_stage(options, BINARY), tuning=(*options.tuning, instead))
            try:
                artifact = compile_text(text, filename, tuned).artifact
            except OutOfResources:
                continue
            assert artifact is not None
            cycles = execute.run_binary(artifact, launch.copy()).cycles
            found = Without(name, cycles, still=not instead.endswith("=off"))
            break
        yield found


def render(cycles: int, without: Sequence[Without]) -> str:
    """A line for each that changes anything, in the order of the passes; the others together in one."""
    telling = [w for w in without if w.cycles != cycles]
    lines = [f"{cycles} cycles; without"]
    for w in telling:
        if w.cycles is None:
            lines.append(f"  {w.name:30}it does not fit")
        else:
            tail = "  (as far as LX asks for, it still ran)" if w.still else ""
            lines.append(f"  {w.name:28}{w.cycles:>9}  {w.cycles / cycles:>6.2f} times as long{tail}")
    same = [w.name for w in without if w.cycles == cycles]
    if same:
        lines.append(f"  as long without any one of {', '.join(same)}")
    return "\n".join(lines) + "\n"
