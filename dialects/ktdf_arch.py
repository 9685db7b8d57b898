"""The `ktdf_arch` dialect: device descriptions, in the public syntax."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods import constraints as c

_RESERVED = "ktdf_arch."
_FEATURES = "ktdf_arch.features"


class KtdfArch(ods.Dialect, name="ktdf_arch", open_attributes=True):
    """Devices: memories, execution units, groups of them, and the datapaths between them.

    A description is one `ktdf_arch.device`. Inside it ops and types are written without their prefix. Every resource
    may have a name `@id` (unique per device), a `kind`, and any further entries in its dictionary: what this compiler
    does not know is kept, except under `ktdf_arch.`, where only the properties that the dialect defines may stand.

    ```mlir
    ktdf_arch.device @small {
      %ddr = memory @ddr {kind = "DDR", size = 1073741824 : i64}
      group {kind = "core"} share(%ddr) {
        %lx = memory {kind = "LX", size = 1048576 : i64}
        %in = exec_unit {kind = "IN", ktdf_arch.features = {ktdf_arch.feature.load = {}}}
        %vector = group share() {
          %unit = exec_unit {kind = "SFU", ktdf_arch.features = {ktdf_arch.feature.compute}}
          yield %unit
        } -> exec_unit
        %port:2 = switch [2] {kind = "crossbar"}
        datapath {ktdf_arch.bandwidth = 128 : i64} %ddr to %in : memory, exec_unit
        datapath %in to %lx : exec_unit, memory
        datapath %lx to %port#0 : memory, port
        datapath %port#1 to %vector : port, exec_unit
      }
    }
    ktdf_arch.device @elsewhere import("other.mlir")
    ```
    """


class MemoryType(ods.Type, dialect=KtdfArch, name="memory", ir_name="memory_resource"):
    """A memory."""


class ExecUnitType(ods.Type, dialect=KtdfArch, name="exec_unit", ir_name="exec_unit_resource"):
    """An execution unit."""


class PortType(ods.Type, dialect=KtdfArch, name="port", ir_name="port_resource"):
    """A port of a switch."""


class MapAttr(ods.Attribute, dialect=KtdfArch, name="map"):
    """An ordered map with any attributes as keys: `#ktdf_arch.map<"DDR" = 64, f16 = 32>`."""

    entries = ods.param(c.ArrayAttr, "pairs [key, value]")
    assembly_format = "`<` custom<MapEntries>($entries) `>`"

    def items(self) -> list[tuple[ir.Attribute, ir.Attribute]]:
        """Keys and values in the order written."""
        return [(pair[0], pair[1]) for pair in self.entries]


Memory = c.type_class(MemoryType)
ExecUnit = c.type_class(ExecUnitType)
Port = c.type_class(PortType)
Resource = c.any_of("resource", Memory, ExecUnit, Port)


class DeviceOp(ods.Op, dialect=KtdfArch, name="device", traits=(ods.Symbol, ods.NoTerminator, ods.IsolatedFromAbove)):
    """A device: a body of resources, or the path of a file that has it."""

    sym_name = ods.attr(c.SymbolName, "the device's name")
    import_path = ods.optional_attr(c.StringAttr, "file to read the description from")
    version = ods.optional_attr(c.I64Attr, "version of the description")
    body = ods.region("the resources", args=(), default_dialect="ktdf_arch", optional=True)
    assembly_format = "$sym_name attr-dict-with-keyword (`import` `(` $import_path^ `)`) : ($body)?"

    def verify(self) -> Iterator[ods.Violation]:
        """It has a body or a path, not both; ids are unique; inside are resources of this dialect."""
        has_body = len(self.body.blocks) > 0
        if has_body == (self.import_path is not None):
            state = "both a body and a path to import" if has_body else "neither a body nor a path to import"
            yield ods.Violation("wrong-region", f"a device has one of the two, but this one has {state}", "body")
        if has_body:
            yield from _resources(self.body)
            yield from self._ids()

    def _ids(self) -> Iterator[ods.Violation]:
        seen: set[str] = set()
        twice: list[str] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            id_ = op.attributes.get("id") if op.name.startswith(_RESERVED) else None
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
        yield from _resources(self.body)
        yield from _properties(self, _GROUP_PROPERTIES)


class YieldOp(ods.Op, dialect=KtdfArch, name="yield", traits=(ods.Terminator,)):
    """Give execution units to the surroundings of a group."""

    units = ods.variadic_operand(ExecUnit, "the units")
    assembly_format = "$units attr-dict"


class MemoryOp(ods.Op, dialect=KtdfArch, name="memory"):
    """A memory."""

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.attr(c.AnyAttr, "what it is an instance of; the memory space of memrefs that lie in it")
    size = ods.optional_attr(c.PositiveI64, "bytes")
    result = ods.result(Memory, "the memory")
    assembly_format = "($id^)? attr-dict"

    def verify(self) -> Iterator[ods.Violation]:
        """`kind` can be the memory space of a memref."""
        if isinstance(self.kind, (ir.UnitAttr, ir.TypeAttr, ir.ArrayAttr, ir.FloatAttr)):
            yield ods.Violation("wrong-attribute", f"kind must be a memory space, but is {self.kind}", "kind")
        yield from _properties(self, _RESOURCE_PROPERTIES)


class ExecUnitOp(ods.Op, dialect=KtdfArch, name="exec_unit"):
    """An execution unit; what it can do is under `ktdf_arch.features`."""

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    result = ods.result(ExecUnit, "the unit")
    assembly_format = "($id^)? attr-dict"

    def verify(self) -> Iterator[ods.Violation]:
        """Under `ktdf_arch.` only known properties and features of units."""
        yield from _properties(self, _RESOURCE_PROPERTIES)
        yield from _features(self, ("compute", "load", "store", "simd"))


class SwitchOp(ods.Op, dialect=KtdfArch, name="switch"):
    """A switch with N ports; all are connected unless `connectivity` says which."""

    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    connectivity = ods.optional_attr(c.DenseAttr, "an N x N matrix of i1: from row to column")
    ports = ods.variadic_result(Port, "the ports")
    assembly_format = "`[` custom<ResultCount>($ports) `]` attr-dict"

    def verify(self) -> Iterator[ods.Violation]:
        """`connectivity` has a row and a column per port."""
        matrix, ports = self.connectivity, len(self.ports)
        if matrix is not None and list(ir.ShapedType(matrix.type).shape) != [ports, ports]:
            yield ods.Violation(
                "wrong-attribute", f"connectivity must be {ports} x {ports}, but is {matrix.type}", "connectivity"
            )
        yield from _properties(self, _RESOURCE_PROPERTIES)


class DatapathOp(ods.Op, dialect=KtdfArch, name="datapath"):
    """A directed link between two resources."""

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    source = ods.operand(Resource, "where data comes from")
    target = ods.operand(Resource, "where it goes to")
    assembly_format = "($id^)? attr-dict $source `to` $target `:` short-type($source) `,` short-type($target)"

    def verify(self) -> Iterator[ods.Violation]:
        """It joins two resources; `bandwidth` is bytes per cycle, `transfer_granularity` distinct sizes."""
        if self.source == self.target:
            yield ods.Violation("wrong-operands", "a datapath joins two resources, but this one has one", "target")
        yield from _properties(self, _LINK_PROPERTIES)
        yield from _features(self, ("queue",))
        bandwidth = self.operation.attributes.get("ktdf_arch.bandwidth")
        if bandwidth is not None and not c.PositiveI64.accepts(bandwidth):
            yield ods.Violation(
                "wrong-attribute",
                f"ktdf_arch.bandwidth must be {c.PositiveI64.description}, but is {bandwidth}",
                "ktdf_arch.bandwidth",
            )
        sizes = self.operation.attributes.get("ktdf_arch.transfer_granularity")
        if sizes is not None and not _is_granularity(sizes):
            yield ods.Violation(
                "wrong-attribute",
                f"ktdf_arch.transfer_granularity must be an i64 array of distinct sizes of at least 0, but is {sizes}",
                "ktdf_arch.transfer_granularity",
            )


class PatternsOp(ods.Op, dialect=KtdfArch, name="patterns", traits=(ods.NoTerminator,)):
    """Rewrite patterns that the public scheduler applies; kept, never run by this compiler."""

    groups = ods.optional_attr(
        c.array_of(c.StringAttr, "an array of strings"), "when they are enabled; always, when absent"
    )
    body = ods.region("`pdl.pattern` ops")
    assembly_format = "($groups^)? attr-dict-with-keyword $body"


_COMMON = ("features", "maps_to", "overlaps")
_RESOURCE_PROPERTIES = _COMMON
_GROUP_PROPERTIES = _COMMON
_LINK_PROPERTIES = (*_COMMON, "bandwidth", "transfer_granularity")


def _resources(region: ir.Region) -> Iterator[ods.Violation]:
    """Every op inside a device belongs to this dialect."""
    for block in region.blocks:
        for op in block.operations:
            name = op.operation.name
            if not name.startswith(_RESERVED) or name == "ktdf_arch.device":
                yield ods.Violation("wrong-region", f"{name} is no resource of a device", "body")


def _properties(op: ods.Op, known: tuple[str, ...]) -> Iterator[ods.Violation]:
    """Names under `ktdf_arch.` are the dialect's own."""
    for name in op.operation.attributes:
        if name.startswith(_RESERVED) and name.removeprefix(_RESERVED) not in known:
            legal = ", ".join(_RESERVED + k for k in known)
            yield ods.Violation(
                "unknown-attribute", f"{op.spec.name} has no property {name}", name, (f"it has {legal}",)
            )


def _features(op: ods.Op, known: tuple[str, ...]) -> Iterator[ods.Violation]:
    """Entries of `ktdf_arch.features` are features that the kind of resource can have."""
    features = op.operation.attributes.get(_FEATURES)
    if features is None:
        return
    if not isinstance(features, ir.DictAttr):
        yield ods.Violation("wrong-attribute", f"{_FEATURES} must be a dictionary, but is {features}", _FEATURES)
        return
    for k in range(len(features)):
        name = features[k].name
        if name.startswith(_RESERVED) and name.removeprefix("ktdf_arch.feature.") not in known:
            legal = ", ".join(f"ktdf_arch.feature.{f}" for f in known)
            yield ods.Violation(
                "unknown-attribute", f"{op.spec.name} has no feature {name}", _FEATURES, (f"it has {legal}",)
            )


def _is_granularity(sizes: ir.Attribute) -> bool:
    if not isinstance(sizes, ir.DenseI64ArrayAttr):
        return False
    values = list(sizes)
    return len(set(values)) == len(values) and all(v >= 0 for v in values)
