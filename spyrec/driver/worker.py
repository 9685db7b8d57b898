"""One thread with a large stack for whatever recurses as deep as the input nests.

MLIR's parser, printer and verifier recurse per region and bracket and end the process when the stack does; 8 MB are too
few for what the reader lets through.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

STACK_BYTES = 512 << 20
RECURSION_LIMIT = 100_000

_lock = threading.Lock()
_here = threading.local()
_active = 0
_limit_before = 0


def call(function: Callable[[], _T]) -> _T:
    """Run ``function`` in a thread with a stack of :data:`STACK_BYTES` (address space, not memory) and give its result.

    What it raises is raised here. Calls from inside such a thread run at once.
    """
    if getattr(_here, "inside", False):
        return function()
    box: list[_T] = []
    error: list[BaseException] = []

    def body() -> None:
        _here.inside = True
        try:
            box.append(function())
        except BaseException as raised:
            error.append(raised)

    _enter()
    try:
        _start(body).join()
    finally:
        _leave()
    if error:
        raise error[0]
    return box[0]


def _start(body: Callable[[], None]) -> threading.Thread:
    size = STACK_BYTES
    while True:
        thread = threading.Thread(target=body, name="spyrec-worker", daemon=True)
        # The size is a setting of the whole process; restored before anyone else starts a thread through here.
        with _lock:
            before = threading.stack_size(size)
            try:
                thread.start()
                return thread
            except RuntimeError:
                # Address space is limited here (ulimit -v): a smaller stack still takes ordinary kernels.
                if size <= 16 << 20:
                    raise
                size //= 2
            finally:
                threading.stack_size(before)


def _enter() -> None:
    global _active, _limit_before
    with _lock:
        if _active == 0:
            _limit_before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_limit_before, RECURSION_LIMIT))
        _active += 1


def _leave() -> None:
    global _active
    with _lock:
        _active -= 1
        if _active == 0:
            sys.setrecursionlimit(_limit_before)
