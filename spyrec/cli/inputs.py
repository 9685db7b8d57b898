"""What a FILE is, found out from its content: KTIR text, an artifact, or a bare binary."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spyrec.driver import files

if TYPE_CHECKING:
    from spyrec import isa
    from spyrec.spyrecode import Artifact


@dataclass(frozen=True)
class Input:
    """One of ``text``, ``artifact`` and ``binary`` (``init_binary.bin`` alone) is set; ``name`` is for messages."""

    name: str
    text: str | None = None
    artifact: Artifact | None = None
    binary: isa.Binary | None = None


def read(path: str) -> Input:
    """Read a FILE of the command line. Raises InvalidKernel when it is nothing that we know."""
    from spyrec import spyrecode

    if path != "-" and os.path.isdir(path):
        inner = os.path.join(path, "spyreCodeDir")
        return Input(path, artifact=spyrecode.load(inner if os.path.isdir(inner) else path))
    data = files.read_bytes(path)
    name = files.STDIN if path == "-" else path
    if spyrecode.is_artifact(data):
        return Input(name, artifact=spyrecode.from_bytes(data, name))
    from spyrec.isa.table import MAGIC

    if data[:8] == MAGIC.to_bytes(8, "little"):
        from spyrec import isa

        return Input(name, binary=isa.decode(data))
    return Input(name, text=files.decode_text(data, name))
