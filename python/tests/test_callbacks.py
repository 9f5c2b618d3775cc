"""User functions and stages written in Python."""

import gc
import weakref

import numpy as np
import pytest

import stickslip as ss


def pgs(A, b, z0):
    """A student's solver."""
    z, D = z0.copy(), np.diag(A).copy()
    D[D == 0] = 1.0
    for k in range(2000):
        old = z.copy()
        for i in range(len(b)):
            z[i] = max(0.0, z[i] - (A[i] @ z + b[i]) / D[i])
        if np.abs(z - old).max() < 1e-12:
            break
    return z, k + 1


def frictionless(sim, contacts):
    """Stewart and Trinkle's problem without friction."""
    J, c = sim.jacobian(contacts)
    W = np.linalg.solve(sim.mass_matrix(), J.T)
    free = sim.free_velocity()
    A, b = J @ W, J @ free + c + contacts["gap"] / sim.time_step
    return A, b, lambda p: free + W @ p


def sphere_floor(sim):
    """Balls of radius 0.5 above the plane z = 0."""
    for ball in sim.bodies[1:]:
        low = ball.position - [0, 0, 0.5]
        yield ss.Contact("floor", ball, (low[0], low[1], 0), low, (0, 0, 1))


@pytest.fixture
def dropped():
    sim = ss.Simulator(step=0.01, friction="none", formulation="stewart-trinkle")
    sim.add(ss.Body.plane(name="floor"))
    sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 0.8), velocity=(1, 0, 0)))
    return sim


def test_user_functions_are_called_around_every_step(falling):
    seen = []
    falling.before_step = lambda sim: seen.append(("before", sim.steps))
    falling.after_step = lambda sim: seen.append(("after", sim.steps))
    falling.step(2)
    falling.run(0.01)
    assert seen == [("before", 0), ("after", 1), ("before", 1), ("after", 2), ("before", 2), ("after", 3)]


def test_the_log_holds_what_after_step_leaves(falling):
    def stop(sim):
        sim["ball"].velocity = (0, 0, 5)

    falling.after_step = stop
    log = falling.run(0.1)
    np.testing.assert_array_equal(log["ball"].velocity[1:, 2], np.full(10, 5.0))


def test_exceptions_come_out_as_they_were(falling):
    class Mine(Exception):
        pass

    def fail(sim):
        if sim.steps == 3:
            raise Mine("enough")

    falling.after_step = fail
    with pytest.raises(Mine, match="enough"):
        falling.run(1.0)
    assert falling.steps == 3 and len(falling.log) == 4
    falling.after_step = None
    falling.step()
    assert falling.steps == 4


@pytest.mark.parametrize("stage", ["detector", "formulation", "solver", "watch"])
def test_exceptions_of_stages_come_out_as_they_were(sliding, stage):
    def fail(*_):
        raise ZeroDivisionError("mine")

    if stage == "watch":
        sliding.solver = "pgs"
    setattr(sliding, stage, fail)
    with pytest.raises(ZeroDivisionError, match="mine"):
        sliding.step()
    if stage == "watch":
        sliding.watch = None
    else:
        setattr(sliding, stage, {"detector": "exact", "solver": "auto"}.get(stage, "separation"))
    sliding.step()


def test_a_user_function_may_not_step(falling):
    falling.before_step = lambda sim: sim.step()
    with pytest.raises(ss.BusyError):
        falling.step()
    falling.before_step = lambda sim: sim.run(1.0)
    with pytest.raises(ss.BusyError):
        falling.step()


def test_a_user_function_may_add_bodies_and_replace_itself(falling):
    def grow(sim):
        sim.add(ss.Body.sphere(0.1, position=(3.0 * len(sim), 0, 0)))
        if len(sim) == 4:
            sim.before_step = None

    falling.before_step = grow
    log = falling.run(0.1)
    assert len(falling) == 4 and len(log) == 11 and log.bodies == ["ball"]


def test_a_solver_in_numpy_runs_in_the_loop(sliding):
    twin = sliding.clone()
    sliding.formulation = twin.formulation = "stewart-trinkle"
    sliding.friction = twin.friction = "none"
    sliding.solver = pgs
    log = sliding.run(0.3)
    twin.run(0.3)
    assert log.summary["solver"] == "python"
    assert log.summary["diagnostics"]["solver"]["failures"] == 0
    np.testing.assert_allclose(sliding["cube"].position, twin["cube"].position, atol=1e-9)
    assert sliding.solver is pgs


def test_a_solver_for_true_friction_cones_gets_them(sliding):
    sliding.friction = "quadratic"
    twin = sliding.clone()
    seen = []

    def mine(A, b, z0, l, u, cones):
        seen.append(cones)
        return ss.lcp.solve(A, b, "nonsmooth-newton", l, u, z0, cones=cones).z

    sliding.solver = mine
    log = sliding.run(0.1)
    twin.run(0.1)
    assert log.summary["diagnostics"]["solver"]["failures"] == 0
    assert all(end - first == 3 and mu == 0.5 for first, end, mu, _ in seen[0])
    assert sliding.problem().kind == "cone"
    np.testing.assert_allclose(sliding["cube"].position, twin["cube"].position, atol=1e-7)


def test_a_wrong_solver_is_found_out(sliding):
    sliding.solver = lambda A, b, z0: np.zeros(len(b))
    report = sliding.step()
    assert report.failures == 1 and report.residual > 0
    sliding.on_unsolved = "stop"
    with pytest.raises(ss.StepError, match="residual"):
        sliding.step()
    sliding.solver = lambda A, b, z0: [1.0]
    with pytest.raises(ss.SolveError, match="shape"):
        sliding.step()
    sliding.solver = lambda A, b, z0: np.full(len(b), np.nan)
    with pytest.raises(ss.SolveError, match="nan|NaN"):
        sliding.step()


def test_a_detector_of_ones_own(dropped):
    twin = dropped.clone()
    dropped.detector = lambda sim: list(sphere_floor(sim))
    dropped.run(1.0), twin.run(1.0)
    assert dropped["ball"].position[2] == pytest.approx(0.5, abs=1e-9)
    np.testing.assert_allclose(dropped["ball"].position, twin["ball"].position, atol=1e-9)


@pytest.mark.parametrize("formulation", list(ss.formulations()))
def test_bodies_of_a_pair_left_out_pass_through_each_other(formulation):
    def height(keep):
        sim = ss.Simulator(formulation=formulation)
        sim.add(ss.Body.box(1, 1, 1, name="block", static=True))
        cube = sim.add(ss.Body.box(0.5, 0.5, 0.5, position=(0, 0, 0.8)))
        sim.detector = lambda sim: [row for row in sim.detect("exact") if keep]
        sim.run(0.6)
        return cube.position[2]

    h, n = 0.01, 60
    free = 0.8 - 9.81 * h * h * n * (n + 1) / 2
    assert abs(height(keep=False) - free) < 1e-9
    assert height(keep=True) > 0.6


def test_a_detector_may_filter_another(sliding):
    sliding.detector = lambda sim: sim.detect("exact")[:2]
    sliding.step()
    assert len(sliding.potential_contacts) == 2
    sliding.detector = lambda sim: [row for row in sim.detect() if row["gap"] > 1]
    sliding.step()
    assert sliding.problem() is None
    sliding.detector = lambda sim: [ss.Contact("floor", "nobody", (0, 0, 0), (0, 0, 0), (0, 0, 1))]
    with pytest.raises(ss.DetectError, match="nobody"):
        sliding.step()
    sliding.detector = lambda sim: [ss.Contact("floor", "cube", (0, 0, 0), (0, 0, 0), (0, 0, 2))]
    with pytest.raises(ss.DetectError, match="length 2"):
        sliding.step()


def test_a_formulation_of_ones_own(dropped):
    twin = dropped.clone()
    dropped.formulation = frictionless
    log = dropped.run(1.0)
    twin.run(1.0)
    assert log.summary["formulation"] == "python"
    np.testing.assert_allclose(dropped["ball"].position, twin["ball"].position, atol=1e-9)


def test_a_formulation_may_return_matrix_and_constant_alone(dropped):
    twin = dropped.clone()
    dropped.formulation = lambda sim, contacts: frictionless(sim, contacts)[:2]
    twin.formulation = frictionless
    dropped.run(1.0), twin.run(1.0)
    np.testing.assert_array_equal(dropped["ball"].position, twin["ball"].position)
    dropped.formulation = lambda sim, contacts: (np.eye(7), np.ones(7))
    with pytest.raises(ss.FormulateError, match="one unknown per contact, but there are 1 contacts"):
        dropped.step()


def test_all_three_stages_in_python(dropped):
    dropped.detector = sphere_floor
    dropped.formulation, dropped.solver = frictionless, pgs
    dropped.run(1.0)
    assert dropped["ball"].position[2] == pytest.approx(0.5, abs=1e-9)
    assert dropped["ball"].position[0] == pytest.approx(1.0)


def test_a_formulation_must_keep_its_contract(dropped):
    dropped.formulation = lambda sim, contacts: np.eye(1)
    with pytest.raises(ss.FormulateError, match=r"returns \(A, b, velocity\)"):
        dropped.step()
    dropped.formulation = lambda sim, contacts: (np.zeros((0, 0)), [], lambda z: [0.0])
    with pytest.raises(ss.FormulateError, match="gave 1 velocities, but there are 6"):
        dropped.step()


def test_stages_may_be_objects(sliding):
    class Mine:
        def solve(self, A, b, z0):
            return ss.lcp.solve(A, b).z

    sliding.solver = Mine()
    assert sliding.step().failures == 0
    with pytest.raises(ss.SettingsError, match="must be a name, a function, or an object"):
        sliding.solver = 3


def test_a_stage_may_look_but_not_touch(sliding):
    def touch(sim):
        assert sim.time == 0 and sim["cube"].velocity[0] == 1
        sim["cube"].velocity = (0, 0, 0)

    sliding.detector = touch
    with pytest.raises(ss.BusyError, match="cannot be changed"):
        sliding.step()


def test_the_watch_sees_iterates_and_stops_the_solver(sliding):
    sliding.solver, seen = "pgs", []
    sliding.watch = lambda k, z: seen.append((k, z.copy()))
    sliding.step()
    assert len(seen) == sliding.problem().iterations
    # Slip speeds are those of the impulses; the solver knows its own to its tolerance of 1e-8.
    np.testing.assert_allclose(seen[-1][1], sliding.problem().z, rtol=0, atol=1e-8)
    sliding.watch = lambda k, z: True
    assert sliding.step().status == "stopped"


def test_no_reference_to_the_simulator_stays_behind():
    sim = ss.Simulator()
    sim.add(ss.Body.plane(name="floor"))
    sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5)))
    sim.after_step = lambda s, me=sim: None
    sim.solver = lambda A, b, z0, me=sim: ss.lcp.solve(A, b).z
    sim.step(2)
    gone = weakref.ref(sim)
    del sim
    gc.collect()
    assert gone() is None
