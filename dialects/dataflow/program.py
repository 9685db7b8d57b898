"""Ops of the program stage: one program per kind of unit, on byte addresses."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.dialects.dataflow.checks import clip_problems, counts_problem, peer_places, peer_problems
from spyrec.dialects.dataflow.types import LX, SPACES, AnySpace, Dataflow, I64Arrays, Strings, Symbols, Types
from spyrec.mlir import ir
from spyrec.ods import constraints as c


class BufferOp(ods.Op, dialect=Dataflow, name="buffer", traits=(ods.Symbol,)):
    """A placed buffer in LX or in a stage: `depth` slots of `slot_bytes` bytes from `address` on. One per
    `dataflow.alloc`.

    With `launched`, one for the bytes that the kernel's own views of LX name: the launch may have put contents there.
    """

    sym_name = ods.attr(c.SymbolName, "the buffer's name")
    space = ods.optional_attr(c.StringAttr, "the stage that it lies in, by its kind; LX when absent")
    address = ods.attr(c.NonNegativeI64, "first byte in the core's part of the memory")
    slot_bytes = ods.attr(c.PositiveI64, "bytes from one slot to the next")
    depth = ods.attr(c.PositiveI64, "number of slots")
    launched = ods.optional_attr(c.UnitAttr, "the launch may have put contents there")
    assembly_format = "$sym_name attr-dict"

    @property
    def memory(self) -> str:
        """The memory that it lies in, by its name."""
        return LX if self.space is None else self.space.value

    def verify(self) -> Iterator[ods.Violation]:
        """A launch puts contents into LX only; device memory has no buffers."""
        if self.memory == "device":
            yield ods.Violation("wrong-attribute", "buffers lie in LX or in a stage", "space")
        if self.launched is not None and self.memory != LX:
            yield ods.Violation("wrong-attribute", "a launch puts contents into LX only", "launched")


class ProgramUnitOp(ods.Op, dialect=Dataflow, name="program_unit", traits=(ods.NoTerminator,)):
    """The program of one kind of unit; every core runs it.

    The block argument is the flat tile id. The body may use constants, arguments of the function and launch-uniform
    values from outside.
    """

    unit = ods.attr(c.FlatSymbol, "kind of the unit")
    corelet = ods.optional_attr(c.NonNegativeI64, "the corelet whose unit runs it; 0 when absent")
    body = ods.region("the program", args=(c.Index,))
    assembly_format = "$unit `(` args($body) `)` attr-dict-with-keyword $body"


class TransferOp(ods.Op, dialect=Dataflow, name="transfer", effects=ods.ReadWrite):
    """Copy a box of bytes between memories.

    Element `i` is read at `source_base + source + sum(i_k * source_strides_k)` and written likewise; addresses and
    strides are bytes, an absent base is 0. `counts` has at most four entries, outermost first.

    A *clip* leaves out the points whose step in some count is not in `[lower, upper)`: nothing is read for them, and
    nothing is written, or with `fill` that bit pattern. `get` reads the LX of another core, `put` writes it; with
    `times` and `by` a put writes to that many cores, so far apart (a multicast). A list of *indices* in LX moves the
    points of one side (`index_sides`): the index of a point is the element at `index + sum(i_k * index_strides_k)`,
    and adds `index_scales` bytes times itself to the address. An index below 0, or not below its limit, is a fault.
    Points of the destination that meet are written in order.

    ```mlir
    // The last rows of a matrix with %n rows, zeros below them.
    dataflow.transfer @device[%a from %x] strides [128, 2] to @lx[%b in @x] strides [128, 2] counts [8, 64]
      clip [0, 0] to [%n, 64] fill 0 {element_bytes = 2}
    // Rows %idx[0], %idx[1], ... of a table with 100 rows of 128 bytes.
    dataflow.transfer @device[%a from %x] strides [0, 2] to @lx[%b in @x] strides [128, 2] counts [8, 64]
      index (%i) below [100] {element_bytes = 2, index_buffers = [@idx], index_scales = array<i64: 128>,
        index_sides = ["source"], index_strides = [array<i64: 4, 0>], index_types = [i32]}
    // To the cores %first, %first + 8, %first + 16, %first + 24.
    dataflow.transfer @lx[%a in @w] strides [2] to @lx[%b in @x] strides [2] counts [512] put %first times 4 by 8
      {element_bytes = 2}
    ```
    """

    source_base = ods.optional_operand(c.Index, "byte address that the launch binds")
    source = ods.operand(c.Index, "byte address of the first element read")
    dest_base = ods.optional_operand(c.Index, "byte address that the launch binds")
    dest = ods.operand(c.Index, "byte address of the first element written")
    lower = ods.variadic_operand(c.Index, "the lower bounds of the clip that are not constant")
    upper = ods.variadic_operand(c.Index, "the upper bounds of the clip that are not constant")
    get_from = ods.optional_operand(c.Index, "the core whose LX is read")
    put_to = ods.optional_operand(c.Index, "the core whose LX is written, or the first of them")
    indices = ods.variadic_operand(c.Index, "byte addresses in LX of lists of indices")
    limits = ods.variadic_operand(c.Index, "the limits of indices that are not constant")
    source_space = ods.attr(AnySpace, "memory that is read")
    source_buffer = ods.optional_attr(c.FlatSymbol, "the buffer that the source lies in")
    source_strides = ods.attr(c.I64Array, "source strides in bytes, outermost first")
    dest_space = ods.attr(AnySpace, "memory that is written")
    dest_buffer = ods.optional_attr(c.FlatSymbol, "the buffer that the destination lies in")
    dest_strides = ods.attr(c.I64Array, "destination strides in bytes, outermost first")
    counts = ods.attr(c.I64Array, "extents of the box, outermost first")
    static_lower = ods.optional_attr(c.I64Array, "first step inside, per count; the dynamic marker for an operand")
    static_upper = ods.optional_attr(c.I64Array, "step after the last one inside, per count")
    fill = ods.optional_attr(c.I64Attr, "bit pattern that points outside of the clip get")
    members = ods.optional_attr(c.PositiveI64, "how many cores a put goes to")
    member_step = ods.optional_attr(c.I64Attr, "from one of these cores to the next")
    static_limits = ods.optional_attr(c.I64Array, "what every index is less than, per list")
    index_sides = ods.optional_attr(Strings, "`source` or `dest`, per list: whose points it moves")
    index_buffers = ods.optional_attr(Symbols, "the buffer of each list")
    index_strides = ods.optional_attr(I64Arrays, "strides of each list in bytes, per count")
    index_types = ods.optional_attr(Types, "element type of each list")
    index_scales = ods.optional_attr(c.I64Array, "bytes that an index of 1 adds, per list")
    element_bytes = ods.attr(c.PositiveI64, "size of one element in bytes")
    assembly_format = (
        "$source_space `[` $source (`from` $source_base^)? (`in` $source_buffer^)? `]` `strides` $source_strides"
        " `to` $dest_space `[` $dest (`from` $dest_base^)? (`in` $dest_buffer^)? `]` `strides` $dest_strides"
        " `counts` $counts"
        " (`clip` custom<DynamicIndexList>($lower, $static_lower)^"
        " `to` custom<DynamicIndexList>($upper, $static_upper))? (`fill` $fill^)?"
        " (`get` $get_from^)? (`put` $put_to^)? (`times` $members^ `by` $member_step)?"
        " (`index` `(` $indices^ `)` `below` custom<DynamicIndexList>($limits, $static_limits))? attr-dict"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """One to four counts, one stride per count on each side."""
        yield from counts_problem(self.counts)
        for name in ("source_strides", "dest_strides"):
            strides = getattr(self, name)
            if len(strides) != len(self.counts):
                yield ods.Violation(
                    "rank-mismatch", f"{name} has {len(strides)} entries for {len(self.counts)} counts", name
                )
        yield from clip_problems(
            self.static_lower, self.static_upper, self.lower, self.upper, len(self.counts), self.fill
        )
        yield from peer_problems(self.get_from, self.put_to, self.members, self.member_step)
        spaces = {side: getattr(self, f"{side}_space").value for side in ("source", "dest")}
        yield from peer_places(self.get_from, self.put_to, spaces.get, "{}_space")
        for side, space in spaces.items():
            if space not in SPACES and getattr(self, f"{side}_buffer") is None:
                message = f"the place in {space} is in no buffer, and nothing else is in a stage"
                yield ods.Violation("missing-attribute", message, f"{side}_buffer")
        yield from self._lists()

    @property
    def is_plain(self) -> bool:
        """No clip, no other core, no indices."""
        return self.static_lower is None and self.get_from is None and self.put_to is None and not self.indices

    def _lists(self) -> Iterator[ods.Violation]:
        """One entry per list of indices in each attribute, a stride per count."""
        names = ("index_sides", "index_buffers", "index_strides", "index_types", "index_scales", "static_limits")
        for name in names:
            entries = getattr(self, name)
            count = 0 if entries is None else len(entries)
            if count != len(self.indices):
                yield ods.Violation(
                    "rank-mismatch", f"{name} has {count} entries for {len(self.indices)} lists of indices", name
                )
                return
        for k, (steps, moved) in enumerate(zip(self.index_strides or (), self.index_sides or (), strict=True)):
            strides, side = ir.DenseI64ArrayAttr(steps), ir.StringAttr(moved).value
            if len(strides) != len(self.counts):
                message = f"list {k} has {len(strides)} strides for {len(self.counts)} counts"
                yield ods.Violation("rank-mismatch", message, f"index_strides[{k}]")
            if side not in ("source", "dest"):
                yield ods.Violation("wrong-attribute", "a list moves `source` or `dest`", f"index_sides[{k}]")
            elif side == "dest" and self.fill is not None:
                message = "points that indices move have no outside that could be filled"
                yield ods.Violation("wrong-attribute", message, "fill")


class ScalarLoadOp(ods.Op, dialect=Dataflow, name="scalar_load", effects=ods.Read):
    """Read one element of LX into a register of the unit that executes it.

    What a compute unit has decided (a loop's bound, a condition, an address) reaches control in this way; every unit
    that needs the value loads it for itself. A float is carried as its bits, for the body of a stream.
    """

    address = ods.operand(c.Index, "byte address in LX")
    buffer = ods.attr(c.FlatSymbol, "the buffer that it lies in")
    result = ods.result(c.AnyType, "the element")
    assembly_format = "$buffer `[` $address `]` attr-dict `:` type($result)"
