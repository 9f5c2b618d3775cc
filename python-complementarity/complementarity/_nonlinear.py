"""Nonlinear problems."""

from __future__ import annotations

import time
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _complementarity, _given
from ._complementarity import ProblemError, SettingsError
from ._given import Floats
from ._linear import Callback, Result


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
        raise ProblemError("z0 is needed: it says how many unknowns there are")
    start = _given.finite("z0", _given.vector("z0", z0))
    n = len(start)
    if n == 0:
        raise ProblemError("z0 is empty: a problem has at least one unknown")
    if not isinstance(tolerance, Real) or not 0.0 < tolerance < 1.0:
        raise SettingsError(f"tolerance = {tolerance}, but it must be in (0, 1)")
    limits = {"max_iterations": max_iterations, "restarts": restarts, "seed": seed}
    for name, value in limits.items():
        whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole or not 0 <= value < 2**63:
            raise SettingsError(f"{name} = {value}, but it must be a whole number >= 0, below 2**63")
    if isinstance(J, str) and J == "jax":
        J = _by_jax(F)
    _given.call_back(callback)
    if not callable(F):
        raise SettingsError(f"F must be a function, not {type(F).__name__}")
    if not (J is None or callable(J)):
        given = f'"{J}"' if isinstance(J, str) else type(J).__name__
        raise SettingsError(f'J = {given}, but it must be a function, "jax" or None')
    jacobian = J
    begin = time.perf_counter()
    z, f, status, reason, iterations, _, _, error = _complementarity.solve_nonlinear(
        (
            lambda x: _given.values_of("F(z)", F(x), n),
            None if jacobian is None else lambda x: _given.jacobian(jacobian(x), n),
        ),
        _given.bounds(l, u, n),
        start,
        (tolerance, int(max_iterations), int(restarts), int(seed)),
        callback,
    )
    seconds = time.perf_counter() - begin
    return Result(z, f, status, reason, error, iterations, "josephy-newton", seconds)


def _by_jax(F: Callable[[Any], Any]) -> Callable[[Floats], Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    jacobian: Callable[[Floats], Any] = jax.jit(jax.jacfwd(F))
    return jacobian
