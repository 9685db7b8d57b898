"""``--mlir-pass-statistics``: what passes counted, in MLIR's two report formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from spyrec.passkit.base import PassContext
from spyrec.passkit.instrument import Label
from spyrec.passkit.pipeline import Element, Nest, OwnPass, Pipeline
from spyrec.passkit.timing import heading


def report(pipeline: Pipeline, ctx: PassContext, display: str = "pipeline") -> str:
    """The counts of one run of ``pipeline``: in its order and nesting, or merged by pass (``list``)."""
    rows = heading("... Pass statistics report ...")
    rows += _merged(pipeline, ctx) if display == "list" else _nested(pipeline.elements, ctx, 0)
    return "\n".join(rows) + "\n"


def _nested(elements: tuple[Element, ...], ctx: PassContext, depth: int) -> Iterator[str]:
    pad = "  " * depth
    for element in elements:
        if isinstance(element, Nest):
            yield f"{pad}'{element.anchor}' Pipeline"
            yield from _nested(element.elements, ctx, depth + 1)
        else:
            yield pad + Label.of(element).class_name
            yield from _counts(_of(element, ctx), pad)


def _merged(pipeline: Pipeline, ctx: PassContext) -> Iterator[str]:
    from spyrec.passkit.pipeline import walk

    merged: dict[str, Counter[str]] = {}
    for element in walk(pipeline.elements):
        counted = _of(element, ctx)
        if counted:
            merged.setdefault(Label.of(element).class_name, Counter()).update(counted)
    for name in sorted(merged):
        yield name
        yield from _counts(merged[name], "")


def _of(element: Element, ctx: PassContext) -> Counter[str]:
    return ctx.counted(element.instance) if isinstance(element, OwnPass) else Counter()


def _counts(counted: Counter[str], pad: str) -> Iterator[str]:
    width = max((len(str(number)) for number in counted.values()), default=0)
    for what, number in sorted(counted.items()):
        yield f"{pad}  (S) {number:{width}} {what}"
