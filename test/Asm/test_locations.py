"""Where things come from: places in the text, the user's own locations, and how they are shown."""

from pathlib import Path

from texts import END, HEAD, TILE, VIEW, context, mistakes

from spyrec import asm, diag
from spyrec.diag import Position
from spyrec.mlir import ir


def places(text: str) -> dict[str, tuple[int, int]]:
    """Line and column of each op by name."""
    module = asm.read(text, "in.mlir", context()).module
    found: dict[str, tuple[int, int]] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        position = diag.resolve(op.location).primary
        assert position is not None
        assert position.file == "in.mlir"
        found.setdefault(op.name, (position.line, position.column))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def test_an_op_is_where_its_name_is() -> None:
    text = HEAD + VIEW + TILE + "  /* ø */ %a = ktdp.load %t : <1x64xindex> -> tensor<1x64xf16>\n" + END
    found = places(text.replace("/* ø */", "// ø\n "))
    assert found["func.func"] == (4, 1)
    assert found["ktdp.construct_memory_view"] == (6, 8)
    assert found["ktdp.construct_access_tile"] == (8, 8)
    assert found["ktdp.load"] == (11, 8)
    assert found["func.return"] == (12, 3)


def test_columns_count_characters() -> None:
    text = 'func.func @f() attributes {s = "漢字"} { %c = arith.constant {t = "é"} 1 : index return }\n'
    found = places(text)
    assert found["arith.constant"] == (1, text.index("arith.constant") + 1)
    assert found["func.return"] == (1, text.index("return") + 1)


def test_fields() -> None:
    text = HEAD + VIEW + TILE
    text += "  %a = ktdp.load %t : <1x64xindex> -> tensor<1x64xf16>\n"
    text += "  ktdp.store %a, %t {my.note = 1} : tensor<1x64xf16>, <1x64xindex>\n" + END
    source_map = asm.read(text, "in.mlir", context()).source_map

    def field(line: int, column: int, name: str) -> str | None:
        span = source_map.span(Position("in.mlir", line, column), name)
        return span.text if span else None

    view = (6, 8)
    assert field(*view, "offset") == "%x_ptr"
    assert field(*view, "sizes") == "[96, 64]"
    assert field(*view, "sizes[1]") == field(*view, "static_sizes[1]") == "64"
    assert field(*view, "sizes[7]") == "[96, 64]"
    assert field(*view, "coordinate_set") == "coordinate_set = #all"
    assert field(*view, "type(result)") == "memref<96x64xf16>"
    assert field(*view, "result") is None
    tile = (8, 8)
    assert field(*tile, "indices") == field(*tile, "base_map") == "[%zero, 0]"
    assert field(*tile, "indices[1]") == "0"
    assert field(*tile, "type(base)") == "memref<96x64xf16>"
    store = (11, 3)
    assert field(*store, "my.note") == "my.note = 1"
    assert field(*store, "type(access_tile)") == "<1x64xindex>"
    assert field(*store, "access_tile") == "%t"


WRONG = VIEW.replace("[96, 64], s", "[96, 65], s").rstrip("\n")


def test_the_frontends_place_comes_first(tmp_path: Path) -> None:
    python = tmp_path / "k.py"
    python.write_text("import tl\n\nx = tl.load(x_ptr)\n")
    for trailer, tail in (
        (f' loc("{python}":3:4)', ""),
        (" loc(#here)", f'#here = loc("{python}":3:4)\n'),
        (" loc(#name)", f'#here = loc("{python}":3:4)\n#name = loc("x"(#here))\n'),
        (f' loc(callsite("{python}":3:4 at "main.py":9:9))', ""),
    ):
        (found,) = mistakes(HEAD + WRONG + trailer + "\n" + END + tail)
        assert found.position == Position(str(python), 3, 4)
        assert found.source_line == "x = tl.load(x_ptr)"
        note = found.notes[-1]
        assert note.position == Position("in.mlir", 6, 55)
        assert note.end_column == 57
        assert note.source_line is not None
        assert "sizes: [96, 65]" in note.source_line


def test_a_location_without_a_file_still_counts() -> None:
    (found,) = mistakes(HEAD + WRONG + ' loc("gone.py":3:4)\n' + END)
    assert found.position == Position("gone.py", 3, 4)
    assert found.source_line is None
    (found,) = mistakes(HEAD + WRONG + " loc(unknown)\n" + END)
    assert found.position == Position("in.mlir", 6, 55)


def test_trailers_on_ops_of_ours_regions_and_arguments() -> None:
    text = """#l = loc("k.py":1:2)
func.func @f(%x: index loc("x"(#l)), %y: index loc(#l)) {
  dataflow.program_unit @u(%core loc("k.py":2:2)) {
    dataflow.wait @c loc("k.py":3:2)
  } loc("k.py":4:2)
  %r = arith.addi %x, %y : index loc(fused<"f">["k.py":5:2, "k.py":6:2])
  return loc("k.py":7:2)
} loc("k.py":8:2)
"""
    module = asm.read(text, "in.mlir", context()).module
    lines: dict[str, int] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        position = diag.resolve(op.location).primary
        lines[op.name] = position.line if position and position.file == "k.py" else -1
        return ir.WalkResult.ADVANCE

    module.body.operations[0].operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    assert lines == {
        "func.func": 8,
        "dataflow.program_unit": 4,
        "dataflow.wait": 3,
        "arith.addi": 5,
        "func.return": 7,
    }
    out = asm.print_op(module, debuginfo=True)
    assert '%core loc("core"(#loc' in out
    assert "in.mlir" not in out.replace('loc("in.mlir":1:1)', "")
    again = asm.print_op(asm.read(out, "out.mlir", context()).module, debuginfo=True)
    assert again == out


def test_printing_with_locations_says_where_the_text_was() -> None:
    text = HEAD + VIEW + END
    out = asm.print_op(asm.read(text, "in.mlir", context()).module, debuginfo=True)
    assert 'loc("in.mlir":6:8)' in out
    again = asm.read(out, "out.mlir", context()).module
    assert asm.print_op(again, debuginfo=True) == out
    plain = asm.print_op(again)
    assert "loc(" not in plain
    assert "%x_ptr" in plain


def test_a_location_that_is_an_attribute_stays() -> None:
    text = 'func.func @f() attributes {where = loc("k.py":1:2), all = [loc(unknown), loc("k.py":2:2)]} { return }\n'
    out = asm.print_op(asm.read(text, "in.mlir", context()).module)
    assert '= loc("k.py":1:2)' in out
    assert '= loc("k.py":2:2)' in out
