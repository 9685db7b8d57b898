"""Python imports this at start-up in tests; with SPYREC_RECORD_IDS=FOLDER it notes which ids of diagnostics are made.

See ``error_ids.py``.
"""

import os


def _record(folder: str) -> None:
    """Let each Diagnostic with an id append its id and the running test to a file of this process."""
    from spyrec.errors import Diagnostic

    initialise = Diagnostic.__init__
    test = os.environ.get("SPYREC_TEST", "?")
    seen: set[str] = set()

    def noting(self: Diagnostic, *arguments: object, **keywords: object) -> None:
        initialise(self, *arguments, **keywords)  # type: ignore[arg-type]
        if self.id and self.id not in seen:
            seen.add(self.id)
            # Children end without their exit handlers: nothing may wait in a buffer.
            with open(os.path.join(folder, str(os.getpid())), "a", encoding="utf-8") as file:
                file.write(f"{self.id} {test}\n")

    Diagnostic.__init__ = noting  # type: ignore[method-assign]


if _folder := os.environ.get("SPYREC_RECORD_IDS"):
    _record(_folder)
