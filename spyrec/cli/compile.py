"""``spyrec compile``: from KTIR to an artifact, or to the text of a stage."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from spyrec.cli import frame, shared

if TYPE_CHECKING:
    from spyrec.driver import Compiled
    from spyrec.spyrecode import Artifact


@click.command("compile", context_settings={"help_option_names": ["--help", "-h"]})
@click.argument("inputs", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "-o",
    "output",
    metavar="OUT",
    callback=shared.named,
    help="OUT.spyre (one file), DIR/ (plain files), or a text file with --emit; - is standard output. "
    "Left out: FILE's name with .spyre here, or standard output for text.",
)
@click.option("--emit", metavar="STAGE", default="spyrecode", show_default=True, help="Stop at this stage.")
@click.option("--from-stage", metavar="STAGE", default="ktir", show_default=True, help="FILE holds this stage.")
@click.option("--mlir-print-debuginfo", "debuginfo", is_flag=True, help="Print locations in emitted text.")
@shared.printing
@click.option("--mlir-timing", "timing", is_flag=True, help="Print how long passes took.")
@shared.compiling
def command(
    inputs: tuple[str, ...],
    output: str | None,
    emit: str,
    from_stage: str,
    debuginfo: bool,
    device: str,
    settings: tuple[str, ...],
    tuning: tuple[str, ...],
    kernel: str | None,
    dump_stages: str | None,
    verbose: bool,
    diagnostics: str,
    timing: bool,
    **printing: Any,
) -> int:
    """Compile KTIR to SpyreCode.

    The stages are ktir, kernel, schedule, program and spyrecode; each but the last is text that 'spyrec opt' and
    --from-stage read again.
    """
    from spyrec import driver
    from spyrec.driver import files
    from spyrec.errors import UsageError

    for setting in settings:
        if not setting.startswith("device."):
            raise UsageError(f"--set {setting}: a launch value is for 'spyrec run'; 'compile' takes device.PATH=NUMBER")
    for when in ("before", "after"):
        if printing[when]:
            from spyrec.driver import tuning as known_passes

            known_passes.check_names(f"--mlir-print-ir-{when}", printing[when])
    if output is not None and len(inputs) > 1:
        raise UsageError("-o takes the output of one FILE")
    options = shared.options(
        device=device,
        settings=settings,
        tuning=tuning,
        kernel=kernel,
        dump_stages=dump_stages,
        emit=emit,
        from_stage=from_stage,
        debuginfo=debuginfo,
    )

    def one(path: str) -> int:
        text, name = files.read_text(path)

        def body(progress: shared.Progress) -> int:
            watch = clock = None
            if timing or any(printing.values()):
                from spyrec.driver.compile import printed
                from spyrec.passkit.instrument import Several
                from spyrec.passkit.printing import Printer
                from spyrec.passkit.timing import Timing

                clock = Timing() if timing else None
                config = shared.print_config(printing)
                watch = Several([*([Printer(config, printed)] if config.active else []), *([clock] if clock else [])])
            result = driver.compile_text(
                text, name, options, watch=watch, progress=progress, verbose=shared.say if verbose else None
            )
            if clock is not None:
                print(clock.report(), file=sys.stderr)
            frame.tell(result.diagnostics)
            deliver(result, output, path)
            return 0

        flags = driver.device_flags(device, settings)
        narrow = shared.narrowing(text, name, options)
        return shared.in_child(body, text, name, lambda: driver.full_pipeline(options), flags, narrow)

    return max(frame.guarded(lambda path=path: one(path)) for path in inputs)  # type: ignore[misc]


def deliver(result: Compiled, output: str | None, source: str) -> None:
    """Write what was compiled to ``output``, or to where it goes when none is given."""
    from pathlib import Path

    from spyrec.driver import files

    if result.artifact is None:
        assert result.text is not None
        if output in (None, "-"):
            frame.emit(result.text)
        else:
            files.write(Path(str(output)), result.text.encode())
        return
    if output is None:
        output = f"{result.name if source == '-' else Path(source).stem}.spyre"
    save(result.artifact, output)


def save(artifact: Artifact, output: str) -> None:
    """Write an artifact: a folder where ``output`` ends in a slash or is one, else a ZIP; ``-`` is standard output."""
    if output == "-":
        sys.stdout.buffer.write(artifact.to_bytes())
        sys.stdout.flush()
    else:
        artifact.save(output)
