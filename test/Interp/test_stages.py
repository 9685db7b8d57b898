"""The compiler's own stages: boxes of memory, buffers in program order, and units that only channels order."""

import re

import numpy as np
import pytest
from kernel import execute, line_of, refused, written

from spyrec import dialects, interp
from spyrec.ods import registry

X = np.arange(4 * 6 * 8, dtype=np.float16).reshape(24, 8)

KERNEL = """
func.func @kernel(%x: index, %z: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 6 : index
  %t = dataflow.tile_id
  scf.for %i = %c0 to %n step %c1 {
    %off = affine.apply affine_map<(t, i) -> ((t * 6 + i) * 8)>(%t, %i)
    %a = dataflow.read @device[%off from %x] strides [8, 1] : tensor<1x8xf16>
    %e = tensor.empty() : tensor<1x8xf16>
    %s = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<1x8xf16>) outs(%e : tensor<1x8xf16>) {
    ^bb0(%p: f16, %o: f16):
      %q = arith.addf %p, %p : f16
      linalg.yield %q : f16
    } -> tensor<1x8xf16>
    dataflow.write %s, @device[%off from %z] strides [8, 1] : tensor<1x8xf16>
  }
  return
}
"""

SCHEDULE = """
func.func @kernel(%x: index, %z: index) attributes {grid = [4]} {
  dataflow.channel @full from @load to @sfu {init = 0}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 6 : index
  %t = dataflow.tile_id
  scf.for %i = %c0 to %n step %c1 {
    %off = affine.apply affine_map<(t, i) -> ((t * 6 + i) * 8)>(%t, %i)
    %b = dataflow.alloc {depth = 2, name = "x"} : memref<1x8xf16, "lx">
    %d = dataflow.alloc : memref<1x8xf16, "lx">
    dataflow.data_transfer from @device[%off from %x] strides [8, 1] to %b
      {route = ["ddr", "load", "lx"], unit = @load} : memref<1x8xf16, "lx">
    dataflow.post @full {unit = @load}
    dataflow.wait @full {unit = @sfu}
    linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>],
                    iterator_types = ["parallel", "parallel"], dataflow.unit = @sfu}
      ins(%b : memref<1x8xf16, "lx">) outs(%d : memref<1x8xf16, "lx">) {
    ^bb0(%p: f16, %o: f16):
      %q = arith.addf %p, %p : f16
      linalg.yield %q : f16
    }
    dataflow.data_transfer from %d to @device[%off from %z] strides [8, 1]
      {route = ["lx", "store", "ddr"], unit = @store} : memref<1x8xf16, "lx">
  }
  return
}
"""

PROGRAM = """
func.func @kernel(%x: index, %z: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 6 : index
  dataflow.buffer @xb {address = 0, slot_bytes = 128, depth = 2}
  dataflow.buffer @zb {address = 256, slot_bytes = 128, depth = 2}
  dataflow.channel @full from @load to @sfu {init = 0}
  dataflow.channel @free from @sfu to @load {init = 2}
  dataflow.channel @done from @sfu to @store {init = 0}
  dataflow.channel @gone from @store to @sfu {init = 2}
  dataflow.program_unit @load(%core) {
    scf.for %i = %c0 to %n step %c1 {
      dataflow.wait @free
      %a = affine.apply affine_map<(t, i) -> ((t * 6 + i) * 16)>(%core, %i)
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      dataflow.transfer @device[%a from %x] strides [2] to @lx[%b in @xb] strides [2] counts [8] {element_bytes = 2}
      dataflow.post @full
    }
  }
  dataflow.program_unit @sfu(%core) {
    scf.for %i = %c0 to %n step %c1 {
      dataflow.wait @full
      dataflow.wait @gone
      %b = affine.apply affine_map<(i) -> ((i mod 2) * 128)>(%i)
      %d = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.stream counts [8] ins(@xb[%b] strides [2] : f16) outs(@zb[%d] strides [2] : f16) {
      ^bb0(%p: f16, %o: f16):
        %q = arith.addf %p, %p : f16
        dataflow.yield %q : f16
      }
      dataflow.post @free
      dataflow.post @done
    }
  }
  dataflow.program_unit @store(%core) {
    scf.for %i = %c0 to %n step %c1 {
      dataflow.wait @done
      %a = affine.apply affine_map<(t, i) -> ((t * 6 + i) * 16)>(%core, %i)
      %d = affine.apply affine_map<(i) -> ((i mod 2) * 128 + 256)>(%i)
      dataflow.transfer @lx[%d in @zb] strides [2] to @device[%a from %z] strides [2] counts [8] {element_bytes = 2}
      dataflow.post @gone
    }
  }
  return
}
"""

VALUES = {"x": X, "z": written(X.shape, "f16")}


@pytest.mark.parametrize("text", [KERNEL, SCHEDULE, PROGRAM], ids=["kernel", "schedule", "program"])
@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_a_stage_computes_the_same_in_any_order(text: str, seed: int | None) -> None:
    assert np.array_equal(execute(text, VALUES, seed=seed)["z"], X + X)


@pytest.mark.parametrize("count", ["0", "1", "2", "7"])
def test_units_run_any_number_of_iterations(count: str) -> None:
    text = PROGRAM.replace("%n = arith.constant 6", f"%n = arith.constant {count}").replace("t * 6", f"t * {count}")
    rows = int(count) * 4
    x = np.arange(max(rows, 1) * 8, dtype=np.float16).reshape(-1, 8)
    got = execute(text, {"x": x, "z": written(x.shape, "f16")}, seed=5)["z"]
    assert np.array_equal(got[:rows], (x + x)[:rows])


@pytest.mark.parametrize("text", [KERNEL, SCHEDULE, PROGRAM], ids=["kernel", "schedule", "program"])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_cores_that_write_one_place_race_at_each_stage(text: str, seed: int | None) -> None:
    found = refused(text.replace("%off from %z", "%c0 from %z").replace("%a from %z", "%c0 from %z"), VALUES, seed=seed)
    assert found.id == "race"
    assert re.match(r"byte [01] \(element 0\) of 'z' is written on compute tile \d and written on tile", found.message)


# Mistakes ------------------------------------------------------------------------------------------------------------


def _fails(text: str, **options: object) -> tuple[str, int, str]:
    found = refused(text, VALUES, **options)
    return found.id, found.position.line, found.message


def test_a_deadlock_names_who_waits_for_whom() -> None:
    text = PROGRAM.replace("@free from @sfu to @load {init = 2}", "@free from @sfu to @load {init = 0}")
    found = refused(text, VALUES)
    assert found.id == "deadlock"
    assert found.message == "no unit can go on: @load waits for @free, which @sfu posts, and that one waits itself"
    assert found.position.line == line_of(text, "dataflow.wait @free")
    assert found.notes[-1].message == "on compute tile 0 of 4"
    assert [(n.message, n.position.line) for n in found.notes[:-1]] == [
        ("@sfu waits for @full, which @load posts, and that one waits itself", line_of(text, "dataflow.wait @full")),
        ("@store waits for @done, which @sfu posts, and that one waits itself", line_of(text, "dataflow.wait @done")),
    ]
    ended = refused(PROGRAM.replace("      dataflow.post @done\n", ""), VALUES)
    assert "@sfu posts" in ended.message
    last = PROGRAM.replace(
        "    scf.for %i = %c0 to %n step %c1 {\n      dataflow.wait @done",
        "    scf.for %i = %c0 to %m step %c1 {\n      dataflow.wait @done",
    )
    ended = refused(last.replace("  %n = arith", "  %m = arith.constant 7 : index\n  %n = arith"), VALUES)
    assert ended.message == "no unit can go on: @store waits for @done, which @sfu posts, and that one has ended"


def test_a_channel_ends_as_it_starts() -> None:
    text = PROGRAM.replace("{init = 2}\n  dataflow.program_unit @load", "{init = 7}\n  dataflow.program_unit @load")
    text = text.replace("      dataflow.post @gone\n", "")
    assert _fails(text) == (
        "channel-misuse",
        line_of(text, "dataflow.channel @gone"),
        "channel @gone starts at 7 and ends at 1; they must be equal",
    )


def test_a_missing_wait_is_found_in_some_order() -> None:
    text = PROGRAM.replace("      dataflow.wait @full\n", "      dataflow.wait @full2\n").replace(
        "  dataflow.channel @free", "  dataflow.channel @full2 from @load to @sfu {init = 6}\n  dataflow.channel @free"
    )
    found = {refused(text, VALUES, seed=s).id for s in range(8)}
    assert found <= {"unwritten-read", "channel-misuse"}
    assert "unwritten-read" in found


def test_two_buffers_at_one_address() -> None:
    text = PROGRAM.replace("@zb {address = 256", "@zb {address = 128").replace("* 128 + 256", "* 128 + 128")
    id, line, message = _fails(text)
    assert (id, message) == ("wrong-buffer", "bytes read through @xb were last written through @zb")
    assert line == line_of(text, "dataflow.stream")


@pytest.mark.parametrize(
    ("old", "new", "id", "at"),
    [
        ("((i mod 2) * 128)>", "((i mod 3) * 128)>", "out-of-buffer", "@lx[%b in @xb]"),
        (
            "@zb {address = 256, slot_bytes = 128, depth = 2}",
            "@zb {address = 4096, slot_bytes = 128, depth = 9999999}",
            "out-of-lx",
            "@zb {",
        ),
        ("@device[%a from %x] strides [2]", "@device[%a from %x] strides [4000]", "out-of-memory", "from %x]"),
        ("ins(@xb[%b]", "ins(@nope[%b]", "undefined-name", "dataflow.stream"),
        ("outs(@zb[%d] strides [2]", "outs(@zb[%d] strides [0]", "unsupported-op", "dataflow.stream"),
    ],
)
def test_program_mistakes_have_a_place(old: str, new: str, id: str, at: str) -> None:
    text = PROGRAM.replace(old, new)
    assert text != PROGRAM
    found = _fails(text)
    assert found[:2] == (id, line_of(text, at))


def test_a_buffer_is_fresh_in_each_iteration() -> None:
    once = SCHEDULE.replace(
        "    linalg.generic", "    %first = arith.cmpi eq, %i, %c0 : index\n    scf.if %first {\n    linalg.generic"
    ).replace("      linalg.yield %q : f16\n    }\n", "      linalg.yield %q : f16\n    }\n    }\n")
    id, line, message = _fails(once)
    assert (id, line) == ("undefined-value", line_of(once, "from %d to @device"))
    assert message == "the source is read, but 8 of its 8 elements have never been written, first [0, 0]"


def test_pieces_of_a_buffer_share_its_memory() -> None:
    pieces = (
        SCHEDULE.replace("ins(%b :", "ins(%b0 :")
        .replace("outs(%d :", "outs(%d0 :")
        .replace(
            "    linalg.generic",
            "    %b0 = memref.subview %b[0, 0] [1, 8] [1, 1] :"
            ' memref<1x8xf16, "lx"> to memref<1x8xf16, strided<[8, 1]>, "lx">\n'
            "    %d0 = memref.subview %d[0, 0] [1, 8] [1, 1] :"
            ' memref<1x8xf16, "lx"> to memref<1x8xf16, strided<[8, 1]>, "lx">\n'
            "    linalg.generic",
        )
    )
    pieces = pieces.replace('%b0 : memref<1x8xf16, "lx">', '%b0 : memref<1x8xf16, strided<[8, 1]>, "lx">')
    pieces = pieces.replace('%d0 : memref<1x8xf16, "lx">', '%d0 : memref<1x8xf16, strided<[8, 1]>, "lx">')
    assert np.array_equal(execute(pieces, VALUES)["z"], X + X)


def test_reads_outside_of_memory_have_a_place() -> None:
    text = KERNEL.replace("t * 6 + i", "t * 7 + i")
    assert _fails(text)[:2] == ("out-of-memory", line_of(text, "dataflow.read"))


def test_every_op_of_our_dialects_has_a_meaning() -> None:
    dialects.make_context()  # registers them all
    without = {
        # The device file is no program.
        *(name for name in registry.ops if name.startswith("ktdf_arch.")),
        # Work on the lanes of a stick; their meaning per element is not published.
        *(name for name in registry.ops if name.startswith(("spyreop.exx2", "spyreop.layernorm", "spyreop.slice"))),
    }
    missing = set(registry.ops) - interp.meanings()
    assert missing <= without, sorted(missing - without)
    assert {"ktdp.load", "dataflow.stream", "spyreop.gelu", "spyreop.softplus"} <= set(registry.ops) & interp.meanings()
