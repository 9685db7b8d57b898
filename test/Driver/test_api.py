"""The in-process API: paths and texts, exceptions, threads, forks, saving."""

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

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


def test_saved_and_loaded(tmp_path: Path) -> None:
    code = spyrec.compile(KERNEL)
    for name in ("add.spyre", "folder/"):
        path = os.path.join(tmp_path, name)
        code.save(path)
        check(spyrec.load(path))
    assert (tmp_path / "folder" / "spyrecode.json").is_file()


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
    with pytest.raises(InvalidKernel, match=r"<text>:1:1: error: 'prose' is no op.* \[unknown-op\]$"):
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
