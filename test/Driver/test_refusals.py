"""One command per place where a command line, a file given on it, or a device is refused: status, and what it says."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
ADD = str(ROOT / "examples" / "add.mlir")
SPYRE = (ROOT / "spyrec" / "devices" / "spyre.mlir").read_text(encoding="utf-8")

# Command -> (status, what it says). add.spyre, add.bin, two.npz, other.mlir are in the folder.
COMMANDS = {
    f"compile {ADD} {ADD} -o x": (2, "-o takes the output of one FILE"),
    f"compile {ADD} --from-stage spyrecode": (2, "a binary cannot be compiled"),
    f"compile {ADD} --tune =off": (2, "expected PASS=off"),
    f"compile {ADD} --tune placecompute=off": (2, "no stage runs a pass 'placecompute'; did you mean 'place-compute'?"),
    f"compile {ADD} --tune place-compute=off": (2, "this pass is no optimisation"),
    f"compile {ADD} --device there-is-none.mlir": (2, "there-is-none.mlir"),
    f"compile {ADD} --device latin.mlir": (1, "is not UTF-8 text"),
    f"disasm {ADD}": (1, "is KTIR text, not an artifact [corrupt-artifact]"),
    f"inspect {ADD}": (1, "is KTIR text, not an artifact [corrupt-artifact]"),
    f"opt {ADD} {ADD}": (2, "spyrec opt takes one FILE"),
    f"opt --canonicalize=nothing=1 {ADD}": (2, "pass 'canonicalize'"),
    "run add.bin": (1, "is a bare binary (init_binary.bin), not an artifact [corrupt-artifact]"),
    "run add.spyre --stage kernel": (2, "needs KTIR text; add.spyre is an artifact"),
    f"run {ADD} --check --stage ktir": (2, "--check compares the binary"),
    f"run {ADD} --report --stage ktir": (2, "only the binary has cycles"),
    f"run {ADD} --worth --shuffle 1": (2, "--worth prints cycles that compare"),
    f"run {ADD} --stage ktir --seed 0 --probe 1": (2, "line 1 has no op with results"),
    f"run {ADD} --in x_ptr=a --in x_ptr=b": (2, "'x_ptr' is given twice"),
    f"run {ADD} --in x_ptr=two.npz": (1, "holds several arrays"),
    f"run {ADD} --in x_ptr=pickled.npy": (1, "is no .npy file"),
}
# What is replaced in the device file, by what, and what is said of it.
DEVICES = {
    "the rows of a matrix unit": (
        "spyrec.array = array<i64: ",
        "spyrec.array = array<i64: 7, ",
        "must be rows and columns",
    ),
    "an entry of the timing": ("spyrec.timing = {", "spyrec.timing = {nothing = 1 : i64, ", "has no entry 'nothing'"),
    "an entry of the limits": ("spyrec.limits = {", 'spyrec.limits = {registers = "a", ', ""),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("refusals")
    subprocess.run([sys.executable, "-m", "spyrec", "compile", ADD, "-o", "add.spyre"], cwd=made, check=True)
    subprocess.run([sys.executable, "-m", "spyrec", "compile", ADD, "-o", "plain/"], cwd=made, check=True)
    (made / "add.bin").write_bytes((made / "plain" / "init_binary.bin").read_bytes())
    np.savez(made / "two.npz", a=np.zeros(1), b=np.zeros(1))
    np.save(made / "pickled.npy", np.array([{}], dtype=object), allow_pickle=True)
    (made / "latin.mlir").write_bytes(b"// \xe9\n")
    return made


def said(command: list[str], folder: Path, **environment: str) -> tuple[int, str]:
    import os

    run = [sys.executable, "-m", "spyrec", *command]
    done = subprocess.run(
        run, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str, folder: Path) -> None:
    status, message = COMMANDS[command]
    got, text = said(command.split(), folder)
    assert (got, message in text) == (status, True), text
    assert "Traceback" not in text


def test_flags_of_the_environment(folder: Path) -> None:
    status, text = said(["compile", ADD], folder, SPYREC_FLAGS="'a")
    assert status == 2
    assert "SPYREC_FLAGS is not a list of flags" in text


def test_a_frontend_has_to_say_where_to_write(folder: Path) -> None:
    run = [
        sys.executable,
        "-c",
        "from spyrec.cli.main import dbo_opt_main; raise SystemExit(dbo_opt_main())",
        "--from-ktir",
        "--kEmitSpyreCode",
        ADD,
    ]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--kEmitSpyreCode needs --export-dir=DIR" in done.stderr


@pytest.mark.parametrize("name", DEVICES)
def test_devices(name: str, folder: Path) -> None:
    old, new, message = DEVICES[name]
    assert old in SPYRE
    (folder / "device.mlir").write_text(SPYRE.replace(old, new, 1))
    status, text = said(["compile", ADD, "--device", "device.mlir", "-o", "x.spyre"], folder)
    assert (status, message in text) == (1, True), text
