"""Binding a launch: arrays and numbers by name -> device memory and argument values.

The rules are those of ``docs/semantics.md``. An array is its argument's memory: its bytes in C order start at the
argument's address; its element type is that of the argument's views; it holds at least their largest footprint. Memory
that the kernel reads and nobody gave is random, memory that it only writes starts as 0xFF bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from spyrec import numerics
from spyrec.errors import Diagnostic, InvalidKernel, OutOfResources, Position, Severity
from spyrec.spyrecode.lx import Preset, is_lx, presets
from spyrec.spyrecode.memory import JOB_ADDRESS, JOB_SEGMENT, SEGMENT_BYTES, STICK, Bytes, DeviceMemory, Segment
from spyrec.spyrecode.signature import LITERAL, Argument, Signature, View

Array = npt.NDArray[Any]

# First byte of an argument in its segment: an address of 0 would hide a base that is never added.
FIRST_BYTE = 4096
MAX_LAUNCH_BYTES = 16 << 30
UNWRITTEN = 0xFF


@dataclass
class Region:
    """The memory of one argument, or of one literal address under one element type.

    ``address`` is its first byte, ``size`` its bytes; ``given`` the array that the launch supplied for it.
    ``shared``: another type sits at the same literal address, so that its key needs the type. ``inside`` is the region
    whose memory this one lies in, and from which byte on.
    """

    name: str
    arg: int
    views: tuple[View, ...]
    address: int = 0
    size: int = 0
    given: Array | None = None
    shared: bool = False
    inside: tuple[Region, int] | None = None

    @property
    def types(self) -> tuple[str, ...]:
        """Element types of the views, each once, in their order."""
        return tuple(dict.fromkeys(v.type for v in self.views))

    @property
    def read(self) -> bool:
        """True when the kernel reads it."""
        return any("r" in v.access for v in self.views)

    @property
    def written(self) -> bool:
        """True when the kernel writes it."""
        return any("w" in v.access for v in self.views)

    @property
    def loose(self) -> bool:
        """True when a view may lie anywhere in it, as data decide."""
        return any(v.loose for v in self.views)

    @property
    def key(self) -> str:
        """The name by which a launch may always call it: with the type where a literal address has several."""
        return f"{self.name}:{self.types[0]}" if self.shared else self.name

    def footprint(self) -> int:
        """Bytes from the start to the end of the highest view."""
        start = int(self.name) * numerics.sizeof(self.types[0]) if self.arg == LITERAL else 0
        return max(0, max((v.end * numerics.sizeof(v.type) - start for v in self.views), default=0))


def _listed(numbers: Sequence[int]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


@dataclass
class Launch:
    """A bound launch. ``args`` are the values of the arguments in order: byte addresses, integers, floats.

    ``random`` names the arrays that were filled with random data because nobody gave them. ``lx`` is what scratchpads
    hold at first.
    """

    signature: Signature
    memory: DeviceMemory
    args: tuple[int | float, ...]
    regions: tuple[Region, ...]
    random: tuple[str, ...] = field(default=())
    lx: tuple[Preset, ...] = ()

    def outputs(self, names: Iterable[str] | None = None) -> dict[str, Array]:
        """Copies of the arrays called ``names`` as they are in memory now; of all that the kernel writes by default.

        Shape and dtype are those of the array given for it, else the sizes of its one dense view, else one dimension,
        of the first written view's type. Raises ``InvalidKernel`` for a name that the kernel does not have.
        """
        problems: list[Diagnostic] = []
        if names is None:
            names = [r.key for r in self.regions if r.written]
        found: dict[str, Array] = {}
        for name in names:
            region = _find(self.signature, self.regions, name, problems)
            if region is not None:
                found[name] = self._array(region, name)
        _raise_if(problems)
        return found

    def _array(self, region: Region, name: str) -> Array:
        data = self.memory.read(region.address, region.size)
        if region.given is not None:
            return data[: region.given.nbytes].view(region.given.dtype).reshape(region.given.shape)
        views = [v for v in region.views if "w" in v.access] or list(region.views)
        type_ = _named_type(name) or views[0].type
        size = numerics.sizeof(type_)
        elements = numerics.from_bytes(data[: len(data) // size * size], type_)
        shapes = {v.sizes for v in region.views if v.dense and math.prod(v.sizes) == len(elements)}
        return elements.reshape(shapes.pop()) if len(shapes) == 1 else elements

    def other_shapes(self) -> tuple[Diagnostic, ...]:
        """What the shape of a given array says about a mistake, though any shape is taken: at most one per array."""
        hosts = {r.inside[0].key for r in self.regions if r.inside is not None}
        found = (_shape_said(self.signature, r, r.key in hosts) for r in self.regions if r.given is not None)
        return tuple(d for d in found if d is not None)

    def nowhere(self, low: int, high: int) -> str:
        """What is said of bytes ``[low, high)`` of device memory that are in no array: which is the nearest, and which
        view may have led there.
        """
        said = "are in no array of this launch"
        apart = [(max(s.start - high, low - s.end), s) for s in self.memory.segments]
        distance, near = min(apart, key=lambda entry: entry[0], default=(0, None))
        if near is not None:
            side = "end" if low >= near.end else "beginning"
            way = "behind" if low >= near.end else "before"
            place = f"bytes {near.start:#x} to {near.end - 1:#x}"
            said += f": they are {distance} bytes {way} the {side} of {near.name} ({place})"
        lines = sorted({v.line for v in self.signature.views if v.loose and v.line})
        if lines:
            which = f"view of line {lines[0]} starts" if len(lines) == 1 else f"views of lines {_listed(lines)} start"
            said += f"; what the kernel loads decides where the {which}"
        return said

    def copy(self) -> Launch:
        """An independent launch with the same memory contents."""
        return Launch(self.signature, self.memory.copy(), self.args, self.regions, self.random, self.lx)


def bind(
    signature: Signature,
    arrays: Mapping[str, Any],
    scalars: Mapping[str, int | float],
    *,
    seed: int | None = 0,
) -> Launch:
    """Place the arrays in device memory and give every argument its value.

    ``arrays`` maps an argument's name, ``argN``, a literal element address or ``ADDRESS:type`` to anything that
    NumPy takes as an array, or to ``@NAME`` or ``@NAME+BYTES``: to lie in the memory of another array. A name such as
    ``lx3:128`` is a place in a scratchpad (:mod:`spyrec.spyrecode.lx`). ``scalars`` has the values of scalar
    arguments. What the kernel reads and ``arrays`` lacks is random, drawn from ``seed``; with ``seed`` None it is an
    error. Raises ``InvalidKernel`` with every mistake of the launch, at the argument's place; ``OutOfResources`` when
    the arrays are larger
    than the host can be asked for.
    """
    problems: list[Diagnostic] = []
    wrong_numbers: list[Diagnostic] = []
    values = _scalar_values(signature, scalars, wrong_numbers)
    signature = signature.at(values)
    regions = _regions(signature)
    named: list[Region] = []
    lx: list[Preset] = []
    for name, value in arrays.items():
        if is_lx(name):
            lx += _lx(signature, name, value, problems)
            continue
        region = _find(signature, regions, name, problems)
        if region is not None:
            named.append(region)
            if isinstance(value, str):
                _put_inside(signature, regions, region, value, problems)
            else:
                _give(signature, region, name, value, problems)
    problems += wrong_numbers
    if seed is None:
        for region in regions:
            if _needed(region, regions) and not any(region is other for other in named):
                note = f"give it with --in {region.key}=FILE.npy; --seed makes up what is missing"
                _problem(problems, "missing-array", f"no array for '{region.key}'", _places(signature, region), note)
    _place_regions(signature, regions, problems)
    _raise_if(problems)
    memory = DeviceMemory(_segments(regions))
    random = _fill(signature, memory, regions, 0 if seed is None else seed)
    for region in regions:
        if region.arg != LITERAL:
            values[region.arg] = region.address
    args = tuple(values.get(a.index, 0) for a in signature.arguments)
    return Launch(signature, memory, args, tuple(regions), random, tuple(lx))


# Names.


def _regions(signature: Signature) -> list[Region]:
    """One region per address argument in order, then one per literal address and type."""
    found = [
        Region(a.name, a.index, tuple(v for v in signature.views if v.arg == a.index))
        for a in signature.arguments
        if a.kind == "address"
    ]
    literals: dict[tuple[str, str], list[View]] = {}
    for view in signature.views:
        if view.arg == LITERAL and not view.loose:
            literals.setdefault((str(int(view.name)), view.type), []).append(view)
    places = [name for name, _ in literals]
    return found + [
        Region(name, LITERAL, tuple(views), shared=places.count(name) > 1) for (name, _), views in literals.items()
    ]


def _named_type(name: str) -> str | None:
    _, colon, type_ = name.rpartition(":")
    return type_ if colon and type_ in numerics.TYPES else None


def _find(signature: Signature, regions: Sequence[Region], name: str, problems: list[Diagnostic]) -> Region | None:
    """The region that the user calls ``name``; a problem and None when there is none, or more than one."""
    type_ = _named_type(name)
    stem = name.rpartition(":")[0] if type_ else name
    typed = [r for r in regions if type_ is None or type_ in r.types]
    matching = [r for r in typed if r.name == stem] or [r for r in typed if stem == f"arg{r.arg}"]
    if len(matching) == 1:
        return matching[0]
    if matching:
        keys = " and ".join(f"'{r.key}'" for r in matching)
        _problem(
            problems,
            "unknown-argument",
            f"'{name}' is the address of {keys}: say which",
            _places(signature, matching[0]),
        )
        return None
    argument = _argument(signature, name)
    if argument is not None and argument.kind != "address":
        what = "takes a number, not an array" if argument.kind == "scalar" else "is not used by the kernel"
        _problem(problems, "unknown-argument", f"argument '{name}' {what}", signature.places(argument))
        return None
    have = ", ".join(r.key for r in regions) or "none"
    _problem(problems, "unknown-argument", f"the kernel '{signature.kernel}' has no array '{name}'; its arrays: {have}")
    return None


def _argument(signature: Signature, name: str) -> Argument | None:
    by_name = [a for a in signature.arguments if a.name == name]
    by_number = [a for a in signature.arguments if f"arg{a.index}" == name]
    return next(iter(by_name or by_number), None)


def _places(signature: Signature, region: Region) -> tuple[Position, ...]:
    if region.arg != LITERAL:
        places = signature.places(signature.arguments[region.arg])
        if places:
            return places
    return signature.places(region.views[0])


def _problem(
    problems: list[Diagnostic], id_: str, message: str, places: Sequence[Position] = (), advice: str = ""
) -> None:
    problems.append(_error(id_, message, places, advice))


def _error(id_: str, message: str, places: Sequence[Position] = (), advice: str = "") -> Diagnostic:
    """An error at the first place, with a note at each further one, and one that says how to mend it."""
    notes = tuple(Diagnostic(Severity.NOTE, "in this text", position=place) for place in places[1:])
    notes += (Diagnostic(Severity.NOTE, advice),) if advice else ()
    return Diagnostic(Severity.ERROR, message, id_, places[0] if places else None, notes=notes)


def _raise_if(problems: list[Diagnostic]) -> None:
    if problems:
        raise InvalidKernel(problems)


# Arrays and numbers.


def as_array(value: Any) -> Array:
    """``value`` as a NumPy array: an array, something with ``__array__`` or DLPack, nested lists."""
    if not isinstance(value, np.ndarray) and not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    return np.asarray(value)


def _give(signature: Signature, region: Region, name: str, value: Any, problems: list[Diagnostic]) -> None:
    """Attach the array to its region, after the checks."""
    places = _places(signature, region)
    try:
        array = as_array(value)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        _problem(problems, "wrong-array", f"'{name}' cannot be read as an array: {error}", places)
        return
    if region.given is not None:
        _problem(problems, "wrong-array", f"'{name}' names an array that was given before", places)
        return
    wanted = _named_type(name)
    types = [t for t in region.types if wanted in (None, t) and _holds(array.dtype, t)]
    if not types:
        _problem(
            problems,
            "wrong-array",
            f"'{name}' has elements of type {array.dtype}; the kernel's views have {' and '.join(region.types)}",
            places,
            _cast(array, wanted or region.types[0]),
        )
        return
    own = numerics.dtype(types[0]) if array.dtype.kind == "V" and array.dtype != numerics.dtype(types[0]) else None
    array = np.array(array, order="C").view(own) if own else np.array(array, array.dtype.newbyteorder("<"), order="C")
    if array.nbytes < region.footprint():
        _problem(
            problems,
            "wrong-array",
            f"'{name}' has {array.nbytes} bytes ({'x'.join(map(str, array.shape)) or 'one'} elements); "
            f"the views reach {region.footprint()} bytes",
            places,
        )
        return
    region.given = array


def _cast(array: Array, type_: str) -> str:
    """What makes an array of ``type_``; nothing for what is no number."""
    if array.dtype.kind not in "fiub" or type_ not in numerics.TYPES:
        return ""
    own = numerics.dtype(type_)
    package = "numpy" if own.kind in "fiub" else "ml_dtypes"
    return f"array.astype({package}.{own.name}) makes one, rounding where it has to"


def _shape_said(signature: Signature, region: Region, host: bool) -> Diagnostic | None:
    """A warning when an array looks like the transpose of a view, a remark when it is a reshape or holds more.

    Nothing about an array that lies in memory as a view does, rows that are padded included, nor about one of another
    rank and as many bytes: the image of a tiled tensor. A ``host`` has other arrays behind what its own views reach.
    """
    assert region.given is not None
    have, sizes = region.given.shape, region.given.size
    shown = f"'{region.key}' has shape {list(have)}"
    whole = [v for v in region.views if math.prod(v.sizes) == sizes]
    if any(_squeezed(have) in (v.in_memory(), v.padded()) for v in region.views):
        return None
    turned = next((v for v in whole if sorted(_squeezed(have)) == sorted(v.in_memory())), None)
    reshaped = next((v for v in whole if len(v.sizes) == len(have)), None)
    view = turned or reshaped or region.views[0]
    what = f"its view {list(view.sizes)}" + ("" if view.dense else f" with strides {list(view.strides)}")
    if turned is not None:
        message = f"{shown}, {what}: it looks transposed, and is taken as bytes in C order"
        turn = (
            "numpy.ascontiguousarray(array.T)" if len(have) == 2 else "numpy.transpose, then numpy.ascontiguousarray,"
        )
        advice = f"in memory the view is an array of {list(view.in_memory())} in C order: {turn} turns yours"
    elif reshaped is not None:
        message, advice = f"{shown}, {what}: it is taken as bytes in C order", ""
    elif region.given.nbytes > region.footprint() and not (host or region.loose):
        what = what if len({v.sizes for v in region.views}) == 1 else f"the views of it up to {_largest(region)}"
        message = f"{shown}, {what}: {region.given.nbytes} bytes, of which the kernel can reach {region.footprint()}"
        advice = ""
    else:
        return None
    places = _places(signature, region)
    severity = Severity.WARNING if turned is not None else Severity.REMARK
    notes = (Diagnostic(Severity.NOTE, advice),) if advice else ()
    return Diagnostic(severity, message, "other-shape", places[0] if places else None, notes=notes)


def _largest(region: Region) -> list[int]:
    return list(max((v.sizes for v in region.views), key=math.prod))


def _squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _lx(signature: Signature, name: str, value: Any, problems: list[Diagnostic]) -> list[Preset]:
    """What a name of a place in LX puts there."""

    def problem(message: str) -> None:
        _problem(problems, "wrong-array", message)

    try:
        array = as_array(value)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        problem(f"'{name}' cannot be read as an array: {error}")
        return []
    return presets(name, array, signature.grid, problem)


def _put_inside(
    signature: Signature, regions: Sequence[Region], region: Region, where: str, problems: list[Diagnostic]
) -> None:
    """Let a region lie in another one, as ``@NAME+BYTES`` says."""
    places = _places(signature, region)
    match = re.fullmatch(r"@(.+?)(?:\+(\d+))?", where)
    if match is None:
        _problem(problems, "wrong-array", f"'{region.key}': '{where}' is no array; @NAME+BYTES lies in another", places)
        return
    other = _find(signature, regions, match[1], problems)
    if other is None:
        return
    if region.given is not None or region.inside is not None or region.arg == LITERAL or region is other:
        _problem(problems, "wrong-array", f"'{region.key}' has a place of its own: it cannot lie at {where}", places)
        return
    if other.inside is not None:
        _problem(problems, "wrong-array", f"'{other.key}' itself lies in '{other.inside[0].key}': name that", places)
        return
    marked = any(r.arg != LITERAL and signature.arguments[r.arg].may_alias for r in (region, other))
    written = next((r for r in (region, other) if r.written), None)
    if written is not None and not marked:
        note = "mark one of the arguments as {spyrec.may_alias}: the compiler takes them for disjoint"
        message = f"'{region.key}' lies in the memory of '{other.key}', and the kernel writes '{written.key}'"
        _problem(problems, "aliased-arguments", message, places, note)
        return
    region.inside = (other, int(match[2] or 0))


def _needed(region: Region, regions: Sequence[Region]) -> bool:
    """Whether the kernel reads the memory of a region, under any name."""
    return region.read or any(r.read and r.inside is not None and r.inside[0] is region for r in regions)


def _holds(dtype: np.dtype[Any], type_: str) -> bool:
    """True when an array of ``dtype`` is one of element type ``type_``, or its raw bits."""
    own = numerics.dtype(type_)
    return dtype.newbyteorder("<") == own.newbyteorder("<") or (dtype.kind in "uV" and dtype.itemsize == own.itemsize)


def _scalar_values(
    signature: Signature, scalars: Mapping[str, int | float], problems: list[Diagnostic]
) -> dict[int, int | float]:
    """Values by argument number."""
    values: dict[int, int | float] = {}
    for name, value in scalars.items():
        argument = _argument(signature, name)
        if argument is None:
            have = ", ".join(a.name for a in signature.arguments if a.kind == "scalar") or "none"
            message = f"the kernel '{signature.kernel}' has no argument '{name}'; its numbers: {have}"
            _problem(problems, "unknown-argument", message)
        elif argument.kind == "address":
            message = f"argument '{name}' is an address: give it an array"
            _problem(problems, "unknown-argument", message, signature.places(argument))
        elif argument.index in values:
            _problem(problems, "wrong-scalar", f"'{name}' is set twice", signature.places(argument))
        else:
            fitted = _fit(value, argument.type)
            if fitted is None:
                message = f"argument '{name}' is {value!r}, which is no value of type {argument.type}"
                _problem(problems, "wrong-scalar", message, signature.places(argument))
            elif (broken := _broken(argument, fitted)) is not None:
                message = f"argument '{name}' is {value!r}: {broken}"
                _problem(problems, "wrong-scalar", message, signature.places(argument))
            else:
                values[argument.index] = fitted
    for argument in signature.arguments:
        if (
            argument.kind == "scalar"
            and argument.index not in values
            and not any(_argument(signature, name) is argument for name in scalars)
        ):
            message = f"no value for argument '{argument.name}' of type {argument.type}"
            sample = next((n for n in (1.5, 1024) if _fit(n, argument.type) is not None), 1)
            note = f"give it with --set {argument.name}={sample}"
            _problem(problems, "missing-scalar", message, signature.places(argument), note)
    return values


def _broken(argument: Argument, value: int | float) -> str | None:
    """What the kernel counts on and ``value`` is not."""
    if argument.granularity is not None and value % argument.granularity:
        return f"the kernel counts on a multiple of {argument.granularity}"
    if argument.upperbound is not None and value > argument.upperbound:
        return f"the kernel counts on at most {argument.upperbound}"
    return None


def _fit(value: Any, type_: str) -> int | float | None:
    """``value`` as a value of ``type_``, None if it is none. Floats are rounded to the type."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (int, float)):
        return None
    kind = numerics.scalar_type(type_)
    if kind.kind == "float":
        try:
            return float(numerics.widest(numerics.rounded(np.asarray(float(value)), type_)))
        except OverflowError:  # an integer that is no float at all
            return None
    if isinstance(value, float):
        if not value.is_integer():
            return None
        value = int(value)
    low, high = (0, 1) if kind.bits == 1 else numerics.limits(type_)
    return int(value) if low <= value <= high else None


# Memory.


def _place_regions(signature: Signature, regions: Sequence[Region], problems: list[Diagnostic]) -> None:
    """Choose the address and size of every region: literals where they say, argument k in segment k modulo 7."""
    taken: list[tuple[int, int]] = []
    total = 0
    for region in regions:
        places = _places(signature, region)
        region.size = max(region.footprint(), region.given.nbytes if region.given is not None else 0)
        for other in regions:
            if other.inside is not None and other.inside[0] is region:
                region.size = max(region.size, other.inside[1] + other.footprint())
        total += region.size if region.inside is None else 0
        below = min(v.offset * numerics.sizeof(v.type) for v in region.views)
        if region.arg == LITERAL:
            region.address = int(region.name) * numerics.sizeof(region.types[0])
            below -= region.address
            if region.address + region.size > JOB_ADDRESS:
                end = region.address + region.size
                message = (
                    f"the view at '{region.key}' ends at byte {end:#x}; memory for tensors ends at {JOB_ADDRESS:#x}"
                )
                _problem(problems, "bad-address", message, places)
            taken.append((region.address, region.address + region.size))
        if below < 0:
            _problem(problems, "bad-address", f"tiles begin {-below} bytes before the start of '{region.key}'", places)
    if total > MAX_LAUNCH_BYTES:
        message = (
            f"the arrays of '{signature.kernel}' have {total} bytes; a launch here takes at most {MAX_LAUNCH_BYTES}"
        )
        raise OutOfResources(
            [Diagnostic(Severity.ERROR, message, "host-memory")], "launch memory", total, MAX_LAUNCH_BYTES
        )
    number = 0
    for region in regions:
        if region.arg == LITERAL or region.inside is not None:
            continue
        found = None
        for attempt in range(JOB_SEGMENT):
            start = (number + attempt) % JOB_SEGMENT * SEGMENT_BYTES
            found = _free(start, start + SEGMENT_BYTES, region.size, taken)
            if found is not None:
                break
        number += 1
        if found is None:
            message = f"'{region.key}' has {region.size} bytes; no segment of {SEGMENT_BYTES} bytes has that much left"
            _problem(problems, "bad-address", message, _places(signature, region))
            continue
        region.address = found
        taken.append((found, found + region.size))
    for region in regions:
        if region.inside is not None:
            region.address = region.inside[0].address + region.inside[1]
            size = max(numerics.sizeof(t) for t in region.types)
            if region.address % size:
                message = f"'{region.key}' lies at byte {region.inside[1]}, where no element of {size} bytes begins"
                _problem(problems, "bad-address", message, _places(signature, region))


def _free(start: int, end: int, size: int, taken: list[tuple[int, int]]) -> int | None:
    """The lowest stick in the segment from which ``size`` bytes are free, a stick away from everything else."""
    address = start + FIRST_BYTE
    for first, last in sorted(taken):
        if first < address + size + STICK and address < last + STICK:
            address = -(-(last + STICK) // STICK) * STICK
    return address if address + size <= end else None


def _segments(regions: Sequence[Region]) -> list[Segment]:
    """One segment per region; regions that share bytes (literals under two types) become one."""
    spans: list[tuple[int, int, str]] = []
    for region in sorted(regions, key=lambda r: (r.address, r.size)):
        first, last, name = region.address, region.address + region.size, f"'{region.key}'"
        if spans and first < spans[-1][1]:
            before = spans.pop()
            first, last, name = before[0], max(last, before[1]), f"{before[2]} and {name}"
        spans.append((first, last, name))
    return [Segment(first, np.full(last - first, UNWRITTEN, np.uint8), name) for first, last, name in spans]


def _fill(signature: Signature, memory: DeviceMemory, regions: Sequence[Region], seed: int) -> tuple[str, ...]:
    """Write what the launch starts from; names of the regions that got random data."""
    random = []
    # Coordinates last: where literal addresses overlap, they are what must not be any bytes.
    for number, region in sorted(enumerate(regions), key=lambda r: any(v.limit is not None for v in r[1].views)):
        if region.given is None and region.inside is None and region.size and _needed(region, regions):
            source = np.random.default_rng([seed, number])
            limits = [v.limit for v in region.views if v.limit is not None]
            data = _random(source, region.types[0], region.size, min(limits, default=None))
            memory.write(region.address, data[: region.size])
            random.append(region.key)
    given: list[Region] = []
    for region in regions:
        if region.given is not None:
            _check_overlap(signature, memory, region, given)
            memory.write(region.address, numerics.to_bytes(region.given))
            given.append(region)
    return tuple(random)


def _check_overlap(signature: Signature, memory: DeviceMemory, region: Region, given: Sequence[Region]) -> None:
    """Two given arrays that share bytes must agree on them."""
    assert region.given is not None
    data = numerics.to_bytes(region.given)
    for other in given:
        first = max(region.address, other.address)
        last = min(region.address + region.size, other.address + other.size)
        mine = data[first - region.address : last - region.address] if first < last else data[:0]
        if not np.array_equal(mine, memory.read(first, len(mine)) if len(mine) else mine):
            message = f"'{region.key}' and '{other.key}' share bytes from {first:#x} on and were given different ones"
            raise InvalidKernel([_error("wrong-array", message, _places(signature, region))])


def _random_floats(source: np.random.Generator, type_: str, size: int) -> Bytes:
    count = -(-size // numerics.sizeof(type_))
    return numerics.to_bytes(numerics.rounded(source.standard_normal(count, np.float32), type_))


def _random(source: np.random.Generator, type_: str, size: int, limit: int | None) -> Bytes:
    """Random bytes of elements; with ``limit``, coordinates from 0 to below it."""
    kind = numerics.scalar_type(type_)
    if kind.kind == "float":
        return _random_floats(source, type_, size)
    low, high = (0, 2) if kind.bits == 1 else (-100, 100)
    if limit is not None:
        low, high = 0, max(1, min(limit, numerics.limits(type_)[1] + 1 if kind.bits > 1 else 2))
    count = -(-size // numerics.sizeof(type_))
    return numerics.to_bytes(source.integers(low, high, count).astype(numerics.dtype(type_)))
