"""Verifiers of `dataflow`: each rule on an op that breaks it; ops built with the builder are right."""

from collections.abc import Iterator

import pytest
from generic import check, only, segments

from spyrec import ods
from spyrec.dialects import dataflow, make_context
from spyrec.mlir import ir, passmanager

INDEX = '%i = "test.index"() : () -> index'
BUFFER = 'memref<4x64xf16, "lx">'
ALLOC = f'%b = "dataflow.alloc"() {{}} : () -> {BUFFER}'


NONE_OF_READ = (0,) * 7
"""No operands of clips, sets, other cores, indices and initial contents."""


def read(counts: tuple[int, int, int] = (0, 1, 0), space: str = "@device", strides: str = "64, 1") -> str:
    operands = ", ".join(["%i"] * sum(counts))
    types = ", ".join(["index"] * sum(counts))
    return f"""{INDEX} %r = "dataflow.read"({operands}) {{space = {space}, static_strides = array<i64: {strides}>,
      {segments(dataflow.ReadOp, *counts, *NONE_OF_READ)}}} : ({types}) -> tensor<4x64xf16>"""


def test_reads_with_and_without_base_and_dynamic_strides() -> None:
    assert not check(read())
    assert not check(read((1, 1, 0)))
    assert not check(read((1, 1, 1), strides="-9223372036854775808, 1"))


@pytest.mark.parametrize(
    ("text", "id", "field", "message"),
    [
        (read(strides="1"), "rank-mismatch", "strides", "1 entries, but tensor<4x64xf16> has 2 dimensions"),
        (read((0, 1, 1)), "rank-mismatch", "strides", "names 0 values, but the op has 1 operands"),
        (read(space="@hbm"), "wrong-attribute", "space", "must be a memory, @device or @lx, but is @hbm"),
        (
            '%b = "dataflow.alloc"() {depth = 0 : i64} : () -> memref<4xf16, "lx">',
            "wrong-attribute",
            "depth",
            "must be an i64 integer of at least 1, but is 0",
        ),
        (
            '%b = "dataflow.alloc"() {} : () -> memref<4xf16>',
            "type-mismatch",
            "type(result)",
            'must be a memref in memory space "lx" or that of a stage, but is memref<4xf16>',
        ),
        (
            '%b = "dataflow.alloc"() {} : () -> memref<?xf16, "lx">'.replace("alloc", "alloc"),
            "type-mismatch",
            "type(result)",
            "needs a static shape",
        ),
        (
            '%b = "dataflow.alloc"() {address = 0 : i64} : () -> memref<4xf16, "lx">',
            "missing-attribute",
            "address",
            "a buffer with address needs slot_bytes too",
        ),
        (
            '"dataflow.channel"() {sym_name = "c", from_unit = @load, to_unit = @sfu, init = -1 : i64} : () -> ()',
            "wrong-attribute",
            "init",
            "at least 0, but is -1",
        ),
        (
            f'"dataflow.post"() {{chanel = @c, {segments(dataflow.PostOp, 0, 0)}}} : () -> ()',
            "unknown-attribute",
            "chanel",
            "no attribute chanel",
        ),
    ],
)
def test_one_rule_each(text: str, id: str, field: str, message: str) -> None:
    found = check(text)[0]
    assert (found.id, found.field) == (id, field)
    assert message in found.message


NONE_BEYOND = (0,) * 6
"""No operands of clips, other cores and indices."""


def transfer(
    source: str, dest: str, attributes: str, counts: tuple[int, ...], types: str, route: str = '"ddr", "lx"'
) -> str:
    return f"""{INDEX} {ALLOC} "dataflow.data_transfer"({source}{", " if source and dest else ""}{dest}) {{
      unit = @load, route = [{route}], {attributes} {segments(dataflow.DataTransferOp, *counts, *NONE_BEYOND)}}}
      : ({types}) -> ()"""


BOX = "source_space = @device, source_strides = array<i64: 64, 1>,"


def test_transfers_of_each_kind() -> None:
    assert not check(transfer("%i, %i", "%b", BOX, (0, 1, 1, 0, 1, 0, 0, 0), f"index, index, {BUFFER}"))
    assert not check(transfer("%b", "%b", "", (1, 0, 0, 0, 1, 0, 0, 0), f"{BUFFER}, {BUFFER}"))
    dest = BOX.replace("source", "dest")
    assert not check(transfer("%b", "%i", dest, (1, 0, 0, 0, 0, 0, 1, 0), f"{BUFFER}, index"))


@pytest.mark.parametrize(
    ("attributes", "counts", "operands", "types", "field", "message"),
    [
        ("", (0, 0, 0, 0, 0, 0, 0, 0), ("", ""), "", "source", "one side must be a buffer"),
        ("", (0, 0, 0, 0, 1, 0, 0, 0), ("", "%b"), BUFFER, "source", "source_space, source_offset, source_strides is"),
        (BOX, (1, 0, 0, 0, 1, 0, 0, 0), ("%b", "%b"), f"{BUFFER}, {BUFFER}", "source_space", "is a buffer already"),
    ],
)
def test_sides_of_a_transfer(
    attributes: str, counts: tuple[int, ...], operands: tuple[str, str], types: str, field: str, message: str
) -> None:
    found = check(transfer(*operands, attributes, counts, types))[0]
    assert (found.id, found.field) == ("transfer-side", field)
    assert message in found.message


def test_a_route_has_two_ends() -> None:
    text = transfer("%b", "%b", "", (1, 0, 0, 0, 1, 0, 0, 0), f"{BUFFER}, {BUFFER}", route='"lx"')
    assert only(text).field == "route"


def stream(body: str, counts: str = "4, 64", strides: str = "array<i64: 128, 2>", buffers: str = "@x") -> str:
    return f"""{INDEX} "dataflow.stream"(%i, %i) ({{ {body} }}) {{counts = array<i64: {counts}>,
      input_strides = [{strides}], output_strides = [array<i64: 128, 2>], input_buffers = [{buffers}],
      output_buffers = [@z], {segments(dataflow.StreamOp, 1, 1)}}} : (index, index) -> ()"""


def end(value: str, type_text: str = "f16") -> str:
    return f'"dataflow.yield"({value}) {{{segments(dataflow.YieldOp, 1)}}} : ({type_text}) -> ()'


BODY = f"^bb0(%x: f16, %o: f16): {end('%x')}"


def test_a_right_stream() -> None:
    assert not check(stream(BODY))


@pytest.mark.parametrize(
    ("text", "id", "field", "message"),
    [
        (stream(BODY, buffers="@x, @y"), "rank-mismatch", "input_buffers", "2 entries for 1 inputs"),
        (stream(BODY, strides="array<i64: 2>"), "rank-mismatch", "input_strides[0]", "1 entries for 2 counts"),
        (
            stream(f"^bb0(%x: f16): {end('%x')}"),
            "wrong-region",
            "body",
            "1 block arguments for 1 inputs and 1 outputs",
        ),
        (
            stream(f"^bb0(%x: f32, %o: f16): {end('%x', 'f32')}"),
            "type-mismatch",
            "body",
            "yields (f32); its outputs are (f16)",
        ),
    ],
)
def test_streams(text: str, id: str, field: str, message: str) -> None:
    found = only(text)
    assert (found.id, found.field) == (id, field)
    assert message in found.message


def folding(*yields: str, body: str = "", second: str = "array<i64: 2, 0>") -> str:
    """Two outputs, of which the first folds the second count."""
    ops = f"""^bb0(%x: f16, %o: f16, %q: f16): %s = "arith.addf"(%o, %x) : (f16, f16) -> f16 {body}
      "dataflow.yield"({", ".join(yields)}) {{{segments(dataflow.YieldOp, 2)}}} : (f16, f16) -> ()"""
    return f"""{INDEX} "dataflow.stream"(%i, %i, %i) ({{ {ops} }}) {{counts = array<i64: 4, 64>, reduce = array<i64: 1>,
      input_strides = [array<i64: 128, 2>], output_strides = [array<i64: 2, 0>, {second}], input_buffers = [@x],
      output_buffers = [@z, @y], {segments(dataflow.StreamOp, 1, 2)}}} : (index, index, index) -> ()"""


def test_outputs_that_fold_side_by_side() -> None:
    assert not check(folding("%s", "%t", body='%t = "arith.mulf"(%q, %x) : (f16, f16) -> f16'))
    assert not check(folding("%s", "%x", second="array<i64: 128, 2>"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (folding("%s", "%t", body='%t = "arith.addf"(%q, %s) : (f16, f16) -> f16'), "output 1 has stride 0 along"),
        (folding("%s", "%t", body='%t = "arith.addf"(%q, %o) : (f16, f16) -> f16'), "output 1 has stride 0 along"),
        (folding("%s", "%s", second="array<i64: 128, 2>"), "output 1 is written at every point"),
        (folding("%s", "%o", second="array<i64: 128, 2>"), "output 1 is written at every point"),
    ],
)
def test_no_output_sees_what_another_one_folds(text: str, message: str) -> None:
    found = only(text)
    assert (found.id, found.field) == ("wrong-region", "body")
    assert message in found.message


@pytest.mark.parametrize(("counts", "message"), [("", "has 0 entries"), ("1, 1, 1, 1, 1", "has 5"), ("4, -1", "is -1")])
def test_counts_of_a_transfer(counts: str, message: str) -> None:
    strides = f"array<i64: {', '.join(['2'] * len([c for c in counts.split(',') if c]))}>" if counts else "array<i64>"
    text = f"""{INDEX} "dataflow.transfer"(%i, %i) {{source_space = @device, dest_space = @lx, element_bytes = 2 : i64,
      counts = array<i64{": " + counts if counts else ""}>, source_strides = {strides}, dest_strides = {strides},
      {segments(dataflow.TransferOp, 0, 1, 0, 1, *NONE_BEYOND)}}} : (index, index) -> ()"""
    assert message in only(text).message


def test_strides_of_a_transfer() -> None:
    text = f"""{INDEX} "dataflow.transfer"(%i, %i) {{source_space = @device, dest_space = @lx, element_bytes = 2 : i64,
      counts = array<i64: 4, 8>, source_strides = array<i64: 16, 2>, dest_strides = array<i64: 2>,
      {segments(dataflow.TransferOp, 0, 1, 0, 1, *NONE_BEYOND)}}} : (index, index) -> ()"""
    found = only(text)
    assert (found.id, found.field) == ("rank-mismatch", "dest_strides")
    assert "dest_strides has 1 entries for 2 counts" in found.message


@pytest.fixture
def module() -> Iterator[ir.Module]:
    with make_context(), ir.Location.unknown():
        made = ir.Module.create()
        with ir.InsertionPoint(made.body):
            yield made


def test_a_program_unit_is_built_with_its_core(module: ir.Module) -> None:
    unit = dataflow.ProgramUnitOp.build(unit="load")
    (core,) = unit.body.blocks[0].arguments
    with ir.InsertionPoint(unit.body.blocks[0]):
        dataflow.WaitOp.build(channel="c")
        move = dataflow.TransferOp.build(
            source=core,
            dest=core,
            source_space="device",
            dest_space="lx",
            dest_buffer="xb",
            counts=[64],
            source_strides=[2],
            dest_strides=[2],
            element_bytes=2,
        )
    assert not ods.verify_tree(module.operation)
    assert module.operation.verify()
    assert move.source_base is None
    assert move.dest_buffer is not None
    assert move.dest_buffer.value == "xb"


def test_buffers_are_never_merged_or_dropped(module: ir.Module) -> None:
    kind = ir.Type.parse('memref<4xf16, "lx">')
    for _ in range(2):
        dataflow.AllocOp.build(result=kind, name="x")
    passmanager.PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
    assert [type(op) for op in module.body.operations] == [dataflow.AllocOp, dataflow.AllocOp]
