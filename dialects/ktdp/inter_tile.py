"""Communication between compute tiles."""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spyrec import ods, sets
from spyrec.dialects.ktdp.types import Ktdp, TileFuture, TileFutureType
from spyrec.dialects.ktdp.views import grid_of
from spyrec.mlir import ir
from spyrec.ods import constraints as c
from spyrec.ods.checks import set_arity


class InterTileProduceOp(ods.Op, dialect=Ktdp, name="inter_tile_produce"):
    """Offer values to other tiles.

    Each tile of a group's producer set runs the body, which gets the number of the group, and yields its partial
    values. Its earlier stores are visible to whoever consumes the future. There is exactly one such op.
    """

    producer_tiles_per_group = ods.attr(
        c.IntegerSetAttr, "flat ids of the producers: one dimension, with the number of the group as symbol"
    )
    future = ods.result(TileFuture, "what the groups have produced")
    body = ods.region("yields the partial values", args=(c.Index,), terminator="ktdp.yield_partial", implicit=True)
    assembly_format = (
        "`producer_tiles_per_group` `=` $producer_tiles_per_group attr-dict custom<FutureType>(type($future)) $body"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """No tile produces for two groups, all producers are tiles of the grid, and the body yields the partial types
        of the future.
        """
        future = TileFutureType(self.future.type)
        yield from set_arity("producer_tiles_per_group", self.producer_tiles_per_group, 1, 1, "number of the group")
        yield from _same_types("yield_partial", _yielded(self.body), future.types, "body")
        yield from _disjoint("producer_tiles_per_group", self.producers)

    def review(self) -> Iterator[ods.Violation]:
        """The future has one use."""
        uses = len(list(self.future.uses))
        if uses != 1:
            yield ods.Violation(
                "future-uses",
                f"the future is used {uses} times; exactly one op consumes or reduces it",
                "future",
                ("produce once more for a second consumer",) if uses else ("remove it, or consume it",),
            )

    @property
    def producers(self) -> "Tiles":
        """The producers of each group."""
        return Tiles(self.operation, self.producer_tiles_per_group, TileFutureType(self.future.type))


class InterTileConsumeOp(ods.Op, dialect=Ktdp, name="inter_tile_consume"):
    """Take the value that one producer of the group has offered, unchanged.

    With one producer per group every consumer gets the same; with several, `producer_dependency_per_consumer` says
    whose value each consumer gets. On a tile that is no consumer the result is undefined.
    """

    future = ods.operand(TileFuture, "what the groups have produced")
    consumer_tiles_per_group = ods.attr(
        c.IntegerSetAttr, "flat ids of the consumers: one dimension, with the number of the group as symbol"
    )
    producer_dependency_per_consumer = ods.optional_attr(
        c.IntegerSetAttr, "the producers that a consumer waits for: one dimension; symbols are its id, and the group"
    )
    results_ = ods.variadic_result(c.RankedTensor, "the values, of the future's partial types")
    assembly_format = (
        "`(` $future `)` `consumer_tiles_per_group` `=` $consumer_tiles_per_group"
        " (`,` `producer_dependency_per_consumer` `=` $producer_dependency_per_consumer^)? attr-dict"
        " `:` short-type($future) `->` type($results)"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """Results have the partial types. No tile consumes for two groups, all consumers are tiles of the grid. Each
        consumer has exactly one producer, each producer a consumer.
        """
        future = TileFutureType(self.future.type)
        types = [r.type for r in self.results_]
        yield from _same_types("results", types, future.types, "type(results)")
        consumers = Tiles(self.operation, self.consumer_tiles_per_group, future)
        yield from _consumer_sets(self, consumers)
        yield from _dependencies(self, consumers, single=True)


class InterTileReduceOp(ods.Op, dialect=Ktdp, name="inter_tile_reduce"):
    """Combine what the producers of each group have offered; every consumer of the group gets the same result.

    The body combines two partial values. It must be associative and commutative, since the order is not fixed.
    `identity` is the result of a group without producers, and is not combined with the others. On a tile that is no
    consumer the result is undefined.
    """

    future = ods.operand(TileFuture, "what the groups have produced")
    identity = ods.variadic_operand(c.RankedTensor, "what a group without producers gives")
    consumer_tiles_per_group = ods.attr(
        c.IntegerSetAttr, "flat ids of the consumers: one dimension, with the number of the group as symbol"
    )
    producer_dependency_per_consumer = ods.optional_attr(
        c.IntegerSetAttr, "the producers that a consumer waits for: one dimension; symbols are its id, and the group"
    )
    results_ = ods.variadic_result(c.RankedTensor, "the combined values, of the future's partial types")
    combiner = ods.region(
        "combines two partial values: all left ones, then all right ones",
        terminator="ktdp.yield_reduced",
        implicit=True,
    )
    assembly_format = (
        "`(` $future `)` `consumer_tiles_per_group` `=` $consumer_tiles_per_group `,`"
        " (`producer_dependency_per_consumer` `=` $producer_dependency_per_consumer^ `,`)?"
        " `identity` `(` ($identity^ `:` type($identity))? `)` attr-dict"
        " `:` short-type($future) `->` type($results) $combiner"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """Results, identities, both halves of the body's arguments and what it yields have the partial types. No tile
        consumes for two groups, all consumers are tiles of the grid. Dependencies are producers, each of which some
        consumer has.
        """
        partials = TileFutureType(self.future.type).types
        types = [r.type for r in self.results_]
        yield from _same_types("results", types, partials, "type(results)")
        yield from _same_types("identity", [v.type for v in self.identity], partials, "type(identity)")
        arguments = [a.type for a in self.combiner.blocks[0].arguments]
        if arguments != [*partials, *partials]:
            shown = ", ".join(map(str, arguments)) or "none"
            yield ods.Violation(
                "wrong-region",
                f"the body combines two sets of partial values ({_list(partials)}, twice), but its arguments are"
                f" {shown}",
                "combiner",
            )
        yield from _same_types("yield_reduced", _yielded(self.combiner), partials, "combiner")
        consumers = Tiles(self.operation, self.consumer_tiles_per_group, TileFutureType(self.future.type))
        yield from _consumer_sets(self, consumers)
        yield from _dependencies(self, consumers, single=False)

    def review(self) -> Iterator[ods.Violation]:
        """Warned about: reductions that the public frontend refuses, since consumers are neither all producers nor one
        of them.
        """
        producers = _producers(self.future)
        consumers = Tiles(self.operation, self.consumer_tiles_per_group, TileFutureType(self.future.type))
        for group, tiles in consumers.items():
            made = producers.of(group) if producers is not None else None
            if made is None or tiles is None or tiles == made or (len(tiles) == 1 and tiles <= made):
                continue
            what = "a subset of them" if tiles <= made else "not all of them producers"
            yield ods.Violation(
                "partial-reduce",
                f"group {group} has {len(made)} producers and {len(tiles)} consumers, {what}: the public frontend takes"
                " reductions to all producers or to one of them only",
                "consumer_tiles_per_group",
                severity=ods.Severity.WARNING,
            )
            return


class _Yield(ods.Op):
    """Ends the body of an inter-tile op."""

    values_ = ods.variadic_operand(c.RankedTensor, "one value per partial type")
    assembly_format = "($values^ `:` type($values))? attr-dict"
    within: ClassVar[str]

    def verify(self) -> Iterator[ods.Violation]:
        """It stands in the body of its op."""
        around = self.operation.parent
        if around is None or around.operation.name != self.within:
            found = "nothing" if around is None else around.operation.name
            yield ods.Violation("wrong-region", f"{self.NAME} ends the body of {self.within}, but stands in {found}")


class YieldPartialOp(_Yield, dialect=Ktdp, name="yield_partial", traits=(ods.Terminator,), effects=ods.Pure):
    """The partial values of the executing tile."""

    within = InterTileProduceOp.NAME


class YieldReducedOp(_Yield, dialect=Ktdp, name="yield_reduced", traits=(ods.Terminator,), effects=ods.Pure):
    """The combination of two sets of partial values."""

    within = InterTileReduceOp.NAME


class Tiles:
    """The compute tiles that a set gives for each group of a future."""

    def __init__(self, op: ir.Operation, points: ir.IntegerSetAttr, future: TileFutureType) -> None:
        self.points = sets.parse(str(points))
        self.known = self.points.dims == 1 and self.points.symbols == 1
        grid = grid_of(op)
        extents = [e.value for e in grid if isinstance(e, ir.IntegerAttr)] if grid is not None else []
        self.count = math.prod(extents) if grid is not None and len(extents) == len(grid) and extents else None
        groups = future.group_set
        self.groups = sorted(sets.members(groups) or ()) if groups.dims == 1 and groups.symbols == 0 else []

    def of(self, group: int) -> frozenset[int] | None:
        """The tiles of one group; None when they are not known."""
        if not self.known:
            return None
        found = sets.members(self.points, [group])
        if found is None and self.count is not None:
            found = sets.members(self.points, [group], range(max(0, self.count)))
        return found

    def items(self) -> Iterator[tuple[int, frozenset[int] | None]]:
        """Groups and their tiles."""
        for group in self.groups:
            yield group, self.of(group)


def _list(types: Sequence[ir.Type]) -> str:
    return ", ".join(map(str, types))


def _yielded(body: ir.Region) -> list[ir.Type]:
    block = body.blocks[0]
    return [v.type for v in block.operations[len(block.operations) - 1].operands]


def _same_types(
    name: str, given: Sequence[ir.Type], partials: Sequence[ir.Type], field: str
) -> Iterator[ods.Violation]:
    """Values have the partial types of the future."""
    if len(given) != len(partials):
        have, want = (
            f"{n} {what}{'s' * (n != 1)}" for n, what in ((len(given), "value"), (len(partials), "partial type"))
        )
        add = f"write identity(... : {_list(partials)}): what a group without producers gives"
        yield ods.Violation(
            "wrong-operands",
            f"{name} has {have}, but the future has {want}",
            field,
            (add,) if name == "identity" else (),
        )
        return
    for k, (a, b) in enumerate(zip(given, partials, strict=True)):
        if a != b:
            message = f"value {k} of {name} is {a}, but partial type {k} of the future is {b}"
            reshape = _reshape(b, a)
            yield ods.Violation("type-mismatch", message, field, (reshape,) if reshape else ())


def _reshape(have: ir.Type, want: ir.Type) -> str | None:
    """How to write a change of rank that only adds or drops dimensions of 1."""
    if not (isinstance(have, ir.RankedTensorType) and isinstance(want, ir.RankedTensorType)):
        return None
    long, short = (have, want) if have.rank > want.rank else (want, have)
    if have.element_type != want.element_type or long.rank == short.rank:
        return None
    groups = _unit_groups(list(long.shape), list(short.shape))
    if groups is None:
        return None
    op = "collapse_shape" if long is have else "expand_shape"
    sizes = "" if long is have else f" output_shape {list(long.shape)}"
    return f"the types are equal; change the rank afterwards: tensor.{op} %result {groups}{sizes} : {have} into {want}"


def _unit_groups(long: list[int], short: list[int]) -> list[list[int]] | None:
    """Which dimensions of the longer shape make up each of the shorter; None when they differ by more than 1s."""
    groups: list[list[int]] = []
    pending: list[int] = []
    rest = iter(short)
    for k, extent in enumerate(long):
        pending.append(k)
        if extent != 1:
            if next(rest, None) != extent:
                return None
            groups.append(pending)
            pending = []
    if any(extent != 1 for extent in rest):
        return None
    if pending and groups:
        groups[-1] += pending
    return groups if len(groups) == len(short) else None


def _consumer_sets(op: ods.Op, consumers: Tiles) -> Iterator[ods.Violation]:
    attributes = op.operation.attributes
    points = ir.IntegerSetAttr(attributes["consumer_tiles_per_group"])
    yield from set_arity("consumer_tiles_per_group", points, 1, 1, "number of the group")
    yield from _disjoint("consumer_tiles_per_group", consumers)


def _disjoint(field: str, tiles: Tiles) -> Iterator[ods.Violation]:
    """All tiles are of the grid, and none belongs to two groups."""
    group_of: dict[int, int] = {}
    for group, members in tiles.items():
        for tile in sorted(members or ()):
            if tiles.count is not None and not 0 <= tile < tiles.count:
                yield ods.Violation(
                    "grid-mismatch",
                    f"{field} gives tile {tile} for group {group}, but the grid has tiles 0 to {tiles.count - 1}",
                    field,
                )
                return
            if tile in group_of:
                yield ods.Violation(
                    "overlapping-groups",
                    f"{field} gives tile {tile} for group {group_of[tile]} and for group {group}",
                    field,
                    ("a tile belongs to one group at most",),
                )
                return
            group_of[tile] = group


def _producers(future: ir.Value) -> Tiles | None:
    """The producers of each group, if their op is in sight."""
    owner = future.owner
    if not isinstance(owner, (ir.Operation, ir.OpView)) or owner.operation.name != InterTileProduceOp.NAME:
        return None
    made = owner.opview
    assert isinstance(made, InterTileProduceOp)
    try:
        return made.producers
    except (KeyError, ValueError):
        return None


def _dependencies(
    op: "InterTileConsumeOp | InterTileReduceOp", consumers: Tiles, *, single: bool
) -> Iterator[ods.Violation]:
    """Whose values each consumer gets: producers only, all of them; for a consume exactly one."""
    field = "producer_dependency_per_consumer"
    dependency = op.producer_dependency_per_consumer
    points = None if dependency is None else sets.parse(str(dependency))
    if points is not None and (points.dims, points.symbols) not in ((1, 1), (1, 2)):
        yield ods.Violation(
            "rank-mismatch",
            f"{field} has {points.dims} dimensions and {points.symbols} symbols; it needs one dimension, and as symbols"
            " the consumer, or the consumer and the group",
            field,
        )
        return
    producers = _producers(op.future)
    if producers is None:
        return
    for group, tiles in consumers.items():
        made = producers.of(group)
        if made is None or tiles is None:
            continue
        if points is None:
            if single and len(made) != 1 and tiles:
                yield ods.Violation(
                    "wrong-dependency",
                    f"group {group} has {len(made)} producers, but nothing says whose value a consumer gets",
                    "consumer_tiles_per_group",
                    (f"add {field} = affine_set<(p)[c] : (...)> with one producer p for each consumer c",),
                )
                return
            continue
        yield from (found := list(_one_group(field, points, group, made, tiles, single=single)))
        if found:
            return


def _one_group(
    field: str, points: sets.IntegerSet, group: int, made: frozenset[int], tiles: frozenset[int], *, single: bool
) -> Iterator[ods.Violation]:
    wanted: set[int] = set()
    for tile in sorted(tiles):
        symbols = [tile, group][: points.symbols]
        mine = sets.members(points, symbols)
        if mine is None:
            mine = sets.members(points, symbols, range(max(made, default=0) + 1)) or frozenset()
        if strangers := sorted(mine - made):
            yield ods.Violation(
                "wrong-dependency",
                f"{field} gives tile {strangers[0]} for consumer {tile} of group {group}, whose producers are"
                f" {sorted(made)}",
                field,
            )
            return
        if single and len(mine) != 1:
            yield ods.Violation(
                "wrong-dependency",
                f"{field} gives {len(mine)} producers for consumer {tile} of group {group}; a consumer gets the value"
                " of exactly one",
                field,
            )
            return
        wanted |= mine
    if tiles and (unused := sorted(made - wanted)):
        yield ods.Violation(
            "wrong-dependency",
            f"producer {unused[0]} of group {group} is no dependency of any consumer",
            field,
            ("leave it out of producer_tiles_per_group, or give it a consumer",),
        )
