"""What the sanitizer reports, and which of several faults is reported.

A race makes everything after it depend on timing, so it ends the run at once and hides whatever else was found. All
other faults are kept until the run is over: without a race they are the same for every timing. A unit stops at a fault
that leaves it nothing sensible to do (an address outside memory); where it can go on (unwritten bytes), it does, so
that a race behind the fault is not missed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spyrec.errors import Diagnostic, InvalidKernel, Position, Severity
from spyrec.spyrecode import Locations

_SHOWN = 8  # faults in one report


@dataclass(frozen=True, order=True)
class Place:
    """An instruction: number ``index`` of the unit that is number ``unit`` in the binary and called ``label``."""

    unit: int
    index: int
    label: str = field(compare=False)


@dataclass(frozen=True)
class Fault:
    """A broken rule at ``place`` on ``core``; ``other`` is what happened at a second place, and that place."""

    id: str
    message: str
    place: Place
    core: int
    other: tuple[str, Place] | None = None


class UnitStops(Exception):
    """Raised by an instruction that cannot go on, with its fault; with nothing if the fault was kept already."""

    def __init__(self, id: str = "", message: str = "") -> None:
        super().__init__(message)
        self.id = id
        self.message = message


class RaceFound(Exception):
    """Raised to end the run at a race."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class FaultLog:
    """Faults and warnings of one run; equal ones of several cores become one."""

    def __init__(self, locations: Locations | None) -> None:
        self._locations = locations or {}
        self._faults: dict[tuple[str, Place], list[Fault]] = {}
        self._warnings: dict[tuple[str, Place], list[Fault]] = {}

    def __bool__(self) -> bool:
        return bool(self._faults)

    def fault(self, fault: Fault) -> None:
        """Keep a fault for the end of the run."""
        _keep(self._faults, fault)

    def warning(self, fault: Fault) -> None:
        """Keep something that is no error."""
        _keep(self._warnings, fault)

    def warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings, in order of place."""
        return self._shown(self._warnings, Severity.WARNING)

    def error(self) -> InvalidKernel:
        """The exception for the faults that were kept."""
        return InvalidKernel(self._shown(self._faults, Severity.ERROR))

    def race(self, fault: Fault) -> InvalidKernel:
        """The exception for a race."""
        return InvalidKernel([self._diagnostic([fault], Severity.ERROR)])

    def position(self, place: Place) -> Position | None:
        """The user's position of an instruction, if known."""
        return next(iter(self._positions(place)), None)

    def _positions(self, place: Place) -> tuple[Position, ...]:
        table = self._locations.get(place.label, ())
        return table[place.index] if 0 <= place.index < len(table) else ()

    def _shown(self, faults: dict[tuple[str, Place], list[Fault]], severity: Severity) -> tuple[Diagnostic, ...]:
        ordered = sorted(faults.values(), key=lambda same: (same[0].place, same[0].id))
        shown = [self._diagnostic(same, severity) for same in ordered[:_SHOWN]]
        if len(ordered) > _SHOWN:
            shown.append(Diagnostic(Severity.NOTE, f"{len(ordered) - _SHOWN} more places like these"))
        return tuple(shown)

    def _diagnostic(self, same: list[Fault], severity: Severity) -> Diagnostic:
        first = min(same, key=lambda f: (f.core, f.message))
        notes = [Diagnostic(Severity.NOTE, "from here", position=p) for p in self._positions(first.place)[1:]]
        if first.other is not None:
            notes.append(self._note(*first.other))
        return Diagnostic(
            severity=severity,
            message=f"{self._where(first.place)} on {cores({f.core for f in same})}: {first.message}",
            id=first.id,
            position=self.position(first.place),
            notes=tuple(notes),
        )

    def _note(self, text: str, place: Place) -> Diagnostic:
        return Diagnostic(Severity.NOTE, f"{text} ({self._where(place)})", position=self.position(place))

    @staticmethod
    def _where(place: Place) -> str:
        return f"unit @{place.label}, instruction {place.index}"


def _keep(table: dict[tuple[str, Place], list[Fault]], fault: Fault) -> None:
    same = table.setdefault((fault.id, fault.place), [])
    if all(f.core != fault.core for f in same):
        same.append(fault)


def cores(numbers: set[int]) -> str:
    """``core 3`` or ``cores 0-31`` or ``cores 0-2, 7``."""
    ordered = sorted(numbers)
    runs: list[list[int]] = []
    for n in ordered:
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    text = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
    return f"core {text}" if len(ordered) == 1 else f"cores {text}"


def bytes_text(low: int, high: int) -> str:
    """``byte 0x10`` or ``bytes 0x10 to 0x1f``."""
    return f"byte {low:#x}" if high - low == 1 else f"bytes {low:#x} to {high - 1:#x}"
