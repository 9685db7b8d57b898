"""The attribute ``dataflow.signature``: what a kernel asks of a launch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spyrec import diag
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, ops

ATTRIBUTE = "dataflow.signature"
LITERAL = -1


@dataclass(frozen=True)
class ViewEntry:
    """One view of device memory.

    ``argument`` holds its address (``None``: it starts at a literal one, and ``name`` is that element in decimal).
    ``offset`` is the lowest element of the view (where that is below the address: the lowest that a tile may touch)
    and ``end`` one more than the highest, counted from that address. ``access`` is ``r``, ``w`` or ``rw``.
    Its elements are coordinates below ``limit`` of another view (``None``: they are just numbers). ``launch``
    is what the launch decides of it, in the order of :data:`spyrec.spyrecode.signature.LAUNCHED`: the numbers above are
    then those that are known without it. ``loose``: data decide where the view starts, anywhere in the array of its
    argument (or in those of literal addresses); ``offset`` and ``end`` then only say how large it is."""

    argument: ir.BlockArgument | None
    name: str
    element: ir.Type
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    end: int
    access: str
    location: ir.Location
    limit: int | None = None
    launch: ir.Attribute | None = None
    loose: bool = False

    def attribute(self) -> ir.Attribute:
        """The entry as a dictionary."""
        where = diag.resolve(self.location).text
        return ir.DictAttr.get(
            {
                "arg": ops.i64(LITERAL if self.argument is None else self.argument.arg_number),
                "name": ir.StringAttr.get(self.name),
                "type": ir.TypeAttr.get(self.element),
                "sizes": ir.DenseI64ArrayAttr.get(self.sizes),
                "strides": ir.DenseI64ArrayAttr.get(self.strides),
                "offset": ops.i64(self.offset),
                "end": ops.i64(self.end),
                "access": ir.StringAttr.get(self.access),
                **({"limit": ops.i64(self.limit)} if self.limit is not None else {}),
                **({"launch": self.launch} if self.launch is not None else {}),
                **({"loose": ir.UnitAttr.get()} if self.loose else {}),
                **({"line": ops.i64(where.line), "col": ops.i64(where.column)} if where else {}),
            }
        )


def write(function: ir.Operation, views: Iterable[ViewEntry]) -> None:
    """Add the views to the function's signature, and write its arguments that are used as numbers."""
    old = list(ir.ArrayAttr(function.attributes[ATTRIBUTE])) if ATTRIBUTE in function.attributes else []
    kept = [entry for entry in old if "scalar" not in ir.DictAttr(entry)]
    new = [view.attribute() for view in views]
    addresses = {ir.IntegerAttr(ir.DictAttr(entry)["arg"]).value for entry in kept + new}
    scalars = [
        ir.DictAttr.get(
            {
                "arg": ops.i64(argument.arg_number),
                "name": ir.StringAttr.get(kernels.argument_name(argument)),
                "type": ir.TypeAttr.get(argument.type),
                "scalar": ir.UnitAttr.get(),
                **_promises(argument),
            }
        )
        for argument in kernels.arguments(function)
        if argument.arg_number not in addresses and any(True for _ in argument.uses)
    ]
    function.attributes[ATTRIBUTE] = ir.ArrayAttr.get([*kept, *new, *scalars])


def _promises(argument: ir.BlockArgument) -> dict[str, ir.Attribute]:
    found = {kind: kernels.promise(argument, kind) for kind in kernels.PROMISES}
    return {kind: ops.i64(number) for kind, number in found.items() if number is not None}
