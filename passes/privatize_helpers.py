"""Functions that kernels call are no kernels themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passkit import Pass, PassContext


@dataclass
class PrivatizeHelpers(Pass):
    """Make functions private that are called and have no grid, so that they go once they have been inlined.

    A function is public unless its author says otherwise, and a public one would be compiled as a kernel after
    ``inline`` has copied it to where it is called.

    IR before::

        func.func @half(%x: tensor<64xf16>) -> tensor<64xf16> {...}
        func.func @kernel(%p: index) attributes {grid = [32]} { ... func.call @half(%t) ... }

    IR after::

        func.func private @half(%x: tensor<64xf16>) -> tensor<64xf16> {...}
        func.func @kernel(%p: index) attributes {grid = [32]} { ... func.call @half(%t) ... }

    Leaves alone functions with a ``grid`` and functions that nobody calls. Refuses nothing.
    """

    anchor: ClassVar[str] = "builtin.module"

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        for function in kernels.helpers(op):
            if not kernels.is_private(function):
                function.attributes["sym_visibility"] = ir.StringAttr.get("private")
                ctx.statistics["functions"] += 1
