"""Walks the table of stages: from text at one stage to text at a later one, or to the binary."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spyrec import diag, packages
from spyrec.driver import bugs, files, overrides, tuning, worker
from spyrec.driver.narrow import PassCounter, narrowed
from spyrec.errors import CompilerBug, Diagnostic, InvalidKernel, SpyrecError, UsageError
from spyrec.passes.stages import STAGES, Stage
from spyrec.passkit import PassContext, pipeline
from spyrec.passkit.instrument import Instrumentation, Several

if TYPE_CHECKING:
    from spyrec.device.model import Device
    from spyrec.mlir import ir
    from spyrec.spyrecode import Artifact

BINARY = "spyrecode"
DEFAULT_DEVICE = "spyre"
STAGE_NAMES: tuple[str, ...] = (*(s.name for s in STAGES), BINARY)
"""What ``--emit`` takes; all but the last are IR and may be started from."""


@dataclass(frozen=True)
class Options:
    """What a compilation is asked for.

    ``settings`` are ``device.PATH=NUMBER``; ``tuning`` is ``PASS{OPTIONS}`` or ``PASS=off``; ``dump_stages`` takes the
    text of each stage; ``verify_each`` verifies after each pass and not only at the gates; ``debuginfo`` prints
    locations in emitted text.
    """

    device: str = DEFAULT_DEVICE
    settings: tuple[str, ...] = ()
    tuning: tuple[str, ...] = ()
    kernel: str | None = None
    emit: str = BINARY
    from_stage: str = STAGES[0].name
    dump_stages: Path | None = None
    verify_each: bool = False
    debuginfo: bool = False

    def __post_init__(self) -> None:
        for name, what in ((self.emit, "emit"), (self.from_stage, "from-stage")):
            if name not in STAGE_NAMES:
                raise UsageError(f"there is no stage '{name}'; the stages are {', '.join(STAGE_NAMES)}")
            if what == "from-stage" and name == BINARY:
                raise UsageError("a binary cannot be compiled; 'spyrec run' executes it")
        if STAGE_NAMES.index(self.emit) < STAGE_NAMES.index(self.from_stage):
            raise UsageError(f"stage '{self.emit}' comes before '{self.from_stage}', where the input stands")


@dataclass
class Compiled:
    """What came out: the stage that was reached, ``module`` and its ``text`` for IR, ``artifact`` for the binary.

    ``name`` is the kernel's (the file's when there are several), ``source`` what was read; ``diagnostics`` are warnings
    and remarks.
    """

    name: str
    stage: str
    module: ir.Module
    source: diag.Source
    device: Callable[[], Device]
    text: str | None = None
    artifact: Artifact | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


Report = Callable[[str], None]
Progress = Callable[[int, str], None]


def compile_text(
    text: str,
    filename: str,
    options: Options,
    *,
    watch: Instrumentation | None = None,
    progress: Progress | None = None,
    verbose: Report | None = None,
) -> Compiled:
    """Compile KTIR (or, with ``from_stage``, a later stage's IR).

    ``progress`` is told, before each pass, its number and the pipeline up to its step, for whoever has to say what a
    dead process was doing; ``verbose`` gets a line per step.

    Raises SpyrecError. Whatever goes wrong inside that is no refusal ends in CompilerBug, which names a reproducer.
    """
    session = Session(text, filename, options, watch, progress, verbose)
    return worker.call(session.guarded)


@dataclass
class Session:
    """One compilation; lives in a thread with a large stack."""

    text: str
    filename: str
    options: Options
    watch: Instrumentation | None = None
    progress: Progress | None = None
    verbose: Report | None = None
    sink: diag.Sink = field(default_factory=diag.Sink)
    ran: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.counter = PassCounter(self._tell)
        self.watch = Several([self.counter, self.watch]) if self.watch else self.counter

    def guarded(self) -> Compiled:
        """:meth:`run`, with everything that escapes turned into a SpyrecError that carries all diagnostics."""
        packages.check()
        try:
            return self.run()
        except SpyrecError as error:
            if error.status != CompilerBug.status:
                raise bugs.with_earlier(error, self.sink.diagnostics) from error.__cause__
            raise self._bug(error) from error
        except Exception as error:
            raise packages.refusal(error) or self._bug(error) from error

    def run(self) -> Compiled:
        """Read, walk the stages, emit."""
        from spyrec import asm
        from spyrec.dialects import make_context

        context = make_context()
        with diag.capture(context, self.sink):
            parsed = asm.read(self.text, self.filename, context, sink=self.sink)
            module = parsed.module
            ctx = PassContext(context, self.sink, lambda: self._load_device(context))
            if self.options.settings:
                # A misspelt setting is refused even where no pass asks for the device.
                _ = ctx.device
            tuned = tuning.read(self.options.tuning)
            self._check_stage(module)
            stages = STAGES[STAGE_NAMES.index(self.options.from_stage) :]
            self._select(module, ctx)
            with ctx.analyses.scope():
                self._gate(stages[0], module, ctx, first=True)
                self._check_kernels(module)
                self._check_stores(module)
                name = self._name(module)
                self._dump(stages[0], module, name)
                for stage in stages[1:]:
                    if STAGE_NAMES.index(stage.name) > STAGE_NAMES.index(self.options.emit):
                        break
                    for step in stage.steps:
                        self._say(f"{stage.name}: {step.pipeline}: {step.why}")
                        self._run(tuning.apply(step.pipeline, tuned), module, ctx)
                    self._gate(stage, module, ctx)
                    self._dump(stage, module, name)
            result = Compiled(name, self.options.emit, module, parsed.source, lambda: ctx.device)
            if self.options.emit == BINARY:
                self._encode(result, ctx)
            else:
                result.text = printed(module.operation, debuginfo=self.options.debuginfo)
            self.sink.raise_if_errors()
        result.diagnostics = tuple(self.sink.diagnostics)
        return result

    # -- steps ------------------------------------------------------------------------------------------------------

    def _run(self, text: str, module: ir.Module, ctx: PassContext) -> None:
        if not text:
            return
        self.ran.append(text)
        with _internal():
            _parsed(text).run(module.operation, ctx, self.watch, verify_each=self.options.verify_each)

    def _gate(self, stage: Stage, module: ir.Module, ctx: PassContext, *, first: bool = False) -> None:
        text = _gate_pipeline(stage.gate)
        self.ran.append(text)
        try:
            _parsed(text).run(module.operation, ctx, self.watch)
        except InvalidKernel as error:
            # Before any pass of ours ran, what a gate finds was written by the user; later, by us. But for tiles that
            # conflict: only an executed program shows it.
            errors = {d.id for d in error.diagnostics if d.severity is diag.Severity.ERROR}
            if first or errors <= {"tile-race"}:
                raise
            raise CompilerBug(error.diagnostics) from error

    def _tell(self, number: int) -> None:
        if self.progress:
            self.progress(number, joined(self.ran))

    def _select(self, module: ir.Module, ctx: PassContext) -> None:
        """Reduce the module to the kernel that was asked for. Raises UsageError when there is none of that name."""
        wanted = self.options.kernel
        if wanted is None:
            return
        there = [name for name, _ in kernels(module)]
        if wanted not in there:
            hint = f"; there {'is' if len(there) == 1 else 'are'} {', '.join(there)}" if there else ""
            raise UsageError(f"{self.filename} has no kernel '{wanted}'{hint}")
        if len(there) > 1:
            self._run(f"select-kernel{{name={wanted}}}", module, ctx)

    def _check_stage(self, module: ir.Module) -> None:
        """Raises UsageError when text of another stage is given than was said: each of its ops would be refused."""
        said, there = self.options.from_stage, stages_of(module)
        if not there or said in there:
            return
        more = f"; add --from-stage {there[0]}" if said == STAGES[0].name else f", not of stage {said}"
        raise UsageError(f"{self.filename}: this is text of stage {there[0]}{more}")

    def _check_kernels(self, module: ir.Module) -> None:
        """Raises InvalidKernel without any kernel, UsageError when a binary is to be made of several."""
        there = [name for name, _ in kernels(module)]
        if not there:
            empty = "" if self.text.strip() else ": it is empty"
            raise files.refused(
                f"there is no kernel in this file{empty}", "no-kernel", diag.Position(self.filename, 1, 1)
            )
        if len(there) > 1 and self.options.emit == BINARY:
            raise UsageError(f"{self.filename} has the kernels {', '.join(there)}: choose one with --kernel")

    def _check_stores(self, module: ir.Module) -> None:
        """Warn of kernels as written whose results reach nobody; one that calls may store there."""
        from spyrec.passes.analysis import kernels as functions

        if self.options.from_stage != STAGES[0].name:
            return
        for name, function in kernels(module):
            if not {"ktdp.store", "func.call"} & {op.name for op in functions.walk(function)}:
                note = "results leave a kernel through ktdp.store"
                self.sink.warning(function, "no-store", f"the kernel '{name}' stores nothing", notes=[note])

    def _dump(self, stage: Stage, module: ir.Module, name: str) -> None:
        if self.options.dump_stages is None:
            return
        text = printed(module.operation, debuginfo=True)
        self._dump_file(f"{name}.{stage.number}.{stage.name}.mlir", text)

    def _dump_file(self, name: str, text: str) -> None:
        folder = self.options.dump_stages
        assert folder is not None
        with files.writing_to(folder):
            folder.mkdir(parents=True, exist_ok=True)
        files.write(folder / name, text.encode())

    def _encode(self, result: Compiled, ctx: PassContext) -> None:
        from spyrec import codegen

        self._say(f"{BINARY}: encode: one program per unit, plans, signature")
        with _internal():
            (_, function) = kernels(result.module)[0]
            artifact = result.artifact = codegen.generate(function, ctx.device, sink=self.sink)
        if self.options.dump_stages is not None:
            from spyrec import isa

            text = isa.disassemble(artifact.program, artifact.locations)
            self._dump_file(f"{result.name}.{len(STAGES) + 1}.{BINARY}.s", text)

    # -- what they need ---------------------------------------------------------------------------------------------

    def _load_device(self, context: ir.Context) -> Device:
        return load_device(self.options.device, self.options.settings, self.sink, context)

    def _name(self, module: ir.Module) -> str:
        found = kernels(module)
        name = found[0][0] if len(found) == 1 else Path(self.filename).stem.strip("<>") or "kernels"
        return files.safe_name(name)

    def _say(self, line: str) -> None:
        if self.verbose:
            self.verbose(line)

    def _bug(self, error: Exception) -> CompilerBug:
        known = bugs.with_earlier(error, self.sink.diagnostics) if isinstance(error, SpyrecError) else error
        flags = device_flags(self.options.device, self.options.settings)
        text, pipe = self.text, joined(self.ran)
        broken_here = isinstance(error, SpyrecError) and error.diagnostics[0].id in ("pass-crashed", "pass-failed")
        if self.counter.failed_at is not None and broken_here:
            text, pipe = narrowed(text, self.filename, self.options, self.counter.failed_at) or (text, pipe)
        return bugs.report(known, text, pipe, Path(self.filename).stem, flags)


def load_device(
    name: str, settings: tuple[str, ...], sink: diag.Sink | None = None, context: ir.Context | None = None
) -> Device:
    """A device by name or file, with ``--set device.…`` applied; what is odd about the file is reported to ``sink``."""
    from spyrec.device import read

    return overrides.apply(read.load(name, context, sink=sink), settings)


def device_flags(device: str, settings: tuple[str, ...]) -> str:
    """What ``spyrec opt`` needs on its command line for the same device."""
    import shlex

    chosen = [f"--device={device}"] if device != DEFAULT_DEVICE else []
    return shlex.join([*chosen, *(f"--set={s}" for s in settings)])


@functools.lru_cache(maxsize=256)
def _parsed(text: str) -> pipeline.Pipeline:
    """The passes of a pipeline, which keep nothing from one run to the next."""
    return pipeline.parse(text)


@functools.cache
def _gate_pipeline(gate: str) -> str:
    """The pipeline of a gate alone."""
    return str(pipeline.from_flags([(gate, "")]))


def full_pipeline(options: Options) -> str:
    """The pipeline that ``options`` run when nothing fails, as one text."""
    first, last = STAGE_NAMES.index(options.from_stage), STAGE_NAMES.index(options.emit)
    tuned = tuning.read(options.tuning)
    parts = [_gate_pipeline(STAGES[first].gate)]
    for stage in STAGES[first + 1 : last + 1]:
        parts += filter(None, (tuning.apply(step.pipeline, tuned) for step in stage.steps))
        parts.append(_gate_pipeline(stage.gate))
    return joined(parts)


def joined(parts: list[str]) -> str:
    """Several pipelines, anchored on the module, as one."""
    inner = (p.removeprefix("builtin.module(")[:-1] if p.startswith("builtin.module(") else p for p in parts)
    return f"builtin.module({','.join(p for p in inner if p)})"


def printed(op: ir.Operation, **flags: Any) -> str:
    """The op's text, ending in one newline; ``flags`` are those of ``asm.print_op``."""
    from spyrec import asm

    return asm.print_op(op, **flags).rstrip("\n") + "\n"


def at_stage(options: Options, emit: str) -> Options:
    """The same options, stopping at another stage and dumping nothing."""
    return replace(options, emit=emit, dump_stages=None)


def kernels(module: ir.Module) -> list[tuple[str, ir.Operation]]:
    """Name and op of each function that can be launched: it has a body, is not private, and no helper."""
    from spyrec.passes.analysis import kernels as functions

    helpers = {functions.name(function) for function in functions.helpers(module.operation)}
    found = []
    for op in module.body.operations:
        operation = op.operation
        if operation.name != "func.func" or not functions.has_body(operation):
            continue
        if functions.name(operation) in helpers:
            continue
        visibility = _text(operation, "sym_visibility")
        if visibility != "private":
            found.append((_text(operation, "sym_name"), operation))
    return found


def stages_of(module: ir.Module) -> tuple[str, ...]:
    """The stages that a text may stand at, told by what only one of them has; empty when it has nothing of that kind.

    Kernels of later stages, as this compiler prints them, state what launches need.
    """
    from spyrec.passes.analysis import kernels as functions
    from spyrec.passes.analysis.signature import ATTRIBUTE

    there = [function for _, function in kernels(module)]
    ops = {op.name for function in there for op in functions.walk(function)}
    if any(name.startswith("ktdp.") for name in ops):
        return ("ktir",)
    if "dataflow.program_unit" in ops:
        return ("program",)
    if ops & {"dataflow.alloc", "dataflow.data_transfer"}:
        return ("schedule",)
    if ops & {"dataflow.read", "dataflow.write"}:
        return ("kernel",)
    return ("kernel", "schedule", "program") if any(ATTRIBUTE in f.attributes for f in there) else ()


def _text(operation: ir.Operation, name: str) -> str:
    from spyrec.mlir import ir

    return ir.StringAttr(operation.attributes[name]).value if name in operation.attributes else ""


@contextmanager
def _internal() -> Iterator[None]:
    """Inside the line a pass of MLIR that fails is our mistake: refusals come from our own passes."""
    try:
        yield
    except InvalidKernel as error:
        first = next((d for d in error.diagnostics if d.severity is diag.Severity.ERROR), None)
        if first is not None and first.id == "pass-failed":
            raise CompilerBug(error.diagnostics) from error
        raise
