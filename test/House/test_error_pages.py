"""What the pages of messages show is what comes out.

Pages with commands are run. After a change of a message: ``python test/tools/doc_examples.py --update
docs/errors/ID.md``. Other pages show a message that takes a broken binary or a bug to get: it must be one that the
sources can make. Which tests reach those is in ``error-sites.txt``.
"""

import ast
import functools
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "tools"))
import doc_examples  # noqa: E402
import error_sites  # noqa: E402

ALL = sorted((ROOT / "docs" / "errors").glob("*.md"))
PAGES = [page for page in ALL if doc_examples.has_examples(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_comes_out(page: Path) -> None:
    for shown in doc_examples.run(page):
        assert shown.agrees, f"$ {shown.command}\n{shown.printed}"


def test_a_page_that_is_wrong_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "x.md"
    page.write_text(
        "# x\n\n```sh a.sh\necho one\necho two\n```\n\n```console\n$ sh a.sh\none\n$ sh a.sh\n...\ntwo\n```\n"
    )
    assert [shown.agrees for shown in doc_examples.run(page)] == [False, True]
    doc_examples.update(page)
    assert [shown.agrees for shown in doc_examples.run(page)] == [True, True]
    assert "one\ntwo\n$ sh a.sh\n...\ntwo\n```" in page.read_text()


_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MESSAGE = re.compile(r"^(?:[^\s:]+:\d+:\d+: )?(?:error|warning|remark): (.*) \[([a-z-]+)\]$", re.MULTILINE)


def shown(page: Path) -> list[tuple[str, str]]:
    """Messages and their ids in blocks that are not run."""
    text = page.read_text(encoding="utf-8")
    return [pair for block in _FENCE.finditer(text) if block[1] != "console" for pair in _MESSAGE.findall(block[2])]


@functools.cache
def sentences() -> tuple[re.Pattern[str], ...]:
    """The strings of the sources long enough to be (the end of) a message, with ``.*`` for what they insert."""
    found: set[str] = set()
    for path in error_sites.sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            fixed = [p.value if isinstance(p, ast.Constant) and isinstance(p.value, str) else None for p in parts]
            if sum(c.isalpha() for part in fixed if part for c in part) >= 10:
                found.add("".join(".*" if part is None else re.escape(part) for part in fixed))
    return tuple(re.compile(pattern, re.DOTALL) for pattern in found)


def can_be_said(message: str) -> bool:
    """Whether a string of the sources makes the message, or what follows one of its colons."""
    ends = [message, *(message[colon.end() :] for colon in re.finditer(": ", message))]
    return any(sentence.fullmatch(end) for sentence in sentences() for end in ends)


@pytest.mark.parametrize("page", [page for page in ALL if shown(page)], ids=lambda page: page.stem)
def test_a_message_that_is_not_run_is_one_of_the_sources(page: Path) -> None:
    # That of a crash is the exception's own.
    wrong = [m for m, id in shown(page) if id != "pass-crashed" and not can_be_said(m)]
    assert not wrong, wrong


def test_each_page_is_run_or_compared() -> None:
    assert [page.stem for page in ALL if page not in PAGES and not shown(page)] == []
    assert not can_be_said("an operand in LX must be the result of a dataflow.allocation")
