"""Sensors that the file of a robot gives it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core

if TYPE_CHECKING:
    from .simulator import Simulator

Floats: TypeAlias = NDArray[np.float64]

#: A body's name, position and quaternion in its frame.
_Place: TypeAlias = tuple[str | None, tuple[float, float, float], tuple[float, float, float, float]]


def _matrix(q: Any) -> Floats:
    w, x, y, z = (float(v) for v in q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _times(a: Any, b: Any) -> Floats:
    """The product of two quaternions."""
    w, x, y, z = (float(v) for v in a)
    matrix = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    return np.asarray(matrix @ np.asarray(b, dtype=float))


class Sensor:
    """A sensor of a robot: what MuJoCo's sensor of the same kind shows, after the last step.

    ``value`` is a number or an array, in the units and axes of MuJoCo's documentation: ``accelerometer``, ``gyro``,
    ``velocimeter``, ``force`` and ``torque`` (of the joint that holds the link, along the axes of the site),
    ``touch``, ``rangefinder`` (-1 where it meets nothing), ``jointpos``, ``jointvel``, ``jointactuatorfrc``, those of
    actuators, ``framepos`` and its kin, ``subtreecom``, ``subtreelinvel``, ``subtreeangmom``, ``clock``. Forces and
    accelerations are means over the last step.

    >>> import stickslip as ss, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "arm.xml")
    >>> text = '<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/><site name="tip" pos="1 0 0"/>'
    >>> text += '<geom type="box" size="1 .1 .1" pos="1 0 0"/></body></worldbody>'
    >>> text += '<sensor><velocimeter name="speed" site="tip"/></sensor></mujoco>'
    >>> characters = file.write_text(text)
    >>> sim = ss.load_robot(file)
    >>> sim.joint("hinge").velocity = [2.0]
    >>> sim.sensors["speed"].value[[0, 2]].round(9).tolist()
    [0.0, -2.0]
    """

    def __init__(self, sim: Simulator, fields: tuple[Any, ...]) -> None:
        self._sim = sim
        name, kind, at, relative_to, joint, anchor, gear, zone, cutoff, subtree = fields
        #: Its name, with the prefix of the robot.
        self.name: str = name
        #: What it measures, in the word of the file.
        self.kind: str = kind
        self._at: _Place = at
        self._relative_to: _Place = relative_to
        self._joint: str | None = joint
        self._anchor, self._gear, self._zone = np.array(anchor), float(gear), zone
        self._cutoff, self._subtree = float(cutoff), subtree

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r}>"

    @property
    def body(self) -> str | None:
        """Name of the body that carries it."""
        return self._at[0]

    @property
    def value(self) -> Any:
        """What it shows now."""
        found = getattr(self, "_" + self.kind)()
        limited = self._cutoff > 0 and self.kind not in ("framequat", "framexaxis", "frameyaxis", "framezaxis")
        if limited:
            found = np.clip(found, -self._cutoff, self._cutoff)
        return float(found) if np.ndim(found) == 0 else np.asarray(found)

    # Where it is.

    def _motion(self, place: _Place) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Position, axes and quaternion of a place, its velocity and its angular velocity, in the world."""
        name, position, turn = place
        if name is None:
            return np.array(position), _matrix(turn), np.array(turn), np.zeros(3), np.zeros(3)
        body = self._sim[name]
        axes, arm = body.rotation, body.rotation @ np.array(position)
        spin = np.array(body.angular_velocity)
        velocity = body.velocity + np.cross(spin, arm)
        return body.position + arm, axes @ _matrix(turn), _times(body.orientation, turn), velocity, spin

    def _seen(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """The same relative to the other frame."""
        p, axes, turn, v, w = self._motion(self._at)
        if self._relative_to == (None, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)):
            return p, axes, turn, v, w
        p0, axes0, turn0, v0, w0 = self._motion(self._relative_to)
        inverse = turn0 * np.array([1.0, -1.0, -1.0, -1.0])
        v = axes0.T @ (v - v0 - np.cross(w0, p - p0))
        return axes0.T @ (p - p0), axes0.T @ axes, _times(inverse, turn), v, axes0.T @ (w - w0)

    def _framepos(self) -> Floats:
        return self._seen()[0]

    def _framexaxis(self) -> Floats:
        return self._seen()[1][:, 0]

    def _frameyaxis(self) -> Floats:
        return self._seen()[1][:, 1]

    def _framezaxis(self) -> Floats:
        return self._seen()[1][:, 2]

    def _framequat(self) -> Floats:
        return self._seen()[2]

    def _framelinvel(self) -> Floats:
        return self._seen()[3]

    def _frameangvel(self) -> Floats:
        return self._seen()[4]

    def _framelinacc(self) -> Floats:
        return np.asarray(self._motion(self._at)[1] @ self._accelerometer())

    # Inertial units.

    def _accelerometer(self) -> Floats:
        name, position, turn = self._at
        if name is None:
            return np.asarray(_matrix(turn).T @ -np.asarray(self._sim.gravity))
        return self._sim[name].imu(position, turn).specific_force

    def _gyro(self) -> Floats:
        _, axes, _, _, w = self._motion(self._at)
        return np.asarray(axes.T @ w)

    def _velocimeter(self) -> Floats:
        _, axes, _, v, _ = self._motion(self._at)
        return np.asarray(axes.T @ v)

    # Forces.

    def _force(self) -> Floats:
        axes = self._motion(self._at)[1]
        return np.asarray(axes.T @ self._sim.joint(self._joint or "").force)

    def _torque(self) -> Floats:
        p, axes, _, _, _ = self._motion(self._at)
        joint = self._sim.joint(self._joint or "")
        child = self._sim[joint.bodies[1]]
        anchor = child.position + child.rotation @ self._anchor
        return np.asarray(axes.T @ (joint.torque + np.cross(anchor - p, joint.force)))

    def _touch(self) -> float:
        if self.body is None or self._zone is None:
            return 0.0
        p, axes, _, _, _ = self._motion(self._at)
        rows, total = self._sim.contacts, 0.0
        for side, sign in (("a", -1.0), ("b", 1.0)):
            for row in rows[(rows[side] == self.body) & (rows["normal_impulse"] > 0)]:
                # the line of the force that the body feels, backwards
                start = axes.T @ (row["point_" + side] - p)
                if _meets(self._zone, start, axes.T @ (-sign * row["normal"])):
                    total += float(row["normal_impulse"])
        return total / self._sim.time_step

    # Distances, joints, sums.

    def _rangefinder(self) -> float:
        p, axes, _, _, _ = self._motion(self._at)
        reach = self._cutoff if self._cutoff > 0 else math.inf
        hit = self._sim.raycast(p, axes[:, 2], reach, [] if self.body is None else [self.body])
        return -1.0 if hit is None else hit.distance

    def _jointpos(self) -> float:
        return float(self._sim.joint(self._joint or "").position[0])

    def _jointvel(self) -> float:
        return float(self._sim.joint(self._joint or "").velocity[0])

    def _jointactuatorfrc(self) -> float:
        return self._sim.joint(self._joint or "").motor_force

    def _actuatorpos(self) -> float:
        return self._gear * self._jointpos()

    def _actuatorvel(self) -> float:
        return self._gear * self._jointvel()

    def _actuatorfrc(self) -> float:
        return self._jointactuatorfrc() / self._gear

    def _moving(self) -> tuple[Floats, Floats, Floats, list[Any]]:
        bodies = [self._sim[name] for name in self._subtree]
        masses = np.array([body.mass for body in bodies])
        places, speeds = (np.array([getattr(b, key) for b in bodies]) for key in ("position", "velocity"))
        return masses, places, speeds, bodies

    def _subtreecom(self) -> Floats:
        masses, places, _, _ = self._moving()
        return np.asarray(masses @ places / masses.sum())

    def _subtreelinvel(self) -> Floats:
        masses, _, speeds, _ = self._moving()
        return np.asarray(masses @ speeds / masses.sum())

    def _subtreeangmom(self) -> Floats:
        masses, places, speeds, bodies = self._moving()
        arms = places - masses @ places / masses.sum()
        spins = [b.rotation @ (b.inertia @ (b.rotation.T @ b.angular_velocity)) for b in bodies]
        return np.asarray((masses[:, None] * np.cross(arms, speeds)).sum(axis=0) + np.sum(spins, axis=0))

    def _clock(self) -> float:
        return self._sim.time


def _meets(zone: tuple[str, tuple[float, ...]], p: Floats, d: Floats) -> bool:
    """Whether a ray from ``p`` along ``d`` meets the zone of a site, in its frame."""
    kind, size = zone
    if kind == "ellipsoid":
        return _crosses(p / size, d / size, slice(0, 3), 1.0)[1] >= 0
    if kind == "box":
        spans = [_slab(p[k], d[k], size[k]) for k in range(3)]
    else:
        radius, half = size
        spans = [_crosses(p, d, slice(0, 2), radius), _slab(p[2], d[2], half)]
        if kind == "capsule":
            ends = [np.array([0.0, 0.0, half]), np.array([0.0, 0.0, -half])]
            if any(_crosses(p - end, d, slice(0, 3), radius)[1] >= 0 for end in ends):
                return True
    first, last = max(s[0] for s in spans), min(s[1] for s in spans)
    return last >= max(first, 0.0)


def _slab(p: float, d: float, half: float) -> tuple[float, float]:
    if d == 0.0:
        return (-math.inf, math.inf) if abs(p) <= half else (math.inf, -math.inf)
    a, b = (-half - p) / d, (half - p) / d
    return min(a, b), max(a, b)


def _crosses(p: Floats, d: Floats, over: slice, radius: float) -> tuple[float, float]:
    """Where a line is within a sphere or an infinite cylinder."""
    p, d = p[over], d[over]
    a, b, c = float(d @ d), float(p @ d), float(p @ p) - radius * radius
    if a == 0.0:
        return (-math.inf, math.inf) if c <= 0 else (math.inf, -math.inf)
    root = b * b - a * c
    if root < 0:
        return math.inf, -math.inf
    return (-b - math.sqrt(root)) / a, (-b + math.sqrt(root)) / a


class Sensing:
    """The sensors that robots brought along."""

    _engine: _core.Engine

    @property
    def sensors(self) -> dict[str, Sensor]:
        """The sensors of imported robots (MJCF), by name."""
        return {fields[0]: Sensor(self, fields) for fields in self._engine.sensors()}  # type: ignore[arg-type]
