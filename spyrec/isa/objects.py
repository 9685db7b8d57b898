"""What a program is once it is decoded: units, instructions, operands, channels, buffers.

Plain dataclasses. Instructions refer to others by their index in ``UnitProgram.code``, to channels and buffers by their
index in the binary. Addresses, offsets and strides are bytes. :func:`spyrec.isa.check.problems` says whether a
binary obeys the rules; nothing here checks.
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any

from spyrec.records import dataclass

LX = "lx"
"""The memory of buffers that are in no stage; a stage is called by its kind."""


@dataclass(frozen=True)
class End:
    """One side of a transfer: ``space`` is ``"device"``, ``"lx"``, ``"stage"`` or, as a source only, ``"fill"``.

    The address of the box's first element is ``register[base] + offset`` (``base`` ``None``: the offset alone).
    ``buffer`` is the index of the buffer that it must stay in; the stage is the one that the buffer lies in. A ``fill``
    source has no address: ``offset`` is the pattern, of which each element gets the lowest ``element_bytes`` bytes.
    """

    space: str
    base: int | None = None
    offset: int = 0
    buffer: int | None = None


@dataclass(frozen=True)
class Dim:
    """One of the nested counts of a transfer, with the bytes from one step to the next on either side.

    Registers ``low`` and ``high`` clip it: only steps from ``low`` up to, not including, ``high`` are inside.
    """

    count: int
    source_stride: int
    dest_stride: int
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Index:
    """A list of indices in LX that moves the points of one ``side`` (``"source"`` or ``"dest"``) of a transfer.

    The index of a point is the element of ``type`` at ``register[base] + offset + sum(step * stride)``; it adds
    ``scale`` bytes times itself to the address of the point. It is at least 0 and less than
    ``register[limit_base] + limit``.
    """

    side: str
    base: int | None
    offset: int
    type: str
    strides: tuple[int, ...]
    buffer: int | None
    scale: int
    limit_base: int | None
    limit: int


@dataclass(frozen=True)
class LxOperand:
    """One input or output of a stream: elements of ``type`` in LX, one per iteration of the stream's counts.

    The address of an iteration is ``register[base] + offset + sum(index * stride)``; ``strides`` has one entry
    per count. An input is loaded into vector register ``register`` before the micro-ops run, an output is
    stored from it after them. An output with a combiner in ``fold`` has stride 0 along the folded counts of its stream:
    all values of the register over them are combined with what memory holds, or without that if it is ``fresh``.
    The elements of an input that is a ``number`` are their addresses: positions, which are in no memory.
    """

    base: int | None
    offset: int
    type: str
    strides: tuple[int, ...]
    buffer: int | None
    register: int
    fold: str = ""
    fresh: int = 0
    number: int = 0


@dataclass(frozen=True)
class MicroOp:
    """One element-wise operation of a stream: ``dest = op(*sources)``, all vector registers, result of ``type``.

    ``const`` has no sources and puts the low bytes of ``immediate`` into every lane; the only source of
    ``splat`` is a *scalar* register. Otherwise ``immediate`` is 0.
    """

    op: str
    type: str
    dest: int
    sources: tuple[int, ...] = ()
    immediate: int = 0


@dataclass(frozen=True)
class Instruction:
    """A scalar or control instruction. Which fields count is the row's business; the others are 0.

    ``rd`` ``ra`` ``rb`` ``rc`` are scalar registers; ``imm`` an immediate, a width or a number of a parameter;
    ``target`` an index in the unit's code; ``channel`` and ``buffer`` indices in the binary; ``peer`` the register with
    the core at the other end.
    """

    op: str
    rd: int = 0
    ra: int = 0
    rb: int = 0
    rc: int = 0
    imm: int = 0
    target: int = 0
    channel: int = 0
    buffer: int | None = None
    peer: int | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(_shown(self))})"


@dataclass(frozen=True, repr=False)
class Xfer(Instruction):
    """Move a box of elements of ``element_bytes`` bytes; ``dims`` are outermost first, one to four of them.

    ``outside`` says what happens at points that a clipped count leaves out: ``"skip"`` nothing, ``"fill"`` the lowest
    bytes of ``pattern`` go to the destination. ``remote`` ``"get"`` reads the LX of core ``register[peer]``, ``"put"``
    writes that of ``members`` cores ``register[peer] + k * member_step``.
    """

    op: str = "xfer"
    outside: str = ""
    pattern: int = 0
    remote: str = ""
    members: int = 0
    member_step: int = 0
    indices: tuple[Index, ...] = ()
    element_bytes: int = 1
    source: End = End("lx")
    dest: End = End("lx")
    dims: tuple[Dim, ...] = ()


@dataclass(frozen=True, repr=False)
class Stream(Instruction):
    """Run ``micro_ops`` once per iteration of ``counts`` (outermost first, one to four of them) on LX operands.

    Bit d of ``folded`` says that count d is folded into the outputs that fold.
    """

    op: str = "stream"
    counts: tuple[int, ...] = ()
    folded: int = 0
    inputs: tuple[LxOperand, ...] = ()
    outputs: tuple[LxOperand, ...] = ()
    micro_ops: tuple[MicroOp, ...] = ()

    @property
    def folded_counts(self) -> tuple[int, ...]:
        """The counts that are folded."""
        return tuple(d for d in range(len(self.counts)) if self.folded >> d & 1)


_NOWHERE = LxOperand(None, 0, "f16", (), None, 0)


@dataclass(frozen=True, repr=False)
class Contract(Instruction):
    """Add the products of ``lhs`` and ``rhs`` over ``counts`` to the accumulators ``acc``.

    A count along which the stride of ``acc`` is 0 is summed over. ``start``: the sum starts at ``"zero"``, at what
    ``"lx"`` holds, or at what the ``"unit"`` kept; with ``keep`` it stays in the unit. The registers of the operands
    mean nothing and are 0.
    """

    op: str = "contract"
    counts: tuple[int, ...] = ()
    lhs: LxOperand = _NOWHERE
    rhs: LxOperand = _NOWHERE
    acc: LxOperand = _NOWHERE
    start: str = "zero"
    keep: int = 0

    @property
    def operands(self) -> tuple[LxOperand, LxOperand, LxOperand]:
        """All three."""
        return self.lhs, self.rhs, self.acc


@dataclass(frozen=True)
class UnitProgram:
    """The program of one unit: ``kind`` as the device spells it, the number of its corelet, and its code."""

    kind: str
    corelet: int
    code: tuple[Instruction, ...]

    @property
    def label(self) -> str:
        """The name under which channels, assembly and reports refer to it: ``sfu``, or ``sfu.1`` on the second
        corelet.
        """
        return self.kind if self.corelet == 0 else f"{self.kind}.{self.corelet}"


@dataclass(frozen=True)
class Channel:
    """A counter that starts at ``init``; ``source`` posts it, ``target`` waits for it (labels of units).

    With ``peers`` there is one for each ordered pair of cores: a post and a wait name the core at the other end.
    """

    name: str
    source: str
    target: str
    init: int
    peers: int = 0


@dataclass(frozen=True)
class Buffer:
    """``depth`` slots of ``slot_bytes`` bytes each in ``memory``, LX or a stage, from byte ``address`` on."""

    name: str
    address: int
    slot_bytes: int
    depth: int
    memory: str = LX

    @property
    def end(self) -> int:
        """The byte after the last one."""
        return self.address + self.slot_bytes * self.depth


@dataclass(frozen=True)
class Binary:
    """A whole job: one program per unit, shared by ``tiles`` compute tiles, tile ``t`` on core ``t``.

    ``parameters`` is the number of 64-bit entries of the bank that each launch supplies. ``core_table[t]``
    holds the values that ``coreparam`` reads on core ``t``: one row per tile, all of one length.
    """

    units: tuple[UnitProgram, ...] = ()
    channels: tuple[Channel, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    parameters: int = 0
    core_table: tuple[tuple[int, ...], ...] = field(default=())
    tiles: int = 1

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that buffers lie in, in the order of the buffers."""
        return tuple(dict.fromkeys(b.memory for b in self.buffers if b.memory != LX))

    def memory(self, end: End) -> str | None:
        """The memory of one side of a transfer: ``"device"``, ``"lx"`` or the kind of a stage; none for a fill."""
        if end.space == "stage" and end.buffer is not None:
            return self.buffers[end.buffer].memory
        return None if end.space == "fill" else end.space


def _shown(instruction: Instruction) -> list[str]:
    """``op`` and the fields that differ from their default, for ``repr``."""
    shown = [repr(instruction.op)]
    for f in fields(instruction):
        value: Any = getattr(instruction, f.name)
        if f.name != "op" and value != f.default:
            shown.append(f"{f.name}={value!r}")
    return shown
