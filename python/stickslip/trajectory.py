"""Paths of joint coordinates over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ModelError

Floats: TypeAlias = NDArray[np.float64]


class Trajectory:
    """Positions at given times, interpolated; at rest before the first and after the last.

    ``points`` are pairs of a time [s] and a position, or one position per coordinate. The blend
    is ``"smooth"``, at rest at every point with continuous acceleration (a quintic), or
    ``"linear"``.

    >>> path = Trajectory([(0.0, (0.0, 1.0)), (2.0, (1.0, 3.0))])
    >>> path.position(1.0).tolist(), path.velocity(5.0).tolist()
    ([0.5, 2.0], [0.0, 0.0])
    """

    def __init__(self, points: Sequence[tuple[float, Any]], blend: str = "smooth") -> None:
        if blend not in ("smooth", "linear"):
            raise ModelError(f"blend = {blend!r}, but it must be 'smooth' or 'linear'")
        try:
            ordered = sorted(((float(t), np.atleast_1d(p)) for t, p in points), key=lambda p: p[0])
            self.times: Floats = np.array([t for t, _ in ordered], dtype=float)
            self.positions: Floats = np.array([p for _, p in ordered], dtype=float)
        except (TypeError, ValueError) as error:
            raise ModelError(f"a path is a list of (time, position): {error}") from None
        flat = self.positions.ndim == 2 and len(self.times) > 0
        if not flat or not np.isfinite(self.positions).all() or not np.isfinite(self.times).all():
            raise ModelError("a path needs points of equally many finite numbers")
        if (np.diff(self.times) <= 0).any():
            raise ModelError("a path has two points at one time")
        self.blend = blend

    def __repr__(self) -> str:
        return f"<Trajectory of {len(self.times)} points to {self.times[-1]:g} s, {self.blend}>"

    def _along(self, time: float) -> tuple[Floats, Floats, float, float]:
        k = int(np.searchsorted(self.times, time, side="right"))
        if k == 0 or k == len(self.times):
            at = self.positions[0 if k == 0 else -1]
            return at, np.zeros_like(at), 0.0, 1.0
        span = float(self.times[k] - self.times[k - 1])
        change: Floats = self.positions[k] - self.positions[k - 1]
        return self.positions[k - 1], change, (time - float(self.times[k - 1])) / span, span

    def position(self, time: float) -> Floats:
        """Positions at that time [m or rad].

        >>> Trajectory([(0, 1.0), (1, 3.0)], "linear").position(0.5).tolist()
        [2.0]
        """
        start, change, s, _ = self._along(time)
        part = s if self.blend == "linear" else s**3 * (10 + s * (6 * s - 15))
        return np.asarray(start + change * part)

    def velocity(self, time: float) -> Floats:
        """Velocities at that time [m/s or rad/s].

        >>> Trajectory([(0, 1.0), (1, 3.0)], "linear").velocity(0.5).tolist()
        [2.0]
        """
        _, change, s, span = self._along(time)
        rate = 1.0 if self.blend == "linear" else 30 * s**2 * (1 - s) ** 2
        return np.asarray(change * (rate / span))

    def acceleration(self, time: float) -> Floats:
        """Accelerations at that time [m/s^2 or rad/s^2].

        >>> Trajectory.between(0, 1, 0, 1).acceleration(0.5).round(9).tolist()
        [0.0]
        """
        _, change, s, span = self._along(time)
        rate = 0.0 if self.blend == "linear" else 60 * s * (1 - s) * (1 - 2 * s)
        return np.asarray(change * (rate / span**2))

    @classmethod
    def between(cls, start: ArrayLike, goal: ArrayLike, begin: float, end: float) -> Trajectory:
        """From rest to rest, smoothly.

        >>> Trajectory.between(0, 2, 1, 3).position(2.0).tolist()
        [1.0]
        """
        return cls([(begin, start), (end, goal)])
