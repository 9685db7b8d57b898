"""Launches: names, types, placement and initial contents of arrays, outputs, and every mistake at its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sample
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrec.errors import InvalidKernel, OutOfResources
from spyrec.spyrecode import AddressFault, Argument, DeviceMemory, Segment, Signature, View, bind
from spyrec.spyrecode.numbers import Numbers
from spyrec.spyrecode.reading import dump, parse

NUMBERS = {"n": 3, "alpha": 0.1}
X = np.arange(32, dtype=np.float16)


def literal(address: int, type_: str, end: int, access: str = "r", sizes: tuple[int, ...] | None = None) -> View:
    """A view of ``end`` elements at literal element address ``address``."""
    sizes = sizes or (end,)
    strides = tuple(int(np.prod(sizes[k + 1 :])) for k in range(len(sizes)))
    return View(-1, str(address), type_, sizes, strides, address, address + end, access)  # type: ignore[arg-type]


def kernel(*views: View, arguments: tuple[Argument, ...] = ()) -> Signature:
    return Signature("k", 1, arguments, views, "k.mlir")


def mistakes(signature: Signature, arrays: dict[str, Any], numbers: dict[str, Any], seed: int | None = 0) -> list[str]:
    """The messages with which the launch is refused."""
    with pytest.raises(InvalidKernel) as caught:
        bind(signature, arrays, numbers, seed=seed)
    assert all(d.id for d in caught.value.diagnostics)
    return [str(d) for d in caught.value.diagnostics]


def test_signatures_survive_json() -> None:
    assert Signature.from_json(parse(dump(sample.SIGNATURE.to_json()), "s")) == sample.SIGNATURE


def test_an_array_is_the_memory_of_its_argument() -> None:
    launch = bind(sample.SIGNATURE, {"x_ptr": X.reshape(4, 8)}, NUMBERS)
    x, n, z, unused, alpha = launch.args
    assert isinstance(x, int)
    assert isinstance(z, int)
    assert (n, unused, alpha) == (3, 0, float(np.float32(0.1)))
    assert launch.memory.read(x, 64).tobytes() == X.tobytes()
    assert x >> 34 != z >> 34
    assert x % 128 == z % 128 == 0
    assert x > 0
    assert launch.random == ()


def test_memory_that_is_only_written_starts_as_ones() -> None:
    launch = bind(sample.SIGNATURE, {"x_ptr": X}, NUMBERS)
    assert set(launch.memory.read(int(launch.args[2]), 64)) == {0xFF}
    given_ = np.zeros((4, 8), ml_dtypes.bfloat16)
    assert not bind(sample.SIGNATURE, {"x_ptr": X, "z_ptr": given_}, NUMBERS).outputs()["z_ptr"].any()


def test_random_data_is_the_seeds() -> None:
    first, again, other = (bind(sample.SIGNATURE, {}, NUMBERS, seed=s).outputs(["x_ptr"])["x_ptr"] for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.isfinite(first).all()
    assert bind(sample.SIGNATURE, {}, NUMBERS, seed=1).random == ("x_ptr",)


def test_outputs_have_the_shape_of_what_was_given_else_of_the_view() -> None:
    launch = bind(sample.SIGNATURE, {"x_ptr": X, "z_ptr": np.zeros((2, 3, 10), np.uint16)}, NUMBERS)
    assert launch.outputs(["z_ptr"])["z_ptr"].shape == (2, 3, 10)
    assert launch.outputs(["z_ptr"])["z_ptr"].dtype == np.uint16
    own = bind(sample.SIGNATURE, {"x_ptr": X}, NUMBERS).outputs()
    assert {k: (v.shape, v.dtype.name) for k, v in own.items()} == {"z_ptr": ((4, 8), "bfloat16")}
    strided = kernel(View(-1, "0", "f32", (2, 2), (8, 1), 0, 10, "w"))
    assert bind(strided, {}, {}).outputs()["0"].shape == (10,)


def test_bfloat16_as_saved_or_as_bits() -> None:
    values = np.linspace(-2, 2, 32).astype(ml_dtypes.bfloat16)
    signature = kernel(View(-1, "0", "bf16", (32,), (1,), 0, 32, "r"))
    for array in (values, values.view(np.uint16), values.view("V2")):
        assert bind(signature, {"0": array}, {}).memory.read(0, 64).tobytes() == values.tobytes()


@pytest.mark.parametrize("shape", [(), (1,), (2, 2)])
def test_shapes_order_and_endianness_do_not_matter(shape: tuple[int, ...]) -> None:
    signature = kernel(literal(0, "f32", int(np.prod(shape))))
    array = np.asfortranarray(np.arange(int(np.prod(shape)), dtype=">f4").reshape(shape))
    assert bind(signature, {"0": array}, {}).memory.read(0, array.nbytes).tobytes() == array.astype("<f4").tobytes()


def test_argument_numbers_and_literal_addresses_are_names() -> None:
    launch = bind(sample.SIGNATURE, {"arg0": X}, {"arg1": 7, "alpha": 1})
    assert launch.args[1] == 7
    both = kernel(literal(1024, "f16", 4), literal(1024, "f32", 4))
    launch = bind(both, {"1024:f32": np.ones(4, np.float32), "1024:f16": X[:4]}, {})
    assert launch.memory.read(2048, 8).tobytes() == X[:4].tobytes()
    assert launch.memory.read(4096, 16).tobytes() == np.ones(4, np.float32).tobytes()
    (message,) = mistakes(both, {"1024": X}, {})
    assert "'1024:f16' and '1024:f32'" in message


def test_literal_views_may_share_bytes_but_not_disagree() -> None:
    overlapping = kernel(literal(0, "i32", 4, "w"), literal(2, "i32", 4))
    launch = bind(overlapping, {"2": np.arange(4, dtype=np.int32)}, {})
    assert launch.outputs(["0"])["0"].tolist() == [-1, -1, 0, 1]
    (message,) = mistakes(overlapping, {"0": np.zeros(4, np.int32), "2": np.ones(4, np.int32)}, {})
    assert "share bytes" in message


def test_pointer_arguments_avoid_literal_addresses() -> None:
    argument = Argument(0, "p", "address", "index")
    view = View(0, "p", "i8", (100,), (1,), 0, 100, "r")
    launch = bind(kernel(literal(4000, "i8", 200), view, arguments=(argument,)), {}, {})
    segments = sorted((s.start, s.end) for s in launch.memory.segments)
    assert segments[0] == (4000, 4200)
    assert segments[1][0] >= 4200 + 128


def test_more_arrays_than_segments() -> None:
    arguments = tuple(Argument(i, f"p{i}", "address", "index") for i in range(20))
    views = [View(i, f"p{i}", "f16", (64,), (1,), 0, 64, "r") for i in range(20)]
    memory = bind(kernel(*views, arguments=arguments), {}, {}).memory
    starts = [s.start for s in memory.segments]
    assert len(starts) == 20
    assert all(a.end <= b.start for a, b in zip(memory.segments, memory.segments[1:], strict=False))
    assert {s >> 34 for s in starts} == set(range(7))


def test_every_mistake_is_reported_at_its_place() -> None:
    found = mistakes(
        sample.SIGNATURE, {"x": X, "x_ptr": X[:3], "n": X}, {"n": 2.5, "z_ptr": 1, "m": 0, "alpha": "a"}, None
    )
    assert found == [
        "error: the kernel 'negate' has no array 'x'; its arrays: x_ptr, z_ptr",
        "negate.mlir:3:14: error: 'x_ptr' has 6 bytes (3 elements); the views reach 64 bytes",
        "negate.mlir:3:28: error: argument 'n' takes a number, not an array",
        "negate.mlir:3:28: error: argument 'n' is 2.5, which is no value of type i32",
        "negate.mlir:3:36: error: argument 'z_ptr' is an address: give it an array",
        "error: the kernel 'negate' has no argument 'm'; its numbers: n, alpha",
        "negate.mlir:3:60: error: argument 'alpha' is 'a', which is no value of type f32",
    ]


@pytest.mark.parametrize(
    ("arrays", "numbers", "message"),
    [
        ({}, {"n": 1}, "no value for argument 'alpha' of type f32"),
        ({}, {**NUMBERS, "n": 1 << 31}, "2147483648, which is no value of type i32"),
        ({}, {**NUMBERS, "arg1": 2}, "'arg1' is set twice"),
        ({"x_ptr": X.astype(np.float32)}, NUMBERS, "elements of type float32; the kernel's views have f16"),
        ({"x_ptr": X.astype(np.int16)}, NUMBERS, "elements of type int16"),
        ({"x_ptr": X, "arg0": X}, NUMBERS, "names an array that was given before"),
        ({"x_ptr": object()}, NUMBERS, "elements of type object"),
        ({"x_ptr": [[1], [2, 3]]}, NUMBERS, "cannot be read as an array"),
        ({"left_over": X}, NUMBERS, "argument 'left_over' is not used by the kernel"),
        ({"lx:0": [[1], [2, 3]]}, NUMBERS, "'lx:0' cannot be read as an array"),
        ({"lx:0": np.zeros((2, 4), np.complex64)}, NUMBERS, "'lx:0': "),
        ({"lx:0:f99": X}, NUMBERS, "'lx:0:f99': "),
        ({"lx:0:f32": X}, NUMBERS, "which are no bits of f32"),
        ({"lx:0": X}, NUMBERS, "it needs a row for each of the 2 compute tiles"),
    ],
)
def test_mistakes(arrays: dict[str, Any], numbers: dict[str, Any], message: str) -> None:
    assert message in "\n".join(mistakes(sample.SIGNATURE, arrays, numbers))


def test_a_number_that_the_kernel_does_not_count_on() -> None:
    argument = Argument(0, "n", "scalar", "index", granularity=8, upperbound=64)
    for value, said in ((12, "a multiple of 8"), (72, "at most 64")):
        (message,) = mistakes(kernel(arguments=(argument,)), {}, {"n": value})
        assert f"'n' is {value}: the kernel counts on {said}" in message


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"terms": [["add", 64, 64]], "map": "affine_map<(d0) -> (d0)>"}, "an op is its name, two widths and a map"),
        (
            {"terms": [0, ["launch", 64, 64, "affine_map<(d0) -> (d0, d0)>"]], "map": "affine_map<(d0) -> (d0)>"},
            "no operation 'launch' of 2",
        ),
        ({"terms": [0], "map": "affine_map<(d0) -> (d0 +)>"}, "map: "),
        ({"terms": [0], "map": "affine_map<(d0, d1) -> (d0)>"}, "a map of 2 dimensions and 0 symbols, not of 1"),
    ],
)
def test_numbers_that_make_no_sense(numbers: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidKernel) as caught:
        Numbers.from_json(parse(dump(numbers), "signature.json"))
    assert message in str(caught.value)


def test_missing_arrays_are_random_only_with_a_seed() -> None:
    assert mistakes(sample.SIGNATURE, {}, NUMBERS, None) == ["negate.mlir:3:14: error: no array for 'x_ptr'"]
    with pytest.raises(InvalidKernel) as caught:
        bind(sample.SIGNATURE, {}, {}, seed=None)
    assert sorted(d.notes[-1].message for d in caught.value.diagnostics) == [
        "give it with --in x_ptr=FILE.npy; --seed makes up what is missing",
        "give it with --set alpha=1.5",
        "give it with --set n=1024",
    ]


def test_views_outside_of_memory() -> None:
    (message,) = mistakes(kernel(literal(7 << 33, "f16", 4)), {}, {})
    assert "memory for tensors ends at" in message
    argument = Argument(0, "p", "address", "index")
    (message,) = mistakes(kernel(View(0, "p", "f32", (4,), (1,), -2, 2, "r"), arguments=(argument,)), {}, {})
    assert "8 bytes before the start of 'p'" in message
    with pytest.raises(OutOfResources, match="a launch here takes at most"):
        bind(kernel(View(0, "p", "f32", (1 << 40,), (1,), 0, 1 << 40, "r"), arguments=(argument,)), {}, {})


def test_an_array_that_no_segment_has_room_for() -> None:
    """12 GiB, and something in the middle of each segment of 16."""
    middles = [literal((segment << 34) + (1 << 33), "i8", 1) for segment in range(7)]
    view = View(0, "p", "i8", (12 << 30,), (1,), 0, 12 << 30, "r")
    found = mistakes(kernel(*middles, view, arguments=(Argument(0, "p", "address", "index"),)), {}, {})
    assert found == ["error: 'p' has 12884901888 bytes; no segment of 17179869184 bytes has that much left"]


def test_an_array_in_one_that_lies_in_another() -> None:
    arguments = tuple(Argument(i, name, "address", "index", may_alias=True) for i, name in enumerate("pqr"))
    views = [View(i, name, "f16", (32,), (1,), 0, 32, "r") for i, name in enumerate("pqr")]
    found = mistakes(kernel(*views, arguments=arguments), {"p": X, "q": "@p", "r": "@q"}, {})
    assert any("'q' itself lies in 'p': name that" in message for message in found)


def test_a_copy_is_independent() -> None:
    launch = bind(sample.SIGNATURE, {"x_ptr": X}, NUMBERS)
    copy = launch.copy()
    launch.memory.write(int(launch.args[0]), np.zeros(64, np.uint8))
    assert copy.outputs(["x_ptr"])["x_ptr"].tobytes() == X.tobytes()


MEMORY = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 30)), max_size=5)


@given(MEMORY, st.integers(-5, 450), st.integers(-2, 40))
@settings(max_examples=300, deadline=None)
def test_memory_gives_the_bytes_of_one_array_or_a_fault(
    places: list[tuple[int, int]], address: int, count: int
) -> None:
    """Against a dictionary of bytes."""
    segments: list[Segment] = []
    for start, size in sorted(places):
        if not segments or segments[-1].end <= start:
            segments.append(Segment(start, np.arange(start, start + size).astype(np.uint8), f"'{start}'"))
    memory = DeviceMemory(segments)
    holder = [s for s in segments if s.start <= address and address + count <= s.end]
    if count >= 0 and any(len(s.data) or count == 0 for s in holder):
        assert memory.read(address, count).tolist() == [b & 0xFF for b in range(address, address + count)]
        memory.view(address, count)[:] = 7
        assert set(memory.read(address, count)) <= {7}
    else:
        with pytest.raises(AddressFault):
            memory.read(address, count)


@pytest.mark.parametrize(
    ("sizes", "strides", "shape", "said"),
    [
        ((4, 8), (8, 1), (4, 8), None),
        ((4, 8), (8, 1), (1, 4, 8), None),
        ((4, 8), (8, 1), (8, 4), "warning: '0' has shape [8, 4], its view [4, 8]: it looks transposed"),
        ((1, 4, 8), (32, 8, 1), (8, 4), "warning: '0' has shape [8, 4], its view [1, 4, 8]: it looks transposed"),
        ((4, 8), (1, 4), (8, 4), None),
        ((4, 8), (1, 4), (4, 8), "warning: '0' has shape [4, 8], its view [4, 8] with strides [1, 4]: it looks"),
        ((4, 8), (8, 1), (2, 16), "remark: '0' has shape [2, 16], its view [4, 8]: it is taken as bytes in C order"),
        ((4, 8), (8, 1), (32,), None),
        ((4, 8), (8, 1), (2, 4, 4), None),
        ((4, 8), (16, 1), (4, 16), None),
        ((4, 8), (8, 1), (5, 8), "remark: '0' has shape [5, 8], its view [4, 8]: 80 bytes, of which the kernel can"),
        ((4, 8), (8, 1), (40,), "remark: '0' has shape [40], its view [4, 8]: 80 bytes, of which the kernel can"),
        ((), (), (1,), None),
        ((), (), (2,), "remark: '0' has shape [2], its view []: 4 bytes, of which the kernel can reach 2"),
    ],
)
def test_a_shape_that_looks_like_a_mistake_is_said(
    sizes: tuple[int, ...], strides: tuple[int, ...], shape: tuple[int, ...], said: str | None
) -> None:
    """Also for an output, whose contents nobody gives; and memory is that of the array whatever is said."""
    end = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    array = np.arange(np.prod(shape, dtype=int), dtype=np.float16).reshape(shape)
    for access in ("r", "w"):
        launch = bind(kernel(View(-1, "0", "f16", sizes, strides, 0, end, access)), {"0": array}, {})
        assert launch.memory.read(0, array.nbytes).tobytes() == array.tobytes()
        messages = [str(d) for d in launch.other_shapes()]
        assert len(messages) == (said is not None)
        assert not messages or said is None or messages[0].startswith(said)


def test_parts_and_hosts_of_arrays_are_no_mistake() -> None:
    """Two views that share an array, none of its shape; and an array behind whose own view another one lies."""
    half = View(0, "x", "f16", (4, 8), (8, 1), 0, 32, "r")
    x, z = Argument(0, "x", "address", "index"), Argument(1, "z", "address", "index")
    parts = Signature("k", 1, (x,), (half, replace(half, offset=32, end=64)))
    assert not bind(parts, {"x": np.zeros((8, 8), np.float16)}, {}).other_shapes()
    (remark,) = bind(parts, {"x": np.zeros((9, 8), np.float16)}, {}).other_shapes()
    assert "its view [4, 8]: 144 bytes, of which the kernel can reach 128" in remark.message
    two = Signature("k", 1, (x, z), (half, replace(half, arg=1, name="z")))
    assert not bind(two, {"x": np.zeros((16, 8), np.float16), "z": "@x+64"}, {}).other_shapes()
    several = Signature("k", 1, (x,), (half, replace(half, sizes=(2, 2), strides=(2, 1), end=4)))
    (remark,) = bind(several, {"x": np.zeros(33, np.float16)}, {}).other_shapes()
    assert "the views of it up to [4, 8]: 66 bytes, of which the kernel can reach 64" in remark.message


@pytest.mark.parametrize(
    ("given_", "type_", "advice"),
    [
        (np.zeros(4), "f16", "array.astype(numpy.float16)"),
        (np.zeros(4, np.float32), "bf16", "array.astype(ml_dtypes.bfloat16)"),
        (np.zeros(4), "i32", "array.astype(numpy.int32)"),
        (np.array(["a"] * 4), "f16", None),
    ],
)
def test_an_array_of_another_type_is_told_how_to_become_one(given_: Any, type_: str, advice: str | None) -> None:
    with pytest.raises(InvalidKernel, match="has elements of type") as caught:
        bind(kernel(literal(0, type_, 4)), {"0": given_}, {})
    notes = caught.value.diagnostics[0].notes
    assert [n.message.partition(" makes")[0] for n in notes] == ([advice] if advice else [])
