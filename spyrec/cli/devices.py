"""``spyrec devices``: which devices come with the compiler."""

from __future__ import annotations

import click

from spyrec.cli import frame, shared


@click.command("devices", context_settings={"help_option_names": ["--help", "-h"]})
@click.option("--path", "name", metavar="NAME", help="Print the path of this device's file.")
@shared.DIAGNOSTICS
def command(name: str | None, diagnostics: str) -> int:
    """List the devices that --device knows by name; any other device is a file in ktdf_arch syntax."""
    from spyrec.device import read

    if name is not None:
        frame.emit(f"{read.path(name)}\n")
        return 0
    for each in read.names():
        frame.emit(f"{each:12} {_first_comment(read.path(each).read_text(encoding='utf-8'))}\n")
    return 0


def _first_comment(text: str) -> str:
    line = text.partition("\n")[0]
    return line.removeprefix("//").strip()
