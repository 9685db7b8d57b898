"""What each example kernel computes, in NumPy written from the maths, and data to try it on.

A row of ``KERNELS`` names the file, the function in it, the arrays that a launch takes and the arrays it must give.
``ulp`` is the distance in units of the last place that is allowed to the NumPy result: 0 where every operation is
exactly rounded, 1 where a transcendental function is involved, which the machine evaluates in single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Arrays = dict[str, Array]
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Kernel:
    """One kernel: ``inputs(rng)`` makes the arrays of a launch, ``reference(arrays)`` the arrays after it."""

    name: str
    file: str
    inputs: Callable[[np.random.Generator, str], Arrays]
    reference: Callable[[Arrays], Arrays]
    element: str = "f16"
    ulp: int = 0
    iterations: int = 1
    variants: tuple[str, ...] = ()

    def text(self, element: str | None = None) -> str:
        """The kernel's source; with ``element`` the same kernel over that element type."""
        source = (HERE / self.file).read_text(encoding="utf-8")
        return source.replace(self.element, element) if element else source

    @property
    def path(self) -> Path:
        """Where the kernel stands."""
        return HERE / self.file


def dtype(element: str) -> np.dtype[np.generic]:
    """NumPy's name for an MLIR float type."""
    return np.dtype({"f16": np.float16, "f32": np.float32}[element])


def normal(*names: str, shape: tuple[int, ...]) -> Callable[[np.random.Generator, str], Arrays]:
    """Arrays of ``shape`` with standard normal entries, one for each name."""

    def make(rng: np.random.Generator, element: str) -> Arrays:
        return {name: rng.standard_normal(shape).astype(dtype(element)) for name in names}

    return make


def add(a: Arrays) -> Arrays:
    return {"z_ptr": a["x_ptr"] + a["y_ptr"]}


def add_literal(a: Arrays) -> Arrays:
    return {"20480": a["4096"] + a["12288"]}


def chain_named_inputs(rng: np.random.Generator, element: str) -> Arrays:
    arrays = normal("a_ptr", "b_ptr", "c_ptr", shape=(64, 128))(rng, element)
    arrays["c_ptr"] = np.where(np.abs(arrays["c_ptr"]) < 0.25, arrays["c_ptr"].dtype.type(0.25), arrays["c_ptr"])
    arrays["a_ptr"][3, 5], arrays["b_ptr"][3, 7], arrays["a_ptr"][9, 1] = np.inf, np.nan, -0.0
    return arrays


def chain_named(a: Arrays) -> Arrays:
    with np.errstate(all="ignore"):
        return {"out_ptr": np.maximum((a["a_ptr"] - a["b_ptr"]) * a["a_ptr"] / a["c_ptr"], a["b_ptr"])}


def chain_arith(a: Arrays) -> Arrays:
    x, y = a["x_ptr"], a["y_ptr"]
    one = x.dtype.type
    grown = x + np.exp(y.astype(np.float64)).astype(x.dtype)
    return {"out_ptr": np.where(x < 0, one(0.125) * x, grown)}


def swish_gate(a: Arrays) -> Arrays:
    gate = a["gate_ptr"].astype(np.float64)
    silu = (gate / (1.0 + np.exp(-gate))).astype(a["gate_ptr"].dtype)
    return {"out_ptr": silu * a["up_ptr"]}


def copy(a: Arrays) -> Arrays:
    return {"dst_ptr": a["src_ptr"]}


def in_place(a: Arrays) -> Arrays:
    x = a["x_ptr"]
    once = x * x + x
    return {"x_ptr": once * once + once}


def rows65(a: Arrays) -> Arrays:
    return {"y_ptr": a["x_ptr"] + a["x_ptr"]}


def loop(trips: int) -> Callable[[Arrays], Arrays]:
    """The function ``loop_<trips>`` of loops.mlir: two cores, the first ``trips`` of 1,000 rows each."""

    def reference(a: Arrays) -> Arrays:
        y = a["y_ptr"].copy()
        for start in (0, 1000):
            x = a["x_ptr"][start : start + trips]
            y[start : start + trips] = -x * x
        return {"y_ptr": y}

    return reference


KERNELS: dict[str, Kernel] = {
    k.name: k
    for k in [
        Kernel("add_literal", "add_literal.mlir", normal("4096", "12288", shape=(96, 64)), add_literal, iterations=3),
        Kernel("add", "add.mlir", normal("x_ptr", "y_ptr", shape=(96, 64)), add, iterations=3, variants=("f32",)),
        Kernel("chain_named", "chain_named.mlir", chain_named_inputs, chain_named, variants=("f32",)),
        Kernel(
            "chain_arith",
            "chain_arith.mlir",
            normal("x_ptr", "y_ptr", shape=(128, 32)),
            chain_arith,
            element="f32",
            ulp=1,
            iterations=4,
            variants=("f16",),
        ),
        Kernel(
            "swish_gate",
            "swish_gate.mlir",
            normal("gate_ptr", "up_ptr", shape=(80, 96)),
            swish_gate,
            ulp=1,
            iterations=5,
            variants=("f32",),
        ),
        Kernel("copy_kernel", "triton_copy.mlir", normal("src_ptr", shape=(128, 256)), copy),
        Kernel("in_place", "in_place.mlir", normal("x_ptr", shape=(32, 64)), in_place, iterations=4, variants=("f32",)),
        Kernel("rows65", "rows65.mlir", normal("x_ptr", shape=(96, 65)), rows65, iterations=6),
        *(
            Kernel(f"loop_{n}", "loops.mlir", normal("x_ptr", "y_ptr", shape=(2000, 64)), loop(n), iterations=n)
            for n in (0, 1, 2, 1000)
        ),
    ]
}


def ulp_distance(got: Array, want: Array) -> int:
    """Largest distance between two float arrays of one type in units of the last place; NaN equals NaN, and -0 is 1
    from +0."""
    bits = {2: np.int16, 4: np.int32, 8: np.int64}[got.dtype.itemsize]
    both_nan = np.isnan(got) & np.isnan(want)
    order = [np.ascontiguousarray(v).view(bits).astype(np.int64) for v in (got, want)]
    low = np.iinfo(bits).min
    ranks = [np.where(o < 0, low - o - 1, o) for o in order]
    return int(np.where(both_nan, 0, np.abs(ranks[0] - ranks[1])).max(initial=0))
