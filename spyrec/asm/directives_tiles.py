"""Directives of tiles that are read through index views, of futures, and of arguments that are bound at launch."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.asm import forms
from spyrec.asm.affine import Subscripts, habit, show_subscripts
from spyrec.asm.directives import Directive, directive
from spyrec.asm.elements import read_location, read_type
from spyrec.asm.state import EntryArgument, OpRead, OpShow, Piece, ReadState, ShowState
from spyrec.ods.spec import RegionSpec


def _region(spec_owner: Directive, name: str) -> RegionSpec:
    found = spec_owner.spec.fields[name] if hasattr(spec_owner.spec, "fields") else None
    assert isinstance(found, RegionSpec), f"{name} of {spec_owner.spec.name} is no region"
    return found


@directive("HiddenArguments")
class HiddenArguments(Directive):
    """``custom<HiddenArguments>($region)``: names of the arguments, all index, of a region that is not shown."""

    def starts(self, s: OpRead) -> bool:
        return s.at_value()

    def read(self, s: OpRead) -> None:
        region = s.region(_region(self, self.names[0]))
        region.hidden, region.entry = True, []
        region.prefix = s.translator.new_scope()
        first = s.i
        seen: set[str] = set()
        while s.at_value():
            token = s.i
            name = s.texts[token]
            if name in seen:
                s.fail(f"{name} is named twice", token, id="redefined-name")
            seen.add(name)
            s.i += 1
            entry = EntryArgument((s.renamed(name, region.prefix), token), ("index", token), read_location(s))
            region.entry.append(entry)
            if not s.accept(","):
                break
            if not s.at_value():
                s.fail(f"expected an SSA name such as %x, but found {s.found()}")
        s.span(self.names[0], first, max(s.i, first + 1))

    def show(self, s: OpShow) -> None:
        shown = [f"{name}{at and ' ' + at}" for name, _, at in s.regions[self.names[0]].arguments]
        if shown:
            s.emit.value(", ".join(shown))


class _Variables(Subscripts):
    """Expressions over intermediate variables (``v0``, ``v1``, ...) and captured values (``c0``, ``c1``, ...)."""

    def __init__(self, s: OpRead, variables: Sequence[str]) -> None:
        super().__init__(s)
        self.variables = {name: k for k, name in enumerate(variables)}
        self.captured: dict[str, Piece] = {}

    def expression(self, start: int, end: int) -> str:
        """One expression."""
        return self._expression(start, end)

    def _named(self, known: dict[str, Piece], letter: str) -> str:
        s = self.s
        if letter == "s":
            s.fail("a subscript of an indirect tile takes no symbol: write the value itself", s.i - 2, s.i + 2)
        name = s.texts[s.i]
        if name in self.variables:
            s.i += 1
            return f"v{self.variables[name]}"
        value = s.value()
        self.captured.setdefault(name, value)
        return f"c{list(self.captured).index(name)}"

    def maps(self, subscripts: Sequence[Sequence[str]]) -> str:
        """The maps as an array, once all captured values are known."""
        count = len(self.captured)
        names = {f"c{k}": f"d{k}" for k in range(count)}
        names |= {f"v{k}": f"d{count + k}" for k in range(len(self.variables))}
        dims = ", ".join(f"d{k}" for k in range(count + len(self.variables)))
        made = []
        for results in subscripts:
            words = (" ".join(names.get(w, w) for w in _spaced(r)) for r in results)
            made.append(f"affine_map<({dims}) -> ({', '.join(words)})>")
        return f"[{', '.join(made)}]"


def _spaced(text: str) -> list[str]:
    return text.replace("(", " ( ").replace(")", " ) ").replace("-", " - ").split()


@directive("IndirectSubscripts")
class IndirectSubscripts(Directive):
    """``[ind(%view[%p, %c]), (%c + %n)]``: arguments are the index views, the captured values, the kinds, the maps and
    the region that names the variables.

    ``%view[...]`` without ``ind`` is read too; any other subscript without parentheses is an error that shows them.
    """

    def starts(self, s: OpRead) -> bool:
        return s.texts[s.i] == "["

    def read(self, s: OpRead) -> None:
        views, captured, kinds, maps, body = self.names
        if s.texts[s.i] != "[":
            s.fail(f"expected '[' of the subscripts, but found {s.found()}")
        first, after = s.i, s.past(s.i)
        arguments = s.region(_region(self, body)).entry or []
        variables = _Variables(s, [s.texts[a.name[1]] for a in arguments])
        indirect: list[bool] = []
        subscripts: list[list[str]] = []
        operands: list[Piece] = []
        for start, end in s.split(first + 1, after - 1):
            view = self._view(s, start, end)
            indirect.append(view is not None)
            s.span(f"{maps}[{len(subscripts)}]", start, end)
            if view is None:
                subscripts.append([self._direct(s, variables, start, end)])
                continue
            s.i = view
            s.span(f"{views}[{len(operands)}]", view, view + 1)
            operands.append(s.value())
            subscripts.append([variables.expression(a, b) for a, b in s.split(view + 2, s.past(view + 1) - 1)])
        s.i = after
        s.operands[views], s.operands[captured] = operands, list(variables.captured.values())
        for k, (_, token) in enumerate(variables.captured.values()):
            s.span(f"{captured}[{k}]", token, token + 1)
        s.set_attr(kinds, f"[{', '.join('true' if i else 'false' for i in indirect)}]", first)
        s.set_attr(maps, variables.maps(subscripts), first)
        for name in (views, captured, kinds, maps):
            s.span(name, first, after)

    @staticmethod
    def _view(s: OpRead, start: int, end: int) -> int | None:
        """The token of the index view, when the subscript is one."""
        texts = s.texts
        at, stop = start, end
        if texts[start] == "ind" and texts[start + 1] == "(":
            at, stop = start + 2, s.past(start + 1) - 1
            if stop + 1 != end:
                s.fail(f"expected ',' or ']' after the subscript, but found {s.found(stop + 1)}", stop + 1)
        elif start == end or not (texts[start][0] == "%" or texts[start][0].isalpha()) or texts[start + 1] != "[":
            return None
        if texts[at][0] != "%" or len(texts[at]) < 2 or at >= stop:
            hint = f"write ind(%{texts[at]}[...])" if texts[at][0].isalpha() else "write ind(%view[...])"
            s.fail(f"expected an index view such as %view, but found {s.found(at)}", at, notes=[hint])
        if texts[at + 1] != "[":
            s.fail(f"expected '[' of the subscripts of {texts[at]}, but found {s.found(at + 1)}", at + 1)
        if s.past(at + 1) != stop:
            wrong = s.past(at + 1)
            hint = "what an index view holds is the coordinate itself: it cannot be computed with"
            s.fail(f"expected the end of the subscript, but found {s.found(wrong)}", wrong, notes=[hint])
        return at

    @staticmethod
    def _direct(s: OpRead, variables: _Variables, start: int, end: int) -> str:
        if start == end:
            s.fail(f"expected a subscript, but found {s.found(start)}", start)
        if s.texts[start] == "(" and s.past(start) == end:
            return variables.expression(start + 1, end - 1)
        shown = " ".join(habit(t, k > 0) or t for k, t in enumerate(s.texts[start:end]))
        shown = shown.replace("( ", "(").replace(" )", ")")
        message = "a subscript that is a coordinate stands in parentheses, one that an index view holds in ind(...)"
        raise s.problem(message, start, end, notes=[f"write ({shown})"])

    def show(self, s: OpShow) -> None:
        views, captured, kinds, maps, body = self.names
        names = [*s.operands.get(captured, ()), *(name for name, _, _ in s.regions[body].arguments)]
        index_views = iter(s.operands.get(views, ()))
        flags, texts = s.parts(s.resolve(s.attrs.get(kinds, "[]"))), s.parts(s.resolve(s.attrs.get(maps, "[]")))
        shown = []
        for flag, text in zip(flags, texts, strict=False):
            subscript = show_subscripts(s.resolve(text), names) or f"[{text}]"
            view = next(index_views, "%?") if flag == "true" else ""
            shown.append(f"ind({view}{subscript})" if view else f"({subscript[1:-1]})")
        s.emit.literal("[")
        s.emit.value(", ".join(shown) + "]")


@directive("TypeList")
class TypeList(Directive):
    """``(tensor<4xf16>, tensor<4xi32>)``, kept as an array; the parentheses may be missing before ``, groups``."""

    def read(self, s: ReadState) -> None:
        first = s.i
        types: list[str] = []
        enclosed = s.accept("(")
        while not (enclosed and s.accept(")")):
            start = s.i
            s.i = s.skip_type(start)
            types.append(s.translate(start, s.i))
            if s.texts[s.i] == "," and (enclosed or s.texts[s.i + 1] != "groups"):
                s.i += 1
            elif not enclosed:
                break
            elif s.texts[s.i] != ")":
                s.fail(f"expected ',' or ')' after the type, but found {s.found()}")
        s.set_attr(self.names[0], f"[{', '.join(types)}]", first)

    def show(self, s: ShowState) -> None:
        types = s.parts(s.attrs.get(self.names[0], "[]"))
        s.emit.value(f"({', '.join(map(s.custom_text, types))})")


@directive("Limits")
class Limits(Directive):
    """``, granularity=8, upperbound=1024``: any of the parameters, in any order."""

    def read(self, s: ReadState) -> None:
        while s.accept(","):
            name = forms.parse_keyword(s, tuple(self.names))
            s.expect("=")
            first = s.i
            s.set_attr(name, f"{forms.parse_integer(s, 'i64')} : i64", first)

    def show(self, s: ShowState) -> None:
        for name in self.names:
            if name in s.attrs:
                s.emit.literal(",")
                s.emit.value(f"{name}={s.attrs[name].removesuffix(' : i64')}")


@directive("FutureType")
class FutureType(Directive):
    """``-> <(tensor<4xf16>), groups = #s>``; an older form states the tensors before the arrow, ``: tensor<4xf16>``."""

    def starts(self, s: OpRead) -> bool:
        return s.texts[s.i] in (":", "->")

    def read(self, s: OpRead) -> None:
        name = self.names[0]
        stated: list[Piece] = []
        before = s.i
        if s.accept(":"):
            while True:
                start = s.i
                s.i = s.skip_type(start)
                stated.append((s.translate(start, s.i), start))
                if not s.accept(","):
                    break
        end = s.i
        s.expect("->")
        first = s.i
        kind = read_type(s, self.value_spec(name).constraint)
        if stated and f"<[{', '.join(t for t, _ in stated)}], " not in kind[0]:
            s.fail("these types are not the partial types of the future", before + 1, end, id="type-mismatch")
        s.types[name] = [kind]
        s.span(f"type({name})", first, s.i)

    def show(self, s: OpShow) -> None:
        name = self.names[0]
        s.emit.literal("->")
        for text in s.types.get(name, ()):
            s.emit.value(s.short_record(s.custom_text(text), self.value_spec(name).constraint))
