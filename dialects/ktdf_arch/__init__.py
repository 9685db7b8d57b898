"""The `ktdf_arch` dialect: device descriptions, in the public syntax.

:mod:`spyrec.dialects.ktdf_arch.types` has an overview.
"""

from spyrec.dialects.ktdf_arch.resources import (
    DatapathOp,
    DeviceOp,
    ExecUnitOp,
    GroupOp,
    MemoryOp,
    PatternsOp,
    SwitchOp,
    YieldOp,
)
from spyrec.dialects.ktdf_arch.types import ExecUnitType, KtdfArch, MapAttr, MemoryType, PortType

__all__ = [
    "DatapathOp",
    "DeviceOp",
    "ExecUnitOp",
    "ExecUnitType",
    "GroupOp",
    "KtdfArch",
    "MapAttr",
    "MemoryOp",
    "MemoryType",
    "PatternsOp",
    "PortType",
    "SwitchOp",
    "YieldOp",
]
