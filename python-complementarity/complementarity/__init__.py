"""Complementarity problems: linear, mixed and nonlinear, dense and sparse.

``l <= z <= u`` and ``w = M z + q`` or ``w = F(z)``: where ``z`` is at its lower bound ``w >= 0``, at
its upper bound ``w <= 0``, between them ``w = 0``.

>>> import numpy as np
>>> result = solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
>>> result.status, result.z.round(9).tolist(), result.residual < 1e-12
('solved', [1.333333333, 2.333333333], True)
>>> result = solve_mcp(lambda z: np.exp(z) - 2.0, l=0.0, u=0.5, z0=[0.0])
>>> result.z.tolist(), result.w.round(3).tolist()
([0.5], [-0.351])
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _complementarity

__all__ = ["Ray", "Result", "SolverInfo", "residual", "solve_lcp", "solve_mcp", "solve_mlcp", "solvers"]

Floats: TypeAlias = NDArray[np.float64]
#: Sees ``(k, z)`` after iteration k; a true result stops the solver.
Callback: TypeAlias = Callable[[int, Floats], object]


@dataclass(frozen=True)
class Ray:
    """Where a path of pivots ended: for every ``s >= 0``, ``z + s * direction`` solves the LCP with
    ``q + t + s * rate`` instead of ``q``. For copositive M there is no solution then.
    """

    z: Floats = field(repr=False)
    direction: Floats = field(repr=False)
    t: float
    rate: float


@dataclass(frozen=True)
class Result:
    """What a solver returned, and how good it is.

    ``residual`` is measured by the library, never by the solver: ``max |mid(z - l, w, z - u)|``.
    """

    #: The unknowns.
    z: Floats = field(repr=False)
    #: Their dual: ``M z + q`` or ``F(z)``.
    w: Floats = field(repr=False)
    #: "solved", "no-solution", "ray", "stalled", "iteration-limit", "numerical" or "stopped".
    status: str
    #: The same in a sentence.
    reason: str
    residual: float
    iterations: int
    #: The method that found z.
    solver: str
    seconds: float
    #: A proof that the inequalities cannot hold together: y with ``y · (M z + q) < 0`` for all z
    #: between the bounds, though ``y · w >= 0`` at a solution. ``None`` where there is none.
    certificate: Floats | None = field(default=None, repr=False)
    #: Where Lemke's path ended, for status "ray" of an LCP of at most 2000 unknowns.
    ray: Ray | None = field(default=None, repr=False)

    @property
    def solved(self) -> bool:
        """Whether z is a solution."""
        return self.status == "solved"


@dataclass(frozen=True)
class SolverInfo:
    """A method for linear problems."""

    name: str
    summary: str
    classes: tuple[str, ...]
    settings: dict[str, str]


def solvers() -> dict[str, SolverInfo]:
    """The methods for linear problems by name.

    >>> "lemke" in solvers()
    True
    """
    table = _complementarity.solver_info()
    return {n: SolverInfo(n, text, tuple(c), dict(s)) for n, text, c, s in table}


def _vector(name: str, given: ArrayLike, n: int | None = None) -> Floats:
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from None
    if array.ndim == 0 and n is not None:
        return np.full(n, float(array))
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    if n is not None and len(array) != n:
        raise ValueError(f"{name} has {len(array)} numbers where {n} are needed")
    return array


def _finite(name: str, array: Floats) -> Floats:
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]}; every number must be finite")
    return array


def _bounds(l: ArrayLike | None, u: ArrayLike | None, n: int) -> tuple[Floats, Floats]:
    lower = _vector("l", 0.0 if l is None else l, n)
    upper = _vector("u", np.inf if u is None else u, n)
    bad = np.flatnonzero(~(lower <= upper) | (lower == np.inf) | (upper == -np.inf))
    if len(bad):
        i = bad[0]
        raise ValueError(f"l[{i}] = {lower[i]} and u[{i}] = {upper[i]}: need l <= u, neither NaN")
    return lower, upper


def _matrix(name: str, given: Any, n: int) -> Any:
    """Dense as it is, sparse (scipy) as compressed columns; both checked."""
    if hasattr(given, "tocsc"):
        csc = given.tocsc().copy()
        csc.sum_duplicates()
        if csc.shape != (n, n):
            raise ValueError(f"{name} has shape {csc.shape} where ({n}, {n}) is needed")
        values = np.asarray(csc.data, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            row, column = csc.indices[bad[0]], np.searchsorted(csc.indptr, bad[0], "right") - 1
            raise ValueError(f"{name}[{row}, {column}] is {values[bad[0]]}; must be finite")
        index, start = csc.indices.astype(np.int64), csc.indptr.astype(np.int64)
        return (n, n, values, index, start)
    try:
        dense = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from None
    if dense.shape != (n, n):
        raise ValueError(f"{name} has shape {dense.shape} where ({n}, {n}) is needed")
    bad_places = np.argwhere(~np.isfinite(dense))
    if len(bad_places):
        i, j = bad_places[0]
        raise ValueError(f"{name}[{i}, {j}] is {dense[i, j]}; every number must be finite")
    return dense


def _parts(M: Any, q: ArrayLike, l: ArrayLike | None, u: ArrayLike | None) -> Any:
    b = _finite("q", _vector("q", q))
    if len(b) == 0:
        raise ValueError("q is empty: a problem has at least one unknown")
    a = _matrix("M", M, len(b))
    return (a, b, None if l is None and u is None else _bounds(l, u, len(b)))


_REASONS = {
    "no-solution": "proved that there is no solution",
    "ray": "every path of pivots ended on a ray: for copositive M there is no solution",
    "iteration-limit": "out of iterations",
    "stalled": "no further progress",
    "numerical": "arithmetic broke down",
    "stopped": "stopped by the callback",
}


def _linear(
    parts: Any,
    z0: ArrayLike | None,
    solver: str,
    callback: Callback | None,
    settings: dict[str, Any],
) -> Result:
    start = None if z0 is None else _finite("z0", _vector("z0", z0, len(parts[1])))
    begin = time.perf_counter()
    z, w, status, iterations, name, _, error, (proof, ray) = _complementarity.solve_linear(
        parts, (solver, settings), start, True, callback
    )
    if proof is not None:
        status = "no-solution"
        reason = "the inequalities cannot hold together: see certificate"
    elif status == "solved":
        reason = f"solved by {name}: residual {error:.1e}"
    else:
        reason = f"{_REASONS[status]}: residual {error:.1e} after {iterations} iterations"
    seconds = time.perf_counter() - begin
    end = None if ray is None else Ray(*ray)
    return Result(z, w, status, reason, error, iterations, name, seconds, proof, end)


def solve_lcp(
    M: Any,
    q: ArrayLike,
    z0: ArrayLike | None = None,
    *,
    solver: str = "auto",
    callback: Callback | None = None,
    **settings: Any,
) -> Result:
    """Solves ``0 <= z ⟂ M z + q >= 0``; M as numpy or scipy.sparse.

    ``settings`` are those of the solver, such as ``tolerance`` and ``max_iterations``.

    >>> solve_lcp([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0]).certificate.round(6).tolist()
    [1.0, 1.0]
    """
    return _linear(_parts(M, q, None, None), z0, solver, callback, settings)


def solve_mlcp(
    M: Any,
    q: ArrayLike,
    l: ArrayLike | None = None,
    u: ArrayLike | None = None,
    z0: ArrayLike | None = None,
    *,
    solver: str = "auto",
    callback: Callback | None = None,
    **settings: Any,
) -> Result:
    """Solves ``l <= z <= u ⟂ M z + q``; a free unknown has infinite bounds.

    >>> solve_mlcp([[1.0]], [-3.0], -1.0, 1.0).z.tolist()
    [1.0]
    """
    lower = 0.0 if l is None else l
    return _linear(_parts(M, q, lower, u), z0, solver, callback, settings)


def solve_mcp(
    F: Callable[[Floats], ArrayLike],
    J: Callable[[Floats], Any] | Literal["jax"] | None = None,
    l: ArrayLike | None = None,
    u: ArrayLike | None = None,
    z0: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 100,
    restarts: int = 12,
    seed: int = 1,
    callback: Callback | None = None,
) -> Result:
    """Solves ``l <= z <= u ⟂ F(z)`` from z0.

    J gives the Jacobian, numpy or scipy.sparse; without it differences are taken, and with "jax" F is
    differentiated by JAX. Without bounds ``z >= 0``; ``l=-numpy.inf`` makes an equation.

    >>> result = solve_mcp(lambda z: [z[0] ** 2 - z[1], z[0] + z[1] - 2], l=-np.inf, z0=[3, 1])
    >>> result.z.round(9).tolist()
    [1.0, 1.0]
    """
    if z0 is None:
        raise ValueError("z0 is needed: it says how many unknowns there are")
    start = _finite("z0", _vector("z0", z0))
    n = len(start)
    if n == 0:
        raise ValueError("z0 is empty: a problem has at least one unknown")
    if not (0.0 < tolerance < 1.0):
        raise ValueError(f"tolerance = {tolerance}, but it must be in (0, 1)")
    limits = {"max_iterations": max_iterations, "restarts": restarts, "seed": seed}
    for name, value in limits.items():
        if isinstance(value, bool) or int(value) != value or value < 0:
            raise ValueError(f"{name} = {value}, but it must be a whole number >= 0")
    if J == "jax":
        J = _by_jax(F)
    elif isinstance(J, str):
        raise ValueError(f'J = "{J}", but it must be a function, "jax" or None')
    jacobian = J
    begin = time.perf_counter()
    z, f, status, reason, iterations, _, _, error = _complementarity.solve_nonlinear(
        (
            lambda x: _vector("F(z)", F(x), n),
            None if jacobian is None else lambda x: _jacobian(jacobian(x), n),
        ),
        _bounds(l, u, n),
        start,
        (tolerance, int(max_iterations), int(restarts), int(seed)),
        callback,
    )
    seconds = time.perf_counter() - begin
    return Result(z, f, status, reason, error, iterations, "josephy-newton", seconds)


def _jacobian(given: Any, n: int) -> Any:
    if hasattr(given, "tocsc"):
        csc = given.tocsc()
        csc.sum_duplicates()
        values = np.asarray(csc.data, dtype=np.float64)
        rows, columns = csc.shape
        return (rows, columns, values, csc.indices.astype(np.int64), csc.indptr.astype(np.int64))
    dense = np.array(given, dtype=np.float64)
    if dense.shape != (n, n):
        raise ValueError(f"J(z) has shape {dense.shape} where ({n}, {n}) is needed")
    return dense


def _by_jax(F: Callable[[Any], Any]) -> Callable[[Floats], Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    jacobian: Callable[[Floats], Any] = jax.jit(jax.jacfwd(F))
    return jacobian


def residual(
    M: Any, q: ArrayLike, z: ArrayLike, l: ArrayLike | None = None, u: ArrayLike | None = None
) -> float:
    """``max |mid(z - l, M z + q, z - u)|``: zero at solutions only.

    >>> residual([[2.0]], [-4.0], [2.0])
    0.0
    """
    parts = _parts(M, q, l, u)
    return _complementarity.residual(parts, _vector("z", z, len(parts[1])), 1e-8)[0]
