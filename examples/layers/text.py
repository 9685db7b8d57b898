"""Writes the text of a kernel: enough of KTIR for the families of this folder, in three styles.

``hand`` writes index arithmetic and named ops; ``triton`` computes addresses in i32, loops over i32, and puts Python
locations behind its ops, every other one by an alias that stands at the end of the file; ``inductor`` writes
``linalg.generic`` for what it computes, folds, moves and multiplies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

SPACES = {
    "hand": "#ktdp.memory_space<global>",
    "triton": "#ktdp.spyre_memory_space<HBM>",
    "inductor": "#ktdp.memory_space<global>",
}
STYLES = tuple(SPACES)


@dataclass(frozen=True)
class Value:
    """An SSA value: a tensor of ``shape``, or a scalar when ``shape`` is ``None``."""

    name: str
    shape: tuple[int, ...] | None
    element: str

    @property
    def type(self) -> str:
        if self.shape is None:
            return self.element
        return f"tensor<{'x'.join([*map(str, self.shape), self.element])}>"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class View:
    """A view of device memory."""

    name: str
    sizes: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        return f"memref<{'x'.join([*map(str, self.sizes), self.element])}>"


def box(sizes: Sequence[int], low: Sequence[int] | None = None) -> str:
    """The set of a box of ``sizes`` whose first point is ``low``."""
    dims = ", ".join(f"d{k}" for k in range(len(sizes)))
    rules = []
    for k, size in enumerate(sizes):
        first = low[k] if low else 0
        rules.append(f"d{k} - {first} >= 0" if first else f"d{k} >= 0")
        rules.append(f"-d{k} + {first + size - 1} >= 0")
    return f"affine_set<({dims}) : ({', '.join(rules)})>"


def identity(rank: int) -> str:
    """The map that hands out all dimensions in order."""
    dims = ", ".join(f"d{k}" for k in range(rank))
    return f"affine_map<({dims}) -> ({dims})>"


def dense(sizes: Sequence[int]) -> list[int]:
    """Strides of a row-major array."""
    strides = [1] * len(sizes)
    for k in range(len(sizes) - 2, -1, -1):
        strides[k] = strides[k + 1] * sizes[k + 1]
    return strides


def literal(value: float | str) -> str:
    """A number as MLIR writes it: a float has a point."""
    text = str(value)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


@dataclass
class Text:
    """A kernel under construction; ``str`` of it is the file."""

    name: str
    grid: tuple[int, ...]
    pointers: str
    style: str = "hand"
    scalars: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    numbers: Iterator[int] = field(default_factory=count)
    row: Iterator[int] = field(default_factory=lambda: count(10))
    aliased: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        arguments = [f"%{name}: index" for name in self.pointers.split()]
        arguments += [f"%{name}: {type_}" for name, type_ in self.scalars.items()]
        grid = ", ".join(map(str, self.grid))
        head = f"func.func @{self.name}({', '.join(arguments)}) attributes {{grid = [{grid}]}} {{"
        aliases = [f"#loc{row} = {self._place(row)}" for row in self.aliased]
        return "\n".join([head, *self.lines, "  return", "}", *aliases, ""])

    def _place(self, row: int) -> str:
        return f'loc("{self.name}.py":{row}:4)'

    # Lines

    def line(self, text: str) -> None:
        """A line as it is; in Triton's style with a location behind it."""
        ends = not text.endswith(("{", "}")) and not text.startswith(("^", "}"))
        place = ""
        if self.style == "triton" and ends:
            row = next(self.row)
            if row % 2:
                self.aliased.append(row)
            place = f" loc(#loc{row})" if row % 2 else f" {self._place(row)}"
        self.lines.append("  " * self.depth + text + place)

    def new(self, text: str, element: str, shape: Sequence[int] | None = None) -> Value:
        """A fresh value that ``text`` computes."""
        value = Value(f"%v{next(self.numbers)}", None if shape is None else tuple(shape), element)
        self.line(f"{value} = {text}")
        return value

    # Numbers

    def index(self, value: int) -> Value:
        return self.new(f"arith.constant {value} : index", "index")

    def number(self, value: float | str, element: str) -> Value:
        return self.new(f"arith.constant {literal(value)} : {element}", element)

    def core(self) -> Value:
        """The flat id of the tile."""
        return self.new("ktdp.get_compute_tile_id : index", "index")

    def cores(self, rank: int) -> list[Value]:
        """One id per dimension of the grid."""
        found = [Value(f"%v{next(self.numbers)}", None, "index") for _ in range(rank)]
        self.line(f"{', '.join(map(str, found))} = ktdp.get_compute_tile_id : {', '.join(['index'] * rank)}")
        return found

    def scaled(self, value: Value, factor: int, plus: int | Value = 0) -> Value:
        """``value * factor + plus`` as an index, in the arithmetic of the style."""
        if self.style == "triton":
            narrow = value if value.element == "i32" else self.cast("arith.index_cast", value, "i32")
            by = self.number(factor, "i32")
            out = self.new(f"arith.muli {narrow}, {by} : i32", "i32")
            if plus:
                more = plus if isinstance(plus, Value) else self.number(plus, "i32")
                if more.element != "i32":
                    more = self.cast("arith.index_cast", more, "i32")
                out = self.new(f"arith.addi {out}, {more} : i32", "i32")
            return self.cast("arith.index_cast", out, "index")
        out = self.new(f"arith.muli {value}, {self.index(factor)} : index", "index")
        if plus:
            more = plus if isinstance(plus, Value) else self.index(plus)
            out = self.new(f"arith.addi {out}, {more} : index", "index")
        return out

    # Memory

    def view(
        self, pointer: str, sizes: Sequence[int], element: str, strides: Sequence[int] | None = None, points: str = ""
    ) -> View:
        view = View(f"%v{next(self.numbers)}", tuple(sizes), element)
        steps = list(strides) if strides is not None else dense(sizes)
        self.line(
            f"{view.name} = ktdp.construct_memory_view %{pointer}, sizes: {list(sizes)}, strides: {steps}"
            f" {{coordinate_set = {points or box(sizes)}, memory_space = {SPACES[self.style]}}} : {view.type}"
        )
        return view

    def tile(self, view: View, at: Sequence[object], shape: Sequence[int], order: str = "", points: str = "") -> str:
        """An access tile of ``shape`` anchored at ``at``."""
        name = f"%v{next(self.numbers)}"
        self.line(
            f"{name} = ktdp.construct_access_tile {view.name}[{', '.join(map(str, at))}]"
            f" {{access_tile_order = {order or identity(len(at))}, access_tile_set = {points or box(shape)}}}"
            f" : {view.type} -> !ktdp.access_tile<{'x'.join(map(str, shape))}xindex>"
        )
        return name

    def load(self, view: View, at: Sequence[object], shape: Sequence[int], order: str = "", points: str = "") -> Value:
        tile = self.tile(view, at, shape, order, points)
        value = Value("", tuple(shape), view.element)
        return self.new(f"ktdp.load {tile} : <{'x'.join(map(str, shape))}xindex> -> {value.type}", view.element, shape)

    def store(self, value: Value, view: View, at: Sequence[object], order: str = "", points: str = "") -> None:
        assert value.shape is not None
        tile = self.tile(view, at, value.shape, order, points)
        self.line(f"ktdp.store {value}, {tile} : {value.type}, <{'x'.join(map(str, value.shape))}xindex>")

    # Compute

    def empty(self, shape: Sequence[int], element: str) -> Value:
        return self.new(f"tensor.empty() : {Value('', tuple(shape), element).type}", element, shape)

    def filled(self, shape: Sequence[int], element: str, value: float | str) -> Value:
        """A dense constant."""
        return self.new(
            f"arith.constant dense<{literal(value)}> : {Value('', tuple(shape), element).type}", element, shape
        )

    def splat(self, value: Value, shape: Sequence[int]) -> Value:
        type_ = Value("", tuple(shape), value.element).type
        return self.new(f"tensor.splat {value} : {type_}", value.element, shape)

    def same(self, op: str, *values: Value) -> Value:
        """An element-wise op whose operands and result have one type; a generic in Inductor's style."""
        first = values[0]
        if self.style == "inductor" and first.shape is not None:
            return self.generic(values, first.element, lambda a: f"{op} {', '.join(a)} : {first.element}")
        return self.new(f"{op} {', '.join(map(str, values))} : {first.type}", first.element, first.shape)

    def generic(self, values: Sequence[Value], element: str, body: Callable[[Sequence[str]], str]) -> Value:
        """``linalg.generic`` of one op over tensors of one shape."""
        shape = values[0].shape
        assert shape is not None
        every = tuple(range(len(shape)))
        names = [f"%a{k}" for k in range(len(values))]
        return self.over(
            values, self.empty(shape, element), [every] * (len(values) + 1), every, [f"%r = {body(names)}"]
        )

    def over(
        self,
        values: Sequence[Value],
        out: Value,
        dims: Sequence[Sequence[int]],
        kept: Sequence[int],
        body: Sequence[str],
    ) -> Value:
        """``linalg.generic`` into ``out``: the loops that each operand goes along, the ones that are parallel, and a
        body over ``%a0``, ... and the old ``%o`` that computes ``%r`` (``%a0`` when empty)."""
        loops = 1 + max(d for one in dims for d in one)
        names = ", ".join(f"d{k}" for k in range(loops))
        maps = ", ".join(f"affine_map<({names}) -> ({', '.join(f'd{k}' for k in one)})>" for one in dims)
        kinds = ", ".join('"parallel"' if k in kept else '"reduction"' for k in range(loops))
        result = Value(f"%v{next(self.numbers)}", out.shape, out.element)
        ins = f"ins({', '.join(map(str, values))} : {', '.join(v.type for v in values)})"
        self.line(
            f"{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {ins}"
            f" outs({out} : {out.type}) {{"
        )
        arguments = [f"%a{k}: {value.element}" for k, value in enumerate(values)]
        self.line(f"^bb0({', '.join([*arguments, f'%o: {out.element}'])}):")
        for text in [*body, f"linalg.yield {'%r' if body else '%a0'} : {out.element}"]:
            self.lines.append("  " * self.depth + "  " + text)
        self.line(f"}} -> {result.type}")
        return result

    def cast(self, op: str, value: Value, element: str) -> Value:
        to = Value("", value.shape, element).type
        if self.style == "inductor" and value.shape is not None:
            return self.generic([value], element, lambda a: f"{op} {a[0]} : {value.element} to {element}")
        return self.new(f"{op} {value} : {value.type} to {to}", element, value.shape)

    def wide(self, value: Value) -> Value:
        """As f32."""
        return value if value.element == "f32" else self.cast("arith.extf", value, "f32")

    def narrow(self, value: Value, element: str) -> Value:
        return value if value.element == element else self.cast("arith.truncf", value, element)

    def reduce(self, op: str, value: Value, dims: Sequence[int], init: Value) -> Value:
        if self.style == "inductor":
            assert value.shape is not None
            every = range(len(value.shape))
            kept = [k for k in every if k not in dims]
            return self.over([value], init, [every, kept], kept, [f"%r = {op} %a0, %o : {value.element}"])
        return self.new(
            f"linalg.reduce {{ {op} }} ins({value} : {value.type}) outs({init} : {init.type})"
            f" dimensions = {list(dims)}",
            value.element,
            init.shape,
        )

    def broadcast(self, value: Value, shape: Sequence[int], dims: Sequence[int]) -> Value:
        out = self.empty(shape, value.element)
        if self.style == "inductor":
            every = range(len(shape))
            return self.over([value], out, [[k for k in every if k not in dims], every], every, [])
        return self.new(
            f"linalg.broadcast ins({value} : {value.type}) outs({out} : {out.type}) dimensions = {list(dims)}",
            value.element,
            shape,
        )

    def transpose(self, value: Value, permutation: Sequence[int]) -> Value:
        assert value.shape is not None
        shape = [value.shape[k] for k in permutation]
        out = self.empty(shape, value.element)
        if self.style == "inductor":
            every = range(len(shape))
            return self.over([value], out, [[permutation.index(k) for k in every], every], every, [])
        return self.new(
            f"linalg.transpose ins({value} : {value.type}) outs({out} : {out.type}) permutation = {list(permutation)}",
            value.element,
            shape,
        )

    def named(self, op: str, left: Value, right: Value, init: Value) -> Value:
        """``linalg.matmul`` and its like; a contraction of two or three parallel loops in Inductor's style."""
        if self.style == "inductor":
            assert init.shape is not None
            batch = list(range(len(init.shape) - 2))
            i, j, k = (len(batch) + n for n in range(3))
            narrow, wide, body, factors = left.element, init.element, [], ["%a0", "%a1"]
            if narrow != wide:
                body = [f"%w{n} = arith.extf {factors[n]} : {narrow} to {wide}" for n in range(2)]
                factors = ["%w0", "%w1"]
            body += [f"%p = arith.mulf {', '.join(factors)} : {wide}", f"%r = arith.addf %o, %p : {wide}"]
            return self.over(
                [left, right], init, [[*batch, i, k], [*batch, k, j], [*batch, i, j]], [*batch, i, j], body
            )
        return self.new(
            f"linalg.{op} ins({left}, {right} : {left.type}, {right.type}) outs({init} : {init.type}) -> {init.type}",
            init.element,
            init.shape,
        )

    # Control

    @contextmanager
    def loop(self, low: object, high: object, step: int = 1, carried: Sequence[Value] = ()) -> Iterator[Loop]:
        """``scf.for``; its counter is an i32 in Triton's style. ``yields`` of the loop is what it hands on."""
        kind = "i32" if self.style == "triton" else "index"
        ends = []
        for end in (low, high, step):
            if isinstance(end, Value):
                ends.append(end if end.element == kind else self.cast("arith.index_cast", end, kind))
            else:
                ends.append(self.number(int(str(end)), kind))
        counter = Value(f"%v{next(self.numbers)}", None, kind)
        inside = [Value(f"%v{next(self.numbers)}", v.shape, v.element) for v in carried]
        after = f"%v{next(self.numbers)}"
        head = f"scf.for {counter} = {ends[0]} to {ends[1]} step {ends[2]}"
        if carried:
            pairs = ", ".join(f"{a} = {b}" for a, b in zip(inside, carried, strict=True))
            head = f"{after}:{len(carried)} = {head} iter_args({pairs}) -> ({', '.join(v.type for v in carried)})"
        self.line(head + (" : i32 {" if kind == "i32" else " {"))
        self.depth += 1
        loop = Loop(counter, inside, [Value(f"{after}#{k}", v.shape, v.element) for k, v in enumerate(carried)])
        yield loop
        if carried:
            self.line(f"scf.yield {', '.join(map(str, loop.yields))} : {', '.join(v.type for v in loop.yields)}")
        self.depth -= 1
        self.line("}")


@dataclass
class Loop:
    """A loop's counter, what it carries inside, what it hands out, and what each iteration yields."""

    counter: Value
    carried: list[Value]
    results: list[Value]
    yields: list[Value] = field(default_factory=list)
