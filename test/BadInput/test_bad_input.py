"""Senseless input, one mistake at a time: a located error with the offending text under the caret, and nothing left
behind.

Each case edits a good kernel and marks in ``at`` the text on which the caret must stand. ``says`` must occur in the
message.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

import spyrec
from spyrec.errors import Severity, SpyrecError

GOOD = (Path(__file__).resolve().parents[2] / "examples" / "add.mlir").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Case:
    """``old`` is replaced by ``new`` in the good kernel; the error stands on ``at`` (in ``new``), whose first
    occurrence counts."""

    name: str
    old: str
    new: str
    at: str
    says: str
    occurrence: int = 1


CASES = [
    Case("misspelt op", "ktdp.load %x_row", "ktdp.laod %x_row", "ktdp.laod", "ktdp.load"),
    Case("op of no dialect", "arith.muli %tile", "arith.mulli %tile", "arith.mulli", "arith.muli"),
    Case("dialect of no one", "ktdp.load %x_row", "ktdq.load %x_row", "ktdq.load", "ktdq"),
    Case("undefined value", "ktdp.load %x_row", "ktdp.load %x_rwo", "%x_rwo", "x_rwo"),
    Case("redefined value", "%b = ktdp.load", "%a = ktdp.load", "%a = ktdp.load %y_row", "a"),
    Case("undefined alias", "{coordinate_set = #all,", "{coordinate_set = #al,", "#al,", "al"),
    Case(
        "shape of a stored tile",
        "ktdp.store %sum, %z_row : tensor<1x64xf16>, <1x64xindex>",
        "ktdp.store %sum, %z_row : tensor<1x64xf16>, <1x32xindex>",
        "%z_row",
        "32",
    ),
    Case(
        "type of a loaded tile",
        "%b = ktdp.load %y_row : <1x64xindex> -> tensor<1x64xf16>",
        "%b = ktdp.load %y_row : <1x64xindex> -> tensor<64xf16>",
        "",
        "tensor<64xf16>",
    ),
    Case("no coordinate set", "{coordinate_set = #all, memory_space", "{memory_space", "", "coordinate_set"),
    Case("no memory space", ", memory_space = #ktdp.memory_space<global>}", "}", "", "memory_space"),
    Case("no tile set", "{access_tile_set = #row, access_tile_order", "{access_tile_order", "", "access_tile_set"),
    Case("misspelt attribute", "access_tile_order = #same", "acces_tile_order = #same", "", "access_tile_order"),
    Case("unknown memory space", "memory_space<global>", "memory_space<globl>", "globl", "global"),
    Case("negative size", "sizes: [96, 64]", "sizes: [-96, 64]", "-96", "-96"),
    Case(
        "absurd size",
        "sizes: [96, 64]",
        "sizes: [99999999999999999999, 64]",
        "99999999999999999999",
        "99999999999999999999",
    ),
    Case("sizes against strides", "strides: [64, 1]", "strides: [64, 1, 1]", "", "3"),
    Case("missing arrow", ": <1x64xindex> -> tensor", ": <1x64xindex> tensor", "tensor", "->"),
    Case("missing bracket", "%x[%r, 0] {", "%x[%r, 0 {", "", "]"),
    Case("not an index", "%r, 0]", "%a0, 0]", "%a0", "a0"),
    Case("wrong number of subscripts", "%x[%r, 0]", "%x[%r]", "", "2"),
    Case("grid of a word", "grid = [32]", 'grid = "many"', "", "grid"),
    Case("grid of zero", "grid = [32]", "grid = [0]", "", "0"),
    Case("grid larger than the device", "grid = [32]", "grid = [33]", "", "32"),
    Case("view larger than its set", "-r + 95 >= 0", "-r + 96 >= 0", "", "96"),
    Case("tile outside its view", "[%r, 0]", "[%r + 96, 0]", "", "96..191"),
    Case(
        "store of another shape",
        "ktdp.store %sum, %z_row : tensor<1x64xf16>",
        "ktdp.store %sum, %z_row : tensor<1x65xf16>",
        "",
        "65",
    ),
]


def place(text: str, old: str, new: str, at: str) -> tuple[int, int | None]:
    """Line and column (both from 1) of ``at`` in the edited text; column ``None`` where any column of the op is
    good."""
    start = text.index(new)
    offset = text.index(at, start) if at else start
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1 if at else None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_one_located_error(case: Case) -> None:
    assert GOOD.count(case.old) >= 1
    text = GOOD.replace(case.old, case.new, 1)
    with pytest.raises(SpyrecError) as caught:
        spyrec.compile(text)
    errors = [d for d in caught.value.diagnostics if d.severity is Severity.ERROR]
    assert errors
    first = errors[0]
    assert caught.value.status == 1
    assert first.id
    assert case.says in first.message + "".join(n.message for n in first.notes)
    assert first.position is not None
    line, column = place(text, case.old, case.new, case.at)
    if case.at:
        assert (first.position.line, first.position.column) == (line, column)
    else:
        assert first.position.line >= 1
    assert first.source_line == text.splitlines()[first.position.line - 1]
