"""Traits and memory effects that ops may declare, and how they are attached in a context."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spyrec.mlir import ir


@dataclass(frozen=True)
class Trait:
    """A property of an op. ``attach`` tells MLIR in the current context; None when only our own code reads it."""

    name: str
    attach: Callable[[str], object] | None = None


Terminator = Trait("terminator", lambda op: ir.IsTerminatorTrait.attach(op))
NoTerminator = Trait("no-terminator", lambda op: ir.NoTerminatorTrait.attach(op))
IsolatedFromAbove = Trait("isolated", lambda op: ir.IsIsolatedFromAboveTrait.attach(op))
Symbol = Trait("symbol")


class _Effects(ir.MemoryEffectsOpInterface):
    kinds: tuple[Any, ...] = ()

    @classmethod
    def get_effects(cls, op: Any, effects: Any) -> None:
        for kind in cls.kinds:
            effects.append(kind)


class _NoEffects(_Effects):
    pass


class _Reads(_Effects):
    kinds = (ir.MemoryEffect.Read,)


class _Writes(_Effects):
    kinds = (ir.MemoryEffect.Write,)


class _ReadsWrites(_Effects):
    kinds = (ir.MemoryEffect.Read, ir.MemoryEffect.Write)


class _Allocates(_Effects):
    kinds = (ir.MemoryEffect.Allocate, ir.MemoryEffect.Write)


class _Speculatable(ir.ConditionallySpeculatable):
    @staticmethod
    def get_speculatability(op: Any) -> Any:
        return ir.Speculatability.Speculatable


@dataclass(frozen=True)
class Effects:
    """What an op does to memory. An op without a declaration may do anything and is neither removed nor moved."""

    names: frozenset[str]
    interfaces: tuple[Any, ...]

    def attach(self, op: str) -> None:
        for interface in self.interfaces:
            interface.attach(op)


Pure = Effects(frozenset({"pure"}), (_NoEffects, _Speculatable))
"""Computes from its operands alone; may be removed, merged and moved."""
Read = Effects(frozenset({"read"}), (_Reads,))
Write = Effects(frozenset({"write"}), (_Writes,))
ReadWrite = Effects(frozenset({"read", "write"}), (_ReadsWrites,))
Alloc = Effects(frozenset({"alloc"}), (_Allocates,))
"""Makes a buffer: two of them are never merged, an unused one is kept (its name or address may matter)."""
