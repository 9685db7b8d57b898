"""Options of passes: what a typed field accepts, how it prints, and what is said about a wrong one."""

from dataclasses import dataclass
from typing import Literal

import pytest

from spyrec.errors import UsageError
from spyrec.passkit import Pass, option


@dataclass
class PlanTiles(Pass):
    """Fill every kind of option.

    More prose.
    """

    depth: int = option(2, "how deep")
    tile_sizes: tuple[int, ...] = option((), "sizes, outermost first")
    name: str = option("x", "what to call it")
    ratio: float | None = option(None, "how much")
    fold: bool = option(False, "whether to fold")
    order: Literal["rows", "columns"] = option("rows", "which goes first")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", {}),
        ("depth=3", {"depth": 3}),
        ("depth=0x10 fold", {"depth": 16, "fold": True}),
        ("tile-sizes=1,2,3", {"tile_sizes": (1, 2, 3)}),
        ("tile_sizes={1, 2}", {"tile_sizes": (1, 2)}),
        ("name={a b} order=columns", {"name": "a b", "order": "columns"}),
        ('name="a=b"', {"name": "a=b"}),
        ("ratio=0.5", {"ratio": 0.5}),
        ("ratio=none fold=false", {}),
    ],
)
def test_read_and_printed_again(text: str, fields: dict[str, object]) -> None:
    made = PlanTiles.from_options(text)
    assert made == PlanTiles(**fields)
    spelled = made.spelling()
    assert spelled.startswith("plan-tiles")
    assert PlanTiles.from_options(spelled.removeprefix("plan-tiles").removeprefix("{").removesuffix("}")) == made


def test_defaults_are_not_printed() -> None:
    assert PlanTiles(depth=2, fold=True).spelling() == "plan-tiles{fold=true}"
    assert PlanTiles().spelling() == "plan-tiles"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("dpeth=3", "no option 'dpeth'; did you mean 'depth'?"),
        ("depth=two", "option 'depth' of pass 'plan-tiles': expected an integer, got 'two'"),
        ("depth", "option 'depth' of pass 'plan-tiles' needs a value (int)"),
        ("depth=1 depth=2", "given twice"),
        ("order=diagonal", "expected 'rows' or 'columns', got 'diagonal'"),
        ("tile-sizes=1,x", "expected an integer, got 'x'"),
        ("name={a", "unbalanced '{'"),
        ("=3", "expected NAME=VALUE"),
    ],
)
def test_wrong_options_are_named(text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        PlanTiles.from_options(text)
    assert says in str(caught.value)


def test_names_come_from_the_class() -> None:
    assert PlanTiles.NAME == "plan-tiles"
    assert PlanTiles.summary() == "Fill every kind of option."
