"""Views of memory and tiles of them, as the passes of the ``kernel`` stage see them."""

from __future__ import annotations

from collections.abc import Sequence

from spyrec.dialects import ktdp
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.index_values import IndexValues
from spyrec.passes.analysis.linear import Linear
from spyrec.passes.analysis.overlap import can_reach


def view_of(tile: ktdp.ConstructAccessTileOp) -> ktdp.ConstructMemoryViewOp | None:
    """The op that makes the view of which ``tile`` is a tile, if it is in sight."""
    maker = kernels.defining(tile.base)
    if maker is None or not isinstance(maker.opview, ktdp.ConstructMemoryViewOp):
        return None
    return maker.opview


def anchors(tile: ktdp.ConstructAccessTileOp, values: IndexValues) -> list[Linear | None]:
    """Where the tile is anchored, per dimension of the view; ``None`` where the subscript is not affine."""
    subscripts = tile.base_map.value
    forms = [values.form(index) for index in tile.indices]
    dims, symbols = forms[: subscripts.n_dims], forms[subscripts.n_dims :]
    return [values.expression(result, dims, symbols) for result in subscripts.results]


def meets_itself(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two points of a strided box are one place of memory."""
    if 0 in extents:
        return False
    # Two points differ first in some dimension; the later of them may be taken to be further on there.
    for dim, (extent, stride) in enumerate(zip(extents, strides, strict=True)):
        inner = zip(extents[dim + 1 :], strides[dim + 1 :], strict=True)
        if can_reach([(stride, 1, extent - 1), *((step, 1 - count, count - 1) for count, step in inner)], 0, 0):
            return True
    return False
