"""Files of the user: one message for whatever goes wrong, output that is whole or not there, and nothing replaced that
is no file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from spyrec.errors import Diagnostic, InvalidKernel, Position, Severity

_SHOWN = 200
"""So much of a path is shown: what is longer may be anything, as a text that was taken for a path."""


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
        shown = path if len(path) <= _SHOWN else f"{path[:_SHOWN]}..."
        raise refused(f"cannot read {shown}: {reason(error)}", "unreadable-input") from None


def write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all. Raises InvalidKernel when it cannot be written.

    A symbolic link stays, and what it points to is written. What is no regular file (a pipe, a device) and what is open
    already (``/dev/stdout``) is written in place.
    """
    with writing_to(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a directory")
        target = _target(path)
        if target is None:
            with open(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as file:
                file.write(data)
        else:
            _replace(target, data)


@contextlib.contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn an OSError inside the block into one message about ``path``."""
    try:
        yield
    except OSError as error:
        raise refused(f"cannot write {path}: {reason(error)}", "unwritable-output") from None


def refused(message: str, identifier: str, position: Position | None = None, note: str = "") -> InvalidKernel:
    """An InvalidKernel with one diagnostic, and the note that says what to do."""
    notes = (Diagnostic(Severity.NOTE, note),) if note else ()
    return InvalidKernel([Diagnostic(Severity.ERROR, message, identifier, position, notes=notes)])


def reason(error: OSError | ValueError) -> str:
    """What the system says, in lower case and without its number: ``no such file or directory``."""
    said = getattr(error, "strerror", None) or str(error)
    return said[:1].lower() + said[1:]


def mode(full: int) -> int:
    """The permissions that this process gives to what it makes: ``full`` without the bits of its mask."""
    # os.umask reads by setting, which other threads see: only where the system does not tell.
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("Umask:"):
                return full & ~int(line.split()[1], 8)
    mask = os.umask(0o022)
    os.umask(mask)
    return full & ~mask


def _target(path: Path) -> Path | None:
    """The file that replaces or becomes ``path``, at the end of its links; ``None``: it has to be written in place."""
    if path.exists() and not path.is_file():
        return None
    here = path
    for _ in range(40):
        if not here.is_symlink():
            return here
        folder = Path(os.path.realpath(here.parent))
        if Path("/proc") in folder.parents:  # /dev/stdout leads there: a descriptor, not a name
            return None
        here = folder / os.readlink(here)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _replace(target: Path, data: bytes) -> None:
    import tempfile

    handle, scratch = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(scratch, mode(0o666))
        os.replace(scratch, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise
