"""What each kernel of this folder computes, in NumPy written from the maths, and data to try it on.

A row of ``KERNELS`` names the file; ``inputs(rng)`` makes the arrays and numbers of a launch, ``reference(values)`` the
arrays that the kernel must give. ``tolerance`` is relative to the largest magnitude of a result: 0 where the kernel
only moves data or is exactly rounded, else a few units of the type that the kernel rounds to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Values = dict[str, Any]
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Kernel:
    """One kernel: the function ``name`` in ``name``.mlir."""

    name: str
    inputs: Callable[[np.random.Generator], Values]
    reference: Callable[[Values], Values]
    tolerance: float = 0.0

    @property
    def path(self) -> Path:
        """Where it stands."""
        return HERE / f"{self.name}.mlir"


def normal(element: type, **shapes: tuple[int, ...]) -> Callable[[np.random.Generator], Values]:
    """Arrays of standard normal numbers, by name."""
    return lambda rng: {name: rng.standard_normal(shape).astype(element) for name, shape in shapes.items()}


def wide(array: Any) -> Any:
    """As f64."""
    return np.asarray(array, np.float64)


def softmax(x: Any) -> Any:
    """Along the last dimension."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def rope(v: Values) -> Values:
    q, cos, sin = (wide(v[n]) for n in ("q_ptr", "cos_ptr", "sin_ptr"))
    a, b, c, s = q[..., :64], q[..., 64:], cos[:, None], sin[:, None]
    return {"q_ptr": np.concatenate([a * c - b * s, b * c + a * s], axis=-1)}


def rmsnorm(v: Values) -> Values:
    x = wide(v["arg0"])
    return {"arg2": x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * wide(v["arg1"])}


def layernorm(v: Values) -> Values:
    x = wide(v["x_ptr"])
    d = x - x.mean(axis=1, keepdims=True)
    return {"y_ptr": d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5) * wide(v["w_ptr"]) + wide(v["b_ptr"])}


def product(a: str, b: str, c: str) -> Callable[[Values], Values]:
    return lambda v: {c: wide(v[a]) @ wide(v[b])}


def sticks(v: Values) -> Values:
    image = wide(v["w_ptr"]).reshape(4, 128, 64)  # group, row, column of the group
    return {"c_ptr": wide(v["x_ptr"]) @ image.transpose(1, 0, 2).reshape(128, 256)}


def attention(q: Any, k: Any, v: Any, scale: float) -> Any:
    """Causal attention of one head."""
    scores = q @ k.T * scale
    scores[np.triu_indices(len(q), 1)] = -np.inf
    return softmax(scores) @ v


def attention_masked(v: Values) -> Values:
    heads = zip(*(wide(v[n]) for n in ("q_ptr", "k_ptr", "v_ptr")), strict=True)
    return {"o_ptr": np.stack([attention(q, k, x, 0.125) for q, k, x in heads])}


def flash(v: Values) -> Values:
    return {"o_ptr": attention(wide(v["q_ptr"]), wide(v["k_ptr"]), wide(v["v_ptr"]), v["scale"])}


def flash_inputs(rng: np.random.Generator) -> Values:
    return {**normal(np.float16, q_ptr=(64, 32), k_ptr=(64, 32), v_ptr=(64, 32))(rng), "scale": 0.1767578125}


def decode_inputs(rng: np.random.Generator) -> Values:
    shapes = {"q_ptr": (4, 64), "k_ptr": (32, 16, 4, 64), "v_ptr": (32, 16, 4, 64)}
    table = rng.permutation(32)[:16].reshape(2, 8).astype(np.int32)
    return {**normal(np.float16, **shapes)(rng), "table_ptr": table, "batch": 1, "pages": 4, "length": 55}


def decode(v: Values) -> Values:
    pages = v["table_ptr"][v["batch"], : v["pages"]]
    k, x = (wide(v[n])[pages].reshape(-1, 4, 64)[: v["length"]] for n in ("k_ptr", "v_ptr"))
    scores = np.einsum("hd,shd->hs", wide(v["q_ptr"]), k) * 0.125
    return {"o_ptr": np.einsum("hs,shd->hd", softmax(scores), x)}


def embedding_inputs(rng: np.random.Generator) -> Values:
    ids = rng.integers(0, 100, 32)
    return {**normal(np.float16, table_ptr=(100, 64), pos_ptr=(32, 64))(rng), "ids_ptr": ids.astype(np.int64)}


def scatter_inputs(rng: np.random.Generator) -> Values:
    slots = rng.integers(0, 128, 10).astype(np.int32)
    slots[7] = slots[2]  # the later token wins
    return {**normal(np.float16, cache_ptr=(128, 64), new_ptr=(10, 64))(rng), "slots_ptr": slots}


def scatter(v: Values) -> Values:
    cache = v["cache_ptr"].copy()
    for token, slot in enumerate(v["slots_ptr"]):
        cache[slot] = v["new_ptr"][token]
    return {"cache_ptr": cache}


def split_32(v: Values) -> Values:
    starts = [(4 * i + 2) % 126 for i in range(32)]
    return {"y_ptr": np.concatenate([v["x_ptr"][s : s + 4] for s in starts])}


def argmax_inputs(rng: np.random.Generator) -> Values:
    x = rng.standard_normal(512).astype(np.float32)
    x[[70, 200, 201, 450]] = 9.0
    return {"x_ptr": x}


def argmax(v: Values) -> Values:
    place = int(np.argmax(v["x_ptr"]))
    return {"v_ptr": v["x_ptr"][[place]], "i_ptr": np.array([place], np.int32)}


def routed(v: Values) -> Values:
    return {"y_ptr": v["x_ptr"][[4 * (c // 4) + (c + 1) % 4 for c in range(8)]]}


def owner_inputs(rng: np.random.Generator) -> Values:
    return {"x_ptr": rng.integers(-1000, 1000, 12 * 65).astype(np.int32)}


def owners(v: Values) -> Values:
    x = v["x_ptr"].reshape(12, 65)[:, :10]
    y = np.empty_like(x)
    for i in range(12):
        y[5 * i % 12] = x[i]
    return {"y_ptr": y}


def residual(v: Values) -> Values:
    once = v["h_ptr"] + np.float32(0.5) * v["x_ptr"]
    return {"h_ptr": once + np.float32(0.5) * v["x_ptr"]}


HALF, SINGLE = 2.0**-10, 2.0**-22
F16, F32 = np.float16, np.float32

KERNELS: dict[str, Kernel] = {
    k.name: k
    for k in [
        Kernel("softmax_splat", normal(F16, x_ptr=(4096, 1024)), lambda v: {"y_ptr": softmax(wide(v["x_ptr"]))}, HALF),
        Kernel(
            "softmax_online",
            lambda rng: {**normal(F32, in_ptr=(64, 1024))(rng), "n_cols": 1024},
            lambda v: {"out_ptr": softmax(wide(v["in_ptr"]))},
            4 * SINGLE,
        ),
        Kernel("rmsnorm", normal(F16, arg0=(64, 256), arg1=(256,)), rmsnorm, HALF),
        Kernel("layernorm10", normal(F32, x_ptr=(12, 10), w_ptr=(10,), b_ptr=(10,)), layernorm, 4 * SINGLE),
        Kernel("rope", normal(F16, q_ptr=(16, 4, 128), cos_ptr=(16, 64), sin_ptr=(16, 64)), rope, 2 * HALF),
        Kernel(
            "matmul_kloop",
            lambda rng: {**normal(F16, a_ptr=(128, 192), b_ptr=(192, 128))(rng), "K": 192},
            product("a_ptr", "b_ptr", "c_ptr"),
            HALF,
        ),
        Kernel("matmul_empty", normal(F16, a_ptr=(32, 96), b_ptr=(96, 64)), product("a_ptr", "b_ptr", "c_ptr"), SINGLE),
        Kernel("matmul_sticks", normal(F16, x_ptr=(16, 128), w_ptr=(4 * 128 * 64,)), sticks, HALF),
        Kernel(
            "batch_matmul",
            normal(F32, a_ptr=(8, 16, 32), b_ptr=(8, 16, 32)),
            lambda v: {"o_ptr": wide(v["a_ptr"]) @ wide(v["b_ptr"]).transpose(0, 2, 1)},
            SINGLE,
        ),
        Kernel(
            "attention_masked",
            normal(F16, q_ptr=(4, 32, 64), k_ptr=(4, 32, 64), v_ptr=(4, 32, 64)),
            attention_masked,
            HALF,
        ),
        Kernel("flash_attention", flash_inputs, flash, 2 * HALF),
        Kernel("paged_decode", decode_inputs, decode, 2 * HALF),
        Kernel("embedding", embedding_inputs, lambda v: {"out_ptr": v["table_ptr"][v["ids_ptr"]] + v["pos_ptr"]}),
        Kernel("scatter_cache", scatter_inputs, scatter),
        Kernel(
            "split_copy_2",
            normal(F16, a_ptr=(15, 64), b_ptr=(64, 9)),
            lambda v: {"out_ptr": np.concatenate([v["a_ptr"], v["b_ptr"].T])},
        ),
        Kernel("split_copy_32", normal(F16, x_ptr=(128, 64)), split_32),
        Kernel(
            "all_reduce",
            normal(F32, x_ptr=(64, 128)),
            lambda v: {"o_ptr": wide(v["x_ptr"]).reshape(4, 16, 128).sum(axis=1)},
            4 * SINGLE,
        ),
        Kernel("argmax", argmax_inputs, argmax),
        Kernel("broadcast", normal(F16, x_ptr=(8, 64), w_ptr=(1, 64)), lambda v: {"y_ptr": v["x_ptr"] * v["w_ptr"]}),
        Kernel("routed", normal(F16, x_ptr=(8, 64)), routed),
        Kernel("owners", owner_inputs, owners),
        Kernel("residual_in_place", normal(F32, h_ptr=(8, 64), x_ptr=(8, 64)), residual),
        Kernel(
            "ragged",
            normal(F32, x_ptr=(30, 48)),
            lambda v: {"y_ptr": v["x_ptr"] + np.float32(1), "s_ptr": wide(v["x_ptr"]).sum(axis=1)},
            SINGLE,
        ),
    ]
}
