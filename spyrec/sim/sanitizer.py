"""Turns what shadow memory found into faults, warnings, or the end of the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spyrec.isa import Buffer
from spyrec.sim.clocks import Access
from spyrec.sim.faults import Fault, FaultLog, Place, RaceFound, bytes_text
from spyrec.sim.shadow import Finding, Rule
from spyrec.sim.units import Unit


class Sanitizer:
    """Judges findings with the names of ``buffers``; keeps faults in ``log``."""

    def __init__(self, log: FaultLog, buffers: Sequence[Buffer]) -> None:
        self._log = log
        self._buffers = buffers

    def judge(self, found: Iterable[Finding], memory: str, *, reads: bool) -> None:
        """Keep the faults in ``found``, made by a read or a write of ``memory``: LX, or an array by its name.

        Raises :class:`RaceFound` if one is a race.
        """
        for finding in sorted(found, key=lambda f: f.rule is not Rule.RACE):
            where = f"{bytes_text(finding.low, finding.high)} of {memory}"
            if finding.rule is Rule.RACE:
                raise RaceFound(self._race(finding, where, reads))
            if finding.rule is Rule.EQUAL_WRITES:
                self._log.warning(self._equal_writes(finding, where))
            elif finding.rule is Rule.UNWRITTEN:
                buffer = finding.access.buffer
                named = f" (buffer '{self._buffers[buffer].name}')" if buffer >= 0 else ""
                self._log.fault(_fault(finding, f"reads {where}{named}, which nothing has written"))
            else:
                self._log.fault(self._wrong_buffer(finding, where))

    def _race(self, finding: Finding, where: str, reads: bool) -> Fault:
        assert finding.other is not None
        verb = "reads" if reads else "writes"
        other_verb = "writes" if finding.other_writes else "reads"
        rival = f"unit @{_place(finding.other).label}{_core(finding)}"
        message = f"{verb} {where}; {rival} {other_verb} them too, and nothing orders the two"
        return _fault(finding, message, "the other access")

    def _equal_writes(self, finding: Finding, where: str) -> Fault:
        assert finding.other is not None
        rival = f"unit @{_place(finding.other).label}{_core(finding)}"
        message = f"writes {where}, which {rival} writes too; nothing orders the two, but both write the same bytes"
        return _fault(finding, message, "the other write")

    def _wrong_buffer(self, finding: Finding, where: str) -> Fault:
        assert finding.other is not None
        mine, other = self._name(finding.access.buffer), self._name(finding.other.buffer)
        return _fault(
            finding, f"reads {where} as part of {mine}, but they were last written as part of {other}", "that write"
        )

    def _name(self, buffer: int) -> str:
        return f"buffer '{self._buffers[buffer].name}'" if buffer >= 0 else "no buffer"


def _fault(finding: Finding, message: str, other: str = "") -> Fault:
    second = (other, _place(finding.other)) if other and finding.other is not None else None
    return Fault(finding.rule.value, message, _place(finding.access), finding.access.core, second)


def _core(finding: Finding) -> str:
    assert finding.other is not None
    return "" if finding.other.core == finding.access.core else f" on core {finding.other.core}"


def _place(access: Access) -> Place:
    unit = access.unit
    assert isinstance(unit, Unit)
    return Place(unit.number, access.index, unit.label)
