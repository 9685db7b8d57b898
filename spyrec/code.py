"""The in-process API: a compiled kernel that can be run and saved."""

from __future__ import annotations

import contextlib
import numbers
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from spyrec.errors import Diagnostic, SpyrecError, UsageError

if TYPE_CHECKING:
    import numpy.typing as npt

    from spyrec.interp.probes import Record
    from spyrec.spyrecode import Artifact, Signature

_TEXT = "<text>"
"""What messages call a kernel that was given as its text."""


@dataclass(frozen=True)
class Execution:
    """One run of a kernel: the arrays that it wrote by name, cycles, the simulator's report, warnings and remarks."""

    outputs: dict[str, npt.NDArray[Any]]
    cycles: int
    report: dict[str, Any]
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, repr=False)
class Code:
    """A compiled kernel. ``diagnostics`` are the warnings and remarks of its compilation."""

    artifact: Artifact
    diagnostics: tuple[Diagnostic, ...] = ()
    _source: str | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        signature, artifact = self.artifact.signature, self.artifact
        size = len(artifact.binary)
        return f"<spyrec.Code {signature.kernel}: {artifact.device.name}, {signature.grid} tiles, {size} bytes>"

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.artifact.signature.kernel

    @property
    def signature(self) -> Signature:
        """What a launch needs."""
        return self.artifact.signature

    def run(
        self, values: Mapping[str, Any], *, shuffle: int | None = None, seed: int | None = None
    ) -> dict[str, npt.NDArray[Any]]:
        """Execute the binary and return each array that the kernel writes, by its name; see :meth:`execute`."""
        return self.execute(values, shuffle=shuffle, seed=seed).outputs

    def execute(self, values: Mapping[str, Any], *, shuffle: int | None = None, seed: int | None = None) -> Execution:
        """Execute the binary in the simulator.

        ``values`` maps an argument's name, ``argN`` or a literal element address to an array (anything that NumPy
        takes as one, DLPack included) or to ``"@OTHER+BYTES"`` (it lies in another one's memory), a place in LX such as
        ``lx3:128`` to an array, and a scalar argument's name to a number. Arrays are copied, never changed.
        What the kernel reads and ``values`` lacks is random with ``seed`` and an error without. ``shuffle`` draws
        every latency at random, which changes no result.

        Raises InvalidKernel for a wrong launch and for a fault of the kernel, at the user's place; UsageError for a
        seed below 0.
        """
        from spyrec import sim, spyrecode

        for name, number in (("shuffle", shuffle), ("seed", seed)):
            if number is not None and number < 0:
                raise UsageError(f"{name}={number}: a seed is a number from 0 on")
        arrays, scalars = _split(values)
        with _shown(self._source, _TEXT) if self._source is not None else contextlib.nullcontext():
            launch = spyrecode.bind(self.artifact.signature, arrays, scalars, seed=seed)
            result = sim.run(self.artifact, launch, shuffle=shuffle)
        return Execution(launch.outputs(), result.cycles, result.report, (*launch.other_shapes(), *result.warnings))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``.spyre`` file, or a folder when ``path`` ends in a slash or is one; whole or not at all."""
        self.artifact.save(path)


@dataclass(frozen=True)
class Interpretation:
    """One execution of a stage's IR: the arrays that it wrote by name, what probes saw, warnings and remarks."""

    outputs: dict[str, npt.NDArray[Any]]
    probed: tuple[Record, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def interpret(
    source: str | os.PathLike[str],
    values: Mapping[str, Any],
    *,
    stage: str = "ktir",
    device: str | os.PathLike[str] = "spyre",
    kernel: str | None = None,
    seed: int | None = None,
    shuffle: int | None = None,
    strict_bounds: bool = False,
    probes: Sequence[str] = (),
) -> Interpretation:
    """Execute KTIR, given as a path or as its text, as it stands at ``stage``: what ``spyrec run --stage`` does.

    ``values`` and ``seed`` are those of :meth:`Code.execute`; ``shuffle`` draws the order of the compute tiles.
    ``strict_bounds`` refuses tiles that stick out of their view. ``probes`` (``"%v"``, ``"27@tile=3"``) say which
    values to keep: each is a record with its ``name``, ``tile``, ``execution`` and ``data``.
    """
    from spyrec import driver, interp, spyrecode
    from spyrec.driver import compile as line
    from spyrec.driver import execute

    text, name = _text(source)
    options = driver.Options(device=os.fspath(device), kernel=kernel)
    arrays, scalars = _split(values)
    with _shown(text, name):
        reached = driver.compile_text(text, name, line.at_stage(options, stage))
        launch = spyrecode.bind(
            execute.signature_of(text, name, options, stage=stage, numbers=scalars), arrays, scalars, seed=seed
        )
        watched = interp.Probes(
            [interp.Probe.parse(p) for p in probes], reached.text or text if stage != "ktir" else text
        )
        said = execute.run_stage(
            reached, launch, seed=shuffle, probes=watched if probes else None, strict_bounds=strict_bounds
        )
    return Interpretation(
        launch.outputs(), tuple(watched.records), (*reached.diagnostics, *launch.other_shapes(), *said)
    )


def _split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays of a launch, and its numbers."""
    if not isinstance(values, Mapping):
        raise UsageError(f"a launch takes a mapping from names to arrays and numbers, got {type(values).__name__}")
    arrays = {name: value for name, value in values.items() if not isinstance(value, numbers.Real)}
    return arrays, {name: value for name, value in values.items() if isinstance(value, numbers.Real)}


def _text(source: str | os.PathLike[str]) -> tuple[str, str]:
    """Text and file name of a source."""
    from spyrec.driver import files

    if isinstance(source, str) and _is_text(source):
        return source, _TEXT
    return files.read_text(_path(source, "compile"))


@overload
def compile(
    source: str | os.PathLike[str],
    *,
    device: str | os.PathLike[str] = "spyre",
    kernel: str | None = None,
    emit: Literal["spyrecode"] = "spyrecode",
    from_stage: str = "ktir",
    settings: Sequence[str] = (),
    tuning: Sequence[str] = (),
) -> Code: ...


@overload
def compile(
    source: str | os.PathLike[str],
    *,
    device: str | os.PathLike[str] = "spyre",
    kernel: str | None = None,
    emit: str,
    from_stage: str = "ktir",
    settings: Sequence[str] = (),
    tuning: Sequence[str] = (),
) -> Code | str: ...


def compile(
    source: str | os.PathLike[str],
    *,
    device: str | os.PathLike[str] = "spyre",
    kernel: str | None = None,
    emit: str = "spyrecode",
    from_stage: str = "ktir",
    settings: Sequence[str] = (),
    tuning: Sequence[str] = (),
) -> Code | str:
    """Compile KTIR, given as a path or as its text.

    Gives a :class:`Code`; with ``emit`` naming a stage before the binary, that stage's text (a ``str``). ``device`` is
    a name or a file in ktdf_arch syntax, ``kernel`` picks one where the source has several. ``from_stage`` says that
    the source is such a text, perhaps changed. ``settings`` (``"device.lx.size=4MiB"``) are what ``--set`` takes,
    ``tuning`` (``"choose-tile-sizes{size=1}"``, ``"cse=off"``) what ``--tune`` takes. Safe in threads and after a fork.
    Raises :class:`spyrec.errors.SpyrecError` and its subclasses, which carry all diagnostics.
    """
    from spyrec import driver

    text, name = _text(source)
    folder = os.environ.get("SPYREC_DUMP_DIR")
    options = driver.Options(
        device=os.fspath(device),
        kernel=kernel,
        emit=emit,
        from_stage=from_stage,
        settings=tuple(settings),
        tuning=tuple(tuning),
        dump_stages=Path(folder) if folder else None,
    )
    with _shown(text, name):
        result = driver.compile_text(text, name, options)
    if result.text is not None:
        return result.text
    assert result.artifact is not None
    return Code(result.artifact, result.diagnostics, text if name == _TEXT else None)


def load(path: str | os.PathLike[str]) -> Code:
    """Read what :meth:`Code.save`, ``spyrec compile`` or ``spyrec-dbo-opt`` wrote. Raises InvalidKernel when it is
    damaged, or something else.
    """
    from spyrec import spyrecode

    given = _path(path, "load")
    if _is_text(given):
        raise UsageError("load() takes the path of an artifact, got the text of a kernel: compile() takes that")
    return Code(spyrecode.load(given))


def _path(given: Any, function: str) -> str:
    """``given`` as a path. Raises UsageError for what is none."""
    try:
        path = os.fspath(given)
    except TypeError:
        path = None
    if not isinstance(path, str):
        what = "text" if isinstance(path, bytes) else "a path" + " or the text of a kernel" * (function == "compile")
        raise UsageError(f"{function}() takes {what} as a str, got {type(given).__name__}")
    if not path.strip():
        raise UsageError(f"{function}() needs a path, got an empty string")
    return path


def _is_text(source: str) -> bool:
    """Whether a string is KTIR rather than the path of a file: it has a line break, or a brace and no file is there."""
    return "\n" in source or ("{" in source and not os.path.exists(source))


@contextlib.contextmanager
def _shown(text: str, name: str) -> Iterator[None]:
    """Errors inside show the lines of the text that they are about."""
    from spyrec import diag

    try:
        yield
    except SpyrecError as error:
        error.diagnostics = diag.with_lines(error.diagnostics, diag.Source(name, text))
        error.args = (error.diagnostics,)
        raise
