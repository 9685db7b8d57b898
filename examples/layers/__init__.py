"""Kernels of transformer layers in three styles, each with its NumPy meaning.

``CASES`` has all of them by name. ``python examples/layers/show.py NAME`` prints one.
"""

from layers import control, pointwise, products, reductions, views
from layers.case import Case, Values, close

CASES: dict[str, Case] = {
    case.name: case for family in (pointwise, reductions, products, views, control) for case in family.cases()
}

__all__ = ["CASES", "Case", "Values", "close"]
