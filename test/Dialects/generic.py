"""What the tests of dialects share: modules in MLIR's generic form, and what the verifiers say about them."""

from spyrec import ods
from spyrec.dialects import make_context
from spyrec.mlir import ir


def segments(op: type[ods.Op], *counts: int, operands: bool = True) -> str:
    """The segment attribute of ``op`` for so many values per field."""
    key = "operandSegmentSizes" if operands else "resultSegmentSizes"
    sizes = op.spec.operand_segments(counts) if operands else op.spec.result_segments(counts)
    assert sizes is not None
    return f"{key} = array<i32: {', '.join(map(str, sizes))}>"


def check(text: str) -> list[ods.Violation]:
    """Violations in a module, in program order."""
    with make_context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        with ods.verification_suspended():
            module = ir.Module.parse(text)
        return [v for _, v in ods.verify_tree(module.operation)]


def only(text: str) -> ods.Violation:
    """The one violation in a module."""
    (found,) = check(text)
    return found
