"""Mistakes: one family, and texts that say what would be right."""

import numpy as np
import pytest

import stickslip as ss

B = ss.Body


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: ss.Simulator(step=-1), ss.SettingsError, "step = -1, but it must be more than 0"),
        (lambda: ss.Simulator(formulation="pge"), ss.SettingsError, 'no formulation is named "pge"; there are: '),
        (lambda: ss.Simulator(solver="lemk"), ss.SettingsError, 'did you mean "lemke"'),
        (lambda: ss.Simulator(detector="x"), ss.SettingsError, 'no detector is named "x"; there are: exact'),
        (lambda: ss.Simulator(friction="round"), ss.SettingsError, "friction = 'round', but it must be"),
        (lambda: ss.Simulator(friction_rule="x"), ss.SettingsError, "friction_rule = 'x', but it must be"),
        (lambda: ss.Simulator(stpe=0.1), ss.SettingsError, "no setting is named 'stpe'; there are: step"),
        (lambda: ss.Simulator(dimension=4), ss.SettingsError, "dimension = 4, but it must be 2 or 3"),
        (lambda: ss.Simulator(epsilon="far"), ss.SettingsError, "epsilon = 'far'"),
        (lambda: ss.Simulator(solver="pgs", solver_options={"tolerence": 1}), ss.SettingsError, 'did you mean "tolerance"'),
        (lambda: ss.Simulator(threads=-1), ss.SettingsError, "threads = -1, but it must be a whole number"),
        (lambda: B.box(1, 1, 0), ss.GeometryError, "must be positive and finite"),
        (lambda: B.box(1, 1, "a"), ss.ModelError, "size"),
        (lambda: B.sphere(1, position=(1,)), ss.ModelError, "position = (1,), but it must be 3 numbers"),
        (lambda: B.sphere(1, mass=1, density=1), ss.ModelError, "a mass or a density"),
        (lambda: B.sphere(1, static=True, kinematic=True), ss.ModelError, "static or kinematic"),
        (lambda: B.sphere(1, posision=(0, 0, 0)), ss.ModelError, "a body has no 'posision'; there are: name"),
        (lambda: B.sphere(1, orientation="up"), ss.ModelError, "orientation"),
        (lambda: B.sphere(1, color="red"), ss.ModelError, 'must be like "#4477aa"'),
        (lambda: B.convex([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), ss.GeometryError, "flat"),
        (lambda: B.sphere(1).scaled(-1), ss.ModelError, "factor = -1.0"),
        (lambda: ss.Simulator().add(B.sphere(1, mass=-1)), ss.ModelError, "mass is -1, but must be more than 0"),
        (lambda: ss.Simulator().add(B.sphere(1, friction=-1)), ss.ModelError, "friction is -1"),
        (lambda: ss.Simulator().add(B.sphere(1, position=(np.nan, 0, 0))), ss.ModelError, "must be finite"),
        (lambda: ss.Simulator().add("box"), ss.ModelError, "add takes a stickslip.Body, Joint or Force, not str"),
        (lambda: ss.Simulator().add(B.disc(1)), ss.ModelError, "a disc is of 2D, but this simulator is of 3D"),
        (lambda: ss.Simulator(dimension=2).add(B.plane()), ss.ModelError, "a plane is of 3D, but"),
        (lambda: ss.Simulator(dimension=2).add(B.compound([B.box(1, 1, 1)])), ss.ModelError, "of 3D"),
        (lambda: B.compound([B.box(1, 1, 1), B.disc(1)]), ss.ModelError, "not of both"),
        (lambda: B.cylinder(1, 1, sides=-3), ss.ModelError, "sides = -3, but it must be a whole number"),
        (lambda: B.regular(2.5, 1), ss.ModelError, "sides = 2.5"),
        (lambda: ss.Joint.fixed("a", "b", limits=(1,)), ss.ModelError, "two numbers"),
        (lambda: ss.Simulator().restore(None), ss.ModelError, "restore takes what save gave"),
        (lambda: ss.Simulator().step(1.5), ss.SettingsError, "n = 1.5"),
        (lambda: ss.lcp.solve(np.eye(3), [1.0, 2, 3], cones=[(-1, 2, 0.5)]), ss.ProblemError, "cones"),
        (lambda: ss.Simulator().run(-1), ss.SettingsError, "duration = -1.0"),
        (lambda: ss.Simulator().step(0), ss.SettingsError, "n = 0"),
        (lambda: ss.lcp.solve([[1.0, 2.0]], [1.0]), ss.ProblemError, "A has shape (1, 2) where (1, 1)"),
        (lambda: ss.lcp.solve([[np.nan]], [1.0]), ss.ProblemError, "A[0, 0] is nan; every number must be finite"),
        (lambda: ss.lcp.solve([[1.0]], [1.0], solver="x"), ss.SettingsError, 'unknown solver "x"'),
        (lambda: ss.lcp.solve([[1.0]], [1.0], l=[2.0], u=[1.0]), ss.ProblemError, "l[0] = 2.0 and u[0] = 1.0: need l <= u"),
        (lambda: ss.lcp.solve([[1.0]], [1.0], z0=[1.0, 2.0]), ss.SolveError, "z0 has 2 numbers where 1 are needed"),
        (lambda: ss.lcp.residual([[1.0]], [1.0], [1.0], metric="x"), ss.SettingsError, 'no metric is named "x"'),
    ],
)
def test_texts(make, error, text):
    with pytest.raises(error) as caught:
        make()
    assert text in str(caught.value)
    assert isinstance(caught.value, ss.StickslipError)


def test_duplicate_names():
    sim = ss.Simulator()
    sim.add(B.sphere(1, name="a"))
    with pytest.raises(ss.ModelError, match='two bodies are named "a"'):
        sim.add(B.sphere(1, name="a"))
    assert len(sim) == 1


def test_ignoring_a_body_that_never_comes():
    sim = ss.Simulator()
    sim.add(B.sphere(1, name="a", ignore=["b"]))
    with pytest.raises(ss.UnknownBodyError, match='no body is named "b"'):
        sim.step()


def test_a_failed_setting_changes_nothing():
    sim = ss.Simulator(step=0.02)
    with pytest.raises(ss.SettingsError):
        sim.time_step = 0.0
    with pytest.raises(ss.SettingsError):
        sim.solver = "nothing"
    assert sim.time_step == 0.02 and sim.solver == "auto"
    with pytest.raises(ss.SettingsError, match="gravity"):
        sim.gravity = (0, 0, float("nan"))
    with pytest.raises(ss.SettingsError, match="before_step = 3"):
        sim.before_step = 3


def test_stages_that_do_not_fit_are_told_at_the_next_step_and_lose_nothing():
    sim = ss.Simulator(formulation="stewart-trinkle")
    ball = sim.add(B.sphere(1, velocity=(1, 0, 0)))
    sim.step(10)
    sim.solver = "lemke"
    sim.friction = "quadratic"
    with pytest.raises(ss.SettingsError, match="lemke does not solve problems of class"):
        sim.step()
    sim.friction = "linear"
    assert sim.steps == 10 and ball.position[0] == pytest.approx(0.1)
    assert sim.step().step == 11


def test_a_step_that_cannot_be_done_says_which_and_where():
    sim = ss.Simulator(solver="pgs", solver_options={"max_iterations": 1}, on_unsolved="stop")
    sim.add(B.plane())
    for k in range(3):
        sim.add(B.box(1, 1, 1, position=(0.1 * k, 0, 0.5 + k), mass=10.0 ** (2 * k)))
    with pytest.raises(ss.StepError, match="failed while in stage solve") as caught:
        sim.run(0.1)
    assert caught.value.step >= 1 and caught.value.stage == "solve"
    assert len(sim.log) == caught.value.step
    assert sim.problem() is not None


def test_handles_do_not_write_through_copies(falling):
    with pytest.raises(ValueError, match="read-only"):
        falling["ball"].position[2] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        falling.positions[0, 2] = 1.0
