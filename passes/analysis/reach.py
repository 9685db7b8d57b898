"""Whether two boxes of memory may share bytes, as far as the addresses say that they start from."""

from __future__ import annotations

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels


def may_meet(base: ir.Value | None, other: ir.Value | None) -> bool:
    """Whether bytes from address ``base`` on may be some from ``other`` on (``None``: the address is a literal).

    Different arguments of the kernel are different memory, unless one is marked as ``spyrec.may_alias``.
    """
    if base is None or other is None or is_same(base, other):
        return True
    arguments = [argument_of(value) for value in (base, other)]
    return any(argument is None or kernels.may_alias(argument) for argument in arguments)


def is_same(base: ir.Value | None, other: ir.Value | None) -> bool:
    """Whether two addresses are one value, or both literals."""
    return base is other or (base is not None and other is not None and base == other)


def argument_of(base: ir.Value) -> ir.BlockArgument | None:
    """The argument of the kernel that an address is, if it is one."""
    if not isinstance(base.owner, ir.Block) or kernels.owner(base.owner).name != "func.func":
        return None
    return ir.BlockArgument(base)
