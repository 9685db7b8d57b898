"""The dialect itself, its types, and the map attribute."""

from collections.abc import Iterator

from spyrec import ods
from spyrec.mlir import ir
from spyrec.ods import constraints as c


class KtdfArch(ods.Dialect, name="ktdf_arch", open_attributes=True):
    """Devices: memories, execution units, groups of them, and the datapaths between them.

    A description is one `ktdf_arch.device`. Inside it ops and types are written without their prefix. Every resource
    may have a name `@id` (unique per device), a `kind`, and any further entries in its dictionary: what this compiler
    does not know is kept, except under `ktdf_arch.`, where only the properties that the dialect defines may stand:

    * `ktdf_arch.bandwidth`, bytes per cycle, and `ktdf_arch.transfer_granularity`, an i64 array of distinct sizes in
      bytes, on datapaths;
    * `ktdf_arch.overlaps`, an array: resources with a common entry are not used at the same time;
    * `ktdf_arch.features`, a dictionary. Units have `ktdf_arch.feature.compute`; `.load` and `.store`, with `word_size`
      (a map from kinds of memory to bytes, 1 where there is no entry) and `access_granularity` (a map from kinds of
      memory to lists of `{size_in_words = N, align_in_words = N}`, aligned to 1 word unless stated); `.simd`, with
      `splat`, `zero_pad` and `lanes` (a map from element types to numbers). Datapaths have `.queue`, with `ordered`,
      `size` (bytes) and `depth`;
    * `ktdf_arch.maps_to`, on ops of other dialects: the kind or the id of what executes them.

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
      patterns ["widen"] {
        pdl.pattern : benefit(1) {
          %op = operation "math.exp"
          apply_native_constraint "ktdf_arch.mapped_to"(%op : !pdl.operation) : !pdl.attribute
          rewrite %op with "widen"
        }
      }
    }
    ktdf_arch.device @elsewhere import("other.mlir")
    ```
    """

    @classmethod
    def verify_attribute(cls, op: ir.Operation, name: str, attribute: ir.Attribute) -> Iterator[ods.Violation]:
        from spyrec.dialects.ktdf_arch.properties import on_other_op

        yield from on_other_op(name, attribute)


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
