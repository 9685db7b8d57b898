"""What elements and directives work on: an op, type or attribute while it is read from custom form, or shown in it.

Reading collects, per field, the text that the generic form needs together with the token that it came from (the token
gives a diagnostic its place). Showing starts from the parts of the generic form and appends custom text to an
:class:`Emitter`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from spyrec.asm.cursor import Cursor
from spyrec.asm.output import Output
from spyrec.ods.spec import Constraint, OpSpec, RecordSpec, RegionSpec

if TYPE_CHECKING:
    from spyrec.asm.elements import Element
    from spyrec.asm.translate import Translator
    from spyrec.asm.untranslate import Untranslator

#: Generic text, and the index of the token that it comes from.
Piece: TypeAlias = tuple[str, int]


class ReadState(Cursor):
    """A type or attribute of ours being read: ``attrs`` holds its parameters, ``todo`` is the stack of elements to
    come.
    """

    __slots__ = ("attrs", "depth", "spec", "todo", "translator")

    def __init__(self, translator: Translator, spec: OpSpec | RecordSpec, i: int, depth: int = 0) -> None:
        super().__init__(translator.tokens, i)
        self.translator = translator
        self.spec = spec
        self.depth = depth
        self.attrs: dict[str, Piece] = {}
        self.todo: list[Element] = []

    def type(self) -> str:
        """Read a type in full spelling (or an alias); its generic text."""
        first = self.i
        self.i = self.skip_type(first)
        return self.translate(first, self.i)

    def refuse_locations(self, first: int, after: int) -> None:
        """Fail if a location stands among the tokens of an attribute: the bindings cannot hand one out again."""
        for index in range(first, after):
            if self.texts[index] == "loc" and self.texts[index + 1] == "(":
                self.fail("a location cannot be (part of) an attribute here", index, self.past(index + 1))

    def translate(self, first: int, after: int) -> str:
        """Generic text of tokens ``first`` to ``after``."""
        return self.translator.inside(first, after, self.depth)

    def record_body(self, name: str) -> str:
        """Read what follows the name of type or attribute ``name`` (with sigil), the name itself being implied."""
        text, self.i = self.translator.record(name, self.i, self.depth + 1)
        return text

    def set_attr(self, name: str, text: str, first: int) -> None:
        """Give an attribute (parameter) its generic text, read from token ``first`` to the cursor."""
        if name in self.attrs:
            self.fail(f"'{name}' is given twice", first, self.i, id="duplicate-attribute")
        self.attrs[name] = (text, first)

    def span(self, name: str, first: int, after: int) -> None:
        """State where a field was written; parameters of types and attributes keep no spans."""


@dataclass
class EntryArgument:
    """An argument of an entry block that the text names outside the block's header."""

    name: Piece
    type: Piece
    location: str = ""


@dataclass
class RegionRead:
    """A region being read.

    ``entry``: the block arguments, when the op names them itself. ``expected``: their types, when the op states them
    and a header in the body is optional. ``hidden``: the text shows no body; it has ``entry`` and a terminator.
    ``prefix``: the naming scope. ``open`` and ``close`` are the tokens of its braces.
    """

    spec: RegionSpec
    isolated: bool
    generic: bool = False
    entry: list[EntryArgument] | None = None
    expected: list[EntryArgument] | None = None
    prefix: str = ""
    open: int = -1
    close: int = -1
    terminated: bool = False
    hidden: bool = False
    body: Output = field(default_factory=Output)


class OpRead(ReadState):
    """An op of ours being read. ``opening`` is a region that was just entered; ``generic`` says in which form the op
    stands.
    """

    __slots__ = ("generic", "name_token", "opening", "operands", "prefix", "regions", "spans", "types")
    spec: OpSpec

    def __init__(self, translator: Translator, spec: OpSpec, name_token: int, prefix: str) -> None:
        super().__init__(translator, spec, name_token + 1)
        self.name_token = name_token
        self.prefix = prefix
        self.generic = False
        self.opening: RegionRead | None = None
        self.operands: dict[str, list[Piece]] = {}
        self.types: dict[str, list[Piece]] = {}
        self.regions: dict[str, RegionRead] = {}
        #: Filled only when somebody asks where the fields are: then the op is read a second time.
        self.spans: dict[str, tuple[int, int]] | None = None

    def translate(self, first: int, after: int) -> str:
        return self.translator.plain(first, after)

    def span(self, name: str, first: int, after: int) -> None:
        if self.spans is not None:
            self.spans[name] = (first, after)

    def at_value(self) -> bool:
        """Whether an SSA name stands at the cursor."""
        return self.texts[self.i][0] == "%" and len(self.texts[self.i]) > 1

    def value(self) -> Piece:
        """Read one SSA name, renamed into its scope."""
        first = self.i
        text = self.texts[first]
        if text[0] != "%" or len(text) < 2:
            self.fail(f"expected an SSA name such as %x, but found {self.found()}")
        self.i = first + 1
        return self.renamed(text, self.prefix), first

    @staticmethod
    def renamed(text: str, prefix: str) -> str:
        """An SSA name in the naming scope ``prefix``."""
        return f"%{prefix}{text[1:]}" if prefix else text

    def region(self, spec: RegionSpec) -> RegionRead:
        """The region's record, made on first mention."""
        found = self.regions.get(spec.name)
        if found is None:
            found = self.regions[spec.name] = RegionRead(spec, "isolated" in self.spec.traits, prefix=self.prefix)
            if found.isolated:
                found.prefix = self.translator.new_scope()
        return found


class Emitter:
    """Appends pieces with the spaces that ODS printers put between them.

    No space after an opening bracket or before a closing one, a comma, or a bracket that follows a name; a colon sticks
    to a keyword (``sizes: [1]``) and stands free otherwise (``: type``).
    """

    __slots__ = ("_keyword", "_punctuation", "_space", "out")

    def __init__(self, out: list[str], *, space: bool = True) -> None:
        self.out = out
        self._space = space
        self._punctuation = False
        self._keyword = False

    def literal(self, text: str) -> None:
        """A keyword or punctuation mark; the empty one suppresses the space before what follows."""
        if not text:
            self._space = False
            self._punctuation = True
            return
        first = text[0]
        if self._space and self._space_before(text):
            self.out.append(" ")
        self.out.append(text)
        self._space = len(text) != 1 or first not in "<({["
        self._keyword = first == "_" or first.isalpha()
        self._punctuation = not self._keyword

    def value(self, text: str) -> None:
        """An operand, attribute, type or anything else that is no literal."""
        if self._space or not self._punctuation:
            self.out.append(" ")
        self.out.append(text)
        self._space = True
        self._punctuation = self._keyword = False

    def _space_before(self, text: str) -> bool:
        if len(text) != 1 and text != "->":
            return True
        if text == ":" and self._keyword:
            return False
        return text[0] not in (">)}]," if self._punctuation else "<>(){}[],")


class ShowState:
    """A type or attribute of ours being shown; ``attrs`` holds the generic text of its parameters (absent ones left
    out).
    """

    __slots__ = ("attrs", "emit", "todo", "untranslator")

    def __init__(self, untranslator: Untranslator, out: list[str], attrs: dict[str, str], *, space: bool) -> None:
        self.untranslator = untranslator
        self.emit = Emitter(out, space=space)
        self.attrs = attrs
        self.todo: list[Element] = []

    def custom_text(self, text: str) -> str:
        """Generic text of a type or attribute in custom form."""
        return self.untranslator.text(text)

    def parts(self, text: str) -> list[str]:
        """The elements of a bracketed list, commas inside brackets and strings aside."""
        return self.untranslator.parts(text)

    def short_record(self, text: str, constraint: Constraint) -> str:
        """Custom text of a type or attribute without what the constraint's class says anyhow."""
        return self.untranslator.short(text, constraint)


@dataclass
class RegionShow:
    """A region being shown: its braces, its entry arguments as (name, type, location), and where its body starts."""

    open: int
    close: int
    arguments: list[tuple[str, str, str]]
    body: int
    headerless: bool = False
    names: dict[str, str] = field(default_factory=dict)


class OpShow(ShowState):
    """An op of ours being shown: parts of its generic form by field; ``after`` is the token behind it."""

    __slots__ = ("after", "opening", "operands", "regions", "spec", "types")

    def __init__(self, untranslator: Untranslator, out: list[str], spec: OpSpec) -> None:
        super().__init__(untranslator, out, {}, space=True)
        self.spec = spec
        self.operands: dict[str, list[str]] = {}
        self.types: dict[str, list[str]] = {}
        self.regions: dict[str, RegionShow] = {}
        self.opening: tuple[RegionSpec, RegionShow] | None = None
        self.after = 0

    def resolve(self, text: str) -> str:
        """The attribute behind an alias whose name will not be printed here."""
        return self.untranslator.resolve(text)


__all__ = [
    "Emitter",
    "EntryArgument",
    "OpRead",
    "OpShow",
    "Piece",
    "ReadState",
    "RegionRead",
    "RegionShow",
    "ShowState",
]
