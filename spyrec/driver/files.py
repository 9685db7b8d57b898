"""What the driver does with files: texts that are read, and names of files that are made.

Reading and writing themselves are :mod:`spyrec.files`, whose functions are handed on here.
"""

from __future__ import annotations

import os

from spyrec import kinds
from spyrec.errors import InvalidKernel, Position
from spyrec.files import read_bytes, reason, refused, write, writing_to

__all__ = ["STDIN", "decode_text", "read_bytes", "read_text", "reason", "refused", "safe_name", "write", "writing_to"]

STDIN = "<stdin>"


def decode_text(data: bytes, name: str) -> str:
    """KTIR text from bytes. Raises InvalidKernel for another kind of file, or at the first byte that is not UTF-8 text.

    A file that is empty is text without anything.
    """
    kind = kinds.of_bytes(data)
    if kind not in (kinds.KTIR, kinds.EMPTY, kinds.ENCODED):
        raise refused(f"{name} is {kind.what}, not KTIR text", "not-text", note=kind.advice)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        raise _not_text(name, before, f"byte 0x{data[error.start]:02x} is not UTF-8 text") from None
    nul = text.find("\0")
    if nul >= 0:
        raise _not_text(name, text[:nul], "a NUL character is not KTIR text")
    return text


def read_text(path: str) -> tuple[str, str]:
    """``(text, name)`` of a file or of standard input; the name is what messages show."""
    name = STDIN if path == "-" else path
    if path.endswith(".py") and os.path.isfile(path):
        raise refused(
            f"{path} is Python, not KTIR text", "not-text", note="the frontend that it is for makes KTIR of it"
        )
    if path != "-" and kinds.artifact_folder(path) is not None:
        raise refused(f"{path} is a folder with {kinds.ARTIFACT.what}", "not-text", note=kinds.ARTIFACT.advice)
    return decode_text(read_bytes(path), name), name


def safe_name(name: str) -> str:
    """A kernel's name as a file name: no separators, at most 100 bytes (longer ones keep a digest of the rest)."""
    clean = "".join(c if c.isalnum() or c in "_-." else "_" for c in name).strip(".") or "kernel"
    data = clean.encode()
    if len(data) <= 100:
        return clean
    import hashlib

    return f"{data[:80].decode(errors='ignore')}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _not_text(name: str, before: str, message: str) -> InvalidKernel:
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return refused(message, "not-text", Position(name, line, column))
