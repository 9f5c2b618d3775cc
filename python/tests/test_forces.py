"""Force elements from Python."""

import gc
import importlib.util
import pathlib
import pickle
import weakref

import numpy as np
import pytest

import stickslip as ss


def governor(h):
    """Height of the slider of the flyball governor of `bench/iftomm.py` after 0.5 s."""
    file = pathlib.Path(__file__).parents[2] / "bench" / "iftomm.py"
    spec = importlib.util.spec_from_file_location("iftomm", file)
    iftomm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(iftomm)
    sim, slider = iftomm.flyball(h, "auto")
    report = sim.step(round(0.5 / h))
    assert report.solves == 0 and report.failures == 0
    assert max(joint.error for joint in sim.joints) < 1e-12
    return slider.position[2]


def test_stiff_springs_between_links_are_of_second_order():
    """Couplers of 8e5 N/m and 4e4 N s/m, in steps that are too long to follow them."""
    exact = governor(5e-4)
    coarse, fine = abs(governor(0.01) - exact), abs(governor(0.005) - exact)
    assert coarse < 1e-2 and 3.0 < coarse / fine < 5.0, (coarse, fine)


def swing(force, **more):
    """A mass of 1 kg that starts 1 m from where a spring holds it."""
    sim = ss.Simulator(step=0.02, gravity=(0, 0, 0), **more)
    ball = sim.add(ss.Body.sphere(0.1, name="ball", mass=1, position=(1, 0, 0)))
    sim.add(force(ball))
    return sim, ball


@pytest.mark.parametrize("integrator", ["auto", "gauss"])
def test_a_function_is_as_good_as_a_spring(integrator):
    """cos(3 t): a hook that holds its force over the step is of first order."""
    spring = lambda ball: ss.Force.spring("world", ball, stiffness=9, rest_length=0)
    function = lambda ball: ss.Force.function(lambda s: {ball: -9 * s.positions[s.index_of(ball)]})
    for force in (spring, function):
        sim, ball = swing(force, integrator=integrator)
        sim.step(100)
        assert abs(ball.position[0] - np.cos(6)) < 1e-9


def test_what_a_function_raises_comes_out():
    def broken(state):
        raise ValueError("no such force")

    sim, _ = swing(lambda ball: ss.Force.function(broken))
    with pytest.raises(ValueError, match="no such force"):
        sim.step()
    for wrong in ({"nobody": (0, 0, 0)}, {"ball": (1, 2)}, {"ball": (np.nan, 0, 0)}):
        sim, _ = swing(lambda ball, wrong=wrong: ss.Force.function(lambda s: wrong))
        with pytest.raises(ss.ModelError):
            sim.step()


def test_a_function_that_knows_its_simulator_is_collected():
    sim, ball = swing(lambda ball: ss.Force.function(lambda s: {ball: (0, 0, 0)}))
    sim.step()
    watched = weakref.ref(sim._engine) if hasattr(type(sim._engine), "__weakref__") else None
    twin = sim.clone()
    mark = weakref.ref(sim)
    del sim, ball, twin
    gc.collect()
    assert mark() is None and (watched is None or watched() is None)


def test_clones_and_pickles_keep_their_forces():
    sim, ball = swing(lambda ball: ss.Force.spring("world", ball, stiffness=9, rest_length=0))
    others = [sim.clone(), pickle.loads(pickle.dumps(sim))]
    sim.step(50)
    for other in others:
        other.step(50)
        assert other["ball"].position.tolist() == ball.position.tolist()
    clone, _ = swing(lambda ball: ss.Force.function(lambda s: {"ball": (1, 0, 0)}))
    twin = clone.clone()
    twin.step(10)
    assert np.isclose(twin["ball"].velocity[0], 0.2)


def test_scenes_with_forces_are_written(tmp_path):
    sim = ss.Simulator(step=0.01)
    a, b = (sim.add(ss.Body.sphere(0.1, name=n, position=(x, 0, 0))) for n, x in (("a", 1), ("b", 3)))
    hinge = sim.add(ss.Joint.revolute("world", a, name="hinge", axis=(0, 1, 0)))
    sim.add(ss.Force.spring(a, b, stiffness=50, damping=1, anchor=(1, 0, 0.1)))
    sim.add(ss.Force.joint_spring(hinge, stiffness=8, damping=1, position=0.2))
    sim.add(ss.Force.bushing("world", b, anchor=(3, 0, 0), stiffness=(9, 8, 7, 6, 5, 4)))
    sim.add(ss.Force.gravity_compensation(b, 0.5))
    file = tmp_path / "scene.toml"
    sim.save(file)
    again = ss.load_scene(file)
    sim.step(30)
    again.step(30)
    assert np.array_equal(sim.positions, again.positions)
    assert abs(sim.energy - again.energy) < 1e-12


def test_nonsense_is_refused():
    sim, ball = swing(lambda ball: ss.Force.spring("world", ball, stiffness=9, name="s"))
    wrong = [
        lambda: ss.Force.spring(ball, ball, stiffness=1),
        lambda: ss.Force.spring("world", ball, stiffness=-1),
        lambda: ss.Force.spring("world", ball, stiffness=(1, 2)),
        lambda: ss.Force.spring("world", "nobody"),
        lambda: ss.Force.spring("world", ball, name="s"),
        lambda: ss.Force.joint_spring("nothing"),
        lambda: ss.Force.function(3),
    ]
    for make in wrong:
        with pytest.raises(ss.StickslipError):
            sim.add(make())
    sim.step()
    with pytest.raises(ss.ModelError, match="before the first step"):
        sim.add(ss.Force.gravity_compensation(ball))
