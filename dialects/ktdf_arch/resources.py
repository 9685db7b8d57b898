"""The ops of device descriptions."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.dialects.ktdf_arch.properties import LINK_FEATURES, UNIT_FEATURES, of_resource
from spyrec.dialects.ktdf_arch.types import ExecUnit, KtdfArch, Memory, Port, Resource
from spyrec.mlir import ir
from spyrec.ods import constraints as c

_PREFIX = "ktdf_arch."


def _around(op: ods.Op) -> str:
    """The name of the op around another; empty for none."""
    parent = op.operation.parent
    return "" if parent is None else str(parent.operation.name)


class DeviceOp(ods.Op, dialect=KtdfArch, name="device", traits=(ods.Symbol, ods.NoTerminator, ods.IsolatedFromAbove)):
    """A device: a body of resources, or the path of a file that has it."""

    sym_name = ods.attr(c.SymbolName, "the device's name")
    import_path = ods.optional_attr(c.StringAttr, "file to read the description from")
    version = ods.optional_attr(c.I64Attr, "version of the description")
    body = ods.region("the resources", args=(), default_dialect="ktdf_arch", optional=True)
    assembly_format = "$sym_name attr-dict-with-keyword (`import` `(` $import_path^ `)`) : ($body)?"

    def verify(self) -> Iterator[ods.Violation]:
        """It stands in a module; it has a body or a path, not both; ids are unique; inside are resources of this
        dialect.
        """
        around = _around(self)
        if around not in ("", "builtin.module"):
            yield ods.Violation("wrong-region", f"a device stands in a module, but this one in {around}")
        has_body = len(self.body.blocks) > 0
        if has_body == (self.import_path is not None):
            state = "both a body and a path to import" if has_body else "neither a body nor a path to import"
            yield ods.Violation("wrong-region", f"a device has one of the two, but this one has {state}", "body")
        if has_body:
            yield from _resources(self.body, in_group=False)
            yield from self._ids()

    def _ids(self) -> Iterator[ods.Violation]:
        seen: set[str] = set()
        twice: list[str] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            id_ = op.attributes.get("id") if op.name.startswith(_PREFIX) else None
            if isinstance(id_, ir.StringAttr):
                if id_.value in seen:
                    twice.append(id_.value)
                seen.add(id_.value)
            return ir.WalkResult.ADVANCE

        self.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        for name in twice:
            yield ods.Violation("redefined-symbol", f"two resources of this device are called @{name}", "body")


class GroupOp(ods.Op, dialect=KtdfArch, name="group", traits=(ods.IsolatedFromAbove,)):
    """Resources that belong together; groups of equal `kind` are instances of one thing.

    Memories of the surroundings come in through `share`; execution units go out through `yield`.
    """

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    shared_memory = ods.variadic_operand(Memory, "memories that the body uses")
    units = ods.variadic_result(ExecUnit, "units that others may use")
    body = ods.region("the resources", terminator="ktdf_arch.yield", implicit=True, default_dialect="ktdf_arch")
    assembly_format = (
        "($id^)? attr-dict `share` `` custom<SharedRegion>($shared_memory, $body) (`->` short-type($units)^)?"
    )

    def verify(self) -> Iterator[ods.Violation]:
        """The body has one memory argument per shared memory and yields one unit per result."""
        block = self.body.blocks[0]
        shared = self.shared_memory
        if [a.type for a in block.arguments] != [m.type for m in shared]:
            yield ods.Violation(
                "wrong-region",
                f"the body has {len(block.arguments)} arguments for {len(shared)} shared memories; each is a memory",
                "body",
            )
        yielded = block.operations[len(block.operations) - 1].operands
        if len(yielded) != len(self.units):
            yield ods.Violation(
                "wrong-operands", f"the group yields {len(yielded)} units, but has {len(self.units)} results", "units"
            )
        yield from _resources(self.body, in_group=True)
        yield from of_resource(self, ())


class YieldOp(ods.Op, dialect=KtdfArch, name="yield", traits=(ods.Terminator,)):
    """Give execution units to the surroundings of a group."""

    units = ods.variadic_operand(ExecUnit, "the units")
    assembly_format = "$units attr-dict"

    def verify(self) -> Iterator[ods.Violation]:
        """It stands in a group."""
        around = _around(self)
        if around != GroupOp.NAME:
            yield ods.Violation("wrong-region", f"{self.NAME} ends a group, but stands in {around or 'nothing'}")


class MemoryOp(ods.Op, dialect=KtdfArch, name="memory"):
    """A memory."""

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.attr(c.AnyAttr, "what it is an instance of; the memory space of memrefs that lie in it")
    size = ods.optional_attr(c.PositiveI64, "bytes")
    result = ods.result(Memory, "the memory")
    assembly_format = "($id^)? attr-dict"

    def verify(self) -> Iterator[ods.Violation]:
        """`kind` can be the memory space of a memref."""
        if not _is_memory_space(self.kind):
            yield ods.Violation(
                "wrong-attribute",
                f"kind must be what a memref takes as memory space, but is {self.kind}",
                "kind",
                ("write a string, an integer, a dictionary or an attribute such as #ktdp.memory_space<global>",),
            )
        yield from of_resource(self, ())


class ExecUnitOp(ods.Op, dialect=KtdfArch, name="exec_unit"):
    """An execution unit; what it can do is under `ktdf_arch.features`."""

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    result = ods.result(ExecUnit, "the unit")
    assembly_format = "($id^)? attr-dict"

    def verify(self) -> Iterator[ods.Violation]:
        """Its properties and features are those of units."""
        yield from of_resource(self, UNIT_FEATURES)


class SwitchOp(ods.Op, dialect=KtdfArch, name="switch"):
    """A switch with N ports; all are connected unless `connectivity` says which."""

    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    connectivity = ods.optional_attr(c.ElementsAttr, "an N x N matrix of i1, dense or sparse: from row to column")
    ports = ods.variadic_result(Port, "the ports")
    assembly_format = "`[` custom<ResultCount>($ports) `]` attr-dict"

    def verify(self) -> Iterator[ods.Violation]:
        """`connectivity` has a row and a column per port."""
        matrix, ports = self.connectivity, len(self.ports)
        wanted = f"tensor<{ports}x{ports}xi1>"
        if matrix is not None and str(matrix.type) != wanted:
            yield ods.Violation(
                "wrong-attribute",
                f"connectivity of {ports} ports must be {wanted}, but is {matrix.type}",
                "connectivity",
            )
        yield from of_resource(self, ())


class DatapathOp(ods.Op, dialect=KtdfArch, name="datapath"):
    """A directed link between two resources."""

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    source = ods.operand(Resource, "where data comes from")
    target = ods.operand(Resource, "where it goes to")
    assembly_format = "($id^)? attr-dict $source `to` $target `:` short-type($source) `,` short-type($target)"

    def verify(self) -> Iterator[ods.Violation]:
        """It joins two resources; its properties and features are those of links."""
        if self.source == self.target:
            yield ods.Violation("wrong-operands", "a datapath joins two resources, but this one has one", "target")
        yield from of_resource(self, LINK_FEATURES, link=True)


class PatternsOp(ods.Op, dialect=KtdfArch, name="patterns", traits=(ods.NoTerminator,)):
    """Rewrite patterns that the public scheduler applies; kept, never run by this compiler."""

    groups = ods.attr(
        c.array_of(c.StringAttr, "an array of strings"), "when they are enabled; always, when empty", default="[]"
    )
    body = ods.region("`pdl.pattern` ops", args=())
    assembly_format = "($groups^)? attr-dict-with-keyword $body"

    def verify(self) -> Iterator[ods.Violation]:
        """In its body are `pdl.pattern` ops."""
        for op in self.body.blocks[0].operations:
            name = op.operation.name
            if name != "pdl.pattern":
                message = f"patterns holds pdl.pattern ops, not {name}"
                yield ods.Violation("wrong-region", message, "body", ((op.operation, "it stands here"),))


def _is_memory_space(attribute: ir.Attribute) -> bool:
    """Whether MLIR takes the attribute as the memory space of a memref."""
    try:
        ir.MemRefType.get([], ir.F32Type.get(), None, attribute, ir.Location.unknown())
    except (ir.MLIRError, ValueError):
        return False
    return True


def _resources(region: ir.Region, *, in_group: bool) -> Iterator[ods.Violation]:
    """Every op inside a device belongs to this dialect; patterns stand in the device itself."""
    for block in region.blocks:
        for op in block.operations:
            name = op.operation.name
            if not name.startswith(_PREFIX) or name == DeviceOp.NAME or (in_group and name == PatternsOp.NAME):
                message = f"{name} is no resource of a {'group' if in_group else 'device'}"
                yield ods.Violation("wrong-region", message, "body", ((op.operation, "it stands here"),))
