"""The format of this project's tests: RUN lines, and pytest for files ``test_*.py``."""

import fcntl
import subprocess
import sys
from pathlib import Path
from typing import TextIO

import lit.formats
from lit.Test import FAIL, PASS, TIMEOUT, Result

_locks: list[TextIO] = []


def own_folder(folder: Path) -> str:
    """``folder`` for the output of tests, or one inside it when another run of lit in this tree has it already.

    Tests begin by removing what they left the last time: two runs in one folder break each other.
    """
    folder.mkdir(exist_ok=True)
    for number in range(100):
        chosen = folder / f"run-{number}" if number else folder
        chosen.mkdir(exist_ok=True)
        lock = open(chosen / ".lock", "w")  # noqa: SIM115 (held until lit ends)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        _locks.append(lock)
        return str(chosen)
    raise RuntimeError(f"a hundred runs of lit hold their locks in {folder}")


class SpyrecTests(lit.formats.ShTest):
    """RUN lines for .mlir and .test files; a test_*.py is one test, run by pytest (one without tests fails)."""

    def execute(self, test, litConfig):  # noqa: N803 (lit's name)
        test.config.environment["SPYREC_TEST"] = "/".join(("test", *test.path_in_suite[1:]))
        path = test.getSourcePath()
        if not path.endswith(".py"):
            return super().execute(test, litConfig)
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", path]
        limit = litConfig.maxIndividualTestTime or None
        try:
            done = subprocess.run(
                command,
                cwd=test.suite.source_root,
                env=test.config.environment,
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            return Result(TIMEOUT, f"{' '.join(command)}: no end after {late.timeout} s")
        return Result(PASS if done.returncode == 0 else FAIL, done.stdout + done.stderr)

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):  # noqa: N802, N803 (lit's names)
        for test in super().getTestsInDirectory(testSuite, path_in_suite, litConfig, localConfig):
            name = test.path_in_suite[-1]
            if not name.endswith(".py") or name.startswith("test_"):
                yield test
