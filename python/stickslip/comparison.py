"""Many solvers on the same problems, judged by the same measure."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import lcp
from .errors import StickslipError
from .lcp import Problem, SolverFunction

#: What can be compared: problems, or files of them, by themselves or under a name.
Problems = Problem | str | os.PathLike[str]


@dataclass(frozen=True)
class Comparison:
    """The results: one dictionary per problem and solver.

    The keys are those of ``stickslip compare --json``: problem, class, size, contacts, solver,
    status, solved, error, iterations, seconds.

    >>> import stickslip as ss
    >>> print(ss.compare(ss.lcp.Problem([[2.0]], [-4.0]), ["lemke"]).results[0]["status"])
    solved
    """

    tolerance: float
    metric: str
    results: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """As ``stickslip compare --json`` prints it.

        >>> import stickslip as ss
        >>> sorted(ss.compare(ss.lcp.Problem([[2.0]], [-4.0]), ["lemke"]).to_dict())
        ['metric', 'results', 'tolerance']
        """
        return {"tolerance": self.tolerance, "metric": self.metric, "results": self.results}

    def to_pandas(self) -> Any:
        """As a pandas table.

        >>> import stickslip as ss
        >>> ss.compare(ss.lcp.Problem([[2.0]], [-4.0]), ["lemke", "pgs"]).to_pandas().shape
        (2, 10)
        """
        import pandas as pd

        return pd.DataFrame(self.results)

    def solved(self) -> dict[str, int]:
        """How many problems each solver solved.

        >>> import stickslip as ss
        >>> ss.compare(ss.lcp.Problem([[2.0]], [-4.0]), ["lemke", "pgs"]).solved()
        {'lemke': 1, 'pgs': 1}
        """
        out: dict[str, int] = {}
        for row in self.results:
            out[row["solver"]] = out.get(row["solver"], 0) + row["solved"]
        return out

    def __str__(self) -> str:
        head = f"{'problem':16} {'solver':18} {'status':16} {'iterations':>10} {'error':>9} {'ms':>9}"
        lines = [head]
        for row in self.results:
            lines.append(
                f"{row['problem']:16} {row['solver']:18} {row['status']:16} "
                f"{row['iterations']:10} {row['error']:9.1e} {1e3 * row['seconds']:9.3f}"
            )
        return "\n".join(lines)


def compare(
    problems: Problems | Iterable[Problems] | Mapping[str, Problems],
    solvers: Iterable[str | SolverFunction] | None = None,
    *,
    tolerance: float = 1e-8,
    metric: str = "natural",
    **options: float | bool | str,
) -> Comparison:
    """Runs every solver on every problem that it takes, with the same tolerance.

    ``problems`` are those of `Simulator.problem`, or files; ``solvers`` are names or functions
    ``f(A, b, z0) -> z`` (default: all that are built in, but the one that tries every basis).
    A problem counts as solved when its natural residual is below the tolerance (or below the
    rounding error of A z + b), whatever the solver says and whatever ``metric`` the column
    ``error`` shows. The other keywords go to the solvers that know them.

    >>> import numpy as np
    >>> problem = Problem(np.eye(2), [-1.0, 2.0])
    >>> compare(problem, ["lemke", lambda A, b, z0: np.maximum(0, -b)]).solved()
    {'lemke': 1, '<lambda>': 1}
    """
    results = []
    for name, problem in _named(problems):
        for solver in _chosen(problem, solvers):
            results.append({**_describe(name, problem), **_run(problem, solver, tolerance, metric, options)})
    return Comparison(tolerance, metric, results)


def _named(problems: Any) -> list[tuple[str, Problem]]:
    if isinstance(problems, (Problem, str, os.PathLike)):
        problems = [problems]
    pairs = problems.items() if isinstance(problems, Mapping) else enumerate(problems, 1)
    out = []
    for key, value in pairs:
        if isinstance(value, Problem):
            out.append((str(key) if isinstance(key, str) else f"problem-{key}", value))
        else:
            path = os.fspath(value)
            out.append((key if isinstance(key, str) else os.path.basename(path), lcp.load(path)))
    return out


def _chosen(
    problem: Problem, solvers: Iterable[str | SolverFunction] | None
) -> list[str | SolverFunction]:
    fitting = lcp.solvers(problem.kind)
    if solvers is None:
        return [name for name in fitting if name != "enumerate"]
    every = lcp.solvers()
    return [s for s in solvers if not isinstance(s, str) or s in fitting or s not in every]


def _describe(name: str, problem: Problem) -> dict[str, Any]:
    size, contacts = len(problem), problem.contacts
    return {"problem": name, "class": problem.kind, "size": size, "contacts": contacts}


def _run(
    problem: Problem,
    solver: str | SolverFunction,
    tolerance: float,
    metric: str,
    options: dict[str, float | bool | str],
) -> dict[str, Any]:
    given: dict[str, float | bool | str] = {}
    if isinstance(solver, str):
        known = lcp.solvers()
        allowed = known[solver].settings if solver in known else {}
        wanted: dict[str, float | bool | str] = {"tolerance": tolerance, **options}
        given = {k: v for k, v in wanted.items() if k in allowed}
    name = solver if isinstance(solver, str) else getattr(solver, "__name__", type(solver).__name__)
    try:
        result = problem.solve(solver, None, None, **given)
    except StickslipError as why:
        if isinstance(solver, str) and solver not in lcp.solvers():
            raise
        missing = {"status": f"failed: {why}", "solved": False, "error": math.inf}
        return {"solver": name, **missing, "iterations": 0, "seconds": 0.0}
    error = problem.residual(result.z, metric)
    return {
        "solver": name,
        "status": result.status,
        "solved": problem.is_solved(result.z, tolerance),
        "error": error,
        "iterations": result.iterations,
        "seconds": result.seconds,
    }
