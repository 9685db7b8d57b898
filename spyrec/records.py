"""``dataclass`` and ``replace`` for values of which a compilation makes thousands.

``frozen=True`` is held by the type checker alone.

At run time it costs: an instance of the standard library's frozen classes takes three times as long to make, since each
field is set through ``object.__setattr__``. What assigns to a field is found by ``mypy --strict`` all the same.
``replace`` is for classes whose fields are all arguments of ``__init__``, as they are by default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:
    import dataclasses
    import functools

    def dataclass(cls=None, /, *, frozen=False, eq=True, **options):
        """``dataclasses.dataclass``; the fields of a ``frozen`` class can be set, but it has its hash."""
        return dataclasses.dataclass(cls, eq=eq, unsafe_hash=frozen and eq, **options)

    def replace(value, /, **changes):
        """A value of the same class with some fields changed."""
        cls = type(value)
        if _is_plain(cls):
            made = object.__new__(cls)
            made.__dict__.update(value.__dict__)
            made.__dict__.update(changes)
            return made
        return cls(**{name: getattr(value, name) for name in cls.__dataclass_fields__} | changes)

    @functools.cache
    def _is_plain(cls):
        """Whether instances hold their fields and nothing else: nothing is found out later, or when they are made."""
        members = [member for base in cls.__mro__ for member in vars(base).values()]
        cached = any(isinstance(member, functools.cached_property) for member in members)
        return cls.__dictoffset__ != 0 and not cached and not hasattr(cls, "__post_init__")
