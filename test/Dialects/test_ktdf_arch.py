"""Verifiers of `ktdf_arch`: what a device description may not be; and what it keeps without understanding it."""

import pytest
from generic import check, only

from spyrec.dialects import ktdf_arch, make_context
from spyrec.mlir import ir

M, U = "!ktdf_arch.memory_resource", "!ktdf_arch.exec_unit_resource"
DDR = f'%d = "ktdf_arch.memory"() {{kind = "DDR", size = 1024 : i64}} : () -> {M}'
UNIT = f'%u = "ktdf_arch.exec_unit"() {{kind = "SFU"}} : () -> {U}'


def device(body: str, attributes: str = "") -> str:
    return f'"ktdf_arch.device"() ({{ {body} }}) {{sym_name = "demo"{attributes}}} : () -> ()'


def group(inner: str, operands: str = "%d", results: str = "", header: str = f"^bb0(%m: {M}):") -> str:
    types = ", ".join([M] * len([o for o in operands.split(",") if o]))
    result = "%g = " if results else ""
    return f'{result}"ktdf_arch.group"({operands}) ({{ {header} {inner} }}) {{}} : ({types}) -> ({results})'


END = '"ktdf_arch.yield"() : () -> ()'


def test_a_right_device_and_what_it_keeps() -> None:
    features = "{ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<[[f16, 64 : i64]]>}}"
    entries = f'kind = "X", anything, spyrec.lanes = 3, ktdf_arch.features = {features}'
    unit = f'%v = "ktdf_arch.exec_unit"() {{{entries}}} : () -> {U}'
    yielding = f'{UNIT} "ktdf_arch.yield"(%u) : ({U}) -> ()'
    path = f'"ktdf_arch.datapath"(%d, %v) {{ktdf_arch.bandwidth = 256 : i64}} : ({M}, {U}) -> ()'
    assert not check(device(f"{DDR} {unit} {path} {group(yielding, results=U)} {group(END, header='', operands='')}"))
    assert not check('"ktdf_arch.device"() ({}) {sym_name = "demo", import_path = "demo.mlir"} : () -> ()')


@pytest.mark.parametrize(
    ("text", "id", "message"),
    [
        ('"ktdf_arch.device"() ({}) {sym_name = "x"} : () -> ()', "wrong-region", "neither a body nor a path"),
        (device(DDR, ', import_path = "a.mlir"'), "wrong-region", "both a body and a path"),
        (device('"test.thing"() : () -> ()'), "wrong-region", "test.thing is no resource"),
        (
            device(
                f'%d = "ktdf_arch.memory"() {{kind = "L1", id = "a"}} : () -> {M}'
                f' %u = "ktdf_arch.exec_unit"() {{id = "a"}} : () -> {U}'
            ),
            "redefined-symbol",
            "called @a",
        ),
        (device(f'%d = "ktdf_arch.memory"() {{}} : () -> {M}'), "missing-attribute", "needs the attribute kind"),
        (
            device(f'%d = "ktdf_arch.memory"() {{kind = unit}} : () -> {M}'),
            "wrong-attribute",
            "must be what a memref takes as memory space, but is unit",
        ),
        (device(DDR.replace("1024", "0")), "wrong-attribute", "at least 1, but is 0"),
        (
            device(DDR.replace("kind", "ktdf_arch.bandwith = 1, kind")),
            "unknown-attribute",
            "no property ktdf_arch.bandwith",
        ),
        (
            device(UNIT.replace("kind", "ktdf_arch.features = {ktdf_arch.feature.queue}, kind")),
            "unknown-attribute",
            "no feature ktdf_arch.feature.queue",
        ),
        (device(f'{DDR} "ktdf_arch.datapath"(%d, %d) : ({M}, {M}) -> ()'), "wrong-operands", "joins two resources"),
        (
            device(f'{DDR} {UNIT} "ktdf_arch.datapath"(%d, %u) {{ktdf_arch.bandwidth = 0 : i64}} : ({M}, {U}) -> ()'),
            "wrong-attribute",
            "at least 1, but is 0",
        ),
        (
            device(
                f'{DDR} {UNIT} "ktdf_arch.datapath"(%d, %u) {{ktdf_arch.transfer_granularity = array<i64: 64, 64>}}'
                f" : ({M}, {U}) -> ()"
            ),
            "wrong-attribute",
            "distinct sizes",
        ),
        (device(f"{DDR} {group(END, header='')}"), "wrong-region", "0 arguments for 1 shared memories"),
        (device(f"{DDR} {group(END, results=U)}"), "wrong-operands", "yields 0 units, but has 1 results"),
        (
            device(
                '%p:2 = "ktdf_arch.switch"() {connectivity = dense<true> : tensor<3x3xi1>} : ()'
                " -> (!ktdf_arch.port_resource, !ktdf_arch.port_resource)"
            ),
            "wrong-attribute",
            "of 2 ports must be tensor<2x2xi1>, but is tensor<3x3xi1>",
        ),
    ],
)
def test_one_rule_each(text: str, id: str, message: str) -> None:
    found = only(text)
    assert found.id == id
    assert message in found.message


def test_a_map_keeps_its_order() -> None:
    with make_context():
        made = ir.Attribute.parse('#ktdf_arch.map<[["b", 1 : i64], ["a", 2 : i64]]>')
        assert isinstance(made, ktdf_arch.MapAttr)
        assert [str(k) for k, _ in made.items()] == ['"b"', '"a"']
