"""Access tiles as boxes: the tensor that is loaded or stored, and for a point of it the coordinates in the view."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from spyrec import sets
from spyrec.dialects import ktdp
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, set_bounds
from spyrec.passes.analysis.linear import Linear
from spyrec.passes.analysis.set_bounds import Bounds
from spyrec.passes.analysis.steps import Division, Step, Steps
from spyrec.sets import NotABox


class NotATile(Exception):
    """A tile that cannot be compiled: the id and field of the error, its text, and a way out."""

    def __init__(self, id: str, message: str, field: str, instead: str) -> None:
        super().__init__(message)
        self.id, self.message, self.field, self.instead = id, message, field, instead


@dataclass(frozen=True)
class Lookup:
    """A coordinate that is read from an index view, at ``coordinates`` of it."""

    view: ir.Value
    coordinates: tuple[Step, ...]


Coordinate = Step | Lookup


@dataclass(frozen=True)
class Box:
    """Points with a coordinate per dimension of a view.

    ``used`` says how many steps per dimension hold all points, at most ``extents``. Points satisfy ``conditions``
    (steps that are at least 0) and ``constraints``. ``groups`` says of each dimension of the tensor how many of the box
    it is, and at which of their points, counted as one, it begins: a dimension that is divided is several.
    """

    extents: tuple[int, ...]
    used: tuple[int, ...]
    coordinates: tuple[Coordinate, ...]
    conditions: tuple[Step, ...] = ()
    constraints: tuple[tuple[sets.Constraint, Mapping[str, Step]], ...] = ()
    groups: tuple[tuple[int, int], ...] = ()

    @property
    def is_divided(self) -> bool:
        """Whether the tensor has another shape than the box."""
        return any(group != (1, 0) for group in self.groups)


@dataclass(frozen=True)
class AccessTile:
    """A tile: its view, its box, and the name of the field that holds the subscripts."""

    op: ir.OpView
    view: ir.Value
    box: Box
    field: str


Maker = ktdp.ConstructAccessTileOp | ktdp.ConstructIndirectAccessTileOp


def maker_of(access: ktdp.LoadOp | ktdp.StoreOp) -> Maker | None:
    """The op that makes the tile of a load or store, if it is in sight."""
    maker = kernels.defining(access.access_tile)
    view = None if maker is None else maker.opview
    return view if isinstance(view, ktdp.ConstructAccessTileOp | ktdp.ConstructIndirectAccessTileOp) else None


def read(tile: Maker, steps: Steps) -> AccessTile:
    """The tile that an op makes. Raises :class:`NotATile`."""
    if isinstance(tile, ktdp.ConstructAccessTileOp):
        points, order, shape = tile.access_tile_set, tile.access_tile_order.value, _shape(tile)
        start = _Start("access_tile_set", points, tile.symbol_operands, order, shape, steps)
        return AccessTile(tile, tile.base, start.box(_direct(tile, start)), "indices")
    points, order, shape = tile.variables_space_set, tile.variables_space_order.value, _shape(tile)
    start = _Start("variables_space_set", points, tile.symbol_operands, order, shape, steps)
    return AccessTile(tile, tile.base, start.box(_indirect(tile, start)), "per_dim_subscript_maps")


def _shape(tile: Maker) -> tuple[int, ...]:
    return tuple(ktdp.AccessTileType(tile.result.type).shape)


class _Start:
    """The box of a tile's variables, before their subscripts are looked at; it is divided where they divide."""

    def __init__(
        self,
        name: str,
        points: ir.Attribute,
        symbols: Sequence[ir.Value],
        order: ir.AffineMap,
        shape: tuple[int, ...],
        steps: Steps,
    ) -> None:
        self.values, self.at = steps.values, steps.at
        try:
            bounds = set_bounds.bounds(points, [self.values.form(value) for value in symbols], steps)
            low = set_bounds.lowest(points, bounds, steps)
        except NotABox as problem:
            message, instead = f"{name} is not compiled: {problem}", "give every dimension bounds of its own"
            raise NotATile("unsupported-set", message, name, instead) from None
        self.extents = list(shape)
        self.groups = [(1, 0)] * len(shape)
        places = {ir.AffineDimExpr(result).position: place for place, result in enumerate(order.results)}
        self.names = {f"d{v}": Step.along(places[v], low[v]) for v in range(len(shape))}
        self.used = list(shape)
        self.conditions: list[Step] = []
        for v, (first, last) in enumerate(zip(low, bounds.high, strict=True)):
            count = last.plus(1) - first
            if count.is_constant:
                self.used[places[v]] = max(0, min(shape[places[v]], count.constant))
            else:
                self.conditions.append(Step.of(last) - self.names[f"d{v}"])
            if first != bounds.low[v]:
                self.conditions.append(self.names[f"d{v}"] - Step.of(bounds.low[v]))
        self.bounds: Bounds = bounds

    def steps(self) -> Steps:
        """Expressions over the box as it is now."""
        return Steps(self.values, self.at, self.used)

    def subscript(self, expression: sets.Expression, names: Mapping[str, Step], what: str) -> None:
        """Divide the box until ``expression`` is linear over it. ``names`` are those that are no variables."""
        for _ in range(8):
            steps = self.steps()
            if steps.expression(expression, {**names, **self.names}) is not None:
                return
            if steps.obstacle is None or not self._divide(steps.obstacle):
                break
        raise NotATile(
            "unsupported-view",
            f"{what} is not compiled: it divides a sum in which no variable runs in step with the divisor",
            what,
            "start at a multiple of the divisor, or use two variables, one for the quotient and one for the remainder",
        )

    def _divide(self, division: Division) -> bool:
        """Make two dimensions of one, of which the second has as many steps as the divisor."""
        step, by = division.of, division.by
        if len(step.factors) != 1 or not step.rest.is_constant:
            return False
        ((dimension, factor),) = step.factors
        if factor != 1:
            return False
        first, count = step.rest.constant % by, self.extents[dimension]
        used = self.used[dimension]
        outer = -(-(first + count) // by)

        def divided(old: Step) -> Step:
            factors: dict[int, int] = {}
            rest = old.rest
            for d, f in old.factors:
                factors[d + (d > dimension)] = f
                if d == dimension:
                    factors[d], factors[d + 1] = f * by, f
                    rest = rest.plus(-f * first)
            return Step(tuple(sorted(factors.items())), rest)

        self.names = {name: divided(old) for name, old in self.names.items()}
        self.conditions = [divided(old) for old in self.conditions]
        self.extents[dimension : dimension + 1] = [outer, by]
        self.used[dimension : dimension + 1] = [-(-(first + used) // by) if used else 0, by]
        place = Step(((dimension, by), (dimension + 1, 1)), Linear.of(-first))
        self.conditions += [place, Step.of(used - 1) - place]
        end = 0
        for number, (dims, offset) in enumerate(self.groups):
            end += dims
            if dimension < end:
                later = math.prod(self.extents[dimension + 2 : end + 1])
                self.groups[number] = (dims + 1, offset + first * later)
                break
        return True

    def box(self, coordinates: Sequence[Coordinate]) -> Box:
        """The box with its coordinates."""
        names = {**self.names, **self.bounds.symbols}
        return Box(
            tuple(self.extents),
            tuple(self.used),
            tuple(coordinates),
            tuple(self.conditions),
            tuple((constraint, names) for constraint in self.bounds.others),
            tuple(self.groups),
        )


def _direct(tile: ktdp.ConstructAccessTileOp, start: _Start) -> list[Coordinate]:
    """The anchor, in each dimension of the view, and a variable."""
    subscripts = sets.parse_map(str(tile.base_map))
    forms = [Step.of(start.values.form(index)) for index in tile.indices]
    names = {f"d{k}": form for k, form in enumerate(forms[: subscripts.dims])}
    names |= {f"s{k}": form for k, form in enumerate(forms[subscripts.dims :])}
    steps = start.steps()
    found: list[Coordinate] = []
    for k, result in enumerate(subscripts.results):
        anchor = steps.expression(result, names)
        if anchor is None:
            message = f"subscript {k} is not compiled: it divides by a number that varies"
            raise NotATile("unsupported-view", message, f"indices[{k}]", "compute it with arith, and name the result")
        found.append(anchor + start.names[f"d{k}"])
    return found


def _indirect(tile: ktdp.ConstructIndirectAccessTileOp, start: _Start) -> list[Coordinate]:
    """What the subscripts say: of captured values, then variables."""
    captured = [Step.of(start.values.form(value)) for value in tile.captured_variables]
    outer = {f"d{k}": form for k, form in enumerate(captured)}
    maps = [sets.parse_map(str(map_)) for map_ in tile.per_dim_subscript_maps]
    # Variables come after the captured values.
    start.names = {f"d{len(captured) + int(name[1:])}": step for name, step in start.names.items()}
    for k, map_ in enumerate(maps):
        for expression in map_.results:
            start.subscript(expression, outer, f"per_dim_subscript_maps[{k}]")
    steps, names = start.steps(), {**outer, **start.names}
    views, found = iter(tile.indirect_memrefs), []
    for kind, map_ in zip(tile.per_dim_subscript_kinds, maps, strict=True):
        made = [steps.expression(expression, names) for expression in map_.results]
        coordinates = tuple(step for step in made if step is not None)
        found.append(Lookup(next(views), coordinates) if ir.BoolAttr(kind).value else coordinates[0])
    start.names = {f"d{int(name[1:]) - len(captured)}": step for name, step in start.names.items()}
    return found


def without(box: Box, dimensions: Sequence[int]) -> Box:
    """The box of ``dimensions`` alone, with the coordinates and conditions that use no others."""
    place = {d: k for k, d in enumerate(dimensions)}

    def moved(step: Step) -> Step:
        return Step(tuple((place[d], f) for d, f in step.factors), step.rest)

    conditions = [step for step in box.conditions if all(d in place for d, _ in step.factors)]
    return replace(
        box,
        extents=tuple(box.extents[d] for d in dimensions),
        used=tuple(box.used[d] for d in dimensions),
        coordinates=tuple(moved(c) for c in box.coordinates if isinstance(c, Step)),
        conditions=tuple(map(moved, conditions)),
        constraints=(),
        groups=((1, 0),) * len(dimensions),
    )
