# ruff: noqa: F821 (lit defines config)
"""How `lit test` finds and runs the tests: RUN lines in .mlir and .test files, pytest for each test_*.py."""

import os
import subprocess
import sys
from pathlib import Path

import lit.formats
from lit.Test import FAIL, PASS, TIMEOUT, Result

ROOT = Path(__file__).resolve().parent


class SpyrecTests(lit.formats.ShTest):
    """RUN lines for .mlir and .test files; a test_*.py is one test, run by pytest (exit status 5, no test found, fails)."""

    def execute(self, test, litConfig):  # noqa: N803 (lit's name)
        path = test.getSourcePath()
        if not path.endswith(".py"):
            return super().execute(test, litConfig)
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", path]
        limit = litConfig.maxIndividualTestTime or None
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=test.config.environment, capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired as late:
            return Result(TIMEOUT, f"{' '.join(command)}: no end after {late.timeout} s")
        return Result(PASS if done.returncode == 0 else FAIL, done.stdout + done.stderr)

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):  # noqa: N802, N803 (lit's names)
        for test in super().getTestsInDirectory(testSuite, path_in_suite, litConfig, localConfig):
            name = test.path_in_suite[-1]
            if not name.endswith(".py") or name.startswith("test_"):
                yield test


config.name = "spyrec"
config.test_format = SpyrecTests(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["Inputs", "tools", "lit.cfg.py", "__pycache__"]
config.test_source_root = str(ROOT)
config.test_exec_root = str(ROOT / "out")

tools = Path(sys.executable).parent
config.environment["PATH"] = os.pathsep.join([str(tools), os.environ.get("PATH", "")])
config.environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "test" / "tools")])
config.environment["PYTHONHASHSEED"] = "0"
config.environment["MYPY_CACHE_DIR"] = str(ROOT / "out" / "mypy")
config.environment["OMP_NUM_THREADS"] = "1"
config.environment["OPENBLAS_NUM_THREADS"] = "1"

config.substitutions += [
    ("%python", sys.executable),
    ("%root", str(ROOT)),
    ("%examples", str(ROOT / "examples")),
    (r"(?<![\w/.-])not (?=\S)", f"{sys.executable} {ROOT / 'test' / 'tools' / 'expect_status.py'} "),
    (r"(?<![\w/.-])spyrec-opt(?![\w/.-])", f"{sys.executable} -m spyrec opt"),
    (r"(?<![\w/.-])spyrec (?=[a-z-])", f"{sys.executable} -m spyrec "),
    (r"(?<![\w/.-])filecheck(?![\w/.-])", f"{sys.executable} -m filecheck"),
]
