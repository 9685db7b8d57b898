"""Sound kernels of every kind from a seed: :func:`kernel` gives a text and the arrays and numbers of a launch.

Beside ``generator.py`` (which hypothesis shrinks, and which keeps to what a naive evaluator knows) these go all the way
to the binary: contractions, folds with every combiner, nested loops that carry and permute tensors, branches with
results, in-place stores on overlapping tiles, lists of rows, exchanges, numbers of the launch and out of memory that
steer control. They race with nobody, read nothing undefined and stay inside their memory; a draw that does not is told
by stage ``ktir``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from random_kernels import control, exchange, folds, integers, memory, parts, pointwise, rows, shapes
from random_kernels.builder import EXTENTS, Builder, Kind


@dataclass
class Kernel:
    """A text, and the arrays and numbers of a launch."""

    text: str
    values: dict[str, Any]
    exact: bool
    """Whether the numbers are small integers."""


def _is_outside(b: Builder) -> bool:
    """Whether no loop or branch is around."""
    return b.depth == 0


KINDS = (
    Kind(memory.read, 3),
    Kind(pointwise.chain, 8),
    Kind(pointwise.select, 2),
    Kind(pointwise.cast, 3),
    Kind(integers.bits, 3),
    Kind(integers.scalar, 2),
    Kind(folds.reduce, 5),
    Kind(folds.generic, 6),
    Kind(folds.contract, 5),
    Kind(folds.two_folds, 2),
    Kind(folds.softmax, 1),
    Kind(shapes.transpose, 2),
    Kind(shapes.broadcast, 3),
    Kind(shapes.piece, 3),
    Kind(shapes.insert, 3),
    Kind(shapes.reshape, 3),
    Kind(shapes.scalar, 2),
    Kind(shapes.pad, 1),
    Kind(control.loop, 5, _is_outside),
    Kind(control.loop, 3, lambda b: b.depth == 1),
    Kind(control.branch, 3, lambda b: b.depth < 2),
    Kind(memory.in_place, 2, _is_outside),
    Kind(exchange.neighbour, 1, _is_outside),
    Kind(exchange.exchange, 1, lambda b: b.uniform),
    Kind(exchange.consume, 1, lambda b: b.uniform),
    Kind(rows.rows, 2, lambda b: b.depth < 2),
    Kind(rows.while_loop, 1, lambda b: b.depth < 2),
    Kind(rows.aliased, 1, lambda b: _is_outside(b) and b.tiles == 1),
    Kind(parts.distributed, 1, _is_outside),
    Kind(parts.scratchpad, 1),
    Kind(memory.computed_rows, 2, lambda b: b.tiles == 1),
)


def kernel(seed: int) -> Kernel:
    """The kernel of a seed."""
    r = Random(seed)
    tiles = r.choice((1, 1, 2, 3, 4, 6))
    grid = [tiles] if tiles % 2 or r.random() < 0.7 else [2, tiles // 2]
    extents = tuple(r.choice(EXTENTS) for _ in range(r.choice((1, 2, 3))))
    b = Builder(r, KINDS, tiles, r.random() < 0.4, extents)
    for _ in range(r.randint(1, 3)):
        memory.read(b)
    b.some(r.choice((2, 4, 8, 12, 20)))
    text = "\n".join(b.lines)
    unused = [v for v in b.values if len(re.findall(re.escape(v.name) + r"\b", text)) == 1]
    for value in r.sample(unused, min(len(unused), r.randint(1, 4))):
        memory.write(b, value)
    head = [
        f"func.func @k({', '.join(b.arguments)}) attributes {{grid = {grid}}} {{",
        "%tile = ktdp.get_compute_tile_id : index",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
    ]
    return Kernel("\n".join([*head, *b.lines, "return\n}\n"]), b.data, b.exact)
