"""Compile example kernels, run the binary in the simulator and compare with NumPy.

Usage: ``python examples/check.py [NAME ...]``; a name is that of a file in ``examples`` or
``examples/semantics``, or of a kernel in it. Without one, all kernels of ``examples`` are checked.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

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


def of_file(name: str) -> list[str]:
    """The kernels of the file that is called so."""
    return [kernel.name for kernel in KERNELS.values() if Path(kernel.file).stem == name.removesuffix(".mlir")]


def semantics() -> dict[str, Any]:
    """The kernels of ``examples/semantics``, by name."""
    path = Path(__file__).resolve().parent / "semantics" / "references.py"
    spec = importlib.util.spec_from_file_location("semantics_references", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return dict(module.KERNELS)


def check_meaning(kernel: Any) -> bool:
    """As :func:`check`, for a kernel of which the largest error relative to the largest result counts."""
    inputs = kernel.inputs(np.random.default_rng(0))
    want = kernel.reference({name: np.copy(value) for name, value in inputs.items()})
    got = spyrec.compile(kernel.path).run(inputs)
    apart = 0.0
    for name, array in want.items():
        exact = np.asarray(array, np.float64)
        found = np.asarray(got[name], np.float64).reshape(exact.shape)
        apart = max(apart, float(np.abs(found - exact).max() / max(np.abs(exact).max(), 1e-30)))
    verdict = "matches NumPy" if apart <= kernel.tolerance else "DIFFERS from NumPy"
    elements = sum(np.size(array) for array in want.values())
    print(f"{kernel.name}: {elements} elements, {apart:.1e} of the largest apart at most: {verdict}")
    return apart <= kernel.tolerance


def main(names: list[str]) -> int:
    """Check the named kernels; 0 when all match."""
    if names[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    names = [kernel for name in names for kernel in of_file(name) or [name]]
    others = semantics() if any(name not in KERNELS for name in names) else {}
    unknown = [name for name in names if name not in KERNELS and name not in others]
    if unknown:
        there = ", ".join([*KERNELS, *others])
        print(f"no example is called {unknown[0]}; there are {there}", file=sys.stderr)
        return 2
    matched = [check(KERNELS[name]) if name in KERNELS else check_meaning(others[name]) for name in names or KERNELS]
    return 0 if all(matched) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
