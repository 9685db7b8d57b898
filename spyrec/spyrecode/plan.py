"""The two plans of ``spyrecode.json``: what a runtime does once, and what it does per launch.

The classes are the public contract's commands, with the spelling that loaders read. Every number is written as a
decimal string. Addresses are in segment 7 of the job's view and multiples of 128.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spyrec.spyrecode.bank import Bank
from spyrec.spyrecode.memory import JOB_ADDRESS, SEGMENT_BYTES, STICK
from spyrec.spyrecode.reading import Entry

BINARY_FILE = "init_binary.bin"
CORRECTION = "correction"
NAME_SUFFIX = " (spyrec-sim)"


@dataclass(frozen=True)
class Allocate:
    """Take ``size`` bytes in segment 7, from its start."""

    size: int


@dataclass(frozen=True)
class InitTransfer:
    """Copy ``size`` bytes of a file of the artifact to ``dev_ptr``."""

    init_bin_file: str
    dev_ptr: int
    size: int


@dataclass(frozen=True)
class ComputeOnHost:
    """Run the host function: launch arguments (``ihandle`` empty, ``ishape`` of them) to a tensor of ``size``
    bytes, ``ohandle``.
    """

    ihandle: str
    ishape: tuple[int, ...]
    ohandle: str
    size: int
    hcm: Bank


@dataclass(frozen=True)
class DataTransfer:
    """Copy ``size`` bytes between ``host_handle`` and ``dev_ptr``; ``dirn`` True is from the device."""

    dirn: bool
    host_handle: str
    dev_ptr: int
    size: int


@dataclass(frozen=True)
class ComputeOnDevice:
    """Start the binary at ``job_bin_ptr``; ``name`` is what profilers show."""

    job_bin_ptr: int
    name: str


Command = Allocate | InitTransfer | ComputeOnHost | DataTransfer | ComputeOnDevice


@dataclass(frozen=True)
class Plan:
    """Both lists of commands."""

    preparation: tuple[Command, ...]
    execution: tuple[Command, ...]

    @property
    def bank(self) -> Bank:
        """The parameter bank; an empty one when a launch has nothing to compute."""
        return next((c.hcm for c in self.execution if isinstance(c, ComputeOnHost)), Bank())

    @property
    def name(self) -> str:
        """The job's name."""
        return next(c.name for c in self.execution if isinstance(c, ComputeOnDevice))

    def to_json(self) -> dict[str, Any]:
        """The contents of ``spyrecode.json``."""
        return {
            "JobPreparationPlan": [_written(c) for c in self.preparation],
            "JobExecPlan": [_written(c) for c in self.execution],
        }

    @staticmethod
    def from_json(data: Entry) -> Plan:
        """Read and check both plans. Raises ``InvalidKernel`` naming the command and property that is wrong."""
        preparation = data.get("JobPreparationPlan")
        execution = data.get("JobExecPlan")
        plan = Plan(preparation.map(_read), execution.map(_read))
        _check(plan, preparation, execution)
        return plan


def plan_for(kernel: str, binary_bytes: int, arguments: int, bank: Bank) -> Plan:
    """The plan of a job: its binary at the start of segment 7, then the correction tensor.

    ``binary_bytes`` is the size of the binary, ``arguments`` the number of the kernel's arguments.
    """
    binary = _sticks(binary_bytes)
    correction = _sticks(bank.bytes)
    execution: list[Command] = []
    if bank.entries:
        execution = [
            ComputeOnHost("", (arguments,), CORRECTION, correction, bank),
            DataTransfer(False, CORRECTION, JOB_ADDRESS + binary, correction),
        ]
    return Plan(
        (Allocate(binary + correction), InitTransfer(BINARY_FILE, JOB_ADDRESS, binary_bytes)),
        (*execution, ComputeOnDevice(JOB_ADDRESS, kernel + NAME_SUFFIX)),
    )


def _sticks(size: int) -> int:
    return -(-size // STICK) * STICK


# Writing.


def _written(command: Command) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, value in vars(command).items():
        if isinstance(value, bool):
            properties[name] = "true" if value else "false"
        elif isinstance(value, int):
            properties[name] = str(value)
        elif isinstance(value, tuple):
            properties[name] = [str(v) for v in value]
        elif isinstance(value, Bank):
            properties[name] = value.to_json()
        else:
            properties[name] = value
    return {"command": type(command).__name__, "properties": properties}


# Reading.


def _allocate(p: Entry) -> Allocate:
    size = p.get("size").decimal()
    if size == 0:
        p.get("size").fail("an allocation of 0 bytes")
    return Allocate(size)


def _init_transfer(p: Entry) -> InitTransfer:
    return InitTransfer(p.get("init_bin_file").text(), _address(p.get("dev_ptr")), p.get("size").decimal())


def _compute_on_host(p: Entry) -> ComputeOnHost:
    return ComputeOnHost(
        p.get("ihandle").text(),
        p.get("ishape").map(Entry.decimal),
        p.get("ohandle").text(),
        p.get("size").decimal(),
        Bank.from_json(p.get("hcm")),
    )


def _data_transfer(p: Entry) -> DataTransfer:
    return DataTransfer(
        p.get("dirn").choice(("false", "true")) == "true",
        p.get("host_handle").text(),
        _address(p.get("dev_ptr")),
        p.get("size").decimal(),
    )


def _compute_on_device(p: Entry) -> ComputeOnDevice:
    name = p.get("name").text() if "name" in p.members() else ""
    return ComputeOnDevice(_address(p.get("job_bin_ptr")), name)


_READERS: dict[str, Callable[[Entry], Command]] = {
    "Allocate": _allocate,
    "InitTransfer": _init_transfer,
    "ComputeOnHost": _compute_on_host,
    "DataTransfer": _data_transfer,
    "ComputeOnDevice": _compute_on_device,
}


def _read(entry: Entry) -> Command:
    return _READERS[entry.get("command").choice(tuple(_READERS))](entry.get("properties"))


def _address(entry: Entry) -> int:
    address = entry.decimal()
    if not JOB_ADDRESS <= address < JOB_ADDRESS + SEGMENT_BYTES:
        entry.fail(f"address {address} is not in segment 7 ({JOB_ADDRESS} and the {SEGMENT_BYTES} bytes from there)")
    if address % STICK:
        entry.fail(f"address {address} is no multiple of {STICK}")
    return address


def _check(plan: Plan, preparation: Entry, execution: Entry) -> None:
    """The order and uniqueness rules of both plans, and what the binary needs beyond them."""
    kinds = [type(c) for c in plan.preparation]
    if kinds[:1] != [Allocate] or kinds.count(Allocate) != 1:
        preparation.fail("the first command, and only that, is Allocate")
    if kinds[1:] != [InitTransfer]:
        preparation.fail("after Allocate, one InitTransfer is expected")
    allocate, binary = plan.preparation
    assert isinstance(allocate, Allocate)
    assert isinstance(binary, InitTransfer)
    end = JOB_ADDRESS + allocate.size
    handles: set[str] = set()
    starts = [c for c in plan.execution if isinstance(c, ComputeOnDevice)]
    if len(starts) != 1 or plan.execution[-1] is not starts[0] or starts[0].job_bin_ptr != binary.dev_ptr:
        execution.fail("the last command, and only that, is ComputeOnDevice, at the address of InitTransfer")
    if not starts[0].name.endswith(NAME_SUFFIX):
        execution.fail(f"the name '{starts[0].name}' does not end in '{NAME_SUFFIX}'")
    if binary.dev_ptr + binary.size > end:
        preparation.fail(f"the binary ends at {binary.dev_ptr + binary.size}, the allocation at {end}")
    for command in plan.execution:
        if isinstance(command, ComputeOnHost):
            if handles:
                execution.fail("ComputeOnHost stands twice")
            if command.ihandle or len(command.ishape) != 1:
                execution.fail("ComputeOnHost takes the launch arguments: ihandle empty, ishape one number")
            if command.hcm.bytes > command.size:
                execution.fail(
                    f"{len(command.hcm.entries)} parameters do not fit the {command.size} bytes of the tensor"
                )
            if any(s.arg is not None and s.arg >= command.ishape[0] for s in command.hcm.steps):
                execution.fail(f"hcm reads an argument beyond the {command.ishape[0]} of ishape")
            handles.add(command.ohandle)
        elif isinstance(command, DataTransfer):
            if command.dirn or command.host_handle not in handles:
                execution.fail(f"DataTransfer of '{command.host_handle}', which no earlier command made")
            if command.dev_ptr + command.size > end or command.dev_ptr < binary.dev_ptr + binary.size:
                execution.fail(
                    f"the correction tensor at {command.dev_ptr} is not between the binary and the end, {end}"
                )
        elif not isinstance(command, ComputeOnDevice):
            execution.fail(f"{type(command).__name__} has no place in JobExecPlan")
