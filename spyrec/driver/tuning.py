"""``--tune PASS=off`` and ``--tune 'PASS{OPTIONS}'``: a pass of the stages left out, or run with other options.

Only optimisations may be left out: passes that say so (``Pass.optional``), and MLIR's in ``UPSTREAM``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from spyrec.errors import UsageError
from spyrec.passes.stages import STAGES
from spyrec.passkit import pipeline
from spyrec.passkit.pipeline import Element, Nest, OwnPass, UpstreamPass

UPSTREAM = frozenset({"cse", "linalg-fuse-elementwise-ops", "loop-invariant-code-motion"})
"""Passes of MLIR that are optimisations."""

_SETTING = re.compile(r"(?P<name>[\w-]+)(?:(?P<off>=off)|\{(?P<options>.*)\})?")

Tuning = Mapping[str, Element | None]
"""What runs instead of each named pass; ``None``: nothing."""


def read(settings: Sequence[str]) -> Tuning:
    """What ``settings`` ask for. Raises UsageError on a pass that no stage runs, on options that it does not have, and
    on leaving out one that is no optimisation.
    """
    if not settings:
        return {}
    found: dict[str, Element | None] = {}
    there = _passes()
    for setting in settings:
        match = _SETTING.fullmatch(setting)
        if match is None:
            raise UsageError(f"--tune {setting}: expected PASS=off or PASS{{OPTION=VALUE}}")
        key = match["name"]
        if key not in there:
            near = difflib.get_close_matches(key, there, 1)
            may = f"; those that may be left out are {', '.join(optimizations())}"
            hint = f"; did you mean '{near[0]}'?" if near else may
            raise UsageError(f"--tune {setting}: no stage runs a pass '{key}'{hint}")
        if match["off"] and not _may_go(there[key]):
            may = ", ".join(optimizations())
            raise UsageError(f"--tune {setting}: this pass is no optimisation; those that may be left out are {may}")
        (element,) = pipeline.walk(pipeline.from_flags([(key, match["options"] or "")]).elements)
        found[key] = None if match["off"] else element
    return found


def optimizations() -> tuple[str, ...]:
    """Names of the passes that may be left out, in the order in which they run first."""
    return tuple(n for n, e in _passes().items() if _may_go(e))


def check_names(flag: str, names: Iterable[str]) -> None:
    """Raise UsageError when one of ``names`` is no pass that stages run, nor a gate."""
    there = {**_passes(), **dict.fromkeys(stage.gate for stage in STAGES)}
    for missing in sorted(set(names) - set(there)):
        near = difflib.get_close_matches(missing, there, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise UsageError(f"{flag}: no stage runs a pass '{missing}'{hint}")


def apply(text: str, tuning: Tuning) -> str:
    """The pipeline ``text`` with ``tuning`` put in; the empty text where nothing is left."""
    if not tuning:
        return text
    parsed = pipeline.parse(text)
    kept = tuple(_tuned(parsed.elements, tuning))
    return str(replace(parsed, elements=kept, text="")) if kept else ""


def name(element: OwnPass | UpstreamPass) -> str:
    """What a pass is called in pipelines."""
    return element.instance.NAME if isinstance(element, OwnPass) else element.name


def _passes() -> dict[str, OwnPass | UpstreamPass]:
    """All passes that stages run, by name, in order."""
    steps = (step.pipeline for stage in STAGES for step in stage.steps)
    return {name(element): element for text in steps for element in pipeline.walk(pipeline.parse(text).elements)}


def _may_go(element: OwnPass | UpstreamPass) -> bool:
    return element.instance.optional if isinstance(element, OwnPass) else element.name in UPSTREAM


def _tuned(elements: Sequence[Element], tuning: Tuning) -> Iterator[Element]:
    for element in elements:
        if isinstance(element, Nest):
            inner = tuple(_tuned(element.elements, tuning))
            if inner:
                yield replace(element, elements=inner)
        else:
            instead = tuning.get(name(element), element)
            if instead is not None:
                yield instead
