"""The declarative format language, parsed: what an ``assembly_format`` says, as a tree.

:mod:`spyrec.ods.spec` describes the language. The nodes know nothing of ops; :mod:`spyrec.asm.grammar` binds them to
one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

_TOKEN = re.compile(
    r"\s+|`(?P<literal>[^`]*)`|\$(?P<ref>\w+)|(?P<word>[A-Za-z][\w-]*)|(?P<mark>->|[()?:^<>,])|(?P<bad>.)", re.DOTALL
)


@dataclass(frozen=True)
class Literal:
    """Keyword or punctuation as it stands in the text. The empty literal only suppresses the space when printing."""

    text: str


@dataclass(frozen=True)
class Ref:
    """``$name``: an operand, attribute, parameter or region."""

    name: str


@dataclass(frozen=True)
class TypeOf:
    """``type($name)``, or ``short-type($name)``."""

    name: str
    short: bool = False


@dataclass(frozen=True)
class FunctionalType:
    """``functional-type(inputs, results)``."""

    inputs: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(frozen=True)
class Args:
    """``args($region)``: the entry block's arguments in place."""

    region: str


@dataclass(frozen=True)
class AttrDict:
    """``attr-dict`` or, after the keyword ``attributes``, ``attr-dict-with-keyword``."""

    keyword: bool = False


@dataclass(frozen=True)
class Group:
    """``( then )?`` or ``( then ) : ( otherwise )``; present when ``anchor`` is."""

    then: tuple[Node, ...]
    otherwise: tuple[Node, ...]
    anchor: Node


@dataclass(frozen=True)
class Custom:
    """``custom<name>(arguments)``: a directive class."""

    name: str
    arguments: tuple[Ref | TypeOf, ...]


Node: TypeAlias = Literal | Ref | TypeOf | FunctionalType | Args | AttrDict | Group | Custom


class FormatError(ValueError):
    """An ``assembly_format`` that is not in the language: a mistake in a dialect file."""


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        for match in _TOKEN.finditer(text):
            if match.lastgroup == "bad":
                raise FormatError(f"{match[0]!r} does not belong in a format: {text}")
            if match.lastgroup is not None:
                self.tokens.append((match.lastgroup, match[match.lastgroup]))
        self.tokens.append(("end", ""))
        self.i = 0

    def parse(self) -> tuple[Node, ...]:
        nodes, anchor = self.nodes()
        if self.tokens[self.i][0] != "end" or anchor is not None:
            raise self.error("an unbalanced parenthesis or an anchor outside a group")
        return nodes

    def nodes(self) -> tuple[tuple[Node, ...], Node | None]:
        out: list[Node] = []
        anchor: Node | None = None
        while self.tokens[self.i] not in (("mark", ")"), ("end", "")):
            out.append(self.node())
            if self.accept("^"):
                anchor = out[-1]
        return tuple(out), anchor

    def node(self) -> Node:
        kind, value = self.tokens[self.i]
        self.i += 1
        if kind == "literal":
            return Literal(value.strip())
        if kind == "ref":
            return Ref(value)
        if kind == "mark" and value == "(":
            return self.group()
        if kind == "word":
            return self.directive(value)
        raise self.error(f"unexpected {value!r}")

    def group(self) -> Group:
        then, anchor = self.nodes()
        self.expect(")")
        if self.accept("?"):
            otherwise: tuple[Node, ...] = ()
        else:
            self.expect(":")
            self.expect("(")
            otherwise, second = self.nodes()
            self.expect(")")
            self.accept("?")
            anchor = anchor or second
        if anchor is None or not then:
            raise self.error("a group needs content and an anchor")
        return Group(then, otherwise, anchor)

    def directive(self, word: str) -> Node:
        if word in ("attr-dict", "attr-dict-with-keyword"):
            return AttrDict(word != "attr-dict")
        if word == "custom":
            self.expect("<")
            name = self.take("word")
            self.expect(">")
            return Custom(name, tuple(self.arguments()))
        arguments = self.arguments()
        names = tuple(a.name for a in arguments)
        if word in ("type", "short-type") and len(names) == 1:
            return TypeOf(names[0], word == "short-type")
        if word == "functional-type" and len(names) == 2:
            return FunctionalType(names[:1], names[1:])
        if word == "args" and len(names) == 1:
            return Args(names[0])
        raise self.error(f"there is no directive {word} with {len(names)} arguments")

    def arguments(self) -> list[Ref | TypeOf]:
        self.expect("(")
        out: list[Ref | TypeOf] = []
        while not self.accept(")"):
            if out:
                self.expect(",")
            node = self.node() if self.tokens[self.i][0] != "word" or self.tokens[self.i + 1][1] == "(" else None
            if node is None:  # a bare name, as functional-type(operands, results) has them
                node = Ref(self.take("word"))
            if not isinstance(node, (Ref, TypeOf)):
                raise self.error("an argument is $name or type($name)")
            out.append(node)
        return out

    def accept(self, mark: str) -> bool:
        if self.tokens[self.i] != ("mark", mark):
            return False
        self.i += 1
        return True

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            raise self.error(f"expected {mark!r}")

    def take(self, kind: str) -> str:
        found, value = self.tokens[self.i]
        if found != kind:
            raise self.error(f"expected a {kind}")
        self.i += 1
        return value

    def error(self, what: str) -> FormatError:
        return FormatError(f"{what} (token {self.i} of the format {self.text!r})")


def parse(text: str) -> tuple[Node, ...]:
    """The nodes of a format. Raises :class:`FormatError`."""
    return _Parser(text).parse()
