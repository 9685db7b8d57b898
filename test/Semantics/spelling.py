"""How shapes are spelled in the text of a kernel: types, and the sets of boxes."""

from __future__ import annotations

Shape = tuple[int, ...]


def tensor(shape: Shape, element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def memref(shape: Shape, element: str) -> str:
    return f"memref<{'x'.join([*map(str, shape), element])}>"


def coordinates(shape: Shape) -> str:
    return "x".join([*map(str, shape), "index"])


def dims(rank: int) -> str:
    return ", ".join(f"d{k}" for k in range(rank))


def box(shape: Shape, low: Shape | None = None, extra: str = "") -> str:
    low = low or (0,) * len(shape)
    sides = [f"d{k} - {a} >= 0, -d{k} + {a + n - 1} >= 0" for k, (a, n) in enumerate(zip(low, shape, strict=True))]
    return f"affine_set<({dims(len(shape))}) : ({', '.join(sides + [extra] * bool(extra)) or '0 == 0'})>"
