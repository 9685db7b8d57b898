"""What NumPy makes of the hand-written programs."""

from __future__ import annotations

import numpy as np
from staged import SHARED, STAGED
from target import Arrays, Program


def _rows(rng: np.random.Generator, *shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float16]]:
    return rng.standard_normal(shape).astype(np.float16)


def _copied(arrays: Arrays) -> Arrays:
    return {"y": arrays["x"]}


def _softmax_inputs(rng: np.random.Generator) -> Arrays:
    x = (rng.standard_normal((24, 64)) * 4).astype(np.float16)
    x[3, 7] = -np.inf
    return {"x": x}


def _softmax(arrays: Arrays) -> Arrays:
    x = arrays["x"].astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return {"y": (e / e.sum(axis=1, keepdims=True)).astype(np.float16)}


def _matmul_inputs(rng: np.random.Generator) -> Arrays:
    return {"a": _rows(rng, 5, 32, 32), "b": _rows(rng, 160, 64), "bias": _rows(rng, 64)}


def _matmul(arrays: Arrays) -> Arrays:
    a, b, bias = (arrays[n].astype(np.float64) for n in ("a", "b", "bias"))
    whole = a.transpose(1, 0, 2).reshape(32, 160)
    return {"c": np.maximum(whole @ b + bias, 0).astype(np.float16)}


def _flash_inputs(rng: np.random.Generator) -> Arrays:
    values = rng.uniform(0.5, 1.5, (128, 32)).astype(np.float16)  # no cancellation: ulp are a fair measure
    return {"q": _rows(rng, 32, 32), "k": _rows(rng, 128, 32) * np.float16(2), "v": values}


def _flash(arrays: Arrays) -> Arrays:
    q, k, v = (arrays[n].astype(np.float64) for n in "qkv")
    scores = q @ k.T / np.sqrt(32)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return {"o": (e @ v / e.sum(axis=1, keepdims=True)).astype(np.float16)}


def _gather_inputs(rng: np.random.Generator) -> Arrays:
    rows, places = rng.integers(0, 50, 64), rng.permutation(64)
    return {"x": _rows(rng, 50, 64), "from": rows.astype(np.int32), "to": places.astype(np.int32)}


def _gather(arrays: Arrays) -> Arrays:
    y = np.empty((64, 64), np.float16)
    y[arrays["to"]] = arrays["x"][arrays["from"]]
    return {"y": y}


def _bound_inputs(rng: np.random.Generator) -> Arrays:
    return {"n": np.array([8, 0, 1, 5], np.int32), "x": _rows(rng, 4, 8, 64), "y": _rows(rng, 4, 8, 64)}


def _bound(arrays: Arrays) -> Arrays:
    y = arrays["y"].copy()
    for tile, n in enumerate(arrays["n"]):
        y[tile, :n] = arrays["x"][tile, :n] * np.float16(2)
    return {"y": y}


def _while_inputs(rng: np.random.Generator) -> Arrays:
    size = np.float16(2) ** rng.integers(-3, 8, (12, 1)).astype(np.float16)
    return {"x": _rows(rng, 12, 64) * size}


def _while(arrays: Arrays) -> Arrays:
    y, count = arrays["x"].copy(), np.zeros(12, np.int32)
    for row in range(12):
        while y[row].max() > 1:
            y[row] *= np.float16(0.5)
            count[row] += 1
    return {"y": y, "count": count}


def _allreduce(arrays: Arrays) -> Arrays:
    x = arrays["x"].astype(np.float32)
    total = (x * x).astype(np.float64).sum(axis=0).astype(np.float16)
    return {"y": np.broadcast_to(total, x.shape).copy()}


def _multicast(arrays: Arrays) -> Arrays:
    return {"y": arrays["x"][:, None, :] * arrays["w"][None, :, :]}


def _straddle(arrays: Arrays) -> Arrays:
    return {"y": np.stack([arrays["x"][2 + t : 10 + t] for t in range(4)])}


def _exp(arrays: Arrays) -> Arrays:
    return {"y": np.exp(arrays["x"].astype(np.float64)).astype(np.float16)}


def _rotated(arrays: Arrays) -> Arrays:
    x = arrays["x"].astype(np.float32).reshape(24, 2, 32)
    (a, b), (cos, sin) = np.split(x, 2, axis=2), arrays["w"].astype(np.float32)

    def half(left: np.ndarray, right: np.ndarray, sign: int) -> np.ndarray:
        u, v = (left * cos).astype(np.float16), (right * sin).astype(np.float16)
        return (u.astype(np.float32) + sign * v.astype(np.float32)).astype(np.float16)

    return {"y": np.concatenate([half(a, b, -1), half(b, a, 1)], axis=2)}


def _clip_inputs(rng: np.random.Generator) -> Arrays:
    return {"x": _rows(rng, 3, 2, 3, 4, 3), "m": _rows(rng, 12, 8), "z": _rows(rng, 3, 2, 3, 4, 3)}


def _clipped(arrays: Arrays) -> Arrays:
    y = np.ones((3, 2, 3, 2, 3, 2, 2), np.float16)  # tile, iteration, then the box
    z = arrays["z"].copy()
    v = np.zeros((3, 4, 4), np.float16)
    for t in range(3):
        for i in range(2):
            for p in range(3):
                for q in range(3):
                    if not (1 - t <= p < 4 - t and 1 - t <= q < 4 - t):
                        continue
                    box = arrays["x"][t - 1 + p, :, q, :2, i : i + 2]
                    y[t, i, p, :, q] = box
                    z[t - 1 + p, 0, q, :2, i] = box[0, :, 0]
        rows = min(t + 2, 4)
        v[t, :rows, 1:] = arrays["m"][4 * t : 4 * t + rows, 3:6]
    return {"y": y, "z": z, "v": v}


def _carried_inputs(rng: np.random.Generator) -> Arrays:
    steps = np.array([[2, 0, -3, 4, 1, 1], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]], np.int32)
    return {"steps": steps, "x": _rows(rng, 12, 64), "y": _rows(rng, 3, 6, 64)}


def _carried(arrays: Arrays) -> Arrays:
    y, end = arrays["y"].copy(), np.zeros((3, 2), np.int32)
    for tile, steps in enumerate(arrays["steps"]):
        at = 0
        for i, step in enumerate(steps):
            if step > 0:
                at += step
                y[tile, i] = arrays["x"][at] * np.float16(2)
        end[tile] = at, steps.sum()
    return {"y": y, "end": end}


def _chase_inputs(rng: np.random.Generator) -> Arrays:
    follows = np.array([5, -1, -1, -1, -1, -1, -1, -1, 2, -1, -1, -1], np.int32)
    follows[[5, 11, 1, 7]] = 11, 1, 7, 6
    return {"next": follows, "x": _rows(rng, 12, 64), "y": _rows(rng, 3, 12, 64), "sum": _rows(rng, 6, 3, 64)}


def _chased(arrays: Arrays) -> Arrays:
    y, total = arrays["y"].copy(), arrays["sum"].copy()
    for tile in range(3):
        row, count, acc = 4 * tile, 0, arrays["x"][4 * tile] * np.float16(1)
        while arrays["next"][row] >= 0:
            y[tile, count] = acc
            row, count = arrays["next"][row], count + 1
            acc = acc + arrays["x"][row]
        total[count, tile] = acc
    return {"y": y, "sum": total}


def _list_inputs(rng: np.random.Generator) -> Arrays:
    rows = np.stack([rng.permutation(10)[:6] for _ in range(3)]).astype(np.int32)
    return {"x": _rows(rng, 10, 20), "rows": rows, "shift": np.array([4, 1], np.int64), "z": _rows(rng, 3, 10, 16)}


def _listed(arrays: Arrays) -> Arrays:
    y, z = np.zeros((3, 2, 3, 2, 2, 4), np.float16), arrays["z"].copy()
    for t, a, b, c, d, e in np.ndindex(y.shape):
        if b <= t:
            row = arrays["rows"][t].reshape(3, 2)[b, a]
            y[t, a, b, c, d, e] = arrays["x"][row, 4 * c + 8 * d + e + arrays["shift"][c]]
            z[t, row, 4 * c + 8 * d + e] = y[t, a, b, c, d, e]
    return {"y": y, "z": z}


def _causal(arrays: Arrays) -> Arrays:
    row, column = np.arange(64)[:, None], np.arange(64)[None, :]
    y = np.where((column <= row) & (column < 20), arrays["x"], np.float16(-np.inf))
    t, a, e, c, d, b = np.ogrid[0:4, 0:3, 0:5, 0:3, 0:2, 0:2]
    n = (a * 7 + e) % 5 - e // 2 + t + b * 10 + a + 0 * (c + d)
    return {"y": y, "n": n.astype(np.int32)}


def _doubled(arrays: Arrays) -> Arrays:
    return {"y": arrays["x"] * np.float16(2)}


def _part_inputs(rng: np.random.Generator) -> Arrays:
    return {"x": _rows(rng, 9, 8), "rows": rng.integers(0, 9, (4, 6, 4)).astype(np.int32)}


def _parts(arrays: Arrays) -> Arrays:
    y = arrays["x"][arrays["rows"]]
    for tile in range(4):
        y[tile, :, :, tile + 2 :] = 7
    y[:, 5, 3] = 0
    return {"y": y}


PROGRAMS = [
    Program("copy", 4, lambda rng: {"x": _rows(rng, 28, 64)}, _copied),
    Program("softmax", 4, _softmax_inputs, _softmax, ulp=1),
    Program("matmul", 2, _matmul_inputs, _matmul, ulp=1),
    Program("flash", 2, _flash_inputs, _flash, ulp=2),
    Program("gather", 2, _gather_inputs, _gather),
    Program("bound", 4, _bound_inputs, _bound),
    Program("while", 4, _while_inputs, _while),
    Program("allreduce", 4, lambda rng: {"x": _rows(rng, 4, 5, 64)}, _allreduce, ulp=1),
    Program("multicast", 4, lambda rng: {"x": _rows(rng, 4, 64), "w": _rows(rng, 5, 64)}, _multicast),
    Program("corelets", 4, lambda rng: {"x": _rows(rng, 24, 64)}, _exp, ulp=1),
    Program("straddle", 4, lambda rng: {"x": _rows(rng, 16, 64)}, _straddle),
    Program("staged", 4, lambda rng: {"x": _rows(rng, 28, 64)}, _doubled, on=STAGED),
    Program("shared_stage", 4, _part_inputs, _parts, on=SHARED),
]

SCHEDULES = [
    Program("views", 2, lambda rng: {"x": _rows(rng, 24, 64), "w": _rows(rng, 2, 2, 16)}, _rotated),
    Program("clips", 3, _clip_inputs, _clipped),
    Program("lists", 3, _list_inputs, _listed),
    Program("causal", 4, lambda rng: {"x": _rows(rng, 64, 64)}, _causal),
    Program("carried", 3, _carried_inputs, _carried),
    Program("chase", 3, _chase_inputs, _chased),
]
"""Written at stage `schedule` alone: what is below is the compiler's."""
