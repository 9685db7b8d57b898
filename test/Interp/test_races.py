"""Happens-before between tiles: what orders them, what does not, byte for byte."""

import numpy as np
import pytest
from kernel import box, execute, load, refused, store, tile, view, written

HEAD = "func.func @kernel(%x: index, %z: index) attributes {grid = [4]} {\n%t = ktdp.get_compute_tile_id : index\n"
ROW = box((1, 8))
X = np.arange(32, dtype=np.float16).reshape(4, 8)
KIND = "memref<4x8xf16>"
EXCHANGE = """
%f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>
  -> <(tensor<1x8xf16>), groups = affine_set<(g) : (g == 0)>> {
^bb0(%g: index):
  ktdp.yield_partial %a : tensor<1x8xf16>
}
%n = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>,
  producer_dependency_per_consumer = affine_set<(p)[c] : (p >= 0, -p + 3 >= 0, (p - c - 1) mod 4 == 0)>
  : <(tensor<1x8xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<1x8xf16>
"""


def kernel(*parts: str) -> str:
    return (
        HEAD
        + view("xv", "%x", (4, 8), "f16")
        + view("zv", "%z", (4, 8), "f16")
        + tile("own", "xv", "%t, 0", (1, 8), KIND)
        + tile("next", "xv", "(%t + 1) mod 4, 0", (1, 8), KIND)
        + tile("out", "zv", "%t, 0", (1, 8), KIND)
        + load("a", "own", (1, 8), "f16")
        + "".join(parts)
        + "return\n}\n"
    )


DOUBLE = "%d = arith.addf %a, %a : tensor<1x8xf16>\n" + store("d", "own", (1, 8), "f16")
TAKE = load("b", "next", (1, 8), "f16") + store("b", "out", (1, 8), "f16")


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_a_neighbours_store_is_seen_after_taking_its_partial(seed: int | None) -> None:
    got = execute(kernel(DOUBLE, EXCHANGE, TAKE), {"x": X, "z": written((4, 8), "f16")}, seed=seed)
    assert np.array_equal(got["z"], np.roll(2 * X, -1, axis=0))


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
@pytest.mark.parametrize("parts", [(DOUBLE, TAKE), (EXCHANGE, DOUBLE, TAKE), (TAKE, DOUBLE), (TAKE, EXCHANGE, DOUBLE)])
def test_everything_else_races_in_every_order(parts: tuple[str, ...], seed: int | None) -> None:
    # Taking the neighbour's partial orders its past before mine; what it does afterwards, and what I did before, stays
    # unordered: in the last case the neighbour is the reader, and nobody has told it that I have read.
    found = refused(kernel(*parts), {"x": X, "z": written((4, 8), "f16")}, seed=seed)
    assert found.id == "race"


def test_the_message_names_both_sides() -> None:
    found = refused(kernel(DOUBLE, TAKE), {"x": X, "z": written((4, 8), "f16")})
    assert "of 'x' is written on compute tile 1 and read on tile 0, and nothing orders the two" in found.message
    assert found.position is not None
    assert found.notes[0].position is not None
    assert found.notes[0].position.line == found.position.line + 1  # the load comes after the store


def test_neighbouring_bytes_of_a_word_do_not_race() -> None:
    columns = view("c", "%z", (4, 8), "i8") + tile("w", "c", "0, %t", (4, 1), "memref<4x8xi8>")
    body = "%v = arith.constant dense<7> : tensor<4x1xi8>\n" + store("v", "w", (4, 1), "i8")
    text = HEAD + columns + body + "return\n}\n"
    got = execute(text, {"z": np.zeros((4, 8), np.int8)})["z"]
    assert np.array_equal(got, np.where(np.arange(8) < 4, 7, 0) * np.ones((4, 1)))


def test_a_finer_access_keeps_what_coarser_ones_recorded() -> None:
    words = view("c", "%z", (8,), "i32") + tile("w", "c", "%t * 2", (2,), "memref<8xi32>")
    halves = view("h", "%z", (16,), "i16") + tile("u", "h", "15 - %t * 4", (1,), "memref<16xi16>")
    body = "%v = arith.constant dense<7> : tensor<2xi32>\n" + store("v", "w", (2,), "i32") + load("r", "u", (1,), "i16")
    found = refused(HEAD + words + halves + body + "return\n}\n", {"z": np.zeros(8, np.int32)})
    assert found.id == "race"


@pytest.mark.parametrize("seed", [None, 1])
def test_equal_bytes_are_a_warning_and_different_ones_an_error(seed: int | None) -> None:
    from spyrec import diag

    same = tile("w", "zv", "0, 0", (1, 8), KIND) + "%v = arith.constant dense<7.0> : tensor<1x8xf16>\n"
    sink = diag.Sink()
    text = kernel(same, store("v", "w", (1, 8), "f16"))
    got = execute(text, {"x": X, "z": written((4, 8), "f16")}, seed=seed, sink=sink)
    assert (got["z"][0] == 7).all()
    assert [d.id for d in sink.diagnostics] == ["equal-writes"]
    found = refused(kernel(same, store("a", "w", (1, 8), "f16")), {"x": X, "z": written((4, 8), "f16")}, seed=seed)
    assert found.id == "race"
    # Who reads them is not ordered after one of the writes, whoever wrote last.
    reread = kernel(same, store("v", "w", (1, 8), "f16"), load("r", "w", (1, 8), "f16"))
    assert refused(reread, {"x": X, "z": written((4, 8), "f16")}, seed=seed).id == "race"


def test_tiles_that_only_read_share() -> None:
    text = kernel(
        tile("w", "xv", "2, 0", (1, 8), KIND), load("r", "w", (1, 8), "f16"), store("r", "out", (1, 8), "f16")
    )
    assert np.array_equal(execute(text, {"x": X, "z": written((4, 8), "f16")})["z"], np.repeat(X[2:3], 4, axis=0))


def test_scratchpads_race_too() -> None:
    lx = view("lv", "%c0", (1, 8), "f16").replace("<global>", "<ct_local, ct_id = 2>") + tile(
        "lt", "lv", "0, 0", (1, 8), "memref<1x8xf16>"
    )
    text = kernel("%c0 = arith.constant 0 : index\n", lx, store("a", "lt", (1, 8), "f16"))
    found = refused(text, {"x": X, "z": written((4, 8), "f16")})
    assert (found.id, "of LX of core 2" in found.message) == ("race", True)


def test_scattered_accesses_are_tracked() -> None:
    ids = view("iv", "%z", (4,), "i32")
    gather = (
        "%g = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) %xv[ind(%iv[%t]), (%c)]"
        f" {{variables_space_set = {ROW}, variables_space_order = affine_map<(a, b) -> (a, b)>}}"
        f" : {KIND}, memref<4xi32> -> !ktdp.access_tile<1x8xindex>\n"
    )
    text = (
        HEAD + view("xv", "%x", (4, 8), "f16") + ids + gather + load("a", "g", (1, 8), "f16")
        + "%d = arith.addf %a, %a : tensor<1x8xf16>\n" + store("d", "g", (1, 8), "f16") + "return\n}\n"
    )  # fmt: skip
    got = execute(text, {"x": X, "z": np.array([2, 0, 3, 1], np.int32)})["x"]
    assert np.array_equal(got, 2 * X)
    assert refused(text, {"x": X, "z": np.array([2, 0, 2, 1], np.int32)}).id == "race"
