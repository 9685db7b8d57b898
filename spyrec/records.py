"""``dataclass`` for values of which a compilation makes thousands: ``frozen=True`` is held by the type checker alone.

At run time it costs: an instance of the standard library's frozen classes takes three times as long to make, since each
field is set through ``object.__setattr__``. What assigns to a field is found by ``mypy --strict`` all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    def dataclass(cls=None, /, *, frozen=False, eq=True, **options):
        """``dataclasses.dataclass``; the fields of a ``frozen`` class can be set, but it has its hash."""
        return dataclasses.dataclass(cls, eq=eq, unsafe_hash=frozen and eq, **options)
