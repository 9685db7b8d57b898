"""``--set device.lx.size=4MiB``: one number of a device, by its path.

A path names a memory (``device.lx.size``), a unit (``device.load.max_outstanding``, ``device.sfu.lanes.f16``), a link
by its two ends (``device.ddr->load.bandwidth``), a group (``device.timing.post_latency``, ``device.limits.loop_count``)
or the device itself (``device.cores``). Memories and units are named by kind or by role.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from spyrec.errors import UsageError

if TYPE_CHECKING:
    from spyrec.device.model import Device

PREFIX: Final = "device."
_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}


def apply(device: Device, settings: tuple[str, ...]) -> Device:
    """The device with each ``device.PATH=NUMBER`` of ``settings`` put in. Raises UsageError on what is none."""
    if not settings:
        return device
    data = device.to_json()
    for setting in settings:
        path, _, text = setting.partition("=")
        _put(data, path.removeprefix(PREFIX).split("."), number(text, path), path)
        device = type(device).from_json(data)
        if flaws := device.flaws():
            raise UsageError(f"--set {path}: {'; '.join(flaws)}")
    return device


def number(text: str, what: str) -> int:
    """``4MiB``, ``0x40``, ``1_000``, ``2k`` as an integer. Raises UsageError."""
    # More digits are no number of a device, and Python does not read just any number of them.
    digits = r"0[xX][0-9a-fA-F]{1,40}|[0-9]{1,40}|[0-9]{1,3}(?:_[0-9]{3}){1,12}"
    match = re.fullmatch(rf"\s*({digits})\s*([kKmMgG]?(?:[iI][bB])?)\s*", text)
    unit = match[2].lower() if match else ""
    if match is None or unit not in _UNITS:
        raise UsageError(f"--set {what}: expected a number such as 64, 0x40 or 4MiB, got '{text[:80]}'")
    return int(match[1], 16 if "x" in match[1].lower() else 10) * _UNITS[unit]


def _put(data: dict[str, Any], keys: list[str], value: int, path: str) -> None:
    at: Any = data
    for depth, key in enumerate(keys):
        last = depth == len(keys) - 1
        choices = _choices(at, top=depth == 0)
        if key not in choices:
            import difflib

            near = difflib.get_close_matches(key, choices, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(sorted(choices))}"
            raise UsageError(f"--set {path}: '{key}' is nothing of this device; {hint}")
        owner, name = choices[key]
        if last:
            if not isinstance(owner[name], int) or isinstance(owner[name], bool):
                raise UsageError(f"--set {path}: this is not one number")
            owner[name] = value
        else:
            at = owner[name]


def _choices(at: Any, *, top: bool) -> dict[str, tuple[Any, Any]]:
    """Key -> (container, index in it) of what can be named inside ``at``."""
    if not isinstance(at, dict):
        return {}
    found: dict[str, tuple[Any, Any]] = {}
    if top:
        for group, keys in (("memories", ("role", "kind")), ("units", ("role", "kind"))):
            for key in keys:
                for index, entry in enumerate(at[group]):
                    found[entry[key]] = (at[group], index)
        for index, entry in enumerate(at["links"]):
            found[f"{entry['source']}->{entry['target']}"] = (at["links"], index)
    found.update({k: (at, k) for k, v in at.items() if not isinstance(v, (list, str)) and v is not None})
    return found
