"""Random schedules become programs in which every order matters only where channels keep it.

An oracle of its own runs the schedule sequentially and the program unit by unit, for many trip counts and both sides
of branches, and compares: each unit touches the bytes that the schedule says, in its order; no unit waits for ever;
accesses that conflict are ordered by happens-before as the schedule orders them; without any one channel some are
not.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from spyrec import asm, diag
from spyrec.device import read
from spyrec.device.model import Memory
from spyrec.dialects import dataflow, make_context
from spyrec.mlir import ir
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import buffers, kernels
from spyrec.passkit import pipeline
from spyrec.passkit.base import PassContext

TO_PROGRAM = (
    "builtin.module(func.func(insert-synchronization{prune},split-units,canonicalize,loop-invariant-code-motion,cse))"
)
SHAPE = (2, 4)
ELEMENT = 2
FIRST = {"lx": 0, "l1": 1 << 13, "device": 1 << 14}
"""Where the bytes of each memory are in one number."""
COUNTS = ("n0", "n1", "n2")
MASKS = ("p0", "p1", "p2", "p3")


# Schedules -----------------------------------------------------------------------------------------------------------


def memref(shape: tuple[int, int], layout: str = "", memory: str = "lx") -> str:
    return f'memref<{shape[0]}x{shape[1]}xi16{layout}, "{memory}">'


class Generator:
    """The text of a random schedule; arguments ``n0``.. are trip counts, a bit of ``p0``.. decides a branch in an
    iteration. ``views`` and ``loads`` say how often operands are parts of buffers, and how often bounds, conditions and
    addresses are made with a number that is loaded from one, which is 0. ``whiles`` says how many loops run while a
    condition holds, or carry a number; ``clips`` how many transfers leave something out. ``stages`` says how many
    transfers go through a buffer of another memory.
    """

    def __init__(
        self,
        seed: int,
        size: int,
        *,
        constant: float,
        views: float = 0,
        loads: float = 0,
        whiles: float = 0,
        clips: float = 0,
        stages: float = 0,
    ) -> None:
        self.random = random.Random(seed)
        self.views = views
        self.loads = loads
        self.whiles = whiles
        self.clips = clips
        self.stages = stages
        self.staging: list[str] = []
        self.lines: list[str] = []
        self.types: dict[str, str] = {}
        self.left = size
        self.constant = constant
        self.number = 0
        self.branches = 0

    def text(self) -> str:
        self.block([], [], "  ")
        arguments = ", ".join(f"%{name}: index" for name in ("x", "y", *COUNTS, *MASKS))
        head = [
            "#same = affine_map<(r, c) -> (r, c)>",
            f"func.func @k({arguments}) attributes {{grid = [2]}} {{",
            "  %t = dataflow.tile_id",
            *(f"  %k{value} = arith.constant {value} : index" for value in range(8)),
        ]
        return "\n".join([*head, *self.lines, "  return", "}"])

    def block(self, counters: list[str], buffers: list[str], indent: str) -> None:
        outside, self.staging = self.staging, list(self.staging)
        self.items(counters, list(buffers), indent)
        self.staging = outside

    def items(self, counters: list[str], buffers: list[str], indent: str) -> None:
        for _ in range(self.random.randint(1, 4)):
            kind = self.random.random()
            if self.left <= 0:
                return
            if kind < 0.25 and len(counters) < 3:
                name = self.fresh("i")
                bound = f"%k{self.random.choice([4, 5])}"
                if self.random.random() >= self.constant:
                    bound = f"%{COUNTS[len(counters)]}"
                bound = self.plus_loaded(bound, buffers, indent)
                if self.whiles and self.random.random() < self.whiles:
                    self.carrying(counters, buffers, bound, indent)
                    continue
                first, step = self.random.choice([("%k0", "%k1"), ("%k0", "%k1"), ("%k1", "%k2")])
                self.lines.append(f"{indent}scf.for %{name} = {first} to {bound} step {step} {{")
                self.block([*counters, f"%{name}"], buffers, indent + "  ")
                self.lines.append(indent + "}")
            elif kind < 0.35 and len(counters) < 3 and self.branches < len(MASKS):
                self.branch(counters, buffers, indent)
            else:
                self.left -= 1
                self.work(counters, buffers, indent)

    def carrying(self, counters: list[str], buffers: list[str], bound: str, indent: str) -> None:
        """A loop on a condition, or a counted one that carries the counter of the ops in it."""
        out, k, r, m, go, c = (self.fresh(stem) for stem in ("w", "ca", "da", "ea", "fa", "ga"))
        deeper = indent + "  "
        if self.random.random() < 0.4:
            self.lines.append(
                f"{indent}%{out} = scf.for %{c} = %k0 to {bound} step %k1 iter_args(%{k} = %k1) -> (index) {{"
            )
            self.block([*counters, f"%{k}"], buffers, deeper)
            self.lines += [f"{deeper}%{m} = arith.addi %{k}, %k2 : index", f"{deeper}scf.yield %{m} : index"]
        else:
            self.lines.append(f"{indent}%{out} = scf.while (%{k} = %k0) : (index) -> index {{")
            self.block([*counters, f"%{k}"], buffers, deeper)
            tested = self.plus_loaded(f"%{k}", buffers, deeper)
            self.lines += [
                f"{deeper}%{go} = arith.cmpi slt, {tested}, {bound} : index",
                f"{deeper}scf.condition(%{go}) %{k} : index",
                f"{indent}}} do {{",
                f"{indent}^bb0(%{r}: index):",
            ]
            self.block([*counters, f"%{r}"], buffers, deeper)
            self.lines += [f"{deeper}%{m} = arith.addi %{r}, %k1 : index", f"{deeper}scf.yield %{m} : index"]
        self.lines.append(indent + "}")
        self.left -= 1
        self.work([*counters, f"%{out}"], buffers, indent)

    def branch(self, counters: list[str], buffers: list[str], indent: str) -> None:
        mask, bit, tested = MASKS[self.branches], self.fresh("m"), self.fresh("c")
        self.branches += 1
        place = self.random.choice([*counters[-1:], *counters]) if counters else "%k0"
        place = self.plus_loaded(place, buffers, indent)
        self.lines.append(f"{indent}%{bit}s = arith.shrui %{mask}, {place} : index")
        self.lines.append(f"{indent}%{bit} = arith.andi %{bit}s, %k1 : index")
        self.lines.append(f"{indent}%{tested} = arith.cmpi ne, %{bit}, %k0 : index")
        self.lines.append(f"{indent}scf.if %{tested} {{")
        self.block(counters, buffers, indent + "  ")
        if self.random.random() < 0.5:
            self.lines.append(indent + "} else {")
            self.block(counters, buffers, indent + "  ")
        self.lines.append(indent + "}")

    def plus_loaded(self, value: str, buffers: list[str], indent: str) -> str:
        """``value``, sometimes plus an element of a buffer."""
        if not (self.loads and buffers) or self.random.random() >= self.loads:
            return value
        loaded, number, total = (self.fresh(stem) for stem in "lns")
        place = f"%k{self.random.randrange(2)}, %k{self.random.randrange(4)}"
        buffer = self.random.choice(buffers)
        self.lines += [
            f"{indent}%{loaded} = memref.load {buffer}[{place}] : {memref(SHAPE)}",
            f"{indent}%{number} = arith.index_cast %{loaded} : i16 to index",
            f"{indent}%{total} = arith.addi {value}, %{number} : index",
        ]
        return f"%{total}"

    def work(self, counters: list[str], buffers: list[str], indent: str) -> None:
        kind = self.random.choice(["load", "load", "compute", "compute", "store"])
        shape = (
            self.random.choice([(2, 2), (1, 4), (1, 2)]) if self.views and self.random.random() < self.views else SHAPE
        )
        if kind == "load":
            to = self.shown(self.buffer(buffers, indent, fresh=0.7 if shape == SHAPE else 0.4), shape, counters, indent)
            self.transfer("from {box} to {buffer}", "load", to, counters, buffers, indent)
        elif not buffers:
            self.work(counters, [self.buffer(buffers, indent, fresh=1)], indent)
        elif kind == "store":
            shown = self.shown(self.random.choice(buffers), shape, counters, indent)
            self.transfer("from {buffer} to {box}", "store", shown, counters, buffers, indent)
        else:
            inputs = self.random.sample(buffers, min(len(buffers), self.random.randint(0, 2)))
            out = self.buffer(buffers, indent, fresh=0.6 if shape == SHAPE else 0.3)
            inputs, out = (
                [self.shown(buffer, shape, counters, indent) for buffer in inputs],
                self.shown(out, shape, counters, indent),
            )
            maps = ", ".join(["#same"] * (len(inputs) + 1))
            types = ", ".join(self.types[name] for name in inputs)
            ins = f"ins({', '.join(inputs)} : {types}) " if inputs else ""
            names = [f"%e{k}: i16" for k in range(len(inputs) + 1)]
            # The last argument is the old value of the output.
            used = self.random.choice(["%e0", f"%e{len(inputs)}"])
            value = "%zero" if not inputs and self.random.random() < 0.5 else used
            if value == "%zero":
                value = f"%{self.fresh('zero')}"
                self.lines.append(f"{indent}{value} = arith.constant 0 : i16")
            self.lines.append(
                f'{indent}linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} {ins}'
                f"outs({out} : {self.types[out]}) attrs = {{dataflow.unit = @sfu}} {{ ^bb0({', '.join(names)}): "
                f"%q = arith.addi {value}, {value} : i16 linalg.yield %q : i16 }}"
            )

    def shown(self, buffer: str, shape: tuple[int, int], counters: list[str], indent: str) -> str:
        """A part of the buffer, mostly one of which the text says where it is."""
        if shape == SHAPE:
            return buffer
        room = [whole - part for whole, part in zip(SHAPE, shape, strict=True)]
        offsets = [str(self.random.randint(0, most)) for most in room]
        if counters and self.random.random() < 0.3 and room[0]:
            row = self.fresh("r")
            self.lines.append(
                f"{indent}%{row} = affine.apply affine_map<(i) -> (i mod 2)>({self.random.choice(counters)})"
            )
            offsets[0] = f"%{row}"
        start = "?" if offsets[0][0] == "%" else str(int(offsets[0]) * SHAPE[1] + int(offsets[1]))
        name = f"%{self.fresh('v')}"
        self.types[name] = memref(shape, f", strided<[{SHAPE[1]}, 1], offset: {start}>")
        self.lines.append(
            f"{indent}{name} = memref.subview {buffer}[{', '.join(offsets)}] [{shape[0]}, {shape[1]}] [1, 1]"
            f" : {memref(SHAPE)} to {self.types[name]}"
        )
        return name

    def transfer(self, form: str, unit: str, buffer: str, counters: list[str], buffers: list[str], indent: str) -> None:
        offset = self.fresh("o")
        factors = [self.random.choice([0, 1, 2, 4, 8, 16, 32]) for _ in counters]
        terms = [f"d{k} * {factor}" for k, factor in enumerate(factors)]
        dims = ", ".join(f"d{k}" for k in range(len(counters)))
        total = " + ".join([*terms, "s0 * 1024", str(self.random.choice([0, 0, 4, 8, 20]))])
        self.lines.append(
            f"{indent}%{offset} = affine.apply affine_map<({dims})[s0] -> ({total})>({', '.join(counters)})[%t]"
        )
        start = self.plus_loaded(f"%{offset}", buffers, indent)
        strides = self.random.choice(["[4, 1]", "[4, 1]", "[16, 1]", "[8, 2]"])
        box = f"@device[{start} from %{self.random.choice('xxy')}] strides {strides}"
        route = '["ddr", "load", "lx"]' if unit == "load" else '["lx", "store", "ddr"]'
        clip = self.clip(counters, indent)
        if not self.stages or self.random.random() >= self.stages:
            sides = form.format(box=box, buffer=buffer) + clip
            self.lines.append(
                f"{indent}dataflow.data_transfer {sides} {{route = {route}, unit = @{unit}}} : {self.types[buffer]}"
            )
            return
        stage = self.stage(indent)
        legs = [(form.format(box=box, buffer=stage), unit, self.types[stage])]
        legs.append((f"from {stage} to {buffer}", "fill", f"{self.types[stage]}, {self.types[buffer]}"))
        if unit == "store":
            back = f"from {buffer} to {stage}", "spill", f"{self.types[buffer]}, {self.types[stage]}"
            legs = [back, legs[0]]
        for sides, own, types in legs:
            self.lines.append(
                f"{indent}dataflow.data_transfer {sides}{clip} {{route = {route}, unit = @{own}}} : {types}"
            )

    def stage(self, indent: str) -> str:
        """A buffer of another memory, of the shape of all of a buffer in LX."""
        if self.staging and self.random.random() < 0.4:
            return self.random.choice(self.staging)
        name = self.fresh("s")
        depth, type_ = self.random.choice([1, 2, 2, 3]), memref(SHAPE, memory="l1")
        self.lines.append(f'{indent}%{name} = dataflow.alloc {{depth = {depth}, name = "{name}"}} : {type_}')
        self.staging.append(f"%{name}")
        self.types[f"%{name}"] = type_
        return f"%{name}"

    def clip(self, counters: list[str], indent: str) -> str:
        if not self.clips or self.random.random() >= self.clips:
            return ""
        bounds = [str(self.random.choice(numbers)) for numbers in ((0, 1), (0, 1, 1), (1, 2), (2, 3, 4))]
        if counters and self.random.random() < 0.6:
            moved, counter = self.random.randrange(4), self.random.choice(counters)
            shift = self.random.randint(-1, 2)
            name = self.fresh("h")
            self.lines.append(f"{indent}%{name} = affine.apply affine_map<(i) -> (i mod 3 + {shift})>({counter})")
            bounds[moved] = f"%{name}"
        fill = self.random.choice(["", " fill 7"])
        return f" clip [{bounds[0]}, {bounds[1]}] to [{bounds[2]}, {bounds[3]}]{fill}"

    def buffer(self, buffers: list[str], indent: str, *, fresh: float) -> str:
        if buffers and self.random.random() >= fresh:
            return self.random.choice(buffers)
        name = self.fresh("b")
        depth = self.random.choice([1, 2, 2, 3])
        self.lines.append(f'{indent}%{name} = dataflow.alloc {{depth = {depth}, name = "{name}"}} : {memref(SHAPE)}')
        buffers.append(f"%{name}")
        self.types[f"%{name}"] = memref(SHAPE)
        return f"%{name}"

    def fresh(self, stem: str) -> str:
        self.number += 1
        return f"{stem}{self.number}"


# Executing -----------------------------------------------------------------------------------------------------------


@dataclass
class Work:
    """One op as it is executed: bytes as bits of a number, one memory above the other."""

    unit: str
    reads: int
    writes: int
    order: int = -1


@dataclass
class Executor:
    """What both executors share: scalars and control."""

    arguments: dict[str, int]
    values: dict[ir.Value, int] = field(default_factory=dict)
    counts: Counter[ir.Block] = field(default_factory=Counter)

    def block(self, block: ir.Block) -> Iterator[tuple[str, ir.OpView]]:
        """Scalar ops are executed, all others handed out."""
        self.counts[block] += 1
        for view in block.operations:
            op = view.operation
            if op.name == "scf.for":
                low, high, step = (self.values[v] for v in list(op.operands)[:3])
                body = op.regions[0].blocks[0]
                given = [self.values[v] for v in list(op.operands)[3:]]
                for value in range(low, high, step):
                    self.values.update(zip(body.arguments, [value, *given], strict=True))
                    yield from self.block(body)
                    given = [self.values[v] for v in list(body.operations)[-1].operation.operands]
                self.values.update(zip(op.results, given, strict=True))
            elif op.name == "scf.while":
                before, after = (region.blocks[0] for region in op.regions)
                given = [self.values[v] for v in op.operands]
                while True:
                    self.values.update(zip(before.arguments, given, strict=True))
                    yield from self.block(before)
                    tested, *passed = [self.values[v] for v in list(before.operations)[-1].operation.operands]
                    if not tested:
                        break
                    self.values.update(zip(after.arguments, passed, strict=True))
                    yield from self.block(after)
                    given = [self.values[v] for v in list(after.operations)[-1].operation.operands]
                self.values.update(zip(op.results, passed, strict=True))
            elif op.name == "scf.if":
                region = op.regions[0 if self.values[op.operands[0]] else 1]
                for arm in region.blocks:
                    yield from self.block(arm)
            elif op.name in ("memref.load", "dataflow.scalar_load"):
                self.values[op.results[0]] = 0
                yield op.name, view
            elif op.name.startswith(("dataflow.", "memref.")) or op.name == "linalg.generic":
                yield op.name, view
            elif op.name not in ("scf.yield", "scf.condition", "func.return"):
                self.values[op.results[0]] = self.scalar(op)

    def scalar(self, op: ir.Operation) -> int:
        if op.name == "arith.constant":
            attribute = op.attributes["value"]
            return attribute.value if isinstance(attribute, ir.IntegerAttr) else 0
        operands = [self.values[v] for v in op.operands]
        if op.name == "affine.apply":
            map_ = ir.AffineMapAttr(op.attributes["map"]).value
            return evaluate(map_.results[0], operands[: map_.n_dims], operands[map_.n_dims :])
        if op.name == "arith.cmpi":
            predicate = ir.IntegerAttr(op.attributes["predicate"]).value
            a, b = operands
            return int([a == b, a != b, a < b, a <= b, a > b, a >= b, a < b, a <= b, a > b, a >= b][predicate])
        rule: dict[str, Callable[..., int]] = {
            "arith.addi": lambda a, b: a + b,
            "arith.subi": lambda a, b: a - b,
            "arith.muli": lambda a, b: a * b,
            "arith.divsi": lambda a, b: int(a / b),
            "arith.andi": lambda a, b: a & b,
            "arith.xori": lambda a, b: a ^ b,
            "arith.shrui": lambda a, b: a >> b,
            "arith.trunci": lambda a: a & 1,
            "arith.index_cast": lambda a: a,
        }
        return rule[op.name](*operands)


def evaluate(expression: ir.AffineExpr, dims: list[int], symbols: list[int]) -> int:
    if isinstance(expression, ir.AffineConstantExpr):
        return expression.value
    if isinstance(expression, ir.AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, ir.AffineSymbolExpr):
        return symbols[expression.position]
    a, b = (evaluate(part, dims, symbols) for part in (expression.lhs, expression.rhs))
    if isinstance(expression, ir.AffineAddExpr):
        return a + b
    if isinstance(expression, ir.AffineMulExpr):
        return a * b
    if isinstance(expression, ir.AffineModExpr):
        return a % b
    return a // b if isinstance(expression, ir.AffineFloorDivExpr) else -(-a // b)


@functools.cache
def box(start: int, counts: tuple[int, ...], strides: tuple[int, ...], element: int) -> int:
    bits = 0
    for point in itertools.product(*map(range, counts)):
        at = start + sum(i * s for i, s in zip(point, strides, strict=True))
        bits |= ((1 << element) - 1) << at
    return bits


def sequential(function: ir.Operation, arguments: dict[str, int]) -> list[Work]:
    """The schedule as it is written; instance n of a buffer is that of the n-th iteration of the loop around it."""
    block = function.regions[0].blocks[0]
    executor = Executor(arguments)
    executor.values.update(zip(block.arguments, arguments.values(), strict=True))
    starts: dict[ir.Value, int] = {}
    done: list[Work] = []

    def side(view: Any, name: str, buffer: ir.Value) -> int:
        shape = tuple(ir.MemRefType(buffer.type).shape)
        shape, first = inside(view, shape, executor.values, whole=name == "dest" and view.fill is not None)
        own = getattr(view, name)
        if own is not None:
            return moved(starts[own], shape, strides_of(own), first)
        start = FIRST["device"] + executor.values[getattr(view, f"{name}_base")]
        start += executor.values[getattr(view, f"{name}_offset")] * ELEMENT
        return moved(start, shape, tuple(s * ELEMENT for s in getattr(view, f"{name}_strides")), first)

    for name, view in executor.block(block):
        if name == "dataflow.tile_id":
            executor.values[view.result] = 1
        elif isinstance(view, dataflow.AllocOp):
            loop = view.operation.block
            while loop.owner.operation.name == "scf.if":
                loop = loop.owner.operation.block
            instance = executor.counts[loop] - 1 if loop.owner.operation.name == "scf.for" else 0
            starts[view.result] = view.address.value + instance % view.depth.value * view.slot_bytes.value
            starts[view.result] += FIRST[buffers.memory_of(view.result)]
        elif name == "memref.subview":
            found = iter([executor.values[v] for v in list(view.operation.operands)[1:]])
            entries = [next(found) if entry == DYNAMIC else entry for entry in view.static_offsets]
            source = view.operation.operands[0]
            starts[view.result] = starts[source] + sum(e * s for e, s in zip(entries, strides_of(source), strict=True))
        elif name == "memref.load":
            source, *indices = view.operation.operands
            at = [executor.values[index] for index in indices]
            start = starts[source] + sum(i * s for i, s in zip(at, strides_of(source), strict=True))
            done += [Work(unit, box(start, (), (), ELEMENT), 0, len(done)) for unit in sorted(needing(view.result))]
        elif isinstance(view, dataflow.DataTransferOp):
            buffer = view.dest if view.source is None else view.source
            done.append(Work(view.unit.value, side(view, "source", buffer), side(view, "dest", buffer), len(done)))
        elif name == "linalg.generic":
            walks = [walk(view.operation, k, starts) for k in range(len(view.operation.operands))]
            old = list(view.operation.regions[0].blocks[0].arguments)[-1]
            reads = functools.reduce(int.__or__, walks if list(old.uses) else walks[:-1], 0)
            done.append(Work("sfu", reads, walks[-1], len(done)))
    return done


def inside(
    view: Any, counts: tuple[int, ...], values: dict[ir.Value, int], *, whole: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How many steps of each count are inside of the clip, and the first of them; all when ``whole``."""
    if whole or view.static_lower is None:
        return counts, tuple(0 for _ in counts)
    bounds = []
    for static, operands in ((view.static_lower, view.lower), (view.static_upper, view.upper)):
        dynamic = iter([values[v] for v in operands])
        bounds.append([next(dynamic) if entry == DYNAMIC else entry for entry in static])
    first = tuple(max(0, low) for low in bounds[0])
    return tuple(max(0, min(n, b) - a) for n, a, b in zip(counts, first, bounds[1], strict=True)), first


def moved(
    start: int, counts: tuple[int, ...], strides: tuple[int, ...], first: tuple[int, ...], element: int = ELEMENT
) -> int:
    """The bytes of a box, from step ``first`` of each count on."""
    return box(start + sum(f * s for f, s in zip(first, strides, strict=True)), counts, strides, element)


def needing(value: ir.Value) -> set[str]:
    """The units of all that depends on a value."""
    found: set[str] = set()
    for use in value.uses:
        if use.owner.operation.name in ("scf.condition", "scf.yield"):
            loop = kernels.owner(use.owner.operation.block)
            if use.owner.operation.name == "scf.condition":
                for op in kernels.walk(loop):
                    if isinstance(op.opview, dataflow.DataTransferOp):
                        found.add(op.opview.unit.value)
                    elif op.name == "linalg.generic":
                        found.add("sfu")
                found |= {unit for result in loop.results for unit in needing(result)}
            continue
        for op in [use.owner.operation, *kernels.walk(use.owner.operation)]:
            if isinstance(op.opview, dataflow.DataTransferOp):
                found.add(op.opview.unit.value)
            elif op.name == "linalg.generic":
                found.add("sfu")
        for result in use.owner.operation.results:
            found |= needing(result)
    return found


def strides_of(buffer: ir.Value) -> tuple[int, ...]:
    return tuple(ELEMENT * step for step in ir.MemRefType(buffer.type).get_strides_and_offset()[0])


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(ELEMENT * math.prod(shape[k + 1 :]) for k in range(len(shape)))


def walk(op: ir.Operation, number: int, starts: dict[ir.Value, int]) -> int:
    """The bytes of one operand that a linalg op touches, point by point."""
    maps = [ir.AffineMapAttr(m).value for m in op.attributes["indexing_maps"]]
    shapes = [tuple(ir.MemRefType(v.type).shape) for v in op.operands]
    if maps[number] == ir.AffineMap.get_identity(len(shapes[number])):
        return box(starts[op.operands[number]], shapes[number], strides_of(op.operands[number]), ELEMENT)
    extents = [0] * maps[0].n_dims
    for map_, shape in zip(maps, shapes, strict=True):
        for result, extent in zip(map_.results, shape, strict=True):
            if isinstance(result, ir.AffineDimExpr):
                extents[result.position] = extent
    bits = 0
    for point in itertools.product(*map(range, extents)):
        at = [evaluate(result, list(point), []) for result in maps[number].results]
        first = starts[op.operands[number]] + sum(i * s for i, s in zip(at, dense(shapes[number]), strict=True))
        bits |= ((1 << ELEMENT) - 1) << first
    return bits


class Stuck(Exception):
    """Units wait for one another."""


def concurrent(function: ir.Operation, arguments: dict[str, int]) -> dict[str, list[Any]]:
    """Per unit what its program does: work, and posts and waits as (kind, channel)."""
    block = function.regions[0].blocks[0]
    outside = Executor(arguments)
    outside.values.update(zip(block.arguments, arguments.values(), strict=True))
    programs: dict[str, list[Any]] = {}
    for name, view in outside.block(block):
        if name != "dataflow.program_unit":
            continue
        unit = view.unit.value
        inside = Executor(arguments, dict(outside.values))
        inside.values[view.body.blocks[0].arguments[0]] = 1
        steps = programs[unit] = []
        for inner, op in inside.block(view.body.blocks[0]):
            if inner in ("dataflow.post", "dataflow.wait"):
                steps.append((inner[9:], op.channel.value))
            else:
                steps.append(access(op, unit, inside.values))
    return programs


def access(op: Any, unit: str, values: dict[ir.Value, int]) -> Work:
    if isinstance(op, dataflow.ScalarLoadOp):
        return Work(unit, box(values[op.address], (), (), ELEMENT), 0)
    counts = tuple(op.counts)
    if isinstance(op, dataflow.TransferOp):
        sides = []
        for side in ("source", "dest"):
            base = getattr(op, f"{side}_base")
            start = values[getattr(op, side)] + (values[base] if base is not None else 0)
            start += FIRST[getattr(op, f"{side}_space").value]
            kept, first = inside(op, counts, values, whole=side == "dest" and op.fill is not None)
            sides.append(moved(start, kept, tuple(getattr(op, f"{side}_strides")), first, op.element_bytes.value))
        return Work(unit, *sides)
    ins = [box(values[v], counts, tuple(s), ELEMENT) for v, s in zip(op.inputs, op.input_strides, strict=True)]
    outs = [box(values[v], counts, tuple(s), ELEMENT) for v, s in zip(op.outputs, op.output_strides, strict=True)]
    old = list(op.body.blocks[0].arguments)[len(ins) :]
    read_back = [bits for bits, argument in zip(outs, old, strict=True) if list(argument.uses)]
    return Work(unit, functools.reduce(int.__or__, [*ins, *read_back], 0), functools.reduce(int.__or__, outs, 0))


def race(programs: dict[str, list[Any]], credits: dict[str, int], without: str = "") -> tuple[Work, Work] | None:
    """A pair of conflicting accesses that happens-before does not order as the schedule does. Raises Stuck."""
    units = list(programs)
    clocks = {unit: dict.fromkeys(units, 0) for unit in units}
    posts: dict[str, list[dict[str, int]]] = defaultdict(list)
    waits: Counter[str] = Counter()
    at = dict.fromkeys(units, 0)
    done: list[tuple[Work, int, dict[str, int]]] = []
    moved = True
    while moved:
        moved = False
        for unit in units:
            while at[unit] < len(programs[unit]):
                step = programs[unit][at[unit]]
                clock = clocks[unit]
                if isinstance(step, Work):
                    clock[unit] += 1
                    done.append((step, clock[unit], dict(clock)))
                elif step[1] == without:
                    pass
                elif step[0] == "post":
                    posts[step[1]].append(dict(clock))
                else:
                    post = waits[step[1]] - credits[step[1]]
                    if post >= len(posts[step[1]]):
                        break
                    if post >= 0:
                        for other, time in posts[step[1]][post].items():
                            clock[other] = max(clock[other], time)
                    waits[step[1]] += 1
                at[unit] += 1
                moved = True
    if any(at[unit] < len(programs[unit]) for unit in units):
        raise Stuck
    done.sort(key=lambda entry: entry[0].order)
    for (first, time, _), (second, _, known) in itertools.combinations(done, 2):
        meet = first.writes & (second.reads | second.writes) | first.reads & second.writes
        if meet and first.unit != second.unit and known[first.unit] < time:
            return first, second
    return None


# The tests -----------------------------------------------------------------------------------------------------------


def runs(text: str, most: int = 5, draws: int = 4) -> Iterator[dict[str, int]]:
    """Arguments of many launches: trip counts of none, one, two and ``most`` iterations, and branches."""
    body = text.partition("%t =")[2]
    used = [name for name in COUNTS if f"%{name} " in body]
    deciding = [name for name in MASKS if f"%{name}," in body]
    draw = random.Random(len(text))
    for values in itertools.product([0, 1, 2, most], repeat=len(used)):
        for k in range(draws if deciding else 1):
            masks = {name: 0 if k == 0 else 63 if k == 1 else draw.randrange(64) for name in deciding}
            given = {**dict.fromkeys((*COUNTS, *MASKS), 0), **dict(zip(used, values, strict=True)), **masks}
            yield {"x": 0, "y": 1 << 13, **given}


@dataclass
class Lowered:
    """A schedule with addresses, and the program made of it."""

    text: str
    schedule: ir.Operation
    program: ir.Operation
    credits: dict[str, int]


def lower(context: ir.Context, text: str, *, share: str, prune: bool) -> Lowered:
    device = read.load("spyre")
    stage = Memory("l1", "stage", "core", size=4096, alignment=64)
    device = dataclasses.replace(device, memories={**device.memories, stage.kind: stage})
    functions = []
    addresses = f"builtin.module(func.func(assign-addresses{{share={share}}}))"
    program = TO_PROGRAM.replace("{prune}", ",prune-synchronization" if prune else "")
    for passes in ([addresses], [addresses, program]):
        module = asm.read(text, "random.mlir", context).module
        for line in passes:
            pipeline.parse(line).run(module.operation, PassContext(context, diag.Sink(), lambda: device))
        functions.append((module, next(iter(module.body.operations)).operation))
    channels = {
        view.sym_name.value: view.init.value
        for view in functions[1][1].regions[0].blocks[0].operations
        if isinstance(view, dataflow.ChannelOp)
    }
    keep.extend(module for module, _ in functions)
    return Lowered(text, functions[0][1], functions[1][1], channels)


keep: list[ir.Module] = []


def run(lowered: Lowered, arguments: dict[str, int]) -> dict[str, list[Any]]:
    """What the units do, checked against the schedule: the same bytes in the same order, on every unit."""
    by_unit: dict[str, list[Work]] = defaultdict(list)
    for work in sequential(lowered.schedule, arguments):
        by_unit[work.unit].append(work)
    programs = concurrent(lowered.program, arguments)
    for unit, expected in by_unit.items():
        mine = [step for step in programs[unit] if isinstance(step, Work)]
        assert [(w.reads, w.writes) for w in mine] == [(w.reads, w.writes) for w in expected], (unit, arguments)
        for work, other in zip(mine, expected, strict=True):
            work.order = other.order
    assert {unit for unit, steps in programs.items() if any(isinstance(s, Work) for s in steps)} == set(by_unit)
    return programs


def is_needed(lowered: Lowered, channel: str) -> bool:
    """Whether some launch goes wrong without the channel."""
    # Loops of step 2 have half as many iterations, and a buffer of three slots needs four of them.
    launches = sorted(runs(lowered.text, 9, 24), key=lambda arguments: -sum(arguments[name] for name in COUNTS))
    return any(race(run(lowered, arguments), lowered.credits, channel) is not None for arguments in launches)


@pytest.mark.parametrize("share", ["never", "always"])
@pytest.mark.parametrize("first", range(0, 20, 10))
def test_order_is_kept(first: int, share: str) -> None:
    with make_context() as context:
        for seed in range(first, first + 10):
            text = Generator(seed, 9, constant=0.4).text()
            lowered = lower(context, text, share=share, prune=seed % 3 > 0)
            for arguments in runs(text):
                assert race(run(lowered, arguments), lowered.credits) is None, (seed, arguments)


@pytest.mark.parametrize("share", ["never", "always"])
@pytest.mark.parametrize("first", range(200, 230, 10))
def test_order_is_kept_in_parts_of_buffers_and_for_numbers_that_are_loaded(first: int, share: str) -> None:
    with make_context() as context:
        for seed in range(first, first + 10):
            text = Generator(seed, 8, constant=0.4, views=0.6, loads=0.3).text()
            lowered = lower(context, text, share=share, prune=seed % 3 > 0)
            for arguments in runs(text):
                assert race(run(lowered, arguments), lowered.credits) is None, (seed, arguments)


@pytest.mark.parametrize("share", ["never", "always"])
@pytest.mark.parametrize("first", range(300, 320, 10))
def test_order_is_kept_in_loops_on_conditions_and_around_clips(first: int, share: str) -> None:
    with make_context() as context:
        for seed in range(first, first + 10):
            text = Generator(seed, 8, constant=0.4, views=0.3, loads=0.3, whiles=0.5, clips=0.4).text()
            lowered = lower(context, text, share=share, prune=seed % 3 > 0)
            for arguments in runs(text):
                assert race(run(lowered, arguments), lowered.credits) is None, (seed, arguments)


@pytest.mark.parametrize("share", ["never", "always"])
@pytest.mark.parametrize("first", range(400, 420, 10))
def test_order_is_kept_through_stages(first: int, share: str) -> None:
    with make_context() as context:
        for seed in range(first, first + 10):
            text = Generator(seed, 8, constant=0.4, loads=0.1, whiles=0.2, clips=0.3, stages=0.7).text()
            lowered = lower(context, text, share=share, prune=seed % 3 > 0)
            for arguments in runs(text):
                assert race(run(lowered, arguments), lowered.credits) is None, (seed, arguments)


@pytest.mark.parametrize(("first", "stages"), [(100, 0), (110, 0), (120, 0.6)])
def test_every_channel_is_needed(first: int, stages: float) -> None:
    with make_context() as context:
        for seed in range(first, first + 10):
            text = Generator(seed, 6, constant=0, stages=stages).text()
            lowered = lower(context, text, share="never", prune=True)
            # A distance between boxes of device memory can be longer than the loops here are.
            idle = [name for name, credits in lowered.credits.items() if credits <= 3 and not is_needed(lowered, name)]
            assert not idle, seed


WALKS = """
#row = affine_map<(a, b, c, d, e, f) -> (f)>
#turned = affine_map<(a, b, c, d, e, f) -> (d, c)>
#one = affine_map<(a, b, c, d, e, f) -> (1, e)>
#out = affine_map<(a, b, c, d, e, f) -> (a, b, c, d, e, f)>
func.func @k(%x: index, %n: index) attributes {grid = [2]} {
  %c3 = arith.constant 3 : index
  %row = dataflow.alloc {address = 0, depth = 1, slot_bytes = 128} : memref<3xf16, "lx">
  %turned = dataflow.alloc {address = 128, depth = 1, slot_bytes = 128} : memref<2x3xf16, "lx">
  %one = dataflow.alloc {address = 256, depth = 1, slot_bytes = 128} : memref<2x2xf16, "lx">
  %out = dataflow.alloc {address = 384, depth = 1, slot_bytes = 512} : memref<2x3x3x2x2x3xf16, "lx">
  linalg.generic {
    indexing_maps = [#row, #turned, #one, #out],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]
  } ins(%row, %turned, %one : memref<3xf16, "lx">, memref<2x3xf16, "lx">, memref<2x2xf16, "lx">)
    outs(%out : memref<2x3x3x2x2x3xf16, "lx">) attrs = {dataflow.unit = @sfu} {
  ^bb0(%p: f16, %q: f16, %r: f16, %o: f16):
    %s = arith.addf %p, %q : f16
    linalg.yield %s : f16
  }
  dataflow.data_transfer from %out to @device[%c3 from %x] strides [500, 150, 43, 20, 7, 2]
    {route = ["lx", "store", "ddr"], unit = @store} : memref<2x3x3x2x2x3xf16, "lx">
  dataflow.data_transfer from %out to @device[%c3 from %x] strides [108, 36, 12, 6, 3, 1]
    {route = ["lx", "store", "ddr"], unit = @store} : memref<2x3x3x2x2x3xf16, "lx">
}
"""


def test_boxes_of_six_dimensions() -> None:
    """The loops around descriptors of four counts and the descriptors together touch exactly the bytes of each op."""
    with make_context() as context:
        lowered = lower(context, WALKS.strip().removesuffix("}") + "  return\n}", share="never", prune=True)
        arguments = {"x": 0, "n": 0}
        expected = sequential(lowered.schedule, arguments)
        programs = concurrent(lowered.program, arguments)
        pieces = [step for unit in ("sfu", "store") for step in programs[unit] if isinstance(step, Work)]
        # The first two need two outer loops, of 2 x 3 iterations; the third is one run of bytes.
        assert len(pieces) == 6 + 6 + 1
        for work, own in zip(expected, (pieces[:6], pieces[6:12], pieces[12:]), strict=True):
            assert functools.reduce(int.__or__, (piece.reads for piece in own)) == work.reads
            assert functools.reduce(int.__or__, (piece.writes for piece in own)) == work.writes
