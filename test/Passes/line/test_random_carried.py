"""Random programs that carry, permute, choose, cut and paste tensors: the schedule computes what the kernel says.

They start from, yield and store any value in sight, twice or not at all, so that all ways in which two tensors could
come to lie in one place, or one in two, are tried. Nothing of upstream may fail on them.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from scheduled import Kernel

TYPE = "tensor<8xi32>"
STORED = 4


class Text:
    """Writes one program. ``seen`` are the tensors that may be used where the text stands."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.names = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def add(self, depth: int, line: str) -> None:
        self.lines.append("  " * depth + line)

    def whole(self) -> str:
        """The text of a kernel."""
        self.add(0, "func.func @random(%x: index, %y: index, %n: index) attributes {grid = [1]} {")
        for k in (0, 1, 2, 3, 8, 16, 24):
            self.add(1, f"%c{k} = arith.constant {k} : index")
        self.add(1, "%i7 = arith.constant 7 : i32")
        self.add(1, f"%e = tensor.empty() : {TYPE}")
        self.add(1, f"%a = dataflow.read @device[%c0 from %x] strides [1] : {TYPE}")
        self.add(1, f"%b = dataflow.read @device[%c8 from %x] strides [1] : {TYPE}")
        self.add(1, f"%k = linalg.fill ins(%i7 : i32) outs(%e : {TYPE}) -> {TYPE}")
        seen = self.block(1, ["%a", "%b", "%k"], "%n")
        for k in range(STORED):
            self.add(1, f"dataflow.write {self.rng.choice(seen)}, @device[%c{8 * k} from %y] strides [1] : {TYPE}")
        self.add(1, "return")
        self.add(0, "}")
        return "\n".join(self.lines) + "\n"

    def block(self, depth: int, seen: list[str], number: str) -> list[str]:
        """Some statements; the values that are in sight after them. ``number`` is an integer to branch on."""
        seen = list(seen)
        for _ in range(self.rng.randint(1, 4)):
            kinds = [self.compute, self.paste, self.fill, self.select]
            if depth < 4:
                kinds += [self.loop, self.loop, self.branch]
            seen += self.rng.choice(kinds)(depth, seen, number)
        return seen

    def compute(self, depth: int, seen: list[str], _: str) -> list[str]:
        made, op = self.name(), self.rng.choice(["addi", "subi", "muli", "maxsi"])
        self.add(depth, f"{made} = arith.{op} {self.rng.choice(seen)}, {self.rng.choice(seen)} : {TYPE}")
        return [made]

    def fill(self, depth: int, seen: list[str], _: str) -> list[str]:
        made = self.name()
        self.add(depth, f"{made} = linalg.fill ins(%i7 : i32) outs(%e : {TYPE}) -> {TYPE}")
        return [made]

    def paste(self, depth: int, seen: list[str], _: str) -> list[str]:
        part, made = self.name(), self.name()
        start, end = self.rng.choice("01234"), self.rng.choice("01234")
        self.add(
            depth,
            f"{part} = tensor.extract_slice {self.rng.choice(seen)}[{start}] [4] [1] : {TYPE} to tensor<4xi32>",
        )
        self.add(
            depth,
            f"{made} = tensor.insert_slice {part} into {self.rng.choice(seen)}[{end}] [4] [1] : tensor<4xi32>"
            f" into {TYPE}",
        )
        return [made]

    def select(self, depth: int, seen: list[str], number: str) -> list[str]:
        made, flag = self.name(), self.flag(depth, number)
        self.add(depth, f"{made} = arith.select {flag}, {self.rng.choice(seen)}, {self.rng.choice(seen)} : {TYPE}")
        return [made]

    def flag(self, depth: int, number: str) -> str:
        made = self.name()
        self.add(depth, f"{made} = arith.cmpi sgt, {number}, %c{self.rng.randint(0, 2)} : index")
        return made

    def loop(self, depth: int, seen: list[str], _: str) -> list[str]:
        count = self.rng.randint(1, 3)
        made, counter, taken = self.name(), self.name(), [self.name() for _ in range(count)]
        starts = ", ".join(f"{name} = {self.rng.choice(seen)}" for name in taken)
        end = self.rng.choice(["%n", "%n", "%c2"])
        types = ", ".join([TYPE] * count)
        self.add(
            depth,
            f"{made}:{count} = scf.for {counter} = %c0 to {end} step %c1 iter_args({starts}) -> ({types}) {{",
        )
        inner = self.block(depth + 1, [*seen, *taken, *taken], counter)
        self.add(depth + 1, f"scf.yield {', '.join(self.rng.choice(inner) for _ in taken)} : {types}")
        self.add(depth, "}")
        return [f"{made}#{k}" for k in range(count)]

    def branch(self, depth: int, seen: list[str], number: str) -> list[str]:
        count = self.rng.randint(1, 2)
        made, flag, types = self.name(), self.flag(depth, number), ", ".join([TYPE] * count)
        self.add(depth, f"{made}:{count} = scf.if {flag} -> ({types}) {{")
        for after in ("} else {", "}"):
            inner = self.block(depth + 1, seen, number)
            self.add(depth + 1, f"scf.yield {', '.join(self.rng.choice(inner) for _ in range(count))} : {types}")
            self.add(depth, after)
        return [f"{made}#{k}" for k in range(count)]


def kernel(seed: int) -> Kernel:
    """The random kernel of a seed."""
    text = Text(seed).whole()
    numbers = np.arange(16, dtype=np.int32).reshape(2, 8)
    stored = np.zeros((STORED, 8), np.int32)
    return Kernel(
        "random",
        lambda _: {"x": numbers},
        lambda *_: {"y": stored},
        scalars=tuple({"n": n} for n in (0, 1, 3)),
        written=text,
    )


@pytest.mark.parametrize("seed", [*range(40), 635, 851])
def test_the_schedule_computes_what_the_kernel_says(seed: int) -> None:
    made = kernel(seed)
    first, before, _ = made.at("kernel")
    second, after, _ = made.at("schedule")
    for scalars in made.scalars:
        assert (made.execute(before, scalars)["y"] == made.execute(after, scalars)["y"]).all(), made.written
    del first, second  # the functions die with their modules
