"""docs/kernels.md is what its generator makes, and every op of ours is executed or refused with a reason of its own."""

from kernels_page import OURS, PAGE, names, page

from spyrec import interp
from spyrec.interp.refusals import REASONS


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python test/Semantics/kernels_page.py"


def test_every_op_of_ours_is_executed_or_refused_with_a_reason() -> None:
    for dialect in OURS:
        for name in names(dialect):
            assert (name in interp.meanings()) != (name in REASONS), name


def test_no_reason_is_given_for_what_is_executed() -> None:
    assert not set(REASONS) & interp.meanings()
