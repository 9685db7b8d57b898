"""``examples/check.py``, which the README names: kernels and files of both folders, and names that are none."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check(*names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "examples" / "check.py", *names],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT)},
    )


def test_files_and_kernels_of_both_folders() -> None:
    done = check("rope", "triton_copy", "loop_1")
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["rope", "copy_kernel", "loop_1"]
    assert done.stdout.count("matches NumPy") == 3


def test_a_name_that_is_none() -> None:
    done = check("add", "softmax")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no example is called softmax; there are add" in done.stderr
    assert "softmax_splat" in done.stderr
