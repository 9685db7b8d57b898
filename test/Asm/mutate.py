"""Texts that are almost right: the valid inputs of the tests with a few tokens changed, from a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

from spyrec.asm.lexer import Tokens

ROOT = Path(__file__).resolve().parents[2]
DIALECTS = ("ktdp", "spyreop", "dataflow", "ktdf_arch")
#: What gets written where something else belongs.
STRAY = (
    *'()[]{}<>,:=-+*/%#!@^?."',
    *("->", "::", "%x", "%nowhere", "@nowhere", "#nowhere", "!nowhere", "0", "-1", "99999999999999999999", "1.0e400"),
    *("index", "f16", "tensor<1x64xf16>", "memref<?xf16>", "ktdp.load", '"ktdp.load"', "ktdp.nothing", "arith.addi"),
    *(
        "affine_map<(d0) -> (d0)>",
        "affine_set<(d0) : (d0 >= 0)>",
        "loc(unknown)",
        'loc("k.py":1:2)',
        "^bb0:",
        "{a = 1}",
    ),
    *(
        "dense<0>",
        "é",
        "\t",
        "// comment\n",
        "unit",
        "attributes",
        "!ktdp.access_tile<4xindex>",
        "#ktdp.memory_space<global>",
    ),
)


def sources() -> list[str]:
    """The valid texts."""
    files = [*sorted((ROOT / "test/Asm/Inputs").glob("*.mlir")), *sorted((ROOT / "examples").glob("*.mlir"))]
    valid = (f for f in sorted((ROOT / "test/Dialects").glob("*/*.mlir")) if not f.name.startswith("refuses"))
    files += valid
    pages = sorted((ROOT / "docs/dialects").glob("*.md"))
    shown = [text for page in pages for text in re.findall(r"```mlir\n(.*?)```", page.read_text(), re.DOTALL)]
    whole = [text for text in shown if "func.func" in text or "ktdf_arch.device" in text]
    return [f.read_text() for f in (*files, ROOT / "spyrec/devices/spyre.mlir")] + whole


def mutants(seed: int, count: int) -> Iterator[str]:
    """``count`` texts; the same for the same seed."""
    rng = random.Random(seed)
    texts = sources()
    for _ in range(count):
        yield mutate(rng.choice(texts), rng)


def mutate(text: str, rng: random.Random) -> str:
    """One to three changes: a token deleted, doubled, swapped or replaced; the text cut; a character changed."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        try:
            tokens = Tokens(text, DIALECTS)
        except Exception:  # the last change made it unreadable, which is what is wanted
            return text
        if not tokens.count:
            return text
        i, j = rng.randrange(tokens.count), rng.randrange(tokens.count)
        start, end = tokens.starts[i], tokens.end(i)
        kind = rng.randrange(8)
        if kind == 0:
            text = text[:start] + text[end:]
        elif kind == 1:
            text = text[:end] + " " + text[start:]
        elif kind == 2:
            text = text[:start] + tokens.texts[j] + text[end:]
        elif kind in (3, 4):
            text = text[:start] + rng.choice(STRAY) + text[end:]
        elif kind == 5:
            text = text[:start] + rng.choice(STRAY) + " " + text[start:]
        elif kind == 6:
            text = text[: rng.randrange(len(text))]
        else:
            at = rng.randrange(len(text))
            text = text[:at] + chr(rng.choice((0, 9, 10, 32, 34, 37, 45, 60, 123, 0x20AC))) + text[at + 1 :]
    return text
