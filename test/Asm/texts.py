"""What the tests of the assembly layer share: a context, small kernels, texts with marks where a caret belongs."""

from __future__ import annotations

import functools

from spyrec import asm
from spyrec.dialects import make_context
from spyrec.errors import Diagnostic, InvalidKernel, Severity
from spyrec.mlir import ir

HEAD = """#all = affine_set<(r, c) : (r >= 0, -r + 95 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#same = affine_map<(r, c) -> (r, c)>
func.func @k(%x_ptr: index) attributes {grid = [32]} {
  %zero = arith.constant 0 : index
"""
VIEW = """  %x = ktdp.construct_memory_view %x_ptr, sizes: [96, 64], strides: [64, 1]
    {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
"""
TILE = """  %t = ktdp.construct_access_tile %x[%zero, 0] {access_tile_set = #row, access_tile_order = #same}
    : memref<96x64xf16> -> !ktdp.access_tile<1x64xindex>
"""
END = "  return\n}\n"


@functools.cache
def context() -> ir.Context:
    """One context for all tests of a file: reading leaves nothing behind in it."""
    return make_context()


def printed(text: str, **flags: bool) -> str:
    """What a text prints as."""
    return asm.print_op(asm.read(text, "in.mlir", context()).module, **flags)


def mistakes(text: str) -> list[Diagnostic]:
    """The errors of a text that must be refused, in order."""
    try:
        asm.read(text, "in.mlir", context())
    except InvalidKernel as error:
        return [d for d in error.diagnostics if d.severity is Severity.ERROR]
    raise AssertionError("this text should be refused")


def marked(text: str) -> tuple[str, list[tuple[int, int, int]]]:
    """A text without its marks ``«»``, and the (line, column, end column) of what stood between them."""
    spans: list[tuple[int, int, int]] = []
    clean = ""
    for number, line in enumerate(text.split("\n"), 1):
        while "«" in line:
            before, _, rest = line.partition("«")
            inside, _, after = rest.partition("»")
            spans.append((number, len(before) + 1, len(before) + len(inside) + 1))
            line = before + inside + after
        clean += line + "\n"
    return clean[:-1], spans


def shown(diagnostic: Diagnostic) -> tuple[int, int, int]:
    """The (line, column, end column) that a diagnostic marks."""
    assert diagnostic.position is not None
    assert diagnostic.end_column is not None
    return diagnostic.position.line, diagnostic.position.column, diagnostic.end_column
