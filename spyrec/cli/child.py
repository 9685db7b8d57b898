"""Commands that use MLIR run in a child process with a large stack, so that no input can end the command with a signal.

The fork happens before MLIR is imported and while there is one thread. The child tells through shared memory what it is
doing, and ends by itself when its parent is gone (a frontend that kills the command after a timeout kills the parent
only).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from spyrec.cli import frame

if TYPE_CHECKING:
    import mmap

_BOX_BYTES = 1 << 16

Progress = Callable[[str], None]


def run(body: Callable[[Progress], int], died: Callable[[str, str], None]) -> int:
    """Run ``body`` in a child and give its exit status.

    ``body`` is given a function to tell its progress to. When the child dies of a signal, ``died`` gets what it was
    last told and the signal's name, and the status is 3.
    """
    from spyrec.driver import worker

    if not hasattr(os, "fork"):
        return frame.guarded(lambda: worker.call(lambda: body(lambda _: None)))
    import mmap

    box = mmap.mmap(-1, _BOX_BYTES)
    sys.stdout.flush()
    sys.stderr.flush()
    alive, parent_end = os.pipe()
    # Held back until somebody is there to forward them: one that came between the fork and the handlers would end the
    # parent alone.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    pid = os.fork()
    if pid == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(parent_end)
        _child(body, box, alive)
    os.close(alive)
    with _forwarding(pid):
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _, code = os.waitpid(pid, 0)
    os.close(parent_end)
    if not os.WIFSIGNALED(code):
        return os.WEXITSTATUS(code)
    number = os.WTERMSIG(code)
    if number in (signal.SIGINT, signal.SIGTERM):
        return 128 + number
    died(_read(box), signal.Signals(number).name)
    return 3


def _child(body: Callable[[Progress], int], box: mmap.mmap, alive: int) -> None:
    import threading

    from spyrec.driver import worker

    status = 3
    try:
        threading.Thread(target=_end_with_parent, args=(alive,), daemon=True).start()
        status = frame.guarded(lambda: worker.call(lambda: body(lambda text: _write(box, text))))
        sys.stderr.flush()
    except KeyboardInterrupt:
        status = frame.INTERRUPTED
    finally:
        # Not sys.exit: the parent's exit handlers are not ours to run, and MLIR's teardown has nothing to do.
        os._exit(status)


def _end_with_parent(alive: int) -> None:
    with contextlib.suppress(OSError):
        os.read(alive, 1)
    os._exit(1)


@contextlib.contextmanager
def _forwarding(pid: int) -> Iterator[None]:
    """Pass interrupts on to the child and wait for it, instead of leaving it behind."""

    def forward(number: int, _: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

    # What was ignored when we started (nohup, a job in the background) stays ignored, here and in the child.
    heard = [n for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, forward) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _write(box: mmap.mmap, text: str) -> None:
    data = text.encode("utf-8", "replace")[: _BOX_BYTES - 4]
    box[4 : 4 + len(data)] = data
    box[:4] = len(data).to_bytes(4, "little")


def _read(box: mmap.mmap) -> str:
    size = int.from_bytes(box[:4], "little")
    return box[4 : 4 + size].decode("utf-8", "replace")
