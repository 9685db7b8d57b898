"""The stable ids of diagnostics: one row per id.

Each row is ``id: (name of the exception class in spyrec.errors that ends the run, one line that says what happened)``.
Each id has a page ``docs/errors/<id>.md``. Rows are sorted within their group; anyone who reports a new kind of mistake
adds one.
"""

from __future__ import annotations

IDS: dict[str, tuple[str, str]] = {
    # reading text
    "absent-op": ("InvalidKernel", "an op that is in design documents or in an interpreter, but in no dialect"),
    "duplicate-attribute": ("InvalidKernel", "an attribute is given twice"),
    "missing-attribute": ("InvalidKernel", "an attribute that the op needs is missing"),
    "not-text": ("InvalidKernel", "the input is not UTF-8 text"),
    "number-range": ("InvalidKernel", "a number does not fit where it stands"),
    "old-spelling": ("InvalidKernel", "a spelling that has no current equivalent and is kept (a remark)"),
    "redefined-name": ("InvalidKernel", "an SSA name is defined twice in one scope"),
    "syntax": ("InvalidKernel", "the text does not follow the grammar of the op, type or attribute"),
    "too-deep": ("InvalidKernel", "regions or brackets are nested too deeply"),
    "truncated": ("InvalidKernel", "the text ends before what was begun is finished"),
    "undefined-name": ("InvalidKernel", "an SSA name, alias or symbol is used that nothing defines"),
    "unknown-attribute": ("InvalidKernel", "an attribute that the op does not declare"),
    "unknown-op": ("InvalidKernel", "there is no op of this name"),
    "unknown-type": ("InvalidKernel", "there is no type or attribute of this name"),
    # verifying
    "hole-in-view": ("InvalidKernel", "a distributed view has a point that no part holds (a warning)"),
    "missing-promise": ("InvalidKernel", "the type of a runtime argument does not state what is extracted"),
    "part-outside": ("InvalidKernel", "a part holds points outside of its distributed view (a warning)"),
    "grid-mismatch": ("InvalidKernel", "tile ids are taken in a number that does not fit the grid"),
    "mlir-verify": ("InvalidKernel", "a verifier of MLIR's own dialects refuses the op"),
    "rank-mismatch": ("InvalidKernel", "two lists of an op that belong together differ in length"),
    "redefined-symbol": ("InvalidKernel", "two things of one scope have one symbol name"),
    "transfer-side": ("InvalidKernel", "a side of a transfer is neither a buffer nor a whole box of a memory"),
    "type-mismatch": ("InvalidKernel", "a type is not the one that the op needs"),
    "wrong-type": ("InvalidKernel", "the parameters of a type do not fit together"),
    "wrong-attribute": ("InvalidKernel", "the value of an attribute is not one that the op can take"),
    "wrong-operands": ("InvalidKernel", "an op has the wrong number of operands or results, or the wrong ones"),
    "wrong-region": ("InvalidKernel", "a region of an op has the wrong contents, arguments or terminator"),
    "future-uses": ("InvalidKernel", "what tiles produce is not consumed by exactly one op"),
    "partial-reduce": ("InvalidKernel", "a reduction is to some of its producers, or to other tiles (a warning)"),
    # the kernel as a whole
    "bad-address": ("InvalidKernel", "a view lies outside of the memory that tensors have"),
    "bad-grid": ("InvalidKernel", "the grid is no list of extents of at least 1"),
    "bad-order": ("InvalidKernel", "the order of a tile is no permutation of its dimensions"),
    "grid-too-large": ("OutOfResources", "the grid has more tiles than the device has cores"),
    "implicit-grid": ("InvalidKernel", "the kernel has no grid and runs on all cores (a warning)"),
    "kernel-results": ("InvalidKernel", "a kernel returns values"),
    "no-store": ("InvalidKernel", "a kernel stores nothing (a warning)"),
    "private-kernel": ("InvalidKernel", "a function with a grid is private"),
    "scaled-address": ("InvalidKernel", "an argument that holds an address is computed with"),
    "set-too-large": ("InvalidKernel", "a set has points for which its view or tile has no room"),
    "stage-invariant": ("InvalidKernel", "what a stage promises does not hold; between passes, a bug of the compiler"),
    # what is not compiled yet
    "carried-value": ("Unsupported", "a loop or an if hands out what is neither a tensor nor a number"),
    "divergent-exchange": ("Unsupported", "tiles of a group do not come to an exchange together"),
    "dynamic-shape": ("Unsupported", "a tile or tensor has extents that only the run knows"),
    "old-form": ("Unsupported", "a form of an op that the current dialect no longer has"),
    "out-of-registers": ("OutOfResources", "a unit's program holds more values at a time than it has registers"),
    "unproven-bounds": ("Unsupported", "a tile cannot be proven to be inside its view, and is clipped (a remark)"),
    "unsupported-op": ("Unsupported", "an op that no pass lowers"),
    "unsupported-set": ("Unsupported", "it is not known where the points of a set begin and end"),
    "unsupported-type": ("Unsupported", "a type that no unit of the device can process"),
    "unsupported-view": (
        "Unsupported",
        "a view whose place is not known, that is stored where it meets itself, or that lists cannot look up",
    ),
    # from a schedule to programs
    "lx-overflow": ("OutOfResources", "the buffers of a kernel do not fit into LX"),
    "no-address": ("InvalidKernel", "a buffer of a schedule has no address yet"),
    "no-unit": ("InvalidKernel", "an op of a schedule does not name the unit that runs it"),
    "stage-overflow": ("OutOfResources", "the buffers of a kernel do not fit into a memory on the way to LX"),
    "unknown-buffer": ("InvalidKernel", "an operand in LX comes from elsewhere than an allocation"),
    # devices
    "bad-device": ("InvalidKernel", "a device file says something impossible, or too little"),
    "no-route": ("Unsupported", "the device has no route between two memories"),
    "unknown-unit": ("InvalidKernel", "what a unit of a device file is for is not understood (a warning)"),
    # files and command lines
    "bad-extension": ("UsageError", "a file or package that adds passes or dialects cannot be used"),
    "command-line": ("UsageError", "an option, a command or an argument is wrong"),
    "missing-package": ("UsageError", "a Python package that this compiler needs is not installed"),
    "no-kernel": ("InvalidKernel", "the file, or the module, has no kernel of that name, or none at all"),
    "never-written": ("InvalidKernel", "elements of an array that the kernel left as they were (a remark)"),
    "random-data": ("InvalidKernel", "arrays that nobody gave were filled with random data (a remark)"),
    "unreadable-input": ("InvalidKernel", "a file cannot be read"),
    "unwritable-output": ("InvalidKernel", "a file cannot be written"),
    "verify-diagnostics": ("InvalidKernel", "messages are not those that the comments in the file expect"),
    # pipelines of passes
    "pass-failed": ("InvalidKernel", "a pass of MLIR failed on the IR that it was given"),
    "pass-pipeline": ("UsageError", "the text of a pass pipeline is wrong"),
    # artifacts and launches
    "bad-assembly": ("InvalidKernel", "the text of a program cannot be assembled"),
    "corrupt-artifact": ("InvalidKernel", "a file of an artifact is damaged, missing, or does not fit the others"),
    "corrupt-binary": ("InvalidKernel", "a binary is damaged, or no binary of this instruction set"),
    "aliased-arguments": ("InvalidKernel", "two arrays share memory that the kernel writes, and neither is marked"),
    "missing-array": ("InvalidKernel", "an array that the kernel reads was not given"),
    "missing-scalar": ("InvalidKernel", "a number that the kernel uses was not given"),
    "other-shape": (
        "InvalidKernel",
        "an array has another shape than its view (a warning if transposed, or a remark)",
    ),
    "unknown-argument": (
        "InvalidKernel",
        "a launch names an argument that the kernel does not have, or not as this kind",
    ),
    "wrong-array": ("InvalidKernel", "an array has the wrong type, is too small, or is given twice"),
    "wrong-scalar": ("InvalidKernel", "a number does not fit its argument's type, or is given twice"),
    # executing: what the sanitizer of the simulator, and executors as far as they check it, report
    "accumulator-misuse": ("InvalidKernel", "a contraction goes on from sums that its unit has not kept"),
    "no-such-core": ("InvalidKernel", "a core is named on which the kernel does not run"),
    "channel-misuse": ("InvalidKernel", "a channel does not end at the value at which it started"),
    "deadlock": ("InvalidKernel", "units wait for one another, or for a unit that has ended"),
    "division-by-zero": ("InvalidKernel", "an integer is divided by zero"),
    "equal-writes": ("InvalidKernel", "two cores write the same bytes unordered, with equal values (a warning)"),
    "host-memory": ("OutOfResources", "the host has no memory for what is simulated"),
    "loop-count": ("InvalidKernel", "the count of a loop is negative"),
    "misaligned": ("InvalidKernel", "an element in memory is not aligned to its size"),
    "out-of-buffer": ("InvalidKernel", "an access leaves the slot of its buffer"),
    "out-of-lx": ("InvalidKernel", "an access leaves LX, or a buffer its memory"),
    "out-of-memory": ("InvalidKernel", "an access leaves the arrays that the launch bound"),
    "out-of-view": ("InvalidKernel", "a tile or an access is outside of the view that it is of"),
    "overlap": ("InvalidKernel", "operands of a transfer or stream share bytes that they must not share"),
    "sums-in-parts": (
        "InvalidKernel",
        "a sum is rounded once per tile, and a result moves by an ulp or so (a warning)",
    ),
    "not-proven": ("InvalidKernel", "what the static check of programs did not look at (a remark)"),
    "race": ("InvalidKernel", "two accesses to the same bytes conflict and nothing orders them"),
    "tile-race": (
        "InvalidKernel",
        "two compute tiles access the same bytes, one of them writes, and nothing orders them",
    ),
    "scattered-access": ("InvalidKernel", "one access has more separate pieces than the simulator follows"),
    "span-limit": ("InvalidKernel", "one access spans more bytes of device memory than the device allows"),
    "unwritten-read": ("InvalidKernel", "bytes are read that nothing has written"),
    "wrong-buffer": ("InvalidKernel", "bytes are read through one buffer that were last written through another"),
    "wrong-device": ("InvalidKernel", "the binary needs something that the device does not have"),
    # executing a stage's IR, and what a kernel does to memory
    "bad-step": ("InvalidKernel", "the step of a loop is not at least 1"),
    "clipped-tile": ("InvalidKernel", "a tile sticks out of its view: points outside are 0 or not stored (a warning)"),
    "empty-init": ("InvalidKernel", "a reduction starts from its combiner's identity (a warning or a remark)"),
    "index-out-of-range": ("InvalidKernel", "an index is outside of what it indexes"),
    "outside-tile": ("InvalidKernel", "a tile may have no point in its view (a warning)"),
    "overlapping-groups": ("InvalidKernel", "a compute tile belongs to two groups of one inter-tile op"),
    "overlapping-parts": (
        "InvalidKernel",
        "parts of a distributed view share coordinates (a warning; an error where one is stored)",
    ),
    "recursive-call": ("Unsupported", "a function calls itself, directly or through others"),
    "too-many-iterations": ("InvalidKernel", "the loops of a tile run for longer than anyone waits"),
    "wrong-dependency": ("InvalidKernel", "a consumer depends on the wrong producers, or on the wrong number of them"),
    "wrong-size": ("InvalidKernel", "a size that the run computes is negative"),
    "shape-mismatch": ("InvalidKernel", "extents that must be equal differ when the kernel runs"),
    "unbounded-set": ("Unsupported", "a set has a dimension without bounds"),
    "undefined-value": ("InvalidKernel", "elements are read that nothing has written"),
    # the compiler itself
    "check-failed": ("CompilerBug", "the binary does not compute what the kernel says"),
    "compiler-died": ("CompilerBug", "the process that compiles was ended by a signal"),
    "internal-error": ("CompilerBug", "a part of the compiler raised an exception that is no refusal"),
    "invalid-binary": ("CompilerBug", "the encoder was given a program that breaks a rule of the instruction set"),
    "invalid-program": ("CompilerBug", "stage program names a channel, buffer or unit that does not exist"),
    "invalid-ir": ("CompilerBug", "a pass left IR that does not verify"),
    "verifier-crashed": ("CompilerBug", "the verifier of an op raised an exception"),
    "pass-crashed": ("CompilerBug", "a pass raised an exception that is no refusal"),
    "roundtrip": ("CompilerBug", "what was printed does not read back as what it was"),
}


def exception_name(id: str) -> str:
    """Name of the exception class that an error with this id ends in; an id without a row is a refused input."""
    return IDS.get(id, ("InvalidKernel", ""))[0]
