"""Linear problems and friction cones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _complementarity, _given
from ._complementarity import ProblemError, SettingsError, SolveError
from ._given import Cone, Floats

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
    #: How many methods were tried before it.
    fallbacks: int = 0
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
    """A method for linear problems.

    >>> solvers()["lemke"].classes
    ('lcp', 'mlcp')
    """

    name: str
    summary: str
    classes: tuple[str, ...]
    settings: dict[str, str]


def solvers(kind: str | None = None) -> dict[str, SolverInfo]:
    """The methods by name, or those that take problems of a kind ("lcp", "mlcp", "cone").

    >>> "lemke" in solvers("lcp")
    True
    """
    table = _complementarity.solver_info()
    every = {n: SolverInfo(n, text, tuple(c), dict(s)) for n, text, c, s in table}
    return {name: info for name, info in every.items() if kind is None or kind in info.classes}


def metrics() -> list[str]:
    """The names of the error measures.

    >>> "natural" in metrics()
    True
    """
    return _complementarity.metrics()


Array = TypeVar("Array", bound=np.ndarray[Any, Any])


def _fixed(array: Array) -> Array:
    array.flags.writeable = False
    return array


_REASONS = {
    "no-solution": "proved that there is no solution",
    "ray": "every path of pivots ended on a ray: for copositive M there is no solution",
    "iteration-limit": "out of iterations",
    "stalled": "no further progress",
    "numerical": "arithmetic broke down",
    "stopped": "stopped by the callback",
}


class Problem:
    """``l <= z <= u ⟂ w = M z + q``, checked; without bounds ``0 <= z ⟂ w >= 0``.

    M is a matrix, one of scipy.sparse, or ``(n, values, row indices, column starts)``. ``cones`` makes
    rows those of contacts with friction cones: (first row, end, friction[, rolling friction]) of each.
    A problem unpacks into its parts, which are arrays that cannot be written to.

    >>> M, q, l, u = Problem(np.eye(2), [-1, 1])
    >>> u.tolist()
    [inf, inf]
    >>> Problem(np.eye(2), [-1, 1]).solve("lemke").z.tolist()
    [1.0, 0.0]
    """

    #: What errors call M and q.
    _names: ClassVar[tuple[str, str]] = ("M", "q")

    def __init__(
        self,
        M: Any,
        q: ArrayLike,
        l: ArrayLike | None = None,
        u: ArrayLike | None = None,
        cones: Sequence[Cone] | None = None,
    ) -> None:
        of_matrix, of_constant = self._names
        b = _given.finite(of_constant, _given.vector(of_constant, q))
        a = _given.matrix(of_matrix, M, len(b))
        bounds = None if l is None and u is None else _given.bounds(l, u, len(b))
        self._take((a, b, bounds, None if cones is None else _given.cones(cones), []))

    def _take(self, parts: _complementarity.Parts) -> None:
        self._parts = parts
        # "lcp", "mlcp" or "cone"; unknowns; how many contacts it has, where it says
        self.kind, self._size, self.contacts = _complementarity.describe(parts)

    @classmethod
    def _of(cls, parts: _complementarity.Parts) -> Self:
        """From what the extension modules hand out."""
        problem = cls.__new__(cls)
        problem._take(parts)
        return problem

    @cached_property
    def M(self) -> Floats:
        """The matrix, dense."""
        return _fixed(_complementarity.dense(self._parts))

    @cached_property
    def csc(self) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
        """The matrix as (data, indices, indptr), as ``scipy.sparse.csc_matrix`` takes them."""
        _, _, data, indices, indptr = _complementarity.sparse(self._parts)
        return _fixed(data), _fixed(indices), _fixed(indptr)

    @cached_property
    def q(self) -> Floats:
        """The constant."""
        return _fixed(self._parts[1].view())

    @cached_property
    def _bounds(self) -> tuple[Floats, Floats]:
        lower, upper = _complementarity.bounds(self._parts)
        return _fixed(lower), _fixed(upper)

    @property
    def l(self) -> Floats:  # noqa: E743
        """Lower bounds."""
        return self._bounds[0]

    @property
    def u(self) -> Floats:
        """Upper bounds."""
        return self._bounds[1]

    @property
    def cones(self) -> list[tuple[int, int, float, float]]:
        """First row, end, friction and rolling friction of each contact of a cone problem."""
        return list(self._parts[3] or [])

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Floats]:
        return iter((self.M, self.q, self.l, self.u))

    def __reduce__(self) -> tuple[Any, ...]:
        return (self._of, (self._parts,))

    def __repr__(self) -> str:
        return f"<{self.kind} problem with {len(self)} unknowns>"

    def solve(
        self,
        solver: str = "auto",
        z0: ArrayLike | None = None,
        callback: Callback | None = None,
        certificate: bool = True,
        **settings: Any,
    ) -> Result:
        """Solves it; where that fails it looks for a proof that it must, unless ``certificate`` is false.

        >>> Problem([[2.0]], [-4.0]).solve("pgs", max_iterations=50).z.tolist()
        [2.0]
        """
        if not isinstance(solver, str):
            raise SettingsError(f"solver must be the name of a method, not {type(solver).__name__}")
        _given.call_back(callback)
        if len(self) == 0:
            raise ProblemError(f"{self._names[1]} is empty: a problem has at least one unknown")
        start = None
        if z0 is not None:
            try:
                start = _given.finite("z0", _given.vector("z0", z0, len(self)))
            except ProblemError as wrong:
                raise SolveError(str(wrong)) from None
        z, w, told, error, close, seconds, (proof, ray) = _complementarity.solve(
            self._parts, (solver, settings, bool(certificate)), start, callback
        )
        status, iterations, name, fallbacks = told
        if status == "solved" and not close:
            status = "stalled"
            reason = f"{name} ended where the residual is {error:.1e}"
        elif proof is not None:
            status = "no-solution"
            reason = "the inequalities cannot hold together: see certificate"
        elif status == "solved":
            reason = f"solved by {name}: residual {error:.1e}"
        else:
            reason = f"{_REASONS[status]}: residual {error:.1e} after {iterations} iterations"
        end = None if ray is None else Ray(*ray)
        return Result(z, w, status, reason, error, iterations, name, seconds, fallbacks, proof, end)

    def residual(self, z: ArrayLike, metric: str = "natural") -> float:
        """The error of ``z``, zero at solutions only; see `metrics`.

        >>> Problem([[2.0]], [-4.0]).residual([0.0])
        4.0
        """
        return _complementarity.residual(self._parts, _given.vector("z", z), metric, 0.0)[0]

    def is_solved(self, z: ArrayLike, tolerance: float = 1e-8) -> bool:
        """Whether ``z`` counts as a solution: its residual is below the tolerance, or below the rounding
        error of M z + q.

        >>> Problem([[2.0]], [-4.0]).is_solved([2.0])
        True
        """
        return _complementarity.residual(self._parts, _given.vector("z", z), "natural", tolerance)[1]


def load(path: str | os.PathLike[str]) -> Problem:
    """Reads a problem from a file (.npz, .dat, .mtx).

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.npz")
    >>> save(Problem([[2.0]], [-4.0]), path)
    >>> load(path).q.tolist()
    [-4.0]
    """
    return Problem._of(_complementarity.load(os.fspath(path)))


def save(problem: Problem, path: str | os.PathLike[str]) -> None:
    """Writes a problem to a file; its extension says how (.npz, .dat, .mtx).

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "lcp.dat")
    >>> save(Problem([[2.0]], [-4.0]), path)
    >>> load(path).M.tolist()
    [[2.0]]
    """
    _complementarity.save(os.fspath(path), problem._parts)


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
    return Problem(M, q).solve(solver, z0, callback, **settings)


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
    return Problem(M, q, lower, u).solve(solver, z0, callback, **settings)


def residual(
    M: Any, q: ArrayLike, z: ArrayLike, l: ArrayLike | None = None, u: ArrayLike | None = None
) -> float:
    """``max |mid(z - l, M z + q, z - u)|``: zero at solutions only.

    >>> residual([[2.0]], [-4.0], [2.0])
    0.0
    """
    return Problem(M, q, l, u).residual(z)
