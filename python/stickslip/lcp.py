"""Complementarity problems and their solvers, without any bodies.

``l <= z <= u`` and ``w = A z + b``: where ``z`` is at its lower bound ``w >= 0``, at its upper
bound ``w <= 0``, between them ``w = 0``. Without bounds ``0 <= z ⟂ A z + b >= 0``.

This is the package `complementarity`, in the words of the simulator: A and b for M and q, functions as
solvers, files of every format, and this package's exceptions. Nonlinear problems are there.

>>> import numpy as np
>>> result = solve(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0]), solver="lemke")
>>> result.status, result.z.round(12).tolist()
('solved', [1.333333333333, 2.333333333333])
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import complementarity
import numpy as np
from complementarity import SolverInfo, metrics, solvers
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


@contextmanager
def _in_our_words() -> Iterator[None]:
    """Mistakes that the package `complementarity` finds, as exceptions of this one."""
    try:
        yield
    except complementarity.ProblemError as error:
        raise ProblemError(str(error)) from None
    except complementarity.SettingsError as error:
        raise SettingsError(str(error)) from None
    except complementarity.SolveError as error:
        raise SolveError(str(error)) from None


@dataclass(frozen=True)
class Result(complementarity.Result):
    """What a solver returned, and how good it is.

    ``error`` is the residual that the library measures, never the solver; ``solved`` says whether both
    agree that this is a solution, ``reason`` why not.

    >>> result = solve([[2.0]], [-4.0])
    >>> result.solved, result.error, np.asarray(result).tolist()
    (True, 0.0, [2.0])
    """

    @property
    def error(self) -> float:
        """The residual.

        >>> solve([[2.0]], [-4.0]).error
        0.0
        """
        return self.residual

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.z, dtype=dtype, copy=copy)


class Problem(complementarity.Problem):
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

    _names: ClassVar[tuple[str, str]] = ("A", "b")
    _z0: Floats | None = None
    #: The solution that the simulator found, its status, iterations and solver.
    z: Floats | None = None
    status: str | None = None
    iterations: int | None = None
    solver: str | None = None

    def __init__(
        self,
        A: Any,
        b: ArrayLike,
        l: ArrayLike | None = None,
        u: ArrayLike | None = None,
        cones: Sequence[Cone] | None = None,
    ) -> None:
        with _in_our_words():
            super().__init__(A, b, l, u, cones)

    @property
    def A(self) -> Floats:
        """The matrix, dense."""
        return self.M

    @property
    def b(self) -> Floats:
        """The constant."""
        return self.q

    @cached_property
    def _factors(self) -> tuple[Floats, Floats] | None:
        matrix = self._parts[0]
        if not isinstance(matrix, tuple) or len(matrix) != 3:
            return None
        return _dense(matrix[0]), _dense(matrix[1])

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

    def solve(  # type: ignore[override]  # functions are solvers here
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
        if not isinstance(solver, str):
            return self._by_function(solver, z0)
        with _in_our_words():
            return Result(**vars(super().solve(solver, z0, watch, certificate=False, **options)))

    def _by_function(self, solver: SolverFunction, z0: ArrayLike | None) -> Result:
        start = np.zeros(len(self)) if z0 is None else self._start(z0)
        begin = time.perf_counter()
        z, count = call_solver(solver, self, start)
        seconds = time.perf_counter() - begin
        error, w = self.residual(z), self.A @ z + self.b
        status = "solved" if self.is_solved(z) else "unsolved"
        name = getattr(solver, "__name__", type(solver).__name__)
        reason = f"{name} gave a point with the residual {error:.1e}"
        return Result(z, w, status, reason, error, count, name, seconds)

    def _start(self, z0: ArrayLike) -> Floats:
        try:
            start = np.array(z0, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise SolveError(f"z0 must be numbers: {error}") from None
        if start.shape != (len(self),) or not np.isfinite(start).all():
            raise SolveError(f"z0 must be {len(self)} finite numbers, in one dimension")
        return start

    def residual(self, z: ArrayLike, metric: str = "natural") -> float:
        """The error of ``z``; see `metrics`.

        >>> Problem([[2.0]], [-4.0]).residual([0.0])
        4.0
        """
        with _in_our_words():
            return super().residual(z, metric)

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


def _dense(columns: Any) -> Floats:
    """A read-only matrix from compressed columns."""
    rows, count, values, index, start = columns
    matrix = np.zeros((rows, count))
    matrix[index, np.repeat(np.arange(count), np.diff(start))] = values
    matrix.flags.writeable = False
    return matrix


def call_solver(f: SolverFunction, problem: Problem, z0: Floats) -> tuple[Floats, int]:
    """Hands a problem to a function of the user and checks what comes back."""
    f = getattr(f, "solve", f)
    # copies of its own: it may work in place
    given: list[Any] = [problem.A.copy(), problem.b.copy(), z0]
    if problem.kind != "lcp":
        given += [problem.l.copy(), problem.u.copy()]
    if problem.kind == "cone":
        given.append(problem.cones)
    out = f(*given)
    z, count = out if isinstance(out, tuple) else (out, 0)
    try:
        numbers = np.ascontiguousarray(z, dtype=np.float64)
    except (TypeError, ValueError):
        raise SolveError(f"the solver gave {type(z).__name__}, not a vector") from None
    if numbers.shape != (len(problem),):
        text = f"the solver gave the shape {numbers.shape} for {len(problem)} unknowns"
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
    return Problem._of(_core.load_problem(os.fspath(path)))


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
    _core.save_problem(os.fspath(path), problem._parts)
