"""The `dataflow` dialect: what the compiler's own stages say. :mod:`spyrec.dialects.dataflow.types` has an overview."""

from spyrec.dialects.dataflow.compute import ContractOp, Fold, PositionOp, StreamOp, YieldOp
from spyrec.dialects.dataflow.exchange import ELSEWHERE, OfferOp, TakeOp, tile_lists
from spyrec.dialects.dataflow.kernel import BoxOp, KeptOp, ReadOp, RoundedOp, TileIdOp, WriteOp
from spyrec.dialects.dataflow.program import BufferOp, ProgramUnitOp, ScalarLoadOp, TransferOp
from spyrec.dialects.dataflow.schedule import AllocOp, ChannelOp, DataTransferOp, PostOp, WaitOp
from spyrec.dialects.dataflow.types import FRESH, LX, SPACES, VIEWS, Dataflow

__all__ = [
    "ELSEWHERE",
    "FRESH",
    "LX",
    "SPACES",
    "VIEWS",
    "AllocOp",
    "BoxOp",
    "BufferOp",
    "ChannelOp",
    "ContractOp",
    "DataTransferOp",
    "Dataflow",
    "Fold",
    "KeptOp",
    "OfferOp",
    "PositionOp",
    "PostOp",
    "ProgramUnitOp",
    "ReadOp",
    "RoundedOp",
    "ScalarLoadOp",
    "StreamOp",
    "TakeOp",
    "TileIdOp",
    "TransferOp",
    "WaitOp",
    "WriteOp",
    "YieldOp",
    "tile_lists",
]
