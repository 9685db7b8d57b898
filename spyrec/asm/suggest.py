"""Which op somebody meant, of all dialects that a kernel may use."""

from __future__ import annotations

from spyrec.asm.grammar import Grammar
from spyrec.asm.nearest import nearest

#: Upstream dialects whose op names are suggested for misspelt ones, as attributes of :mod:`spyrec.mlir`.
UPSTREAM = ("affine", "arith", "func", "linalg", "math", "memref", "scf", "tensor", "vector")
#: Words that start a statement without a dialect's name.
_BARE = ("module", "return", "call")


def nearest_op(name: str, grammar: Grammar) -> str | None:
    """The op that ``name`` is most likely a misspelling of.

    Looked for among those of our dialects, of the upstream dialect that it names, and its namesakes in any other.
    """
    dialect, _, rest = name.partition(".")
    namesakes = [op for op in upstream_ops("") if rest and op.partition(".")[2] == rest]
    ours = dialect in grammar.dialects
    known = [*namesakes] if ours else [*namesakes, *upstream_ops(dialect), *_BARE]
    return nearest(name, [*grammar.ops, *known])


def nearest_dialect(name: str, grammar: Grammar) -> str | None:
    """The dialect that ``name`` is most likely a misspelling of."""
    return nearest(name, [*grammar.dialects, *UPSTREAM])


def upstream_ops(dialect: str) -> list[str]:
    """Names of all ops of an upstream dialect; of every common one when there is no such dialect."""
    from spyrec import mlir

    names: list[str] = []
    for known in [dialect] if dialect in UPSTREAM else UPSTREAM:
        module = getattr(mlir, known)
        names += [
            str(c.OPERATION_NAME) for c in vars(module).values() if isinstance(c, type) and hasattr(c, "OPERATION_NAME")
        ]
    return names
