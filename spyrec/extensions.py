"""What others add to the compiler: Python files named on the command line, and entry points of installed packages.

A file, or what an entry point names, is ordinary Python that imports from ``spyrec`` what it needs. Importing this
module costs nothing; packages that add nothing cost one look into their folders.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from spyrec import files
from spyrec.errors import Diagnostic, Position, Severity, SpyrecError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ID = "bad-extension"
PASSES = "spyrec.passes"
DIALECTS = "spyrec.dialects"

_files: dict[str, ModuleType] = {}


def load_file(path: str) -> ModuleType:
    """Import a Python file, once however often it is named.

    The module gets the file's name, so that a second file may import the first. Raises InvalidKernel when the file
    cannot be read, UsageError at the line that raised when importing it fails.
    """
    real = os.path.realpath(path)
    if real in _files:
        return _files[real]
    imported = sys.modules.get(Path(path).stem)
    if imported is not None and os.path.realpath(getattr(imported, "__file__", None) or "") == real:
        return imported
    try:
        code = compile(Path(path).read_bytes(), real, "exec", dont_inherit=True)
    except OSError as error:
        raise files.refused(f"cannot read {path}: {files.reason(error)}", "unreadable-input") from None
    except (SyntaxError, ValueError) as error:
        line, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
        refuse(f"this is not Python: {getattr(error, 'msg', error)}", Position(path, line, max(column, 1)))
    module = ModuleType(_module_name(Path(path).stem, real))
    module.__file__ = real
    sys.modules[module.__name__] = module
    try:
        exec(code, module.__dict__)
    except SpyrecError:
        del sys.modules[module.__name__]
        raise
    except Exception as error:
        del sys.modules[module.__name__]
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == real]
        refuse(f"loading this file failed: {described(error)}", Position(path, (lines or [1])[-1] or 1, 1))
    _files[real] = module
    return module


def classes(module: ModuleType, base: type) -> list[Any]:
    """The subclasses of ``base`` that ``module`` itself defines, in order. Raises UsageError when there are none."""
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__
    ]
    if not found:
        refuse(f"{module.__file__} defines no subclass of {base.__name__}")
    return found


@functools.cache
def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of ``group``, sorted by name."""
    if not _advertised():
        return ()
    from importlib import metadata

    return tuple(sorted(metadata.entry_points(group=group), key=lambda entry: entry.name))


def load_entry_point(entry: EntryPoint, base: type) -> Any:
    """The class that an entry point names. Raises UsageError when it cannot be imported or is no ``base``."""
    owner = f" of package {entry.dist.name}" if entry.dist else ""
    try:
        cls = entry.load()
    except Exception as error:
        refuse(f"entry point '{entry.name}'{owner} ({entry.value}) cannot be loaded: {described(error)}")
    if not (isinstance(cls, type) and issubclass(cls, base)):
        refuse(f"entry point '{entry.name}'{owner}: {entry.value} is no subclass of {base.__name__}")
    return cls


def raised_in(error: BaseException, method: Callable[..., object]) -> Position | None:
    """Where in the file of a method that is not ours an exception was raised, or passed through last."""
    code = getattr(method, "__code__", None)
    if code is None or method.__module__.partition(".")[0] == "spyrec":
        return None
    file = code.co_filename
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    shown = os.path.relpath(file)
    return Position(file if shown.startswith("..") else shown, (lines or [None])[-1] or code.co_firstlineno, 1)


def refuse(message: str, position: Position | None = None) -> NoReturn:
    """Raise UsageError under this module's id."""
    raise UsageError([Diagnostic(Severity.ERROR, message, ID, position)])


def described(error: BaseException) -> str:
    """An exception in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".removesuffix(": ")


def _module_name(stem: str, real: str) -> str:
    """The file's name, unless ``import`` finds something else under it."""
    if not stem.isidentifier() or stem in sys.modules:
        return f"spyrec_extension_{stem}"
    found = importlib.util.find_spec(stem)
    if found is None or (found.origin and os.path.realpath(found.origin) == real):
        return stem
    return f"spyrec_extension_{stem}"


def _advertised() -> bool:
    """Whether any installed package has entry points for us: importing ``importlib.metadata`` to learn that it has none
    would be a tenth of a small compilation."""
    for folder in map(Path, sys.path):
        for pattern in ("*.dist-info/entry_points.txt", "*.egg-info/entry_points.txt"):
            for path in folder.glob(pattern):
                try:
                    text = path.read_text(encoding="utf-8", errors="replace")
                except OSError:
                    continue
                if f"[{PASSES}]" in text or f"[{DIALECTS}]" in text:
                    return True
    return False
