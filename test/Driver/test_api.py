"""The in-process API: paths and texts, exceptions, threads, forks, saving."""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spyrec
from spyrec.errors import InvalidKernel, UsageError

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "examples" / "add.mlir"


def launch() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {name: rng.standard_normal((96, 64)).astype(np.float16) for name in ("x_ptr", "y_ptr")}


def check(code: spyrec.Code) -> None:
    arrays = launch()
    got = code.run(arrays)
    assert list(got) == ["z_ptr"]
    assert got["z_ptr"].dtype == np.float16
    np.testing.assert_array_equal(got["z_ptr"], arrays["x_ptr"] + arrays["y_ptr"])
    assert code.execute(arrays).cycles == code.execute(arrays).report["cycles"] > 0


def test_path_and_text() -> None:
    check(spyrec.compile(KERNEL))
    check(spyrec.compile(str(KERNEL)))
    check(spyrec.compile(KERNEL.read_text(encoding="utf-8"), kernel="add"))


def test_text_of_a_stage() -> None:
    text = spyrec.compile(KERNEL, emit="ktir")
    assert isinstance(text, str)
    assert "ktdp.load" in text
    assert spyrec.compile(text, emit="ktir") == text


def test_a_stage_is_gone_on_from() -> None:
    text = spyrec.compile(KERNEL, emit="kernel")
    assert isinstance(text, str)
    assert spyrec.compile(text, emit="kernel", from_stage="kernel") == text
    there = spyrec.compile(text, from_stage="kernel")
    assert there.signature.kernel == spyrec.compile(KERNEL).signature.kernel
    with pytest.raises(spyrec.UsageError, match="add --from-stage kernel"):
        spyrec.compile(text)


def test_saved_and_loaded(tmp_path: Path) -> None:
    code = spyrec.compile(KERNEL)
    for name in ("add.spyre", "folder/"):
        path = os.path.join(tmp_path, name)
        code.save(path)
        check(spyrec.load(path))
    assert (tmp_path / "folder" / "spyrecode.json").is_file()


def test_what_is_no_kernel_and_what_is_no_artifact(tmp_path: Path) -> None:
    """Each is named for what it is, with what takes it."""
    path = {name: str(tmp_path / name) for name in ("add.spyre", "add", "empty", "garbage", "none", "nothing")}
    code = spyrec.compile(KERNEL)
    code.save(path["add.spyre"])
    code.save(path["add"] + "/")
    Path(path["empty"]).touch()
    Path(path["garbage"]).write_bytes(bytes(range(256)))
    Path(path["nothing"]).mkdir()
    binary, plan = f"{path['add']}/init_binary.bin", f"{path['add']}/spyrecode.json"
    compiles = {
        path["add.spyre"]: "is a SpyreCode artifact, not KTIR text",
        path["add"]: "is a folder with a SpyreCode artifact",
        binary: "is a bare binary",
        plan: "is JSON, not KTIR text",
        path["empty"]: "there is no kernel in this file: it is empty",
        path["garbage"]: "is binary data, not KTIR text",
        path["none"]: "no such file",
        path["nothing"]: "is a directory",
    }
    loads = {
        str(KERNEL): "is KTIR text, not an artifact [corrupt-artifact]\nnote: 'spyrec compile', and spyrec.compile in",
        binary: "is a bare binary",
        plan: "is JSON, not an artifact [corrupt-artifact]\nnote: a file of an artifact goes by the folder",
        path["empty"]: "is an empty file, not an artifact",
        path["garbage"]: "is binary data, not an artifact",
        path["none"]: "no such file",
        path["nothing"]: "this folder has no artifact in it",
    }
    for function, cases in ((spyrec.compile, compiles), (spyrec.load, loads)):
        for source, says in cases.items():
            with pytest.raises(InvalidKernel) as caught:
                function(source)
            assert says in str(caught.value)
            assert source in str(caught.value)
            assert caught.value.diagnostics[0].id


@pytest.mark.parametrize(
    ("function", "source", "says"),
    [
        (spyrec.load, KERNEL.read_text(encoding="utf-8"), r"got the text of a kernel: compile\(\) takes that"),
        (spyrec.load, "", "got an empty string"),
        (spyrec.load, None, "a path as a str, got NoneType"),
        (spyrec.compile, None, "got NoneType"),
        (spyrec.compile, b"module {}", "got bytes"),
        (spyrec.compile, 3, "a path or the text of a kernel as a str, got int"),
    ],
)
def test_what_is_neither_path_nor_text(function: Callable[[Any], object], source: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        function(source)


def test_an_export_directory_is_loaded(tmp_path: Path) -> None:
    spyrec.compile(KERNEL).save(f"{tmp_path}/spyreCodeDir/")
    check(spyrec.load(tmp_path))


def test_an_error_shows_what_the_command_line_shows(tmp_path: Path) -> None:
    """Places, ids, the line with its caret, notes; of a text that is nowhere in a file, too, and after pickling."""
    wrong = KERNEL.read_text(encoding="utf-8").replace("%x[%r, 0]", "%x[%r + 96, 0]")
    file = tmp_path / "k.mlir"
    file.write_text(wrong, encoding="utf-8")
    for source, name in ((wrong, "<text>"), (str(file), str(file))):
        command = [sys.executable, "-m", "spyrec", "compile", "-" if source is wrong else source]
        shown = subprocess.run(command, input=wrong, capture_output=True, text=True, cwd=tmp_path).stderr
        with pytest.raises(InvalidKernel) as caught:
            spyrec.compile(source)
        assert str(caught.value) == shown.replace("<stdin>", "<text>").rstrip("\n")
        assert f"{name}:13:8: note: the view is made here\n    %x = ktdp" in str(caught.value)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    file.unlink()
    assert "\n    %x = ktdp" in str(caught.value)
    with pytest.raises(InvalidKernel) as caught:
        spyrec.compile(KERNEL.read_text(encoding="utf-8")).run({"x_ptr": launch()["x_ptr"]})
    assert "<text>:6:31: error: no array for 'y_ptr' [missing-array]\n  func.func @add(%x_ptr" in str(caught.value)
    assert "\nnote: give it with" in str(caught.value)


def test_a_transposed_array_is_said() -> None:
    code = spyrec.compile(KERNEL)
    arrays = {name: np.ascontiguousarray(array.T) for name, array in launch().items()}
    assert [d.id for d in code.execute(arrays).warnings] == ["other-shape"] * 2
    assert "other-shape" in [d.id for d in spyrec.interpret(KERNEL, arrays).diagnostics]
    assert not code.execute(launch()).warnings


@pytest.mark.parametrize(
    ("source", "options", "kind"),
    [
        ("no/such/file.mlir", {}, InvalidKernel),
        ("func.func @f() {\n", {}, InvalidKernel),
        ("  ", {}, UsageError),
        (str(KERNEL), {"emit": "spirecode"}, UsageError),
        (str(KERNEL), {"kernel": "sub"}, UsageError),
        (str(KERNEL), {"device": "no-such-device"}, spyrec.SpyrecError),
    ],
)
def test_exceptions_carry_diagnostics_and_pickle(source: str, options: dict[str, str], kind: type) -> None:
    with pytest.raises(kind) as caught:
        spyrec.compile(source, **options)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value)
    assert again.diagnostics == caught.value.diagnostics
    assert again.diagnostics[0].message


def test_a_wrong_launch_is_refused() -> None:
    code = spyrec.compile(KERNEL)
    with pytest.raises(InvalidKernel, match="y_ptr"):
        code.run({"x_ptr": launch()["x_ptr"]})
    with pytest.raises(UsageError, match="a mapping from names to arrays and numbers, got list"):
        code.run([launch()["x_ptr"]])  # type: ignore[arg-type]
    with pytest.raises(InvalidKernel, match="w_ptr"):
        code.run({**launch(), "w_ptr": launch()["x_ptr"]})


@pytest.mark.parametrize("seeds", [{"seed": -1}, {"shuffle": -1}])
def test_seeds_are_natural_numbers(seeds: dict[str, int]) -> None:
    code = spyrec.compile(KERNEL)
    assert isinstance(code, spyrec.Code)
    with pytest.raises(UsageError, match="=-1: a seed is a number from 0 on"):
        code.run({}, **seeds)


def test_what_an_interactive_user_sees() -> None:
    assert {"compile", "load", "Code", "InvalidKernel", "__version__"} <= set(dir(spyrec))
    assert all(hasattr(spyrec, name) for name in dir(spyrec))
    assert spyrec.__version__
    code = spyrec.compile(KERNEL)
    assert repr(code) == f"<spyrec.Code add: spyre, 32 tiles, {len(code.artifact.binary)} bytes>"
    with pytest.raises(InvalidKernel, match=r"<text>:1:1: error: 'prose' is no op.* \[unknown-op\]\n"):
        spyrec.compile("prose\n")


def test_threads() -> None:
    results: list[str] = []

    def work() -> None:
        results.append(spyrec.compile(KERNEL, emit="kernel"))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6
    assert len(set(results)) == 1


def test_fork_after_a_compilation() -> None:
    spyrec.compile(KERNEL, emit="ktir")
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if spyrec.compile(KERNEL, emit="kernel") else 1
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0


def test_importing_the_package_imports_no_mlir_and_no_numpy() -> None:
    text = "import sys, spyrec; print(sorted(m for m in ('torch_mlir', 'mlir', 'numpy', 'click') if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_settings_and_tuning_are_those_of_the_command_line() -> None:
    kernel = ROOT / "examples" / "add.mlir"
    plain = spyrec.compile(kernel)
    alone = spyrec.compile(kernel, tuning=["choose-buffer-depth=off"])
    assert alone.execute({}, seed=0).cycles > plain.execute({}, seed=0).cycles
    with pytest.raises(spyrec.OutOfResources):
        spyrec.compile(kernel, settings=["device.lx.size=128"])
    with pytest.raises(spyrec.UsageError, match="those that may be left out are cse"):
        spyrec.compile(kernel, tuning=["bogus=off"])
