"""SpyreCode: what a compiled kernel is as files, and how a launch of it is bound. No MLIR here."""
