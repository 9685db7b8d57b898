"""A compiled kernel: what it consists of, and how it is written to and read from a ZIP or a directory."""

from __future__ import annotations

import io
import os
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from spyrec import files, isa, kinds
from spyrec.device.model import Device
from spyrec.errors import Diagnostic, InvalidKernel, Position, UsageError
from spyrec.kinds import PLAN_FILE, ZIP_MAGIC
from spyrec.spyrecode.bank import Bank
from spyrec.spyrecode.launch import Launch
from spyrec.spyrecode.plan import BINARY_FILE, InitTransfer, Plan, plan_for
from spyrec.spyrecode.reading import Entry, corrupt, dump, parse
from spyrec.spyrecode.signature import Signature

SIGNATURE_FILE = "signature.json"
DEVICE_FILE = "debug/device.json"
LOCATIONS_FILE = "debug/locations.json"
HOST = "@host"
# Timestamps of members: the first that ZIP can express, so that equal artifacts have equal bytes.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MAX_MEMBER = 1 << 30

# For each unit's label, and for HOST, the user's places of each instruction (or step): the first is the one to show.
Locations = Mapping[str, Sequence[tuple[Position, ...]]]


@dataclass(frozen=True)
class Artifact:
    """One compiled kernel.

    ``binary`` are the bytes of ``init_binary.bin``; ``device`` is what it was compiled for; ``locations`` the user's
    place of every instruction; ``debug`` further files under ``debug/`` by their name there.
    """

    binary: bytes
    plan: Plan
    signature: Signature
    device: Device
    locations: Locations = field(default_factory=dict)
    debug: Mapping[str, bytes] = field(default_factory=dict)

    @staticmethod
    def make(
        binary: isa.Binary,
        bank: Bank,
        signature: Signature,
        device: Device,
        locations: Locations,
        debug: Mapping[str, bytes] | None = None,
    ) -> Artifact:
        """Encode ``binary`` and lay out its job."""
        data = isa.encode(binary)
        plan = plan_for(signature.kernel, len(data), len(signature.arguments), bank)
        return Artifact(data, plan, signature, device, locations, debug or {})

    def with_binary(self, binary: isa.Binary) -> Artifact:
        """The same job with another binary: what launches give stays as it is, and so do the user's places in units
        that have as many instructions as before.
        """
        counts = {unit.label: len(unit.code) for unit in binary.units}
        places = {u: p for u, p in self.locations.items() if u == HOST or counts.get(u) == len(p)}
        return Artifact.make(binary, self.plan.bank, self.signature, self.device, places, self.debug)

    @cached_property
    def program(self) -> isa.Binary:
        """The decoded binary. Raises ``InvalidKernel`` when it is damaged."""
        return isa.decode(self.binary)

    def parameters(self, launch: Launch) -> tuple[int, ...]:
        """The parameter bank for a launch: what the plan's ``ComputeOnHost`` makes from its arguments."""
        return self.plan.bank.evaluate(launch.args, self.locations.get(HOST))

    def files(self) -> dict[str, bytes]:
        """The members by name, in the order in which they are written."""
        return {
            PLAN_FILE: dump(self.plan.to_json()),
            BINARY_FILE: self.binary,
            SIGNATURE_FILE: dump(self.signature.to_json()),
            DEVICE_FILE: dump(self.device.to_json()),
            LOCATIONS_FILE: dump(_locations_to_json(self.locations), compact=True),
            **{f"debug/{name}": data for name, data in sorted(self.debug.items())},
        }

    def to_bytes(self) -> bytes:
        """The ZIP: members stored, fixed timestamps; equal artifacts give equal bytes."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            for name, data in self.files().items():
                info = zipfile.ZipInfo(name, _EPOCH)
                info.create_system = 3
                info.external_attr = 0o644 << 16
                archive.writestr(info, data)
        return out.getvalue()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a directory when ``path`` ends in a separator or is one, else a ZIP; all of it or nothing.

        Raises ``InvalidKernel`` when the file system refuses, ``UsageError`` for an empty path.
        """
        text = os.fspath(path)
        if not text:
            raise UsageError("an artifact needs a path to be saved to, got an empty one")
        target = Path(text)
        if text.endswith(("/", os.sep)) or target.is_dir():
            with files.writing_to(target):
                _write_directory(target, self.files())
        else:
            files.write(target, self.to_bytes())


def _write_directory(target: Path, members: Mapping[str, bytes]) -> None:
    """Fill a temporary directory beside ``target`` and move it, or its files if ``target`` exists, into place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name[:100]}.", dir=target.parent))
    try:
        for name, data in members.items():
            (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            (temporary / name).write_bytes(data)
        os.chmod(temporary, files.mode(0o777))
        if target.is_dir():
            for name in members:
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(temporary / name, target / name)
        else:
            os.rename(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


# Reading.


def is_artifact(data: bytes) -> bool:
    """True when ``data`` starts like the ZIP form of an artifact."""
    return data[:4] == ZIP_MAGIC


def load(path: str | os.PathLike[str]) -> Artifact:
    """Read an artifact from a ZIP or a directory.

    Raises ``InvalidKernel`` that says which member is wrong and where, or that nothing can be read.
    """
    target = Path(path)
    try:
        if target.is_dir():
            target = Path(kinds.artifact_folder(str(target)) or target)
            if not any((target / name).is_file() for name in (PLAN_FILE, BINARY_FILE, SIGNATURE_FILE)):
                corrupt(str(target), "this folder has no artifact in it")
            members = {}
            for name in (PLAN_FILE, BINARY_FILE, SIGNATURE_FILE, DEVICE_FILE, LOCATIONS_FILE):
                if (target / name).is_file():
                    members[name] = (target / name).read_bytes()
            for extra in sorted((target / "debug").glob("*")):
                if extra.is_file():
                    members[f"debug/{extra.name}"] = extra.read_bytes()
            return from_files(members, str(target))
        return from_bytes(target.read_bytes(), str(target))
    except OSError as error:
        raise files.refused(f"cannot read {target}: {files.reason(error)}", "unreadable-input") from error


def from_bytes(data: bytes, name: str = "artifact") -> Artifact:
    """The artifact in the ZIP ``data``; ``name`` is what errors call it. Raises ``InvalidKernel``."""
    return from_files(_unzip(data, name), name)


def _unzip(data: bytes, name: str) -> dict[str, bytes]:
    if not is_artifact(data):
        kind = kinds.of_bytes(data)
        raise files.refused(f"{name} is {kind.what}, not an artifact", "corrupt-artifact", note=kind.advice)
    members: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                if info.filename in members:
                    corrupt(name, f"two members are called {info.filename}")
                if info.file_size > _MAX_MEMBER or info.is_dir():
                    corrupt(name, f"member {info.filename} is a directory, or has over {_MAX_MEMBER} bytes")
                members[info.filename] = archive.read(info)
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        OSError,
        EOFError,
        ValueError,
        LookupError,
        RuntimeError,
    ) as error:
        corrupt(name, f"the ZIP is damaged: {error}")
    return members


def from_files(members: Mapping[str, bytes], name: str = "artifact") -> Artifact:
    """The artifact with these members. Raises ``InvalidKernel`` naming the member that is missing or wrong."""
    for needed in (PLAN_FILE, BINARY_FILE, SIGNATURE_FILE, DEVICE_FILE):
        if needed not in members:
            corrupt(name, f"{needed} is missing")
    plan = Plan.from_json(parse(members[PLAN_FILE], f"{name}: {PLAN_FILE}"))
    binary = members[BINARY_FILE]
    transfer = next(c for c in plan.preparation if isinstance(c, InitTransfer))
    if transfer.init_bin_file != BINARY_FILE or transfer.size != len(binary):
        corrupt(
            f"{name}: {PLAN_FILE}",
            f"it copies {transfer.size} bytes of {transfer.init_bin_file}; {BINARY_FILE} has {len(binary)}",
        )
    signature = Signature.from_json(parse(members[SIGNATURE_FILE], f"{name}: {SIGNATURE_FILE}"))
    device = _device(members[DEVICE_FILE], f"{name}: {DEVICE_FILE}")
    locations: Locations = {}
    if LOCATIONS_FILE in members:
        locations = _locations_from_json(parse(members[LOCATIONS_FILE], f"{name}: {LOCATIONS_FILE}"))
    known = {DEVICE_FILE, LOCATIONS_FILE}
    debug = {n.removeprefix("debug/"): d for n, d in members.items() if n.startswith("debug/") and n not in known}
    artifact = Artifact(binary, plan, signature, device, locations, debug)
    _check(artifact, name)
    return artifact


def _device(data: bytes, name: str) -> Device:
    try:
        return Device.from_json(parse(data, name).value)
    except InvalidKernel as error:
        if error.diagnostics[0].id:
            raise
        corrupt(name, str(error.diagnostics[0].message))


def _check(artifact: Artifact, name: str) -> None:
    """What the parts must agree on."""
    try:
        program = artifact.program
    except InvalidKernel as error:
        raise InvalidKernel(
            [Diagnostic(d.severity, f"{name}: {BINARY_FILE}: {d.message}", d.id) for d in error.diagnostics]
        ) from None
    if program.parameters != len(artifact.plan.bank.entries):
        corrupt(
            name, f"the binary has {program.parameters} parameters, the plan fills {len(artifact.plan.bank.entries)}"
        )
    if program.tiles != artifact.signature.grid or program.tiles > artifact.device.cores:
        corrupt(
            name,
            f"the binary has {program.tiles} tiles, the signature {artifact.signature.grid}, "
            f"the device {artifact.device.cores} cores",
        )
    for unit in program.units:
        if unit.kind not in artifact.device.units:
            corrupt(name, f"device '{artifact.device.name}' has no unit '{unit.kind}'")
        places = artifact.locations.get(unit.label)
        if places is not None and len(places) != len(unit.code):
            corrupt(
                name, f"{LOCATIONS_FILE} has {len(places)} places for the {len(unit.code)} instructions of {unit.label}"
            )


# Locations: files and places once, then a number per instruction.


def _locations_to_json(locations: Locations) -> dict[str, Any]:
    files: dict[str, int] = {}
    places: dict[tuple[Position, ...], int] = {}
    units = {
        label: [places.setdefault(tuple(place), len(places)) for place in sequence]
        for label, sequence in locations.items()
    }
    listed = [[[files.setdefault(p.file, len(files)), p.line, p.column] for p in place] for place in places]
    return {"files": list(files), "places": listed, "units": units}


def _locations_from_json(data: Entry) -> dict[str, tuple[tuple[Position, ...], ...]]:
    files = data.get("files").map(Entry.text)
    places = data.get("places").map(lambda e: tuple(_position(p, files) for p in e.items()))
    units = data.get("units")
    return {label: units.get(label).map(lambda e: places[e.integer(0, len(places) - 1)]) for label in units.members()}


def _position(entry: Entry, files: Sequence[str]) -> Position:
    parts = entry.items()
    if len(parts) != 3:
        entry.fail("a position is file, line, column")
    return Position(files[parts[0].integer(0, len(files) - 1)], parts[1].count(), parts[2].count())
