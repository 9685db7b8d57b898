"""Streams that fold: values against a loop over elements, starts, rounding, time."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from assembled import HALT, device, i, launch, load, post, run, store, wait

from spyrec import numerics
from spyrec.errors import InvalidKernel
from spyrec.isa import Binary, Buffer, Channel, LxOperand, MicroOp, Stream, UnitProgram

ROWS, COLUMNS = 4, 10


def folding(stream: Stream, words: int = 64) -> Binary:
    """x and the old z go to LX, the stream runs, z comes back."""
    loads = [
        i("param", rd=1, imm=0),
        load(1, None, 0, 2 * words),
        i("param", rd=1, imm=1),
        load(1, None, 1, 2 * words, at=1024),
        post(0),
        HALT,
    ]
    stores = [wait(1), i("param", rd=1, imm=2), store(1, None, 1, 2 * words, at=1024), HALT]
    return Binary(
        units=(
            UnitProgram("load", 0, tuple(loads)),
            UnitProgram("sfu", 0, (wait(0), stream, post(1), HALT)),
            UnitProgram("store", 0, tuple(stores)),
        ),
        channels=(Channel("in", "load", "sfu", 0), Channel("out", "sfu", "store", 0)),
        buffers=(Buffer("x", 0, 1024, 1), Buffer("z", 1024, 1024, 1)),
    )


def fold(op: str, axes: tuple[int, ...], *, fresh: bool = False, micro: tuple[MicroOp, ...] = ()) -> Stream:
    """z[...] = fold of x[ROWS, COLUMNS] over ``axes``."""
    strides = tuple(0 if d in axes else (2 * COLUMNS, 2)[d] if axes == () else 2 for d in range(2))
    register = micro[-1].dest if micro else 0
    return Stream(
        counts=(ROWS, COLUMNS),
        folded=sum(1 << d for d in axes),
        inputs=(LxOperand(None, 0, "f16", (2 * COLUMNS, 2), 0, 0),),
        outputs=(LxOperand(None, 1024, "f16", strides, 1, register, op, int(fresh)),),
        micro_ops=micro,
    )


def ran(stream: Stream, x: Any, z: Any) -> Any:
    bound = launch({"x": x, "z": z, "y": z}, ("y",))
    run(folding(stream), bound)
    return bound.outputs(("y",))["y"]


def by_hand(op: str, x: Any, old: Any, axes: tuple[int, ...], fresh: bool) -> Any:
    """Element by element in f64; one rounding."""
    kept = [d for d in range(2) if d not in axes]
    out = old.copy()
    for place in itertools.product(*(range((ROWS, COLUMNS)[d]) for d in kept)):
        values = [
            float(x[p]) for p in np.ndindex(ROWS, COLUMNS) if all(p[d] == q for d, q in zip(kept, place, strict=True))
        ]
        flat = place[0] if place else 0
        start = {"addf": 0.0, "mulf": 1.0, "maximumf": -np.inf, "minimumf": np.inf}[op] if fresh else float(old[flat])
        for value in values:
            step = {"addf": start + value, "mulf": start * value, "maximumf": max(start, value)}
            start = step.get(op, min(start, value))
        out[flat] = np.float16(start)
    return out


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("op", ["addf", "mulf", "maximumf", "minimumf"])
def test_a_fold_is_the_loop_over_its_elements(op: str, axes: tuple[int, ...], fresh: bool) -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0.5, 2, 64).astype(np.float16)
    z = rng.uniform(0.5, 2, 64).astype(np.float16)
    got = ran(fold(op, axes, fresh=fresh), x, z)
    want = by_hand(op, x[: ROWS * COLUMNS].reshape(ROWS, COLUMNS), z, axes, fresh)
    assert got.tobytes() == want.tobytes()


def test_a_sum_is_rounded_once_and_not_its_products() -> None:
    x = np.zeros(64, np.float16)
    x[0], x[1:COLUMNS] = 1.0, 2.0**-6  # squares of 2**-12: each alone is lost in f16 next to 1
    z = np.zeros(64, np.float16)
    got = ran(fold("addf", (1,), micro=(MicroOp("product", "f16", 9, (0, 0)),)), x, z)
    assert got[0] == np.float16(1 + 9 * 2.0**-12)
    assert got[0] != np.float16(1)


def test_nan_and_signed_zeros() -> None:
    x = np.zeros(64, np.float16)
    x[:COLUMNS] = -0.0
    x[COLUMNS + 3] = np.nan
    z = np.full(64, -np.inf, np.float16)
    got = ran(fold("maximumf", (1,)), x, z)
    assert np.signbit(got[0])
    assert np.isnan(got[1])
    assert not np.isnan(ran(fold("maxnumf", (1,)), x, z)[1])


def cycles(counts: tuple[int, ...]) -> int:
    """Of a program around one stream that adds up over its last count."""
    stream = Stream(
        counts=counts,
        folded=1 << (len(counts) - 1),
        inputs=(LxOperand(None, 0, "f16", (0,) * len(counts), 0, 0),),
        outputs=(LxOperand(None, 1024, "f16", (*(2 for _ in counts[1:]), 0), 1, 0, "addf", 1),),
    )
    x = np.zeros(64, np.float16)
    bound = launch({"x": x, "z": np.ones(64, np.float16), "y": x}, ("y",))
    return run(folding(stream), bound, device(stream_startup=0)).cycles


@pytest.mark.parametrize("counts", [(1, 1), (3, 64), (7, 130), (64, 1)], ids=str)
def test_a_fold_costs_one_pass(counts: tuple[int, int]) -> None:
    points, steps = counts[0] * counts[1], 0
    while points > 0:  # the naive model: 64 lanes per cycle
        points -= 64
        steps += 1
    assert cycles(counts) - cycles((64,)) == steps - 1


def test_what_folds_nothing_sensible_is_refused() -> None:
    x = np.zeros(64, np.float16)
    bad = fold("addi", (1,))
    with pytest.raises(InvalidKernel, match="addi does not fold f16"):
        ran(bad, x, x)


def test_every_combiner_has_a_meaning() -> None:
    from spyrec.isa.table import FOLDS

    assert {f"arith.{name}" for name in FOLDS.values() if name} == set(numerics.reductions.COMBINERS)
