"""Affine expressions, maps and sets as Python functions, and the ops of the ``affine`` dialect."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

from spyrec.interp.machine import Frame, Run, Scope, meaning
from spyrec.interp.values import Address, Scaled
from spyrec.mlir import ir

#: dimensions, symbols -> one value per result; works on ints and, element by element, on arrays.
MapFunction = Callable[[Sequence[Any], Sequence[Any]], tuple[Any, ...]]


def expression_text(expression: ir.AffineExpr) -> str:
    """Python source for an affine expression over sequences ``d`` and ``s``; quotients round to minus infinity."""
    if isinstance(expression, ir.AffineConstantExpr):
        return f"({expression.value})"
    if isinstance(expression, ir.AffineDimExpr):
        return f"d[{expression.position}]"
    if isinstance(expression, ir.AffineSymbolExpr):
        return f"s[{expression.position}]"
    assert isinstance(expression, ir.AffineBinaryExpr)
    left, right = expression_text(expression.lhs), expression_text(expression.rhs)
    if isinstance(expression, ir.AffineCeilDivExpr):
        return f"(-(-{left} // {right}))"
    for kind, sign in _SIGNS.items():
        if isinstance(expression, kind):
            return f"({left} {sign} {right})"
    raise AssertionError(f"unknown affine expression {expression}")


_SIGNS: dict[type[ir.AffineExpr], str] = {
    ir.AffineAddExpr: "+",
    ir.AffineMulExpr: "*",
    ir.AffineModExpr: "%",
    ir.AffineFloorDivExpr: "//",
}


def expressions_function(expressions: Sequence[ir.AffineExpr]) -> MapFunction:
    """All ``expressions`` as one function. (The source is made from the expressions' own nodes, never from text.)"""
    return _compiled("".join(f"{expression_text(e)}, " for e in expressions))


@functools.lru_cache(maxsize=4096)
def _compiled(results: str) -> MapFunction:
    function: MapFunction = eval(f"lambda d, s: ({results})", {})
    return function


def map_function(map_: ir.AffineMap) -> MapFunction:
    """An affine map as a function."""
    return expressions_function(list(map_.results))


def apply_map(map_: ir.AffineMap) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """An affine map as a function of its dimensions and symbols in one sequence, as ops list them."""
    function, dims = map_function(map_), map_.n_dims
    return lambda operands: function(operands[:dims], operands[dims:])


def set_constraints(attribute: ir.Attribute) -> tuple[list[ir.AffineExpr], list[bool], int, int]:
    """An integer set as left sides of constraints, whether each is ``== 0`` (else ``>= 0``), dimensions, symbols."""
    found = re.fullmatch(r"affine_set<(\(.*?\)(?:\[.*?\])?) : \((.*)\)>", str(attribute))
    assert found is not None
    # The bindings give no access to the set in an attribute, but its left sides read as the results of a map.
    sides = re.split(r" (?:>=|==) 0(?:, |$)", found[2])[:-1]
    map_ = ir.AffineMapAttr(ir.Attribute.parse(f"affine_map<{found[1]} -> ({', '.join(sides)})>")).value
    return (
        list(map_.results),
        [sign == "==" for sign in re.findall(r" (>=|==) 0", found[2])],
        map_.n_dims,
        map_.n_symbols,
    )


@meaning("affine.apply")
def apply(op: ir.Operation, scope: Scope) -> Run:
    function = apply_map(ir.AffineMapAttr(op.attributes["map"]).value)

    def evaluate(operands: Sequence[int]) -> int:
        return int(function(operands)[0])

    def run(frame: Frame, *operands: int) -> int:
        value = evaluate(operands)
        if all(type(v) is int for v in operands):
            return value
        return _address(evaluate, operands, value)

    return run


def _address(evaluate: Callable[[Sequence[int]], int], operands: Sequence[int], value: int) -> int:
    """The class of ``value``: an address plus a number stays an address, anything else made of one is of no use as
    one.
    """
    special = [i for i, v in enumerate(operands) if isinstance(v, Address | Scaled)]
    moves = [
        evaluate([*operands[:i], operands[i] + step, *operands[i + 1 :]]) - value
        for i in special
        for step in (1, 10**9)
    ]
    address = operands[special[0]]
    if len(special) == 1 and isinstance(address, Address) and moves == [1, 10**9]:
        return Address(value, address.base)
    return value if not any(moves) else Scaled(value)


@meaning("affine.min", "affine.max")
def extremum(op: ir.Operation, scope: Scope) -> Run:
    function = apply_map(ir.AffineMapAttr(op.attributes["map"]).value)
    choose: Callable[[tuple[Any, ...]], Any] = min if op.name == "affine.min" else max

    def run(frame: Frame, *operands: int) -> int:
        value = int(choose(function(operands)))
        return value if all(type(v) is int for v in operands) else Scaled(value)

    return run
