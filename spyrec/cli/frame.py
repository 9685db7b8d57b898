"""What surrounds every command: flags, exceptions to exit status, and streams that close early.

No traceback leaves :func:`run`; what is no refusal ends with status 3.
"""

from __future__ import annotations

import errno
import io
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TextIO, cast

import click

from spyrec import files, packages
from spyrec.cli.messages import Policy
from spyrec.errors import Diagnostic, InvalidKernel, Severity, SpyrecError, UsageError

INTERRUPTED = 130
FLAGS_VARIABLE = "SPYREC_FLAGS"
_COMPILING = frozenset({"spyrec compile", "spyrec run", "spyrec-dbo-opt"})


class _Mode:
    """How diagnostics are shown: as the command line says, with lines of texts that are no files."""

    json = False
    texts: dict[str, str] = {}
    policy: Policy | None = None


def run(command: click.Command, name: str, words: list[str]) -> int:
    """Parse ``words`` and run ``command`` (whose callback gives the exit status)."""
    extra = os.environ.get(FLAGS_VARIABLE, "") if name in _COMPILING else ""
    _Mode.json = _wants_json([*words, *extra.split()])
    _Mode.policy = None
    _prepare_streams()

    def body() -> int:
        try:
            result = command.main(
                [*spelled(words, command), *spelled(_split(extra), command)], prog_name=name, standalone_mode=False
            )
        except click.exceptions.UsageError as error:
            raise UsageError([_usage(error, name)]) from None
        return int(result or 0)

    return guarded(body)


def usage_error(message: str, words: Sequence[str]) -> int:
    """Show what is wrong with a command line that no command takes; the exit status for that."""
    _Mode.json = _wants_json(words)
    show([Diagnostic(Severity.ERROR, message, "command-line")])
    return UsageError.status


def _wants_json(words: Sequence[str]) -> bool:
    """Whether diagnostics are to be JSON: needed before the command line is parsed, as it may be what is wrong."""
    bare = [word.lstrip("-") for word in words]
    return "diagnostics=json" in bare or ("diagnostics", "json") in itertools.pairwise(bare)


def guarded(body: Callable[[], int]) -> int:
    """Run ``body`` and flush; whatever it raises is shown and becomes an exit status."""
    try:
        status = body()
        sys.stdout.flush()
        return status
    except UsageError as error:
        show(d if d.id else replace(d, id="command-line") for d in error.diagnostics)
        return error.status
    except SpyrecError as error:
        show(error.diagnostics)
        raised = _Mode.policy.applied(error.diagnostics) if _Mode.policy else error.diagnostics
        if not any(d.severity is Severity.ERROR for d in raised):
            # Whoever refuses says why: without a word there is nothing that the user could mend.
            return _at_fault("the input was refused without a message")
        return error.status
    except (KeyboardInterrupt, click.exceptions.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        abandon_stdout()
        return 1
    except OSError as error:
        abandon_stdout()
        show([Diagnostic(Severity.ERROR, f"cannot write the output: {files.reason(error)}", "unwritable-output")])
        return 1
    except Exception as error:
        refusal = packages.refusal(error)
        if refusal is not None:
            show(refusal.diagnostics)
            return refusal.status
        from spyrec.passkit.runner import one_line

        return _at_fault(one_line(error))


def _at_fault(what: str) -> int:
    """Say that the compiler is wrong; the exit status for that."""
    note = Diagnostic(Severity.NOTE, "this is a bug in spyrec")
    show([Diagnostic(Severity.ERROR, f"internal error: {what}", "internal-error", notes=(note,))])
    return 3


def show(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics on standard error, as text or as JSON."""
    found = list(diagnostics)
    if _Mode.policy is not None:
        found = _Mode.policy.applied(found)
        found = found if _Mode.json else _Mode.policy.folded(found)
    if not found:
        return
    from spyrec import diag

    color = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    text = diag.to_json(found) if _Mode.json else diag.render(found, diag.sources(found, _Mode.texts), color=color)
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # Nobody reads; the exit status still tells.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def tell(diagnostics: Iterable[Diagnostic]) -> None:
    """:func:`show`, before anything is written: raises InvalidKernel when ``-Werror`` makes errors of them."""
    found = list(diagnostics)
    if _Mode.policy is not None and any(d.severity is Severity.ERROR for d in _Mode.policy.applied(found)):
        raise InvalidKernel(found)
    show(found)


def choose(policy: Policy) -> None:
    """From here on, messages are shown as ``policy`` says."""
    _Mode.policy = policy


def know(name: str, text: str) -> None:
    """Keep a text that was read, so that messages about it can show its lines."""
    _Mode.texts[name] = text


def emit(text: str) -> None:
    """Print the result of a command on standard output, in one go."""
    sys.stdout.write(text)
    sys.stdout.flush()


def abandon_stdout() -> None:
    """The reader of standard output is gone: keep the interpreter from complaining about it at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout.flush()
    except (OSError, ValueError):
        pass


class _Closed(io.TextIOBase):
    """Standard output that was closed before we began: whoever writes to it learns so."""

    @property
    def buffer(self) -> _Closed:
        """Where bytes would go."""
        return self

    def write(self, text: object) -> int:
        """Raises OSError."""
        raise OSError(errno.EBADF, "it is closed")


def _prepare_streams() -> None:
    """UTF-8 whatever the locale says; and no file of ours may get the number of a standard stream that is closed."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # The type checker does not know that Python sets them to None when they are closed.
    streams: dict[str, TextIO | None] = {"stdout": sys.stdout, "stderr": sys.stderr}
    if streams["stdout"] is None:
        sys.stdout = cast(TextIO, _Closed())
    if streams["stderr"] is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (lives as long as the process)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")


def spelled(words: Sequence[str], command: click.Command) -> list[str]:
    """Words with each long option in its two-dash form, and options whose value may be left out with that value."""
    options = [p for p in command.params if isinstance(p, click.Option)]
    valued = {o for p in options if not p.is_flag for o in p.opts if not o.startswith("--")}
    flags = {o for p in options if p.is_flag for o in p.opts if not o.startswith("--")} | {"-h"}
    bare = {o: p.flag_value for p in options if not p.is_flag and isinstance(p.flag_value, str) for o in p.opts}
    choices = {o: getattr(p.type, "choices", ()) for p in options for o in p.opts}
    # LLVM's tools take --flag=false; what switches a flag off is its second spelling, or leaving it out.
    off = {o: [*p.secondary_opts] for p in options if p.is_flag for o in p.opts if o.startswith("--")}
    result: list[str] = []
    for index, word in enumerate(words):
        if word == "--":
            return [*result, *words[index:]]
        name, equals, value = word.partition("=")
        one_dash = name[:1] == "-" and name[1:2].isalpha() and len(name) > 2
        if one_dash and name[:2] not in valued and not all(f"-{c}" in flags for c in name[1:]):
            name = f"-{name}"
        if name in bare and not equals:
            following = words[index + 1] if index + 1 < len(words) else ""
            if following in choices[name]:
                raise UsageError(f"write {name}={following}, without a space")
            equals, value = "=", bare[name]
        if name in off and value.lower() in ("true", "1"):
            result.append(name)
        elif name in off and value.lower() in ("false", "0"):
            result += off[name]
        elif name in valued and equals:
            result += [name, value]
        else:
            result.append(name + equals + value)
    return result


def _split(text: str) -> list[str]:
    import shlex

    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{FLAGS_VARIABLE} is not a list of flags: {error}") from None


def _usage(error: click.exceptions.UsageError, name: str) -> Diagnostic:
    message = error.format_message().rstrip(".")
    if isinstance(error, click.exceptions.NoSuchOption):
        import difflib

        near = difflib.get_close_matches(error.option_name, error.possibilities or (), 1, 0)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        message = f"{name} has no option '{error.option_name}'{hint}"
    elif message.startswith("Missing argument"):
        message = f"{name} needs a FILE (- for standard input)"
    message = message[:1].lower() + message[1:]
    note = Diagnostic(Severity.NOTE, f"'{name} --help' lists the options")
    return Diagnostic(Severity.ERROR, message, "command-line", notes=(note,))
