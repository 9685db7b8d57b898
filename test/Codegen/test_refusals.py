"""What the encoder refuses: programs that no pass of the line makes, given to it by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from spyrec import asm, codegen
from spyrec.device.read import load
from spyrec.dialects import make_context
from spyrec.errors import SpyrecError

PUBLIC = str(Path(__file__).resolve().parents[1] / "Devices" / "Inputs" / "public_style.mlir")
CONTRACT = (
    "dataflow.contract counts [4] lhs @b[%c0] strides [16] : LEFT rhs @b[%c0] strides [16] : i32"
    ' acc @b[%c0] strides [0] : i32 {start = "zero"}'
)
LISTED = (
    "dataflow.transfer @device[%c0 from %x] strides [2] to @lx[%c0 in @b] strides [2] counts [4] index (%c0) below [4]"
    ' {element_bytes = 2 : i64, index_sides = ["source"], index_buffers = [@b], index_strides = [array<i64: 4>],'
    " index_types = [i1], index_scales = array<i64: 2>}"
)
STREAM = """dataflow.stream counts [4] ins(@b[%c0] strides [4] : si32) outs(@b[%c0] strides [4] : si32) {
^bb0(%p: si32, %o: si32):
  dataflow.yield %p : si32
}"""
SIGNATURE = "dataflow.signature = []"

# Name -> (device, unit, what it runs, id, sentence).
TABLE = {
    "a unit that is not there": ("spyre", "npu", "", "invalid-program", "device 'spyre' has no unit 'npu'"),
    "a unit without programs": (PUBLIC, "RD", "", "unsupported-op", "(its role is lxload) have no encoding"),
    "a factor of no element type": (
        "spyre",
        "pt",
        CONTRACT.replace("LEFT", "si32"),
        "unsupported-type",
        "elements of type si32 have no encoding",
    ),
    "a list of bits": ("spyre", "load", LISTED, "unsupported-type", "indices of type i1 have no encoding"),
    "a wide integer": (
        "spyre",
        "load",
        "%n = arith.index_cast %core : index to i64\n%a = arith.extsi %n : i64 to i128\n"
        "%i = arith.index_cast %a : i128 to index\n" + LISTED.replace("[%c0 from", "[%i from").replace("[i1]", "[i32]"),
        "unsupported-type",
        "a unit's registers hold integers of up to 64 bits",
    ),
    "a value of no element type": ("spyre", "sfu", STREAM, "unsupported-type", "elements of type si32"),
}


def refused(text: str, device: str = "spyre") -> SpyrecError:
    with make_context() as context, pytest.raises(SpyrecError) as caught:
        codegen.generate(asm.read(text, "k.mlir", context).module, load(device))
    return caught.value


@pytest.mark.parametrize("name", TABLE)
def test_it_is_refused_at_its_place(name: str) -> None:
    device, unit, body, id, message = TABLE[name]
    error = refused(
        f"""func.func @k(%x: index) attributes {{grid = [1], {SIGNATURE}}} {{
  %c0 = arith.constant 0 : index
  dataflow.buffer @b {{address = 0, slot_bytes = 128, depth = 1}}
  dataflow.program_unit @{unit}(%core) {{
{body}
  }}
  return
}}""",
        device,
    )
    assert error.diagnostics[0].id == id
    assert message in error.diagnostics[0].message
    assert error.diagnostics[0].position is not None


def test_one_kernel_with_a_signature() -> None:
    two = "".join(f"func.func @{name}() attributes {{grid = [1], {SIGNATURE}}} {{\n  return\n}}\n" for name in "ab")
    assert refused(two).diagnostics[0].message == "one kernel is encoded at a time; the module has @a, @b"
    unsigned = refused("func.func @k() attributes {grid = [1]} {\n  return\n}\n")
    assert unsigned.status == 3
    assert "@k has no dataflow.signature; resolve-views writes it" in str(unsigned)
