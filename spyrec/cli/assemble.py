"""``spyrec as``: text of instructions to the bytes of a binary."""

from __future__ import annotations

import sys

import click

from spyrec.cli import shared


@click.command("as", context_settings={"help_option_names": ["--help", "-h"]})
@click.argument("file", metavar="FILE")
@click.option(
    "-o",
    "output",
    metavar="OUT",
    callback=shared.named,
    required=True,
    help="Where the binary goes; - is standard output.",
)
@shared.DIAGNOSTICS
def command(file: str, output: str, diagnostics: str) -> int:
    """Assemble what 'spyrec disasm' prints into the bytes of an init_binary.bin."""
    from pathlib import Path

    from spyrec import isa
    from spyrec.driver import files

    text, name = files.read_text(file)
    data = isa.encode(isa.assemble(text, name))
    if output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        files.write(Path(output), data)
    return 0
