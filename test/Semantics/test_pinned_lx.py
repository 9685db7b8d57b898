"""Views of scratchpads with addresses of the kernel's own: as written, at each stage, and as binaries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from launching import execute

import spyrec
from spyrec import driver, isa
from spyrec.driver import execute as running
from spyrec.errors import InvalidKernel
from spyrec.spyrecode.launch import bind

X = np.arange(64, dtype=np.float32)
OWN = "#ktdp.memory_space<ct_local>"
THIRD = "#ktdp.memory_space<ct_local, ct_id = 3>"


def view(name: str, base: str, space: str) -> str:
    return (
        f"  %{name}v = ktdp.construct_memory_view {base}, sizes: [64], strides: [1]"
        f" {{coordinate_set = #all, memory_space = {space}}} : memref<64xf32>\n"
        f"  %{name} = ktdp.construct_access_tile %{name}v[0] {{access_tile_set = #all, access_tile_order = #same}}"
        " : memref<64xf32> -> !ktdp.access_tile<64xindex>\n"
    )


def load(name: str, tile: str) -> str:
    return f"  %{name} = ktdp.load %{tile} : <64xindex> -> tensor<64xf32>\n"


def store(name: str, tile: str) -> str:
    return f"  ktdp.store %{name}, %{tile} : tensor<64xf32>, <64xindex>\n"


def add(name: str, a: str, b: str) -> str:
    return f"  %{name} = arith.addf %{a}, %{b} : tensor<64xf32>\n"


def kernel(body: str, space: str, grid: int = 1) -> str:
    views = view("x", "%xp", "#ktdp.memory_space<global>") + view("z", "%zp", "#ktdp.memory_space<global>")
    return (
        "#all = affine_set<(i) : (i >= 0, -i + 63 >= 0)>\n#same = affine_map<(i) -> (i)>\n"
        f"func.func @k(%xp: index, %zp: index) attributes {{grid = [{grid}]}} {{\n"
        "  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n  %four = arith.constant 4 : index\n"
        "  %at = arith.constant 32 : index\n  %t = ktdp.get_compute_tile_id : index\n"
        "  %first = arith.cmpi eq, %t, %zero : index\n"
        f"{views}{view('l', '%at', space)}{body}  return\n}}\n"
    )


def of_the_first(body: str) -> str:
    return f"  scf.if %first {{\n{body}  }}\n"


KEPT = load("a", "x") + store("a", "l") + load("b", "l") + add("c", "a", "b") + store("c", "z")
SUMMED = (
    load("a", "x") + store("a", "l") + "  scf.for %i = %zero to %four step %one {\n"
    f"{load('b', 'l')}{add('c', 'b', 'a')}{store('c', 'l')}  }}\n{load('d', 'l')}{store('d', 'z')}"
)
READ = load("a", "l") + add("b", "a", "a") + store("b", "z")

RIGHT: dict[str, tuple[str, dict[str, Any], Any]] = {
    "written and read": (kernel(KEPT, OWN), {"xp": X}, 2 * X),
    "updated in a loop": (kernel(SUMMED, OWN), {"xp": X}, 5 * X),
    "supplied": (kernel(READ, OWN), {"lx0:32": X}, 2 * X),
    "another core's, written and read": (kernel(of_the_first(KEPT), THIRD, 4), {"xp": X}, 2 * X),
    "another core's, supplied": (kernel(of_the_first(READ), THIRD, 4), {"lx3:32": X}, 2 * X),
}


@pytest.mark.parametrize("name", RIGHT)
def test_it_computes_the_same_at_each_stage(name: str) -> None:
    text, given, expected = RIGHT[name]
    assert np.array_equal(execute(text, given)["zp"], expected)
    for stage in ("kernel", "schedule", "program"):
        compiled = driver.compile_text(text, "k.mlir", driver.Options(emit=stage))
        signature = running.signature_of(text, "k.mlir", driver.Options())
        launch = bind(signature, given, {}, seed=5)
        running.run_stage(compiled, launch)
        assert np.array_equal(launch.outputs()["zp"], expected), stage
    assert np.array_equal(spyrec.compile(text).run(given)["zp"], expected)


@pytest.mark.parametrize(("space", "grid"), [(OWN, 1), (THIRD, 4)])
def test_what_nobody_wrote_is_reported_where_it_is_read(space: str, grid: int) -> None:
    text = kernel(of_the_first(READ), space, grid)
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "ktdp.load %l" in row)
    with pytest.raises(InvalidKernel) as caught:
        spyrec.compile(text).run({})
    (found,) = [d for d in caught.value.diagnostics if d.id == "unwritten-read"]
    assert found.position is not None
    assert found.position.line == line


def test_tiles_that_write_one_scratchpad_race() -> None:
    """The mistake is the kernel's: nothing else could order them."""
    text = kernel(load("a", "x") + store("a", "l"), THIRD, 4)
    with pytest.raises(InvalidKernel) as caught:
        spyrec.compile(text)
    assert "tile-race" in {d.id for d in caught.value.diagnostics}


def test_compiler_buffers_keep_away() -> None:
    """The binary's buffers share no byte with those of the kernel's view."""
    artifact = driver.compile_text(kernel(KEPT, OWN), "k.mlir", driver.Options(emit="spyrecode")).artifact
    assert artifact is not None
    buffers = isa.decode(artifact.binary).buffers
    pinned = next(b for b in buffers if b.name == "pinned")
    assert pinned.address <= 128 < 384 <= pinned.end
    assert all(b.end <= pinned.address or pinned.end <= b.address for b in buffers if b is not pinned)
