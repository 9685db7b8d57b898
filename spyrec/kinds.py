"""What a file is that was given for another: told by how it begins, with what to do about it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

ZIP_MAGIC = b"PK\x03\x04"
ASSEMBLY_HEAD = "; spyrec binary"
BINARY_MAGIC = b"SPYRSIM\0"
PLAN_FILE = "spyrecode.json"
EXPORTED = "spyreCodeDir"
"""The folder that ``spyrec-dbo-opt`` makes in its export directory."""


@dataclass(frozen=True)
class Kind:
    """``what`` as a noun with its article; ``advice`` what takes such a file, or how to make it one that is taken."""

    what: str
    advice: str = ""


ARTIFACT = Kind("a SpyreCode artifact", "it is compiled: 'spyrec run', and spyrec.load in Python, take it")
BARE_BINARY = Kind(
    "a bare binary (init_binary.bin)", "'spyrec disasm' shows it; what runs is the artifact that it belongs to"
)
ASSEMBLY = Kind(
    "the text of a binary", "'spyrec as' makes a binary of it, and an artifact with --artifact; that is what runs"
)
KTIR = Kind("KTIR text", "'spyrec compile', and spyrec.compile in Python, make an artifact of it")
EMPTY = Kind("an empty file")
DATA = Kind("binary data")
ENCODED = Kind("no text in UTF-8")
ZIP = Kind("a ZIP file")
_JSON = Kind("JSON", "a file of an artifact goes by the folder that it is in")
_BEGINNINGS = {
    BINARY_MAGIC: BARE_BINARY,
    ZIP_MAGIC: ZIP,
    b"ML\xefR": Kind("MLIR bytecode", "print it as text: mlir-opt FILE"),
    b"\x93NUMPY": Kind("a NumPy array", "--in NAME=FILE gives it to a kernel that is run"),
    b"\x7fELF": Kind("an ELF binary"),
    b"\x1f\x8b": Kind("a file that gzip compressed", "unpack it: gunzip FILE"),
    b"\xff\xfe": Kind("text in UTF-16", "save it as UTF-8"),
    b"\xfe\xff": Kind("text in UTF-16", "save it as UTF-8"),
}


def of_bytes(data: bytes) -> Kind:
    """What a file with these bytes is; :data:`KTIR` is any text of which nothing else is known."""
    if not data:
        return EMPTY
    if data.startswith(ZIP_MAGIC) and PLAN_FILE.encode() in data:
        return ARTIFACT
    if re.match(rb'\s*\{\s*["}]', data):
        return _JSON
    for start, kind in _BEGINNINGS.items():
        if data.startswith(start):
            return kind
    try:
        data.decode()
    except UnicodeDecodeError:
        return DATA if b"\0" in data else ENCODED
    return KTIR


def artifact_folder(path: str) -> str | None:
    """The folder of an artifact, if ``path`` is one or an export directory around one."""
    inner = (path, os.path.join(path, EXPORTED))
    return next((folder for folder in inner if os.path.isfile(os.path.join(folder, PLAN_FILE))), None)
