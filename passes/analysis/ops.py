"""Making upstream ops at the current insertion point (functions return the new value), and telling what they made."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

from spyrec.mlir import affine, arith, bufferization, ir, linalg, scf, tensor
from spyrec.ods import literals
from spyrec.ods.checks import DYNAMIC
from spyrec.passes.analysis import kernels
from spyrec.passes.analysis.mixed import decomposed

ALLOC_TENSOR = "bufferization.alloc_tensor"
MATERIALIZE = "bufferization.materialize_in_destination"


def i64(value: int) -> ir.IntegerAttr:
    """An integer attribute of type i64."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def constant(type_: ir.Type, value: int | ir.Attribute, location: ir.Location) -> ir.Value:
    """``arith.constant``."""
    return _result(arith.ConstantOp(type_, value, loc=location))


def index_constant(value: int, location: ir.Location) -> ir.Value:
    """``arith.constant`` of type ``index``."""
    return constant(ir.IndexType.get(), value, location)


def index_cast(value: ir.Value, type_: ir.Type, location: ir.Location) -> ir.Value:
    """``arith.index_cast``."""
    return _result(arith.IndexCastOp(type_, value, loc=location))


def zero_extended(value: ir.Value, type_: ir.Type, location: ir.Location) -> ir.Value:
    """``arith.index_castui``: a bit as 0 or 1."""
    return _result(arith.IndexCastUIOp(type_, value, loc=location))


def add(left: ir.Value, right: ir.Value, location: ir.Location) -> ir.Value:
    """``arith.addi``."""
    return _result(arith.AddIOp(left, right, loc=location))


def multiply(left: ir.Value, right: ir.Value, location: ir.Location) -> ir.Value:
    """``arith.muli``."""
    return _result(arith.MulIOp(left, right, loc=location))


def divide_up(left: ir.Value, right: ir.Value, location: ir.Location) -> ir.Value:
    """``arith.ceildivsi``."""
    return _result(arith.CeilDivSIOp(left, right, loc=location))


def largest(left: ir.Value, right: ir.Value, location: ir.Location) -> ir.Value:
    """``arith.maxsi``."""
    return _result(arith.MaxSIOp(left, right, loc=location))


def smallest(left: ir.Value, right: ir.Value, location: ir.Location) -> ir.Value:
    """``arith.minsi``."""
    return _result(arith.MinSIOp(left, right, loc=location))


def compare(predicate: int, left: ir.Value, right: ir.Value, location: ir.Location) -> ir.Value:
    """``arith.cmpi``; ``predicate`` is the attribute's integer."""
    return _result(arith.CmpIOp(predicate, left, right, loc=location))


def apply(map_: ir.AffineMap, operands: Sequence[ir.Value], location: ir.Location) -> ir.Value:
    """``affine.apply``."""
    return _result(affine.AffineApplyOp(map_, list(operands), loc=location))


def lanes(map_: ir.AffineMap, operands: Sequence[ir.Value], location: ir.Location) -> ir.Value:
    """The result of a map as ops on its operands, for a body in which ``affine.apply`` does not stand."""

    def made(expression: ir.AffineExpr) -> ir.Value:
        if isinstance(expression, ir.AffineConstantExpr):
            return index_constant(expression.value, location)
        if isinstance(expression, ir.AffineDimExpr):
            return operands[expression.position]
        if isinstance(expression, ir.AffineSymbolExpr):
            return operands[map_.n_dims + expression.position]
        assert isinstance(expression, ir.AffineBinaryExpr)
        left, right = made(expression.lhs), made(expression.rhs)
        if isinstance(expression, ir.AffineModExpr):
            down = arith.FloorDivSIOp(left, right, loc=location).result
            return _result(arith.SubIOp(left, arith.MulIOp(down, right, loc=location).result, loc=location))
        if isinstance(expression, ir.AffineAddExpr):
            return _result(arith.AddIOp(left, right, loc=location))
        if isinstance(expression, ir.AffineMulExpr):
            return _result(arith.MulIOp(left, right, loc=location))
        down_ = isinstance(expression, ir.AffineFloorDivExpr)
        return _result((arith.FloorDivSIOp if down_ else arith.CeilDivSIOp)(left, right, loc=location))

    return made(map_.results[0])


def _result(op: ir.OpView) -> ir.Value:
    return op.results[0]


def empty(type_: ir.RankedTensorType, location: ir.Location) -> ir.Value:
    """``tensor.empty`` of a static shape."""
    with location:  # the type is made anew, and making types needs a location
        return _result(tensor.EmptyOp(list(type_.shape), type_.element_type))


def zeros(type_: ir.RankedTensorType, location: ir.Location) -> ir.Value:
    """A constant tensor of zeros."""
    element = type_.element_type
    is_float = isinstance(element, ir.FloatType)
    zero = ir.FloatAttr.get(element, 0.0, loc=location) if is_float else ir.IntegerAttr.get(element, 0)
    return constant(type_, ir.DenseElementsAttr.get_splat(type_, zero), location)


def collapse(value: ir.Value, groups: Sequence[Sequence[int]], location: ir.Location) -> ir.Value:
    """``tensor.collapse_shape``: the dimensions of each group become one."""
    old = ir.RankedTensorType(value.type)
    shape = [math.prod(old.shape[d] for d in group) for group in groups]
    type_ = ir.RankedTensorType.get(shape, old.element_type, loc=location)
    return _result(tensor.CollapseShapeOp(type_, value, [list(group) for group in groups], loc=location))


def expand(value: ir.Value, groups: Sequence[Sequence[int]], shape: Sequence[int], location: ir.Location) -> ir.Value:
    """``tensor.expand_shape``: each dimension becomes those of a group, of a static ``shape``."""
    type_ = ir.RankedTensorType.get(list(shape), ir.RankedTensorType(value.type).element_type, loc=location)
    return _result(tensor.ExpandShapeOp(type_, value, [list(group) for group in groups], [], list(shape), loc=location))


def alloc_tensor(type_: ir.Type, space: str, location: ir.Location) -> ir.Value:
    """``bufferization.alloc_tensor`` in a memory space."""
    op: ir.Operation = ir.Operation.create(
        ALLOC_TENSOR,
        results=[type_],
        attributes={
            "memory_space": ir.StringAttr.get(space),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0, 0]),
        },
        loc=location,
    )
    return op.results[0]


def is_fresh(value: ir.Value) -> bool:
    """Whether ``value`` is an ``alloc_tensor`` in a memory space that only its one user knows of."""
    if isinstance(value.owner, ir.Block) or value.owner.name != ALLOC_TENSOR:
        return False
    return sum(1 for _ in value.uses) == 1 and "memory_space" in value.owner.attributes


def is_sole_start(value: ir.Value) -> bool:
    """Whether ``value`` was read for one loop to start from, next to it, and for nothing else."""
    users = [use.owner.operation for use in value.uses]
    if isinstance(value.owner, ir.Block) or value.owner.name != "dataflow.read" or len(users) != 1:
        return False
    return users[0].name == "scf.for" and users[0].block == value.owner.operation.block


def materialize(value: ir.Value, place: ir.Value, location: ir.Location) -> ir.Value:
    """``bufferization.materialize_in_destination``: ``value``, in the bytes of ``place``."""
    return _result(bufferization.MaterializeInDestinationOp(source=value, dest=place, result=place.type, loc=location))


def to_tensor(buffer: ir.Value, type_: ir.Type, location: ir.Location, *, writable: bool = False) -> ir.Value:
    """``bufferization.to_tensor`` of a buffer that nothing else aliases; ``writable`` if it may be computed in."""
    return _result(bufferization.ToTensorOp(type_, buffer, restrict=True, writable=writable, loc=location))


def to_buffer(value: ir.Value, type_: ir.Type, location: ir.Location) -> ir.Value:
    """``bufferization.to_buffer`` of a tensor whose buffer is only read."""
    return _result(bufferization.ToBufferOp(type_, value, read_only=True, loc=location))


def loop(count: int, carried: Sequence[ir.Value], location: ir.Location) -> ir.Operation:
    """``scf.for`` from 0 to ``count``, whose body is still without its terminator."""
    bounds = [index_constant(value, location) for value in (0, count, 1)]
    with location:  # the arguments of the body get it
        op: ir.Operation = scf.ForOp(*bounds, list(carried)).operation
    return op


def extract_slice(
    value: ir.Value,
    offsets: Sequence[int | ir.Value],
    sizes: Sequence[int],
    location: ir.Location,
    shape: Sequence[int] | None = None,
) -> ir.Value:
    """``tensor.extract_slice`` of static sizes and steps of 1; ``shape`` may leave out extents of 1."""
    static, dynamic = decomposed(offsets)
    type_ = ir.RankedTensorType.get(list(sizes if shape is None else shape), element(value), loc=location)
    return _result(
        tensor.ExtractSliceOp(type_, value, dynamic, [], [], static, list(sizes), [1] * len(sizes), loc=location)
    )


def insert_slice(
    piece: ir.Value,
    into: ir.Value,
    offsets: Sequence[int | ir.Value],
    location: ir.Location,
    sizes: Sequence[int] | None = None,
) -> ir.Value:
    """``tensor.insert_slice`` with steps of 1; ``sizes`` has the extents of 1 that ``piece`` lacks."""
    static, dynamic = decomposed(offsets)
    sizes = list(ir.RankedTensorType(piece.type).shape if sizes is None else sizes)
    return _result(
        tensor.InsertSliceOp(
            piece, into, dynamic, [], [], static, sizes, [1] * len(sizes), results=[into.type], loc=location
        )
    )


def subview(
    source: ir.Value, offsets: Sequence[int | ir.Value], sizes: Sequence[int], location: ir.Location
) -> ir.Value:
    """``memref.subview`` of a box of static sizes; in its type, the strides and the place of its first element."""
    memref = ir.MemRefType(source.type)
    strides, first = memref.get_strides_and_offset()
    static, dynamic = decomposed(offsets)
    if dynamic:
        first = DYNAMIC
    elif first != DYNAMIC:
        first += sum(offset * stride for offset, stride in zip(static, strides, strict=True))
    with location:
        layout = ir.StridedLayoutAttr.get(first, strides)
        type_ = ir.MemRefType.get(list(sizes), memref.element_type, layout, memref.memory_space)
    op: ir.Operation = ir.Operation.create(
        "memref.subview",
        results=[type_],
        operands=[source, *dynamic],
        attributes={
            "static_offsets": ir.DenseI64ArrayAttr.get(static),
            "static_sizes": ir.DenseI64ArrayAttr.get(list(sizes)),
            "static_strides": ir.DenseI64ArrayAttr.get([1] * len(sizes)),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, len(dynamic), 0, 0]),
        },
        loc=location,
    )
    return op.results[0]


def generic(
    inputs: Sequence[ir.Value],
    outputs: Sequence[ir.Value],
    maps: Sequence[ir.AffineMap],
    location: ir.Location,
    body: Callable[[Sequence[ir.BlockArgument]], Sequence[ir.Value]],
    reduced: Collection[int] = (),
) -> ir.Operation:
    """``linalg.generic`` whose loops are parallel, but for those in ``reduced``.

    ``body`` is called inside the block with its arguments (one per input, then one per output) and returns what it
    yields. On tensors the op has one result per output, on memrefs none."""
    kinds = [ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in ("parallel", "reduction")]
    op: ir.Operation = linalg.GenericOp(
        [value.type for value in outputs if isinstance(value.type, ir.RankedTensorType)],
        list(inputs),
        list(outputs),
        ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
        ir.ArrayAttr.get([kinds[d in reduced] for d in range(maps[-1].n_dims)]),
        loc=location,
    ).operation
    elements = [element(value) for value in [*inputs, *outputs]]
    block = op.regions[0].blocks.append(*elements, arg_locs=[location] * len(elements))
    with ir.InsertionPoint(block):
        linalg.YieldOp(list(body(list(block.arguments))), loc=location)
    return op


def copy(value: ir.Value, into: ir.Value, location: ir.Location) -> ir.Operation:
    """A ``linalg.generic`` that puts the elements of ``value`` into ``into``, both tensors or both memrefs."""
    identity = ir.AffineMap.get_identity(ir.ShapedType(into.type).rank)
    return generic([value], [into], [identity, identity], location, lambda arguments: [arguments[0]])


def splat(type_: ir.RankedTensorType, value: float, location: ir.Location) -> ir.Value:
    """``arith.constant`` of a tensor that holds one number."""
    with location:
        scalar = literals.attribute(type_.element_type, value)
        return constant(type_, ir.DenseElementsAttr.get_splat(type_, scalar), location)


def fill(scalar: ir.Value, type_: ir.RankedTensorType, location: ir.Location) -> ir.Value:
    """A ``linalg.generic`` without inputs that puts ``scalar`` everywhere."""
    identity = ir.AffineMap.get_identity(type_.rank)
    return generic([], [empty(type_, location)], [identity], location, lambda _: [scalar]).results[0]


def point(scalar: ir.Value, location: ir.Location) -> ir.Value:
    """A scalar as a tensor of rank 0."""
    return fill(scalar, ir.RankedTensorType.get([], scalar.type, loc=location), location)


def inlined(block: ir.Block, arguments: Sequence[ir.Value] = ()) -> list[ir.Value]:
    """Move the ops of a block, whose arguments become ``arguments``, to the current insertion point; gives the operands
    of its terminator, which stays.
    """
    for argument, value in zip(block.arguments, arguments, strict=True):
        argument.replace_all_uses_with(value)
    *inner, end = [view.operation for view in block.operations]
    point = ir.InsertionPoint.current
    for op in inner:
        point.insert(op.detach_from_parent())
    return list(end.operands)


def cloned(block: ir.Block, arguments: Sequence[ir.Value]) -> tuple[list[ir.Operation], list[ir.Value]]:
    """Copies of the ops of a block, whose arguments become ``arguments``, at the current insertion point; and what the
    operands of its terminator are then.
    """
    now: dict[ir.Value, ir.Value] = dict(zip(block.arguments, arguments, strict=True))
    made = []
    *inner, end = [view.operation for view in block.operations]
    for op in inner:
        copy = op.clone()
        for at in (copy, *kernels.walk(copy)):
            for number, value in enumerate(at.operands):
                if value in now:
                    at.operands[number] = now[value]
        now.update(zip(op.results, copy.results, strict=True))
        made.append(copy)
    return made, [now.get(value, value) for value in end.operands]


def element(value: ir.Value) -> ir.Type:
    """Element type of a tensor or memref, or the type of a scalar."""
    type_ = value.type
    return type_.element_type if isinstance(type_, ir.RankedTensorType | ir.MemRefType) else type_
