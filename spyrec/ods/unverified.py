"""Modules that break rules, all the same: MLIR parses and verifies in one step and keeps nothing of what fails.

The verifier asks :data:`FIRST`, an op in front of everything else, before any other; it copies what stands around it,
and a copy is not verified.
"""

from __future__ import annotations

from contextvars import ContextVar

from spyrec import mlir
from spyrec.mlir import ir
from spyrec.ods.verify import verification_suspended

_DIALECT = "spyrec_reading"
#: Put this in front of the text for :func:`parse`.
FIRST = f'"{_DIALECT}.first"() : () -> ()\n'
_copies: ContextVar[list[ir.Operation] | None] = ContextVar("copies", default=None)


class _First:
    """What MLIR calls for the op in front."""

    @staticmethod
    def verify_invariants(op: ir.OpView) -> bool:
        copies = _copies.get()
        if copies is not None and not copies:
            root = op.operation
            while root.parent is not None:
                root = root.parent.operation
            copy = root.clone()
            if _is_closed(copy):
                copies.append(copy)
            else:
                copy.erase()
        return True


def _is_closed(root: ir.Operation) -> bool:
    """Whether every operand in ``root`` is of ``root``.

    Copying leaves one alone that a later function defines (the parser lets it pass, the verifier does not): it would
    still be of the module that goes away.
    """
    values: set[ir.Value] = set()
    operands: list[ir.Value] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        values.update(op.results)
        for region in op.regions:
            for block in region.blocks:
                values.update(block.arguments)
        operands.extend(op.operands)
        return ir.WalkResult.ADVANCE

    root.walk(visit)
    return values.issuperset(operands)


def parse(text: str, context: ir.Context) -> ir.Operation:
    """The module in ``text``, which begins with :data:`FIRST`, whether its ops verify or not.

    Raises MLIRError when it does not parse.
    """
    with mlir.LOAD_LOCK, context, ir.Location.unknown(context):
        if not context.is_dialect_loaded(_DIALECT):
            mlir.load_irdl(ir.Module.parse(f"irdl.dialect @{_DIALECT} {{ irdl.operation @first {{}} }}", context))
            ir.DynamicOpTrait.attach(f"{_DIALECT}.first", _First)
    copies: list[ir.Operation] = []
    token = _copies.set(copies)
    try:
        with verification_suspended():
            ir.Module.parse(text, context)
    except ir.MLIRError:
        if not copies:
            raise
    finally:
        _copies.reset(token)
    (module,) = copies
    next(iter(module.regions[0].blocks[0].operations)).operation.erase()
    return module
