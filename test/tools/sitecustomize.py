"""Python imports this at start-up in tests; with SPYREC_RECORD_IDS=FOLDER it notes which diagnostics are made.

See ``error_ids.py``, which puts the sites to look for into FOLDER/sites.json.
"""

import json
import os
import sys
from types import CodeType


class _Recorder:
    """Appends what is seen for the first time to a file of this process."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._test = os.environ.get("SPYREC_TEST", "?")
        self._seen: set[str] = set()

    def note(self, kind: str, name: str) -> None:
        entry = f"{kind}\t{name}\t{self._test}\n"
        if entry not in self._seen:
            self._seen.add(entry)
            # Children end without their exit handlers: nothing may wait in a buffer.
            with open(os.path.join(self._folder, f"{os.getpid()}.seen"), "a", encoding="utf-8") as file:
                file.write(entry)


def _record_ids(recorder: _Recorder) -> None:
    """Let each Diagnostic with an id note it."""
    from spyrec.errors import Diagnostic

    initialise = Diagnostic.__init__

    def noting(self: Diagnostic, *arguments: object, **keywords: object) -> None:
        initialise(self, *arguments, **keywords)  # type: ignore[arg-type]
        if self.id:
            recorder.note("id", self.id)

    Diagnostic.__init__ = noting  # type: ignore[method-assign]


def _record_sites(recorder: _Recorder, folder: str) -> None:
    """Note sites when they are called. Each place in a program is asked about once, which costs next to nothing."""
    with open(os.path.join(folder, "sites.json"), encoding="utf-8") as file:
        known: dict[str, dict[str, dict[str, str]]] = json.load(file)
    files: dict[str, dict[str, dict[str, str]] | None] = {}
    monitoring = sys.monitoring  # type: ignore[attr-defined]

    def of(code: CodeType) -> dict[str, dict[str, str]] | None:
        if code.co_filename not in files:
            files[code.co_filename] = known.get(os.path.realpath(code.co_filename))
        return files[code.co_filename]

    def called(code: CodeType, offset: int, *_: object) -> object:
        # Classes are made by calls, too, which end where their last call does: only functions report.
        if code.co_flags & 1 and (sites := of(code)) is not None:
            _, line, _, column = list(code.co_positions())[offset // 2]
            if (name := sites["calls"].get(f"{line}:{column}")) is not None:
                recorder.note("site", name)
        return monitoring.DISABLE

    def line(code: CodeType, number: int) -> object:
        if (sites := of(code)) is not None and (name := sites["lines"].get(str(number))) is not None:
            recorder.note("site", name)
        return monitoring.DISABLE

    tool, events = 4, monitoring.events
    monitoring.use_tool_id(tool, "spyrec-error-sites")
    monitoring.register_callback(tool, events.CALL, called)
    monitoring.register_callback(tool, events.LINE, line)
    monitoring.set_events(tool, events.CALL | events.LINE)


if _folder := os.environ.get("SPYREC_RECORD_IDS"):
    _recorder = _Recorder(_folder)
    _record_ids(_recorder)
    _record_sites(_recorder, _folder)
