"""Ops of the program stage that compute: streams of a vector unit, contractions of a matrix unit."""

from collections.abc import Iterator, Sequence

from spyrec import numerics, ods
from spyrec.dialects.dataflow.checks import counts_problem
from spyrec.dialects.dataflow.types import Dataflow, I64Arrays, Symbols
from spyrec.mlir import ir
from spyrec.numerics import folds
from spyrec.ods import constraints as c

COMBINERS = numerics.reductions.COMBINERS
Fold = folds.Fold[ir.Operation]
"""How a stream folds into one output."""


class StreamOp(ods.Op, dialect=Dataflow, name="stream", effects=ods.ReadWrite):
    """Apply a body to every point of up to four nested counts over operands in LX.

    Block arguments are the elements of the inputs, then the old elements of the outputs; `dataflow.yield` gives the new
    elements of the outputs. Operand `k` at point `i` is at byte `address_k + sum(i_d * strides_k[d])`. The element
    types are those of the block arguments.

    `reduce` lists counts that are folded. An output whose strides are 0 along all of them is an accumulator: the body
    yields `combiner(old, term)`, uses the old element for nothing else, and all terms are folded in f64 and rounded
    once (integers wrap). It starts from what memory holds, or with `fresh` from the combiner's identity. Other outputs
    are written at every point. The combiners are those of `docs/numerics.md`; a product of floats that feeds a sum is
    not rounded.

    The maximum of each of 8 rows, and the row minus 1:

    ```mlir
    dataflow.stream counts [8, 64] reduce [1] ins(@x[%a] strides [128, 2] : f16)
      outs(@m[%b] strides [2, 0] : f16, @y[%c] strides [128, 2] : f16) attributes {fresh} {
    ^bb0(%p: f16, %m: f16, %y: f16):
      %one = arith.constant 1.0 : f16
      %less = arith.subf %p, %one : f16
      %most = arith.maximumf %m, %p : f16
      dataflow.yield %most, %less : f16, f16
    }
    ```
    """

    inputs = ods.variadic_operand(c.Index, "byte addresses in LX of what is read")
    outputs = ods.variadic_operand(c.Index, "byte addresses in LX of what is written")
    counts = ods.attr(c.I64Array, "extents, outermost first")
    reduce = ods.optional_attr(c.I64Array, "numbers of the counts that are folded, in order")
    input_strides = ods.attr(I64Arrays, "strides in bytes, per input")
    output_strides = ods.attr(I64Arrays, "strides in bytes, per output")
    input_buffers = ods.attr(Symbols, "the buffer of each input")
    output_buffers = ods.attr(Symbols, "the buffer of each output")
    fresh = ods.optional_attr(c.UnitAttr, "accumulators start from the identity, not from memory")
    body = ods.region("what happens at each point", terminator="dataflow.yield")
    assembly_format = (
        "`counts` $counts (`reduce` $reduce^)?"
        " `ins` `(` custom<StreamOperands>($inputs, $input_buffers, $input_strides, $body) `)`"
        " `outs` `(` custom<StreamOperands>($outputs, $output_buffers, $output_strides, $body) `)`"
        " attr-dict-with-keyword $body"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """One to four counts; strides and a buffer per operand; the body takes and yields elements; accumulators are
        folded by a known combiner.
        """
        yield from counts_problem(self.counts)
        for side, operands in (("input", self.inputs), ("output", self.outputs)):
            for what in ("strides", "buffers"):
                name = f"{side}_{what}"
                entries = getattr(self, name)
                if len(entries) != len(operands):
                    yield ods.Violation(
                        "rank-mismatch", f"{name} has {len(entries)} entries for {len(operands)} {side}s", name
                    )
                    return
            for k, strides in enumerate(getattr(self, f"{side}_strides")):
                if len(strides) != len(self.counts):
                    yield ods.Violation(
                        "rank-mismatch",
                        f"strides of {side} {k} have {len(strides)} entries for {len(self.counts)} counts",
                        f"{side}_strides[{k}]",
                    )
                    return
        body = list(self._body())
        yield from body
        if not body:
            yield from self._reductions()

    def _body(self) -> Iterator[ods.Violation]:
        block = self.body.blocks[0]
        operands = len(self.inputs) + len(self.outputs)
        types = [a.type for a in block.arguments]
        if len(types) != operands:
            yield ods.Violation(
                "wrong-region",
                f"the body has {len(types)} block arguments for {len(self.inputs)} inputs and {len(self.outputs)}"
                " outputs",
                "body",
            )
            return
        yielded: Sequence[ir.Value] = list(block.operations)[-1].operands
        wanted = types[len(self.inputs) :]
        got = [v.type for v in yielded]
        if got != wanted:
            yield ods.Violation(
                "type-mismatch",
                f"the body yields ({', '.join(map(str, got))}); its outputs are ({', '.join(map(str, wanted))})",
                "body",
            )

    def _reductions(self) -> Iterator[ods.Violation]:
        dims = self.folded
        if any(not 0 <= d < len(self.counts) for d in dims) or list(dims) != sorted(set(dims)):
            message = f"reduce is {list(dims)}; it lists some of the counts 0 to {len(self.counts) - 1}, in order"
            yield ods.Violation("wrong-attribute", message, "reduce")
            return
        if not dims:
            if self.fresh is not None:
                yield ods.Violation("wrong-attribute", "fresh is for accumulators, and no count is reduced", "fresh")
            return
        changing = {self._old(k) for k in range(len(self.outputs)) if self.is_accumulator(k)}
        for k, (fold, value) in enumerate(zip(self.folds(), self._ends().operands, strict=True)):
            if self.is_accumulator(k) and fold is None:
                yield ods.Violation(
                    "wrong-region",
                    f"output {k} has stride 0 along the reduced counts {list(dims)}, so the body has to yield a"
                    " combiner of its old element and of a term, which needs the old element of no such output",
                    "body",
                    notes=(f"combiners are {', '.join(COMBINERS)}",),
                )
            elif fold is None and changing & folds.needed([value], self._maker):
                message = f"output {k} is written at every point, so it needs no old element of one that is folded"
                yield ods.Violation("wrong-region", message, "body")

    @property
    def folded(self) -> tuple[int, ...]:
        """The counts that are folded."""
        return () if self.reduce is None else tuple(self.reduce)

    def is_accumulator(self, output: int) -> bool:
        """Whether output number ``output`` has stride 0 along all counts that are folded, and there are some."""
        folded = self.folded
        if not folded:
            return False
        strides = ir.DenseI64ArrayAttr(self.output_strides[output])
        return all(strides[d] == 0 for d in folded)

    def folds(self) -> list[Fold | None]:
        """How each output is folded; None for one that is written at every point, or whose body is no fold."""
        ends = list(self._ends().operands)
        accumulators = [k for k in range(len(ends)) if self.is_accumulator(k)]
        changing = [self._old(k) for k in accumulators]
        return [
            folds.fold(value, self._old(k), changing, self._maker) if k in accumulators else None
            for k, value in enumerate(ends)
        ]

    def _old(self, output: int) -> ir.Value:
        return self.body.blocks[0].arguments[len(self.inputs) + output]

    def _ends(self) -> ir.Operation:
        operations = self.body.blocks[0].operations
        return operations[len(operations) - 1].operation

    def _maker(self, value: ir.Value) -> ir.Operation | None:
        """The op of the body that makes ``value``."""
        owner = value.owner
        if isinstance(owner, ir.Block) or owner.operation.block != self.body.blocks[0]:
            return None
        return owner.operation


class YieldOp(ods.Op, dialect=Dataflow, name="yield", traits=(ods.Terminator,), effects=ods.Pure):
    """Give the new elements of a stream's outputs."""

    values = ods.variadic_operand(c.AnyType, "one element per output")
    assembly_format = "($values^ `:` type($values))? attr-dict"


class PositionOp(ods.Op, dialect=Dataflow, name="position", effects=ods.Pure):
    """Where a point of a stream is: `start + sum(i_d * strides[d])`, wrapping around at the width of the type.

    It stands in the body of `dataflow.stream` and has a stride per count. An absent `start` is 0. The unit counts; no
    memory is read.

    ```mlir
    // Row and column number of 8 rows of 64 elements, from row %r on.
    %row = dataflow.position %r strides [1, 0] : index
    %column = dataflow.position strides [0, 1] : i32
    ```
    """

    start = ods.optional_operand(c.Index, "the number of the first point")
    strides = ods.attr(c.I64Array, "what a step of each count adds, outermost first")
    result = ods.result(c.AnyType, "the number of the point: an index, i32 or i64")
    assembly_format = "($start^)? `strides` $strides attr-dict `:` type($result)"

    def verify(self) -> Iterator[ods.Violation]:
        """A stride per count of the stream around it, a type that units count in."""
        if str(self.result.type) not in ("index", "i32", "i64"):
            message = f"positions are of type index, i32 or i64, not {self.result.type}"
            yield ods.Violation("type-mismatch", message, "type(result)")
        parent = self.operation.parent
        stream = None if parent is None else parent.operation.opview
        if not isinstance(stream, StreamOp):
            yield ods.Violation("wrong-region", "a position is that of a point of a dataflow.stream around it")
        elif len(self.strides) != len(stream.counts):
            message = f"strides has {len(self.strides)} entries for {len(stream.counts)} counts"
            yield ods.Violation("rank-mismatch", message, "strides")


class ContractOp(ods.Op, dialect=Dataflow, name="contract", effects=ods.ReadWrite):
    """Sum up products of elements over up to four nested counts: what a matrix unit does.

    At every point of the counts the product of `lhs` and `rhs` is added to the accumulator at that point. A count along
    which the accumulator's stride is 0 is summed over; along one in which the stride of `lhs` or `rhs` is 0 that
    operand is repeated. Addresses and strides are bytes. The sum is taken in f64, products unrounded, and rounded once
    to the accumulator's type.

    `start` says where the sum starts: at 0 (`zero`), at what the accumulator holds in LX (`lx`), or at what the unit
    has kept from the contraction before (`unit`), which had as many accumulators. With `keep` the sum stays in the
    unit, unrounded, and LX is not written; a later contraction goes on from there.

    ```mlir
    dataflow.contract counts [8, 64, 32] lhs @a[%a] strides [64, 0, 2] : f16 rhs @b[%b] strides [0, 2, 128] : f16
      acc @c[%c] strides [256, 4, 0] : f32 {start = "zero"}
    ```
    """

    lhs = ods.operand(c.Index, "byte address of the first element of the left operand")
    rhs = ods.operand(c.Index, "byte address of the first element of the right operand")
    acc = ods.operand(c.Index, "byte address of the first accumulator")
    counts = ods.attr(c.I64Array, "extents, outermost first")
    lhs_buffer = ods.attr(c.FlatSymbol, "the buffer of the left operand")
    lhs_strides = ods.attr(c.I64Array, "its strides in bytes")
    lhs_type = ods.attr(c.TypeAttr, "its element type")
    rhs_buffer = ods.attr(c.FlatSymbol, "the buffer of the right operand")
    rhs_strides = ods.attr(c.I64Array, "its strides in bytes")
    rhs_type = ods.attr(c.TypeAttr, "its element type")
    acc_buffer = ods.attr(c.FlatSymbol, "the buffer of the accumulators")
    acc_strides = ods.attr(c.I64Array, "their strides in bytes")
    acc_type = ods.attr(c.TypeAttr, "their element type")
    start = ods.attr(c.keyword("zero", "lx", "unit"), "what the sum starts from")
    keep = ods.optional_attr(c.UnitAttr, "the sum stays in the unit")
    assembly_format = (
        "`counts` $counts `lhs` $lhs_buffer `[` $lhs `]` `strides` $lhs_strides `:` $lhs_type"
        " `rhs` $rhs_buffer `[` $rhs `]` `strides` $rhs_strides `:` $rhs_type"
        " `acc` $acc_buffer `[` $acc `]` `strides` $acc_strides `:` $acc_type attr-dict"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """One to four counts, a stride per count and operand, operands of one kind of number."""
        yield from counts_problem(self.counts)
        for side in ("lhs", "rhs", "acc"):
            strides = getattr(self, f"{side}_strides")
            if len(strides) != len(self.counts):
                yield ods.Violation(
                    "rank-mismatch",
                    f"{side}_strides has {len(strides)} entries for {len(self.counts)} counts",
                    f"{side}_strides",
                )
        kinds = {isinstance(getattr(self, f"{side}_type").value, ir.FloatType) for side in ("lhs", "rhs", "acc")}
        if len(kinds) > 1:
            types = ", ".join(str(getattr(self, f"{side}_type").value) for side in ("lhs", "rhs", "acc"))
            message = f"operands are all floats or all integers, but these are {types}"
            yield ods.Violation("type-mismatch", message, "acc_type")
