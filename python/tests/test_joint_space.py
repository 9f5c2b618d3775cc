"""Joint coordinates: positions and rates, dynamics, inverse kinematics, whole states."""

import pathlib
import sysconfig
import warnings

import numpy as np
import pytest

import stickslip as ss

ARM = pathlib.Path(__file__).parents[2] / "scenes" / "robots" / "arm.urdf"
DATA = pathlib.Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
#: Robots of the wheel example-robot-data that others made, and how their root stands.
ROBOTS = {
    "panda_description/urdf/panda.urdf": "fixed",
    "ur_description/urdf/ur5_robot.urdf": "fixed",
    "ur_description/urdf/ur10_robot.urdf": "fixed",
    "xarm_description/urdf/xarm7.urdf": "fixed",
    "z1_description/urdf/z1.urdf": "fixed",
    "kinova_description/robots/kinova.urdf": "fixed",
    "double_pendulum_description/urdf/double_pendulum.urdf": "fixed",
    "a1_description/urdf/a1.urdf": "floating",
    "laikago_description/urdf/laikago.urdf": "floating",
    "solo_description/robots/solo12.urdf": "floating",
    "go1_description/urdf/go1.urdf": "floating",
    "go2_description/urdf/go2.urdf": "floating",
    "talos_data/robots/talos_reduced.urdf": "floating",
    "simple_humanoid_description/urdf/simple_humanoid.urdf": "floating",
}


def arm(**settings):
    return ss.load_robot(ARM, base="fixed", **settings)


def loaded(file, base):
    """The robot, and whether its masses are those of the file."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sim = ss.load_robot(file, base=base, collision="none", gravity=(0, 0, -9.81))
    return sim, not any("mass" in str(w.message) or "inertia" in str(w.message) for w in told)


def test_accelerations_of_ten_robots_are_those_of_pinocchio():
    """Mass matrix, inverse and forward dynamics at random states, to 1e-9."""
    pin = pytest.importorskip("pinocchio", reason="pip install pin example-robot-data")
    tried: list[str] = []
    for name, base in ROBOTS.items():
        file = DATA / name
        if not file.exists():
            continue
        sim, as_given = loaded(file, base)
        joints = [place for place in sim.joint_space.layout if place.joint is not None]
        joints = [place for place in joints if place.qvel.stop > place.qvel.start]
        root = [] if base == "fixed" else [pin.JointModelFreeFlyer()]
        model = pin.buildModelFromUrdf(str(file), *root)
        names = [n for n in model.names if n not in ("universe", "root_joint")]
        if not as_given or sorted(names) != sorted(place.joint for place in joints):
            continue
        rng = np.random.default_rng(len(tried))
        data = model.createData()
        q, v, a = sim.qpos, sim.qvel, rng.normal(size=model.nv)
        columns = np.zeros(model.nv, dtype=int)
        pq, pv = pin.neutral(model), np.zeros(model.nv)
        for place in joints:
            joint = model.joints[model.getJointId(place.joint)]
            angle, rate = rng.uniform(-1, 1), rng.normal()
            q[place.qpos], v[place.qvel] = angle, rate
            pq[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
            pv[joint.idx_v] = rate
            columns[joint.idx_v] = place.qvel.start
        sim.qpos, sim.qvel = q, v
        space = sim.joint_space
        # Of a robot that floats the joints alone are compared: Pinocchio's base moves with the root frame,
        # ours with the centre of mass.
        first = 0 if base == "fixed" else 6
        places = columns[first:]
        full = pin.crba(model, data, pq)
        expected = (np.triu(full) + np.triu(full, 1).T)[first:, first:]
        mass = space.mass_matrix()[np.ix_(places, places)]
        assert np.abs(mass - expected).max() < 1e-9 * np.abs(expected).max(), name
        wanted = np.zeros(len(v))
        wanted[places], a[:first] = a[first:], 0.0
        tau = space.inverse_dynamics(wanted, passive=False)[places]
        expected = pin.rnea(model, data, pq, pv, a)[first:]
        if base == "fixed":
            assert np.abs(tau - expected).max() < 1e-9 * (1 + np.abs(expected).max()), name
        if any(joint.kind == "gear" for joint in sim.joints):
            continue  # Pinocchio leaves mimic joints free
        force, forces = rng.normal(size=len(v)), np.zeros(model.nv)
        force[: len(v) - len(places)] = 0.0
        forces[first:] = force[places]
        found = space.forward_dynamics(force)[places]
        expected = pin.aba(model, data, pq, pv, forces)[first:]
        assert np.abs(found - expected).max() < 1e-9 * (1 + np.abs(expected).max()), name
        tried.append(name)
    if not tried:
        pytest.skip("example-robot-data is not installed")
    assert len(tried) >= 10, f"only {tried} were compared"


def test_positions_and_rates_come_back():
    """What is set is read, joints are closed to round-off, and bodies stand where kinematics has them."""
    sim = arm()
    rng = np.random.default_rng(5)
    for _ in range(20):
        q, v = rng.uniform(-0.3, 0.3, len(sim.qpos)), rng.normal(size=len(sim.qvel))
        sim.qpos, sim.qvel = q, v
        assert np.abs(sim.qpos - q).max() < 1e-12 and np.abs(sim.qvel - v).max() < 1e-12, "seed 5"
        assert max(joint.error for joint in sim.joints if joint.kind != "gear") < 1e-14
        chain = ss.Chain(sim, "hand")
        assert np.abs(chain.forward(chain.position)[0] - sim["hand"].position).max() < 1e-12
        speed = chain.jacobian() @ chain.velocity
        assert np.abs(speed[:3] - sim["hand"].velocity).max() < 1e-12
        columns = sim.joint_space.jacobian("hand") @ v
        assert np.abs(columns - speed).max() < 1e-12


def test_one_joint_is_set_and_the_rest_stays():
    sim = arm()
    sim.joint("elbow").position = 0.25
    sim.joint("shoulder").velocity = -1.5
    values = {joint.name: (joint.position.tolist(), joint.velocity.tolist()) for joint in sim.joints}
    assert abs(values["elbow"][0][0] - 0.25) < 1e-13 and abs(values["shoulder"][1][0] + 1.5) < 1e-13
    assert abs(values["turn"][0][0]) < 1e-13 and abs(values["elbow"][1][0]) < 1e-13
    with pytest.raises(ss.ModelError, match="2 numbers, but the joint has 1"):
        sim.joint("elbow").position = (1, 2)
    with pytest.raises(ss.ModelError, match="positions"):
        sim.qpos = np.zeros(99)
    with pytest.raises(ss.ModelError, match="finite"):
        sim.qvel = np.full(len(sim.qvel), np.nan)


def test_turns_do_not_wrap():
    """A hinge set to several turns says so."""
    sim = ss.Simulator(gravity=(0, 0, 0))
    rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
    hinge = sim.add(ss.Joint.revolute("world", rod, axis=(0, 0, 1)))
    hinge.position = 20.0
    assert abs(hinge.position[0] - 20.0) < 1e-12
    hinge.velocity = 1.0
    sim.step(10)
    assert abs(hinge.position[0] - 20.1) < 1e-9


def test_free_bodies_and_balls_have_quaternions():
    sim = ss.Simulator(gravity=(0, 0, 0))
    sim.add(ss.Body.box(1, 1, 1, name="box", position=(0, 0, 5)))
    bob = sim.add(ss.Body.sphere(0.1, name="bob", position=(1, 0, 0)))
    sim.add(ss.Joint.spherical("world", bob, anchor=(0, 0, 0)))
    assert len(sim.qpos) == 11 and len(sim.qvel) == 9
    half = np.sqrt(0.5)
    sim.qpos = [1, 2, 3, half, 0, 0, half, half, 0, 0, half]
    assert np.abs(sim["box"].position - (1, 2, 3)).max() < 1e-14
    assert np.abs(sim["bob"].position - (0, 1, 0)).max() < 1e-14
    assert np.abs(sim.qpos[3:] - np.array([half, 0, 0, half, half, 0, 0, half])).max() < 1e-14
    with pytest.raises(ss.ModelError, match="quaternion"):
        sim.qpos = np.zeros(11)


def test_loops_have_no_joint_coordinates():
    sim = ss.load_scene("four-bar")
    with pytest.raises(ss.ModelError, match="trees"):
        _ = sim.qpos


def test_inverse_kinematics_reaches_what_can_be_reached():
    """Goals made by random positions within the limits are met; beyond its reach the arm says so."""
    sim = arm()
    rng = np.random.default_rng(8)
    twin = sim.clone()
    met = 0
    for _ in range(30):
        twin.qpos = rng.uniform(-0.3, 0.3, len(sim.qpos))
        goal = twin["hand"].position.copy()
        found = sim.joint_space.ik("hand", goal)
        twin.qpos = found.qpos
        assert abs(np.linalg.norm(twin["hand"].position - goal) - found.error) < 1e-12
        met += found.success
    assert met == 30, f"seed 8: {met} of 30"
    far = sim.joint_space.ik("hand", (100, 0, 0))
    assert not far.success and far.error > 90
    for place in sim.joint_space.layout:
        assert np.isfinite(far.qpos[place.qpos]).all()


def test_inverse_kinematics_keeps_limits():
    sim = ss.Simulator()
    rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
    sim.add(ss.Joint.revolute("world", rod, axis=(0, 0, 1), limits=(-1, 0.5)))
    found = sim.joint_space.ik(rod, (0, 0.5, 0))
    assert not found.success and abs(found.qpos[0] - 0.5) < 1e-9


def stack(**settings):
    sim = ss.Simulator(**settings)
    sim.add(ss.Body.plane())
    for k in range(3):
        sim.add(ss.Body.box(1, 1, 1, position=(0.1 * k, 0, 0.5 + 1.01 * k)))
    return sim


def test_a_state_goes_on_bit_for_bit():
    """As an array, in another simulator of the same scene, and after reset."""
    sim, twin = stack(), stack()
    first = sim.state
    sim.step(30)
    kept = sim.state
    sim.step(30)
    twin.state = kept
    twin.step(30)
    assert np.array_equal(sim.state.view(np.uint64), twin.state.view(np.uint64))
    sim.reset()
    assert np.array_equal(sim.state[: sim.state_size], first[: sim.state_size])
    sim.step(30)
    assert np.array_equal(sim.state.view(np.uint64), kept.view(np.uint64))
    with pytest.raises(ss.ModelError, match="numbers or more"):
        sim.state = kept[:10]


def test_rollouts_are_the_runs_one_by_one():
    """The same numbers on any number of threads, and those of a simulator that starts there."""
    sim = arm()
    rng = np.random.default_rng(3)
    joints = [joint.name for joint in sim.joints if len(joint.position) > 0]
    controls = rng.normal(size=(12, 20, len(joints)))
    runs = [ss.rollout(sim, sim.state, controls, threads=n).states for n in (1, 2, 5)]
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])
    for k in (0, 7):
        twin = sim.clone()
        for control in controls[k]:
            for joint, force in zip(joints, control, strict=True):
                twin.joint(joint).apply(force)
            twin.step()
        assert np.array_equal(twin.state[: twin.state_size], runs[0][k, -1]), f"seed 3, run {k}"


def test_rollouts_of_motor_targets():
    sim = ss.Simulator(gravity=(0, 0, 0))
    rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
    motor = {"target_position": 0.0, "stiffness": 1e4, "damping": 200}
    sim.add(ss.Joint.revolute("world", rod, axis=(0, 0, 1), motor=motor))
    aims = np.linspace(-1, 1, 5)
    controls = np.repeat(aims[:, None, None], 200, axis=1)
    runs = ss.rollout(sim, sim.state, controls, control="target", every=200)
    for aim, state in zip(aims, runs.states[:, -1], strict=True):
        sim.state = state
        assert abs(sim.qpos[0] - aim) < 1e-3
    with pytest.raises(ss.ModelError, match="joints"):
        ss.rollout(sim, sim.state, np.zeros((1, 5, 3)))


def test_a_run_that_fails_is_told_and_the_others_go_on():
    sim = ss.Simulator(gravity=(0, 0, 0))
    ball = sim.add(ss.Body.sphere(0.1))
    sim.add(ss.Joint.prismatic("world", ball, axis=(1, 0, 0)))
    controls = np.zeros((3, 10, 1))
    controls[1] = 1e30
    runs = ss.rollout(sim, sim.state, controls)
    assert list(runs.errors) == [1] and np.isnan(runs.states[1, -1]).all()
    assert np.isfinite(runs.states[[0, 2]]).all()


def test_derivatives_of_a_pendulum():
    """The derivative of a step is that of the flow: volume is kept, and the linear pendulum's matrix."""
    sim = ss.Simulator(step=0.01, gravity=(0, 0, -10))
    bob = sim.add(ss.Body.sphere(0.01, position=(0, 0, -1), mass=1))
    sim.add(ss.Joint.revolute("world", bob, axis=(0, 1, 0)))
    inertia = 1 + 0.4 * 0.01**2
    found = ss.step_derivatives(sim)
    w = np.sqrt(10 / inertia)
    c, s = np.cos(w * 0.01), np.sin(w * 0.01)
    assert np.abs(found.state - [[c, s / w], [-w * s, c]]).max() < 1e-7
    assert np.abs(found.control[:, 0] - [(1 - c) / w**2 / inertia, s / w / inertia]).max() < 1e-7


def test_derivatives_of_a_free_body():
    """Rates of a free body turn and move it; six by six, twice."""
    sim = ss.Simulator(step=0.01, gravity=(0, 0, 0))
    sim.add(ss.Body.sphere(0.5, position=(0, 0, 5)))
    found = ss.step_derivatives(sim)
    eye, zero = np.eye(6), np.zeros((6, 6))
    assert np.abs(found.state - np.block([[eye, 0.01 * eye], [zero, eye]])).max() < 1e-6


@pytest.mark.parametrize(("above", "kinks"), [(3e-6, []), (0.0, [2])])
def test_derivatives_keep_the_contacts_of_the_step(above, kinks):
    """A box that comes to `above` over the ground in this step: beside it, lower by `epsilon`, it would be stopped."""
    sim = ss.Simulator(step=0.01, gravity=(0, 0, 0))
    sim.add(ss.Body.plane())
    sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.51 + above), velocity=(0, 0, -1)))
    found = ss.step_derivatives(sim)
    assert [k for k in found.kinks if k in (0, 1, 2)] == kinks
    if not kinks:
        eye, zero = np.eye(6), np.zeros((6, 6))
        assert np.abs(found.state - np.block([[eye, 0.01 * eye], [zero, eye]])).max() < 1e-6


def test_derivatives_of_a_box_that_slides_and_of_one_that_rests():
    """Rates across the ground change as they are while it slides, and are lost where it sticks."""
    for speed, kept in ((1.0, 1.0), (0.0, 0.0)):
        sim = ss.Simulator(step=0.01)
        sim.add(ss.Body.plane())
        sim.add(ss.Body.box(1, 1, 0.2, position=(0, 0, 0.1), velocity=(speed, 0, 0), friction=0.5))
        found = ss.step_derivatives(sim)
        assert found.kinks == []
        assert abs(found.state[6, 6] - kept) < 1e-5
        assert np.abs(found.state[8]).max() < 200.0 and abs(found.state[2, 8]) < 1e-6
