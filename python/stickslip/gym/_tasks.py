"""The tasks."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from ..body import Body
from ..joint import Joint
from ._env import Floats, Task


class PegInsertion(Task):
    """A square peg of 40 mm goes into a square hole that is wider by ``clearance`` [m] in all.

    The peg hangs on three axes that give way by 1 mm at 2 N. Observed are its position relative to the hole, its velocity
    and the forces of the motors. Done: the peg is 30 mm deep.

    >>> import pytest
    >>> gymnasium = pytest.importorskip("gymnasium")
    >>> from stickslip.gym import PegInsertion
    >>> env = PegInsertion(clearance=1e-4)
    >>> env.reset(seed=0)[0].shape
    (9,)
    """

    def __init__(self, clearance: float = 0.5e-3, render_mode: str | None = None) -> None:
        if not 0.0 < clearance < 0.02:
            raise ValueError(f"clearance = {clearance}, but it must be between 0 and 0.02 m")
        self._clearance = clearance
        super().__init__([0.002] * 3, 9, render_mode)

    def _build(self) -> None:
        side, half = 0.1, 0.5 * (0.04 + self._clearance)
        for name, x, y in (("left", -1, 0), ("right", 1, 0), ("front", 0, -1), ("back", 0, 1)):
            at = (x * (half + side / 2), y * (half + side / 2), -0.03)
            size = (side, side * 3, 0.06) if x else (2 * half, side, 0.06)
            self.sim.add(Body.box(*size, name=name, position=at, static=True, friction=0.2))
        self._axis("world", self._carriage("carriage x", (0, 0, 0.3)), (1, 0, 0), (-0.05, 0.05))
        self._axis("carriage x", self._carriage("carriage y", (0, 0, 0.3)), (0, 1, 0), (-0.05, 0.05))
        peg = Body.box(0.04, 0.04, 0.08, name="peg", position=(0, 0, 0.06), mass=0.3, friction=0.2)
        self._axis("carriage y", peg, (0, 0, 1), (-0.08, 0.1))

    def _place(self) -> None:
        self.sim.qpos = self.np_random.uniform([-0.008, -0.008, 0.0], [0.008, 0.008, 0.01])

    def _observe(self) -> Floats:
        peg = self.sim["peg"]
        at = peg.position - (0.0, 0.0, 0.04)
        pull = self._aims - np.array([float(joint.position[0]) for joint in self.axes])
        return np.concatenate([at * 100, peg.velocity * 10, pull * 500])

    def _judge(self) -> tuple[float, bool]:
        x, y, z = self.sim["peg"].position - (0.0, 0.0, 0.04)
        # Above the hole first, then down.
        distance = float(np.hypot(x, y) + max(0.0, z + 0.03))
        return distance, bool(z < -0.03)


class Push(Task):
    """A pusher on two axes moves a box of 60 mm over a table to a goal.

    Observed are pusher, box, its heading and the goal. Done: the box is within 5 mm of it.

    >>> import pytest
    >>> gymnasium = pytest.importorskip("gymnasium")
    >>> from stickslip.gym import Push
    >>> Push().reset(seed=0)[0].shape
    (10,)
    """

    def __init__(self, render_mode: str | None = None) -> None:
        self._goal = np.zeros(2)
        super().__init__([0.004] * 2, 10, render_mode)

    def _build(self) -> None:
        self.sim.add(Body.plane(name="table", friction=0.5))
        self.sim.add(Body.box(0.06, 0.06, 0.06, name="box", position=(0, 0, 0.03), mass=0.2, friction=0.5))
        self._axis("world", self._carriage("carriage", (-0.1, 0, 0.3)), (1, 0, 0), (-0.3, 0.4))
        pusher = Body.cylinder(0.01, 0.06, name="pusher", position=(-0.1, 0, 0.04), mass=0.2, friction=0.3, sides=16)
        self._axis("carriage", pusher, (0, 1, 0), (-0.3, 0.3))

    def _place(self) -> None:
        angle = self.np_random.uniform(-np.pi, np.pi)
        turn = self.np_random.uniform(-np.pi, np.pi)
        x, y = self.np_random.uniform(-0.02, 0.02, 2)
        self._goal = np.array([x, y]) + 0.12 * np.array([np.cos(angle), np.sin(angle)])
        numbers = {"box": [x, y, 0.03, np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)]}
        self._write(numbers, -0.1 * np.array([np.cos(angle), np.sin(angle)]))

    def _write(self, bodies: dict[str, list[float]], pusher: Floats) -> None:
        """Free bodies by name, and the pusher's place."""
        q = self.sim.qpos
        axes = iter(pusher - np.array([-0.1, 0.0]))
        for place in self.sim.joint_space.layout:
            q[place.qpos] = bodies[place.body] if place.joint is None else next(axes)
        self.sim.qpos, self.sim.qvel = q, np.zeros(len(self.sim.qvel))

    def _heading(self) -> float:
        w, _, _, z = self.sim["box"].orientation
        return float(2 * np.arctan2(z, w))

    def _observe(self) -> Floats:
        box, pusher, turn = self.sim["box"], self.sim["pusher"], self._heading()
        near = (pusher.position - box.position)[:2]
        left = self._goal - box.position[:2]
        heading = [np.cos(4 * turn), np.sin(4 * turn)]
        return np.concatenate([near * 10, left * 10, heading, box.velocity[:2] * 10, pusher.velocity[:2] * 10])

    def _judge(self) -> tuple[float, bool]:
        box, pusher = self.sim["box"].position[:2], self.sim["pusher"].position[:2]
        left = float(np.linalg.norm(self._goal - box))
        # To be near the box is worth a little.
        return left + 0.1 * float(np.linalg.norm(pusher - box)), left < 0.005


class Reorient(Push):
    """A pusher on two axes turns a box on a table by an angle of up to 90 degrees, either way.

    Observed as in `Push`, the turn that is left in place of the goal. Done: it is less than 0.05 rad.

    >>> import pytest
    >>> gymnasium = pytest.importorskip("gymnasium")
    >>> from stickslip.gym import Reorient
    >>> Reorient().reset(seed=0)[0].shape
    (10,)
    """

    def _place(self) -> None:
        super()._place()
        turn = self.np_random.uniform(0.5, np.pi / 2) * self.np_random.choice([-1.0, 1.0])
        self._wanted = self._heading() + turn

    def _left(self) -> float:
        off = getattr(self, "_wanted", 0.0) - self._heading()
        return float(np.arctan2(np.sin(off), np.cos(off)))

    def _observe(self) -> Floats:
        observed = super()._observe()
        observed[2:4] = np.cos(self._left()), np.sin(self._left())
        return observed

    def _judge(self) -> tuple[float, bool]:
        box, pusher = self.sim["box"].position[:2], self.sim["pusher"].position[:2]
        left = abs(self._left())
        return 0.1 * left + 0.1 * float(np.linalg.norm(pusher - box)), left < 0.05


class Stack(Task):
    """A gripper of two fingers on two axes takes a cube of 40 mm and puts it on another.

    Actions: the axes x and z, and the fingers together. Observed are the gripper, both cubes and the opening.
    Done: the cube stands on the other and the fingers are open.

    >>> import pytest
    >>> gymnasium = pytest.importorskip("gymnasium")
    >>> from stickslip.gym import Stack
    >>> Stack().reset(seed=0)[0].shape
    (11,)
    """

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__([0.004, 0.004, 0.002], 11, render_mode)

    def _build(self) -> None:
        self.sim.add(Body.plane(name="table", friction=0.5))
        for name, x in (("cube", 0.0), ("base", 0.12)):
            cube = Body.box(0.04, 0.04, 0.04, name=name, position=(x, 0, 0.02), mass=0.1, friction=0.6)
            self.sim.add(cube)
        self._axis("world", self._carriage("carriage", (0, 0, 0.3)), (1, 0, 0), (-0.1, 0.25))
        self._axis("carriage", self._carriage("palm", (0, 0, 0.15)), (0, 0, 1), (-0.13, 0.1))
        for name, side in (("left", -1), ("right", 1)):
            finger = Body.box(
                0.03, 0.01, 0.06, name=name, position=(0, side * 0.04, 0.12), mass=0.05, friction=0.8
            )
            joint = (0, float(side), 0)
            self._axis("palm", finger, joint, (-0.03, 0.02))
        # Both fingers follow the one aim.
        left, right = self.axes[2], self.axes.pop()
        right.motor = None
        self.sim.add(Joint.gear(left, right, -1.0))

    def _place(self) -> None:
        q = self.sim.qpos
        x = self.np_random.uniform(-0.02, 0.02)
        far = self.np_random.uniform(0.1, 0.15)
        starts = {"cube": [x, 0, 0.02, 1, 0, 0, 0], "base": [far, 0, 0.02, 1, 0, 0, 0]}
        for place in self.sim.joint_space.layout:
            q[place.qpos] = starts[place.body] if place.joint is None else 0.0
        self.sim.qpos, self.sim.qvel = q, np.zeros(len(self.sim.qvel))

    def _observe(self) -> Floats:
        palm, cube, base = (self.sim[name].position for name in ("palm", "cube", "base"))
        opening = float(self.axes[2].position[0])
        near, left = (palm - cube)[[0, 2]], (base - cube)[[0, 2]]
        speed = self.sim["palm"].velocity[[0, 2]]
        rates = self.sim["cube"].velocity
        return np.concatenate([near * 10, left * 10, speed * 10, rates * 10, [opening * 50, cube[2] * 10]])

    def _judge(self) -> tuple[float, bool]:
        palm, cube, base = (self.sim[name].position for name in ("palm", "cube", "base"))
        goal = base + (0.0, 0.0, 0.04)
        left = float(np.linalg.norm(goal - cube))
        open_again = float(self.axes[2].position[0]) > -0.005
        stands = left < 0.01 and open_again and float(np.linalg.norm(self.sim["cube"].velocity)) < 0.01
        reach = float(np.linalg.norm(palm - cube - (0.0, 0.0, 0.03)))
        return left + 0.1 * reach, stands


def _register(name: str, entry: Any, steps: int, **keywords: Any) -> None:
    if name not in gymnasium.registry:
        gymnasium.register(name, entry_point=entry, max_episode_steps=steps, kwargs=keywords)


_register("stickslip/PegInsertion-v0", PegInsertion, 200)
_register("stickslip/PegInsertionTight-v0", PegInsertion, 200, clearance=0.1e-3)
_register("stickslip/Push-v0", Push, 300)
_register("stickslip/Reorient-v0", Reorient, 300)
_register("stickslip/Stack-v0", Stack, 400)
