"""Controllers of joints, and the kinematics they need.

A controller is a callable for ``sim.before_step``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check
from .joint import JointHandle
from .trajectory import Trajectory

if TYPE_CHECKING:
    from .handle import BodyHandle
    from .simulator import Simulator

Floats: TypeAlias = NDArray[np.float64]


class PD:
    """Springs and dampers pull joints along a trajectory: ``kp (q* - q) + kd (q*' - q')``.

    The gains act at the end of each step as motors of the joints, so that stiff ones stay stable.
    One coordinate of the trajectory per joint.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(gravity=(0, 0, 0))
    >>> door = sim.add(ss.Body.box(1, 0.1, 2, position=(0.5, 0, 0)))
    >>> hinge = sim.add(ss.Joint.revolute("world", door))
    >>> sim.before_step = ss.PD([hinge], ss.Trajectory.between(0, 1, 0, 1), 1e4, 1e3)
    >>> log = sim.run(1.5, progress=False)
    >>> round(float(hinge.position[0]), 3)
    1.0
    """

    def __init__(
        self,
        joints: Sequence[JointHandle | str],
        trajectory: Trajectory,
        stiffness: float,
        damping: float,
        max_force: float | None = None,
    ) -> None:
        self.joints, self.trajectory = list(joints), trajectory
        self.stiffness, self.damping, self.max_force = stiffness, damping, max_force

    def __call__(self, sim: Simulator) -> None:
        time = sim.time + sim.time_step
        lead = self.damping / self.stiffness if self.stiffness > 0 else 0.0
        aims = self.trajectory.position(time) + lead * self.trajectory.velocity(time)
        limit = {} if self.max_force is None else {"max_force": self.max_force}
        for joint, aim in zip(self.joints, aims, strict=True):
            gains = {"stiffness": self.stiffness, "damping": self.damping}
            sim.joint(joint).motor = {"target_position": float(aim), **gains, **limit}


class ComputedTorque:
    """The torques that give the joints the accelerations ``q*'' + kd (q*' - q') + kp (q* - q)``.

    Gravity, Coriolis forces and coupling included; contacts are not foreseen. ``kp`` [1/s^2] and
    ``kd`` [1/s] default to critical damping at 20 /s.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(step=0.005)
    >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
    >>> hinge = sim.add(ss.Joint.revolute("world", rod, axis=(0, 1, 0)))
    >>> path = ss.Trajectory.between(0, 1, 0, 1)
    >>> sim.before_step = ss.ComputedTorque([hinge], path)
    >>> log = sim.run(1.5, progress=False)
    >>> round(float(hinge.position[0]), 2)
    1.0
    """

    def __init__(
        self,
        joints: Sequence[JointHandle | str],
        trajectory: Trajectory,
        kp: float = 400.0,
        kd: float = 40.0,
    ) -> None:
        self.joints, self.trajectory, self.kp, self.kd = list(joints), trajectory, kp, kd

    def __call__(self, sim: Simulator) -> None:
        time = sim.time + sim.time_step
        joints = [sim.joint(joint) for joint in self.joints]
        q = np.array([joint.position[0] for joint in joints])
        v = np.array([joint.velocity[0] for joint in joints])
        wanted = self.trajectory.acceleration(time)
        wanted = wanted + self.kd * (self.trajectory.velocity(time) - v)
        wanted = wanted + self.kp * (self.trajectory.position(time) - q)
        for joint, force in zip(joints, inverse_dynamics(sim, joints, wanted), strict=True):
            joint.apply(float(force))


def inverse_dynamics(
    sim: Simulator, joints: Sequence[JointHandle | str], accelerations: ArrayLike
) -> Floats:
    """Forces or torques that give the joints these accelerations [N or N m].

    >>> import stickslip as ss
    >>> sim = ss.Simulator(gravity=(0, 0, -10))
    >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0), mass=2))
    >>> hinge = sim.add(ss.Joint.revolute("world", rod, axis=(0, 1, 0)))
    >>> ss.inverse_dynamics(sim, [hinge], [0.0]).round(6).tolist()  # holds it level
    [-10.0]
    """
    values = _check.array("accelerations", accelerations)
    pairs = [(sim.joint(j)._index, float(a)) for j, a in zip(joints, values, strict=True)]
    return np.array(sim._engine.inverse_dynamics(pairs))


class Chain:
    """The joints that lead from the world to a body.

    >>> import stickslip as ss
    >>> sim = ss.Simulator()
    >>> arm = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
    >>> hinge = sim.add(ss.Joint.revolute("world", arm, axis=(0, 0, 1)))
    >>> chain = ss.Chain(sim, arm)
    >>> chain.forward([np.pi / 2])[0].round(6).tolist()
    [0.0, 0.5, 0.0]
    >>> chain.jacobian().round(6).tolist()
    [[0.0], [0.5], [0.0], [0.0], [0.0], [1.0]]
    """

    def __init__(self, sim: Simulator, tip: BodyHandle | str) -> None:
        self._sim, self._tip = sim, sim[tip]._index
        names = sim._engine.joint_names()
        found = sim._engine.chain(self._tip)
        #: The joints, from the world to the body.
        self.joints = [JointHandle(sim, k, names[k]) for k in found]

    @property
    def position(self) -> Floats:
        """Present coordinates of the joints, one after another [m or rad]."""
        return np.concatenate([joint.position for joint in self.joints])

    @property
    def velocity(self) -> Floats:
        """Their rates."""
        return np.concatenate([joint.velocity for joint in self.joints])

    def forward(self, position: ArrayLike) -> tuple[Floats, Floats]:
        """Position and quaternion (w, x, y, z) of the body at these coordinates.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> hinge = sim.add(ss.Joint.revolute("world", rod, axis=(0, 0, 1)))
        >>> ss.Chain(sim, rod).forward([np.pi])[0].round(6).tolist()
        [-0.5, 0.0, 0.0]
        """
        values = _check.array("position", position).tolist()
        return self._sim._engine.chain_forward(self._tip, values)

    def jacobian(self, point: ArrayLike | None = None) -> Floats:
        """Velocity (3 rows) and angular velocity (3 rows) of the body per rate of each coordinate.

        Of a point of the world that moves with the body; its centre of mass by default.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> slide = sim.add(ss.Joint.prismatic("world", rod, axis=(1, 0, 0)))
        >>> ss.Chain(sim, rod).jacobian().T.round(6).tolist()
        [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
        """
        at = None if point is None else _check.vector("point", point)
        linear, angular = self._sim._engine.chain_jacobian(self._tip, at)
        return np.vstack([linear.T, angular.T])
