"""Boxes in the attributes of IR: what :mod:`spyrec.sets` says about an ``affine_set``."""

from __future__ import annotations

from spyrec import sets
from spyrec.mlir import ir
from spyrec.sets import Box, NotABox

__all__ = ["Box", "NotABox", "box", "points"]


def box(attribute: ir.Attribute) -> Box:
    """The box that an integer set (``affine_set``) describes. Raises :class:`NotABox` when it is none."""
    return sets.box(points(attribute))


def points(attribute: ir.Attribute) -> sets.IntegerSet:
    """The integer set in an attribute. Raises :class:`NotABox` for another attribute."""
    try:
        return sets.parse(str(attribute))
    except sets.AffineSyntaxError as error:
        raise NotABox(str(error)) from None
