"""Operands in memory: where an instruction's boxes are, and every check on an address that needs no history."""

from __future__ import annotations

from collections.abc import Callable

from spyrec.device.model import Device, spoken
from spyrec.isa import Binary, Buffer
from spyrec.sim.boxes import MAX_PIECES, Box, TooManyPieces
from spyrec.sim.faults import UnitStops, bytes_text
from spyrec.sim.memories import DeviceMemory, Window
from spyrec.sim.units import Unit

Address = Callable[[Unit], int]
"""The checked byte address of an operand's first element, or :class:`UnitStops`."""


def local_address(
    base: int | None,
    offset: int,
    box: Box,
    buffer: int | None,
    binary: Binary,
    device: Device,
    *,
    writes: bool = False,
) -> Address:
    """The address of ``box`` at ``registers[base] + offset``, in one slot of ``buffer`` or, without one, in LX."""
    owner = None if buffer is None else binary.buffers[buffer]
    size = device.share(device.memory("lx"))
    name = "LX" if owner is None else spoken(owner.memory)
    good: set[int] = set()  # what was checked once need not be checked again: nothing about it changes

    def address(unit: Unit) -> int:
        at = offset if base is None else offset + unit.regs[base]
        if at not in good:
            low, high = at + box.low, at + box.high
            if name == "LX" and (low < 0 or high > size):
                raise UnitStops("out-of-lx", f"{bytes_text(low, high)} leave LX, which has {size:#x} bytes")
            if owner is not None:
                _inside(low, high, owner, name)
            _check_shape(at, box, name, writes)
            good.add(at)
        return at

    return address


def _inside(low: int, high: int, buffer: Buffer, memory: str) -> None:
    """Refuse bytes that are not all in one slot of ``buffer``, which lies in ``memory``."""
    slot = (low - buffer.address) // buffer.slot_bytes
    if 0 <= slot < buffer.depth and high <= buffer.address + (slot + 1) * buffer.slot_bytes:
        return
    whole = f"buffer '{buffer.name}' ({buffer.depth} x {buffer.slot_bytes} bytes from {buffer.address:#x} on)"
    if low < buffer.address or high > buffer.end:
        raise UnitStops("out-of-buffer", f"{bytes_text(low, high)} of {memory} leave {whole}")
    crossed = f"{bytes_text(low, high)} of {memory} cross from one slot of {whole} into the next"
    raise UnitStops("out-of-buffer", crossed)


def _check_shape(at: int, box: Box, memory: str, writes: bool) -> None:
    """Refuse elements that are not aligned to their size, and writes of one byte by two elements."""
    shape = f"counts {list(box.counts)} with strides {list(box.strides)}"
    if at % box.element_bytes or not box.aligned:
        which = "" if box.aligned else f" ({shape})"
        message = (
            f"elements of {box.element_bytes} bytes at byte {at:#x} of {memory}{which} are not aligned to their size"
        )
        raise UnitStops("misaligned", message)
    try:
        if writes and box.overlaps_itself:
            raise UnitStops("overlap", f"{shape} write some bytes of {memory} more than once")
        _ = box.intervals  # now, while it can still be refused
    except TooManyPieces as error:
        raise UnitStops("scattered-access", f"{error}; one access has at most {MAX_PIECES}") from None


DeviceAddress = Callable[[Unit], tuple[int, Window]]
"""As :data:`Address`, with the window of device memory that holds the box."""


def device_address(
    base: int | None, offset: int, box: Box, memory: DeviceMemory, span: int, *, writes: bool = False
) -> DeviceAddress:
    """The address of ``box`` at ``registers[base] + offset`` in device memory; it may span at most ``span`` bytes."""
    size, within = box.element_bytes, box.high - box.low <= span
    last: Window | None = None  # of the access before: nearly always this one's too

    def address(unit: Unit) -> tuple[int, Window]:
        nonlocal last
        at = offset if base is None else offset + unit.regs[base]
        low, high = at + box.low, at + box.high
        window = last
        if window is None or low < window.low or high > window.high or at % size:
            if not within:
                raise UnitStops(
                    "span-limit", f"one access spans {high - low} bytes of device memory; the limit is {span}"
                )
            window = memory.find(low, high)
            _check_shape(at, box, "device memory", writes)
            last = window
        return at, window

    return address
