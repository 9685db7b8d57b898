"""Views and tiles of every kind: stages `kernel` and `schedule` move the bytes that `ktir` does, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from launching import execute

from spyrec.driver import execute as driver
from spyrec.driver.compile import Options, compile_text
from spyrec.errors import Severity, SpyrecError
from spyrec.spyrecode.launch import bind

Values = Mapping[str, Any]
GLOBAL = "#ktdp.memory_space<global>"
RNG = np.random.default_rng(3)


def box(*extents: int, low: tuple[int, ...] = (), symbols: str = "", extra: str = "") -> str:
    low = low or (0,) * len(extents)
    dims = ", ".join(f"d{k}" for k in range(len(extents)))
    sides = [f"d{k} - {a} >= 0, -d{k} + {a + n - 1} >= 0" for k, (a, n) in enumerate(zip(low, extents, strict=True))]
    return f"affine_set<({dims}){symbols} : ({', '.join(sides + [extra] * bool(extra))})>"


def order(*dims: int) -> str:
    return f"affine_map<({', '.join(f'd{k}' for k in sorted(dims))}) -> ({', '.join(f'd{d}' for d in dims)})>"


def view(
    name: str,
    base: str,
    sizes: tuple[Any, ...],
    strides: tuple[Any, ...],
    points: str,
    element: str = "f32",
    space: str = GLOBAL,
) -> str:
    kind = "x".join([*("?" if isinstance(n, str) else str(n) for n in sizes), element])
    lists = [", ".join(map(str, entries)) for entries in (sizes, strides)]
    return (
        f"%{name} = ktdp.construct_memory_view {base}, sizes: [{lists[0]}], strides: [{lists[1]}]"
        f" {{coordinate_set = {points}, memory_space = {space}}} : memref<{kind}>"
    )


def tile(
    name: str,
    of: str,
    kind: str,
    at: str,
    shape: tuple[int, ...],
    points: str = "",
    turn: tuple[int, ...] = (),
    symbols: str = "",
) -> str:
    turn = turn or tuple(range(len(shape)))
    coordinates = "x".join([*map(str, shape), "index"])
    given = f" symbols({symbols})" if symbols else ""
    return (
        f"%{name} = ktdp.construct_access_tile %{of}[{at}]{given} {{access_tile_set = {points or box(*shape)},"
        f" access_tile_order = {order(*turn)}}} : memref<{kind}> -> !ktdp.access_tile<{coordinates}>"
    )


def load(name: str, from_: str, shape: tuple[int, ...], element: str = "f32") -> str:
    text = "x".join(map(str, shape))
    return f"%{name} = ktdp.load %{from_} : <{text}xindex> -> tensor<{text}x{element}>"


def store(value: str, to: str, shape: tuple[int, ...], element: str = "f32") -> str:
    text = "x".join(map(str, shape))
    return f"ktdp.store %{value}, %{to} : tensor<{text}x{element}>, <{text}xindex>"


def kernel(*lines: str, arguments: str = "%x: index, %z: index", grid: int = 4) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return (
        f"func.func @k({arguments}) attributes {{grid = [{grid}]}} {{\n  %t = ktdp.get_compute_tile_id : index\n"
        f"  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n{body}\n  return\n}}\n"
    )


def at_stage(text: str, values: Values, stage: str) -> dict[str, np.ndarray]:
    """What the kernel writes at a stage."""
    options = Options(emit=stage)
    reached = compile_text(text, "kernel.mlir", options)
    numbers = {name: v for name, v in values.items() if np.isscalar(v)}
    arrays = {name: v for name, v in values.items() if name not in numbers}
    launch = bind(driver.signature_of(text, "kernel.mlir", options), arrays, numbers, seed=None)
    driver.run_stage(reached, launch)
    return launch.outputs()


def agrees(text: str, values: Values, *stages: str) -> dict[str, np.ndarray]:
    """Stage ``ktir``, after the others have given the same bytes."""
    want = execute(text, values)
    for stage in stages or ("kernel", "schedule"):
        got = at_stage(text, values, stage)
        assert got.keys() == want.keys()
        for name, array in want.items():
            assert got[name].tobytes() == array.tobytes(), (stage, name, got[name], array)
    return dict(want)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


X = view("x_view", "%x", (20, 12), (12, 1), box(20, 12))
Z = view("z_view", "%z", (20, 12), (12, 1), box(20, 12))
KIND = "20x12xf32"
BOTH = {"x": floats(20, 12), "z": floats(20, 12)}
"""What is not written has to stay."""


def copy(shape: tuple[int, ...], at: str, from_: str = "", to: str = "", turn: tuple[int, ...] = ()) -> str:
    """Tiles of `shape` in the order of the tensor; sets of the load and the store, order of both."""
    return kernel(
        X,
        Z,
        tile("a", "x_view", KIND, at, shape, from_, turn),
        load("v", "a", shape),
        tile("b", "z_view", KIND, at, shape, to, turn),
        store("v", "b", shape),
    )


@pytest.mark.parametrize(
    "text",
    [
        copy((5, 12), "%t * 5, 0"),
        copy((8, 16), "%t * 6, 0"),
        copy((8, 16), "%t * 6, %t * 3"),
        copy((8, 8), "%t * 8 - 5, %t"),
        copy((12, 5), "%t * 5, 0", box(5, 12), box(5, 12), (1, 0)),
        copy((16, 8), "%t * 6, 0", box(8, 16), box(8, 16), (1, 0)),
        copy((6, 8), "%t * 5, 1", box(3, 4, low=(1, 2)), box(4, 3, low=(2, 0))),
        copy((5, 5), "%t * 5, 2", box(5, 5, extra="d0 - d1 >= 0"), box(5, 5, extra="d1 - d0 - 1 >= 0")),
        copy((5, 8), "%t * 5, 0", box(5, 8, extra="d1 mod 2 == 0"), box(5, 8, extra="(d0 + d1) mod 3 - 1 >= 0")),
        copy((5, 8), "%t * 5, 0", box(5, 8, extra="d0 * 2 + d1 * 3 - 7 >= 0, -d0 - d1 + 9 >= 0")),
        copy(
            (8, 8), "%t * 6, 8", box(8, 8, extra="d1 - d0 == 0"), box(8, 8, extra="d1 floordiv 2 - d0 floordiv 3 == 0")
        ),
    ],
)
def test_tiles(text: str) -> None:
    agrees(text, BOTH)


def test_how_far_a_tile_goes_may_be_a_number_of_the_launch() -> None:
    points = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 11 >= 0)>"
    mask = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + 4 >= 0, d1 >= 0, -d1 + 11 >= 0, d0 + s0 - d1 >= 0)>"
    text = kernel(
        X,
        Z,
        tile("a", "x_view", KIND, "%t * 5, 0", (5, 12), points, symbols="%n"),
        load("v", "a", (5, 12)),
        "%five = arith.constant 5 : index",
        "%first = arith.muli %t, %five : index",
        tile("b", "z_view", KIND, "%t * 5, 0", (5, 12), mask, symbols="%first"),
        store("v", "b", (5, 12)),
        arguments="%x: index, %z: index, %n: index",
    )
    for n in (0, 1, 4, 5):
        got = agrees(text, {**BOTH, "n": n})["z"]
        want = BOTH["z"].copy()
        for row in range(20):
            value = BOTH["x"][row] if row % 5 < n else np.zeros(12, np.float32)
            want[row, : row + 1] = value[: row + 1]
        assert np.array_equal(got, want)


def test_views_of_sizes_and_strides_that_only_the_run_knows() -> None:
    points = "affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>"
    shape, kind = (8, 4), "?x?xf32"
    text = kernel(
        "%four = arith.constant 4 : index",
        "scf.for %i = %c0 to %tiles step %c1 {",
        "%at = arith.muli %i, %four : index",
        "%from = arith.addi %x, %at : index",
        view("x_view", "%from", ("%m", "%n"), ("%pitch", "%c1"), points),
        view("z_view", "%z", ("%n", "%m"), ("%pitch", 1), points),
        tile("a", "x_view", kind, "%t * 8, 0", shape),
        load("v", "a", shape),
        tile("b", "z_view", kind, "%at, %t * 8", shape, box(4, 8), (1, 0)),
        store("v", "b", shape),
        "}",
        arguments="%x: index, %z: index, %m: index, %n: index, %pitch: index, %tiles: index",
    )
    values = {"x": floats(40, 37), "z": floats(40, 37), "m": 30, "n": 11, "pitch": 37}
    for tiles in (1, 3):
        got = agrees(text, {**values, "tiles": tiles})["z"]
        want = values["z"].copy()
        for i in range(tiles):
            for row in range(30):
                # The view that starts i * 4 columns further on still has 11 of them.
                want[4 * i : min(4 * i + 4, 11), row] = values["x"][row, 4 * i : 4 * i + min(4, 11 - 4 * i)]
        assert np.array_equal(got, want)


def test_a_view_that_is_no_box_bounds_its_tiles() -> None:
    shape = (6, 12)
    text = kernel(
        view("x_view", "%x", (20, 12), (12, 1), box(20, 12, extra="d0 - d1 >= 0")),
        Z,
        tile("a", "x_view", KIND, "%t * 5, 0", shape),
        load("v", "a", shape),
        tile("b", "z_view", KIND, "%t * 5, 0", shape, box(5, 12)),
        store("v", "b", shape),
    )
    assert np.array_equal(agrees(text, BOTH)["z"], np.tril(BOTH["x"]))


def test_one_argument_under_several_types_and_in_place() -> None:
    shape = (4,)
    text = kernel(
        view("words", "%x", (16,), (1,), box(16), "i32"),
        view("halves", "%x", (40,), (1,), box(40), "i16"),
        tile("a", "words", "16xi32", "%t * 4", shape),
        load("v", "a", shape, "i32"),
        tile("b", "halves", "40xi16", "%t * 8", shape),
        load("w", "b", shape, "i16"),
        tile("c", "halves", "40xi16", "%t * 8 + 4", shape),
        store("w", "c", shape, "i16"),
    )
    agrees(text, {"x": np.arange(40, dtype=np.int16)}, "kernel")


PARTS = (
    view("top", "%x", (9, 12), (1, 9), box(9, 12)),
    view("middle", "%y", (7, 12), (12, 1), box(7, 12, low=(7, 0))),
    view("bottom", "%y", (6, 12), (12, 1), box(6, 12, low=(14, 0))),
)


def distributed(*parts: str) -> str:
    kinds = {"top": "9x12xf32", "middle": "7x12xf32", "bottom": "6x12xf32"}
    operands = ", ".join(f"%{part}" for part in parts)
    types = ", ".join(f"memref<{kinds[part]}>" for part in parts)
    return f"%whole = ktdp.construct_distributed_memory_view ({operands} : {types}) : memref<{KIND}>"


@pytest.mark.parametrize(
    "parts", [("top", "middle", "bottom"), ("bottom", "middle", "top"), ("middle", "top", "bottom")]
)
@pytest.mark.parametrize("at", ["%t * 5, 0", "%t * 6 - 2, %t", "3, 4", "8, 0", "15, 0"])
def test_the_first_part_that_holds_a_point_is_read(parts: tuple[str, ...], at: str) -> None:
    shape = (8, 12)
    text = kernel(
        *PARTS,
        distributed(*parts),
        view("z_view", "%z", (4, 8, 12), (96, 12, 1), box(4, 8, 12)),
        tile("a", "whole", KIND, at, shape),
        load("v", "a", shape),
        "%w = tensor.expand_shape %v [[0, 1], [2]] output_shape [1, 8, 12] : tensor<8x12xf32> into tensor<1x8x12xf32>",
        tile("b", "z_view", "4x8x12xf32", "%t, 0, 0", (1, 8, 12)),
        store("w", "b", (1, 8, 12)),
        arguments="%x: index, %y: index, %z: index",
    )
    agrees(text, {"x": floats(12, 9), "y": floats(7, 12), "z": floats(4, 8, 12)}, "kernel")


def test_a_store_to_several_parts() -> None:
    shape = (6, 12)
    text = kernel(
        view("top", "%x", (9, 12), (1, 9), box(9, 12)),
        view("bottom", "%y", (11, 12), (12, 1), box(11, 12, low=(9, 0))),
        "%whole = ktdp.construct_distributed_memory_view (%top, %bottom : memref<9x12xf32>, memref<11x12xf32>)"
        f" : memref<{KIND}>",
        Z,
        tile("a", "z_view", KIND, "%t * 5, 0", shape),
        load("v", "a", shape),
        tile("b", "whole", KIND, "%t * 5, 0", shape, box(5, 12)),
        store("v", "b", shape),
        arguments="%x: index, %y: index, %z: index",
    )
    values = {"x": floats(13, 9), "y": floats(11, 12), "z": floats(20, 12)}
    got = agrees(text, values)
    assert np.array_equal(got["x"][:12].T, values["z"][:9])
    assert np.array_equal(got["x"][12], values["x"][12])
    assert np.array_equal(got["y"], values["z"][9:])


def indirect(
    name: str,
    of: str,
    variables: str,
    subscripts: str,
    points: str,
    turn: tuple[int, ...],
    types: str,
    shape: tuple[int, ...],
) -> str:
    return (
        f"%{name} = ktdp.construct_indirect_access_tile intermediate_variables({variables}) %{of}[{subscripts}]"
        f" {{variables_space_set = {points}, variables_space_order = {order(*turn)}}} : {types}"
        f" -> !ktdp.access_tile<{'x'.join([*map(str, shape), 'index'])}>"
    )


LIST = view("list", "%l", (20,), (1,), box(20), "i32")
TYPES = f"memref<{KIND}>, memref<20xi32>"


@pytest.mark.parametrize(
    ("subscripts", "points", "turn", "shape"),
    [
        ("ind(%list[%t * 5 + %r]), (%c)", box(5, 12), (0, 1), (5, 12)),
        ("ind(%list[%t * 5 + %r]), (%c + %t)", box(5, 12), (1, 0), (12, 5)),
        ("ind(%list[19 - %r * 3]), (%c * 2)", box(6, 6), (0, 1), (6, 8)),
        ("ind(%list[%c]), (%r)", box(5, 12, extra="d1 - d0 >= 0"), (0, 1), (5, 12)),
        ("ind(%list[%r + %c]), (%c)", box(5, 12), (0, 1), (5, 12)),
        ("ind(%list[%t]), (%r * 2 + %c)", box(5, 3), (0, 1), (5, 4)),
        ("ind(%list[(%r + 3) floordiv 4 + %t]), ((%r + 3) mod 4 + %c)", box(9, 6), (0, 1), (9, 6)),
        ("ind(%list[%r floordiv 8 + %t]), ((%r floordiv 2) mod 4 + %c)", box(16, 6), (1, 0), (6, 16)),
    ],
)
def test_gathers(subscripts: str, points: str, turn: tuple[int, ...], shape: tuple[int, ...]) -> None:
    text = kernel(
        X,
        LIST,
        view("z_view", "%z", (4, *shape), (shape[0] * shape[1], shape[1], 1), box(4, *shape)),
        indirect("a", "x_view", "%r, %c", subscripts, points, turn, TYPES, shape),
        load("v", "a", shape),
        f"%w = tensor.expand_shape %v [[0, 1], [2]] output_shape [1, {shape[0]}, {shape[1]}]"
        f" : tensor<{shape[0]}x{shape[1]}xf32> into tensor<1x{shape[0]}x{shape[1]}xf32>",
        tile("b", "z_view", f"4x{shape[0]}x{shape[1]}xf32", "%t, 0, 0", (1, *shape)),
        store("w", "b", (1, *shape)),
        arguments="%x: index, %l: index, %z: index",
    )
    values = {"x": floats(20, 12), "l": RNG.integers(0, 20, 20).astype(np.int32), "z": floats(4, *shape)}
    agrees(text, values, "kernel")


def scatter(subscripts: str, points: str, shape: tuple[int, ...]) -> str:
    return kernel(
        X,
        LIST,
        view("z_view", "%z", shape, (shape[1], 1), box(*shape)),
        tile("b", "z_view", f"{shape[0]}x{shape[1]}xf32", "0, 0", shape),
        load("v", "b", shape),
        indirect("a", "x_view", "%r, %c", subscripts, points, (0, 1), TYPES, shape),
        store("v", "a", shape),
        arguments="%x: index, %l: index, %z: index",
        grid=1,
    )


@pytest.mark.parametrize(
    ("subscripts", "points", "shape"),
    [
        ("ind(%list[%r]), (%c)", box(8, 12), (8, 12)),
        ("ind(%list[%r]), (%c + 3)", box(8, 12), (8, 12)),
        ("ind(%list[%r]), (%c)", box(8, 6, extra="d0 - d1 >= 0"), (8, 12)),
        ("ind(%list[%r floordiv 3]), (%r mod 3 + %c * 3)", box(8, 4), (8, 4)),
    ],
)
def test_scatters_write_the_last_of_equal_places(subscripts: str, points: str, shape: tuple[int, ...]) -> None:
    values = {"x": floats(20, 12), "z": floats(*shape)}
    for index in (np.arange(20), np.arange(20) // 2, np.full(20, 4)):
        agrees(scatter(subscripts, points, shape), {**values, "l": index.astype(np.int32)}, "kernel", "schedule")


def test_an_index_that_is_not_there_is_an_error_at_every_stage() -> None:
    text = scatter("ind(%list[%r + 13]), (%c)", box(8, 12), (8, 12))
    values = {"x": floats(20, 12), "z": floats(8, 12), "l": np.zeros(20, np.int32)}
    for run in (
        lambda: execute(text, values),
        *(lambda s=s: at_stage(text, values, s) for s in ("kernel", "schedule")),
    ):  # type: ignore[misc]
        with pytest.raises(SpyrecError) as caught:
            run()
        assert [d.id for d in caught.value.diagnostics if d.severity is Severity.ERROR] == ["index-out-of-range"]


def test_scratchpads_of_this_core_and_of_another() -> None:
    local = "#ktdp.memory_space<ct_local>"
    text = kernel(
        "%at = arith.constant 32 : index",
        view("own", "%at", (5, 12), (12, 1), box(5, 12), space=local),
        view("first", "%at", (5, 12), (12, 1), box(5, 12), space="#ktdp.memory_space<ct_local, ct_id = 0>"),
        X,
        Z,
        tile("a", "x_view", KIND, "%t * 5, 0", (5, 12)),
        load("v", "a", (5, 12)),
        tile("b", "own", "5x12xf32", "0, 0", (5, 12)),
        store("v", "b", (5, 12)),
        tile("c", "own", "5x12xf32", "%t, 3", (5, 12)),
        load("w", "c", (5, 12)),
        tile("d", "z_view", KIND, "%t * 5, 0", (5, 12)),
        store("w", "d", (5, 12)),
        "%mine = arith.cmpi eq, %t, %c0 : index",
        "scf.if %mine {",
        tile("e", "first", "5x12xf32", "1, 0", (5, 12)),
        load("u", "e", (5, 12)),
        store("u", "d", (5, 12)),
        "}",
    )
    agrees(text, BOTH, "kernel")
