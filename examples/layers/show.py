"""Prints the kernels of this folder: ``python examples/layers/show.py NAME``; without a name, lists them.

A kernel runs from a pipe: ``python examples/layers/show.py NAME | spyrec run - --seed 0 --check``.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from layers import CASES


def main(names: list[str]) -> int:
    """Print the named kernels."""
    if names[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    unknown = [name for name in names if name not in CASES]
    if unknown:
        print(f"no kernel is called {unknown[0]}; without a name, all are listed", file=sys.stderr)
        return 2
    print("\n".join(CASES[name].text for name in names) if names else "\n".join(CASES))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
