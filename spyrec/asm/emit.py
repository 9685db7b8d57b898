"""The generic form of ops of ours, from what was read: ``"ktdp.load"(%t) ({...}) {...} : (...) -> (...)``."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.asm.grammar import SEGMENTS
from spyrec.asm.output import Location, Output
from spyrec.asm.state import EntryArgument, OpRead, Piece, RegionRead
from spyrec.ods.spec import Arity, OpSpec, ValueSpec

#: How many names around one location are looked through.
_MAX_NAMES = 16


def emit(s: OpRead, out: Output) -> None:
    """Append the generic form of an op whose custom form was read whole. Raises ``Problem`` when types and values do
    not fit.
    """
    spec = s.spec
    starts = s.tokens.starts
    origin = starts[s.name_token]
    operands = [s.operands.get(f.name, []) for f in spec.operands]
    types = [_operand_types(s, f, len(v)) for f, v in zip(spec.operands, operands, strict=True)]
    results = [_result_types(s, f) for f in spec.results]
    segments = (
        _segments(s, spec, [len(v) for v in operands], results=False),
        _segments(s, spec, [len(t) for t in results], results=True),
    )
    values = [v for group in operands for v in group]
    flat_types = [t for group in types for t in group]
    tail(s, out, values, segments, flat_types, [t for group in results for t in group], origin)


def tail(
    s: OpRead,
    out: Output,
    operands: Sequence[Piece],
    segments: tuple[Sequence[int] | None, Sequence[int] | None],
    types: Sequence[Piece],
    results: Sequence[Piece],
    origin: int,
) -> None:
    """Append the generic form from flat lists of operands and types."""
    spec = s.spec
    add = out.add
    starts = s.tokens.starts
    add(f'"{spec.name}"(', origin)
    separator = ""
    for text, token in operands:
        add(separator + text, starts[token])
        separator = ", "
    add(")", origin)
    if spec.regions:
        add(" (", origin)
        for k, region in enumerate(spec.regions):
            if k:
                add(", ", origin)
            read = s.regions.get(region.name)
            if read is not None and read.hidden:
                _hidden(s, read, out)
            elif read is None or read.open < 0:
                add("{}", origin)
            else:
                _region(s, read, out)
        add(")", origin)
    opening = " {"
    for name, sizes in zip(SEGMENTS, segments, strict=True):
        if sizes is not None:
            add(f"{opening}{name} = array<i32: {', '.join(map(str, sizes))}>", origin)
            opening = ", "
    for name, (text, token) in s.attrs.items():
        if name in SEGMENTS:
            continue
        add(f"{opening}{name} = ", starts[token])
        add(text, starts[token])
        opening = ", "
    if opening == ", ":
        add("}", origin)
    _types(s, out, " : (", types, origin)
    _types(s, out, ") -> (", results, origin)
    add(")", origin)


def _types(s: OpRead, out: Output, opening: str, types: Sequence[Piece], origin: int) -> None:
    starts = s.tokens.starts
    out.add(opening, origin)
    for k, (text, token) in enumerate(types):
        if k:
            out.add(", ", starts[token])
        out.add(text, starts[token])


def _operand_types(s: OpRead, f: ValueSpec, count: int) -> list[Piece]:
    given = s.types.get(f.name)
    if given is None:
        return [_implied(s, f)] * count if count else []
    if len(given) != count:
        first, last = (given[0][1], s.skip_type(given[-1][1])) if given else (s.name_token, None)
        s.fail(f"{f.name} has {count} values, but {len(given)} types", first, last, id="type-mismatch")
    return given


def _result_types(s: OpRead, f: ValueSpec) -> list[Piece]:
    given = s.types.get(f.name)
    if given is not None:
        return given
    return [_implied(s, f)] if f.arity is Arity.ONE else []


def _implied(s: OpRead, f: ValueSpec) -> Piece:
    """The type of a value that the text does not state."""
    if f.constraint.fixed is not None:
        return s.translator.fixed(f.constraint.fixed), s.name_token
    for group in s.spec.same_types:
        if f.name not in group:
            continue
        for name in group:
            if s.types.get(name):
                return s.types[name][0]
            if name in s.attrs:
                text, token = s.attrs[name]
                if " : " in text:
                    return text.rpartition(" : ")[2], token
    raise s.problem(f"the type of {f.name} is not stated", s.name_token)


def _segments(s: OpRead, spec: OpSpec, counts: Sequence[int], *, results: bool) -> Sequence[int] | None:
    try:
        return spec.result_segments(counts) if results else spec.operand_segments(counts)
    except ValueError as error:
        s.fail(str(error), s.name_token, id="wrong-operands")


def _region(s: OpRead, region: RegionRead, out: Output) -> None:
    """Append a region with what its text may leave out: the header of the entry block, the terminator."""
    starts = s.tokens.starts
    origin = starts[region.open]
    out.add("{", origin)
    first = s.texts[region.open + 1]
    headed = first[0] == "^"
    empty = region.close == region.open + 1
    if not region.generic:
        if region.entry is not None:
            if headed:
                s.fail(f"the arguments of region {region.spec.name} are named already", region.open + 1)
            _header(s, out, region.entry, origin)
        elif not headed:
            _implied_header(s, out, region, empty, origin)
        elif region.expected is not None:
            _check_header(s, region.expected, region.open + 1)
    out.extend(region.body)
    end = starts[region.close]
    if region.spec.implicit and not region.terminated and not region.generic:
        _terminator(s, region, out)
    out.add("}", end)


def _hidden(s: OpRead, region: RegionRead, out: Output) -> None:
    """Append a region of which the text shows nothing but the names of its arguments."""
    origin = s.tokens.starts[s.name_token]
    out.add("{", origin)
    _header(s, out, region.entry or (), origin)
    _terminator(s, region, out)
    out.add("}", origin)


def _terminator(s: OpRead, region: RegionRead, out: Output) -> None:
    """Append the terminator that the text may leave out."""
    if region.spec.terminator is None:
        return
    terminator = s.translator.grammar.ops.get(region.spec.terminator)
    operands = terminator.operand_segments([0] * len(terminator.operands)) if terminator else None
    attributes = f" {{{SEGMENTS[0]} = array<i32: {', '.join(map(str, operands))}>}}" if operands else ""
    origin = s.tokens.starts[s.name_token]
    out.add(f' "{region.spec.terminator}"(){attributes} : () -> () ', origin)
    if trailer := _trailer(s):
        out.add(Location(trailer), origin)


def _header(s: OpRead, out: Output, entry: Sequence[EntryArgument], origin: int) -> None:
    starts = s.tokens.starts
    out.add("^bb0", origin)
    separator = "("
    for argument in entry:
        name, token = argument.name
        out.add(separator, starts[token])
        out.add(name, starts[token])
        out.add(": ", starts[token])
        out.add(argument.type[0], starts[argument.type[1]])
        if trailer := argument.location or (_trailer(s) if name in s.translator.nameless else ""):
            out.add(" ", starts[token])
            out.add(Location(trailer), starts[token])
        separator = ", "
    out.add(":" if separator == "(" else "):", origin)


def _trailer(s: OpRead) -> str:
    """The ``loc(...)`` behind the op without the op's name in it: it holds for what the op implies, as in MLIR."""
    texts, at = s.texts, s.i
    if texts[at] != "loc" or texts[at + 1] != "(":
        return ""
    after = s.past(at + 1)
    first, last = at + 2, after - 1
    for _ in range(_MAX_NAMES):
        if last == first + 1 and texts[first][0] == "#":
            known = s.translator.location(texts[first])
            if known is None or texts[known[0]][0] != '"' or texts[known[0] + 1] != "(":
                break
            first, last = known
        elif texts[first][0] != '"' or texts[first + 1] != "(":
            break
        first, last = first + 2, s.past(first + 1) - 1
    return f"loc({s.tokens.slice(first, last)})"


def _check_header(s: OpRead, expected: Sequence[EntryArgument], label: int) -> None:
    """The types in a header are those that the op states; their number is for the op's verifier."""
    if s.texts[label + 1] != "(":
        return
    arguments = s.split(label + 2, s.past(label + 1) - 1)
    for (first, _), argument in zip(arguments, expected, strict=False):
        stated = first + 2
        after = s.skip_type(stated)
        if s.translator.type(stated, after) != argument.type[0]:
            other = argument.type[1]
            place = (s.tokens.starts[other], s.tokens.end(s.skip_type(other) - 1), "the op says so here")
            message = f"{s.texts[first]} is {s.tokens.slice(stated, after)}, but the op says that it is another type"
            s.fail(message, stated, after, id="type-mismatch", notes=[place])


def _implied_header(s: OpRead, out: Output, region: RegionRead, empty: bool, origin: int) -> None:
    """A missing header is made up where the op says what the arguments are; a block without ops needs one in any
    case.
    """
    if region.expected is not None:
        types = [a.type[0] for a in region.expected]
    elif region.spec.args and all(a.fixed for a in region.spec.args):
        types = [s.translator.fixed(a.fixed or "") for a in region.spec.args]
    else:
        types = []
    if types:
        scope = s.translator.new_scope()
        out.add(f"^bb0({', '.join(f'%{scope}{k}: {t}' for k, t in enumerate(types))}):", origin)
    elif empty and not (region.spec.implicit and region.spec.terminator):
        out.add("^bb0:", origin)
