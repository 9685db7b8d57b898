"""The report of a run: plain data with a schema version. ``docs/simulator.md`` describes every entry.

```
{"schema": 3, "kernel": str, "device": str, "tiles": int, "cycles": int, "seconds": float, "instructions": int,
 "shuffle": int | null,
 "bound": {"cycles": int, "ratio": float, "limit": str, "tile": int,
           "resources": [{"name", "what", "amount", "peak", "cycles", "edges"}, ...]},
 "units": [{"core", "unit", "instructions", "busy", "idle", "waiting": {channel: cycles}, "waiting_on": {unit: cycles}},
           ...],
 "memory": {"device" | "lx" | kind of a stage: {"read" | "written": {"useful", "asked", "moved"}}},
 "links": [{"source", "target", "useful", "asked", "moved"}, ...],
 "transfers": [{"place": str | null, "unit", "instruction", "way": "read" | "written", "times", "cores", "boxes",
                "touched", "shared", "clipped", "filled", "asked", "moved", "run", "grain"}, ...],
 "ring": [{"from": core, "to": core, "moved"}, ...],
 "lx": {"size", "reserved", "peak", "at": [buffer, ...],
        "buffers": [{"name", "address", "bytes", "first", "last"}, ...]},
 "stages": {kind of a stage: as "lx", ...}}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spyrec.device import cost
from spyrec.device.model import spoken
from spyrec.isa import LX, Binary, Buffer, Contract, Instruction, Stream, Xfer
from spyrec.sim import roofline
from spyrec.sim.faults import Place, cores
from spyrec.sim.machine import Machine, end
from spyrec.sim.trace import Tally, Trace
from spyrec.sim.traffic import SEVERAL, Counter, LinkCounter, TransferCounter
from spyrec.sim.transfer import path
from spyrec.sim.units import Unit

SCHEMA = 3
_TOLD = 8  # transfers that the text tells of


def make(machine: Machine, trace: Trace, cycles: int, *, kernel: str, shuffle: int | None) -> dict[str, Any]:
    """The report of ``machine``, which has run for ``cycles`` and told ``trace`` what it did."""
    device, binary, traffic = machine.device, machine.binary, machine.traffic
    memory = machine.memory
    read, written = memory.unique(writes=False), memory.unique(writes=True)
    useful = {(a, b): _useful(machine, a, b, counter) for (a, b), counter in traffic.links.items()}
    bound = roofline.bound(binary, device, read + written, useful, trace.tallies, cycles)
    posters = {channel.name: channel.source for channel in binary.channels}
    executed: dict[tuple[int, int], list[int]] = {}
    for (_, unit, index), tally in trace.tallies.items():
        executed.setdefault((unit, index), []).append(tally.count)
    rooms = {name: {"size": size, **_room(binary, name, trace.tallies)} for name, size in machine.sizes.items()}
    return {
        "schema": SCHEMA,
        "kernel": kernel,
        "device": device.name,
        "tiles": binary.tiles,
        "cycles": cycles,
        "seconds": cycles / device.timing.clock_hz,
        "instructions": sum(u.instructions for u in machine.units),
        "shuffle": shuffle,
        "bound": _bound(bound, cycles),
        "units": [_unit(u, cycles, posters) for u in machine.units],
        "memory": {
            "device": _counter(traffic.memory("device"), read, written),
            **{name: _local_counter(traffic.memory(name)) for name in machine.sizes},
        },
        "links": [
            {"source": link[0], "target": link[1], "useful": useful[link], "asked": c.asked, "moved": c.moved}
            for link, c in traffic.links.items()
        ],
        "transfers": [_transfer(machine, *key, c, executed) for key, c in sorted(traffic.transfers.items()) if c.boxes],
        "ring": [
            {"from": link // 2, "to": (link // 2 + (-1 if link % 2 else 1)) % device.cores, "moved": moved}
            for link, moved in sorted(traffic.ring.items())
        ],
        "lx": rooms[LX],
        "stages": {name: room for name, room in rooms.items() if name != LX},
    }


def _transfer(
    machine: Machine,
    label: str,
    index: int,
    counter: TransferCounter,
    executed: Mapping[tuple[int, int], Sequence[int]],
) -> dict[str, Any]:
    """What one instruction moved of device memory, and what decides how much that is. ``executed``: how often each core
    did so, per unit and instruction.
    """
    binary, device = machine.binary, machine.device
    number = next(n for n, program in enumerate(binary.units) if program.label == label)
    program = binary.units[number]
    instruction = program.code[index]
    assert isinstance(instruction, Xfer)
    ends = instruction.source, instruction.dest
    reads = binary.memory(ends[0]) == "device"
    strides = tuple(d.source_stride if reads else d.dest_stride for d in instruction.dims)
    run, _ = cost.runs(tuple(d.count for d in instruction.dims), strides, instruction.element_bytes)
    links = path(device, program.kind, *map(binary.memory, ends))
    counts = executed.get((number, index), ())
    position = machine.log.position(Place(number, index, label))
    return {
        "place": None if position is None else str(position),
        "unit": label,
        "instruction": index,
        "way": "read" if reads else "written",
        "times": sum(counts),
        "cores": len(counts),
        "boxes": len(counter.boxes),
        "touched": counter.touched,
        "shared": sum(core == SEVERAL for core in counter.boxes.values()),
        "clipped": counter.clipped,
        "filled": counter.filled,
        "asked": counter.asked,
        "moved": counter.moved,
        "run": run,
        "grain": cost.grain(links, device.memory("device").alignment),
    }


def _useful(machine: Machine, source: str, target: str, counter: LinkCounter) -> int:
    """Bytes that a link had to carry: those of device memory once for all cores, others as often as they are asked for.

    A link joins a memory and a kind of unit, and what comes over it has been read, or is written, by those units.
    """
    device = machine.device
    kind = source if source in device.units else target
    far = device.memory("device").kind
    # What a unit takes from another memory, it brings to device memory.
    writes = target == far or (source in device.memories and source != far)
    return min(counter.asked, machine.memory.unique(writes=writes, kind=kind) + counter.within)


def _bound(bound: roofline.Bound, cycles: int) -> dict[str, Any]:
    return {
        "cycles": bound.cycles,
        "ratio": cycles / bound.cycles if bound.cycles else 1.0,
        "limit": bound.limit,
        "tile": bound.chain,
        "resources": [
            {
                "name": r.name,
                "what": r.what,
                "amount": round(r.amount),
                "peak": round(r.peak, 3),
                "cycles": round(r.cycles, 3),
                "edges": r.edges,
            }
            for r in bound.resources
        ],
    }


def _unit(unit: Unit, cycles: int, posters: Mapping[str, str]) -> dict[str, Any]:
    over = end(unit)
    waiting_on: dict[str, int] = {}
    for channel, amount in unit.waiting.items():
        waiting_on[posters[channel]] = waiting_on.get(posters[channel], 0) + amount
    return {
        "core": unit.core,
        "unit": unit.label,
        "instructions": unit.instructions,
        "busy": over - sum(unit.waiting.values()),
        "idle": cycles - over,
        "waiting": dict(sorted(unit.waiting.items())),
        "waiting_on": dict(sorted(waiting_on.items())),
    }


def _counter(counter: Counter, read: int, written: int) -> dict[str, dict[str, int]]:
    return {
        "read": {"useful": read, "asked": counter.read_asked, "moved": counter.read_moved},
        "written": {"useful": written, "asked": counter.written_asked, "moved": counter.written_moved},
    }


def _local_counter(counter: Counter) -> dict[str, dict[str, int]]:
    """Of a memory that holds other data each time: what is asked for is useful."""
    return _counter(counter, counter.read_asked, counter.written_asked)


# LX and stages


def _room(binary: Binary, memory: str, tallies: Mapping[tuple[int, int, int], Tally]) -> dict[str, Any]:
    """Which bytes of a memory are reserved, and when, on the core that needs most at once, how many are in use."""
    here = [n for n, buffer in enumerate(binary.buffers) if buffer.memory == memory]
    used: dict[int, dict[int, tuple[int, int]]] = {}  # per core and buffer: first and last cycle of use
    for (core, unit, index), tally in tallies.items():
        spans = used.setdefault(core, {})
        for buffer in set(here).intersection(_buffers(binary.units[unit].code[index])):
            first, last = spans.get(buffer, (tally.first, tally.last))
            spans[buffer] = min(first, tally.first), max(last, tally.last)
    peak = 0
    at: tuple[int, ...] = ()
    for spans in used.values():
        for moment in {first for first, _ in spans.values()}:
            live = tuple(sorted(b for b, (first, last) in spans.items() if first <= moment < max(last, first + 1)))
            size = _covered([binary.buffers[b] for b in live])
            if size > peak:
                peak, at = size, live
    first_core = used[min(used)] if used else {}
    return {
        "reserved": _covered([binary.buffers[n] for n in here]),
        "peak": peak,
        "at": [binary.buffers[b].name for b in at],
        "buffers": [
            {
                "name": b.name,
                "address": b.address,
                "bytes": b.end - b.address,
                "first": first_core[n][0] if n in first_core else None,
                "last": first_core[n][1] if n in first_core else None,
            }
            for n, b in ((n, binary.buffers[n]) for n in here)
        ],
    }


def _buffers(instruction: Instruction) -> Iterator[int]:
    """Numbers of the buffers that an instruction touches, be it on other cores, which run the same programs."""
    operands: Sequence[Any] = (instruction,)
    if isinstance(instruction, Xfer):
        operands = (instruction.source, instruction.dest, *instruction.indices)
    elif isinstance(instruction, Stream):
        operands = (*instruction.inputs, *instruction.outputs)
    elif isinstance(instruction, Contract):
        operands = instruction.operands
    for operand in operands:
        if operand.buffer is not None:
            yield operand.buffer


def _covered(buffers: Sequence[Buffer]) -> int:
    total = reached = 0
    for low, high in sorted((b.address, b.end) for b in buffers):
        total += max(0, high - max(low, reached))
        reached = max(reached, high)
    return total


# Text


def render(report: Mapping[str, Any]) -> str:
    """The report as text: a line per kind of unit with the averages over all cores, the bound, bytes and LX."""
    cycles = report["cycles"]
    lines = [
        f"{report['kernel']} on {report['device']}, {report['tiles']} tiles: {cycles} cycles "
        f"({report['seconds'] * 1e6:.3g} us), {report['instructions']} instructions",
    ]
    if report["shuffle"] is not None:
        lines.append(f"latencies drawn at random (seed {report['shuffle']}): cycles mean nothing")
    lines += ["", *_bound_text(report["bound"]), "", *_units_text(report["units"], cycles), ""]
    lines += _bytes_text(report)
    for name, room in {LX: report["lx"], **report["stages"]}.items():
        lines += ["", *_room_text(spoken(name), room)]
    return "\n".join(lines) + "\n"


def _bound_text(bound: Mapping[str, Any]) -> Iterator[str]:
    yield f"at least {bound['cycles']} cycles ({bound['limit']}): this run took {bound['ratio']:.2f} times that"
    for r in bound["resources"]:
        yield (
            f"  {r['name']:<24}{r['amount']:>14} {r['what']} at {r['peak']:g} a cycle: {r['cycles']:.0f} cycles, and "
            f"{r['edges']} around them"
        )
    yield f"  one tile on its way through: {bound['tile']} cycles"


def _units_text(rows: Sequence[Mapping[str, Any]], cycles: int) -> Iterator[str]:
    yield f"{'unit':<12}{'busy':>8}{'waiting':>9}{'idle':>8}   waits most for"
    for label, mine in _by_unit(rows).items():
        waiting, posters = _sum(mine, "waiting"), _sum(mine, "waiting_on")
        total = max(1, cycles * len(mine))
        most = sorted(waiting.items(), key=lambda item: (-item[1], item[0]))[:2]
        whom = sorted(posters.items(), key=lambda item: (-item[1], item[0]))[:1]
        yield (
            f"{'@' + label:<12}{sum(r['busy'] for r in mine) / total:>8.1%}{sum(waiting.values()) / total:>9.1%}"
            f"{sum(r['idle'] for r in mine) / total:>8.1%}   "
            + "".join(f"@{name}: " for name, _ in whom)
            + (", ".join(f"{name} {amount / total:.1%}" for name, amount in most) or "-")
        )
    yield f"({cores({r['core'] for r in rows})}, averages)"


def _bytes_text(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'bytes':<24}{'useful':>14}{'asked for':>14}{'moved':>14}"
    for name, row in report["memory"].items():
        for way in ("read", "written"):
            yield f"{f'{name} {way}':<24}" + "".join(f"{row[way][kind]:>14}" for kind in ("useful", "asked", "moved"))
    if report["ring"]:
        most = max(report["ring"], key=lambda link: link["moved"])
        total = sum(link["moved"] for link in report["ring"])
        yield f"{'ring, all links':<24}{'':>14}{'':>14}{total:>14}"
        yield f"{'  core ' + str(most['from']) + ' to ' + str(most['to']):<24}{'':>14}{'':>14}{most['moved']:>14}"
    for link in report["links"]:
        where = f"{link['source']} to {link['target']}"
        yield f"{where:<24}{link['useful']:>14}{link['asked']:>14}{link['moved']:>14}"
    yield from _why_text(report["transfers"])


def _why_text(transfers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Why more moves than is useful: a line for each transfer of device memory of which it does."""
    told = [(t, why) for t in transfers if (why := _reasons(t))]
    told.sort(key=lambda entry: -entry[0]["moved"])
    for number, (t, why) in enumerate(told[:_TOLD]):
        if not number:
            yield "more is moved than is useful:"
        place = "" if t["place"] is None else f"{t['place']} "
        yield f"  {place}@{t['unit']} moves {t['moved'] + t['filled']} bytes: {'; '.join(why)}"
    if len(told) > _TOLD:
        yield f"  and {len(told) - _TOLD} transfers more"


def _reasons(t: Mapping[str, Any]) -> list[str]:
    """Why a transfer moves more bytes than there are in its boxes, or the same ones several times."""
    found = []
    verb = "read" if t["way"] == "read" else "write"
    if t["shared"] == t["boxes"]:
        found.append(f"{t['cores']} cores {verb} the same bytes")
    elif t["shared"]:
        found.append(f"cores {verb} {t['shared']} of {t['boxes']} boxes in common")
    elif t["touched"] > t["boxes"]:
        found.append(f"each of {t['boxes']} boxes is {t['way']} {t['touched'] / t['boxes']:.3g} times")
    if t["moved"] > t["asked"]:
        grains = f"whole grains of {t['grain']} bytes move"
        if t["run"] % t["grain"]:
            found.append(f"it asks for {t['asked']} in runs of {t['run']}, and {grains}")
        elif t["clipped"]:
            clips = f"{t['clipped']} of {t['times']} times for a clipped box"
            found.append(f"it asks for {t['asked']}, {clips}, and {grains}")
        else:
            found.append(f"it asks for {t['asked']} in runs that begin inside of a grain, and {grains}")
    if t["filled"]:
        found.append(f"{t['filled']} of them for the fill of clipped boxes")
    return found


def _room_text(name: str, room: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{name}: {room['reserved']} of {room['size']} bytes in {len(room['buffers'])} buffers; "
        f"{room['peak']} in use at once" + (f", by {', '.join(room['at'])}" if room["at"] else "")
    )
    for b in sorted(room["buffers"], key=lambda b: (b["address"], b["name"])):
        used = f"cycles {b['first']} to {b['last']}" if b["first"] is not None else "not used"
        yield f"  {b['address']:#08x} {b['bytes']:>9} {b['name']:<16} {used}"


def _sum(rows: Sequence[Mapping[str, Any]], key: str) -> dict[str, int]:
    total: dict[str, int] = {}
    for row in rows:
        for name, amount in row[key].items():
            total[name] = total.get(name, 0) + amount
    return total


def _by_unit(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["unit"], []).append(row)
    return found
