"""``spyrec run``: execute a kernel, or an artifact, on arrays."""

from __future__ import annotations

import gc
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from spyrec.cli import frame, shared
from spyrec.errors import CompilerBug, Diagnostic, Severity, SpyrecError, UsageError

if TYPE_CHECKING:
    from spyrec import sim
    from spyrec.driver import Options
    from spyrec.driver.compile import Compiled
    from spyrec.spyrecode import Artifact, Launch, Signature


@click.command("run", context_settings={"help_option_names": ["--help", "-h"]})
@click.argument("file", metavar="FILE")
@click.option(
    "--in",
    "inputs",
    metavar="NAME=a.npy|@OTHER[+BYTES]",
    multiple=True,
    help="The array of an argument, or the other array in whose memory it lies.",
)
@click.option("--out", "outputs", metavar="NAME=o.npy", multiple=True, help="Save an array after the run.")
@click.option("--check", is_flag=True, help="Compare the binary with FILE as it stands (stage ktir), bit for bit.")
@click.option(
    "--stage", metavar="STAGE", default="spyrecode", show_default=True, help="Execute this stage's IR instead."
)
@click.option("--from-stage", metavar="STAGE", default="ktir", show_default=True, help="FILE holds this stage.")
@click.option("--seed", type=shared.SEED, help="Seed of random arrays (for what --in does not give).")
@click.option(
    "--shuffle", type=shared.SEED, metavar="SEED", help="Draw every latency, or the order of tiles, at random."
)
@click.option("--trace", metavar="FILE", callback=shared.named, help="Write a trace for Chrome's or Perfetto's viewer.")
@click.option(
    "--report",
    cls=shared.ValueLeftOut,
    type=click.Choice(["text", "json"]),
    is_flag=False,
    flag_value="text",
    help="Print where the cycles went.",
)
@click.option("--worth", is_flag=True, help="Print the cycles with each optimisation left out in turn.")
@click.option("--strict-bounds", is_flag=True, help="Refuse tiles that stick out of their view (with --stage ktir).")
@click.option(
    "--probe",
    "probes",
    metavar="%v|LINE[@tile=N][=v.npy]",
    multiple=True,
    help="Print, or save, what an SSA value, or the ops of a line, give (with --stage).",
)
@shared.compiling
def command(
    file: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    check: bool,
    stage: str,
    from_stage: str,
    seed: int | None,
    shuffle: int | None,
    trace: str | None,
    report: str | None,
    worth: bool,
    probes: tuple[str, ...],
    strict_bounds: bool,
    device: str,
    settings: tuple[str, ...],
    tuning: tuple[str, ...],
    kernel: str | None,
    dump_stages: str | None,
    verbose: bool,
    diagnostics: str,
) -> int:
    """Execute a kernel without a card.

    FILE is KTIR, which is compiled first, or an artifact. NAME is an argument's name, argN, or the element address of a
    literal-address kernel; lx3:128 is LX of core 3 from element 128 on, lx:128 that of every core (a row per compute
    tile). Without --in the arrays are random.
    """
    from spyrec.cli import inputs as reading

    request = _Request(
        arrays=_pairs("--in", inputs),
        saved=_pairs("--out", outputs),
        scalars={
            name: _number(name, value)
            for name, value in _pairs("--set", tuple(s for s in settings if not s.startswith("device."))).items()
        },
        seed=seed,
        shuffle=shuffle,
        trace=trace,
        report=report,
        probes=probes,
        strict_bounds=strict_bounds,
        worth=worth,
    )
    if worth and (shuffle is not None or report == "json"):
        raise UsageError("--worth prints cycles that compare: it goes without --shuffle and --report=json")
    given = reading.read(file)
    if given.artifact is not None:
        of_text = (
            ("--check", check),
            ("--kernel", kernel),
            ("--stage", stage != "spyrecode"),
            ("--from-stage", from_stage != "ktir"),
            ("--probe", probes),
            ("--worth", worth),
            ("--strict-bounds", strict_bounds),
            ("--tune", tuning),
            ("--dump-stages", dump_stages),
        )
        for flag, wanted in of_text:
            if wanted:
                raise UsageError(f"{flag} needs KTIR text; {file} is an artifact")
        chosen = click.get_current_context().get_parameter_source("device") is not ParameterSource.DEFAULT
        for flag, wanted in (("--device", chosen), ("--set device.…", any(s.startswith("device.") for s in settings))):
            if wanted:
                raise UsageError(f"{flag}: {file} is an artifact; it was compiled for the device that it carries")
        request.binary(given.artifact, request.bind(given.artifact.signature))
        return 0
    if given.text is None:
        raise reading.no_artifact(given)
    options = shared.options(
        device=device,
        settings=settings,
        tuning=tuning,
        kernel=kernel,
        dump_stages=dump_stages,
        emit="spyrecode",
        from_stage=from_stage,
    )
    text, name = given.text, given.name

    def body(progress: shared.Progress) -> int:
        request.compiled(text, name, options, stage, check, progress, shared.say if verbose else None)
        return 0

    from spyrec import driver

    flags = driver.device_flags(device, options.settings)
    narrow = shared.narrowing(text, name, options)
    return shared.in_child(body, text, name, lambda: driver.full_pipeline(options), flags, narrow)


@dataclass(frozen=True, kw_only=True)
class _Request:
    """What the command line asks for, apart from the kernel: ``arrays`` are files of ``--in``, ``saved`` of ``--out``,
    ``scalars`` numbers of ``--set``, by name.
    """

    arrays: dict[str, str]
    saved: dict[str, str]
    scalars: dict[str, int | float]
    seed: int | None
    shuffle: int | None
    trace: str | None
    report: str | None
    probes: tuple[str, ...]
    strict_bounds: bool
    worth: bool

    def compiled(
        self,
        text: str,
        name: str,
        options: Options,
        stage: str,
        check: bool,
        progress: shared.Progress,
        verbose: Any,
    ) -> None:
        """Compile KTIR and execute what was asked for."""
        from spyrec import driver
        from spyrec.driver import compile as line
        from spyrec.driver import execute

        if stage != driver.BINARY:
            if check:
                raise UsageError("--check compares the binary; it goes without --stage")
            if self.report or self.trace or self.worth:
                raise UsageError("only the binary has cycles: --report, --trace and --worth go without --stage")
            reached = driver.compile_text(text, name, line.at_stage(options, stage), progress=progress, verbose=verbose)
            frame.tell(reached.diagnostics)
            launch = self.bind(execute.signature_of(text, name, options, stage=stage, numbers=self.scalars))
            self.stage(reached, launch, text if stage == options.from_stage else reached.text or text)
            self.deliver(launch)
            return
        if self.strict_bounds:
            raise UsageError("--strict-bounds looks at tiles, which only stage ktir has: it goes with --stage ktir")
        if self.probes:
            raise UsageError("--probe looks at values of a stage's IR: it goes with --stage")
        result = driver.compile_text(text, name, options, progress=progress, verbose=verbose)
        frame.tell(result.diagnostics)
        assert result.artifact is not None
        progress(0, "the binary")
        launch = self.bind(result.artifact.signature)
        before = launch.copy()
        cycles = self.binary(result.artifact, launch)
        if self.worth:
            from spyrec.driver import worth

            frame.emit(worth.render(cycles, list(worth.measured(text, name, options, before))))
        if check:
            _check(text, name, options, result.artifact, before, launch)

    def stage(self, reached: Compiled, launch: Launch, text: str) -> None:
        """Execute a stage's IR, and print what the probes see, also when it fails."""
        from spyrec import interp
        from spyrec.driver import execute

        watched = interp.Probes([interp.Probe.parse(p) for p in self.probes], text) if self.probes else None
        try:
            frame.tell(
                execute.run_stage(reached, launch, seed=self.shuffle, probes=watched, strict_bounds=self.strict_bounds)
            )
        finally:
            for probe in watched.probes if watched else ():
                self.probed(probe, [r for r in watched.records if r.probe == probe] if watched else [])
        for probe in watched.missing() if watched else ():
            if probe.name:
                message = f"no result of this stage's IR is called {probe.name}"
                raise UsageError(f"--probe: {message}; 'spyrec compile --emit STAGE' prints it")
            raise UsageError(f"--probe: line {probe.line} has no op with results")

    @staticmethod
    def probed(probe: Any, records: list[Any]) -> None:
        """Print what a probe saw, or save it."""
        from spyrec.interp import probes

        if probe.file is None or not records:
            for record in records:
                frame.emit(probes.render(record))
            return
        array = probes.stacked(records)
        _save(probe.file, array)
        shape = "x".join(map(str, array.shape)) or "scalar"
        frame.emit(f"{records[0].name}: {shape} {array.dtype}, {len(records)} values, in {probe.file}\n")

    def bind(self, signature: Signature) -> Launch:
        """The launch: arrays from files, numbers from --set, random data for the rest when nothing was given."""
        from spyrec import spyrecode

        gc.freeze()
        gc.enable()

        arrays = {name: path if path.startswith("@") else _load(path, name) for name, path in self.arrays.items()}
        # Half a set of arrays is a mistake; none at all, or a seed, asks for random ones.
        seed = self.seed if self.seed is not None else None if arrays else 0
        launch = spyrecode.bind(signature, arrays, self.scalars, seed=seed)
        frame.tell(launch.other_shapes())
        if launch.random:
            message = f"{', '.join(launch.random)}: random data of seed {seed}"
            frame.tell([Diagnostic(Severity.REMARK, message, "random-data")])
        return launch

    def binary(self, artifact: Artifact, launch: Launch) -> int:
        """Execute the binary and hand out its results; gives its cycles."""
        from spyrec.driver import execute, files

        record = None
        if self.trace:
            from spyrec.sim.trace import Trace

            record = Trace()
        result = execute.run_binary(artifact, launch, shuffle=self.shuffle, trace=record)
        frame.tell(result.warnings)
        if record is not None:
            from pathlib import Path

            files.write(Path(str(self.trace)), json.dumps(record.to_json()).encode())
        if self.report == "json":
            frame.emit(json.dumps(result.report, indent=2) + "\n")
            self.save(launch)
            return result.cycles
        self.deliver(launch)
        frame.emit(_report(result) if self.report else f"{result.cycles} cycles\n")
        return result.cycles

    def deliver(self, launch: Launch) -> None:
        """Save the arrays of --out, or show the ones that were written."""
        if self.saved:
            self.save(launch)
            return
        import numpy as np

        for name, array in launch.outputs().items():
            shown = np.array2string(array, threshold=16, edgeitems=3, separator=", ")
            frame.emit(f"{name}: {array.dtype}[{', '.join(map(str, array.shape))}]\n{shown}\n")

    def save(self, launch: Launch) -> None:
        """Write the arrays of --out."""
        for name, array in launch.outputs(list(self.saved)).items():
            _save(self.saved[name], array)


def _check(text: str, name: str, options: Options, artifact: Artifact, before: Launch, after: Launch) -> None:
    """Compare what the binary left with what the text that it was made from gives. Raises CompilerBug when they differ
    by more than the order of sums explains.
    """
    from spyrec import driver
    from spyrec.driver import compile as line
    from spyrec.driver import execute

    original = driver.compile_text(text, name, line.at_stage(options, options.from_stage))
    reference = before.copy()
    execute.run_stage(original, reference)
    left = execute.never_written(before, after, lambda again: execute.run_binary(artifact, again))
    reference_left = execute.never_written(before, reference, lambda again: execute.run_stage(original, again))
    comparisons = execute.compare(after, reference, left, reference_left)
    frame.tell(execute.unwritten(comparisons))
    if not comparisons:
        frame.emit("check: nothing was compared: the kernel writes no array\n")
    frame.emit("".join(f"check: {execute.say(c, options.from_stage)}\n" for c in comparisons))
    if any(c.differing for c in comparisons):
        late = max("schedule", options.from_stage, key=driver.STAGE_NAMES.index)
        schedule = driver.compile_text(text, name, line.at_stage(options, late))
        found = execute.differs(comparisons, options.from_stage, in_parts=execute.sums_in_parts(schedule))
        wrong = [d for d in found if d.severity is Severity.ERROR]
        if wrong:
            raise CompilerBug(wrong)
        frame.tell(found)


def _save(path: str, array: Any) -> None:
    """Write one array; whole or not at all."""
    import io
    from pathlib import Path

    import numpy as np

    from spyrec.driver import files

    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    files.write(Path(path), out.getvalue())


def _report(result: sim.Result) -> str:
    from spyrec.sim import report

    return report.render(result.report)


def _pairs(flag: str, values: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name or not rest:
            raise UsageError(f"{flag} {value}: expected NAME=VALUE")
        if name in found:
            raise UsageError(f"{flag}: '{name}' is given twice")
        found[name] = rest
    return found


def _number(name: str, text: str) -> int | float:
    for read in (lambda t: int(t, 0), float):
        try:
            return read(text)
        except ValueError:
            continue
    raise UsageError(f"--set {name}={text}: '{text}' is no number")


def _load(path: str, name: str) -> Any:
    import io

    import numpy as np

    from spyrec.driver import files

    data = files.read_bytes(path)
    if not data.startswith((np.lib.format.MAGIC_PREFIX, b"PK")):
        raise files.refused(f"--in {name}: {path} is no .npy file, which numpy.save writes", "wrong-array")
    try:
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, OSError, EOFError, SpyrecError) as error:
        raise files.refused(f"--in {name}: {path} is no .npy file: {error}", "wrong-array") from None
    if not isinstance(array, np.ndarray):
        raise files.refused(f"--in {name}: {path} holds several arrays; a .npy file holds one", "wrong-array")
    return array
