"""Views, access tiles, loads and stores: addresses, orders, sets that are smaller, shifted or no box, and clipping."""

import numpy as np
import pytest
from kernel import box, execute, load, refused, store, tile, unary, view, written

from spyrec import diag, numerics
from spyrec.errors import Severity

HEAD = "func.func @kernel(%x: index, %z: index) attributes {grid = [1]} {\n"
X = np.arange(6 * 8, dtype=np.float16).reshape(6, 8) + 1


def copy(tile_of_x: str, shape: tuple[int, ...], *, out: str | None = None, source: str | None = None) -> str:
    """Load a tile %t of %x (6x8 f16) and store it to %z, a dense view of the shape of the tile or what ``out`` says."""
    kind = f"memref<{'x'.join([*map(str, shape), 'f16'])}>"
    return (
        HEAD
        + (source or view("v", "%x", (6, 8), "f16"))
        + tile_of_x
        + load("a", "t", shape, "f16")
        + (out or view("o", "%z", shape, "f16") + tile("u", "o", ", ".join("0" for _ in shape), shape, kind))
        + store("a", "u", shape, "f16")
        + "return\n}\n"
    )


def copied(text: str, shape: tuple[int, ...], **options: object) -> np.ndarray:
    return execute(text, {"x": X, "z": written(shape, "f16")}, **options)["z"]


def test_a_tile_is_anchored_at_its_subscripts() -> None:
    assert np.array_equal(copied(copy(tile("t", "v", "2, 4", (3, 2), "memref<6x8xf16>"), (3, 2)), (3, 2)), X[2:5, 4:6])


def test_an_order_map_permutes_the_tile() -> None:
    transposed = tile("t", "v", "1, 2", (3, 2), "memref<6x8xf16>", box((2, 3)), "affine_map<(a, b) -> (b, a)>")
    assert np.array_equal(copied(copy(transposed, (3, 2)), (3, 2)), X[1:3, 2:5].T)


def test_element_0_of_a_shifted_set_is_its_first_point() -> None:
    shifted = tile("t", "v", "1, 1", (2, 2), "memref<6x8xf16>", box((2, 2), low=(1, 3)))
    assert np.array_equal(copied(copy(shifted, (2, 2)), (2, 2)), X[2:4, 4:6])


def test_points_of_the_tile_outside_its_set_are_0_and_are_not_stored() -> None:
    small = tile("t", "v", "0, 0", (3, 4), "memref<6x8xf16>", box((2, 3)))
    expected = np.zeros((3, 4), np.float16)
    expected[:2, :3] = X[:2, :3]
    assert np.array_equal(copied(copy(small, (3, 4)), (3, 4)), expected)
    whole = tile("t", "v", "0, 0", (3, 4), "memref<6x8xf16>")
    out = view("o", "%z", (3, 4), "f16") + tile("u", "o", "0, 0", (3, 4), "memref<3x4xf16>", box((2, 3)))
    old = np.full((3, 4), -1, np.float16)
    got = execute(copy(whole, (3, 4), out=out), {"x": X, "z": old})["z"]
    assert np.array_equal(got[:2, :3], X[:2, :3])
    assert (got[2] == -1).all()
    assert (got[:, 3] == -1).all()


def test_a_set_that_is_no_box() -> None:
    triangle = "affine_set<(a, b) : (a >= 0, -a + 3 >= 0, b >= 0, -b + 3 >= 0, a - b >= 0)>"
    got = copied(copy(tile("t", "v", "1, 2", (4, 4), "memref<6x8xf16>", triangle), (4, 4)), (4, 4))
    assert np.array_equal(got, np.tril(X[1:5, 2:6]))
    out = view("o", "%z", (4, 4), "f16") + tile("u", "o", "0, 0", (4, 4), "memref<4x4xf16>", triangle)
    old = np.full((4, 4), -1, np.float16)
    got = execute(copy(tile("t", "v", "0, 0", (4, 4), "memref<6x8xf16>"), (4, 4), out=out), {"x": X, "z": old})["z"]
    assert np.array_equal(got, np.where(np.tri(4, dtype=bool), X[:4, :4], -1))
    even = "affine_set<(a, b) : (a >= 0, -a + 1 >= 0, b >= 0, -b + 5 >= 0, b mod 2 == 0)>"
    got = copied(copy(tile("t", "v", "0, 0", (2, 6), "memref<6x8xf16>", even), (2, 6)), (2, 6))
    assert np.array_equal(got, X[:2, :6] * (np.arange(6) % 2 == 0))


def test_symbols_of_a_set_are_operands() -> None:
    text = copy(
        "%n = arith.constant 3 : index\n"
        + tile(
            "t",
            "v",
            "0, 0",
            (2, 4),
            "memref<6x8xf16>",
            "affine_set<(a, b)[n] : (a >= 0, -a + 1 >= 0, b >= 0, -b + n - 1 >= 0)>",
        ).replace("[0, 0] {", "[0, 0] symbols(%n) {"),
        (2, 4),
    )
    assert np.array_equal(copied(text, (2, 4)), X[:2, :4] * (np.arange(4) < 3))


def test_strides_need_not_be_dense_nor_monotone() -> None:
    columns = view("v", "%x", (8, 6), "f16", (1, 8))
    t = tile("t", "v", "1, 2", (4, 3), "memref<8x6xf16>")
    assert np.array_equal(copied(copy(t, (4, 3), source=columns), (4, 3)), X.T[1:5, 2:5])
    stick_tiled = view("v", "%x", (2, 6, 4), "f16", (4, 8, 1))
    t = tile("t", "v", "1, 0, 0", (1, 6, 4), "memref<2x6x4xf16>")
    assert np.array_equal(copied(copy(t, (1, 6, 4), source=stick_tiled), (1, 6, 4)), X[None, :, 4:])


def test_a_stored_element_that_meets_itself_keeps_the_last_value() -> None:
    out = view("o", "%z", (6, 8), "f16", (0, 1)) + tile("u", "o", "0, 0", (6, 8), "memref<6x8xf16>")
    text = copy(tile("t", "v", "0, 0", (6, 8), "memref<6x8xf16>"), (6, 8), out=out)
    assert np.array_equal(execute(text, {"x": X, "z": written((8,), "f16")})["z"], X[5])


def test_a_view_at_an_argument_counts_elements_of_its_own_type() -> None:
    both = np.concatenate(
        [np.arange(8, dtype=np.float16).view(np.uint8), np.arange(4, dtype=np.float32).view(np.uint8)]
    )
    text = (
        HEAD
        + "%c4 = arith.constant 4 : index\n%at = arith.addi %x, %c4 : index\n"
        + view("v", "%at", (4,), "f32")
        + tile("t", "v", "0", (4,), "memref<4xf32>")
        + load("a", "t", (4,), "f32")
        + view("o", "%z", (4,), "f32")
        + tile("u", "o", "0", (4,), "memref<4xf32>")
        + store("a", "u", (4,), "f32")
        + "return\n}\n"
    )
    got = execute(text, {"x": both.view(np.int8), "z": written((4,), "f32")})["z"]
    assert list(got) == [0, 1, 2, 3]


def test_a_literal_address_counts_elements_too() -> None:
    text = (
        "func.func @kernel() attributes {grid = [1]} {\n"
        "%p = arith.constant 1000 : index\n%q = arith.constant 3000 : index\n"
        + view("v", "%p", (4,), "f32")
        + tile("t", "v", "0", (4,), "memref<4xf32>")
        + load("a", "t", (4,), "f32")
        + view("o", "%q", (4,), "f32")
        + tile("u", "o", "0", (4,), "memref<4xf32>")
        + store("a", "u", (4,), "f32")
        + "return\n}\n"
    )
    x = np.arange(4, dtype=np.float32)
    assert np.array_equal(execute(text, {"1000": x, "3000": written((4,), "f32")})["3000"], x)


def test_the_first_dimension_of_the_grid_varies_fastest() -> None:
    text = (
        "func.func @kernel(%z: index) attributes {grid = [2, 3]} {\n"
        "%i, %j = ktdp.get_compute_tile_id : index, index\n%flat = ktdp.get_compute_tile_id : index\n"
        "%ten = arith.constant 10 : index\n%m = arith.muli %j, %ten : index\n%ij = arith.addi %m, %i : index\n"
        "%n = arith.index_cast %ij : index to i32\n%a = tensor.from_elements %n : tensor<1xi32>\n"
        + view("o", "%z", (6,), "i32")
        + tile("u", "o", "%flat", (1,), "memref<6xi32>")
        + store("a", "u", (1,), "i32")
        + "return\n}\n"
    )
    for seed in (None, 1, 2):
        got = execute(text, {"z": written((6,), "i32")}, seed=seed)["z"]
        assert list(got) == [0, 1, 10, 11, 20, 21]


def test_rank_0() -> None:
    point = view("v", "%x", (), "f16") + tile(
        "t", "v", "", (), "memref<f16>", "affine_set<() : (0 == 0)>", "affine_map<() -> ()>"
    )
    out = view("o", "%z", (), "f16") + tile(
        "u", "o", "", (), "memref<f16>", "affine_set<() : (0 == 0)>", "affine_map<() -> ()>"
    )
    assert copied(copy(point, (), out=out, source=" "), ()) == X[0, 0]
    empty = point.replace("access_tile_set = affine_set<() : (0 == 0)>", "access_tile_set = affine_set<() : (1 == 0)>")
    assert copied(copy(empty, (), out=out, source=" "), ()) == 0


def test_integers_and_booleans_keep_their_type() -> None:
    for element, values in (
        ("i1", [True, False, True]),
        ("i8", [-1, 5, 7]),
        ("index", [-(2**40), 3, 4]),
        ("bf16", [1, 2, 3]),
    ):
        x = np.array(values).astype(numerics.dtype(element))
        text = unary(
            "%r = tensor.cast %a : tensor<3xT> to tensor<3xT>\n".replace("T", element), (3,), (3,), element, element
        )
        assert np.array_equal(execute(text, {"x": x, "z": written((3,), element)})["z"], x)
    signed = unary("%r = tensor.cast %a : tensor<3xi32> to tensor<3xi32>\n", (3,), (3,), "i32", "i32")
    signed = signed.replace("memref<3xi32>", "memref<3xsi32>")
    x = np.array([-1, 0, 1], np.int32)
    assert np.array_equal(execute(signed, {"x": x, "z": written((3,), "i32")})["z"], x)


def test_a_scratchpad_view_belongs_to_the_tile_that_executes() -> None:
    lx = view("s", "%c0", (1,), "i32").replace("<global>", "<ct_local>")
    text = (
        "func.func @kernel(%z: index) attributes {grid = [4]} {\n%c0 = arith.constant 0 : index\n"
        "%id = ktdp.get_compute_tile_id : index\n%n = arith.index_cast %id : index to i32\n"
        "%a = tensor.from_elements %n : tensor<1xi32>\n"
        + lx
        + tile("st", "s", "0", (1,), "memref<1xi32>")
        + store("a", "st", (1,), "i32")
        + load("b", "st", (1,), "i32")
        + view("o", "%z", (4,), "i32")
        + tile("u", "o", "%id", (1,), "memref<4xi32>")
        + store("b", "u", (1,), "i32")
        + "return\n}\n"
    )
    assert list(execute(text, {"z": written((4,), "i32")}, seed=3)["z"]) == [0, 1, 2, 3]
    unwritten = text.replace(store("a", "st", (1,), "i32"), "")
    found = refused(unwritten, {"z": written((4,), "i32")})
    assert (found.id, found.position.line) == (
        "unwritten-read",
        unwritten.splitlines().index(load("b", "st", (1,), "i32")[:-1]) + 1,
    )


# Outside -------------------------------------------------------------------------------------------------------------


def _dynamic(row: int) -> str:
    """A subscript that is no constant of the program, with this value."""
    return f"%one = arith.constant 1 : index\n%k = arith.constant {row} : index\n%row = arith.muli %k, %one : index\n"


def test_a_tile_that_sticks_out_is_clipped_with_one_warning() -> None:
    text = copy(_dynamic(4) + tile("t", "v", "%row, 6", (4, 4), "memref<6x8xf16>"), (4, 4))
    sink = diag.Sink()
    expected = np.zeros((4, 4), np.float16)
    expected[:2, :2] = X[4:, 6:]
    assert np.array_equal(copied(text, (4, 4), sink=sink), expected)
    (warning,) = sink.diagnostics
    assert (warning.severity, warning.id) == (Severity.WARNING, "clipped-tile")
    assert warning.position.line == text.splitlines().index(load("a", "t", (4, 4), "f16")[:-1]) + 1
    assert "[4..7, 6..9]" in warning.message
    found = refused(text, {"x": X, "z": written((4, 4), "f16")}, strict_bounds=True)
    assert found.id == "out-of-view"


def test_a_store_that_sticks_out_leaves_what_is_outside_alone() -> None:
    out = view("o", "%z", (2, 4), "f16") + tile("u", "o", "%row, 0", (2, 4), "memref<2x4xf16>")
    text = copy(_dynamic(-1) + tile("t", "v", "0, 0", (2, 4), "memref<6x8xf16>"), (2, 4), out=out)
    got = execute(text, {"x": X, "z": np.full((2, 4), -1, np.float16)})["z"]
    assert np.array_equal(got, [X[1, :4], [-1] * 4])


def test_a_small_coordinate_set_bounds_the_view() -> None:
    bounded = view("v", "%x", (6, 8), "f16").replace(box((6, 8)), box((6, 5)))
    text = copy(tile("t", "v", "0, 3", (2, 4), "memref<6x8xf16>"), (2, 4), source=bounded)
    expected = np.zeros((2, 4), np.float16)
    expected[:, :2] = X[:2, 3:5]
    assert np.array_equal(copied(text, (2, 4)), expected)
    odd = "affine_set<(a, b) : (a >= 0, -a + 5 >= 0, b >= 0, -b + 7 >= 0, (a + b) mod 2 == 1)>"
    text = copy(tile("t", "v", "0, 0", (6, 8), "memref<6x8xf16>"), (6, 8), source=bounded.replace(box((6, 5)), odd))
    assert np.array_equal(copied(text, (6, 8)), X * (np.indices((6, 8)).sum(0) % 2))


@pytest.mark.parametrize(
    ("subscripts", "before", "phrase"),
    [
        ("%row, 0", _dynamic(6), "covers [6..7, 0..3], but the points of the view are [0..5, 0..7]"),
        ("%row, 0", _dynamic(-2), "covers [-2..-1, 0..3]"),
    ],
)
def test_outside_of_the_view(subscripts: str, before: str, phrase: str) -> None:
    text = copy(before + tile("t", "v", subscripts, (2, 4), "memref<6x8xf16>"), (2, 4))
    found = refused(text, {"x": X, "z": written((2, 4), "f16")})
    assert found.id == "out-of-view"
    assert phrase in found.message
    assert found.position.line == text.splitlines().index(load("a", "t", (2, 4), "f16")[:-1]) + 1
    *places, way_out = [n.message for n in found.notes]
    assert places == ["the tile is made here", "the view is made here"]
    assert "scf.if" in way_out


def test_a_tile_without_points_is_outside_nothing() -> None:
    none = "affine_set<(a, b) : (a - 1 >= 0, -a >= 0, b >= 0, -b + 3 >= 0)>"
    text = copy(_dynamic(99) + tile("t", "v", "%row, 0", (2, 4), "memref<6x8xf16>", none), (2, 4))
    assert not copied(text, (2, 4)).any()


def test_a_set_that_is_too_large() -> None:
    text = copy(tile("t", "v", "0, 0", (2, 4), "memref<6x8xf16>", box((2, 5))), (2, 4))
    found = refused(text, {"x": X, "z": written((2, 4), "f16")})
    assert (found.id, found.message) == ("set-too-large", "access_tile_set has 2 x 5 points, but the tile only 2 x 4")
    diagonal = "affine_set<(a, b) : (a >= 0, -a + 3 >= 0, b >= 0, -b + 3 >= 0, a - b >= 0)>"
    text = copy(tile("t", "v", "0, 0", (4, 3), "memref<6x8xf16>", diagonal), (4, 3))
    assert refused(text, {"x": X, "z": written((4, 3), "f16")}).id == "set-too-large"
    text = copy(tile("t", "v", "0, 0", (2, 4), "memref<6x8xf16>"), (2, 4)).replace(box((6, 8)), box((7, 8)))
    assert refused(text, {"x": X, "z": written((2, 4), "f16")}).id == "set-too-large"


def test_bytes_outside_of_memory() -> None:
    text = copy(tile("t", "v", "6, 0", (2, 4), "memref<9x8xf16>"), (2, 4), source=view("v", "%x", (9, 8), "f16"))
    found = refused(text, {"x": X, "z": written((2, 4), "f16")})
    assert found.id == "out-of-memory"
    assert found.position.line == text.splitlines().index(load("a", "t", (2, 4), "f16")[:-1]) + 1


def test_a_scaled_address_is_refused() -> None:
    for op, operands in (("arith.muli", "%x, %two"), ("arith.addi", "%x, %x"), ("arith.subi", "%two, %x")):
        scaled = f"%two = arith.constant 2 : index\n%p = {op} {operands} : index\n" + view("v", "%p", (6, 8), "f16")
        text = copy(tile("t", "v", "0, 0", (2, 4), "memref<6x8xf16>"), (2, 4), source=scaled)
        found = refused(text, {"x": X, "z": written((2, 4), "f16")})
        assert found.id == "scaled-address", op
        assert found.position.line == 4
    moved = "%p = affine.apply affine_map<(d) -> (d + 8)>(%x)\n" + view("v", "%p", (5, 8), "f16")
    text = copy(tile("t", "v", "0, 0", (2, 4), "memref<5x8xf16>"), (2, 4), source=moved)
    assert np.array_equal(copied(text, (2, 4)), X[1:3, :4])
    text = text.replace("d + 8", "d * 2")
    assert refused(text, {"x": X, "z": written((2, 4), "f16")}).id == "scaled-address"


def test_memory_that_nobody_wrote() -> None:
    text = copy(tile("t", "v", "0, 0", (2, 4), "memref<6x8xf16>"), (2, 4))
    found = refused(text, {"x": written((6, 8), "f16"), "z": written((2, 4), "f16")})
    assert found.id == "unwritten-read"
    assert found.message == "16 of the bytes that are read have never been written; the first is byte 0 of 'x'"


def test_what_a_tile_wrote_may_be_read_again() -> None:
    text = (
        copy(tile("t", "v", "0, 0", (2, 4), "memref<6x8xf16>"), (2, 4)).removesuffix("return\n}\n")
        + load("b", "u", (2, 4), "f16")
        + "%s = arith.addf %b, %a : tensor<2x4xf16>\n"
        + store("s", "u", (2, 4), "f16")
        + "return\n}\n"
    )
    assert np.array_equal(copied(text, (2, 4)), X[:2, :4] * 2)


def test_ids_that_do_not_fit_the_grid() -> None:
    text = HEAD.replace("[1]", "[2, 2, 1]") + "%i, %j = ktdp.get_compute_tile_id : index, index\nreturn\n}\n"
    text = text.replace("attributes {grid = [2, 2, 1]} ", "")
    assert refused(text, {}, grid=4).id == "grid-mismatch"
