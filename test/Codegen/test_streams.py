"""Bodies of streams as micro-ops on vector registers, and nests of counts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spyrec import asm, codegen, isa, numerics
from spyrec.codegen.nests import simplified
from spyrec.device.read import load
from spyrec.dialects import make_context
from spyrec.errors import OutOfResources, SpyrecError
from spyrec.isa import Stream
from spyrec.mlir import ir
from spyrec.spyrecode import Artifact
from spyrec.spyrecode.bank import from_bits

SPYRE = load("spyre")
Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def context() -> Iterator[ir.Context]:
    """A context for the whole file."""
    with make_context() as made:
        yield made


def compiled(context: ir.Context, stream: str, before: str = "") -> Artifact:
    """The artifact of a kernel whose vector unit runs ``stream``."""
    text = f"""func.func @k(%n: i32, %alpha: f16) attributes {{grid = [2], dataflow.signature = []}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dataflow.buffer @b {{address = 0 : i64, slot_bytes = 4096 : i64, depth = 2 : i64}}
  dataflow.program_unit @sfu(%core) {{
{before}
{stream}
  }}
  return
}}"""
    return codegen.generate(asm.read(text, "k.mlir", context).module, SPYRE)


def unary(body: str, types: str = "f16") -> str:
    """A stream of 64 elements with one input and one output of ``types``."""
    return (
        f"dataflow.stream counts [64] ins(@b[%c0] strides [2] : {types}) outs(@b[%c1] strides [2] : {types}) {{\n"
        f"^bb0(%p: {types}, %o: {types}):\n{body}\n}}"
    )


def the_stream(artifact: Artifact) -> Stream:
    (found,) = [i for i in artifact.program.units[0].code if isinstance(i, Stream)]
    return found


def shown(artifact: Artifact) -> list[str]:
    """The lines of the stream in the assembly."""
    lines = [line.split(";")[0].strip() for line in isa.disassemble(artifact).splitlines()]
    return lines[next(k for k, line in enumerate(lines) if line.startswith("stream")) : lines.index("end")]


def test_values_from_outside_are_put_into_every_lane(context: ir.Context) -> None:
    body = """%c = arith.constant 2.0 : f16
%a = arith.mulf %p, %c : f16
%b = arith.mulf %a, %alpha : f16
%d = arith.sitofp %half : i32 to f16
%e = arith.addf %b, %d : f16
%f = arith.addf %e, %o : f16
dataflow.yield %f : f16"""
    artifact = compiled(context, unary(body), "%two = arith.constant 2 : i32\n%half = arith.divsi %n, %two : i32")
    assert shown(artifact) == [
        "stream [64]",
        "in v0: f16 lx[0 in b] [2]",
        "in v1: f16 lx[1 in b] [2]",
        "v2: f16 const 0x4000",
        "v0: f16 mulf v0, v2",
        "v2: f16 splat r1",
        "v0: f16 mulf v0, v2",
        "v2: i32 splat r0",
        "v2: f16 sitofp v2",
        "v0: f16 addf v0, v2",
        "v0: f16 addf v0, v1",
        "out v0: f16 lx[1 in b] [2]",
    ]


def test_an_input_may_be_yielded_and_a_value_yielded_twice(context: ir.Context) -> None:
    text = """dataflow.stream counts [8] ins(@b[%c0] strides [2] : f16)
  outs(@b[%c0] strides [2] : f16, @b[%c1] strides [4] : f16) {
^bb0(%p: f16, %o: f16, %q: f16):
  dataflow.yield %p, %p : f16, f16
}"""
    assert shown(compiled(context, text))[1:] == [
        "in v0: f16 lx[0 in b] [2]",
        "out v0: f16 lx[0 in b] [2]",
        "out v0: f16 lx[1 in b] [4]",
    ]


def test_float_attributes_are_constants(context: ir.Context) -> None:
    body = "%a = spyreop.softplus %p beta 2.0 threshold 20.0 : f16\ndataflow.yield %a : f16"
    lines = shown(compiled(context, unary(body)))
    assert lines[2:5] == ["v1: f32 const 0x40000000", "v2: f32 const 0x41a00000", "v0: f16 softplus v0, v1, v2"]


def test_empty_streams_are_nothing_and_nests_are_merged(context: ir.Context) -> None:
    def stream(counts: str, strides: str) -> str:
        operand = f"@b[%c0] strides [{strides}] : f16"
        return f"""dataflow.stream counts [{counts}] ins({operand}) outs({operand}) {{
^bb0(%p: f16, %o: f16):
  dataflow.yield %p : f16
}}"""

    empty = compiled(context, stream("4, 0", "128, 2"))
    assert [i.op for i in empty.program.units[0].code] == ["halt"]
    assert the_stream(compiled(context, stream("4, 1, 64", "128, 7, 2"))).counts == (256,)
    assert the_stream(compiled(context, stream("4, 32", "128, 2"))).counts == (4, 32)


def test_a_body_with_too_many_values_is_refused(context: ir.Context) -> None:
    lines = [f"%a{k} = arith.addf %p, %p : f16" for k in range(70)]
    lines += ["%s0 = arith.addf %a0, %a0 : f16"]
    lines += [f"%s{k} = arith.addf %s{k - 1}, %a{k} : f16" for k in range(1, 70)]
    with pytest.raises(OutOfResources) as caught:
        compiled(context, unary("\n".join([*lines, "dataflow.yield %s69 : f16"])))
    assert (caught.value.resource, caught.value.need, caught.value.have) == ("vector registers", 70, 64)
    assert str(caught.value.diagnostics[0].position) == "k.mlir:7:1"


@pytest.mark.parametrize(
    ("body", "id_", "place"),
    [
        ("%a = arith.addui_extended %x, %x : i32, i1", "unsupported-op", "k.mlir:10:10"),
        ("%a = arith.extf %p : f16 to f128", "unsupported-type", "k.mlir:9:6"),
    ],
)
def test_what_has_no_micro_op_is_refused_at_its_place(context: ir.Context, body: str, id_: str, place: str) -> None:
    if "addui" in body:
        body = f"%x = arith.constant 1 : i32\n{body.replace('%a', '%a, %c')}"
    with pytest.raises(SpyrecError) as caught:
        compiled(context, unary(f"{body}\ndataflow.yield %p : f16"))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.id, str(diagnostic.position)) == (id_, place)


# Random bodies: (op, result type or None for the operands', operand types).
OPS: list[tuple[str, str, tuple[str, ...]]] = [
    *((f"arith.{op}", "f16", ("f16", "f16")) for op in ("addf", "subf", "mulf", "divf", "maximumf", "minnumf")),
    *((f"arith.{op}", "f32", ("f32", "f32")) for op in ("addf", "mulf")),
    *((f"arith.{op}", "i32", ("i32", "i32")) for op in ("addi", "muli", "xori")),
    *((f"math.{op}", "f16", ("f16",)) for op in ("exp", "tanh", "absf")),
    *((f"spyreop.{op}", "f16", ("f16",)) for op in ("silu", "reciprocal", "exp")),
    ("arith.extf", "f32", ("f16",)),
    ("arith.truncf", "f16", ("f32",)),
    ("arith.fptosi", "i32", ("f32",)),
    ("arith.sitofp", "f32", ("i32",)),
    ("arith.cmpf olt,", "i1", ("f16", "f16")),
    ("arith.cmpi sgt,", "i1", ("i32", "i32")),
    ("arith.select", "f16", ("i1", "f16", "f16")),
]
TYPES = ("f16", "f32", "i32", "i1")
Evaluate = Callable[[dict[str, Array]], Array]


def typed(op: str, operands: Sequence[str], result: str, types: Sequence[str]) -> str:
    """The op's text."""
    listed = ", ".join(f"%{o}" for o in operands)
    if op in ("arith.extf", "arith.truncf", "arith.fptosi", "arith.sitofp"):
        return f"{op} {listed} : {types[0]} to {result}"
    return f"{op} {listed} : {types[-1] if op.startswith(('arith.cmp', 'arith.select')) else result}"


def constant(text: str, type_: str) -> Array:
    """A constant, or its bits."""
    dtype = numerics.dtype(type_)
    if text.startswith("0x"):
        return np.asarray(int(text, 16)).astype(f"uint{8 * dtype.itemsize}").view(dtype)
    return np.asarray(float(text)).astype(dtype)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[str, Evaluate]:
    """A body over %p (f16), %q (f32), %i (i32) that yields an f16, and what it computes from arrays by name."""
    lines: list[str] = []
    constants: dict[str, tuple[str, str]] = {}
    steps: list[tuple[str, str, tuple[str, ...], str]] = []
    names = {"f16": ["p", "alpha"], "f32": ["q"], "i32": ["i", "n"], "i1": list[str]()}
    for number in range(draw(st.integers(1, 25))):
        if draw(st.integers(0, 9)) == 0:
            result, text = draw(st.sampled_from([("f16", "-1.5"), ("f16", "0x7E01"), ("f32", "1.0e-3"), ("i32", "-7")]))
            lines.append(f"%r{number} = arith.constant {text} : {result}")
            constants[f"r{number}"] = text, result
            names[result].append(f"r{number}")
            continue
        op, result, types = draw(st.sampled_from([o for o in OPS if all(names[t] for t in o[2])]))
        operands = tuple(draw(st.sampled_from(names[t][-4:])) for t in types)
        lines.append(f"%r{number} = {typed(op, operands, result, types)}")
        steps.append((f"r{number}", op, operands, result))
        names[result].append(f"r{number}")
    yielded = names["f16"][-1]
    lines.append(f"dataflow.yield %{yielded} : f16")

    def evaluate(values: dict[str, Array]) -> Array:
        values = {**values, **{name: constant(*given) for name, given in constants.items()}}
        for name, op, operands, result in steps:
            word, _, predicate = op.rstrip(",").partition(" ")
            attributes = {"predicate": predicate} if predicate else {}
            values[name] = numerics.apply(word, *(values[o] for o in operands), result_type=result, attrs=attributes)
        return values[yielded]

    return "\n".join(lines), evaluate


def executed(artifact: Artifact, inputs: Sequence[Array], args: Sequence[int | float]) -> Array:
    """The stored values of the stream, its micro-ops evaluated by hand."""
    code = artifact.program.units[0].code
    bank = artifact.plan.bank.evaluate(args)
    scalars = {i.rd: bank[i.imm] for i in code if i.op == "param"}
    stream = the_stream(artifact)
    vectors = {operand.register: array for operand, array in zip(stream.inputs, inputs, strict=True)}
    for micro in stream.micro_ops:
        if micro.op == "const":
            vectors[micro.dest] = from_bits(micro.immediate, micro.type)
        elif micro.op == "splat":
            vectors[micro.dest] = from_bits(scalars[micro.sources[0]], micro.type)
        else:
            sources = [vectors[s] for s in micro.sources]
            vectors[micro.dest] = numerics.apply_micro(micro.op, *sources, result_type=micro.type)
    return vectors[stream.outputs[0].register]


@given(bodies(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_body_computes_what_its_ops_say(context: ir.Context, body: tuple[str, Evaluate], seed: int) -> None:
    lines, evaluate = body
    operands = "@b[%c0] strides [2] : f16, @b[%c0] strides [4] : f32, @b[%c0] strides [4] : i32"
    text = f"""dataflow.stream counts [8] ins({operands}) outs(@b[%c0] strides [2] : f16) {{
^bb0(%p: f16, %q: f32, %i: i32, %o: f16):
{lines}
}}"""
    artifact = compiled(context, text)
    random = np.random.default_rng(seed)
    values: dict[str, Array] = {
        "p": random.standard_normal(8).astype(np.float16),
        "q": random.standard_normal(8).astype(np.float32),
        "i": random.integers(-(2**31), 2**31, 8).astype(np.int32),
    }
    alpha, n = np.float16(random.standard_normal()), int(random.integers(-(2**31), 2**31))
    used = {operand.type for operand in the_stream(artifact).inputs}
    inputs = [values[name] for name, type_ in (("p", "f16"), ("q", "f32"), ("i", "i32")) if type_ in used]
    got = executed(artifact, inputs, (n, float(alpha)))
    wanted = evaluate({**values, "alpha": np.asarray(alpha), "n": np.asarray(n, np.int32)})
    assert np.broadcast_to(got, 8).tobytes() == np.broadcast_to(wanted, 8).tobytes()


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_simplified_nests_visit_the_same_addresses_in_the_same_order(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4))
    counts = data.draw(st.lists(st.integers(1, 4), min_size=rank, max_size=rank))
    stride = st.sampled_from([0, 1, 2, 3, 4, 6, 8, 12, 16, -1, 24])
    strides = data.draw(st.lists(st.lists(stride, min_size=rank, max_size=rank), min_size=1, max_size=3))
    fewer, new = simplified(counts, strides)
    assert len(fewer) == 1 or 1 not in fewer

    def visited(counts: Sequence[int], strides: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        points = itertools.product(*map(range, counts))
        return [tuple(sum(i * s for i, s in zip(p, operand, strict=True)) for operand in strides) for p in points]

    assert visited(fewer, new) == visited(counts, strides)
