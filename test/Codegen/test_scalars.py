"""Integer arithmetic, loops and branches of units mean the same encoded as in the IR, on every tile."""

from __future__ import annotations

from collections.abc import Iterator

import machine
import programs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spyrec import asm, codegen, isa
from spyrec.codegen.code import Builder, held
from spyrec.device.read import load
from spyrec.dialects import make_context
from spyrec.errors import OutOfResources, SpyrecError
from spyrec.isa import alu
from spyrec.mlir import ir

SPYRE = load("spyre")
ARGUMENTS = st.tuples(st.integers(-10, 500), st.integers(-(2**31), 2**31 - 1), st.integers(-128, 127))


@pytest.fixture(scope="module")
def context() -> Iterator[ir.Context]:
    """A context for the whole file."""
    with make_context() as made:
        yield made


@given(programs.cases(), ARGUMENTS)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_a_program_does_what_its_statements_say(
    context: ir.Context, case: programs.Case, arguments: tuple[int, int, int]
) -> None:
    module = asm.read(case.text, "case.mlir", context).module
    wanted = [case.events(dict(zip(programs.ARGUMENTS, arguments, strict=True)), core) for core in range(3)]
    for eager in (True, False):
        artifact = codegen.generate(module, SPYRE, eager=eager)
        bank = artifact.plan.bank.evaluate(arguments)
        code = artifact.program.units[0].code
        assert [list(machine.transfers(code, core, bank)) for core in range(3)] == wanted


def compiled(context: ir.Context, body: str, arguments: str = "%n: index") -> isa.Binary:
    """The program of a load unit with ``body``."""
    text = f"""func.func @k({arguments}) attributes {{grid = [2], dataflow.signature = []}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dataflow.buffer @b {{address = 0 : i64, slot_bytes = 128 : i64, depth = 2 : i64}}
  dataflow.program_unit @load(%core) {{
{body}
  }}
  return
}}"""
    return codegen.generate(asm.read(text, "k.mlir", context).module, SPYRE).program


def transfer(source: str, dest: str = "%c0") -> str:
    sides = f"@device[{source}] strides [1] to @lx[{dest} in @b] strides [1]"
    return f"dataflow.transfer {sides} counts [4] {{element_bytes = 1 : i64}}"


def code(binary: isa.Binary) -> list[str]:
    """The code of the only unit, a line per instruction."""
    lines = isa.disassemble(binary).partition("unit load\n")[2].splitlines()
    return [line.strip() for line in lines if ":" not in line or "[" in line]


@pytest.mark.parametrize(
    ("count", "loops"),
    [
        ("%c = arith.constant 0 : index", 0),
        ("%c = arith.constant 65536 : index", 1),
        ("%c = arith.muli %n, %c1 : index", 1),
    ],
)
def test_one_loop_however_long_it_is(context: ir.Context, count: str, loops: int) -> None:
    body = f"{count} scf.for %i = %c0 to %c step %c1 {{ {transfer('%i')} }}".replace(" %c =", "\n%c =")
    assert [line.split()[0] for line in code(compiled(context, body))].count("loop") == loops


def test_code_does_not_grow_with_counts(context: ir.Context) -> None:
    def size(count: int) -> int:
        body = f"%c = arith.constant {count} : index\nscf.for %i = %c0 to %c step %c1 {{ {transfer('%i')} }}"
        return len(isa.encode(compiled(context, body)))

    assert len({size(count) for count in (2, 10, 65_535, 65_536, 10_000_000, 1 << 33, 1 << 62)}) == 1


def test_what_a_loop_does_not_change_is_computed_before_it(context: ir.Context) -> None:
    body = f"""%c = arith.constant 9 : index
scf.for %i = %c0 to %c step %c1 {{
  %s = affine.apply affine_map<(t, i)[n] -> ((t * 3 + i) * 128 + n * 2 + 40)>(%core, %i)[%n]
  {transfer("%s")}
  %u = affine.apply affine_map<(t, i)[n] -> ((t * 3 + i) * 128 + n * 2 + 48)>(%core, %i)[%n]
  {transfer("%u")}
}}"""
    lines = code(compiled(context, body))
    inside = lines[next(k for k, line in enumerate(lines) if line.startswith("loop")) + 1 : lines.index("endloop")]
    operations = [line.split()[0] for line in inside]
    assert operations == ["muli", "add", "xfer", "xfer"]
    assert "+ 40]" in inside[2]
    assert "+ 48]" in inside[3]


def test_narrow_values_are_wrapped_only_where_they_may_overflow(context: ir.Context) -> None:
    def operations(value: str) -> list[str]:
        body = f"""%t = arith.index_cast %core : index to i32
%k = arith.constant {value} : i32
%m = arith.muli %t, %k : i32
%s = arith.index_cast %m : i32 to index
{transfer("%s")}"""
        return [line.split()[0] for line in code(compiled(context, body))]

    assert "sext" not in operations("1000000")
    assert "sext" not in operations("2147483647")
    assert operations("-2147483648").count("sext") == 0
    body = f"%m = arith.muli %q, %q : i32\n%s = arith.index_cast %m : i32 to index\n{transfer('%s')}"
    assert "sext" in [line.split()[0] for line in code(compiled(context, body, "%q: i32"))]


def test_carried_values_change_all_at_once(context: ir.Context) -> None:
    """A Fibonacci step, a swap and a rotation: each new value is made from old ones."""
    body = f"""%c = arith.constant 7 : index
%r:5 = scf.for %i = %c0 to %c step %c1 iter_args(%a = %c0, %b = %c1, %x = %n, %y = %c0, %z = %c1)
    -> (index, index, index, index, index) {{
  %s = arith.addi %a, %b : index
  scf.yield %b, %s, %y, %z, %x : index, index, index, index, index
}}
{transfer("%r#0", "%r#1")}
{transfer("%r#2", "%r#3")}
{transfer("%r#4")}"""
    unit = compiled(context, body).units[0]
    assert list(machine.transfers(unit.code, 0, (50,))) == [(13, 21), (0, 1), (50, 0)]


SMALL = st.tuples(st.integers(-6, 6), st.integers(0, 5)).map(lambda r: (r[0], r[0] + r[1]))


@given(st.sampled_from(sorted(alu.OPERATIONS)), SMALL, SMALL)
@settings(max_examples=500, deadline=None)
def test_ranges_hold_every_result(op: str, a: tuple[int, int], b: tuple[int, int]) -> None:
    builder = Builder(eager=True)
    x, y = builder.register(values=a), builder.register(values=b)
    low, high = builder.range(builder.alu(op, held(x), held(y)))
    for left in range(a[0], a[1] + 1):
        for right in range(b[0], b[1] + 1):
            if right or op not in ("div", "rem", "floordiv", "mod", "ceildiv", "divu", "remu"):
                assert low <= alu.evaluate(op, left, right) <= high


def test_values_beyond_the_registers_are_made_where_they_are_used(context: ir.Context) -> None:
    """Forty arguments fit because slow code loads each when it needs it."""
    arguments = ", ".join(f"%a{k}: index" for k in range(40))
    body = "\n".join(
        [
            "%c = arith.constant 5 : index",
            "scf.for %i = %c0 to %c step %c1 {",
            *(transfer(f"%a{k}") for k in range(40)),
            "}",
        ]
    )
    binary = compiled(context, body, arguments)
    assert len([i for i in binary.units[0].code if i.op == "param"]) == 40


def refusal(context: ir.Context, body: str, arguments: str = "%n: index") -> SpyrecError:
    """The error with which the program is refused."""
    with pytest.raises(SpyrecError) as caught:
        compiled(context, body, arguments)
    return caught.value


def test_too_many_values_at_a_time_are_refused_at_the_unit(context: ir.Context) -> None:
    inits = [f"%a{k} = %n" for k in range(40)]
    body = f"""%c = arith.constant 5 : index
%r:40 = scf.for %i = %c0 to %c step %c1 iter_args({", ".join(inits)}) -> ({", ".join(["index"] * 40)}) {{
  scf.yield {", ".join(f"%a{(k + 1) % 40}" for k in range(40))} : {", ".join(["index"] * 40)}
}}
{transfer("%r#3")}"""
    error = refusal(context, body)
    assert isinstance(error, OutOfResources)
    assert (error.resource, error.have) == ("scalar registers", 32)
    assert error.need > 40
    (diagnostic,) = error.diagnostics
    assert diagnostic.id == "out-of-registers"
    assert str(diagnostic.position) == "k.mlir:5:3"


@pytest.mark.parametrize(
    ("body", "id_", "place"),
    [
        ("%v = arith.addf %x, %x : f32", "unsupported-op", "k.mlir:6:6"),
        ("dataflow.wait @nothing", "invalid-program", "k.mlir:6:1"),
        (transfer("%c0").replace("@b", "@d"), "invalid-program", "k.mlir:6:1"),
        (transfer("%c0").replace("= 1", "= 3"), "unsupported-type", "k.mlir:6:1"),
        ("scf.for %i = %c0 to %n step %c0 {\n}", "bad-step", "k.mlir:6:1"),
        ("%v = arith.addi %w, %w : i128\n%u = arith.cmpi eq, %v, %w : i128", "unsupported-type", "k.mlir:1:34"),
    ],
)
def test_what_cannot_be_encoded_is_refused_at_its_place(context: ir.Context, body: str, id_: str, place: str) -> None:
    error = refusal(context, body, "%n: index, %x: f32, %w: i128")
    assert [d.id for d in error.diagnostics] == [id_]
    assert str(error.diagnostics[0].position) == place
