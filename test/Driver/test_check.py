"""Comparing two executions: what only one of them wrote differs, whatever stands there."""

from pathlib import Path

import numpy as np

import spyrec
from spyrec import spyrecode
from spyrec.driver import execute

KERNEL = Path(__file__).resolve().parents[2] / "examples" / "add.mlir"


def test_what_only_one_side_wrote_differs() -> None:
    signature = spyrec.compile(KERNEL).signature
    before = spyrecode.bind(signature, {}, {})
    one, other = before.copy(), before.copy()
    (region,) = (r for r in before.regions if r.written)

    def writes(launch: spyrecode.Launch, count: int) -> None:
        launch.memory.write(region.address, np.full(count * 2, 0xFF, np.uint8))

    def left(launch: spyrecode.Launch, count: int) -> execute.Masks:
        writes(launch, count)
        return execute.never_written(before, launch, lambda again: writes(again, count))

    masks = left(one, 70), left(other, 66)
    assert [int(m["z_ptr"].sum()) for m in masks] == [6144 - 70, 6144 - 66]
    (found,) = execute.compare(one, other, *masks)
    assert (found.differing, found.index, found.got, found.want) == (4, (1, 2), "nan", "unwritten")
    (error,) = execute.differs([found])
    assert (error.id, error.message.startswith("the binary does not do what stage ktir does: ")) == (
        "check-failed",
        True,
    )
    (found,) = execute.compare(one, one, masks[0], masks[0])
    assert (found.differing, found.elements, found.unwritten) == (0, 70, 6144 - 70)
    assert "6074 of 6144 elements of z_ptr were never written" in execute.unwritten([found])[0].message
