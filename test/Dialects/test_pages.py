"""The pages in docs/dialects are what the classes say now."""

from pathlib import Path

import pytest

from spyrec.dialects import docs
from spyrec.ods import registry

PAGES = Path(__file__).resolve().parents[2] / "docs" / "dialects"


def test_pages_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert docs.main(["--check"], PAGES) == 0, capsys.readouterr().out


def test_a_stale_page_is_noticed(tmp_path: Path) -> None:
    assert docs.main([], tmp_path) == 0
    assert docs.main(["--check"], tmp_path) == 0
    page = tmp_path / "ktdp.md"
    page.write_text(page.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    assert docs.main(["--check"], tmp_path) == 1


def test_everything_has_a_summary() -> None:
    classes = [*registry.ops.values(), *registry.types.values(), *registry.attributes.values()]
    silent = [c.spec.name for c in classes if not c.spec.summary.endswith((".", ")"))]
    assert not silent
    undocumented = [f"{op.NAME}.{f.name}" for op in registry.ops.values() for f in op.spec.fields.values() if not f.doc]
    assert not undocumented
