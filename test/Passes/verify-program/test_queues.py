"""A queue is a buffer with two channels: each misuse of one is found, by the static check and by the simulator alike.

``docs/decisions/0026-no-queues-between-units.md`` lists them; the lines found are those of the sender or the receiver.
"""

from __future__ import annotations

import pytest
from mutants import Mutant, base_of, simulated, statically, unchanged

SEND, RECEIVE = "dataflow.wait @free", "dataflow.wait @full"
WRITE = (
    "dataflow.transfer @device[%at from %x] strides [2] to @lx[%b in @b] strides [2] counts [64]"
    " {element_bytes = 2 : i64}"
)
END = "      }\n"
MISUSES = {
    "a send that does not wait for room": ([(f"        {SEND}\n", "")], {"race"}),
    "a queue that is larger than its buffer": ([("init = 2", "init = 3")], {"race"}),
    "a slot beyond the last one": ([("d0 mod 2", "d0 mod 3")], {"out-of-buffer"}),
    "a buffer one slot too small": ([("depth = 2", "depth = 1"), ("d0 mod 2", "d0 mod 1")], {"race"}),
    "a receive that waits for nothing": ([(f"        {RECEIVE}\n", "")], {"race"}),
    "a send of nothing": ([(f"        {WRITE}\n", "")], {"unwritten-read"}),
    "something is left": (
        [(f"post @full\n{END}", f"post @full\n{END}      dataflow.post @full\n")],
        {"channel-misuse"},
    ),
    "one receive more than sends": ([(f"post @free\n{END}", f"post @free\n{END}      {RECEIVE}\n")], {"deadlock"}),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_a_misuse_is_found(misuse: str) -> None:
    changes, ids = MISUSES[misuse]
    base = base_of("copy")
    text = base.text
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    mutant = Mutant(base, misuse, text)
    static, run = statically(mutant), simulated(mutant)
    assert run is not None
    assert run.ids <= ids
    assert run.ids
    assert static.ids == run.ids
    assert static.places & run.places


def test_a_queue_is_accepted() -> None:
    base = base_of("copy")
    assert not statically(unchanged(base))
    assert not simulated(unchanged(base))
