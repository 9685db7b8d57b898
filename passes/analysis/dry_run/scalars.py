"""The meaning of integer scalar ops, as functions of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spyrec.isa import alu
from spyrec.mlir import ir
from spyrec.passes.analysis.dry_run.values import Function

_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def _quotient(a: int, b: int) -> int:
    return alu.evaluate("div", a, b)


_SIGNED: dict[str, Callable[..., int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divsi": _quotient,
    "arith.remsi": lambda a, b: a - b * _quotient(a, b),
    "arith.floordivsi": lambda a, b: a // b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.shli": lambda a, b: a << b if 0 <= b < 64 else 0,
    "arith.shrsi": lambda a, b: a >> min(b, 63),
    "arith.select": lambda c, a, b: a if c else b,
    "arith.index_cast": lambda a: a,
    "arith.extsi": lambda a: a,
    "arith.trunci": lambda a: a,
}
_UNSIGNED: dict[str, Callable[..., int]] = {
    "arith.divui": lambda a, b: a // b,
    "arith.remui": lambda a, b: a % b,
    "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.maxui": max,
    "arith.minui": min,
    "arith.shrui": lambda a, b: a >> b if b < 64 else 0,
    "arith.extui": lambda a: a,
    "arith.index_castui": lambda a: a,
}
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def width(type_: ir.Type) -> int:
    """Bits of an integer or of the index type; 64 for everything else."""
    return ir.IntegerType(type_).width if isinstance(type_, ir.IntegerType) else 64


def function_of(op: ir.Operation) -> tuple[object, Function] | None:
    """What an op does, with a name by which two of one meaning are recognised; ``None`` for an op that is not known."""
    if op.name == "affine.apply":
        map_ = ir.AffineMapAttr(op.attributes["map"]).value
        return ("affine", str(map_)), affine(map_)
    bits = width(op.results[0].type)
    if op.name == "arith.cmpi":
        return _comparison(op)
    if op.name in _SIGNED:
        signed = _SIGNED[op.name]
        if bits == 1:
            return (op.name, 1), lambda *args: signed(*args) & 1
        return (op.name, bits), lambda *args: alu.wrap(signed(*args), bits)
    if op.name in _UNSIGNED:
        unsigned, from_bits = _UNSIGNED[op.name], width(op.operands[0].type)
        mask = (1 << from_bits) - 1
        if bits == 1:
            return (op.name, 1), lambda *args: unsigned(*(a & mask for a in args)) & 1
        return (op.name, bits, from_bits), lambda *args: alu.wrap(unsigned(*(a & mask for a in args)), bits)
    return None


def _comparison(op: ir.Operation) -> tuple[object, Function]:
    predicate = _PREDICATES[ir.IntegerAttr(op.attributes["predicate"]).value]
    compare = _COMPARE[predicate.lstrip("su") if predicate not in ("eq", "ne") else predicate]
    if not predicate.startswith("u"):
        return (op.name, predicate), lambda a, b: int(compare(a, b))
    mask = (1 << width(op.operands[0].type)) - 1
    return (op.name, predicate, mask), lambda a, b: int(compare(a & mask, b & mask))


# Affine maps


def affine(map_: ir.AffineMap) -> Function:
    """The one result of a map, as a function of its dimensions and then symbols."""
    fn = _expression(map_.results[0], map_.n_dims)
    return lambda *args: fn(args)


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


def moduli(op: ir.Operation) -> set[int]:
    """The constants by which an op divides or takes remainders."""
    if op.name == "affine.apply":
        found: set[int] = set()
        _collect(ir.AffineMapAttr(op.attributes["map"]).value.results[0], found)
        return found
    if op.name.startswith(("arith.div", "arith.rem", "arith.floordiv", "arith.ceildiv")):
        owner = op.operands[1].owner
        if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
            return {abs(ir.IntegerAttr(owner.operation.attributes["value"]).value)} - {0}
        return {0}
    return set()


def _collect(expr: ir.AffineExpr, found: set[int]) -> None:
    if isinstance(expr, ir.AffineBinaryExpr):
        if isinstance(expr, ir.AffineModExpr | ir.AffineFloorDivExpr | ir.AffineCeilDivExpr):
            found.add(expr.rhs.value if isinstance(expr.rhs, ir.AffineConstantExpr) else 0)
        _collect(expr.lhs, found)
        _collect(expr.rhs, found)
