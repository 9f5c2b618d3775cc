"""What a run leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._render import Filmed
from .errors import ModelError, UnknownBodyError

if TYPE_CHECKING:
    from .handle import BodyHandle

Floats: TypeAlias = NDArray[np.float64]

_QUANTITIES = ("position", "orientation", "velocity", "angular_velocity")
_SCALARS = (
    "time", "energy", "contacts", "unknowns", "iterations", "residual", "failures", "seconds",
)  # fmt: skip


class BodyLog:
    """The path of one body: one row per sample.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(step=0.1)
    >>> ball = sim.add(ss.Body.sphere(1, velocity=(3, 0, 0)))
    >>> path = sim.run(1.0)[ball]
    >>> path.position.shape, path["velocity.x"][-1].item()
    ((11, 3), 3.0)
    """

    def __init__(self, log: Log, index: int, name: str) -> None:
        self._log, self._index = log, index
        #: Name of the body.
        self.name = name

    @property
    def time(self) -> Floats:
        """Time [s]."""
        return self._log.time

    @property
    def position(self) -> Floats:
        """Position of the centre of mass [m]."""
        return self._quantity("position")

    @property
    def orientation(self) -> Floats:
        """Quaternion (w, x, y, z); in 2D the angle [rad]."""
        return self._quantity("orientation")

    @property
    def velocity(self) -> Floats:
        """Velocity [m/s]."""
        return self._quantity("velocity")

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity [rad/s]; in 2D one number."""
        return self._quantity("angular_velocity")

    def _quantity(self, name: str) -> Floats:
        found = self._log._quantity(name)[:, self._index, :]
        return found[:, 0] if found.shape[1] == 1 else found

    def __getitem__(self, what: str) -> Floats:
        """``"position"``, ``"position.z"``, ``"speed"``, ``"angle"``, ..."""
        name, _, part = what.partition(".")
        if name == "speed":
            speed: Floats = np.linalg.norm(self.velocity, axis=1)
            return speed
        if name == "angle":
            name = "orientation"
        if name not in _QUANTITIES:
            known = ", ".join((*_QUANTITIES, "speed", "angle"))
            raise ModelError(f"a body has no {name!r}; there are: {known}")
        values = self._quantity(name)
        if not part:
            return values
        parts = _components(name, values)
        if part not in parts:
            raise ModelError(f"{name} has no part {part!r}; there are: {', '.join(parts)}")
        return values[:, parts.index(part)] if values.ndim == 2 else values


def _components(name: str, values: Floats) -> list[str]:
    if values.ndim == 1:
        return ["z"]
    return list("wxyz" if name == "orientation" else "xyz"[: values.shape[1]])


class Log(Filmed):
    """The samples of a run: the state at its start, and after every step.

    ``log[body]`` is the path of one body, by handle or name; the scalars ``time``, ``energy``,
    ``contacts``, ``unknowns``, ``iterations``, ``residual``, ``failures`` and ``seconds`` are
    arrays with one number per sample. ``summary`` is what ``stickslip run --json`` prints.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(step=0.1)
    >>> ball = sim.add(ss.Body.sphere(1, velocity=(1, 0, 0)))
    >>> log = sim.run(1.0)
    >>> len(log), round(float(log[ball].position[-1, 0]), 12)
    (11, 1.0)
    """

    def __init__(self, inner: _core.Log, names: list[str]) -> None:
        self._inner: _core.Log | None = inner
        self._names = {name: k for k, name in enumerate(names)}
        self._arrays: dict[str, Floats] = {}
        #: Diagnostics of the run as a dictionary.
        self.summary: dict[str, Any] = {}

    @classmethod
    def _of_recording(cls, names: list[str], arrays: dict[str, Floats]) -> Log:
        log = cls.__new__(cls)
        log._inner, log._arrays, log.summary = None, arrays, {}
        log._names = {name: k for k, name in enumerate(names)}
        return log

    def __len__(self) -> int:
        return len(self._inner) if self._inner is not None else len(self._arrays["scalars"])

    def _freeze(self) -> None:
        """The run is over: the arrays are final and Python's alone."""
        if self._inner is None:
            return
        for name in (*_QUANTITIES, "scalars"):
            self._arrays[name] = self._fetch(name)
        self._inner = None

    def _fetch(self, name: str) -> Floats:
        if self._inner is None:
            return self._arrays[name]
        if name == "scalars":
            return self._inner.scalars()
        flat = self._inner.quantity(name)
        n = len(self._names)
        return flat.reshape(len(flat), n, flat.shape[1] // n if n else 0)

    def _quantity(self, name: str) -> Floats:
        return self._fetch(name)

    def __getattr__(self, name: str) -> Floats:
        if name in _SCALARS:
            return self._fetch("scalars")[:, _SCALARS.index(name)]
        raise AttributeError(f"a log has no {name!r}")

    if TYPE_CHECKING:
        time: Floats
        energy: Floats
        contacts: Floats
        unknowns: Floats
        iterations: Floats
        residual: Floats
        failures: Floats
        seconds: Floats

    @property
    def bodies(self) -> list[str]:
        """The names of the bodies."""
        return list(self._names)

    def __getitem__(self, body: BodyHandle | str) -> BodyLog:
        name = str(getattr(body, "name", body))
        if name not in self._names:
            raise UnknownBodyError(f"no body is named {name!r} in this log")
        return BodyLog(self, self._names[name], name)

    def __getstate__(self) -> dict[str, Any]:
        arrays = {name: self._fetch(name) for name in (*_QUANTITIES, "scalars")}
        return {"_inner": None, "_names": self._names, "_arrays": arrays, "summary": self.summary}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        t = self.time
        return f"<log of {len(self._names)} bodies, {len(t)} samples up to t = {t[-1]:g} s>"

    def _samples(self) -> tuple[Floats, list[Floats]]:
        flat = [self._quantity(name).reshape(len(self), -1) for name in _QUANTITIES]
        return np.ascontiguousarray(self.time), [np.ascontiguousarray(x) for x in flat]

    def plot(
        self,
        body: BodyHandle | str | None = None,
        what: str = "position",
        ax: Any = None,
        **style: Any,
    ) -> Any:
        """Plots a quantity over time and returns the matplotlib axes.

        ``what`` is a quantity of a body (``"position.z"``, ``"velocity"``, ``"speed"``) or,
        without a body, one of the log's scalars (``"energy"``).

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> log = sim.run(1.0)
        >>> axes = log.plot(ball, "position.z")
        >>> axes.get_ylabel()
        'position.z [m]'
        """
        import matplotlib.pyplot as plt

        axes = plt.subplots()[1] if ax is None else ax
        if body is None:
            if what not in _SCALARS:
                raise ModelError(f"a log has no {what!r}; there are: {', '.join(_SCALARS)}")
            axes.plot(self.time, getattr(self, what), **{"label": what, **style})
        else:
            path = self[body]
            values = path[what]
            labels = [f"{path.name} {what}"]
            if values.ndim == 2:
                labels = [f"{path.name} {what}.{part}" for part in _components(what, values)]
            for label, column in zip(labels, values.reshape(len(values), -1).T):
                axes.plot(self.time, column, **{"label": label, **style})
        axes.set_xlabel("time [s]")
        axes.set_ylabel(f"{what}{_unit(what)}")
        axes.legend()
        return axes

    def to_pandas(self) -> Any:
        """A pandas table indexed by time; columns are pairs of body and quantity.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> table = sim.run(1.0).to_pandas()
        >>> table["ball", "velocity.z"].iloc[-1].round(9).item()
        -10.0
        """
        import pandas as pd

        columns: dict[tuple[str, str], Floats] = {}
        for name in self._names:
            for quantity in _QUANTITIES:
                values = self[name][quantity]
                if values.ndim == 1:
                    columns[name, quantity] = values
                else:
                    for part in _components(quantity, values):
                        columns[name, f"{quantity}.{part}"] = self[name][f"{quantity}.{part}"]
        frame = pd.DataFrame(columns, index=pd.Index(self.time, name="time"))
        if columns:
            frame.columns = pd.MultiIndex.from_tuples(list(columns), names=["body", "quantity"])
        return frame


def _unit(what: str) -> str:
    units = {
        "position": "m", "velocity": "m/s", "speed": "m/s", "angular_velocity": "rad/s",
        "energy": "J", "angle": "rad", "seconds": "s",
    }  # fmt: skip
    unit = units.get(what.partition(".")[0])
    return f" [{unit}]" if unit else ""
