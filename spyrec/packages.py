"""The Python packages that this one needs, and what is said when one is not there: an installation is no bug."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from spyrec.errors import Diagnostic, Severity, UsageError

#: What is imported -> what pip calls it. Any of the modules of a row will do.
_NEEDED: dict[tuple[str, ...], str] = {
    ("torch_mlir", "mlir"): "torch-mlir",
    ("click",): "click",
    ("numpy",): "numpy",
    ("islpy",): "islpy",
    ("ml_dtypes",): "ml_dtypes",
}


def check(*only: str) -> None:
    """Raises UsageError that names every package, or every one of ``only``, that is not installed."""
    rows = {modules: name for modules, name in _NEEDED.items() if not only or name in only}
    missing = [name for modules, name in rows.items() if not any(map(_there, modules))]
    if missing:
        what = f"package {missing[0]} is" if len(missing) == 1 else f"packages {', '.join(missing)} are"
        raise _refusal(f"the Python {what} not installed", missing)


def refusal(error: BaseException) -> UsageError | None:
    """What to say instead of ``error``, when it is that a package which this one needs cannot be imported."""
    module = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
    names = [name for modules, name in _NEEDED.items() if module in modules]
    if not names:
        return None
    if isinstance(error, ModuleNotFoundError) and error.name == module:
        return _refusal(f"the Python package {names[0]} is not installed", names)
    return _refusal(f"the Python package {names[0]} cannot be imported: {' '.join(str(error).split())[:200]}", names)


def _refusal(message: str, names: Sequence[str]) -> UsageError:
    wanted = " ".join(f"'{_requirement(name)}'" for name in names)
    note = Diagnostic(Severity.NOTE, f"python -m pip install {wanted}")
    return UsageError([Diagnostic(Severity.ERROR, message, "missing-package", notes=(note,))])


def _requirement(name: str) -> str:
    """The package with the version that this one asks for, as far as its metadata are there."""
    from importlib import metadata

    try:
        asked = metadata.requires("spyrec") or []
    except metadata.PackageNotFoundError:
        asked = []
    return next((one for one in asked if one.startswith(name) and ";" not in one), name)


def _there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
