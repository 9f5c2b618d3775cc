"""Environments of Gymnasium."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="pip install gymnasium")

import stickslip.gym
from stickslip.gym import PegInsertion, Push, Reorient, Stack

NAMES = [
    "stickslip/PegInsertion-v0", "stickslip/PegInsertionTight-v0", "stickslip/Push-v0",
    "stickslip/Reorient-v0", "stickslip/Stack-v0",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_own_check_passes(name):
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(gymnasium.make(name, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("clearance", [0.5e-3, 0.1e-3])
def test_a_peg_goes_in_where_it_is_led(clearance):
    """A simple controller: above the hole, then down. Jammed or not is decided by the geometry alone."""
    env = PegInsertion(clearance)
    observed, _ = env.reset(seed=4)
    for _ in range(200):
        x, y, _ = observed[:3] / 100
        over = max(abs(x), abs(y)) < 0.4 * clearance
        action = np.array([-x, -y, -0.002 if over else 0.0]) / 0.002
        observed, _, done, _, info = env.step(np.clip(action, -1, 1))
        assert info["failures"] == 0
        if done:
            break
    assert info["success"], info
    assert env.sim.overlap()[0] < 1e-6


def test_a_peg_beside_the_hole_stays_out():
    env = PegInsertion()
    env.reset(seed=4)
    env.sim.qpos = [0.008, 0.0, 0.0]
    for _ in range(60):
        _, _, done, _, info = env.step(np.array([0.0, 0.0, -1.0]))
        assert not done
    assert env.sim["peg"].position[2] > 0.04 - 1e-6


def test_a_push_through_the_centre_moves_the_box():
    env = Push()
    env.reset(seed=2)
    start = env.sim["box"].position[:2].copy()
    way = env._goal - start
    way /= np.linalg.norm(way)
    for _ in range(80):
        env.step(way)
    moved = (env.sim["box"].position[:2] - start) @ way
    assert moved > 0.03, moved


def test_seeds_decide_everything():
    for make in (PegInsertion, Push, Reorient, Stack):
        ends = []
        for _ in range(2):
            env = make()
            env.reset(seed=11)
            rng = np.random.default_rng(0)
            for _ in range(10):
                observed = env.step(rng.uniform(-1, 1, env.action_space.shape))[0]
            ends.append(observed)
        assert np.array_equal(*ends), make.__name__


def test_a_cube_is_taken_up():
    """Down, close, up: the gripper lifts the cube by friction alone."""
    env = Stack()
    env.reset(seed=1)
    x = env.sim["cube"].position[0] / 0.004
    for action, steps in (((1, 0, 0), 0), ((0, -1, 0), 21), ((0, 0, -1), 12), ((0, 1, -1), 20)):
        for _ in range(steps):
            env.step(np.array(action, dtype=float))
        if not steps:
            for k in range(int(abs(x)) + 1):
                part = np.clip(abs(x) - k, 0, 1) * np.sign(x)
                env.step(np.array([part, 0.0, 0.0]))
    assert env.sim["cube"].position[2] > 0.04, env.sim["cube"].position


def test_vector_environments():
    envs = gymnasium.make_vec("stickslip/PegInsertion-v0", num_envs=2, vectorization_mode="sync")
    observed, _ = envs.reset(seed=3)
    assert observed.shape == (2, 9)
    observed, reward, *_ = envs.step(envs.action_space.sample())
    assert observed.shape == (2, 9) and reward.shape == (2,)
    envs.close()
