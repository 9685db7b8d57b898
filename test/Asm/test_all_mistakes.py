"""All mistakes of a text are reported, whoever finds them: the reader, MLIR's parser, MLIR's verifiers, ours."""

import time

import pytest
from texts import context

from spyrec import asm
from spyrec.errors import InvalidKernel, Severity

VIEW = """  %v = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64]
    {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
"""
SET = "#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>\n"
# What a function says, and the id under which that is reported.
KINDS = {
    "the reader": ("  ktdp.nothing %x\n", "unknown-op"),
    "MLIR's parser": ("  %s = arith.addi %x, %x : i32\n", "type-mismatch"),
    "MLIR's verifiers": (
        "  %t = arith.constant dense<0.0> : tensor<4xf16>\n"
        "  %s = tensor.extract_slice %t[0] [5] [1] : tensor<4xf16> to tensor<5xf16>\n",
        "mlir-verify",
    ),
    "ours": (VIEW, "rank-mismatch"),
}


def function(name: str, body: str, results: str = "") -> str:
    return f"func.func @{name}(%x: index){results} {{\n{body}  return\n}}\n"


def ids(text: str) -> list[tuple[int, str]]:
    with pytest.raises(InvalidKernel) as caught:
        asm.read(text, "x.mlir", context())
    return [(d.position.line, d.id) for d in caught.value.diagnostics if d.position and d.severity is Severity.ERROR]


def text_of(order: list[str], wrap: str = "") -> tuple[str, list[str]]:
    text = SET + "".join(function(f"f{k}", KINDS[kind][0]) for k, kind in enumerate(order))
    return (f"{wrap} {{\n{text}}}\n" if wrap else text), [KINDS[kind][1] for kind in order]


@pytest.mark.parametrize("wrap", ["", "module", "module @named attributes {a.b}"])
@pytest.mark.parametrize("turn", range(len(KINDS)))
def test_each_kind_beside_each_other(turn: int, wrap: str) -> None:
    order = [*KINDS, *KINDS]
    text, wanted = text_of(order[turn:] + order[:turn], wrap if wrap else "")
    if wrap:  # aliases stand outside of modules
        text = SET + text.replace(SET, "")
    found = ids(text)
    assert [id for _, id in found] == wanted
    assert found == sorted(found)


def test_all_of_one_function() -> None:
    body = VIEW + KINDS["MLIR's verifiers"][0] + VIEW.replace("%v", "%w")
    inner = "  scf.for %i = %x to %x step %x {\n" + body.replace("%", "%n").replace("%nx", "%x") + "  }\n"
    assert [id for _, id in ids(SET + function("f", body + inner))] == [
        "rank-mismatch",
        "mlir-verify",
        "rank-mismatch",
    ] * 2


def test_a_call_of_a_function_that_does_not_parse_is_no_mistake() -> None:
    call = "  func.call @g(%x) : (index) -> ()\n"
    text = (
        SET + function("f", call) + function("g", KINDS["MLIR's parser"][0]) + function("h", call.replace("@g", "@k"))
    )
    assert [(line, id) for line, id in ids(text)] == [(7, "type-mismatch"), (11, "mlir-verify")]


def test_second_functions_and_returns() -> None:
    assert ids(function("f", "") + function("f", "")) == [(4, "redefined-symbol")]
    wrong = "func.func @f(%x: index) -> i32 {\n  return %x : index\n}\n"
    assert ids(wrong + function("g", KINDS["MLIR's parser"][0])) == [(2, "type-mismatch"), (5, "type-mismatch")]


def test_a_place_of_the_users_own_is_kept() -> None:
    text = SET + function("f", VIEW.rstrip("\n") + ' loc("k.py":7:3)\n' + KINDS["MLIR's verifiers"][0])
    with pytest.raises(InvalidKernel) as caught:
        asm.read(text, "x.mlir", context())
    first, second = caught.value.diagnostics
    assert (str(first.position), first.notes[0].position and first.notes[0].position.line) == ("k.py:7:3", 3)
    assert second.position is not None
    assert second.position.line == 6


@pytest.mark.parametrize("kind", KINDS)
def test_time_is_linear(kind: str) -> None:
    def seconds(functions: int) -> float:
        text = SET + "".join(function(f"f{k}", KINDS[kind][0] * (k == functions // 2)) for k in range(functions))
        began = time.process_time()
        ids(text)
        return time.process_time() - began

    seconds(10)
    assert min(seconds(4000) for _ in range(3)) < 6 * min(seconds(1000) for _ in range(3))


def test_a_value_of_a_later_function() -> None:
    # MLIR's parser lets it pass where the use is in a region of its own; a copy of the module must not hold on to it.
    text = """#one = affine_set<(i)[g] : (i - g == 0)>
#two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
func.func @f(%x: tensor<4xf32>) attributes {grid = [2]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #one -> <(tensor<4xf32>), groups = #two> {
  ^bb0(%g: index):
    ktdp.yield_partial %x : tensor<4xf32>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #one, identity(%x : tensor<4xf32>)
      : <(tensor<4xf32>), groups = #two> -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %s = arith.addf %late, %q : tensor<4xf32>
    ktdp.yield_reduced %s : tensor<4xf32>
  }
  return
}
func.func @g(%x: tensor<4xf32>) {
  %late = arith.addf %x, %x : tensor<4xf32>
  return
}
"""
    assert ids(text)[0][0] == 11
