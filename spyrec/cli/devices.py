"""``spyrec devices``: which devices come with the compiler."""

from __future__ import annotations

import click

from spyrec.cli import frame, shared
from spyrec.errors import UsageError


@click.command("devices", context_settings={"help_option_names": ["--help", "-h"]})
@click.option("--path", "name", metavar="NAME", help="Print the path of this device's file.")
@shared.DIAGNOSTICS
def command(name: str | None, diagnostics: str) -> int:
    """List the devices that --device knows by name; any other device is a file in ktdf_arch syntax."""
    import difflib
    from pathlib import Path

    import spyrec

    folder = Path(spyrec.__path__[0]) / "devices"
    found = {path.stem: path for path in sorted(folder.glob("*.mlir"))}
    if name is None:
        for stem, path in found.items():
            frame.emit(f"{stem:12} {_first_comment(path.read_text(encoding='utf-8'))}\n")
        return 0
    if name not in found:
        near = difflib.get_close_matches(name, found, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(found)}"
        raise UsageError(f"there is no device '{name}'; {hint}")
    frame.emit(f"{found[name]}\n")
    return 0


def _first_comment(text: str) -> str:
    line = text.partition("\n")[0]
    return line.removeprefix("//").strip()
