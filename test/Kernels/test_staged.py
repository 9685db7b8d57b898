"""Kernels on devices where bytes rest in a stage on their way: element-wise chains, folds, softmax, products,
attention, clipped and masked tiles, gather and scatter, updates in place, exchanges.

Of one of the stages each core has its own; the other one they share, with less than 8 KiB for each.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import staged
from layer_lines import LINES, LayerLine
from layers import Case

from spyrec.device import read

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "semantics"))
from references import KERNELS

LARGE = {"softmax_splat"}
"""Many seconds for each run."""
LONG = {"split_copy_32", "matmul_kloop", "softmax_online", "argmax", "all_reduce"}
"""A second for each."""
UNNEEDED = {"all_reduce": ["@tile_1_over_ring_vec_1", "@o_ptr_stored_ring", "@offer0_taken"]}
"""Channels between cores that the static check does not miss (see test/Semantics/test_compiled.py)."""


KINDS = {re.split(r"_[a-z]*[0-9]", line.case.name)[0]: line.case for line in reversed(LINES)}
"""The first kernel of each kind in layers."""
SEMANTICS = [
    Case(k.name, k.path.read_text(encoding="utf-8"), k.inputs, k.reference, k.tolerance)
    for k in KERNELS.values()
    if k.name not in LARGE
]


def line_of(case: Case, device: str) -> LayerLine:
    return LayerLine(case, device, settings=staged.settings(device))


STAGED = [line_of(case, device) for device in (staged.STAGED, staged.SHARED) for case in (*KINDS.values(), *SEMANTICS)]
CUT = {"matmul_plain_f32_512x512x4096_hand"}
"""With 8 KiB of a stage its sums are made of 512 sums: more than its tolerance is for."""
OTHERS = [line.case for line in LINES if line.case not in KINDS.values() and line.case.name not in CUT]


def name(line: LayerLine) -> str:
    return f"{line.case.name}-{Path(line.device).stem}"


@pytest.mark.parametrize("line", STAGED, ids=name)
def test_every_stage_and_the_binary_agree_with_numpy(line: LayerLine) -> None:
    line.check_stages()


@pytest.mark.parametrize("line", STAGED, ids=name)
def test_results_do_not_depend_on_timing(line: LayerLine) -> None:
    few = line.case.name in LONG or line.device == staged.SHARED
    line.check_shuffles(2 if few else 20)


@pytest.mark.parametrize("line", STAGED, ids=name)
def test_every_channel_is_needed(line: LayerLine) -> None:
    assert set(line.unneeded_channels()) <= set(UNNEEDED.get(line.case.name, []))


@pytest.mark.parametrize(("number", "case"), list(enumerate(OTHERS)), ids=lambda value: getattr(value, "name", ""))
def test_all_other_kernels_run(number: int, case: Case) -> None:
    line = line_of(case, (staged.STAGED, staged.SHARED)[number % 2])
    assert line.agrees(line.binary())


SETS = {"triangle_load_32_hand", "triangle_store_20_hand"}
"""They are moved row by row, and rest in a stage whole."""
PIECES = [case for case in (*KINDS.values(), *SEMANTICS) if case.name not in LONG | SETS]


@pytest.mark.parametrize("case", PIECES, ids=lambda case: str(case.name))
def test_what_is_too_large_for_a_stage_passes_it_in_pieces(case: Case) -> None:
    device = staged.STAGED
    line = LayerLine(case, device, ("choose-tile-sizes=off",), staged.settings(device, stage=1024))
    if case.name == "attention_4x32x64_hand":
        assert "memref.subview" in (line.compile("schedule").text or "")
    line.check_stages()
    line.check_shuffles(2)


@pytest.fixture(scope="session")
def deep(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Spyre with two stages on the way in, one shared and one of each core, and the latter on the way out."""
    text = read.path("spyre").read_text(encoding="utf-8")
    for old, new in (
        ("  group @core {", '  %l2 = memory {kind = "l2", size = 4194304 : i64}\n  group @core {'),
        ("share(%ddr)", "share(%ddr, %l2)"),
        ("    datapath #to_lx %ddr to %load", DEEP + "    datapath #to_lx %ddr to %load"),
        ("%load to %lx", "%load to %l2"),
        ("%lx to %store", "%l1 to %store"),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = tmp_path_factory.mktemp("devices") / "deep.mlir"
    path.write_text(text, encoding="utf-8")
    return str(path)


DEEP = """    %l1 = memory {kind = "l1", size = 65536 : i64}
    %mid = exec_unit {kind = "mid"}
    %near = exec_unit {kind = "near"}
    %back = exec_unit {kind = "back"}
    datapath #to_lx %l2 to %mid : memory, exec_unit
    datapath #to_lx %mid to %l1 : exec_unit, memory
    datapath #to_lx %l1 to %near : memory, exec_unit
    datapath #to_lx %near to %lx : exec_unit, memory
    datapath #to_device %lx to %back : memory, exec_unit
    datapath #to_device %back to %l1 : exec_unit, memory
"""


@pytest.mark.parametrize("case", [c for c in SEMANTICS if c.name not in LONG], ids=lambda case: str(case.name))
def test_three_legs_and_two_corelets(case: Case, deep: str) -> None:
    line = LayerLine(case, deep)
    line.check_stages()
    line.check_shuffles(2)


@pytest.mark.parametrize("line", STAGED, ids=name)
def test_bytes_rest_in_the_stage(line: LayerLine) -> None:
    """What is read comes through it, and nothing goes past it."""
    text = line.compile("program").text
    assert text is not None
    moved = re.findall(r"dataflow\.transfer @(\w+)\[.* to @(\w+)\[", text)
    stage = {"staged": "l1", "shared_stage": "l2"}[Path(line.device).stem]
    assert ("device", stage) in moved
    assert (stage, "lx") in moved
    assert ("device", "lx") not in moved
