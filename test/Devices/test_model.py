"""The device model on its own: JSON, look-ups, costs. No MLIR."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import pytest

from spyrec.device import cost, read
from spyrec.device.model import Device
from spyrec.errors import InvalidKernel, Unsupported

SPYRE = read.load("spyre")


def test_json_gives_the_device_back() -> None:
    text = json.dumps(SPYRE.to_json())
    assert Device.from_json(json.loads(text)) == SPYRE


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("cores",), "many", "device.cores: expected a non-negative integer"),
        (("memories", 0, "role"), "cache", "device.memories[0].role: expected one of device, lx, register"),
        (("links", 1, "granularity"), 64, "device.links[1].granularity: expected a list"),
        (("timing", "clock_hz"), True, "device.timing.clock_hz: expected a non-negative integer"),
        (("units",), {}, "device.units: expected a list"),
    ],
)
def test_json_that_is_wrong_names_the_entry(path: tuple[str | int, ...], value: object, message: str) -> None:
    data = json.loads(json.dumps(SPYRE.to_json()))
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(InvalidKernel) as caught:
        Device.from_json(data)
    assert message in str(caught.value)
    del at[path[-1]]
    with pytest.raises(InvalidKernel):
        Device.from_json(data)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("cores",), 0, "the number of cores is 0, and has to be at least 1"),
        (("corelets",), 0, "the number of corelets is 0"),
        (("timing", "clock_hz"), 0, "clock_hz is 0"),
        (("timing", "device_bandwidth"), 0, "device_bandwidth is 0"),
        (("timing", "ring_bandwidth"), 0, "ring_bandwidth is 0"),
        (("timing", "transcendental_factor"), 0, "transcendental_factor is 0"),
        (("limits", "loop_count"), 1, "loop_count is 1, and has to be at least 2"),
        (("limits", "access_span"), 0, "access_span is 0"),
        (("limits", "segments"), 1, "segments is 1, and has to be at least 2"),
        (("limits", "segment_size"), 0, "segment_size is 0"),
        (("memories", 0, "alignment"), 0, "the alignment of 'ddr' is 0"),
        (("memories", 0, "alignment"), 1 << 60, "has to be at most segment_size"),
        (("memories", 1, "alignment"), 12, "the alignment of 'lx' is 12, and has to be a multiple of 8"),
        (("units", 0, "max_outstanding"), 0, "max_outstanding of 'load' is 0"),
        (("units", 3, "lanes", "f16"), 0, "the lanes of 'sfu' for f16 is 0"),
        (("links", 0, "bandwidth"), 0, "the bandwidth from 'lx' to 'ring' is 0"),
        (("units", 4, "array"), [8], "the array of 'pt' is [8], and has to be rows and columns"),
        (("units", 4, "array"), [0, 8], "the array of 'pt' is [0, 8]"),
    ],
)
def test_numbers_that_nothing_can_be_reckoned_with(path: tuple[str | int, ...], value: object, message: str) -> None:
    data = json.loads(json.dumps(SPYRE.to_json()))
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    assert message in "\n".join(Device.from_json(data).flaws())
    assert SPYRE.flaws() == []


def test_looking_up_what_is_not_there() -> None:
    with pytest.raises(InvalidKernel, match="no link from 'lx' to 'ddr'"):
        SPYRE.link("lx", "ddr")
    bare = Device.from_json({**SPYRE.to_json(), "units": []})
    with pytest.raises(InvalidKernel, match="has no unit in the role 'vector'"):
        bare.unit("vector")


def grains(address: int, counts: list[int], strides: list[int], element: int, grain: int) -> int:
    """Moved bytes by looking at every byte: a run is a maximal stretch that the box walks without a gap."""
    starts = [
        address + sum(i * s for i, s in zip(point, strides, strict=True))
        for point in itertools.product(*map(range, counts))
    ]
    runs: list[list[int]] = []
    for start in starts:
        if runs and runs[-1][1] == start:
            runs[-1][1] = start + element
        else:
            runs.append([start, start + element])
    return sum((end - 1) // grain - start // grain + 1 for start, end in runs) * grain


@pytest.mark.parametrize("address", [0, 2, 126, 128])
@pytest.mark.parametrize(
    ("counts", "strides"),
    [
        ([1, 64], [128, 2]),
        ([3, 65], [130, 2]),
        ([3, 65], [256, 2]),
        ([4], [2]),
        ([2, 3, 4], [96, 8, 2]),
        ([5, 1], [512, 2]),
    ],
)
def test_moved_bytes(address: int, counts: list[int], strides: list[int]) -> None:
    assert cost.moved_bytes(address, counts, strides, 2, 128) == grains(address, counts, strides, 2, 128)


def test_moved_bytes_of_nothing_and_of_very_much() -> None:
    assert cost.moved_bytes(0, [0, 64], [128, 2], 2, 128) == 0
    assert cost.moved_bytes(64, [5000, 64], [1024, 2], 2, 128) == 5000 * 256
    # Half of each grain: it moves once, however many there are.
    assert cost.moved_bytes(0, [4097, 32], [128, 2], 2, 128) == 4097 * 128
    assert cost.moved_bytes(0, [1 << 40, 3, 32], [384, 128, 2], 2, 128) == 3 * 128 << 40


@pytest.mark.parametrize("address", [0, 34, 126])
@pytest.mark.parametrize(
    ("counts", "strides"),
    [([5000, 30], [130, 2]), ([70, 70, 5], [-130, 36, 2]), ([4200, 3], [0, 2]), ([9, 700, 64], [4096, 1026, 2])],
)
def test_moved_bytes_of_many_runs(address: int, counts: list[int], strides: list[int]) -> None:
    """Each run on its own: those that continue one another in no order do not join."""
    starts = [
        address + sum(i * s for i, s in zip(point, strides, strict=True))
        for point in itertools.product(*map(range, counts[:-1]), [0])
    ]
    length = 2 * counts[-1]
    exact = sum((start + length - 1) // 128 - start // 128 + 1 for start in starts) * 128
    assert cost.moved_bytes(address, counts, strides, 2, 128) == exact


def test_times() -> None:
    timing, vector = SPYRE.timing, SPYRE.unit("vector")
    route = ("ddr", "load", "lx")
    latency = sum(SPYRE.link(a, b).latency for a, b in itertools.pairwise(route))
    assert cost.transfer_cycles(SPYRE, route, 2560) == timing.transfer_startup + latency + 10
    assert cost.device_share_cycles(SPYRE, 2560) == 20
    assert cost.stream_cycles(SPYRE, vector, 65, [(False, "f16")]) == timing.stream_startup + 2
    assert cost.stream_cycles(SPYRE, vector, 64, [(True, "f16"), (False, "f32")]) == timing.stream_startup + 4 + 2
    assert cost.stream_cycles(SPYRE, vector, 128, []) == timing.stream_startup + 2
    with pytest.raises(Unsupported, match="has no lanes for f64"):
        cost.stream_cycles(SPYRE, vector, 1, [(False, "f64")])


def test_the_model_needs_no_mlir() -> None:
    code = "import sys, spyrec.device.cost, spyrec.device.routes; sys.exit(any('torch_mlir' in m for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
