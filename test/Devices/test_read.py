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


def test_no_route() -> None:
    device = load("small")
    with pytest.raises(Unsupported, match="device 'small' has no route from 'pad' to 'nowhere'"):
        routes.shortest(device, "pad", "nowhere")
    assert routes.shortest(device, "pad", "pad") == ("pad",)
    assert routes.engine(device, ("pad", "main")) is None
