"""What a kernel asks of a launch: its arguments, and the views through which it touches device memory."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, get_args

from spyrec import numerics
from spyrec.errors import Position
from spyrec.spyrecode.numbers import Numbers, Op
from spyrec.spyrecode.reading import Entry

ArgumentKind = Literal["address", "scalar", "unused"]
Access = Literal["r", "w", "rw"]
LITERAL = -1
LAUNCHED = ("start: lowest", "start: highest", "lowest element that a tile touches", "size", "stride", "first", "last")
"""What a launch decides of a view: three numbers, then four per dimension, the ends being coordinates counted from
where the strides do. All in elements."""


@dataclass(frozen=True)
class Argument:
    """One argument, in order. ``kind`` ``address`` is bound to a byte address; ``unused`` ones need no value.

    ``type`` is the IR type (``index``, ``i32``, ``f32``); ``line`` and ``column`` are its place in the
    signature's file, 0 if unknown; ``source`` is what the frontend that wrote that file says of it. An address that
    ``may_alias`` may lie in the memory of another argument that the kernel writes, and the other way round. The kernel
    counts on a number to be a multiple of ``granularity`` and at most ``upperbound`` (None: no such promise).
    """

    index: int
    name: str
    kind: ArgumentKind
    type: str
    line: int = 0
    column: int = 0
    source: Position | None = None
    may_alias: bool = False
    granularity: int | None = None
    upperbound: int | None = None


@dataclass(frozen=True)
class View:
    """A view of device memory: element x sits at ``offset + sum((x_k) * strides_k)`` elements of ``type``.

    ``arg`` is the argument that it starts from, -1 for a literal address; ``name`` the argument's name, or the
    literal element address in decimal. ``offset`` is the lowest element and ``end`` one more than the highest, counted
    from the argument's address (a literal: from address 0). ``access`` says what the kernel does with it. Its elements
    are coordinates below ``limit`` of something (None: they are just numbers). ``launch``, if the launch decides where
    the view ends, has the numbers of :data:`LAUNCHED`; until then the others are those known without it. Data decide
    where a ``loose`` view starts: anywhere in the array of its argument, or in the arrays at literal addresses; its
    ``offset`` and ``end`` only say how large it is.
    """

    arg: int
    name: str
    type: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    end: int
    access: Access
    line: int = 0
    column: int = 0
    limit: int | None = None
    launch: Numbers | None = None
    loose: bool = False

    def at(self, arguments: Mapping[int, int | float]) -> View:
        """The view of a launch with these values of its numbers."""
        numbers = None if self.launch is None else self.launch.values(arguments)
        if numbers is None:
            return self
        low, high, floor, *rest = numbers
        sizes, strides, firsts, lasts = (tuple(rest[k::4]) for k in range(4))
        empty = high < low or any(last < first for first, last in zip(firsts, lasts, strict=True))
        end = low if empty else high + 1
        for stride, first, last in () if empty else zip(strides, firsts, lasts, strict=True):
            low += min(first * stride, last * stride)
            end += max(first * stride, last * stride)
        if self.arg != LITERAL and low < 0:
            # A view may begin below its array when no tile goes there.
            low = max(low, floor)
        sizes = tuple(max(0, size) for size in sizes)
        return replace(self, sizes=sizes, strides=strides, offset=low, end=max(low, end), launch=None)

    @property
    def dense(self) -> bool:
        """True when the strides are those of a C array of ``sizes``."""
        step = 1
        for size, stride in zip(reversed(self.sizes), reversed(self.strides), strict=True):
            if size != 1 and stride != step:
                return False
            step *= size
        return True

    def in_memory(self) -> tuple[int, ...]:
        """The sizes in the order in which they lie in memory, outermost first; without those of 1."""
        return tuple(size for size, _ in self._by_stride())

    def padded(self) -> tuple[int, ...]:
        """The C array whose start this view is, if its rows are padded: extents are what strides say they are."""
        found = self._by_stride()
        pitches = [outer // inner for (_, outer), (_, inner) in itertools.pairwise(found) if inner]
        return (found[0][0], *pitches) if found and len(pitches) == len(found) - 1 else ()

    def _by_stride(self) -> list[tuple[int, int]]:
        """Size and distance of each dimension of more than one element, the farthest first."""
        known = zip(self.sizes, map(abs, self.strides), strict=True)
        return sorted((s for s in known if s[0] != 1), key=lambda entry: -entry[1])


@dataclass(frozen=True)
class Signature:
    """``kernel`` is its name, ``grid`` the number of compute tiles, ``file`` where the positions are."""

    kernel: str
    grid: int
    arguments: tuple[Argument, ...]
    views: tuple[View, ...]
    file: str = ""

    def at(self, arguments: Mapping[int, int | float]) -> Signature:
        """What a launch with these values of its numbers, by argument, is asked for."""
        return replace(self, views=tuple(view.at(arguments) for view in self.views))

    def places(self, where: Argument | View) -> tuple[Position, ...]:
        """The user's places of an argument or view, as far as they are known: the first is the one to show."""
        source = where.source if isinstance(where, Argument) else None
        return (*([source] if source else []), *([Position(self.file, where.line, where.column)] if where.line else []))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, in a fixed order; :meth:`from_json` gives an equal signature back."""
        return {
            "kernel": self.kernel,
            "grid": self.grid,
            "file": self.file,
            "arguments": [asdict(a) for a in self.arguments],
            "views": [_view_json(view) for view in self.views],
        }

    @staticmethod
    def from_json(data: Entry) -> Signature:
        """Rebuild a signature from what :meth:`to_json` gave. Raises ``InvalidKernel`` naming the entry that is
        wrong.
        """
        arguments = data.get("arguments").map(_argument)
        for number, argument in enumerate(arguments):
            if argument.index != number:
                data.get("arguments").fail(f"entry {number} is argument {argument.index}")
        views = data.get("views").map(_view)
        for view in views:
            if view.launch is not None and any(
                a >= len(arguments) or arguments[a].kind != "scalar" for a in view.launch.arguments
            ):
                data.get("views").fail("a view that the launch decides by what is no number of it")
            if view.arg != LITERAL and (view.arg >= len(arguments) or arguments[view.arg].kind != "address"):
                data.get("views").fail(f"a view of argument {view.arg}, which is no address")
        return Signature(
            kernel=data.get("kernel").text(),
            grid=data.get("grid").integer(low=1),
            arguments=arguments,
            views=views,
            file=data.get("file").text(),
        )

    @staticmethod
    def from_entries(
        kernel: str,
        grid: int,
        arguments: Sequence[tuple[str, str, int, int, Position | None, bool]],
        entries: Sequence[Mapping[str, Any]],
        file: str = "",
    ) -> Signature:
        """Build a signature from the function and its ``dataflow.signature`` attribute as plain values.

        ``arguments`` are (name, type, line, column, source, may_alias) in order; ``entries`` the attribute's
        dictionaries.
        """
        views = tuple(
            View(
                arg=e["arg"],
                name=e["name"],
                type=e["type"],
                sizes=tuple(e["sizes"]),
                strides=tuple(e["strides"]),
                offset=e["offset"],
                end=e["end"],
                access=e["access"],
                line=e.get("line", 0),
                column=e.get("col", 0),
                limit=e.get("limit"),
                launch=_numbers(e["launch"]) if "launch" in e else None,
                loose="loose" in e,
            )
            for e in entries
            if "scalar" not in e
        )
        addresses = {view.arg for view in views}
        scalars = {e["arg"]: e for e in entries if "scalar" in e}
        return Signature(
            kernel,
            grid,
            tuple(
                Argument(
                    i,
                    name,
                    "address" if i in addresses else "scalar" if i in scalars else "unused",
                    type_,
                    line,
                    column,
                    source,
                    marked,
                    scalars.get(i, {}).get("granularity"),
                    scalars.get(i, {}).get("upperbound"),
                )
                for i, (name, type_, line, column, source, marked) in enumerate(arguments)
            ),
            views,
            file,
        )


def _numbers(entry: Mapping[str, Any]) -> Numbers:
    return Numbers(tuple(term if isinstance(term, int) else Op(*term) for term in entry["terms"]), entry["map"])


def _view_json(view: View) -> dict[str, Any]:
    plain = asdict(replace(view, launch=None))
    launch = None if view.launch is None else view.launch.to_json()
    return {**plain, "sizes": list(view.sizes), "strides": list(view.strides), "launch": launch}


def _type(entry: Entry) -> str:
    name = entry.text()
    if name not in numerics.TYPES:
        entry.fail(f"no element type is called '{name}'")
    return name


def _argument(entry: Entry) -> Argument:
    return Argument(
        index=entry.get("index").count(),
        name=entry.get("name").text(),
        kind=cast(ArgumentKind, entry.get("kind").choice(get_args(ArgumentKind))),
        type=_type(entry.get("type")),
        line=entry.get("line").count(),
        column=entry.get("column").count(),
        source=_source(entry.get("source")),
        may_alias=entry.get("may_alias").flag(),
        granularity=entry.get("granularity").maybe(_positive),
        upperbound=entry.get("upperbound").maybe(_positive),
    )


def _positive(entry: Entry) -> int:
    return entry.integer(low=1)


def _source(entry: Entry) -> Position | None:
    if entry.value is None:
        return None
    return Position(entry.get("file").text(), entry.get("line").integer(low=1), entry.get("column").integer(low=1))


def _view(entry: Entry) -> View:
    view = View(
        arg=entry.get("arg").integer(low=LITERAL),
        name=entry.get("name").text(),
        type=_type(entry.get("type")),
        sizes=entry.get("sizes").map(Entry.count),
        strides=entry.get("strides").map(Entry.integer),
        offset=entry.get("offset").integer(),
        end=entry.get("end").integer(),
        access=cast(Access, entry.get("access").choice(get_args(Access))),
        line=entry.get("line").count(),
        column=entry.get("column").count(),
        limit=entry.get("limit").maybe(Entry.count),
        launch=entry.get("launch").maybe(Numbers.from_json),
        loose=entry.get("loose").flag(),
    )
    if len(view.sizes) != len(view.strides):
        entry.fail(f"{len(view.sizes)} sizes and {len(view.strides)} strides")
    if view.arg == LITERAL and not (view.name.isascii() and view.name.isdigit() and len(view.name) < 20):
        entry.fail(f"the literal address '{view.name}' is no decimal number")
    return view
