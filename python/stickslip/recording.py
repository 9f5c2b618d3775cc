"""Recordings on disk."""

from __future__ import annotations

import os
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from .log import Log
from .view import View

Floats: TypeAlias = NDArray[np.float64]


class Recording(Log):
    """A run that was recorded to an HDF5 file; used as a `Log`.

    ``series`` has every scalar of the file by name, NaN where it was not measured.

    >>> import stickslip as ss, tempfile, os
    >>> sim = ss.Simulator()
    >>> ball = sim.add(ss.Body.sphere(1, name="ball"))
    >>> path = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> log = sim.run(0.5, record=path)
    >>> "energy" in ss.load(path).series
    True
    """

    #: Name of the scene.
    scene: str
    #: Scalars by name: ``"energy"``, ``"momentum.x"``, ``"penetration"``, ...
    series: dict[str, Floats]
    _path: str

    def _film(self, path: str, how: _core._Look) -> None:
        _core.recording_film(self._path, path, how)

    def view(self) -> View:
        """The run in the browser, with its contacts.

        >>> import stickslip as ss, tempfile, os
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(1, name="ball"))
        >>> path = os.path.join(tempfile.mkdtemp(), "run.h5")
        >>> log = sim.run(0.1, record=path)
        >>> ss.load(path).view()  # doctest: +ELLIPSIS
        <view of ... kB>
        """
        return View(_core.recording_html(self._path))


def load(path: str | os.PathLike[str]) -> Recording:
    """Reads a recording: ``log[body].position``, ``log.time``, ``log.plot(...)``.

    >>> import stickslip as ss, tempfile, os
    >>> sim = ss.Simulator()
    >>> ball = sim.add(ss.Body.sphere(1, name="ball"))
    >>> path = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> log = sim.run(0.5, record=path)
    >>> (ss.load(path)["ball"].position == log["ball"].position).all().item()
    True
    """
    (scene, dimension, names), columns, series = _core.load_recording(os.fspath(path))
    time, position, orientation, velocity, spin = columns
    rows, n = len(time), len(names)

    def bodies(flat: Floats, width: int) -> Floats:
        return flat.reshape(rows, n, width)

    arrays = {
        "position": bodies(position, 3)[:, :, :dimension],
        "orientation": bodies(orientation, 4),
        "velocity": bodies(velocity, 3)[:, :, :dimension],
        "angular_velocity": bodies(spin, 3),
    }
    if dimension == 2:
        turn = arrays["orientation"]
        angle = 2.0 * np.arctan2(turn[:, :, 3], turn[:, :, 0])
        arrays["orientation"] = np.unwrap(angle, axis=0)[:, :, None]
        arrays["angular_velocity"] = arrays["angular_velocity"][:, :, 2:]
    scalars = dict(series)
    stages = [scalars[f"time.{s}"] for s in ("detect", "formulate", "solve", "integrate", "stabilize")]
    missing = np.full(rows, np.nan)
    table = [time, scalars["energy"], scalars["contacts"], missing, scalars["iterations"]]
    arrays["scalars"] = np.stack([*table, scalars["residual"], missing, np.sum(stages, axis=0)], axis=1)
    log = Recording._of_recording(names, arrays)
    assert isinstance(log, Recording)
    log.scene, log.series, log._path = scene, scalars, os.fspath(path)
    return log
