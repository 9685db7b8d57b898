"""Reading input and writing output: one message for whatever goes wrong, and files that are whole or not there."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from spyrec.errors import Diagnostic, InvalidKernel, Position, Severity

STDIN = "<stdin>"


def read_bytes(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``. Raises InvalidKernel when they cannot be read."""
    try:
        if path == "-":
            if sys.stdin is None:
                raise refused("cannot read standard input: it is closed", "unreadable-input")
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except IsADirectoryError:
        raise refused(f"{path} is a directory, not a file", "unreadable-input") from None
    except (OSError, ValueError) as error:
        raise refused(f"cannot read {path}: {reason(error)}", "unreadable-input") from None


def decode_text(data: bytes, name: str) -> str:
    """KTIR text from bytes. Raises InvalidKernel at the place of the first byte that is not UTF-8 text."""
    for magic, what in ((b"ML\xefR", "MLIR bytecode"), (b"PK\x03\x04", "a ZIP file"), (b"\x7fELF", "an ELF binary")):
        if data.startswith(magic):
            raise refused(f"this is {what}, not KTIR text", "not-text", Position(name, 1, 1))
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
    return decode_text(read_bytes(path), name), name


@contextlib.contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn an OSError inside the block into one message about ``path``."""
    try:
        yield
    except OSError as error:
        raise refused(f"cannot write {path}: {reason(error)}", "unwritable-output") from None


def write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all. Raises InvalidKernel when it cannot be written.

    What is no regular file (``/dev/stdout``, a pipe) is written in place.
    """
    with writing_to(path):
        if path.exists() and not path.is_file():
            if path.is_dir():
                raise IsADirectoryError(21, "it is a directory")
            with open(path, "wb") as file:
                file.write(data)
            return
        import tempfile

        handle, scratch = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(scratch, 0o666 & ~_umask())
            os.replace(scratch, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(scratch)
            raise


def refused(message: str, identifier: str, position: Position | None = None) -> InvalidKernel:
    """An InvalidKernel with one diagnostic."""
    return InvalidKernel([Diagnostic(Severity.ERROR, message, identifier, position)])


def reason(error: OSError | ValueError) -> str:
    """What the system says, in lower case and without its number: ``no such file or directory``."""
    said = getattr(error, "strerror", None) or str(error)
    return said[:1].lower() + said[1:]


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


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
