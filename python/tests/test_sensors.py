"""Sensors and actuators."""

import warnings

import numpy as np
import pytest

import stickslip as ss


def test_an_inertial_unit_on_a_turntable():
    """At the radius r it feels the centripetal acceleration and gravity, in its own axes."""
    sim = ss.Simulator(step=1e-3, gravity=(0, 0, -10))
    arm = sim.add(ss.Body.box(2, 0.1, 0.1, mass=1))
    hinge = sim.add(ss.Joint.revolute("world", arm))
    hinge.velocity = [3.0]
    sim.step(100)
    imu = arm.imu((0.5, 0, 0))
    # the mean over a step points to where the middle of the step was
    assert np.allclose(imu.specific_force, (-4.5, 0, 10), atol=0.01)
    assert np.allclose(imu.angular_velocity, (0, 0, 3))
    turned = arm.imu((0.5, 0, 0), (np.sqrt(0.5), 0, 0, np.sqrt(0.5)))
    assert np.allclose(turned.specific_force, (0, 4.5, 10), atol=0.01)


def test_a_falling_unit_feels_nothing():
    sim = ss.Simulator()
    ball = sim.add(ss.Body.sphere(1))
    with pytest.raises(ss.StepError):
        ball.imu()
    sim.step()
    assert np.allclose(ball.imu().specific_force, 0, atol=1e-9)


def test_a_servo_settles_where_its_control_says():
    sim = ss.Simulator(step=1e-3, gravity=(0, 0, 0))
    cart = sim.add(ss.Body.box(1, 1, 1, mass=1))
    rail = sim.add(ss.Joint.prismatic("world", cart, axis=(1, 0, 0)))
    drive = ss.Actuator(rail, gain=50, bias=(0, -50, -14), delay=0.01)
    sim.before_step = drive
    drive.control = 0.3
    sim.step(4000)
    assert abs(rail.position[0] - 0.3) < 1e-6


def test_joints_that_part_are_told():
    def run(**settings):
        sim = ss.Simulator(step=0.01, **settings)
        rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
        sim.add(ss.Joint.revolute("world", rod, axis=(0, 1, 0)))
        sim.run(0.5)

    with pytest.warns(UserWarning, match="joints parted by"):
        run(stabilization="none", integrator="semi-implicit")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run()


def test_a_start_outside_the_limits_is_refused():
    sim = ss.Simulator()
    rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
    with pytest.raises(ss.ModelError, match="outside its limits"):
        sim.add(ss.Joint.revolute("world", rod, limits=(1, 2)))
    hinge = sim.add(ss.Joint.revolute("world", rod, limits=(-1, 1)))
    with pytest.warns(UserWarning, match="outside its limits"):
        hinge.position = [1.5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.qpos = [1.0]
