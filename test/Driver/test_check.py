"""Comparing two executions: what only one of them wrote differs, whatever stands there."""

from pathlib import Path

import numpy as np

import spyrec
from spyrec import driver, spyrecode
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


def test_bytes_behind_the_last_whole_element_are_no_element() -> None:
    """10 bytes are two elements of f32; the kernel writes the first one, as 0."""
    views = tuple(
        spyrecode.View(0, "z", type_, (count,), (1,), 0, count, "w") for type_, count in (("f32", 2), ("i8", 10))
    )
    arguments = (spyrecode.Argument(0, "z", "address", "index"),)
    before = spyrecode.bind(spyrecode.Signature("k", 1, arguments, views, "k.mlir"), {}, {})
    (region,) = before.regions
    assert region.size == 10

    def writes(launch: spyrecode.Launch) -> None:
        launch.memory.write(region.address, np.zeros(4, np.uint8))

    after = before.copy()
    writes(after)
    assert {name: mask.tolist() for name, mask in execute.never_written(before, after, writes).items()} == {
        "z": [False, True]
    }


def sums(got: list[float], *, in_parts: bool) -> list[str | None]:
    """Ids of what is said of an array of f32 that should be 100 and 1."""
    want = np.array([100, 1], np.float32)
    found = execute._compared("z", "f32", np.array(got, np.float32), want, want.shape)
    return [d.id for d in execute.differs([found], in_parts=in_parts)]


def test_sums_in_parts_may_be_apart_by_a_few_ulps_of_the_largest() -> None:
    near, far = 1 + 3 * 100 * 2**-23, 1 + 5 * 100 * 2**-23
    assert sums([100, near], in_parts=True) == ["sums-in-parts"]
    assert sums([100, near], in_parts=False) == ["check-failed"]
    assert sums([100, far], in_parts=True) == ["check-failed"]
    assert sums([100, np.nan], in_parts=True) == ["check-failed"]


def test_the_schedule_says_whether_sums_are_in_parts() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "errors" / "sums-in-parts.md").read_text(encoding="utf-8")
    text = page.split("```mlir kernel.mlir\n")[1].split("```")[0]
    said = []
    for settings in ((), ("device.lx.size=2048",)):
        options = driver.Options(emit="schedule", settings=settings)
        said.append(execute.sums_in_parts(driver.compile_text(text, "kernel.mlir", options)))
    assert said == [False, True]
