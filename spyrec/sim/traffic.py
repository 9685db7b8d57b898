"""Bytes that went through each memory."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Counter:
    """Of one memory, all cores together: bytes that programs asked for, and bytes that moved for them."""

    read_useful: int = 0
    read_moved: int = 0
    written_useful: int = 0
    written_moved: int = 0

    def read(self, useful: int, moved: int | None = None) -> None:
        """Count a read of ``useful`` bytes for which ``moved`` bytes (as many if not given) moved."""
        self.read_useful += useful
        self.read_moved += useful if moved is None else moved

    def written(self, useful: int, moved: int | None = None) -> None:
        """Count a write, as :meth:`read`."""
        self.written_useful += useful
        self.written_moved += useful if moved is None else moved


@dataclass
class Traffic:
    """The counters of a run."""

    device: Counter = field(default_factory=Counter)
    lx: Counter = field(default_factory=Counter)
