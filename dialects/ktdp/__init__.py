"""The `ktdp` dialect: how a kernel names its tile, views memory, moves tiles, and exchanges values with other tiles.

:mod:`spyrec.dialects.ktdp.types` has an overview.
"""

from spyrec.dialects.ktdp.inter_tile import (
    InterTileConsumeOp,
    InterTileProduceOp,
    InterTileReduceOp,
    YieldPartialOp,
    YieldReducedOp,
)
from spyrec.dialects.ktdp.launch import KINDS, RuntimeArgExtractOp
from spyrec.dialects.ktdp.tiles import (
    ConstructAccessTileOp,
    ConstructIndirectAccessTileOp,
    RegionTerminatorOp,
    coordinate_limit,
)
from spyrec.dialects.ktdp.transfers import LoadOp, StoreOp
from spyrec.dialects.ktdp.types import (
    AccessTileType,
    Ktdp,
    MemorySpaceAttr,
    RuntimeArgType,
    SpyreMemorySpaceAttr,
    TileFutureType,
)
from spyrec.dialects.ktdp.views import (
    ConstructDistributedMemoryViewOp,
    ConstructMemoryViewOp,
    GetComputeTileIdOp,
)

__all__ = [
    "KINDS",
    "AccessTileType",
    "ConstructAccessTileOp",
    "ConstructDistributedMemoryViewOp",
    "ConstructIndirectAccessTileOp",
    "ConstructMemoryViewOp",
    "GetComputeTileIdOp",
    "InterTileConsumeOp",
    "InterTileProduceOp",
    "InterTileReduceOp",
    "Ktdp",
    "LoadOp",
    "MemorySpaceAttr",
    "RegionTerminatorOp",
    "RuntimeArgExtractOp",
    "RuntimeArgType",
    "SpyreMemorySpaceAttr",
    "StoreOp",
    "TileFutureType",
    "YieldPartialOp",
    "YieldReducedOp",
    "coordinate_limit",
]
