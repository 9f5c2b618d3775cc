"""What all environments share."""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ..body import Body
from ..joint import Joint, JointHandle
from ..simulator import Simulator

Floats: TypeAlias = NDArray[np.float64]

#: Gains of a gantry's axes: stiffness [N/m], damping [N s/m], largest force [N].
AXIS = {"stiffness": 2000.0, "damping": 120.0, "max_force": 40.0}


class Task(gymnasium.Env[Floats, Floats]):
    """A simulator with axes whose aims are the actions.

    ``self.sim`` is the simulator, ``self.axes`` the joints that are driven. A step of the environment is
    ``frames`` steps of the simulator.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["rgb_array"] if hasattr(Simulator, "render") else [],
        "render_fps": 50,
    }
    #: Steps of the simulator per action.
    frames = 4

    def __init__(self, reach: list[float], n_observed: int, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self._reach = np.array(reach)
        self.sim = Simulator(step=0.005)
        self.axes: list[JointHandle] = []
        self._build()
        self._start = self.sim.state[: self.sim.state_size].copy()
        self._aims = np.zeros(len(self.axes))
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (len(self.axes),), np.float64)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (n_observed,), np.float64)

    def _build(self) -> None:
        """Adds the bodies and the axes."""
        raise NotImplementedError

    def _place(self) -> None:
        """Puts the bodies where an episode begins, by ``self.np_random``."""
        raise NotImplementedError

    def _observe(self) -> Floats:
        raise NotImplementedError

    def _judge(self) -> tuple[float, bool]:
        """What is left to do [m or rad], and whether the task is done."""
        raise NotImplementedError

    def _axis(self, a: str, body: Body, axis: tuple[float, float, float], limits: tuple[float, float]) -> None:
        """Adds a body that slides along an axis of ``a``, driven to a position."""
        added = self.sim.add(body)
        motor = {"target_position": 0.0, **AXIS}
        joint = Joint.prismatic(a, added, axis=axis, limits=limits, motor=motor, anchor=added.position)
        self.axes.append(self.sim.add(joint))

    def _carriage(self, name: str, at: tuple[float, float, float]) -> Body:
        """A link of a gantry."""
        return Body.sphere(0.01, name=name, position=at, mass=0.3, collides=False)

    def _aim(self) -> None:
        for joint, aim in zip(self.axes, self._aims, strict=True):
            joint.motor = {"target_position": float(aim), **AXIS}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """A new episode."""
        super().reset(seed=seed)
        self.sim.state = self._start
        self._place()
        self._aims = np.array([float(joint.position[0]) for joint in self.axes])
        self._aim()
        distance, done = self._judge()
        return self._observe(), {"distance": distance, "success": done, "failures": 0}

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Moves the aims by the action and goes on."""
        before, _ = self._judge()
        moved = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0) * self._reach
        # An aim runs ahead of its axis by a few steps at most: so that pushing does not wind up.
        at = np.array([float(joint.position[0]) for joint in self.axes])
        self._aims = np.clip(self._aims + moved, at - 4 * self._reach, at + 4 * self._reach)
        self._aim()
        report = self.sim.step(self.frames)
        after, done = self._judge()
        reward = 100.0 * (before - after) - 0.01 + (10.0 if done else 0.0)
        info = {"distance": after, "success": done, "failures": report.failures}
        return self._observe(), float(reward), done, False, info

    def render(self) -> Any:
        """A picture, with ``render_mode="rgb_array"``."""
        if self.render_mode != "rgb_array":
            return None
        return self.sim.render(320, 240)  # type: ignore[attr-defined, unused-ignore]
