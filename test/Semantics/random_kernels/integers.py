"""Integers of all widths: in lanes, and scalars that come out of tensors and steer control."""

from __future__ import annotations

from spelling import tensor

from random_kernels.builder import WIDTHS, Builder, Value
from random_kernels.memory import write
from random_kernels.pointwise import elementwise

ARITHMETIC = ("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui")
DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")
SHIFTS = ("shli", "shrsi", "shrui")
COUNTS = ("absi", "ctpop", "ctlz", "cttz")
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def bits(b: Builder) -> None:
    """What knows about widths and signs, in lanes: shifts (by too much, too), divisions, counts of bits."""
    value = b.value(kind="i")
    if value is None:
        return
    kind = b.r.choice(("division", "shift", "shift", "count", "compare"))
    if kind == "count":
        b.new(f"math.{b.r.choice(COUNTS)} {value.name} : {value.type}", value.shape, value.element)
        return
    other = b.same(value)
    if kind == "compare":
        test = f"arith.cmpi {b.r.choice(PREDICATES)}, {value.name}, {other.name} : {value.type}"
        b.new(test, value.shape, "i1")
        return
    if kind == "division" or b.chance(0.5):
        number = b.r.choice((1, 2, 3, -1, -3, 7, 100) if kind == "division" else (0, 1, 3, WIDTHS[value.element] - 1))
        other = Value(b.fresh(), value.shape, value.element)
        b.say(f"{other.name} = arith.constant dense<{number}> : {value.type}")
    op = b.r.choice(DIVISIONS if kind == "division" else SHIFTS)
    b.new(f"arith.{op} {value.name}, {other.name} : {value.type}", value.shape, value.element)


def scalar(b: Builder) -> None:
    """Numbers out of a tensor, computed with in several widths, and used as lanes, bound, condition, or place."""
    value = b.r.choice([v for v in b.values if v.kind == "i"] or [None])
    if value is None:
        return
    was = b.uniform
    b.uniform = False
    numbers = _Numbers(b)
    for _ in range(b.r.randint(1, 2)):
        numbers.extract(value)
    numbers.pool.append(("%tile", "index"))
    for _ in range(b.r.randint(1, 8)):
        numbers.step()
    use = b.r.choice((numbers.lanes, numbers.loop, numbers.branch, numbers.slice))
    use()
    b.uniform = was


class _Numbers:
    """Scalars of one place, each a name and a type."""

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.r = b.r
        self.pool: list[tuple[str, str]] = []

    def new(self, text: str, type_: str) -> tuple[str, str]:
        name = self.b.fresh("s")
        self.b.say(f"{name} = {text}")
        self.pool.append((name, type_))
        return name, type_

    def extract(self, value: Value) -> None:
        places = ", ".join(self.b.index(self.r.randrange(n)) for n in value.shape)
        self.new(f"tensor.extract {value.name}[{places}] : {value.type}", value.element)

    def constant(self, number: int, type_: str) -> str:
        return self.new(f"arith.constant {number} : {type_}", type_)[0]

    def same(self, type_: str) -> str:
        return self.r.choice([name for name, other in self.pool if other == type_])

    def last(self) -> tuple[str, str]:
        return self.b.late(self.pool)

    def cast(self, number: tuple[str, str], to: str) -> str:
        name, type_ = number
        if type_ == to:
            return name
        if "index" in (type_, to):
            op = self.r.choice(("index_cast", "index_castui"))
        else:
            op = self.r.choice(("extsi", "extui")) if WIDTHS[to] > WIDTHS[type_] else "trunci"
        return self.new(f"arith.{op} {name} : {type_} to {to}", to)[0]

    def step(self) -> None:
        """One more."""
        name, type_ = number = self.last()
        kind = self.r.choice(("arithmetic", "arithmetic", "division", "shift", "compare", "select", "cast", "cast"))
        if kind == "cast":
            self.cast(number, self.r.choice([t for t in WIDTHS if t != type_]))
        elif kind == "arithmetic" or type_ == "i1":
            self.new(f"arith.{self.r.choice(ARITHMETIC)} {name}, {self.same(type_)} : {type_}", type_)
        elif kind == "division":
            by = self.constant(self.r.choice((1, 2, 3, 5, 8, 64)), type_)
            self.new(f"arith.{self.r.choice(DIVISIONS)} {name}, {by} : {type_}", type_)
        elif kind == "shift":
            by = self.constant(self.r.choice((0, 1, 3, 7)), type_) if self.b.chance(0.6) else self.same(type_)
            self.new(f"arith.{self.r.choice(SHIFTS)} {name}, {by} : {type_}", type_)
        elif kind == "compare":
            self.new(f"arith.cmpi {self.r.choice(PREDICATES)}, {name}, {self.same(type_)} : {type_}", "i1")
        elif tests := [test for test, other in self.pool if other == "i1"]:
            self.new(f"arith.select {self.r.choice(tests)}, {name}, {self.same(type_)} : {type_}", type_)

    def lanes(self) -> None:
        """The number everywhere."""
        element = self.r.choice(tuple(t for t in WIDTHS if t != "index"))
        name = self.cast(self.last(), element)
        other = self.r.choice(self.b.values)
        self.b.new(f"tensor.splat {name} : {tensor(other.shape, element)}", other.shape, element)

    def below(self, most: int) -> str:
        """An index from 0 to below ``most``."""
        name = self.cast(self.last(), "index")
        return self.new(f"arith.remui {name}, {self.constant(most, 'index')} : index", "index")[0]

    def loop(self) -> None:
        """So many iterations."""
        b, value = self.b, self.r.choice(self.b.values)
        end, counter = self.below(3), b.fresh("i")
        result, inside = (Value(b.fresh(stem), value.shape, value.element) for stem in "ra")
        b.say(
            f"{result.name} = scf.for {counter} = %c0 to {end} step %c1 iter_args({inside.name} = {value.name}) ->"
            f" ({value.type}) {{"
        )
        outer = list(b.values)
        b.values.append(inside)
        b.depth += 1
        made = elementwise(b, inside)
        b.depth -= 1
        b.say(f"scf.yield {made.name} : {made.type}\n}}")
        b.values = [*outer, result]

    def branch(self) -> None:
        """One of two values."""
        b, value = self.b, self.r.choice(self.b.values)
        test, result = self.cast(self.last(), "i1"), Value(b.fresh("r"), value.shape, value.element)
        b.say(f"{result.name} = scf.if {test} -> ({value.type}) {{")
        outer = list(b.values)
        made = elementwise(b, value)
        b.say(f"scf.yield {made.name} : {made.type}\n}} else {{\nscf.yield {value.name} : {value.type}\n}}")
        b.values = [*outer, result]

    def slice(self) -> None:
        """Rows from there on."""
        b, value = self.b, self.r.choice(self.b.values)
        if not value.shape:
            return
        rows = self.r.randint(1, value.shape[0])
        start, shape = self.below(value.shape[0] - rows + 1), (rows, *value.shape[1:])
        offsets = ", ".join([start, *("0" for _ in shape[1:])])
        type_ = tensor(shape, value.element)
        made = b.new(
            f"tensor.extract_slice {value.name}[{offsets}] {list(shape)} {[1] * len(shape)} : {value.type} to {type_}",
            shape,
            value.element,
        )
        if self.b.depth < 3 and self.b.chance(0.5):
            write(b, made)
