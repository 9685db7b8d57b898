"""What this compiler knows of MLIR's own passes: the class names of common ones, and how to ask about any of them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from spyrec.passkit.base import camel

if TYPE_CHECKING:
    from spyrec.mlir import ir

UNKNOWN: Final = "unknown pass"
WRONG_ANCHOR: Final = "wrong anchor"

CLASS_NAMES: Final[dict[str, str]] = {
    "affine-expand-index-ops": "AffineExpandIndexOps",
    "affine-simplify-structures": "SimplifyAffineStructures",
    "buffer-hoisting": "BufferHoistingPass",
    "buffer-loop-hoisting": "BufferLoopHoistingPass",
    "canonicalize": "CanonicalizerPass",
    "convert-elementwise-to-linalg": "ConvertElementwiseToLinalgPass",
    "convert-linalg-to-loops": "ConvertLinalgToLoopsPass",
    "convert-scf-to-cf": "SCFToControlFlowPass",
    "cse": "CSEPass",
    "eliminate-empty-tensors": "EmptyTensorEliminationPass",
    "empty-tensor-to-alloc-tensor": "EmptyTensorToAllocTensorPass",
    "fold-memref-alias-ops": "FoldMemRefAliasOpsPass",
    "inline": "InlinerPass",
    "int-range-optimizations": "ArithIntRangeOpts",
    "linalg-fold-unit-extent-dims": "LinalgFoldUnitExtentDimsPass",
    "linalg-fuse-elementwise-ops": "LinalgElementwiseOpFusionPass",
    "linalg-generalize-named-ops": "LinalgGeneralizeNamedOpsPass",
    "linalg-inline-scalar-operands": "LinalgInlineScalarOperandsPass",
    "linalg-specialize-generic-ops": "LinalgSpecializeGenericOpsPass",
    "loop-invariant-code-motion": "LoopInvariantCodeMotionPass",
    "loop-invariant-subset-hoisting": "LoopInvariantSubsetHoistingPass",
    "lower-affine": "LowerAffinePass",
    "mem2reg": "Mem2Reg",
    "normalize-memrefs": "NormalizeMemRefsPass",
    "one-shot-bufferize": "OneShotBufferizePass",
    "print-ir": "PrintIRPass",
    "remove-dead-values": "RemoveDeadValuesPass",
    "sccp": "SCCPPass",
    "scf-for-loop-canonicalization": "SCFForLoopCanonicalization",
    "scf-for-loop-range-folding": "SCFForLoopRangeFolding",
    "snapshot-op-locations": "LocationSnapshot",
    "strip-debuginfo": "StripDebugInfoPass",
    "symbol-dce": "SymbolDCEPass",
    "symbol-privatize": "SymbolPrivatizePass",
    "transform-interpreter": "InterpreterPass",
}
"""Pass -> the class name that MLIR shows in its banners. Others are shown by their name in camel case."""


def class_name(name: str) -> str:
    """What a banner calls the upstream pass ``name``."""
    return CLASS_NAMES.get(name) or camel(name)


@cache
def _spelled(text: str, anchor: str) -> str:
    """``canonicalize`` with all its options as MLIR prints them, found out in a context of its own."""
    from spyrec.mlir import ir, passmanager

    whole = str(passmanager.PassManager.parse(f"{anchor}({text})", ir.Context()))
    return whole.removeprefix(f"{anchor}(").removesuffix(")")


def full_text(text: str, anchor: str) -> str:
    """The pass ``text`` (with or without options) on ops ``anchor``, with all options, as MLIR's banners show it."""
    try:
        return _spelled(text, anchor)
    except ValueError:
        return text


def problem(name: str, options: str, anchor: str, context: ir.Context) -> str | None:
    """Why MLIR cannot run ``name{options}`` on ``anchor`` (UNKNOWN, WRONG_ANCHOR, its own words), or None if it can."""
    from spyrec.mlir import passmanager

    text = f"{anchor}({name}{{{options}}})" if options else f"{anchor}({name})"
    try:
        passmanager.PassManager.parse(text, context)
    except ValueError as error:
        said = str(error).strip()
        if "does not refer to a registered pass" in said:
            return UNKNOWN
        if "did you intend to nest" in said:
            return WRONG_ANCHOR
        # "<Pass-Options-Parser>: no such option foo\n\nfailed to add `canonicalize` with options `foo=1`"
        first = said.partition("\n")[0]
        return re.sub(r"^<[\w-]+>:\s*|^MLIR Textual PassPipeline Parser:\d+:\d+:\s*(error:\s*)?", "", first)
    return None
