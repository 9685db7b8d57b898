"""docs/passes.md is what the classes and the table of stages say now, and every pass shows what it does."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from spyrec.driver import passdocs
from spyrec.mlir import ir
from spyrec.passkit import Pass, PassContext, option, registry

# Other tests register passes of their own.
NAMES = [name for name in registry.names() if registry.lookup(name).__module__.startswith("spyrec.passes.")]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "passes.md"


def test_the_page_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert passdocs.main(["--check"], PAGE) == 0, capsys.readouterr().out


def test_a_stale_page_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "passes.md"
    assert passdocs.main(["--check"], page) == 1
    assert passdocs.main([], page) == 0
    assert passdocs.main(["--check"], page) == 0
    page.write_text(page.read_text(encoding="utf-8").replace("tile", "tyle", 1), encoding="utf-8")
    assert passdocs.main(["--check"], page) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_pass_shows_the_ir_before_and_after(name: str) -> None:
    assert list(passdocs.shortcomings(registry.lookup(name))) == []


def test_what_a_docstring_lacks_is_said() -> None:
    @dataclass
    class Silent(Pass):
        """no sentence"""

        depth: int = option(1, "")

        def run(self, op: ir.Operation, ctx: PassContext) -> None:
            pass

    @dataclass
    class Half(Pass):
        """Do something.

        It is done because of a reason that takes more than twenty words to explain, and these are those words, one
        after the other, until there are enough.

        IR before::

            %x = arith.constant 0 : index
        """

        def run(self, op: ir.Operation, ctx: PassContext) -> None:
            pass

    @dataclass
    class Joined(Half):
        """Do something.

        It is done because of a reason that takes more than twenty words to explain, and these are those words, one
        after the other, until there are enough.

        IR before::

            %x = arith.constant 0 : index %y = arith.constant 1 : index

        IR after::

            scf.for %i = %x to %y step %y {
        """

    assert len(list(passdocs.shortcomings(Silent))) == 5
    assert list(passdocs.shortcomings(Joined)) == ["two statements of IR stand on one line"]
    assert list(passdocs.shortcomings(Half)) == ["it shows no 'IR after::'"]


def test_every_pass_stands_in_the_table_or_says_that_it_does_not() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in NAMES:
        assert f"### `--{name}`" in text
