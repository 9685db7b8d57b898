"""A Python package that is missing, or broken, is a fault of the installation: named, with what to type, status 2."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import spyrec
from spyrec import packages

KERNEL = Path(__file__).resolve().parents[2] / "examples" / "add.mlir"
MAIN = "from spyrec.cli.main import main; sys.exit(main(sys.argv[1:]))"


def run_without(names: str, words: list[str]) -> subprocess.CompletedProcess[str]:
    """``spyrec WORDS`` in an interpreter that cannot import ``names``."""
    script = f"import sys; sys.modules.update(dict.fromkeys({names.split()!r})); {MAIN}"
    return subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("packages") / "add.spyre")
    spyrec.compile(KERNEL).save(path)
    return path


@pytest.mark.parametrize(
    ("names", "pip"),
    [
        ("torch_mlir mlir", "torch-mlir"),
        ("islpy", "islpy"),
        ("ml_dtypes", "ml_dtypes"),
        ("numpy", "numpy"),
        ("click", "click"),
    ],
)
@pytest.mark.parametrize("command", ["compile", "opt"])
def test_what_is_missing_is_named(command: str, names: str, pip: str, tmp_path: Path) -> None:
    done = run_without(names, [command, str(KERNEL), "-o", str(tmp_path / "out")])
    assert (done.returncode, done.stdout) == (2, "")
    said, note = done.stderr.splitlines()
    assert said == f"error: the Python package {pip} is not installed [missing-package]"
    assert note.startswith(f"note: python -m pip install '{pip}")
    assert not list(tmp_path.iterdir())


def test_all_that_are_missing_are_named_at_once(tmp_path: Path) -> None:
    done = run_without("numpy islpy", ["compile", str(KERNEL), "-o", str(tmp_path / "out")])
    assert "error: the Python packages numpy, islpy are not installed" in done.stderr


def test_who_only_runs_needs_no_compiler(artifact: str) -> None:
    assert run_without("torch_mlir mlir islpy", ["run", artifact, "--seed", "0"]).returncode == 0
    done = run_without("ml_dtypes", ["run", artifact, "--seed", "0"])
    assert done.returncode == 2
    assert "the Python package ml_dtypes is not installed [missing-package]" in done.stderr


def test_in_python() -> None:
    script = f"import sys; sys.modules['islpy'] = None; import spyrec; spyrec.compile({str(KERNEL)!r})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "UsageError: error: the Python package islpy is not installed" in done.stderr


def test_one_that_is_there_and_broken(tmp_path: Path) -> None:
    folder = tmp_path / "torch_mlir" / "_mlir_libs"
    folder.mkdir(parents=True)
    (tmp_path / "torch_mlir" / "__init__.py").touch()
    (folder / "__init__.py").write_text("raise ImportError('libMLIR.so: cannot open shared object file')\n")
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {MAIN}"
    done = subprocess.run([sys.executable, "-c", script, "opt", str(KERNEL)], capture_output=True, text=True)
    assert done.returncode == 2
    assert "torch-mlir cannot be imported: libMLIR.so: cannot open shared object file [missing-package]" in done.stderr


def test_another_package_that_is_missing_is_ours_to_explain() -> None:
    assert packages.refusal(ModuleNotFoundError("no x", name="x")) is None
    assert packages.refusal(ValueError()) is None


def test_versions_are_those_that_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.requires", lambda _: ["lit>=18; extra == 'test'", "numpy>=2.0"])
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(spyrec.UsageError, match=r"pip install 'numpy>=2.0'"):
        packages.check("numpy")
