"""``spyrec disasm``: the instructions of an artifact as text that ``spyrec as`` reads."""

from __future__ import annotations

import click

from spyrec.cli import frame, shared


@click.command("disasm", context_settings={"help_option_names": ["--help", "-h"]})
@click.argument("file", metavar="FILE")
@shared.DIAGNOSTICS
def command(file: str, diagnostics: str) -> int:
    """Print the instructions of an artifact, each with the line of the kernel that it comes from.

    FILE is an artifact (.spyre or a folder) or an init_binary.bin.
    """
    from spyrec import isa
    from spyrec.cli import inputs

    given = inputs.read(file)
    if given.artifact is not None:
        frame.emit(isa.disassemble(given.artifact.program, given.artifact.locations))
    elif given.binary is not None:
        frame.emit(isa.disassemble(given.binary))
    else:
        raise inputs.no_artifact(given)
    return 0
