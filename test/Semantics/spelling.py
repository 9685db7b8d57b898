"""How shapes are spelled in the text of a kernel: types, values that have them, and the sets of boxes."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Value:
    """A tensor of a kernel under construction."""

    name: str
    shape: Shape
    element: str

    @property
    def type(self) -> str:
        return tensor(self.shape, self.element)

    @property
    def kind(self) -> str:
        """``i`` for integers, ``f`` for floats."""
        return "i" if self.element[0] == "i" else "f"
