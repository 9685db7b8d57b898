# ruff: noqa: E501 (an op per line)
"""df16 in a kernel: memory, element-wise intrinsics, comparison and selection."""

import numpy as np
from kernel import execute

from spyrec.numerics import rounded
from spyrec.numerics.df16 import DF16, bits_of, decode

TEXT = """
#s = affine_set<(a) : (a >= 0, -a + 63 >= 0)>
#o = affine_map<(a) -> (a)>
func.func @kernel(%x: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {coordinate_set = #s, memory_space = #ktdp.memory_space<global>} : memref<64x!spyreop.df16>
  %w = ktdp.construct_memory_view %z, sizes: [64], strides: [1] {coordinate_set = #s, memory_space = #ktdp.memory_space<global>} : memref<64x!spyreop.df16>
  %t = ktdp.construct_access_tile %v[%c0] {access_tile_set = #s, access_tile_order = #o} : memref<64x!spyreop.df16> -> !ktdp.access_tile<64xindex>
  %u = ktdp.construct_access_tile %w[%c0] {access_tile_set = #s, access_tile_order = #o} : memref<64x!spyreop.df16> -> !ktdp.access_tile<64xindex>
  %a = ktdp.load %t : <64xindex> -> tensor<64x!spyreop.df16>
  %e = tensor.empty() : tensor<64x!spyreop.df16>
  %r = linalg.generic {indexing_maps = [#o, #o], iterator_types = ["parallel"]} ins(%a : tensor<64x!spyreop.df16>) outs(%e : tensor<64x!spyreop.df16>) {
  ^bb0(%p: !spyreop.df16, %q: !spyreop.df16):
    %y = spyreop.silu %p : !spyreop.df16
    %n = spyreop.reciprocal %p : !spyreop.df16
    %c = spyreop.compare <greaterthan> %p, %n : !spyreop.df16
    %k = spyreop.select %c, %y, %n : !spyreop.df16
    linalg.yield %k : !spyreop.df16
  } -> tensor<64x!spyreop.df16>
  ktdp.store %r, %u : tensor<64x!spyreop.df16>, <64xindex>
  return
}
"""


def test_a_kernel_of_df16() -> None:
    x = rounded(np.random.default_rng(1).standard_normal(64) * 3, "df16")
    got = execute(TEXT, {"x": x, "z": ((64,), "df16")})["z"]
    assert got.dtype == DF16
    exact = decode(x).astype(np.float64)
    inverse = rounded(1 / exact, "df16")
    silu = rounded((exact / (1 + np.exp(-exact))).astype(np.float32), "df16")
    assert np.array_equal(bits_of(got), np.where(exact > decode(inverse), bits_of(silu), bits_of(inverse)))
