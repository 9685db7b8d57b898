"""Each pass has a page of its own and tests of its own: what it does, leaves alone and refuses, and each option.

That it is idempotent, runs alone and points to places of the kernel is tested for all at once, in
``test/Passes/test_every_pass.py``.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import pytest

from spyrec.passkit import Pass, registry

TESTS = Path(__file__).resolve().parents[1] / "Passes"
PASSES = {name: registry.lookup(name) for name in registry.names()}


def page(pass_: type[Pass]) -> str:
    """The docstring as one line."""
    return " ".join((inspect.getdoc(pass_) or "").split())


def texts(name: str, *stems: str) -> list[str]:
    """The tests of a pass whose names begin with one of ``stems``."""
    found = [path for path in (TESTS / name).iterdir() if path.is_file()]
    return [path.read_text() for path in found if path.name.startswith(stems)]


def only_checks(pass_: type[Pass]) -> bool:
    return "It changes nothing" in page(pass_)


@pytest.mark.parametrize("name", PASSES)
def test_the_page_shows_ir_and_says_what_is_refused(name: str) -> None:
    text = page(PASSES[name])
    assert "Refuse" in text or "refuses" in text
    assert only_checks(PASSES[name]) or ("IR before" in text and "IR after" in text)


@pytest.mark.parametrize("name", PASSES)
def test_what_it_does_and_leaves_alone(name: str) -> None:
    assert only_checks(PASSES[name]) or texts(name, "basic", "test_")
    assert any(name in text for text in texts(name, "leaves-alone"))


@pytest.mark.parametrize("name", [n for n in PASSES if not re.search("[Rr]efuses nothing[.:]", page(PASSES[n]))])
def test_what_it_refuses(name: str) -> None:
    assert any(re.search("expected-error|not [12] spyrec", text) for text in texts(name, ""))


@pytest.mark.parametrize("name", [n for n in PASSES if dataclasses.fields(PASSES[n])])
def test_each_option(name: str) -> None:
    tests = "\n".join(texts(name, ""))
    for option in dataclasses.fields(PASSES[name]):
        assert re.search(rf"{name}(=|{{)[\w= ,]*\b{option.name}=", tests), option.name
