"""Sources, field spans, the sink, rendering and the capture of MLIR's messages."""

import json
import pickle

import pytest

from spyrec import diag, errors
from spyrec.diag import Position, Sink, Source, SourceMap, Span
from spyrec.errors import Diagnostic, Severity
from spyrec.mlir import ir

TEXT = "first line\nsecond: äöü [1, 22]\r\n\tthird\n"


@pytest.fixture
def sink() -> Sink:
    source = Source("in.mlir", TEXT)
    start = TEXT.index("second")
    fields = {"sizes": (start + 12, start + 19), "sizes[1]": (start + 16, start + 18)}
    source_map = SourceMap(source, lambda offset: fields if offset == start else {})
    sink = Sink()
    sink.add_source(source, source_map)
    return sink


def test_offsets_and_places() -> None:
    source = Source("in.mlir", TEXT)
    for offset in range(len(TEXT) + 1):
        place = source.position(offset)
        assert place.column <= len(source.line(place.line)) + 2
        if TEXT[offset : offset + 1] not in ("\r", "\n"):
            assert source.offset(place) == offset
    assert source.line(2) == "second: äöü [1, 22]"
    assert source.line(9) == ""
    assert source.position(10**9) == Position("in.mlir", 4, 1)


def test_carets(sink: Sink) -> None:
    place = Position("in.mlir", 2, 1)
    sink.error(place, "bad-size", "too large", "sizes[1]", ["at most 4", (Position("in.mlir", 3, 2), "declared here")])
    sink.warning(place, "", "odd", "no such field")
    sink.remark(None, "", "by the way")
    assert diag.render(sink.diagnostics) == (
        "in.mlir:2:17: error: too large [bad-size]\n"
        "  second: äöü [1, 22]\n"
        "                  ^~\n"
        "note: at most 4\n"
        "in.mlir:3:2: note: declared here\n"
        "  \tthird\n"
        "  \t^~~~~\n"
        "in.mlir:2:1: warning: odd\n"
        "  second: äöü [1, 22]\n"
        "  ^~~~~~\n"
        "remark: by the way\n"
    )


def test_elements_and_types_fall_back(sink: Sink) -> None:
    found = sink.source("in.mlir")
    assert found is not None
    for field, text in (
        ("sizes[1]", "22"),
        ("sizes[5]", "[1, 22]"),
        ("type(sizes[5])", "[1, 22]"),
        ("other", "second"),
    ):
        d = sink.diagnostic(Severity.ERROR, Position("in.mlir", 2, 1), "", "m", field)
        assert d.position is not None
        assert d.end_column is not None
        assert found.line(2)[d.position.column - 1 : d.end_column - 1] == text


def test_wide_and_unprintable_characters() -> None:
    source = Source("in.mlir", '"漢字"\x1b[31m x\n')
    at = source.text.index("x")
    place = Diagnostic(Severity.ERROR, "m\x07", "", source.position(at), None, source.line(1))
    shown = diag.render([place]).splitlines()
    assert "\x1b" not in shown[1]
    assert "\x07" not in shown[0]
    assert shown[2].index("^") == 2 + len('"漢字"') + 2 + len("?[31m ")


def test_a_long_line_is_cut_around_the_caret() -> None:
    source = Source("in.mlir", "a" * 5000 + "bcd" + "e" * 5000)
    sink = Sink()
    sink.add_source(source)
    sink.error(Span(source, 5000, 5003), "x", "m")
    _, line, caret = diag.render(sink.diagnostics).splitlines()
    assert len(line) < 180
    assert line[caret.index("^") :].startswith("bcd")
    assert caret.endswith("^~~")


def test_color() -> None:
    assert "\x1b[1;31merror:\x1b[0m m" in diag.render([Diagnostic(Severity.ERROR, "m")], color=True)


def test_json(sink: Sink) -> None:
    sink.error(Position("in.mlir", 2, 1), "bad-size", "too large", "sizes", ["smaller"])
    sink.warning(None, "", "odd")
    first, second = map(json.loads, diag.to_json(sink.diagnostics).splitlines())
    assert first == {
        "severity": "error",
        "message": "too large",
        "id": "bad-size",
        "file": "in.mlir",
        "line": 2,
        "column": 13,
        "end_column": 20,
        "source_line": "second: äöü [1, 22]",
        "notes": [{"severity": "note", "message": "smaller"}],
    }
    assert second == {"severity": "warning", "message": "odd"}


def test_the_first_errors_id_decides_the_exception(sink: Sink) -> None:
    sink.warning(None, "", "odd")
    sink.raise_if_errors()
    sink.error(None, next(i for i, (kind, _) in diag.IDS.items() if kind == "CompilerBug"), "broken")
    sink.error(None, "syntax", "wrong")
    with pytest.raises(errors.CompilerBug) as caught:
        sink.raise_if_errors()
    assert [d.message for d in caught.value.diagnostics] == ["odd", "broken", "wrong"]
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


def test_resources_reach_the_exception() -> None:
    name = next(i for i, (kind, _) in diag.IDS.items() if kind == "OutOfResources")
    sink = Sink()
    sink.error(None, name, "too much", resource=("lx", 5, 4))
    with pytest.raises(errors.OutOfResources) as caught:
        sink.raise_if_errors()
    assert (caught.value.resource, caught.value.need, caught.value.have) == ("lx", 5, 4)


def test_every_id_names_an_exception() -> None:
    for kind, sentence in diag.IDS.values():
        assert issubclass(getattr(errors, kind), errors.SpyrecError)
        assert sentence


def test_a_flood_is_cut() -> None:
    sink = Sink(limit=3)
    for k in range(10):
        sink.error(None, "syntax", f"wrong {k}")
    with pytest.raises(errors.InvalidKernel) as caught:
        sink.raise_if_errors()
    assert [d.message for d in caught.value.diagnostics] == [
        "wrong 0",
        "wrong 1",
        "wrong 2",
        "7 more errors are not shown",
    ]


def test_capture() -> None:
    """MLIR's messages arrive with place, id, field and notes; nothing else handles them."""
    with ir.Context() as context:
        sink = Sink()
        sink.add_source(Source("in.mlir", TEXT))
        with diag.capture(context, sink):
            ir.Location.file("in.mlir", 2, 1).emit_error("plain")
            encoded = diag.encode("packed", "bad-size", "sizes", ["one", "two"])
            ir.Location.name("n", ir.Location.file("in.mlir", 1, 7)).emit_error(encoded)
            caller = ir.Location.file("in.mlir", 3, 2)
            ir.Location.callsite(ir.Location.file("k.py", 4, 5), [caller]).emit_error("called")
        plain, packed, called = sink.diagnostics
        assert (plain.id, plain.message, plain.position) == ("mlir-verify", "plain", Position("in.mlir", 2, 1))
        assert (packed.id, packed.message, packed.position) == ("bad-size", "packed", Position("in.mlir", 1, 7))
        assert [n.message for n in packed.notes] == ["one", "two"]
        assert called.position == Position("k.py", 4, 5)
        assert [(n.message, n.position) for n in called.notes] == [("called from here", Position("in.mlir", 3, 2))]


def test_payload() -> None:
    for field in (None, "type(result)"):
        found = diag.decode("in front: " + diag.encode("m; at x [y]", "some-id", field, ["a", "at b"]))
        assert found == diag.Payload("in front: m; at x [y]", "some-id", field or "", ("a", "at b"))
    assert diag.decode("plain [text] at all") == diag.Payload("plain [text] at all")
