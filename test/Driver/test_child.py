"""The child process: its status, its death, its end with its parent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PRELUDE = """
import os, signal, sys, time
from spyrec.cli import child
from spyrec.errors import InvalidKernel, CompilerBug
def died(reached, signal): print("died", reached, signal, flush=True)
"""


def run(body: str, **keywords) -> subprocess.CompletedProcess[str]:
    text = PRELUDE + "def body(progress):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    text += "sys.exit(child.run(body, died))\n"
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, **keywords)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ("return 0", 0, ""),
        ("print('x', end=''); return 1", 1, "x"),
        ("raise InvalidKernel('no good')", 1, "error: no good"),
        ("raise CompilerBug('oh')", 3, "error: oh"),
        ("raise InvalidKernel()", 3, "internal error: the input was refused without a message"),
        ("[][1]", 3, "internal error: IndexError"),
        ("raise KeyboardInterrupt", 130, ""),
        ("f = lambda n: n and f(n - 1)\nf(50_000); return 0", 0, ""),
    ],
)
def test_status(body: str, status: int, says: str) -> None:
    done = run(body)
    assert done.returncode == status
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_death_by_a_signal_is_status_3_and_says_what_ran() -> None:
    done = run("progress('one'); progress('func.func(two)'); os.abort()")
    assert done.returncode == 3
    assert done.stdout == "died func.func(two) SIGABRT\n"


def test_the_stack_is_large() -> None:
    deep = "from spyrec.mlir import ir\n" + "depth = 100_000\n"
    deep += "ir.Type.parse('tuple<' * depth + 'i32' + '>' * depth, ir.Context()); return 0"
    assert run(deep).returncode == 0


def test_interrupts_reach_the_child() -> None:
    text = (
        PRELUDE
        + "def body(p):\n    print('up', flush=True); time.sleep(60); return 0\nsys.exit(child.run(body, died))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", text],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stdout.read() == ""


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_killed_parent_takes_the_child_along(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    body = f"    open({str(note)!r}, 'w').write(str(os.getpid())); print('up', flush=True); time.sleep(60); return 0\n"
    text = PRELUDE + "def body(p):\n" + body + "sys.exit(child.run(body, died))\n"
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
        # End of file only comes when the child, which holds the other end, is gone.
        assert process.stdout.read() == ""
    pid = int(note.read_text())
    for _ in range(600):
        if not alive(pid):
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the child outlived its parent")


@pytest.mark.parametrize("command", ["compile", "run"])
def test_the_parent_of_a_healthy_child_knows_no_mlir(command: str, tmp_path: Path) -> None:
    kernel = Path(__file__).resolve().parents[2] / "examples" / "add.mlir"
    words = [command, str(kernel), *(["-o", str(tmp_path / "a.spyre")] if command == "compile" else ["--seed", "0"])]
    text = (
        "import sys\nfrom spyrec.cli.main import main\n"
        f"status = 0\ntry:\n    status = main({words!r})\nexcept SystemExit as done:\n    status = done.code\n"
        "known = [name for name in sys.modules if name.startswith(('torch_mlir', 'mlir'))]\n"
        "print('parent knows', known)\nsys.exit(status)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "parent knows []"
