"""Joint coordinates and whole states of a simulator, as numpy arrays."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check, _core
from .joint_space import JointSpace

if TYPE_CHECKING:
    from .simulator import Simulator

Floats: TypeAlias = NDArray[np.float64]


class JointCoordinates:
    """Positions and rates of joints, and the state as one array."""

    _engine: _core.Engine

    @property
    def joint_space(self) -> JointSpace:
        """Dynamics and inverse kinematics in joint coordinates; see `JointSpace`."""
        return JointSpace(cast("Simulator", self))

    @property
    def qpos(self) -> Floats:
        """Positions of all joints and free bodies, as one array; set it to put the bodies there.

        Link by link: the joint's coordinates [m or rad]; of a ball joint the quaternion (w, x, y,
        z) of its second frame seen from the first; of a body without joint its position and its
        quaternion (in 2D x, y and angle). `JointSpace.layout` says where each is. Joints that are set are closed to
        round-off; loops have no joint coordinates. Positions beyond limits get a warning.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
        >>> hinge = sim.add(ss.Joint.revolute("world", rod, axis=(0, 0, 1)))
        >>> sim.qpos = [np.pi / 2]
        >>> rod.position.round(9).tolist()
        [0.0, 0.5, 0.0]
        """
        return self._engine.coordinates()[0]

    @qpos.setter
    def qpos(self, qpos: ArrayLike) -> None:
        values = _check.array("qpos", qpos).ravel().tolist()
        beyond = self._engine.set_coordinates(values, self.qvel.tolist())
        if beyond is not None:
            warnings.warn(beyond, stacklevel=2)

    @property
    def qvel(self) -> Floats:
        """Rates that belong to `qpos`; of free bodies velocity and angular velocity (world axes), of ball
        joints the angular velocity in the first frame.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
        >>> hinge = sim.add(ss.Joint.revolute("world", rod, axis=(0, 0, 1)))
        >>> sim.qvel = [2.0]
        >>> rod.velocity.round(9).tolist()
        [0.0, 1.0, 0.0]
        """
        return self._engine.coordinates()[1]

    @qvel.setter
    def qvel(self, qvel: ArrayLike) -> None:
        values = _check.array("qvel", qvel).ravel().tolist()
        self._engine.set_coordinates(self.qpos.tolist(), values)

    @property
    def state(self) -> Floats:
        """The whole state as one array; set it to go on from there, bit for bit.

        The first `state_size` numbers are time, places, velocities and motors. What follows is what
        the stages remember (the last impulses, for instance); its length changes. It may be left out: the run then
        starts with stages that remember nothing, and differs in round-off.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, position=(0, 0, 100)))
        >>> start = sim.state
        >>> report = sim.step(5)
        >>> sim.state = start
        >>> sim.time, ball.position[2].item()
        (0.0, 100.0)
        """
        return self._engine.state_array()

    @state.setter
    def state(self, state: ArrayLike) -> None:
        numbers = np.ascontiguousarray(state, dtype=np.float64).ravel()
        self._engine.restore(self._engine.state_of(numbers))

    @property
    def state_size(self) -> int:
        """Numbers of `state` without what the stages remember."""
        return self._engine.state_size()

    def reset(self) -> None:
        """Back to the scene as it starts: time zero, places, velocities and motors as they were given.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, position=(0, 0, 100)))
        >>> report = sim.step(5)
        >>> sim.reset()
        >>> sim.steps, ball.position[2].item()
        (0, 100.0)
        """
        self._engine.reset()
