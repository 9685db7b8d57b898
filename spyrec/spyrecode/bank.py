"""The parameter bank: what the host computes from the launch arguments, and hands to every unit.

An entry is a launch-uniform value: an argument, or arithmetic on arguments. All entries of a job share one list of
steps, each made from earlier ones, so that common parts are computed once. The steps travel in ``hcm`` of the plan's
``ComputeOnHost``; every number there is a decimal string, negative ones in two's complement of 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrec import numerics
from spyrec.errors import Diagnostic, InvalidKernel, Position, Severity
from spyrec.isa.alu import unsigned, wrap
from spyrec.spyrecode.reading import Entry

ENTRY_BYTES = 8


@dataclass(frozen=True)
class Step:
    """One value: launch argument ``arg``, the constant with the bits ``const``, or micro-op ``op`` of earlier
    steps ``of``.
    """

    type: str
    arg: int | None = None
    const: int | None = None
    op: str = ""
    of: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The step as an object of decimal strings and names."""
        if self.arg is not None:
            return {"type": self.type, "arg": str(self.arg)}
        if self.const is not None:
            return {"type": self.type, "const": str(self.const)}
        return {"type": self.type, "op": self.op, "of": [str(n) for n in self.of]}


@dataclass(frozen=True)
class Bank:
    """``steps`` in the order of their computation; entry k of the bank is step ``entries[k]``."""

    steps: tuple[Step, ...] = ()
    entries: tuple[int, ...] = ()

    @property
    def bytes(self) -> int:
        """Size of the correction tensor."""
        return ENTRY_BYTES * len(self.entries)

    def to_json(self) -> dict[str, Any]:
        """``hcm`` of the plan: the two keys of the public contract, then ours."""
        return {
            "vdci": {},
            "senConstants": [],
            "steps": [step.to_json() for step in self.steps],
            "parameters": [str(n) for n in self.entries],
        }

    @staticmethod
    def from_json(data: Entry) -> Bank:
        """Rebuild a bank from what :meth:`to_json` gave. Raises ``InvalidKernel`` naming the entry that is wrong."""
        data.get("vdci").members()
        data.get("senConstants").items()
        steps: list[Step] = []
        for entry in data.get("steps").items():
            steps.append(_step(entry, len(steps)))
        entries = data.get("parameters").map(Entry.decimal)
        if any(n >= len(steps) for n in entries):
            data.get("parameters").fail(f"entries {list(entries)} of {len(steps)} steps")
        return Bank(tuple(steps), entries)

    def evaluate(
        self, args: Sequence[int | float], locations: Sequence[tuple[Position, ...]] | None = None
    ) -> tuple[int, ...]:
        """The entries for these argument values, as signed 64-bit values: integers as they are, floats as their bits.

        Raises ``InvalidKernel`` at the step's place, where ``locations`` has it, when a step divides by zero.
        """
        values: list[numerics.Array] = []
        for number, step in enumerate(self.steps):
            try:
                values.append(_value(step, args, values))
            except numerics.NumericsError as error:
                places = locations[number] if locations and number < len(locations) else ()
                message = f"while the launch's parameters are computed: {error}"
                diagnostic = Diagnostic(Severity.ERROR, message, error.id, places[0] if places else None)
                raise InvalidKernel([diagnostic]) from error
        return tuple(_bits(values[n]) for n in self.entries)


def _step(entry: Entry, earlier: int) -> Step:
    type_ = entry.get("type").choice(tuple(numerics.TYPES))
    if "arg" in entry.members():
        entry.only("type", "arg")
        return Step(type_, arg=entry.get("arg").decimal())
    if "const" in entry.members():
        entry.only("type", "const")
        return Step(type_, const=entry.get("const").decimal() & (1 << 64) - 1)
    entry.only("type", "op", "of")
    op = entry.get("op").text()
    of = entry.get("of").map(Entry.decimal)
    if op not in numerics.MICRO or numerics.MICRO[op].arity != len(of):
        entry.fail(f"no operation '{op}' of {len(of)} values")
    if any(n >= earlier for n in of):
        entry.fail(f"values {list(of)}, of which only those below {earlier} exist here")
    return Step(type_, op=op, of=of)


def _value(step: Step, args: Sequence[int | float], values: Sequence[numerics.Array]) -> numerics.Array:
    if step.op:
        return numerics.apply_micro(step.op, *(values[n] for n in step.of), result_type=step.type)
    if step.const is not None:
        return from_bits(step.const, step.type)
    assert step.arg is not None
    if step.arg >= len(args):
        raise InvalidKernel(f"the plan reads launch argument {step.arg} of {len(args)}")
    return from_bits(to_bits(args[step.arg], step.type), step.type)


def from_bits(bits: int, type_: str) -> numerics.Array:
    """The value of ``type_`` whose bytes are the low ones of ``bits``: an array without dimensions."""
    raw = np.frombuffer((bits & (1 << 64) - 1).to_bytes(8, "little"), np.uint8)
    return numerics.from_bytes(raw[: numerics.sizeof(type_)], type_).reshape(())


def to_bits(value: int | float, type_: str) -> int:
    """The bytes of ``value``, rounded once to ``type_``, as an unsigned number; the inverse of :func:`from_bits`."""
    if numerics.is_float(type_):
        rounded = numerics.rounded(np.asarray(float(value)), type_)
        return int.from_bytes(numerics.to_bytes(rounded).tobytes(), "little")
    return unsigned(int(value), 8 * numerics.sizeof(type_))


def _bits(value: numerics.Array) -> int:
    if value.dtype.kind in "bi":
        return int(value)
    return wrap(int.from_bytes(numerics.to_bytes(value).tobytes(), "little"))
