"""Prints the kernels of this folder: ``python examples/layers/show.py NAME``; without a name, lists them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from layers import CASES


def main(names: list[str]) -> int:
    """Print the named kernels."""
    unknown = [name for name in names if name not in CASES]
    if unknown:
        print(f"no kernel is called {unknown[0]}", file=sys.stderr)
        return 2
    print("\n".join(CASES[name].text for name in names) if names else "\n".join(CASES))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
