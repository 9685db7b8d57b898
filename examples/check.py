"""Compile example kernels, run the binary in the simulator and compare with NumPy.

Usage: ``python examples/check.py [NAME ...]``; without a name, all of them.
"""

from __future__ import annotations

import sys

import numpy as np
from references import KERNELS, Kernel, dtype, ulp_distance

import spyrec


def check(kernel: Kernel) -> bool:
    """Run one kernel on seeded data; print a line and say whether it matches."""
    inputs = kernel.inputs(np.random.default_rng(0), kernel.element)
    want = kernel.reference({name: array.copy() for name, array in inputs.items()})
    code = spyrec.compile(kernel.path, kernel=kernel.name)
    got = code.run(inputs)
    worst = max(ulp_distance(np.asarray(got[name]).reshape(array.shape), array) for name, array in want.items())
    elements = sum(array.size for array in want.values())
    verdict = "matches NumPy" if worst <= kernel.ulp else "DIFFERS from NumPy"
    print(f"{kernel.name}: {elements} elements of {dtype(kernel.element)}, {worst} ulp apart at most: {verdict}")
    return worst <= kernel.ulp


def main(names: list[str]) -> int:
    """Check the named kernels; 0 when all match."""
    if names[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    unknown = [name for name in names if name not in KERNELS]
    if unknown:
        print(f"no example is called {unknown[0]}; there are {', '.join(KERNELS)}", file=sys.stderr)
        return 2
    matched = [check(KERNELS[name]) for name in names or KERNELS]
    return 0 if all(matched) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
