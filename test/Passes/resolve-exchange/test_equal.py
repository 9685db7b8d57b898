# ruff: noqa: E501 (an op per line)
"""Inter-tile ops before and after: the same bytes in every order of tiles, for sets of every kind."""

from __future__ import annotations

import numpy as np
import pytest

from spyrec import asm, diag, driver, interp
from spyrec.device import read
from spyrec.dialects import make_context
from spyrec.driver import execute
from spyrec.errors import InvalidKernel
from spyrec.mlir import ir
from spyrec.passes.analysis import ops, uniformity
from spyrec.passes.analysis.tables import holds, look_up
from spyrec.passkit import PassContext, pipeline
from spyrec.spyrecode import bind
from spyrec.spyrecode.signature import Argument, Signature, View

TILES = 8
X = np.random.default_rng(3).standard_normal((TILES, 16)).astype(np.float32) * 100
SIGNATURE = Signature(
    "k",
    TILES,
    tuple(Argument(k, name, "address", "index") for k, name in enumerate("xzw")),
    tuple(View(k, name, "f32", (8, 16), (16, 1), 0, 128, "r" if name == "x" else "w") for k, name in enumerate("xzw")),
)
TYPE = "tensor<1x16xf32>"
ALL = "affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>"
QUAD = "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>"
ONE = "affine_set<(g) : (g == 0)>"
TWO = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"


def produce(name: str, values: str, tiles: str, groups: str, inside: str = "") -> str:
    types = ", ".join([TYPE] * values.count("%"))
    return (
        f"%{name} = ktdp.inter_tile_produce producer_tiles_per_group = {tiles} -> <({types}), groups = {groups}> {{\n"
        f"^bb0(%g: index):\n{inside}ktdp.yield_partial {values} : {types}\n}}\n"
    )


def consume(name: str, future: str, tiles: str, groups: str, dependency: str = "", roles: int = 1) -> str:
    types = ", ".join([TYPE] * roles)
    named = f", producer_dependency_per_consumer = {dependency}" if dependency else ""
    result = f"%{name}" if roles == 1 else f"%{name}:{roles}"
    return (
        f"{result} = ktdp.inter_tile_consume(%{future}) consumer_tiles_per_group = {tiles}{named}"
        f" : <({types}), groups = {groups}> -> {types}\n"
    )


def reduce(name: str, future: str, tiles: str, groups: str, dependency: str = "", op: str = "arith.subf") -> str:
    """Of one role; subtraction tells the order of the fold."""
    named = f"producer_dependency_per_consumer = {dependency}, " if dependency else ""
    return (
        f"%{name} = ktdp.inter_tile_reduce(%{future}) consumer_tiles_per_group = {tiles}, {named}identity(%id : {TYPE})"
        f" : <({TYPE}), groups = {groups}> -> {TYPE} {{\n^bb0(%p: {TYPE}, %q: {TYPE}):\n%c = {op} %p, %q : {TYPE}\n"
        f"ktdp.yield_reduced %c : {TYPE}\n}}\n"
    )


def store(value: str, tile: str = "zt") -> str:
    return f"ktdp.store %{value}, %{tile} : {TYPE}, <1x16xindex>\n"


def on(tiles: str, body: str) -> str:
    """``body`` on tiles for which the bits of a number say so."""
    return f"%m = arith.constant {tiles} : index\n%s = arith.shrui %m, %t : index\n%l = arith.andi %s, %c1 : index\n%on = arith.cmpi eq, %l, %c1 : index\nscf.if %on {{\n{body}}}\n"


def kernel(body: str) -> str:
    view = "sizes: [8, 16], strides: [16, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<8x16xf32>"
    tile = (
        "[%t, 0] {access_tile_set = #row, access_tile_order = #id} : memref<8x16xf32> -> !ktdp.access_tile<1x16xindex>"
    )
    return (
        "#all = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 15 >= 0)>\n#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 15 >= 0)>\n"
        "#id = affine_map<(r, c) -> (r, c)>\nfunc.func @k(%x: index, %z: index, %w: index) attributes {grid = [4, 2]} {\n"
        "%t = ktdp.get_compute_tile_id : index\n%i, %j = ktdp.get_compute_tile_id : index, index\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n"
        f"%id = arith.constant dense<100.0> : {TYPE}\n"
        f"%xv = ktdp.construct_memory_view %x, {view}\n%zv = ktdp.construct_memory_view %z, {view}\n%wv = ktdp.construct_memory_view %w, {view}\n"
        f"%xt = ktdp.construct_access_tile %xv{tile}\n%zt = ktdp.construct_access_tile %zv{tile}\n%wt = ktdp.construct_access_tile %wv{tile}\n"
        f"%a = ktdp.load %xt : <1x16xindex> -> {TYPE}\n%b = arith.negf %a : {TYPE}\n{body}return\n}}\n"
    )


FIRST = "affine_set<(i)[g] : (i - 4 * g == 0)>"
SOME = "affine_set<(i)[g] : (i - 4 * g - 1 >= 0, -i + 4 * g + 2 >= 0)>"
EVEN = "affine_set<(i)[g] : (i >= 0, -i + 7 >= 0, (i - g) mod 2 == 0)>"
ODD_ONES = "affine_set<(p)[c, g] : (p - 4 * g >= 0, -p + 4 * g + 3 >= 0, (p - c - 1) mod 4 == 0)>"
UPTO = "affine_set<(p)[c] : (p >= 0, -p + c >= 0)>"
NEVER = "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 3 >= 0)>"

KERNELS = {
    "all-reduce": produce("f", "%a", ALL, ONE) + reduce("r", "f", ALL, ONE) + store("r"),
    "groups": produce("f", "%a", QUAD, TWO) + reduce("r", "f", QUAD, TWO) + store("r"),
    "interleaved groups": produce("f", "%a", EVEN, TWO) + reduce("r", "f", EVEN, TWO) + store("r"),
    "to one": produce("f", "%a", QUAD, TWO) + reduce("r", "f", FIRST, TWO) + on("0x11", store("r")),
    "of some, to all": produce("f", "%a", SOME, TWO) + reduce("r", "f", QUAD, TWO) + store("r"),
    "a prefix sum": produce("f", "%a", ALL, ONE) + reduce("r", "f", ALL, ONE, UPTO) + store("r"),
    "irregular dependencies": produce("f", "%a", ALL, ONE) + reduce("r", "f", ALL, ONE, "affine_set<(p)[c] : (p >= 0, -p + 7 >= 0, p * 3 - c * 5 + ((p + c) mod 3) + 24 >= 0)>") + store("r"),
    "a group without producers": produce("f", "%a", NEVER, TWO) + reduce("r", "f", QUAD, TWO) + store("r"),
    "broadcast": produce("f", "%a", FIRST, TWO) + consume("r", "f", QUAD, TWO) + store("r"),
    "computed on producers only": produce("f", "%h", FIRST, TWO, f"%h = arith.addf %a, %b : {TYPE}\n") + consume("r", "f", QUAD, TWO) + store("r"),
    "a shift": produce("f", "%a", QUAD, TWO) + consume("r", "f", QUAD, TWO, ODD_ONES) + store("r"),
    "a reversal": produce("f", "%a", ALL, ONE) + consume("r", "f", ALL, ONE, "affine_set<(p)[c] : (p + c - 7 == 0)>") + store("r"),
    "no pattern": produce("f", "%a", ALL, ONE) + consume("r", "f", ALL, ONE, "affine_set<(p)[c] : (p >= 0, -p + 7 >= 0, (p mod 2) * 4 + p floordiv 2 - c == 0)>") + store("r"),
    "two roles": produce("f", "%a, %b", QUAD, TWO) + consume("r", "f", QUAD, TWO, ODD_ONES, 2) + store("r#0") + store("r#1", "wt"),
    "in a loop": f"%e = scf.for %k = %c0 to %c3 step %c1 iter_args(%v = %a) -> ({TYPE}) {{\n" + produce("f", "%v", QUAD, TWO) + reduce("r", "f", QUAD, TWO) + f"%n = arith.mulf %r, %v : {TYPE}\nscf.yield %n : {TYPE}\n}}\n" + store("e"),
    "in a branch of a group": on("0x0F", produce("f", "%a", "affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>", ONE) + reduce("r", "f", "affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>", ONE) + store("r")),
    "the number of the group": produce("f", "%h", QUAD, TWO, f"%n = arith.index_cast %g : index to i32\n%u = arith.sitofp %n : i32 to f32\n%d = tensor.splat %u : {TYPE}\n%h = arith.addf %a, %d : {TYPE}\n") + reduce("r", "f", QUAD, TWO) + store("r"),
}  # fmt: skip


def run(module: ir.Module, seed: int | None) -> dict[str, bytes]:
    function = list(module.body.operations)[-1].operation
    launch = bind(SIGNATURE, {"x": X}, {}, seed=None)
    interp.run(function, launch, seed=seed)
    return {name: array.tobytes() for name, array in launch.outputs().items()}


@pytest.mark.parametrize("name", KERNELS)
def test_the_same_bytes_before_and_after(name: str) -> None:
    context, sink = make_context(), diag.Sink()
    with context:
        module = asm.read(kernel(KERNELS[name]), "k.mlir", context, sink=sink).module
        before = run(module, None)
        line = pipeline.parse(
            "builtin.module(func.func(normalize-grid,check-uniformity,resolve-exchange,canonicalize,cse))"
        )
        line.run(module.operation, PassContext(context, sink, lambda: read.load("spyre")), verify_each=True)
        text = asm.print_op(module.operation)
        assert "inter_tile" not in text
        assert "dataflow.take" in text or name == "a group without producers"
        for seed in (None, 1, 2):
            assert run(module, seed) == before, text
        again = asm.read(text, "k.mlir", context, sink=sink).module
        assert asm.print_op(again.operation) == text


@pytest.mark.parametrize("name", KERNELS)
def test_the_same_bytes_as_a_schedule_and_as_a_binary(name: str) -> None:
    text = kernel(KERNELS[name])
    artifact = driver.compile_text(text, "k.mlir", driver.Options()).artifact
    assert artifact is not None
    found = []
    for stage, seed in (("ktir", None), ("kernel", 1), ("schedule", None), ("schedule", 1)):
        launch = bind(artifact.signature, {"x": X}, {}, seed=None)
        compiled = driver.compile_text(text, "k.mlir", driver.Options(emit=stage))
        execute.run_stage(compiled, launch, seed=seed)
        found.append({name: array.tobytes() for name, array in launch.outputs().items()})
    for shuffle in (None, 1, 2):
        launch = bind(artifact.signature, {"x": X}, {}, seed=None)
        execute.run_binary(artifact, launch, shuffle=shuffle)
        found.append({name: array.tobytes() for name, array in launch.outputs().items()})
    assert all(bytes_ == found[0] for bytes_ in found)


@pytest.mark.parametrize("count", [1, 2, 6, 7, 8, 12, 32])
def test_tables_and_sets_of_any_kind(count: int) -> None:
    rng = np.random.default_rng(count)
    tables: list[list[int | None]] = [[int(n) for n in rng.integers(-5, 40, count)] for _ in range(3)]
    tables += [[None if rng.random() < 0.5 else n for n in table] for table in tables]
    tables += [
        [(7 * i + 3) % count for i in range(count)],
        [i // 2 * 4 for i in range(count)],
        [None] * count,
        [5] * count,
    ]
    tables += [[count - 1 - i for i in range(count)], [0 if i < count // 2 else 9 for i in range(count)]]
    members = [sorted({int(n) for n in rng.integers(0, count, size)}) for size in (0, 1, 2, count // 2, count)]
    members += [list(range(0, count, 2)), list(range(count // 2, count)), [i for i in range(count) if i % 4 in (1, 2)]]
    with make_context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            where = ir.Location.unknown()
            for index in range(count):
                value = ops.index_constant(index, where)
                for table in tables:
                    assert table[index] in (None, evaluated(look_up(table, value, where)))
                for chosen in members:
                    assert evaluated(holds(chosen, count, value, where)) == (index in chosen), (index, chosen)


def evaluated(value: ir.Value) -> int:
    """An integer computed from constants."""
    found = uniformity.Uniformity(value.owner.operation).number(value, 0)
    assert found is not None
    return found


def test_a_take_by_a_stranger_is_said() -> None:
    body = f"%o = dataflow.offer %a to [[1], [0], [], [], [], [], [], []] : {TYPE}\n%u = arith.subi %c1, %t : index\n"
    body += f"%r = dataflow.take %o from %c1 : {TYPE}\n" + store("r")
    with make_context() as context, pytest.raises(InvalidKernel, match="is none of its takers") as caught:
        run(asm.read(kernel(body), "k.mlir", context).module, None)
    assert caught.value.diagnostics[0].id == "wrong-dependency"


def test_who_never_offers_is_waited_for() -> None:
    body = on(
        "0x01",
        f"%o = dataflow.offer %a to [[], [0], [], [], [], [], [], []] : {TYPE}\n%r = dataflow.take %o from %c1 : {TYPE}\n",
    )
    with (
        make_context() as context,
        pytest.raises(InvalidKernel, match="tile 0 waits for the offer of tile 1, at the end") as caught,
    ):
        run(asm.read(kernel(body), "k.mlir", context).module, None)
    assert caught.value.diagnostics[0].id == "deadlock"
