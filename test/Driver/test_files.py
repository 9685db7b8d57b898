"""Input that is not text, output that cannot be written, and files that are whole or not there."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import spyrec
from spyrec.cli import inputs
from spyrec.driver import files
from spyrec.errors import InvalidKernel

EXAMPLE = Path(__file__).parents[2] / "examples" / "add.mlir"


@pytest.mark.parametrize(
    ("data", "line", "column", "says"),
    [
        (b"ab\nc\xff", 2, 2, "byte 0xff is not UTF-8 text"),
        ("é\n€€".encode() + b"\xc3(", 2, 3, "byte 0xc3"),
        (b"a\n\0", 2, 1, "NUL"),
    ],
)
def test_what_is_not_text_is_located(data: bytes, line: int, column: int, says: str) -> None:
    with pytest.raises(InvalidKernel, match=says) as caught:
        files.decode_text(data, "k.mlir")
    position = caught.value.diagnostics[0].position
    assert position is not None
    assert (position.file, position.line, position.column) == ("k.mlir", line, column)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"PK\x03\x04rest", "k.mlir is a ZIP file, not KTIR text"),
        (b"ML\xefRrest", "k.mlir is MLIR bytecode, not KTIR text [not-text]\nnote: print it as text: mlir-opt FILE"),
        (b"SPYRSIM\0rest", "k.mlir is a bare binary (init_binary.bin), not KTIR text"),
        (b"\x93NUMPY\x01\0v\0{", "k.mlir is a NumPy array, not KTIR text"),
        (b"\x1f\x8b\x08", "k.mlir is a file that gzip compressed"),
        ("module {}".encode("utf-16"), "k.mlir is text in UTF-16, not KTIR text [not-text]\nnote: save it as UTF-8"),
        (b'{\n "plan": 1}', "k.mlir is JSON, not KTIR text"),
        (bytes(range(256)), "k.mlir is binary data, not KTIR text"),
    ],
)
def test_another_kind_of_file_is_named(data: bytes, says: str) -> None:
    with pytest.raises(InvalidKernel, match="not-text") as caught:
        files.decode_text(data, "k.mlir")
    assert says in str(caught.value)


def test_a_python_file_is_no_kernel(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("import triton\n")
    for read in (files.read_text, spyrec.compile, inputs.read):
        with pytest.raises(InvalidKernel, match=r"k\.py is Python, not KTIR text \[not-text\]"):
            read(str(path))


def test_attributes_in_front_are_text() -> None:
    assert files.decode_text(b"{-# dialect_resources: {} #-}", "k.mlir")


def test_a_byte_order_mark_is_no_text() -> None:
    assert files.decode_text(b"\xef\xbb\xbfmodule {}", "k.mlir") == "module {}"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("no/such.mlir", "no such file"),
        (".", "is a directory"),
        ("a\0b", "null"),
        ("x" * 5000, r"cannot read x{200}\.\.\.: file name too long"),
    ],
)
def test_what_cannot_be_read(path: str, says: str) -> None:
    with pytest.raises(InvalidKernel, match=says):
        files.read_bytes(path)


def test_written_whole_with_the_usual_mode(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    files.write(target, b"old")
    files.write(target, b"new")
    assert target.read_bytes() == b"new"
    mask = os.umask(0)
    os.umask(mask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~mask
    assert os.listdir(tmp_path) == ["out.txt"]


Write = Callable[[Path], None]


def text(path: Path) -> None:
    files.write(path, b"new")


def artifact(path: Path) -> None:
    code = spyrec.compile(EXAMPLE)
    assert isinstance(code, spyrec.Code)
    code.save(path)


@pytest.mark.parametrize("write", [text, artifact])
def test_a_pipe_stays_a_pipe(write: Write, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(pipe)
        assert pipe.is_fifo()
        assert os.read(reader, 1 << 16)
    finally:
        os.close(reader)


@pytest.mark.parametrize("write", [text, artifact])
@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(write: Write, there: bool, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link, outer = tmp_path / "real" / "file", tmp_path / "link", tmp_path / "outer"
    if there:
        target.write_bytes(b"")
    link.symlink_to("real/file")
    outer.symlink_to(link)
    write(outer)
    assert outer.is_symlink()
    assert link.is_symlink()
    assert target.stat().st_size
    assert sorted(os.listdir(tmp_path)) == ["link", "outer", "real"]


def test_links_in_a_circle(tmp_path: Path) -> None:
    circle = tmp_path / "a"
    circle.symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InvalidKernel, match="too many levels of symbolic links"):
        files.write(circle, b"x")
    assert circle.is_symlink()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not show descriptors as files")
def test_what_is_open_is_written_on(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/proc/self/fd")
    with open(tmp_path / "out", "wb", buffering=0) as out:
        out.write(b"before ")
        files.write(tmp_path / "link" / str(out.fileno()), b"after")
    assert (tmp_path / "out").read_bytes() == b"before after"


def test_nothing_is_left_of_a_failed_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.txt"
    target.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InvalidKernel, match=r"out\.txt: no space left on device"):
        files.write(target, b"new")
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("name", ["no/such/folder/out", "."])
def test_what_cannot_be_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidKernel, match="cannot write"):
        files.write(tmp_path / name, b"x")


def test_names_of_kernels_as_files() -> None:
    assert files.safe_name("a/b:c") == "a_b_c"
    assert files.safe_name("..") == "kernel"
    one, two = files.safe_name("k" * 300), files.safe_name("k" * 301)
    assert len(one) < 110
    assert one != two
