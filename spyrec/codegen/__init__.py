"""Code generation: a function at the ``program`` stage to the artifact that runs. One file per kind of unit."""

from spyrec.codegen.generate import generate
from spyrec.codegen.signature import signature_of

__all__ = ["generate", "signature_of"]
