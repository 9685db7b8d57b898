"""A function at stage `schedule` read into the skeleton that the analyses work on.

Every op that touches memory must be a `dataflow.data_transfer` or a linalg op on buffers, and name its unit; scalar ops
are passed over. What is not of that form is reported to the sink, and there is no result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from spyrec import diag
from spyrec.dialects.dataflow import AllocOp, ChannelOp, DataTransferOp, PostOp, TileIdOp, WaitOp
from spyrec.mlir import ir
from spyrec.numerics.errors import UnknownType
from spyrec.numerics.types import scalar_type
from spyrec.ods.fields import value_counts
from spyrec.passes.analysis import kernels, support
from spyrec.passes.analysis.buffer_views import VIEWS, view_of
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.instances import effective_depth
from spyrec.passes.analysis.linear import Interval, Leaf, Linear
from spyrec.passes.analysis.places import (
    BoxPlace,
    BufferPlace,
    PartPlace,
    Place,
    UnknownPlace,
    Variable,
    buffer_of,
    meet_between_cores,
)
from spyrec.passes.analysis.skeleton import (
    Access,
    Block,
    Branch,
    Channel,
    Item,
    Loop,
    Program,
    blocks,
)
from spyrec.passes.analysis.skeleton import Leaf as UnitOp
from spyrec.passes.analysis.slices import UNIT, Slice, by_unit, condition_of, unit_of

_UNBOUNDED = 1 << 40
"""An interval wider than this says nothing about an address."""


@dataclass
class Allocation:
    """One `dataflow.alloc`: its op, where it stands, and the place that accesses to it name."""

    op: ir.Operation
    block: Block
    place: BufferPlace
    requested_depth: int


@dataclass
class Schedule:
    """What :func:`read` gives."""

    function: ir.Operation
    program: Program
    values: IndexValues
    allocations: list[Allocation] = field(default_factory=list)
    channels: dict[str, ir.Operation] = field(default_factory=dict)
    varies: dict[Loop, frozenset[Loop]] = field(default_factory=dict)
    pinned: BufferPlace | None = None
    """The bytes of LX that transfers name by address, if any do: they are the kernel's, and no buffer lies in them."""
    exposed: set[BufferPlace] = field(default_factory=set)
    """Buffers that other cores read or write."""

    def kept(self, alignment: int) -> tuple[int, int]:
        """From where to where LX is the kernel's, in whole sticks."""
        if self.pinned is None:
            return (0, 0)
        end = self.pinned.address + self.pinned.size
        return self.pinned.address // alignment * alignment, -(-end // alignment) * alignment


def read(function: ir.Operation, sink: diag.Sink, *, placed: bool) -> Schedule | None:
    """The schedule of ``function`` (a ``func.func`` with a body); ``None`` after something was reported.

    ``placed``: buffers must have addresses. Otherwise addresses and slot sizes are 0.
    """
    reader = _Reader(function, sink, placed)
    reader.block(reader.entry, reader.schedule.program.body)
    return None if reader.refused else reader.finish()


def element_bytes(type_: ir.Type) -> int:
    """Bytes of one element in memory. Raises :class:`spyrec.numerics.errors.UnknownType`."""
    return scalar_type(str(type_)).size


class _Reader:
    """One reading of one function."""

    def __init__(self, function: ir.Operation, sink: diag.Sink, placed: bool) -> None:
        self.function = function
        self.sink = sink
        self.placed = placed
        self.refused = False
        self.entry = function.regions[0].blocks[0]
        self.values = IndexValues(function, kernels.tiles(function))
        self.schedule = Schedule(function, Program(Block(ref=self.entry), ()), self.values)
        self.units: dict[str, int] = {}
        self.places: dict[Place, Place] = {}
        self.buffers: dict[ir.Value, BufferPlace] = {}
        self.blocks: dict[ir.Block, Block] = {}
        self.loops: dict[ir.Block, Loop] = {}
        self.variables: dict[object, Variable] = {}
        self.exchanges: list[Item] = []
        self.tiles: set[object] = set()
        self.posts: dict[str, list[tuple[Block, int, ir.Operation]]] = {}
        self.waits: dict[str, list[tuple[Block, int, ir.Operation]]] = {}
        arguments = kernels.arguments(function)
        self.arguments = {ir.Value(a): number for number, a in enumerate(arguments)}
        self.names = [kernels.argument_name(a) for a in arguments]
        self.may_alias = frozenset(a.arg_number for a in arguments if kernels.may_alias(a))

    def finish(self) -> Schedule:
        self._exchange_all()
        program = self.schedule.program
        program.units = tuple(self.units)
        self._pair_channels()
        return self.schedule

    def refuse(self, where: ir.Operation, id: str, message: str, field: str | None = None) -> None:
        self.refused = True
        self.sink.error(where, id, message, field)

    # Structure

    def block(self, block: ir.Block, into: Block) -> None:
        """Read the ops of ``block`` as items of ``into``."""
        self.blocks[block] = into
        for view in block.operations:
            op = view.operation
            name = op.name
            if isinstance(view, AllocOp):
                self._alloc(view, into)
            elif isinstance(view, DataTransferOp):
                self._item(op, [view.unit.value], self._transfer(view, into), into)
            elif isinstance(view, ChannelOp):
                self.schedule.channels[view.sym_name.value] = op
            elif isinstance(view, PostOp | WaitOp) and len(op.operands):
                self._item(op, [unit_of(op) or ""], (), into)
                self.exchanges.append(into.items[-1])
            elif isinstance(view, PostOp | WaitOp):
                ends = self.posts if isinstance(view, PostOp) else self.waits
                ends.setdefault(view.channel.value, []).append((into, len(into.items), op))
            elif name == "scf.for":
                self._loop(op, into)
            elif name == "scf.if":
                self._branch(op, into)
            elif name == "scf.while":
                self._while(op, into)
            elif name == "memref.load":
                self._load(op, into)
            elif name.startswith("linalg.") and name != "linalg.yield":
                self._compute(op, into)
            elif op.name not in VIEWS and not self._is_scalar(op):
                self.refuse(
                    op,
                    "unsupported-op",
                    f"'{name}' cannot be part of a schedule: it is no transfer, no compute on buffers, no loop, "
                    "no branch and no scalar op",
                )

    def _is_scalar(self, op: ir.Operation) -> bool:
        if op.name in ("func.return", "scf.condition", "scf.yield", TileIdOp.NAME):
            return True
        shaped = any(isinstance(value.type, ir.ShapedType) for value in (*op.operands, *op.results))
        return op.name in support.SCALAR_OPS and not shaped

    def _loop(self, op: ir.Operation, into: Block) -> None:
        self._handed_out(op)
        loop = Loop(into, len(into.items) + 1, op)
        low, high, step = (self.values.form(operand) for operand in list(op.operands)[:3])
        span = self.values.interval(high - low)
        if step.is_constant and step.constant > 0:
            loop.min_trips = max(0, -(-span.low // step.constant))
            most = max(0, -(-span.high // step.constant))
            loop.max_trips = most if most < _UNBOUNDED else None
        self.schedule.varies[loop] = self._loops_of(low) | self._loops_of(high) | self._loops_of(step)
        body = op.regions[0].blocks[0]
        self.loops[body] = loop
        loop.body = Block((*into.loops, loop), loop, ref=body)
        self.block(body, loop.body)
        self._add(loop, into)

    def _branch(self, op: ir.Operation, into: Block) -> None:
        self._handed_out(op)
        branch = Branch(into, len(into.items) + 1, op)
        arms = []
        for region in op.regions:
            arm = Block(into.loops)
            for block in region.blocks:
                arm.ref = block
                self.block(block, arm)
            arms.append(arm)
        branch.arms = tuple(arms)
        self._add(branch, into)

    def _while(self, op: ir.Operation, into: Block) -> None:
        """The test is executed once more than the rest, which makes that a branch of it."""
        self._handed_out(op)
        loop = Loop(into, len(into.items) + 1, op, min_trips=1, counted=False)
        test, rest = (region.blocks[0] for region in op.regions)
        loop.body = Block((*into.loops, loop), loop, ref=test)
        self.schedule.varies[loop] = frozenset(loop.body.loops)
        self.block(test, loop.body)
        branch = Branch(loop.body, len(loop.body.items) + 1, condition_of(op))
        arm = Block(loop.body.loops, ref=rest)
        self.block(rest, arm)
        branch.arms = (arm, Block(loop.body.loops))
        self._add(branch, loop.body)
        self._add(loop, into)

    def _handed_out(self, op: ir.Operation) -> None:
        if any(not isinstance(result.type, ir.IntegerType | ir.IndexType) for result in op.results):
            message = f"{op.name} of a schedule hands out integers alone; what is in buffers stays there"
            self.refuse(op, "carried-value", message)

    def _load(self, op: ir.Operation, into: Block) -> None:
        """A read by each unit that needs the value."""
        needing = [unit for unit, part in self.slices.items() if op in part.ops]
        if needing:
            self._item(op, needing, self._buffer_access(op, op.operands[0], "memref", False, whole=False), into)

    @cached_property
    def slices(self) -> dict[str, Slice]:
        """What each unit executes."""
        return {unit: Slice(self.function, own) for unit, own in by_unit(self.function).items()}

    def _item(self, op: ir.Operation, names: Sequence[str], accesses: Sequence[Access], into: Block) -> None:
        numbers = tuple(self.units.setdefault(unit, len(self.units)) for unit in names)
        self._add(UnitOp(into, len(into.items) + 1, op, numbers, tuple(accesses)), into)

    @staticmethod
    def _add(item: Item, into: Block) -> None:
        into.items.append(item)

    # Accesses

    def _alloc(self, view: AllocOp, into: Block) -> None:
        memref = ir.MemRefType(view.result.type)
        try:
            size = math.prod(memref.shape) * element_bytes(memref.element_type)
        except UnknownType as error:
            self.refuse(view.operation, "unknown-type", str(error), "type(result)")
            size = 0
        if self.placed and (view.address is None or view.slot_bytes is None):
            self.refuse(view.operation, "no-address", "the buffer has no address yet: run assign-addresses first")
        requested = 1 if view.depth is None else view.depth.value
        place = BufferPlace(
            name="buffer" if view.name_ is None else view.name_.value,
            address=0 if view.address is None else view.address.value,
            slot_bytes=0 if view.slot_bytes is None else view.slot_bytes.value,
            depth=effective_depth(requested, into, self.schedule.varies),
            size=size,
            loop=into.loops[-1] if into.loops else None,
        )
        self.buffers[view.result] = place
        self.schedule.allocations.append(Allocation(view.operation, into, place, requested))

    def _transfer(self, view: DataTransferOp, into: Block) -> list[Access]:
        accesses: list[Access] = []
        found = operands(view)
        remote = {"source": bool(found["get_from"]), "dest": bool(found["put_to"])}
        moved = {ir.StringAttr(side).value for side in view.index_sides or ()}
        for side, other, write in (("source", "dest", False), ("dest", "source", True)):
            # Points outside of the clip are not touched, unless they are filled.
            whole = side not in moved and (view.static_lower is None or (write and view.fill is not None))
            # The other core may be this one.
            whole = whole and not remote[side]
            for buffer in found[side]:
                own = self._buffer_access(view.operation, buffer, side, write, whole, anywhere=side in moved)
                accesses += own
                if remote[side]:
                    self.schedule.exposed.update(b for a in own if (b := buffer_of(a.place)) is not None)
            if not found[side]:
                accesses += self._box_access(
                    view, found, side, found[other][0], write, whole, into, anywhere=side in moved
                )
        for list_ in found["indices"]:
            accesses += self._buffer_access(view.operation, list_, "indices", False)
        return accesses

    def _buffer_access(
        self,
        op: ir.Operation,
        buffer: ir.Value,
        field: str,
        write: bool,
        whole: bool = True,
        *,
        anywhere: bool = False,
    ) -> list[Access]:
        """The access to what is shown of a buffer; to all of it where only the run knows which part that is."""
        view = view_of(buffer)
        place = self.buffers.get(view.root) if view is not None else None
        if view is None or place is None:
            message = "an operand in LX must be the result of a dataflow.alloc, or a view of one with static strides"
            self.refuse(op, "unknown-buffer", message, field)
            return []
        if not place.size or 0 in view.shape:
            return []
        start = Linear.of(view.offset)
        for value, factor in view.terms:
            start = start + self.values.form(value).scaled(factor)
        if anywhere or not start.is_constant:
            return [Access(place, write, whole=False)]
        size = element_bytes(view.element_type)
        box, element = _contiguous([(s * size, n) for s, n in zip(view.strides, view.shape, strict=True)], size)
        part = PartPlace(place, start.constant * size, box, element)
        found = place if element == place.size else self.places.setdefault(part, part)
        return [Access(found, write, whole)]

    def _box_access(
        self,
        view: DataTransferOp,
        found: dict[str, list[ir.Value]],
        side: str,
        buffer: ir.Value,
        write: bool,
        whole: bool,
        into: Block,
        *,
        anywhere: bool,
    ) -> list[Access]:
        memref = ir.MemRefType(buffer.type)
        if 0 in memref.shape:
            return []
        if getattr(view, f"{side}_space").value == "lx":
            return self._pinned_access(view, found, side, memref, write)
        base = next(iter(found[f"{side}_base"]), None)
        number, rest = self._base(base)
        name = self.names[number] if number is not None else "memory" if base is None else "pointer"
        strides = list(getattr(view, f"{side}_strides"))
        whole = whole and not (anywhere or found[f"{side}_dyn_strides"])
        if base is not None and number is None:
            place: Place = UnknownPlace(name)
        elif anywhere or found[f"{side}_dyn_strides"]:
            place = self._anywhere(name, number, into)
        else:
            size = element_bytes(memref.element_type)
            form = rest + self._index(found[f"{side}_offset"][0]).scaled(size)
            box, element = _contiguous([(s * size, n) for s, n in zip(strides, memref.shape, strict=True)], size)
            start, variables = self._variables(form)
            may_alias = number is not None and number in self.may_alias
            place = BoxPlace(name, number, may_alias, start, variables, box, element)
        place = self.places.setdefault(place, place)
        return [Access(place, write, whole and not isinstance(place, UnknownPlace))]

    def _pinned_access(
        self,
        view: DataTransferOp,
        found: dict[str, list[ir.Value]],
        side: str,
        memref: ir.MemRefType,
        write: bool,
    ) -> list[Access]:
        """The access to bytes of LX that have an address of their own; all of those are taken as one buffer."""
        size = element_bytes(memref.element_type)
        start = self._index(found[f"{side}_offset"][0]).scaled(size)
        for base in found[f"{side}_base"]:
            start = start + self._index(base)
        known = self.values.interval(start, at=view.operation)
        if found[f"{side}_dyn_strides"] or known not in Interval(-_UNBOUNDED, _UNBOUNDED):
            message = "bytes of LX of which nothing bounds the address could be those of any buffer"
            self.refuse(view.operation, "unsupported-view", message, f"{side}_offset")
            return []
        reach = [(n - 1) * s * size for n, s in zip(memref.shape, getattr(view, f"{side}_strides"), strict=True)]
        # What a clip leaves out may be below the first byte.
        low = max(0, known.low + sum(r for r in reach if r < 0))
        high = known.high + sum(r for r in reach if r > 0) + size
        place = self.schedule.pinned
        if place is None:
            place = self.schedule.pinned = BufferPlace("pinned", low, high - low, 1, high - low, None)
        high = max(high, place.address + place.size)
        place.address = min(low, place.address)
        place.size = place.slot_bytes = high - place.address
        return [Access(place, write, whole=False)]

    def _anywhere(self, name: str, number: int | None, into: Block) -> Place:
        """Bytes of one argument of which only the run knows where they are, other ones each time."""
        variable = Variable(frozenset(into.loops))
        return BoxPlace(name, number, number is not None and number in self.may_alias, 0, ((variable, 1),), (), 1)

    def _compute(self, op: ir.Operation, into: Block) -> None:
        if op.name != "linalg.generic":
            self.refuse(
                op, "unsupported-op", f"'{op.name}' must be a linalg.generic here: run linalg-generalize-named-ops"
            )
            return
        if UNIT not in op.attributes:
            self.refuse(op, "no-unit", f"the op does not name its unit: attribute {UNIT} is missing")
            return
        body = op.regions[0].blocks[0]
        outputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[1]
        accesses: list[Access] = []
        for position, operand in enumerate(op.operands):
            if not isinstance(operand.type, ir.MemRefType):
                if isinstance(operand.type, ir.ShapedType):
                    self.refuse(
                        op, "unsupported-op", f"operand {position} is a {operand.type}; a schedule has no tensors"
                    )
                continue
            map_ = ir.AffineMapAttr(ir.ArrayAttr(op.attributes["indexing_maps"])[position]).value
            whole = map_.is_projected_permutation
            written = position >= len(op.operands) - outputs
            if not written or next(iter(body.arguments[position].uses), None) is not None:
                accesses += self._buffer_access(op, operand, f"operand {position}", False, whole)
            if written:
                accesses += self._buffer_access(op, operand, f"operand {position}", True, whole)
        self._item(op, [unit_of(op) or ""], accesses, into)

    # Addresses

    def _base(self, base: ir.Value | None) -> tuple[int | None, Linear]:
        """The argument that a base is, and what is added to it (bytes)."""
        if base is None:
            return None, Linear.of(0)
        form = self._index(base)
        for atom, factor in form.terms:
            if isinstance(atom, Leaf) and factor == 1:
                number = self.arguments.get(self.values.value(atom))
                if number is not None:
                    return number, form - Linear.atom(atom)
        return None, form

    def _index(self, value: ir.Value) -> Linear:
        """The form of an address. What `affine.apply` says holds without wrapping around, by its definition."""
        op = kernels.defining(value)
        if op is None or op.name != "affine.apply":
            return self.values.form(value)
        map_ = ir.AffineMapAttr(op.attributes["map"]).value
        forms = [self._index(operand) for operand in op.operands]
        form = self.values.expression(map_.results[0], forms[: map_.n_dims], forms[map_.n_dims :])
        return self.values.form(value) if form is None else form

    def _variables(self, form: Linear) -> tuple[int, tuple[tuple[Variable, int], ...]]:
        """``form`` over counters that start at 0 and go up by 1, and over what else it depends on."""
        factors: dict[Variable, int] = {}
        constant = form.constant
        todo = list(form.terms)
        while todo:
            atom, factor = todo.pop()
            loop = self._counted(atom) if isinstance(atom, Leaf) else None
            if loop is None:
                variable = self._variable(("value", atom), self._loops_of(Linear.atom(atom)), None, Linear.atom(atom))
            else:
                low, _, step = (self.values.form(operand) for operand in list(loop.ref.operands)[:3])
                todo += low.scaled(factor).terms
                constant += low.constant * factor
                factor *= step.constant
                variable = self._variable(("counter", loop), frozenset(loop.body.loops), loop, None)
            factors[variable] = factors.get(variable, 0) + factor
        order = {variable: position for position, variable in enumerate(self.variables.values())}
        kept = [(variable, factor) for variable, factor in factors.items() if factor]
        return constant, tuple(sorted(kept, key=lambda pair: order[pair[0]]))

    def _counted(self, atom: Leaf) -> Loop | None:
        """The loop whose counter ``atom`` is, when its step is a constant."""
        value = self.values.value(atom)
        if not isinstance(value, ir.BlockArgument) or value.arg_number:
            return None
        loop = self.loops.get(value.owner)
        return loop if loop is not None and self.values.form(loop.ref.operands[2]).is_constant else None

    def _variable(self, key: object, loops: frozenset[Loop], counter: Loop | None, form: Linear | None) -> Variable:
        found = self.variables.get(key)
        if found is None:
            if counter is not None:
                low: int | None = 0
                high = None if counter.max_trips is None else max(0, counter.max_trips - 1)
            else:
                interval = self.values.interval(form) if form is not None else Interval.signed(64)
                known = interval in Interval(-_UNBOUNDED, _UNBOUNDED)
                low, high = (interval.low, interval.high) if known else (None, None)
            found = self.variables[key] = Variable(loops, counter, low, high)
            if form is not None and any(self._is_tile(leaf) for leaf in form.leaves() if form == Linear.atom(leaf)):
                self.tiles.add(key)
        return found

    def _is_tile(self, leaf: Leaf) -> bool:
        op = kernels.defining(self.values.value(leaf))
        return op is not None and isinstance(op.opview, TileIdOp)

    def _loops_of(self, form: Linear) -> frozenset[Loop]:
        """The loops in whose iterations ``form`` may differ."""
        loops: set[Loop] = set()
        for leaf in form.leaves():
            value = self.values.value(leaf)
            owner = value.owner
            if isinstance(owner, ir.Block):
                loops.update(self.blocks[owner].loops)
            elif owner.name != TileIdOp.NAME:
                loops.update(self.blocks[owner.operation.block].loops)
        return frozenset(loops)

    # Other cores

    def _exchange_all(self) -> None:
        """What a post to another core or a wait for one orders: everything that cores share, in all of its instances.

        A core may read what another has stored before it posted, and write again what others had read before it waited.
        """
        if not self.exchanges:
            return
        exposed = [*self.schedule.exposed, *([self.schedule.pinned] if self.schedule.pinned is not None else [])]
        parts = [PartPlace(place, 0, (), place.size, any_slot=True) for place in exposed if place.size]
        for item in self.exchanges:
            assert isinstance(item, UnitOp)
            places: list[Place] = [*parts]
            for number in self._shared_memory:
                unknown = UnknownPlace("memory")
                place = unknown if number is None else self._anywhere(self.names[number], number, item.block)
                places.append(place)
            waits = isinstance(item.ref.opview, WaitOp)
            item.accesses = tuple(
                Access(self.places.setdefault(place, place), True, whole=False, before=waits, after=not waits)
                for place in places
            )

    @cached_property
    def _shared_memory(self) -> list[int | None]:
        """Arguments whose memory cores may have in common, one of them writing it; ``None`` for all other memory."""
        reads: dict[int | None, list[Place]] = {}
        writes: dict[int | None, list[Place]] = {}
        for block in blocks(self.schedule.program.body):
            for item in block.items:
                for access in item.accesses if isinstance(item, UnitOp) else ():
                    if buffer_of(access.place) is None:
                        number = access.place.base if isinstance(access.place, BoxPlace) else None
                        (writes if access.write else reads).setdefault(number, []).append(access.place)
        found = [n for n, places in writes.items() if n in reads or n is None or not self._apart_on_cores(places)]
        return found if None not in writes else [*(n for n in {**reads, **writes} if n is not None), None]

    def _apart_on_cores(self, places: Sequence[Place]) -> bool:
        """Whether no byte of these places is one of another core's."""
        tile = next((v for key, v in self.variables.items() if key in self.tiles), None)
        boxes = [place for place in places if isinstance(place, BoxPlace)]
        if tile is None or len(boxes) < len(places) or any(box.may_alias for box in boxes):
            return False
        tiles = kernels.tiles(self.function)
        return not any(meet_between_cores(a, b, tile, tiles) for k, a in enumerate(boxes) for b in boxes[k:])

    # Channels

    def _pair_channels(self) -> None:
        """Channels with one post and one wait in one block; others order nothing that the analysis could use."""
        for name, op in self.schedule.channels.items():
            if "peers" in op.attributes:
                continue
            posts, waits = self.posts.get(name, []), self.waits.get(name, [])
            if len(posts) != 1 or len(waits) != 1 or posts[0][0] is not waits[0][0]:
                continue
            view = ChannelOp(op)
            ends = [self.units.setdefault(end.value, len(self.units)) for end in (view.from_unit, view.to_unit)]
            (block, post, _), (_, wait, _) = posts[0], waits[0]
            block.channels.append(Channel(ends[0], ends[1], view.init.value, post, wait, name))
        self.schedule.program.units = tuple(self.units)


def operands(view: DataTransferOp) -> dict[str, list[ir.Value]]:
    """All operands of a transfer by field: the accessors count them anew each time."""
    values = list(view.operation.operands)
    found = {}
    at = 0
    for spec, count in zip(view.spec.operands, value_counts(view, operands=True), strict=True):
        found[spec.name] = values[at : at + count]
        at += count
    return found


def _contiguous(dims: list[tuple[int, int]], element: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """A box without dimensions that say nothing, bytes that lie side by side being one element."""
    left = sorted(((stride, extent) for stride, extent in dims if stride and extent > 1), key=lambda dim: abs(dim[0]))
    while left and left[0][0] == element:
        element *= left.pop(0)[1]
    return tuple(left), element
