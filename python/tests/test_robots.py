"""Robots from files, two in one simulator, and scenes written to files."""

import importlib.util
import math
import pathlib
import pickle
import warnings

import numpy as np
import pytest

import stickslip as ss

ARM = pathlib.Path(__file__).parents[2] / "scenes" / "robots" / "arm.urdf"
MASS = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="{izz}"/></inertial>'


def pendulum(folder, izz=0.1, dynamics='<dynamics damping="0.5"/>'):
    """A rod on a hinge with damping and a largest effort of 7 N m."""
    file = folder / "rod.urdf"
    file.write_text(
        f'<robot name="r"><link name="world"/><link name="rod">{MASS.format(izz=izz)}</link>'
        '<joint name="hinge" type="revolute"><parent link="world"/><child link="rod"/>'
        f'<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="7" velocity="2"/>{dynamics}'
        "</joint></robot>"
    )
    return file


def test_two_robots_move_as_one_does_alone():
    """Robots that do not meet move as they do alone; a pickle of both goes on the same way."""
    alone = ss.load_robot(ARM, base="fixed", stabilization="shake")
    both = ss.Simulator(stabilization="shake")
    first = both.add_robot(ARM, prefix="a ", base="fixed")
    ball = both.add(ss.Body.sphere(0.1, name="ball", position=(0, 0, 99)))
    both.add_robot(ARM, prefix="b ", position=(50, 0, 0), base="fixed")
    assert [body.name for body in first] == [f"a {body.name}" for body in alone.bodies]
    assert both["a hand"].body is None and ball.body is not None
    alone.step(20)
    both.step(20)
    copy = pickle.loads(pickle.dumps(both))
    for body in alone.bodies:
        for sim in (both, copy):
            for prefix, shift in (("a ", 0.0), ("b ", 50.0)):
                moved = sim[prefix + body.name].position - (shift, 0, 0)
                assert np.abs(moved - body.position).max() < 1e-9, body.name
    copy.step(5)
    both.step(5)
    assert np.array_equal(copy.positions, both.positions)
    with pytest.raises(ss.ModelError, match="before the first step"):
        both.add_robot(ARM, prefix="c ")


def test_a_robot_is_added_whole_or_not_at_all():
    """Names that are taken leave the simulator as it was."""
    sim = ss.Simulator()
    sim.add_robot(ARM)
    before = [body.name for body in sim.bodies]
    with pytest.raises(ss.ModelError, match="named"):
        sim.add_robot(ARM)
    assert [body.name for body in sim.bodies] == before
    with pytest.raises(ss.ModelError, match="'feet'"):
        sim.add_robot(ARM, feet=2)


def test_motors_keep_damping_and_effort(tmp_path):
    """A motor neither replaces the damping of its joint nor exceeds its effort."""
    sim = ss.load_robot(pendulum(tmp_path), gravity=(0, 0, 0))
    hinge = sim.joint("hinge")
    assert hinge.motor is None
    # A spring far away pulls with the effort; damping 0.5 opposes: terminal speed 7 / 0.5 is
    # never reached, but the first step's acceleration says both.
    hinge.motor = {"target_position": 1000.0, "stiffness": 100.0}
    assert hinge.motor["max_force"] == 7.0 and hinge.motor["damping"] == 0.0
    sim.step()
    assert hinge.velocity[0] == pytest.approx(0.01 * 7 / 0.1, rel=1e-9)
    # Without motor the damping is left: v' = -0.5 / 0.1 v.
    hinge.motor = None
    v = hinge.velocity[0]
    sim.step()
    assert hinge.velocity[0] == pytest.approx(v * math.exp(-0.01 * 0.5 / 0.1), rel=1e-9)
    # With a motor of its own damping both add up.
    hinge.motor = {"target_position": 0.0, "stiffness": 0.0, "damping": 1.0, "max_force": math.inf}
    v = hinge.velocity[0]
    sim.step()
    assert hinge.velocity[0] == pytest.approx(v * math.exp(-0.01 * 1.5 / 0.1), rel=1e-9)


def test_velocity_motors_keep_the_limit_of_the_file(tmp_path):
    """The file says 2 rad/s; a motor that asks for more turns at that."""
    sim = ss.load_robot(pendulum(tmp_path), gravity=(0, 0, 0))
    hinge = sim.joint("hinge")
    hinge.motor = {"target_velocity": 10.0}
    sim.step(50)
    assert hinge.velocity[0] == pytest.approx(2.0, rel=1e-9)


def test_inverse_dynamics_counts_damping_and_friction(tmp_path):
    """tau = J a + d v + f sign(v) for a rod about its centre of mass."""
    file = pendulum(tmp_path, dynamics='<dynamics damping="0.5" friction="0.3"/>')
    sim = ss.load_robot(file, gravity=(0, 0, 0))
    hinge = sim.joint("hinge")
    for v in (1.5, -0.7):
        hinge.velocity = [v]
        expected = 0.1 * 4.0 + 0.5 * v + 0.3 * math.copysign(1, v)
        assert ss.inverse_dynamics(sim, [hinge], [4.0])[0] == pytest.approx(expected, rel=1e-12)
        assert sim.joint_space.inverse_dynamics([4.0])[0] == pytest.approx(expected, rel=1e-12)


def test_faults_are_warnings_or_errors(tmp_path):
    """What is mended is told, and refused with strict."""
    file = pendulum(tmp_path, izz=9)
    with pytest.warns(UserWarning, match="nearest possible"):
        ss.load_robot(file)
    with pytest.raises(ss.StickslipError, match=r"rod\.urdf:1"):
        ss.load_robot(file, strict=True)
    with pytest.warns(UserWarning, match="4 is not in -3 to 3"):
        ss.load_robot(pendulum(tmp_path), positions={"hinge": 4})


def test_mjcf(tmp_path):
    """A model of MuJoCo: its bodies, joints and floor."""
    file = tmp_path / "cart.xml"
    file.write_text(
        '<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1" pos="0 0 -5"/>'
        '<body name="cart"><joint name="slide" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/>'
        '<body name="pole"><joint name="hinge" axis="0 1 0"/>'
        '<geom type="capsule" size="0.02" fromto="0 0 0 0 0 1" mass="1"/></body></body></worldbody></mujoco>'
    )
    sim = ss.load_robot(file, positions={"hinge": math.pi / 2})
    assert [body.name for body in sim.bodies] == ["floor", "cart", "pole"]
    assert np.allclose(sim["pole"].position, (0.5, 0, 0))
    assert sim["floor"].static and sim["cart"].mass == 2.0
    sim.step(10)
    assert sim["pole"].velocity[2] < 0


TWINS = sorted((pathlib.Path(__file__).parents[1] / "scenes").glob("*.py"))


@pytest.mark.parametrize("script", TWINS, ids=lambda path: path.stem)
def test_saved_scenes_are_the_same(script, tmp_path):
    """A simulator written to a scene file and loaded again makes the same steps."""
    spec = importlib.util.spec_from_file_location(script.stem, script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sim = module.build()
    sim.save(tmp_path / "scene.toml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = ss.load_scene(tmp_path / "scene.toml")
    assert [b.name for b in again.bodies] == [b.name for b in sim.bodies]
    assert [j.name for j in again.joints] == [j.name for j in sim.joints]
    mine, theirs = dict(sim.settings), dict(again.settings)
    assert mine == theirs
    sim.before_step = sim.after_step = None
    sim.step(3)
    again.step(3)
    assert np.abs(sim.positions - again.positions).max() < 1e-9
    assert np.abs(sim.velocities - again.velocities).max() < 1e-7


def test_saved_robots_are_imports(tmp_path):
    """Robots are written as imports, with the motors they have now."""
    sim = ss.Simulator(stabilization="shake")
    sim.add(ss.Body.plane(name="floor", position=(0, 0, -1)))
    sim.add_robot(ARM, prefix="a ", base="fixed", positions={"elbow": 0.3})
    sim.joint("a elbow").motor = {"target_position": 0.3, "stiffness": 50.0, "damping": 1.0}
    sim.save(tmp_path / "scene.toml")
    again = ss.load_scene(tmp_path / "scene.toml")
    sim.step(10)
    again.step(10)
    for body in sim.bodies:
        assert np.abs(again[body.name].position - body.position).max() < 1e-12
    assert again.joint("a elbow").motor == sim.joint("a elbow").motor


def test_saved_motors_and_poses_of_loaded_robots(tmp_path):
    """A robot that was loaded is saved with the motors it has now and where its joints were put."""
    sim = ss.load_robot(ARM, base="fixed", step=0.005, gravity=(0, 0, -3))
    held = [joint for joint in sim.joints if joint.kind == "revolute"]
    for joint in held:
        joint.motor = {"target_position": 0.2, "stiffness": 50.0, "damping": 5.0}
    held[0].motor = {"target_position": 0.2, "stiffness": 5e4, "damping": 50.0, "max_force": math.inf}
    sim.joint("elbow").position = [0.3]
    sim.save(tmp_path / "scene.toml")
    again = ss.load_scene(tmp_path / "scene.toml")
    assert [j.motor for j in again.joints] == [j.motor for j in sim.joints]
    assert "max_force" not in held[0].motor and "max_force" in held[1].motor
    assert again.joint("elbow").position[0] == pytest.approx(0.3, abs=1e-12)
    sim.step(10)
    again.step(10)
    for body in sim.bodies:
        assert np.abs(again[body.name].position - body.position).max() < 1e-9
    # once more, from what was loaded, with another motor and one fewer
    again.joint("elbow").motor = None
    again.joint("shoulder").motor = {"target_velocity": 0.1}
    again.save(tmp_path / "other.toml")
    other = ss.load_scene(tmp_path / "other.toml")
    assert other.joint("shoulder").motor == again.joint("shoulder").motor
    assert (other.joint("elbow").motor or {"stiffness": 0.0})["stiffness"] == 0.0


def test_saved_scenes_that_were_loaded_keep_their_new_motors(tmp_path):
    """Motors of [[joint]] are written where they stand."""
    file = tmp_path / "a.toml"
    file.write_text(
        '[[body]]\nname = "rod"\nshape = { type = "box", size = [1, 0.1, 0.1] }\n'
        '[[joint]]\nname = "hinge"\ntype = "revolute"\nbodies = ["world", "rod"]\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\n'
        'armature = 2.0\nmotor = { target_velocity = 1.0 }\n'
    )
    sim = ss.load_scene(file)
    sim.joint("hinge").motor = {"target_position": 1.0, "stiffness": 3.0}
    sim.save(tmp_path / "b.toml")
    again = ss.load_scene(tmp_path / "b.toml")
    assert again.joint("hinge").motor == sim.joint("hinge").motor
    sim.joint("hinge").motor = None
    sim.save(tmp_path / "b.toml")
    assert ss.load_scene(tmp_path / "b.toml").joint("hinge").motor is None


def test_what_a_file_cannot_hold_is_told(tmp_path):
    """Bodies on joints that were moved before the first step are where they were made."""
    sim = ss.Simulator()
    rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
    sim.add(ss.Joint.revolute("world", rod, name="hinge", axis=(0, 0, 1)))
    sim.save(tmp_path / "a.toml")
    sim.qpos = [0.5]
    with pytest.warns(UserWarning, match="hinge"):
        sim.save(tmp_path / "a.toml")


def test_armature_of_a_model(tmp_path):
    """M = m l² + a, and the energy is that of M."""
    file = tmp_path / "rod.xml"
    file.write_text(
        '<mujoco><worldbody><body name="bob"><joint name="hinge" axis="0 1 0" armature="0.7"/>'
        '<geom size="0.1" pos="1 0 0" mass="2"/></body></worldbody></mujoco>'
    )
    sim = ss.load_robot(file, gravity=(0, 0, 0))
    inertia = 2 * (1 + 0.4 * 0.01) + 0.7
    assert sim.joint_space.mass_matrix()[0, 0] == pytest.approx(inertia, rel=1e-12)
    assert ss.inverse_dynamics(sim, ["hinge"], [3.0])[0] == pytest.approx(3 * inertia, rel=1e-12)
    sim.joint("hinge").velocity = [2.0]
    assert sim.energy == pytest.approx(0.5 * inertia * 4.0, rel=1e-12)
