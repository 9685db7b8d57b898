"""Who may import whom: each module imports only from its own level and below, and one module alone names the
bindings."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# First match wins. A package is one level; a module with its own row stands before its package.
LEVELS = [
    ("spyrec.errors", 0),
    ("spyrec.files", 0),
    ("spyrec.kinds", 0),
    ("spyrec.packages", 0),
    ("spyrec.records", 0),
    ("spyrec.sets", 0),
    ("spyrec.numerics", 0),
    ("spyrec.isa", 0),
    ("spyrec.mlir", 0),
    ("spyrec.extensions", 0),
    ("spyrec.diag.render", 0),  # an exception shows itself
    ("spyrec.diag.source", 0),
    ("spyrec.diag", 1),
    ("spyrec.device.read", 4),
    ("spyrec.device", 1),
    ("spyrec.spyrecode", 1),
    ("spyrec.ods", 2),
    ("spyrec.sim", 2),
    ("spyrec.dialects", 3),
    ("spyrec.asm", 3),
    ("spyrec.passkit", 4),
    ("spyrec.interp", 4),
    ("spyrec.passes", 5),
    ("spyrec.codegen", 5),
    ("spyrec.driver", 6),
    ("spyrec.cli", 7),
    ("spyrec.__main__", 7),
    ("spyrec", 7),
]

# Imports that no level forbids and that are wrong all the same.
FORBIDDEN = [
    ("spyrec.sim", "spyrec.mlir"),
    ("spyrec.spyrecode", "spyrec.mlir"),
    ("spyrec.isa", "spyrec.mlir"),
    ("spyrec.numerics", "spyrec.mlir"),
    ("spyrec.passes", "spyrec.asm"),
    ("spyrec.passes", "spyrec.interp"),
    ("spyrec.passes", "spyrec.sim"),
    ("spyrec.codegen", "spyrec.asm"),
    ("spyrec.codegen", "spyrec.interp"),
    ("spyrec.codegen", "spyrec.sim"),
]


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def level_of(module: str) -> int:
    return next(level for package, level in LEVELS if within(module, package))


def modules() -> dict[str, Path]:
    """Module name to file of everything in the package, ``dialects`` and ``passes`` under their package names."""
    found = {}
    for top, prefix in (("spyrec", "spyrec"), ("dialects", "spyrec.dialects"), ("passes", "spyrec.passes")):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT / top).with_suffix("").parts
            if top == "spyrec" and parts[0] in ("dialects", "passes"):
                continue
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join((prefix, *parts))] = path
    return found


MODULES = modules()


def imports(path: Path) -> Iterator[str]:
    """Dotted names that the file imports, at any depth; ``from a import b`` gives ``a.b`` where that is a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_go_down(module: str) -> None:
    wrong = []
    for name in imports(MODULES[module]):
        if name.split(".")[0] == "torch_mlir" and module != "spyrec.mlir":
            wrong.append(f"{name} (spyrec.mlir alone touches the bindings)")
        if name.split(".")[0] != "spyrec":
            continue
        if level_of(name) > level_of(module):
            wrong.append(f"{name} (level {level_of(name)}, this is level {level_of(module)})")
        if any(within(module, who) and within(name, what) for who, what in FORBIDDEN):
            wrong.append(f"{name} (forbidden here)")
    assert not wrong, f"{module} imports " + "; ".join(wrong)


def test_a_pass_never_imports_a_pass() -> None:
    passes = {
        m for m in MODULES if m.startswith("spyrec.passes.") and m.count(".") == 2 and m != "spyrec.passes.stages"
    }
    wrong = [f"{m} imports {n}" for m in sorted(passes) for n in imports(MODULES[m]) if n in passes and n != m]
    assert not wrong


def test_the_check_sees_a_bad_import(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    from spyrec.mlir import ir\n    import spyrec.cli.main\n")
    assert list(imports(bad)) == ["spyrec.mlir", "spyrec.cli.main"]
    assert level_of("spyrec.cli.main") > level_of("spyrec.sim")
