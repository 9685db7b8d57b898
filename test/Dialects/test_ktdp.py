"""Verifiers of `ktdp`: each rule on an op that breaks it and nothing else."""

import pytest
from generic import check, only, segments

from spyrec.dialects import ktdp, make_context
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC

VIEW = {
    "sizes": "array<i64: 16, 64>",
    "strides": "array<i64: 64, 1>",
    "set": "affine_set<(r, c) : (r >= 0, -r + 15 >= 0, c >= 0, -c + 63 >= 0)>",
    "space": '#ktdp.memory_space<"global", unit>',
    "type": "memref<16x64xf16>",
    "dynamic": "",
    "counts": (1, 0, 0),
}


def view(**change: object) -> str:
    p = {**VIEW, **change}
    types = ", ".join(["index"] * (1 + str(p["dynamic"]).count("%")))
    counts = p["counts"]
    assert isinstance(counts, tuple)
    return f"""
    %a = arith.constant 0 : index
    %v = "ktdp.construct_memory_view"(%a{p["dynamic"]}) {{static_sizes = {p["sizes"]}, static_strides = {p["strides"]},
      coordinate_set = {p["set"]}, memory_space = {p["space"]},
      {segments(ktdp.ConstructMemoryViewOp, *counts)}}} : ({types}) -> {p["type"]}
    """


TILE = {
    "map": "affine_map<(i) -> (i, 0)>",
    "set": "affine_set<(a, b) : (a == 0, b >= 0, -b + 63 >= 0)>",
    "order": "affine_map<(a, b) -> (a, b)>",
    "type": "tensor<1x64xindex>",
    "counts": (1, 1, 0),
    "operands": "%a",
}


def tile(view_type: str = "memref<16x64xf16>", **change: object) -> str:
    p = {**TILE, **change}
    counts = p["counts"]
    assert isinstance(counts, tuple)
    operands = [o for o in str(p["operands"]).split(", ") if o]
    return f"""
    %t = "ktdp.construct_access_tile"({", ".join(["%v", *operands])}) {{base_map = {p["map"]},
      access_tile_set = {p["set"]}, access_tile_order = {p["order"]}, {segments(ktdp.ConstructAccessTileOp, *counts)}}}
      : ({", ".join([view_type] + ["index"] * len(operands))}) -> !ktdp.access_tile<{p["type"]}>
    """


def load(result: str = "tensor<1x64xf16>", shape: str = "tensor<1x64xindex>") -> str:
    return f'%l = "ktdp.load"(%t) : (!ktdp.access_tile<{shape}>) -> {result}'


def store(data: str, shape: str = "tensor<1x64xindex>") -> str:
    return f"""%d = "test.data"() : () -> {data}
    "ktdp.store"(%d, %t) : ({data}, !ktdp.access_tile<{shape}>) -> ()"""


def test_right_ops_have_no_violation() -> None:
    assert not check(view() + tile() + load() + store("tensor<1x64xf16>"))


DYN = f"array<i64: {DYNAMIC}, 64>"
HEAD = "(r, c)[n] : (r >= 0, -r + n - 1 >= 0, c >= 0, -c + 63 >= 0)"


def test_dynamic_sizes_bind_symbols() -> None:
    right = {"sizes": DYN, "dynamic": ", %a", "counts": (1, 1, 0), "type": "memref<?x64xf16>"}
    assert not check(view(**right, set=f"affine_set<{HEAD}>"))
    assert not check(view(**right))  # a set of constant bounds needs no symbol
    found = only(view(set=f"affine_set<{HEAD}>"))
    assert (found.id, found.field) == ("rank-mismatch", "coordinate_set")
    assert "1 symbols, but there are 0 sizes that are operands" in found.message


@pytest.mark.parametrize(
    ("change", "id", "field", "message"),
    [
        ({"sizes": "array<i64: 16>"}, "rank-mismatch", "strides", "1 sizes, but 2 strides"),
        ({"sizes": DYN}, "rank-mismatch", "sizes", "sizes names 1 values, but the op has 0 operands"),
        ({"type": "memref<16x32xf16>"}, "type-mismatch", "sizes[1]", "sizes[1] is 64, but dimension 1 of"),
        ({"sizes": "array<i64: 16, -1>"}, "wrong-attribute", "sizes[1]", "sizes[1] is -1; a size is at least 0"),
        ({"set": "affine_set<(r) : (r >= 0)>"}, "rank-mismatch", "coordinate_set", "1 dimensions; 2 are needed"),
        ({"set": "42 : i64"}, "wrong-attribute", "coordinate_set", "must be an affine set, but is 42"),
        ({"space": '"HBM"'}, "wrong-attribute", "memory_space", "must be #ktdp.memory_space"),
        ({"type": "tensor<16x64xf16>"}, "type-mismatch", "type(result)", "must be a ranked memref"),
        (
            {"type": 'memref<16x64xf16, #ktdp.memory_space<"ct_local", unit>>'},
            "type-mismatch",
            "type(result)",
            "the view lies in",
        ),
    ],
)
def test_memory_view(change: dict[str, object], id: str, field: str, message: str) -> None:
    found = check(view(**change))[0]
    assert (found.id, found.field) == (id, field)
    assert message in found.message


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        (
            {"map": "affine_map<(i) -> (i)>"},
            "indices",
            "there are 1 subscripts, but memref<16x64xf16> has 2 dimensions",
        ),
        ({"map": "affine_map<(i, j) -> (i, j)>"}, "indices", "base_map takes 2 values, but the op has 1 indices"),
        ({"set": "affine_set<(a) : (a == 0)>"}, "access_tile_set", "1 dimensions; 2 are needed"),
        (
            {"set": "affine_set<(a, b)[s] : (a == 0, b - s >= 0)>"},
            "access_tile_set",
            "1 symbols, but there are 0 symbol",
        ),
        ({"order": "affine_map<(a) -> (a)>"}, "access_tile_order", "must map 2 dimensions to 2"),
        ({"type": "tensor<64xindex>"}, "type(result)", "the tile has 1 dimensions, but the view has 2"),
    ],
)
def test_access_tile(change: dict[str, object], field: str, message: str) -> None:
    found = only(view() + tile(**change))
    assert (found.id, found.field) == ("rank-mismatch", field)
    assert message in found.message


def test_symbols_count_as_indices() -> None:
    assert not check(view() + tile(map="affine_map<(i)[s] -> (i, s)>", operands="%a, %a", counts=(1, 2, 0)))


@pytest.mark.parametrize(
    ("op", "field", "message"),
    [
        (load("tensor<64xf16>"), "type(result)", "the tile has shape 1x64, but the tensor is tensor<64xf16>"),
        (load("tensor<1x64xf32>"), "type(result)", "the view holds f16, but the tensor holds f32"),
        (store("tensor<2x64xf16>"), "type(data_tile)", "the tile has shape 1x64, but the tensor is tensor<2x64xf16>"),
        (store("tensor<*xf16>"), "type(data_tile)", "must be a ranked tensor, but is tensor<*xf16>"),
    ],
)
def test_load_and_store(op: str, field: str, message: str) -> None:
    found = only(view() + tile() + op)
    assert (found.id, found.field) == ("type-mismatch", field)
    assert message in found.message


def test_signs_of_integers_do_not_count() -> None:
    text = view(type="memref<16x64xsi32>") + tile("memref<16x64xsi32>")
    assert not check(text + load("tensor<1x64xi32>"))
    assert check(text + load("tensor<1x64xi64>"))


@pytest.mark.parametrize(("count", "right"), [(1, True), (2, True), (3, False)])
def test_tile_ids_against_the_grid(count: int, right: bool) -> None:
    types = ", ".join(["index"] * count)
    found = check(
        f"""func.func @f() attributes {{grid = [4, 8]}} {{
          %i:{count} = "ktdp.get_compute_tile_id"() : () -> ({types}) return }}"""
    )
    assert [v.id for v in found] == ([] if right else ["grid-mismatch"])


def test_at_least_one_tile_id() -> None:
    assert only('"ktdp.get_compute_tile_id"() : () -> ()').message == "at least one id must be taken"


def test_shape_of_an_access_tile_type() -> None:
    with make_context(), ir.Location.unknown():
        made = ktdp.AccessTileType.of([4, DYNAMIC])
        assert str(made) == "!ktdp.access_tile<tensor<4x?xindex>>"
        assert made.shape == [4, DYNAMIC]
        assert ktdp.AccessTileType.of([]).shape == []


def test_types_are_made_right() -> None:
    with make_context(), ir.Location.unknown():
        groups = ir.Attribute.parse("affine_set<(g) : (g == 0)>")
        f16 = ir.TypeAttr.get(ir.Type.parse("tensor<4xf16>"))
        future = ktdp.TileFutureType.make(partials=ir.ArrayAttr.get([f16]), groups=groups)
        assert [str(t) for t in future.types] == ["tensor<4xf16>"]
        assert future.group_set.holds((0,))
        with pytest.raises(TypeError, match="at least one tensor"):
            ktdp.TileFutureType.make(partials=ir.ArrayAttr.get([]), groups=groups)
        plane = ir.Attribute.parse("affine_set<(g, h) : (g == 0)>")
        with pytest.raises(TypeError, match="one dimension and no symbols, but has 2 and 0"):
            ktdp.TileFutureType.make(partials=ir.ArrayAttr.get([f16]), groups=plane)
        with pytest.raises(TypeError, match="granularity must be at least 1, but is 0"):
            ktdp.RuntimeArgType.make(type=ir.TypeAttr.get(ir.IndexType.get()), granularity=0)
        assert str(ktdp.RuntimeArgType.make(type=ir.TypeAttr.get(ir.IndexType.get())).underlying) == "index"


@pytest.mark.parametrize(
    ("params", "newest"),
    [
        ({"kind": '"HBM"', "core": None}, ("ktdp.memory_space", {"kind": '"global"', "ct_id": None})),
        ({"kind": '"LX"', "core": "7 : i64"}, ("ktdp.memory_space", {"kind": '"ct_local"', "ct_id": "7 : i64"})),
        ({"kind": '"L0"', "core": None}, None),
    ],
)
def test_the_old_memory_space_in_its_newest_spelling(params: dict[str, str | None], newest: object) -> None:
    assert ktdp.SpyreMemorySpaceAttr.spec.newest is not None
    assert ktdp.SpyreMemorySpaceAttr.spec.newest(params) == newest


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kind": '"ct_local"', "ct_id": "7 : i64"}, None),
        ({"kind": '"global"', "ct_id": None}, None),
        ({"kind": '"global"', "ct_id": "7 : i64"}, "ct_id belongs to ct_local, but the memory is global"),
        ({"kind": '"ct_local"', "ct_id": "-1 : i64"}, "ct_id must be at least 0, but is -1"),
    ],
)
def test_parameters_of_a_memory_space(params: dict[str, str | None], message: str | None) -> None:
    assert ktdp.MemorySpaceAttr.spec.problem is not None
    assert ktdp.MemorySpaceAttr.spec.problem(params) == message
