# ruff: noqa: E501 (kernels keep an op on a line)
"""What a launch decides: arrays that share memory, contents of scratchpads, random coordinates; and looking inside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from executed import kernel, load, store

import spyrec
from spyrec.sim.memories import Local
from spyrec.spyrecode import Preset

ALIASED = """
#p8 = affine_set<(i) : (i >= 0, -i + 63 >= 0)>
#id = affine_map<(i) -> (i)>
func.func @k(%x: index, %y: index MARK, %w: index) attributes {grid = [1]} {
  %xv = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = #p8, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [64], strides: [1] {coordinate_set = #p8, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %wv = ktdp.construct_memory_view %w, sizes: [64], strides: [1] {coordinate_set = #p8, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %xt = ktdp.construct_access_tile %xv[0] {access_tile_set = #p8, access_tile_order = #id} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %yt = ktdp.construct_access_tile %yv[0] {access_tile_set = #p8, access_tile_order = #id} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %wt = ktdp.construct_access_tile %wv[0] {access_tile_set = #p8, access_tile_order = #id} : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %b = ktdp.load %xt : <64xindex> -> tensor<64xf16>
  %c = arith.addf %b, %b : tensor<64xf16>
  ktdp.store %c, %yt : tensor<64xf16>, <64xindex>
  %d = ktdp.load %xt : <64xindex> -> tensor<64xf16>
  ktdp.store %d, %wt : tensor<64xf16>, <64xindex>
  return
}
"""
IN_LX = """
#p4 = affine_set<(i) : (i >= 0, -i + 3 >= 0)>
#id = affine_map<(i) -> (i)>
func.func @k(%z: index) attributes {grid = [2]} {
  %c0 = arith.constant 16 : index
  %t = ktdp.get_compute_tile_id : index
  %at = arith.muli %t, %c0 : index
  %zv = ktdp.construct_memory_view %z, sizes: [20], strides: [1] {coordinate_set = affine_set<(i) : (i >= 0, -i + 19 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<20xi32>
  %lv = ktdp.construct_memory_view %c0, sizes: [4], strides: [1] {coordinate_set = #p4, memory_space = #ktdp.memory_space<ct_local>} : memref<4xi32>
  %zt = ktdp.construct_access_tile %zv[%at] {access_tile_set = #p4, access_tile_order = #id} : memref<20xi32> -> !ktdp.access_tile<4xindex>
  %lt = ktdp.construct_access_tile %lv[0] {access_tile_set = #p4, access_tile_order = #id} : memref<4xi32> -> !ktdp.access_tile<4xindex>
  %b = ktdp.load %lt : <4xindex> -> tensor<4xi32>
  ktdp.store %b, %zt : tensor<4xi32>, <4xindex>
  return
}
"""
GATHER = """
#p8 = affine_set<(i) : (i >= 0, -i + 7 >= 0)>
#id = affine_map<(i) -> (i)>
func.func @k(%n: index, %x: index, %z: index) attributes {grid = [1]} {
  %nv = ktdp.construct_memory_view %n, sizes: [8], strides: [1] {coordinate_set = #p8, memory_space = #ktdp.memory_space<global>} : memref<8xi32>
  %xv = ktdp.construct_memory_view %x, sizes: [3], strides: [1] {coordinate_set = affine_set<(i) : (i >= 0, -i + 2 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<3xi32>
  %zv = ktdp.construct_memory_view %z, sizes: [8], strides: [1] {coordinate_set = #p8, memory_space = #ktdp.memory_space<global>} : memref<8xi32>
  %xt = ktdp.construct_indirect_access_tile intermediate_variables(%i) %xv[ind(%nv[%i])] {variables_space_set = #p8, variables_space_order = #id} : memref<3xi32>, memref<8xi32> -> !ktdp.access_tile<8xindex>
  %zt = ktdp.construct_access_tile %zv[0] {access_tile_set = #p8, access_tile_order = #id} : memref<8xi32> -> !ktdp.access_tile<8xindex>
  %a = ktdp.load %xt : <8xindex> -> tensor<8xi32>
  ktdp.store %a, %zt : tensor<8xi32>, <8xindex>
  return
}
"""
ONES = np.ones(64, np.float16)
MARKED, UNMARKED = ALIASED.replace("MARK", "{spyrec.may_alias}"), ALIASED.replace("MARK", "")


@pytest.mark.parametrize("offset", [0, 2, 64])
def test_marked_arguments_may_share_memory_and_order_holds_byte_for_byte(offset: int) -> None:
    want = np.ones(64 + offset // 2, np.float16)
    want[offset // 2 :] = 2
    values = {"x": ONES, "y": f"@x+{offset}" if offset else "@x"}
    for outputs in (
        spyrec.interpret(MARKED, values).outputs,
        spyrec.interpret(MARKED, values, stage="kernel").outputs,
        spyrec.compile(MARKED).run(values),
        spyrec.compile(MARKED).run(values, shuffle=3),
    ):
        assert np.array_equal(outputs["w"], want[:64])
        assert (outputs["y"] == 2).all()


@pytest.mark.parametrize(
    ("values", "id", "message"),
    [
        ({"x": ONES, "y": "@x"}, "aliased-arguments", "'y' lies in the memory of 'x', and the kernel writes 'y'"),
        ({"x": ONES, "y": ONES, "w": "@y"}, "aliased-arguments", "the kernel writes 'w'"),
        ({"x": ONES, "y": "@q"}, "unknown-argument", "has no array 'q'"),
        ({"x": ONES, "y": "x.npy"}, "wrong-array", "@NAME"),
        ({"x": ONES, "y": "@y"}, "wrong-array", "a place of its own"),
    ],
)
def test_other_arguments_may_not(values: dict[str, object], id: str, message: str) -> None:
    with pytest.raises(spyrec.InvalidKernel, match=message) as caught:
        spyrec.interpret(UNMARKED, values)
    assert caught.value.diagnostics[0].id == id


BOOL = kernel(
    f"""
    {load("a", "x", "4xi1")}
    %b = tensor.extract %a[%c1] : tensor<4xi1>
    %n = arith.extui %b : i1 to i32
    %s = tensor.splat %n : tensor<4xi32>
    %e = arith.index_cast %n : i32 to index
    %r = scf.for %i = %c0 to %e step %c1 iter_args(%c = %s) -> tensor<4xi32> {{
      %d = arith.addi %c, %s : tensor<4xi32>
      scf.yield %d : tensor<4xi32>
    }}
    {store("r", "z", "4xi32")}""",
    "x 4xi1",
    "z 4xi32",
)


@pytest.mark.parametrize("stage", ["ktir", "kernel", "schedule", "program", "spyrecode"])
@pytest.mark.parametrize("byte", [0, 1, 2, 128, 255])
def test_every_byte_but_0_is_true(stage: str, byte: int) -> None:
    values = {"x_ptr": np.array([0, byte, 0, 1], np.uint8)}
    found = (
        spyrec.compile(BOOL).run(values)
        if stage == "spyrecode"
        else spyrec.interpret(BOOL, values, stage=stage).outputs
    )
    assert found["z_ptr"].tolist() == [2 * bool(byte)] * 4


def filled(element: str, number: str, arguments: str = "") -> str:
    """A kernel that stores one number everywhere."""
    return kernel(
        f"{number}\n%t = tensor.splat %s : tensor<4x{element}>\n{store('t', 'z', f'4x{element}')}",
        f"z 4x{element}",
        arguments=arguments,
    )


@pytest.mark.parametrize("stage", ["ktir", "spyrecode"])
@pytest.mark.parametrize(
    ("element", "bits"), [("f16", "7e01"), ("f16", "fd01"), ("bf16", "7fc1"), ("bf16", "ff81"), ("f32", "7fa00001")]
)
def test_a_nan_that_only_moves_keeps_its_bits(stage: str, element: str, bits: str) -> None:
    text = filled(element, f"%s = arith.constant 0x{bits.upper()} : {element}")
    found = spyrec.compile(text).run({}) if stage == "spyrecode" else spyrec.interpret(text, {}).outputs
    assert found["z_ptr"].tobytes()[::-1].hex() == 4 * bits


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("stage", ["ktir", "spyrecode"])
@pytest.mark.parametrize(
    ("element", "number", "bits"),
    [
        ("bf16", 1 + 2**-8 + 2**-40, "3f81"),
        ("bf16", 1e39, "7f80"),
        ("f16", 1e6, "7c00"),
        ("f16", 1 + 2**-11 + 2**-40, "3c01"),
        ("f32", -1e39, "ff800000"),
        ("f32", float("nan"), "7fc00000"),
    ],
)
def test_numbers_of_a_launch_are_rounded_once(stage: str, element: str, number: float, bits: str) -> None:
    text, values = filled(element, "", f"%s: {element}"), {"s": number}
    found = spyrec.compile(text).run(values) if stage == "spyrecode" else spyrec.interpret(text, values).outputs
    assert found["z_ptr"].tobytes()[::-1].hex() == 4 * bits


def test_a_number_of_df16() -> None:
    text = filled("!spyreop.df16", "", "%s: !spyreop.df16")
    assert spyrec.interpret(text, {"s": 1.5}).outputs["z_ptr"].view(np.uint16).tolist() == [31 << 9 | 256] * 4


def test_an_element_begins_at_a_multiple_of_its_size() -> None:
    with pytest.raises(spyrec.InvalidKernel, match="where no element of 2 bytes begins"):
        spyrec.interpret(MARKED, {"x": ONES, "y": "@x+3"})


def test_arguments_that_are_only_read_share_memory_unmarked() -> None:
    text = UNMARKED.replace("ktdp.store %c, %yt", "ktdp.store %c, %wt")
    text = text.replace("%d = ktdp.load %xt", "%d = ktdp.load %yt")
    got = spyrec.interpret(text, {"x": np.arange(64, dtype=np.float16), "y": "@x"}).outputs["w"]
    assert np.array_equal(got, np.arange(64))


@pytest.mark.parametrize("stage", ["ktir", "kernel", "schedule", "program", "spyrecode"])
def test_scratchpads_hold_what_the_launch_put_there(stage: str) -> None:
    rows = np.arange(8, dtype=np.int32).reshape(2, 4)
    code = spyrec.compile(IN_LX) if stage == "spyrecode" else None

    def z(values: dict[str, object]) -> np.ndarray:
        return (spyrec.interpret(IN_LX, values, stage=stage).outputs if code is None else code.run(values))["z"]

    for values in ({"lx:16": rows}, {"lx0:16": rows[0], "lx1:16": rows[1]}, {"lx:16:i32": rows.view(np.uint32)}):
        got = z(values)
        assert np.array_equal(np.concatenate([got[:4], got[16:]]), rows.reshape(-1))
    with pytest.raises(spyrec.InvalidKernel, match="LX") as caught:
        z({"lx0:16": rows[0]})
    assert "unwritten-read" in {d.id for d in caught.value.diagnostics}


@pytest.mark.parametrize(
    ("values", "id", "message"),
    [
        ({}, "unwritten-read", "LX of core 0"),
        ({"lx0:16": np.zeros(4, np.int32)}, "unwritten-read", "LX of core 1"),
        ({"lx:16": np.zeros(4, np.int32)}, "wrong-array", "a row for each of the 2 compute tiles"),
        ({"lx0:16:i32": np.zeros(4, np.int64)}, "wrong-array", "no bits of i32"),
        ({"lx2:16": np.zeros(4, np.int32)}, "wrong-array", "of no compute tile: they are 0 to 1"),
        ({"lx0:524287": np.zeros(4, np.int32)}, "out-of-lx", "LX"),
    ],
)
def test_what_scratchpads_refuse(values: dict[str, object], id: str, message: str) -> None:
    with pytest.raises(spyrec.InvalidKernel, match=message) as caught:
        spyrec.interpret(IN_LX, values)
    assert caught.value.diagnostics[0].id == id


def test_the_simulated_scratchpads_too() -> None:
    lx = Local(256, [Preset(0, 64, np.arange(4, dtype=np.int32))])
    assert np.array_equal(lx.data[64:80].view(np.int32), np.arange(4))
    with pytest.raises(spyrec.InvalidKernel, match="LX of core 0"):
        Local(256, [Preset(0, 248, np.arange(4, dtype=np.int32))])


@pytest.mark.parametrize("seed", range(4))
def test_random_coordinates_are_in_range(seed: int) -> None:
    assert spyrec.interpret(GATHER, {}, seed=seed).outputs["z"].shape == (8,)


@pytest.mark.parametrize("seed", range(4))
def test_random_coordinates_win_where_literal_addresses_overlap(seed: int) -> None:
    text = GATHER.replace("%n: index, %x: index, %z", "%z").replace("memory_view %n,", "memory_view %c0,")
    text = text.replace("memory_view %x,", "memory_view %c4,").replace(
        "{grid = [1]} {", "{grid = [1]} {\n  %c0 = arith.constant 0 : index\n  %c4 = arith.constant 4 : index"
    )
    assert spyrec.interpret(text, {}, seed=seed).outputs["z"].shape == (8,)


def test_a_probe_is_printed_or_saved(tmp_path: Path) -> None:
    (record,) = spyrec.interpret(MARKED, {"x": ONES}, probes=["%c"]).probed
    assert (record.name, record.tile) == ("%c", 0)
    assert (record.data == 2).all()
    kernel, saved = tmp_path / "k.mlir", tmp_path / "c.npy"
    kernel.write_text(IN_LX)
    np.save(tmp_path / "rows.npy", np.arange(8, dtype=np.int32).reshape(2, 4))
    words = [
        "run",
        str(kernel),
        "--stage=ktir",
        f"--in=lx:16={tmp_path}/rows.npy",
        f"--probe=%b={saved}",
        "--probe=%at@tile=1",
    ]
    done = subprocess.run([sys.executable, "-m", "spyrec", *words], capture_output=True, text=True, check=True)
    assert f"%b: 2x4 int32, 2 values, in {saved}" in done.stdout
    assert "on tile 1: 16" in done.stdout
    assert np.array_equal(np.load(saved), np.arange(8).reshape(2, 4))
    words[-1] = f"--probe=%lv={saved}"
    done = subprocess.run([sys.executable, "-m", "spyrec", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, "a view is nothing to save" in done.stderr) == (2, True)
