"""Entry points ``spyrec``, ``spyrec-opt`` and ``spyrec-dbo-opt``.

Nothing is imported before it is known which command runs: ``--help`` costs an interpreter start.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

COMMANDS: dict[str, tuple[str, str]] = {
    "compile": ("compile", "compile KTIR to SpyreCode, or to the text of a stage"),
    "opt": ("opt", "run passes over IR, with the flags of mlir-opt"),
    "run": ("run", "execute a kernel or an artifact on arrays, without a card"),
    "disasm": ("disasm", "print the instructions of an artifact"),
    "as": ("assemble", "assemble instructions to a binary"),
    "inspect": ("inspect", "show what is in an artifact"),
    "devices": ("devices", "list the devices that can be compiled for"),
}
"""Command -> (module in this package, one line for the help)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``spyrec``; gives the exit status: 0 done, 1 input refused, 2 command line or installation wrong, 3 compiler
    at fault.
    """
    words = _words(arguments)
    if not _can_begin():
        return 2
    first = words[0] if words else "--help"
    if first in ("--help", "-help", "-h", "help"):
        if first == "help" and len(words) > 1:
            return _about(words[1], words[2:])
        return _print(_help())
    if first in ("--version", "-version", "-V"):
        import spyrec

        return _print(f"spyrec {spyrec.__version__}\n")
    return _command(first, words[1:])


def opt_main(arguments: Sequence[str] | None = None) -> int:
    """Run ``spyrec-opt``, which is ``spyrec opt``."""
    if not _can_begin():
        return 2
    return _command("opt", _words(arguments))


def dbo_opt_main(arguments: Sequence[str] | None = None) -> int:
    """Run ``spyrec-dbo-opt``."""
    words = _words(arguments)
    if not _can_begin():
        return 2
    from spyrec.cli import dbo_opt, frame

    return frame.run(dbo_opt.command, "spyrec-dbo-opt", words)


def _can_begin() -> bool:
    """Whether command lines can be read at all; says why not."""
    from spyrec import packages
    from spyrec.errors import UsageError

    try:
        packages.check("click")
    except UsageError as error:
        print(error, file=sys.stderr)
        return False
    return True


def _words(arguments: Sequence[str] | None) -> list[str]:
    if arguments is not None:
        return list(arguments)
    # This process is ours and short. Imports and compiling make objects that live on and hardly a cycle; looking for
    # those took 8 % of a compilation. Executing a kernel turns the collector on again.
    gc.disable()
    # The products of a kernel's tiles are small: threads that wait for each other's part took ten times the work on
    # machines that do other things as well.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return sys.argv[1:]


def _command(name: str, words: list[str]) -> int:
    from spyrec.cli import frame

    if name not in COMMANDS:
        import difflib

        near = difflib.get_close_matches(name, COMMANDS, 1)
        what = "option" if name.startswith("-") else "command"
        hint = f"; did you mean '{near[0]}'?" if near else "; 'spyrec --help' lists the commands"
        return frame.usage_error(f"there is no {what} '{name}'{hint}", words)
    import importlib

    module = importlib.import_module(f"spyrec.cli.{COMMANDS[name][0]}")
    return frame.run(module.command, f"spyrec {name}", words)


def _about(topic: str, rest: list[str]) -> int:
    """``spyrec help TOPIC``: the options of a command, or the page of a diagnostic's id."""
    topic = topic.strip("[]")
    if topic in COMMANDS:
        return _command(topic, ["--help"])
    from pathlib import Path

    from spyrec.diag.ids import IDS

    if topic == "ids":
        width = max(map(len, IDS))
        return _print("".join(f"{name:{width}}  {line}\n" for name, (_, line) in sorted(IDS.items())))
    if topic in IDS:
        page = Path(__file__).parents[1] / "diag" / "pages" / f"{topic}.md"
        return _print(page.read_text(encoding="utf-8"))
    import difflib

    from spyrec.cli import frame

    near = difflib.get_close_matches(topic, [*COMMANDS, *IDS], 1)
    hint = f"; did you mean '{near[0]}'?" if near else "; 'spyrec help ids' lists the ids"
    return frame.usage_error(f"there is no command and no id of a message '{topic}'{hint}", rest)


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [
        "usage: spyrec COMMAND [OPTION...] FILE",
        "",
        "Compiles KTIR, the tile IR of kernels for IBM's Spyre accelerator, to SpyreCode, and runs it without a card.",
        "",
        "commands:",
        *(f"  {name:{width}}  {line}" for name, (_, line) in COMMANDS.items()),
        "",
        "'spyrec COMMAND --help' explains a command, 'spyrec help ID' a message that ends in [ID],",
        "'spyrec help ids' lists those.",
        "FILE may be - for standard input.",
        "Exit status: 0 done, 1 the input was refused, 2 the command line was wrong, or a Python package is missing,",
        "3 the compiler is at fault.",
    ]
    return "\n".join(lines) + "\n"


def _print(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except AttributeError:
        return 1  # standard output is closed
    except OSError:
        from spyrec.cli import frame

        frame.abandon_stdout()
        return 1
    return 0
