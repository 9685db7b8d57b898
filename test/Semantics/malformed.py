# ruff: noqa: E501 (kernels keep an op on a line)
"""Kernels that are malformed or make no sense: edits of sound ones, each with the id of the error and the line it is at.

A row is ``(what is wrong, base, [(old, new), ...], id, marker)``: ``marker`` is text of the line where the error has to
point; by default it is the first new text.
"""

from __future__ import annotations

PLAIN = """
#all = affine_set<(r, c) : (r >= 0, -r + 3 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id2 = affine_map<(a, b) -> (a, b)>
func.func @k(%x: index, %z: index) attributes {grid = [2]} {
  %tile = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %first = arith.muli %tile, %c2 : index
  %end = arith.addi %first, %c2 : index
  %xv = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>
  %zv = ktdp.construct_memory_view %z, sizes: [4, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<4x64xf32>
  scf.for %i = %first to %end step %c1 {
    %xt = ktdp.construct_access_tile %xv[%i, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>
    %zt = ktdp.construct_access_tile %zv[%i, %c0] {access_tile_set = #row, access_tile_order = #id2} : memref<4x64xf32> -> !ktdp.access_tile<1x64xindex>
    %a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf32>
    %init = arith.constant dense<0.0> : tensor<1xf32>
    %sum = linalg.reduce { arith.addf } ins(%a : tensor<1x64xf32>) outs(%init : tensor<1xf32>) dimensions = [1]
    %s = tensor.extract %sum[%c0] : tensor<1xf32>
    %t = tensor.splat %s : tensor<1x64xf32>
    %r = arith.divf %a, %t : tensor<1x64xf32>
    ktdp.store %r, %zt : tensor<1x64xf32>, <1x64xindex>
  }
  return
}
"""
GLOBAL = "memory_space = #ktdp.memory_space<global>"
LINE = "    ktdp.store %r, %zt"

#: What is wrong, the edits, the id; text of the line that the error is at (None: the first new text), or its number (from
#: the end when negative).
Row = tuple[str, list[tuple[str, str]], str, str | int | None]
