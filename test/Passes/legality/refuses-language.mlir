// RUN: spyrec opt --legality --split-input-file --verify-diagnostics %s

// What the language has and the line does not carry yet; and forms that the language no longer has.

#id = affine_map<(r) -> (r)>
func.func @old_forms(%i: i32) attributes {grid = [1]} {
  %x = arith.constant dense<1.0> : tensor<64xf16>
  %e = tensor.empty() : tensor<64xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>) {
  ^bb0(%a: f16, %b: f16):
    // expected-error@+4 {{this form of spyreop.layernormscale is not compiled: the current dialect has another one, which says more}}
    // expected-note@+3 {{write the current form, in which every number that the op needs is an operand}}
    // expected-remark@+2 {{this form of spyreop.layernormscale has no equivalent in the current dialect}}
    // expected-note@+1 {{the mean of squares is an operand now}}
    %c = spyreop.layernormscale %a : f16
    linalg.yield %c : f16
  } -> tensor<64xf16>
  // expected-error@+4 {{this form of spyreop.idx32toaddr is not compiled}}
  // expected-note@+3 {{write the current form}}
  // expected-remark@+2 {{this form of spyreop.idx32toaddr has no equivalent in the current dialect}}
  // expected-note@+1 {{base and stride are values now}}
  %d = spyreop.idx32toaddr %i base 0 stride 4
  return
}

// -----

#points = affine_set<(r) : (r >= 0, -r + 7 >= 0)>
#id = affine_map<(r) -> (r)>
func.func @runtime_argument(%x: index, %n: !ktdp.runtime_arg<index>) attributes {grid = [1]} {
  // expected-error@-1 {{argument 'n' of type !ktdp.runtime_arg<index> is not compiled yet}}
  // expected-note@-2 {{take the address of a tensor as index}}
  // expected-error@+2 {{ktdp.runtime_arg_extract is not compiled yet: its argument is handed on by something else}}
  // expected-note@+1 {{extract the number from the argument of the kernel itself}}
  %v = ktdp.runtime_arg_extract value from %n : <index> -> index
  return
}

// -----

// What the tile below may reach is not said: no bound can be proven in such a loop.
func.func @steps(%x: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %down = arith.subi %c0, %c1 : index
  // expected-error@+2 {{the step of the loop is 0; it has to be at least 1}}
  // expected-note@+1 {{to count down, count up and subtract: %last - %i}}
  scf.for %i = %c0 to %n step %c0 {
    // expected-error@+2 {{the step of the loop is -1; it has to be at least 1}}
    // expected-note@+1 {{to count down, count up and subtract: %last - %i}}
    scf.for %j = %n to %c0 step %down {
      %k = arith.addi %i, %j : index
    }
  }
  // Never reached.
  %never = arith.constant false
  scf.if %never {
    scf.for %i = %c0 to %n step %c0 {
      %k = arith.addi %i, %i : index
    }
  }
  return
}

// -----

func.func @left_behind(%n: i32) attributes {grid = [1]} {
  // expected-error@+2 {{builtin.unrealized_conversion_cast is not compiled yet: a lowering before this one has left it behind}}
  // expected-note@+1 {{convert numbers with arith.index_cast, extsi or trunci}}
  %i = builtin.unrealized_conversion_cast %n : i32 to index
  return
}
