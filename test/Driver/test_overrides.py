"""``--set device.…``: which numbers of a device can be named, and what is said about those that cannot."""

import pytest

from spyrec.device.model import Device, Limits, Link, Memory, Timing, Unit
from spyrec.driver import overrides
from spyrec.errors import UsageError

DEVICE = Device(
    name="toy",
    cores=4,
    corelets=2,
    memories={
        "ddr": Memory("ddr", "device", "device", 1 << 30, 128),
        "sram": Memory("sram", "lx", "core", 1 << 20, 128),
    },
    units={
        "load": Unit("load", "core", "load", {}, 4),
        "sfu": Unit("sfu", "corelet", "vector", {"f16": 64, "f32": 32}, 1),
    },
    links=(Link("ddr", "load", 128, (1,), 10, None),),
    timing=Timing(10**9, 128, 32, 8, 10, 4, 1, 128, 4),
    limits=Limits(65535, 1 << 28, 8, 1 << 34),
)


@pytest.mark.parametrize(
    ("setting", "get", "value"),
    [
        ("device.lx.size=4MiB", lambda d: d.memories["sram"].size, 4 << 20),
        ("device.sram.size=0256", lambda d: d.memories["sram"].size, 256),
        ("device.sram.size=0x100", lambda d: d.memories["sram"].size, 256),
        ("device.vector.lanes.f16=8", lambda d: d.units["sfu"].lanes["f16"], 8),
        ("device.load.max_outstanding=1", lambda d: d.units["load"].max_outstanding, 1),
        ("device.ddr->load.bandwidth=1k", lambda d: d.links[0].bandwidth, 1000),
        ("device.timing.post_latency=0", lambda d: d.timing.post_latency, 0),
        ("device.limits.loop_count=1_000", lambda d: d.limits.loop_count, 1000),
        ("device.cores=2", lambda d: d.cores, 2),
    ],
)
def test_one_number_changes(setting: str, get, value: int) -> None:
    changed = overrides.apply(DEVICE, (setting,))
    assert get(DEVICE) != value
    assert get(changed) == value
    back = overrides.apply(changed, (f"{setting.partition('=')[0]}={get(DEVICE)}",))
    assert back == DEVICE


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("device.lx.sise=4", "'sise' is nothing of this device; did you mean 'size'?"),
        ("device.lz.size=4", "'lz' is nothing"),
        ("device.lx=4", "this is not one number"),
        ("device.lx.alignment=0", "the alignment of 'sram' is 0, and has to be at least 1"),
        ("device.timing.device_bandwidth=0", "device_bandwidth is 0"),
        ("device.ddr->load.bandwidth=0", "the bandwidth from 'ddr' to 'load' is 0"),
        ("device.lx.size=" + "9" * 5000, "expected a number"),
        ("device.lx.size.more=4", "'more' is nothing"),
        ("device.lx.size=big", "expected a number such as"),
        ("device.lx.size=-1", "expected a number such as"),
        ("device.lx.size=1__0", "expected a number such as"),
        ("device.lx.size=4QiB", "expected a number such as"),
        ("device.lx.size", "expected a number such as"),
    ],
)
def test_what_cannot_be_set(setting: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        overrides.apply(DEVICE, (setting,))
    assert says in str(caught.value)
