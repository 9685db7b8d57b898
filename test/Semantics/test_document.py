"""The kernels of docs/semantics.md do what the page says, and the tests that it names exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from launching import Outcome, execute

from spyrec.errors import Severity, SpyrecError

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(preamble|mlir|result)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PREAMBLE = next(text for kind, text in FENCES if kind == "preamble")


def examples() -> list[tuple[str, str]]:
    """Kernels, each with one of the results that follow it."""
    found, kernel = [], ""
    for kind, text in FENCES:
        if kind == "mlir":
            kernel = text
        elif kind == "result":
            found.append((kernel, text))
    return found


EXAMPLES = examples()


def values(result: str) -> dict[str, np.ndarray | str]:
    """The arrays of the lines ``in NAME TYPE VALUE`` and ``in NAME @OTHER``."""
    rows = re.findall(r"^in (\S+) (\w+) (.*)$", result, re.MULTILINE)
    kinds = {"i32": np.int32, "f32": np.float32, "f16": np.float16}
    arrays = {name: np.array(ast.literal_eval(text), kinds[kind]) for name, kind, text in rows}
    return {**arrays, **dict(re.findall(r"^in (\w+) (@\S+)$", result, re.MULTILINE))}


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
@pytest.mark.parametrize("seed", [None, 1])
def test_the_kernel_does_what_the_page_says(number: int, seed: int | None) -> None:
    kernel, result = EXAMPLES[number]
    text = PREAMBLE + kernel
    options = {"strict_bounds": True} if "options strict_bounds" in result else {}
    error = re.search(r"^error (\S+) at (.*)$", result, re.MULTILINE)
    if error:
        with pytest.raises(SpyrecError) as caught:
            execute(text, values(result), seed=seed, **options)
        first = next(d for d in caught.value.diagnostics if d.severity is Severity.ERROR)
        assert first.id == error[1], first.message
        assert first.position is not None
        assert error[2] in text.splitlines()[first.position.line - 1]
        return
    got = execute(text, values(result), seed=seed, **options)
    wanted = re.findall(r"^out (\w+) (.*)$", result, re.MULTILINE)
    assert wanted
    for name, shown in wanted:
        assert np.array_equal(got[name], np.array(ast.literal_eval(shown))), (name, got[name])
    reported(got, result)


def reported(got: Outcome, result: str) -> None:
    """Exactly the warnings and remarks that the page shows."""
    wanted = re.findall(r"^(warning|remark) (\S+)$", result, re.MULTILINE)
    assert sorted((d.severity.name.lower(), d.id) for d in got.diagnostics) == sorted(wanted)


def test_the_page_names_tests_that_exist() -> None:
    named = re.findall(r"`(test/[\w/-]+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) > 20
    for path, function in named:
        assert (f"def {function}(" if function else "") in (ROOT / path).read_text(encoding="utf-8"), (path, function)


def test_every_rule_has_a_kernel_and_a_test() -> None:
    rules = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert len(rules) == 12
    for rule in rules:
        assert "```mlir" in rule, rule.splitlines()[0]
        assert "Pinned by" in rule, rule.splitlines()[0]
