"""``spyrec opt``: passes over IR at any stage, with the habits of mlir-opt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from spyrec.cli import child, shared
from spyrec.errors import UsageError

_F = TypeVar("_F", bound=Callable[..., Any])
DEFAULT_MARKER = "// -----"


def _flag(*names: str, help: str) -> Callable[[_F], _F]:
    return click.option(*names, is_flag=True, help=help)


def _choice(name: str, variable: str, *values: str, help: str) -> Callable[[_F], _F]:
    return click.option(name, variable, type=click.Choice(values), default=values[0], show_default=True, help=help)


@click.command("opt", context_settings={"help_option_names": ["--help", "-h"], "ignore_unknown_options": True})
@click.argument("words", metavar="[FILE] [--PASS[=OPTIONS]]...", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "-o",
    "output",
    metavar="OUT",
    callback=shared.named,
    default="-",
    help="Write the result here, not to standard output.",
)
@click.option(
    "--pass-pipeline", metavar="TEXT", help="Run this pipeline: 'builtin.module(func.func(resolve-views),cse)'."
)
@_flag("--run-reproducer", help="Run the pipeline that FILE carries.")
@click.option("--load-pass", metavar="FILE.py", multiple=True, help="Add the passes that this Python file defines.")
@click.option("--load-dialect", metavar="FILE.py", multiple=True, help="Add the dialects of this Python file.")
@click.option(
    "--split-input-file",
    is_flag=False,
    flag_value=DEFAULT_MARKER,
    metavar="[=MARKER]",
    help=f"Treat the parts between '{DEFAULT_MARKER}' lines, or MARKER lines, one by one.",
)
@click.option(
    "--output-split-marker", "joiner", metavar="MARKER", default=DEFAULT_MARKER, help="The line between their results."
)
@click.option(
    "--verify-diagnostics",
    is_flag=False,
    flag_value="all",
    type=click.Choice(["all", "only-expected"]),
    help="Check messages against '// expected-error {{...}}' comments; only-expected lets others pass.",
)
@_flag("--verify-roundtrip", help="Print what was read, read it again, compare; in custom and generic form.")
@click.option("--verify-each/--no-verify-each", default=True, help="Verify after each pass (on by default).")
@_flag("--allow-unregistered-dialect", help="Accept ops of dialects that nobody defines.")
@click.option(
    "--device", metavar="NAME|FILE", default="spyre", show_default=True, help="The device for passes that ask."
)
@shared.SETTINGS
@shared.printing
@_flag("--mlir-print-op-generic", "generic", help="Print ops in generic form.")
@_flag("--mlir-print-debuginfo", "debuginfo", help="Print locations.")
@_flag("--mlir-print-local-scope", "local_scope", help="Print without aliases.")
@click.option(
    "--mlir-elide-elementsattrs-if-larger",
    "elide",
    metavar="N",
    type=click.IntRange(0, (1 << 63) - 1),
    help="Elide larger constants.",
)
@_flag("--mlir-disable-diagnostic-notes", "no_notes", help="Show no notes.")
@_flag("--mlir-timing", "timing", help="Print how long passes took.")
@_choice("--mlir-timing-display", "timing_display", "tree", "list", help="Nested, or merged and sorted.")
@_choice("--mlir-output-format", "timing_format", "text", "json", help="How times are printed.")
@_flag("--mlir-pass-statistics", "statistics", help="Print what passes counted.")
@_choice("--mlir-pass-statistics-display", "statistics_display", "pipeline", "list", help="Nested, or merged.")
@click.option(
    "--mlir-generate-reproducer",
    "reproduce",
    metavar="FILE",
    callback=shared.named,
    help="Write a reproducer of this run.",
)
@click.option(
    "--mlir-pass-pipeline-crash-reproducer",
    "crash_reproducer",
    metavar="FILE",
    callback=shared.named,
    help="When a pass fails, write a reproducer of it to FILE: the IR right before it, and it alone.",
)
@_flag("--mlir-pass-pipeline-local-reproducer", help="Accepted; reproducers always have the smallest pipeline.")
@_flag("--mlir-disable-threading", help="Accepted; there is one thread.")
@_flag("--mlir-use-nameloc-as-prefix", help="Accepted; names are always kept.")
@_flag("--dump-pass-pipeline", help="Print the pipeline on standard error before it runs.")
@_flag("--list-passes", help="List the passes and their options.")
@_flag("--show-dialects", help="List the dialects.")
@shared.DIAGNOSTICS
def command(**values: Any) -> int:
    """Run passes over IR and print the result.

    Any pass is a flag: --resolve-views, --assign-addresses=OPTION=VALUE, and all of MLIR's. Flags may have one dash
    or two.
    """
    from spyrec.cli import opt_flags, opt_tool

    words = opt_flags.split(values["words"])
    if len(words.files) > 1:
        raise UsageError(f"spyrec opt takes one FILE, got {' and '.join(words.files)}")
    modes = (bool(words.flags), values["pass_pipeline"] is not None, values["run_reproducer"])
    if sum(modes) > 1:
        raise UsageError("passes are given once: as flags, as --pass-pipeline, or by --run-reproducer")
    if values["list_passes"] or values["show_dialects"]:
        return child.run(lambda _: opt_tool.listing(values), lambda *_: None)

    from spyrec.driver import files

    text, name = files.read_text(words.files[0] if words.files else "-")

    def tool(progress: shared.Progress) -> opt_tool.Tool:
        return opt_tool.Tool(values, words, text, name, progress, command)

    return shared.in_child(
        lambda progress: tool(progress).run(),
        text,
        name,
        lambda: values["pass_pipeline"] or ",".join(f"{n}{{{o}}}" if o else n for n, o in words.flags),
        opt_tool.repeated_flags(values),
        lambda number: tool(lambda *_: None).before_pass(number),
    )
