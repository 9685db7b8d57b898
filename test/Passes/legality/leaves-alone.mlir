// What the line compiles passes unchanged: named and generic linalg, arith and math on tensors, broadcasts and scalars, control flow.
//
// RUN: spyrec opt %s --legality > %t && spyrec opt %s > %t.same && diff %t %t.same

#all = affine_set<(r, c) : (r >= 0, -r + 31 >= 0, c >= 0, -c + 63 >= 0)>
#row = affine_set<(r, c) : (r == 0, c >= 0, -c + 63 >= 0)>
#id = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>
#one = affine_map<(r, c) -> ()>
func.func @compiles(%x: index, %n: index, %scale: f16) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : tensor<1x64xf16>
  %t = ktdp.get_compute_tile_id : index
  %v = ktdp.construct_memory_view %x, sizes: [32, 64], strides: [64, 1] {coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  %a = ktdp.construct_access_tile %v[%t, 0] {access_tile_set = #row, access_tile_order = #id} : memref<32x64xf16> -> !ktdp.access_tile<1x64xindex>
  scf.for %i = %c0 to %n step %c1 {
    %odd = arith.cmpi slt, %i, %t : index
    scf.if %odd {
      %b = ktdp.load %a : <1x64xindex> -> tensor<1x64xf16>
      %e = tensor.empty() : tensor<1x64xf16>
      %s = tensor.splat %scale : tensor<1x64xf16>
      %p = arith.mulf %b, %two : tensor<1x64xf16>
      %less = arith.cmpf olt, %p, %s : tensor<1x64xf16>
      %q = arith.select %less, %p, %s : tensor<1x64xi1>, tensor<1x64xf16>
      %m = math.exp %q : tensor<1x64xf16>
      %u = linalg.max ins(%m, %b : tensor<1x64xf16>, tensor<1x64xf16>) outs(%e : tensor<1x64xf16>) -> tensor<1x64xf16>
      %f = linalg.fill ins(%scale : f16) outs(%e : tensor<1x64xf16>) -> tensor<1x64xf16>
      %lane = tensor.empty() : tensor<64xf16>
      %l = linalg.fill ins(%scale : f16) outs(%lane : tensor<64xf16>) -> tensor<64xf16>
      %g = linalg.generic {indexing_maps = [#column, #id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%l, %u, %scale : tensor<64xf16>, tensor<1x64xf16>, f16) outs(%e : tensor<1x64xf16>) {
      ^bb0(%y: f16, %z: f16, %w: f16, %o: f16):
        %1 = spyreop.sigmoid %y : f16
        %2 = arith.addf %1, %z : f16
        %3 = arith.addf %2, %w : f16
        linalg.yield %3 : f16
      } -> tensor<1x64xf16>
      ktdp.store %g, %a : tensor<1x64xf16>, <1x64xindex>
    }
  }
  return
}

// Reductions and contractions into what has contents or not, tensors and integers that loops and ifs hand out, slices and reshapes.
#keep = affine_map<(r, c) -> (r, 0)>
func.func @accumulates(%x: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %k = tensor.empty() : tensor<4x1xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0) -> (tensor<4x4xf32>, index) {
    %p = linalg.matmul ins(%acc, %acc : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
    %m = linalg.reduce { arith.maxnumf } ins(%p : tensor<4x4xf32>) outs(%e : tensor<4xf32>) dimensions = [1]
    %o = tensor.empty() : tensor<4x4xf32>
    %b = linalg.broadcast ins(%m : tensor<4xf32>) outs(%o : tensor<4x4xf32>) dimensions = [1]
    %less = arith.cmpi slt, %at, %n : index
    %next:2 = scf.if %less -> (tensor<4x4xf32>, index) {
      %low = tensor.extract_slice %b[0, %i] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4x1xf32>
      %whole = tensor.insert_slice %low into %p[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x4xf32>
      scf.yield %whole, %i : tensor<4x4xf32>, index
    } else {
      %flat = tensor.collapse_shape %p [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
      %again = tensor.expand_shape %flat [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
      scf.yield %again, %at : tensor<4x4xf32>, index
    }
    scf.yield %next#0, %next#1 : tensor<4x4xf32>, index
  }
  %s = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "reduction"]} ins(%r#0 : tensor<4x4xf32>) outs(%k : tensor<4x1xf32>) {
  ^bb0(%in: f32, %o: f32):
    %square = arith.mulf %in, %in : f32
    %sum = arith.addf %square, %o : f32
    linalg.yield %sum : f32
  } -> tensor<4x1xf32>
  return
}

// Scalar floats wherever they are, tensor ops, softmax, and structured control flow of every form.
func.func @says_it_otherwise(%n: index, %s: f32) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tensor.empty() : tensor<4x8xf32>
  %shape = arith.constant dense<[8, 4]> : tensor<2xindex>
  %table = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %unused = arith.constant 1.0 : f64
  %a = tensor.reshape %x(%shape) : (tensor<4x8xf32>, tensor<2xindex>) -> tensor<8x4xf32>
  %b = linalg.softmax dimension(1) ins(%a : tensor<8x4xf32>) outs(%a : tensor<8x4xf32>) -> tensor<8x4xf32>
  %c = tensor.extract %b[%c0, %c1] : tensor<8x4xf32>
  %d = arith.mulf %c, %s : f32
  %less = arith.cmpf olt, %d, %s : f32
  %e = scf.if %less -> (f32) {
    scf.yield %d : f32
  } else {
    %f = math.exp %c : f32
    scf.yield %f : f32
  }
  %g = tensor.generate {
  ^bb0(%i: index, %j: index):
    %k = arith.addi %i, %j : index
    %l = arith.index_cast %k : index to i32
    %m = arith.sitofp %l : i32 to f32
    tensor.yield %m : f32
  } : tensor<8x4xf32>
  %h = tensor.concat dim(0) %a, %g : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %p = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%e) -> f32 {
    scf.reduce(%s : f32) {
    ^bb0(%l: f32, %r: f32):
      %t = arith.maximumf %l, %r : f32
      scf.reduce.return %t : f32
    }
  }
  %q = scf.forall (%i) in (4) shared_outs(%o = %x) -> (tensor<4x8xf32>) {
    %row = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  %u = scf.while (%k = %c0) : (index) -> index {
    %more = arith.cmpi slt, %k, %n : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  %v = scf.index_switch %u -> f32
  case 1 {
    scf.yield %e : f32
  }
  default {
    %w = scf.execute_region -> f32 {
      scf.yield %p : f32
    }
    scf.yield %w : f32
  }
  return
}
