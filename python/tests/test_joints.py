"""Joints from Python."""

import math
import pathlib
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


def test_joint_forces_and_motor_torque():
    sim = ss.Simulator()
    arm = sim.add(ss.Body.box(0.2, 0.1, 0.1, position=(0.5, 0, 0), mass=2.0))
    motor = {"target_velocity": 0.0}
    hinge = sim.add(ss.Joint.revolute("world", arm, axis=(0, -1, 0), motor=motor))
    with pytest.raises(ss.StepError, match="no step yet"):
        hinge.force
    sim.step()
    np.testing.assert_allclose(hinge.force, (0, 0, 2 * 9.81), atol=1e-9)
    np.testing.assert_allclose(hinge.torque, (0, -9.81, 0), atol=1e-9)
    assert hinge.motor_force == pytest.approx(9.81)


def arm_of_three(**settings):
    sim = ss.Simulator(stabilization="shake", **settings)
    parent, joints = "world", []
    for k in range(3):
        link = sim.add(ss.Body.box(0.4, 0.08, 0.08, position=(0.2 + 0.4 * k, 0, 1), mass=2.0))
        axis = [(0, 0, 1), (0, 1, 0), (0, 1, 0)][k]
        joints.append(sim.add(ss.Joint.revolute(parent, link, anchor=(0.4 * k, 0, 1), axis=axis)))
        parent = link
    return sim, joints


def test_chain_kinematics_match_the_bodies():
    sim, joints = arm_of_three(integrator="gauss")
    tip = sim.bodies[-1]
    chain = ss.Chain(sim, tip)
    assert [j.name for j in chain.joints] == [j.name for j in joints]
    sim.step(30)
    position, turn = chain.forward(chain.position)
    np.testing.assert_allclose(position, tip.position, atol=1e-9)
    assert abs(np.dot(turn, tip.orientation)) == pytest.approx(1)
    found = chain.jacobian() @ chain.velocity
    np.testing.assert_allclose(found[:3], tip.velocity, atol=1e-6)
    np.testing.assert_allclose(found[3:], tip.angular_velocity, atol=1e-6)
    with pytest.raises(ss.ModelError, match="3 coordinates"):
        chain.forward([0.0])
    lone = sim.add(ss.Body.sphere(0.1, position=(5, 0, 0)))
    with pytest.raises(ss.ModelError, match="no joint leads"):
        ss.Chain(sim, lone)


def test_computed_torque_follows_a_trajectory():
    sim, joints = arm_of_three()
    path = ss.Trajectory.between([0, 0, 0], [0.5, -0.4, 0.6], 0.0, 1.0)
    sim.before_step = ss.ComputedTorque(joints, path)
    sim.run(1.2)
    got = [j.position[0] for j in joints]
    np.testing.assert_allclose(got, [0.5, -0.4, 0.6], atol=2e-3)
    # Holding still, the torques are those of gravity alone.
    hold = ss.inverse_dynamics(sim, joints, [0, 0, 0])
    assert abs(hold[0]) < 1 and hold[1] < -9.81 * 2 * 0.2


def test_forces_on_joints():
    sim = ss.Simulator(gravity=(0, 0, 0))
    wheel = sim.add(ss.Body.cylinder(0.5, 0.1, mass=2.0))
    hinge = sim.add(ss.Joint.revolute("world", wheel))
    sim.before_step = lambda sim: hinge.apply(0.5)
    sim.step(100)
    assert hinge.velocity[0] == pytest.approx(0.5 / (0.5 * 2 * 0.25))
    with pytest.raises(ss.ModelError, match="1 coordinates"):
        hinge.apply(1.0, coordinate=3)


def test_paths_of_motors_and_their_mistakes():
    sim = ss.Simulator(gravity=(0, 0, 0))
    wheel = sim.add(ss.Body.cylinder(0.5, 0.1))
    motor = {"target_position": [(0, 0.3), (1, 1.3)], "stiffness": 1e6, "damping": 1e3}
    hinge = sim.add(ss.Joint.revolute("world", wheel, start=0.3, motor=motor))
    twin = pickle.loads(pickle.dumps(sim))
    for s in (sim, twin):
        s.run(0.5)
        assert s.joints[0].position[0] == pytest.approx(0.8, abs=1e-3)
    sim.run(1.0)
    assert hinge.position[0] == pytest.approx(1.3, abs=1e-5)
    # A motor that is set leaves the path.
    hinge.motor = {"target_velocity": 2.0}
    sim.step()
    assert hinge.velocity[0] == pytest.approx(2.0)
    for points, text in [
        ([(0, 1), (0, 2)], "two points at one time"), ([], "finite numbers"),
        ([(0, (1, 2))], "one is needed"), ([1, 2], "list of"), ([(0, math.nan)], "finite"),
    ]:  # fmt: skip
        with pytest.raises(ss.ModelError, match=text):
            ss.Joint.revolute("a", "b", motor={"target_velocity": points})


def test_a_robot_from_urdf():
    file = pathlib.Path(__file__).parents[2] / "scenes" / "robots" / "arm.urdf"
    sim = ss.load_robot(file, positions={"shoulder": 0.2}, step=0.005, stabilization="shake")
    assert sim.time_step == 0.005 and "hand" in sim and sim.name == "arm"
    assert sim.joint("shoulder").position[0] == pytest.approx(0.2)
    joints = ["turn", "shoulder", "elbow", "twist", "wrist-pitch", "wrist-turn"]
    path = ss.Trajectory.between([0, 0.2, 0, 0, 0, 0], [0.4, 0.5, 0.3, -0.2, 0.3, 0.6], 0, 0.5)
    sim.before_step = ss.PD(joints, path, 2e4, 500.0)
    sim.run(0.8)
    got = [sim.joint(j).position[0] for j in joints]
    np.testing.assert_allclose(got, path.position(1.0), atol=5e-3)
    with pytest.raises(ss.SceneError, match="no joint named \"knee\""):
        ss.load_robot(file, positions={"knee": 1.0})
    with pytest.raises(ss.SceneError, match="nowhere.urdf"):
        ss.load_robot("nowhere.urdf")
