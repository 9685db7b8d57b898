"""Devices from ktdf_arch files: the one that comes with the package, public ones, and mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spyrec import diag
from spyrec.device import read, routes
from spyrec.device.model import Device
from spyrec.dialects import make_context
from spyrec.errors import InvalidKernel, Unsupported, UsageError

INPUTS = Path(__file__).parent / "Inputs"


def load(name: str) -> Device:
    return read.load(str(INPUTS / f"{name}.mlir"))


def written(tmp_path: Path, text: str) -> str:
    file = tmp_path / "device.mlir"
    file.write_text(text)
    return str(file)


def test_spyre() -> None:
    device = read.load("spyre")
    assert (device.name, device.cores, device.corelets) == ("spyre", 32, 2)
    assert device.memory("lx").size == 2 << 20
    assert device.memory("device").alignment == 128
    assert device.unit("vector").lanes["f16"] == 64
    assert device.unit("vector").level == "corelet"
    assert device.limits.loop_count == 65_535
    assert routes.shortest(device, "ddr", "lx") == ("ddr", "load", "lx")
    assert routes.engine(device, ("lx", "store", "ddr")) == "store"
    assert read.load("spyre") is device  # remembered


def numbers(text: str) -> set[str]:
    """Names of the entries of a dictionary that are numbers, lists of numbers or lanes."""
    from spyrec.mlir import ir

    def of(prefix: str, attribute: ir.Attribute) -> set[str]:
        if isinstance(attribute, ir.DictAttr):
            entries = [attribute[i] for i in range(len(attribute))]
            return {n for e in entries for n in of(e.name, e.attr)}
        if isinstance(attribute, ir.IntegerAttr | ir.DenseI64ArrayAttr) or "#ktdf_arch.map" in str(attribute):
            return {prefix.removeprefix("spyrec.").removeprefix("ktdf_arch.")}
        return set()

    return of("", ir.Attribute.parse(text))


@pytest.mark.parametrize(("name", "numbers_in_file"), [("spyre", 40), ("small_cores", 40), ("fast_memory", 1)])
def test_every_number_names_its_source(name: str, numbers_in_file: int) -> None:
    """The letter stands beside the number: published, research paper, public model, estimate."""
    from spyrec import asm
    from spyrec.mlir import ir
    from spyrec.passes.analysis import kernels

    context = make_context()
    file = read.FOLDER / f"{name}.mlir"
    module = asm.read(file.read_text(), str(file), context).module
    seen = 0
    with context:
        for op in kernels.walk(module.operation):
            sources = "spyrec.source" in op.attributes and ir.DictAttr(op.attributes["spyrec.source"])
            letters = {sources[i].name: sources[i].attr.value for i in range(len(sources))} if sources else {}
            found: set[str] = set()
            for name in op.attributes:
                if name in ("spyrec.source", "mem_space_mapping", "operandSegmentSizes"):
                    continue
                found |= numbers(f"{{{name} = {op.attributes[name]}}}")
            assert found == {name for name in letters if "." not in name}, op.name
            assert set(letters.values()) <= {"P", "R", "M", "E"}
            seen += len(found)
    assert seen >= numbers_in_file


def test_public_files_are_taken_as_they_are() -> None:
    sink = diag.Sink()
    device = read.load(str(INPUTS / "public_style.mlir"), make_context(), sink=sink)
    spyre = read.load("spyre")
    assert device.corelets == 2
    assert device.memory("device").kind == "DRAM"
    assert device.memory("lx").size == 1 << 20
    roles = {unit.kind: unit.role for unit in device.units.values()}
    assert roles == {"IN": "load", "OUT": "store", "VEC": "vector", "RD": "lxload", "WR": "lxstore"}
    assert device.unit("vector").lanes == {"f16": 64, "i1": 64}
    assert routes.shortest(device, "DRAM", "PAD") == ("DRAM", "IN", "PAD")
    assert device.link("RD", "VEC").bandwidth == 512
    assert device.link("RD", "VEC").granularity == (64, 2)
    assert device.link("PAD", "RD").queue_depth == 16
    # What the file does not say.
    assert device.cores == spyre.cores
    assert device.timing == spyre.timing
    assert device.memory("lx").alignment == spyre.memory("lx").alignment
    assert device.link("DRAM", "IN").bandwidth == spyre.link("ddr", "load").bandwidth
    # What is not understood is named.
    (warning,) = sink.diagnostics
    assert warning.id == "unknown-unit"
    assert "'ODD'" in warning.message
    assert warning.position is not None
    assert warning.position.line == 26


def test_another_topology_and_an_import() -> None:
    small, fast = load("small"), load("fast_memory")
    assert (small.cores, small.corelets) == (4, 1)
    assert small.timing.device_bandwidth == 1280
    assert small.timing.post_latency == 3
    assert small.timing.clock_hz == read.load("spyre").timing.clock_hz
    assert small.limits.loop_count == 100
    assert small.unit("vector").level == "core"
    assert fast.timing.device_bandwidth == 2560
    assert fast.memories == small.memories


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%m = memory {kind = \"m\", size = 0 : i64}", "size"),
        ("%m = memory {kind = \"m\", spyrec.alignment = \"x\"}", 'must be a number of at least 1, but is "x"'),
        ("%m = memory {kind = \"m\", spyrec.role = \"cache\"}", "there is no role 'cache'"),
        ("%u = exec_unit", "neither a kind nor a name"),
    ],
)  # fmt: skip
def test_mistakes_have_a_place(tmp_path: Path, body: str, message: str) -> None:
    file = written(tmp_path, f"ktdf_arch.device @d {{\n  {body}\n}}\n")
    with pytest.raises(InvalidKernel) as caught:
        read.load(file)
    found = caught.value.diagnostics[0]
    assert message in found.message
    assert found.position is not None
    assert (found.position.file, found.position.line) == (file, 2)


def test_unknown_timing_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, "ktdf_arch.device @d attributes {spyrec.timing = {warp = 3 : i64}} {}\n")
    with pytest.raises(InvalidKernel, match=r"spyrec\.timing has no entry 'warp'"):
        read.load(file)


def test_numbers_that_nothing_can_be_reckoned_with(tmp_path: Path) -> None:
    numbers = "spyrec.timing = {device_bandwidth = 0 : i64}, spyrec.limits = {loop_count = 1 : i64}"
    file = written(tmp_path, f"ktdf_arch.device @d attributes {{{numbers}}} {{}}\n")
    with pytest.raises(InvalidKernel) as caught:
        read.load(file)
    assert [d.message for d in caught.value.diagnostics] == [
        "device_bandwidth is 0, and has to be at least 1",
        "loop_count is 1, and has to be at least 2",
    ]
    assert all(d.id == "bad-device" and d.position and d.position.file == file for d in caught.value.diagnostics)


def test_a_number_that_is_none(tmp_path: Path) -> None:
    file = written(tmp_path, 'ktdf_arch.device @d attributes {spyrec.limits = {loop_count = "many"}} {}\n')
    with pytest.raises(InvalidKernel, match=r'spyrec\.limits\.loop_count must be a number, but is "many"'):
        read.load(file)


@pytest.mark.parametrize(
    ("number", "message"),
    [("loop_count", "spyrec.limits must say loop_count"), ("size", "size is missing, and no other device says it")],
)
def test_the_device_that_others_take_numbers_from_has_them_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str, message: str
) -> None:
    text = (read.FOLDER / "spyre.mlir").read_text()
    less = re.sub(rf"\b{number} = \d+ : i64,? *", "", text)
    assert less != text
    (tmp_path / "spyre.mlir").write_text(less)
    monkeypatch.setattr(read, "FOLDER", tmp_path)
    with pytest.raises(InvalidKernel) as caught:
        read.load("spyre")
    assert message in [d.message for d in caught.value.diagnostics]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'spyre'"):
        read.load("spyr")
    with pytest.raises(UsageError, match="no device file"):
        read.load(str(tmp_path / "none.mlir"))
    with pytest.raises(InvalidKernel, match=r"has no ktdf_arch\.device"):
        read.load(written(tmp_path, "func.func @f() {\n  return\n}\n"))
    loop = written(tmp_path, 'ktdf_arch.device @d import("device.mlir")\n')
    with pytest.raises(InvalidKernel, match="imports itself"):
        read.load(loop)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(read, "_read", refused)
    with pytest.raises(UsageError, match=r"cannot read device file '.*device\.mlir': permission denied"):
        read.load(written(tmp_path, "module {}"))


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    text = (INPUTS / "small.mlir").read_text()
    file = written(tmp_path, text)
    assert read.load(file).cores == 4
    Path(file).write_text(text.replace("instances = 4", "instances = 16"))
    assert read.load(file).cores == 16


def test_a_memory_on_the_way_is_a_stage() -> None:
    """In by two units, out by two; each core has its own, and its size is not the share of anybody else."""
    device = load("staged")
    assert {m.kind: m.role for m in device.memories.values()} == {"ddr": "device", "l1": "stage", "lx": "lx"}
    roles = {unit.kind: unit.role for unit in device.units.values()}
    assert roles == {
        "fetch": "load", "fill": "load", "spill": "store", "drain": "store", "ring": "ring", "vec": "vector"
    }  # fmt: skip
    assert [m.space for m in device.stages()] == ["l1"]
    assert device.share(device.stages()[0]) == 65536
    assert device.buffered("l1") is device.memories["l1"]
    assert device.buffered("lx") is device.memory("lx")
    assert device.called("device") is device.memory("device")
    assert device.buffered("device") is device.buffered("ddr") is device.buffered("l2") is None
    assert routes.legs(device, "ddr", "lx") == [[("ddr", "fetch", "l1")], [("l1", "fill", "lx")]]
    assert routes.legs(device, "lx", "ddr") == [[("lx", "spill", "l1")], [("l1", "drain", "ddr")]]
    assert routes.legs(device, "lx", "lx") == []
    assert Device.from_json(device.to_json()) == device


def test_cores_have_equal_parts_of_a_stage_that_they_share() -> None:
    """262,400 bytes are four times 65,600; buffers start at multiples of 128."""
    device = load("shared_stage")
    (stage,) = device.stages()
    assert (stage.kind, stage.level, stage.size, device.share(stage)) == ("l2", "device", 262400, 65536)
    assert routes.legs(device, "ddr", "lx") == [[("ddr", "fetch", "l2")], [("l2", "fill", "lx")]]
    assert routes.legs(device, "lx", "ddr") == [[("lx", "store", "ddr")]]


MEMORIES = """
  %far = memory {{kind = "far", size = 65536 : i64{far}}}
  group {{kind = "core"}} share(%far) {{
    %mid = memory {{kind = "{mid}", size = 65536 : i64{role}}}
    %near = memory {{kind = "near", size = 65536 : i64{near}}}
    %in = exec_unit {{kind = "in"{feature}}}
    %on = exec_unit {{kind = "on"}}
    %back = exec_unit {{kind = "back"}}
    datapath %far to %in : memory, exec_unit
    datapath %in to %mid : exec_unit, memory
    datapath %{last} to %on : memory, exec_unit
    datapath %on to %near : exec_unit, memory
    datapath %near to %back : memory, exec_unit
    datapath %back to %far : exec_unit, memory
  }}"""
MAPPED = 'mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "far", #ktdp.memory_space<ct_local> = "near">'


def memories(tmp_path: Path, attributes: str = "", mid: str = "mid", last: str = "mid", **words: str) -> Device:
    said = {name: f', spyrec.role = "{words[name]}"' if words.get(name) else "" for name in ("far", "role", "near")}
    feature = ", ktdf_arch.features = {ktdf_arch.feature.compute}" if "computes" in words else ""
    body = MEMORIES.format(**said, mid=mid, last=last, feature=feature)
    return read.load(written(tmp_path, f"ktdf_arch.device @d attributes {{{attributes}}} {{{body}\n}}\n"))


def test_roles_of_memories_are_said_or_follow(tmp_path: Path) -> None:
    def role(attributes: str = "", **words: str) -> str:
        return memories(tmp_path, attributes, **words).memories["mid"].role

    assert role(MAPPED) == "stage"
    assert role(near="lx") == role(role="stage") == "stage"
    assert role(MAPPED, role="register") == "register"
    # Nobody says which of the two kernels name: both are LX, and whoever asks for it is told so.
    assert role() == "lx"
    with pytest.raises(InvalidKernel, match="2 memory in the role 'lx'"):
        memories(tmp_path).memory("lx")
    # No way out of it; a way in through a unit that computes.
    assert role(MAPPED, last="near") == role(MAPPED, computes="") == "register"


def test_the_memories_that_kernels_name_are_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidKernel, match="mem_space_mapping names 'nearer', and there is no such memory") as caught:
        memories(tmp_path, MAPPED.replace("near", "nearer"))
    position = caught.value.diagnostics[0].position
    assert position is not None
    assert position.line == 1


@pytest.mark.parametrize("kind", ["lx", "device"])
def test_a_stage_is_not_called_as_a_role(tmp_path: Path, kind: str) -> None:
    with pytest.raises(InvalidKernel, match=f"a stage cannot be called '{kind}', the name of a role") as caught:
        memories(tmp_path, MAPPED, mid=kind)
    position = caught.value.diagnostics[0].position
    assert position is not None
    assert position.line == 4


def test_a_stage_belongs_to_a_core_or_all(tmp_path: Path) -> None:
    text = (
        (INPUTS / "staged.mlir").read_text().replace("%vec = exec", "group share(%lx) {MEMORY\n    }\n    %vec = exec")
    )
    inside = '\n %m = memory {kind = "m", size = 128 : i64, spyrec.role = "stage"}'
    with pytest.raises(InvalidKernel, match="'m' belongs to a corelet; a stage belongs to the device or to a core"):
        read.load(written(tmp_path, text.replace("MEMORY", inside)))


def test_no_route() -> None:
    device = load("small")
    with pytest.raises(Unsupported, match="device 'small' has no route from 'pad' to 'nowhere'"):
        routes.shortest(device, "pad", "nowhere")
    assert routes.shortest(device, "pad", "pad") == ("pad",)
    assert routes.engine(device, ("pad", "main")) is None
