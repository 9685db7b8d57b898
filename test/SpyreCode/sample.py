"""A small device, a signature and an artifact to take apart."""

from __future__ import annotations

from spyrec.device.model import Device, Limits, Link, Memory, Timing, Unit
from spyrec.errors import Position
from spyrec.isa import Binary, Buffer, Channel, Dim, End, Instruction, LxOperand, MicroOp, Stream, UnitProgram, Xfer
from spyrec.spyrecode import Argument, Artifact, Bank, Signature, Step, View

DEVICE = Device(
    "small",
    4,
    1,
    {"ddr": Memory("ddr", "device", "device", 1 << 37, 128), "lx": Memory("lx", "lx", "core", 1 << 16, 128)},
    {"load": Unit("load", "core", "load", {}, 4), "sfu": Unit("sfu", "corelet", "vector", {"f16": 64}, 1)},
    (Link("ddr", "load", 256, (1,), 10, None), Link("load", "lx", 256, (1,), 10, 16)),
    Timing(1_000_000_000, 128, 32, 8, 10, 4, 1, 128, 4),
    Limits(65_535, 268_431_360, 8, 16 << 30),
)

SIGNATURE = Signature(
    "negate",
    2,
    (
        Argument(0, "x_ptr", "address", "index", 3, 14),
        Argument(1, "n", "scalar", "i32", 3, 28),
        Argument(2, "z_ptr", "address", "index", 3, 36),
        Argument(3, "left_over", "unused", "f32", 3, 50, Position("negate.py", 9, 4)),
        Argument(4, "alpha", "scalar", "f32", 3, 60),
    ),
    (
        View(0, "x_ptr", "f16", (4, 8), (8, 1), 0, 32, "r", 5, 8),
        View(2, "z_ptr", "bf16", (4, 8), (8, 1), 0, 32, "w", 6, 8),
    ),
    "negate.mlir",
)


def binary(elements: int = 32) -> Binary:
    """One transfer, one stream."""
    operand = LxOperand(None, 0, "f16", (2,), 0, 0)
    dims = (Dim(elements, 2, 2),)
    load = (
        Instruction("param", rd=0, imm=0),
        Xfer(element_bytes=2, source=End("device", 0), dest=End("lx", None, 0, 0), dims=dims),
        Instruction("post", channel=0),
        Instruction("halt"),
    )
    vector = (
        Instruction("wait", channel=0),
        Stream(counts=(elements,), inputs=(operand,), outputs=(operand,), micro_ops=(MicroOp("negf", "f16", 0, (0,)),)),
        Instruction("halt"),
    )
    units = (UnitProgram("load", 0, load), UnitProgram("sfu", 0, vector))
    return Binary(units, (Channel("full", "load", "sfu", 0),), (Buffer("b", 0, 128, 1),), 3, (), 2)


#: x_ptr + 64, n - 1, alpha
BANK = Bank(
    (
        Step("index", arg=0),
        Step("index", const=64),
        Step("index", op="addi", of=(0, 1)),
        Step("i32", arg=1),
        Step("i32", const=(1 << 32) - 1),
        Step("i32", op="addi", of=(3, 4)),
        Step("f32", arg=4),
    ),
    (2, 5, 6),
)
PLACE = (Position("kernel.py", 7, 3), Position("negate.mlir", 9, 5))
LOCATIONS = {"load": ((), PLACE, PLACE, ()), "sfu": (PLACE, PLACE, ()), "@host": (PLACE,) * 7}


def artifact(elements: int = 32) -> Artifact:
    """The whole kernel."""
    return Artifact.make(binary(elements), BANK, SIGNATURE, DEVICE, LOCATIONS, {"note.txt": b"hello"})
