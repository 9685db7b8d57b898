// Integer scalars outside of bodies, what depends on data, divisions by zero, reductions, tables.
//
// RUN: spyrec opt %s --fold-constants > %t && spyrec opt %s > %t.same && diff %t %t.same

func.func @as_it_is(%x: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xi32>, tensor<f16>, index) {
  %two = arith.constant 2 : index
  %four = arith.muli %two, %two : index
  %table = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %exp = math.exp %table : tensor<2xf16>
  %sum = arith.addf %x, %exp : tensor<2xf16>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %quotient = arith.divsi %zero, %zero : tensor<2xi32>
  %ones = arith.constant dense<1.0> : tensor<2xf16>
  %init = arith.constant dense<0.0> : tensor<f16>
  %total = linalg.reduce { arith.addf } ins(%ones : tensor<2xf16>) outs(%init : tensor<f16>) dimensions = [0]
  return %sum, %quotient, %total, %four : tensor<2xf16>, tensor<2xi32>, tensor<f16>, index
}

// Shifts by less than the width, and those that upstream leaves alone.
func.func @shifts(%x: tensor<4xi32>, %n: i8) -> (tensor<4xi32>, tensor<4xi32>, i8) {
  %c7 = arith.constant 7 : i8
  %c31 = arith.constant dense<31> : tensor<4xi32>
  %a = arith.shrsi %x, %c31 : tensor<4xi32>
  %b = arith.shli %x, %x : tensor<4xi32>
  %c = arith.shrsi %n, %c7 : i8
  return %a, %b, %c : tensor<4xi32>, tensor<4xi32>, i8
}
