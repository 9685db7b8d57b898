"""SpyreCode: what a compiled kernel is as files, and how a launch of it is bound. No MLIR here.

``Artifact`` is a compiled kernel (``Artifact.save``, ``load``); ``Signature`` says what a launch needs and
``bind`` makes one.
"""

from spyrec.spyrecode.artifact import Artifact, Locations, from_bytes, from_files, is_artifact, load
from spyrec.spyrecode.bank import Bank, Step
from spyrec.spyrecode.launch import Launch, bind
from spyrec.spyrecode.lx import Preset
from spyrec.spyrecode.memory import AddressFault, DeviceMemory, Segment
from spyrec.spyrecode.plan import Plan
from spyrec.spyrecode.signature import Argument, Signature, View

__all__ = [
    "AddressFault",
    "Argument",
    "Artifact",
    "Bank",
    "DeviceMemory",
    "Launch",
    "Locations",
    "Plan",
    "Preset",
    "Segment",
    "Signature",
    "Step",
    "View",
    "bind",
    "from_bytes",
    "from_files",
    "is_artifact",
    "load",
]
