"""Integer sets and affine expressions: what `affine_set<...>` says, and what follows from it.

Nothing here needs MLIR: a set is read from the text that MLIR prints for it. Most sets of kernels are boxes of constant
bounds (:class:`Box`), and every question about those is answered by comparing numbers. The others, and sets whose
bounds are parameters, go to the integer set library, which is imported when the first of them turns up.

Questions about parameters are asked so that the answer can be reported: "is there, *whatever the parameters are*, a
point that ...". What cannot be decided (a product of two unknowns, too much work) counts as no.
"""

from spyrec.sets.affine import (
    AffineMap,
    AffineSyntaxError,
    Constraint,
    Expression,
    IntegerSet,
    Linear,
    parse,
    parse_map,
)
from spyrec.sets.box import Box, NotABox, box, uncovered
from spyrec.sets.line import members
from spyrec.sets.points import Point, Points

__all__ = [
    "AffineMap",
    "AffineSyntaxError",
    "Box",
    "Constraint",
    "Expression",
    "IntegerSet",
    "Linear",
    "NotABox",
    "Point",
    "Points",
    "box",
    "members",
    "parse",
    "parse_map",
    "uncovered",
]
