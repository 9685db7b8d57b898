"""Which passes there are: the files of ``passes/``, found by name and imported when one is named.

Passes from elsewhere join with :func:`register`, from a Python file (:func:`load_file`), or as entry points of the
group ``spyrec.passes`` whose name is the pass's.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from spyrec import extensions
from spyrec.errors import UsageError
from spyrec.passkit.base import Pass, camel

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_NOT_PASSES = frozenset({"__init__", "stages"})
_registered: dict[str, type[Pass]] = {}


def register(cls: type[Pass]) -> type[Pass]:
    """Add a pass that does not live in ``passes/`` (also as a decorator). Raises UsageError when its name is taken."""
    if _registered.get(cls.NAME, cls) is not cls or cls.NAME in _files():
        raise UsageError(f"there is already a pass '{cls.NAME}'")
    _registered[cls.NAME] = cls
    return cls


def load_file(path: str) -> list[str]:
    """Register all passes that a Python file defines; gives their names.

    Raises InvalidKernel when it cannot be read, UsageError when it cannot be loaded, defines no pass, or one whose name
    is taken.
    """
    module = extensions.load_file(path)
    found = extensions.classes(module, Pass)
    for cls in found:
        _check(cls, path)
        register(cls)
    return [cls.NAME for cls in found]


def names() -> list[str]:
    """The names of all our passes, sorted; imports none of them."""
    return sorted({*_files(), *_registered, *_entry_points()})


def known(name: str) -> bool:
    """Whether ``name`` is one of our passes (an upstream pass is not)."""
    return name in _registered or name in _files() or name in _entry_points()


def lookup(name: str) -> type[Pass]:
    """The class of the pass ``name``.

    Raises KeyError when it is none of ours, TypeError when its file is misnamed, UsageError when it is an entry point
    that cannot be loaded.
    """
    if name in _registered:
        return _registered[name]
    if name in _files():
        return _load(name)
    entry = _entry_points()[name]
    cls: type[Pass] = extensions.load_entry_point(entry, Pass)
    _check(cls, entry.value)
    if name != cls.NAME:
        extensions.refuse(f"entry point '{name}': the class {cls.__name__} is the pass '{cls.NAME}'")
    return register(cls)


def _check(cls: type[Pass], where: str) -> None:
    if "__dataclass_fields__" not in vars(cls):
        extensions.refuse(f"{where}: the class {cls.__name__} has to be a @dataclass")


def nearest(name: str, others: tuple[str, ...] = ()) -> str | None:
    """The pass whose name is most like ``name``, among ours and ``others``."""
    import difflib

    near = difflib.get_close_matches(name, [*names(), *others], 1, 0.6)
    return near[0] if near else None


@cache
def _files() -> frozenset[str]:
    folder = Path(__file__).parents[1] / "passes"
    return frozenset(p.stem.replace("_", "-") for p in folder.glob("*.py") if p.stem not in _NOT_PASSES)


@cache
def _entry_points() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in extensions.entry_points(extensions.PASSES)}


@cache
def _load(name: str) -> type[Pass]:
    stem = name.replace("-", "_")
    module = importlib.import_module(f"spyrec.passes.{stem}")
    cls = getattr(module, camel(stem), None)
    if not (isinstance(cls, type) and issubclass(cls, Pass)):
        raise TypeError(f"passes/{stem}.py has to define class {camel(stem)}(Pass)")
    if name != cls.NAME:
        raise TypeError(f"passes/{stem}.py: the class {cls.__name__} would be --{cls.NAME}, the file is --{name}")
    if "__dataclass_fields__" not in vars(cls):
        raise TypeError(f"passes/{stem}.py: the class {cls.__name__} has to be a @dataclass")
    return cls
