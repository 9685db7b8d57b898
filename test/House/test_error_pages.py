"""What the pages of messages show is what comes out.

After a change of a message: ``python test/tools/doc_examples.py --update docs/errors/ID.md``.
"""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "tools"))
import doc_examples  # noqa: E402

PAGES = [page for page in sorted((ROOT / "docs" / "errors").glob("*.md")) if doc_examples.has_examples(page)]


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
