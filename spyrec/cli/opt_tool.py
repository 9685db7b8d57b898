"""What ``spyrec opt`` does with its input: split, read, run passes, print, check messages."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spyrec import diag, packages
from spyrec.cli import expectations, frame, opt_flags, shared
from spyrec.errors import CompilerBug, Diagnostic, Severity, SpyrecError, UsageError

if TYPE_CHECKING:
    import click

    from spyrec.cli import shared
    from spyrec.mlir import ir
    from spyrec.passkit.instrument import Instrumentation
    from spyrec.passkit.pipeline import Pipeline
    from spyrec.passkit.printing import PrintConfig


@dataclass
class Tool:
    """One run of the command, inside the child; ``values`` are the options as click parsed them."""

    values: dict[str, Any]
    words: opt_flags.Words
    text: str
    name: str
    progress: shared.Progress
    command: click.Command
    status: int = 0

    def run(self) -> int:
        """Process the parts of the input, write the result, give the exit status."""
        from spyrec.driver import files
        from spyrec.driver.narrow import PassCounter

        packages.check()
        load_extensions(self.values)
        counter = PassCounter(lambda number: self.progress(number, self.reached), each=True)
        chunks = self._chunks()
        outputs = [self._chunk(chunk, counter) for chunk in chunks]
        if self.status == 0 or self.values["verify_diagnostics"] or len(chunks) > 1:
            result = f"{self.values['joiner']}\n".join(outputs)
            if self.values["output"] == "-":
                frame.emit(result)
            elif self.status == 0:
                files.write(Path(self.values["output"]), result.encode())
        return self.status

    def before_pass(self, number: int) -> tuple[str, str] | None:
        """The IR and the pipeline right before pass ``number`` of a run that died, to reproduce it."""
        from spyrec.driver import narrow

        def rerun(stop: Instrumentation) -> None:
            for chunk in self._chunks():
                try:
                    _Work(self, chunk).run(stop)
                except SpyrecError:
                    continue

        load_extensions(self.values)
        return narrow.before_pass(rerun, number, each=True)

    reached: str = ""
    """The pipeline that runs, for whoever has to say what a dead process was doing."""

    def _chunks(self) -> list[str]:
        marker = self.values["split_input_file"]
        return [self.text] if marker is None else _split(self.text, marker)

    def _chunk(self, text: str, counter: Any) -> str:
        """The printed result of one part of the input, empty when it was refused."""
        from spyrec.driver import bugs

        work = _Work(self, text)
        failure: SpyrecError | None = None
        printed = ""
        began, counter.failed_at = counter.number, None
        try:
            printed = work.run(counter, report=True)
        except SpyrecError as error:
            failure = bugs.with_earlier(error, work.sink.diagnostics)
            if failure.status == CompilerBug.status:
                failure = self._bug(work, failure, error, counter, began)
            elif counter.failed_at is not None and self.values["crash_reproducer"]:
                failure = self._with_reproducer(work, failure, counter.failed_at - began)
        except Exception as error:
            failure = packages.refusal(error) or self._bug(work, CompilerBug(), error, counter, began)
        said = list(failure.diagnostics if failure else work.sink.diagnostics)
        status = failure.status if failure else 0
        if self.values["verify_diagnostics"] and status in (0, 1):
            expected = expectations.read(text, self.name)
            only = self.values["verify_diagnostics"] == "only-expected"
            said = expectations.check(expected, said, self.name, only_expected=only)
            status = 1 if said else 0
        self.status = max(self.status, status)
        self._say(said)
        return printed

    def _bug(self, work: _Work, failure: SpyrecError, error: Exception, counter: Any, began: int) -> CompilerBug:
        """The CompilerBug for ``error``, with a reproducer as small as it gets."""
        from spyrec.driver import bugs

        source = failure if failure.diagnostics else error
        source.__cause__ = source.__cause__ or (error if error is not source else None)
        text, pipeline = work.body, str(work.pipeline or "builtin.module()")
        if counter.failed_at is not None:
            text, pipeline = work.before_pass(counter.failed_at - began) or (text, pipeline)
        return bugs.report(
            source,
            text,
            pipeline,
            Path(self.name).stem,
            repeated_flags(self.values),
            self.values["crash_reproducer"],
            verify_each=work.verify_each,
        )

    def _with_reproducer(self, work: _Work, failure: SpyrecError, number: int) -> SpyrecError:
        """``failure`` with a note that names the reproducer that the command line asked for."""
        from spyrec.driver import bugs, files, reproducer

        path = self.values["crash_reproducer"]
        text, pipeline = work.before_pass(number) or (work.body, str(work.pipeline))
        files.write(Path(path), reproducer.compose(text, pipeline, verify_each=work.verify_each).encode())
        flags = repeated_flags(self.values)
        note = f"to reproduce: spyrec opt --run-reproducer{' ' * bool(flags)}{flags} {path}"
        return bugs.with_note(failure, Diagnostic(Severity.NOTE, note))

    def _say(self, diagnostics: list[Diagnostic]) -> None:
        if self.values["no_notes"]:
            diagnostics = [replace(d, notes=()) for d in diagnostics]
        frame.show(diagnostics)


class _Work:
    """One module on its way through; ``body`` is its text without the reproducer's block that it may carry."""

    def __init__(self, tool: Tool, text: str) -> None:
        from spyrec.driver import reproducer

        self.tool = tool
        self.sink = diag.Sink()
        self.pipeline: Pipeline | None = None
        self.body, self._stored, stored_verify = reproducer.extract(text)
        self.verify_each: bool = stored_verify if tool.values["run_reproducer"] else tool.values["verify_each"]

    def before_pass(self, number: int) -> tuple[str, str] | None:
        """The IR right before pass ``number`` of this module (from 1), and that pass alone as a pipeline."""
        from spyrec.driver import narrow

        again = _Work(self.tool, self.body)
        again._stored, again.verify_each = self._stored, self.verify_each
        return narrow.before_pass(again.run, number, each=True)

    def run(self, watch: Instrumentation, *, report: bool = False) -> str:
        """Read, run, print. With ``report``, what flags ask to see on the way is shown. Raises SpyrecError."""
        from spyrec import asm
        from spyrec.dialects import make_context
        from spyrec.driver import load_device
        from spyrec.passkit import PassContext, statistics
        from spyrec.passkit.instrument import Several
        from spyrec.passkit.printing import Printer
        from spyrec.passkit.timing import Timing

        values = self.tool.values
        context = make_context()
        context.allow_unregistered_dialects = values["allow_unregistered_dialect"]
        timing = Timing()
        with diag.capture(context, self.sink):
            self.pipeline = self._pipeline(context)
            config = _print_config(values, context)
            if report and values["dump_pass_pipeline"]:
                print(
                    f"Pass Manager with {len(self.pipeline.elements)} passes:\n{self.pipeline.lines()}\n",
                    file=sys.stderr,
                )
            self.tool.reached = str(self.pipeline)
            self.tool.progress(0, self.tool.reached)
            with timing.measure("Parser"):
                module = asm.read(self.body, self.tool.name, context, sink=self.sink).module
            if report and values["verify_roundtrip"]:
                self._roundtrip(module, context)
            if report and values["reproduce"]:
                self._reproduce(module)
            ctx = PassContext(
                context, self.sink, lambda: load_device(values["device"], values["settings"], self.sink, context)
            )
            parts: list[Instrumentation] = [watch]
            if report and config.active:
                parts.append(Printer(config, self._print))
            if report and values["timing"]:
                parts.append(timing)
            self.pipeline.run(module.operation, ctx, Several(parts), verify_each=self.verify_each)
            with timing.measure("Output"):
                printed = self._print(module.operation)
        if report and values["statistics"]:
            print(statistics.report(self.pipeline, ctx, values["statistics_display"]), file=sys.stderr)
        if report and values["timing"]:
            print(timing.report(values["timing_display"], values["timing_format"]), file=sys.stderr)
        return printed

    def _pipeline(self, context: ir.Context) -> Pipeline:
        from spyrec.passkit import pipeline

        values = self.tool.values
        if values["run_reproducer"]:
            if self._stored is None:
                raise UsageError(f"{self.tool.name} is no reproducer: it has no mlir_reproducer resource")
            made = pipeline.parse(self._stored)
        elif values["pass_pipeline"] is not None:
            made = pipeline.parse(values["pass_pipeline"])
        else:
            return opt_flags.passes(self.tool.words.flags, context, self.tool.command)
        made.check(context)
        return made

    def _print(self, op: ir.Operation) -> str:
        from spyrec.driver.compile import printed

        values = self.tool.values
        return printed(
            op,
            debuginfo=values["debuginfo"],
            generic=values["generic"],
            local_scope=values["local_scope"],
            elide_large=values["elide"],
        )

    def _reproduce(self, module: ir.Module) -> None:
        """``--mlir-generate-reproducer``: what was read, with the pipeline that is about to run."""
        from spyrec.driver import files, reproducer
        from spyrec.driver.compile import printed

        text = printed(module.operation, debuginfo=True)
        made = reproducer.compose(text, str(self.pipeline), verify_each=self.verify_each)
        files.write(Path(self.tool.values["reproduce"]), made.encode())

    def _roundtrip(self, module: ir.Module, context: ir.Context) -> None:
        """Print, read, print: both prints are the same, in custom and generic form, with and without locations."""
        from spyrec import asm

        for generic, debuginfo in ((False, False), (False, True), (True, False), (True, True)):
            form = ("generic" if generic else "custom") + (" form with locations" if debuginfo else " form")
            first = asm.print_op(module.operation, generic=generic, debuginfo=debuginfo)
            try:
                again = asm.read(first, f"<printed {self.tool.name}>", context, sink=diag.Sink()).module
            except SpyrecError as error:
                message = f"the module does not survive a round trip in {form}: what is printed cannot be read again"
                notes = tuple(replace(d, severity=Severity.NOTE, notes=()) for d in error.diagnostics)
                raise CompilerBug([Diagnostic(Severity.ERROR, message, "roundtrip", notes=notes)]) from error
            second = asm.print_op(again.operation, generic=generic, debuginfo=debuginfo)
            if first == second:
                continue
            pairs = zip(first.split("\n"), second.split("\n"), strict=False)
            number, (was, now) = next(((i, p) for i, p in enumerate(pairs, 1) if p[0] != p[1]), (0, ("", "")))
            notes = (Diagnostic(Severity.NOTE, f"first:  {was}"), Diagnostic(Severity.NOTE, f"second: {now}"))
            message = f"the module does not survive a round trip in {form}; line {number} of the print differs"
            raise CompilerBug([Diagnostic(Severity.ERROR, message, "roundtrip", notes=notes)])


def _print_config(values: dict[str, Any], context: ir.Context) -> PrintConfig:
    for name in ("before", "after"):
        opt_flags.check_names(f"--mlir-print-ir-{name}", values[name], context)
    return shared.print_config(values)


def load_extensions(values: dict[str, Any]) -> None:
    """``--load-dialect``, then ``--load-pass``, whose files may import the dialects. Raises SpyrecError."""
    from spyrec import dialects
    from spyrec.passkit import registry

    for path in values["load_dialect"]:
        dialects.load_file(path)
    for path in values["load_pass"]:
        registry.load_file(path)


def repeated_flags(values: dict[str, Any]) -> str:
    """The flags that a reproducer needs on its command line, as the shell reads them."""
    import shlex

    from spyrec import driver

    loads = [f"--load-{kind}={path}" for kind in ("dialect", "pass") for path in values[f"load_{kind}"]]
    return " ".join(
        part for part in (shlex.join(loads), driver.device_flags(values["device"], values["settings"])) if part
    )


def _split(text: str, marker: str) -> list[str]:
    """The parts between marker lines; each is preceded by as many empty lines as it has lines before it in the file."""
    parts: list[list[str]] = [[]]
    for number, line in enumerate(text.split("\n")):
        if line.rstrip() == marker:
            parts.append([""] * (number + 1))
        else:
            parts[-1].append(line)
    return ["\n".join(part) for part in parts]


def mlir_dialects(context: ir.Context) -> list[str]:
    """The dialects that MLIR has registered: the bindings hand them out in a note about one that there is not."""
    from spyrec.mlir import ir

    head = "Available dialects: "
    try:
        ir.Module.parse("none.none", context)
    except ir.MLIRError as error:
        notes = [str(note.message) for said in error.error_diagnostics for note in said.notes]
        listed = next((note for note in notes if note.startswith(head)), head)
        return re.findall(r"[\w.]+", listed.removeprefix(head).partition(" (* ")[0])
    return []


def listing(values: dict[str, Any]) -> int:
    """``--list-passes`` and ``--show-dialects``."""
    from spyrec.passkit import options, registry, upstream

    load_extensions(values)
    lines = []
    if values["list_passes"]:
        lines.append("Passes of spyrec:")
        for name in registry.names():
            cls = registry.lookup(name)
            lines.append(f"  --{name:34} - {cls.summary()}")
            for spec in options.specs(cls):
                lines.append(f"    --{spec.spelling}=<{spec.type_text}>".ljust(39) + f"- {spec.doc}")
        lines += ["", "Every pass that MLIR registers works too. The common ones:"]
        lines += [f"  --{name}" for name in upstream.CLASS_NAMES]
    if values["show_dialects"]:
        from spyrec import dialects

        names = {*dialects.names(), *mlir_dialects(dialects.make_context())}
        lines.append(f"Available Dialects: {', '.join(sorted(names))}")
    frame.emit("\n".join(lines) + "\n")
    return 0
