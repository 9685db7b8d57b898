"""The scalar part of a unit, written again and plainly: runs decoded code and lists the transfers that it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spyrec.isa import Instruction, Xfer, alu
from spyrec.isa.objects import End

MOST_STEPS = 200_000


def transfers(code: Sequence[Instruction], core: int, bank: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Source and destination address of each transfer, in order. Registers start as junk."""
    r = [0x7A7A] * 32
    loops: list[tuple[int, int, int]] = []
    pc = 0

    def address(end: End) -> int:
        return alu.wrap((0 if end.base is None else r[end.base]) + end.offset)

    for _ in range(MOST_STEPS):
        i = code[pc]
        pc += 1
        if i.op == "halt":
            return
        if isinstance(i, Xfer):
            yield address(i.source), address(i.dest)
        elif i.op == "li":
            r[i.rd] = i.imm
        elif i.op == "param":
            r[i.rd] = bank[i.imm]
        elif i.op == "core":
            r[i.rd] = core
        elif i.op == "mov":
            r[i.rd] = r[i.ra]
        elif i.op == "sext":
            r[i.rd] = alu.wrap(r[i.ra], i.imm)
        elif i.op == "zext":
            r[i.rd] = alu.unsigned(r[i.ra], i.imm)
        elif i.op == "select":
            r[i.rd] = r[i.ra] if r[i.rc] else r[i.rb]
        elif i.op == "brz":
            pc = pc if r[i.ra] else i.target
        elif i.op == "jump":
            pc = i.target
        elif i.op == "loop":
            count = r[i.ra]
            assert count >= 0, count
            if count == 0:
                pc = i.target + 1
            else:
                loops.append((pc - 1, 0, count))
                r[i.rd] = 0
        elif i.op == "endloop":
            start, done, count = loops.pop()
            if done + 1 < count:
                loops.append((start, done + 1, count))
                r[code[start].rd] = done + 1
                pc = start + 1
        elif i.op == "repeat":
            loops.append((pc - 1, 0, 0))
        elif i.op == "exitz":
            if not r[i.ra]:
                pc = code[loops.pop()[0]].target + 1
        elif i.op == "endrepeat":
            pc = loops[-1][0] + 1
        elif i.op in alu.OPERATIONS:
            r[i.rd] = alu.evaluate(i.op, r[i.ra], r[i.rb])
        else:
            assert i.op[-1] == "i", i.op
            r[i.rd] = alu.evaluate(i.op[:-1], r[i.ra], i.imm)
    raise AssertionError("the program does not end")
