"""Sensors and actuators."""

import re
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


ARM = """<mujoco><worldbody>
<geom name="floor" type="plane" size="5 5 1"/><site name="eye" pos="0 0 3" euler="180 0 0"/>
<body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/><geom type="box" size="0.5 0.05 0.05" pos="0.5 0 0" mass="2"/>
<site name="elbow" pos="1 0 0" euler="0 30 0"/>
<body name="hand" pos="1 0 0" euler="10 20 30"><joint name="wrist" axis="0 0 1"/><geom type="box" size="0.2 0.05 0.1" pos="0.2 0 0" mass="1"/>
<site name="tip" pos="0.3 0.1 0" euler="20 40 60"/></body></body>
<body name="ball" pos="3 0 0.2"><freejoint/><geom size="0.2" mass="1.5"/>
<site name="sole" pos="0 0 -0.2" size="0.05"/><site name="crown" pos="0 0 0.2" size="0.05"/></body>
</worldbody>
<actuator><motor name="drive" joint="hinge" gear="4"/></actuator>
<sensor><accelerometer name="a" site="tip"/><gyro name="g" site="tip"/><velocimeter name="v" site="tip"/>
<force name="f" site="tip"/><torque name="t" site="tip"/><force name="f2" site="elbow"/><torque name="t2" site="elbow"/>
<touch name="under" site="sole"/><touch name="over" site="crown"/><rangefinder name="range" site="eye"/>
<jointpos name="q" joint="wrist"/><jointvel name="w" joint="wrist"/><actuatorpos name="ap" actuator="drive"/>
<actuatorvel name="av" actuator="drive"/>
<framepos name="p" objtype="site" objname="tip"/><framepos name="pr" objtype="site" objname="tip" reftype="site" refname="elbow"/>
<framequat name="quat" objtype="xbody" objname="hand"/><framexaxis name="x" objtype="site" objname="tip"/>
<framezaxis name="z" objtype="site" objname="tip" reftype="xbody" refname="arm"/>
<framelinvel name="lv" objtype="site" objname="tip" reftype="site" refname="elbow"/>
<frameangvel name="wv" objtype="site" objname="tip" reftype="site" refname="elbow"/>
<subtreecom name="com" body="arm"/><subtreelinvel name="mv" body="arm"/><subtreeangmom name="am" body="arm"/>
<clock name="now"/></sensor></mujoco>"""


def test_sensors_of_a_file_show_what_mujoco_shows(tmp_path):
    """Positions and velocities at the same state; forces and accelerations at rest and over a short step."""
    mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")
    file = tmp_path / "arm.xml"
    # alone: beside bodies that move by themselves, forces in joints are those of a semi-implicit step
    alone = re.sub(r'<body name="ball".*?</body>', "", ARM, flags=re.DOTALL)
    file.write_text(re.sub(r"<touch .*?/>", "", alone))
    h = 1e-5
    sim = ss.load_robot(file, step=h)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    for name, q, w in (("hinge", 0.4, 1.5), ("wrist", -0.7, -2.0)):
        at = model.joint(name)
        data.qpos[at.qposadr[0]], data.qvel[at.dofadr[0]] = q, w
        sim.joint(name).position = [q]
    for name, w in (("hinge", 1.5), ("wrist", -2.0)):
        sim.joint(name).velocity = [w]
    model.opt.timestep = h
    mujoco.mj_forward(model, data)

    def theirs(name):
        s = model.sensor(name)
        return data.sensordata[s.adr[0] : s.adr[0] + s.dim[0]]

    assert set(sim.sensors) == {model.sensor(k).name for k in range(model.nsensor)}
    for name in "g v q w ap av p pr quat x z lv wv com mv am range".split():
        ours, right = np.atleast_1d(sim.sensors[name].value), theirs(name)
        if name == "quat" and right @ ours < 0:
            right = -right
        assert np.allclose(ours, right, atol=1e-9), (name, ours, right)
    sim.step()
    # the means over a step of 10 us
    for name in "a f t f2 t2".split():
        ours, right = sim.sensors[name].value, theirs(name)
        assert np.allclose(ours, right, rtol=1e-3, atol=1e-3), (name, ours, right)
    assert sim.sensors["now"].value == h


def test_a_touch_sensor_feels_true_contact_forces(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text(ARM)
    sim = ss.load_robot(file, step=1e-3)
    sim.step(50)
    assert abs(sim.sensors["under"].value - 1.5 * 9.81) < 1e-6
    assert sim.sensors["over"].value == 0.0
    assert repr(sim.sensors["under"]) == "<touch 'under'>"
