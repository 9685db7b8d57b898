"""Hand-assembled programs: short names for instructions, a small device, launches, and the two example kernels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spyrec import sim
from spyrec.device.model import Device, Limits, Link, Memory, Timing, Unit
from spyrec.errors import Position
from spyrec.isa import Binary, Buffer, Channel, Dim, End, Instruction, LxOperand, MicroOp, Stream, UnitProgram, Xfer
from spyrec.spyrecode import Argument, Launch, Signature, View, bind

FILE = "kernel.mlir"


def device(**timing: int) -> Device:
    """A device with the links of Spyre; keyword arguments replace numbers of its timing, ``cores`` or ``lx``."""
    cores, lx = timing.pop("cores", 32), timing.pop("lx", 1 << 16)
    outstanding, cap = timing.pop("outstanding", 4), timing.pop("cap", 256)
    lanes = {"f16": 64, "f32": 32, "i1": 64, "i8": 64, "i16": 64, "i32": 32, "i64": 16}
    numbers = {
        "clock_hz": 1_000_000_000,
        "device_bandwidth": 128,
        "transfer_startup": 32,
        "stream_startup": 8,
        "post_latency": 10,
        "transcendental_factor": 4,
        "scalar_cycles": 1,
        "ring_bandwidth": 128,
        "hop_latency": 4,
    }
    return Device(
        name="test",
        cores=cores,
        corelets=2,
        memories={
            "ddr": Memory("ddr", "device", "device", 1 << 37, 128),
            "lx": Memory("lx", "lx", "core", lx, 128),
        },
        units={
            "load": Unit("load", "core", "load", {}, outstanding),
            "store": Unit("store", "core", "store", {}, outstanding),
            "sfu": Unit("sfu", "corelet", "vector", lanes, 1),
            "pt": Unit("pt", "corelet", "matrix", {"f16": 512}, 1, (8, 8)),
            "ring": Unit("ring", "core", "ring", {}, outstanding),
        },
        links=(
            Link("ddr", "load", cap, (), 10, None),
            Link("load", "lx", cap, (), 10, None),
            Link("lx", "store", cap // 2, (), 10, None),
            Link("store", "ddr", cap // 2, (), 10, None),
            Link("lx", "ring", cap, (), 10, None),
            Link("ring", "lx", cap, (), 10, None),
        ),
        timing=Timing(**{**numbers, **timing}),
        limits=Limits(loop_count=65_535, access_span=268_431_360, segments=8, segment_size=1 << 34),
    )


def i(op: str, **fields: int) -> Instruction:
    """A scalar or control instruction."""
    return Instruction(op, **fields)


def wait(channel: int) -> Instruction:
    return Instruction("wait", channel=channel)


def post(channel: int) -> Instruction:
    return Instruction("post", channel=channel)


HALT = Instruction("halt")


def loop(count: int, body: Sequence[Instruction], counter: int = 1, scratch: int = 31) -> list[Instruction]:
    """A hardware loop at the start of a program. ``body`` has no jumps."""
    return [
        i("li", rd=scratch, imm=count),
        i("loop", rd=counter, ra=scratch, target=2 + len(body)),
        *body,
        i("endloop"),
    ]


def load(
    base: int | None, to: int | None, buffer: int | None, nbytes: int, *, offset: int = 0, at: int = 0, element: int = 2
) -> Xfer:
    """Device memory at register ``base`` to LX at register ``to``: one run of ``nbytes``."""
    source, dest = End("device", base, offset), End("lx", to, at, buffer)
    return Xfer(source=source, dest=dest, element_bytes=element, dims=(Dim(nbytes // element, element, element),))


def store(
    base: int | None, of: int | None, buffer: int | None, nbytes: int, *, offset: int = 0, at: int = 0, element: int = 2
) -> Xfer:
    """LX at register ``of`` to device memory at register ``base``."""
    source, dest = End("lx", of, at, buffer), End("device", base, offset)
    return Xfer(source=source, dest=dest, element_bytes=element, dims=(Dim(nbytes // element, element, element),))


def vector(
    n: int, op: str, inputs: Sequence[tuple[int | None, int | None]], output: tuple[int | None, int | None]
) -> Stream:
    """An f16 stream of ``n`` elements; operands are (register with the address, buffer)."""
    operands = tuple(LxOperand(r, 0, "f16", (2,), b, v) for v, (r, b) in enumerate(inputs))
    out = LxOperand(output[0], 0, "f16", (2,), output[1], 9)
    return Stream(
        counts=(n,), inputs=operands, outputs=(out,), micro_ops=(MicroOp(op, "f16", 9, tuple(range(len(inputs)))),)
    )


def launch(arrays: Mapping[str, Any], written: Sequence[str] = (), tiles: int = 1) -> Launch:
    """A launch with one address argument per array; those in ``written`` are not supplied, only sized."""
    names = list(arrays)
    types = {
        np.dtype(np.float16): "f16",
        np.dtype(np.float32): "f32",
        np.dtype(np.uint8): "i8",
        np.dtype(np.int32): "i32",
    }
    views = []
    for number, (name, array) in enumerate(arrays.items()):
        strides = tuple(math.prod(array.shape[k + 1 :]) for k in range(array.ndim))
        access: Any = "w" if name in written else "rw"
        views.append(View(number, name, types[array.dtype], array.shape, strides, 0, array.size, access))
    arguments = tuple(Argument(k, name, "address", "index") for k, name in enumerate(names))
    signature = Signature("kernel", tiles, arguments, tuple(views), FILE)
    return bind(signature, {n: a for n, a in arrays.items() if n not in written}, {}, seed=None)


@dataclass
class Kernel:
    """A binary with a launch maker and what the outputs should be."""

    binary: Binary
    arrays: dict[str, Any]
    expected: dict[str, Any]
    notes: dict[str, int] = field(default_factory=dict)

    def launch(self) -> Launch:
        return launch(self.arrays, tuple(self.expected), self.binary.tiles)

    def run(self, dev: Device | None = None, shuffle: int | None = None, trace: sim.Trace | None = None) -> sim.Result:
        """Run; check the outputs bit for bit."""
        bound = self.launch()
        result = run(self.binary, bound, dev, shuffle, trace)
        for name, value in bound.outputs(self.expected).items():
            assert value.tobytes() == self.expected[name].tobytes()
        return result


def run(
    binary: Binary, bound: Launch, dev: Device | None = None, shuffle: int | None = None, trace: sim.Trace | None = None
) -> sim.Result:
    """Run with one parameter per argument and locations that are line 100 * unit + instruction."""
    locations = {
        u.label: [(Position(FILE, 100 * n + k + 1, 1),) for k in range(len(u.code))] for n, u in enumerate(binary.units)
    }
    parameters = [int(a) for a in bound.args]
    return sim.execute(
        replace(binary, parameters=len(parameters)),
        dev or device(),
        bound,
        parameters=parameters,
        locations=locations,
        shuffle=shuffle,
        trace=trace,
    )


def row_address(parameter: int, row_bytes: int, rows: int, rd: int) -> list[Instruction]:
    """rd = parameter + (core * rows + loop counter r1) * row_bytes, through r30."""
    return [
        i("core", rd=30),
        i("muli", rd=30, ra=30, imm=rows),
        i("add", rd=30, ra=30, rb=1),
        i("muli", rd=30, ra=30, imm=row_bytes),
        i("param", rd=rd, imm=parameter),
        i("add", rd=rd, ra=rd, rb=30),
    ]


def slot_address(buffer: Buffer, rd: int) -> list[Instruction]:
    """rd = address of slot (loop counter r1 mod depth)."""
    return [
        i("modi", rd=rd, ra=1, imm=buffer.depth),
        i("muli", rd=rd, ra=rd, imm=buffer.slot_bytes),
        i("addi", rd=rd, ra=rd, imm=buffer.address),
    ]


def copy_rows(rows: int = 6, n: int = 64, tiles: int = 2, depth: int = 2) -> Kernel:
    """z = x, row by row through one buffer."""
    slot = -(-2 * n // 128) * 128
    buffer = Buffer("b", 0, slot, depth)
    loads = [wait(1), *row_address(0, 2 * n, rows, 2), *slot_address(buffer, 3), load(2, 3, 0, 2 * n), post(0)]
    stores = [wait(0), *row_address(1, 2 * n, rows, 2), *slot_address(buffer, 3), store(2, 3, 0, 2 * n), post(1)]
    binary = Binary(
        units=(
            UnitProgram("load", 0, (*loop(rows, loads), HALT)),
            UnitProgram("store", 0, (*loop(rows, stores), HALT)),
        ),
        channels=(Channel("full", "load", "store", 0), Channel("free", "store", "load", depth)),
        buffers=(buffer,),
        tiles=tiles,
    )
    x = np.random.default_rng(1).standard_normal((rows * tiles, n)).astype(np.float16)
    return Kernel(binary, {"x": x, "z": x}, {"z": x})


def add_rows(rows: int = 6, n: int = 64, tiles: int = 2, depth: int = 2) -> Kernel:
    """z = x + y, row by row, double-buffered: three units, six channels."""
    slot = -(-2 * n // 128) * 128
    xb, yb, zb = (Buffer(name, k * slot * depth, slot, depth) for k, name in enumerate("xyz"))
    channels = (
        Channel("x_full", "load", "sfu", 0),
        Channel("x_free", "sfu", "load", depth),
        Channel("y_full", "load", "sfu", 0),
        Channel("y_free", "sfu", "load", depth),
        Channel("z_full", "sfu", "store", 0),
        Channel("z_free", "store", "sfu", depth),
    )
    loads = [wait(1), *row_address(0, 2 * n, rows, 2), *slot_address(xb, 3), load(2, 3, 0, 2 * n), post(0)]
    loads += [wait(3), *row_address(1, 2 * n, rows, 2), *slot_address(yb, 3), load(2, 3, 1, 2 * n), post(2)]
    adds = [wait(0), wait(2), wait(5)]
    for k, buffer in enumerate((xb, yb, zb)):
        adds += slot_address(buffer, 3 + k)
    adds += [vector(n, "addf", [(3, 0), (4, 1)], (5, 2)), post(1), post(3), post(4)]
    stores = [wait(4), *row_address(2, 2 * n, rows, 2), *slot_address(zb, 3), store(2, 3, 2, 2 * n), post(5)]
    binary = Binary(
        units=(
            UnitProgram("load", 0, (*loop(rows, loads), HALT)),
            UnitProgram("sfu", 0, (*loop(rows, adds), HALT)),
            UnitProgram("store", 0, (*loop(rows, stores), HALT)),
        ),
        channels=channels,
        buffers=(xb, yb, zb),
        tiles=tiles,
    )
    generator = np.random.default_rng(2)
    x, y = (generator.standard_normal((rows * tiles, n)).astype(np.float16) for _ in "xy")
    return Kernel(binary, {"x": x, "y": y, "z": x}, {"z": x + y})


def without_channel(binary: Binary, number: int) -> Binary:
    """``binary`` with every wait and post of one channel replaced by an instruction that does nothing."""
    nothing = i("mov", rd=29, ra=29)

    def kept(ins: Instruction) -> Instruction:
        return nothing if ins.op in ("wait", "post") and ins.channel == number else ins

    units = tuple(UnitProgram(u.kind, u.corelet, tuple(map(kept, u.code))) for u in binary.units)
    return replace(binary, units=units)


def place(label: str, binary: Binary, index: int) -> int:
    """The line that :func:`run` gives to an instruction."""
    return 100 * [u.label for u in binary.units].index(label) + index + 1
