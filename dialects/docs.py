"""Writes the pages of the dialects: ``python -m spyrec.dialects.docs [--check]``."""

import sys
from collections.abc import Sequence
from pathlib import Path

from spyrec.dialects import dataflow, ktdf_arch, ktdp, spyreop
from spyrec.ods.docs import page

DIALECTS = (ktdp.Ktdp, spyreop.Spyreop, dataflow.Dataflow, ktdf_arch.KtdfArch)


def main(arguments: Sequence[str], folder: Path = Path("docs/dialects")) -> int:
    """Write the page of each dialect into ``folder``; with ``--check`` compare instead.

    Exit status 1 when ``--check`` finds a page that is missing or out of date.
    """
    stale = 0
    for dialect in DIALECTS:
        path, text = folder / f"{dialect.DIALECT_NAMESPACE}.md", page(dialect)
        if "--check" not in arguments:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(f"{path} is out of date: run python -m spyrec.dialects.docs")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
