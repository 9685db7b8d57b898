"""Standard MLIR reproducers: the input with the pipeline that fails on it, for ``spyrec opt --run-reproducer``."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from spyrec.driver import files
from spyrec.errors import SpyrecError

_BLOCK = re.compile(r"\{-#.*?#-\}", re.DOTALL)
_PIPELINE = re.compile(r'\bpipeline\s*:\s*"((?:[^"\\]|\\.)*)"')
_VERIFY = re.compile(r"\bverify_each\s*:\s*(true|false)")


def compose(text: str, pipeline: str, header: tuple[str, ...] = (), *, verify_each: bool = True) -> str:
    """The text of a reproducer; ``header`` lines become comments above the input."""
    quoted = pipeline.replace("\\", "\\\\").replace('"', '\\"')
    comments = "".join(f"// {line}\n" for part in header for line in part.splitlines())
    body, _, _ = extract(text)
    return (
        f"{comments}{body.rstrip()}\n\n"
        "{-#\n  external_resources: {\n    mlir_reproducer: {\n"
        f'      pipeline: "{quoted}",\n'
        "      disable_threading: true,\n"
        f"      verify_each: {'true' if verify_each else 'false'}\n"
        "    }\n  }\n#-}\n"
    )


def extract(text: str) -> tuple[str, str | None, bool]:
    """``(IR, pipeline, verify_each)`` of a reproducer; the pipeline is None when the text carries none.

    The block is blanked, not cut out, so that lines and columns of what follows stay.
    """
    for block in _BLOCK.finditer(text):
        inside = block[0]
        found = _PIPELINE.search(inside)
        if "mlir_reproducer" in inside and found:
            blank = "".join(c if c == "\n" else " " for c in inside)
            verify = _VERIFY.search(inside)
            pipeline = re.sub(r"\\(.)", r"\1", found[1])
            return (
                text[: block.start()] + blank + text[block.end() :],
                pipeline,
                verify is None or verify[1] == "true",
            )
    return text, None, True


def save(text: str, name: str, wanted: str | None = None) -> Path | None:
    """Write a reproducer to ``wanted``, else into $SPYREC_DUMP_DIR, else the folder for temporary files; None when none
    of them takes it.
    """
    import tempfile

    data = text.encode("utf-8", "surrogateescape")
    if wanted is not None:
        with contextlib.suppress(SpyrecError, OSError):
            files.write(Path(wanted), data)
            return Path(wanted)

    for folder in (os.environ.get("SPYREC_DUMP_DIR"), tempfile.gettempdir()):
        if not folder:
            continue
        path = Path(folder) / f"spyrec-reproducer-{files.safe_name(name)}-{os.getpid()}.mlir"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            files.write(path, data)
        except (SpyrecError, OSError):
            continue
        return path
    return None
