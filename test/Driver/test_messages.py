"""``-W`` and ``-w``: which messages are shown, how many of a kind, and what they make of the exit status."""

import json
from pathlib import Path

import pytest

from spyrec.cli.main import main
from spyrec.cli.messages import SHORT, Policy
from spyrec.errors import Diagnostic, Severity

TILES = 8
KERNEL = """
#all = affine_set<(i) : (i >= 0, -i + 39 >= 0)>
#tile = affine_set<(i) : (i >= 0, -i + 63 >= 0)>
#id = affine_map<(i) -> (i)>
func.func @k(%x: index, %z: index) attributes {grid = [1]} {
  %xv = ktdp.construct_memory_view %x, sizes: [40], strides: [1]
    {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<40xf32>
  %zv = ktdp.construct_memory_view %z, sizes: [64], strides: [1]
    {coordinate_set = #tile, memory_space = #ktdp.memory_space<global>} : memref<64xf32>
  %zt = ktdp.construct_access_tile %zv[0] {access_tile_set = #tile, access_tile_order = #id}
    : memref<64xf32> -> !ktdp.access_tile<64xindex>
BODY
  return
}
"""
CLIPPED = """  %xtN = ktdp.construct_access_tile %xv[0] {access_tile_set = #tile, access_tile_order = #id} : memref<40xf32> -> !ktdp.access_tile<64xindex>
  %aN = ktdp.load %xtN : <64xindex> -> tensor<64xf32>
  ktdp.store %aN, %zt : tensor<64xf32>, <64xindex>
"""  # noqa: E501 (one line per tile)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kernel with several clipped tiles: a warning each."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "k.mlir"
    path.write_text(KERNEL.replace("BODY\n", "".join(CLIPPED.replace("N", str(i)) for i in range(TILES))))
    return path


def said(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(list(words))
    return status, capfd.readouterr().err


def test_the_first_of_a_kind_has_its_line_and_the_rest_are_counted(
    kernel: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, text = said(capfd, "compile", "k.mlir")
    lines = text.splitlines()
    assert status == 0
    assert len([line for line in lines if "[clipped-tile]" in line]) == 6
    assert text.count("^\n") == text.count("note: points outside are 0") == 1
    assert lines[-1] == f"warning: the same in {TILES - 5} more places; -Wall shows all [clipped-tile]"


def test_one_more_is_shown_and_not_counted() -> None:
    why = Diagnostic(Severity.NOTE, "why")
    alike = [Diagnostic(Severity.WARNING, f"tile {k}", "clipped-tile", notes=(why,)) for k in range(SHORT + 1)]
    shown = Policy().folded(alike)
    assert [d.message for d in shown] == [d.message for d in alike]
    assert [bool(d.notes) for d in shown] == [True] + [False] * SHORT


def test_all_are_shown_in_full(kernel: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, text = said(capfd, "compile", "k.mlir", "-Wall")
    assert text.count("note: points outside are 0") == text.count("[clipped-tile]") == TILES


def test_json_always_has_all(kernel: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, text = said(capfd, "compile", "k.mlir", "--diagnostics=json")
    assert [json.loads(line)["id"] for line in text.splitlines()] == ["clipped-tile"] * TILES


@pytest.mark.parametrize("quiet", [["-Wno-clipped-tile"], ["-w"], ["-W", "no-clipped-tile"]], ids=" ".join)
def test_what_is_not_wanted_is_not_shown(kernel: Path, quiet: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert said(capfd, "compile", "k.mlir", *quiet) == (0, "")
    assert Path("k.spyre").exists()


@pytest.mark.parametrize("words", [["-Werror"], ["-Werror=clipped-tile"], ["-w", "-Werror"]], ids=" ".join)
def test_warnings_become_errors_and_nothing_is_written(
    kernel: Path, words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    status, text = said(capfd, "compile", "k.mlir", *words)
    assert status == 1
    assert text.startswith("k.mlir:12:41: error: the tile takes 0..63 in dimension 0")
    assert not Path("k.spyre").exists()


def test_what_is_hidden_is_no_error_either(kernel: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert said(capfd, "compile", "k.mlir", "-Werror", "-Wno-clipped-tile") == (0, "")


def test_remarks_become_errors_only_by_name(kernel: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = ["run", "k.mlir", "--seed", "0", "-Wno-clipped-tile"]
    assert said(capfd, *run, "-Werror")[0] == 0
    status, text = said(capfd, *run, "-Werror=random-data")
    assert (status, text) == (1, "error: x: random data of seed 0 [random-data]\n")


def test_a_frontend_whose_command_line_is_fixed(
    kernel: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from spyrec.cli.main import dbo_opt_main

    monkeypatch.setenv("SPYREC_FLAGS", "-Werror")
    assert dbo_opt_main(["--from-ktir", "--export-dir=out", "--kEmitSpyreCode", "k.mlir"]) == 1
    assert not Path("out").exists()
    monkeypatch.setenv("SPYREC_FLAGS", "-w")
    capfd.readouterr()
    assert dbo_opt_main(["--from-ktir", "--export-dir=out", "--kEmitSpyreCode", "k.mlir"]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("-Wno-clipped-tiles", "no message has the id 'clipped-tiles'; did you mean 'clipped-tile'?"),
        ("-Weror", "expected -Wall, -Wno-ID, -Werror or -Werror=ID"),
    ],
)
def test_what_there_is_not(kernel: Path, word: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    status, text = said(capfd, "compile", "k.mlir", word)
    assert status == 2
    assert f"error: {word}: {message} [command-line]" in text
