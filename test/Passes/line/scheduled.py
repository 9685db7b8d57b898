"""Kernels as tensors, for the tests of the passes that schedule them: their texts, arrays and NumPy meanings.

A text is nearly of stage ``kernel``: named linalg ops and element-wise ops on tensors, which keep it short, are brought
to normal form first. Pointers have an array each; the other arguments are numbers that the launch gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from target import Arrays, _view, device, ulp_distance

from spyrec import asm, codegen, diag, interp, sim, spyrecode
from spyrec.dialects import make_context
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels
from spyrec.passes.stages import STAGES
from spyrec.passkit import PassContext, pipeline
from spyrec.spyrecode import Artifact, Launch

INPUTS = Path(__file__).resolve().parent / "Inputs" / "scheduled"
NORMAL_FORM = (
    "builtin.module(func.func(convert-elementwise-to-linalg,scalars-to-tensors),linalg-generalize-named-ops,"
    "func.func(capture-scalars,canonicalize,cse))"
)
Wide = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Reference = Callable[[Arrays, Mapping[str, int]], Arrays]


@dataclass(frozen=True)
class Kernel:
    """``inputs`` makes the arrays that a launch supplies, ``reference`` those that it stores.

    ``ulp`` is how far these may be from NumPy's, ``scalars`` what the launch decides, in several ways if it can.
    ``written`` is its text, if that is in no file.
    """

    name: str
    inputs: Callable[[np.random.Generator], Arrays]
    reference: Reference
    ulp: int = 0
    scalars: tuple[Mapping[str, int], ...] = field(default=({},))
    written: str = ""

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        return INPUTS / f"{self.name}.mlir"

    def given(self) -> Arrays:
        """Seeded arrays."""
        return self.inputs(np.random.default_rng(3))

    def wanted(self, scalars: Mapping[str, int]) -> Arrays:
        """What NumPy stores."""
        with np.errstate(all="ignore"):
            return self.reference(self.given(), scalars)

    def at(self, stage: str, **options: str) -> tuple[ir.Module, ir.Operation, PassContext]:
        """The module at ``kernel``, ``schedule`` or ``program`` with its function, through all gates on the way.

        ``options`` are those of passes, by their names with ``_`` for ``-``.
        """
        context = make_context()
        sink = diag.Sink()
        text = self.written or self.path.read_text(encoding="utf-8")
        module = asm.read(text, self.path.name, context, sink=sink).module
        ctx = PassContext(context, sink, device)
        with context:
            pipeline.parse(NORMAL_FORM).run(module.operation, ctx)
            (function,) = (op.operation for op in module.body.operations)
            self._sign(function)
            for step in steps("kernel", stage):
                for name, text in options.items():
                    changed = name.replace("_", "-")
                    step = step.replace(changed, f"{changed}{{{text}}}")
                pipeline.parse(step).run(module.operation, ctx, verify_each=True)
                sink.raise_if_errors()
        return module, function, ctx

    def _sign(self, function: ir.Operation) -> None:
        given, stored = self.given(), self.wanted(self.scalars[0])
        names = [kernels.argument_name(a) for a in kernels.arguments(function)]
        views = [_view(names.index(n), n, a, "rw" if n in stored else "r") for n, a in given.items()]
        views += [_view(names.index(n), n, a, "w") for n, a in stored.items() if n not in given]
        views += [f'{{arg = {names.index(n)} : i64, name = "{n}", type = index, scalar}}' for n in self.scalars[0]]
        function.attributes["dataflow.signature"] = ir.Attribute.parse(f"[{', '.join(views)}]")

    def launch(self, function: ir.Operation, scalars: Mapping[str, int]) -> Launch:
        """A fresh launch."""
        return spyrecode.bind(codegen.signature_of(function), self.given(), scalars, seed=None)

    def execute(self, function: ir.Operation, scalars: Mapping[str, int], seed: int | None = None) -> Arrays:
        """The arrays after executing a function that :meth:`at` gave, at whatever pass it stands now."""
        launch = self.launch(function, scalars)
        with function.context:
            interp.run(function, launch, seed=seed)
        return self.outputs(launch, scalars)

    def run(self, stage: str, scalars: Mapping[str, int], seed: int | None = None) -> Arrays:
        """The arrays after executing the kernel at ``stage``."""
        _module, function, _ = self.at(stage)
        return self.execute(function, scalars, seed)

    def artifact(self, **options: str) -> Artifact:
        """The binary; ``options`` as for :meth:`at`."""
        module, function, _ = self.at("program", **options)
        with module.context:
            return codegen.generate(function, device())

    def binary(self, artifact: Artifact, scalars: Mapping[str, int], shuffle: int | None = None) -> Arrays:
        """The arrays after the simulator ran the binary."""
        launch = spyrecode.bind(artifact.signature, self.given(), scalars, seed=None)
        sim.run(artifact, launch, shuffle=shuffle)
        return self.outputs(launch, scalars)

    def outputs(self, launch: Launch, scalars: Mapping[str, int]) -> Arrays:
        wanted = self.wanted(scalars)
        return {n: a.reshape(wanted[n].shape) for n, a in launch.outputs(tuple(wanted)).items()}

    def check(self, arrays: Arrays, scalars: Mapping[str, int]) -> None:
        """Compare with NumPy."""
        for name, want in self.wanted(scalars).items():
            distance = ulp_distance(arrays[name], want)
            assert distance <= self.ulp, f"{self.name}: {name} is {distance} ulp from NumPy with {dict(scalars)}"


def steps(first: str, last: str) -> list[str]:
    """The pipelines that lead from stage ``first`` to ``last``, gates included."""
    names = [stage.name for stage in STAGES]
    passed = STAGES[names.index(first) + 1 : names.index(last) + 1]
    return [text for stage in passed for text in (*(s.pipeline for s in stage.steps), f"func.func({stage.gate})")]


def _f16(rng: np.random.Generator, *shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float16]]:
    return rng.standard_normal(shape).astype(np.float16)


def _inputs(**shapes: tuple[int, ...]) -> Callable[[np.random.Generator], Arrays]:
    return lambda rng: {name: _f16(rng, *shape) for name, shape in shapes.items()}


def _wide(arrays: Arrays, names: str) -> list[Wide]:
    return [arrays[name].astype(np.float64) for name in names]


def _matmul(arrays: Arrays, _: Mapping[str, int]) -> Arrays:
    a, b = _wide(arrays, "ab")
    return {"c": (a @ b).astype(np.float32).astype(np.float16)}


def _carried(arrays: Arrays, scalars: Mapping[str, int]) -> Arrays:
    """A swap and a Fibonacci-like pair that start from one constant, which is used afterwards again."""
    x = arrays["x"]
    a, b = x[0], x[1]
    p = q = np.ones(64, np.float16)
    for _ in range(scalars["n"]):
        a, b = b, a
        p, q = q, (p + q).astype(np.float16)
    return {"y": np.stack([a, b, (p + np.float16(1)).astype(np.float16), q])}


def _rows(x: Wide, axis: int = -1) -> Wide:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(e / e.sum(axis=axis, keepdims=True))


def _softmax(arrays: Arrays, _: Mapping[str, int]) -> Arrays:
    x = arrays["x"]
    d = (x - x.max(axis=1, keepdims=True)).astype(np.float64)
    return {"y": (np.exp(d) / np.exp(d).sum(axis=1, keepdims=True)).astype(np.float16)}


def _flash_inputs(rng: np.random.Generator) -> Arrays:
    values = rng.uniform(0.5, 1.5, (2, 128, 32)).astype(np.float16)  # no cancellation: ulp are a fair measure
    return {"q": _f16(rng, 2, 16, 32) / np.float16(4), "k": _f16(rng, 2, 128, 32), "v": values}


def _flash(arrays: Arrays, scalars: Mapping[str, int]) -> Arrays:
    q, k, v = _wide(arrays, "qkv")
    k, v = (a[:, : 32 * scalars["n"]] for a in (k, v))
    if not scalars["n"]:
        return {"o": np.full(q.shape, np.nan, np.float16)}
    return {"o": (_rows(q @ k.transpose(0, 2, 1)) @ v).astype(np.float16)}


def _products_inputs(rng: np.random.Generator) -> Arrays:
    given = {"a": _f16(rng, 3, 5, 24), "b": _f16(rng, 3, 7, 24), "c": _f16(rng, 3, 5, 7)}
    return given | {"f": rng.standard_normal((5, 24)).astype(np.float32)}


def _products(arrays: Arrays, _: Mapping[str, int]) -> Arrays:
    a, b, c, f = _wide(arrays, "abcf")
    five = np.einsum("bmhk,bnhk->hmn", a.reshape(3, 5, 4, 6), b.reshape(3, 7, 4, 6))
    halves = {"d": a @ b.transpose(0, 2, 1) + c, "e": a.reshape(15, 24) @ b[0, 0], "g": five}
    return {n: v.astype(np.float16) for n, v in halves.items()} | {
        "h": (f @ f.T).astype(np.float32),
        "i": (f[0] * f[1] + f[1]).astype(np.float32),
    }


def _norms(arrays: Arrays, _: Mapping[str, int]) -> Arrays:
    x, g, u, h, b = _wide(arrays, "xguhb")
    rms = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * g
    layer = (u - u.mean(axis=1, keepdims=True)) / np.sqrt(u.var(axis=1, keepdims=True) + 1e-5) * h + b
    return {"y": rms.astype(np.float16), "v": layer.astype(np.float16)}


def _norms_inputs(rng: np.random.Generator) -> Arrays:
    shapes = {"x": (8, 65), "g": (65,), "u": (8, 10), "h": (10,)}
    return {n: _f16(rng, *s) for n, s in shapes.items()} | {"b": _f16(rng, 10) + np.float16(8)}


def _rope(arrays: Arrays, _: Mapping[str, int]) -> Arrays:
    x, cos, sin = (arrays[n].astype(np.float32) for n in ("x", "cos", "sin"))

    def rounded(a: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> np.ndarray[Any, np.dtype[np.float32]]:
        return a.astype(np.float16).astype(np.float32)

    lo, hi = x[:, :32], x[:, 32:]
    first, second = rounded(lo * cos) - rounded(hi * sin), rounded(hi * cos) + rounded(lo * sin)
    y = np.concatenate([first, second], axis=1)
    for tile in range(2):
        y[4 * tile + tile] = x[4 * tile + tile]
    return {"y": np.abs(y).astype(np.float16)}


def _branches(arrays: Arrays, scalars: Mapping[str, int]) -> Arrays:
    a, b = arrays["x"]
    d = a + b
    p, q = a, d
    for i in range(scalars["n"]):
        u, v = p, q
        for j in range(i):
            u, v = (u - v, v) if j == 0 else (v, u)
        p, q = (u * u if i == 3 else p), v
    return {"y": np.stack([p, q, q if scalars["n"] > 2 else b, d])}


KERNELS = [
    Kernel("matmul", _inputs(a=(32, 96), b=(96, 32)), _matmul),
    Kernel("products", _products_inputs, _products),
    Kernel("softmax", _inputs(x=(16, 65)), _softmax, ulp=1),
    Kernel("flash", _flash_inputs, _flash, ulp=2, scalars=tuple({"n": n} for n in (4, 1, 0))),
    Kernel("norms", _norms_inputs, _norms, ulp=1),
    Kernel("rope", _inputs(x=(8, 64), cos=(8, 32), sin=(8, 32)), _rope),
    Kernel("carried", _inputs(x=(2, 64)), _carried, scalars=tuple({"n": n} for n in (0, 1, 2, 5))),
    Kernel("branches", _inputs(x=(2, 64)), _branches, scalars=tuple({"n": n} for n in (0, 1, 2, 5))),
]
