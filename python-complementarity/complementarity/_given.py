"""Numbers as they are given: made arrays, and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._complementarity import ProblemError, SettingsError

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]
#: Compressed columns: rows, columns, values, row of each value, start of each column.
Columns: TypeAlias = tuple[int, int, Floats, Whole, Whole]
#: A matrix for the extension module: dense, sparse, or J, B and D of J B + D.
Given: TypeAlias = Floats | Columns | tuple[Columns, Columns, Columns]
#: First row, end, friction, and with five rows rolling friction.
Cone: TypeAlias = tuple[int, int, float] | tuple[int, int, float, float]


def numbers(name: str, given: Any) -> Floats:
    """A copy as real numbers. What numpy would take with a loss is refused: complex numbers, text, masks."""
    if given is None:
        raise ProblemError(f"{name} must be numbers, not None")
    if np.ma.is_masked(given):
        raise ProblemError(f"{name} must be numbers, without masked entries")
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"{array.dtype} is no type of real numbers")
        return np.array(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ProblemError(f"{name} must be numbers: {error}") from None


def vector(name: str, given: ArrayLike, n: int | None = None) -> Floats:
    """A copy with one dimension; a number stands for n of them."""
    array = numbers(name, given)
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


def _columns(name: str, given: Any, n: int) -> Columns:
    if given.shape != (n, n):
        raise ProblemError(f"{name} has shape {given.shape} where ({n}, {n}) is needed")
    csc = given.tocsc()
    if not getattr(csc, "has_canonical_format", True):
        csc = csc.copy()
        csc.sum_duplicates()
    values = numbers(name, csc.data)
    return (n, n, values, csc.indices.astype(np.int64), csc.indptr.astype(np.int64))


def _finite(name: str, columns: Columns) -> Columns:
    _, _, values, index, start = columns
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad) and bad[0] < len(index):
        row, column = index[bad[0]], np.searchsorted(start, bad[0], "right") - 1
        raise ProblemError(f"{name}[{row}, {column}] is {values[bad[0]]}; every number must be finite")
    return columns


def call_back(callback: Any) -> None:
    """What sees the iterates is a function."""
    if not (callback is None or callable(callback)):
        raise SettingsError(f"callback must be a function, not {type(callback).__name__}")


def _whole(name: str, given: Any) -> Whole:
    array = vector(name, given)
    if not np.array_equal(array, np.trunc(array)) or np.any(np.abs(array) >= 2.0**53):
        raise ProblemError(f"{name}: rows and column starts must be whole numbers")
    return array.astype(np.int64)


def matrix(name: str, given: Any, n: int) -> Given:
    """n by n: dense as it is, what has ``tocsc()`` as compressed columns.

    ``(n, values, row indices, column starts)`` are compressed columns as well.
    """
    if hasattr(given, "tocsc"):
        return _finite(name, _columns(name, given, n))
    if isinstance(given, tuple) and len(given) == 4 and isinstance(given[0], (int, np.integer)):
        values = vector(name, given[1])
        index, start = (_whole(name, part) for part in given[2:])
        if given[0] != n:
            raise ProblemError(f"{name} has {given[0]} rows where {n} are needed")
        if len(start) != n + 1:
            raise ProblemError(f"{name} has {len(start)} column starts; {n} entries and one more are needed")
        return _finite(name, (n, n, values, index, start))
    dense = numbers(name, given)
    if dense.size == n == 0:
        return dense.reshape(0, 0)
    if dense.shape != (n, n):
        raise ProblemError(f"{name} has shape {dense.shape} where ({n}, {n}) is needed")
    bad = np.argwhere(~np.isfinite(dense))
    if len(bad):
        i, j = bad[0]
        raise ProblemError(f"{name}[{i}, {j}] is {dense[i, j]}; every number must be finite")
    return dense


def jacobian(given: Any, n: int) -> Given:
    """The Jacobian of a nonlinear problem; NaN in it is for the method to deal with."""
    if hasattr(given, "tocsc"):
        return _columns("J(z)", given, n)
    dense = numbers("J(z)", given)
    if dense.shape != (n, n):
        raise ProblemError(f"J(z) has shape {dense.shape} where ({n}, {n}) is needed")
    return dense


def values_of(name: str, given: Any, n: int) -> Floats:
    """What F gave: n numbers; a single one is not spread over many."""
    array = numbers(name, given)
    if array.ndim == 0 and n > 1:
        raise ProblemError(f"{name} is a single number where {n} are needed")
    return vector(name, array, n)


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
