"""The ring: ways, max-min sharing, closed forms; puts, gets and multicasts between cores; what is ordered and what is
not.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from assembled import device, launch, run
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec import isa
from spyrec.device import cost
from spyrec.device.ring import tree, way
from spyrec.errors import InvalidKernel
from spyrec.isa import Binary
from spyrec.sim.ring import Ring


def walked(source: int, target: int, cores: int) -> int:
    """Hops of the shorter way round, step by step."""
    return min(sum(1 for _ in iter_steps(source, target, cores, d)) for d in (1, -1))


def iter_steps(at: int, target: int, cores: int, direction: int) -> list[int]:
    steps = []
    while at != target:
        steps.append(at)
        at = (at + direction) % cores
    return steps


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1), st.integers(0, n - 1))))
def test_a_way_is_the_shorter_one(case: tuple[int, int, int]) -> None:
    cores, source, target = case
    links = way(source, target, cores)
    assert len(links) == walked(source, target, cores)
    at = source
    for link in links:
        assert link // 2 == at
        at = (at + (-1 if link % 2 else 1)) % cores
    assert at == target


def test_a_multicast_passes_each_link_once() -> None:
    links, hops = tree(0, [1, 2, 3, 31], 32)
    assert sorted(links) == [0, 1, 2, 4]
    assert hops == 3


FLOWS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([16, 64, 128, 256]), st.integers(1, 4096)),
    min_size=1,
    max_size=12,
)


@given(FLOWS)
@settings(deadline=None)
def test_rates_are_max_min_fair(flows: list[tuple[int, int, int, int]]) -> None:
    """No link is over its capacity, and every flow has a reason not to be faster: its own links, or a full link of the
    ring on which nobody is faster than it is.
    """
    ring: Ring[int] = Ring(128)
    for number, (source, target, cap, size) in enumerate(flows):
        ring.start(0, size, cap, number, way(source, target, 8))
    load: dict[int, float] = {}
    for flow in ring._flows:
        for link in flow.links:
            load[link] = load.get(link, 0) + flow.rate
    assert all(total <= 128 + 1e-6 for total in load.values())
    for flow in ring._flows:
        bottleneck = any(
            load[link] > 128 - 1e-6 and flow.rate >= max(f.rate for f in ring._flows if link in f.links) - 1e-6
            for link in flow.links
        )
        assert flow.rate >= flow.cap - 1e-6 or bottleneck


@given(FLOWS)
@settings(deadline=None, max_examples=30)
def test_flows_end_when_small_steps_say(flows: list[tuple[int, int, int, int]]) -> None:
    """The fluid model against one that moves time on in small steps at the rates of the moment."""
    ring: Ring[int] = Ring(128)
    for number, (source, target, cap, size) in enumerate(flows):
        ring.start(0, size, cap, number, way(source, target, 8))
    ends: dict[int, float] = {}
    while (end := ring.next_end()) is not None:
        for number in ring.finish(end):
            ends[number] = end
    left = {n: float(size) for n, (_, _, _, size) in enumerate(flows)}
    now, step = 0.0, 0.25
    stepped: dict[int, float] = {}
    while left:
        again: Ring[int] = Ring(128)
        for number in left:
            source, target, cap, _ = flows[number]
            again.start(0, 1, cap, number, way(source, target, 8))
        now += step
        for flow in again._flows:
            left[flow.payload] -= flow.rate * step
            if left[flow.payload] <= 0:
                stepped[flow.payload] = now
                del left[flow.payload]
    assert all(abs(ends[n] - stepped[n]) <= step * (len(flows) + 1) for n in ends)


def remote(way_: str, size: int = 512, tiles: int = 8, peer: int = 3, more: str = "", sync: bool = True) -> Binary:
    """Core 0 puts to or gets from core ``peer``; each core loads its row of x first and stores its buffer z."""
    text = f"""
tiles {tiles}
parameters 2
buffer x address 0 slots 1 bytes 1024
buffer z address 1024 slots 1 bytes 1024
channel loaded from load to ring init 0
channel done from ring to store init 0
channel there from ring to ring init 0 peers
channel taken from ring to ring init 0 peers
unit load
  core r1
  muli r2, r1, {size}
  param r3, 0
  add r3, r3, r2
  xfer 2 device[r3] to lx[0 in x] [{size // 2}: 2, 2]
  xfer 2 device[r3] to lx[1024 in z] [{size // 2}: 2, 2]
  post loaded
  halt
unit ring
  core r1
  wait loaded
  li r4, 0
  li r5, {peer}
  ne r6, r1, r4
  eq r7, r1, r5
  brz r7, other
  {"post there to r4" if sync else "mov r0, r0"}
  {"wait taken from r4" if sync else "mov r0, r0"}
other:
  brz r6, first
  jump end
first:
  {"wait there from r5" if sync else "mov r0, r0"}
  xfer 2 lx[0 in x] to lx[1024 in z] [{size // 2}: 2, 2] {way_} r5{more}
  {"post taken to r5" if sync else "mov r0, r0"}
end:
  post done
  halt
unit store
  core r1
  muli r2, r1, {size}
  param r3, 1
  add r3, r3, r2
  wait done
  xfer 2 lx[1024 in z] to device[r3] [{size // 2}: 2, 2]
  halt
"""
    return isa.assemble(text)


def arrays(size: int, tiles: int = 8) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    x = np.arange(tiles * size // 2, dtype=np.float16).reshape(tiles, size // 2)
    return {"x": x, "y": x}, ("y",)


@pytest.mark.parametrize("shuffle", [None, *range(10)])
def test_put_and_get(shuffle: int | None) -> None:
    given_, written = arrays(512)
    for way_, place in (("put", 3), ("get", 0)):
        bound = launch(given_, written, 8)
        run(remote(way_), bound, shuffle=shuffle)
        want = given_["x"].copy()
        want[place] = given_["x"][0 if way_ == "put" else 3]
        assert bound.outputs(("y",))["y"].tobytes() == want.tobytes()


@pytest.mark.parametrize(("peer", "hops"), [(1, 1), (4, 4), (7, 1), (0, 0)])
@pytest.mark.parametrize("way_", ["put", "get"])
def test_the_closed_form_of_a_transfer_on_the_ring(way_: str, peer: int, hops: int) -> None:
    """Start-up, links, hops (twice for a get) and bytes over the narrower of its links and the ring."""
    dev = device(cores=8)
    size = 1024
    times = []
    for hop, bandwidth in ((0, 128), (dev.timing.hop_latency, 128), (0, 64)):
        one = device(cores=8, hop_latency=hop, ring_bandwidth=bandwidth)
        binary = remote(way_, size, peer=peer, sync=peer != 0)
        bound = launch(*arrays(size), 8)
        times.append(run(binary, bound, one).cycles)
    if peer == 0:
        assert times[0] == times[1] == times[2]
        return
    ways = 2 if way_ == "get" else 1
    assert times[1] - times[0] == ways * hops * dev.timing.hop_latency
    assert times[2] - times[0] == math.ceil(size / 64) - math.ceil(size / 128)


def test_two_transfers_over_one_link_share_it() -> None:
    """Cores 0 and 1 both put to core 2: they share the link into it. Cores 1 and 3 do not."""
    text = """
tiles 4
parameters 1
buffer x address 0 slots 1 bytes 4096
buffer z address 4096 slots 4 bytes 4096
channel loaded from load to ring init 0
unit load
  param r1, 0
  xfer 2 device[r1] to lx[0 in x] [2048: 2, 2]
  post loaded
  halt
unit ring
  core r1
  wait loaded
  eqi r2, r1, {a}
  eqi r3, r1, {b}
  or r2, r2, r3
  brz r2, end
  li r4, 2
  muli r5, r1, 4096
  xfer 2 lx[0 in x] to lx[r5 + 4096 in z] [2048: 2, 2] put r4
end:
  halt
"""
    x = np.zeros(2048, np.float16)
    cycles = [
        run(isa.assemble(text.format(a=a, b=b)), launch({"x": x}, (), 4), device(cores=4)).cycles
        for a, b in ((0, 1), (1, 3), (1, 1))
    ]
    assert cycles[1] == cycles[2]
    assert cycles[0] - cycles[2] == 4096 // 128 + 4  # as long again, and a hop


def test_what_orders_nothing_is_a_race_in_the_lx_of_another_core() -> None:
    for way_ in ("put", "get"):
        with pytest.raises(InvalidKernel) as caught:
            run(remote(way_, sync=False), launch(*arrays(512), 8))
        diagnostic = caught.value.diagnostics[0]
        assert diagnostic.id == "race"
        assert "nothing orders the two" in diagnostic.message


@pytest.mark.parametrize(("peer", "text"), [(8, "names core 8"), (-1, "names core -1")])
def test_a_core_that_is_not_there(peer: int, text: str) -> None:
    with pytest.raises(InvalidKernel, match=text) as caught:
        run(remote("put", peer=peer, sync=False), launch(*arrays(512), 8))
    assert any(d.id == "no-such-core" for d in caught.value.diagnostics)


TWO = """
tiles 2
channel c from {a} to {b} init {init} peers
unit load
{load}  halt
unit store
{store}  halt
"""


def units(load: str, store: str, init: int = 0) -> Binary:
    return isa.assemble(TWO.format(a="load", b="store", init=init, load=load, store=store))


def test_cores_that_wait_for_one_another_are_named() -> None:
    text = """
tiles 2
channel c from load to load init 0 peers
unit load
  core r1
  xori r2, r1, 1
  wait c from r2
  post c to r2
  halt
"""
    with pytest.raises(InvalidKernel) as caught:
        run(isa.assemble(text), launch({}, (), 2))
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.id == "deadlock"
    assert "@load of core 0 waits at instruction 2 for 'c' from @load of core 1" in diagnostic.message


def test_a_post_that_nobody_takes_and_one_that_never_comes() -> None:
    send = "  li r1, 1\n  post c to r1\n"
    with pytest.raises(InvalidKernel, match="of core 0 made 1 post, @store of core 1 0 waits"):
        run(units(send, ""), launch({}, (), 2))
    take = "  li r1, 0\n  wait c from r1\n"
    with pytest.raises(InvalidKernel, match="has ended after 0 posts"):
        run(units("", take), launch({}, (), 2))


def test_a_channel_between_cores_needs_a_core_and_others_take_none() -> None:
    for code in ("  post c\n", "  li r1, 0\n  post d to r1\n"):
        text = TWO.format(a="load", b="store", init=0, load=code, store="").replace(
            "unit load", "channel d from load to store init 0\nunit load"
        )
        with pytest.raises(InvalidKernel, match="between cores"):
            isa.assemble(text)


MULTICAST = """
tiles 8
parameters 1
buffer x address 0 slots 1 bytes 4096
buffer z address 4096 slots 1 bytes 4096
channel loaded from load to ring init 0
unit load
  param r1, 0
  xfer 2 device[r1] to lx[0 in x] [2048: 2, 2]
  post loaded
  halt
unit ring
  core r1
  wait loaded
  brz r1, first
  jump end
first:
{code}end:
  halt
"""
PUT = "  li r4, {to}\n  xfer 2 lx[0 in x] to lx[4096 in z] [2048: 2, 2] put r4{more}\n"


def test_a_multicast_takes_as_long_as_its_farthest_member() -> None:
    """Three members one after the other cost three transfers, a multicast one."""
    codes = [PUT.format(to=1, more=" times 3 by 1"), "".join(PUT.format(to=t, more="") for t in (1, 2, 3))]
    codes.append(PUT.format(to=3, more=""))
    x = np.zeros(2048, np.float16)
    many, single, far = (
        run(isa.assemble(MULTICAST.format(code=code)), launch({"x": x}, (), 8), device(cores=8)).cycles
        for code in codes
    )
    assert many == far
    assert single - many == 2 * 4096 // 128


def test_a_multicast_reads_once_and_writes_in_each_member() -> None:
    x = np.zeros(2048, np.float16)
    counted = []
    for code in (PUT.format(to=1, more=" times 3 by 1"), "".join(PUT.format(to=t, more="") for t in (1, 2, 3))):
        made = run(isa.assemble(MULTICAST.format(code=code)), launch({"x": x}, (), 8), device(cores=8)).report
        links = {(k["source"], k["target"]): (k["asked"], k["moved"]) for k in made["links"]}
        lx = made["memory"]["lx"]
        counted.append((lx["read"]["moved"], lx["written"]["moved"], links["lx", "ring"], links["ring", "lx"]))
        assert links["lx", "ring"] == (lx["read"]["asked"], lx["read"]["moved"])
    loaded = 8 * 4096
    assert counted[0] == (4096, loaded + 3 * 4096, (4096, 4096), (3 * 4096, 3 * 4096))
    assert counted[1] == (3 * 4096, loaded + 3 * 4096, (3 * 4096, 3 * 4096), (3 * 4096, 3 * 4096))


@pytest.mark.parametrize(
    "owners", [{0: (1, 3)}, {0: (1, 7)}, {2: (0, 8)}, {0: (0, 4), 4: (4, 4)}, {0: (2, 4), 1: (2, 4)}]
)
def test_multicasts_take_as_long_as_is_reckoned(owners: dict[int, tuple[int, int]]) -> None:
    """From each owner to so many cores from one on; what a put of one byte less its way takes is the same for all."""
    text = """
tiles 8
parameters 1
buffer x address 0 slots 1 bytes 4096
buffer z address 4096 slots 8 bytes 4096
channel loaded from load to ring init 0
unit load
  param r1, 0
  xfer 2 device[r1] to lx[0 in x] [2048: 2, 2]
  post loaded
  halt
unit ring
  core r1
  wait loaded
  muli r5, r1, 4096
{code}  halt
"""
    put = """  eqi r2, r1, {owner}
  brz r2, L{owner}
  li r4, {first}
  xfer 2 lx[0 in x] to lx[r5 + 4096 in z] [2048: 2, 2] put r4{more}
  jump end
L{owner}:
"""
    dev, x = device(cores=8), np.zeros(2048, np.float16)

    def cycles(chosen: dict[int, tuple[int, int]]) -> int:
        more = {owner: f" times {count} by 1" if count > 1 else "" for owner, (_, count) in chosen.items()}
        code = "".join(put.format(owner=o, first=first, more=more[o]) for o, (first, _) in chosen.items())
        return int(run(isa.assemble(text.format(code=code + "end:\n")), launch({"x": x}, (), 8), dev).cycles)

    def reckoned(chosen: dict[int, tuple[int, int]]) -> int:
        trees = [(owner, range(first, first + count)) for owner, (first, count) in chosen.items()]
        return cost.multicast_cycles(dev, ("lx", "ring", "lx"), 4096, trees)

    near = {0: (1, 1)}
    assert cycles(owners) - cycles(near) == pytest.approx(reckoned(owners) - reckoned(near), abs=2 * len(owners))
