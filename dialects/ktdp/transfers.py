"""Loads and stores."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.dialects.ktdp.coordinates import maker
from spyrec.dialects.ktdp.tiles import ConstructAccessTileOp, ConstructIndirectAccessTileOp
from spyrec.dialects.ktdp.types import AccessTile, AccessTileType, Ktdp
from spyrec.dialects.spyreop import in_tensor
from spyrec.mlir import ir
from spyrec.ods import constraints as c
from spyrec.ods.checks import DYNAMIC


class LoadOp(ods.Op, dialect=Ktdp, name="load", effects=ods.Read):
    """Read the elements at a tile's coordinates. Points of the tile's box that are outside its set are 0."""

    access_tile = ods.operand(AccessTile, "the coordinates")
    result = ods.result(c.RankedTensor, "the elements")
    assembly_format = "$access_tile attr-dict `:` short-type($access_tile) `->` type($result)"

    def verify(self) -> Iterator[ods.Violation]:
        """The tensor has the tile's shape and the view's element type (`si32` and `ui32` count as `i32`)."""
        yield from _same_shape(self.access_tile, self.result, "result")


class StoreOp(ods.Op, dialect=Ktdp, name="store", effects=ods.Write):
    """Write elements to a tile's coordinates. Points outside the tile's set are not written."""

    data_tile = ods.operand(c.RankedTensor, "the elements")
    access_tile = ods.operand(AccessTile, "the coordinates")
    assembly_format = "$data_tile `,` $access_tile attr-dict `:` type($data_tile) `,` short-type($access_tile)"

    def verify(self) -> Iterator[ods.Violation]:
        """The tensor has the tile's shape and the view's element type (`si32` and `ui32` count as `i32`)."""
        yield from _same_shape(self.access_tile, self.data_tile, "data_tile")


def _same_shape(tile: ir.Value, tensor: ir.Value, field: str) -> Iterator[ods.Violation]:
    """Tile and tensor have one shape; the tensor has the element type of the tile's view, if that is in sight."""
    coordinates, data = AccessTileType(tile.type).shape, ir.RankedTensorType(tensor.type)
    if coordinates != list(data.shape):
        shown = "x".join(map(_show, coordinates)) or "rank 0"
        yield ods.Violation(
            "type-mismatch",
            f"the tile has shape {shown}, but the tensor is {data}",
            f"type({field})",
            ("they must be equal",),
        )
    made = maker(tile)
    if isinstance(made, (ConstructAccessTileOp, ConstructIndirectAccessTileOp)):
        element = in_tensor(ir.ShapedType(made.base.type).element_type)
        if _unsigned(element) != _unsigned(data.element_type):
            yield ods.Violation(
                "type-mismatch", f"the view holds {element}, but the tensor holds {data.element_type}", f"type({field})"
            )


def _show(size: int) -> str:
    return "?" if size == DYNAMIC else str(size)


def _unsigned(element: ir.Type) -> str:
    """The element type as tensors spell it: signs of integers do not count."""
    return f"i{element.width}" if isinstance(element, ir.IntegerType) else str(element)
