"""Kernels whose tensors are larger than LX: they become binaries that compute what stage ``kernel`` does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tiles import fill, generic, kernel, read_box, signed, tensor, write_box

from spyrec import driver, spyrecode
from spyrec.driver import execute
from spyrec.errors import OutOfResources

ROWS, COLUMNS = 250, 130
SHAPE = (ROWS, COLUMNS)
WHOLE = "d0, d1"
LOWEST = "0xFF800000"


def chain() -> str:
    text = kernel(
        read_box("a", "%x", SHAPE)
        + read_box("b", "%y", (COLUMNS,))
        + generic(
            "s", [("a", SHAPE, WHOLE), ("b", (COLUMNS,), "d1")], (SHAPE, WHOLE),
            "%p = arith.mulf %a0, %a1 : f32\n%r = math.exp %p : f32\n", extents=SHAPE,
        )
        + write_box("s", "%z", SHAPE)
    )  # fmt: skip
    return signed(text, {"x": ("r", SHAPE, "f32"), "y": ("r", (COLUMNS,), "f32"), "z": ("w", SHAPE, "f32")})


def in_place() -> str:
    text = kernel(
        read_box("a", "%x", SHAPE)
        + generic("s", [("a", SHAPE, WHOLE)], (SHAPE, WHOLE), "%r = math.exp %a0 : f32\n", extents=SHAPE)
        + write_box("s", "%x", SHAPE),
        ("x",),
    )
    return signed(text, {"x": ("rw", SHAPE, "f32")})


def fold(kept: str, combiner: str, start: str, shape: tuple[int, int] = SHAPE, element: str = "f32") -> str:
    left = (shape[0],) if kept == "d0" else (shape[1],)
    text = kernel(
        fill("f", left, start, element)
        + read_box("a", "%x", shape, element)
        + generic(
            "s", [("a", shape, WHOLE)], (left, kept), f"%r = arith.{combiner} %o, %a0 : {element}\n",
            extents=shape, element=element, init="f",
        )
        + write_box("s", "%z", left, element),
        ("x", "z"),
    )  # fmt: skip
    return signed(text, {"x": ("r", shape, element), "z": ("w", left, element)})


def softmax(shape: tuple[int, int] = SHAPE) -> str:
    rows, largest = (shape[0],), "%r = arith.maximumf %o, %a0 : f32\n"
    text = kernel(
        fill("f", rows, LOWEST)
        + fill("g", rows, "0.0")
        + read_box("a", "%x", shape)
        + generic("m", [("a", shape, WHOLE)], (rows, "d0"), largest, extents=shape, init="f")
        + generic(
            "e", [("a", shape, WHOLE), ("m", rows, "d0")], (shape, WHOLE),
            "%d = arith.subf %a0, %a1 : f32\n%r = math.exp2 %d : f32\n", extents=shape,
        )
        + generic("s", [("e", shape, WHOLE)], (rows, "d0"), "%r = arith.addf %o, %a0 : f32\n", extents=shape, init="g")
        + generic(
            "q", [("e", shape, WHOLE), ("s", rows, "d0")], (shape, WHOLE), "%r = arith.divf %a0, %a1 : f32\n",
            extents=shape,
        )
        + write_box("q", "%z", shape),
        ("x", "z"),
    )  # fmt: skip
    return signed(text, {"x": ("r", shape, "f32"), "z": ("w", shape, "f32")})


def matmul(m: int, n: int, k: int) -> str:
    text = kernel(
        fill("f", (m, n), "0.0", "f16")
        + read_box("a", "%x", (m, k), "f16")
        + read_box("b", "%y", (k, n), "f16")
        + generic(
            "c", [("a", (m, k), "d0, d2"), ("b", (k, n), "d2, d1")], ((m, n), WHOLE),
            "%p = arith.mulf %a0, %a1 : f16\n%r = arith.addf %o, %p : f16\n",
            extents=(m, n, k), element="f16", init="f",
        )
        + write_box("c", "%z", (m, n), "f16")
    )  # fmt: skip
    return signed(text, {"x": ("r", (m, k), "f16"), "y": ("r", (k, n), "f16"), "z": ("w", (m, n), "f16")})


def matmul_in_blocks(m: int, n: int, k: int, step: int) -> str:
    """A product that is added up in a loop; not even the sums fit."""
    block = tensor((m, n), "f32")
    text = kernel(
        f"%c1 = arith.constant 1 : index\n%n = arith.constant {k // step} : index\n"
        + fill("f", (m, n), "0.0")
        + f"%s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> ({block}) {{\n"
        + f"%p = affine.apply affine_map<(i) -> (i * {step})>(%i)\n"
        + f"%a = dataflow.read @device[%p from %x] strides [{k}, 1] : {tensor((m, step), 'f32')}\n"
        + f"%q = affine.apply affine_map<(i) -> (i * {step * n})>(%i)\n"
        + read_box("b", "%y", (step, n), offset="%q")
        + generic(
            "c", [("a", (m, step), "d0, d2"), ("b", (step, n), "d2, d1")], ((m, n), WHOLE),
            "%p = arith.mulf %a0, %a1 : f32\n%r = arith.addf %o, %p : f32\n", extents=(m, n, step), init="acc",
        ).replace("%p =", "%t =").replace("%o, %p", "%o, %t")
        + f"scf.yield %c : {block}\n}}\n"
        + generic("e", [("s", (m, n), WHOLE)], ((m, n), WHOLE), "%r = math.absf %a0 : f32\n", extents=(m, n))
        + write_box("e", "%z", (m, n))
    )  # fmt: skip
    return signed(text, {"x": ("r", (m, k), "f32"), "y": ("r", (k, n), "f32"), "z": ("w", (m, n), "f32")})


def interleaved() -> str:
    """Two copies; the loop of the one must not come between the read and the write of the other."""
    text = kernel(
        read_box("a", "%x", SHAPE)
        + read_box("b", "%y", SHAPE)
        + write_box("a", "%z", SHAPE)
        + write_box("b", "%w", SHAPE),
        ("x", "y", "z", "w"),
    )
    return signed(text, {name: ("r" if name in "xy" else "w", SHAPE, "f32") for name in "xyzw"})


def around_a_loop() -> str:
    """A copy on both sides of a loop over tensors with which it has nothing to do."""
    row = tensor((COLUMNS,), "f32")
    text = kernel(
        "%c1 = arith.constant 1 : index\n%n = arith.constant 3 : index\n"
        + read_box("a", "%x", SHAPE)
        + fill("f", (COLUMNS,), "0.0")
        + f"%s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> ({row}) {{\n"
        + f"%p = affine.apply affine_map<(i) -> (i * {COLUMNS})>(%i)\n"
        + read_box("b", "%y", (COLUMNS,), offset="%p")
        + generic(
            "c", [("b", (COLUMNS,), "d0"), ("acc", (COLUMNS,), "d0")], ((COLUMNS,), "d0"),
            "%r = arith.addf %a0, %a1 : f32\n", extents=(COLUMNS,),
        )
        + f"scf.yield %c : {row}\n}}\n"
        + write_box("a", "%z", SHAPE)
        + write_box("s", "%w", (COLUMNS,)),
        ("x", "y", "z", "w"),
    )  # fmt: skip
    shapes = {"x": SHAPE, "y": SHAPE, "z": SHAPE, "w": (COLUMNS,)}
    return signed(text, {name: ("r" if name in "xy" else "w", shape, "f32") for name, shape in shapes.items()})


KERNELS: dict[str, Callable[[], str]] = {
    "chain": chain,
    "in_place": in_place,
    "interleaved": interleaved,
    "around_a_loop": around_a_loop,
    "row_sum": lambda: fold("d0", "addf", "0.0"),
    "column_sum": lambda: fold("d1", "addf", "0.0"),
    "row_max": lambda: fold("d0", "maximumf", LOWEST),
    "one_row_sum": lambda: fold("d0", "addf", "0.0", (1, 40001)),
    "one_row_sum_f16": lambda: fold("d0", "addf", "0.0", (1, 80001), "f16"),
    "column_product": lambda: fold("d1", "mulf", "1.0"),
    "softmax": softmax,
    "softmax_of_a_row": lambda: softmax((1, 40001)),
    "matmul": lambda: matmul(130, 150, 300),
    "matmul_in_blocks": lambda: matmul_in_blocks(130, 150, 90, 30),
    "matmul_of_long_blocks": lambda: matmul_in_blocks(5, 6, 30000, 10000),
    "matmul_of_long_rows": lambda: matmul(3, 5, 40001),
}


def options(*tuning: str, emit: str = "spyrecode") -> driver.Options:
    return driver.Options(emit=emit, from_stage="kernel", settings=("device.lx.size=65536",), tuning=tuning)


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_larger_than_lx_is_done_in_tiles(name: str) -> None:
    text = KERNELS[name]()
    with pytest.raises(OutOfResources):
        driver.compile_text(text, "k.mlir", options("choose-tile-sizes=off"))
    compiled = driver.compile_text(text, "k.mlir", options())
    assert compiled.artifact is not None
    found = []
    for binary in (False, True):
        launch = spyrecode.bind(compiled.artifact.signature, inputs(compiled.artifact.signature), {}, seed=1)
        if binary:
            execute.run_binary(compiled.artifact, launch, shuffle=3)
        else:
            execute.run_stage(driver.compile_text(text, "k.mlir", options(emit="kernel")), launch)
        found.append({name: array.tobytes() for name, array in launch.outputs().items()})
    assert found[0] == found[1]


def inputs(signature: spyrecode.Signature) -> dict[str, np.ndarray]:
    """Numbers whose sums and products are exact, however they are put together."""
    rng = np.random.default_rng(5)
    given = {}
    for view in signature.views:
        if "r" in view.access:
            dtype = np.float16 if view.type == "f16" else np.float32
            signs = (
                rng.choice([-1.0, 1.0], view.sizes) if view.name != "y" else rng.choice([-1.0, 0.0, 1.0], view.sizes)
            )
            given[view.name] = signs.astype(dtype)
    return given


def test_a_kernel_of_16_mib_takes_as_long_as_its_bytes() -> None:
    """The real sizes: 16 MiB in, 16 MiB out, over 2 MiB of LX."""
    shape = (4096, 1024)
    text = signed(
        kernel(
            read_box("a", "%x", shape)
            + generic("s", [("a", shape, WHOLE)], (shape, WHOLE), "%r = arith.negf %a0 : f32\n", extents=shape)
            + write_box("s", "%z", shape),
            ("x", "z"),
        ),
        {"x": ("r", shape, "f32"), "z": ("w", shape, "f32")},
    )
    compiled = driver.compile_text(text, "k.mlir", driver.Options(from_stage="kernel"))
    assert compiled.artifact is not None
    launch = spyrecode.bind(compiled.artifact.signature, {}, {}, seed=1)
    x = launch.memory.read(launch.regions[0].address, launch.regions[0].size).view(np.float32).copy()
    result = execute.run_binary(compiled.artifact, launch)
    (z,) = launch.outputs().values()
    assert (z.ravel() == -x).all()
    # Device memory moves 128 bytes a cycle: all else is hidden behind that.
    assert result.cycles < 1.02 * 2 * 4 * shape[0] * shape[1] / 128
