"""A body in a simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check
from .body import Body, BodyFields

if TYPE_CHECKING:
    from .simulator import Simulator

Floats: TypeAlias = NDArray[np.float64]


class IMU(NamedTuple):
    """What an inertial unit measures, in its own axes.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(gravity=(0, 0, -10))
    >>> ball = sim.add(ss.Body.sphere(1, angular_velocity=(0, 0, 2)))
    >>> report = sim.step()
    >>> unit = ball.imu()
    >>> unit.angular_velocity.round(9).tolist()
    [0.0, 0.0, 2.0]
    """

    #: Acceleration less gravity, the mean over the last step [m/s²].
    specific_force: Floats
    #: At the end of the last step [rad/s].
    angular_velocity: Floats


class BodyHandle:
    """A body in a simulator: what `Simulator.add` returns.

    Its properties are those of the present moment. The arrays are copies that cannot be written
    to: assign a whole vector to move the body.

    >>> import stickslip as ss
    >>> sim = ss.Simulator()
    >>> ball = sim.add(ss.Body.sphere(1, name="ball", position=(0, 0, 2)))
    >>> ball.velocity = (1, 0, 0)
    >>> ball.velocity.tolist()
    [1.0, 0.0, 0.0]
    """

    __slots__ = ("_sim", "_index", "name")

    #: Its name, unique in the simulator.
    name: str

    def __init__(self, sim: Simulator, index: int, name: str) -> None:
        self._sim, self._index, self.name = sim, index, name

    def __repr__(self) -> str:
        return f"<body {self.name!r}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BodyHandle):
            return NotImplemented
        return self._sim is other._sim and self._index == other._index

    def __hash__(self) -> int:
        return hash((id(self._sim), self._index))

    def _get(self, which: int) -> Floats:
        out = self._sim._engine.quantity(self._index, which)
        out.flags.writeable = False
        return out

    def _turn_or_spin(self, which: int) -> Any:
        out = self._get(which)
        return float(out[0]) if len(out) == 1 else out

    def _place(self, **fields: Any) -> None:
        self._sim._engine.place(self._index, fields)

    @property
    def position(self) -> Floats:
        """Position of the centre of mass [m]."""
        return self._get(0)

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._place(position=_check.vector("position", value))

    @property
    def orientation(self) -> Any:
        """Quaternion (w, x, y, z); in 2D the angle [rad], not wrapped."""
        return self._turn_or_spin(1)

    @orientation.setter
    def orientation(self, value: _check.Orientation) -> None:
        turn, angle = _check.turn(value)
        self._place(orientation=turn, angle=angle)

    @property
    def angle(self) -> float:
        """In 2D the angle [rad]."""
        return float(self._get(1)[0])

    @property
    def rotation(self) -> Floats:
        """The rotation matrix, body axes to world axes."""
        if self._sim.dimension == 2:
            c, s = np.cos(self.angle), np.sin(self.angle)
            return np.array([[c, -s], [s, c]])
        w, x, y, z = self._get(1)
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )

    @property
    def velocity(self) -> Floats:
        """Velocity of the centre of mass [m/s]."""
        return self._get(2)

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._place(velocity=_check.vector("velocity", value))

    @property
    def angular_velocity(self) -> Any:
        """Angular velocity, world axes [rad/s]; in 2D one number."""
        return self._turn_or_spin(3)

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        self._place(angular_velocity=_check.spin("angular_velocity", value))

    def apply_force(self, force: ArrayLike, point: ArrayLike | None = None) -> None:
        """Adds a force [N] for the coming step, at a point of the world [m] or at the centre.

        Call it from ``before_step``; it is gone after the step.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> sim.before_step = lambda sim: ball.apply_force((0, 0, 10 * ball.mass))
        >>> report = sim.step(5)
        >>> round(float(ball.velocity[2]), 12) + 0.0
        0.0
        """
        at = None if point is None else _check.vector("point", point)
        f = _check.vector("force", force)
        self._sim._engine.apply(self._index, f, (0.0, 0.0, 0.0), at)

    def apply_torque(self, torque: ArrayLike) -> None:
        """Adds a torque [N m] for the coming step; in 2D one number.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> ball.apply_torque((0, 0, ball.inertia[2, 2]))
        >>> report = sim.step()
        >>> round(float(ball.angular_velocity[2]), 12)
        0.1
        """
        t = _check.spin("torque", torque)
        self._sim._engine.apply(self._index, (0.0, 0.0, 0.0), t, None)

    def imu(
        self, position: ArrayLike = (0.0, 0.0, 0.0), orientation: ArrayLike = _check.IDENTITY
    ) -> IMU:
        """What an inertial unit measured during the last step; its place is in the body's own frame.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, -10))
        >>> floor = sim.add(ss.Body.plane())
        >>> box = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5)))
        >>> report = sim.step(10)
        >>> box.imu().specific_force.round(6).tolist()  # at rest it feels the ground
        [0.0, 0.0, 10.0]
        """
        place = (_check.vector("position", position), _check.quaternion(orientation))
        return IMU(*self._sim._engine.imu(self._index, place))

    def _property(self, key: str) -> Any:
        return self._sim._engine.body(self._index)[key]

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(self._property("mass"))

    @property
    def inertia(self) -> Floats:
        """Inertia about the centre of mass, body axes [kg m2]."""
        return np.array(self._property("inertia"))

    @property
    def friction(self) -> float:
        """Coefficient of friction."""
        return float(self._property("friction"))

    @friction.setter
    def friction(self, value: float) -> None:
        self.change(friction=value)

    @property
    def restitution(self) -> float:
        """Coefficient of restitution."""
        return float(self._property("restitution"))

    @restitution.setter
    def restitution(self, value: float) -> None:
        self.change(restitution=value)

    @property
    def rolling_friction(self) -> float:
        """Largest torque against rolling, over the normal force [m]."""
        return float(self._property("rolling_friction"))

    @rolling_friction.setter
    def rolling_friction(self, value: float) -> None:
        self.change(rolling_friction=value)

    @property
    def torsional_friction(self) -> float:
        """Largest torque against spinning on a contact, over the normal force [m]."""
        return float(self._property("torsional_friction"))

    @torsional_friction.setter
    def torsional_friction(self, value: float) -> None:
        self.change(torsional_friction=value)

    @property
    def static(self) -> bool:
        """Whether nothing moves it."""
        return bool(self._property("motion") == "static")

    @property
    def kinematic(self) -> bool:
        """Whether it keeps its velocity whatever touches it."""
        return bool(self._property("motion") == "kinematic")

    def change(self, **fields: Unpack[BodyFields]) -> None:
        """Changes keywords of the body, such as ``mass``, ``friction``, ``force``, ``static``.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> ball.change(mass=3.0, friction=0.1)
        >>> ball.mass, ball.friction
        (3.0, 0.1)
        """
        self._sim._change(self._index, fields)

    @property
    def body(self) -> Body | None:
        """The description it was made from; None if it comes from a scene file or a robot."""
        own = self._sim._own(self._index)
        return None if own is None else self._sim._bodies[own]

    @property
    def dofs(self) -> slice | None:
        """Its place in the vector of velocities; None if forces do not move it."""
        first = self._sim._engine.dof(self._index)
        return None if first is None else slice(first, first + (6 if self._sim.dimension == 3 else 3))
