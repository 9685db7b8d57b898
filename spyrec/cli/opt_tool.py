"""What ``spyrec opt`` does with its input: split, read, run passes, print, check messages."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spyrec import diag
from spyrec.cli import expectations, frame, opt_flags
from spyrec.errors import CompilerBug, Diagnostic, Severity, SpyrecError, UsageError

if TYPE_CHECKING:
    import click

    from spyrec.cli import shared
    from spyrec.mlir import ir
    from spyrec.passkit.instrument import Instrumentation, PrintConfig, Timing
    from spyrec.passkit.pipeline import Pipeline

_MARKER = "// -----"


@dataclass
class Tool:
    """One run of the command, inside the child; ``values`` are the options as click parsed them."""

    values: dict[str, Any]
    words: opt_flags.Words
    text: str
    name: str
    progress: shared.Progress
    command: click.Command
    said: list[Diagnostic] = field(default_factory=list)
    status: int = 0

    def run(self) -> int:
        """Process the parts of the input, write the result, give the exit status."""
        from spyrec.driver import files

        chunks = _split(self.text) if self.values["split_input_file"] else [self.text]
        outputs = [self._chunk(chunk) for chunk in chunks]
        if self.values["verify_diagnostics"]:
            wrong = expectations.check(expectations.read(self.text, self.name), self.said, self.name)
            frame.show(wrong)
            if self.status not in (2, 3):
                self.status = 1 if wrong else 0
        if self.status == 0 or self.values["verify_diagnostics"] or len(chunks) > 1:
            result = f"{_MARKER}\n".join(outputs)
            if self.values["output"] == "-":
                frame.emit(result)
            elif self.status == 0:
                files.write(Path(self.values["output"]), result.encode())
        return self.status

    def _chunk(self, text: str) -> str:
        """The printed result of one part of the input, empty when it was refused."""
        from spyrec import driver
        from spyrec.driver import bugs, reproducer

        body, stored, stored_verify = reproducer.extract(text)
        work = _Work(self, body)
        try:
            printed = work.run(stored, stored_verify)
            self._say(work.sink.diagnostics)
            return printed
        except SpyrecError as error:
            failure: SpyrecError = bugs.with_earlier(error, work.sink.diagnostics)
            cause: Exception = error
        except Exception as error:
            failure, cause = CompilerBug(), error
        if failure.status == CompilerBug.status:
            flags = driver.device_flags(self.values["device"], self.values["settings"])
            source = failure if failure.diagnostics else cause
            source.__cause__ = source.__cause__ or (cause if cause is not source else None)
            failure = bugs.report(source, body, str(work.pipeline or "builtin.module()"), Path(self.name).stem, flags)
        self.status = max(self.status, failure.status)
        self._say(failure.diagnostics, always=failure.status != 1)
        return ""

    def _say(self, diagnostics: tuple[Diagnostic, ...] | list[Diagnostic], *, always: bool = False) -> None:
        if self.values["verify_diagnostics"] and not always:
            self.said.extend(diagnostics)
        else:
            frame.show(diagnostics)


@dataclass
class _Work:
    """One module on its way through."""

    tool: Tool
    text: str
    sink: diag.Sink = field(default_factory=diag.Sink)
    pipeline: Pipeline | None = None

    def run(self, stored: str | None, stored_verify: bool) -> str:
        """Read, run, print. Raises SpyrecError."""
        from spyrec import asm
        from spyrec.dialects import make_context
        from spyrec.driver import load_device
        from spyrec.passkit import PassContext
        from spyrec.passkit.instrument import Timing

        values = self.tool.values
        context = make_context()
        context.allow_unregistered_dialects = values["allow_unregistered_dialect"]
        timing = Timing()
        with diag.capture(context, self.sink):
            self.pipeline = self._pipeline(stored, context)
            if values["dump_pass_pipeline"]:
                print(f"Pass Manager with {len(self.pipeline.elements)} passes:\n{self.pipeline}\n", file=sys.stderr)
            self.tool.progress(0, str(self.pipeline))
            with timing.measure("Parser"):
                module = asm.read(self.text, self.tool.name, context, sink=self.sink).module
            if values["verify_roundtrip"]:
                self._roundtrip(module, context)
            ctx = PassContext(
                context, self.sink, lambda: load_device(values["device"], values["settings"], self.sink, context)
            )
            verify = stored_verify if values["run_reproducer"] else values["verify_each"]
            self.pipeline.run(module.operation, ctx, self._watch(timing), verify_each=verify)
            with timing.measure("Output"):
                printed = self._print(module.operation)
        if values["statistics"]:
            print(_statistics(ctx.all_statistics), file=sys.stderr)
        if values["timing"]:
            print(timing.report(), file=sys.stderr)
        return printed

    def _pipeline(self, stored: str | None, context: ir.Context) -> Pipeline:
        from spyrec.passkit import pipeline

        values = self.tool.values
        if values["run_reproducer"]:
            if stored is None:
                raise UsageError(f"{self.tool.name} is no reproducer: it has no mlir_reproducer resource")
            made = pipeline.parse(stored)
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

    def _watch(self, timing: Timing) -> Instrumentation | None:
        from spyrec.passkit.instrument import Printer, Several

        config = _print_config(self.tool.values)
        parts: list[Instrumentation] = [timing] if self.tool.values["timing"] else []
        if config.active:
            parts.append(Printer(config, self._print))
        return Several(parts) if parts else None

    def _roundtrip(self, module: ir.Module, context: ir.Context) -> None:
        """Print, read, print: both prints are the same, in custom and in generic form."""
        from spyrec import asm

        for generic in (False, True):
            first = asm.print_op(module.operation, generic=generic, debuginfo=True)
            again = asm.read(first, f"<printed {self.tool.name}>", context, sink=diag.Sink()).module
            second = asm.print_op(again.operation, generic=generic, debuginfo=True)
            if first == second:
                continue
            pairs = zip(first.split("\n"), second.split("\n"), strict=False)
            number, (was, now) = next(((i, p) for i, p in enumerate(pairs, 1) if p[0] != p[1]), (0, ("", "")))
            notes = (Diagnostic(Severity.NOTE, f"first:  {was}"), Diagnostic(Severity.NOTE, f"second: {now}"))
            form = "generic" if generic else "custom"
            message = f"the module does not survive a round trip in {form} form; line {number} of the print differs"
            raise CompilerBug([Diagnostic(Severity.ERROR, message, "roundtrip", notes=notes)])


def _print_config(values: dict[str, Any]) -> PrintConfig:
    from spyrec.passkit.instrument import PrintConfig

    everything = frozenset("*")
    return PrintConfig(
        before=everything if values["before_all"] else values["before"],
        after=everything if values["after_all"] else values["after"],
        after_change=values["after_change"],
        after_failure=values["after_failure"],
        module_scope=values["module_scope"],
        tree_dir=Path(values["tree_dir"]) if values["tree_dir"] else None,
    )


def _split(text: str) -> list[str]:
    """The parts between marker lines; each is preceded by as many empty lines as it has lines before it in the file."""
    parts: list[list[str]] = [[]]
    for number, line in enumerate(text.split("\n")):
        if line.rstrip() == _MARKER:
            parts.append([""] * (number + 1))
        else:
            parts[-1].append(line)
    return ["\n".join(part) for part in parts]


def listing(values: dict[str, Any]) -> int:
    """``--list-passes`` and ``--show-dialects``."""
    from spyrec.passkit import options, registry, upstream

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
        from spyrec.dialects import NAMES, make_context

        make_context()
        lines.append(f"Available Dialects: {', '.join(NAMES)}, and those of MLIR")
    frame.emit("\n".join(lines) + "\n")
    return 0


def _statistics(counted: dict[str, Any]) -> str:
    line = "===" + "-" * 73 + "==="
    rows = [line, "... Pass statistics report ...".center(79).rstrip(), line]
    for name in sorted(counted):
        rows.append(name)
        rows += [f"  (S) {number:6} {what}" for what, number in sorted(counted[name].items())]
    return "\n".join(rows)
