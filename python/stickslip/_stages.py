"""Stages written in Python: what the user's functions get, and what they give back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import lcp
from .errors import FormulateError, SettingsError

if TYPE_CHECKING:
    from complementarity._complementarity import Parts

    from .lcp import Floats
    from .simulator import Simulator

F = TypeVar("F")


def callable_or_none(name: str, f: F | None) -> F | None:
    """Refuses what cannot be called."""
    if f is not None and not callable(f):
        raise SettingsError(f"{name} = {f!r}, but it must be a function or None")
    return f


def _function(name: str, method: str, stage: Any) -> Callable[..., Any]:
    f = getattr(stage, method, stage)
    if not callable(f):
        raise SettingsError(
            f"{name} = {stage!r}, but it must be a name, a function, or an object with {method}()"
        )
    found: Callable[..., Any] = f
    return found


def _detector(stage: Any) -> Callable[..., Any]:
    f = _function("detector", "detect", stage)

    def detect(sim: Simulator) -> Floats:
        return sim._table(f(sim))

    return detect


def _pushed(sim: Simulator, contacts: Any, b: Any) -> Callable[[Floats], Floats]:
    """The velocities after normal impulses: what a formulation that says nothing else means."""
    if np.shape(b) != (len(contacts),):
        raise FormulateError(
            f"a formulation that returns no velocity has one unknown per contact, "
            f"but there are {len(contacts)} contacts and b has the shape {np.shape(b)}"
        )
    J, _ = sim.jacobian(contacts)
    free, response = sim.free_velocity(), np.linalg.solve(sim.mass_matrix(), J.T)

    def velocity(z: Floats) -> Floats:
        out: Floats = free + response @ z
        return out

    return velocity


def _formulation(stage: Any) -> Callable[..., Any]:
    f = _function("formulation", "formulate", stage)

    def formulate(sim: Simulator, table: Floats) -> tuple[Parts, Callable[[Floats], Floats]]:
        contacts = sim._contacts(table)
        out = f(sim, contacts)
        if isinstance(out, tuple) and len(out) in (2, 4) and not callable(out[-1]):
            out = (*out, _pushed(sim, contacts, out[1]))
        if not isinstance(out, tuple) or len(out) not in (3, 5) or not callable(out[-1]):
            raise FormulateError(
                "a formulation returns (A, b, velocity) or (A, b, l, u, velocity), "
                "where velocity(z) gives the velocities at the end of the step; without it z "
                "are the normal impulses of the contacts"
            )
        *parts, velocity = out
        A, b, *bounds = parts
        problem = lcp.Problem(A, b, *bounds)._parts

        def end(z: Floats) -> Floats:
            return np.ascontiguousarray(velocity(z), dtype=np.float64)

        return problem, end

    return formulate


def _solver(stage: Any) -> Callable[..., Any]:
    f = _function("solver", "solve", stage)

    def solve(parts: Parts, z0: Floats) -> tuple[Floats, int]:
        return lcp.call_solver(f, lcp.Problem._of(parts), z0)

    return solve


#: In the order in which the engine wants them.
WRAPPERS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "detector": _detector,
    "formulation": _formulation,
    "solver": _solver,
}
