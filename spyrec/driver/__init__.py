"""The driver: stages in order, dumps, reproducers, files that are whole or not there. Importing it imports no MLIR."""

from spyrec.driver.compile import BINARY, STAGE_NAMES, Compiled, Options, compile_text, full_pipeline, load_device

__all__ = ["BINARY", "STAGE_NAMES", "Compiled", "Options", "compile_text", "full_pipeline", "load_device"]
