# ruff: noqa: E501 (an op per line)
"""Inter-tile ops: matching in loops and branches, groups, identity, who is no consumer, deadlock; scratchpads at launch."""

import numpy as np
import pytest
from kernel import box, execute, load, refused, store, tile, view, written

from spyrec import interp

X = np.arange(1, 33, dtype=np.float32).reshape(4, 8)
KIND = "memref<4x8xf32>"
ALL = "affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>"
PAIR = "affine_set<(i)[g] : (i - 2 * g >= 0, -i + 2 * g + 1 >= 0)>"
ONE = "affine_set<(g) : (g == 0)>"
TWO = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"


def produce(name: str, value: str, tiles: str = ALL, groups: str = ONE) -> str:
    return (
        f"%{name} = ktdp.inter_tile_produce producer_tiles_per_group = {tiles} -> <(tensor<1x8xf32>), groups = {groups}> {{\n"
        f"^bb0(%g{name}: index):\n  ktdp.yield_partial %{value} : tensor<1x8xf32>\n}}\n"
    )


def reduce(name: str, future: str, tiles: str = ALL, groups: str = ONE, op: str = "arith.addf") -> str:
    return (
        f"%{name} = ktdp.inter_tile_reduce(%{future}) consumer_tiles_per_group = {tiles}, identity(%i : tensor<1x8xf32>)"
        f" : <(tensor<1x8xf32>), groups = {groups}> -> tensor<1x8xf32> {{\n"
        f"^bb0(%p{name}: tensor<1x8xf32>, %q{name}: tensor<1x8xf32>):\n  %t{name} = {op} %p{name}, %q{name} : tensor<1x8xf32>\n"
        f"  ktdp.yield_reduced %t{name} : tensor<1x8xf32>\n}}\n"
    )


def kernel(body: str, result: str) -> str:
    return (
        "func.func @kernel(%x: index, %z: index) attributes {grid = [4]} {\n%t = ktdp.get_compute_tile_id : index\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
        "%c3 = arith.constant 3 : index\n%i = arith.constant dense<100.0> : tensor<1x8xf32>\n"
        + view("xv", "%x", (4, 8), "f32")
        + view("zv", "%z", (4, 8), "f32")
        + tile("own", "xv", "%t, 0", (1, 8), KIND)
        + tile("out", "zv", "%t, 0", (1, 8), KIND)
        + load("a", "own", (1, 8), "f32")
        + body
        + store(result, "out", (1, 8), "f32")
        + "return\n}\n"
    )


def run(body: str, result: str, seed: int | None = 1) -> np.ndarray:
    return execute(kernel(body, result), {"x": X, "z": written((4, 8), "f32")}, seed=seed)["z"]


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_fold_in_the_order_of_tiles(seed: int | None) -> None:
    got = run(produce("f", "a") + reduce("s", "f", op="arith.subf"), "s", seed)
    assert np.array_equal(got, np.repeat((X[0] - X[1] - X[2] - X[3])[None], 4, axis=0))


def test_groups_are_apart() -> None:
    got = run(produce("f", "a", PAIR, TWO) + reduce("s", "f", PAIR, TWO), "s")
    assert np.array_equal(got, np.repeat(X.reshape(2, 2, 8).sum(axis=1), 2, axis=0))


def test_executions_in_a_loop_belong_together_by_their_number() -> None:
    body = (
        "%r = scf.for %k = %c0 to %c3 step %c1 iter_args(%v = %a) -> (tensor<1x8xf32>) {\n"
        + produce("f", "v") + reduce("s", "f") + "%h = arith.addf %s, %v : tensor<1x8xf32>\nscf.yield %h : tensor<1x8xf32>\n}\n"
    )  # fmt: skip
    want = X
    for _ in range(3):
        want = want + want.sum(axis=0, dtype=np.float32)
    assert np.array_equal(run(body, "r"), want)


def test_a_branch_that_a_whole_group_takes() -> None:
    body = (
        "%low = arith.cmpi ult, %t, %c2 : index\n%r = scf.if %low -> (tensor<1x8xf32>) {\n"
        + produce("f", "a", "affine_set<(i)[g] : (i >= 0, -i + 1 >= 0)>")
        + reduce("s", "f", "affine_set<(i)[g] : (i >= 0, -i + 1 >= 0)>")
        + "scf.yield %s : tensor<1x8xf32>\n} else {\nscf.yield %a : tensor<1x8xf32>\n}\n"
    )
    assert np.array_equal(run(body, "r"), np.concatenate([np.repeat(X[:2].sum(axis=0)[None], 2, axis=0), X[2:]]))


def test_a_branch_that_part_of_a_group_takes_is_a_deadlock_that_names_who_waits_for_whom() -> None:
    body = "%low = arith.cmpi ult, %t, %c2 : index\nscf.if %low {\n" + produce("f", "a") + reduce("s", "f") + "}\n"
    found = refused(kernel(body, "a"), {"x": X, "z": written((4, 8), "f32")})
    assert found.id == "deadlock"
    assert (
        found.message
        == "no compute tile can go on: tiles 0 to 1 wait for what group 0 gets from tiles 2 to 3, at the end"
    )


def test_waiting_for_one_another_names_every_place() -> None:
    first, second = produce("f", "a") + reduce("s", "f"), produce("h", "a") + reduce("u", "h")
    body = f"%low = arith.cmpi ult, %t, %c2 : index\nscf.if %low {{\n{first}}} else {{\n{second}}}\n"
    found = refused(kernel(body, "a"), {"x": X, "z": written((4, 8), "f32")})
    texts = [found.message, *(n.message for n in found.notes)]
    assert any("tiles 0 to 1 wait for what group 0 gets from tiles 2 to 3, waiting too" in t for t in texts)
    assert any("tiles 2 to 3 wait for what group 0 gets from tiles 0 to 1, waiting too" in t for t in texts)


def test_a_tile_that_is_no_consumer_has_nothing() -> None:
    first = "affine_set<(i)[g] : (i == 0)>"
    body = produce("f", "a") + reduce("s", "f", first)
    assert refused(kernel(body, "s"), {"x": X, "z": written((4, 8), "f32")}).id == "undefined-value"
    body += "%w = arith.cmpi eq, %t, %c0 : index\n%r = scf.if %w -> (tensor<1x8xf32>) {\nscf.yield %s : tensor<1x8xf32>\n} else {\nscf.yield %a : tensor<1x8xf32>\n}\n"
    assert np.array_equal(run(body, "r"), np.concatenate([X.sum(axis=0)[None], X[1:]]))


def test_what_a_group_without_producers_gives() -> None:
    nobody = "affine_set<(i)[g] : (i >= 0, -i + 3 >= 0, i - 4 >= 0)>"
    assert (run(produce("f", "a", nobody) + reduce("s", "f"), "s") == 100).all()


def test_a_sum_over_a_dependency_set() -> None:
    body = produce("f", "a") + reduce("s", "f").replace(
        ", identity(",
        ", producer_dependency_per_consumer = affine_set<(p)[c] : (p >= 0, -p + 3 >= 0, c - p >= 0)>, identity(",
    )
    assert np.array_equal(run(body, "s"), np.cumsum(X, axis=0, dtype=np.float32))


LX = (
    view("lv", "%c0", (1, 8), "f32").replace("<global>", "<ct_local, ct_id = 3>")
    + tile("lt", "lv", "0, 0", (1, 8), "memref<1x8xf32>", box((1, 8)))
    + load("l", "lt", (1, 8), "f32")
)


def test_a_scratchpad_that_the_launch_fills() -> None:
    text = kernel(LX, "l")
    values = {"x": X, "z": written((4, 8), "f32")}
    assert refused(text, values).id == "unwritten-read"
    held = interp.Preset(3, 0, np.full(8, 5, np.float32))
    assert (execute(text, values, lx=[held])["z"] == 5).all()
    other = interp.Preset(2, 0, np.full(8, 5, np.float32))
    assert refused(text, values, lx=[other]).id == "unwritten-read"
