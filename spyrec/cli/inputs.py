"""What a FILE is, found out from its content: KTIR text, an artifact, or a bare binary."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spyrec import kinds
from spyrec.driver import files
from spyrec.errors import InvalidKernel

if TYPE_CHECKING:
    from spyrec import isa
    from spyrec.spyrecode import Artifact


@dataclass(frozen=True)
class Input:
    """One of ``text``, ``artifact``, ``binary`` (``init_binary.bin`` alone) and ``assembly`` (its text) is set;
    ``name`` is for messages.
    """

    name: str
    text: str | None = None
    artifact: Artifact | None = None
    binary: isa.Binary | None = None
    assembly: bool = False


def read(path: str) -> Input:
    """Read a FILE of the command line. Raises InvalidKernel when it is nothing that we know."""
    from spyrec import spyrecode

    if path != "-" and os.path.isdir(path):
        return Input(path, artifact=spyrecode.load(path))
    data = files.read_bytes(path)
    name = files.STDIN if path == "-" else path
    kind = kinds.of_bytes(data)
    if kind in (kinds.ARTIFACT, kinds.ZIP):
        return Input(name, artifact=spyrecode.from_bytes(data, name))
    if kind == kinds.BARE_BINARY:
        from spyrec import isa

        return Input(name, binary=isa.decode(data))
    if data.startswith(kinds.ASSEMBLY_HEAD.encode()):
        return Input(name, assembly=True)
    return Input(name, text=files.read_text(path)[0] if path.endswith(".py") else files.decode_text(data, name))


def no_artifact(given: Input) -> InvalidKernel:
    """What a command says that takes artifacts only."""
    kind = kinds.BARE_BINARY if given.binary is not None else kinds.KTIR if given.text else kinds.EMPTY
    kind = kinds.ASSEMBLY if given.assembly else kind
    return files.refused(f"{given.name} is {kind.what}, not an artifact", "corrupt-artifact", note=kind.advice)
