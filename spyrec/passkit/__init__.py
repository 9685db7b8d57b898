"""Passes, their options, pipelines of ours and MLIR's, and the driver that runs and watches them.

A pass file needs three names::

    from spyrec.passkit import Pass, PassContext, option
"""

from spyrec.passkit.base import Pass, PassContext
from spyrec.passkit.options import option

__all__ = ["Pass", "PassContext", "option"]
