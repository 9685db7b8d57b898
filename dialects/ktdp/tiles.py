"""Access tiles: which coordinates of a view a load or store touches."""

from collections.abc import Iterator, Sequence

from spyrec import ods, sets
from spyrec.dialects.ktdp.coordinates import (
    Names,
    always_runs,
    at,
    constant,
    order_is_permutation,
    permutation,
    tile_shape,
)
from spyrec.dialects.ktdp.types import AccessTile, AccessTileType, Ktdp
from spyrec.dialects.ktdp.views import view_points
from spyrec.mlir import ir
from spyrec.ods import constraints as c
from spyrec.ods.checks import set_arity
from spyrec.sets import Points


class ConstructAccessTileOp(ods.Op, dialect=Ktdp, name="construct_access_tile", effects=ods.Pure):
    """The coordinates of a tile of a view.

    The subscripts give the anchor; every point of `access_tile_set` (its symbols are `symbol_operands`) is a coordinate
    relative to it. `access_tile_order` says in which order a load enumerates them.
    """

    base = ods.operand(c.MemRefOrTensor, "the view")
    indices = ods.variadic_operand(
        c.Index, "values that the subscripts use: dimensions of `base_map`, then its symbols"
    )
    symbol_operands = ods.variadic_operand(c.Index, "values of the symbols of `access_tile_set`")
    base_map = ods.attr(c.AffineMapAttr, "the subscripts, one result per dimension of the view")
    access_tile_set = ods.attr(c.IntegerSetAttr, "relative coordinates of the tile")
    access_tile_order = ods.attr(c.AffineMapAttr, "order of enumeration; the last result varies fastest")
    result = ods.result(AccessTile, "the tile")
    assembly_format = (
        "$base custom<AffineSubscript>($indices, $base_map) (`symbols` `(` $symbol_operands^ `)`)? attr-dict"
        " `:` type($base) `->` type($result)"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """Subscripts, set, order and tile have as many dimensions as the view; the order is a permutation; the tile has
        room for every point of its set.
        """
        subscripts = self.base_map.value
        given = len(subscripts.results)
        inputs = subscripts.n_dims + subscripts.n_symbols
        if inputs != len(self.indices):
            yield ods.Violation(
                "rank-mismatch",
                f"base_map takes {inputs} values, but the op has {len(self.indices)} indices",
                "indices",
            )
        base = ir.ShapedType(self.base.type)
        if not base.has_rank:
            yield ods.Violation(
                "type-mismatch", f"{self.base.type} has no rank, so it has no coordinates", "type(base)"
            )
            return
        rank = base.rank
        if given != rank:
            yield ods.Violation(
                "rank-mismatch", f"there are {given} subscripts, but {self.base.type} has {rank} dimensions", "indices"
            )
        wrong = list(
            set_arity("access_tile_set", self.access_tile_set, rank, len(self.symbol_operands), "symbol operands")
        )
        wrong += order_is_permutation("access_tile_order", self.access_tile_order.value, rank, of="the tile")
        shape = AccessTileType(self.result.type).shape
        if len(shape) != rank:
            wrong.append(
                ods.Violation(
                    "rank-mismatch", f"the tile has {len(shape)} dimensions, but the view has {rank}", "type(result)"
                )
            )
        yield from wrong
        order = permutation(self.access_tile_order.value)
        if not wrong and order is not None:
            yield from tile_shape("access_tile_set", self.points(Names()), order, shape, "tile")

    def review(self) -> Iterator[ods.Violation]:
        """Refused, where the op always runs: a constant start below 0, and constants that put the tile wholly outside
        of its view.
        """
        if not always_runs(self.operation):
            return
        names = Names(constants=True)
        anchor = sets.parse_map(str(self.base_map)).values([constant(v) for v in self.indices])
        yield from outside("indices", self.base, self.points(names), anchor, names)

    def points(self, names: Names) -> Points:
        """The points of the tile, relative to its anchor."""
        return Points.of(str(self.access_tile_set), names.all(self.symbol_operands))


def outside(
    field: str, base: ir.Value, tile: Points, anchor: Sequence[int | None], names: Names
) -> Iterator[ods.Violation]:
    """Refuse a tile that starts below 0 in a dimension whose anchor is a number, or that has no point of its view.

    ``anchor`` is None per dimension where it is not known.
    """
    view = view_points(base, names)
    if view is None or tile.surely_empty() or all(part.surely_empty() for part in view):
        return
    made_here = ((base, "the view is made here"),)
    spans = tile.spans()
    for dim, (start, reach) in enumerate(zip(anchor, spans, strict=True)):
        ends = [end for part in view if (end := part.spans()[dim]) is not None]
        if start is None or reach is None or len(ends) < len(view):
            continue
        first, last = start + reach[0], start + reach[1]
        low, high = min(e[0] for e in ends), max(e[1] for e in ends)
        if first < 0 or last < low or first > high:
            what = "starts" if first < 0 <= last else "is wholly outside"
            message = f"the tile {what} at {first} in dimension {dim}, but the view runs from {low} to {high} there"
            yield ods.Violation("out-of-view", message, f"{field}[{dim}]", made_here)
            return
    numbers = [start for start in anchor if start is not None]
    if len(numbers) == len(anchor) and all(tile.moved(numbers).surely_apart(part) for part in view):
        message = f"the tile at {at(numbers)} has no point of its view, which is no box"
        yield ods.Violation("out-of-view", message, field, made_here)


class ConstructIndirectAccessTileOp(ods.Op, dialect=Ktdp, name="construct_indirect_access_tile", effects=ods.Read):
    """The coordinates of a tile, some of which are read from index views: a gather, or a scatter when it is stored to.

    Each point of `variables_space_set` is one element. A subscript `(expression)` is the coordinate itself, `ind(%view
    [expressions])` the element of an index view there. Expressions are affine in the intermediate variables, which the
    op names, and in values from outside, which are captured. `ind` may be left out in front of a view.
    """

    base = ods.operand(c.MemRefOrTensor, "the view")
    indirect_memrefs = ods.variadic_operand(c.MemRef, "index views, one per indirect subscript")
    captured_variables = ods.variadic_operand(c.Index, "values from outside, in the order of their first use")
    symbol_operands = ods.variadic_operand(c.Index, "values of the symbols of `variables_space_set`")
    per_dim_subscript_kinds = ods.attr(
        c.array_of(c.BoolAttr, "an array of true and false"), "true for an indirect subscript; follows from the text"
    )
    per_dim_subscript_maps = ods.attr(
        c.array_of(c.AffineMapAttr, "an array of affine maps"),
        "the expressions, from captured and intermediate variables; follows from the text",
    )
    variables_space_set = ods.attr(c.IntegerSetAttr, "values of the intermediate variables")
    variables_space_order = ods.attr(c.AffineMapAttr, "order of enumeration; the last result varies fastest")
    result = ods.result(AccessTile, "the tile")
    body = ods.region("not shown: names the intermediate variables", terminator="ktdp.region_terminator", implicit=True)
    assembly_format = (
        "`intermediate_variables` `(` custom<HiddenArguments>($body) `)` $base custom<IndirectSubscripts>"
        "($indirect_memrefs, $captured_variables, $per_dim_subscript_kinds, $per_dim_subscript_maps, $body)"
        " (`symbols` `(` $symbol_operands^ `)`)? attr-dict"
        " `:` type($base) (`,` type($indirect_memrefs)^)? `->` type($result)"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """There is a subscript per dimension of the view and a variable per dimension of the set; index views hold
        integers and have a subscript per dimension; the order is a permutation; the tile has room for every point.
        """
        base = ir.ShapedType(self.base.type)
        if not base.has_rank:
            yield ods.Violation(
                "type-mismatch", f"{self.base.type} has no rank, so it has no coordinates", "type(base)"
            )
            return
        variables = len(self.body.blocks[0].arguments)
        if any(not isinstance(a.type, ir.IndexType) for a in self.body.blocks[0].arguments):
            yield ods.Violation("wrong-region", "intermediate variables must be index", "body")
        wrong = list(
            set_arity(
                "variables_space_set", self.variables_space_set, variables, len(self.symbol_operands), "symbol operands"
            )
        )
        wrong += order_is_permutation(
            "variables_space_order", self.variables_space_order.value, variables, of="the set"
        )
        shape = AccessTileType(self.result.type).shape
        if len(shape) != variables:
            wrong.append(
                ods.Violation(
                    "rank-mismatch",
                    f"the tile has {len(shape)} dimensions, but there are {variables} intermediate variables",
                    "type(result)",
                )
            )
        yield from wrong
        yield from self._subscripts(base.rank, variables)
        order = permutation(self.variables_space_order.value)
        if not wrong and order is not None:
            yield from tile_shape("variables_space_set", self.points(Names()), order, shape, "tile")

    def _subscripts(self, rank: int, variables: int) -> Iterator[ods.Violation]:
        kinds = [bool(ir.BoolAttr(k).value) for k in self.per_dim_subscript_kinds]
        maps = [ir.AffineMapAttr(m).value for m in self.per_dim_subscript_maps]
        if len(kinds) != len(maps):
            yield ods.Violation(
                "rank-mismatch", f"there are {len(kinds)} kinds, but {len(maps)} maps", "per_dim_subscript_maps"
            )
            return
        if len(kinds) != rank:
            yield ods.Violation(
                "rank-mismatch",
                f"there are {len(kinds)} subscripts, but {self.base.type} has {rank} dimensions",
                "per_dim_subscript_maps",
            )
        views = self.indirect_memrefs
        if sum(kinds) != len(views):
            yield ods.Violation(
                "wrong-operands",
                f"{sum(kinds)} subscripts are indirect, but there are {len(views)} index views",
                "indirect_memrefs",
            )
            return
        inputs, indirect = len(self.captured_variables) + variables, iter(enumerate(views))
        for k, (kind, subscript) in enumerate(zip(kinds, maps, strict=True)):
            field = f"per_dim_subscript_maps[{k}]"
            if subscript.n_symbols or subscript.n_dims != inputs:
                yield ods.Violation(
                    "rank-mismatch",
                    f"subscript {k} takes {subscript.n_inputs} values, but there are {len(self.captured_variables)}"
                    f" captured and {variables} intermediate variables",
                    field,
                )
            if not kind:
                if len(subscript.results) != 1:
                    yield ods.Violation(
                        "rank-mismatch", f"subscript {k} is direct, but has {len(subscript.results)} results", field
                    )
                continue
            j, view = next(indirect)
            yield from self._index_view(j, view, len(subscript.results), field)

    @staticmethod
    def _index_view(j: int, view: ir.Value, given: int, field: str) -> Iterator[ods.Violation]:
        kind = ir.MemRefType(view.type)
        if given != kind.rank:
            yield ods.Violation(
                "rank-mismatch", f"there are {given} subscripts, but {kind} has {kind.rank} dimensions", field
            )
        if not isinstance(kind.element_type, (ir.IntegerType, ir.IndexType)):
            yield ods.Violation(
                "type-mismatch",
                f"an index view holds integers, but {kind} holds {kind.element_type}",
                f"type(indirect_memrefs[{j}])",
            )

    def review(self) -> Iterator[ods.Violation]:
        """Refused, where the op always runs: direct subscripts of which none is inside the view."""
        if not always_runs(self.operation):
            return
        names = Names(constants=True)
        view, points = view_points(self.base, names), self.points(names)
        if view is None or points.surely_empty():
            return
        captured = [constant(v) for v in self.captured_variables]
        values = [None if n is None else (n, n) for n in captured] + points.spans()
        pairs = zip(self.per_dim_subscript_kinds, self.per_dim_subscript_maps, strict=True)
        for k, (kind, subscript) in enumerate(pairs):
            reach = None if ir.BoolAttr(kind).value else _reach(sets.parse_map(str(subscript)).results[0], values)
            ends = [part.spans()[k] for part in view]
            known = [end for end in ends if end is not None]
            if reach is None or len(known) < len(ends):
                continue
            if all(reach[1] < low or reach[0] > high for low, high in known):
                low, high = min(e[0] for e in known), max(e[1] for e in known)
                yield ods.Violation(
                    "out-of-view",
                    f"subscript {k} runs from {reach[0]} to {reach[1]}, but the view from {low} to {high} there",
                    f"per_dim_subscript_maps[{k}]",
                    ((self.base, "the view is made here"),),
                )

    def points(self, names: Names) -> Points:
        """The values of the intermediate variables."""
        return Points.of(str(self.variables_space_set), names.all(self.symbol_operands))


def _reach(expression: sets.Expression, values: Sequence[tuple[int, int] | None]) -> tuple[int, int] | None:
    """Lowest and highest value of a linear expression for these spans of its names; None when one is not known."""
    form = expression.linear
    if form is None:
        return None
    low = high = form.constant
    for name, factor in form.factors.items():
        span = values[int(name[1:])]
        if span is None:
            return None
        low += min(factor * span[0], factor * span[1])
        high += max(factor * span[0], factor * span[1])
    return low, high


class RegionTerminatorOp(ods.Op, dialect=Ktdp, name="region_terminator", traits=(ods.Terminator,), effects=ods.Pure):
    """Ends the region of an indirect access tile, which is not shown."""

    def verify(self) -> Iterator[ods.Violation]:
        """It stands in that region."""
        around = self.operation.parent
        if around is None or around.operation.name != ConstructIndirectAccessTileOp.NAME:
            found = "nothing" if around is None else around.operation.name
            yield ods.Violation(
                "wrong-region",
                f"{self.NAME} ends the body of {ConstructIndirectAccessTileOp.NAME}, but stands in {found}",
            )


def coordinate_limit(view: ir.Value) -> int | None:
    """What all elements of a view that indirect tiles read coordinates from have to be less than; None for others."""
    limits = []
    for use in view.uses:
        tile, number = use.owner.operation.opview, use.operand_number
        if isinstance(tile, ConstructIndirectAccessTileOp) and number > 0:
            kinds = [bool(ir.BoolAttr(k).value) for k in tile.per_dim_subscript_kinds]
            dimension = [d for d, indirect in enumerate(kinds) if indirect][number - 1]
            extent = list(ir.MemRefType(tile.base.type).shape)[dimension]
            limits += [extent] if extent >= 0 else []
    return min(limits, default=None)
