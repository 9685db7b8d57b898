"""Random scalar programs for a load unit: their text at stage ``program``, and what they do, from one description.

A program is a list of statements. Each transfer that runs is an event (source address, destination address); running
the encoded program has to give the same events as evaluating the statements on Python's integers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
WIDE = ["i8", "i16", "i32", "i64", "index"]
Event = tuple[int, int]
Values = dict[str, int]


def wrapped(value: int, type_: str) -> int:
    """``value`` as it is held for ``type_``: signed, i1 as 0 or 1."""
    bits = BITS[type_]
    value &= (1 << bits) - 1
    return value if bits == 1 or value < 1 << (bits - 1) else value - (1 << bits)


def signed(value: int, type_: str) -> int:
    return -value if type_ == "i1" else value


def unsigned(value: int, type_: str) -> int:
    return value & (1 << BITS[type_]) - 1


def truncated(a: int, b: int) -> int:
    return -(-a // b) if (a < 0) != (b < 0) else a // b


BINARY: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "minsi": min,
    "maxsi": max,
}
DIVISIONS: dict[str, Callable[[int, int], int]] = {
    "divsi": truncated,
    "remsi": lambda a, b: a - b * truncated(a, b),
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
}
UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "divui": lambda a, b: a // b,
    "remui": lambda a, b: a % b,
    "ceildivui": lambda a, b: -(-a // b),
}
EXTREMES: dict[str, Callable[[int, int], int]] = {"minui": min, "maxui": max}
SHIFTS = ("shli", "shrsi", "shrui")
PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "ult": lambda a, b: a < b,
    "ule": lambda a, b: a <= b,
    "ugt": lambda a, b: a > b,
    "uge": lambda a, b: a >= b,
}


@dataclass
class Program:
    """``text`` lines, and ``run`` to do the same to the values by name; yields events."""

    text: list[str] = field(default_factory=list)
    steps: list[Callable[[Values], Iterator[Event]]] = field(default_factory=list)

    def add(self, line: str, name: str, compute: Callable[[Values], int], type_: str) -> None:
        """A statement that sets ``name``."""

        def step(values: Values) -> Iterator[Event]:
            values[name] = wrapped(compute(values), type_)
            return iter(())

        self.text.append(line)
        self.steps.append(step)

    def run(self, values: Values) -> Iterator[Event]:
        """Execute on ``values``, which is changed."""
        for step in self.steps:
            yield from step(values)


class Maker:
    """Draws programs. ``scope`` holds the names that may be used, with their types."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.numbers = itertools.count()

    def name(self) -> str:
        return f"v{next(self.numbers)}"

    def pick(self, scope: dict[str, str], types: Sequence[str]) -> str | None:
        names = [n for n, t in scope.items() if t in types]
        return self.draw(st.sampled_from(names)) if names else None

    def some(self, program: Program, scope: dict[str, str], type_: str) -> str:
        """A name of ``type_``: one in scope, or a new constant."""
        known = self.pick(scope, [type_])
        return known if known and self.draw(st.integers(0, 3)) else self.constant(program, scope, type_)

    def constant(self, program: Program, scope: dict[str, str], type_: str, value: int | None = None) -> str:
        if value is None:
            half = 1 << (BITS[type_] - 1)
            small = st.integers(0, 1) if type_ == "i1" else st.integers(-5, 70)
            value = self.draw(small if type_ == "i1" else st.one_of(small, st.integers(-half, half - 1)))
        value = wrapped(value, type_)
        name = self.name()
        shown = ("true" if value else "false") if type_ == "i1" else f"{value} : {type_}"
        program.add(f"%{name} = arith.constant {shown}", name, lambda _: value, type_)
        scope[name] = type_
        return name

    def statements(self, scope: dict[str, str], depth: int, most: int, *, pure: bool = False) -> Program:
        """Up to ``most`` statements; ``pure`` ones have no regions and no transfers."""
        program = Program()
        makers = [self.binary, self.division, self.shift, self.compare, self.select, self.cast, self.affine]
        for _ in range(self.draw(st.integers(1, most))):
            kind = self.draw(st.integers(0, 13))
            if kind < 9 or pure:
                self.draw(st.sampled_from(makers))(program, scope)
            elif kind == 9 or not depth:
                self.transfer(program, scope)
            else:
                makers_of_regions = (self.loop, self.loop, self.branch, self.repeat)
                makers_of_regions[kind - 10](program, scope, depth)
        return program

    def binary(self, program: Program, scope: dict[str, str]) -> None:
        type_ = self.draw(st.sampled_from(["i1", *WIDE]))
        op = self.draw(st.sampled_from([*BINARY, *EXTREMES]))
        a, b, name = self.some(program, scope, type_), self.some(program, scope, type_), self.name()

        def compute(values: Values) -> int:
            if op in EXTREMES:
                return EXTREMES[op](unsigned(values[a], type_), unsigned(values[b], type_))
            if op in ("minsi", "maxsi"):
                return BINARY[op](signed(values[a], type_), signed(values[b], type_))
            return BINARY[op](values[a], values[b])

        program.add(f"%{name} = arith.{op} %{a}, %{b} : {type_}", name, compute, type_)
        scope[name] = type_

    def division(self, program: Program, scope: dict[str, str]) -> None:
        """By a constant, or by something whose lowest bit is set."""
        type_ = self.draw(st.sampled_from(WIDE))
        op = self.draw(st.sampled_from([*DIVISIONS, *UNSIGNED]))
        a, name = self.some(program, scope, type_), self.name()
        if self.draw(st.booleans()):
            b = self.constant(program, scope, type_, self.draw(st.sampled_from([1, 2, 3, 7, 64, -1, -3])))
        else:
            one, free, b = self.constant(program, scope, type_, 1), self.some(program, scope, type_), self.name()
            program.add(f"%{b} = arith.ori %{free}, %{one} : {type_}", b, lambda v: v[free] | 1, type_)
            scope[b] = type_

        def compute(values: Values) -> int:
            if op in UNSIGNED:
                return UNSIGNED[op](unsigned(values[a], type_), unsigned(values[b], type_))
            return DIVISIONS[op](values[a], values[b])

        program.add(f"%{name} = arith.{op} %{a}, %{b} : {type_}", name, compute, type_)
        scope[name] = type_

    def shift(self, program: Program, scope: dict[str, str]) -> None:
        type_ = self.draw(st.sampled_from(WIDE))
        op = self.draw(st.sampled_from(SHIFTS))
        by = self.draw(st.integers(0, BITS[type_] - 1))
        a, b, name = self.some(program, scope, type_), self.constant(program, scope, type_, by), self.name()

        def compute(values: Values) -> int:
            if op == "shli":
                return values[a] << by
            return (values[a] if op == "shrsi" else unsigned(values[a], type_)) >> by

        program.add(f"%{name} = arith.{op} %{a}, %{b} : {type_}", name, compute, type_)
        scope[name] = type_

    def compare(self, program: Program, scope: dict[str, str]) -> None:
        type_ = self.draw(st.sampled_from(["i1", *WIDE]))
        predicate = self.draw(st.sampled_from(list(PREDICATES)))
        a, b, name = self.some(program, scope, type_), self.some(program, scope, type_), self.name()
        read = unsigned if predicate.startswith("u") else signed

        def compute(values: Values) -> int:
            return int(PREDICATES[predicate](read(values[a], type_), read(values[b], type_)))

        program.add(f"%{name} = arith.cmpi {predicate}, %{a}, %{b} : {type_}", name, compute, "i1")
        scope[name] = "i1"

    def select(self, program: Program, scope: dict[str, str]) -> None:
        type_ = self.draw(st.sampled_from(["i1", *WIDE]))
        c = self.some(program, scope, "i1")
        a, b, name = self.some(program, scope, type_), self.some(program, scope, type_), self.name()
        text = f"%{name} = arith.select %{c}, %{a}, %{b} : {type_}"
        program.add(text, name, lambda v: v[a] if v[c] else v[b], type_)
        scope[name] = type_

    def cast(self, program: Program, scope: dict[str, str]) -> None:
        integers = ["i1", "i8", "i16", "i32", "i64"]
        if self.draw(st.booleans()):
            other = self.draw(st.sampled_from(["i8", "i16", "i32", "i64"]))
            source, target = self.draw(st.sampled_from([("index", other), (other, "index")]))
            op = self.draw(st.sampled_from(["index_cast", "index_castui"]))
        else:
            low, high = sorted(self.draw(st.lists(st.integers(0, 4), min_size=2, max_size=2, unique=True)))
            op = self.draw(st.sampled_from(["extsi", "extui", "trunci"]))
            source, target = (integers[high], integers[low]) if op == "trunci" else (integers[low], integers[high])
        a, name = self.some(program, scope, source), self.name()
        zeros = op in ("extui", "index_castui")

        def compute(values: Values) -> int:
            return unsigned(values[a], source) if zeros else signed(values[a], source)

        program.add(f"%{name} = arith.{op} %{a} : {source} to {target}", name, compute, target)
        scope[name] = target

    def affine(self, program: Program, scope: dict[str, str]) -> None:
        a, b, name = self.some(program, scope, "index"), self.some(program, scope, "index"), self.name()
        k, m, c, n = (self.draw(st.integers(-4, 200)) for _ in range(4))
        op = self.draw(st.sampled_from(["mod", "floordiv", "ceildiv", "rest"]))
        by = self.draw(st.integers(1, 9))
        of: dict[str, Callable[[int], int]] = {
            "mod": lambda x: x % by,
            "rest": lambda x: x % by * 6,
            "floordiv": lambda x: x // by,
            "ceildiv": lambda x: -(-x // by),
        }
        x = f"(a * {k} + b * {m} + {c})"
        # As MLIR rewrites x mod by, times 6.
        division = f"{x} * 6 - ({x} floordiv {by}) * {by * 6}" if op == "rest" else f"{x} {op} {by}"
        map_ = f"affine_map<(a)[b] -> ({division} + b * {n})>"

        def compute(values: Values) -> int:
            inner = wrapped(values[a] * k + values[b] * m + c, "index")
            return of[op](inner) + values[b] * n

        program.add(f"%{name} = affine.apply {map_}(%{a})[%{b}]", name, compute, "index")
        scope[name] = "index"

    def transfer(self, program: Program, scope: dict[str, str]) -> None:
        source, dest = self.some(program, scope, "index"), self.some(program, scope, "index")
        base = self.pick(scope, ["index"]) if self.draw(st.booleans()) else None

        def step(values: Values) -> Iterator[Event]:
            yield wrapped(values[source] + (values[base] if base else 0), "index"), values[dest]

        from_ = f" from %{base}" if base else ""
        program.text.append(
            f"dataflow.transfer @device[%{source}{from_}] strides [1] to @lx[%{dest} in @b] strides [1] counts [4]"
            " {element_bytes = 1 : i64}"
        )
        program.steps.append(step)

    def carried(self, program: Program, scope: dict[str, str]) -> tuple[list[str], list[str], list[str]]:
        """Types and initial values of up to three carried values, and their names inside."""
        types = self.draw(st.lists(st.sampled_from(["i1", "i8", "i32", "index"]), max_size=3))
        return types, [self.some(program, scope, t) for t in types], [self.name() for _ in types]

    def loop(self, program: Program, scope: dict[str, str], depth: int) -> None:
        types, inits, inside = self.carried(program, scope)
        low = self.constant(program, scope, "index", self.draw(st.integers(-3, 3)))
        step_ = self.constant(program, scope, "index", self.draw(st.integers(1, 3)))
        if self.draw(st.booleans()):
            high = self.constant(program, scope, "index", self.draw(st.integers(-3, 6)))
        else:
            free, mask, high = self.some(program, scope, "index"), self.name(), self.name()
            program.add(f"%{mask} = arith.constant 7 : index", mask, lambda _: 7, "index")
            program.add(f"%{high} = arith.andi %{free}, %{mask} : index", high, lambda v: v[free] & 7, "index")
        i = self.name()
        inner = {**scope, i: "index", **dict(zip(inside, types, strict=True))}
        body = self.statements(inner, depth - 1, 5)
        yields = [self.some(body, inner, t) for t in types]
        results = [self.name() for _ in types]

        def step(values: Values) -> Iterator[Event]:
            current = [values[n] for n in inits]
            for k in range(values[low], values[high], values[step_]):
                scoped = {**values, i: k, **dict(zip(inside, current, strict=True))}
                yield from body.run(scoped)
                current = [scoped[n] for n in yields]
            values.update(zip(results, current, strict=True))

        head = f"scf.for %{i} = %{low} to %{high} step %{step_}"
        if types:
            pairs = ", ".join(f"%{a} = %{b}" for a, b in zip(inside, inits, strict=True))
            head = f"{listed(results)} = {head} iter_args({pairs}) -> ({', '.join(types)})"
        self.region(program, step, head, [(body, yields)], types)
        scope.update(zip(results, types, strict=True))

    def repeat(self, program: Program, scope: dict[str, str], depth: int) -> None:
        """``scf.while`` whose two parts carry values of their own; a counter among them makes it end."""
        types, inits, inside = self.carried(program, scope)
        fuel, zero = self.constant(program, scope, "index", self.draw(st.integers(0, 4))), self.name()
        one, go, left, left_after, next_ = (self.name() for _ in range(5))
        inner = {**scope, left: "index", **dict(zip(inside, types, strict=True))}
        before = self.statements(inner, depth - 1, 4)
        before.add(f"%{zero} = arith.constant 0 : index", zero, lambda _: 0, "index")
        before.add(f"%{one} = arith.cmpi sgt, %{left}, %{zero} : index", one, lambda v: int(v[left] > 0), "i1")
        free = self.some(before, inner, "i1")
        before.add(f"%{go} = arith.andi %{one}, %{free} : i1", go, lambda v: v[one] & v[free], "i1")
        passed = self.draw(st.lists(st.sampled_from(["i1", "i8", "i32", "index"]), max_size=3))
        given = [self.some(before, inner, t) for t in passed]
        taken, results = [self.name() for _ in passed], [self.name() for _ in [0, *passed]]
        outer = {**scope, left_after: "index", **dict(zip(taken, passed, strict=True))}
        after = self.statements(outer, depth - 1, 4)
        step_name = self.constant(after, outer, "index", 1)
        text = f"%{next_} = arith.subi %{left_after}, %{step_name} : index"
        after.add(text, next_, lambda v: v[left_after] - 1, "index")
        yields = [self.some(after, outer, t) for t in types]

        def step(values: Values) -> Iterator[Event]:
            current = [values[n] for n in (fuel, *inits)]
            while True:
                scoped = {**values, **dict(zip((left, *inside), current, strict=True))}
                yield from before.run(scoped)
                out = [scoped[n] for n in (left, *given)]
                if not scoped[go]:
                    values.update(zip(results, out, strict=True))
                    return
                scoped = {**values, **dict(zip((left_after, *taken), out, strict=True))}
                yield from after.run(scoped)
                current = [scoped[n] for n in (next_, *yields)]

        first, second = ", ".join(["index", *types]), ", ".join(["index", *passed])
        pairs = ", ".join(f"%{a} = %{b}" for a, b in zip((left, *inside), (fuel, *inits), strict=True))
        program.text.append(f"{listed(results)} = scf.while ({pairs}) : ({first}) -> ({second}) {{")
        program.text += [*before.text, f"scf.condition(%{go}) {listed([left, *given])} : {second}", "} do {"]
        arguments = ", ".join(f"%{n}: {t}" for n, t in zip((left_after, *taken), ("index", *passed), strict=True))
        program.text += [f"^bb0({arguments}):", *after.text, f"scf.yield {listed([next_, *yields])} : {first}", "}"]
        program.steps.append(step)
        scope.update(zip(results, ["index", *passed], strict=True))

    def branch(self, program: Program, scope: dict[str, str], depth: int) -> None:
        types = self.draw(st.lists(st.sampled_from(["i1", "i16", "index"]), max_size=2))
        condition = self.some(program, scope, "i1")
        arms = []
        for _ in range(2):
            inner = dict(scope)
            body = self.statements(inner, depth - 1, 4)
            arms.append((body, [self.some(body, inner, t) for t in types]))
        results = [self.name() for _ in types]

        def step(values: Values) -> Iterator[Event]:
            body, yields = arms[0] if values[condition] else arms[1]
            scoped = dict(values)
            yield from body.run(scoped)
            values.update((r, scoped[n]) for r, n in zip(results, yields, strict=True))

        head = f"{listed(results)} = scf.if %{condition} -> ({', '.join(types)})" if types else f"scf.if %{condition}"
        self.region(program, step, head, arms, types)
        scope.update(zip(results, types, strict=True))

    def region(
        self,
        program: Program,
        step: Callable[[Values], Iterator[Event]],
        head: str,
        bodies: list[tuple[Program, list[str]]],
        types: list[str],
    ) -> None:
        """Append the text of an op with regions."""
        for number, (body, yields) in enumerate(bodies):
            program.text.append("} else {" if number else f"{head} {{")
            program.text += body.text
            if types:
                program.text.append(f"scf.yield {listed(yields)} : {', '.join(types)}")
        program.text.append("}")
        program.steps.append(step)


def listed(names: Sequence[str]) -> str:
    return ", ".join(f"%{n}" for n in names)


ARGUMENTS = {"p": "index", "q": "i32", "r": "i8"}


@dataclass
class Case:
    """A kernel: ``text``, and the events of tile ``core`` for argument values."""

    text: str
    outer: Program
    inner: Program

    def events(self, arguments: Values, core: int) -> list[Event]:
        values = dict(arguments)
        assert not list(self.outer.run(values))
        values["core"] = core
        return list(self.inner.run(values))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A kernel with launch-uniform statements outside of its unit, and any inside."""
    maker = Maker(draw)
    scope = dict(ARGUMENTS)
    outer = maker.statements(scope, 0, 4, pure=True)
    scope["core"] = "index"
    inner = maker.statements(scope, 3, 10)
    maker.transfer(inner, scope)
    head = ", ".join(f"%{n}: {t}" for n, t in ARGUMENTS.items())
    lines = [
        f"func.func @k({head}) attributes {{grid = [3], dataflow.signature = []}} {{",
        *outer.text,
        "dataflow.buffer @b {address = 0 : i64, slot_bytes = 128 : i64, depth = 1 : i64}",
        "dataflow.program_unit @load(%core) {",
        *inner.text,
        "}",
        "return",
        "}",
    ]
    return Case("\n".join(lines), outer, inner)
