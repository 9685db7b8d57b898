"""MLIR's own print to custom form: what :mod:`spyrec.asm.reader` does, the other way round.

MLIR prints our ops in generic form and everything else as it should be; the text is walked once, ops of ours are shown
by the elements of their formats, their regions are walked in place.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from spyrec.asm import walk
from spyrec.asm.cursor import Cursor, definitions
from spyrec.asm.grammar import SEGMENTS, Grammar, default
from spyrec.asm.lexer import Tokens
from spyrec.asm.state import OpShow, RegionShow
from spyrec.asm.untranslate import Untranslator
from spyrec.asm.walk import Walker
from spyrec.mlir import ir
from spyrec.ods.spec import OpSpec, RegionSpec, ValueSpec

#: A definition on its own line, and any mention of an alias. (In a string a mention keeps a definition alive; no harm.)
_DEFINITION = re.compile(r"^(#[A-Za-z_]\w*) = (.*)\n", re.MULTILINE)
_ALIAS_USE = re.compile(r"#[A-Za-z_]\w*")


def print_op(
    op: ir.Operation | ir.OpView | ir.Module,
    *,
    debuginfo: bool = False,
    generic: bool = False,
    local_scope: bool = False,
    elide_large: int | None = None,
    grammar: Grammar | None = None,
) -> str:
    """The text of an op (a whole module, if it is to be read again), ending in a newline.

    ``debuginfo`` prints the locations that the user gave, ``generic`` MLIR's generic form with our types and attributes
    in custom spelling, ``local_scope`` no aliases, ``elide_large`` elements attributes of more than so many elements as
    ``...``.
    """
    from spyrec import ods
    from spyrec.asm.attach import strip_text_places

    operation = op.operation
    with ods.verification_suspended():
        if debuginfo:
            operation = operation.clone()
            strip_text_places(operation)
        text = str(
            operation.get_asm(
                enable_debug_info=debuginfo,
                print_generic_op_form=generic,
                use_local_scope=local_scope,
                large_elements_limit=elide_large,
                use_name_loc_as_prefix=True,
            )
        )
    return to_custom(text, grammar or default(), generic=generic)


def to_custom(text: str, grammar: Grammar, *, generic: bool = False) -> str:
    """MLIR's own print in custom form; with ``generic`` only types, attributes and segment sizes change."""
    return Printer(text, grammar, generic=generic).run()


@dataclass(kw_only=True)
class Frame(walk.Frame):
    """A stretch of statements being printed; ``names`` are SSA names and what they are called there."""

    op: OpShow | None = None
    spec: RegionSpec | None = None
    names: dict[str, str] = field(default_factory=dict)

    @property
    def renames(self) -> bool:
        return bool(self.names)


class Printer(Walker[Frame]):
    """One text on its way to custom form."""

    def __init__(self, text: str, grammar: Grammar, *, generic: bool) -> None:
        self.grammar = grammar
        self.generic = generic
        self.untranslator = Untranslator(grammar)
        self.tokens = Tokens(self.untranslator.uncarried(text), grammar.dialects)
        self.texts = self.tokens.texts
        self.untranslator.aliases = {self.texts[n]: self.tokens.slice(a, b) for n, a, b in definitions(self.tokens)}
        self.out: list[str] = []
        self.frames = [Frame(end=self.tokens.count)]
        self.replaced: dict[int, tuple[str, int]] = {}
        self.dropped = False

    def run(self) -> str:
        """The finished text."""
        tokens = self.tokens
        token = position = 0
        while True:
            frame = self.frames[-1]
            stop = self.next_stop(frame, token)
            if tokens.starts[stop] > position:
                self.out.append(tokens.text[position : tokens.starts[stop]])
            if stop == frame.end and frame.op is None:
                break
            token = self._close(frame) if stop == frame.end else self._handle(frame, stop)
            position = tokens.end(token - 1) if token else 0
        text = self._without_unused("".join(self.out))
        return text if text.endswith("\n") else text + "\n"

    # -- the walk -----------------------------------------------------------------------------------------------------

    def _handle(self, frame: Frame, index: int) -> int:
        text = self.texts[index]
        if index in self.replaced:
            made, after = self.replaced[index]
            self.out.append(made)
            return after
        if text[0] == "%":
            self.out.append(_renamed(text, frame.names))
            return index + 1
        if text[0] in "!#" and text in self.grammar.ir_records:
            made, after = self.untranslator.record(self.tokens, index)
            self.out.append(made)
            return after
        if text[0] == '"':
            if self.names_a_pattern(index):
                self.out.append(text)
                return index + 1
            if self.generic:
                return self._generic_op(index, text[1:-1])
            return self._op(frame, index, text[1:-1])
        self.out.append(text)
        return index + 1

    def _close(self, frame: Frame) -> int:
        self.frames.pop()
        assert frame.op is not None
        self.out.append("}")
        return self._advance(frame.op, frame.end + 1)

    # -- ops ----------------------------------------------------------------------------------------------------------

    def _op(self, frame: Frame, index: int, name: str) -> int:
        spec = self.grammar.ops.get(name)
        if spec is None:
            self.out.append(self.texts[index])
            return index + 1
        op = OpShow(self.untranslator, self.out, spec)
        after = self._parts(op, frame, index)
        if after is None:
            # Not the shape that its specification says (an op that does not verify): leave it generic.
            self.out.append(self.texts[index])
            return index + 1
        if self._implied_terminator(frame, op):
            self.out[-1] = self.out[-1].rstrip()
            self.dropped = True
            if self.texts[after] == "loc":
                after = self.tokens.match[after + 1] + 1
            return after
        short = frame.default == spec.dialect and index > frame.nested
        self.out.append(spec.mnemonic if short else spec.name)
        op.todo.extend(reversed(self.grammar.op(name)))
        op.after = after
        return self._advance(op, index)

    def _advance(self, op: OpShow, token: int) -> int:
        """Show elements until the op ends or one of its regions begins; the index of the token to go on from."""
        while op.todo:
            op.todo.pop().show(op)
            if op.opening is not None:
                spec, region = op.opening
                op.opening = None
                return self._open(op, spec, region)
        return op.after

    def _open(self, op: OpShow, spec: RegionSpec, region: RegionShow) -> int:
        outer = self.frames[-1]
        names = outer.names
        if "isolated" in op.spec.traits:
            names = self._isolated_names(region) if region.names else {}
        self.frames.append(
            Frame(end=region.close, default=spec.default_dialect, nested=region.open, op=op, spec=spec, names=names)
        )
        self.out.append(" {")
        # A header without arguments says nothing: the reader makes the block anyhow.
        return region.body if region.headerless or not region.arguments else region.open + 1

    def _isolated_names(self, region: RegionShow) -> dict[str, str]:
        """Names for the body of a region whose arguments are written as outer values; inner names give way to those."""
        inside = {_base(t) for t in self.texts[region.body : region.close] if t[0] == "%"}
        names = dict(region.names)
        taken = set(names.values())
        for name in sorted(inside & taken - names.keys()):
            fresh, k = name, 0
            while fresh in taken or fresh in inside:
                fresh, k = f"%{name[1:] if not name[1:].isdigit() else 'v' + name[1:]}_{k}", k + 1
            names[name] = fresh
            taken.add(fresh)
        return names

    def _implied_terminator(self, frame: Frame, op: OpShow) -> bool:
        """Whether the op is the terminator that its region may leave out."""
        spec = frame.spec
        if spec is None or not spec.implicit or spec.terminator != op.spec.name:
            return False
        return not any(op.operands.values()) and not (op.attrs.keys() - set(SEGMENTS))

    def _parts(self, op: OpShow, frame: Frame, index: int) -> int | None:
        """Take the generic form at a token apart; the index after it, or None when it does not have the op's shape."""
        texts, match, tokens = self.texts, self.tokens.match, self.tokens
        spec = op.spec
        cursor = Cursor(tokens, index + 1)
        close = match[index + 1]
        values = [t for t in texts[index + 2 : close] if t[0] == "%"]
        if frame.names:
            values = [_renamed(v, frame.names) for v in values]
        at = close + 1
        regions: list[RegionShow] = []
        if texts[at] == "(":
            regions = [self._region(a) for a, _ in cursor.split(at + 1, match[at])]
            at = match[at] + 1
        if len(regions) != len(spec.regions):
            return None
        op.regions = {r.name: shown for r, shown in zip(spec.regions, regions, strict=True)}
        if texts[at] == "{":
            for first, after in cursor.split(at + 1, match[at]):
                name = texts[first]
                op.attrs[name] = tokens.slice(first + 2, after) if after > first + 1 else "unit"
            at = match[at] + 1
        if texts[at] != ":" or texts[at + 1] != "(":
            return None
        types = [tokens.slice(a, b) for a, b in cursor.split(at + 2, match[at + 1])]
        at = match[at + 1] + 2
        if texts[at] == "(":
            results = [tokens.slice(a, b) for a, b in cursor.split(at + 1, match[at])]
            at = match[at] + 1
        else:
            after = cursor.skip_type(at)
            results, at = [tokens.slice(at, after)], after
        return at if self._fields(op, values, types, results) else None

    def _fields(self, op: OpShow, values: list[str], types: list[str], results: list[str]) -> bool:
        """Distribute operands and types over the fields."""
        spec = op.spec
        try:
            counts = spec.operand_counts(len(values), _sizes(op.attrs.get(SEGMENTS[0])))
            result_counts = spec.result_counts(len(results), _sizes(op.attrs.get(SEGMENTS[1])))
        except ValueError:
            return False
        if len(types) != len(values):
            return False
        op.operands = _grouped(spec.operands, counts, values)
        op.types = {**_grouped(spec.operands, counts, types), **_grouped(spec.results, result_counts, results)}
        return True

    def _region(self, open: int) -> RegionShow:
        """The region whose brace is at a token: its entry block's arguments and where the body starts."""
        texts, tokens = self.texts, self.tokens
        shown = RegionShow(open, tokens.match[open], [], open + 1)
        at = open + 1
        if texts[at][0] != "^":
            return shown
        at += 1
        if texts[at] == "(":
            cursor = Cursor(tokens, at)
            for first, after in cursor.split(at + 1, tokens.match[at]):
                end = cursor.skip_type(first + 2)
                location = tokens.slice(end, after) if end < after else ""
                shown.arguments.append((texts[first], tokens.slice(first + 2, end), location))
            at = tokens.match[at] + 1
        if texts[at] == ":":
            shown.body = at + 1
        return shown

    # -- generic form -------------------------------------------------------------------------------------------------

    def _generic_op(self, index: int, name: str) -> int:
        """Only the segment sizes of mixed groups change: one entry per field, as the public dialects count."""
        texts, match = self.texts, self.tokens.match
        spec = self.grammar.ops.get(name)
        self.out.append(texts[index])
        if spec is None or not any(f.mixed for f in (*spec.operands, *spec.results)):
            return index + 1
        at = match[index + 1] + 1
        if texts[at] == "(":
            at = match[at] + 1
        if texts[at] == "{":
            for first, after in Cursor(self.tokens, at).split(at + 1, match[at]):
                self._per_field(spec, first, after)
        return index + 1

    def _per_field(self, spec: OpSpec, first: int, after: int) -> None:
        """Have the entry at a token replaced when the walk comes to it."""
        name = self.texts[first]
        if name not in SEGMENTS:
            return
        sizes = _sizes(self.tokens.slice(first + 2, after)) or []
        counts = spec.result_counts if name == SEGMENTS[1] else spec.operand_counts
        try:
            shown = ", ".join(map(str, counts(sum(sizes), sizes)))
        except ValueError:
            return
        self.replaced[first] = (f"{name} = array<i32: {shown}>", after)
        bisect.insort(self.tokens.marked, first)

    # -- aliases ------------------------------------------------------------------------------------------------------

    def _without_unused(self, text: str) -> str:
        """Definitions disappear that only stood for what was printed in place or left out."""
        if not (self.untranslator.inlined or self.dropped):
            return text
        uses = Counter(_ALIAS_USE.findall(text))
        gone: set[str] = set()
        lines = dict(_DEFINITION.findall(text))
        todo = [name for name in lines if uses[name] == 1]
        while todo:
            name = todo.pop()
            gone.add(name)
            for used in _ALIAS_USE.findall(lines[name]):
                uses[used] -= 1
                if uses[used] == 1 and used in lines:
                    todo.append(used)
        return _DEFINITION.sub(lambda m: "" if m[1] in gone else m[0], text) if gone else text


def _renamed(text: str, names: dict[str, str]) -> str:
    base, mark, number = text.partition("#")
    return names[base] + mark + number if base in names else text


def _base(text: str) -> str:
    return text.partition("#")[0]


def _sizes(text: str | None) -> list[int] | None:
    if text is None:
        return None
    inside = text.removeprefix("array<i32").removesuffix(">").removeprefix(":")
    return [int(v) for v in inside.split(",")] if inside.strip() else []


def _grouped(fields: Sequence[ValueSpec], counts: Sequence[int], values: list[str]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    at = 0
    for f, count in zip(fields, counts, strict=True):
        out[f.name] = values[at : at + count]
        at += count
    return out
