// RUN: spyrec opt %s --select-kernel=name=b --verify-diagnostics --split-input-file

// expected-error@+1 {{there is no kernel 'b' in this module; it has a, c}}
module {
  func.func @a() attributes {grid = [1]} {
    return
  }
  func.func @c() attributes {grid = [1]} {
    return
  }
}

// -----

// expected-error@+1 {{there is no kernel 'b' in this module; it has none}}
module {
}
