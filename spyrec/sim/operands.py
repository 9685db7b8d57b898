"""Operands in memory: where an instruction's boxes are, and every check on an address that needs no history."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spyrec.isa import Buffer
from spyrec.sim.boxes import Box
from spyrec.sim.faults import UnitStops, bytes_text
from spyrec.sim.memories import DeviceMemory, Window
from spyrec.sim.units import Unit

Address = Callable[[Unit], int]
"""The checked byte address of an operand's first element, or :class:`UnitStops`."""


def lx_address(
    base: int | None, offset: int, box: Box, buffer: int | None, buffers: Sequence[Buffer], size: int
) -> Address:
    """The address of ``box`` at ``registers[base] + offset`` in LX of ``size`` bytes, in one slot of ``buffer``."""
    check = _lx_check(box, None if buffer is None else buffers[buffer], size)
    good: set[int] = set()  # what was checked once need not be checked again: nothing about it changes

    def address(unit: Unit) -> int:
        at = offset if base is None else offset + unit.regs[base]
        if at not in good:
            check(at)
            good.add(at)
        return at

    return address


def _lx_check(box: Box, buffer: Buffer | None, size: int) -> Callable[[int], None]:
    aligned = box.aligned

    def check(at: int) -> None:
        low, high = at + box.low, at + box.high
        if low < 0 or high > size:
            raise UnitStops("out-of-lx", f"bytes {low:#x} to {high - 1:#x} leave LX, which has {size:#x} bytes")
        if buffer is not None:
            _inside(low, high, buffer)
        if not aligned or at % box.element_bytes:
            raise UnitStops("misaligned", _misaligned(at, box, "LX"))

    return check


def _inside(low: int, high: int, buffer: Buffer) -> None:
    slot = (low - buffer.address) // buffer.slot_bytes
    start = buffer.address + slot * buffer.slot_bytes
    if 0 <= slot < buffer.depth and high <= start + buffer.slot_bytes:
        return
    whole = f"buffer '{buffer.name}' ({buffer.depth} x {buffer.slot_bytes} bytes from {buffer.address:#x} on)"
    if low < buffer.address or high > buffer.end:
        raise UnitStops("out-of-buffer", f"{bytes_text(low, high)} of LX leave {whole}")
    raise UnitStops("out-of-buffer", f"{bytes_text(low, high)} of LX cross from one slot of {whole} into the next")


def _misaligned(at: int, box: Box, memory: str) -> str:
    strides = "" if box.aligned else f" with strides {list(box.strides)}"
    return f"elements of {box.element_bytes} bytes at byte {at:#x} of {memory}{strides} are not aligned to their size"


DeviceAddress = Callable[[Unit], tuple[int, Window]]
"""As :data:`Address`, with the window of device memory that holds the box."""


def device_address(base: int | None, offset: int, box: Box, memory: DeviceMemory, span: int) -> DeviceAddress:
    """The address of ``box`` at ``registers[base] + offset`` in device memory; it may span at most ``span`` bytes."""
    aligned = box.aligned
    last: Window | None = None  # of the access before: nearly always this one's too

    def address(unit: Unit) -> tuple[int, Window]:
        nonlocal last
        at = offset if base is None else offset + unit.regs[base]
        low, high = at + box.low, at + box.high
        if high - low > span:
            raise UnitStops(
                "span-limit",
                f"one access spans {high - low} bytes of device memory ({bytes_text(low, high)}); {span} is the limit",
            )
        if not aligned or at % box.element_bytes:
            raise UnitStops("misaligned", _misaligned(at, box, "device memory"))
        window = last
        if window is None or low < window.low or high > window.high:
            window = last = memory.find(low, high)
        return at, window

    return address
