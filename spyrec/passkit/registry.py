"""Which passes there are: the files of ``passes/``, found by name and imported when one is named.

A pass from elsewhere joins with :func:`register`.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from spyrec.errors import UsageError
from spyrec.passkit.base import Pass, camel

_NOT_PASSES = frozenset({"__init__", "stages"})
_registered: dict[str, type[Pass]] = {}


def register(cls: type[Pass]) -> type[Pass]:
    """Add a pass that does not live in ``passes/`` (also as a decorator). Raises UsageError when its name is taken."""
    if _registered.get(cls.NAME, cls) is not cls or cls.NAME in _files():
        raise UsageError(f"there is already a pass '{cls.NAME}'")
    _registered[cls.NAME] = cls
    return cls


def names() -> list[str]:
    """The names of all our passes, sorted; imports none of them."""
    return sorted({*_files(), *_registered})


def known(name: str) -> bool:
    """Whether ``name`` is one of our passes (an upstream pass is not)."""
    return name in _registered or name in _files()


def lookup(name: str) -> type[Pass]:
    """The class of the pass ``name``. Raises KeyError when it is none of ours, TypeError when its file is misnamed."""
    if name in _registered:
        return _registered[name]
    if name not in _files():
        raise KeyError(name)
    return _load(name)


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
