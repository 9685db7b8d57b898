"""Diagnostics: sources and spans, the sink that everyone reports to, rendering, and the capture of MLIR's own messages.

Importing this package imports no MLIR.
"""

from spyrec.diag.capture import capture, report
from spyrec.diag.ids import IDS, exception_name
from spyrec.diag.location import TEXT_TAG, Resolved, downcast, resolve
from spyrec.diag.payload import Payload, decode, encode
from spyrec.diag.render import render, sources, to_dict, to_json, with_lines
from spyrec.diag.sink import NoteLike, Sink, Where, exception
from spyrec.diag.source import Source, Span
from spyrec.diag.source_map import SourceMap
from spyrec.errors import Diagnostic, Position, Severity

__all__ = [
    "IDS",
    "TEXT_TAG",
    "Diagnostic",
    "NoteLike",
    "Payload",
    "Position",
    "Resolved",
    "Severity",
    "Sink",
    "Source",
    "SourceMap",
    "Span",
    "Where",
    "capture",
    "decode",
    "downcast",
    "encode",
    "exception",
    "exception_name",
    "render",
    "report",
    "resolve",
    "sources",
    "to_dict",
    "to_json",
    "with_lines",
]
