"""Programs with one line changed, and two verdicts on each: the static check's and the simulator's."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lines import LINES
from numpy.typing import NDArray

from spyrec import asm, codegen, driver, sim, spyrecode
from spyrec.device import read
from spyrec.dialects import make_context
from spyrec.driver import worker
from spyrec.errors import Diagnostic, SpyrecError
from spyrec.spyrecode import Artifact

sys.path.insert(0, str(Path(__file__).parents[2] / "Target"))

from by_hand import PROGRAMS
from target import Program

SHUFFLES = (None, 1, 2)
FILE = "program.mlir"
_WORK = ("dataflow.transfer", "dataflow.stream")


@dataclass(frozen=True)
class Base:
    """A program that is right, arrays to run it on, and the device for which it is."""

    name: str
    text: str
    arrays: Mapping[str, NDArray[np.generic]]
    device: str = "spyre"


@dataclass(frozen=True)
class Mutant:
    """``text`` is the program ``base`` of which ``what`` was changed."""

    base: Base
    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.base.name}: {self.what}"


def unchanged(base: Base) -> Mutant:
    """The program as it is."""
    return Mutant(base, "nothing", base.text)


@dataclass(frozen=True)
class Verdict:
    """Ids of faults, and the lines of the program that they name."""

    ids: frozenset[str]
    places: frozenset[int]

    def __bool__(self) -> bool:
        return bool(self.ids)


@functools.cache
def base_of(name: str) -> Base:
    """An example kernel as it is compiled (``add-f16``), or a program of ``test/Target`` written by hand (``copy``)."""
    for line in LINES:
        if str(line) == name:
            text = line.compile("program").text
            assert text is not None
            return Base(name, text, line.inputs)
    (program,) = (p for p in PROGRAMS if str(p) == name)
    return of_program(program)


def of_program(program: Program) -> Base:
    """A program with its arrays, its text as it is printed."""
    module, _ = program.loaded("program")
    with module.context:
        return Base(str(program), asm.print_op(module.operation), program.given(), program.on)


def statically(mutant: Mutant) -> Verdict:
    """What ``verify-program`` says."""
    options = driver.Options(from_stage="program", emit="program", device=mutant.base.device)
    try:
        driver.compile_text(mutant.text, FILE, options)
    except SpyrecError as error:
        return _verdict([error])
    return Verdict(frozenset(), frozenset())


def encoded(mutant: Mutant) -> Artifact:
    """The binary of a program, whatever the gate would say."""

    def body() -> Artifact:
        module = asm.read(mutant.text, FILE, make_context()).module
        with module.context:
            (function,) = (op.operation for op in module.body.operations if op.operation.name == "func.func")
            return codegen.generate(function, read.load(mutant.base.device))

    return worker.call(body)


def simulated(mutant: Mutant) -> Verdict | None:
    """What the simulator says over some draws of latencies; None for what code generation refuses."""
    try:
        artifact = encoded(mutant)
    except SpyrecError:
        return None
    errors: list[SpyrecError] = []
    for shuffle in SHUFFLES:
        launch = spyrecode.bind(artifact.signature, dict(mutant.base.arrays), {}, seed=None)
        try:
            sim.run(artifact, launch, shuffle=shuffle)
        except SpyrecError as error:
            errors.append(error)
    assert len(errors) in (0, len(SHUFFLES)), "the verdict of the sanitizer depends on timing"
    return _verdict(errors)


def _verdict(errors: list[SpyrecError]) -> Verdict:
    found = [d for error in errors for d in error.diagnostics]
    return Verdict(frozenset(d.id for d in found), frozenset(n for d in found for n in _lines(d)))


def _lines(diagnostic: Diagnostic) -> Iterator[int]:
    if diagnostic.position is not None:
        yield diagnostic.position.line
    for note in diagnostic.notes:
        yield from _lines(note)


# Changes


def mutants(base: Base, text: str | None = None) -> Iterator[Mutant]:
    """Each kind of change at each place of a program, or of ``text``, where it is possible."""
    text = base.text if text is None else text
    rows = text.splitlines()

    def made(what: str, changed: list[str]) -> Mutant:
        return Mutant(base, what, "\n".join(changed) + "\n")

    for number, row in enumerate(rows):
        word = row.split()[0] if row.strip() else ""
        where = f"line {number + 1}"
        if word in ("dataflow.wait", "dataflow.post"):
            yield made(f"without {row.strip()} ({where})", rows[:number] + rows[number + 1 :])
            yield made(f"{row.strip()} twice ({where})", [*rows[: number + 1], row, *rows[number + 1 :]])
            yield from (made(f"{what} ({where})", changed) for what, changed in _moved(rows, number))
            yield made(f"{row.strip()} on core 0 only ({where})", _guarded(rows, number))
        elif word == "dataflow.channel":
            for step in (-1, 1):
                init = int(re.findall(r"init = (\d+)", row)[0]) + step
                if init >= 0:
                    changed = re.sub(r"init = \d+", f"init = {init}", row)
                    yield made(f"{init} credits: {row.split()[1]}", [*rows[:number], changed, *rows[number + 1 :]])
            name = row.split()[1]
            kept = [r for r in rows if not re.search(rf"(wait|post|channel) {name}( |$)", r)]
            yield made(f"without channel {name}", kept)
        elif word == "dataflow.buffer":
            depth = int(re.findall(r"depth = (\d+)", row)[0])
            if depth > 1:
                changed = re.sub(r"depth = \d+", f"depth = {depth - 1}", row)
                yield made(f"{row.split()[1]} one slot less", [*rows[:number], changed, *rows[number + 1 :]])
        elif row.startswith("#map"):
            for shift in (2, 64, 128):
                changed = re.sub(r"-> \((.*)\)>", rf"-> (\1 + {shift})>", row)
                yield made(f"{row.split()[0]} shifted by {shift}", [*rows[:number], changed, *rows[number + 1 :]])


def gentle(base: Base, text: str | None = None) -> Iterator[Mutant]:
    """Changes that often do no harm: a credit less, a wait one line earlier, a post one line later."""
    rows = (base.text if text is None else text).splitlines()
    edges = ("{", "}", "scf.yield", "^bb", "dataflow.yield", "return")
    for number, row in enumerate(rows):
        word, init = (row.split() or [""])[0], re.search(r"init = (\d+)", row)
        other = number + (-1 if word == "dataflow.wait" else 1)
        changed = rows.copy()
        if word == "dataflow.channel" and init is not None and int(init[1]):
            changed[number] = row.replace(init[0], f"init = {int(init[1]) - 1}")
        elif word in ("dataflow.wait", "dataflow.post") and not (
            any(rows[other].strip().startswith(edge) or rows[other].endswith("{") for edge in edges)
            or (" = " in rows[other] and rows[other].split()[0] in row.split())
        ):
            changed[number], changed[other] = changed[other], changed[number]
        else:
            continue
        yield Mutant(base, f"{row.strip()} (line {number + 1})", "\n".join(changed) + "\n")


def _moved(rows: list[str], number: int) -> Iterator[tuple[str, list[str]]]:
    """A wait behind the next work of its block, a post before the last one, either out of its loop."""
    row, indent = rows[number], len(rows[number]) - len(rows[number].lstrip())

    def inside(k: int) -> bool:
        return len(rows[k]) - len(rows[k].lstrip()) >= indent

    rest = rows[:number] + rows[number + 1 :]
    if "wait" in row:
        k = number + 1
        while inside(k) and not rows[k].strip().startswith(_WORK):
            k += 1
        if inside(k):
            end = (
                k if "stream" not in rows[k] else next(j for j in range(k, len(rows)) if rows[j] == " " * indent + "}")
            )
            yield f"{row.strip()} late", [*rest[:end], row, *rest[end:]]
    else:
        k = number - 1
        while inside(k) and not rows[k].strip().startswith(_WORK):
            k -= 1
        if inside(k):
            yield f"{row.strip()} early", [*rest[:k], row, *rest[k:]]
    k = number
    while inside(k):
        k -= 1
    made_inside = {line.split()[0] for line in rows[k:number] if " = " in line}
    if "scf.for" in rows[k] and made_inside.isdisjoint(row.split()):
        yield f"{row.strip()} before its loop", [*rows[:k], row, *rows[k:number], *rows[number + 1 :]]


def _guarded(rows: list[str], number: int) -> list[str]:
    """The op is executed by one core only."""
    indent, unique = rows[number][: -len(rows[number].lstrip())], sum("%zero" in row for row in rows)
    zero, test = f"%zero{unique}", f"%test{unique}"
    first = next(k for k, row in enumerate(rows) if "dataflow." in row and "func.func" not in row)
    made = [f"{test} = arith.cmpi eq, %core, {zero} : index", f"scf.if {test} {{", f"  {rows[number].strip()}", "}"]
    guarded = [indent + row for row in made]
    constant = f"    {zero} = arith.constant 0 : index"
    return [*rows[:first], constant, *rows[first:number], *guarded, *rows[number + 1 :]]
