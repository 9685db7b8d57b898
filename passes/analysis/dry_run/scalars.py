"""Integer scalar ops as functions of integers, those of :mod:`spyrec.numerics.scalars`, each with a name."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from spyrec.mlir import ir
from spyrec.numerics import scalars
from spyrec.passes.analysis.dry_run.values import Function


def width(type_: ir.Type) -> int:
    """Bits of an integer or of the index type; 64 for everything else."""
    return ir.IntegerType(type_).width if isinstance(type_, ir.IntegerType) else 64


def function_of(op: ir.Operation) -> tuple[object, Function] | None:
    """What an op does, with a name by which two of one meaning are recognised; ``None`` for an op that is not known."""
    if op.name == "affine.apply":
        map_ = ir.AffineMapAttr(op.attributes["map"]).value
        return ("affine", str(map_)), affine(map_)
    if op.name == "arith.select":
        return (op.name,), lambda condition, yes, no: yes if condition else no
    if len(op.operands) not in (1, 2):
        return None
    source, bits = width(op.operands[0].type), width(op.results[0].type)
    if op.name == "arith.cmpi":
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        return (op.name, predicate, source), scalars.compare(predicate, source)
    cast = scalars.resize(op.name, source, bits)
    if cast is not None:
        return (op.name, bits, source), cast
    function = scalars.binary(op.name, bits)
    return None if function is None else ((op.name, bits), function)


# Affine maps


def affine(map_: ir.AffineMap) -> Function:
    """The one result of a map, as a function of its dimensions and then symbols."""
    text = str(map_)
    if "ceildiv" in text:
        fn = _expression(map_.results[0], map_.n_dims)
        return lambda *args: fn(args)
    names = [*(f"d{k}" for k in range(map_.n_dims)), *(f"s{k}" for k in range(map_.n_symbols))]
    body = text.partition("->")[2].strip().replace("floordiv", "//").replace("mod", "%")
    return _compiled(", ".join(names), body)


@functools.lru_cache(maxsize=4096)
def _compiled(names: str, body: str) -> Function:
    """A map as it is printed is an expression of Python but for how divisions are written."""
    function: Function = eval(f"lambda {names}: {body}", {"__builtins__": {}})
    return function


_Compiled = Callable[[Any], int]


def _expression(expr: ir.AffineExpr, dims: int) -> _Compiled:
    if isinstance(expr, ir.AffineConstantExpr):
        value = expr.value
        return lambda args: value
    if isinstance(expr, ir.AffineDimExpr | ir.AffineSymbolExpr):
        position = expr.position + (dims if isinstance(expr, ir.AffineSymbolExpr) else 0)
        return lambda args: int(args[position])
    assert isinstance(expr, ir.AffineBinaryExpr)
    left, right = _expression(expr.lhs, dims), _expression(expr.rhs, dims)
    if isinstance(expr, ir.AffineAddExpr):
        return lambda args: left(args) + right(args)
    if isinstance(expr, ir.AffineMulExpr):
        return lambda args: left(args) * right(args)
    if isinstance(expr, ir.AffineModExpr):
        return lambda args: left(args) % right(args)
    if isinstance(expr, ir.AffineFloorDivExpr):
        return lambda args: left(args) // right(args)
    return lambda args: -(-left(args) // right(args))


_DIVISOR = re.compile(r"(?:floordiv|ceildiv|mod) (\d*)")


def moduli(op: ir.Operation) -> set[int]:
    """The constants by which an op divides or takes remainders; 0 for what is no constant."""
    if op.name == "affine.apply":
        return {int(digits or 0) for digits in _DIVISOR.findall(str(op.attributes["map"]))}
    if op.name.startswith(("arith.div", "arith.rem", "arith.floordiv", "arith.ceildiv")):
        owner = op.operands[1].owner
        if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
            return {abs(ir.IntegerAttr(owner.operation.attributes["value"]).value)} - {0}
        return {0}
    return set()
