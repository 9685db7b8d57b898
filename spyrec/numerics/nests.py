"""Contractions over a nest of counts, as a matrix unit runs them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spyrec.numerics import reductions
from spyrec.numerics.types import Array

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def contract_nest(
    left: Array, right: Array, counts: Sequence[int], summed: Sequence[bool], init: Array, result_type: str
) -> Array:
    """``init`` plus the sum of products of ``left`` and ``right`` over the counts that are ``summed``.

    ``left`` and ``right`` have the rank of ``counts`` and extent 1 in the dimensions along which they are repeated.
    ``init`` and the result have the shape of the counts that are not summed, in order. Rounding is that of
    :func:`spyrec.numerics.reductions.contract`: floats in f64, once at the end.
    """
    lost = [n != 1 and left.shape[d] == 1 and right.shape[d] == 1 for d, n in enumerate(counts)]
    left = np.broadcast_to(left, [n if gone else e for n, gone, e in zip(counts, lost, left.shape, strict=True)])
    shape = [n for n, s in zip(counts, summed, strict=True) if not s]
    ones = [d for d, n in enumerate(counts) if n == 1]
    left_names = "".join(_LETTERS[d] for d in range(len(counts)) if left.shape[d] > 1)
    right_names = "".join(_LETTERS[d] for d in range(len(counts)) if right.shape[d] > 1)
    out_names = "".join(_LETTERS[d] for d in range(len(counts)) if not summed[d] and d not in ones)
    spec = f"{left_names},{right_names}->{out_names}"
    flat = init.reshape([n for n in shape if n != 1])
    return reductions.contract(spec, left.squeeze(), right.squeeze(), flat, result_type).reshape(shape)
