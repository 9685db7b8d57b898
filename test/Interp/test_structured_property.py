"""Structured ops with random maps, iterators and bodies against the loop nests they stand for, element by element."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel import execute, unary, written

#: Bodies: text from operands %u, %v and accumulator %o to %q, and the same in Python. Small integers keep all exact.
BODIES: dict[str, tuple[str, Callable[[float, float, float], float]]] = {
    "contract": (
        "%p = arith.mulf %u, %v : f32\n%q = arith.addf %p, %o : f32\n",
        lambda x, y, o: x * y + o,
    ),
    "sum of differences": (
        "%p = arith.subf %u, %v : f32\n%q = arith.addf %o, %p : f32\n",
        lambda x, y, o: o + (x - y),
    ),
    "largest": (
        "%p = arith.addf %u, %v : f32\n%q = arith.maximumf %o, %p : f32\n",
        lambda x, y, o: max(o, x + y),
    ),
    "order matters": (
        "%h = arith.negf %o : f32\n%q = arith.addf %h, %u : f32\n",
        lambda x, y, o: x - o,
    ),
    "last one": ("%q = arith.subf %u, %v : f32\n", lambda x, y, o: x - y),
    "accumulator twice": (
        "%p = arith.minimumf %o, %u : f32\n%s = arith.addf %p, %v : f32\n%q = arith.maximumf %o, %s : f32\n",
        lambda x, y, o: max(o, min(o, x) + y),
    ),
}


@dataclass(frozen=True)
class Case:
    """One op: extents of the domain, and per operand (two inputs, one output) what each of its dimensions is."""

    sizes: tuple[int, ...]
    maps: tuple[tuple[str, ...], ...]
    body: str

    def shape(self, operand: int) -> tuple[int, ...]:
        """Extents of an operand: of a dimension its own, of a sum one less than the sum, of a constant 2."""
        return tuple(self._extent(result) for result in self.maps[operand])

    def _extent(self, result: str) -> int:
        if result.isdigit():
            return 2
        return sum(self.sizes[int(d.strip()[1:])] for d in result.split("+")) - result.count("+")

    def map_text(self, operand: int) -> str:
        dims = ", ".join(f"d{d}" for d in range(len(self.sizes)))
        return f"affine_map<({dims}) -> ({', '.join(self.maps[operand])})>"

    def index(self, operand: int, point: Sequence[int]) -> tuple[int, ...]:
        values = {f"d{d}": v for d, v in enumerate(point)}
        return tuple(int(eval(result, {}, values)) for result in self.maps[operand])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    rank = draw(st.integers(0, 3))
    sizes = tuple(draw(st.integers(1, 3)) for _ in range(rank))
    dims = [f"d{d}" for d in range(rank)]

    def some(odd: bool) -> tuple[str, ...]:
        chosen = draw(st.permutations(dims))[: draw(st.integers(0, rank))]
        extra = (
            draw(st.lists(st.sampled_from(["0", "1", *(["d0 + d1"] if rank > 1 else [])]), max_size=1)) if odd else []
        )
        return tuple(draw(st.permutations([*chosen, *extra])))

    first = tuple(draw(st.permutations(dims)))  # so that every extent is known
    return Case(sizes, (first, some(True), some(draw(st.booleans()))), draw(st.sampled_from(list(BODIES))))


def naive(case: Case, x: np.ndarray, y: np.ndarray, init: np.ndarray) -> np.ndarray:
    result, function = init.copy(), BODIES[case.body][1]
    for point in itertools.product(*map(range, case.sizes)):
        place = case.index(2, point)
        result[place] = function(float(x[case.index(0, point)]), float(y[case.index(1, point)]), float(result[place]))
    return result


def _dense(array: np.ndarray) -> str:
    return f"dense<{np.char.mod('%.1f', array).tolist()}>".replace("'", "")


@given(cases(), st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_structured_ops_are_their_loop_nests(case: Case, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y, init = (rng.integers(-3, 4, case.shape(k)).astype(np.float32) for k in range(3))
    types = [f"tensor<{'x'.join([*map(str, case.shape(k)), 'f32'])}>" for k in range(3)]
    kinds = ['"parallel"' if f"d{d}" in case.maps[2] else '"reduction"' for d in range(len(case.sizes))]
    body = (
        f"%b = arith.constant {_dense(y)} : {types[1]}\n%i = arith.constant {_dense(init)} : {types[2]}\n"
        f"%r = linalg.generic {{indexing_maps = [{', '.join(case.map_text(k) for k in range(3))}],"
        f" iterator_types = [{', '.join(kinds)}]}} ins(%a, %b : {types[0]}, {types[1]}) outs(%i : {types[2]}) {{\n"
        f"^bb0(%u: f32, %v: f32, %o: f32):\n{BODIES[case.body][0]}linalg.yield %q : f32\n}} -> {types[2]}\n"
    )
    got = execute(unary(body, case.shape(0), case.shape(2)), {"x": x, "z": written(case.shape(2), "f32")})["z"]
    assert np.array_equal(got, naive(case, x, y, init)), case
