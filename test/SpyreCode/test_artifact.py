"""Artifacts: written whole, the same each time, read back equal; damaged ones are refused with the member and place."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sample
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec import isa, spyrecode
from spyrec.errors import InvalidKernel, SpyrecError, UsageError
from spyrec.spyrecode import Bank, Step

ARTIFACT = sample.artifact()
ZIP = ARTIFACT.to_bytes()


def test_the_zip_is_the_same_each_time_and_reads_back_equal() -> None:
    assert sample.artifact().to_bytes() == ZIP
    assert spyrecode.from_bytes(ZIP) == ARTIFACT
    assert spyrecode.is_artifact(ZIP)
    assert not spyrecode.is_artifact(b"module {}")
    with zipfile.ZipFile(io.BytesIO(ZIP)) as archive:
        infos = archive.infolist()
    assert [i.filename for i in infos][:3] == ["spyrecode.json", "init_binary.bin", "signature.json"]
    assert {(i.compress_type, i.date_time) for i in infos} == {(zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0))}


def test_file_and_directory_hold_the_same(tmp_path: Path) -> None:
    ARTIFACT.save(tmp_path / "a.spyre")
    ARTIFACT.save(f"{tmp_path}/new/inner/")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "mine.txt").write_text("kept")
    ARTIFACT.save(tmp_path / "old")
    assert (tmp_path / "a.spyre").read_bytes() == ZIP
    for name in ("a.spyre", "new/inner", "old"):
        assert spyrecode.load(tmp_path / name) == ARTIFACT
    assert (tmp_path / "old" / "mine.txt").read_text() == "kept"
    left = {p.name for p in tmp_path.rglob("*")} - {"debug", *(Path(n).name for n in ARTIFACT.files())}
    assert left == {"a.spyre", "new", "inner", "old", "mine.txt"}


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidKernel, match="cannot write"):
        ARTIFACT.save(tmp_path / "absent" / "a.spyre")
    with pytest.raises(UsageError, match="an artifact needs a path"):
        ARTIFACT.save("")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a.spyre").write_bytes(b"before")
    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr(os, "rename", full)
    for name in ("a.spyre", "d/"):
        with pytest.raises(InvalidKernel, match="no space left"):
            ARTIFACT.save(f"{tmp_path}/{name}")
    assert [p.name for p in tmp_path.iterdir()] == ["a.spyre"]
    assert (tmp_path / "a.spyre").read_bytes() == b"before"


def test_the_plans_follow_the_public_contract() -> None:
    plan = json.loads(ARTIFACT.files()["spyrecode.json"])
    allocate, transfer = plan["JobPreparationPlan"]
    host, copy, start = plan["JobExecPlan"]
    assert [allocate["command"], transfer["command"]] == ["Allocate", "InitTransfer"]
    assert [host["command"], copy["command"], start["command"]] == ["ComputeOnHost", "DataTransfer", "ComputeOnDevice"]
    assert transfer["properties"]["size"] == str(len(ARTIFACT.binary))
    assert transfer["properties"]["dev_ptr"] == start["properties"]["job_bin_ptr"] == str(7 << 34)
    assert start["properties"]["name"] == "negate (spyrec-sim)"
    assert (host["properties"]["ihandle"], host["properties"]["ishape"]) == ("", ["5"])
    assert {"vdci", "senConstants"} <= set(host["properties"]["hcm"])
    end = (7 << 34) + int(allocate["properties"]["size"])
    first, size = int(copy["properties"]["dev_ptr"]), int(copy["properties"]["size"])
    assert (7 << 34) + len(ARTIFACT.binary) <= first
    assert first + size == end
    assert copy["properties"]["dirn"] == "false"

    def numbers(value: Any) -> None:
        if isinstance(value, dict):
            for inner in value.values():
                numbers(inner)
        elif isinstance(value, list):
            for inner in value:
                numbers(inner)
        else:
            assert isinstance(value, str), f"{value!r} is no string"

    numbers(plan)
    for address in (transfer["properties"]["dev_ptr"], copy["properties"]["dev_ptr"]):
        assert int(address) % 128 == 0


def test_a_job_without_parameters_only_starts() -> None:
    program = isa.Binary((isa.UnitProgram("load", 0, (isa.Instruction("halt"),)),), tiles=2)
    artifact = spyrecode.Artifact.make(program, Bank(), sample.SIGNATURE, sample.DEVICE, {})
    plan = json.loads(artifact.files()["spyrecode.json"])
    assert [c["command"] for c in plan["JobExecPlan"]] == ["ComputeOnDevice"]
    assert spyrecode.from_bytes(artifact.to_bytes()) == artifact


def test_the_size_does_not_depend_on_counts() -> None:
    assert len(sample.artifact(1_000_000).binary) == len(sample.artifact(1).binary)


def test_the_bank_is_what_the_steps_say() -> None:
    launch = spyrecode.bind(sample.SIGNATURE, {}, {"n": -5, "alpha": 1.5})
    assert ARTIFACT.parameters(launch) == (launch.args[0] + 64, -6, 0x3FC00000)
    wrapped = spyrecode.bind(sample.SIGNATURE, {}, {"n": -(2**31), "alpha": 0})
    assert ARTIFACT.parameters(wrapped)[1] == 2**31 - 1


def test_a_fault_on_the_host_is_at_its_line() -> None:
    steps = (Step("i32", arg=1), Step("i32", op="divsi", of=(0, 0)))
    with pytest.raises(InvalidKernel, match=r"kernel\.py:7:3: error: .*divides by zero"):
        Bank(steps, (1,)).evaluate((0, 0), (sample.PLACE, sample.PLACE))


def test_a_bank_needs_its_arguments() -> None:
    with pytest.raises(InvalidKernel, match="the plan reads launch argument 1 of 1"):
        Bank((Step("i32", arg=1),), (0,)).evaluate((0,), ())


def damaged(member: str, change: Callable[[Any], None]) -> str:
    """The message with which the artifact is refused once ``change`` has been made to a JSON member."""
    files = ARTIFACT.files()
    value = json.loads(files[member])
    change(value)
    files[member] = json.dumps(value).encode()
    with pytest.raises(InvalidKernel) as caught:
        spyrecode.from_files(files, "a.spyre")
    assert {d.id for d in caught.value.diagnostics} <= {"corrupt-artifact", "corrupt-binary"}
    return str(caught.value)


def launched(dims: str, result: str, term: Any) -> dict[str, Any]:
    """What a launch decides of a view, in one term."""
    return {"terms": [term], "map": f"affine_map<{dims} -> ({result})>"}


def put(*path: Any, value: Any) -> Callable[[Any], None]:
    """A change that sets the entry at ``path``."""

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


PREPARE, EXECUTE, P = "JobPreparationPlan", "JobExecPlan", "properties"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(PREPARE, 0, P, "size", value=768), "size: expected a decimal number as a string, found 768"),
        (put(PREPARE, 0, P, "size", value="-1"), "expected a decimal number"),
        (put(PREPARE, 0, P, "size", value="0x300"), "expected a decimal number"),
        (put(PREPARE, 0, P, "size", value=" 768"), "expected a decimal number"),
        (put(PREPARE, 0, P, "size", value="0"), "0 bytes"),
        (put(PREPARE, 0, P, "size", value="128"), "the allocation"),
        (put(PREPARE, 0, "command", value="Release"), "expected one of Allocate"),
        (put(PREPARE, value=[]), "is Allocate"),
        (put(PREPARE, 1, P, "dev_ptr", value="4096"), "not in segment 7"),
        (put(PREPARE, 1, P, "dev_ptr", value=str((7 << 34) + 90)), "no multiple of 128"),
        (put(PREPARE, 1, P, "init_bin_file", value="other.bin"), "other.bin"),
        (put(PREPARE, 1, P, "size", value="12"), "it copies 12 bytes"),
        (put(EXECUTE, value=[]), "is ComputeOnDevice"),
        (put(EXECUTE, 0, P, "hcm", value={}), "'vdci' is missing"),
        (put(EXECUTE, 0, P, "hcm", "vdci", value=[]), "expected an object"),
        (put(EXECUTE, 0, P, "hcm", "parameters", value=["99", "0", "0"]), "7 steps"),
        (put(EXECUTE, 0, P, "hcm", "parameters", value=["0"]), "the binary has 3 parameters, the plan fills 1"),
        (put(EXECUTE, 0, P, "hcm", "steps", 2, "of", value=["2", "1"]), "only those below 2"),
        (put(EXECUTE, 0, P, "hcm", "steps", 2, "op", value="launch"), "no operation 'launch'"),
        (put(EXECUTE, 0, P, "hcm", "steps", 0, "arg", value="9"), "beyond the 5 of ishape"),
        (put(EXECUTE, 0, P, "ishape", value=["2"]), "beyond the 2 of ishape"),
        (put(EXECUTE, 1, P, "host_handle", value="T9"), "'T9', which no earlier command made"),
        (put(EXECUTE, 1, P, "dirn", value=False), "expected a string, found False"),
        (put(EXECUTE, 2, P, "name", value="negate"), "does not end in"),
        (lambda plan: plan[PREPARE].pop(), "after Allocate, one InitTransfer is expected"),
        (lambda plan: plan[EXECUTE].insert(0, plan[EXECUTE][0]), "ComputeOnHost stands twice"),
        (lambda plan: plan[EXECUTE].insert(0, plan[PREPARE][1]), "InitTransfer has no place in JobExecPlan"),
        (put(EXECUTE, 0, P, "ishape", value=["5", "1"]), "ihandle empty, ishape one number"),
        (put(EXECUTE, 0, P, "size", value="4"), "3 parameters do not fit the 4 bytes of the tensor"),
    ],
)
def test_wrong_plans_are_refused(change: Callable[[Any], None], message: str) -> None:
    assert message in damaged("spyrecode.json", change)


@pytest.mark.parametrize(
    ("member", "change", "message"),
    [
        ("signature.json", put("grid", value=0), "grid: expected an integer from 1"),
        ("signature.json", put("grid", value=3), "the binary has 2 tiles, the signature 3"),
        ("signature.json", put("views", 0, "type", value="f12"), "no element type is called 'f12'"),
        ("signature.json", put("views", 0, "sizes", value=[1]), "1 sizes and 2 strides"),
        ("signature.json", put("views", 0, "arg", value=1), "argument 1, which is no address"),
        ("signature.json", put("views", 0, "arg", value=-1), "the literal address 'x_ptr' is no decimal number"),
        ("signature.json", put("arguments", 0, "index", value=4), "entry 0 is argument 4"),
        ("signature.json", put("views", 0, "launch", value=launched("(d0)", "d0", 0)), "no number of it"),
        ("signature.json", put("views", 0, "launch", value=launched("(d0)", "d1", 1)), "d1"),
        (
            "signature.json",
            put("views", 0, "launch", value=launched("(d0, d1)", "d0", 1)),
            "2 dimensions and 0 symbols",
        ),
        ("signature.json", put("views", 0, "launch", value=launched("(d0)", "d0", [1])), "two widths and a map"),
        (
            "signature.json",
            put("views", 0, "launch", value=launched("(d0)", "d0", ["x", 8, 8, "affine_map<() -> (1)>"])),
            "'x' of 1 values",
        ),
        ("debug/device.json", put("cores", value="many"), "device.json"),
        ("debug/device.json", put("cores", value=1), "the device 1 cores"),
        ("debug/device.json", put("units", value=[]), "no unit 'load'"),
        ("debug/locations.json", put("units", "load", value=[0]), "1 places for the 4 instructions of load"),
        ("debug/locations.json", put("places", value=[]), "expected an integer from 0 to -1"),
        ("debug/locations.json", put("places", 0, value=[[0, 1]]), "a position is file, line, column"),
    ],
)
def test_wrong_members_are_refused(member: str, change: Callable[[Any], None], message: str) -> None:
    assert message in damaged(member, change)


@pytest.mark.parametrize("member", ["spyrecode.json", "init_binary.bin", "signature.json", "debug/device.json"])
def test_missing_and_junk_members_are_refused(member: str) -> None:
    files = ARTIFACT.files()
    for junk in (b"", b"{", b"[1e999]", b"\xff\xfe", b"[" * 100_000, b"1" * 5_000, b"null"):
        with pytest.raises(InvalidKernel, match=member.replace(".", r"\.")):
            spyrecode.from_files({**files, member: junk}, "a.spyre")
    del files[member]
    with pytest.raises(InvalidKernel, match=f"{member} is missing"):
        spyrecode.from_files(files, "a.spyre")


@given(
    st.lists(st.tuples(st.integers(0, len(ZIP) - 1), st.integers(0, 255)), min_size=1, max_size=4), st.integers(0, 9)
)
@settings(max_examples=400, deadline=None)
def test_damaged_zips_are_refused_or_read(changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(ZIP)
    for position, value in changes:
        data[position] = value
    if cut == 0:
        del data[changes[0][0] :]
    try:
        assert isinstance(spyrecode.from_bytes(bytes(data), "a.spyre").program, isa.Binary)
    except InvalidKernel as error:
        message = str(error)
    else:
        return
    assert "a.spyre" in message


def test_every_flipped_byte_of_a_json_member_is_refused_or_read() -> None:
    for member in ("spyrecode.json", "signature.json", "debug/device.json", "debug/locations.json"):
        files = ARTIFACT.files()
        for position in range(0, len(files[member]), 3):
            data = bytearray(files[member])
            data[position] ^= 1 << position % 7
            try:
                spyrecode.from_files({**files, member: bytes(data)}, "a.spyre")
            except InvalidKernel as error:
                message = str(error)
            else:
                continue
            assert "a.spyre" in message


def test_files_that_are_no_artifact(tmp_path: Path) -> None:
    (tmp_path / "junk").write_bytes(b"MZ\x90")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidKernel, match="is no text in UTF-8, not an artifact"):
        spyrecode.load(tmp_path / "junk")
    with pytest.raises(InvalidKernel, match="empty: this folder has no artifact in it"):
        spyrecode.load(tmp_path / "empty")
    with pytest.raises(InvalidKernel, match="cannot read"):
        spyrecode.load(tmp_path / "absent")
    with pytest.raises(SpyrecError, match="byte 0x0 of the binary"):
        spyrecode.from_files({**ARTIFACT.files(), "init_binary.bin": bytes(len(ARTIFACT.binary))})
