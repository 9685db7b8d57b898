"""What a kernel computes stays bit for bit the same when its groups are cut into tiles."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tiles import fill, generic, kernel, passed, read_box, results, tensor, write_box, written

from spyrec.errors import InvalidKernel

SIZES = (1, 2, 10, 63, 65)
IDENTITY = "0xFF800000"


def same(text: str, values: dict[str, object]) -> str:
    """The kernel after the pass, which computes what it did before."""
    cut, _ = passed(text, "tile-and-fuse canonicalize cse")
    assert "dataflow.tiles" not in cut
    assert results(text, values) == results(cut, values)
    return cut


def mark(*pairs: tuple[int, int]) -> str:
    return "dataflow.tiles = [" + ", ".join(f"array<i64: {dim}, {size}>" for dim, size in pairs) + "]"


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Small integers, whose sums are exact in f32 and in f16."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


@pytest.mark.parametrize("columns", SIZES)
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("size", [1, 3, 8, 64])
def test_a_chain(columns: int, dim: int, size: int) -> None:
    shape = (10, columns)
    if size >= shape[dim]:
        return
    text = kernel(
        read_box("a", "%x", shape)
        + read_box("b", "%y", (columns,))
        + generic(
            "s", [("a", shape, "d0, d1"), ("b", (columns,), "d1")], (shape, "d0, d1"),
            "%r = arith.mulf %a0, %a1 : f32\n", extents=shape, mark=mark((dim, size)),
        )
        + generic("t", [("s", shape, "d0, d1")], (shape, "d0, d1"), "%r = math.exp %a0 : f32\n", extents=shape)
        + write_box("t", "%z", shape)
    )  # fmt: skip
    cut = same(text, {"x": numbers(*shape), "y": numbers(columns, seed=1), "z": written(shape, "f32")})
    assert ("scf.for" in cut) == (shape[dim] // size > 1)


def softmax(rows: int, columns: int, *pairs: tuple[int, int], target: str = "%y") -> str:
    shape = (rows, columns)
    whole, row = "d0, d1", "d0"
    largest, total = "%r = arith.maximumf %o, %a0 : f32\n", "%r = arith.addf %o, %a0 : f32\n"
    return kernel(
        fill("f", (rows,), IDENTITY)
        + fill("g", (rows,), "0.0")
        + read_box("x0", "%x", shape)
        + generic("m", [("x0", shape, whole)], ((rows,), row), largest, extents=shape, init="f")
        + generic(
            "e", [("x0", shape, whole), ("m", (rows,), row)], (shape, whole), "%r = arith.subf %a0, %a1 : f32\n",
            extents=shape, mark=mark(*pairs),
        )
        + generic("s", [("e", shape, whole)], ((rows,), row), total, extents=shape, init="g")
        + generic(
            "q", [("e", shape, whole), ("s", (rows,), row)], (shape, whole), "%r = arith.divf %a0, %a1 : f32\n",
            extents=shape,
        )
        + write_box("q", target, shape),
        ("x", "y"),
    )  # fmt: skip


@pytest.mark.parametrize("columns", [2, 10, 63, 65])
@pytest.mark.parametrize("pairs", [[(0, 3)], [(1, 1)], [(0, 4), (1, 1)]])
def test_what_comes_after_a_fold_reads_again(columns: int, pairs: list[tuple[int, int]]) -> None:
    text = softmax(10, columns, *pairs)
    cut = same(text, {"x": numbers(10, columns), "y": written((10, columns), "f32")})
    if pairs == [(1, 1)]:
        assert cut.count("scf.for") == 3


@pytest.mark.parametrize("pairs", [[(0, 3)], [(1, 16)]])
def test_in_place(pairs: list[tuple[int, int]]) -> None:
    text = softmax(10, 65, *pairs, target="%x")
    same(text, {"x": numbers(10, 65), "y": written((1,), "f32")})


def matmul(m: int, n: int, k: int, element: str, *pairs: tuple[int, int]) -> str:
    product = f"%p = arith.mulf %a0, %a1 : {element}\n%r = arith.addf %o, %p : {element}\n"
    return kernel(
        fill("f", (m, n), "0.0", element)
        + read_box("a", "%x", (m, k), element)
        + read_box("b", "%y", (k, n), element)
        + generic(
            "c", [("a", (m, k), "d0, d2"), ("b", (k, n), "d2, d1")], ((m, n), "d0, d1"), product,
            extents=(m, n, k), element=element, init="f", mark=mark(*pairs),
        )
        + write_box("c", "%z", (m, n), element)
    )  # fmt: skip


@pytest.mark.parametrize("element", ["f32", "f16"])
@pytest.mark.parametrize(
    "pairs", [[(0, 4)], [(1, 5)], [(2, 16)], [(0, 4), (1, 5)], [(1, 2), (0, 3), (2, 16)], [(2, 7), (0, 5)]]
)
def test_products_of_matrices(element: str, pairs: list[tuple[int, int]]) -> None:
    if pairs[0][0] == 2 and len(pairs) > 1:
        # The sums start in the outer loop, and the inner one is over what they are made of.
        with pytest.raises(InvalidKernel, match="wrong-attribute"):
            passed(matmul(10, 11, 65, element, *pairs), "tile-and-fuse")
        return
    dtype = np.float32 if element == "f32" else np.float16
    x, y = numbers(10, 65).astype(dtype), numbers(65, 11, seed=1).astype(dtype)
    cut = same(matmul(10, 11, 65, element, *pairs), {"x": x, "y": y, "z": written((10, 11), element)})
    carried = "iter_args" in cut
    assert carried == (2 in dict(pairs))
    # What is carried is f32, and the product is rounded neither before nor after.
    assert ("arith.mulf" in cut and "arith.mulf %" in cut.split("iter_args")[-1]) if carried else True


def test_a_sum_of_halves_is_carried_in_f32() -> None:
    """1024 and then halves of an ulp, one after the other: rounded to f16 each time they would all be lost."""
    count = 64
    text = kernel(
        fill("f", (1,), "0.0", "f16")
        + read_box("a", "%x", (1, count), "f16")
        + generic(
            "s", [("a", (1, count), "d0, d1")], ((1,), "d0"), "%r = arith.addf %o, %a0 : f16\n",
            extents=(1, count), element="f16", init="f", mark=mark((1, 1)),
        )
        + write_box("s", "%z", (1,), "f16")
    )  # fmt: skip
    x = np.full((1, count), 0.25, np.float16)
    x[0, 0] = 1024
    cut = same(text, {"x": x, "z": written((1,), "f16")})
    assert "tensor<1xf32>" in cut


def test_products_that_were_rounded_stay_rounded() -> None:
    """A product that another op takes on its way to the sum is rounded, in tiles as well."""
    body = "%p = arith.mulf %a0, %a0 : f16\n%q = arith.negf %p : f16\n%r = arith.addf %o, %q : f16\n"
    text = kernel(
        fill("f", (1,), "0.0", "f16")
        + read_box("a", "%x", (1, 33), "f16")
        + generic(
            "s", [("a", (1, 33), "d0, d1")], ((1,), "d0"), body,
            extents=(1, 33), element="f16", init="f", mark=mark((1, 4)),
        )
        + write_box("s", "%z", (1,), "f16")
    )  # fmt: skip
    x = np.random.default_rng(5).normal(size=(1, 33)).astype(np.float16)
    same(text, {"x": x, "z": written((1,), "f16")})


@pytest.mark.parametrize("size", [1, 3, 16])
def test_clips_sets_and_positions_stay_where_they_are(size: int) -> None:
    """Row r of a triangle, of which 7 rows are there, plus the number of each column."""
    shape = (10, 10)
    more = " clip [%c2, 0] to [%c7, 9] set affine_set<(r, c)[s] : (r + s - c >= 0)> symbols(%c2)"
    position = (
        "%i = linalg.index 1 : index\n%j = linalg.index 0 : index\n%k = arith.addi %i, %j : index\n"
        "%m = arith.index_cast %k : index to i32\n%n = arith.sitofp %m : i32 to f32\n%r = arith.addf %a0, %n : f32\n"
    )
    for dim in (0, 1):
        if size >= shape[dim]:
            continue
        text = kernel(
            "%c2 = arith.constant 2 : index\n%c7 = arith.constant 7 : index\n"
            + read_box("old", "%y", shape)
            + read_box("a", "%x", shape, more=more + " into %old")
            + read_box("b", "%x", shape, more=more + " fill 1065353216")
            + generic("s", [("a", shape, "d0, d1")], (shape, "d0, d1"), position, extents=shape, mark=mark((dim, size)))
            + generic(
                "t", [("s", shape, "d0, d1"), ("b", shape, "d0, d1")], (shape, "d0, d1"),
                "%r = arith.addf %a0, %a1 : f32\n", extents=shape,
            )
            + write_box("t", "%z", shape, more=" clip [1, %c2] to [9, %c7]")
        )  # fmt: skip
        z = numbers(*shape, seed=3)
        same(text, {"x": numbers(*shape), "y": numbers(*shape, seed=1), "z": z})


def test_lists_of_indices_are_cut_with_their_rows() -> None:
    shape = (10, 4)
    read = (
        "%l = dataflow.read @device[%c0 from %y] strides [1] : tensor<10xi32>\n"
        "%a = dataflow.read @device[%c0 from %x] strides [0, 1] index (%l : tensor<10xi32>) below [6]"
        " {index_maps = [affine_map<(r, c) -> (r)>], index_scales = array<i64: 4>} : tensor<10x4xf32>\n"
    )
    for pair in ((0, 3), (1, 3)):
        text = kernel(
            read
            + generic(
                "s", [("a", shape, "d0, d1")], (shape, "d0, d1"), "%r = math.exp %a0 : f32\n",
                extents=shape, mark=mark(pair),
            )
            + write_box("s", "%z", shape)
        )  # fmt: skip
        rows = np.random.default_rng(2).integers(0, 6, 10).astype(np.int32)
        same(text, {"x": numbers(6, 4), "y": rows, "z": written(shape, "f32")})


def test_strides_that_the_launch_gives() -> None:
    text = (
        kernel("", ("x", "n", "z"))
        .replace(
            "return",
            "%a = dataflow.read @device[%c0 from %x] strides [%n, 1] : tensor<10x4xf32>\n"
            + generic(
                "s", [("a", (10, 4), "d0, d1")], ((10, 4), "d0, d1"), "%r = math.exp %a0 : f32\n",
                extents=(10, 4), mark=mark((0, 3)),
            )
            + write_box("s", "%z", (10, 4))
            + "return",
        )
    )  # fmt: skip
    same(text, {"x": numbers(10, 7), "n": 7, "z": written((10, 4), "f32")})


def test_values_that_are_used_behind_are_put_together() -> None:
    """A loop takes what the group makes; the group takes a piece of what another one made."""
    shape = (10, 4)
    text = kernel(
        "%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n"
        + read_box("a", "%x", shape)
        + "scf.for %i = %c0 to %c3 step %c1 {\n"
        + generic(
            "b",
            [("a", shape, "d0, d1")],
            (shape, "d0, d1"),
            "%r = math.exp %a0 : f32\n",
            extents=shape,
            mark=mark((0, 3)),
        )
        + write_box("b", "%y", shape)
        + "}\n"
        + generic(
            "s",
            [("a", shape, "d0, d1")],
            (shape, "d0, d1"),
            "%r = math.sqrt %a0 : f32\n",
            extents=shape,
            mark=mark((1, 3)),
        )
        + "scf.for %i = %c0 to %c3 step %c1 {\n"
        + write_box("s", "%z", shape)
        + "}\n"
    )
    cut = same(text, {"x": abs(numbers(*shape)), "y": written(shape, "f32"), "z": written(shape, "f32")})
    assert "tensor.insert_slice" in cut
    assert "tensor.extract_slice" in cut


@st.composite
def groups(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """A random group over matrices, rows and columns, with one op marked."""
    rows, columns = draw(st.sampled_from(SIZES)), draw(st.sampled_from(SIZES))
    shapes = {"d0, d1": (rows, columns), "d0": (rows,), "d1": (columns,), "d1, d0": (columns, rows)}
    rng = random.Random(draw(st.integers(0, 1 << 30)))
    lines: list[str] = []
    values: list[tuple[str, str]] = []  # name and dims
    constants = ""
    for number in range(rng.randint(3, 9)):
        name = f"v{number}"
        kind = rng.choice(("read", "map", "map", "fold", "write")) if values else "read"
        if kind == "read":
            dims = rng.choice(list(shapes))
            lines.append(read_box(name, rng.choice(("%x", "%x", "%x", "%z")), shapes[dims]))
        elif kind == "write":
            value, dims = rng.choice(values)
            place = "%c0" if rng.random() < 0.2 else f"%p{number}"
            constants += f"%p{number} = arith.constant {number * 65 * 65} : index\n"
            lines.append(write_box(value, rng.choice(("%y", "%z")), shapes[dims], offset=place))
            continue
        else:
            taken = [rng.choice(values) for _ in range(rng.randint(1, 2))]
            op = rng.choice(("addf", "maximumf", "subf"))
            body = (
                f"%r{'0' if kind == 'fold' else ''} = arith.{op} %a0, %a1 : f32\n"
                if len(taken) == 2
                else f"%r{'0' if kind == 'fold' else ''} = arith.negf %a0 : f32\n"
            )
            inputs = [(value, shapes[dims], dims) for value, dims in taken]
            if kind == "fold":
                combine, start = rng.choice((("addf", "0.0"), ("maximumf", IDENTITY), ("minimumf", "0x7F800000")))
                dims = rng.choice(("d0", "d1"))
                lines.append(fill(f"{name}i", shapes[dims], start))
                body += f"%r = arith.{combine} %o, %r0 : f32\n"
                if not any(len(d) > 2 for _, d in taken):
                    continue
                lines.append(
                    generic(name, inputs, (shapes[dims], dims), body, extents=(rows, columns), init=f"{name}i")
                )
            else:
                dims = rng.choice(("d0, d1", "d1, d0"))
                lines.append(generic(name, inputs, (shapes[dims], dims), body, extents=(rows, columns)))
        values.append((name, dims))
    lines += [
        write_box(value, base, shapes[dims]) for (value, dims), base in zip(values[-2:], ("%y", "%w"), strict=False)
    ]
    places = [k for k, line in enumerate(lines) if "linalg.generic" in line or "dataflow.read" in line]
    place = rng.choice(places)
    extents = (rows, columns)
    cut = [dim for dim in (rng.sample((0, 1), 2)) if extents[dim] > 1][: rng.randint(1, 2)]
    assume(cut)
    pairs = [(dim, rng.choice((1, rng.randint(1, extents[dim] - 1)))) for dim in cut]
    text = mark(*pairs)
    if "dataflow.read" in lines[place]:
        head, colon, tail = lines[place].rpartition(" : ")
        lines[place] = f"{head} {{{text}}}{colon}{tail}"
    else:
        lines[place] = lines[place].replace("linalg.generic {", f"linalg.generic {{{text}, ", 1)
    arrays = {name: numbers(10 * 65 * 65, seed=k) for k, name in enumerate("xyzw")}
    return kernel(constants + "".join(lines), tuple("xyzw")), arrays


def same_or_refused(text: str, values: dict[str, object]) -> None:
    """The pass changes no value, or refuses the mark and says nothing else."""
    try:
        passed(text, "tile-and-fuse")
    except InvalidKernel as error:
        refused = [d.id for d in error.diagnostics if d.id]
    else:
        refused = []
        same(text, values)
    assert refused in ([], ["wrong-attribute"])


@settings(max_examples=150, deadline=None)
@given(groups())
def test_random_groups(case: tuple[str, dict[str, object]]) -> None:
    text, values = case
    same_or_refused(text, values)


def loop(carried: str, types: str, body: str, trips: str = "%n", *, more: str = "", name: str = "s") -> str:
    """A loop over %i that carries tensors, marked with ``more``."""
    count = types.count("tensor")
    return (
        f"%{name}{f':{count}' if count > 1 else ''} = scf.for %i = %c0 to {trips} step %c1 iter_args({carried})"
        f" -> ({types}) {{\n{body}}}{f' {{{more}}}' if more else ''}\n"
    )


def product_in_blocks(shape: tuple[int, int, int], step: int, *pairs: tuple[int, int]) -> str:
    """Blocks of a product are added up, times what depends on the number of the block; a bias behind."""
    m, n, k = shape
    body = (
        f"%at = affine.apply affine_map<(i) -> (i * {step})>(%i)\n"
        + f"%a = dataflow.read @device[%at from %x] strides [{k}, 1] : {tensor((m, step), 'f32')}\n"
        + f"%q = affine.apply affine_map<(i) -> (i * {step * n})>(%i)\n"
        + read_box("b", "%y", (step, n), offset="%q")
        + generic(
            "t", [("a", (m, step), "d0, d2"), ("b", (step, n), "d2, d1")], ((m, n), "d0, d1"),
            "%p = arith.mulf %a0, %a1 : f32\n%r = arith.addf %o, %p : f32\n", extents=(m, n, step), init="acc",
        )
        + generic(
            "u", [("t", (m, n), "d0, d1"), ("w", (n,), "d1")], ((m, n), "d0, d1"),
            "%j = linalg.index 0 : index\n%l = arith.addi %j, %i : index\n%g = arith.index_cast %l : index to i32\n"
            "%h = arith.sitofp %g : i32 to f32\n%r1 = arith.addf %a0, %h : f32\n%r = arith.addf %r1, %a1 : f32\n",
            extents=(m, n),
        )
        + f"scf.yield %u : {tensor((m, n), 'f32')}\n"
    )  # fmt: skip
    return kernel(
        "%c1 = arith.constant 1 : index\n"
        + read_box("w", "%v", (n,))
        + fill("f", (m, n), "1.0")
        + loop("%acc = %f", tensor((m, n), "f32"), body, more=mark(*pairs))
        + generic("e", [("s", (m, n), "d0, d1")], ((m, n), "d0, d1"), "%r = arith.negf %a0 : f32\n", extents=(m, n))
        + write_box("e", "%z", (m, n)),
        ("x", "y", "v", "z", "n"),
    )


@pytest.mark.parametrize("trips", [0, 1, 3])
@pytest.mark.parametrize("pairs", [[(0, 4)], [(1, 1)], [(1, 5)], [(0, 3), (1, 4)], [(1, 2), (0, 9)]])
def test_a_loop_is_done_for_each_tile_of_what_it_carries(trips: int, pairs: list[tuple[int, int]]) -> None:
    text = product_in_blocks((10, 11, 15), 5, *pairs)
    values = {"x": numbers(10, 15), "y": numbers(15, 11, seed=1), "v": numbers(11, seed=2), "n": trips}
    cut = same(text, values | {"z": written((10, 11), "f32")})
    size = dict(pairs).get(1, 11)
    assert f"x{size}xf32>)" in cut.split("iter_args")[1]


def attention(rows: int, keys: int, blocks: int, width: int, *pairs: tuple[int, int], inner: bool = False) -> str:
    """Rows of queries against blocks of keys: maxima, sums and weighted values are carried. ``inner``: each block is
    taken twice, in a loop inside the loop.
    """
    row, wide, block = tensor((rows,), "f32"), tensor((rows, width), "f32"), (rows, keys)
    body = (
        f"%at = affine.apply affine_map<(i) -> (i * {keys * width})>(%i)\n"
        + read_box("k", "%y", (keys, width), offset="%at")
        + fill("zero", block, "0.0")
        + generic(
            "qk", [("q", (rows, width), "d0, d2"), ("k", (keys, width), "d1, d2")], (block, "d0, d1"),
            "%p = arith.mulf %a0, %a1 : f32\n%r = arith.addf %o, %p : f32\n", extents=(rows, keys, width), init="zero",
        )
        + generic("m", [("qk", block, "d0, d1")], ((rows,), "d0"), "%r = arith.maximumf %o, %a0 : f32\n",
                  extents=block, init="old")
        + generic("g", [("qk", block, "d0, d1"), ("m", (rows,), "d0")], (block, "d0, d1"),
                  "%r = arith.subf %a0, %a1 : f32\n", extents=block)
        + generic("h", [("acc", (rows, width), "d0, d1"), ("m", (rows,), "d0"), ("old", (rows,), "d0")],
                  ((rows, width), "d0, d1"),
                  "%d = arith.subf %a2, %a1 : f32\n%r = arith.maximumf %d, %a0 : f32\n", extents=(rows, width))
        + generic(
            "nv", [("g", block, "d0, d2"), ("k", (keys, width), "d2, d1")], ((rows, width), "d0, d1"),
            "%p = arith.mulf %a0, %a1 : f32\n%r = arith.addf %o, %p : f32\n", extents=(rows, width, keys), init="h",
        )
        + f"scf.yield %m, %nv : {row}, {wide}\n"
    )  # fmt: skip
    types = f"{row}, {wide}"
    if inner:
        body = body.replace("%old", "%old1").replace("%acc", "%acc1")
        body = (
            loop("%old1 = %old, %acc1 = %acc", types, body, "%c2", name="in").replace("%i =", "%j =")
            + f"scf.yield %in#0, %in#1 : {row}, {wide}\n"
        )
    return kernel(
        "%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
        f"%n = arith.constant {blocks} : index\n"
        + read_box("q", "%x", (rows, width))
        + fill("low", (rows,), "-1000.0")
        + fill("none", (rows, width), "0.0")
        + loop("%old = %low, %acc = %none", types, body, more=mark(*pairs))
        + generic(
            "e", [("s#1", (rows, width), "d0, d1"), ("s#0", (rows,), "d0")], ((rows, width), "d0, d1"),
            "%r = arith.addf %a0, %a1 : f32\n", extents=(rows, width),
        )
        + write_box("e", "%z", (rows, width)),
    )  # fmt: skip


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("size", [1, 4, 5])
def test_rows_of_attention(size: int, inner: bool) -> None:
    text = attention(10, 3, 4, 6, (0, size), inner=inner)
    cut = same(text, {"x": numbers(10, 6), "y": numbers(12, 6, seed=1), "z": written((10, 6), "f32")})
    assert f"tensor<{size}x6xf32>" in cut
    assert cut.count("scf.for") == (3 if inner else 2) + (0 if 10 % size == 0 else 2 if inner else 1)


def test_what_each_iteration_needs_as_a_whole_is_not_cut() -> None:
    """The width of a row of attention is folded in each iteration; a loop that writes is in no group."""
    with pytest.raises(InvalidKernel, match="wrong-attribute"):
        passed(attention(10, 3, 4, 6, (1, 2)), "tile-and-fuse")
    row = tensor((10,), "f32")
    body = write_box("a", "%z", (10,)) + f"scf.yield %a : {row}\n"
    text = kernel(
        "%c1 = arith.constant 1 : index\n"
        + read_box("r", "%x", (10,))
        + loop("%a = %r", row, body, "%c1", more=mark((0, 2)))
        + write_box("s", "%y", (10,))
    )
    with pytest.raises(InvalidKernel, match="wrong-attribute"):
        passed(text, "tile-and-fuse")


@pytest.mark.parametrize(("shift", "right"), [(0, True), (3, False), (100, True)])
def test_a_loop_reads_what_is_written_behind_it(shift: int, right: bool) -> None:
    """The sum over blocks of an array goes to where no later tile reads, where one does, and behind all of them."""
    row = tensor((10,), "f32")
    body = (
        "%at = affine.apply affine_map<(i) -> (i * 7)>(%i)\n"
        + read_box("a", "%x", (10,), offset="%at")
        + generic("t", [("a", (10,), "d0"), ("acc", (10,), "d0")], ((10,), "d0"), "%r = arith.addf %a0, %a1 : f32\n",
                  extents=(10,))
        + f"scf.yield %t : {row}\n"
    )  # fmt: skip
    text = kernel(
        f"%c1 = arith.constant 1 : index\n%n = arith.constant 3 : index\n%p = arith.constant {shift} : index\n"
        + fill("f", (10,), "0.0")
        + loop("%acc = %f", row, body, more=mark((0, 2)))
        + write_box("s", "%x", (10,), offset="%p"),
        ("x",),
    )
    if right:
        same(text, {"x": numbers(110)})
        return
    with pytest.raises(InvalidKernel, match="wrong-attribute"):
        passed(text, "tile-and-fuse")


@st.composite
def loops(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """A random loop that carries a matrix and a row of its left side, with what is around it; the loop is marked."""
    rows, columns = draw(st.sampled_from(SIZES[1:4])), draw(st.sampled_from(SIZES[:4]))
    shapes = {"d0, d1": (rows, columns), "d0": (rows,), "d1": (columns,), "d1, d0": (columns, rows)}
    rng = random.Random(draw(st.integers(0, 1 << 30)))
    names = iter(range(1000))

    def some(values: list[tuple[str, str]], count: int, offset: str) -> str:
        """Ops on ``values``, which get what they make."""
        lines = []
        for _ in range(count):
            name, kind = f"v{next(names)}", rng.choice(("read", "map", "map", "fold"))
            taken = [rng.choice(values) for _ in range(2)]
            inputs = [(value, shapes[dims], dims) for value, dims in taken]
            body = f"%q = arith.{rng.choice(('addf', 'maximumf', 'subf'))} %a0, %a1 : f32\n"
            if kind == "read":
                dims = rng.choice(list(shapes))
                lines.append(read_box(name, rng.choice(("%x", "%x", "%z")), shapes[dims], offset=offset))
            elif kind == "fold" and any(len(dims) > 2 for _, dims in taken):
                dims = rng.choice(("d0", "d1"))
                body += "%r = arith.maximumf %o, %q : f32\n"
                lines.append(fill(f"{name}i", shapes[dims], IDENTITY))
                lines.append(
                    generic(name, inputs, (shapes[dims], dims), body, extents=(rows, columns), init=f"{name}i")
                )
            else:
                dims = rng.choice(("d0, d1", "d0, d1", "d1, d0"))
                body += "%r = arith.negf %q : f32\n"
                lines.append(generic(name, inputs, (shapes[dims], dims), body, extents=(rows, columns)))
            values.append((name, dims))
        return "".join(lines)

    before = [("x0", "d0, d1"), ("x1", "d0"), ("x2", "d1")]
    text = "%c1 = arith.constant 1 : index\n"
    text += "".join(read_box(name, "%x", shapes[dims]) for name, dims in before)
    text += some(before, rng.randint(0, 2), "%c0")
    inside = [*before, ("acc", "d0, d1"), ("old", "d0")]
    body = "%at = affine.apply affine_map<(i) -> (i * 130)>(%i)\n" + some(inside, rng.randint(1, 5), "%at")
    kinds = {"d0, d1": tensor(shapes["d0, d1"], "f32"), "d0": tensor(shapes["d0"], "f32")}
    last = [rng.choice([name for name, dims in inside[3:] if dims == kind]) for kind in kinds]
    body += f"scf.yield %{last[0]}, %{last[1]} : {', '.join(kinds.values())}\n"
    pair = (rng.randint(0, 1), 1)
    pair = (pair[0], rng.randint(1, max(1, (rows, columns)[pair[0]] - 1)))
    text += loop("%acc = %x0, %old = %x1", ", ".join(kinds.values()), body, more=mark(pair))
    after = [*before, ("s#0", "d0, d1"), ("s#1", "d0")]
    text += some(after, rng.randint(0, 3), "%c0")
    for (value, dims), base in zip(after[-3:], "yzw", strict=True):
        text += write_box(value, f"%{base}", shapes[dims])
    arrays: dict[str, object] = {name: numbers(20 * 65 * 65, seed=k) for k, name in enumerate("xyzw")}
    return kernel(text, (*"xyzw", "n")), arrays | {"n": rng.randint(0, 3)}


@settings(max_examples=100, deadline=None)
@given(loops())
def test_random_loops(case: tuple[str, dict[str, object]]) -> None:
    text, values = case
    same_or_refused(text, values)
