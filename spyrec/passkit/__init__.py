"""Passes, their options, pipelines of ours and MLIR's, and the driver that runs and watches them.

A pass file needs three names::

    from spyrec.passkit import Pass, PassContext, option
"""

from spyrec.passkit.analyses import UNCHANGED, Analyses, Kept
from spyrec.passkit.base import Pass, PassContext
from spyrec.passkit.options import option

__all__ = ["UNCHANGED", "Analyses", "Kept", "Pass", "PassContext", "option"]
