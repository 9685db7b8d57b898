"""Transfers with clips and lists of indices against loops over their points; what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from assembled import device, launch, run
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec import isa
from spyrec.errors import InvalidKernel

ROWS, COLUMNS, PITCH = 6, 5, 8
LISTED = 12  # rows that a list may name
BOUND = st.integers(-3, 9)


def program(middle: str) -> isa.Binary:
    """x (LISTED x PITCH), z (as large) and a list of ROWS indices are loaded; ``middle`` moves from x to z in LX."""
    size = 2 * LISTED * PITCH
    return isa.assemble(f"""
parameters 4
buffer x address 0 slots 1 bytes 1024
buffer z address 1024 slots 1 bytes 1024
buffer list address 2048 slots 1 bytes 128
channel loaded from load to ring init 0
channel done from ring to store init 0
unit load
  param r1, 0
  xfer 2 device[r1] to lx[0 in x] [{size // 2}: 2, 2]
  param r1, 1
  xfer 2 device[r1] to lx[1024 in z] [{size // 2}: 2, 2]
  param r1, 2
  xfer 4 device[r1] to lx[2048 in list] [{ROWS}: 4, 4]
  post loaded
  halt
unit ring
  wait loaded
{middle}  post done
  halt
unit store
  param r1, 3
  wait done
  xfer 2 lx[1024 in z] to device[r1] [{size // 2}: 2, 2]
  halt
""")


def ran(middle: str, indices: Any = range(ROWS), shuffle: int | None = None) -> tuple[Any, Any, Any]:
    """x, the old z and the new one."""
    rng = np.random.default_rng(4)
    x, z = (rng.integers(1, 1000, (LISTED, PITCH)).astype(np.float16) for _ in "xz")
    bound = launch({"x": x, "z": z, "list": np.array(indices, np.int32), "y": z}, ("y",))
    run(program(middle), bound, shuffle=shuffle)
    return x, z, bound.outputs(("y",))["y"].reshape(z.shape)


@given(BOUND, BOUND, BOUND, BOUND, st.sampled_from(["skip", "fill 0x3c00"]))
@settings(deadline=None, max_examples=60)
def test_a_clip_leaves_points_out(low: int, high: int, first: int, last: int, outside: str) -> None:
    code = f"  li r2, {low}\n  li r3, {high}\n  li r4, {first}\n  li r5, {last}\n"
    row, column = f"[{ROWS}: {2 * PITCH}, {2 * PITCH} from r2 below r3]", f"[{COLUMNS}: 2, 2 from r4 below r5]"
    code += f"  xfer 2 lx[0 in x] to lx[1024 in z] {row} {column} outside {outside}\n"
    x, old, new = ran(code)
    want = old.copy()
    for r in range(ROWS):
        for c in range(COLUMNS):
            if low <= r < high and first <= c < last:
                want[r, c] = x[r, c]
            elif outside != "skip":
                want[r, c] = 1.0
    assert new.tobytes() == want.tobytes()


INDICES = st.lists(st.integers(0, LISTED - 1), min_size=ROWS, max_size=ROWS)


@given(INDICES, BOUND, BOUND, st.sampled_from(["source", "dest"]), st.sampled_from([None, 1]))
@settings(deadline=None, max_examples=60)
def test_indices_move_the_points_of_their_side(
    indices: list[int], low: int, high: int, side: str, shuffle: int | None
) -> None:
    steps = (0, 2 * PITCH) if side == "source" else (2 * PITCH, 0)
    code = f"  li r2, {low}\n  li r3, {high}\n"
    code += (
        f"  xfer 2 lx[0 in x] to lx[1024 in z] [{ROWS}: {steps[0]}, {steps[1]} from r2 below r3] [{COLUMNS}: 2, 2]"
        f" outside skip index {side} i32 lx[2048 in list] [4, 0] scale {2 * PITCH} below [{LISTED}]\n"
    )
    x, old, new = ran(code, indices, shuffle)
    want = old.copy()
    for r in range(ROWS):
        if low <= r < high:
            source, dest = (indices[r], r) if side == "source" else (r, indices[r])
            want[dest, :COLUMNS] = x[source, :COLUMNS]  # the last one of several stays
    assert new.tobytes() == want.tobytes()


def test_single_elements_and_two_lists() -> None:
    """z[r, list[r]] = x[list[r], r]: both sides by lists, and one element per point."""
    code = (
        f"  xfer 2 lx[0 in x] to lx[1024 in z] [{ROWS}: 2, {2 * PITCH}]"
        f" index source i32 lx[2048 in list] [4] scale {2 * PITCH} below [{LISTED}]"
        f" index dest i32 lx[2048 in list] [4] scale 2 below [{PITCH}]\n"
    )
    indices = [5, 0, 7, 1, 1, 2]
    x, old, new = ran(code, indices)
    want = old.copy()
    for r, k in enumerate(indices):
        want[r, k] = x[k, r]
    assert new.tobytes() == want.tobytes()


@pytest.mark.parametrize("bad", [LISTED, -1])
def test_an_index_out_of_range_is_a_fault_unless_it_is_clipped(bad: int) -> None:
    code = (
        f"  li r2, 0\n  li r3, {{end}}\n  xfer 2 lx[0 in x] to lx[1024 in z] [{ROWS}: 0, 16 from r2 below r3] [5: 2, 2]"
        f" outside skip index source i32 lx[2048 in list] [4, 0] scale 16 below [{LISTED}]\n"
    )
    indices = [0, 1, 2, 3, 4, bad]
    ran(code.format(end=5), indices)
    with pytest.raises(InvalidKernel) as caught:
        ran(code.format(end=6), indices)
    diagnostic = caught.value.diagnostics[0]
    assert (diagnostic.id, diagnostic.position.line) == ("index-out-of-range", 104)  # type: ignore[union-attr]
    assert f"index {bad} is outside of 0..{LISTED - 1}" in diagnostic.message


def test_a_limit_from_a_register() -> None:
    code = (
        f"  li r2, 3\n  xfer 2 lx[0 in x] to lx[1024 in z] [{ROWS}: 0, 16] [5: 2, 2]"
        " index source i32 lx[2048 in list] [4, 0] scale 16 below [r2 + 1]\n"
    )
    ran(code, [3] * ROWS)
    with pytest.raises(InvalidKernel, match=r"outside of 0\.\.3"):
        ran(code, [4] * ROWS)


def test_a_list_that_nobody_has_written() -> None:
    code = "  xfer 2 lx[0 in x] to lx[1024 in z] [8: 0, 16] index source i32 lx[2080 in list] [4] scale 16 below [9]\n"
    with pytest.raises(InvalidKernel, match="which nothing has written"):
        ran(code)


def test_rows_gathered_from_device_memory_move_whole_sticks() -> None:
    """Six rows of 10 bytes, each in a stick of its own, cost six sticks; one run of 60 bytes costs one."""
    listed = (
        "  param r1, 0\n  xfer 2 device[r1] to lx[0 in x] [6: 0, 16] [5: 2, 2]"
        " index source i32 lx[2048 in list] [4, 0] scale 128 below [9]\n"
    )
    text = """
parameters 2
buffer x address 0 slots 1 bytes 1024
buffer list address 2048 slots 1 bytes 128
unit load
  param r1, 1
  xfer 4 device[r1] to lx[2048 in list] [6: 4, 4]
{code}  halt
"""
    x, indices = np.zeros(1024, np.float16), np.array([0, 3, 1, 2, 5, 5], np.int32)
    dev = device(device_bandwidth=1)
    reports = [
        run(isa.assemble(text.format(code=code)), launch({"x": x, "list": indices}), dev).report["memory"]["device"]
        for code in (listed, "  param r1, 0\n  xfer 2 device[r1] to lx[0 in x] [30: 2, 2]\n")
    ]
    moved = [report["read"]["moved"] for report in reports]
    assert moved[0] - moved[1] == 5 * 128


def test_a_clip_without_points_moves_nothing() -> None:
    code = (
        "  li r2, 4\n  li r3, 4\n  xfer 2 lx[90000 in x] to lx[1024 in z] [6: 16, 16 from r2 below r3] outside skip\n"
    )
    _, old, new = ran(code)
    assert new.tobytes() == old.tobytes()


@pytest.mark.parametrize(
    "code",
    [
        "  li r2, 0\n  li r3, 4\n  xfer 2 lx[0 in x] to lx[32 in x] [6: 16, 16 from r2 below r3] outside skip\n",
        "  li r2, 2\n  xfer 2 lx[48 in x] to lx[0 in x] [6: 16, 16 below r2] outside fill 0x0\n",
        "  xfer 2 lx[0 in x] to lx[16 in x] [4: 0, 48] [5: 2, 2]"
        " index source i32 lx[2048 in list] [4, 0] scale 32 below [9]\n",
    ],
    ids=["points", "the fill", "another point"],
)
def test_a_clipped_transfer_does_not_copy_onto_itself(code: str) -> None:
    with pytest.raises(InvalidKernel) as caught:
        ran(code)
    assert caught.value.diagnostics[0].id == "overlap"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("  xfer 2 lx[0 in x] to lx[1024 in z] [6: 2, 2 from r1]", "go together"),
        ("  xfer 2 lx[0 in x] to lx[1024 in z] [6: 2, 2] outside skip", "go together"),
        ("  xfer 2 lx[0 in x] to lx[1024 in z] [6: 2, 2 from r1] outside fill 0x10000", "wider than an element"),
        ("  xfer 2 device[r1] to lx[1024 in z] [6: 2, 2] get r1", "LX of other cores only"),
        ("  xfer 2 lx[0] to lx[1024] [6: 2, 2] index dest f16 lx[0] [2] scale 2 below [3]", "indices of type f16"),
    ],
)
def test_what_the_assembler_refuses(code: str, text: str) -> None:
    with pytest.raises(InvalidKernel, match=text):
        program(code + "\n")
