"""The `ktdf_arch` dialect: device descriptions, in the public syntax."""


from spyrec import ods
from spyrec.ods import constraints as c


class KtdfArch(ods.Dialect, name="ktdf_arch", open_attributes=True):
    """Devices: memories, execution units, groups of them, and the datapaths between them.

    A description is one `ktdf_arch.device`. Inside it ops and types are written without their prefix. Every resource may have a name
    `@id` (unique per device), a `kind`, and any further entries in its dictionary: what this compiler does not know is kept.
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
        "($id^)? attr-dict `share` custom<SharedRegion>($shared_memory, $body) (`->` short-type($units)^)?"
    )


class YieldOp(ods.Op, dialect=KtdfArch, name="yield", traits=(ods.Terminator,)):
    """Give execution units to the surroundings of a group."""

    units = ods.variadic_operand(ExecUnit, "the units")
    assembly_format = "$units attr-dict"


class MemoryOp(ods.Op, dialect=KtdfArch, name="memory"):
    """A memory."""

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.attr(c.AnyAttr, "what it is an instance of")
    size = ods.optional_attr(c.PositiveI64, "bytes")
    result = ods.result(Memory, "the memory")
    assembly_format = "($id^)? attr-dict"


class ExecUnitOp(ods.Op, dialect=KtdfArch, name="exec_unit"):
    """An execution unit; what it can do is under `ktdf_arch.features`."""

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    result = ods.result(ExecUnit, "the unit")
    assembly_format = "($id^)? attr-dict"


class SwitchOp(ods.Op, dialect=KtdfArch, name="switch"):
    """A switch with N ports; all are connected unless `connectivity` says which."""

    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    connectivity = ods.optional_attr(c.DenseAttr, "an N x N matrix of i1: from row to column")
    ports = ods.variadic_result(Port, "the ports")
    assembly_format = "`[` custom<ResultCount>($ports) `]` attr-dict"


class DatapathOp(ods.Op, dialect=KtdfArch, name="datapath"):
    """A directed link between two resources."""

    id = ods.optional_attr(c.SymbolName, "name of the resource")
    kind = ods.optional_attr(c.AnyAttr, "what it is an instance of")
    source = ods.operand(Resource, "where data comes from")
    target = ods.operand(Resource, "where it goes to")
    assembly_format = "($id^)? attr-dict $source `to` $target `:` short-type($source) `,` short-type($target)"


class PatternsOp(ods.Op, dialect=KtdfArch, name="patterns", traits=(ods.NoTerminator,)):
    """Rewrite patterns that the public scheduler applies; kept, never run by this compiler."""

    groups = ods.optional_attr(
        c.array_of(c.StringAttr, "an array of strings"), "when they are enabled; always, when absent"
    )
    body = ods.region("`pdl.pattern` ops")
    assembly_format = "($groups^)? attr-dict-with-keyword $body"
