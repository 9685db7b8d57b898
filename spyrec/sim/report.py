"""The report of a run: plain data with a schema version, and its rendering as text.

```
{"schema": 1, "kernel": str, "device": str, "tiles": int, "cycles": int, "seconds": float, "instructions": int,
 "shuffle": int | null,
 "units": [{"core", "unit", "instructions", "busy", "idle", "waiting": {channel: cycles}}, ...],
 "memory": {"device" | "lx": {"read": {"useful", "moved"}, "written": {"useful", "moved"}}},
 "lx": {"size", "peak", "buffers": [{"name", "address", "bytes"}, ...]}}
```

Times are cycles, sizes bytes. For each unit ``busy + idle + sum(waiting) == cycles``: busy while it executes or has a
transfer in flight, waiting while it does neither because a channel is at 0, idle after its end. ``useful`` bytes are
those that programs asked for, ``moved`` those that went over the wires for them. ``lx.peak`` counts bytes that belong
to a buffer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spyrec.device.model import Device
from spyrec.isa import Binary, Buffer
from spyrec.sim.faults import cores
from spyrec.sim.machine import Machine, end
from spyrec.sim.traffic import Counter
from spyrec.sim.units import Unit

SCHEMA = 1


def make(machine: Machine, cycles: int, *, kernel: str, shuffle: int | None) -> dict[str, Any]:
    """The report of ``machine``, which has run for ``cycles``."""
    device: Device = machine.device
    binary: Binary = machine.binary
    return {
        "schema": SCHEMA,
        "kernel": kernel,
        "device": device.name,
        "tiles": binary.tiles,
        "cycles": cycles,
        "seconds": cycles / device.timing.clock_hz,
        "instructions": sum(u.instructions for u in machine.units),
        "shuffle": shuffle,
        "units": [_unit(u, cycles) for u in machine.units],
        "memory": {"device": _counter(machine.traffic.device), "lx": _counter(machine.traffic.lx)},
        "lx": {
            "size": machine.lx_size,
            "peak": _covered(binary.buffers),
            "buffers": [{"name": b.name, "address": b.address, "bytes": b.end - b.address} for b in binary.buffers],
        },
    }


def _unit(unit: Unit, cycles: int) -> dict[str, Any]:
    over = end(unit)
    return {
        "core": unit.core,
        "unit": unit.label,
        "instructions": unit.instructions,
        "busy": over - sum(unit.waiting.values()),
        "idle": cycles - over,
        "waiting": dict(sorted(unit.waiting.items())),
    }


def _counter(counter: Counter) -> dict[str, dict[str, int]]:
    return {
        "read": {"useful": counter.read_useful, "moved": counter.read_moved},
        "written": {"useful": counter.written_useful, "moved": counter.written_moved},
    }


def _covered(buffers: Sequence[Buffer]) -> int:
    total = reached = 0
    for low, high in sorted((b.address, b.end) for b in buffers):
        total += max(0, high - max(low, reached))
        reached = max(reached, high)
    return total


def render(report: Mapping[str, Any]) -> str:
    """The report as text: a line per kind of unit with the averages over all cores, then bytes and LX."""
    cycles = report["cycles"]
    lines = [
        f"{report['kernel']} on {report['device']}, {report['tiles']} tiles: {cycles} cycles "
        f"({report['seconds'] * 1e6:.3g} us), {report['instructions']} instructions",
    ]
    if report["shuffle"] is not None:
        lines.append(f"latencies drawn at random (seed {report['shuffle']}): cycles mean nothing")
    lines.append("")
    lines.append(f"{'unit':<12}{'busy':>8}{'waiting':>9}{'idle':>8}   waits most for")
    for label, rows in _by_unit(report["units"]).items():
        waiting: dict[str, int] = {}
        for row in rows:
            for channel, amount in row["waiting"].items():
                waiting[channel] = waiting.get(channel, 0) + amount
        total = max(1, cycles * len(rows))
        most = sorted(waiting.items(), key=lambda item: (-item[1], item[0]))[:2]
        lines.append(
            f"{'@' + label:<12}{sum(r['busy'] for r in rows) / total:>8.1%}{sum(waiting.values()) / total:>9.1%}"
            f"{sum(r['idle'] for r in rows) / total:>8.1%}   "
            + (", ".join(f"{name} {amount / total:.1%}" for name, amount in most) or "-")
        )
    lines.append(f"({cores({r['core'] for r in report['units']})}, averages)")
    lines.append("")
    lines.append(f"{'bytes':<12}{'read':>14}{'moved':>14}{'written':>14}{'moved':>14}")
    for name, row in report["memory"].items():
        numbers = [row[way][kind] for way in ("read", "written") for kind in ("useful", "moved")]
        lines.append(f"{name:<12}" + "".join(f"{n:>14}" for n in numbers))
    lx = report["lx"]
    lines.append("")
    lines.append(f"LX: {lx['peak']} of {lx['size']} bytes in {len(lx['buffers'])} buffers")
    lines.extend(
        f"  {b['address']:#08x} {b['bytes']:>9} {b['name']}"
        for b in sorted(lx["buffers"], key=lambda b: (b["address"], b["name"]))
    )
    return "\n".join(lines) + "\n"


def _by_unit(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["unit"], []).append(row)
    return found
