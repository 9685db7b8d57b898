"""The gate of stage ``program``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from spyrec.device.model import Device, spoken
from spyrec.dialects.dataflow import (
    LX,
    BufferOp,
    ChannelOp,
    ContractOp,
    PostOp,
    ProgramUnitOp,
    ScalarLoadOp,
    StreamOp,
    TransferOp,
    WaitOp,
)
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, support
from spyrec.passes.analysis.control import Path, paths
from spyrec.passes.analysis.dry_run import check
from spyrec.passkit import Pass, PassContext

_BROKEN = "stage-invariant"

_ROLES: dict[str, tuple[str, ...]] = {
    TransferOp.NAME: ("load", "store", "ring"),
    StreamOp.NAME: ("vector",),
    ContractOp.NAME: ("matrix",),
}
"""The roles of the units that can execute an op."""


@dataclass
class VerifyProgram(Pass):
    """Hold the compiler to what stage ``program`` promises.

    A function is scalar ops that are the same everywhere, then buffers, channels and one program per unit. Units are
    those of the device, and hold what they can execute: transfers between memories that they link, and compute on LX.
    Buffers lie in LX and in stages of the device. Each channel is posted by one unit and
    waited for by another, as often in each loop and each arm, so that every region leaves its value as it was. What
    is found otherwise is reported with the name of the pass that should have seen to it (``stage-invariant``).

    A program of which all that holds is then executed without data, for each class of inputs: unknown numbers of
    iterations are 0, 1, D, D + 1 and 2 D + 1, where D is how far units run ahead, unknown conditions go both ways,
    loops that are longer are run for a few iterations (for all of them where something reads what a few do not write,
    for more where a few leave something unordered).
    Since only channels order units, one execution decides for every timing: that no two accesses to the same bytes race
    (``race``, with both places), that no unit waits for ever (``deadlock``, with the cycle of waiters), that channels
    end as they began (``channel-misuse``), and that accesses stay inside of what they name, aligned, and read what was
    written there. What was not looked at gets a remark (``not-proven``): an execution that takes too long, and bytes
    that two cores write in no order, which is right if both write the same values.

    Refused, for example, because the wait is executed four times and the post once::

        dataflow.program_unit @load(%core) {
          dataflow.transfer ...
          dataflow.post @x_full
        }
        dataflow.program_unit @sfu(%core) {
          scf.for %i = %c0 to %c4 step %c1 {
            dataflow.wait @x_full

    It changes nothing: the IR after is the IR before.
    """

    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if kernels.has_body(op):
            _Check(op, ctx).run()


_ADVICE = "nothing orders compute tiles but ktdp.inter_tile_produce and what takes from it"


@dataclass
class _Ends:
    """The posts and waits of a channel: unit, op, and the control around it."""

    posts: list[tuple[str, ir.Operation, Path]] = field(default_factory=list)
    waits: list[tuple[str, ir.Operation, Path]] = field(default_factory=list)


class _Check:
    """One check of one function."""

    def __init__(self, function: ir.Operation, ctx: PassContext) -> None:
        self.function = function
        self.ctx = ctx
        self.device: Device = ctx.device
        self.names: set[str] = set()
        self.buffers: dict[str, BufferOp] = {}
        self.channels: dict[str, ChannelOp] = {}
        self.units: list[ProgramUnitOp] = []
        self.labels: set[str] = set()
        self.ends: defaultdict[str, _Ends] = defaultdict(_Ends)
        self.sound = True

    def run(self) -> None:
        for view in self.function.regions[0].blocks[0].operations:
            op = view.operation
            if isinstance(view, BufferOp):
                self._declare(op, view.sym_name.value)
                self.buffers[view.sym_name.value] = view
                self._buffer(view)
            elif isinstance(view, ChannelOp):
                self._declare(op, view.sym_name.value)
                self.channels[view.sym_name.value] = view
            elif isinstance(view, ProgramUnitOp):
                label = _label(view)
                if label in self.labels:
                    kind, corelet = _place(view)
                    self.broken(op, f"unit '{kind}' has two programs on corelet {corelet}; split-units makes one")
                self.labels.add(label)
                self.units.append(view)
            elif op.name not in support.SCALAR_OPS and op.name != "func.return":
                self.broken(op, f"{op.name} is still here at stage program; split-units should have removed it")
        for unit in self.units:
            self._unit(unit)
        for name, channel in self.channels.items():
            self._joined(name, channel)
        # What goes wrong says more than that posts and waits do not pair up.
        found = check.verdict(self.function, self.device) if self.sound else check.Verdict()
        for fault in found.faults:
            advice = [_ADVICE] if fault.id == "tile-race" else []
            self.ctx.sink.error(fault.op, fault.id, fault.message, notes=[*fault.notes, *advice])
        if not found.faults:
            for fault in found.unproven.values():
                self.ctx.sink.remark(fault.op, fault.id, fault.message, notes=fault.notes)
            for name, channel in self.channels.items():
                self._balance(name, channel)

    def broken(self, op: ir.Operation, message: str, field: str | None = None) -> None:
        self.sound = False
        self.ctx.sink.error(op, _BROKEN, message, field)

    def _declare(self, op: ir.Operation, name: str) -> None:
        if name in self.names:
            self.broken(op, f"there are two symbols @{name}; split-units gives each its own name")
        self.names.add(name)

    def _buffer(self, view: BufferOp) -> None:
        memory = self.device.buffered(view.memory)
        if memory is None:
            known = ", ".join(self.device.rooms())
            message = f"device '{self.device.name}' has no memory '{view.memory}' for buffers, only {known}"
            self.broken(view.operation, message, "space")
            return
        end, room = view.address.value + view.slot_bytes.value * view.depth.value, self.device.share(memory)
        if end > room:
            message = f"buffer @{view.sym_name.value} ends at byte {end} of {spoken(view.memory)}, which has {room}"
            self.broken(view.operation, f"{message}; assign-addresses should have seen that")
        for name in ("address", "slot_bytes"):
            if getattr(view, name).value % memory.alignment:
                message = f"{name} is {getattr(view, name).value}, which is no multiple of {memory.alignment}"
                self.broken(view.operation, f"{message}; assign-addresses aligns buffers", name)

    # Units

    def _unit(self, view: ProgramUnitOp) -> None:
        kind = view.unit.value
        unit = self.device.units.get(kind)
        if unit is None:
            known = ", ".join(self.device.units)
            self.broken(view.operation, f"device '{self.device.name}' has no unit '{kind}', only {known}", "unit")
            return
        label = _label(view)
        for op, path in paths(view.operation):
            inner = op.opview
            if isinstance(inner, PostOp | WaitOp):
                self._end(label, inner, path)
            elif isinstance(inner, TransferOp | StreamOp | ContractOp):
                if unit.role not in _ROLES[op.name]:
                    self.broken(op, f"unit '{kind}' (a {unit.role} unit) cannot execute {op.name}")
                elif isinstance(inner, TransferOp):
                    self._route(inner, kind)
                self._operands(op, _buffers(inner))
            elif isinstance(inner, ScalarLoadOp):
                self._operands(op, [("buffer", inner.buffer, LX)])
            elif op.name not in support.SCALAR_OPS and op.name not in support.CONTROL_OPS:
                self.broken(op, f"{op.name} stands in the program of unit '{kind}'; split-units should have lowered it")

    def _route(self, view: TransferOp, unit: str) -> None:
        """The unit links the memories of the transfer."""
        linked = {(link.source, link.target) for link in self.device.links}
        for side in ("source", "dest"):
            space = getattr(view, f"{side}_space").value
            memory = self.device.called(space)
            kind = space if memory is None else memory.kind
            source, target = (kind, unit) if side == "source" else (unit, kind)
            if (source, target) not in linked:
                message = f"device '{self.device.name}' has no link from '{source}' to '{target}'"
                self.broken(view.operation, message, f"{side}_space")

    def _operands(self, op: ir.Operation, operands: Iterable[tuple[str, ir.FlatSymbolRefAttr, str]]) -> None:
        """Buffers are there, and lie where the op says."""
        for name, attribute, memory in operands:
            buffer = self.buffers.get(attribute.value)
            if buffer is None:
                self.broken(op, f"there is no buffer @{attribute.value}", name)
            elif buffer.memory != memory:
                where = f"buffer @{attribute.value} lies in {spoken(buffer.memory)}"
                self.broken(op, f"{where}, and the op takes it to be in {spoken(memory)}", name)

    def _end(self, kind: str, view: PostOp | WaitOp, path: Path) -> None:
        name = view.channel.value
        channel = self.channels.get(name)
        if channel is None:
            self.broken(view.operation, f"there is no channel @{name}", "channel")
            return
        posts = isinstance(view, PostOp)
        owner = (channel.from_unit if posts else channel.to_unit).value
        if owner != kind:
            verb = "posted" if posts else "waited for"
            self.broken(view.operation, f"@{name} is {verb} by unit '{owner}', not by '{kind}'", "channel")
        ends = self.ends[name]
        (ends.posts if posts else ends.waits).append((kind, view.operation, path))

    # Channels

    def _joined(self, name: str, view: ChannelOp) -> None:
        for end in ("from_unit", "to_unit"):
            kind = getattr(view, end).value
            if kind not in self.labels:
                self.broken(view.operation, f"@{name} joins a unit '{kind}' that has no program", end)
                self.ends.pop(name, None)
                return

    def _balance(self, name: str, view: ChannelOp) -> None:
        if view.peers is not None:
            return  # a post to one core and the wait of another need not stand in the same region
        ends = self.ends[name]
        posts = Counter(path for _, _, path in ends.posts)
        waits = Counter(path for _, _, path in ends.waits)
        for path in (*posts, *waits):
            if posts[path] != waits[path]:
                some = ends.posts if posts[path] > waits[path] else ends.waits
                op = next(op for _, op, where in some if where == path)
                message = (
                    f"@{name} is posted {_times(posts[path])} and waited for {_times(waits[path])} in "
                    f"{path.describe()}; the two must be equal"
                )
                self.broken(op, message, "channel")
                return


def _buffers(view: TransferOp | StreamOp | ContractOp) -> Iterator[tuple[str, ir.FlatSymbolRefAttr, str]]:
    """Fields that name buffers, and the memories that these have to lie in."""
    if isinstance(view, TransferOp):
        for side in ("source", "dest"):
            attribute = getattr(view, f"{side}_buffer")
            if attribute is not None:
                yield f"{side}_buffer", attribute, getattr(view, f"{side}_space").value
        yield from (("index_buffers", ir.FlatSymbolRefAttr(list_), LX) for list_ in view.index_buffers or ())
        return
    if isinstance(view, ContractOp):
        yield from ((name, getattr(view, name), LX) for name in ("lhs_buffer", "rhs_buffer", "acc_buffer"))
        return
    for name in ("input_buffers", "output_buffers"):
        for attribute in getattr(view, name):
            yield name, attribute, LX


def _place(view: ProgramUnitOp) -> tuple[str, int]:
    """Kind and corelet of the unit that runs a program."""
    return view.unit.value, view.corelet.value if view.corelet is not None else 0


def _label(view: ProgramUnitOp) -> str:
    """The name under which channels refer to a unit: ``sfu``, on the second corelet ``sfu.1``."""
    kind, corelet = _place(view)
    return f"{kind}.{corelet}" if corelet else kind


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
