"""Whether a kernel does the same at every stage, as binary and shuffled; and a smaller kernel that does not."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import staged
from random_kernels import Kernel
from staged import SHARED, STAGED

from spyrec import codegen, interp, sim
from spyrec.driver import execute, tuning, worker
from spyrec.driver.compile import STAGE_NAMES, Compiled, Options, compile_text, kernels
from spyrec.errors import CompilerBug, OutOfResources, SpyrecError, Unsupported
from spyrec.numerics.rounding import widen
from spyrec.spyrecode import Signature
from spyrec.spyrecode.launch import Launch, bind

DEVICES = ("spyre", "small_cores", "fast_memory", STAGED, SHARED)
LX_SIZES = (None, None, 65536, 16384, 8192, 4096)
STAGE_SIZES = (None, None, 8192, 2048, 1024)


@dataclass(frozen=True)
class Setting:
    """How a kernel is compiled."""

    device: str = "spyre"
    lx: int | None = None
    tuning: tuple[str, ...] = ()
    stage: int | None = None

    def options(self, emit: str, start: str = "ktir") -> Options:
        settings = staged.settings(self.device, self.stage)
        settings += () if self.lx is None else (f"device.lx.size={self.lx}",)
        return Options(device=self.device, settings=settings, tuning=self.tuning, emit=emit, from_stage=start)

    def __str__(self) -> str:
        return " ".join(map(str, filter(None, (self.device, self.lx, self.stage, *self.tuning))))


@dataclass(frozen=True)
class Outcome:
    """``kind``: ``equal``, ``rounded``, ``refused``, ``unsound`` (of the kernel), or a failure; and more about it."""

    kind: str
    what: str = ""

    @property
    def is_failure(self) -> bool:
        return self.kind not in ("equal", "rounded", "refused", "unsound")


def setting(seed: int) -> Setting:
    """What the seed chooses."""
    r = Random(-1 - seed)
    off = tuning.optimizations()
    changed = {name: f"{name}=off" for name in r.sample(off, r.choice((0, 0, 0, 1, 1, 2, 4)))}
    if r.random() < 0.4:
        changed["choose-tile-sizes"] = f"choose-tile-sizes{{size={r.choice((1, 2, 3, 5, 8, 16))}}}"
    if r.random() < 0.3:
        changed["choose-buffer-depth"] = f"choose-buffer-depth{{depth={r.choice((1, 3, 4))}}}"
    if r.random() < 0.3:
        changed["split-corelets"] = "split-corelets{gain=-100000}"
    if r.random() < 0.4:
        changed["alternate-corelets"] = "alternate-corelets{gain=-100000}"
    if r.random() < 0.4:
        changed["assign-addresses"] = "assign-addresses{share=always}"
    device, size = r.choice(DEVICES), r.choice(LX_SIZES)
    if r.random() < 0.6:
        changed["share-reads"] = "share-reads{percent=1000000}"
    return Setting(device, size, tuple(changed.values()), r.choice(STAGE_SIZES))


class _Failed(Exception):
    def __init__(self, kind: str, what: str) -> None:
        super().__init__(what)
        self.outcome = Outcome(kind, what)


def check(kernel: Kernel, how: Setting, *, run: bool = True) -> Outcome:
    """Execute the kernel at each stage, as binary and with three orders of latencies, and compare."""
    try:
        return _check(kernel, how, run)
    except _Failed as failed:
        return failed.outcome
    except CompilerBug as error:
        first = next((d for d in error.diagnostics if d.severity.name == "ERROR"), error.diagnostics[0])
        return Outcome("bug", f"{first.id}: {first.message[:300]}")
    except (Unsupported, OutOfResources) as error:
        first = next(d for d in error.diagnostics if d.severity.name == "ERROR")
        return Outcome("refused", f"{first.id}: {re.sub(r'[%@][a-z0-9_]+|[0-9]+', 'N', first.message)[:140]}")
    except SpyrecError as error:
        first = next((d for d in error.diagnostics if d.severity.name == "ERROR"), error.diagnostics[0])
        return Outcome("error", f"{first.id}: {first.message[:300]}")
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Outcome(
            "crash", f"{type(error).__name__}: {error} at {where.filename.split('/')[-1]}:{where.lineno}"[:300]
        )


def _bind(signature: Signature, kernel: Kernel) -> Launch:
    """A launch with what the signature asks for: some arguments are of dead code, or only emptied loops use them."""
    wanted = {a.name: a.kind for a in signature.arguments}
    arrays = {n: v for n, v in kernel.values.items() if wanted.get(n) == "address"}
    # An address of which no view is left counts as a number.
    numbers = {n: v if isinstance(v, int) else 0 for n, v in kernel.values.items() if wanted.get(n) == "scalar"}
    return bind(signature, arrays, numbers, seed=None)


def _check(kernel: Kernel, how: Setting, run: bool) -> Outcome:
    name = "kernel.mlir"
    numbers = {n: v for n, v in kernel.values.items() if isinstance(v, int)}
    try:
        written = compile_text(kernel.text, name, how.options("ktir"))
        reference = _bind(_signature(written, numbers), kernel)
        if run:
            execute.run_stage(written, reference)
    except SpyrecError as error:
        return Outcome("unsound", f"{error.diagnostics[0].id}: {error.diagnostics[0].message}"[:200])
    text, before, rounded = kernel.text, "ktir", False
    for stage in STAGE_NAMES[1:]:
        reached = compile_text(text, name, how.options(stage, before))
        signature = reached.artifact.signature if reached.artifact else _signature(reached)
        orders: tuple[int | None, ...] = (None, 1) if reached.artifact is None else (None, 1, 2, 3)
        for order in orders if run else ():
            got = _bind(signature, kernel)
            where = stage if order is None else f"{stage} in order {order}"
            try:
                if reached.artifact is not None:
                    sim.run(reached.artifact, got, shuffle=order)
                else:
                    execute.run_stage(reached, got, seed=order)
            except SpyrecError as error:
                first = error.diagnostics[0]
                raise _Failed("fault", f"{where}: {first.id}: {first.message[:200]}") from error
            found = _compared(got, reference, kernel, where, may_round=stage == "schedule" and not rounded)
            if found:
                # Sums are cut on the way to the schedule, and what is folded away drops no payload of a NaN up to
                # there; from there on bits are equal again.
                rounded, reference = rounded or found == "rounded", got
        if reached.text is not None:
            text, before = reached.text, stage
    return Outcome("rounded" if rounded else "equal")


def _signature(reached: Compiled, numbers: dict[str, Any] | None = None) -> Signature:
    def body() -> Signature:
        with reached.module.context:
            function = kernels(reached.module)[0][1]
            return codegen.signature_of(function) if numbers is None else interp.signature_of(function, numbers)

    return worker.call(body)


def _compared(got: Launch, want: Launch, kernel: Kernel, where: str, *, may_round: bool) -> str:
    """How results are not equal but near enough: ``rounded`` as sums in parts are, or up to the ``payload`` of a NaN.
    Raises where they are not.
    """
    found = ""
    may_fold = where in ("kernel", "schedule")
    wanted = want.outputs()
    for name, other in wanted.items():
        # What a later stage does not write is as it was before.
        array = got.outputs([name])[name]
        if array.tobytes() == other.tobytes():
            continue
        size = array.dtype.itemsize
        bad = (
            array.reshape(-1).view(np.uint8).reshape(-1, size) != other.reshape(-1).view(np.uint8).reshape(-1, size)
        ).any(1)
        first = int(np.argmax(bad))
        a, b = array.reshape(-1), other.reshape(-1)
        is_nan = np.isnan(widen(a)) & np.isnan(widen(b)) if a.dtype.kind not in "iub" else np.zeros(a.shape, bool)
        if may_fold and not (bad & ~is_nan).any():
            found = found or "payload"
            continue
        if a.dtype.kind not in "iub" and may_round and not kernel.exact:
            with np.errstate(all="ignore"):
                wide, wide_b = widen(a).astype(np.float64), widen(b).astype(np.float64)
                scale = np.nanmax(np.abs(np.where(np.isfinite(wide_b), wide_b, 0.0)), initial=0.0)
                near = np.isclose(wide, wide_b, rtol=2e-2, atol=1e-3 * scale, equal_nan=True)
            if near.all():
                found = "rounded"
                continue
        raise _Failed(
            "mismatch", f"{where}: {name}[{first}] is {a[first]}, not {b[first]} ({int(bad.sum())} of {bad.size})"
        )
    return found


# -- smaller kernels


def reduced(kernel: Kernel, how: Setting, seconds: float = 120) -> str:
    """The text of a smaller kernel that fails in the same way, and how it fails."""
    outcome = check(kernel, how)
    key, end = _key(outcome), time.time() + seconds
    lines = kernel.text.rstrip("\n").split("\n")

    def fails(candidate: list[str], setting_: Setting) -> bool:
        nonlocal outcome
        if time.time() > end:
            return False
        trial = Kernel("\n".join(candidate) + "\n", kernel.values, kernel.exact)
        try:
            found = check(trial, setting_, run=outcome.kind not in ("bug", "crash"))
        except BaseException:
            return False
        if _key(found) != key:
            return False
        outcome = found
        return True

    for smaller in _settings(how):
        if fails(lines, smaller):
            how = smaller
            break
    size = 0
    while size != len(lines):
        size = len(lines)
        for shrink in (_fewer_blocks, _fewer_lines, _fewer_values):
            position = 0
            while (candidate := shrink(lines, position)) is not None:
                if candidate != lines and fails(candidate, how):
                    lines = candidate
                else:
                    position += 1
    text = "\n".join(lines) + "\n"
    return f"// {how}: {outcome.kind}: {outcome.what}\n{text}"


def _key(outcome: Outcome) -> tuple[str, str]:
    what = re.sub(
        r"[0-9]+",
        "N",
        outcome.what.split(":")[0 if outcome.kind == "mismatch" else 1] if ":" in outcome.what else outcome.what,
    )
    if outcome.kind in ("bug", "crash", "error"):
        what = re.sub(r"[%@][a-z0-9_]+|[0-9]+", "N", outcome.what)[:60]
    if outcome.kind == "fault":
        what = outcome.what.split(":")[1]
    return outcome.kind, what


def _settings(how: Setting) -> Iterator[Setting]:
    yield Setting(how.device, how.lx)
    yield Setting("spyre", how.lx)
    yield Setting("spyre")
    yield Setting("spyre", None, how.tuning)
    for part in how.tuning:
        yield Setting("spyre", None, (part,))


def _fewer_blocks(lines: list[str], position: int) -> list[str] | None:
    """Without a block, or with its body where it stood."""
    blocks = list(_blocks(lines))[::-1]
    if position >= 2 * len(blocks):
        return None
    first, last = blocks[position // 2]
    return _without_dead(lines[:first] + lines[last + 1 :] if position % 2 == 0 else _unwrapped(lines, first, last))


def _fewer_lines(lines: list[str], position: int) -> list[str] | None:
    k = len(lines) - 3 - position
    if k < 1:
        return None
    if lines[k].endswith("{") or lines[k].startswith(("}", "^", "scf.yield", "linalg.yield")):
        return lines
    return _without_dead(lines[:k] + lines[k + 1 :])


def _fewer_values(lines: list[str], position: int) -> list[str] | None:
    """With an earlier value of the same type in the place of one; on one tile."""
    found = []
    types: dict[str, list[str]] = {}
    for k, line in enumerate(lines):
        match = re.match(r"(%\w+) = .*?(?:->|to|into|:) *(tensor<[^<>]*>)(?: \{)?$", line)
        if match is None:
            continue
        found += [(k, match[1], earlier) for earlier in types.get(match[2], [])[-3:]]
        types.setdefault(match[2], []).append(match[1])
    if position == len(found):
        return [re.sub(r"grid = \[[^]]*\]", "grid = [1]", lines[0]), *lines[1:]]
    if position > len(found):
        return None
    k, name, earlier = found[position]
    return _without_dead(lines[: k + 1] + [re.sub(re.escape(name) + r"\b", earlier, line) for line in lines[k + 1 :]])


def _blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    open_: list[int] = []
    for k, line in enumerate(lines):
        if line.startswith("}") and open_:
            first = open_.pop()
            if first:
                yield first, k
        if line.endswith("{"):
            open_.append(k)


def _unwrapped(lines: list[str], first: int, last: int) -> list[str]:
    """The block's lines where it stood; carried values are what they start from, results what was yielded."""
    head = lines[first]
    body = [line for line in lines[first + 1 : last] if not line.startswith("^")]
    after = lines[last + 1 :]
    if "scf.for" not in head and "scf.if" not in head:
        return lines
    for name, init in re.findall(r"(%a\d+) = (%\w+)", head):
        body = [re.sub(re.escape(name) + r"\b", init, line) for line in body]
    counter = re.search(r"scf.for (%\w+) =", head)
    if counter:
        body = [re.sub(re.escape(counter[1]) + r"\b", "%c0", line) for line in body]
    results = re.match(r"((?:%\w+, )*%\w+) = ", head)
    if body and body[-1].startswith("scf.yield"):
        yielded = re.findall(r"%\w+", body.pop())
        if results:
            for name, value in zip(results[1].split(", "), yielded, strict=False):
                after = [re.sub(re.escape(name) + r"\b", value, line) for line in after]
    return lines[:first] + body + after


def _without_dead(lines: list[str]) -> list[str]:
    """Without lines of which nobody uses the result."""
    kept = list(lines)
    changed = True
    while changed:
        changed = False
        for k in range(len(kept) - 1, 0, -1):
            match = re.match(r"(%\w+) = ", kept[k])
            if match is None or kept[k].endswith("{"):
                continue
            if not any(re.search(re.escape(match[1]) + r"\b", other) for other in kept[k + 1 :]):
                del kept[k]
                changed = True
    return kept
