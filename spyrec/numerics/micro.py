"""Micro-ops: the ops of a vector unit, one per function. Code generation names them, the simulator evaluates them.

A micro-op is a scalar op of the IR with its predicate in its name (``arith.cmpf olt`` is ``cmpf_olt``) and its float
attributes turned into trailing f32 operands (``softplus`` has three operands). Ops of two dialects that mean the same
share one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spyrec.numerics.casts import CASTS
from spyrec.numerics.floats import FLOAT_OPS
from spyrec.numerics.integers import INTEGER_OPS
from spyrec.numerics.intrinsics import INTRINSICS
from spyrec.numerics.op import ScalarOp

#: Every scalar op by its name in the IR. The order is stable: new ops are added at the end of their family.
SCALAR_OPS: dict[str, ScalarOp] = {**FLOAT_OPS, **INTEGER_OPS, **CASTS, **INTRINSICS}

#: Ops that have the meaning of another one, and so its micro-op.
_SAME = {
    "spyreop.addi32toi32": "arith.addi",
    "spyreop.addi64toi64": "arith.addi",
    "spyreop.muli32toi32": "arith.muli",
    "spyreop.realdiv": "arith.divf",
    "spyreop.sqrt": "math.sqrt",
    "spyreop.rsqrt": "math.rsqrt",
    "spyreop.exp": "math.exp",
}
_RENAMED = {"spyreop.select": "selectf", "spyreop.compare": "compare"}


@dataclass(frozen=True)
class MicroOp:
    """One op of a vector unit: ``arity`` operands, one result. ``op`` and ``predicate`` say what it means."""

    name: str
    op: ScalarOp
    predicate: str | None
    arity: int

    @property
    def slow(self) -> bool:
        """True when the unit computes it at its transcendental rate."""
        return self.op.slow


def _micro_ops() -> tuple[dict[tuple[str, str | None], str], dict[str, MicroOp]]:
    names: dict[tuple[str, str | None], str] = {}
    micro: dict[str, MicroOp] = {}
    for op in SCALAR_OPS.values():
        same = _SAME.get(op.name)
        base = _RENAMED.get(op.name) or (same or op.name).partition(".")[2]
        for predicate in op.predicates or (None,):
            name = base if predicate is None else f"{base}_{predicate}"
            names[op.name, predicate] = name
            if same is None:
                if name in micro:
                    raise AssertionError(f"two ops claim the micro-op {name}")
                micro[name] = MicroOp(name, op, predicate, op.arity + len(op.constants))
    return names, micro


#: Micro-op name by (op name in the IR, predicate's name or None).  Micro-ops by name.
MICRO_OPS, MICRO = _micro_ops()


def micro_name(op: str, attributes: Mapping[str, Any] | None = None) -> str | None:
    """The micro-op for op ``op`` with these attributes (``predicate`` as integer or name); None when there is none."""
    scalar = SCALAR_OPS.get(op)
    if scalar is None:
        return None
    return MICRO_OPS[op, scalar.predicate(attributes or {}) if scalar.predicates else None]
