"""Tasks of manipulation as environments of Gymnasium, with exact contact geometry.

Needs the package ``gymnasium``. Importing this registers::

    stickslip/PegInsertion-v0       clearance=0.5e-3 [m] (any other may be given)
    stickslip/PegInsertionTight-v0  clearance=0.1e-3
    stickslip/Push-v0               a pusher moves a box to a goal
    stickslip/Reorient-v0           a pusher turns a box by a given angle
    stickslip/Stack-v0              a gripper puts one box on another

Actions are changes of the aim of a gantry's axes (and of the fingers), from -1 to 1. Episodes end (``terminated``)
when the task is done, and are cut (``truncated``) by the time limit. Vector environments are made by
``gymnasium.make_vec(name, num_envs=8)``.

>>> import pytest
>>> gymnasium = pytest.importorskip("gymnasium")
>>> import stickslip.gym
>>> env = gymnasium.make("stickslip/PegInsertion-v0")
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
>>> sorted(info)
['distance', 'failures', 'success']
"""

from ._tasks import PegInsertion, Push, Reorient, Stack

__all__ = ["PegInsertion", "Push", "Reorient", "Stack"]
