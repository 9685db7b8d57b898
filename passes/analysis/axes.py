"""Which dimensions belong together: loops of linalg ops, and dimensions of tensors, that run over the same indices.

An :class:`Axis` is what can be cut into tiles: all ops that have it are then computed for some of its indices at a
time. It grows over every op that hands out a dimension as it is; where an op needs a dimension as a whole (it shifts
indices, reshapes, or takes a piece), the axis cannot be cut.

A loop that carries tensors is an op like others when its iterations only read and compute (:func:`is_tensor_loop`): it
can be cut along the dimensions of what it carries, and is then run once per tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from spyrec.dialects import dataflow
from spyrec.mlir import ir
from spyrec.passes.analysis import kernels, support
from spyrec.passes.analysis.structured import structured


@dataclass(eq=False)
class Axis:
    """Dimensions that are cut together, or not at all.

    ``whole``: some op needs all of it at once. ``reduced_by``: the linalg ops that fold it.
    """

    extent: int
    whole: bool = False
    reduced_by: list[ir.Operation] = field(default_factory=list)


def is_tensor_op(op: ir.Operation) -> bool:
    """Whether ``op`` is one of those that axes run through."""
    return op.name in _RULES and not (op.regions and _captures_a_tensor(op))


def _captures_a_tensor(op: ir.Operation) -> bool:
    """Whether the body of a linalg op looks into a tensor that is none of its operands."""
    body = op.regions[0].blocks[0]
    return any(isinstance(operand.type, ir.ShapedType) for view in body.operations for operand in view.operands)


def is_tensor_loop(op: ir.Operation) -> bool:
    """Whether ``op`` is a loop that carries tensors, and nothing else, and does no more than read and compute."""
    if op.name != "scf.for" or not op.results or not all(map(_is_tensor, op.results)):
        return False
    *inside, _ = (view.operation for view in op.regions[0].blocks[0].operations)
    return all(
        (is_tensor_op(inner) and not isinstance(inner.opview, dataflow.WriteOp))
        or (_is_scalar(inner) and not any(map(_is_tensor, inner.results)))
        or is_tensor_loop(inner)
        for inner in inside
    )


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _is_scalar(op: ir.Operation) -> bool:
    return op.name in support.SCALAR_OPS or isinstance(op.opview, dataflow.TileIdOp)


def segments(block: ir.Block, *, loops: bool = False) -> Iterator[list[ir.Operation]]:
    """The tensor ops of a block, in order, split where another op that is no scalar arithmetic stands between them.
    With ``loops``, loops over tensor ops are of them.
    """
    current: list[ir.Operation] = []
    for view in block.operations:
        op = view.operation
        if is_tensor_op(op) or (loops and is_tensor_loop(op)):
            current.append(op)
        elif not _is_scalar(op):
            if current:
                yield current
            current = []
    if current:
        yield current


class Axes:
    """The axes of ``operations``, which are tensor ops (:func:`is_tensor_op`) and loops over them. The first dimensions
    of the tensors ``together`` are one axis, whatever else they have in common.
    """

    def __init__(self, operations: Sequence[ir.Operation], together: Sequence[ir.Value] = ()) -> None:
        self._parents: list[int] = []
        self._extents: list[int] = []
        self._wholes: list[int] = []
        self._folds: list[tuple[int, ir.Operation]] = []
        self._values: dict[ir.Value, list[int]] = {}
        self._spaces: dict[ir.Operation, list[int]] = {}
        self._axes: dict[int, Axis] = {}
        for op in operations:
            self._visit(op)
        for value in together:
            self.join(self.of(value)[0], self.of(together[0])[0])
        spaces = [nodes for op, nodes in self._spaces.items() if op.name != "scf.for"]
        for nodes in [*self._values.values(), *spaces]:
            roots = [self._find(node) for node in nodes]
            # A tile of an axis that an op or a tensor has twice would be its diagonal.
            self._wholes += [root for root in roots if roots.count(root) > 1]
        for op in operations:
            if op.name == "scf.for":
                self._keep_inside(op)
        for node in self._wholes:
            self._axis(node).whole = True
        for node, op in self._folds:
            self._axis(node).reduced_by.append(op)
        self._axes_of_ops = {op: [self._axis(node) for node in nodes] for op, nodes in self._spaces.items()}
        for op, space in self._axes_of_ops.items():
            if op.name == "scf.for":
                space[:] = dict.fromkeys(space)
        self._axes_of_values = {value: [self._axis(node) for node in nodes] for value, nodes in self._values.items()}

    def space(self, op: ir.Operation) -> list[Axis]:
        """The axes that an op runs over: the loops of a linalg op, for others the dimensions of what they make; of all
        that a loop carries, each axis once.
        """
        return self._axes_of_ops[op]

    def dims(self, value: ir.Value) -> list[Axis]:
        """The axis of each dimension of a tensor; nothing for what is no operand or result of the ops."""
        return self._axes_of_values.get(value, [])

    def _axis(self, node: int) -> Axis:
        root = self._find(node)
        found = self._axes.get(root)
        if found is None:
            found = self._axes[root] = Axis(self._extents[root])
        return found

    # Making them

    def _visit(self, op: ir.Operation) -> None:
        if op.name != "scf.for":
            self._spaces[op] = _RULES[op.name](self, op)
            return
        body = op.regions[0].blocks[0]
        *inside, end = (view.operation for view in body.operations)
        lists = list(op.operands)[3:], list(body.arguments)[1:], list(end.operands)
        for result, *places in zip(op.results, *lists, strict=True):
            for value in places:
                self.join_all(self.of(value), self.of(result))
        for inner in inside:
            if is_tensor_op(inner) or inner.name == "scf.for":
                self._visit(inner)
        self._spaces[op] = [node for result in op.results for node in self.of(result)]

    def _keep_inside(self, loop: ir.Operation) -> None:
        """Each iteration needs what it folds as a whole, and what no tensor has that the loop carries."""
        inside = [op for op in kernels.steps(loop) if op in self._spaces]
        carried = {self._find(node) for node in self._spaces[loop]}
        for op in inside:
            nodes = [*self._spaces[op], *(node for value in op.operands for node in self._values.get(value, ()))]
            self._wholes += [node for node in nodes if self._find(node) not in carried]
        self._wholes += [node for node, op in self._folds if op in inside]

    def _node(self, extent: int) -> int:
        self._parents.append(len(self._parents))
        self._extents.append(extent)
        return len(self._parents) - 1

    def _find(self, node: int) -> int:
        while self._parents[node] != node:
            self._parents[node] = node = self._parents[self._parents[node]]
        return node

    def join(self, a: int, b: int) -> None:
        """Two nodes are of one axis."""
        a, b = self._find(a), self._find(b)
        self._parents[a] = b
        self._extents[b] = max(self._extents[a], self._extents[b])

    def join_all(self, some: Sequence[int], others: Sequence[int]) -> None:
        """Each node and its counterpart are of one axis."""
        for a, b in zip(some, others, strict=True):
            self.join(a, b)

    def follow(self, value: ir.Value, map_: ir.AffineMap, loops: Sequence[int]) -> None:
        """A tensor is indexed by ``map_`` of ``loops``."""
        for node, expression in zip(self.of(value), map_.results, strict=True):
            if isinstance(expression, ir.AffineDimExpr):
                self.join(loops[expression.position], node)
            else:
                self.keep(node, *(loop for k, loop in enumerate(loops) if _uses(expression, k)))

    def keep(self, *nodes: int) -> None:
        """These nodes are not to be cut."""
        self._wholes += nodes

    def fold(self, node: int, op: ir.Operation) -> None:
        """``op`` folds the axis of ``node``."""
        self._folds.append((node, op))

    def of(self, value: ir.Value) -> list[int]:
        """The nodes of a tensor's dimensions."""
        if value not in self._values:
            shape = ir.RankedTensorType(value.type).shape
            self._values[value] = [self._node(extent) for extent in shape]
        return self._values[value]

    def loops(self, count: int) -> list[int]:
        """Nodes for loops; their extents come from what they are joined with."""
        return [self._node(1) for _ in range(count)]


def _generic(axes: Axes, op: ir.Operation) -> list[int]:
    seen = structured(op)
    assert seen is not None
    loops = axes.loops(seen.loops)
    for value, map_ in zip(seen.operands, seen.maps, strict=True):
        if not isinstance(value.type, ir.RankedTensorType):
            continue
        axes.follow(value, map_, loops)
    for value, result in zip(seen.outputs, op.results, strict=True):
        axes.join_all(axes.of(value), axes.of(result))
    for number in sorted(seen.reduced):
        axes.fold(loops[number], op)
    return loops


def _uses(expression: ir.AffineExpr, dim: int) -> bool:
    """Whether an affine expression mentions a dimension."""
    if isinstance(expression, ir.AffineDimExpr):
        return expression.position == dim
    if isinstance(expression, ir.AffineBinaryExpr):
        return _uses(expression.lhs, dim) or _uses(expression.rhs, dim)
    return False


def _made(axes: Axes, op: ir.Operation) -> list[int]:
    return axes.of(op.results[0])


def _box(axes: Axes, op: ir.Operation) -> list[int]:
    """``dataflow.read``, ``dataflow.write``: lists of indices go along with the dimensions whose points they move."""
    view = op.opview
    assert isinstance(view, dataflow.BoxOp)
    space = axes.of(view.tensor)
    if isinstance(view, dataflow.ReadOp) and view.init is not None:
        axes.join_all(axes.of(view.init), space)
    for list_, map_ in zip(view.indices, view.index_maps or (), strict=True):
        axes.follow(list_, ir.AffineMapAttr(map_).value, space)
    return space


def _piece(axes: Axes, op: ir.Operation) -> list[int]:
    """``tensor.extract_slice``, ``tensor.insert_slice``: dimensions that the piece has in full stay."""
    inserts = op.name == "tensor.insert_slice"
    piece, whole = (op.operands[0], op.results[0]) if inserts else (op.results[0], op.operands[0])
    large, small = axes.of(whole), axes.of(piece)
    if inserts:
        axes.join_all(axes.of(op.operands[1]), large)
    offsets, sizes, strides = (
        list(ir.DenseI64ArrayAttr(op.attributes[f"static_{name}"])) for name in ("offsets", "sizes", "strides")
    )
    shape = ir.RankedTensorType(whole.type).shape
    full = [
        start == 0 and size == extent and step == 1
        for start, size, step, extent in zip(offsets, sizes, strides, shape, strict=True)
    ]
    if len(small) != len(large):
        # Which dimensions of extent 1 were dropped is not written down.
        axes.keep(*small, *large)
    else:
        for a, b, whole_one in zip(large, small, full, strict=True):
            if whole_one:
                axes.join(a, b)
            else:
                axes.keep(a, b)
    return large if inserts else small


def _reshape(axes: Axes, op: ir.Operation) -> list[int]:
    """``tensor.expand_shape``, ``tensor.collapse_shape``: dimensions that get nothing but ones beside them stay."""
    source, result = axes.of(op.operands[0]), axes.of(op.results[0])
    expands = op.name == "tensor.expand_shape"
    few, many = (source, result) if expands else (result, source)
    extents = ir.RankedTensorType((op.results if expands else op.operands)[0].type).shape
    for one, group in zip(few, ir.ArrayAttr(op.attributes["reassociation"]), strict=True):
        places = [int(entry.value) for entry in ir.ArrayAttr(group)]
        long = [k for k in places if extents[k] != 1]
        if len(long) == 1:
            axes.join(one, many[long[0]])
        else:
            axes.keep(one, *(many[k] for k in places))
    return result


def _scalar(axes: Axes, op: ir.Operation) -> list[int]:
    """``tensor.extract``: one element of the whole."""
    axes.keep(*axes.of(op.operands[0]))
    return []


_RULES: dict[str, Callable[[Axes, ir.Operation], list[int]]] = {
    "linalg.generic": _generic,
    "dataflow.read": _box,
    "dataflow.write": _box,
    "tensor.empty": _made,
    "tensor.extract_slice": _piece,
    "tensor.insert_slice": _piece,
    "tensor.expand_shape": _reshape,
    "tensor.collapse_shape": _reshape,
    "tensor.extract": _scalar,
}
