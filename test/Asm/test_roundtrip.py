"""Properties: what is printed reads back as it was, however printed; arguments keep their names; spacing is free."""

import random
import re

import pytest
from generate import Generator, respaced
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st
from mutate import sources
from texts import context

from spyrec import asm

FLAGS: list[dict[str, bool]] = [{}, {"debuginfo": True}, {"generic": True}, {"local_scope": True}]


def comes_back(text: str) -> str:
    """The plain print, after checking that every print reads back as itself and as the same module."""
    module = asm.read(text, "in.mlir", context()).module
    for flags in FLAGS:
        out = asm.print_op(module, **flags)
        again = asm.read(out, "out.mlir", context()).module
        assert asm.print_op(again, **flags) == out, flags
        # Names of results may differ where one form of printing needs more names than another.
        assert str(again) == str(module), flags
    return asm.print_op(module)


@settings(max_examples=60, derandomize=True, deadline=None, phases=[Phase.generate])
@given(st.integers(0, 1 << 30), st.booleans())
def test_modules_come_back(seed: int, trailers: bool) -> None:
    module = Generator(random.Random(seed), trailers=trailers).module()
    note(module.text)
    plain = comes_back(module.text)
    heads = [line for line in plain.splitlines() if "func.func @" in line]
    for head, names in zip(heads, module.arguments, strict=True):
        assert re.findall(r"%([\w.$-]+): ", head) == names


@settings(max_examples=25, derandomize=True, deadline=None, phases=[Phase.generate])
@given(st.integers(0, 1 << 30))
def test_white_space_and_comments_do_not_matter(seed: int) -> None:
    rng = random.Random(seed)
    text = Generator(rng, trailers=False).module().text
    other = respaced(text, rng)
    note(other)
    modules = [asm.read(t, "in.mlir", context()).module for t in (text, other)]
    assert str(modules[0]) == str(modules[1])


@pytest.mark.parametrize("text", sources(), ids=range(len(sources())))
def test_files_come_back(text: str) -> None:
    comes_back(text)
