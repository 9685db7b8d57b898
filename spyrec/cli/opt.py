"""``spyrec opt``: passes over IR at any stage, with the habits of mlir-opt."""

from __future__ import annotations

from typing import Any

import click

from spyrec.cli import child, shared
from spyrec.errors import UsageError


def _names(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for item in value for name in item.split(",") if name)


@click.command("opt", context_settings={"help_option_names": ["--help", "-h"], "ignore_unknown_options": True})
@click.argument("words", metavar="[FILE] [--PASS[=OPTIONS]]...", nargs=-1, type=click.UNPROCESSED)
@click.option("-o", "output", metavar="OUT", default="-", help="Write the result here instead of standard output.")
@click.option(
    "--pass-pipeline", metavar="TEXT", help="Run this pipeline: 'builtin.module(func.func(resolve-views),cse)'."
)
@click.option("--run-reproducer", is_flag=True, help="Run the pipeline that FILE carries.")
@click.option("--split-input-file", is_flag=True, help="Treat the parts between '// -----' lines one by one.")
@click.option("--verify-diagnostics", is_flag=True, help="Check messages against '// expected-error {{...}}' comments.")
@click.option("--verify-roundtrip", is_flag=True, help="Print what was read, read it again, compare.")
@click.option("--verify-each/--no-verify-each", default=True, help="Verify after each pass (on by default).")
@click.option("--allow-unregistered-dialect", is_flag=True, help="Accept ops of dialects that nobody defines.")
@click.option(
    "--device", metavar="NAME|FILE", default="spyre", show_default=True, help="The device for passes that ask."
)
@shared.SETTINGS
@click.option(
    "--mlir-print-ir-before", "before", metavar="PASS", multiple=True, callback=_names, help="Print IR before PASS."
)
@click.option("--mlir-print-ir-before-all", "before_all", is_flag=True, help="Print IR before each pass.")
@click.option(
    "--mlir-print-ir-after", "after", metavar="PASS", multiple=True, callback=_names, help="Print IR after PASS."
)
@click.option("--mlir-print-ir-after-all", "after_all", is_flag=True, help="Print IR after each pass.")
@click.option(
    "--mlir-print-ir-after-change", "after_change", is_flag=True, help="After a pass, only when it changed the IR."
)
@click.option("--mlir-print-ir-after-failure", "after_failure", is_flag=True, help="After a pass, only when it failed.")
@click.option("--mlir-print-ir-module-scope", "module_scope", is_flag=True, help="Print the whole module each time.")
@click.option("--mlir-print-ir-tree-dir", "tree_dir", metavar="DIR", help="Print IR into a tree of files instead.")
@click.option("--mlir-print-op-generic", "generic", is_flag=True, help="Print ops in generic form.")
@click.option("--mlir-print-debuginfo", "debuginfo", is_flag=True, help="Print locations.")
@click.option("--mlir-print-local-scope", "local_scope", is_flag=True, help="Print without aliases.")
@click.option("--mlir-elide-elementsattrs-if-larger", "elide", metavar="N", type=int, help="Elide larger constants.")
@click.option("--mlir-timing", "timing", is_flag=True, help="Print how long passes took.")
@click.option("--mlir-pass-statistics", "statistics", is_flag=True, help="Print what passes counted.")
@click.option("--mlir-disable-threading", is_flag=True, help="Accepted; there is one thread.")
@click.option("--mlir-use-nameloc-as-prefix", is_flag=True, help="Accepted; names are always kept.")
@click.option("--dump-pass-pipeline", is_flag=True, help="Print the pipeline on standard error before it runs.")
@click.option("--list-passes", is_flag=True, help="List the passes and their options.")
@click.option("--show-dialects", is_flag=True, help="List the dialects.")
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

    from spyrec import driver
    from spyrec.driver import files

    text, name = files.read_text(words.files[0] if words.files else "-")
    device_flags = driver.device_flags(values["device"], values["settings"])
    plan = values["pass_pipeline"] or ",".join(f"{n}{{{o}}}" if o else n for n, o in words.flags)
    return shared.in_child(
        lambda progress: opt_tool.Tool(values, words, text, name, progress, command).run(),
        text,
        name,
        plan,
        device_flags,
    )
