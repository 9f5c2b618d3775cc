"""Spot checks: the numbers that physics gives."""

import math

import numpy as np
import pytest

import stickslip as ss


def test_free_fall(falling):
    log = falling.run(1.0)
    n, h, g = np.arange(101), 0.01, 9.81
    np.testing.assert_allclose(log["ball"].position[:, 2], 100 - g * h * h * n * (n + 1) / 2)
    np.testing.assert_allclose(log["ball"].velocity[:, 2], -g * h * n)


def test_friction_stops_a_sliding_cube(sliding):
    sliding.run(1.0)
    # v falls by mu g h per step until it would turn: the sum of what is left.
    lost = 0.5 * 9.81 * 0.01
    steps = math.floor(1 / lost)
    expected = 0.01 * sum(1 - lost * k for k in range(1, steps + 1))
    assert sliding["cube"].position[0] == pytest.approx(expected, rel=1e-9)
    assert sliding["cube"].position[2] == pytest.approx(0.5, abs=1e-9)


def test_impulses_carry_the_weight(sliding):
    sliding.step(3)
    contacts = sliding.contacts
    assert set(contacts["a"]) == {"floor"} and set(contacts["b"]) == {"cube"}
    assert contacts["normal_impulse"].sum() == pytest.approx(9.81 * 0.01, rel=1e-9)
    assert contacts["friction_impulse"].sum(axis=0)[0] == pytest.approx(-0.5 * 9.81 * 0.01, rel=1e-9)
    np.testing.assert_array_equal(contacts["normal"], np.tile([0, 0, 1.0], (len(contacts), 1)))


def test_a_ball_bounces_to_the_square_of_its_restitution():
    sim = ss.Simulator(step=1e-3, dimension=2)
    sim.add(ss.Body.half_plane())
    ball = sim.add(ss.Body.disc(0.1, position=(0, 1.1), restitution=0.5))
    log = sim.run(1.0)
    heights = log[ball].position[:, 1] - 0.1
    landed = int(np.argmax(heights < 1e-2))
    assert heights[landed:].max() == pytest.approx(0.25, abs=0.01)


def test_two_dimensions_have_two_numbers():
    sim = ss.Simulator(dimension=2, gravity=(0, 0))
    bar = sim.add(ss.Body.rectangle(2, 1, orientation=0.25, angular_velocity=2.0))
    sim.run(1.0)
    assert bar.position.shape == (2,)
    assert bar.orientation == pytest.approx(2.25)
    assert bar.angular_velocity == pytest.approx(2.0)
    assert sim.positions.shape == (1, 2) and sim.orientations.shape == (1, 1)


def test_quaternions_are_w_x_y_z():
    sim = ss.Simulator(gravity=(0, 0, 0))
    turn = {"axis": (0, 0, 2), "angle": math.pi / 2}
    box = sim.add(ss.Body.box(1, 2, 3, orientation=turn))
    root = math.sqrt(0.5)
    np.testing.assert_allclose(box.orientation, [root, 0, 0, root])
    np.testing.assert_allclose(box.rotation @ [1, 0, 0], [0, 1, 0], atol=1e-15)
    euler = sim.add(ss.Body.box(1, 1, 1, orientation={"euler": (0.1, 0.2, 0.3)}, collides=False))
    matrix = sim.add(ss.Body.box(1, 1, 1, orientation=euler.rotation, collides=False))
    np.testing.assert_allclose(matrix.orientation, euler.orientation, atol=1e-15)
    c, s = np.cos, np.sin
    z = np.array([[c(0.3), -s(0.3), 0], [s(0.3), c(0.3), 0], [0, 0, 1]])
    y = np.array([[c(0.2), 0, s(0.2)], [0, 1, 0], [-s(0.2), 0, c(0.2)]])
    x = np.array([[1, 0, 0], [0, c(0.1), -s(0.1)], [0, s(0.1), c(0.1)]])
    np.testing.assert_allclose(euler.rotation, z @ y @ x, atol=1e-15)


def test_momentum_and_energy():
    sim = ss.Simulator()
    sim.add(ss.Body.box(1, 1, 1, mass=2, position=(0, 0, 3), velocity=(1, 2, 3)))
    assert sim.energy == pytest.approx(0.5 * 2 * 14 + 2 * 9.81 * 3)
    linear, angular = sim.momentum
    np.testing.assert_allclose(linear, [2, 4, 6])
    np.testing.assert_allclose(angular, np.cross([0, 0, 3], [2, 4, 6]))


def test_a_force_at_a_point_turns_the_body(falling):
    ball = falling["ball"]
    falling.gravity = (0, 0, 0)
    falling.before_step = lambda sim: ball.apply_force((1, 0, 0), point=ball.position + [0, 0, 0.5])
    falling.step()
    assert ball.velocity[0] == pytest.approx(0.01)
    # omega = h r F / J with J = 2/5 m r^2.
    assert ball.angular_velocity[1] == pytest.approx(0.01 * 0.5 / (0.4 * 0.25))
    falling.before_step = None
    falling.step()
    assert ball.velocity[0] == pytest.approx(0.01)


def test_pairs_rules_and_ignored_bodies():
    sim = ss.Simulator(friction_rule="min")
    floor = sim.add(ss.Body.plane(friction=0.9))
    cube = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5), friction=0.2))
    assert sim.friction_between(floor, cube) == 0.2
    sim.pair(floor, cube, friction=0.7)
    assert sim.friction_between(cube, floor) == 0.7
    ghost = sim.add(ss.Body.box(1, 1, 1, position=(5, 0, 0.5), ignore=["body-1"]))
    sim.run(0.5)
    assert cube.position[2] == pytest.approx(0.5, abs=1e-9)
    assert ghost.position[2] < -0.5


def test_kinematic_bodies_carry_others():
    sim = ss.Simulator()
    belt = sim.add(ss.Body.box(20, 2, 1, kinematic=True, velocity=(1, 0, 0)))
    cube = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 1)))
    sim.run(1.0)
    assert belt.position[0] == pytest.approx(1.0) and belt.kinematic
    assert cube.velocity[0] == pytest.approx(1.0)


def test_net_forces_balance_and_obey_action_and_reaction():
    """A cube of 2 kg on one of 3 kg, the upper one pushed by 5 N: friction holds it."""
    sim = ss.Simulator()
    sim.add(ss.Body.plane(name="floor"))
    lower = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5), mass=3, friction=0.8))
    upper = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 1.5), mass=2, friction=0.8))
    sim.before_step = lambda sim: upper.apply_force((5, 0, 0))
    sim.step(5)
    np.testing.assert_allclose(sim.net_force(upper), [-5, 0, 2 * 9.81], atol=1e-9)
    np.testing.assert_allclose(sim.net_force(lower, upper), [5, 0, -2 * 9.81], atol=1e-9)
    np.testing.assert_allclose(sim.net_force(lower), [0, 0, 3 * 9.81], atol=1e-9)
    np.testing.assert_allclose(sim.net_force("floor"), [5, 0, -5 * 9.81], atol=1e-9)
    with pytest.raises(ss.UnknownBodyError, match="flor"):
        sim.net_force("flor")


def test_net_forces_of_sleeping_bodies_are_those_that_hold_them():
    sim = ss.Simulator(dimension=2)
    sim.add(ss.Body.half_plane(name="floor"))
    block = sim.add(ss.Body.rectangle(1, 1, position=(0, 0.5), mass=2))
    sim.run(1.0)
    assert sim.contacts["normal_impulse"].sum() > 0 and not block.velocity.any()
    np.testing.assert_allclose(sim.net_force(block), [0, 2 * 9.81], atol=1e-9)


def test_rays_and_distances_follow_the_bodies():
    sim = ss.Simulator(gravity=(0, 0, 0))
    ball = sim.add(ss.Body.sphere(0.5, position=(3, 0, 0), velocity=(1, 0, 0), name="ball"))
    sim.add(ss.Body.plane(normal=(-1, 0, 0), position=(10, 0, 0), name="wall"))
    sim.run(2.0)
    hit = sim.raycast((0, 0, 0), (5, 0, 0))
    assert hit is not None and hit.body == "ball"
    assert hit.distance == pytest.approx(4.5, abs=1e-12)
    np.testing.assert_allclose(hit.normal, [-1, 0, 0], atol=1e-12)
    assert sim.distance(ball, "wall") == pytest.approx(4.5, abs=1e-12)
    behind = sim.raycast((0, 0, 0), (1, 0, 0), ignore=[ball])
    assert behind is not None and behind.body == "wall" and behind.distance == pytest.approx(10, abs=1e-12)
    assert sim.raycast((0, 0, 0), (1, 0, 0), reach=4.4) is None
    with pytest.raises(ss.ModelError, match="direction"):
        sim.raycast((0, 0, 0), (0, 0, 0))
