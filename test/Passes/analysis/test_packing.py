"""Addresses of buffers: nothing that is alive together overlaps, and what fits is found."""

from __future__ import annotations

import random
import time

from spyrec.passes.analysis.liveness import Lifetime
from spyrec.passes.analysis.packing import Packing, Request, apart, fullest, shared

STICK = 128


def requests(draw: random.Random, count: int, length: int) -> list[Request]:
    made = []
    for _ in range(count):
        start = draw.randrange(4 * count)
        made.append(Request(STICK * draw.randint(1, 9), Lifetime(start, start + draw.randrange(length))))
    return made


def together(a: Request, b: Request) -> bool:
    return a.lifetime.start <= b.lifetime.end and b.lifetime.start <= a.lifetime.end


def is_valid(made: list[Request], packing: Packing) -> bool:
    placed = sorted(zip(packing.addresses, made, strict=True), key=lambda pair: pair[0])
    for k, (at, request) in enumerate(placed):
        for other_at, other in placed[k + 1 :]:
            if other_at >= at + request.size:
                break
            if together(request, other):
                return False
    return packing.total == max(at + request.size for at, request in placed)


def test_what_is_alive_together_is_apart() -> None:
    draw = random.Random(3)
    for round_ in range(60):
        made = requests(draw, 30, 40)
        assert is_valid(made, apart(made))
        # A limit of 0 makes it try everything.
        for limit in (0, 1 << 30):
            assert is_valid(made, shared(made, limit)), round_


def test_the_fullest_point() -> None:
    draw = random.Random(4)
    for _ in range(60):
        made = requests(draw, 20, 30)
        points = range(max(r.lifetime.end for r in made) + 1)
        most = max(sum(r.size for r in made if r.lifetime.start <= t <= r.lifetime.end) for t in points)
        alive = fullest(made)
        assert sum(made[k].size for k in alive) == most
        assert all(together(made[a], made[b]) for a in alive for b in alive)
        assert shared(made, 0).total >= most


def test_a_second_placement_is_tried_when_the_first_leaves_gaps() -> None:
    """In order of time the small one goes first and splits the space; by size it does not."""
    made = [
        Request(1 * STICK, Lifetime(0, 3)),
        Request(2 * STICK, Lifetime(0, 0)),
        Request(1 * STICK, Lifetime(0, 5)),
        Request(3 * STICK, Lifetime(4, 5)),
    ]
    limit = 4 * STICK
    assert shared(made, limit).total <= limit


def test_time_grows_with_the_number_of_buffers() -> None:
    draw = random.Random(5)
    times = []
    for count in (4_000, 16_000):
        made = requests(draw, count, 60)
        start = time.process_time()
        shared(made, 1 << 30)
        times.append(time.process_time() - start)
    assert times[1] < 10 * times[0] + 0.1
