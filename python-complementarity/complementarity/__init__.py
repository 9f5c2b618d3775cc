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

from ._complementarity import ProblemError, SettingsError, SolveError
from ._linear import (
    Problem,
    Ray,
    Result,
    SolverInfo,
    load,
    metrics,
    residual,
    save,
    solve_lcp,
    solve_mlcp,
    solvers,
)
from ._nonlinear import solve_mcp

__all__ = [
    "Problem",
    "ProblemError",
    "Ray",
    "Result",
    "SettingsError",
    "SolveError",
    "SolverInfo",
    "load",
    "metrics",
    "residual",
    "save",
    "solve_lcp",
    "solve_mcp",
    "solve_mlcp",
    "solvers",
]
