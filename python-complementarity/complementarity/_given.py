"""Numbers as they are given: made arrays, and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._complementarity import ProblemError

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]
#: Compressed columns: rows, columns, values, row of each value, start of each column.
Columns: TypeAlias = tuple[int, int, Floats, Whole, Whole]
#: A matrix for the extension module: dense, sparse, or J, B and D of J B + D.
Given: TypeAlias = Floats | Columns | tuple[Columns, Columns, Columns]
#: First row, end, friction, and with five rows rolling friction.
Cone: TypeAlias = tuple[int, int, float] | tuple[int, int, float, float]


def vector(name: str, given: ArrayLike, n: int | None = None) -> Floats:
    """A copy with one dimension; a number stands for n of them."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} must be numbers: {error}") from None
    if array.ndim == 0 and n is not None:
        return np.full(n, float(array))
    if array.ndim != 1:
        raise ProblemError(f"{name} must have one dimension, not {array.ndim}")
    if n is not None and len(array) != n:
        raise ProblemError(f"{name} has {len(array)} numbers where {n} are needed")
    return array


def finite(name: str, array: Floats) -> Floats:
    """The same, if nothing in it is NaN or infinite."""
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise ProblemError(f"{name}[{bad[0]}] is {array[bad[0]]}; every number must be finite")
    return array


def bounds(l: ArrayLike | None, u: ArrayLike | None, n: int) -> tuple[Floats, Floats]:
    """Lower and upper bounds; where there are none: zero and infinity."""
    lower = vector("l", 0.0 if l is None else l, n)
    upper = vector("u", np.inf if u is None else u, n)
    bad = np.flatnonzero(~(lower <= upper) | (lower == np.inf) | (upper == -np.inf))
    if len(bad):
        i = bad[0]
        raise ProblemError(f"l[{i}] = {lower[i]} and u[{i}] = {upper[i]}: need l <= u, neither NaN")
    return lower, upper


def _columns(name: str, given: Any, shape: tuple[int, int] | None) -> Columns:
    csc = given.tocsc()
    if not getattr(csc, "has_canonical_format", True):
        csc = csc.copy()
        csc.sum_duplicates()
    if shape is not None and csc.shape != shape:
        raise ProblemError(f"{name} has shape {csc.shape} where {shape} is needed")
    values = np.array(csc.data, dtype=np.float64)
    index, start = csc.indices.astype(np.int64), csc.indptr.astype(np.int64)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        row, column = index[bad[0]], np.searchsorted(start, bad[0], "right") - 1
        raise ProblemError(f"{name}[{row}, {column}] is {values[bad[0]]}; every number must be finite")
    return (*csc.shape, values, index, start)


def matrix(name: str, given: Any, n: int) -> Given:
    """n by n: dense as it is, what has ``tocsc()`` as compressed columns.

    ``(n, values, row indices, column starts)`` are compressed columns as well.
    """
    if hasattr(given, "tocsc"):
        return _columns(name, given, (n, n))
    if isinstance(given, tuple) and len(given) == 4 and isinstance(given[0], (int, np.integer)):
        try:
            values = np.array(given[1], dtype=np.float64)
            index, start = (np.array(part, dtype=np.int64) for part in given[2:])
        except (TypeError, ValueError) as error:
            raise ProblemError(f"{name} must be numbers: {error}") from None
        return int(given[0]), len(start) - 1, values, index, start
    try:
        dense = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} must be numbers: {error}") from None
    if dense.shape != (n, n):
        raise ProblemError(f"{name} has shape {dense.shape} where ({n}, {n}) is needed")
    bad = np.argwhere(~np.isfinite(dense))
    if len(bad):
        i, j = bad[0]
        raise ProblemError(f"{name}[{i}, {j}] is {dense[i, j]}; every number must be finite")
    return dense


def jacobian(given: Any, n: int) -> Given:
    """The Jacobian of a nonlinear problem; NaN in it is for the method to deal with."""
    if not hasattr(given, "tocsc"):
        dense = np.array(given, dtype=np.float64)
        if dense.shape != (n, n):
            raise ProblemError(f"J(z) has shape {dense.shape} where ({n}, {n}) is needed")
        return dense
    csc = given.tocsc()
    csc.sum_duplicates()
    values = np.asarray(csc.data, dtype=np.float64)
    return (*csc.shape, values, csc.indices.astype(np.int64), csc.indptr.astype(np.int64))


def cones(given: Sequence[Cone]) -> list[tuple[int, int, float, float]]:
    """Contacts with friction cones; that their rows fit is checked where the problem is."""
    try:
        rows = [(int(c[0]), int(c[1]), float(c[2]), float(c[3]) if len(c) == 4 else 0.0) for c in given]
        if any(row[0] < 0 or row[1] < 0 for row in rows):
            raise ValueError("a row is negative")
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        text = f"cones: each is (first row, end, friction[, rolling friction]): {error}"
        raise ProblemError(text) from None
    return rows
