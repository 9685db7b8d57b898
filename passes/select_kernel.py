"""Reduce a module to one kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spyrec.mlir import ir, passmanager
from spyrec.passkit import Pass, PassContext, option


@dataclass
class SelectKernel(Pass):
    """Keep one kernel of the module and what it refers to.

    A file may hold several kernels; a binary holds one. The driver runs this first when a kernel was asked for, so that
    mistakes in the others are not reported and their names do not matter. Without a name the pass leaves everything.

    IR before (``select-kernel{name=b}``)::

        func.func @a() { return }
        func.func @b() { call @c() : () -> () return }
        func.func private @c() { return }

    IR after::

        func.func @b() { call @c() : () -> () return }
        func.func private @c() { return }

    Refuses a name that no function has.
    """

    anchor: ClassVar[str] = "builtin.module"
    name: str = option("", "the function to keep")

    def run(self, op: ir.Operation, ctx: PassContext) -> None:
        if not self.name:
            return
        functions = [o.operation for o in op.regions[0].blocks[0] if o.operation.name == "func.func"]
        names = [ir.StringAttr(f.attributes["sym_name"]).value for f in functions]
        if self.name not in names:
            have = ", ".join(names) or "none"
            ctx.sink.error(op, "no-kernel", f"there is no kernel '{self.name}' in this module; it has {have}")
            return
        # What the kernel calls stays: the others become private, and upstream removes what nothing uses.
        for function, name in zip(functions, names, strict=True):
            if name != self.name:
                function.attributes["sym_visibility"] = ir.StringAttr.get("private")
        passmanager.PassManager.parse("builtin.module(symbol-dce)").run(op)
