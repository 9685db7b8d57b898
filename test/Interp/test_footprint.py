# ruff: noqa: E501 (an op per line)
"""What a kernel asks of a launch, found from its text: addresses, footprints, access, numbers that are needed."""

import pytest
from kernel import line_of, parsed

from spyrec import interp
from spyrec.errors import InvalidKernel, Unsupported
from spyrec.spyrecode.signature import Signature

SET = "affine_set<(a)[s] : (a >= 0, -a + s - 1 >= 0)>"
HEAD = """
#box = affine_set<(a, b) : (a >= 0, -a + 3 >= 0, b >= 0, -b + 7 >= 0)>
#row = affine_set<(a, b) : (a == 0, b >= 0, -b + 7 >= 0)>
#id = affine_map<(a, b) -> (a, b)>
func.func @k(%x: index, %z: index, %n: i32, %unused: f32) attributes {grid = [2, 3]} {
  %t = ktdp.get_compute_tile_id : index
  %i, %j = ktdp.get_compute_tile_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
"""
LOAD = """
  %xt = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #row, access_tile_order = #id} : memref<4x8xf16> -> !ktdp.access_tile<1x8xindex>
  %a = ktdp.load %xt : <1x8xindex> -> tensor<1x8xf16>
"""


def view(base: str, name: str = "xv", strides: str = "8, 1") -> str:
    return (
        f"  %{name} = ktdp.construct_memory_view {base}, sizes: [4, 8], strides: [{strides}]"
        " {coordinate_set = #box, memory_space = #ktdp.memory_space<global>} : memref<4x8xf16>\n"
    )


def signature(body: str, **numbers: int) -> Signature:
    with parsed(HEAD + body + "  return\n}\n") as function:
        return interp.signature_of(function, numbers)


def test_what_is_not_used_is_not_asked_for() -> None:
    found = signature(view("%x") + LOAD)
    assert [a.kind for a in found.arguments] == ["address", "unused", "unused", "unused"]
    (seen,) = found.views
    assert (seen.arg, seen.type, seen.sizes, seen.offset, seen.end, seen.access) == (0, "f16", (4, 8), 0, 32, "r")
    assert found.grid == 6


def test_an_address_that_depends_on_the_tile() -> None:
    body = "  %m = arith.muli %j, %c100 : index\n  %at = arith.addi %x, %m : index\n" + view("%at") + LOAD
    (seen,) = signature(body).views
    assert (seen.offset, seen.end) == (0, 200 + 32)
    modulo = "  %m = arith.remui %c100, %c100 : index\n  %at = arith.addi %x, %m : index\n" + view("%at") + LOAD
    assert signature(modulo).views[0].end == 32


def test_a_view_that_begins_below_its_array_asks_for_what_is_above() -> None:
    (seen,) = signature("  %at = arith.subi %x, %c1 : index\n" + view("%at") + LOAD).views
    assert (seen.offset, seen.end) == (0, 31)


def test_a_view_in_a_loop_reaches_as_far_as_its_last_iteration() -> None:
    body = (
        "  %end = arith.index_cast %n : i32 to index\n  scf.for %k = %c0 to %end step %c100 {\n"
        "  %at = arith.addi %x, %k : index\n" + view("%at") + LOAD + "  }\n"
    )
    assert signature(body, n=250).views[0].end == 200 + 32
    assert signature(body, n=0).views == ()  # the loop does not run
    unknown = signature(body)
    assert unknown.arguments[2].kind == "scalar"


@pytest.mark.parametrize(
    "loop",
    [
        "affine.for %k = max affine_map<()[s] -> (0, s - 900)>()[%end] to min affine_map<()[s] -> (s, 1000)>()[%end] step 100 {",
        "scf.parallel (%j0, %k) = (%c0, %c0) to (%c1, %end) step (%c1, %c100) {",
        "scf.forall (%j0, %k) = (0, 0) to (1, %end) step (1, 100) {",
    ],
)
def test_so_it_does_in_loops_of_other_kinds(loop: str) -> None:
    body = (
        f"  %end = arith.index_cast %n : i32 to index\n  {loop}\n"
        "    %at = arith.addi %x, %k : index\n" + view("%at") + LOAD + "  }\n"
    )
    (seen,) = signature(body, n=250).views
    assert (seen.arg, seen.offset, seen.end) == (0, 0, 200 + 32)
    assert not signature(body, n=0).views


def test_strides_and_stores() -> None:
    store = LOAD + "  ktdp.store %a, %xt : tensor<1x8xf16>, <1x8xindex>\n"
    (seen,) = signature(view("%x", strides="1, 65") + store).views
    assert (seen.end, seen.access) == (3 + 7 * 65 + 1, "rw")


def test_literal_addresses() -> None:
    found = signature(view("%c100") + LOAD)
    (seen,) = found.views
    assert (seen.arg, seen.name, seen.offset, seen.end) == (-1, "100", 100, 132)
    assert all(a.kind == "unused" for a in found.arguments)


def test_a_helper_is_followed_for_each_of_its_calls() -> None:
    helper = (
        HEAD[: HEAD.index("func.func")]
        + "func.func private @h(%p: index) {\n  %c0 = arith.constant 0 : index\n"
        + view("%p").replace("%xv", "%xv")
        + LOAD
        + "  return\n}\n"
    )
    text = (
        helper
        + HEAD[HEAD.index("func.func") :]
        + "  func.call @h(%x) : (index) -> ()\n  func.call @h(%z) : (index) -> ()\n  return\n}\n"
    )
    with parsed(text) as function:
        assert [v.arg for v in interp.signature_of(function).views] == [0, 1]


def test_a_scaled_address_is_refused_at_its_view() -> None:
    body = "  %at = arith.muli %x, %c100 : index\n" + view("%at") + LOAD
    with pytest.raises(InvalidKernel, match="computed from argument 'x'") as caught:
        signature(body)
    position = caught.value.diagnostics[0].position
    assert position is not None
    assert position.line == line_of(HEAD + body, "construct_memory_view")


def test_without_a_grid_a_kernel_that_asks_for_its_id_runs_on_all_cores() -> None:
    text = HEAD.replace(" attributes {grid = [2, 3]}", "").replace(
        "  %i, %j = ktdp.get_compute_tile_id : index, index\n", ""
    )
    with parsed(text + view("%x") + LOAD + "  return\n}\n") as function:
        assert interp.signature_of(function).grid == 32
    quiet = text.replace("  %t = ktdp.get_compute_tile_id : index\n", "")
    with parsed(quiet + view("%x") + LOAD + "  return\n}\n") as function:
        assert interp.signature_of(function).grid == 1


def test_an_argument_is_an_address_or_a_number() -> None:
    text = "func.func @k(%m: memref<4xf16>) {\n  return\n}\n"
    with parsed(text) as function, pytest.raises(Unsupported) as caught:
        interp.signature_of(function)
    (found,) = caught.value.diagnostics
    assert (found.id, found.position and (found.position.line, found.position.column)) == ("unsupported-type", (1, 14))
