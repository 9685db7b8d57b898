"""``spyrec-dbo-opt``: the command line that frontends call a SpyreCode compiler with."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from spyrec import kinds
from spyrec.cli import frame, shared
from spyrec.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from spyrec.driver import Options

FOLDER = kinds.EXPORTED


@click.command("spyrec-dbo-opt", context_settings={"help_option_names": ["--help", "-h"]})
@click.argument("file", metavar="FILE")
@click.option("--from-ktir", is_flag=True, help="FILE is KTIR; nothing else is read.")
@click.option("--device", metavar="NAME|FILE", default="spyre", show_default=True, help="The device to compile for.")
@click.option("--export-dir", metavar="DIR", callback=shared.named, help=f"Write the artifact to DIR/{FOLDER}/.")
@click.option(
    "--kEmitSpyreCode", "emit", is_flag=True, help="Write the artifact; without it only the module is printed."
)
@shared.KERNEL
@shared.messages
def command(
    file: str, from_ktir: bool, device: str, export_dir: str | None, emit: bool, kernel: str | None, diagnostics: str
) -> int:
    """Compile KTIR to DIR/spyreCodeDir/ and print the transformed module on standard output.

    DBO_DEBUG=1 in the environment keeps the text of every stage in DIR/debug/. SPYREC_FLAGS adds options where the
    command line cannot be changed: SPYREC_FLAGS='--kernel=NAME'.
    """
    from pathlib import Path

    from spyrec import driver
    from spyrec.driver import files

    if not from_ktir:
        raise UsageError(
            "only KTIR is read: give --from-ktir and a .ktir file (a bundle of super-DSC operations is not)"
        )
    if emit and export_dir is None:
        raise UsageError("--kEmitSpyreCode needs --export-dir=DIR to write to")
    target = Path(export_dir) if export_dir is not None else None
    dumps = target / "debug" if target is not None and os.environ.get("DBO_DEBUG") == "1" else None
    options = shared.options(
        device=device,
        settings=(),
        kernel=kernel,
        dump_stages=str(dumps) if dumps else None,
        emit=driver.BINARY if emit else _last_stage(),
    )
    text, name = files.read_text(file)

    def body(progress: shared.Progress) -> int:
        _compile(text, name, options, target, progress)
        return 0

    narrow = shared.narrowing(text, name, options)
    return shared.in_child(
        body, text, name, lambda: driver.full_pipeline(options), driver.device_flags(device, ()), narrow
    )


def _compile(text: str, name: str, options: Options, target: Path | None, progress: shared.Progress) -> None:
    from spyrec import driver
    from spyrec.driver import files
    from spyrec.driver.compile import printed

    result = driver.compile_text(text, name, options, progress=progress)
    frame.tell(result.diagnostics)
    if result.artifact is not None and target is not None:
        with files.writing_to(target):
            target.mkdir(parents=True, exist_ok=True)
        result.artifact.save(f"{target / FOLDER}{os.sep}")
    sys.stdout.write(result.text if result.text is not None else printed(result.module.operation))
    sys.stdout.flush()


def _last_stage() -> str:
    from spyrec import driver

    return driver.STAGE_NAMES[-2]
