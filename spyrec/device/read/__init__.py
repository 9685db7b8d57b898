"""Devices from files in the public ``ktdf_arch`` syntax.

What a file says is taken as it is. What it leaves out (the public syntax has no name for start-up times, say) is taken
from ``spyre.mlir``, so that every number stands in a device file; ``docs/devices.md`` has the list. What is not
understood is named in a warning."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spyrec import files
from spyrec.diag import Sink
from spyrec.errors import InvalidKernel, UsageError

if TYPE_CHECKING:
    from spyrec.device.model import Device
    from spyrec.mlir import ir

FOLDER = Path(__file__).parents[2] / "devices"
BUILT_IN = "spyre"
"""The device whose numbers stand in for what another file does not say."""

_remembered: dict[tuple[str, int, int], tuple[Device, Sink]] = {}


def names() -> list[str]:
    """The devices that come with the package."""
    return sorted(file.stem for file in FOLDER.glob("*.mlir"))


def path(name: str) -> Path:
    """The file of a device: one that comes with the package, or any file by its path. Raises ``UsageError``."""
    if name in names():
        return FOLDER / f"{name}.mlir"
    file = Path(name)
    if file.is_file():
        return file
    if file.suffix or os.sep in name:
        raise UsageError(f"there is no device file '{name}'")
    near = difflib.get_close_matches(name, names(), 1)
    hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(names())}, or the path of a file"
    raise UsageError(f"there is no device '{name}'; {hint}")


def load(name_or_path: str, context: ir.Context | None = None, *, sink: Sink | None = None) -> Device:
    """The model of a device.

    ``context`` (with our dialects loaded) saves making one when the file has to be read. Warnings go to ``sink``.
    Results are remembered as long as the file does not change. Raises ``UsageError`` when there is no such device and
    ``InvalidKernel``, with places in the file, when it is wrong.
    """
    file = path(name_or_path)
    try:
        state = file.stat()
        key = (str(file.resolve()), state.st_mtime_ns, state.st_size)
        device, warnings = _remembered.get(key) or _read(file, context)
    except OSError as error:
        raise UsageError(f"cannot read device file '{file}': {files.reason(error)}") from error
    _remembered[key] = device, warnings
    if sink is not None:
        for warning in warnings.diagnostics:
            sink.emit(warning)
    return device


def _read(file: Path, context: ir.Context | None) -> tuple[Device, Sink]:
    from spyrec.device.read.build import build
    from spyrec.dialects import make_context

    sink = Sink()
    context = context or make_context()
    found = _parse(file, context, sink, ())
    defaults = None if file == FOLDER / f"{BUILT_IN}.mlir" else load(BUILT_IN, context)
    with context:
        device = build(found.op, found.attributes, defaults, sink)
    sink.raise_if_errors()
    for flaw in device.flaws():
        sink.error(found.op, "bad-device", flaw)
    sink.raise_if_errors()
    return device, sink


class _Found(NamedTuple):
    """The device op that has the body, and the attributes of it and of those that import it, which win.

    ``module`` owns the op.
    """

    module: ir.Module
    op: ir.Operation
    attributes: Mapping[str, ir.Attribute]


def _parse(file: Path, context: ir.Context, sink: Sink, importers: tuple[Path, ...]) -> _Found:
    """Read a file and, if its device has no body, the one that it imports."""
    from spyrec import asm
    from spyrec.dialects import ktdf_arch

    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidKernel(f"device file '{file}' is not UTF-8 text") from error
    module = asm.read(text, str(file), context, sink=sink).module
    devices = [op for op in module.body.operations if isinstance(op, ktdf_arch.DeviceOp)]
    if len(devices) != 1:
        raise InvalidKernel(f"'{file}' has {len(devices) or 'no'} ktdf_arch.device; a device file describes one")
    device = devices[0]
    attributes = {name: device.operation.attributes[name] for name in device.operation.attributes}
    if device.import_path is None:
        return _Found(module, device.operation, attributes)
    wanted = Path(device.import_path.value)
    there = next((p.resolve() for p in (file.parent / wanted, wanted) if p.is_file()), None)
    chain = (*importers, file.resolve())
    if there is None or there in chain:
        problem = f"there is no file '{wanted}' to import" if there is None else f"'{wanted}' imports itself"
        sink.error(device, "bad-device", problem, field="import_path")
        sink.raise_if_errors()
    assert there is not None
    found = _parse(there, context, sink, chain)
    return _Found(found.module, found.op, {**found.attributes, **attributes})
