"""Joints from Python."""

import math
import pickle

import numpy as np
import pytest

import stickslip as ss


def pendulum(**settings):
    sim = ss.Simulator(step=0.001, **settings)
    bob = sim.add(ss.Body.sphere(0.1, name="bob", position=(1, 0, 0)))
    hinge = sim.add(ss.Joint.revolute("world", bob, name="hinge", axis=(0, 1, 0)))
    return sim, bob, hinge


def test_a_pendulum_keeps_its_length():
    sim, bob, hinge = pendulum(stabilization="post-step")
    sim.run(2.0)
    assert np.linalg.norm(bob.position) == pytest.approx(1.0, abs=1e-9)
    assert hinge.error < 1e-9


def test_coordinates_start_at_zero_and_follow():
    sim, bob, hinge = pendulum(stabilization="post-step")
    assert hinge.position.tolist() == [0.0] and hinge.kind == "revolute"
    assert hinge.bodies == ["world", "bob"] and sim.joint("hinge") == hinge
    sim.run(0.3)
    x, _, z = bob.position
    # Positive about y turns x towards -z.
    assert hinge.position[0] == pytest.approx(math.atan2(-z, x), abs=1e-6)
    assert hinge.velocity[0] == pytest.approx(bob.angular_velocity[1], abs=1e-6)


def test_limits_hold():
    sim = ss.Simulator(step=0.001)
    bob = sim.add(ss.Body.sphere(0.1, position=(1, 0, 0)))
    hinge = sim.add(ss.Joint.revolute("world", bob, axis=(0, 1, 0), limits=(-0.5, 0.5)))
    sim.run(1.5)
    assert hinge.position[0] == pytest.approx(0.5, abs=1e-3)


def test_a_motor_keeps_its_speed_and_may_change_its_mind():
    sim, bob, hinge = pendulum(gravity=(0, 0, 0))
    assert hinge.motor is None
    hinge.motor = {"target_velocity": 2.0, "max_force": 100.0}
    sim.run(0.5)
    assert hinge.velocity[0] == pytest.approx(2.0, abs=1e-6)
    assert hinge.motor == {"target_velocity": 2.0, "max_force": 100.0}
    hinge.motor = {"target_position": 0.0, "stiffness": 100.0, "damping": 40.0}
    sim.run(5.0)
    assert hinge.position[0] == pytest.approx(0.0, abs=1e-3)


def test_jointed_simulators_can_be_pickled_saved_and_cloned():
    sim, bob, hinge = pendulum()
    bob.position = (1, 0, 0.5)
    hinge.motor = {"target_velocity": 1.0, "max_force": 1.0}
    sim.step(100)
    twins = [sim.clone(), pickle.loads(pickle.dumps(sim))]
    sim.step(100)
    for twin in twins:
        twin.step(100)
        np.testing.assert_array_equal(twin.positions, sim.positions)
        assert twin.joint(hinge).motor == hinge.motor


def test_the_other_kinds():
    make = ss.Joint
    free = ["free", "locked", (-1, 1), "locked", "locked", "free"]
    for joint, coordinates in [
        (make.fixed("a", "b"), 0), (make.prismatic("a", "b", axis=(1, 0, 0)), 1),
        (make.cylindrical("a", "b"), 2), (make.spherical("a", "b"), 3), (make.planar("a", "b"), 3),
        (make.universal("a", "b", axis=(1, 0, 0), axis2=(0, 1, 0)), 2),
        (make.generic("a", "b", free), 3), (make.distance("a", "b", anchor=(0, 0, 0)), 0),
    ]:  # fmt: skip
        sim = ss.Simulator(gravity=(0, 0, 0))
        sim.add(ss.Body.box(1, 1, 1, name="a", static=True))
        b = sim.add(ss.Body.box(1, 1, 1, name="b", position=(2, 0, 0), velocity=(0.1, 0.2, 0.3)))
        handle = sim.add(joint)
        assert len(handle.position) == coordinates, handle.kind
        sim.run(0.1)
        assert handle.error < 1e-2, handle.kind
        if handle.kind == "fixed":
            np.testing.assert_allclose(b.velocity, 0, atol=1e-9)


def test_a_gear_couples_two_hinges():
    sim = ss.Simulator(gravity=(0, 0, 0))
    hinges = []
    for k in range(2):
        wheel = sim.add(ss.Body.cylinder(0.4, 0.1, position=(k, 0, 0)))
        hinges.append(sim.add(ss.Joint.revolute("world", wheel, anchor=(k, 0, 0))))
    sim.add(ss.Joint.gear(*hinges, ratio=2.0))
    sim.bodies[0].angular_velocity = (0, 0, 1)
    sim.run(0.5)
    assert hinges[0].position[0] == pytest.approx(-2 * hinges[1].position[0], abs=1e-6)
    assert abs(hinges[0].position[0]) > 0.1


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: ss.Joint.revolute("a", "b", axs=(0, 0, 1)), "a joint has no 'axs'"),
        (lambda: ss.Joint.revolute("a", "b", motor={"speed": 1}), "motor has the keys"),
        (lambda: ss.Joint.generic("a", "b", ["free"]), "6 are needed"),
        (lambda: ss.Joint.generic("a", "b", ["loose"] * 6), "'free', 'locked' or two limits"),
        (lambda: ss.Simulator().add(ss.Joint.fixed("a", "world")), 'no body is named "a"'),
    ],
)
def test_mistakes(make, text):
    with pytest.raises(ss.ModelError) as caught:
        make()
    assert text in str(caught.value)


def test_joints_come_before_the_first_step():
    sim, bob, _ = pendulum()
    with pytest.raises(ss.ModelError, match="no joint is named"):
        sim.joint("axle")
    sim.step()
    with pytest.raises(ss.ModelError, match="before the first step"):
        sim.add(ss.Joint.fixed("world", bob))
    assert len(sim.joints) == 1
