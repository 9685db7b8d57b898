"""Each decision has a number of its own, and whoever names one by its number names one that is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
NUMBERS = [path.name[:4] for path in DECISIONS]


def test_numbers_are_taken_once() -> None:
    assert len(set(NUMBERS)) == len(NUMBERS)


def test_those_that_are_named_are_there() -> None:
    texts = [
        *DECISIONS,
        *(ROOT / "docs").glob("*.md"),
        *(p for d in ("spyrec", "dialects", "passes", "test", "bench") for p in (ROOT / d).rglob("*.py")),
    ]
    named = {n for path in texts for n in re.findall(r"\((00\d\d)\)|decisions/(\d{4})", path.read_text())}
    assert named
    assert {a or b for a, b in named} <= set(NUMBERS)
