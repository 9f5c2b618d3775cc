"""Complementarity problems and their solvers, without any bodies.

``l <= z <= u`` and ``w = A z + b``: where ``z`` is at its lower bound ``w >= 0``, at its upper
bound ``w <= 0``, between them ``w = 0``. Without bounds ``0 <= z ⟂ A z + b >= 0``.

>>> import numpy as np
>>> result = solve(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0]), solver="lemke")
>>> result.status, result.z.round(12).tolist()
('solved', [1.333333333333, 2.333333333333])
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import ProblemError, SettingsError, SolveError

Floats: TypeAlias = NDArray[np.float64]
#: A solver of one's own: ``f(A, b, z0) -> z``, with bounds ``f(A, b, z0, l, u) -> z``, with friction
#: cones ``f(A, b, z0, l, u, cones) -> z``; it may return ``(z, iterations)``.
SolverFunction: TypeAlias = Callable[..., Any]
#: Sees ``(k, z)`` after iteration k; a true result stops the solver.
Watch: TypeAlias = Callable[[int, Floats], object]
#: One contact of a cone problem: first row, end, friction, and with 5 rows rolling friction.
Cone: TypeAlias = tuple[int, int, float] | tuple[int, int, float, float]

__all__ = [
    "Problem", "Result", "SolverInfo", "load", "metrics", "residual", "save", "solve", "solvers",
]  # fmt: skip


@dataclass(frozen=True)
class SolverInfo:
    """What there is to know about a solver.

    >>> solvers()["lemke"].classes
    ('lcp', 'mlcp')
    """

    name: str
    summary: str
    classes: tuple[str, ...]
    settings: dict[str, str]


def solvers(kind: str | None = None) -> dict[str, SolverInfo]:
    """All solvers by name, or those that take problems of a kind ("lcp", "mlcp", "cone").

    >>> "lemke" in solvers("lcp")
    True
    """
    table = {
        name: SolverInfo(name, summary, tuple(classes), dict(settings))
        for name, summary, classes, settings in _core.solver_info()
    }
    return {name: info for name, info in table.items() if kind is None or kind in info.classes}


def metrics() -> list[str]:
    """The names of the error measures.

    >>> "natural" in metrics()
    True
    """
    return _core.metrics()


@dataclass(frozen=True)
class Result:
    """What a solver returned, and how good it is.

    ``error`` is measured by the library, never by the solver; ``solved`` says whether both agree
    that this is a solution.

    >>> result = solve([[2.0]], [-4.0])
    >>> result.solved, result.error, np.asarray(result).tolist()
    (True, 0.0, [2.0])
    """

    z: Floats = field(repr=False)
    status: str
    iterations: int
    error: float
    solved: bool
    solver: str
    fallbacks: int
    seconds: float

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.z, dtype=dtype, copy=copy)


Array = TypeVar("Array", bound=np.ndarray[Any, Any])


def _fixed(array: Array) -> Array:
    array.flags.writeable = False
    return array


class Problem:
    """A complementarity problem.

    It unpacks into its parts: ``A, b, l, u = problem``. The arrays are made once and cannot be
    written to.

    >>> A, b, l, u = Problem(np.eye(2), [-1, 1])
    >>> u.tolist()
    [inf, inf]
    >>> problem = Problem(np.eye(2), [-1, 1])
    >>> problem.A is problem.A, problem.A.flags.writeable
    (True, False)
    """

    def __init__(
        self,
        A: Any,
        b: ArrayLike,
        l: ArrayLike | None = None,
        u: ArrayLike | None = None,
        cones: Sequence[Cone] | None = None,
    ) -> None:
        inner = _make(A, b, l, u)
        if cones is not None:
            try:
                rows = [(c[0], c[1], c[2], c[3] if len(c) == 4 else 0.0) for c in cones]
                inner = inner.with_cones(rows)
            except (TypeError, IndexError, OverflowError) as error:
                text = f"cones: each is (first row, end, friction[, rolling friction]): {error}"
                raise ProblemError(text) from None
        self._inner = inner
        self._z0: Floats | None = None
        #: The solution that the simulator found, its status, iterations and solver.
        self.z: Floats | None = None
        self.status: str | None = None
        self.iterations: int | None = None
        self.solver: str | None = None

    @classmethod
    def _of(cls, inner: _core.Problem) -> Problem:
        problem = cls.__new__(cls)
        problem._inner = inner
        problem._z0 = problem.z = problem.status = problem.iterations = problem.solver = None
        return problem

    @property
    def kind(self) -> str:
        """ "lcp", "mlcp" or "cone"."""
        return self._inner.kind

    @cached_property
    def A(self) -> Floats:
        """The matrix, dense."""
        return _fixed(self._inner.a())

    @cached_property
    def csc(self) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
        """The matrix as (data, indices, indptr), as ``scipy.sparse.csc_matrix`` takes them."""
        data, indices, indptr = self._inner.csc()
        return _fixed(data), _fixed(indices), _fixed(indptr)

    @cached_property
    def b(self) -> Floats:
        """The constant."""
        return _fixed(self._inner.b())

    @cached_property
    def _bounds(self) -> tuple[Floats, Floats]:
        lower, upper = self._inner.bounds()
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
        return self._inner.cones()

    @cached_property
    def _factors(self) -> tuple[Floats, Floats] | None:
        factors = self._inner.factors()
        return None if factors is None else (_fixed(factors[0]), _fixed(factors[1]))

    @property
    def jacobian(self) -> Floats | None:
        """J of ``A = J B + D``: what the unknowns see of the velocities; None if not known.

        In the problems of a simulator the velocities are those of bodies of unit mass, so that B
        is J transposed; :meth:`Simulator.jacobian` gives the rows in metres and radians.
        """
        return None if self._factors is None else self._factors[0]

    @property
    def response(self) -> Floats | None:
        """B of ``A = J B + D``: the velocity that each impulse causes; None if not known."""
        return None if self._factors is None else self._factors[1]

    @property
    def z0(self) -> Floats:
        """Where the solver started."""
        return np.zeros(len(self)) if self._z0 is None else self._z0

    def __len__(self) -> int:
        return self._inner.size

    def __iter__(self) -> Iterator[Floats]:
        return iter((self.A, self.b, self.l, self.u))

    def __reduce__(self) -> tuple[Any, ...]:
        bounds = (None, None) if self.kind == "lcp" else (self.l, self.u)
        cones = self.cones if self.kind == "cone" else None
        return (Problem, ((len(self), *self.csc), self.b, *bounds, cones))

    def __repr__(self) -> str:
        return f"<{self.kind} problem with {len(self)} unknowns>"

    def solve(
        self,
        solver: str | SolverFunction = "auto",
        z0: ArrayLike | None = None,
        watch: Watch | None = None,
        **options: float | bool | str,
    ) -> Result:
        """Solves it; see `stickslip.lcp.solve`.

        >>> Problem([[2.0]], [-4.0]).solve("lemke").z.tolist()
        [2.0]
        """
        begin = time.perf_counter()
        if not isinstance(solver, str):
            start = np.zeros(len(self)) if z0 is None else np.array(z0, dtype=np.float64)
            z, count = call_solver(solver, self._inner, start)
            seconds = time.perf_counter() - begin
            error = self.residual(z)
            close = error <= 1e-8 * max(1.0, float(np.abs(self.b).max(initial=0.0)))
            status = "solved" if close else "unsolved"
            name = getattr(solver, "__name__", type(solver).__name__)
            return Result(z, status, count, error, close, name, 0, seconds)
        first = None if z0 is None else np.ascontiguousarray(z0, dtype=np.float64)
        z, status, count, name, fallbacks, error, close = self._inner.solve(
            solver, options, first, watch
        )
        seconds = time.perf_counter() - begin
        done = close and status == "solved"
        return Result(z, status, count, error, done, name, fallbacks, seconds)

    def residual(self, z: ArrayLike, metric: str = "natural") -> float:
        """The error of ``z``; see `metrics`.

        >>> Problem([[2.0]], [-4.0]).residual([0.0])
        4.0
        """
        return self._inner.residual(np.ascontiguousarray(z, dtype=np.float64), metric)

    def iterates(
        self, solver: str = "pgs", z0: ArrayLike | None = None, **options: float | bool | str
    ) -> Floats:
        """Every iterate of a solver, one per row.

        >>> Problem([[2.0, 1.0], [1.0, 2.0]], [-1.0, -1.0]).iterates("pgs")[-1].round(6).tolist()
        [0.333333, 0.333333]
        """
        rows: list[Floats] = []
        self.solve(solver, z0, lambda k, z: rows.append(z), **options)
        return np.array(rows).reshape(len(rows), len(self))


def _make(A: Any, b: ArrayLike, l: ArrayLike | None, u: ArrayLike | None) -> _core.Problem:
    try:
        constant = np.ascontiguousarray(b, dtype=np.float64)
        if constant.ndim != 1:
            raise ProblemError(f"b has the shape {constant.shape}, but it must be a vector")
        bounds = None
        if l is not None or u is not None:
            n = len(constant)
            lower = np.zeros(n) if l is None else np.array(np.broadcast_to(l, n), dtype=np.float64)
            upper = np.full(n, np.inf) if u is None else np.array(
                np.broadcast_to(u, n), dtype=np.float64
            )
            bounds = (lower, upper)
        if hasattr(A, "tocsc"):
            sparse = A.tocsc()
            sparse.sum_duplicates()
            A = (sparse.shape[0], sparse.data, sparse.indices, sparse.indptr)
        if isinstance(A, tuple) and len(A) == 4:
            data = np.ascontiguousarray(A[1], dtype=np.float64)
            indices = np.ascontiguousarray(A[2], dtype=np.int64)
            indptr = np.ascontiguousarray(A[3], dtype=np.int64)
            return _core.Problem.sparse(int(A[0]), (data, indices, indptr), constant, bounds)
        matrix = np.ascontiguousarray(A, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(f"A, b, l and u must be numbers: {error}") from None
    if matrix.ndim != 2:
        raise ProblemError(f"A has the shape {matrix.shape}, but it must be a matrix")
    return _core.Problem.dense(matrix, constant, bounds)


def call_solver(f: SolverFunction, inner: _core.Problem, z0: Floats) -> tuple[Floats, int]:
    """Hands a problem to a function of the user and checks what comes back."""
    f = getattr(f, "solve", f)
    if inner.kind == "lcp":
        out = f(inner.a(), inner.b(), z0)
    elif inner.kind == "mlcp":
        out = f(inner.a(), inner.b(), z0, *inner.bounds())
    else:
        out = f(inner.a(), inner.b(), z0, *inner.bounds(), inner.cones())
    z, count = out if isinstance(out, tuple) else (out, 0)
    try:
        numbers = np.ascontiguousarray(z, dtype=np.float64)
    except (TypeError, ValueError):
        raise SolveError(f"the solver gave {type(z).__name__}, not a vector") from None
    if numbers.shape != (inner.size,):
        text = f"the solver gave the shape {numbers.shape} for {inner.size} unknowns"
        raise SolveError(text)
    return numbers, int(count)


def solve(
    A: Any,
    b: ArrayLike,
    solver: str | SolverFunction = "auto",
    l: ArrayLike | None = None,
    u: ArrayLike | None = None,
    z0: ArrayLike | None = None,
    watch: Watch | None = None,
    cones: Sequence[Cone] | None = None,
    **options: float | bool | str,
) -> Result:
    """Solves ``l <= z <= u ⟂ A z + b`` (without bounds ``0 <= z ⟂ A z + b >= 0``).

    ``A`` is a matrix, a scipy sparse matrix, or ``(rows, data, indices, indptr)`` by columns.
    ``solver`` is a name (see `solvers`) or a function ``f(A, b, z0) -> z``. ``watch(k, z)`` sees
    every iterate and stops the solver by returning something true. ``cones`` makes rows those of
    contacts with friction cones. The other keywords are settings of the solver.

    >>> solve([[2.0]], [-4.0], solver="pgs", max_iterations=50).z.tolist()
    [2.0]
    """
    return Problem(A, b, l, u, cones).solve(solver, z0, watch, **options)


def residual(
    A: Any,
    b: ArrayLike,
    z: ArrayLike,
    metric: str = "natural",
    l: ArrayLike | None = None,
    u: ArrayLike | None = None,
) -> float:
    """How far ``z`` is from solving the problem; zero for a solution.

    >>> residual([[1.0]], [-1.0], [1.0])
    0.0
    """
    return Problem(A, b, l, u).residual(z, metric)


def load(path: str | os.PathLike[str]) -> Problem:
    """Reads a problem from a file (.npz, .dat, .mtx, .h5, FCLIB .hdf5).

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.npz")
    >>> save(Problem([[2.0]], [-4.0]), path)
    >>> load(path).b.tolist()
    [-4.0]
    """
    return Problem._of(_core.Problem.load(os.fspath(path)))


def save(problem: Problem, path: str | os.PathLike[str]) -> None:
    """Writes a problem to a file; its extension says how (.npz, .dat, .mtx, .h5, FCLIB .hdf5).

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "lcp.dat")
    >>> save(Problem([[2.0]], [-4.0]), path)
    >>> load(path).A.tolist()
    [[2.0]]
    """
    if not isinstance(problem, Problem):
        raise SettingsError("save takes a stickslip.lcp.Problem first")
    problem._inner.save(os.fspath(path))
