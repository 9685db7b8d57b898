"""Why ops have no meaning in the executor: what error messages and docs/kernels.md say."""

from __future__ import annotations

_LANES = (
    "it works on the lanes of a stick; public documents give it no meaning per element and disagree about its operands"
)
_SLICES = "how many slices a stick has, and what the elements without a total hold, is public nowhere"
_WIDE = "it gives two results, and no unit does; compute them with wider integers"
_SCALING = "there are no scaled types here"
_WINOGRAD = "it is a step of an algorithm, with matrices that MLIR holds; write the convolution"
_LAYOUT = "views have strides; reorder with transpose, expand_shape and collapse_shape"

_VIEWS = "a view is read in tiles: write ktdp.construct_access_tile with ktdp.load or ktdp.store"
_MOVES = "when bytes move between memories is decided by the compiler"
_NAMES = "units have no function pointers: every call names its function"

#: Op -> reason.
REASONS: dict[str, str] = {
    **dict.fromkeys(
        (
            "spyreop.exx2",
            "spyreop.exx2_fused",
            "spyreop.exx2_zeromean_fused",
            "spyreop.layernormscale",
            "spyreop.layernormscale_fused",
            "spyreop.layernormnorm",
        ),
        _LANES,
    ),
    "spyreop.slice_reduction": _SLICES,
    **dict.fromkeys(
        (f"arith.{name}_extended" for name in ("addui", "subui", "mulsi", "mului")),
        _WIDE,
    ),
    "math.sincos": _WIDE.replace("compute them with wider integers", "write math.sin and math.cos"),
    "arith.scaling_extf": _SCALING,
    "arith.scaling_truncf": _SCALING,
    "arith.convertf": "write arith.extf or arith.truncf",
    "arith.flush_denormals": "subnormal numbers are ordinary numbers here",
    "math.clampf": "write arith.maximumf and arith.minimumf",
    "math.ipowi": "write the products",
    "math.isnormal": "subnormal numbers are ordinary numbers here",
    "tensor.scatter": "write insert_slice, or store to an indirect access tile",
    **dict.fromkeys(
        (f"linalg.winograd_{name}_transform" for name in ("filter", "input", "output")),
        _WINOGRAD,
    ),
    "affine.parallel": "write scf.parallel, or affine.for",
    **dict.fromkeys((f"affine.{name}" for name in ("load", "store", "vector_load", "vector_store")), _VIEWS),
    **dict.fromkeys((f"affine.{name}" for name in ("prefetch", "dma_start", "dma_wait")), _MOVES),
    "func.func": "kernels and helpers stand side by side in a module; a function inside a function is called by nobody",
    **dict.fromkeys(("func.constant", "func.call_indirect"), _NAMES),
    "linalg.pack": _LAYOUT,
    "linalg.unpack": _LAYOUT,
}


def reason(name: str) -> str:
    """Why an op has no meaning."""
    if name in REASONS:
        return REASONS[name]
    dialect = name.partition(".")[0]
    known = ("arith", "math", "tensor", "linalg", "scf", "func", "affine", "memref", "ktdp", "spyreop", "dataflow")
    if dialect == "memref":
        return _VIEWS
    return "it is newer than this executor" if dialect in known else f"kernels are not written in dialect '{dialect}'"
