"""Ops of the schedule stage: buffers, transfers with a route, synchronisation; still one sequential program."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.dialects.dataflow.checks import (
    CLIP,
    LISTS,
    clip_problems,
    list_problems,
    peer_places,
    peer_problems,
    strides_per_dimension,
)
from spyrec.dialects.dataflow.types import AnyBuffer, Buffer, Dataflow, Maps, Space, Strings
from spyrec.mlir import ir
from spyrec.ods import constraints as c


class AllocOp(ods.Op, dialect=Dataflow, name="alloc", effects=ods.Alloc):
    """A buffer in the scratchpad of the executing core, or in a stage.

    Its scope is its block: in the body of a loop each iteration has a fresh instance. `depth` says how many instances
    may be alive at once, so how far units may run ahead of one another; it changes no result. Instance `n` of the
    innermost loop (counted over all executions) uses slot `n mod depth`.
    """

    depth = ods.optional_attr(c.PositiveI64, "how many instances may be alive at once; 1 when absent")
    name_ = ods.optional_attr(c.StringAttr, "the buffer's name, for people")
    address = ods.optional_attr(
        c.NonNegativeI64, "first byte in the core's part of the memory, set by address assignment"
    )
    slot_bytes = ods.optional_attr(c.PositiveI64, "bytes from one slot to the next, set by address assignment")
    result = ods.result(AnyBuffer, "the buffer")
    assembly_format = "attr-dict `:` type($result)"

    def verify(self) -> Iterator[ods.Violation]:
        """The shape is static; `address` and `slot_bytes` come together."""
        if (self.address is None) != (self.slot_bytes is None):
            present, absent = ("slot_bytes", "address") if self.address is None else ("address", "slot_bytes")
            yield ods.Violation("missing-attribute", f"a buffer with {present} needs {absent} too", present)
        memref = ir.MemRefType(self.result.type)
        if not memref.has_static_shape:
            yield ods.Violation(
                "type-mismatch", f"a buffer needs a static shape, but its type is {memref}", "type(result)"
            )


class DataTransferOp(ods.Op, dialect=Dataflow, name="data_transfer", effects=ods.ReadWrite):
    """Copy a strided box from one memory to another, or between buffers.

    Each side is a buffer or a box of a memory: `@device[%offset from %base] strides [...]`, in elements of the buffer's
    element type, with the sizes of the buffer on the other side. `route` names the resource kinds that the bytes pass,
    memory first and last.

    Clip, fill, `get`, `put` and multicast are those of `dataflow.transfer`, with a bound per dimension of the box. A
    buffer in another core means the instance that this core has too: of the same iteration. A list of
    indices is a buffer; `index_maps` gives for a point of the box the place of its index in the list, and
    `index_scales` counts elements.
    """

    source = ods.optional_operand(AnyBuffer, "the buffer that is read")
    source_base = ods.optional_operand(c.Index, "byte address that the launch binds")
    source_offset = ods.optional_operand(c.Index, "where the box starts, in elements")
    source_dyn_strides = ods.variadic_operand(c.Index, "the source strides that are not constant")
    dest = ods.optional_operand(AnyBuffer, "the buffer that is written")
    dest_base = ods.optional_operand(c.Index, "byte address that the launch binds")
    dest_offset = ods.optional_operand(c.Index, "where the box starts, in elements")
    dest_dyn_strides = ods.variadic_operand(c.Index, "the destination strides that are not constant")
    lower = ods.variadic_operand(c.Index, "the lower bounds of the clip that are not constant")
    upper = ods.variadic_operand(c.Index, "the upper bounds of the clip that are not constant")
    get_from = ods.optional_operand(c.Index, "the core whose buffer is read")
    put_to = ods.optional_operand(c.Index, "the core whose buffer is written, or the first of them")
    indices = ods.variadic_operand(Buffer, "lists of indices")
    limits = ods.variadic_operand(c.Index, "the limits of indices that are not constant")
    source_space = ods.optional_attr(Space, "memory of the source box")
    source_strides = ods.optional_attr(c.I64Array, "strides of the source box, in elements")
    dest_space = ods.optional_attr(Space, "memory of the destination box")
    dest_strides = ods.optional_attr(c.I64Array, "strides of the destination box, in elements")
    static_lower = ods.optional_attr(c.I64Array, "first step inside, per dimension; the dynamic marker for an operand")
    static_upper = ods.optional_attr(c.I64Array, "step after the last one inside, per dimension")
    fill = ods.optional_attr(c.I64Attr, "bit pattern that points outside of the clip get")
    members = ods.optional_attr(c.PositiveI64, "how many cores a put goes to")
    member_step = ods.optional_attr(c.I64Attr, "from one of these cores to the next")
    static_limits = ods.optional_attr(c.I64Array, "what every index is less than, per list")
    index_sides = ods.optional_attr(Strings, "`source` or `dest`, per list: whose points it moves")
    index_maps = ods.optional_attr(Maps, "from a point of the box to the place of its index, per list")
    index_scales = ods.optional_attr(c.I64Array, "elements that an index of 1 adds, per list")
    unit = ods.attr(c.FlatSymbol, "kind of the unit that does it")
    route = ods.attr(Strings, "kinds of the resources passed, memory first and last")
    assembly_format = (
        "`from` custom<Side>($source, $source_space, $source_offset, $source_base, $source_dyn_strides,"
        " $source_strides)"
        " `to` custom<Side>($dest, $dest_space, $dest_offset, $dest_base, $dest_dyn_strides, $dest_strides)"
        f"{CLIP} (`fill` $fill^)?"
        " (`get` $get_from^)? (`put` $put_to^)? (`times` $members^ `by` $member_step)?"
        f"{LISTS} attr-dict `:` custom<PresentTypes>(type($source), type($dest))"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """One side is a buffer at least; the other is one of equal shape, or a box with a stride per dimension."""
        if self.source is None and self.dest is None:
            yield ods.Violation(
                "transfer-side",
                "one side must be a buffer: the sizes and the element type of the copy are the buffer's",
                "source",
            )
            return
        yield from self._side("source", self.source, self.dest)
        yield from self._side("dest", self.dest, self.source)
        if self.source is not None and self.dest is not None:
            a, b = ir.MemRefType(self.source.type), ir.MemRefType(self.dest.type)
            if a.shape != b.shape or a.element_type != b.element_type:
                yield ods.Violation(
                    "type-mismatch", f"cannot copy {a} to {b}: shape and element type must be equal", "type(dest)"
                )
        if len(self.route) < 2:
            yield ods.Violation(
                "wrong-attribute", f"a route has at least two ends, but this one is {self.route}", "route"
            )
        boxed = self.source if self.source is not None else self.dest
        assert boxed is not None
        rank = ir.MemRefType(boxed.type).rank
        yield from clip_problems(self.static_lower, self.static_upper, self.lower, self.upper, rank, self.fill)
        yield from peer_problems(self.get_from, self.put_to, self.members, self.member_step)
        yield from peer_places(self.get_from, self.put_to, self.space, "{}")
        others = {"index_sides": self.index_sides, "index_scales": self.index_scales}
        yield from list_problems(self.indices, self.static_limits, self.limits, self.index_maps, others, rank)

    def space(self, side: str) -> str | None:
        """The memory that a side, ``source`` or ``dest``, lies in, by its name; None if the side is missing."""
        buffer, box = getattr(self, side), getattr(self, f"{side}_space")
        if buffer is not None:
            memory = ir.MemRefType(buffer.type).memory_space
            assert isinstance(memory, ir.StringAttr)
            return memory.value
        return None if box is None else str(box.value)

    @property
    def is_plain(self) -> bool:
        """No clip, no other core, no indices."""
        return self.static_lower is None and self.get_from is None and self.put_to is None and not self.indices

    def _side(self, side: str, buffer: ir.Value | None, other: ir.Value | None) -> Iterator[ods.Violation]:
        """A side is a buffer, or a memory with an offset and strides for the dimensions of the other side's buffer."""
        parts = {f"{side}_{part}": getattr(self, f"{side}_{part}") for part in ("space", "offset", "strides")}
        if buffer is not None:
            for name in (*parts, f"{side}_base"):
                if getattr(self, name) is not None:
                    yield ods.Violation(
                        "transfer-side", f"{side} is a buffer already; {name} belongs to a box of a memory", name
                    )
            return
        missing = [name for name, part in parts.items() if part is None]
        if missing:
            yield ods.Violation(
                "transfer-side",
                f"{side} is neither a buffer nor a whole box of a memory: {', '.join(missing)} is missing",
                side,
            )
        elif other is not None:
            dynamic = getattr(self, f"{side}_dyn_strides")
            yield from strides_per_dimension(f"{side}_strides", parts[f"{side}_strides"], dynamic, other.type)


class ChannelOp(ods.Op, dialect=Dataflow, name="channel", traits=(ods.Symbol,)):
    """A counter with one unit that posts and one that waits, per core. A unit of the second corelet is `@"sfu.1"`.

    `init` is its value before the first post. A wait takes 1, and blocks while the counter is 0. With `peers` there is
    one counter for each ordered pair of cores: a post names the core whose unit waits, a wait the core whose unit
    posts. Channels within a core follow from program order, so the sequential executor of stage `schedule` ignores
    them; those between cores order what no program order orders, and mean there what they mean everywhere.
    """

    sym_name = ods.attr(c.SymbolName, "the channel's name")
    from_unit = ods.attr(c.FlatSymbol, "kind of the unit that posts")
    to_unit = ods.attr(c.FlatSymbol, "kind of the unit that waits")
    init = ods.attr(c.NonNegativeI64, "initial credits")
    peers = ods.optional_attr(c.UnitAttr, "one counter for each ordered pair of cores")
    assembly_format = "$sym_name `from` $from_unit `to` $to_unit attr-dict"


class PostOp(ods.Op, dialect=Dataflow, name="post"):
    """Add 1 to a channel once all earlier work of the unit is complete.

    At stage `schedule` a post to another core comes after all that stands before it and concerns what cores share,
    whichever unit does it. With `about` that is what has been done to these buffers, in all of their instances so far.
    One that is `alone` comes after what its own unit has done, and no other.
    """

    peer = ods.optional_operand(c.Index, "the core whose unit waits, for a channel between cores")
    about = ods.variadic_operand(AnyBuffer, "the buffers of which it says something, if not of all")
    channel = ods.attr(c.FlatSymbol, "the channel")
    unit = ods.optional_attr(c.FlatSymbol, "kind of the unit that posts; absent inside `program_unit`")
    alone = ods.optional_attr(c.UnitAttr, "it says nothing of what other units have done")
    assembly_format = "$channel (`to` $peer^)? (`about` `(` $about^ `:` type($about) `)`)? attr-dict"


class WaitOp(ods.Op, dialect=Dataflow, name="wait"):
    """Take 1 from a channel; the unit goes on once there is one to take.

    At stage `schedule` all that stands after a wait for another core and concerns what cores share comes after it,
    whichever unit does it; with `about`, what is done to the present instances of these buffers. With one that is
    `alone` no other unit waits.
    """

    peer = ods.optional_operand(c.Index, "the core whose unit posts, for a channel between cores")
    about = ods.variadic_operand(AnyBuffer, "the buffers of which it learns something, if not of all")
    channel = ods.attr(c.FlatSymbol, "the channel")
    unit = ods.optional_attr(c.FlatSymbol, "kind of the unit that waits; absent inside `program_unit`")
    alone = ods.optional_attr(c.UnitAttr, "other units do not wait with it")
    assembly_format = "$channel (`from` $peer^)? (`about` `(` $about^ `:` type($about) `)`)? attr-dict"
