"""The stable ids of diagnostics: one row per id.

Each row is ``id: (name of the exception class in spyrec.errors that ends the run, one line that says what happened)``.
Each id has a page ``docs/errors/<id>.md``. Rows are sorted within their group; anyone who reports a new kind of mistake
adds one.
"""

from __future__ import annotations

IDS: dict[str, tuple[str, str]] = {
    # reading text
    "duplicate-attribute": ("InvalidKernel", "an attribute is given twice"),
    "missing-attribute": ("InvalidKernel", "an attribute that the op needs is missing"),
    "mlir-parse": ("InvalidKernel", "MLIR's own parser refuses the text"),
    "not-text": ("InvalidKernel", "the input is not UTF-8 text"),
    "number-range": ("InvalidKernel", "a number does not fit where it stands"),
    "redefined-name": ("InvalidKernel", "an SSA name is defined twice in one scope"),
    "syntax": ("InvalidKernel", "the text does not follow the grammar of the op, type or attribute"),
    "too-deep": ("InvalidKernel", "regions or brackets are nested too deeply"),
    "truncated": ("InvalidKernel", "the text ends before what was begun is finished"),
    "undefined-name": ("InvalidKernel", "an SSA name, alias or symbol is used that nothing defines"),
    "unknown-attribute": ("InvalidKernel", "an attribute that the op does not declare"),
    "unknown-op": ("InvalidKernel", "there is no op of this name"),
    "unknown-type": ("InvalidKernel", "there is no type or attribute of this name"),
    # verifying
    "mlir-verify": ("InvalidKernel", "a verifier of MLIR's own dialects refuses the op"),
    "type-mismatch": ("InvalidKernel", "a type is not the one that the op needs"),
    # pipelines of passes
    "pass-failed": ("InvalidKernel", "a pass of MLIR failed on the IR that it was given"),
    "pass-pipeline": ("UsageError", "the text of a pass pipeline is wrong"),
    # the compiler itself
    "invalid-ir": ("CompilerBug", "a pass left IR that does not verify"),
    "mlir-failure": ("CompilerBug", "MLIR failed where the compiler had promised that it would not"),
    "pass-crashed": ("CompilerBug", "a pass raised an exception that is no refusal"),
}


def exception_name(id: str) -> str:
    """Name of the exception class that an error with this id ends in; an id without a row is a refused input."""
    return IDS.get(id, ("InvalidKernel", ""))[0]
