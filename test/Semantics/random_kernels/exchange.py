"""What tiles do together."""

from __future__ import annotations

from random_kernels.builder import Builder, Value


def exchange(b: Builder) -> None:
    """All tiles together: a reduce whose result all take."""
    value = b.value()
    if value is None or not b.uniform or not value.shape or b.tiles == 1:
        return
    sides = f"affine_set<(i)[g] : (i >= 0, -i + {b.tiles - 1} >= 0)>"
    one = "affine_set<(g) : (g == 0)>"
    identity = b.constant(value.shape, value.element)
    future, result = b.fresh("f"), Value(b.fresh(), value.shape, value.element)
    b.say(
        f"{future} = ktdp.inter_tile_produce producer_tiles_per_group = {sides} -> <({value.type}), groups = {one}> {{"
    )
    b.say("^bb0(%g: index):")
    b.say(f"ktdp.yield_partial {value.name} : {value.type}")
    b.say("}")
    b.say(
        f"{result.name} = ktdp.inter_tile_reduce({future}) consumer_tiles_per_group = {sides}, identity("
        f"{identity.name} : {identity.type}) : <({value.type}), groups = {one}> -> {value.type} {{"
    )
    b.say(f"^bb0(%p: {value.type}, %q: {value.type}):")
    inner = b.fresh("g")
    op = b.r.choice(("addf", "maximumf")) if value.kind == "f" else b.r.choice(("addi", "maxsi"))
    b.say(f"{inner} = arith.{op} %p, %q : {value.type}")
    b.say(f"ktdp.yield_reduced {inner} : {value.type}")
    b.say("}")
    b.values.append(result)


def consume(b: Builder) -> None:
    """A value of another tile of the group: of the one some places on, or of one that has it for all."""
    value = b.value()
    if value is None or not b.uniform or not value.shape or b.tiles == 1:
        return
    size = b.r.choice([n for n in range(2, b.tiles + 1) if b.tiles % n == 0])
    groups = f"affine_set<(g) : (g >= 0, -g + {b.tiles // size - 1} >= 0)>"
    sides = f"affine_set<(i)[g] : (i - {size} * g >= 0, -i + {size} * g + {size - 1} >= 0)>"
    producers, depends = sides, ""
    if b.chance(0.4):
        producers = f"affine_set<(i)[g] : (i - {size} * g - {b.r.randrange(size)} == 0)>"
    else:
        step = b.r.randrange(size)
        next_ = f"(p - {size} * g >= 0, -p + {size} * g + {size - 1} >= 0, (p - c - {step}) mod {size} == 0)"
        depends = f", producer_dependency_per_consumer = affine_set<(p)[c, g] : {next_}>"
    future = b.fresh("f")
    b.say(
        f"{future} = ktdp.inter_tile_produce producer_tiles_per_group = {producers} -> <({value.type}), groups ="
        f" {groups}> {{"
    )
    b.say("^bb0(%g: index):")
    b.say(f"ktdp.yield_partial {value.name} : {value.type}")
    b.say("}")
    b.new(
        f"ktdp.inter_tile_consume({future}) consumer_tiles_per_group = {sides}{depends} : <({value.type}), groups ="
        f" {groups}> -> {value.type}",
        value.shape,
        value.element,
    )


def neighbour(b: Builder) -> None:
    """Store, meet, and load what the next tile has stored."""
    value = b.value(rank=2)
    if value is None or not b.uniform or b.depth or b.tiles == 1:
        return
    rows = value.shape[0]
    view = b.view((rows * b.tiles, *value.shape[1:]), value.element, dense=True)
    b.store(value, b.tile(view, [f"%tile * {rows}", 0], value.shape))
    before = len(b.values)
    exchange(b)
    if len(b.values) > before:
        step = b.r.randint(1, b.tiles - 1)
        anchor = f"((%tile + {step}) mod {b.tiles}) * {rows}"
        if b.chance(0.3):
            # By another name.
            name = b.argument(0, value.element)
            b.data[name] = f"@{view.argument}"
            b.arguments[-1] += " {spyrec.may_alias}"
            view = b.construct(f"%{name}", view.shape, (value.shape[1], 1), value.element, name)
        b.load(b.tile(view, [anchor, 0], value.shape), value.shape, value.element)
