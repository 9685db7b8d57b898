# ruff: noqa: F821 (lit defines config)
"""How `lit test` finds and runs the tests: RUN lines in .mlir and .test files, pytest for each test_*.py."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent

# Lit sends tests to its workers by name of their class, so the class has to live in a module that they can import.
sys.path.insert(0, str(ROOT / "test" / "tools"))
from lit_format import SpyrecTests, own_folder  # noqa: E402

config.name = "spyrec"
config.test_format = SpyrecTests(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["Inputs", "tools", "lit.cfg.py", "__pycache__"]
config.test_source_root = str(ROOT)
config.test_exec_root = own_folder(ROOT / "out")

tools = Path(sys.executable).parent
config.environment["PATH"] = os.pathsep.join([str(tools), os.environ.get("PATH", "")])
config.environment["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT), str(ROOT / "test" / "tools"), str(ROOT / "test" / "Target")]
)
config.environment["PYTHONHASHSEED"] = "0"
config.environment["MYPY_CACHE_DIR"] = str(ROOT / "out" / "mypy")
if "SPYREC_RECORD_IDS" in os.environ:
    config.environment["SPYREC_RECORD_IDS"] = os.environ["SPYREC_RECORD_IDS"]
config.environment["OMP_NUM_THREADS"] = "1"
config.environment["OPENBLAS_NUM_THREADS"] = "1"

config.substitutions += [
    ("%python", sys.executable),
    ("%root", str(ROOT)),
    ("%examples", str(ROOT / "examples")),
    (r"(?<![\w/.-])not (?=\S)", f"{sys.executable} {ROOT / 'test' / 'tools' / 'expect_status.py'} "),
    (r"(?<![\w/.-])spyrec (?=[a-z-])", f"{sys.executable} -m spyrec "),
    (r"(?<![\w/.-])spyrec-opt(?![\w/.-])", f"{sys.executable} -m spyrec opt"),
    (r"(?<![\w/.-])filecheck(?![\w/.-])", f"{sys.executable} -m filecheck"),
]
