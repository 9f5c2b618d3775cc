"""Pyomo's complementarity conditions, solved by the program `complementarity-ampl`.

Skipped where Pyomo is not installed or the program is not built.
"""

import pathlib
import shutil

import pytest

pyo = pytest.importorskip("pyomo.environ")
mpec = pytest.importorskip("pyomo.mpec")

BUILT = pathlib.Path(__file__).parents[2] / "target/debug/complementarity-ampl"
PROGRAM = str(BUILT) if BUILT.exists() else shutil.which("complementarity-ampl")


@pytest.fixture
def solver():
    if PROGRAM is None:
        pytest.skip("complementarity-ampl is not built")
    return pyo.SolverFactory("path", executable=PROGRAM)


def test_a_linear_problem_of_three_conditions(solver):
    """Solution (0, 1/2, 0): x2 >= 1/2 from the first condition with x3 = 0, or others beside it."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2, 3])
    x = model.x
    model.f1 = mpec.Complementarity(expr=mpec.complements(x[1] >= 0, x[1] + 2 * x[2] + 3 * x[3] >= 1))
    model.f2 = mpec.Complementarity(expr=mpec.complements(x[2] >= 0, x[2] - x[3] >= -1))
    model.f3 = mpec.Complementarity(expr=mpec.complements(x[3] >= 0, x[1] + x[2] >= -1))
    result = solver.solve(model)
    assert result.solver.termination_condition == pyo.TerminationCondition.optimal
    z = [pyo.value(x[i]) for i in (1, 2, 3)]
    w = [z[0] + 2 * z[1] + 3 * z[2] - 1, z[1] - z[2] + 1, z[0] + z[1] + 1]
    assert max(abs(min(a, b)) for a, b in zip(z, w)) < 1e-8


def test_a_nonlinear_market(solver):
    """Two firms: price 10 / (q1 + q2), costs q² / 2; symmetric solution q = sqrt(10) / 2."""
    model = pyo.ConcreteModel()
    model.q = pyo.Var([1, 2], initialize=1.0)
    model.total = pyo.Var(initialize=2.0)
    model.sum = pyo.Constraint(expr=model.total == model.q[1] + model.q[2])
    price = 10 / model.total

    def condition(m, i):
        effect = m.q[i] * 10 / m.total**2
        return mpec.complements(m.q[i] >= 0, m.q[i] - price + effect >= 0)

    model.firm = mpec.Complementarity([1, 2], rule=condition)
    solver.solve(model)
    for i in (1, 2):
        assert abs(pyo.value(model.q[i]) - 10**0.5 / 2) < 1e-7
