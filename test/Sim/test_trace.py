"""A trace is what Chrome's and Perfetto's viewers accept: spans that nest, named tracks, arrows from post to wait."""

from __future__ import annotations

import io
import json
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from assembled import Kernel, add_rows, copy_rows, device, launch, run

from spyrec import isa, sim, spyrecode

sys.path.insert(0, str(Path(__file__).parents[1] / "Target"))

from by_hand import PROGRAMS

Events = list[dict[str, Any]]


def traced(kernel: Kernel, shuffle: int | None = None) -> tuple[Events, int]:
    trace = sim.Trace()
    cycles = kernel.run(trace=trace, shuffle=shuffle).cycles
    out = io.StringIO()
    trace.write(out)
    made = json.loads(out.getvalue())
    assert set(made) == {"displayTimeUnit", "traceEvents"}
    return made["traceEvents"], cycles


def of(events: Events, phase: str) -> Events:
    return [e for e in events if e["ph"] == phase]


def test_every_transfer_and_stream_is_a_span_with_its_line() -> None:
    events, cycles = traced(add_rows(rows=6))
    work = [e for e in of(events, "X") if e["cat"] == "work"]
    assert len(work) == 2 * 6 * 4
    assert {e["name"] for e in work} == {"device to lx x", "device to lx y", "addf", "lx z to device"}
    assert all(e["ts"] >= 0 and e["ts"] + e["dur"] <= cycles for e in work)
    assert all(e["args"]["line"].startswith("kernel.mlir:") for e in work)


def test_a_transfer_names_the_stage_and_the_buffer() -> None:
    program = next(p for p in PROGRAMS if p.name == "staged")
    code, trace, out = program.artifact(), sim.Trace(), io.StringIO()
    sim.run(code, spyrecode.bind(code.signature, program.given(), {}, seed=None), trace=trace)
    trace.write(out)
    names = {e["name"] for e in of(json.loads(out.getvalue())["traceEvents"], "X") if e["cat"] == "work"}
    assert names == {"device to l1 x1", "l1 x1 to lx x", "addf", "lx y to l1 y1", "l1 y1 to device"}


@pytest.mark.parametrize("shuffle", [None, 1, 2])
def test_spans_of_a_track_do_not_overlap(shuffle: int | None) -> None:
    events, _ = traced(add_rows(rows=9, depth=3), shuffle)
    tracks = defaultdict(list)
    for e in of(events, "X"):
        tracks[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
    for spans in tracks.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_every_track_has_a_name_and_every_unit_a_track() -> None:
    events, _ = traced(add_rows(rows=3))
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in of(events, "M") if e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in of(events, "X")} <= set(names)
    assert {name for (core, _), name in names.items() if core == 1} >= {"load", "sfu", "store", "load: in flight 1"}
    assert {e["args"]["name"] for e in of(events, "M") if e["name"] == "process_name"} == {"core 0", "core 1"}


def test_a_unit_with_many_transfers_in_flight_keeps_to_its_own_tracks() -> None:
    """100 rows are loaded before any is stored."""
    text = """
parameters 2
channel full from load to store init 0
unit load
  param r1, 0
  li r2, 100
  loop r3, r2, end
  muli r4, r3, 128
  add r5, r1, r4
  xfer 2 device[r5] to lx[r4] [64: 2, 2]
end:
  endloop
  post full
  halt
unit store
  param r1, 1
  wait full
  xfer 2 lx[0] to device[r1] [64: 2, 2]
  halt
"""
    arrays, trace = {name: np.zeros(6400, np.float16) for name in "xy"}, sim.Trace()
    run(isa.assemble(text), launch(arrays, ("y",)), device(outstanding=100, device_bandwidth=1), trace=trace)
    events = trace.to_json()["traceEvents"]
    names = [(e["tid"], e["args"]["name"]) for e in of(events, "M") if e["name"] == "thread_name"]
    assert len(names) == len(dict(names)) > 90
    assert {"load: in flight 90", "store", "store: in flight 1"} <= {name for _, name in names}


def test_cores_and_units_are_in_order_and_not_by_name() -> None:
    """Viewers sort by name what has no place of its own: core 10 would come before core 2."""
    events, _ = traced(add_rows(rows=3, tiles=12))
    places = {(e["pid"], e.get("tid")): e["args"]["sort_index"] for e in of(events, "M") if "sort_index" in e["name"]}
    names = {(e["pid"], e.get("tid")): e["args"]["name"] for e in of(events, "M") if e["name"].endswith("_name")}
    assert set(places) == set(names)
    processes = sorted((key for key in names if key[1] is None), key=lambda key: places[key])
    assert [names[key] for key in processes] == [f"core {k}" for k in range(12)]
    tracks = sorted((key for key in names if key[0] == 10 and key[1] is not None), key=lambda key: places[key])
    assert [names[key] for key in tracks if ":" not in names[key]] == ["load", "sfu", "store"]


@pytest.mark.parametrize("shuffle", [None, 5])
def test_an_arrow_goes_from_each_post_to_the_wait_that_takes_it(shuffle: int | None) -> None:
    rows, tiles, depth = 7, 2, 2
    events, _ = traced(copy_rows(rows=rows, tiles=tiles, depth=depth), shuffle)
    begins = {e["id"]: e for e in of(events, "s")}
    ends = {e["id"]: e for e in of(events, "f")}
    # Every row is posted and taken once; of the free slots the first ones were there and the last ones are not used.
    assert len(begins) == len(ends) == tiles * (rows + rows - depth)
    assert set(begins) == set(ends)
    spans = of(events, "X")
    for number, begin in begins.items():
        end = ends[number]
        assert begin["ts"] <= end["ts"]
        assert begin["pid"] == end["pid"]
        for e, cats in ((begin, {"work", "post"}), (end, {"wait"})):
            around = [s for s in spans if (s["pid"], s["tid"]) == (e["pid"], e["tid"])]
            inside = [s for s in around if s["ts"] <= e["ts"] <= s["ts"] + s["dur"]]
            assert {s["cat"] for s in inside} & cats, e


def test_tracing_changes_no_cycle() -> None:
    kernel = add_rows(rows=6)
    assert kernel.run().cycles == traced(kernel)[1]
