"""Runs pipelines: ours pass by pass, MLIR's through its PassManager, and stops after the first pass that refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spyrec import extensions
from spyrec.errors import CompilerBug, Diagnostic, Severity, SpyrecError, UsageError
from spyrec.passkit.analyses import Kept
from spyrec.passkit.base import PassContext
from spyrec.passkit.instrument import Instrumentation, Label
from spyrec.passkit.pipeline import Element, Nest, OwnPass, Pipeline, UpstreamPass

if TYPE_CHECKING:
    from spyrec.mlir import ir


class _RefusedError(Exception):
    """A pass reported errors to the sink; the rest of its pipeline does not run."""


class Runner:
    """One run of one pipeline.

    A nested pipeline is run on every op that it fits before a refusal stops everything, so that the mistakes of all
    functions come out together.
    """

    def __init__(self, ctx: PassContext, instrumentation: Instrumentation | None, *, verify_each: bool) -> None:
        self.ctx = ctx
        self.watch = instrumentation or _Unwatched()
        self.verify_each = verify_each

    def run(self, pipeline: Pipeline, op: ir.Operation) -> None:
        """See :meth:`Pipeline.run`."""
        if pipeline.anchor not in ("any", op.name):
            raise UsageError(f"can't run a pipeline for '{pipeline.anchor}' on '{op.name}'")
        try:
            with self.ctx.context, self.ctx.analyses.scope():
                self._elements(pipeline.elements, op)
        except _RefusedError:
            self.ctx.sink.raise_if_errors()

    def _elements(self, elements: tuple[Element, ...], op: ir.Operation) -> None:
        for part in self._parts(elements):
            if isinstance(part, Nest):
                self._nest(part, op)
            elif isinstance(part, OwnPass):
                self._own(part, op)
            else:
                self._upstream(part, op)

    def _parts(self, elements: tuple[Element, ...]) -> Iterator[Nest | OwnPass | tuple[Element, ...]]:
        """Split into what runs in one go: nests and passes of ours alone, neighbours of MLIR's together."""
        group: list[Element] = []
        for element in elements:
            if _upstream_only(element) and not (self.watch.each and isinstance(element, Nest)):
                if self.watch.each and group:
                    yield tuple(group)
                    group = []
                group.append(element)
                continue
            if group:
                yield tuple(group)
                group = []
            assert not isinstance(element, UpstreamPass)
            yield element
        if group:
            yield tuple(group)

    def _nest(self, nest: Nest, op: ir.Operation) -> None:
        inside = [o.operation for region in op.regions for block in region for o in block]
        refused = False
        self.watch.enter(nest.anchor)
        try:
            for inner in inside:
                if inner.name != nest.anchor:
                    continue
                try:
                    self._elements(nest.elements, inner)
                except _RefusedError:
                    refused = True
        finally:
            self.watch.leave(nest.anchor)
        if refused:
            raise _RefusedError

    def _own(self, element: OwnPass, op: ir.Operation) -> None:
        label = Label.of(element)
        self.ctx.begin(element.instance)
        had = self._error_count()
        self.watch.before(label, op)
        kept: Kept = None
        try:
            kept = element.instance.run(op, self.ctx)
        except SpyrecError:
            self.watch.failed(label, op)
            raise
        except Exception as error:
            self.watch.failed(label, op)
            place = extensions.raised_in(error, type(element.instance).run)
            crash = Diagnostic(Severity.ERROR, f"pass {label.name}: {one_line(error)}", "pass-crashed", place)
            raise CompilerBug([crash]) from error
        finally:
            self.ctx.analyses.end(op, kept)
        if self._error_count() > had:
            self.watch.failed(label, op)
            raise _RefusedError
        self._verify(label, op)
        self.watch.after(label, op)

    def _upstream(self, group: tuple[Element, ...], op: ir.Operation) -> None:
        from spyrec import diag
        from spyrec.mlir import ir, passmanager

        text = ",".join(map(str, group))
        label = (
            Label.of(group[0]) if len(group) == 1 and isinstance(group[0], UpstreamPass) else Label(text, text, text)
        )
        manager = passmanager.PassManager.parse(f"{op.name}({text})", op.context)
        manager.enable_verifier(False)
        self.watch.before(label, op)
        # Before and not after: a handle of an op that has been erased must not be looked at any more.
        self.ctx.analyses.end(op)
        try:
            manager.run(op)
        except ir.MLIRError as error:
            for info in error.error_diagnostics:
                diag.report(self.ctx.sink, info, "pass-failed")
            if not error.error_diagnostics:
                self.ctx.sink.error(op, "pass-failed", f"pass {label.text} failed")
            self.watch.failed(label, op)
            raise _RefusedError from error
        self._verify(label, op)
        self.watch.after(label, op)

    def _verify(self, label: Label, op: ir.Operation) -> None:
        if not self.verify_each:
            return
        from spyrec import diag
        from spyrec.mlir import ir

        try:
            op.verify()
        except ir.MLIRError as error:
            self.watch.failed(label, op)
            self.ctx.sink.error(op, "invalid-ir", f"the IR is not valid after pass {label.text}")
            for info in error.error_diagnostics:
                diag.report(self.ctx.sink, info, "invalid-ir")
            self.ctx.sink.fail()

    def _error_count(self) -> int:
        return sum(d.severity is Severity.ERROR for d in self.ctx.sink.diagnostics) + self.ctx.sink.dropped


class _Unwatched(Instrumentation):
    each = False


def _upstream_only(element: Element) -> bool:
    if isinstance(element, Nest):
        return all(_upstream_only(e) for e in element.elements)
    return isinstance(element, UpstreamPass)


def one_line(error: BaseException) -> str:
    """An exception in one line: its class and its first 200 characters."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said[:200]}" if said else type(error).__name__
