"""Forms, intervals and facts of index values against the interpreter's idea of what the ops compute.

Random integer code over a tile id, loop counters and arguments is executed for every tile and iteration; each value has
to equal its form, lie in its interval, and stay what it was when the form is written back as IR."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec.dialects import make_context
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Division, Interval, Leaf, Linear

TILES = 6
CONTEXT = make_context()

# What an op computes on Python integers that hold the value of its type, signed unless its name ends in "ui".
ARITHMETIC = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": lambda a, b: int(a / b) if b and abs(a) < 2**50 else None,
    "remsi": lambda a, b: a - b * int(a / b) if b and abs(a) < 2**50 else None,
    "floordivsi": lambda a, b: a // b if b else None,
    "ceildivsi": lambda a, b: -(-a // b) if b else None,
    "divui": lambda a, b: a // b if b else None,
    "remui": lambda a, b: a % b if b else None,
    "ceildivui": lambda a, b: -(-a // b) if b else None,
    "minsi": min,
    "maxsi": max,
    "andi": lambda a, b: a & b,
    "shli": lambda a, b: a << b if 0 <= b < 20 else None,
    "shrsi": lambda a, b: a >> b if 0 <= b < 20 else None,
    "shrui": lambda a, b: a >> b if 0 <= b < 8 else None,
}
DIVISIONS = ("divsi", "remsi", "floordivsi", "ceildivsi", "divui", "remui", "ceildivui")
SHIFTS = ("shli", "shrsi", "shrui")


@dataclass
class Step:
    """``op`` on earlier values ``left`` and ``right``; divisors and shift amounts are the constant ``number``
    instead, unless that is 0.
    """

    op: str
    left: int
    right: int
    number: int


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(sorted(ARITHMETIC)),
        st.integers(0, 30),
        st.integers(0, 30),
        st.sampled_from([0, 0, 1, 2, 3, 4, 8]),
    ),
    min_size=1,
    max_size=12,
)


def text_of(code: list[Step], type_: str, low: int, trips: int) -> tuple[str, int]:
    """A function that runs ``code`` on a tile id, a counter and small constants; each value is used once by
    ``test.see``.
    """
    lines = [
        "%t = dataflow.tile_id",
        "%one = arith.constant 1 : index",
        f"%low = arith.constant {low} : index",
        f"%high = arith.constant {low + trips} : index",
        "scf.for %i = %low to %high step %one {",
        *(f"%c{n} = arith.constant {n} : {type_}" for n in (1, 2, 3, 4, 8)),
    ]
    if type_ == "index":
        lines += ["%v0 = affine.apply affine_map<(d0) -> (d0)>(%t)", "%v1 = affine.apply affine_map<(d0) -> (d0)>(%i)"]
    else:
        lines += [f"%v0 = arith.index_cast %t : index to {type_}", f"%v1 = arith.index_cast %i : index to {type_}"]
    values = ["%v0", "%v1", "%c3", "%c8"]
    for number, step in enumerate(code, 2):
        left = values[step.left % len(values)]
        right = values[step.right % len(values)]
        if step.op in DIVISIONS + SHIFTS and step.number:
            right = f"%c{step.number}"
        lines.append(f"%v{number} = arith.{step.op} {left}, {right} : {type_}")
        values.append(f"%v{number}")
    seen = values[4:]
    lines.append(f'"test.see"({", ".join(seen)}) : ({", ".join([type_] * len(seen))}) -> ()')
    body = "\n".join(lines)
    return f"func.func @f() attributes {{grid = [{TILES}]}} {{\n{body}\n}}\nreturn\n}}", len(seen)


def run(code: list[Step], tile: int, counter: int, bits: int) -> list[int | None] | None:
    """The values of ``code`` on one tile and iteration, wrapped to their type; ``None`` from the first undefined one
    on.
    """
    values: list[int] = [tile, counter, 3, 8]
    found: list[int | None] = []
    for step in code:
        left, right = values[step.left % len(values)], values[step.right % len(values)]
        if step.op in DIVISIONS + SHIFTS and step.number:
            right = step.number
        if step.op.endswith("ui"):
            left, right = left % (1 << bits), right % (1 << bits)
        result = ARITHMETIC[step.op](left, right)
        if result is None:
            return None
        result = (result + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
        values.append(result)
        found.append(result)
    return found


def evaluate(form: Linear, leaf: dict[Leaf, int]) -> int:
    """The value of a form for given leaves."""
    total = form.constant
    for atom, factor in form.terms:
        if isinstance(atom, Leaf):
            total += factor * leaf[atom]
        else:
            inner = evaluate(atom.of, leaf)
            total += factor * (inner // atom.by if atom.part == "quotient" else inner % atom.by)
    return total


@settings(max_examples=150, deadline=None)
@given(steps, st.sampled_from(["index", "i32", "i8"]), st.integers(-3, 5), st.integers(1, 4))
def test_every_value_is_its_form_and_in_its_interval(code: list[Step], type_: str, low: int, trips: int) -> None:
    text, _ = text_of(code, type_, low, trips)
    bits = 64 if type_ == "index" else int(type_[1:])
    with CONTEXT, ir.Location.unknown():
        CONTEXT.allow_unregistered_dialects = True
        module = ir.Module.parse(text.replace("= dataflow.tile_id", '= "dataflow.tile_id"() : () -> index'))
        function = module.body.operations[0].operation
        values = IndexValues(function)
        see = next(op for op in kernels.walk(function) if op.name == "test.see")
        seen = list(see.operands)
        forms = [values.form(value) for value in seen]
        plain = [values.interval(form) for form in forms]
        here = [values.interval(form, at=see) for form in forms]
        for tile, counter in itertools.product(range(TILES), range(low, low + trips)):
            results = run(code, tile, counter, bits)
            if results is None:
                continue
            known: dict[Leaf, int] = {}
            for form in forms:
                for leaf in form.leaves():
                    known[leaf] = value_of(values.value(leaf), seen, results, tile, counter)
            for form, wide, narrow, result in zip(forms, plain, here, results, strict=True):
                assert result is not None
                assert evaluate(form, known) == result
                assert result in wide
                assert result in narrow


def value_of(value: ir.Value, seen: list[ir.Value], results: list[int | None], tile: int, counter: int) -> int:
    """What a leaf was in one execution: a result of the code, the tile id, or the counter."""
    for candidate, result in zip(seen, results, strict=True):
        if candidate == value and result is not None:
            return result
    return counter if isinstance(value.owner, ir.Block) else tile


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_arithmetic_of_forms(data: st.DataObject) -> None:
    """Sums, multiples and the exchange of quotients for remainders keep the value of a form."""
    leaves = [Leaf(0), Leaf(1)]

    def form(depth: int) -> st.SearchStrategy[Linear]:
        small = st.integers(-9, 9)
        atom: st.SearchStrategy[object] = st.sampled_from(leaves)
        if depth:
            atom |= st.builds(
                Division, st.sampled_from(["quotient", "remainder"]), form(depth - 1), st.sampled_from([2, 3, 8])
            )
        term = st.tuples(atom, small)
        terms = st.lists(term, max_size=4)
        return st.builds(
            lambda ts, c: sum((Linear.atom(a).scaled(f) for a, f in ts), Linear.of(c)),  # type: ignore[arg-type]
            terms,
            small,
        )

    a, b = data.draw(form(2)), data.draw(form(2))
    factor = data.draw(st.integers(-8, 8))
    for x, y in itertools.product((-5, 0, 3, 17), (-8, 1, 6)):
        known = {leaves[0]: x, leaves[1]: y}
        assert evaluate(a + b, known) == evaluate(a, known) + evaluate(b, known)
        assert evaluate(a - b, known) == evaluate(a, known) - evaluate(b, known)
        assert evaluate(a.scaled(factor), known) == factor * evaluate(a, known)
    assert (a - a) == Linear.of(0)


def test_what_cancels_is_gone() -> None:
    x = Linear.atom(Leaf(0))
    quotient, remainder = Division("quotient", x, 8), Division("remainder", x, 8)
    assert Linear.atom(quotient).scaled(8) + Linear.atom(remainder) == x
    # The form in which MLIR writes (x mod 8) * 16.
    assert x.scaled(16) - Linear.atom(quotient).scaled(128) == Linear.atom(remainder).scaled(16)


BOTH = "%a = arith.cmpi sge, %n, %k0 : index\n%b = arith.cmpi sle, %n, %k4 : index\n%c = arith.andi %a, %b : i1"
NOT = "%a = arith.cmpi sgt, %n, %k4 : index\n%true = arith.constant true\n%c = arith.xori %a, %true : i1"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("%c = arith.cmpi slt, %n, %k4 : index", Interval(-(2**63), 3)),
        ("%c = arith.cmpi uge, %k4, %n : index", Interval(0, 4)),
        ("%c = arith.cmpi eq, %n, %k4 : index", Interval(4, 4)),
        (BOTH, Interval(0, 4)),
        (NOT, Interval(-(2**63), 4)),
    ],
)
def test_conditions_bound_what_they_speak_of(condition: str, expected: Interval) -> None:
    text = f"""
    func.func @f(%n: index) {{
      %k0 = arith.constant 0 : index
      %k4 = arith.constant 4 : index
      {condition}
      scf.if %c {{
        "test.see"(%n) : (index) -> ()
      }}
      return
    }}"""
    with CONTEXT, ir.Location.unknown():
        CONTEXT.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        function = module.body.operations[0].operation
        see = next(op for op in kernels.walk(function) if op.name == "test.see")
        assert IndexValues(function).interval(see.operands[0], at=see) == expected


SMALL = "%w = arith.andi %n, %k5 : i32  %d = arith.addi %w, %k2 : i32"
NARROW = """
      %w = arith.trunci %n : i32 to i8
      %v = arith.extui %w : i8 to i32"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (NARROW, Interval(0, 255)),
        ("%m = arith.remsi %n, %k5 : i32  %v = arith.divsi %m, %k2 : i32", Interval(-2, 2)),
        (
            f"{SMALL}  %v = arith.divsi %k5, %d : i32",
            Interval(0, 2),
        ),
        (
            f"{SMALL}  %v = arith.remsi %n, %d : i32",
            Interval(-6, 6),
        ),
        ("%w = arith.andi %n, %k2 : i32  %v = arith.shli %k5, %w : i32", Interval(5, 20)),
        ("%w = arith.andi %n, %k2 : i32  %v = arith.shrsi %k5, %w : i32", Interval(1, 5)),
        ("%v = arith.shrui %n, %k5 : i32", Interval(0, 2**27 - 1)),
        ("%v = arith.divui %n, %k5 : i32", Interval(0, (2**32 - 1) // 5)),
    ],
)
def test_intervals_of_what_has_no_form(code: str, expected: Interval) -> None:
    text = f"""
    func.func @f(%n: i32) {{
      %k2 = arith.constant 2 : i32
      %k5 = arith.constant 5 : i32
      {code.replace("  %", chr(10) + "%")}
      "test.see"(%v) : (i32) -> ()
      return
    }}"""
    function, see = seen_in(text)
    assert IndexValues(function).interval(see.operands[0]) == expected


def test_a_branch_that_the_loops_around_it_rule_out() -> None:
    text = """
    func.func @f() {
      %k0 = arith.constant 0 : index
      %k1 = arith.constant 1 : index
      %k2 = arith.constant 2 : index
      %k9 = arith.constant 9 : index
      scf.for %i = %k0 to %k9 step %k1 {
        scf.for %j = %i to %k2 step %k1 {
          %c = arith.cmpi sge, %i, %k2 : index
          scf.if %c {
            "test.see"() : () -> ()
          } else {
            "test.other"() : () -> ()
          }
        }
      }
      return
    }"""
    function, see = seen_in(text)
    values = IndexValues(function)
    assert values.unreachable(see)
    assert not values.unreachable(next(op for op in kernels.walk(function) if op.name == "test.other"))


def seen_in(text: str) -> tuple[ir.Operation, ir.Operation]:
    """The function in ``text``, and the ``test.see`` in it."""
    with CONTEXT, ir.Location.unknown():
        CONTEXT.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
    MODULES.append(module)
    function = module.body.operations[0].operation
    return function, next(op for op in kernels.walk(function) if op.name == "test.see")


MODULES: list[ir.Module] = []
"""Alive as long as their operations are looked at."""


@pytest.mark.parametrize(
    ("promise", "code", "expected"),
    [
        ("spyrec.upperbound = 100", "%v = arith.maxsi %n, %zero : index", Interval(0, 100)),
        ("spyrec.granularity = 8", "%v = arith.remsi %big, %eight : index", Interval(5, 5)),
        ("spyrec.granularity = 4", "%v = arith.remsi %big, %eight : index", Interval(1, 5)),
        ("spyrec.granularity = 3", "%v = arith.remsi %big, %eight : index", Interval(0, 7)),
        ("spyrec.granularity = 3", "%v = arith.remsi %twice, %eight : index", Interval(0, 6)),
    ],
)
def test_what_an_argument_promises(promise: str, code: str, expected: Interval) -> None:
    text = f"""func.func @k(%n: index {{{promise}}}) {{
      %zero = arith.constant 0 : index
      %eight = arith.constant 8 : index
      %some = arith.constant 1000 : index
      %offset = arith.constant 16005 : index
      %most = arith.minsi %n, %some : index
      %at_least = arith.maxsi %n, %zero : index
      %big = affine.apply affine_map<(n) -> (n mod 16384 + 16005)>(%n)
      %twice = affine.apply affine_map<(n) -> ((n * 2) mod 16)>(%n)
      {code}
      return
    }}"""
    with CONTEXT:
        module = ir.Module.parse(text)
        function = module.body.operations[0].operation
        value = next(op.results[0] for op in kernels.walk(function) if code.split()[2] == op.name)
        assert IndexValues(function).interval(value) == expected


def test_factors_of_what_does_not_wrap_are_numbers_of_the_type() -> None:
    text = """
        func.func @f(%i: index) {
          %big = arith.constant 4294967296 : index
          %a = arith.muli %i, %big : index
          %b = arith.muli %a, %big : index
          return
        }"""
    with CONTEXT:
        module = ir.Module.parse(text)
        function = module.body.operations[0].operation
        values = IndexValues(function, TILES)
        argument, (_, a, b, _) = function.regions[0].blocks[0].arguments[0], function.regions[0].blocks[0].operations
        assert values.unwrapped(a.operation.result) == values.form(argument).scaled(1 << 32)
        assert values.unwrapped(b.operation.result) == values.form(b.operation.result)
