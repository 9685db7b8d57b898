"""After MLIR has parsed the generic text: ops get the places that the user wrote, values their names.

An op's location becomes the place of its name in the source. Where the source carries ``loc(...)`` trailers, MLIR
parses twice, without and with them, and each op gets a fused location of both, the user's first. SSA names become name
locations around that, which MLIR's printer can print. Names of arguments always survive. Names of
results do where the text gives no ``loc``; where it does, the name in that counts, so that text printed with locations
reads and prints the same.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Set
from types import MappingProxyType
from typing import Any

from spyrec.asm.grammar import SEGMENTS
from spyrec.asm.output import Generic
from spyrec.diag import TEXT_TAG, Source
from spyrec.diag.location import is_text_fused
from spyrec.mlir import ir

_NAME = re.compile(r"%(?!\$s\d+\.\d)(?:\$s\d+\.)?([A-Za-z_$.-][\w$.-]*)", re.ASCII)
_RESULT = re.compile(r"%(?!\$s\d+\.\d)(?:\$s\d+\.)?([A-Za-z_$.-][\w$.-]*)(?::\d+)?\s*[,=]", re.ASCII)
_LEGAL = frozenset(string.ascii_letters + string.digits + "$._-")
_TAKEN = re.compile(r"(?:_\d+)*")
#: How far before an op its results are looked for; names that are further away are not worth keeping.
_LOOK_BACK = 240
#: Names of block arguments that MLIR would give anyhow; where there is a ``loc``, only that counts.
_MADE_UP = re.compile(r"(?:arg\d+|in|out|init)(?:_\d+)*")
#: What MLIR calls text that it was handed as a string.
BUFFER = "-"


def attach(
    module: ir.Operation,
    located: ir.Operation | None,
    generic: Generic,
    source: Source,
    nameless: Set[str] = frozenset(),
    implied: Mapping[str, Set[str]] = MappingProxyType({}),
) -> None:
    """Set locations and names in ``module``.

    ``located`` is the same module parsed with its trailers; ``nameless`` are SSA names of arguments that keep none;
    ``implied`` are names of terminators that text may leave out, and of the ops in which: they are where those are.
    """
    Attacher(module, generic, source, nameless, implied).run(located)


class Attacher:
    """Walks one module."""

    def __init__(
        self,
        module: ir.Operation,
        generic: Generic,
        source: Source,
        nameless: Set[str],
        implied: Mapping[str, Set[str]],
    ) -> None:
        self.module = module
        self.nameless = nameless
        self.implied = implied
        self.generic = generic
        self.source = source
        self.context = module.context
        self.tag = ir.StringAttr.get(TEXT_TAG, self.context)

    def run(self, located: ir.Operation | None) -> None:
        """Visit every op and block argument."""
        users = iter(_operations(located)) if located is not None else None

        def visit(op: ir.Operation) -> ir.WalkResult:
            user = next(users) if users is not None else None
            parsed = op.location
            given = user.location if user is not None else None
            around = op.parent.operation if op.name in self.implied and op.parent is not None else None
            if around is not None and around.name in self.implied[op.name] and _says_nothing(op):
                # It is not printed, so its place would be lost; it gets the one that reading it again gives.
                op.location = self._unnamed(around.location)
            elif isinstance(parsed, ir.UnknownLoc) and op.parent is not None:
                # Nor is the body of a named op, which MLIR makes.
                op.location = self._unnamed(op.parent.operation.location)
            elif (given is None or given == parsed) and len(op.results):
                op.location = self._named(parsed, given, self._result_name(parsed))
            else:
                op.location = self.location(parsed, given)
            if len(op.regions):
                self._arguments(op, user)
            return ir.WalkResult.ADVANCE

        self.module.walk(visit, ir.WalkOrder.PRE_ORDER)

    def location(self, parsed: Any, user: Any) -> ir.Location:
        """The location of an op whose position in the generic text is ``parsed``; ``user`` is its location with
        trailers.
        """
        place = self._place(parsed)
        if user is None or user == parsed:
            return place
        if isinstance(user, ir.UnknownLoc):
            return ir.Location.fused([place], self.tag, self.context)
        if isinstance(place, ir.UnknownLoc):
            return user  # type: ignore[no-any-return]
        return ir.Location.fused([user, place], self.tag, self.context)

    def _unnamed(self, location: Any) -> ir.Location:
        """A location that :meth:`location` made, without names around it."""
        while isinstance(location, ir.NameLoc):
            location = location.child_loc
        if isinstance(location, ir.FusedLoc) and is_text_fused(location) and len(location.locations) > 1:
            user, place = location.locations
            while isinstance(user, ir.NameLoc):
                user = user.child_loc
            return ir.Location.fused([user, place], self.tag, self.context)
        return location  # type: ignore[no-any-return]

    def _place(self, parsed: Any) -> ir.Location:
        if not isinstance(parsed, ir.FileLineColLoc) or parsed.filename != BUFFER:
            return parsed  # type: ignore[no-any-return]
        # MLIR puts the module that it wraps around a file's ops at line 0.
        offset = self.generic.origin(self._offset(parsed)) if parsed.start_line else 0
        position = self.source.position(offset)
        return ir.Location.file(position.file, position.line, position.column, self.context)

    def _offset(self, parsed: Any) -> int:
        return self.generic.offset(parsed.start_line, parsed.start_col)

    def _arguments(self, op: ir.Operation, user: ir.Operation | None) -> None:
        for k, region in enumerate(op.regions):
            for b, block in enumerate(region.blocks):
                arguments = block.arguments
                if not len(arguments):
                    continue
                users = user.regions[k].blocks[b].arguments if user is not None else None
                for a, argument in enumerate(arguments):
                    parsed = argument.location
                    if isinstance(parsed, ir.UnknownLoc):
                        argument.set_location(self._unnamed(op.location))
                        continue
                    given = users[a].location if users is not None else None
                    name = self._argument_name(parsed)
                    if given is not None and given != parsed and _MADE_UP.fullmatch(name or ""):
                        name = None
                    argument.set_location(self._named(parsed, given, name))

    def _argument_name(self, parsed: Any) -> str | None:
        """The name at the place of a block argument."""
        if not isinstance(parsed, ir.FileLineColLoc) or parsed.filename != BUFFER:
            return None
        match = _NAME.match(self.generic.text, self._offset(parsed))
        return match[1] if match and match[0] not in self.nameless else None

    def _result_name(self, parsed: Any) -> str | None:
        """The (first) name before the ``=`` in front of an op's place."""
        if not isinstance(parsed, ir.FileLineColLoc) or parsed.filename != BUFFER:
            return None
        text, end = self.generic.text, self._offset(parsed)
        if text[end - 2 : end] != "= " and not text[end - _LOOK_BACK : end].rstrip().endswith("="):
            return None
        lowest = max(0, end - _LOOK_BACK)
        start = text.rfind("%", lowest, end)
        while start > lowest and text[start - 1] in " \n" and text[lowest:start].rstrip().endswith(","):
            start = text.rfind("%", lowest, start)
        match = _RESULT.match(text, start) if start >= 0 else None
        return match[1] if match else None

    def _named(self, parsed: Any, given: Any, name: str | None) -> ir.Location:
        """The location of a value, around which stands its name unless the file's ``loc`` says it already."""
        location = self.location(parsed, given)
        said = _said(given) if given is not None and given != parsed else None
        if name is None or (said is not None and (_MADE_UP.fullmatch(name) or _is_spelling(name, said))):
            return location
        return ir.Location.name(name, location, self.context)


def _says_nothing(op: ir.Operation) -> bool:
    """Whether an op has neither operands nor attributes."""
    return not len(op.operands) and not [name for name in op.attributes if name not in SEGMENTS]


def _said(location: Any) -> str | None:
    """The name in a location that MLIR's printer would take."""
    if isinstance(location, ir.NameLoc):
        return str(location.name_str)
    if isinstance(location, ir.FusedLoc):
        return next(filter(None, map(_said, location.locations)), None)
    if isinstance(location, ir.CallSiteLoc):
        return _said(location.callee) or _said(location.caller)
    return None


def _is_spelling(name: str, said: str) -> bool:
    """Whether an SSA name is what MLIR's printer makes of a name: other characters replaced, a number behind if it was
    taken.
    """
    legal = "".join(c if c in _LEGAL else "_" if c == " " else c.encode().hex().upper() for c in said)
    rest = name.removeprefix(legal) if name.startswith(legal) else name.removeprefix(f"_{legal}")
    return rest != name and _TAKEN.fullmatch(rest) is not None


def _operations(module: ir.Operation) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def strip_text_places(root: ir.Operation) -> None:
    """Leave only what the user's ``loc`` said where the reader fused it with a place in the text (undoes
    :func:`attach`).
    """

    def visit(op: ir.Operation) -> ir.WalkResult:
        op.location = _users(op.location)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_location(_users(argument.location))
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)


def _users(location: Any, depth: int = 16) -> ir.Location:
    rebuild: Callable[[Any], ir.Location] = lambda part: _users(part, depth - 1) if depth else part  # noqa: E731
    if isinstance(location, ir.FusedLoc):
        parts = location.locations
        if is_text_fused(location):
            return rebuild(parts[0]) if len(parts) > 1 else ir.Location.unknown(location.context)
        return location
    if isinstance(location, ir.NameLoc):
        return ir.Location.name(location.name_str, rebuild(location.child_loc), location.context)
    return location  # type: ignore[no-any-return]
