"""The examples on the dialects' pages parse, verify, print, and read back; together they show every op."""

import re

import pytest

from spyrec import asm, ods
from spyrec.dialects import docs, make_context
from spyrec.ods import registry


def examples(dialect: type[ods.Dialect]) -> list[str]:
    return re.findall(r"```mlir\n(.*?)```", dialect.spec.description, re.DOTALL)


@pytest.mark.parametrize("dialect", docs.DIALECTS, ids=lambda d: d.DIALECT_NAMESPACE)
def test_examples_of(dialect: type[ods.Dialect]) -> None:
    texts = examples(dialect)
    assert texts
    for text in texts:
        context = make_context()
        module = asm.read(text, "example.mlir", context).module
        assert not ods.verify_tree(module.operation)
        printed = asm.print_op(module.operation)
        again = asm.read(printed, "printed.mlir", context).module
        assert asm.print_op(again.operation) == printed


#: Shown elsewhere: intrinsics that differ from a shown one by name only, and what ends a body that shows its end.
SIMILAR = {f"spyreop.{n}" for n in ("exp", "sqrt", "rsqrt", "reciprocal", "sigmoid", "gelu", "realdiv")} | {
    "spyreop.addi32toi32",
    "spyreop.muli32toi32",
    "spyreop.addi64toi64",
    "ktdf_arch.patterns",
    # Never shown: it ends a region that has no text.
    "ktdp.region_terminator",
}


def test_every_op_is_shown() -> None:
    shown = "\n".join(text for d in docs.DIALECTS for text in examples(d))
    missing = [
        name
        for name, op in registry.ops.items()
        if op.dialect in docs.DIALECTS
        and name not in shown
        and not (op.spec.dialect == "ktdf_arch" and f" {op.spec.mnemonic} " in shown)
        and name not in SIMILAR
    ]
    assert not missing
