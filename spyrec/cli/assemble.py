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
    help="Where the binary, or artifact, goes; - is standard output.",
)
@click.option(
    "--artifact",
    metavar="FILE",
    help="Write this artifact with the new binary, for 'spyrec run', and not the binary alone.",
)
@shared.DIAGNOSTICS
def command(file: str, output: str, artifact: str | None, diagnostics: str) -> int:
    """Assemble what 'spyrec disasm' prints into the bytes of an init_binary.bin."""
    from pathlib import Path

    from spyrec import isa
    from spyrec.driver import files

    text, name = files.read_text(file)
    binary = isa.assemble(text, name)
    if artifact is not None:
        from spyrec import spyrecode
        from spyrec.cli.compile import save

        save(spyrecode.load(artifact).with_binary(binary), output)
        return 0
    data = isa.encode(binary)
    if output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        files.write(Path(output), data)
    return 0
