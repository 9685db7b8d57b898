"""Programs written by hand run at `schedule`, at `program` and as binary, and give what NumPy gives."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from by_hand import PROGRAMS, SCHEDULES
from target import Arrays, Program, gate

from spyrec import codegen, driver, isa, sim, spyrecode
from spyrec.dialects.dataflow import ChannelOp, PostOp, WaitOp
from spyrec.errors import SpyrecError
from spyrec.passes.analysis import kernels
from spyrec.spyrecode import Artifact

SHUFFLES = range(20)


@functools.cache
def artifact(program: Program) -> Artifact:
    return program.artifact()


def bits(arrays: Arrays) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_schedule(program: Program) -> None:
    program.check(program.at_stage("schedule", seed=1))


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_program(program: Program) -> None:
    plain = program.at_stage("program")
    program.check(plain)
    for seed in (1, 2):
        assert bits(program.at_stage("program", seed=seed)) == bits(plain)


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_binary_and_every_draw_of_latencies(program: Program) -> None:
    plain, _ = program.binary(artifact(program))
    program.check(plain)
    assert bits(plain) == bits(program.at_stage("program"))
    for seed in SHUFFLES:
        assert bits(program.binary(artifact(program), shuffle=seed)[0]) == bits(plain), seed


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_assembling_undoes_disassembling(program: Program) -> None:
    binary = artifact(program).program
    assert isa.assemble(isa.disassemble(binary)) == binary
    assert isa.decode(isa.encode(binary)) == binary


LOOPS = [program for program in PROGRAMS if "// iterations" in program.text("program")]


@pytest.mark.parametrize("program", LOOPS, ids=str)
def test_size_does_not_depend_on_trip_counts(program: Program) -> None:
    assert len({len(isa.encode(program.artifact(n).program)) for n in (10, 70_000, 10_000_000)}) == 1


LONG = (1000, 100_000, 10_000_000)


@pytest.mark.parametrize(
    ("counts", "tuning"), [(LONG, ()), ((10, *LONG), ("group-iterations=off", "alternate-corelets=off"))]
)
def test_the_size_of_a_compiled_kernel_does_not_depend_on_trip_counts(
    counts: tuple[int, ...], tuning: tuple[str, ...]
) -> None:
    """From the text of a kernel, through all passes; short loops without those that copy a body as often as is left."""
    text = (Path(__file__).parents[2] / "examples" / "loops.mlir").read_text(encoding="utf-8")
    sizes = set()
    for count in counts:
        longer = text.replace("constant 1000 :", f"constant {count} :")
        longer = longer.replace("2000", str(2 * count)).replace("1999", str(2 * count - 1))
        artifact = driver.compile_text(longer, "loops.mlir", driver.Options(kernel="loop_1000", tuning=tuning)).artifact
        assert artifact is not None
        sizes.add(len(isa.encode(artifact.program)))
    assert len(sizes) == 1


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_the_gates_of_both_stages_accept_it(program: Program) -> None:
    for stage in ("schedule", "program"):
        module, function = program.loaded(stage)
        with module.context:
            gate(stage, function, program.device)


@pytest.mark.parametrize("count", [0, 1, 7])
def test_a_launch_decides_how_often_a_loop_runs(count: int) -> None:
    """One binary for every count: what the launch says is in the parameter bank."""
    program = next(p for p in PROGRAMS if p.name == "copy")
    code = program.artifact(argument=True)
    launch = spyrecode.bind(
        code.signature, program.given() | {"y": program.given()["x"] * 0}, {"rows": count}, seed=None
    )
    sim.run(code, launch)
    y = program.outputs(launch)["y"]
    want = program.given()["x"]
    assert (y[: 4 * count] == want[: 4 * count]).all()
    assert not y[4 * count :].any()


@pytest.mark.parametrize("program", SCHEDULES, ids=str)
def test_schedules_mean_what_numpy_says(program: Program) -> None:
    program.check(program.at_stage("schedule", seed=1))
    module, function = program.loaded("schedule")
    with module.context:
        gate("schedule", function, program.device)


LOWERED = PROGRAMS + SCHEDULES


@pytest.mark.parametrize("program", LOWERED, ids=str)
def test_the_passes_make_a_right_program_of_the_schedule(program: Program) -> None:
    """Addresses, synchronisation and units by the compiler's own passes: whatever the latencies, the results are
    right.
    """
    code = program.lowered()
    for shuffle in (None, *SHUFFLES):
        program.check(program.binary(code, shuffle=shuffle)[0])


@pytest.mark.parametrize("program", SCHEDULES, ids=str)
def test_assembling_undoes_disassembling_of_what_is_lowered(program: Program) -> None:
    binary = program.lowered().program
    assert isa.assemble(isa.disassemble(binary)) == binary
    assert isa.decode(isa.encode(binary)) == binary


@pytest.mark.parametrize("program", LOWERED, ids=str)
def test_without_any_channel_that_pruning_left_something_goes_wrong(program: Program) -> None:
    """Between cores the passes do not look: there a channel may be caution, and then the results stay right."""
    module, function = program.at_program()
    with module.context:
        channels = [view for op in kernels.walk(function) if isinstance(view := op.opview, ChannelOp)]
        names = [view.sym_name.value for view in channels if view.peers is None]
        cautious = len(names) < len(channels)
    assert names
    caught = 0
    for name in names:
        module, function = program.at_program()
        with module.context:
            for op in list(kernels.walk(function)):
                view = op.opview
                ends = isinstance(view, PostOp | WaitOp) and view.channel.value == name
                if ends or (isinstance(view, ChannelOp) and view.sym_name.value == name):
                    op.erase()
            try:
                gate("program", function, program.device)
            except SpyrecError:
                caught += 1
                continue
            assert cautious, name
            code = codegen.generate(function, program.device())
        for shuffle in SHUFFLES:
            program.check(program.binary(code, shuffle=shuffle)[0])
    assert caught > len(names) // 2
