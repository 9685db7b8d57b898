"""Runs a kernel's text at stage ktir the way `spyrec run --stage ktir` does: the launch is found from the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from spyrec import asm, diag, dialects, interp
from spyrec.errors import Diagnostic
from spyrec.mlir import ir
from spyrec.spyrecode.launch import Launch, bind

FILE = "kernel.mlir"


@contextmanager
def kernel_of(text: str, name: str | None = None) -> Iterator[tuple[ir.Operation, diag.Source]]:
    """The kernel called ``name`` (the last public function of the text by default)."""
    context = dialects.make_context()
    with context:
        parsed = asm.read(text, FILE, context)
        functions = [op.operation for op in _functions(parsed.module.operation)]
        chosen = [f for f in functions if name in (None, ir.StringAttr(f.attributes["sym_name"]).value)]
        chosen = [f for f in chosen if "sym_visibility" not in f.attributes]
        yield chosen[-1], parsed.source


def _functions(module: ir.Operation) -> Iterator[Any]:
    for op in module.regions[0].blocks[0].operations:
        if op.operation.name == "func.func":
            yield op
        elif op.operation.name == "builtin.module":
            yield from _functions(op.operation)


def launch_of(kernel: ir.Operation, values: Mapping[str, Any], seed: int | None = None) -> Launch:
    """A launch with arrays and numbers by name."""
    numbers = {name: v for name, v in values.items() if isinstance(v, int | float | np.number)}
    arrays = {name: v for name, v in values.items() if name not in numbers}
    return bind(interp.signature_of(kernel, numbers), arrays, numbers, seed=seed)


class Outcome(dict[str, Any]):
    """Arrays by name after a run, and the warnings and remarks of it."""

    diagnostics: Sequence[Diagnostic] = ()

    @property
    def ids(self) -> list[str | None]:
        """Ids of the warnings and remarks, in order."""
        return [d.id for d in self.diagnostics]


def execute(text: str, values: Mapping[str, Any], *, name: str | None = None, **options: Any) -> Outcome:
    """Run a kernel; gives the arrays that it writes."""
    with kernel_of(text, name) as (kernel, source):
        return _run(kernel, source, launch_of(kernel, values), options)


def execute_random(text: str, *, given: Mapping[str, Any] | None = None, **options: Any) -> Outcome:
    """Run a kernel on random arrays, but for those that are given."""
    with kernel_of(text) as (kernel, source):
        return _run(kernel, source, launch_of(kernel, given or {}, seed=5), options)


def _run(kernel: ir.Operation, source: diag.Source, launch: Launch, options: Mapping[str, Any]) -> Outcome:
    sink = diag.Sink()
    sink.add_source(source)
    interp.run(kernel, launch, sink=sink, **options)
    outcome = Outcome(launch.outputs())
    outcome.diagnostics = tuple(sink.diagnostics)
    return outcome
