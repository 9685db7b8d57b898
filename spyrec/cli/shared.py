"""Options that several commands have, and what follows from them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import click

from spyrec.cli import child, frame
from spyrec.cli.messages import Policy
from spyrec.errors import Diagnostic, Severity

if TYPE_CHECKING:
    from spyrec.driver import Options
    from spyrec.driver.narrow import Narrow
    from spyrec.passkit.printing import PrintConfig

Progress: TypeAlias = Callable[[int, str], None]
_F = TypeVar("_F", bound=Callable[..., Any])


def named(_: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """The callback of an option that names a file or folder to write: an empty name (``-o "$UNSET"``) is none."""
    if value == "":
        raise click.BadParameter("it is empty, and names no file", param=param)
    return value


class ValueLeftOut(click.Option):
    """An option whose value may be left out, and else stands behind ``=``; the help says so."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Spelling and help."""
        assert isinstance(self.type, click.Choice)
        return f"{self.opts[0]}[={'|'.join(self.type.choices)}]", self.help or ""


SEED = click.IntRange(min=0)
SETTINGS = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=NUMBER",
    help="A launch value (run), or a number of the device: --set device.lx.size=4MiB.",
)
TUNING = click.option(
    "--tune",
    "tuning",
    multiple=True,
    metavar="PASS=off|PASS{OPTIONS}",
    help="Leave out an optimisation, or run a pass with options: --tune 'choose-buffer-depth{depth=1}'.",
)
DIAGNOSTICS = click.option(
    "--diagnostics", type=click.Choice(["text", "json"]), default="text", help="How messages are printed."
)


def messages(function: _F) -> _F:
    """Add the options that say which messages are shown, and how."""

    @functools.wraps(function)
    def choosing(*args: Any, wishes: tuple[str, ...], quiet: bool, **kwargs: Any) -> Any:
        frame.choose(Policy.of(wishes, quiet))
        return function(*args, **kwargs)

    for add in (
        DIAGNOSTICS,
        click.option("-w", "quiet", is_flag=True, help="Show no warnings and no remarks."),
        click.option(
            "-W",
            "wishes",
            multiple=True,
            metavar="all|no-ID|error[=ID]",
            help="Show all messages in full, none of an id, or refuse what is warned of: -Wno-clipped-tile, -Werror.",
        ),
    ):
        choosing = add(choosing)
    return cast(_F, choosing)


KERNEL = click.option("--kernel", metavar="NAME", help="Which kernel, in a file with several.")
DEVICE = click.option(
    "--device", metavar="NAME|FILE", default="spyre", show_default=True, help="The device to compile for."
)


def compiling(function: _F) -> _F:
    """Add the options of every command that compiles: device, settings, kernel, dumps, verbosity, diagnostics."""
    for add in (
        messages,
        click.option("-v", "--verbose", is_flag=True, help="Say what each step is for."),
        click.option(
            "--dump-stages",
            metavar="DIR",
            callback=named,
            help="Write the text of each stage to DIR as NAME.2.kernel.mlir and so on.  [env: SPYREC_DUMP_DIR]",
        ),
        TUNING,
        SETTINGS,
        KERNEL,
        DEVICE,
    ):
        function = add(function)
    return function


def _names(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for item in value for name in item.split(",") if name)


def printing(function: _F) -> _F:
    """Add the flags of mlir-opt that print IR around passes, for :func:`print_config`."""
    prefix = "--mlir-print-ir"
    for name, help in (("before", "Print IR before PASS."), ("after", "Print IR after PASS.")):
        function = click.option(f"{prefix}-{name}", name, metavar="PASS", multiple=True, callback=_names, help=help)(
            function
        )
    for name, help in (
        ("before-all", "Print IR before each pass."),
        ("after-all", "Print IR after each pass."),
        ("after-change", "After a pass, only when it changed the IR."),
        ("after-failure", "After a pass, only when it failed."),
        ("module-scope", "Print the whole module each time."),
    ):
        function = click.option(f"{prefix}-{name}", name.replace("-", "_"), is_flag=True, help=help)(function)
    tree = "Print IR into a tree of files."
    return click.option(f"{prefix}-tree-dir", "tree_dir", metavar="DIR", callback=named, help=tree)(function)


def print_config(values: Mapping[str, Any]) -> PrintConfig:
    """What the flags of :func:`printing` ask for."""
    from pathlib import Path

    from spyrec.passkit.printing import PrintConfig

    everything = frozenset("*")
    return PrintConfig(
        before=everything if values["before_all"] else values["before"],
        after=everything if values["after_all"] else values["after"],
        after_change=values["after_change"],
        after_failure=values["after_failure"],
        module_scope=values["module_scope"],
        tree_dir=Path(values["tree_dir"]) if values["tree_dir"] else None,
    )


def options(
    *,
    device: str,
    settings: tuple[str, ...],
    tuning: tuple[str, ...] = (),
    kernel: str | None,
    dump_stages: str | None,
    emit: str,
    from_stage: str = "ktir",
    debuginfo: bool = False,
) -> Options:
    """The driver's options from a command line's; of ``settings`` the device's own."""
    from pathlib import Path

    from spyrec.driver import Options

    folder = dump_stages or os.environ.get("SPYREC_DUMP_DIR")
    return Options(
        device=device,
        settings=tuple(s for s in settings if s.startswith("device.")),
        tuning=tuning,
        kernel=kernel,
        emit=emit,
        from_stage=from_stage,
        dump_stages=Path(folder) if folder else None,
        debuginfo=debuginfo,
    )


def in_child(
    body: Callable[[Progress], int],
    text: str,
    filename: str,
    pipeline: Callable[[], str],
    flags: str = "",
    narrow: Narrow | None = None,
) -> int:
    """Run ``body`` in a child; should the child die, write a reproducer from ``text`` and say where it is.

    ``pipeline`` says what was to run. It is asked only then: naming passes imports them and MLIR, which the parent of a
    healthy child never needs.

    ``body`` tells the number of each pass and the pipeline so far; with ``narrow`` the reproducer is reduced to the
    pass that was running.
    """
    frame.know(filename, text)

    def inner(tell: child.Progress) -> int:
        return body(lambda number, reached: tell(f"{number} {reached}"))

    return child.run(inner, partial(_died, text, filename, pipeline, flags, narrow))


def narrowing(text: str, filename: str, options: Options) -> Narrow:
    """How the reproducer of a compilation that died is reduced, for :func:`in_child`."""
    from spyrec.driver.narrow import narrowed

    return partial(narrowed, text, filename, options)


def say(line: str) -> None:
    """A line of ``-v``."""
    import sys

    print(line, file=sys.stderr, flush=True)


def _died(
    text: str, filename: str, pipeline: Callable[[], str], flags: str, narrow: Narrow | None, told: str, signal: str
) -> None:
    from pathlib import Path

    from spyrec.driver import bugs

    number, _, reached = told.partition(" ")
    of_pass = bool(reached) and int(number) > 0
    if signal == "SIGKILL":
        # Nothing of ours sends it, and whoever reproduces it is killed, too.
        why = "nobody but the system sends SIGKILL: as a rule, memory has run out; smaller arrays may help"
        notes: tuple[Diagnostic, ...] = (Diagnostic(Severity.NOTE, why),)
    else:
        if of_pass and narrow is not None:
            text, reached = _narrowed(narrow, int(number)) or (text, reached)
        ran = reached if of_pass else pipeline()
        notes = (bugs.written(text, ran, Path(filename).stem, f"The process died of {signal}.", flags),)
    doing = f"while running {reached}" if reached else "while reading the input"
    message = f"the compiler died of {signal} {doing}"
    frame.show([Diagnostic(Severity.ERROR, message, "compiler-died", notes=notes)])


def _narrowed(narrow: Narrow, number: int) -> tuple[str, str] | None:
    """What ``narrow`` gives, from a child of its own: what died may die again."""
    import tempfile

    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:

        def body(_: child.Progress) -> int:
            found = narrow(number)
            if found is None:
                return 1
            file.write(f"{found[1]}\n{found[0]}")
            file.flush()
            return 0

        if child.run(body, lambda *_: None):
            return None
        file.seek(0)
        pipeline, _, reduced = file.read().partition("\n")
        return reduced, pipeline
