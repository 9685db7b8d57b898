"""The scalar ops of a unit: integer arithmetic on its ALU.

An integer of N bits is held sign-extended in a register (i1 as 0 or 1), so that comparisons and 64-bit
operations see its value; results wrap at their width. Floats are not computed by units: they pass through as
bits.
"""

from __future__ import annotations

from collections.abc import Callable

from spyrec.codegen import affine_maps
from spyrec.codegen.attributes import attributes
from spyrec.codegen.code import Builder, Scalar, const
from spyrec.codegen.refusals import Refused
from spyrec.mlir import ir

# Predicates of arith.cmpi in the order of their encoding: the instruction, and whether its operands are swapped.
_PREDICATES = (
    ("eq", False),
    ("ne", False),
    ("lt", False),
    ("le", False),
    ("gt", False),
    ("ge", False),
    ("ult", False),
    ("ule", False),
    ("ult", True),
    ("ule", True),
)
_SIGNED_PREDICATES = range(2, 6)
# Ops that are one instruction on sign-extended operands, their result wrapped to the width.
_DIRECT = {
    "arith.addi": "add",
    "arith.subi": "sub",
    "arith.muli": "mul",
    "arith.divsi": "div",
    "arith.remsi": "rem",
    "arith.floordivsi": "floordiv",
    "arith.ceildivsi": "ceildiv",
    "arith.andi": "and",
    "arith.ori": "or",
    "arith.xori": "xor",
    "arith.shli": "shl",
    "arith.shrsi": "shr",
    "arith.minsi": "min",
    "arith.maxsi": "max",
}
_SIGNED_ON_BITS = frozenset(
    f"arith.{op}" for op in ("divsi", "remsi", "floordivsi", "ceildivsi", "shrsi", "minsi", "maxsi")
)
# Ops on operands that are zero-extended first.
_UNSIGNED = {"arith.divui": "divu", "arith.remui": "remu", "arith.shrui": "shru"}
_CASTS = frozenset(f"arith.{op}" for op in ("index_cast", "index_castui", "extsi", "extui", "trunci"))


def width(type_: ir.Type, op: ir.Operation | ir.OpView) -> int:
    """Bits of an integer or index type; raises :class:`Refused` for others."""
    if isinstance(type_, ir.IndexType):
        return 64
    if isinstance(type_, ir.IntegerType) and type_.width <= 64:
        return type_.width
    raise Refused(op, "unsupported-type", f"'{op.name}' on {type_}: a unit's registers hold integers of up to 64 bits")


class Scalars:
    """Emits scalar ops through a :class:`Builder`."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._table: dict[str, Callable[[ir.Operation, list[Scalar]], Scalar]] = {
            **dict.fromkeys(_DIRECT, self._direct),
            **dict.fromkeys(_UNSIGNED, self._unsigned),
            **dict.fromkeys(_CASTS, self._cast),
            "arith.ceildivui": self._ceildivui,
            "arith.minui": self._extreme_unsigned,
            "arith.maxui": self._extreme_unsigned,
            "arith.cmpi": self._compare,
            "arith.select": self._select,
            "affine.apply": self._affine,
            "affine.min": self._affine,
            "affine.max": self._affine,
        }

    def knows(self, name: str) -> bool:
        """Whether an op of this name is scalar arithmetic that units can do."""
        return name in self._table

    def compute(self, op: ir.Operation, operands: list[Scalar]) -> Scalar:
        """The value of ``op``. Raises :class:`Refused` for types that registers do not hold."""
        return self._table[op.name](op, operands)

    def wrap(self, value: Scalar, bits: int) -> Scalar:
        """``value`` as a signed integer of ``bits`` bits; i1 as 0 or 1."""
        return self.builder.extend(value, bits, signed=bits != 1)

    def _signed(self, value: Scalar, bits: int) -> Scalar:
        """The number that a signed operation sees: for i1, 1 means -1."""
        return self.builder.alu("sub", const(0), value) if bits == 1 else value

    def _zero_extended(self, value: Scalar, bits: int) -> Scalar:
        return self.builder.extend(value, bits, signed=False)

    def _direct(self, op: ir.Operation, operands: list[Scalar]) -> Scalar:
        bits = width(op.results[0].type, op)
        if op.name in _SIGNED_ON_BITS:
            operands = [self._signed(v, bits) for v in operands]
        if op.name in ("arith.shli", "arith.shrsi"):
            operands[1] = self._zero_extended(operands[1], bits)
        return self.wrap(self.builder.alu(_DIRECT[op.name], *operands), bits)

    def _unsigned(self, op: ir.Operation, operands: list[Scalar]) -> Scalar:
        bits = width(op.results[0].type, op)
        a, b = (self._zero_extended(v, bits) for v in operands)
        return self.wrap(self.builder.alu(_UNSIGNED[op.name], a, b), bits)

    def _ceildivui(self, op: ir.Operation, operands: list[Scalar]) -> Scalar:
        """(a - 1) / b + 1 where a is not 0, else 0."""
        bits = width(op.results[0].type, op)
        a, b = (self._zero_extended(v, bits) for v in operands)
        alu = self.builder.alu
        some = alu("ne", a, const(0))
        return self.wrap(alu("add", alu("divu", alu("sub", a, some), b), some), bits)

    def _extreme_unsigned(self, op: ir.Operation, operands: list[Scalar]) -> Scalar:
        width(op.results[0].type, op)
        a, b = operands
        first = self.builder.alu("ult", a, b)
        return self.builder.select(first, *((a, b) if op.name == "arith.minui" else (b, a)))

    def _compare(self, op: ir.Operation, operands: list[Scalar]) -> Scalar:
        bits = width(op.operands[0].type, op)
        predicate: int = attributes(op)["predicate"]
        if predicate in _SIGNED_PREDICATES:
            operands = [self._signed(v, bits) for v in operands]
        name, swapped = _PREDICATES[predicate]
        a, b = reversed(operands) if swapped else operands
        return self.builder.alu(name, a, b)

    def _select(self, op: ir.Operation, operands: list[Scalar]) -> Scalar:
        return self.builder.select(*operands)

    def _cast(self, op: ir.Operation, operands: list[Scalar]) -> Scalar:
        """Casts between integers; wider ones of a sign-extended register change nothing."""
        source, target = width(op.operands[0].type, op), width(op.results[0].type, op)
        value = operands[0]
        if target > source:
            if op.name in ("arith.extui", "arith.index_castui"):
                return self._zero_extended(value, source)
            return self._signed(value, source)
        return self.wrap(value, target)

    def _affine(self, op: ir.Operation, operands: list[Scalar]) -> Scalar:
        first, *rest = affine_maps.results(op, operands, const, self.builder.alu)
        for value in rest:
            first = self.builder.alu("min" if op.name == "affine.min" else "max", first, value)
        return first
