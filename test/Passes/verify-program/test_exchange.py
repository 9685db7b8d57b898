"""Programs whose loops visit one core after the other, too long to be run whole."""

from spyrec.driver.compile import Options, compile_text

SUM_BY_PARITY = """
#row = affine_set<(a, b) : (a == 0, b >= 0, -b + 63 >= 0)>
#all = affine_set<(a, b) : (a >= 0, -a + 31 >= 0, b >= 0, -b + 63 >= 0)>
#id = affine_map<(a, b) -> (a, b)>
#alike = affine_set<(i)[g] : ((i - g) mod 2 == 0, i - g >= 0, -i + g + 30 >= 0)>
func.func @sum_by_parity(%x: index, %z: index) attributes {grid = [32]} {
  %t = ktdp.get_compute_tile_id : index
  %xv = ktdp.construct_memory_view %x, sizes: [32, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  %zv = ktdp.construct_memory_view %z, sizes: [32, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  %xt = ktdp.construct_access_tile %xv[%t, 0] {access_tile_set = #row, access_tile_order = #id} : memref<32x64xf16> -> !ktdp.access_tile<1x64xindex>
  %zt = ktdp.construct_access_tile %zv[%t, 0] {access_tile_set = #row, access_tile_order = #id} : memref<32x64xf16> -> !ktdp.access_tile<1x64xindex>
  %a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #alike -> <(tensor<1x64xf16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> {
  ^bb0(%g: index):
    ktdp.yield_partial %a : tensor<1x64xf16>
  }
  %zero = arith.constant dense<0.0> : tensor<1x64xf16>
  %s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #alike, identity(%zero : tensor<1x64xf16>) : <(tensor<1x64xf16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> -> tensor<1x64xf16> {
  ^bb0(%l: tensor<1x64xf16>, %r: tensor<1x64xf16>):
    %n = arith.addf %l, %r : tensor<1x64xf16>
    ktdp.yield_reduced %n : tensor<1x64xf16>
  }
  ktdp.store %s, %zt : tensor<1x64xf16>, <1x64xindex>
  return
}
"""  # noqa: E501 (an op per line)


def test_whoever_visits_all_is_met_by_all() -> None:
    """Iterations of a loop that takes from a core each are not left out: the other core would wait for ever."""
    assert compile_text(SUM_BY_PARITY, "sum.mlir", Options()).artifact is not None
