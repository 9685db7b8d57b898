"""What is computed element by element."""

from __future__ import annotations

from collections.abc import Callable

from spelling import tensor

from random_kernels.builder import Builder, Value, affine

FLOAT_2 = ["addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf"]
FLOAT_1 = ["arith.negf", "math.exp", "math.absf", "math.sqrt", "math.tanh", "math.rsqrt", "math.log", "math.erf"]
INTRINSICS = ["sigmoid", "silu", "gelu", "reciprocal", "exp", "sqrt", "rsqrt"]
INTEGER_2 = ["addi", "subi", "muli", "maxsi", "minsi", "andi", "ori", "xori"]


CASTS = {
    "f16": (("arith.extf", "f32"), ("arith.fptosi", "i32")),
    "bf16": (("arith.extf", "f32"),),
    "f32": (("arith.truncf", "f16"), ("arith.truncf", "bf16"), ("arith.fptosi", "i32"), ("arith.fptoui", "i8")),
    "i64": (("arith.trunci", "i32"), ("arith.trunci", "i8"), ("arith.sitofp", "f32")),
    "i32": (
        ("arith.sitofp", "f32"),
        ("arith.sitofp", "f16"),
        ("arith.trunci", "i1"),
        ("arith.trunci", "i16"),
        ("arith.extui", "i64"),
    ),
    "i16": (("arith.extsi", "i32"), ("arith.extui", "i32"), ("arith.trunci", "i8"), ("arith.uitofp", "f32")),
    "i8": (("arith.extsi", "i16"), ("arith.extui", "i32"), ("arith.extsi", "i64")),
    "i1": (("arith.extui", "i32"), ("arith.extsi", "i32"), ("arith.uitofp", "f32")),
}


def elementwise(b: Builder, value: Value) -> Value:
    if value.element == "i1":
        other = b.same(value)
        return b.new(
            f"arith.{b.r.choice(('andi', 'ori', 'xori'))} {value.name}, {other.name} : {value.type}",
            value.shape,
            "i1",
        )
    if value.kind == "f" and b.chance(0.4):
        if b.exact:
            op = b.r.choice(("arith.negf", "math.absf"))
        elif b.chance(0.3) and value.element == "f16":
            op = f"spyreop.{b.r.choice(INTRINSICS)}"
            return generic_of(b, value, lambda a: f"{op} {a} : {value.element}")
        else:
            op = b.r.choice(FLOAT_1)
        return b.new(f"{op} {value.name} : {value.type}", value.shape, value.element)
    other = b.same(value)
    return b.new(f"arith.{binary(b, value.kind)} {value.name}, {other.name} : {value.type}", value.shape, value.element)


def binary(b: Builder, kind: str) -> str:
    if kind == "i":
        return b.r.choice(INTEGER_2)
    return b.r.choice(FLOAT_2 if not b.exact else ("addf", "subf", "maximumf", "minimumf", "maxnumf"))


def generic_of(b: Builder, value: Value, body: Callable[[str], str]) -> Value:
    rank, e = len(value.shape), value.element
    same = affine(rank, [f"d{k}" for k in range(rank)])
    kinds = ", ".join(['"parallel"'] * rank)
    empty, result = b.empty(value.shape, e), Value(b.fresh(), value.shape, e)
    b.say(
        f"{result.name} = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{kinds}]}}"
        f" ins({value.name} : {value.type}) outs({empty} : {value.type}) {{"
    )
    b.say(f"^bb0(%p: {e}, %o: {e}):")
    inner = b.fresh("g")
    b.say(f"{inner} = {body('%p')}")
    b.say(f"linalg.yield {inner} : {e}")
    b.say(f"}} -> {value.type}")
    b.values.append(result)
    return result


def chain(b: Builder) -> None:
    value = b.late(b.values)
    for _ in range(b.r.randint(1, 4)):
        value = elementwise(b, value)


def select(b: Builder) -> None:
    value = b.value()
    if value is None:
        return
    other = b.same(value)
    how = (
        f"arith.cmpf {b.r.choice(('olt', 'oge', 'une', 'ult', 'ord', 'uno', 'ogt', 'ueq'))}"
        if value.kind == "f"
        else f"arith.cmpi {b.r.choice(('slt', 'eq', 'ne', 'sge', 'ult'))}"
    )
    test = b.new(f"{how}, {value.name}, {other.name} : {value.type}", value.shape, "i1")
    test = b.same(test)
    b.new(
        f"arith.select {test.name}, {value.name}, {other.name} : {test.type}, {value.type}",
        value.shape,
        value.element,
    )


def cast(b: Builder) -> None:
    value = b.late(b.values)
    op, element = b.r.choice(CASTS[value.element])
    b.new(f"{op} {value.name} : {value.type} to {tensor(value.shape, element)}", value.shape, element)
