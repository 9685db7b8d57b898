"""From the ops of a ``ktdf_arch.device`` to the model: kinds, roles by the shape of the graph, numbers and their
defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast, get_args

from spyrec.device.model import (
    Device,
    Level,
    Limits,
    Link,
    Memory,
    MemoryRole,
    Timing,
    Unit,
    UnitRole,
)
from spyrec.diag import Sink
from spyrec.dialects import ktdf_arch, ktdp
from spyrec.mlir import ir

_LEVELS: tuple[Level, ...] = get_args(Level)
_T = TypeVar("_T", Timing, Limits)


@dataclass
class _Resource:
    """A memory or unit as the file has it; ``switch`` ports are resources on the way, neither of the two."""

    kind: str
    op: ir.Operation
    level: Level


@dataclass
class _Graph:
    """What a walk over the groups finds. Instances of one kind are one resource."""

    memories: dict[str, _Resource] = field(default_factory=dict)
    units: dict[str, _Resource] = field(default_factory=dict)
    links: dict[tuple[str, str], ir.Operation] = field(default_factory=dict)
    cores: int = 0
    corelets: int = 0
    counted: bool = False


def build(op: ir.Operation, attributes: Mapping[str, ir.Attribute], defaults: Device | None, sink: Sink) -> Device:
    """The model of the device that ``op`` describes; ``attributes`` are those of the op and of whoever imports it.

    ``defaults`` has the numbers that the file leaves out; ``None`` for the file that has to have them all. Mistakes and
    warnings go to ``sink``, with places.
    """
    graph = _Graph()
    _Walk(graph, sink).block(op.regions[0].blocks[0], 0, {}, 1)
    compute = {kind for kind, r in graph.units.items() if "ktdf_arch.feature.compute" in _features(r.op)}
    mapped = _mapped(attributes)
    for kind in mapped:
        if kind not in graph.memories:
            message = f"{_MAPPING} names '{kind}', and there is no such memory"
            sink.error(op, "bad-device", message, field=_MAPPING, notes=[", ".join(graph.memories)])
    memory_roles = _memory_roles(graph, mapped, compute, sink)
    memories: dict[str, Memory] = {}
    units: dict[str, Unit] = {}
    for kind, resource in graph.memories.items():
        memories[kind] = _memory(resource, memory_roles[kind], defaults, sink)
    for kind, resource in graph.units.items():
        role = _unit_role(resource, graph, memory_roles, compute, sink)
        if role is None:
            sink.warning(
                resource.op,
                "unknown-unit",
                f"what '{kind}' is for is not understood: the compiler will not use it",
                notes=["say so with spyrec.role, one of " + ", ".join(get_args(UnitRole))],
            )
            continue
        units[kind] = _unit(resource, role, defaults, sink)
    known = {*memories, *units}
    roles: dict[str, str] = {k: m.role for k, m in memories.items()} | {k: u.role for k, u in units.items()}
    links = tuple(
        _link(source, target, link, roles, defaults, sink)
        for (source, target), link in graph.links.items()
        if source in known and target in known
    )
    return Device(
        name=ir.StringAttr(op.attributes["sym_name"]).value,
        cores=graph.cores if graph.counted or defaults is None else defaults.cores,
        corelets=max(1, graph.corelets),
        memories=memories,
        units=units,
        links=links,
        timing=_record(Timing, "spyrec.timing", attributes, defaults.timing if defaults else None, op, sink),
        limits=_record(Limits, "spyrec.limits", attributes, defaults.limits if defaults else None, op, sink),
    )


class _Walk:
    """Collects resources; ``names`` maps values of the current scope to kinds."""

    def __init__(self, graph: _Graph, sink: Sink) -> None:
        self.graph = graph
        self.sink = sink
        self.switches = 0

    def block(self, block: ir.Block, depth: int, names: dict[ir.Value, str], instances: int) -> list[str]:
        """Walk one region; returns the kinds of the units that it yields."""
        yielded: list[str] = []
        for view in block.operations:
            match view:
                case ktdf_arch.MemoryOp():
                    names[view.result] = self._resource(view, self.graph.memories, depth)
                case ktdf_arch.ExecUnitOp():
                    names[view.result] = self._resource(view, self.graph.units, depth)
                case ktdf_arch.SwitchOp():
                    for port in view.ports:
                        names[port] = f"switch{self.switches}"
                    self.switches += 1
                case ktdf_arch.DatapathOp():
                    ends = (names[view.source], names[view.target])
                    self.graph.links.setdefault(ends, view.operation)
                case ktdf_arch.GroupOp():
                    self._group(view, depth, names, instances)
                case ktdf_arch.YieldOp():
                    yielded = [names[unit] for unit in view.units]
                case ktdf_arch.PatternsOp():
                    pass
                # The verifier of the device lets nothing else in.
        return yielded

    def _group(self, op: ktdf_arch.GroupOp, depth: int, names: dict[ir.Value, str], instances: int) -> None:
        count = _integer(op.operation, "spyrec.instances", self.sink)
        total = instances * (1 if count is None else count)
        if depth == 0:
            self.graph.counted |= count is not None or self.graph.cores > 0
            self.graph.cores += total
        elif depth == 1:
            self.graph.corelets += 1 if count is None else count
        body = op.body.blocks[0]
        inner: dict[ir.Value, str] = {
            argument: names[m] for argument, m in zip(body.arguments, op.shared_memory, strict=True)
        }
        # What a first core has, all cores have.
        for result, kind in zip(op.units, self.block(body, depth + 1, inner, total), strict=True):
            names[result] = kind

    def _resource(self, op: ktdf_arch.MemoryOp | ktdf_arch.ExecUnitOp, into: dict[str, _Resource], depth: int) -> str:
        kind = _text(op.kind) if op.kind is not None else op.id.value if op.id is not None else None
        if kind is None:
            self.sink.error(
                op, "bad-device", "the resource has neither a kind nor a name", notes=['give it kind = "..."']
            )
            kind = "?"
        into.setdefault(kind, _Resource(kind, op.operation, _LEVELS[min(depth, len(_LEVELS) - 1)]))
        return kind


# Roles


_MAPPING = "mem_space_mapping"
_NAMED: dict[str, MemoryRole] = {"global": "device", "ct_local": "lx"}
"""Roles of the memories that kernels name."""
_BY_LEVEL: dict[Level, MemoryRole] = {"device": "device", "core": "lx", "corelet": "register"}


def _mapped(attributes: Mapping[str, ir.Attribute]) -> dict[str, MemoryRole]:
    """The kinds that a device gives to the memories that kernels name."""
    mapping = attributes.get(_MAPPING)
    entries = mapping.items() if isinstance(mapping, ktdf_arch.MapAttr) else []
    named = [(ir.StringAttr(key.kind).value, kind) for key, kind in entries if isinstance(key, ktdp.MemorySpaceAttr)]
    return {_text(kind): _NAMED[space] for space, kind in named}


def _memory_roles(
    graph: _Graph, mapped: Mapping[str, MemoryRole], compute: set[str], sink: Sink
) -> dict[str, MemoryRole]:
    """What each memory is for: what the file says, what it maps to the memories of kernels, else by its level.

    Where a memory has a role by name, the others of its level are stages if bytes can rest in them on the way between
    device memory and LX, else registers.
    """
    roles: dict[str, MemoryRole] = {}
    for kind, resource in graph.memories.items():
        said = _role(resource.op, get_args(MemoryRole), sink)
        if said or kind in mapped:
            roles[kind] = cast(MemoryRole, said) if said else mapped[kind]
    named = set(roles.values())
    unclear = [kind for kind in graph.memories if kind not in roles]
    for kind in list(unclear):
        role = _BY_LEVEL[graph.memories[kind].level]
        if role not in named or role == "register":
            roles[kind] = role
            unclear.remove(kind)
    for kind in unclear:
        roles[kind] = "stage" if _is_between(kind, roles, graph, compute) else "register"
    for kind, role in roles.items():
        op = graph.memories[kind].op
        if role == "stage" and graph.memories[kind].level == "corelet":
            sink.error(op, "bad-device", f"'{kind}' belongs to a corelet; a stage belongs to the device or to a core")
        if role == "stage" and kind in ("device", "lx"):
            notes = ["give the memory another kind"]
            sink.error(op, "bad-device", f"a stage cannot be called '{kind}', the name of a role", notes=notes)
    return roles


def _is_between(kind: str, roles: Mapping[str, MemoryRole], graph: _Graph, compute: set[str]) -> bool:
    """Whether bytes can rest in a memory on their way between device memory and LX, either way."""
    ends: dict[str, set[str]] = {role: {k for k, r in roles.items() if r == role} for role in ("device", "lx")}
    closed = compute | ends["device"] | ends["lx"]

    def meets(goals: set[str], *, backwards: bool) -> bool:
        seen, waiting = {kind}, [kind]
        while waiting:
            here = waiting.pop()
            links = [link[::-1] if backwards else link for link in graph.links]
            reached = [target for source, target in links if source == here and target not in seen]
            if goals.intersection(reached):
                return True
            seen.update(reached)
            waiting += [target for target in reached if target not in closed]
        return False

    ways = ((ends["device"], ends["lx"]), (ends["lx"], ends["device"]))
    return any(meets(first, backwards=True) and meets(last, backwards=False) for first, last in ways)


def _unit_role(
    resource: _Resource, graph: _Graph, memories: Mapping[str, MemoryRole], compute: set[str], sink: Sink
) -> UnitRole | None:
    """What a unit is for: what the file says, or what it links."""
    said = _role(resource.op, get_args(UnitRole), sink)
    if said:
        return cast(UnitRole, said)
    if resource.kind in compute:
        return "vector"
    sources = set(_ends(resource.kind, graph, memories, compute, backwards=True))
    targets = set(_ends(resource.kind, graph, memories, compute, backwards=False))
    # A stage is on the side of device memory for what goes on to LX or comes from there.
    shapes: list[tuple[UnitRole, set[str], set[str]]] = [
        ("load", {"device", "stage"}, {"lx"}),
        ("store", {"lx"}, {"device", "stage"}),
        ("load", {"device"}, {"stage"}),
        ("store", {"stage"}, {"device"}),
        ("load", {"stage"}, {"stage"}),
        ("lxload", {"lx"}, {"compute"}),
        ("lxstore", {"compute"}, {"lx"}),
    ]
    return next((role for role, a, b in shapes if a & sources and b & targets), None)


def _ends(
    kind: str, graph: _Graph, memories: Mapping[str, MemoryRole], compute: set[str], *, backwards: bool
) -> Iterator[str]:
    """Roles of what a unit is linked to, on one side; units that compute all count as ``compute``."""
    for source, target in graph.links:
        mine, other = (target, source) if backwards else (source, target)
        if mine == kind:
            yield "compute" if other in compute else memories.get(other, "unit")


def _role(op: ir.Operation, allowed: tuple[str, ...], sink: Sink) -> str | None:
    if "spyrec.role" not in op.attributes:
        return None
    said = _text(op.attributes["spyrec.role"])
    if said not in allowed:
        sink.error(op, "bad-device", f"there is no role '{said}'", field="spyrec.role", notes=[", ".join(allowed)])
        return None
    return said


# Numbers


def _memory(resource: _Resource, role: MemoryRole, defaults: Device | None, sink: Sink) -> Memory:
    like = next((m for m in defaults.memories.values() if m.role == role), None) if defaults else None
    # A stage that says no grain has that of LX; its size it has to say.
    grained = like if like is not None or defaults is None else defaults.memory("lx")
    return Memory(
        kind=resource.kind,
        role=role,
        level=resource.level,
        size=_number(resource.op, "size", like.size if like else None, sink),
        alignment=_number(resource.op, "spyrec.alignment", grained.alignment if grained else None, sink),
    )


def _unit(resource: _Resource, role: UnitRole, defaults: Device | None, sink: Sink) -> Unit:
    like = next((u for u in defaults.units.values() if u.role == role), None) if defaults else None
    lanes = _lanes(_features(resource.op))
    if role == "vector" and lanes:
        # A comparison has lanes of i1, which no public file lists.
        lanes.setdefault("i1", max(lanes.values()))
    if role == "vector" and not lanes and like is not None:
        lanes = dict(like.lanes)
    return Unit(
        kind=resource.kind,
        level=resource.level,
        role=role,
        lanes=lanes,
        max_outstanding=_number(resource.op, "spyrec.max_outstanding", like.max_outstanding if like else None, sink),
        array=_array(resource.op, like, role, sink),
    )


def _array(op: ir.Operation, like: Unit | None, role: UnitRole, sink: Sink) -> tuple[int, ...]:
    """Rows and columns of a matrix unit."""
    name = "spyrec.array"
    if name not in op.attributes:
        return like.array if like else (1, 1) if role == "matrix" else ()
    attribute = op.attributes[name]
    found = tuple(attribute) if isinstance(attribute, ir.DenseI64ArrayAttr) else ()
    if len(found) != 2 or min(found) < 1:
        sink.error(op, "bad-device", f"{name} must be rows and columns, but is {attribute}", field=name)
        return (1, 1)
    return found


def _link(
    source: str, target: str, op: ir.Operation, roles: Mapping[str, str], defaults: Device | None, sink: Sink
) -> Link:
    like = None
    if defaults is not None:
        theirs = {k: m.role for k, m in defaults.memories.items()} | {k: u.role for k, u in defaults.units.items()}
        ends = (roles[source], roles[target])
        same = [link for link in defaults.links if (theirs[link.source], theirs[link.target]) == ends]
        like = same[0] if same else min(defaults.links, key=lambda link: link.bandwidth)
    granularity: tuple[int, ...] = ()
    if "ktdf_arch.transfer_granularity" in op.attributes:
        granularity = tuple(ir.DenseI64ArrayAttr(op.attributes["ktdf_arch.transfer_granularity"]))
    queue = _dictionary(_features(op).get("ktdf_arch.feature.queue"))
    depth = queue.get("depth")
    return Link(
        source=source,
        target=target,
        bandwidth=_number(op, "ktdf_arch.bandwidth", like.bandwidth if like else None, sink),
        granularity=granularity,
        latency=_number(op, "spyrec.latency", like.latency if like else None, sink, low=0),
        queue_depth=ir.IntegerAttr(depth).value if depth is not None else None,
    )


def _record(
    cls: type[_T],
    name: str,
    attributes: Mapping[str, ir.Attribute],
    defaults: _T | None,
    op: ir.Operation,
    sink: Sink,
) -> _T:
    """Timing or limits: integers by name; the rest from ``defaults``."""
    given = _dictionary(attributes.get(name))
    wanted = [f.name for f in fields(cls)]
    for key in given:
        if key not in wanted:
            sink.error(op, "bad-device", f"{name} has no entry '{key}'", field=name, notes=[", ".join(wanted)])
    values: dict[str, int] = {}
    for key in wanted:
        value = given.get(key)
        if isinstance(value, ir.IntegerAttr) and value.value >= 0:
            values[key] = value.value
        elif value is not None:
            sink.error(op, "bad-device", f"{name}.{key} must be a number, but is {value}", field=name)
            values[key] = 0
        elif defaults is not None:
            values[key] = getattr(defaults, key)
        else:
            sink.error(op, "bad-device", f"{name} must say {key}", field=name)
            values[key] = 0
    return cls(**values)


def _number(op: ir.Operation, name: str, default: int | None, sink: Sink, *, low: int = 1) -> int:
    value = _integer(op, name, sink, low=low)
    if value is not None:
        return value
    if default is None:
        sink.error(op, "bad-device", f"{name} is missing, and no other device says it", field=name)
        return low
    return default


def _integer(op: ir.Operation, name: str, sink: Sink, *, low: int = 1) -> int | None:
    if name not in op.attributes:
        return None
    value = op.attributes[name]
    if isinstance(value, ir.IntegerAttr) and value.value >= low:
        return value.value
    sink.error(op, "bad-device", f"{name} must be a number of at least {low}, but is {value}", field=name)
    return None


def _lanes(features: Mapping[str, ir.Attribute]) -> dict[str, int]:
    entries: Any = _dictionary(features.get("ktdf_arch.feature.simd")).get("lanes")
    if not isinstance(entries, ktdf_arch.MapAttr):
        return {}
    pairs = [ir.ArrayAttr(pair) for pair in ir.ArrayAttr(entries.entries)]
    return {_text(key): ir.IntegerAttr(value).value for key, value in pairs}


def _features(op: ir.Operation) -> dict[str, ir.Attribute]:
    name = "ktdf_arch.features"
    return _dictionary(op.attributes[name]) if name in op.attributes else {}


def _dictionary(attribute: ir.Attribute | None) -> dict[str, ir.Attribute]:
    if not isinstance(attribute, ir.DictAttr):
        return {}
    entries = [attribute[position] for position in range(len(attribute))]
    return {entry.name: entry.attr for entry in entries}


def _text(attribute: ir.Attribute) -> str:
    """A kind, role or key as text: strings without their quotes, everything else as it prints."""
    return attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)
