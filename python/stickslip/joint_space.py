"""Joint coordinates: mass matrix, forces, Jacobians, inverse kinematics."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check
from .errors import ModelError

if TYPE_CHECKING:
    from .handle import BodyHandle
    from .simulator import Simulator

Floats: TypeAlias = NDArray[np.float64]


class Place(NamedTuple):
    """Where the numbers of one link are in ``qpos`` and ``qvel``."""

    body: str
    joint: str | None
    qpos: slice
    qvel: slice


@dataclass(frozen=True)
class IK:
    """What `JointSpace.ik` found.

    >>> import stickslip as ss
    >>> sim = ss.Simulator()
    >>> ball = sim.add(ss.Body.sphere(0.1))
    >>> slide = sim.add(ss.Joint.prismatic("world", ball, axis=(1, 0, 0), limits=(0, 2)))
    >>> found = sim.joint_space.ik(ball, (5, 0, 0))
    >>> found.success, round(found.error, 9)
    (False, 3.0)
    """

    #: Positions, as ``sim.qpos``.
    qpos: Floats
    #: Distance of the point from where it should be [m].
    error: float
    #: Angle to the orientation wanted [rad]; zero where none was.
    turn_error: float
    #: Rounds taken.
    rounds: int
    #: Whether both errors are within the tolerance.
    success: bool


class JointSpace:
    """The present state of a simulator in joint coordinates.

    Rows and columns are those of ``sim.qvel``. Bodies must be joined as trees.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(gravity=(0, 0, -10))
    >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0), mass=2))
    >>> hinge = sim.add(ss.Joint.revolute("world", rod, axis=(0, 1, 0)))
    >>> sim.joint_space.bias_forces().round(9).tolist()  # holds it level
    [-10.0]
    >>> sim.joint_space.layout[0].joint
    'joint-1'
    """

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim

    @property
    def layout(self) -> list[Place]:
        """Where the numbers of each link are."""
        engine = self._sim._engine
        bodies, joints = engine.names(), engine.joint_names()
        return [
            Place(bodies[b], None if j is None else joints[j], slice(q, q + nq), slice(v, v + nv))
            for b, j, q, v, nq, nv in engine.joint_places()
        ]

    def _set(self, joint: int, position: ArrayLike | None, velocity: ArrayLike | None) -> None:
        engine = self._sim._engine
        qpos, qvel = engine.coordinates()
        for _, j, q, v, nq, nv in engine.joint_places():
            if j != joint:
                continue
            for array, values, at, n, name in (
                (qpos, position, q, nq, "position"),
                (qvel, velocity, v, nv, "velocity"),
            ):
                if values is None:
                    continue
                numbers = _check.array(name, values).ravel()
                if len(numbers) != n:
                    raise ModelError(f"{name} has {len(numbers)} numbers, but the joint has {n}")
                array[at : at + n] = numbers
            beyond = engine.set_coordinates(qpos.tolist(), qvel.tolist())
            if beyond is not None and position is not None:
                warnings.warn(beyond, stacklevel=3)
            return
        raise ModelError("the joint has no coordinates of its own")

    def mass_matrix(self) -> Floats:
        """The mass matrix M [kg, kg m, kg m²]; gears are left aside.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(0.1, position=(1, 0, 0), mass=3))
        >>> slide = sim.add(ss.Joint.prismatic("world", ball, axis=(1, 0, 0)))
        >>> sim.joint_space.mass_matrix().round(9).tolist()
        [[3.0]]
        """
        return self._sim._engine.joint_mass()

    def bias_forces(self) -> Floats:
        """Forces that keep the coordinates from accelerating: against gravity, applied forces and
        those of the velocities [N, N m].

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.1, mass=3))
        >>> slide = sim.add(ss.Joint.prismatic("world", ball, axis=(0, 0, 1)))
        >>> sim.joint_space.bias_forces().tolist()
        [30.0]
        """
        nothing = np.zeros(len(self._sim.qvel)).tolist()
        return self._sim._engine.joint_inverse(nothing, False)

    def inverse_dynamics(self, acceleration: ArrayLike, *, passive: bool = True) -> Floats:
        """Forces that give the coordinates these accelerations: ``M a + bias`` and, with ``passive``, the
        damping and friction of joints, which must be overcome as well [N, N m].

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.1, mass=3))
        >>> slide = sim.add(ss.Joint.prismatic("world", ball, axis=(0, 0, 1), damping=4, friction=1))
        >>> sim.qvel = [2.0]
        >>> sim.joint_space.inverse_dynamics([1.0]).tolist()  # 3 + 30 + 8 + 1
        [42.0]
        """
        values = _check.array("acceleration", acceleration).ravel().tolist()
        return self._sim._engine.joint_inverse(values, passive)

    def forward_dynamics(self, force: ArrayLike) -> Floats:
        """Accelerations of the coordinates under these forces on them, nothing touching; motors, damping
        and friction of joints are left aside.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.1, mass=3))
        >>> slide = sim.add(ss.Joint.prismatic("world", ball, axis=(0, 0, 1)))
        >>> sim.joint_space.forward_dynamics([33.0]).round(9).tolist()
        [1.0]
        """
        return self._sim._engine.joint_forward(_check.array("force", force).ravel().tolist())

    def jacobian(self, body: BodyHandle | str, point: ArrayLike | None = None) -> Floats:
        """Velocity (3 rows) and angular velocity (3 rows) of a body per rate, world axes.

        Of a point of the world that moves with the body; its centre of mass by default.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
        >>> hinge = sim.add(ss.Joint.revolute("world", rod, axis=(0, 0, 1)))
        >>> sim.joint_space.jacobian(rod, (1, 0, 0)).ravel().tolist()
        [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        """
        at = None if point is None else _check.vector("point", point)
        return self._sim._engine.body_jacobian(self._sim[body]._index, at)

    def ik(
        self,
        body: BodyHandle | str,
        position: ArrayLike,
        orientation: ArrayLike | None = None,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        tolerance: float = 1e-8,
        rounds: int = 200,
    ) -> IK:
        """Positions at which a point of a body, given in its own frame, is at ``position`` [m] and
        the body turned as ``orientation`` (w, x, y, z), if given.

        Damped least squares from the present positions, within the limits of the joints. The
        simulator stays as it is; ``sim.qpos = found.qpos`` goes there. Where the goal is out of reach the
        nearest found is returned, with ``success`` false.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
        >>> hinge = sim.add(ss.Joint.revolute("world", rod, axis=(0, 0, 1)))
        >>> found = sim.joint_space.ik(rod, (0, 0.5, 0))
        >>> found.success, bool(abs(found.qpos[0] - np.pi / 2) < 1e-7)
        (True, True)
        """
        turn = None
        if orientation is not None:
            q = _check.array("orientation", orientation).ravel()
            if q.shape != (4,) or not np.linalg.norm(q) > 0.0:
                raise ModelError(f"orientation = {orientation!r}, but it must be a quaternion (w, x, y, z)")
            turn = (float(q[0]), float(q[1]), float(q[2]), float(q[3]))
        place = (self._sim[body]._index, _check.vector("point", point))
        bounds = (_check.number("tolerance", tolerance), _check.count("rounds", rounds, 1))
        qpos, error, angle, n = self._sim._engine.solve_ik(
            place, _check.vector("position", position), turn, bounds
        )
        return IK(qpos, error, angle, n, max(error, angle) <= bounds[0])
