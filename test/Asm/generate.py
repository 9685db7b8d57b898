"""Random valid modules over the ops that exist, in random spellings: what the round-trip property is tested on."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from spyrec.asm.lexer import Tokens

DIALECTS = ("ktdp", "spyreop", "dataflow", "ktdf_arch")
SPACES = (
    "#ktdp.memory_space<global>",
    "#ktdp.memory_space<ct_local>",
    "#ktdp.memory_space<ct_local, ct_id = 3>",
    "#ktdp.spyre_memory_space<HBM>",
    "#ktdp.spyre_memory_space<LX, core = 5>",
)
RUNTIME = "!ktdp.runtime_arg<index, granularity=8, upperbound=64>"
SWAPPED = "<index, upperbound=64, granularity=8>"
UNARY = ("exp", "sqrt", "rsqrt", "reciprocal", "sigmoid", "silu", "gelu")
TRAILERS = (
    'loc("k.py":3:4)',
    "loc(unknown)",
    "loc(#place)",
    "loc(#late)",
    'loc("x"(#place))',
    'loc(fused<"m">["a.py":1:1, #place])',
)


@dataclass
class Module:
    """A module's text and the names of the arguments of its functions, in order."""

    text: str
    arguments: list[list[str]]


@dataclass
class Scope:
    """Values that a statement may use, by type."""

    values: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, name: str) -> str:
        self.values.setdefault(kind, []).append(name)
        return name

    def inner(self) -> Scope:
        return Scope({k: list(v) for k, v in self.values.items()})


class Generator:
    """One module. Every choice comes from ``rng``, so that hypothesis can shrink it."""

    def __init__(self, rng: random.Random, *, trailers: bool) -> None:
        self.rng = rng
        self.trailers = trailers
        self.count = 0
        self.constants: set[str] = set()
        self.lines: list[str] = []

    def module(self) -> Module:
        if self.trailers:
            self.lines += ['#place = loc("k.py":7:8)']
        self.lines += ["#groups = affine_set<(g) : (g >= 0, -g + 3 >= 0)>"]
        self.lines += ["#box = affine_set<(r, c) : (r >= 0, -r + 7 >= 0, c >= 0, -c + 63 >= 0)>"]
        self.lines += ["#same = affine_map<(r, c) -> (r, c)>", 'module attributes {my.note = "漢字"} {']
        arguments = [self.function(k) for k in range(self.rng.randint(1, 2))]
        if self.rng.random() < 0.3:
            self.device()
        self.lines.append("}")
        if self.trailers:
            self.lines.append('#late = loc("k.py":9:10)')
        return Module("\n".join(self.lines) + "\n", arguments)

    # -- helpers ------------------------------------------------------------------------------------------------------

    def name(self) -> str:
        self.count += 1
        return f"%{self.rng.choice(('v', 'x_ptr', 'a.b', 'c$', '_', 't-1', 'arg'))}{self.count}"

    def emit(self, text: str) -> None:
        trailer = f" {self.rng.choice(TRAILERS)}" if self.trailers and self.rng.random() < 0.4 else ""
        self.lines.append(text + trailer)

    def index(self, scope: Scope) -> str:
        return self.rng.choice(scope.values["index"])

    def dictionary(self, *entries: str, always: bool = False) -> str:
        """Entries in random order, sometimes with a discardable one."""
        shown = [e for e in entries if e]
        if self.rng.random() < 0.2:
            shown.append(self.rng.choice(("my.note", "my.value = [1, f16, @x]", 'my.text = "a // {b"')))
        self.rng.shuffle(shown)
        return f" {{{', '.join(shown)}}}" if shown or always else ""

    def subscript(self, scope: Scope) -> str:
        # Constants could put the tile outside of its view, which is refused.
        varying = [v for v in scope.values["index"] if v not in self.constants]
        x, y, r = self.rng.choice(varying), self.rng.choice(varying), self.rng
        if x == y:  # a difference would fold to 0, and the value would be gone from the text
            y = "3"
        return r.choice(
            (
                x,
                "0",
                f"{x} + {r.randint(0, 9)}",
                f"{x} * 4 - {y}",
                f"({x} + 1) floordiv 2",
                f"{x} mod 8",
                f"symbol({x})",
                f"-{x} + {y}",
            )
        )

    # -- functions ----------------------------------------------------------------------------------------------------

    def function(self, number: int) -> list[str]:
        scope = Scope()
        arguments = [self.name() for _ in range(self.rng.randint(1, 3))]
        kinds = ["index", *(self.rng.choice(("index", "f16", "i32", RUNTIME)) for _ in arguments[1:])]
        for name, kind in zip(arguments, kinds, strict=True):
            scope.add(kind, name)
        shown = ", ".join(f"{n}: {k}" for n, k in zip(arguments, kinds, strict=True))
        self.lines.append(f"func.func @f{number}({shown}) attributes {{grid = [{self.rng.randint(8, 32)}]}} {{")
        self.statements(scope, self.rng.randint(1, 8), depth=0)
        self.emit("return")
        self.lines.append("}")
        return [a[1:] for a in arguments]

    def statements(self, scope: Scope, count: int, depth: int) -> None:
        choices = [
            self.scalar,
            self.tile_id,
            self.view,
            self.tile,
            self.memory,
            self.read_write,
            self.schedule,
            self.distributed,
            self.indirect,
            self.intrinsic,
        ]
        if depth == 0:
            choices += [self.inter_tile, self.runtime_argument]
        if depth < 3:
            choices += [self.loop, self.unit, self.generic]
        for _ in range(count):
            self.rng.choice(choices)(scope, depth)

    def scalar(self, scope: Scope, depth: int) -> None:
        name = self.name()
        if self.rng.random() < 0.5:
            self.emit(f"{name} = arith.constant {self.rng.randint(-5, 99)} : index")
            self.constants.add(name)
        else:
            self.emit(f"{name} = arith.addi {self.index(scope)}, {self.index(scope)} : index")
        scope.add("index", name)

    def tile_id(self, scope: Scope, depth: int) -> None:
        name = self.name()
        op = self.rng.choice(
            (f"ktdp.get_compute_tile_id{self.dictionary()} : index", f"dataflow.tile_id{self.dictionary()}")
        )
        self.emit(f"{name} = {op}")
        scope.add("index", name)

    def view(self, scope: Scope, depth: int) -> None:
        name, dynamic = self.name(), self.rng.random() < 0.3
        size = self.index(scope) if dynamic else "8"
        points = "affine_set<(r, c)[s] : (r >= 0, -r + s - 1 >= 0, c >= 0, -c + 63 >= 0)>" if dynamic else "#box"
        entries = self.dictionary(f"coordinate_set = {points}", f"memory_space = {self.rng.choice(SPACES)}")
        kind, stride = f"memref<{'?' if dynamic else 8}x64xf16>", self.rng.choice(("64", self.index(scope)))
        self.emit(
            f"{name} = ktdp.construct_memory_view {self.index(scope)}, sizes: [{size}, 64], strides: [{stride}, 1]"
            f"{entries} : {kind}"
        )
        scope.add("view", f"{name} {kind}")

    def tile(self, scope: Scope, depth: int) -> None:
        if "view" not in scope.values:
            self.view(scope, depth)
        view, kind = self.rng.choice(scope.values["view"]).split(" ", 1)
        name, symbols, points = self.name(), "", "#box"
        if self.rng.random() < 0.3:
            symbols = f" symbols({self.index(scope)})"
            points = "affine_set<(r, c)[s] : (r >= 0, -r + s >= 0, c == 0)>"
        entries = self.dictionary(f"access_tile_set = {points}", "access_tile_order = #same")
        subscripts = f"{self.subscript(scope)}, {self.subscript(scope)}"
        self.emit(
            f"{name} = ktdp.construct_access_tile {view}[{subscripts}]{symbols}{entries}"
            f" : {kind} -> !ktdp.access_tile<8x64xindex>"
        )
        scope.add("tile", name)

    def memory(self, scope: Scope, depth: int) -> None:
        if "tile" not in scope.values:
            self.tile(scope, depth)
        tile, name = self.rng.choice(scope.values["tile"]), self.name()
        kind = self.rng.choice(("<8x64xindex>", "!ktdp.access_tile<8x64xindex>"))
        self.emit(f"{name} = ktdp.load {tile}{self.dictionary()} : {kind} -> tensor<8x64xf16>")
        scope.add("tensor", name)
        if self.rng.random() < 0.5:
            self.emit(f"ktdp.store {name}, {tile}{self.dictionary()} : tensor<8x64xf16>, {kind}")

    def distributed(self, scope: Scope, depth: int) -> None:
        parts, kind = [self.name(), self.name()], "memref<8x64xf16>"
        for k, part in enumerate(parts):
            points = f"affine_set<(r, c) : (r - {8 * k} >= 0, -r + {8 * k + 7} >= 0, c >= 0, -c + 63 >= 0)>"
            entries = self.dictionary(f"coordinate_set = {points}", f"memory_space = {self.rng.choice(SPACES)}")
            self.emit(
                f"{part} = ktdp.construct_memory_view {self.index(scope)}, sizes: [8, 64], strides: [64, 1]"
                f"{entries} : {kind}"
            )
        self.emit(
            f"{self.name()} = ktdp.construct_distributed_memory_view ({parts[0]}, {parts[1]} : {kind}, {kind})"
            f"{self.dictionary()} : memref<16x64xf16>"
        )

    def indirect(self, scope: Scope, depth: int) -> None:
        if "view" not in scope.values:
            self.view(scope, depth)
        view, kind = self.rng.choice(scope.values["view"]).split(" ", 1)
        rows, name, n = self.name(), self.name(), self.index(scope)
        self.emit(
            f"{rows} = ktdp.construct_memory_view {self.index(scope)}, sizes: [4, 8], strides: [8, 1]"
            " {coordinate_set ="
            " affine_set<(a, b) : (a >= 0, -a + 3 >= 0, b >= 0, -b + 7 >= 0)>, memory_space ="
            f" {SPACES[0]}}} : memref<4x8xi32>"
        )
        # Names of the variables may be those of outer values: they mean the variables inside the subscripts.
        p, c = self.rng.choice((("%p", "%c"), (n, "%c"), ("%p", n))) if self.rng.random() < 0.5 else ("%p", "%c")
        index = f"{rows}[{self.rng.choice(('0', p, self.index(scope)))}, {p}]"
        subscripts = self.rng.choice((f"ind({index}), ({c})", f"{index}, ({c})", f"({p} * 2 + 1), ({c} mod 8)"))
        kinds = f"{kind}, memref<4x8xi32>" if rows in subscripts else kind
        entries = self.dictionary("variables_space_set = #box", "variables_space_order = #same")
        self.emit(
            f"{name} = ktdp.construct_indirect_access_tile intermediate_variables({p}, {c}) {view}[{subscripts}]"
            f"{entries} : {kinds} -> !ktdp.access_tile<8x64xindex>"
        )
        scope.add("tile", name)

    def inter_tile(self, scope: Scope, depth: int) -> None:
        if "tensor" not in scope.values:
            self.memory(scope, depth)
        mine, kind = self.rng.choice(scope.values["tensor"]), "tensor<8x64xf16>"
        future, result, g, a, b = (self.name() for _ in range(5))
        pair = "affine_set<(i)[g] : (i - g * 2 >= 0, -i + g * 2 + 1 >= 0)>"
        groups = "affine_set<(g) : (g >= 0, -g + 3 >= 0)>"
        spelled = self.rng.choice(
            (f"-> <({kind}), groups = #groups>", f": {kind} -> !ktdp.tile_future<{kind}, groups = {groups}>")
        )
        self.lines.append(
            f"{future} = ktdp.inter_tile_produce producer_tiles_per_group = {pair}{self.dictionary()} {spelled} {{"
        )
        if self.rng.random() < 0.5:
            self.lines.append(f"^bb0({g}: index):")
        self.emit(f"ktdp.yield_partial {mine} : {kind}")
        self.emit("}")
        self.lines.append(
            f"{result} = ktdp.inter_tile_reduce({future}) consumer_tiles_per_group = {pair}, identity({mine} : {kind})"
            f"{self.dictionary()} : <({kind}), groups = #groups> -> {kind} {{"
        )
        self.lines.append(f"^bb0({a}: {kind}, {b}: {kind}):")
        self.emit(f"ktdp.yield_reduced {a} : {kind}")
        self.emit("}")
        scope.add("tensor", result)

    def runtime_argument(self, scope: Scope, depth: int) -> None:
        if RUNTIME not in scope.values:
            return
        name, argument = self.name(), self.rng.choice(scope.values[RUNTIME])
        kind = self.rng.choice((RUNTIME, RUNTIME.removeprefix("!ktdp.runtime_arg"), SWAPPED))
        what = self.rng.choice(("value", "granularity", "upperbound"))
        self.emit(f"{name} = ktdp.runtime_arg_extract {what} from {argument} : {kind}{self.dictionary()} -> index")
        scope.add("index", name)

    def box(self, scope: Scope) -> str:
        base = f" from {self.index(scope)}" if self.rng.random() < 0.5 else ""
        stride = self.rng.choice(("64", "-64", self.index(scope)))
        return f"@{self.rng.choice(('device', 'lx'))}[{self.index(scope)}{base}] strides [{stride}, 1]"

    def points(self, scope: Scope) -> str:
        """Which points of a box are moved."""
        clip = f" clip [0, {self.index(scope)}] to [{self.index(scope)}, 64]" if self.rng.random() < 0.5 else ""
        if self.rng.random() < 0.5:
            return clip
        return f"{clip} set affine_set<(r, c)[s] : (r - c + s >= 0)> symbols ({self.index(scope)})"

    def read_write(self, scope: Scope, depth: int) -> None:
        name, points = self.name(), self.points(scope)
        ending = f" fill {self.rng.randint(-9, 9)}" if points and self.rng.random() < 0.5 else ""
        self.emit(f"{name} = dataflow.read {self.box(scope)}{points}{ending}{self.dictionary()} : tensor<8x64xf16>")
        scope.add("tensor", name)
        if self.rng.random() < 0.5:
            to = f"{self.box(scope)}{self.points(scope)}{self.dictionary()}"
            self.emit(f"dataflow.write {name}, {to} : tensor<8x64xf16>")

    def schedule(self, scope: Scope, depth: int) -> None:
        buffer, kind = self.name(), 'memref<8x64xf16, "lx">'
        self.emit(
            f"{buffer} = dataflow.alloc{self.dictionary('depth = 2' if self.rng.random() < 0.5 else '')} : {kind}"
        )
        entries = self.dictionary('route = ["ddr", "load", "lx"]', "unit = @load")
        sides = self.rng.choice(
            ((self.box(scope), buffer, kind), (buffer, self.box(scope), kind), (buffer, buffer, f"{kind}, {kind}"))
        )
        self.emit(f"dataflow.data_transfer from {sides[0]} to {sides[1]}{entries} : {sides[2]}")
        self.emit(f"dataflow.{self.rng.choice(('post', 'wait'))} @c{self.dictionary('unit = @load')}")

    def intrinsic(self, scope: Scope, depth: int) -> None:
        name, kind = self.name(), self.rng.choice(("f16", "!spyreop.df16", "f32"))
        if kind not in scope.values:
            if kind == "!spyreop.df16":
                return
            self.emit(f"{name} = {self.rng.choice(('arith.constant', 'spyreop.constant'))} 1.5 : {kind}")
            scope.add(kind, name)
            return
        x, y = self.rng.choice(scope.values[kind]), self.rng.choice(scope.values[kind])
        unary = self.rng.choice(UNARY[:-1] if kind == "f32" else UNARY)
        predicate = self.rng.choice(("<lesserthan>", "#spyreop.compare_predicate<equal>"))
        op = self.rng.choice(
            (f"{unary} {x}", f"realdiv {x}, {y}", f"compare {predicate} {x}, {y}", f"select {x}, {y}, {x}")
        )
        self.emit(f"{name} = spyreop.{op}{self.dictionary()} : {kind}")
        scope.add(kind, name)

    def loop(self, scope: Scope, depth: int) -> None:
        iv, inner = self.name(), scope.inner()
        self.lines.append(f"scf.for {iv} = {self.index(scope)} to {self.index(scope)} step {self.index(scope)} {{")
        inner.add("index", iv)
        self.statements(inner, self.rng.randint(0, 3), depth + 1)
        self.emit("}")

    def unit(self, scope: Scope, depth: int) -> None:
        core, inner = self.name(), scope.inner()
        entries = self.dictionary("corelet = 1" if self.rng.random() < 0.5 else "")
        self.lines.append(f"dataflow.program_unit @u({core}){entries and ' attributes' + entries} {{")
        inner.add("index", core)
        self.statements(inner, self.rng.randint(0, 2), depth + 1)
        at = self.index(inner)
        self.emit(
            f"dataflow.transfer @device[{at}] strides [128] to @lx[{at} in @b] strides [2] counts [64]"
            " {element_bytes = 2}"
        )
        self.emit("}")

    def generic(self, scope: Scope, depth: int) -> None:
        if self.rng.random() < 0.5:
            at, p, o = self.index(scope), self.name(), self.name()
            self.lines.append(
                f"dataflow.stream counts [4, 64] ins(@a[{at}] strides [128, 2] : f16)"
                f" outs(@b[{at}] strides [128, 2] : f16) {{"
            )
            self.lines.append(f"^bb0({p}: f16, {o}: f16):")
            self.emit(f"dataflow.yield {p} : f16")
            self.emit("}")
            return
        if "tensor" not in scope.values:
            self.memory(scope, depth)
        source, result, p, o, q = self.rng.choice(scope.values["tensor"]), *(self.name() for _ in range(4))
        self.lines.append(
            f"{result} = linalg.generic {{indexing_maps = [#same, #same],"
            ' iterator_types = ["parallel", "parallel"]}'
            f" ins({source} : tensor<8x64xf16>) outs({source} : tensor<8x64xf16>) {{"
        )
        self.lines.append(f"^bb0({p}: f16, {o}: f16):")
        self.emit(f"{q} = spyreop.{self.rng.choice(UNARY)} {p} : f16")
        self.emit(f"linalg.yield {q} : f16")
        self.emit("} -> tensor<8x64xf16>")
        scope.add("tensor", result)

    # -- devices ------------------------------------------------------------------------------------------------------

    def device(self) -> None:
        self.lines.append(
            'ktdf_arch.device @d attributes {spyrec.map = #ktdf_arch.map<#ktdp.memory_space<global> = "a", f16 = 4>} {'
        )
        self.lines.append(f"%m = memory @m{self.dictionary('kind = 1', 'size = 64')}")
        self.group(["%m"], 0)
        self.lines.append("}")

    def group(self, memories: list[str], depth: int) -> None:
        shared = [m for m in memories if self.rng.random() < 0.7]
        units = self.rng.random() < 0.4
        head = f"%g{depth} = " if units else ""
        self.lines.append(
            f"{head}group{self.rng.choice(('', f' @g{self.rng.randint(0, 10**9)}'))}{self.dictionary('kind = 2')}"
            f" share({', '.join(shared)}) {{"
        )
        # The same names again: they mean other things in here.
        fresh = next(n for n in ("%m", "%n", "%o", "%p") if n not in shared)
        self.lines.append(f"{fresh} = memory{self.dictionary('kind = 3')}")
        self.lines.append(f"%u = exec_unit{self.dictionary('kind = 4')}")
        self.lines.append(
            f"datapath{self.dictionary('ktdf_arch.bandwidth = 8 : i64')} {fresh} to %u : memory, exec_unit"
        )
        if depth < 2 and self.rng.random() < 0.5:
            self.group([*shared, fresh], depth + 1)
        if units:
            self.lines.append("yield %u")
        self.lines.append("} -> exec_unit" if units else "}")


def respaced(text: str, rng: random.Random) -> str:
    """The same tokens with other white space and comments between them, where there was white space before."""
    tokens = Tokens(text, DIALECTS)
    gaps = (" ", "  ", "\n", "\t", "\r\n", " // { no ( bracket\n", "\n\n")
    out = []
    for index in range(tokens.count):
        if index and not tokens.adjacent(index):
            out.append(rng.choice(gaps) if rng.random() < 0.3 else " ")
        out.append(tokens.texts[index])
    return "".join(out) + "\n"
