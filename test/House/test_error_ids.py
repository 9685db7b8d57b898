"""Ids of diagnostics: the table, the code, the pages and the tests name the same ones."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spyrec import errors
from spyrec.diag.ids import IDS

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "tools"))
import error_ids  # noqa: E402
import error_sites  # noqa: E402

PAGES = {path.stem: path for path in (ROOT / "docs" / "errors").glob("*.md")}
FOLDERS = ("spyrec", "passes", "dialects")
# Callee -> position of the id among its arguments. `id=` is one wherever it is.
POSITIONS = {"error": 1, "warning": 1, "remark": 1, "Violation": 0, "Diagnostic": 2, "refused": 1}
ID = re.compile(r"[a-z]+(-[a-z]+)+|syntax|truncated|overlap|race|deadlock|misaligned|roundtrip")


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        # The two symlinks in spyrec lead to the other folders; rglob does not follow them.
        yield from (p for p in (ROOT / folder).rglob("*.py") if p.name != "ids.py" and not p.is_symlink())


def used(path: Path) -> Iterator[tuple[str, int]]:
    """Ids that calls in a file report under, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        position = POSITIONS.get(name)
        given = [node.args[position]] if position is not None and len(node.args) > position else []
        given += [k.value for k in node.keywords if k.arg == "id"]
        for value in given:
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and ID.fullmatch(value.value):
                yield value.value, value.lineno


def test_what_is_reported_has_a_row() -> None:
    unknown = [f"{path}:{line}: {i}" for path in sources() for i, line in used(path) if i not in IDS]
    assert not unknown, "add rows to spyrec/diag/ids.py: " + ", ".join(unknown)
    # The search finds calls at all.
    assert len({i for path in sources() for i, _ in used(path)}) > 50


def test_each_row_is_reported_somewhere() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources())
    unused = [i for i in IDS if f'"{i}"' not in text]
    assert not unused, f"remove rows, or report them: {unused}"


def test_each_id_has_a_page_and_each_page_an_id() -> None:
    assert sorted(set(IDS) - set(PAGES)) == [], "docs/errors lacks pages"
    assert sorted(set(PAGES) - set(IDS)) == [], "docs/errors has pages of no id"


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda path: path.stem)
def test_a_page_says_what_shows_it_and_says_what_to_do(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.stem}\n\n")
    prose = re.split(r"^```[^\n]*\n.*?^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(prose) > 1, "it shows no message"
    assert len(prose[0].split()) > 5, "it does not say what the message means"
    assert len(prose[-1].split()) > 3, "it does not say what to do"
    assert f"[{page.stem}]" in text.partition("```")[2], "the example does not show the message"


def test_classes_are_exceptions() -> None:
    for name, line in IDS.values():
        assert issubclass(getattr(errors, name), errors.SpyrecError)
        assert line
        assert not line.endswith(".")


def test_each_id_is_reached_by_a_test() -> None:
    # Whether they are is found out by test/tools/error_ids.py, which runs all tests; here the list is complete.
    listed = error_ids.read("id")
    assert sorted(set(IDS) - set(listed)) == [], "write a test, then: python test/tools/error_ids.py --update TEST"
    assert sorted(set(listed) - set(IDS)) == []
    assert [test for test in listed.values() if not (ROOT / test).is_file()] == []


def test_each_place_that_reports_is_reached_by_a_test() -> None:
    # As above, for each call that makes a diagnostic: a message that no test has seen may say anything.
    listed = error_ids.read("site")
    there = error_ids.wanted()["site"]
    assert sorted(there - set(listed)) == [], (
        "write a test that reaches it, then: python test/tools/error_ids.py --update TEST"
    )
    assert sorted(set(listed) - there) == [], "python test/tools/error_ids.py --update TEST takes out what is gone"
    tests = {test for test in listed.values() if not test.startswith(error_ids.EXCEPT)}
    assert [test for test in sorted(tests) if not (ROOT / test).is_file()] == []
    reasons = [test.removeprefix(error_ids.EXCEPT) for test in listed.values() if test.startswith(error_ids.EXCEPT)]
    assert all(len(reason.split()) > 2 for reason in reasons)
    assert [reason for reason in reasons if "yet" in reason.split()] == [], "a reason lasts"


def test_a_place_is_found_however_it_is_written() -> None:
    file = error_sites.ROOT / "passes" / "x.py"
    text = """
class A:
    def f(self, sink):
        sink.error(self, "syntax", "one")
        sink.error(self, "syntax", "two")
        if self.id == "syntax":
            raise UsageError(f"three {self}")
        return "syntax", "four"
"""
    found = [(site.name, site.line) for site in error_sites.Finder(file, text, frozenset({"syntax"})).found()]
    name = "passes/x.py::A.f"
    assert found == [(f"{name} syntax", 4), (f"{name} syntax#1", 5), (f"{name} UsageError", 7), (f"{name} syntax#2", 8)]
