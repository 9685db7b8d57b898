"""``--verify-diagnostics``: which comment takes which message, by MLIR's rules."""

import pytest

from spyrec.cli import expectations
from spyrec.errors import Diagnostic, Position, Severity

ERROR, NOTE = Severity.ERROR, Severity.NOTE


def at(line: int, message: str, *notes: Diagnostic, severity: Severity = ERROR, file: str = "k.mlir") -> Diagnostic:
    return Diagnostic(severity, message, "some-id", Position(file, line, 1), notes=notes)


def wrong(text: str, *said: Diagnostic, only_expected: bool = False) -> list[str]:
    expected = expectations.read(text, "k.mlir")
    return [str(d) for d in expectations.check(expected, said, "k.mlir", only_expected=only_expected)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("op // expected-error {{bad}}", 1),
        ("// expected-error@+1 {{bad}}\nop", 2),
        ("op\n// expected-error@-1 {{bad}}", 1),
        ("// expected-error@below {{bad}}\n// expected-note@below {{why}}\nop", 3),
        ("op\n// expected-note@above {{why}}\n// expected-error@above {{bad}}", 1),
        ("op // expected-error-re {{b{{[aeiou]}}d (1)}}", 1),
    ],
)
def test_places(text: str, line: int) -> None:
    said = at(line, "a bad (1) thing", at(line, "why", severity=NOTE))
    if "note" not in text:
        text += "".join("\n" for _ in range(5)) + f"// expected-note@{line - text.count(chr(10)) - 6} {{{{why}}}}"
    assert wrong(text, said) == []
    assert len(wrong(text, at(line + 1, "a bad (1) thing"))) >= 2


def test_unexpected_and_unproduced_are_named() -> None:
    found = wrong("a\nb // expected-warning {{slow}}\n", at(1, "bad"))
    assert found == [
        "k.mlir:1:1: error: unexpected error: bad",
        'k.mlir:2:6: error: expected warning "slow" was not produced',
    ]


def test_a_message_without_a_place() -> None:
    text = "// expected-error@unknown {{lost}}"
    assert wrong(text, Diagnostic(ERROR, "lost")) == []
    assert len(wrong(text, at(1, "lost"))) == 2


def test_hints_need_not_be_expected_but_can_be() -> None:
    hint = Diagnostic(NOTE, "write it so")
    assert wrong("op // expected-error {{bad}}", at(1, "bad", hint)) == []
    assert wrong("// expected-note@+1 {{write it so}}\nop // expected-error {{bad}}", at(2, "bad", hint)) == []
    placed = at(3, "first defined here", severity=NOTE)
    assert len(wrong("op // expected-error {{bad}}", at(1, "bad", placed))) == 1


def test_a_frontends_place_is_found_in_this_text() -> None:
    said = at(27, "bad", at(2, "in this text", severity=NOTE), file="k.py")
    assert wrong("\nop // expected-error {{bad}}", said) == []


def test_braces_in_the_middle_of_a_line_are_no_expectation() -> None:
    assert expectations.read("// expected-error {{bad}} trailing", "k.mlir") == []


def test_only_what_is_expected_is_looked_at() -> None:
    text = "a // expected-error {{bad}}\nb"
    assert wrong(text, at(1, "bad"), at(2, "worse"), only_expected=True) == []
    assert wrong(text, at(2, "worse"), only_expected=True) == [
        'k.mlir:1:6: error: expected error "bad" was not produced'
    ]


def test_another_kind_is_a_near_miss() -> None:
    assert wrong("a // expected-warning {{bad}}", at(1, "bad")) == [
        "k.mlir:1:6: error: 'error' diagnostic emitted when expecting a 'warning'",
        'k.mlir:1:6: error: expected warning "bad" was not produced',
    ]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("{{.*}}", ""),
        ("a{{[[:digit:]]+}}b", "a17b"),
        ("{{^whole$}}", "whole"),
        ("({{one|two}}) of *", "(two) of *"),
        ("x{{[[:space:][:upper:]]}}y", "x y"),
    ],
)
def test_regular_expressions(pattern: str, message: str) -> None:
    text = f"a // expected-error-re {{{{{pattern}}}}}"
    assert wrong(text, at(1, message)) == []
    assert (wrong(text, at(1, "something else")) == []) == (pattern == "{{.*}}")


def test_a_wrong_regular_expression_is_said() -> None:
    (found,) = wrong("a // expected-error-re {{x{{[}}}}", at(1, "x["), only_expected=True)
    assert found == "k.mlir:1:6: error: invalid regex: unterminated character set"


def test_places_outside_of_the_file_take_nothing() -> None:
    assert len(wrong("// expected-error@-5 {{bad}}\nop", at(2, "bad"))) == 2
    assert len(wrong("op\n// expected-error@below {{bad}}", at(1, "bad"))) == 2
